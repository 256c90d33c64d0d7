#!/usr/bin/env bash
# tests/e2e/report.sh - gputap report: the sections of real kernels hold the values that the other files hold
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0 skipped=0
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT "${!GPUTAP_CUDA@}"
export POCL_DEVICES=${POCL_DEVICES-basic} XDG_DATA_HOME=$PWD/data FAKECL_FAULTS=as-built

check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

# same WHAT: every value of a report is that of the counter file, every N/A has its reason
same() {
	check "$1: each launch has the values of the counter file, and a reason for what is missing" \
		python3 "$GPUTAP_TESTS/e2e/report_check.py" "$tap" "$2"
}

if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	for program in cl_metrics cl_full "cl_metrics unknown"; do
		# shellcheck disable=SC2086
		timeout -k 5 60 "$tap" run -q -f --summary=none -o t -- "$GPUTAP_BUILD/tests/e2e/"$program >truth 2>&1
		same "$program" t
	done
	"$tap" report --section OpenCLLaunch t >page
	check "a section is printed with its values" grep -qE '^    Global Size +work-items +512$' page
	check "what is missing says why" grep -qE '^    Local Size +work-items +N/A  the runtime chose the local size' page
	check "only the section that was asked for" [ "$(grep -c 'Section:' page)" -eq 1 ]
	check "a chart has its lines" [ "$(grep -cE '^    (Queued|Submitted|Running) +[0-9,]+ \|#*$' page)" -eq 3 ]
	check "... its longest bar has 40 columns" grep -qE '^    (Queued|Submitted|Running) +[0-9,]+ \|#{40}$' page
	"$tap" report --section OpenCLLaunch --print-details header --print-metric-name name t >page
	check "names instead of labels, headers alone" grep -qE '^    opencl__global_size +work-items +512$' page
	check "without charts" [ "$(grep -c '|#' page)" -eq 0 ]
else
	skipped=$((skipped + 1))
	echo "skipped: no OpenCL platform"
fi

LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib timeout -k 5 60 \
	"$tap" run -q -f --summary=none -o c -- "$GPUTAP_BUILD/examples/cuda/vector_add" >/dev/null 2>&1
same "a CUDA program" c
"$tap" report --set full c >page
check "every section of the set is there" [ "$(grep 'Section:' page | sort -u | wc -l)" -eq 11 ]
check "counters that were not collected say so" grep -qE '^    Compute \(SM\) Throughput +N/A  it needs hardware counters, which were not collected$' page
check "a table without any value is one line" grep -q '^    N/A: Executed Ipc Elapsed, Executed Ipc Active, ' page
check "with the reason" grep -qx '    it needs hardware counters, which were not collected' page
check "occupancy is computed" grep -qE '^    Theoretical Occupancy +% +[0-9.]+$' page

LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib timeout -k 5 60 "$tap" run -q -f --summary=none -o m -- "$GPUTAP_BUILD/examples/cuda/pools" >/dev/null 2>&1
typical=$("$tap" report --page raw --csv --launch-count 0 m | python3 -c 'import csv, sys
ran = [float(row["launch__duration"]) for row in list(csv.DictReader(sys.stdin))[1:]]
assert len(ran) == 6
print("%d" % sorted(ran[1:])[2])')
check "one launch of several is the median of all but the first, and stands beside them" \
	grep -qE "^    one of 6 launches of this size, which typically run for $typical ns \([0-9.]+ % of the run\); this one for $typical ns$" <("$tap" report m | sed 's/\([0-9]\),\([0-9]\)/\1\2/g')

# A section of the user's: options by name, derived metrics, patterns
mkdir own
cat >own/mine.section <<'END'
Identifier: "Mine" DisplayName: "My Section" Order: 1
Header {
  Metrics { Label: "Twice the Threads" Name: "derived__twice" }
  Metrics { Label: "Circle" Name: "derived__a" }
  Metrics { Label: "Half of Nothing" Name: "derived__nothing" Filter { CollectionFilter { Importance: Required } } }
}
Body { Items { Table { Label: "All Limits" Columns: 1 SortKey: ByLabel Metrics { Name: "regex:launch__occupancy_limit_.*" } } } }
MetricDefinitions {
  MetricDefinitions { Name: "derived__twice" Expression: "derived__once * 2" }
  MetricDefinitions { Name: "derived__once" Expression: "launch__thread_count + 0" }
  MetricDefinitions { Name: "derived__a" Expression: "derived__b + 1" }
  MetricDefinitions { Name: "derived__b" Expression: "derived__a + 1" }
  MetricDefinitions { Name: "derived__nothing" Expression: "sm__none.sum / 2." }
}
END
"$tap" report --section-folder own c >page 2>said
threads=$("$tap" report --page raw --metrics launch__thread_count --csv c | tail -n 1 | sed 's/.*,"//; s/"//')
check "a derived metric of another one is computed" grep -qE "^    Twice the Threads +threads +$((2 * threads))$" <(tr -d , <page)
check "metrics that need each other have none" grep -qE '^    Circle +N/A  derived__a is defined by itself$' page
check "nor those of what is missing" grep -qE '^    Half of Nothing +N/A  sm__none.sum is not available$' page
check "a required one is told" grep -qx 'gputap: section Mine requires derived__nothing, which is not available' said
check "a pattern names what there is" [ "$(grep -c '^    launch__occupancy_limit_' page)" -eq 5 ]
"$tap" report --section-folder own --csv c >lines 2>said
check "as CSV too, and has no line of its own" [ "$(grep -c '"launch__occupancy_limit_' lines):$(grep -c '"regex:' lines)" = 5:0 ]

# The source page
if [ -d t.gputap ]; then
	"$tap" report --page source t >page
	check "the source page shows the lines of the kernel" grep -qE '^ +1  __kernel void plain\(__global float \*a\) \{ a\[get_global_id\(0\)\] \+= 1; \}$' page
	"$tap" dump --json t | python3 -c 'import json, sys
text = [r["text"] for r in map(json.loads, sys.stdin) if r.get("record", r.get("type")) == "content" and r["kind"] == "source"]
sys.stdout.write(text[0])' >program.cl
	"$tap" report --page source --csv t | python3 -c 'import csv, sys
sys.stdout.writelines(r["Source"] + "\n" for r in csv.DictReader(sys.stdin) if r["ID"] == "0")' >lines.cl
	check "as CSV every line of the program" cmp <(expand program.cl) lines.cl
	"$tap" report --page source --print-source sass t >page
	check "a view that it has nothing for says so" grep -qx '    the report has nothing for this view of it' page
	"$tap" export -q -f -e ncu-rep -o t t
	check "scripts are given the program's source" cmp program.cl <(PYTHONPATH=$GPUTAP_TESTS/../python python3 -c 'import ncu_report
sys = __import__("sys")
sys.stdout.write(next(iter(ncu_report.load_report("t.ncu-rep")[0][0].source_files().values())))')
	timeout -k 5 60 "$tap" run -q -f --sources=false --summary=none -o bare -- "$GPUTAP_BUILD/tests/e2e/cl_metrics" >/dev/null 2>&1
	check "without stored sources it says why there is none" grep -q 'the report does not hold its source' <("$tap" report --page source bare)
fi
"$tap" report --page source c >page
check "a CUDA kernel without its module says so" grep -q 'a CUDA kernel whose module was not stored' page
"$tap" report --page source -o x c >page 2>said
check "a file for the source page is a usage error" [ $? -eq 2 ]

# The report file: decoded by number alone; read back it is the same page
# Results of rules are what a trace has not: e2e/rules looks at them.
kept() { "$tap" export -q -f -e ncu-rep --apply-rules=false --set full,opencl -o "$1" "$1" && python3 "$GPUTAP_TESTS/e2e/report_file_check.py" "$tap" "$1" "$1.ncu-rep" last.pb; }
again() { "$tap" report "$1.ncu-rep" >back && "$tap" report --set full,opencl "$1" >page && cmp back page; }
for trace in t c; do
	[ -d $trace.gputap ] || continue
	check "$trace: a report file holds what the report of the trace shows" kept $trace
	check "$trace: read back it is the same page" again $trace
	check "$trace: statistics have the sums of its metrics" python3 "$GPUTAP_TESTS/e2e/metric_sum_check.py" "$tap" $trace
	check "$trace: rules apply to it" grep -q '"end"' <(python3 "$GPUTAP_TESTS/../python/gputap-rules" apply $trace.ncu-rep)
	if command -v protoc >/dev/null; then
		check "$trace: protoc decodes a result" grep -q '^17 {' <(protoc --decode_raw <last.pb)
	else
		skipped=$((skipped + 1)); echo "skipped: what protoc says of a result: it is not installed (package protobuf-compiler)"
	fi
done
check "info says what is in it" grep -qx 'results  1 kernel, 0 ranges, 0 command lists, 0 graphs' <("$tap" info c.ncu-rep)
head -c 500 c.ncu-rep >cut.ncu-rep
"$tap" report cut.ncu-rep >page 2>said
check "a file that was cut is not read" [ $? -eq 3 ]
check "and the byte is named" grep -qE 'cut.ncu-rep: damaged at byte [0-9]+: ' said
if command -v zstd >/dev/null; then
	zstd -q -f c.ncu-rep -o c.ncu-repz
	check "a packed one is read too" cmp <("$tap" report c.ncu-rep) <("$tap" report c.ncu-repz)
fi

"$tap" report --metrics launch__grid_size,sm__none.sum c >page 2>said
check "a metric that was asked for by name and is missing is an error" [ $? -eq 3 ]
check "with the reason" grep -qx 'gputap: sm__none.sum is not available: it needs hardware counters, which were not collected' said
check "behind it the page" grep -q "^  [a-z]" page
check "with the metrics that there are" [ "$(grep -A2 '^    Section: Command line profiler metrics' page | grep -c ' launch__grid_size ')" = "$(grep -c '^  [a-z]' page)" ]
check "and in each kernel's CSV" [ "$("$tap" report --csv --metrics launch__grid_size c | grep -c '"Command line profiler metrics","launch__grid_size"')" = "$(grep -c '^  [a-z]' page)" ]
for of in c c.ncu-rep; do
	"$tap" report --metrics launch__grid_size,no_such "$of" >page 2>said
	check "a metric that nobody knows is an error ($of)" [ $? -eq 3 ]
	check "which is named" grep -q '^gputap: no_such is not available' said
	check "and no page stands before it" test ! -s page
done
"$tap" report --set none-such c >page 2>said
check "a set that is not there is a usage error" [ $? -eq 2 ]
check "and named" grep -q 'there is no set none-such' said

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
