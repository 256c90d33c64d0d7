#!/usr/bin/env bash
# tests/e2e/jobs.sh - what is read with several threads is what one thread reads, byte for byte
#
# Every golden case with 1, 2, 3 and 8 jobs, and JOBS_TRACES random traces of JOBS_CALLS calls (default 4 of 30 000; scripts/test --long:
# 10 of 1 000 000).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
passed=0 failed=0
check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name"; failed=$((failed + 1)); fi; }
reports=$("$gputap" stats --help 2>&1 | sed -n 's/^  \(opencl_[a-z_]*\) .*/\1/p' | paste -sd,)

# sums: of what came out, but for the time at which a database was written
sums() {
	local f
	for f in out/*.sqlite; do [ ! -e "$f" ] || LC_ALL=C sed -i -E 's/(EXPORT_TIME_UTC)20[0-9T:-]{17}/\1/' "$f"; done
	(cd out && sha256sum -- *)
}

# golden CASE: the files that its directory asks for, with each number of jobs
golden() {
	local dir=$1 format name trace options=() jobs
	format=$(basename "$(dirname "$dir")") name=$(basename "$dir")
	trace=$name; [ -f "$dir/trace" ] && read -r trace <"$dir/trace"
	[ -f "$dir/options" ] && read -r -a options <"$dir/options"
	[ -d "$trace.gputap" ] || "$GPUTAP_BUILD/tests/golden/build" "$trace" "$GPUTAP_BUILD/gen/table.txt" "$trace.gputap" || return 1
	for jobs in 1 2 3 8; do
		rm -rf out; mkdir out
		if [ "$format" = stats ]; then
			"$gputap" stats -j "$jobs" "${options[@]}" "$trace.gputap" >out/stats 2>out/said || return 1
		else
			"$gputap" export -j "$jobs" -e "$format" "${options[@]}" -o out/x "$trace.gputap" 2>out/said || return 1
		fi
		sums >"sum.$jobs"
		diff sum.1 "sum.$jobs" || { echo "$jobs jobs differ from one"; return 1; }
	done
}

all_golden() {
	local dir bad=
	for dir in "$GPUTAP_TESTS"/golden/*/*/; do
		[[ $dir != */golden/dump/* ]] || continue       # dump and info read with one thread and have no such option
		golden "${dir%/}" || { echo "$dir"; bad=1; }
	done
	[ -z "$bad" ]
}

# everything TRACE JOBS OPTION...: one sum of all that comes out
everything() {
	local trace=$1 jobs=$2; shift 2
	rm -rf out; mkdir out
	"$gputap" stats -j "$jobs" "$@" "$trace" >out/default 2>out/default.said || return 1
	"$gputap" stats -j "$jobs" "$@" -q -r "$reports" --format csv "$trace" >out/reports || return 1
	"$gputap" export -j "$jobs" "$@" -q -e atp,apilog,sqlite --sqlite-arguments -o out/x "$trace" || return 1
	"$gputap" export -j "$jobs" "$@" -q -e apilog --apilog-per-thread -o out/y "$trace" || return 1
	sums >"sum.$jobs"
}

# same TRACE OPTION...
same() {
	local trace=$1 jobs; shift
	for jobs in 1 2 3 8; do
		everything "$trace" "$jobs" "$@" || { echo "$jobs jobs: not read"; return 1; }
		diff sum.1 "sum.$jobs" || { echo "$jobs jobs differ from one"; return 1; }
	done
}

check "golden cases with 1, 2, 3 and 8 jobs" all_golden
calls=${JOBS_CALLS:-30000} traces=${JOBS_TRACES:-4}
for ((i = 1; i <= traces; i++)); do
	threads=$((i * i % 17 + 1)) spread=$((i % 2 ? 1 : 100000))
	GPUTAP_TABLE=$GPUTAP_BUILD/gen/table.txt "$GPUTAP_BUILD/tests/tracegen" r.gputap "$calls" "$threads" "$spread" "$i" >/dev/null || exit 1
	check "$calls calls of $threads threads, spread $spread" same r.gputap
	check "... a window of them" same r.gputap --from 1ms --to 3ms
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
