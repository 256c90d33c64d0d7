#!/usr/bin/env bash
# tests/e2e/cuda_order.sh - what a critical path needs of CUDA: functions on the host, launches that break their stream's order,
# handles of streams, first launches, events where somebody asks for waits
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"

# An expression of Python over the records of the trace; `of(TYPE)` are those of a type.
holds() {
	"$tap" dump --json t.gputap 2>/dev/null | python3 -c '
import json, sys
records = [json.loads(line) for line in sys.stdin]
def of(kind): return [r for r in records if r["type"] == "cuda_" + kind]
calls = {r["correlation"]: r for r in of("call") if not r["nested"]}
stream, event, thread = sys.argv[2], sys.argv[3], int(sys.argv[4])
sys.exit(not eval(sys.argv[1]))' "$1" "$(awk '$1 == "stream" { print $2 }' t.err)" "$(awk '$1 == "stream" { print $4 }' t.err)" "$(awk '$1 == "stream" { print $6 }' t.err)"
}
query() { sqlite3 t.sqlite "$1"; }

traced --cupti="$gpu/v130101/libcupti.so.13" -e sqlite,perfetto -- "$examples/order"
check "the program" test "$(cat t.out):$(cat t.status)" = "order: 2 calls:0"
check "host functions, in a stream and in a graph" holds '[r["in_graph"] for r in sorted(of("host_function"), key=lambda r: r["start_ns"])] == [False, True]'
check "... on the thread that ran them" holds 'all(r["tid"] == thread for r in of("host_function"))'
check "... as long as they took" holds 'all(3e6 <= r["end_ns"] - r["start_ns"] < 1e9 for r in of("host_function"))'
check "... by the calls that launched them" holds '[calls[r["correlation"]]["name"][:18] for r in sorted(of("host_function"), key=lambda r: r["start_ns"])] == ["cudaLaunchHostFunc", "cudaGraphLaunch_v1"]'
check "... in the table of newer editions" test "$(query 'SELECT count(*), count(graphNodeId), min(end - start) >= 3000000 FROM CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH')" = "2|1|1"
check "the stream's handle and number together" holds '[r["handle"] for r in of("stream") if r.get("handle")] == [stream] and {r["stream"] for r in of("kernel")} == {r["id"] for r in of("stream") if r.get("handle")}'
check "attributes that break the stream's order, and those alone" holds '[(r.get("programmatic_serialization"), r.get("programmatic_event")) for r in sorted(of("kernel"), key=lambda r: r["correlation"])] == [(None, None), (1, None), (None, event), (None, None)]'
check "the first launch of each kernel" holds '[r.get("first") for r in sorted(of("kernel"), key=lambda r: r["start_ns"])] == [1, None, None, None]'
check "no events unless somebody asks" holds 'not of("event_record")'
check "nothing is lost" grep -q "complete: yes" <("$tap" info t.gputap)
traced -t cuda,osrt -- "$examples/order"
check "with -t osrt events are recorded" holds 'len(of("event_record")) == 1'
traced -t cuda,osrt --cuda-events=false -- "$examples/order"
check "... but where they are refused" holds 'not of("event_record")'
traced --critical-path -- "$examples/order"
check "--critical-path asks for events and for the calls that wait" holds 'len(of("event_record")) == 1 and any(r.get("name") == "nanosleep" for r in records)'
traced --cuda-events -- "$examples/order"
check "--cuda-events alone means true" holds 'len(of("event_record")) == 1'
traced -t cuda,osrt --no-cuda-events -- "$examples/order"
check "--no-cuda-events means false" holds 'not of("event_record")'
traced --cupti="$gpu/v28/libcupti.so.12" -- "$examples/order"
check "a CUPTI that knows no host functions is no loss" holds 'not of("host_function") and len(of("kernel")) == 4'
check "... and nothing is lost" grep -q "complete: yes" <("$tap" info t.gputap)
finish
