#!/usr/bin/env bash
# tests/e2e/places_least.sh - threads with the least stack that there can be, and forked children that can open nothing
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap place=$GPUTAP_BUILD/tests/e2e/cl_place shim=$GPUTAP_BUILD/libgputap.so
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS LD_PRELOAD LD_AUDIT OPENCL_LAYERS TMPDIR
nm -D --undefined-only "$shim" | grep -q __asan && { echo "skipped: a library with sanitizers cannot be preloaded, and takes more stack"; exit 77; }
dir=$PWD
passed=0 failed=0
check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; cat said 2>/dev/null; failed=$((failed + 1)); fi; }
run() { rm -rf ./*.gputap; "$gputap" run "$@" >out 2>said; }
calls() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(sum(p['calls'] for p in i['processes']))"; }
lost() { "$gputap" info --json t.gputap | python3 -c "import json, sys; i = json.load(sys.stdin); print(sum(i['ledger'].get(r, 0) for r in ('NO_STREAM', 'NO_SPACE')))"; }
preload() { env LD_PRELOAD="$shim" "$@" 2>"$dir/said"; }

# ---- a thread that has no more stack than a thread must have makes the first call, is the last to say something, or both
for steps in "small=200000" "small=-500" "5 small=500 small=-500"; do
	# shellcheck disable=SC2086
	n=$(($(echo "$steps" | sed 's/small=-\{0,1\}//g; s/ / + /g'))); run -o t -- "$place" $steps; status=$?
	check "the least stack ($steps): the program ends as it would" [ $status = 0 ]
	check "... and every call is recorded" [ "$(calls t.gputap):$(lost)" = $n:0 ]
	rm -rf t.gputap
	# shellcheck disable=SC2086
	GPUTAP_OUTPUT=$dir/t preload "$place" $steps; status=$?
	check "... in a plain preload as well" [ "$status:$(calls t.gputap)" = 0:$n ]
done
run -o t -- "$place" files=3 small=-500; status=$?
check "the least stack, and no descriptor: every call is counted" [ "$status:$(calls t.gputap):$(lost)" = 0:0:500 ]

# ---- forked children of a process that is plainly preloaded
for way in "files=3 fork=200 fork=10" "held=5 files=3 fork=210"; do
	rm -rf t.gputap
	# shellcheck disable=SC2086
	GPUTAP_OUTPUT=$dir/t preload "$place" 10 $way
	check "a forked child without a descriptor, plainly preloaded ($way): its calls are counted" [ $(($(calls t.gputap) + $(lost) - $(echo "$way" | grep -c held) * 5)) = 220 ]
done
if [ "$(id -u)" = 0 ]; then
	rm -rf t.gputap; mkdir -p jail; GPUTAP_OUTPUT=$dir/t preload "$place" 10 root="$dir/jail" fork=200 fork=100 20
	check "... one in another root directory" [ "$(calls t.gputap):$(lost)" = 30:300 ]
	# ... and with a launcher, where the child cannot send a message to it either.
	for steps in "10 root=$dir/jail files=3 fork=200 fork=100" "10 root=$dir/jail fork=200 fork=100"; do
		for end in "" kill; do
			# shellcheck disable=SC2086
			run -o t -- "$place" $steps $end
			check "... under gputap run (${steps/$dir\//}${end:+, killed}): each call is counted" [ "$(calls t.gputap):$(lost)" = 10:300 ]
		done
	done
	rmdir jail
fi
rm -rf t.gputap; GPUTAP_OUTPUT=$dir/t preload "$place" 10 fork=20 fork=30
check "... and of one that can record nothing is counted" [ "$(calls t.gputap):$(lost)" = 60:0 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
