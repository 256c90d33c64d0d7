#!/usr/bin/env bash
# tests/e2e/counters.sh - counters of kernels: planned, collected, evaluated, on the stand-in machine
#
# The stand-in counts nothing: its values are made of a metric's name and a launch's size. They prove the path alone; no figure
# of them means anything.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
metrics=sm__cycles_active.avg,dram__bytes.sum

# What the stand-in answers of a metric and a launch of so many threads.
answer() { python3 -c 'import sys; print(sum(map(ord, sys.argv[1])) + int(sys.argv[2]))' "$@"; }
counted() { traced --summary=none --cupti "$cupti" "$@"; }
report() { timeout 30 "$tap" report --cupti "$cupti" --page raw --csv "$@" t.gputap 2>said; }
# value_is METRIC THREADS: the only kernel has it
value_is() { report | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
have = [r[sys.argv[1]].replace(",", "") for r in rows if r.get(sys.argv[1]) and r["ID"] != ""]
sys.exit(0 if have == [sys.argv[2]] else "%s: %s" % (sys.argv[1], have))' "$1" "$(answer "$1" "$2")"; }
# in_report FILE METRIC THREADS: the only kernel of that file has it
in_report() { python3 - "$1" "$2" "$(answer "$2" "$3")" <<END
import sys
sys.path.insert(0, "$GPUTAP_TESTS/../python")
import ncu_report
have = [a[sys.argv[2]].value() for part in ncu_report.load_report(sys.argv[1]) for a in part if sys.argv[2] in a]
sys.exit(0 if have == [float(sys.argv[3])] else "%s: %s" % (sys.argv[2], have))
END
}
lost() { "$tap" info t.gputap 2>&1 | grep -q "$1"; }
complete() { grep -q 'complete: yes' t.err; }
kernels() { report --launch-count 0 | python3 -c '
import csv, sys
print(sum(1 for r in csv.DictReader(sys.stdin) if r["ID"] and r.get("sm__cycles_active.avg", "")[:1].isdigit()))'; }

counted --metrics "$metrics" -- "$examples/vector_add"
check "the program runs as ever" status 0
check "and prints the same" grep -q '0 wrong' t.out
check "the plan is told" said 'GH100: 2 metrics are counted in 1 pass of'
check "nothing is lost" complete
check "the first metric is the stand-in's answer for this launch" value_is sm__cycles_active.avg 1024
check "and the second" value_is dram__bytes.sum 1024
check "the report shows what the run was asked for" grep -q sm__cycles_active.avg <(report)
check "without the host library a value is N/A, with the reason" grep -q "CUPTI's host library" <("$tap" report --cupti /nowhere/libcupti.so --page details t.gputap 2>&1)
"$tap" run -q -f -o u --pack --summary=none --cupti "$cupti" --metrics "$metrics" -- "$examples/vector_add" >/dev/null 2>&1
check "a packed trace holds it too" grep -q '"*[0-9]' <("$tap" report --cupti "$cupti" --page raw --csv u.gputap | tail -n 1)

# Reports
"$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said
check "a report file is written" [ -s v.ncu-rep ]
check "it holds the values of what the run asked for" in_report v.ncu-rep sm__cycles_active.avg 1024
check "all of them" in_report v.ncu-rep dram__bytes.sum 1024
"$tap" export -q -f -e ncu-rep --cupti "$cupti" --metrics dram__bytes.max -o v t.gputap 2>said
check "what is asked for goes before that" grep -q 'dram__bytes.max' v.ncu-rep
traced --summary=none -e ncu-rep --cupti "$cupti" --metrics "$metrics" -- "$examples/vector_add"
check "gputap run -e ncu-rep writes it too" in_report t.ncu-rep sm__cycles_active.avg 1024
traced --summary=none --cupti "$cupti" --section MemoryWorkloadAnalysis -- "$examples/vector_add"
"$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said
check "sections of the run are in the file" grep -qa MemoryWorkloadAnalysis v.ncu-rep
check "with their counters" in_report v.ncu-rep dram__bytes_read.sum 1024

# Dump
counted --metrics "$metrics" -- "$examples/vector_add"
"$tap" dump t.gputap >dumped 2>/dev/null
check "dump shows the counted launch" grep -qE '^cuda counters [0-9]+ time_ns=[0-9]+ correlation=[0-9]+ context=[0-9]+ device=0 grid=[0-9]+x1x1 block=[0-9]+x1x1 ranges=1 dropped=0 plan=0 id=[0-9a-f]{32} bytes=[0-9]+ kernel=' dumped
check "once" [ "$(grep -c '^cuda counters' dumped)" = 1 ]
"$tap" dump --json t.gputap 2>/dev/null >dumped
check "as JSON it is the launch that ran" python3 - <<'END'
import json
rows = [json.loads(line) for line in open("dumped", encoding="utf-8")]
[c] = [r for r in rows if r["type"] == "cuda_counters"]
[k] = [r for r in rows if r["type"] == "cuda_kernel"]
assert all(c[key] == k[key] for key in ("pid", "correlation", "context", "device", "grid", "block")), (c, k)
assert c["kernel"] == "_Z10vector_addPKfS0_Pfi" or c["kernel"] in str(k), (c, k)
assert (c["ranges"], c["dropped"], c["plan"]) == (1, 0, 0) and c["bytes"] > 0, c
END

# Damage: no value that was not counted, each N/A with its reason
cp -r t.gputap whole.gputap
check "cut or altered, the plan and the image give no value" python3 "$GPUTAP_TESTS/e2e/counters_damage.py" "$tap" "$cupti" whole.gputap $metrics

# Nothing is asked: nothing is there, and nothing runs
traced --summary=none -- "$examples/vector_add"
check "without --metrics there is no plan" [ ! -e t.gputap/counters ]

# Which launches
counted --metrics "$metrics" --launch-count 3 -- "$examples/storm" 1 200
check "of each kernel the first ones are counted" [ "$(kernels)" = 3 ]
counted --metrics "$metrics" --launch-count 2 --launch-skip 5 -- "$examples/storm" 1 200
check "or those behind some" [ "$(kernels)" = 2 ]
counted --metrics "$metrics" --kernel-name 'nothing_of*' -- "$examples/vector_add"
check "or those of a name" [ "$(kernels)" = 0 ]
check "and that is no loss" complete
counted --metrics "$metrics" --launch-count 0 -- "$examples/storm" 4 100
check "threads launch one after another" status 0
check "and each launch is counted" complete
counted --metrics "$metrics" -- "$examples/graphs"
check "captured launches are left alone" status 0

# Refused: said, the program runs
for one in counters-no-permission:administrators counters-busy:'another tool' counters-unsupported:architecture counters-small=0:'no room'; do
	FAKEGPU_FAULTS=${one%%:*} counted --metrics "$metrics" -- "$examples/vector_add"
	check "${one%%:*}: the program runs" status 0
	check "${one%%:*}: it is said" said "${one#*:}"
	check "${one%%:*}: and counted" said 'complete: no (.*count'
done
FAKEGPU_CHIP=GA100 counted --metrics "$metrics" --chip GH100 -- "$examples/vector_add"
check "a chip that was not planned for is told" said 'the device is a GA100'
FAKEGPU_DEVICES=0 counted --metrics "$metrics" -- "$examples/vector_add"
check "without a device the run says so" said 'no counters are collected: no chip to plan counters for'
LD_LIBRARY_PATH=$gpu/v23:$gpu/lib counted --cupti "$gpu/v23/libcupti.so.12" --metrics "$metrics" -- "$examples/vector_add"
check "a CUPTI without a profiler too" said 'older than CUDA 12.6'
counted --metrics none__such.sum -- "$examples/vector_add"
check "a metric that is not there is refused before the program starts" status 125

# A launch that does not come back while it is counted
FAKEGPU_FAULTS=counters-hang=1 counted --metrics "$metrics" --launch-count 0 --replay-timeout 300ms -- "$examples/storm" 2 50
check "the time limit ends the counting, not the program" status 0
check "and says so" said 'counting has ended: a launch'
check "and counts it" said 'complete: no (.*counters were not collected'
finish
