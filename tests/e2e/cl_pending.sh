#!/usr/bin/env bash
# tests/e2e/cl_pending.sh - 100 000 commands pending, 100 000 failed, and the limit of what is kept
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

export POCL_DEVICES=pthread
both cl_many blocked 100000; all_timed cl_many blocked
both cl_many failed 100000
check "each failed command is written" [ "$(count UNTIMED.FAILED_COMMAND)" = 100000 ]

# 100200 commands wait at once where 1000 are kept; what came before and after has its times.
export GPUTAP_MAX_PENDING=1000
both cl_many blocked 100000
check "every command is timed or untimed for want of room" [ $(($(count COMMAND) + $(count UNTIMED.PENDING_FULL))) = "$(count accepted)" ]
check "as many as were kept are timed" [ "$(count COMMAND)" -ge 1000 ]
check "no more than were kept" [ "$(count UNTIMED.PENDING_FULL)" -ge 98900 ]
check "the ledger says so" [ "$(count lost.PENDING_FULL)" = "$(count UNTIMED.PENDING_FULL)" ]
unset GPUTAP_MAX_PENDING

export GPUTAP_DEVICE_TIMES=false
both cl_queue_view
check "nothing of a queue without profiling is timed" [ "$(count UNTIMED)" = 0 ]
check "profiled commands with an event are" [ "$(count COMMAND)" -ge 1 ]
both cl_many failed 1000
check "a program without profiling is left alone" [ $(($(count COMMAND) + $(count UNTIMED))) = 0 ]
unset GPUTAP_DEVICE_TIMES

export POCL_DEVICES=basic GPUTAP_SERIALIZE=true
both cl_commands; all_timed cl_commands
finish
