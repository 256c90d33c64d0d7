#!/usr/bin/env bash
# tests/cli/require_complete.sh - --require-complete: an incomplete trace, or an output that could not be made, is a failure
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap programs=$GPUTAP_BUILD/tests/e2e
. "$GPUTAP_TESTS/check_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
# run NAME STATUS OPTION... -- COMMAND: gputap run with --require-complete ends like this
run() {
	local name=$1 status=$2
	shift 2
	"$gputap" run --summary=none --require-complete "$@" >out 2>err
	ok "run: $name" $? "$status"
}
few="$programs/cl_commands"
many="$programs/cl_many blocked 3000"
cap=(-f --max-size=64k)

# shellcheck disable=SC2086
{
	run "a complete trace" 0 -o whole -- $few
	run "... and its files" 0 -f -o whole -e atp,sqlite -- $few
	run "... and packed" 0 -f -o whole --pack -- $few
	run "no call at all" 125 -o none -- true
	run "what is missing" 125 "${cap[@]}" -o part -- $many
	has "... is said" err 'complete: no .*--max-size reached'
	has "... with the trace" err 'part.gputap is not whole'
	has "... and the option" err 'status 125 (--require-complete)'
	run "what is missing, quiet" 125 -q "${cap[@]}" -o part -- $many
	has "... is said all the same" err 'part.gputap is not whole: complete: no .*--max-size reached'
	run "an incomplete trace with files" 125 "${cap[@]}" -o part -e atp,sqlite --pack -- $many
	ok "... has them" "$(test -s part.atp && test -s part.sqlite && test -f part.gputap && echo all)" all
	run "a status of the program's" 7 "${cap[@]}" -o part -- sh -c "$many; exit 7"
	run "a signal of the program's" 143 "${cap[@]}" -o part -- sh -c "$many; kill -TERM \$\$"
	run "a program that is not there" 127 -o no -- ./no-such-program
	mkdir taken.atp taken.atp/x
	run "an export that fails" 125 -f -o taken -e atp -- $few
	run "... of a program that failed" 7 -f -o taken -e atp -- sh -c "$few; exit 7"
	run "a trace that was removed" 125 -o gone -- sh -c "$few; rm -r gone.gputap"
	run "a trace that was moved" 125 -o moved -- sh -c "$few; mv moved.gputap elsewhere.gputap"
	run "a child that goes on" 125 -o child -e atp -- "$programs/cl_live" ready go leave
	has "... is said" err 'still recording'
	touch go
	"$gputap" wait child.gputap
}
"$gputap" run -q "${cap[@]}" -o part -- $many >out 2>err; ok "run: without the option all stays" $? 0

# Readers: the output is there, then the status says it.
reader() {
	local what=$1
	shift
	"$gputap" "$@" --require-complete whole.gputap >out 2>err; ok "$what: a complete trace" $? 0
	"$gputap" "$@" --require-complete part.gputap >out 2>err; ok "$what: an incomplete one" $? 1
	has "... is said" err 'is not whole'
	"$gputap" "$@" part.gputap >plain 2>err; ok "$what: without the option" $? 0
	ok "$what: the output is the same" "$(cmp out plain && echo same)" same
}
reader info info
reader "info --json" info --json
reader stats stats
reader "stats of calls" stats -q -r opencl_api_trace
reader export export -f -q -e atp,ncu-rep -o exported
reader report report
reader "report --page source" report --page source
reader "report --apply-rules" report --apply-rules
GPUTAP_REQUIRE_COMPLETE=true "$gputap" stats -q part.gputap >out 2>err; ok "by the environment" $? 1
"$gputap" export -q -f -e ncu-rep,callgrind -o f part.gputap
for c in info report; do "$gputap" $c --require-complete f.ncu-rep >out 2>err; ok "$c of a report file, which does not say" $? 2; done
"$gputap" stats --require-complete f.callgrind >out 2>err; ok "stats of a profile" $? 0
sed 's/^summary: .*/summary: 1 1 1 1/; s/^totals: .*/totals: 1 1 1 1/' f.callgrind >g.callgrind
"$gputap" stats --require-complete g.callgrind >out 2>err; ok "stats of a profile that does not add up" $? 1
"$gputap" run -q -o empty -- sh -c 'sleep 0' 2>err; mkdir -p empty.gputap
"$gputap" info --require-complete empty.gputap >out 2>err; ok "info of what is no trace" $? 3
finish
