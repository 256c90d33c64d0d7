#!/usr/bin/env bash
# tests/e2e/stats_by.sh - gputap stats --by: sums split by process and by thread are what the traces of calls say; notes; gputap info --threads
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
tap=$GPUTAP_BUILD/gputap examples=$GPUTAP_BUILD/examples/cuda
export POCL_DEVICES=${POCL_DEVICES-basic}
unset FAKEGPU_REPORT
by() { python3 "$GPUTAP_TESTS/e2e/stats_by_check.py" "$tap" t.gputap "$@"; }

traced -q --summary=none -- sh -c '"$0" 2 & "$0" 2; wait' "$GPUTAP_BUILD/tests/e2e/cl_commands"
check "OpenCL: two processes of two threads each" by opencl
check "info tells how many threads there are" grep -q '^  [0-9]* threads (--threads lists them)$' <("$tap" info t.gputap)
check "... and lists them when asked" test "$("$tap" info --threads t.gputap | grep -c '^  thread [0-9]*')" = "$(
	"$tap" info --json t.gputap | grep -o '"tid":' | wc -l)"
traced -q --summary=none -- "$examples/storm" 4 200
check "CUDA: four threads, and what each set going" by cuda
FAKEGPU_FAULTS=kind-refused=54 traced -q --summary=none -- "$examples/streams"
"$tap" stats -r cuda_api_sum t.gputap >out 2>err
check "statistics tell the notes of the trace, each once" test "$(grep -c '^gputap: no records of decompressions: CUPTI refused' err)" = 1
"$tap" stats -q --by=thread -r cuda_api_trace t.gputap >out 2>err
check "a report that is no sum cannot be split" test "$?:$(grep -c 'cuda_api_trace cannot be split by thread' err)" = 2:1
"$tap" stats -q --by=thread t.gputap >out 2>err
check "... and is left as it is where nobody named it" test "$?:$(wc -c <err)" = 0:0
finish
