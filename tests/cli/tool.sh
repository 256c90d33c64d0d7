#!/usr/bin/env bash
# tests/cli/tool.sh - export, stats, info, dump: bad input and outputs, help that agrees with the options
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
command -v clinfo >/dev/null || { echo "skipped: clinfo is not installed"; exit 77; }
gputap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
"$gputap" run -q -o t -- clinfo -l >/dev/null 2>&1

# Usage errors are 2 and say what to try.
for words in "" "nonsense" "export t.gputap" "export -e atp" "export -e nonsense t.gputap" "stats" "stats -r nonsense t.gputap" "stats --format nonsense t.gputap" \
	"export -e atp --from 2s --to 1s t.gputap" "info" "dump" "stats --from x t.gputap"; do
	# shellcheck disable=SC2086
	"$gputap" $words >out 2>err; ok "usage: $words" $? 2
	[ -z "$words" ] || has "usage: $words" err "try:"
	ok "usage: $words: nothing on stdout" "$(cat out)" ""
done
"$gputap" statz t.gputap 2>err; has "nearest command" err "try: gputap stats"

# Unreadable input is 3.
mkdir empty.gputap; echo x >file.gputap
for c in "export -e atp,apilog,sqlite" stats info dump; do
	for t in nowhere.gputap empty.gputap file.gputap; do
		# shellcheck disable=SC2086
		"$gputap" $c $t >out 2>err; ok "$c $t" $? 3
		has "$c $t" err "$t"
		has "$c $t: why or try" err "why:\|try:"
	done
done
ok "no half-written files" "$(ls nowhere* empty.atp empty.sqlite file.atp ./*.part* 2>/dev/null)" ""

# Outputs: never overwritten without -f; an unwritable place is 4; nothing is left behind.
"$gputap" export -q -e atp,apilog,sqlite t.gputap 2>err; ok "export" $? 0
ok "export writes all" "$(ls t.atp t.apilog t.sqlite)" "$(printf 't.apilog\nt.atp\nt.sqlite')"
"$gputap" export -q -e atp t.gputap 2>err; ok "existing output" $? 4
"$gputap" export -q -f -e atp,apilog,sqlite t.gputap 2>err; ok "export -f" $? 0
"$gputap" export -q -e atp -o /proc/nowhere/x t.gputap 2>err; ok "unwritable output" $? 4
if [ -w /dev/full ]; then "$gputap" stats t.gputap >/dev/full 2>err; ok "full stdout" $? 4; fi

# Statistics agree between formats.
"$gputap" stats -q -r opencl_api_sum --format csv t.gputap >api.csv
"$gputap" stats -q -r opencl_api_sum --format json t.gputap >api.json
ok "JSON and CSV agree" "$(python3 - <<'END'
import csv, json
rows = list(csv.DictReader(open("api.csv")))
other = json.load(open("api.json"))["rows"]
print(len(rows) > 2 and [(r["Name"], int(r["Num Calls"])) for r in rows] == [(r["Name"], r["Num Calls"]) for r in other])
END
)" True
ok "every report prints" "$("$gputap" stats -q -r "$("$gputap" stats -r x t.gputap 2>&1 | sed -n 's/.*known: //p' | tr ' ' ,)" t.gputap >all.txt 2>err; echo $?)" 0
"$gputap" stats -q -r opencl_api_trace t.gputap >trace.txt
ok "a streamed table keeps its columns" "$(awk '/^ -/ {for (i = 2; i < length($0); i++) if (substr($0, i, 1) == " ") gap[i]; head = 1; next}
	head && NF {for (i in gap) if (substr($0, i, 1) != " " && substr($0, i, 1) != "") wrong++} END {print head, wrong + 0}' trace.txt)" "1 0"
ok "identifiers have no separators" "$(awk '/^ -/ {head = 1; next} head && $6 ~ /,/' trace.txt | wc -l)" 0
"$gputap" stats -q --format markdown t.gputap >md; has "markdown" md "| Time (%) |"
ok "a blank line parts CSV tables" "$("$gputap" stats -q -r opencl_api_sum,opencl_api_trace,opencl_wait_sum --format csv t.gputap | grep -c '^$')" 2
"$gputap" stats -q -r opencl_gpu_kern_sum t.gputap >alias.txt; ok "alias" $? 0

# Several by one word, a file for them, failures, and what is there when nothing is named.
built() { "$GPUTAP_BUILD/tests/golden/build" "$1" "$GPUTAP_BUILD/gen/table.txt" "$1.gputap"; }
built objects; built markers_alone; built cuda_opencl
titles() { sed -n 's/^ \*\* .*(\([a-z_]*\)):$/\1/p' "$1"; }
"$gputap" stats -q -r all cuda_opencl.gputap >all.txt; ok "-r all" $? 0
ok "-r all: those with rows" "$(titles all.txt | grep -c .)" "$(titles all.txt | sort -u | grep -c .)"
has "-r all: more than the default" all.txt "(cuda_gpu_trace)"
"$gputap" stats -q -r 'opencl_mem_*' cuda_opencl.gputap >some.txt; ok "a pattern" "$(titles some.txt | tr '\n' ' ')" "opencl_mem_time_sum opencl_mem_size_sum "
"$gputap" stats -q -r 'x*' cuda_opencl.gputap 2>err; ok "a pattern without a report" $? 2
GPUTAP_OUTPUT=elsewhere "$gputap" stats -q -o reports.txt -r 'opencl_mem_*' cuda_opencl.gputap >out; ok "stats -o: nothing on stdout" "$(cat out)" ""
ok "stats -o" "$(cmp reports.txt some.txt && echo same)" same
"$gputap" stats -q -o no/such/place cuda_opencl.gputap 2>err; ok "stats -o where nothing can be" $? 4
"$gputap" stats -q -r api_error_sum --format csv objects.gputap >errors.csv
has "failed calls by function and error" errors.csv ",2,.*,clCreateContext,CL_INVALID_DEVICE$"
"$gputap" stats -q -r api_error_sum --format csv cuda_opencl.gputap >errors.csv; has "of CUDA too" errors.csv "cudaLaunchKernel,cudaErrorInvalidConfiguration$"
"$gputap" stats -q markers_alone.gputap >nvtx.txt; ok "only NVTX: its summary" "$(titles nvtx.txt)" nvtx_sum
"$gputap" stats -q --by=thread -r nvtx_sum --format csv markers_alone.gputap >nvtx.csv; ok "NVTX sums split by thread" "$(tail -n 1 nvtx.csv)" "100.0,1000,1,1000.0,1000.0,1000,1000,0.0,4711,4711,app,PushPop,:phase 1"
"$gputap" stats -q --by=process -r nvtx_pushpop_sum --format csv markers_alone.gputap >nvtx.csv; ok "... and by process" "$(tail -n 1 nvtx.csv)" "100.0,1000,1,1000.0,1000.0,1000,1000,0.0,4711,:phase 1"
"$gputap" stats -q --by=line -r nvtx_sum markers_alone.gputap 2>err; ok "... by line where no stack is" $? 5
"$gputap" stats -q cuda_opencl.gputap >default.txt
ok "kernels, copies, calls" "$(titles default.txt | sed -n '/opencl_/d;1,5p' | head -1)" cuda_gpu_kern_sum
"$gputap" run -q -o s --summary=table -- clinfo -l >out 2>summary.txt; "$gputap" stats -q s.gputap >default.txt
ok "the summary begins as stats does" "$(titles summary.txt | tr '\n' ' ')" "$(titles default.txt | head -"$(titles summary.txt | wc -l)" | tr '\n' ' ')"

# A window keeps what overlaps it.
"$gputap" stats -q -r opencl_api_trace --format csv t.gputap >trace.csv
first=$(sed -n '2s/,.*//p' trace.csv)
"$gputap" stats -q -r opencl_api_trace --format csv --from 0 --to "${first}ns" t.gputap >w.csv; ok "window keeps the first call" "$(tail -n +2 w.csv | wc -l)" 1
ok "window keeps its line as it is" "$(sed -n 2p w.csv)" "$(sed -n 2p trace.csv)"

# Help and the option list agree; the man pages too.
for c in run export stats info dump; do
	"$gputap" $c --help >help.$c; ok "$c --help" $? 0
	for o in $(grep -o -- '--[a-z-]*' help.$c | sort -u); do
		case $o in --help|--) continue;; esac
		grep -q -- "OPTION(${o#--}," "$GPUTAP_TESTS/../trace/format/options.def" || { failed=$((failed + 1)); echo "FAILED: $c --help names $o, options.def does not"; }
	done
done
ok "man pages and options.md agree with --help" "$("$GPUTAP_TESTS/../scripts/man-pages" --check "$gputap" 2>&1)" ""

# The pages leave nothing out: a help that they cannot read, or that lacks an option of the list, is an error.
altered() { printf '#!/bin/sh\n"%s" "$@" | sed "%s"\n' "$gputap" "$1" >altered; chmod +x altered; "$GPUTAP_TESTS/../scripts/man-pages" --check ./altered 2>&1 | cut -d: -f 1-2 | sed "s/'.*' //"; }
ok "an option in a form of its own is not left out of the pages" "$(altered 's/--cupti=PATH/--cupti{PATH}/')" "man-pages: has an option that cannot be read"
ok "an option without its variable is not left out of the pages" "$(altered '/(GPUTAP_CUPTI/d')" "man-pages: has no line of environment name and default below"
ok "an option that no help has is named" "$(altered '/ --cupti=/,+1d')" "man-pages: options that no command's help has"
"$gputap" --version >v; has "version" v "gputap [0-9]"
finish
