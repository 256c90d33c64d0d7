#!/usr/bin/env bash
# tests/e2e/live.sh - a trace that is still being written says so: its reports, its exports, and -f
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap live=$GPUTAP_BUILD/tests/e2e/cl_live
dir=$(mktemp -d)
trap 'touch "$dir/go"; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
passed=0 failed=0
says() {        # NAME FILE PATTERN
	if grep -qE -- "$3" "$2"; then passed=$((passed + 1)); echo "ok: $1"
	else failed=$((failed + 1)); echo "FAILED: $1: no '$3' in:"; head -n 5 "$2"; fi
}
says_not() {
	if ! grep -qE -- "$3" "$2"; then passed=$((passed + 1)); echo "ok: $1"
	else failed=$((failed + 1)); echo "FAILED: $1: '$3' in:"; head -n 5 "$2"; fi
}
until_true() { for _ in $(seq 600); do "$@" && return 0; sleep 0.05; done; return 1; }

# A child that outlives the program: everything that is made of the trace meanwhile says so.
"$gputap" run -o t -e atp --summary=none --pack "$live" ready go leave >run.out 2>run.err </dev/null
says "run names the process that is still running" run.err 'still recording: process [0-9]+ \(cl_live\)'
says "run says what that means for its files" run.err 'processes that the program left behind'
says_not "nothing is called complete" run.err 'complete: yes'
says "an export says it inside" t.atp 'still recording'
says "a trace that is being written is not packed" run.err 'not packed'
[ -d t.gputap ] || { failed=$((failed + 1)); echo "FAILED: the trace was packed"; }
"$gputap" info t.gputap >info.out 2>&1; says "info" info.out '^  still recording$'
says "info's ledger" info.out 'complete: no \(still recording'
"$gputap" info --json t.gputap >info.json 2>&1; says "info --json" info.json '"still_recording":true'
"$gputap" stats t.gputap >/dev/null 2>stats.err; says "stats" stats.err 'still recording'

# -f meanwhile: what is being written is left alone, and the program runs; what becomes of its trace is said.
is() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); echo "ok: $1"; else failed=$((failed + 1)); echo "FAILED: $1: $2"; fi; }
place=$GPUTAP_BUILD/tests/e2e/cl_place
calls_of() { "$gputap" info --json "$1" | python3 -c "import json, sys; print(sum(p['calls'] for line in sys.stdin for p in json.loads(line)['processes']))"; }
echo "nobody said that this may go" >t-2.atp
"$gputap" run -f -o t -e atp "$place" 5 2>force.err; status=$?
is "-f while the trace is being written: the program runs" "$status $(calls_of t-3.gputap)" "0 5"
says "... which trace is its own is said" force.err 'gputap: .*/t\.gputap is being written by process [0-9]+: this run.s trace is .*/t-3\.gputap'
says "... its exports have the same name" force.err 'wrote .*/t-3\.atp'
says "... no file of another name is replaced" t-2.atp 'nobody said'
says "... and the trace that is being written goes on" <("$gputap" info t.gputap 2>&1) '^  still recording$'
touch go
ended() { "$gputap" info t.gputap 2>&1 | grep -q '^complete: yes'; }
if until_true ended; then passed=$((passed + 1)); echo "ok: complete when it has ended"
else failed=$((failed + 1)); echo "FAILED: never complete: $("$gputap" info t.gputap | grep complete)"; fi
"$gputap" run -f -q -o t true 2>force.err; says_not "-f replaces it then" force.err 'being written'

# Many that ask for one name at once, with and without an old trace there: each program runs, has a trace of its own, and nothing
# unfinished is left.
at_once() { # PREPARATION
	rm -rf s*.gputap* ran.*; eval "$1"
	for i in 1 2 3 4 5 6 7 8; do
		# shellcheck disable=SC2016      # the child's shell counts
		"$gputap" run -q -f -o s -- sh -c '"$0" '"$i"'; touch ran.'"$i"'; i=0; until set -- ran.*; [ $# = 8 ] || [ $i = 3000 ]; do sleep 0.01; i=$((i + 1)); done' "$place" >/dev/null 2>at_once.err &
	done
	wait
	set -- ran.*; echo -n "$# ran, "
	for t in s*.gputap; do calls_of "$t"; done | sort -n | tr '\n' ' '
	set -- s*.part; [ -e "$1" ] && echo "$* is left"
}
is "eight runs with -f and one name at once" "$(at_once :)" "8 ran, 1 2 3 4 5 6 7 8 "
is "... where an old trace has the name" "$(at_once '"$gputap" run -q -o s "$place" 100')" "8 ran, 1 2 3 4 5 6 7 8 "

# What a launcher that was killed left beside the trace goes with the next run of that name, and nothing else does.
rm -rf s*.gputap*; "$gputap" run -q -o s "$place" 1
part=0123456789abcdef-0123456789abcdef.part
cp -r s.gputap "s.gputap.$part"; echo half >"s.gputap.1$part"; echo half >"s.gputap.${part/0/f}"; echo other >"other.$part"; rm -rf s.gputap
"$gputap" run -q -o s "$place" 1
is "what a killed launcher left goes with the next run" "$(echo s.gputap* other.*)" "s.gputap s.gputap.1$part other.$part"

# A child that the program leaves behind, which the launcher cannot see since its environment is written over, and that makes its first
# call while the launcher packs: none of its calls is thrown away with what was packed, whether it came to the trace or made one of its own.
# shellcheck disable=SC2016      # the child's shell counts
wait='run=i=0; until ls p.gputap.*.part >/dev/null 2>&1 || [ $i = 2000 ]; do i=$((i + 1)); done'
"$gputap" run -q --pack -o p -- sh -c "$place hide 'run=touch hidden' '$wait' 7 & echo \$! >child; exec $place await=hidden 1000000" >/dev/null 2>&1
ended() { ! kill -0 "$(cat child)" 2>/dev/null; }
until_true ended
in_all() { for t in p*.gputap; do "$gputap" info --json "$t"; done | python3 -c "import json, sys; print(sum(p['calls'] for line in sys.stdin for p in json.loads(line)['processes']))"; }
if [ "$(in_all)" = 1000007 ]; then passed=$((passed + 1)); echo "ok: a child that comes while the trace is packed: its calls are there"
else failed=$((failed + 1)); echo "FAILED: a child that comes while the trace is packed: $(in_all) calls"; fi

# The same, just when the trace has left its name for the packed one: the child never finds that name free, or, where the file system
# cannot exchange names, this run's trace gets another one. Nothing is lost, and no unfinished name is left.
if nm -D --undefined-only "$gputap" | grep -qE '__[at]san' || ! "${CC:-cc}" -O1 -fPIC -shared -D_GNU_SOURCE -o libmoment.so "$GPUTAP_TESTS/e2e/live/moment.c" -ldl; then
	echo "not here: a library in the launcher"
else
	moment() { # VARIABLE=VALUE...: what stands there then
		rm -rf m*.gputap* moved "done" hidden
		LD_PRELOAD=$PWD/libmoment.so timeout 100 env "$@" "$gputap" run -q --pack -o m -- sh -c "$place hide 'run=touch hidden' await=moved 7 'run=touch done' & exec $place await=hidden 100" >run.out 2>run.err
		for t in m*.gputap*; do [ -f "$t" ] && echo -n "$t packed, " || echo -n "$t, "; done
		for t in m*.gputap; do "$gputap" info --json "$t"; done | python3 -c "import json, sys; print(sum(p['calls'] for line in sys.stdin for p in json.loads(line)['processes']), 'calls')"
	}
	is "a child that comes when the trace has just been packed" "$(moment A=)" "m-2.gputap, m.gputap packed, 107 calls"
	is "... where names cannot be exchanged" "$(moment NO_EXCHANGE=1)" "m-2.gputap, m.gputap, 107 calls"
	says "... says where this run's trace is" run.err 'is in .*/m-2\.gputap, not packed'
fi

# A launcher that is killed: its program goes on, and nobody saw how it ended.
rm -f ready go
"$gputap" run -q -o k "$live" ready go >/dev/null 2>&1 & launcher=$!
until_true test -e ready
kill -KILL "$launcher"; wait "$launcher" 2>/dev/null
"$gputap" info k.gputap >info.out 2>&1; says "a killed launcher, its program running" info.out 'still recording'
touch go
gone() { ! "$gputap" info k.gputap 2>&1 | grep -q 'still recording'; }
until_true gone
"$gputap" info k.gputap >info.out 2>&1; says "a killed launcher: the end is unknown" info.out '^ended +unknown'

# The same trace seen from another pid namespace, and after the machine was started again.
cp -r k.gputap other.gputap; cp -r k.gputap boot.gputap
for k in other boot; do rm -f "$k".gputap/*/*.str; done
sed -i 's/^ns_pid=.*/ns_pid=pid:[1]/' other.gputap/*/meta
sed -i 's/^boot_id=.*/boot_id=1/' boot.gputap/*/meta
"$gputap" info other.gputap >info.out 2>&1; says "another container" info.out 'not known whether still recording'
"$gputap" info boot.gputap >info.out 2>&1; says_not "another boot" info.out 'still recording'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
