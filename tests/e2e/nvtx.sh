#!/usr/bin/env bash
# tests/e2e/nvtx.sh - what programs say through NVTX is in the trace, in the SQLite database and in the reports
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
byhand=$GPUTAP_BUILD/tests/e2e/nvtx_byhand
passed=0 failed=0 skipped=0

# check NAME COMMAND...: one sentence that must be true
check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi
}
verify() { python3 "$GPUTAP_TESTS/e2e/nvtx_check.py" "$@"; }
absent() { ! ls -d "$1"* >/dev/null 2>&1; }

unset NVTX_INJECTION64_PATH
"$tap" run -q -f -o hand -- "$byhand" >hand.out 2>hand.err
check "a client's calls return what they return without a tool" test ! -s hand.out
check "pushes, pops, starts and ends of a client are joined" verify byhand hand.gputap
"$tap" run -q -f -o old -- "$byhand" old >old.out 2>/dev/null
check "a client with fewer slots keeps the others untouched" test ! -s old.out
check "... and is traced" verify old old.gputap
"$tap" run -q -f -t opencl -o without -- "$byhand" >without.out 2>/dev/null
check "without the domain the client finds no tool" grep -qx "no tool" without.out
check "... and there is no image in the trace" absent without.gputap/[0-9]
"$tap" run -q -f -t nvtx -o alone -- "$byhand" >/dev/null 2>&1
check "the domain alone is enough" verify byhand alone.gputap
NVTX_INJECTION64_PATH=/nonexistent/tool.so "$tap" run -q -f -o other -- "$byhand" >other.out 2>/dev/null
check "another tool's path stays as it is" grep -qx "no tool" other.out
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=preload "$byhand" >preload.out 2>/dev/null
check "a plain preload is found as well" verify byhand preload.gputap

include=
for dir in /usr/local/cuda*/include /usr/include; do
	[ -f "$dir/nvtx3/nvToolsExtPayload.h" ] && include=$dir
done
if [ -n "$include" ]; then
	check "our definitions are those of the vendor's headers" ${CC:-cc} -std=gnu11 -I"$GPUTAP_TESTS/.." -I"$include" -fsyntax-only "$GPUTAP_TESTS/e2e/nvtx/abi.c"
fi
if [ -n "$include" ] && ${CC:-cc} -O2 -I"$include" -o real "$GPUTAP_TESTS/e2e/nvtx/real.c" -ldl -lpthread 2>cc.err; then
	"$tap" run -q -f -o real -- ./real >real.out 2>&1
	check "a program with the vendor's headers ends as without us" test ! -s real.out
	check "every kind of NVTX call is in its trace" verify real real.gputap
else
	echo "skipped: no NVTX headers to build a program with"
	skipped=$((skipped + 3))
fi
if python3 -c 'import nvtx' 2>/dev/null; then
	"$tap" run -q -f -o python -- python3 "$GPUTAP_TESTS/e2e/nvtx/annotate.py" >/dev/null 2>&1
	check "ranges of the Python package are in the trace" verify python python.gputap
else
	echo "skipped: no Python package nvtx"
	skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
