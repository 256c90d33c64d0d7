/*
 * cli/version.h - the version, once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_VERSION_H
#define GPUTAP_CLI_VERSION_H

#define GPUTAP_VERSION "0.1.0"

#endif
