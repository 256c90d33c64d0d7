#!/usr/bin/env bash
# tests/e2e/cl_queues.sh - queues that are no common ones keep their device times, and cause no note of others
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS FAKECL_DEVICES

# of HOW [N] [OPTION...]: runs bare and traced
of() {
	"$GPUTAP_BUILD/tests/e2e/cl_queues" "$1" "$2" >bare.out
	"$gputap" run -q -f -o t "${@:3}" -- "$GPUTAP_BUILD/tests/e2e/cl_queues" "$1" "$2" >traced.out 2>err
	check "$1${3:+ $3}: the same output" diff bare.out traced.out
	"$gputap" info t.gputap >info 2>/dev/null
	"$gputap" dump --json t.gputap >dump.json 2>/dev/null
}
timed() { grep "\"name\":\"$1\"" dump.json | grep -c '"start":\|"start_ns":[0-9]*,"end_ns":[0-9]*.*"command":{.*"start'; }

of device 5
check "a queue of the device's own is not said to have refused profiling" [ "$(grep -c 'refused profiling' info)" = 0 ]
check "... and the trace is complete" grep -q '^complete: yes' info

# The clock is looked at now and then only, so the first of them may still be before the window.
of late 2000 --start-after=100ms
n=$(grep -c '"name":"clEnqueueFillBuffer"' dump.json)
check "--start-after: fills of a queue made before are recorded ($n of 2000)" [ "$n" -gt 1000 ]
check "... and have times ($(timed clEnqueueFillBuffer))" [ "$(timed clEnqueueFillBuffer)" = "$n" ]
check "... and the trace is complete" grep -q '^complete: yes' info

for how in writes released; do
	FAKECL_FAULTS=write-late=5 of $how 20
	check "$how: blocking writes that end after their call have times ($(timed clEnqueueWriteBuffer) of 20)" [ "$(timed clEnqueueWriteBuffer)" = 20 ]
	check "... and the trace is complete" grep -q '^complete: yes' info
done
# The bound: what takes a minute is not waited for.
FAKECL_FAULTS=write-late=60000 of writes 3
check "writes that never end are given up and counted" grep -q '^complete: no (3 commands untimed: not finished at exit' info
finish
