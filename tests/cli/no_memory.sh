#!/usr/bin/env bash
# tests/cli/no_memory.sh - wherever the tool finds no memory, it says what it always says, or fails: it neither dies nor leaves things out
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/cli/no_memory_lib.sh
. "$GPUTAP_TESTS/cli/no_memory_lib.sh"
# with call stacks: whose functions and lines a library reads that ends its program when there is no memory
"$gputap" run -q -o s --callstacks --summary=none -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1
# sweep PLACES ARGUMENT...: of that many places, and of the first and last ones
# Who else ends the program while a library is loaded: the C library, for a thread's variables, and one that libdw 0.183 loads.
others='^cannot allocate memory for thread-local data: ABORT|^FATAL: .* in libgcrypt|^Fatal error: Cannot allocate memory' by_others=0
trace=t
sweep() {
	local places=$1 n step status
	shift
	LD_PRELOAD=$PWD/libnone.so "$gputap" "$@" $trace >whole 2>err 9>asked || { failed=$((failed + 1)); echo "FAILED: $*"; cat err; return; }
	n=$(cat asked); step=$((n / places + 1))
	for at in $(seq 1 "$step" "$n") "$n"; do
		LD_PRELOAD=$PWD/libnone.so FAIL_AT=$at "$gputap" "$@" $trace >part 2>err; status=$?
		if [ $status = 0 ] && ! cmp -s whole part; then echo "FAILED: $*, none from request $at of $n on: status 0, and something is left out"
		elif [ $status = 1 ]; then echo "FAILED: $*, none from request $at of $n on: status 1, which is an answer"
		elif grep -qE "$others" err; then by_others=$((by_others + 1)); continue
		elif [ $status -ge 128 ]; then echo "FAILED: $*, none from request $at of $n on: status $status"
		elif [ $status != 0 ] && ! grep -q '^gputap: .' err; then echo "FAILED: $*, none from request $at of $n on: no word"
		else passed=$((passed + 1)); continue; fi
		failed=$((failed + 1))
	done
}
sweep 200 info --json
sweep 60 stats -q -j 1 --format csv
trace=s
sweep 150 dump
sweep 60 stats -q -j 1 -r callers --format csv
[ $by_others = 0 ] || echo "skipped: at $by_others of the requests the C library or libgcrypt ends the program, in their own words"
echo "$passed passed, $failed failed, $((by_others > 0)) skipped"
[ "$failed" -eq 0 ]
