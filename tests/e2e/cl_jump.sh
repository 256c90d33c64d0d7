#!/usr/bin/env bash
# tests/e2e/cl_jump.sh - a call that a signal handler left by a jump hides no later one
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

both cl_jump
"$GPUTAP_BUILD/gputap" dump t.gputap >dump 2>/dev/null
check "calls from a frame over the jump's leavings are there" [ "$(grep -c clGetDeviceInfo dump)" = 3 ]
check "the call that was left is not" [ "$(grep -c clWaitForEvents dump)" = 0 ]
finish
