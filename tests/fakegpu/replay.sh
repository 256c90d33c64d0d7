#!/usr/bin/env bash
# tests/fakegpu/replay.sh - a trace of the stand-in machine, played back to the collector, gives the same trace again
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
gpu=$GPUTAP_BUILD/tests/fakegpu
examples=$GPUTAP_BUILD/examples/cuda
passed=0 failed=0
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT FAKEGPU_REPLAY CUDA_HOME CUDA_PATH CONDA_PREFIX \
	"${!GPUTAP_CUDA@}"
export LD_LIBRARY_PATH=$gpu/lib

# check NAME COMMAND...: one sentence that must be true
check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi
}
# The same activities, byte by byte but for the addresses of their texts.
same_activities() {
	"$gpu/replay" --list "$1" | sort >first.list
	"$gpu/replay" --list "$2" | sort >second.list
	[ -s first.list ] && cmp -s first.list second.list
}
kernels() { "$tap" dump --json "$1" 2>/dev/null | grep -c '"type":"cuda_kernel"'; }
record() { timeout 60 "$tap" run -q -f -o first "$@" >/dev/null 2>&1; }
played() { timeout 60 "$tap" run -q -f -o second "$@" >played.out 2>played.err; }

again() {                                       # NAME "OPTIONS OF BOTH" PROGRAM...
	local name=$1 options
	read -ra options <<<"$2"
	record -e sqlite "${options[@]}" -- "${@:3}"
	played -e sqlite "${options[@]}" -- "$gpu/replay" first.gputap
	check "$name: it plays to its end, and all that is asked for is in it" test "$? $(wc -c <played.err)" = "0 0"
	check "... every activity comes as it was" same_activities first.gputap second.gputap
	check "... and is shown alike" python3 "$GPUTAP_TESTS/fakegpu/replay_check.py" first.sqlite second.sqlite
}
again "vector addition" "" "$examples/vector_add"
again "streams and events" "--cuda-events" "$examples/streams"
again "graphs" "" "$examples/graphs"
again "graphs by node" "--cuda-graph-trace=node" "$examples/graphs"
again "managed memory" "--cuda-um" "$examples/managed"
again "pools" "--cuda-memory-usage" "$examples/pools"
again "4 threads" "--cuda-buffer-size=64k" "$examples/storm" 4 400
FAKEGPU_DEVICES=2 again "two devices" "" "$examples/streams"

# Arguments: the recorded parameters come back in callbacks.
arguments() { "$tap" dump --json "$1" 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    r = json.loads(line)
    if r.get("has_args"):
        print(r["name"], r["correlation"], r["result"])' | sort; }
record --cuda-args -- "$examples/streams"
played --cuda-args -- "$gpu/replay" first.gputap
check "calls with arguments come back with them" test "$(arguments first.gputap | grep -c .):$(arguments first.gputap)" = "60:$(arguments second.gputap)"

# A smaller client: buffers are cut between records.
record -- "$examples/storm" 2 1000
played --cuda-buffer-size=64k -- "$gpu/replay" first.gputap
check "smaller buffers than recorded: the same activities" same_activities first.gputap second.gputap
check "... in more buffers" test "$("$tap" dump --json second.gputap 2>/dev/null | grep -c cuda_buffer)" -gt "$("$tap" dump --json first.gputap 2>/dev/null | grep -c cuda_buffer)"

# Versions: sizes are the recorded ones.
for at in 18:11080 22:12040 130500:13050 139900:13990; do
	FAKEGPU_DRIVER=${at#*:} record --cupti="$(ls "$gpu/v${at%:*}"/libcupti.so.*)" -- "$examples/streams"
	played --cupti="$gpu/lib/libcupti.so.13" -- "$gpu/replay" first.gputap
	check "a recording of CUPTI ${at%:*}: the same activities" same_activities first.gputap second.gputap
done

# What the kill left
(
	GPUTAP_OUTPUT=killed LD_PRELOAD=$GPUTAP_BUILD/libgputap.so "$GPUTAP_BUILD/tests/fault/cuda_kill" progress >/dev/null 2>&1 & pid=$!
	sleep 0.4
	kill -9 $pid
	wait $pid
) 2>/dev/null
played -- "$gpu/replay" killed.gputap
check "a killed process: what was there is there again" same_activities killed.gputap second.gputap
check "... its kernels too" test "$(kernels killed.gputap)" = "$(kernels second.gputap)"

record --pack -- "$examples/vector_add"
played -- "$gpu/replay" first.gputap
check "a packed trace plays alike" same_activities first.gputap second.gputap
record -- "$examples/pools"
played --cuda-memory-usage -- "$gpu/replay" first.gputap
check "a kind that was not recorded is told, and the status says so" eval "grep -q 'kind 49 is asked for, the recording has none' played.err && [ -d second.gputap ]"
FAKEGPU_REPLAY=first.gputap timeout 60 "$tap" run -q -f -o second -- "$gpu/replay" --timed >/dev/null 2>&1
check "in the recorded time, by the environment" same_activities first.gputap second.gputap
check "it says whose it is" grep -q '^gputap stand-in: [0-9]* events' played.out

# What is given away of a recording: its texts get shorter, and nothing is missing for that.
long=$(printf 'a%.0s' $(seq 200))
(mkdir "$long" && cd "$long" && LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=../own timeout 60 "$examples/vector_add" >/dev/null 2>&1)
told=$("$tap" info own.gputap 2>/dev/null | grep ^complete:)-$(grep -rl "$long" own.gputap | wc -l)
"$GPUTAP_BUILD/gpu/scrub" own.gputap given.gputap       # own.gputap is changed, then packed
check "a scrubbed recording is complete" [ "$("$tap" info given.gputap 2>/dev/null | grep ^complete:)" = "complete: yes" ]
check "... and does not tell where it was made" [ "$told-$(grep -rl "$long" own.gputap | wc -l)" = "complete: yes-2-0" ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
