#!/usr/bin/env bash
# tests/e2e/cl_device_times.sh - device times of every command, and a program that cannot tell that they are taken
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

# A runtime may begin nothing that was not flushed (the stand-in's does not): this program would wait for ever.
polls=1
timeout -k 5 20 "$GPUTAP_BUILD/tests/e2e/cl_many" poll 1 >/dev/null 2>&1 ||
	{ polls=; echo "skipped: a program that polls and never flushes: the runtime here begins nothing for it"; }
for POCL_DEVICES in basic pthread; do
	export POCL_DEVICES
	both cl_queue_view
	# A list that says a key twice stays as it is: where a runtime takes it all the same (PoCL 1), its queue's kernel has no times.
	untimed=$(grep '^twice: error 0' traced.out | wc -l) all_timed cl_queue_view
	both cl_commands;        all_timed cl_commands
	both cl_commands 4;      all_timed cl_commands 4
	[ -z "$polls" ] || { both cl_many poll 500; all_timed cl_many poll; }
	both cl_many failed 20000
	check "failed commands keep their code" [ "$(count UNTIMED.FAILED_COMMAND)" -ge 20000 ]
	check "each command is timed or failed" [ $(($(count COMMAND) + $(count UNTIMED))) = "$(count accepted)" ]
done
check "clocks are calibrated" [ "$(count CALIBRATION)" -ge 1 ]

# PoCL's basic device locks itself up in clSetUserEventStatus: only the one with worker threads.
both cl_references;          all_timed cl_references
both cl_many blocked 20000;  all_timed cl_many blocked
both cl_many disorder 2000;  all_timed cl_many disorder
finish
