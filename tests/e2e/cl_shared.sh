#!/usr/bin/env bash
# tests/e2e/cl_shared.sh - threads on shared queues, handles that come again, children of fork: each command timed once
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

for POCL_DEVICES in basic pthread; do
	export POCL_DEVICES
	# PoCL 3.1's basic device dead-locks by itself when threads share a queue.
	[ $POCL_DEVICES = basic ] || { both cl_shared threads 2000; all_timed cl_shared threads; }
	both cl_shared reuse 2000;   all_timed cl_shared reuse
	both cl_shared fork;         all_timed cl_shared fork
done
unset POCL_DEVICES
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
export FAKECL_FAULTS=release-slow=600
both cl_shared counts
check "references are counted without ours" grep -q 'of the event: 1$' traced.out
unset FAKECL_FAULTS
both cl_shared destructor 7
check "calls in a destructor that a release of ours calls are recorded" [ "$(count clGetPlatformIDs)" = 8 ]
finish
