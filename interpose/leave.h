/*
 * interpose/leave.h - what the ways out of a process image share: exec.c, spawn.c, seccomp.c
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_LEAVE_H
#define GPUTAP_INTERPOSE_LEAVE_H

#include <stdbool.h>

/* Functions that the C library of this process may lack, and we export: then nobody must find them. */
bool tap_is_newer_function(const char *name);

#endif
