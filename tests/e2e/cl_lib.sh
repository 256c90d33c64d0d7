# tests/e2e/cl_lib.sh - run a program bare and traced, compare, count: sourced by the cl_*.sh tests
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
set -u
here=$GPUTAP_TESTS/e2e
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
passed=0 failed=0

fail() { echo "FAILED: $*"; failed=$((failed + 1)); }
pass() { echo "ok: $*"; passed=$((passed + 1)); }
# check NAME TEST...: one sentence that must be true
check() { local name=$1; shift; if "$@"; then pass "$name"; else fail "$name ($*)"; fi; }

# How often NAME is in the last trace.
count() { awk -v n="$1" '$1 == n {c = $2} END {print c + 0}' counts; }

# bare PROGRAM ARG...: leaves bare.out, bare.status
bare() { "$GPUTAP_BUILD/tests/e2e/$1" "${@:2}" >bare.out 2>bare.err; echo $? >bare.status; }

# traced PROGRAM ARG...: leaves traced.out, traced.status, counts
traced() {
	rm -rf t.gputap
	LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=$PWD/t "$GPUTAP_BUILD/tests/e2e/$1" "${@:2}" >traced.out 2>traced.err
	echo $? >traced.status
	python3 "$here/cl_records.py" t.gputap "$GPUTAP_BUILD/gen/table.txt" >counts || fail "$*: $(tail -n 1 counts) the trace is wrong"
}

# both PROGRAM ARG...: the program prints the same and ends the same, with and without the tool
both() {
	bare "$@"
	traced "$@"
	check "$*: the same output${POCL_DEVICES:+ on $POCL_DEVICES}" diff bare.out traced.out
	check "$*: the same exit status" cmp -s bare.status traced.status
}

# Every accepted command has its device times, but for so many as $untimed says.
all_timed() {
	check "$*: commands were seen" [ "$(count accepted)" -gt 0 ]
	check "$*: each of $(count accepted) commands is timed" [ "$(count COMMAND)" = $(($(count accepted) - ${untimed:-0})) ]
	check "$*: nothing${untimed:+ but $untimed} is untimed" [ "$(count UNTIMED)" = "${untimed:-0}" ]
}

finish() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; }
