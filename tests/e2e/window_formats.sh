#!/usr/bin/env bash
# tests/e2e/window_formats.sh - for one window, calls in flight at its edges included, the statistics, the database, .atp, the API log and the timeline take the same calls and the same work
#
# Kernels of 3 ms, so that a launch and its kernel lie on two sides of a window's edge.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
tap=$GPUTAP_BUILD/gputap examples=$GPUTAP_BUILD/examples/cuda
export POCL_DEVICES=${POCL_DEVICES-basic}
unset FAKEGPU_REPORT

FAKEGPU_FAULTS=slow-kernels=3 traced -q --summary=none -- "$examples/streams"
check "CUDA: whole, and at twelve windows" python3 "$GPUTAP_TESTS/e2e/window_formats_check.py" "$tap" t.gputap cuda
traced -q --summary=none --cuda-graph-trace=node -- "$examples/graphs"
check "CUDA graphs, node by node" python3 "$GPUTAP_TESTS/e2e/window_formats_check.py" "$tap" t.gputap cuda
traced -q --summary=none -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 2
check "OpenCL" python3 "$GPUTAP_TESTS/e2e/window_formats_check.py" "$tap" t.gputap opencl

# Calls that never returned (three, from 2.5 us on: the process was killed) are in every window that ends behind their start.
"$GPUTAP_BUILD/tests/golden/build" unfinished "$GPUTAP_BUILD/gen/table.txt" u.gputap || exit 1
in_flight() { # OPTION...: how many calls each format has
	"$tap" export -q -f -e atp,apilog,sqlite,perfetto -o u "$@" u.gputap || return 1
	echo "$(grep -hc '^[^ ]* = cl' u.atp) $(grep -hc '^TID' u.apilog) $(python3 -c 'import sqlite3; print(sqlite3.connect("u.sqlite").execute(
		"SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME").fetchone()[0])') $(python3 "$GPUTAP_TESTS/golden/perfetto_dump.py" u.pftrace | grep -c 'begin call')"
}
check "calls in flight: the whole trace" test "$(in_flight)" = "5 5 5 5"
check "... from behind their start on" test "$(in_flight --from=3us)" = "3 3 3 3"
check "... long behind the end" test "$(in_flight --from=1h)" = "3 3 3 3"
check "... between two of them" test "$(in_flight --from=2550ns --to=2560ns)" = "2 2 2 2"
check "... before they began" test "$(in_flight --to=2100ns)" = "2 2 2 2"
in_report() { "$tap" stats -q --format=csv -r opencl_api_trace "$@" u.gputap | grep -cE '^[0-9]+,[0-9]*,cl'; }
check "... as rows of a report, whole and from behind their start on" test "$(in_report) $(in_report --from=3us)" = "5 3"
finish
