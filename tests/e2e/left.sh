#!/usr/bin/env bash
# tests/e2e/left.sh - processes that the program leaves behind: nothing is taken away under them, and who waits has all of the trace
#
# LEFT_MATRIX=1: every way with every option, which takes a minute or two. LEFT_USER=1: what a user who is not root may see less of.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap place=$GPUTAP_BUILD/tests/e2e/cl_place cc=${CC:-cc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
passed=0 failed=0
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
$cc -O1 -w -D_GNU_SOURCE -o leaver "$GPUTAP_TESTS/e2e/left/leaver.c" -lpthread || exit 1
mkfifo go

check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $way $options: $name ($*)"; sed 's/^/	/' said; failed=$((failed + 1)); fi; }
says() { grep -qE -- "$1" said; }
says_not() { ! grep -qE -- "$1" said; }
until_true() { for _ in $(seq 600); do "$@" && return 0; sleep 0.05; done; return 1; }
calls() { "$gputap" dump t.gputap | grep -c clGetPlatformIDs; }
# A suspended or busy machine may break the clock, which is told beside it.
complete() { "$gputap" info t.gputap | sed -En '/^complete/{s/; also [0-9]+ clock segments?: suspend, step or drift over 50 us$//;p}'; }
traces() { echo *.gputap*; }
go() { timeout 60 sh -c 'echo >go'; }   # returns when what is left has come so far

# begin BEFORE: what the program does before it leaves somebody behind; its status, and who is left, as bare
way='' options=
bare() {
	./leaver "$way" go facts 5 /bin/true; echo $? >bare.status
	go; mv facts bare.facts
}
program() { echo "$1 ./leaver $way go facts 5 \"$place\" 7"; }
as_bare() { [ "$(cat status)" = "$(cat bare.status)" ] && cmp facts bare.facts; }
name_of_left() { echo leaver; }

# ---- --wait=primary: the launcher ends with the program
primary() { # BEFORE CALLS
	rm -rf t.* t-* facts
	# shellcheck disable=SC2086
	"$gputap" run $options -o t -- sh -c "$(program "$1 exec")" >out 2>said </dev/null; echo $? >status
	check "the closing line says who is there" says 'left behind still run: [0-9]+ \(leaver\)'
	check "... and what waits for them" says "try: gputap wait .*/t\.gputap"
	check "nothing is called complete" says_not 'complete: yes'
	check "the trace is where it is said to be" [ -d t.gputap ]
	check "info calls it incomplete in JSON too" grep -q '"complete":false,' <("$gputap" info --json t.gputap)
	check "info names it" grep -qE '^complete: no \(still r(ecording|unning, and may record): process [0-9]+ \(leaver\)\)' <("$gputap" info t.gputap)
	[[ $options != *--pack* || -z $1 ]] || check "it is not packed, which is said" says 't\.gputap is not packed: process [0-9]+ \(leaver\)'
	[[ $options != *atp* || -z $1 ]] || check "the export says it" grep -q 'still running, and may record: process [0-9]* (leaver)' t.atp
	[[ $options != *sqlite* || -z $1 ]] || check "the export says it" grep -qa 'still running, and may record: process [0-9]* (leaver)' t.sqlite
	[[ $options != *-e* || -n $1 ]] || check "nothing is exported, which is said" says 'no traced call was made so far, and nothing is exported'
	go
	timeout 100 "$gputap" wait t.gputap; check "gputap wait returns" [ $? = 0 ]
	check "with all calls" [ "$(calls) $(complete)" = "$2 complete: yes" ]
	check "there is no other trace" [ "$(traces)" = t.gputap ]
	check "status, parent, group and session as bare" as_bare
}

# ---- --wait=all: with the last of them
all() { # BEFORE CALLS
	rm -rf t.* t-* facts
	# shellcheck disable=SC2086
	timeout 100 "$gputap" run --wait=all $options -o t -- sh -c "$(program "$1 exec")" >out 2>said </dev/null & local launcher=$!
	[ -z "${SAYS_WAITING-}" ] || check "it says whom it waits for" until_true says 'the program has ended: waiting for process [0-9]+ \(leaver\)'
	go
	wait $launcher; echo $? >status
	check "complete" says 'complete: yes'
	check "nobody is there any more" says_not 'still run'
	[[ $options != *--pack* ]] || check "it is packed" [ -f t.gputap ]
	[[ $options != *atp* ]] || check "the export has all" [ "$(cat t*.atp | grep -c 'clGetPlatformIDs')" -ge "$2" ]
	check "with all calls" [ "$(calls) $(complete)" = "$2 complete: yes" ]
	check "there is no other trace" [ "$(traces)" = t.gputap ]
	check "status, parent, group and session as bare" as_bare
}

if [ -n "${LEFT_MATRIX-}" ]; then
	for way in daemon setsid double orphan starts threaded; do
		bare
		for options in "" "--pack" "-e sqlite" "-e atp,sqlite --pack" "--capture-output" "-t opencl,osrt" "-t opencl,sched,sample --pack"; do
			primary "" 7; primary "$place 3;" 10; SAYS_WAITING=1 all "" 7; all "$place 3;" 10
		done
	done
elif [ -n "${LEFT_USER-}" ]; then
	for way in daemon threaded; do bare; options=--pack; primary "$place 3;" 10; done
	echo "$passed passed, $failed failed"; exit "$failed"
else
	way=daemon; bare; options="-e atp --pack"; primary "" 7; options="-e atp --pack"; primary "$place 3;" 10
	way=setsid; bare; options=; primary "$place 3;" 10; options="-e atp --pack"; SAYS_WAITING=1 all "" 7
	way=double; bare; options=--pack; primary "$place 3;" 10; options=; all "$place 3;" 10
	way=orphan; bare; options="-e sqlite"; primary "$place 3;" 10
	way=starts; bare; options=--pack; all "$place 3;" 10
	way=threaded; bare; options=--pack; primary "$place 3;" 10
fi

# ---- who holds the trace of an earlier run is left alone by -f, whether it has recorded or not
way=setsid options=-f; rm -rf t.* t-*
"$gputap" run -q -o t -- ./leaver setsid go facts 0 "$place" 7 </dev/null
"$gputap" run -f -o t -- "$place" 2 2>said
check "-f: the run's trace gets another name" says 't\.gputap is being written by process [0-9]+: this run.s trace is .*/t-2\.gputap'
go; timeout 100 "$gputap" wait t.gputap
check "... and the other one is whole" [ "$(calls) $(complete)" = "7 complete: yes" ]

# ---- signals end the wait, and the status stays the program's
for signal in INT TERM HUP; do
	way=orphan options="--wait=all and SIG$signal"; rm -rf t.* t-*
	# Job control: else the shell lets it ignore SIGINT.
	set -m; "$gputap" run --wait=all --pack -o t -- sh -c "$place 3; exec ./leaver orphan go facts 5 \"$place\" 7" >out 2>said </dev/null & launcher=$!; set +m
	check "it waits" until_true says 'waiting for process'
	kill -$signal $launcher; wait $launcher; echo $? >status
	check "the status is the program's" [ "$(cat status)" = 5 ]
	check "who is there is named" says 'left behind still run: [0-9]+ \(leaver\)'
	check "it is not packed" says 'is not packed'
	go; timeout 100 "$gputap" wait t.gputap
	check "the trace is whole behind gputap wait" [ "$(calls) $(complete)" = "10 complete: yes" ]
done

# ---- --require-complete: what is still there is missing
way=orphan options=--require-complete; rm -rf t.* t-*
"$gputap" run --require-complete -o t -- sh -c "$place 3; exec ./leaver orphan go facts 0 \"$place\" 7" >out 2>said </dev/null; check "ends with 125" [ $? = 125 ]
go; timeout 100 "$gputap" wait t.gputap

# ---- the same by a user who is not root
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	way=user options='' theirs=$(mktemp -d /tmp/gputap-left-XXXXXX); mkdir -p "$theirs/tests/e2e/left" "$theirs/build/tests/e2e" "$theirs/build/tests/fakecl/vendors"
	cp "$gputap" "$GPUTAP_BUILD"/libgputap*.so "$theirs/build"; cp "$place" "$theirs/build/tests/e2e"; cp "$GPUTAP_BUILD"/tests/fakecl/*.so "$theirs/build/tests/fakecl"
	cp "$GPUTAP_TESTS/e2e/left.sh" "$theirs/tests/e2e"; cp "$GPUTAP_TESTS/e2e/left/leaver.c" "$theirs/tests/e2e/left"
	echo "$theirs/build/tests/fakecl/libfakecl.so" >"$theirs/build/tests/fakecl/vendors/fake.icd"
	chmod -R a+rX "$theirs"; mkdir -m 1777 "$theirs/tmp"
	TMPDIR=$theirs/tmp GPUTAP_BUILD=$theirs/build GPUTAP_TESTS=$theirs/tests LEFT_USER=1 LEFT_MATRIX='' \
		setpriv --reuid=65534 --regid=65534 --clear-groups bash "$theirs/tests/e2e/left.sh" >said 2>&1
	check "a daemon, and a process whose first thread has ended" [ $? = 0 ]
	rm -rf "$theirs"
fi

# ---- gputap wait from inside the run waits for no process that waits for it
way=inside options=; rm -rf t.* t-*
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=$PWD/t sh -c "$place 3; sh -c 'timeout 60 \"$gputap\" wait t.gputap; echo \$? >status'" >out 2>said
check "it returns" [ "$(cat status)" = 0 ]

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
