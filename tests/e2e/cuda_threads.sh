#!/usr/bin/env bash
# tests/e2e/cuda_threads.sh - many threads that launch a little each: the trace is no longer than it must be, and a limit of its size loses nothing that fits
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"

kib() { echo $(($1 / 1024)); }
length() { kib "$(stat -c %s t.gputap/*/*.str | awk '{ n += $1 } END { printf "%.0f", n }')"; }
disk() { kib "$(stat -c '%b %B' t.gputap/*/*.str | awk '{ n += $1 * $2 } END { printf "%.0f", n }')"; }
# A block of the file (64 KiB) for each buffer, and 32 MiB for those that were larger while they were few.
short() { [ "$(length)" -lt $(($1 * 64 + 32768)) ] && [ "$(length)" -lt $(($(disk) * 10 + 32768)) ]; }
# No flush between: all buffers are out at once, however busy the machine is.
many() {                                        # WAY THREADS LAUNCHES OPTION...
	local way=$1 threads=$2 launches=$3
	shift 3
	traced -q --summary=none --cuda-flush=0 "$@" -- "$GPUTAP_BUILD/tests/e2e/cuda_threads" "$way" "$threads" "$launches"
	check "$way, $threads threads, $launches launches each $*: the program ends as it should" status 0
	check "... nothing is missing" eval "whole ledger && walk kinds 10=$((threads * launches))"
}

for way in together waiting turns; do
	many $way 500 1
	check "... a file of $(length) KiB, $(disk) on the disk" short 500
	many $way 500 1 --max-size=12M
	check "... a file of $(length) KiB, $(disk) on the disk, within the limit" eval 'short 500 && [ "$(disk)" -lt 12800 ]'
done
# Those that have little room at first get more when they fill it; nothing depends on it.
many waiting 100 200
many waiting 100 100 --max-size=24M
traced -q --summary=none --max-size=2M -- "$GPUTAP_BUILD/tests/e2e/cuda_threads" waiting 500 1
check "... what does not fit is counted" walk lost CUPTI_NO_BUFFER +
check "... the limit holds: $(disk) KiB" [ "$(disk)" -lt 2600 ]
finish
