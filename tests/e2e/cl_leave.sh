#!/usr/bin/env bash
# tests/e2e/cl_leave.sh - however a program ends: what was complete has its times, the rest is written as not finished
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

ulimit -c 0
for POCL_DEVICES in basic pthread; do
	export POCL_DEVICES
	for how in return exit _exit quick_exit exec; do
		both cl_leave $how
		check "$how: complete commands are timed" [ "$(count COMMAND)" = 10 ]
		check "$how: waiting ones are not finished" [ "$(count UNTIMED.NOT_FINISHED)" = 5 ]
	done
	both cl_leave abort
	check "abort: complete commands are timed" [ "$(count COMMAND)" = 10 ]
	both cl_leave late
	check "late: complete commands are timed" [ "$(count COMMAND)" -ge 10 ]
done
finish
