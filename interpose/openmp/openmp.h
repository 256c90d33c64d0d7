/*
 * interpose/openmp/openmp.h - what the files of libgputap-openmp.so share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_OPENMP_OPENMP_H
#define GPUTAP_INTERPOSE_OPENMP_OPENMP_H

#include "openmp_functions.h"
#include "trace/write/core.h"

/* build/gen/openmp_table.c, build/gen/gomp_table.c */
extern struct gputap_thin openmp_thin, gomp_thin;

#endif
