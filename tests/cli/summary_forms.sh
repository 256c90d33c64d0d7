#!/usr/bin/env bash
# tests/cli/summary_forms.sh - several reports in one form: JSON is one document, CSV names each; a summary for programs is whole
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap programs=$GPUTAP_BUILD/tests/e2e
. "$GPUTAP_TESTS/check_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
for t in cuda_opencl markers_alone; do "$GPUTAP_BUILD/tests/golden/build" $t "$GPUTAP_BUILD/gen/table.txt" $t.gputap || exit 1; done
# json FILE: the reports of the document, and how many rows each has
json() { python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(type(d).__name__, *("%s=%d" % (r["report"], len(r["rows"])) for r in (d if isinstance(d, list) else [d])))' "$1" 2>&1 | tail -n 1; }
# parts FILE: the same of CSV: parts are parted by blank lines, a line with the name stands before each
parts() { python3 -c 'import csv, sys
parts = [p.split("\n", 1) for p in open(sys.argv[1]).read().strip().split("\n\n")]
print(*("%s=%d" % (name, len(list(csv.DictReader(rows.splitlines())))) for name, rows in parts))' "$1" 2>&1 | tail -n 1; }

two=opencl_kern_sum,cuda_gpu_kern_sum
"$gputap" stats -q --format json -r $two cuda_opencl.gputap >out
ok "two reports are one array" "$(json out)" "list opencl_kern_sum=0 cuda_gpu_kern_sum=5"
"$gputap" stats -q --format csv -r $two cuda_opencl.gputap >out
ok "in CSV each says which it is" "$(parts out)" "opencl_kern_sum=0 cuda_gpu_kern_sum=5"
"$gputap" stats -q --format json -r opencl_kern_sum cuda_opencl.gputap >out
ok "one report is an object" "$(json out)" "dict opencl_kern_sum=0"
"$gputap" stats -q --format csv -r opencl_kern_sum cuda_opencl.gputap >out
has "one report in CSV begins with its headings" <(head -n 1 out) '^Time (%),'
"$gputap" stats -q --format json -r 'nvtx_*' markers_alone.gputap >out
has "a pattern is an array, however many have rows" <(json out) '^list nvtx_sum='
"$gputap" stats -q --format json -r 'um_*' markers_alone.gputap >out
ok "... even when none has" "$(json out)" list
"$gputap" stats -q --format json -r opencl_api_trace,cuda_api_trace,opencl_kern_sum cuda_opencl.gputap >out
has "streamed tables too" <(json out) '^list opencl_api_trace=[0-9]* cuda_api_trace=[0-9]* opencl_kern_sum=0$'
"$gputap" stats -q --format json cuda_opencl.gputap >out
has "without -r" <(json out) '^list .*cuda_gpu_kern_sum=5 '
"$gputap" export -q -e callgrind -o p cuda_opencl.gputap
"$gputap" stats -q --format json p.callgrind >out; has "a profile's reports" <(json out) '^list callgrind_parts=[0-9]* callgrind_self='
"$gputap" stats -q --format json -r callgrind_self p.callgrind >out; has "one of them" <(json out) '^dict callgrind_self='
"$gputap" stats -q --format csv p.callgrind >out; has "... in CSV" <(parts out) '^callgrind_parts=[0-9]* callgrind_self='

# The summary of a run: 18 functions and more, of which a table has the first 15.
run() { "$gputap" run -q -f -o s "$@" -- "$programs/cl_commands" >/dev/null 2>err; }
run --summary=table
functions=$("$gputap" stats -q -r opencl_api_sum --format csv s.gputap | tail -n +2 | wc -l)
ok "there are more than a table shows" "$((functions > 15))" 1
has "a table says how many more" err " ... $((functions - 15)) more"
run --summary=json; ok "JSON has all of them" "$(json err | grep -o 'opencl_api_sum=[0-9]*')" "opencl_api_sum=$functions"
run --summary=csv; ok "CSV too" "$(parts err | grep -o 'opencl_api_sum=[0-9]*')" "opencl_api_sum=$functions"
run --summary=markdown; ok "Markdown too" "$(sed '1,/opencl_api_sum/d; /^$/d; /^###/,$d' err | grep -c '^| *[0-9]')" "$functions"

# ... into a file
run --summary=json --summary-output=sum.json; ok "a file" $? 0
ok "... has it" "$(json sum.json | grep -o 'opencl_api_sum=[0-9]*')" "opencl_api_sum=$functions"
ok "... and standard error does not" "$(cat err)" ""
ok "... for its owner alone" "$(stat -c %a sum.json)" 600
run --summary-output=sum.txt; has "a table where no form is named" sum.txt '(opencl_api_sum)'
cp sum.json before
"$gputap" run -q -o again --summary-output=sum.json -- touch ran 2>err; ok "a file that is there is refused" $? 125
ok "... before the program starts" "$(ls ran again.gputap 2>/dev/null; cmp sum.json before)" ""
run --summary=csv --summary-output=sum.json; has "-f replaces it" <(parts sum.json) 'opencl_api_sum='
run --summary=json --summary-output=/dev/stderr; has "a place that is no file" <(json err) '^list '
run --summary=json --summary-output=no/such/folder; ok "a file that cannot be made costs the program nothing" $? 0
has "... and is said" err 'no/such/folder cannot be written'
run --summary=json --summary-output=no/such/folder --require-complete; ok "... but is no success with --require-complete" $? 125
finish
