# tests/e2e/cuda_lib.sh - run a CUDA program traced on the stand-in machine and look at what the collector wrote: sourced
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
set -u
tap=$GPUTAP_BUILD/gputap
gpu=$GPUTAP_BUILD/tests/fakegpu
examples=$GPUTAP_BUILD/examples/cuda
. "$GPUTAP_TESTS/check_lib.sh"
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_REFUSE FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION CUDA_HOME CUDA_PATH CONDA_PREFIX "${!GPUTAP_CUDA@}"
export LD_LIBRARY_PATH=$gpu/lib FAKEGPU_REPORT=report

# What the tool reads of the trace, and (walk) what stands in the raw files.
whole() { python3 "$GPUTAP_TESTS/e2e/cuda_whole_check.py" t.gputap "$@"; }
walk() { python3 "$GPUTAP_TESTS/e2e/cuda_collector_check.py" t.gputap "$@"; }
# traced OPTION... -- PROGRAM ARGUMENT...: into t.gputap, its words into t.out and t.err, status into t.status
traced() {
	rm -rf t.gputap report
	timeout 60 "$tap" run -f -o t "$@" >t.out 2>t.err
	echo $? >t.status
}
said() { grep -q "$1" t.err; }
silent() { ! grep -q "CUDA is not traced" t.err; }
calls() { grep '^runtime-calls' "$1"; }
driver_calls() { grep '^driver-calls' "$1" | cut -d' ' -f2; }
status() { [ "$(cat t.status)" = "$1" ]; }
no_image() { ! ls -d t.gputap/*.[0-9]* >/dev/null 2>&1; }
# ./other PROGRAM: runs PROGRAM 1 MORE, and PROGRAM 1 2 in the second of its runs, which therefore launches less
launching_less() {
	cat >other <<-END
		#!/bin/sh
		echo run >>others
		if [ "\$(grep -c . others)" = 2 ]; then exec "\$@" 1 2; fi
		exec "\$@" 1 $1
	END
	chmod +x other
}
# The trace's file of later runs, cut: who sources this has a function `report`.
runs_cut() {
	local cut
	for cut in 200 $(($(stat -c %s t.gputap/passes) - 1)); do
		cp -r t.gputap cut.gputap
		truncate -s "$cut" cut.gputap/passes
		check "the file of the runs cut to $cut bytes: the page is there all the same" grep -q 'storm\|kernel' <(report --page raw --launch-count 0 cut.gputap)
		rm -r cut.gputap
	done
}
