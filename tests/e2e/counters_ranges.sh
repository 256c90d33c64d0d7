#!/usr/bin/env bash
# tests/e2e/counters_ranges.sh - counters of ranges of the program and of graphs: --replay-mode=range and app-range
#
# On the stand-in machine, where a range's value is one of the threads of all launches in it, so that it tells which
# these were. cuda_ranges makes launches of 1, 2, ... 7 blocks of 32 threads, in ranges that it lists.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
one=sm__cycles_active.avg
three=$(printf 'sm__part_%02d.sum,' {1..20} | sed 's/,$//')
ranges=$GPUTAP_BUILD/tests/e2e/cuda_ranges
counted() { traced --summary=none --cupti "$cupti" "$@"; }
complete() { grep -q 'complete: yes' t.err; }
# shown METRIC: lines "name blocks" of what has a value, by the stand-in's answer
shown() { timeout 30 "$tap" report --cupti "$cupti" --page raw --csv --launch-count 0 t.gputap 2>said | python3 -c '
import csv, sys
metric = sys.argv[1]
for r in csv.DictReader(sys.stdin):
    value = (r.get(metric) or "").replace(",", "")
    if r["ID"] and value[:1].isdigit():
        print(r["Kernel Name"], (int(float(value)) - sum(map(ord, metric))) // 32)' "$1" | sort; }
# is METRIC LINE...: these have values, and nothing else has
is() { local metric=$1; shift; [ "$(shown "$metric")" = "$(printf '%s\n' "$@" | sort)" ] || { shown "$metric"; cat t.err; return 1; }; }

counted --metrics $one --replay-mode=range --nvtx-include outer/ -- "$ranges"
check "a pushed range is one action, with what all threads launch in it" is $one "outer 9"
check "nothing is lost" complete
check "the launches in it have no values of their own" [ "$("$tap" dump t.gputap | grep -c '^cuda kernel')" = 7 ]
counted --metrics $one --replay-mode=range --nvtx-include outer/inner -- "$ranges"
check "the innermost range gives the name" is $one "inner 3"
counted --metrics $one --replay-mode=range --nvtx-include phase -- "$ranges"
check "a started range" is $one "phase 5"
counted --metrics $one --replay-mode=range --nvtx-include 'Dom@step/' -- "$ranges"
check "one in a domain" is $one "step 6"
counted --metrics $one --replay-mode=range --nvtx-include outer/ --nvtx-include phase -- "$ranges"
check "several ranges, one action each" is $one "outer 9" "phase 5"
counted --metrics $one --replay-mode=range --nvtx-include nobody/ -- "$ranges"
check "a range that nobody opens" is $one
counted --metrics $one --replay-mode=range -- "$ranges"
check "without --nvtx-include what lies between cudaProfilerStart and cudaProfilerStop" is $one "cudaProfilerStart 7"
"$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said
check "a report file holds it as a range" python3 - <<END
import sys
sys.path.insert(0, "$GPUTAP_TESTS/../python")
import ncu_report
have = [a for part in ncu_report.load_report("v.ncu-rep") for a in part if a.workload_type() == ncu_report.IAction.WorkloadType_RANGE]
assert len(have) == 1 and have[0]["$one"].value() > 0, have
END
counted --metrics $one --replay-mode=range --nvtx-include open/ -- "$ranges" open
check "a range that is open when the program ends is lost" is $one
check "and counted" said 'complete: no (.*counters were not collected'
check "and told" said 'a range was open when its context or the program ended'

# Passes
counted --metrics "$three" --replay-mode=range --nvtx-include outer/ -- "$ranges"
check "a range cannot be run again: more than one pass is refused before the program starts" status 125
check "and says what would do" said 'app-range --reruns'
counted --metrics "$three" --replay-mode=app-range --nvtx-include outer/ -- "$ranges"
check "app-range takes runs of the program" status 125
counted --metrics "$three" --replay-mode=app-range --reruns --nvtx-include outer/ --nvtx-include phase -- "$ranges"
check "which count the same ranges" is sm__part_20.sum "outer 9" "phase 5"
check "none is lost" complete
check "the output is the first run's" [ "$(cat t.out)" = "seven launches" ]
counted --metrics $one --reruns -- "$ranges"
check "--reruns without anything that needs it is refused" status 125
check "in a line that says why" said 'one run of the program counts all that was asked for'

# Graphs
counted --metrics $one --kernel-name graph -- "$examples/graphs"
check "a graph is one action" is $one "graph 16"
FAKEGPU_FAULTS=counters-nodes counted --metrics $one --kernel-name graph --launch-skip 10 -- "$examples/graphs"
check "where the profiler tells its kernels apart, each is one" is $one "graph 16" "graph 16"
check "and nothing is lost" complete
FAKEGPU_FAULTS=counters-nodes counted --metrics $one --kernel-name graph --launch-skip 10 --cuda-graph-trace=node -- "$examples/graphs"
check "where they are in the trace, by their names" is $one "add_one 16" "add_one 16"
finish
