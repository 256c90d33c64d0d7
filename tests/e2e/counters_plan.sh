#!/usr/bin/env bash
# tests/e2e/counters_plan.sh - what rules need joins the plan; the plan in gputap info; a host library that does not answer
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
report() { timeout 100 "$tap" report --cupti "$cupti" "$@" t.gputap 2>said; }
# counts METRICS WORDS...: so many hardware counters are in the plan
counts() { [ "$("$tap" plan --cupti "$cupti" --chip GH100 --section-folder f "${@:2}" --format csv 2>said | awk -F, '/^hardware counters,/ { print $2 }')" = "$1" ]; }
has_value() { report --section-folder f --page raw --csv | python3 -c '
import csv, sys
[row] = [r for r in csv.DictReader(sys.stdin) if r["ID"]]
sys.exit(0 if row.get(sys.argv[1], "")[:1].isdigit() else str(row))' "$1"; }

mkdir f
for one in A B; do
	printf 'Identifier: "%s"\nDisplayName: "%s"\nMetrics {\n  Metrics {\n    Name: "sm__cycles_active.avg"\n  }\n}\n' $one $one >f/$one.section
done
# rule NAME SECTION METRIC
rule() { printf 'import NvRules\ndef get_identifier():\n    return "%s"\n%sdef evaluate(handle):\n    NvRules.require_metrics(handle, ["%s", "sm__cycles_active.avg"])\ndef apply(handle):\n    pass\n' \
	"$1" "${2:+def get_section_identifier():
    return \"$2\"
}" "$3" >"f/$1.py"; }
rule OfA A dram__bytes.sum
rule OfB B dram__bytes_read.sum
rule Lacking A none__such.sum
check "metrics of the rules of a section join its plan" counts 3 --section A
check "what the chip lacks of them is told, with the rule" grep -q 'GH100 has no none__such.sum (rule Lacking)' said
check "those of other sections do not" counts 2 --section B
rule Alone '' dram__bytes_write.sum
check "those of independent rules do" counts 3 --section B
check "metrics that are asked for alone are alone" counts 1 --metrics sm__cycles_active.max --section-folder f
printf 'def get_identifier(:\n' >f/broken.py
check "a rule file that cannot be read harms no others" counts 4 --section A
check "and is told" grep -q 'rule file .*broken.py' said
rm f/broken.py
check "--rule plans for that rule alone" counts 2 --section A --rule OfA
check "of another section it adds nothing" counts 1 --section A --rule OfB
check "--apply-rules=false plans for none" counts 1 --section A --apply-rules=false
mkdir bare
check "without python3 the plan is made" env PATH="$PWD/bare" "$tap" plan --cupti "$cupti" --chip GH100 --section-folder f --section A --format csv >out 2>said
check "of the section alone" grep -q '^hardware counters,1,' out
check "and says what is missing" grep -q 'what rules ask for is not in the plan: rules need python3' said
# A python3 that cannot become one: a wrapper, or a child of an emulator that forks where a spawn shares memory.
printf '#!/bin/sh\nexit 127\n' >bare/python3
chmod +x bare/python3
check "one that says it is not there is none" env PATH="$PWD/bare" "$tap" plan --cupti "$cupti" --chip GH100 --section-folder f --section A --format csv >out 2>said
check "and this is said too" grep -q 'what rules ask for is not in the plan: rules need python3' said
traced --summary=none --cupti "$cupti" --section-folder f --section A -- "$examples/vector_add"
check "a run counts what rules need" has_value dram__bytes.sum
check "once each" said 'GH100: 3 metrics are counted'
traced --summary=none --cupti "$cupti" --section-folder f --section A --apply-rules=false -- "$examples/vector_add"
check "without rules only the section's" said 'GH100: 1 metric is counted'

mkdir d
printf 'Identifier: "D"\nDisplayName: "D"\nMetrics {\n  Metrics {\n    Name: "sm__cycles_active.avg"\n    CtrDomains: "gpu_sm_c"\n  }\n}\n' >d/D.section
chosen="gputap: sm__cycles_active.avg: collected where the library chooses: libnvperf_host.so does not lie beside CUPTI's library"
"$tap" plan --cupti "$cupti" --chip GH100 --section-folder d --section D >out 2>said
check "a counter domain needs the library below CUPTI's: without it a plan is made, and says so" grep -qxF "$chosen" said
traced --summary=none --cupti "$cupti" --section-folder d --section D -- "$examples/vector_add"
check "so does a run" said "$chosen"
check "which counts nevertheless" said 'GH100: 1 metric is counted'

# The plan in info
"$tap" info t.gputap >out 2>&1
check "info shows what was planned" grep -qE '^counters  of 1 launch, planned for GH100: 1 metric in 1 pass, by CUPTI [0-9]+$' out
info_says() { "$tap" info --json t.gputap | python3 -c 'import json, sys
said = json.load(sys.stdin).get("counters")
sys.exit(0 if said == json.loads(sys.argv[1]) else str(said))' "$1"; }
version=$(sed -nE 's/.*by CUPTI ([0-9]+)$/\1/p' out)
check "as JSON too" info_says '{"launches": 1, "plan": "sound", "cupti": '"$version"', "images": [{"chip": "GH100", "metrics": 1, "passes": 1}]}'
printf x >>t.gputap/counters
check "and that it is damaged" info_says '{"launches": 1, "plan": "damaged", "images": []}'
"$tap" info t.gputap >out 2>&1
check "and a plan that is damaged" grep -q '^counters  of 1 launch; they have no values: the file counters, which tells what they are, is damaged' out

rm t.gputap/counters
"$tap" info t.gputap >out 2>&1
check "or missing" grep -q '^counters  of 1 launch; they have no values: the file counters, which tells what they are, is missing' out
traced --summary=none --cupti "$cupti" --metrics sm__cycles_active.avg --kernel-name none_such -- "$examples/vector_add"
printf x >>t.gputap/counters
"$tap" info t.gputap >out 2>&1
check "a plan that is damaged is told without a counted launch too" grep -qx 'counters  of 0 launches; the file counters, which tells what was to be counted, is damaged' out

# The counters in the .csv file
csv_has() { python3 -c '
import csv, sys
rows = [line for line in open(sys.argv[1], encoding="utf-8")]
names, *lines = [[c.strip() for c in r.split(",")] for r in rows if not r.startswith("#")]
assert names[-1] == "KernelOccupancy" and all(len(r) == len(names) and len(",".join(r)) < 2048 for r in lines), (names, lines)
values = sorted(r[names.index(sys.argv[2])] for r in lines)
sys.exit(0 if values == sys.argv[3:] else str(values))' "$@"; }
value() { python3 -c 'import sys; print("%.2f" % (sum(map(ord, sys.argv[1])) + int(sys.argv[2])))' "$@"; }
traced --summary=none -e csv --cupti "$cupti" --metrics sm__cycles_active.avg,dram__bytes.sum -- "$examples/vector_add"
check "counters are columns of the .csv file" csv_has t.csv dram__bytes.sum "$(value dram__bytes.sum 1024)"
check "statistics have them" env GPUTAP_CUPTI="$cupti" python3 "$GPUTAP_TESTS/e2e/metric_sum_check.py" "$tap" t.gputap sm__cycles_active.avg dram__bytes.sum
check "each of them" csv_has t.csv sm__cycles_active.avg "$(value sm__cycles_active.avg 1024)"
traced --summary=none -e csv --cupti "$cupti" --metrics sm__cycles_active.avg --launch-count 0 --kernel-id :::2 -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges"
check "a launch that was not counted is NA" csv_has t.csv sm__cycles_active.avg "$(value sm__cycles_active.avg 64)" NA NA NA NA NA NA
traced --summary=none -e csv --cupti "$cupti" --metrics "$(for i in {1..30}; do printf 'sm__counter_%s.sum,' "$i"; done)" -- "$examples/vector_add"
check "of thirty none is left out where a line has room for them" [ "$(grep '^Method' t.csv | grep -o 'sm__counter_[0-9]*\.sum' | sort -u | wc -l)" = 30 ]

# No answer
traced --summary=none --cupti "$cupti" --metrics sm__cycles_active.avg -- "$examples/vector_add"
FAKEGPU_FAULTS=evaluate-hangs report >out
check "a host library that does not come back is left" [ $? -le 3 ]
check "and the values say so" grep -q "failed on their image, or did not come back" out said

# No way back: CUDA 13.2's library calls itself without end where there is no driver.
calls=(Initialize Deinitialize GetSupportedChips GetBaseMetrics GetMetricProperties ConfigAddMetrics GetConfigImageSize GetConfigImage GetNumOfPasses)
{ printf 'void cuptiProfilerHost%s(void) { }\n' "${calls[@]}"; echo 'int cuptiGetVersion(unsigned *v) { __builtin_trap(); return !v; }'; } >endless.c
${CC:-cc} -w -shared -fPIC -o endless.so endless.c || exit 1
"$tap" plan --cupti "$PWD/endless.so" --chip GH100 --set basic >out 2>said
check "a library that ends who asks it is missing" [ $? -eq 5 ]
check "and a line says so" grep -qx 'gputap: this CUPTI ends the process that asks it' said
finish
