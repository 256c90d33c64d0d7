#!/usr/bin/env bash
# tests/e2e/stacks_off.sh - call stacks that are not asked for cost nothing: no byte in the trace, no instruction on a call's way
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0 skipped=0
[ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ] || { echo "skipped: the stand-in runtime is not built"; exit 77; }
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }

for how in off on; do
	options=()
	[ $how = off ] || options=(--callstacks=opencl)
	"$tap" run -q -f -o $how "${options[@]}" -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >$how.out 2>&1
done
check "the bytes of a trace without call stacks are those of before" \
	python3 "$GPUTAP_TESTS/e2e/stacks_off_check.py" off.gputap on.gputap "$GPUTAP_BUILD/gen/ids.h"

# Instructions of all calls of one function, our wrapper and what it calls, as valgrind counts them: the same number in each run.
# instructions NAME=VALUE...
instructions() {
	rm -rf count.gputap callgrind.count
	env LD_BIND_NOW=1 LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" GPUTAP_OUTPUT=count "$@" timeout 100 valgrind -q --tool=callgrind \
		--callgrind-out-file=callgrind.count --toggle-collect=clRetainContext ./retains 1000 >valgrind.out 2>&1 || return 1
	sed -n 's/^\(summary\|totals\): *//p' callgrind.count | head -n 1
}
cc=${CC:-cc}
if command -v valgrind >/dev/null && command -v "${cc%% *}" >/dev/null && "$cc" -O1 -o retains "$GPUTAP_TESTS/e2e/stacks/retains.c" -lOpenCL 2>cc.out; then
	off=$(instructions A=b)
	range=$(instructions GPUTAP_CALLSTACKS=nvtx)
	long=$(instructions GPUTAP_CALLSTACKS=opencl GPUTAP_CALLSTACK_MIN=1h)
	all=$(instructions GPUTAP_CALLSTACKS=opencl)
	echo "instructions of 1000 calls: $off; with stacks of ranges alone: $range; of long calls: $long; of all: $all"
	# what happens once in a run differs by some hundred; one instruction more a call would be 1000
	same() { [ $(($1 - $2)) -lt 900 ] && [ $(($2 - $1)) -lt 900 ]; }
	check "a call has the same instructions whether call stacks exist or not" same "$off" "$range"
	check "... that were counted" [ "${off:-0}" -gt 100000 ]
	check "... and where they are for longer ones" same "$off" "$long"
	check "... and more where it gets its own" [ "$all" -gt "$((off + 100000))" ]
else
	skipped=$((skipped + 1))
	echo "skipped: instructions of a call: valgrind or a C compiler is not installed"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
