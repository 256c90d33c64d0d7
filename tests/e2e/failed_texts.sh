#!/usr/bin/env bash
# tests/e2e/failed_texts.sh - what a call that failed was given as a text is in the trace, and a wrong pointer harms nobody
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

both failed_texts
check "the calls fail as they should" [ "$(paste -sd' ' bare.out)" = "-11 0 -46 -44 -44 -44 -44 -44" ]
"$GPUTAP_BUILD/gputap" dump t.gputap >dump
check "the options of a build that failed" grep -q 'clBuildProgram(.*options="-DN=missing"' dump
check "a kernel's name that the program does not have" grep -q 'clCreateKernel(.*kernel_name="rihgt"' dump
check "a long one is whole" grep -Eq 'clCreateKernel\(.*kernel_name="x{2999}"' dump
check "one that ends where the memory does" grep -q 'kernel_name="yyyy"' dump
check "those that lie nowhere are addresses" [ "$(grep -c 'kernel_name="0x' dump)" = 2 ]
check "... of a build too" grep -q 'clBuildProgram(.*options="0x10"' dump
"$GPUTAP_BUILD/gputap" export -q -f -e atp -o t.atp t.gputap
check "CodeXL's list shows it" grep -q 'clCreateKernel ( .*;"rihgt";\[CL_INVALID_KERNEL_NAME\] )' t.atp
"$GPUTAP_BUILD/gputap" info t.gputap >info
check "nothing is damaged" grep -q '^complete: yes' info
finish
