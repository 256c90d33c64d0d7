#!/usr/bin/env bash
# tests/e2e/places.sh - who may write a trace, and where: processes of other users, places that go or never were
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
dir=$(mktemp -d /tmp/gputap-places-XXXXXX) || exit 1
trap 'cd /; rm -rf "$dir"' EXIT
chmod 755 "$dir"
# Where any user can reach it: the build may lie in somebody's own folder.
mkdir "$dir/bin" "$dir/vendors"
cp "$GPUTAP_BUILD/gputap" "$GPUTAP_BUILD/libgputap.so" "$GPUTAP_BUILD/tests/e2e/cl_place" "$GPUTAP_BUILD/tests/fakecl/libfakecl.so" "$dir/bin" || exit 1
echo "$dir/bin/libfakecl.so" >"$dir/vendors/fakecl.icd"
gputap=$dir/bin/gputap place=$dir/bin/cl_place
export OCL_ICD_VENDORS=$dir/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS LD_PRELOAD LD_AUDIT OPENCL_LAYERS TMPDIR
cd "$dir" || exit 1
passed=0 failed=0 skipped=0
check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; cat said 2>/dev/null; failed=$((failed + 1)); fi; }
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
run() { rm -rf ./*.gputap; "$gputap" run "$@" >out 2>said; }
says() { grep -q -- "$1" said; }
says_not() { ! grep -q -- "$1" said; }
ledger() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(i['ledger'].get('$2', 0))"; }
calls() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(sum(p['calls'] for p in i['processes']))"; }
added() { "$gputap" info --json "$1" | python3 -c "import json, sys; print(*[p.get('added_by') for p in json.load(sys.stdin)['processes']])"; }
preload() { env LD_PRELOAD="$dir/bin/libgputap.so" "$@" 2>"$dir/said"; }

# ---- files that go while they are written
run -o t -- "$place" 100000 'run=rm t.gputap/*/0.str' 100000
check "a stream's file is removed: the rest is recorded" [ "$(calls t.gputap)" -ge 80000 ]
check "... and the loss told" [ "$(ledger t.gputap REMOVED)" = 1 ]
run -o t -- "$place" 100 'run=rm t.gputap/*/0.str'
check "a stream's file is removed at the end" [ "$(ledger t.gputap REMOVED)" = 1 ]
run -o t -- sh -c "$place 10; $place 100 'run=rm -r t.gputap/\$PPID.*'"
check "a process' folder is removed" [ "$(ledger t.gputap REMOVED)" = 1 ]
run -o t -- "$place" 100 'run=rm -r t.gputap/*.1'
check "... the only one: the launcher says so" says 'was removed from .* while it ran: its calls are lost'
check "... and keeps what there is to say it" [ "$(ledger t.gputap REMOVED)" = 1 ]
run -o t -- "$place" 100 'run=rm -r t.gputap/*.1; kill -9 $PPID'
check "... which is killed then: the launcher says so" says 'was removed from .* while it ran: its calls are lost'
check "... and so does the trace" [ "$(ledger t.gputap REMOVED)" = 1 ]
run -o t -- sh -c "$place 10; $place 100 'run=rm -r t.gputap/\$PPID.*; kill -9 \$PPID'"
check "a process' folder is removed, the process killed" [ "$(ledger t.gputap REMOVED):$(calls t.gputap)" = 1:10 ]
run --pack -o t -- sh -c "$place 10; $place 100 'run=rm -r t.gputap/\$PPID.*; kill -9 \$PPID'"
check "... in a packed trace as well" [ "$(ledger t.gputap REMOVED):$(calls t.gputap)" = 1:10 ]
run -o t -- "$place" 100 thread=100 100
check "nothing is said where nothing went" says 'complete: yes'

# ---- a limit for files below what a trace writes first: the program lives
for limit in 0 1 4 16 24; do
	run -o t -- bash -c "ulimit -f $limit; exec $place 5000"; status=$?
	check "a file limit of $limit KiB: the program ends as it would" [ $status = 0 ]
	check "... and no call is said to be there that is not" [ $(($(calls t.gputap) + $(ledger t.gputap NO_SPACE) + $(ledger t.gputap NO_STREAM))) = 5000 ]
done

# ---- a process that may open nothing, or has a filter, before it has a stream: each call is counted all the same
lost() { json_sum "NO_STREAM NO_SPACE SECCOMP"; }
json_sum() { "$gputap" info --json t.gputap | python3 -c "import json, sys; i = json.load(sys.stdin); print(sum(i['ledger'].get(r, 0) for r in '$1'.split()))"; }
# An emulator of user programs has no filters. Its answer is asked for without the shim.
if "$place" filter 2>/dev/null; then filters=1; else filters=; skip "filters of system calls: none can be set here (user-mode emulation)"; fi
other_filter() { # where one can become another user
	setpriv --reuid=65534 --clear-groups true 2>/dev/null || return 0
	run -o t -- sh -c "$place 5; $place uid=65534 filter 30"
	[ $(($(calls t.gputap) + $(lost))) = 35 ]
}
as_another() { # the launcher too is no root's then, who alone makes folders for others
	setpriv --reuid=65534 --clear-groups true 2>/dev/null || return 0
	mkdir -m 777 theirs
	setpriv --reuid=65534 --clear-groups "$gputap" run -o "$dir/theirs/t" -- "$place" files=3 2000 >out 2>said
	rm -rf t.gputap; mv theirs/t.gputap . && rm -r theirs
	says '2000 calls not recorded' && [ "$(calls t.gputap):$(lost)" = 0:2000 ]
}
check "no descriptor is left, and nobody is root: every call is counted" as_another
for pack in "" --pack; do
	run $pack -o t -- "$place" files=3 2000
	check "no descriptor is left ($pack): every call is counted" [ "$(calls t.gputap):$(lost)" = 0:2000 ]
	check "... and the launcher says so" says '2000 calls not recorded'
	run $pack -o t -- "$place" files=3 fork=2000
	check "... of a child" [ "$(calls t.gputap):$(lost)" = 0:2000 ]
	run $pack -o t -- sh -c "$place 7; $place files=3 30"
	check "... beside another process that recorded" [ "$(calls t.gputap):$(lost)" = 7:30 ]
	run $pack -o t -- sh -c "$place 7; $place files=3 30 kill"
	check "... of one that is killed" [ "$(calls t.gputap):$(lost)" = 7:30 ]
	run $pack -o t -- sh -c "$place 7; $place files=3 30 abort; $place files=3 30 fork=20 abort"
	check "... of some that abort, and of a child of one" [ "$(calls t.gputap):$(lost)" = 7:80 ]
	run $pack -o t -- "$place" held=7 files=3 2000
	check "... of a thread whose process records" [ "$(calls t.gputap):$(lost)" = 7:2000 ]
	run $pack -o t -- "$place" held=7 files=3 2000 kill
	check "... which is killed" [ "$(calls t.gputap):$(lost)" = 7:2000 ]
	[ "$filters" ] || continue
	run $pack -o t -- "$place" filter 50 fork=20 thread=3
	check "a filter before the first call ($pack): every call is counted" [ "$(calls t.gputap):$(ledger t.gputap SECCOMP)" = 0:73 ]
	run $pack -o t -- "$place" 5 filter fork=20 thread=3 kill
	check "... behind the first, of children and threads" [ "$(calls t.gputap):$(ledger t.gputap SECCOMP)" = 5:23 ]
done
# The launcher takes what marks say when the program is over; of a child that is not, and that gets a stream then.
rm -f go
run -o t -- sh -c "$place files=3 300 await=go files=64 50 & echo \$! >child; i=0; until [ -e t.gputap/mark.*.300 ] || [ \$i = 3000 ]; do i=\$((i + 1)); sleep 0.01; done"
touch go
for ((i = 0; i < 600; i++)); do kill -0 "$(cat child)" 2>/dev/null || break; sleep 0.1; done
check "a child that outlives the run and gets a stream then: its calls count once" [ "$(calls t.gputap):$(lost)" = 50:300 ]
if [ "$filters" ]; then
	check "a filter of another user's process: each call is counted in a page of its own" other_filter
	run -o t -- "$place" filter
	check "a filter without a call is no loss" says 'no traced call was made'
	# O_EXCL refuses a link as well: that both are there is seen where a file that is made with one alone is refused.
	if "${CC:-cc}" -O1 -D_GNU_SOURCE -o deny "$GPUTAP_TESTS/e2e/ways/deny.c"; then
		mkdir made && cd made || exit 1
		"$dir/deny" make_following 1 "$gputap" run -o t -e sqlite,atp,apilog,perfetto,callgrind,folded -- "$place" fork=7 thread=3 30 >out 2>said
		check "no file is made by a name that could be a link: the trace" [ "$(calls t.gputap):$(lost)" = 40:0 ]
		check "... and what is exported" eval 'says "complete: yes" && [ -s t.sqlite ] && [ -s t.pftrace ] && [ -s t.callgrind ] && [ -e t.folded ] && [ "$(ls ./*.atp ./*.apilog | wc -l)" = 4 ]'
		"$dir/deny" make_following 1 "$gputap" run --pack -o u -- "$place" 30 >out 2>said
		check "... packed" [ -s u.gputap ]
		cd "$dir" && rm -r made || exit 1
	fi
	rm -rf ./*.gputap
	GPUTAP_OUTPUT=$dir/t preload "$place" fork=7 filter 30
	check "... in a plain preload, where there is a trace" [ "$(calls t.gputap):$(lost)" = 7:30 ]
fi
# A later process of such a run, which an exec made and which can open nothing: without a launcher it finds the trace by a name in it.
later() { # USER'S-COMMAND... then what the process does
	rm -rf plain; mkdir -m 777 plain
	GPUTAP_OUTPUT=$dir/plain/t preload "$@"
	rm -rf t.gputap; mv plain/t.gputap .
}
for who in "" "setpriv --reuid=65534 --clear-groups"; do
	[ -z "$who" ] || setpriv --reuid=65534 --clear-groups true 2>/dev/null || continue
	# shellcheck disable=SC2086
	later $who sh -c "$place 7; $place files=3 200"
	check "a later process without a descriptor, plainly preloaded ($who): every call is counted" [ "$(calls t.gputap):$(lost)" = 7:200 ]
	# shellcheck disable=SC2086
	later $who sh -c "$place 7; $place files=3 200 kill; $place files=3 fork=20; exec $place files=3 100 files=64 50"
	check "... of one that is killed, a child of one, and one that may find room then" [ $(($(calls t.gputap) + $(lost))) = 377 ]
done
mapfile -t threads < <(yes thread=3 | head -n 100)      # each leaves records in what a full chunk keeps for them
run --max-size=20k -o t -- "$place" thread=2000 "${threads[@]}"
check "records of threads that find no room are no calls" [ $(($(calls t.gputap) + $(ledger t.gputap SIZE_CAP))) = 2300 ]
check "... and are told" [ "$(ledger t.gputap DETAILS_LOST)" -gt 0 ]

# ---- a program that forbids the processor's counter, by which calls are stamped where the kernel trusts it
counter() { # CALLS IN-THE-LEDGER STEP...
	run -o t -- "$place" "${@:3}"; local status=$?
	check "the counter is forbidden (${*:3}): the program lives" [ $status = 0 ]
	check "... and each call is recorded or counted" [ "$(calls t.gputap):$(ledger t.gputap SECCOMP)" = "$1:$2" ]
	[ "$2" != 0 ] || check "... with times that are true" says 'complete: yes'
}
if "$place" 10 counter 10 thread=5 fork=5 filter 10 2>/dev/null; then
	for how in counter counter-syscall; do
		counter 310 0 50 $how 200 thread=30 fork=20 counter-again 10
		counter 50 0 $how 30 fork=20
		counter 50 53 50 $how filter 30 thread=3 fork=20
		counter 0 53 $how filter 30 thread=3 fork=20
		counter 50 53 50 filter $how 30 thread=3 fork=20
		counter 50 53 50 filter-sleep $how 30 thread=3 fork=20
	done
	run -o t -- "$place" 50 counter 200
	check "... and the trace says so" says 'forbids the processor'
	run --start-after=1ns -o t -- "$place" 50 counter 200
	check "the counter is forbidden, with a window: the program lives" says 'complete: yes'
	GPUTAP_OUTPUT=$dir/t GPUTAP_TRACE=none preload "$place" 50 counter 200
	check "... with tracing off" [ $? = 0 ]
else
	skip "the processor's counter cannot be forbidden here, or not without an end of the program"
fi

# ---- a working directory that is gone
mkdir gone tmp
(cd gone && rmdir ../gone && TMPDIR=$dir/tmp GPUTAP_OUTPUT=t preload "$place" 10)
check "a deleted working directory: the trace goes to TMPDIR" [ "$(calls tmp/t.gputap)" = 10 ]
check "... and none to /" [ ! -e /t.gputap ]
"$gputap" info tmp/t.gputap >out; check "... and says so" grep -q 'working directory was deleted' out

# ---- modes
(umask 0; run -o t -e apilog,atp,sqlite -- "$place" 10)
check "nobody else may read a trace or what comes of it" [ -z "$(find t.gputap t.* -maxdepth 0 ! -name t.gputap -perm /077; find t.gputap -type f -perm /177)" ]
(umask 0777; run -o t -e apilog,atp,sqlite -- "$place" 10)
check "a umask takes nothing from its maker" [ "$(calls t.gputap):$(find t.* -maxdepth 0 -type f -perm 600 | wc -l)" = 10:3 ]
rm -f t.log t.atp t.sqlite ./*.txt; rm -rf t.*

# ---- the command line: its arguments are left out when asked; nothing else of a trace holds them
run --no-args -o t -- "$place" 10 run=:secret
check "--no-args leaves the arguments out" [ "$(grep -rl secret t.gputap | wc -l):$(calls t.gputap)" = 0:10 ]
check "... not the program's name" [ "$(grep -c ^arg= t.gputap/run):$(grep -c ^arg= t.gputap/*/meta)" = 1:1 ]
GPUTAP_NO_ARGS=true GPUTAP_OUTPUT=$dir/a preload "$place" 10 run=:secret
check "... also when preloaded" [ "$(grep -rl secret a.gputap | wc -l):$(calls a.gputap)" = 0:10 ]

# ---- many small contents
run -o t -- "$GPUTAP_BUILD/tests/e2e/cl_sources" 3000
check "3000 small sources are all there" [ "$("$gputap" dump t.gputap | grep -c 'kernel void')" = 3000 ]
check "... in no more room than their texts need" [ "$(du -sm t.gputap | cut -f1)" -le 8 ]
run --pack -o t -- "$GPUTAP_BUILD/tests/e2e/cl_sources" 3000
check "... packed too" [ "$("$gputap" dump t.gputap | grep -c 'kernel void')" = 3000 ]
run --max-size=2M -o t -- "$GPUTAP_BUILD/tests/e2e/cl_sources" 3000
check "contents of a limited trace: a quarter of it, the rest counted" [ "$(ledger t.gputap CONTENTS_CAP):$(ledger t.gputap SIZE_CAP)" = "$((3000 - $("$gputap" dump t.gputap | grep -c 'kernel void'))):0" ]
run --max-size=1M --max-contents=100M -o t -- "$GPUTAP_BUILD/tests/e2e/cl_sources" 300
check "--max-contents says another budget" [ "$(ledger t.gputap CONTENTS_CAP)" = 0 ]

# ---- other users: only root can become one
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
	run -o t -- setpriv --reuid=65534 --clear-groups "$place" 100
	check "a program of another user under root's launcher" [ "$(calls t.gputap)" = 100 ]
	check "... complete" says 'complete: yes'
	run -o t -- sh -c "$place 5; setpriv --reuid=65534 --clear-groups $place 7; setpriv --reuid=65533 --clear-groups $place 9; $place 11"
	check "several users in one trace" [ "$(calls t.gputap)" = 32 ]
	run -o t -- "$place" uid=65534 100
	check "a daemon that drops its privileges before its first call" [ "$(calls t.gputap)" = 100 ]
	run -o t -- "$place" 100 thread=10 uid=65534 100000 thread=1000
	check "... behind it: both parts are one process" [ "$(calls t.gputap)" = 101110 ]
	check "... nothing is lost" says 'complete: yes'
	check "... in one row" [ "$("$gputap" info t.gputap | grep -c '^process')" = 1 ]
	"$gputap" export -q -e apilog -o packed t.gputap; cp -r t.gputap same.gputap
	run --pack -o p -- "$place" 100 uid=65534 100000
	check "... packed too" [ "$(calls p.gputap)" = 100100 ]
	run -f -o t -- "$place" 1 uid=65534 100; "$gputap" run -f -o t -- "$place" 1 uid=65534 100 >out 2>said
	check "-f replaces such a trace" [ "$(calls t.gputap)" = 101 ]

	# a place that the other user cannot reach at all
	mkdir -m 700 private
	(cd private && "$gputap" run -o t -- sh -c "$place 3; setpriv --reuid=65534 --clear-groups env TMPDIR=$dir/theirs $place 100" >../out 2>../said)
	check "a place out of reach, and no other one: counted" [ "$(ledger private/t.gputap NO_STREAM)" -ge 1 ]
	mkdir -m 777 theirs; rm -rf private/t.gputap
	(cd private && "$gputap" run -o t -- sh -c "$place 3; setpriv --reuid=65534 --clear-groups env TMPDIR=$dir/theirs $place 100" >../out 2>../said)
	check "a place out of reach: a trace of its own" [ "$(calls theirs/t.gputap)" = 100 ]
	check "... which the launcher names" says "its calls are in $dir/theirs/t.gputap"
	check "... and the ledger counts" [ "$(ledger private/t.gputap ELSEWHERE)" = 1 ]
	rm -rf private/t.gputap theirs/t.gputap
	(cd private && "$gputap" run -o t -- setpriv --reuid=65534 --clear-groups env TMPDIR="$dir/theirs" "$place" 100 >../out 2>../said)
	check "... also when nobody else recorded" says "its calls are in $dir/theirs/t.gputap"

	# another root directory, in which there is no place either: the mark still comes
	mkdir jail; run -o t -- "$place" "root=$dir/jail" 100
	check "a process in another root directory leaves a mark" says '100 calls not recorded'

	run -o t -- "$place" 100000 "root=$dir/jail" 100000
	check "... one that has recorded before loses what comes, and nothing it had is called removed" \
		[ "$(($(calls t.gputap) + $(ledger t.gputap NO_SPACE))):$(ledger t.gputap REMOVED)" = 200000:0 ]

	# plain preload
	GPUTAP_OUTPUT=$dir/d preload "$place" 10 uid=65534 100000
	check "preloaded, privileges dropped later" [ "$(calls d.gputap)" = 100010 ]
	rm -rf theirs/*
	TMPDIR=$dir/theirs GPUTAP_OUTPUT=$dir/private/d preload "$place" uid=65534 100
	check "preloaded, dropped before the first call: in TMPDIR" [ "$(calls theirs/d.gputap)" = 100 ]

	# what a stranger put into `other`
	run -o t -- sh -c "$place 5; setpriv --reuid=65534 --clear-groups $place 7"
	folder=$(echo t.gputap/other/*.1)
	cp -r t.gputap hostile.gputap; chown 65533 "hostile.gputap/other/${folder##*/}"/0.str
	check "a folder whose files are another owner's is left out" [ "$(calls hostile.gputap):$(ledger hostile.gputap OTHER_REFUSED)" = 5:1 ]
	cp -rp t.gputap linked.gputap; ln "linked.gputap/other/${folder##*/}/0.str" "linked.gputap/other/${folder##*/}/9.str"
	check "... one that another name leads to, too" [ "$(ledger linked.gputap OTHER_REFUSED)" = 1 ]

	# a process that another user plants, in a run that is not his
	check "what another user added is marked with its owner" [ "$("$gputap" info t.gputap | grep -c 'added by user 65534')" = 1 ]
	check "... for programs too" [ "$(added t.gputap)" = "None 65534" ]
	check "... in the dump" grep -q 'added_by=65534' <("$gputap" dump t.gputap)
	check "at the end of the run nobody can add any more" [ "$(stat -c %a t.gputap/other)" = 711 ]
	"$gputap" export -q -e apilog -o packed t.gputap; run_id=$(sed -n s/^run_id=//p t.gputap/run)
	setpriv --reuid=65533 --clear-groups mkdir t.gputap/other/77.1 2>said
	check "... as he finds" says 'Permission denied'
	plant() { # TRACE PID USER: a sound process, of another run
		cp -r foreign.gputap/*.1 "$1/other/$2.1"; sed -i "s/^pid=.*/pid=$2/" "$1/other/$2.1/meta"; chown -R "$3" "$1/other/$2.1"
	}
	mv t.gputap real; "$gputap" run -q -o foreign -- "$place" 1000; mv real t.gputap
	cp -rp t.gputap planted.gputap; plant planted.gputap 4000001 65533; plant planted.gputap 4000002 65532
	check "a process of another run is not shown as one of this" [ "$(calls planted.gputap)" = 12 ]
	check "... it is said" [ "$(ledger planted.gputap OTHER_FOREIGN)" = 2 ]
	check "... and takes nothing from the run" grep -q '^complete: yes; also 2 folders left out that somebody put into the trace' <("$gputap" info planted.gputap)
	# streams for a process that is there, which never gave up its privileges
	own=$(basename "$(echo t.gputap/[0-9]*.1)"); cp -rp t.gputap streams.gputap; mkdir "streams.gputap/other/$own"
	cp foreign.gputap/*.1/0.str "streams.gputap/other/$own/5.str"; chown -R 65533 "streams.gputap/other/$own"
	check "no streams are added to a process of the run" [ "$(calls streams.gputap):$(ledger streams.gputap OTHER_FOREIGN)" = 12:1 ]
	# who knows the run's number passes for one of it, marked; what is there already he cannot replace
	cp -rp t.gputap known.gputap; plant known.gputap 4000001 65533; sed -i "s/^run_id=.*/run_id=$run_id/" known.gputap/other/4000001.1/meta
	check "who knows the run's number is marked" [ "$(calls known.gputap):$(added known.gputap)" = "1012:None 65534 65533" ]
	mkdir "streams.gputap/other/$own/x"; rmdir "streams.gputap/other/$own/x"; : >"streams.gputap/other/$own/$run_id"
	cp foreign.gputap/*.1/0.str foreign.gputap/*.1/meta "streams.gputap/other/$own/"; chown -R 65533 "streams.gputap/other/$own"
	check "... and replaces no file of the run's own" [ "$("$gputap" info --json streams.gputap | grep -c '"run_id":"'"$run_id"'"')" = 1 ]
	check "... whose process he marks as his" [ "$(added streams.gputap)" = "65533 65534" ]
	"$gputap" run -q --pack -o p -- sh -c "$place 5; setpriv --reuid=65534 --clear-groups $place 7"
	check "a packed trace says who added what" [ "$(added p.gputap)" = "None 65534" ]
	# a process that outlives the run's launcher may come later
	mkfifo gate ended
	"$gputap" run -f -o t -- sh -c "$place 5; setsid sh -c 'read x <gate; setpriv --reuid=65534 --clear-groups $place 7; echo done >ended' >/dev/null 2>&1 &" >out 2>said
	check "a process that is left keeps the door open" [ "$(stat -c %a t.gputap/other)" = 1733 ]
	check "... which is said" says 'any user may add processes to'
	check "... by info, too" grep -q 'any user may still add processes' <("$gputap" info t.gputap)
	echo >gate; read -r last <ended
	"$gputap" wait t.gputap
	check "... and gputap wait closes it" [ "$last:$(stat -c %a t.gputap/other)" = done:711 ]
	check "... with all that came" [ "$(calls t.gputap):$(added t.gputap)" = "12:None 65534" ]
	rm -rf ./*.gputap

	# conversion by another user than the one who recorded
	mkdir -m 777 shared; (cd shared && setpriv --reuid=65534 --clear-groups "$gputap" run -q -o t -- "$place" 10)
	"$gputap" export -q -e apilog -o mine shared/t 2>said; check "root converts a user's trace" [ -s mine.cltrace.txt -o -s mine.log -o -n "$(ls mine* 2>/dev/null)" ]
	run -q -o r -- "$place" 10; chmod -R a+rX r.gputap
	setpriv --reuid=65534 --clear-groups "$gputap" export -q -e apilog -o shared/theirs r.gputap 2>said
	check "a user converts a trace that may only be read" [ -n "$(ls shared/theirs* 2>/dev/null)" ]
	setpriv --reuid=65534 --clear-groups "$gputap" stats r.gputap >out 2>said; check "... and makes its reports" grep -q clGetPlatformIDs out
else
	skip "processes of other users: not root"
fi

# ---- two pid namespaces that share a folder
if unshare -rpf true 2>/dev/null; then
	rm -rf t.gputap; export GPUTAP_RUN_ID=00000000000000ab GPUTAP_ROOT_PID=999999999 GPUTAP_OUTPUT=$dir/t
	for _ in 1 2 3; do unshare -rpf env LD_PRELOAD="$dir/bin/libgputap.so" "$place" 10; done
	unset GPUTAP_RUN_ID GPUTAP_ROOT_PID GPUTAP_OUTPUT
	check "three processes, each pid 1 of its own, in one trace" [ "$(calls t.gputap)" = 30 ]
	check "... none is taken for another's exec" [ "$(grep -l '^reason=start' t.gputap/*/meta | wc -l)" = 3 ]
else
	skip "pid namespaces: no right to make one"
fi

# ---- no /proc, as in a bare chroot
if unshare -rm sh -c 'mount -t tmpfs none /proc' 2>/dev/null; then
	bare() { unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$@"; }
	rm -rf t.gputap; cp "$place" relative
	bare "$gputap" run -q -o t --callstacks ./relative 10 >out 2>said
	check "without /proc the launcher finds what it preloads" [ "$(calls t.gputap)" = 10 ]
	check "... the image is what was started" [ "$(sed -n 's/^image=//p' t.gputap/*/meta):$(sed -n 's/^cwd=//p' t.gputap/*/meta)" = "$PWD/relative:$PWD" ]
	"$gputap" export -q -f -o t -e atp t.gputap
	check "... and its functions have names in stacks" grep -q '^clGetPlatformIDs	[a-z]' t.atp
else
	skip "no /proc: no right to mount"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
