#!/usr/bin/env bash
# tests/e2e/children.sh - what a program starts is looked at as the program is: it starts as bare, and is followed or named
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap here=$GPUTAP_TESTS/e2e cc=${CC:-cc}
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS LD_PRELOAD LD_AUDIT OPENCL_LAYERS
passed=0 failed=0 skipped=0
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan && { echo "skipped: the shim itself is built with a sanitizer"; exit 77; }
opts="-O1 -w -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300"
$cc $opts -o many "$here/ways/many.c" -lOpenCL && $cc $opts -o starter "$here/children/starter.c" -lOpenCL || exit 1
printf 'int main(void) { return 0; }\n' >nothing.c
export ASAN_OPTIONS=detect_leaks=0

check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; sed 's/^/	/' said; failed=$((failed + 1)); fi; }
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
# run COMMAND...: bare and by gputap run; what the launcher says lies in `said`, the program's own words in out and err
run() {
	"$@" >bare.out 2>bare.err </dev/null; echo $? >bare.status
	rm -rf ./*.gputap; "$gputap" run $options -o t -- "$@" >out 2>said </dev/null; echo $? >status
	grep -v '^gputap: \|^  try: ' said >err
}
options=
as_bare() { cmp bare.out out && cmp bare.err err && cmp bare.status status; }
info() { [ -d t.gputap ] && "$gputap" info --json t.gputap | python3 -c "import json, sys; i = json.load(sys.stdin); print($1)"; }
ledger() { info "i['ledger'].get('$1', 0)"; }
calls() { info "sum(p['calls'] for p in i['processes'])"; }
says() { grep -q -- "$1" said; }

# ---- a sanitizer's runtime comes first, for the program that needs it and for no other
if $cc $opts -fsanitize=address -o asan "$here/ways/many.c" -lOpenCL 2>/dev/null && ./asan 3 >/dev/null 2>&1; then
	$cc $opts -fsanitize=address -o asan_starter "$here/children/starter.c" -lOpenCL
	for how in "sh -c './asan 3'" "./starter e ./asan 3" "./starter l ./asan 3" "./starter f ./asan 3" "./starter y ./asan 3" "./starter s ./asan 3" "./starter v ./asan 3" \
		"./starter k ./asan 3" "./starter c './asan 3'" "env PATH=$PWD:$PATH ./starter p asan 3" "env PATH=$PWD:$PATH ./starter S asan 3" \
		"env STARTER_LINES=1500 ./starter v ./asan 3" "env STARTER_LINES=1500 ./starter s ./asan 3" "env ./asan 3" "python3 -c 'import subprocess; subprocess.run([\"./asan\", \"3\"])'" \
		"./asan_starter s ./asan 3" "sh -c 'exec env sh -c \"exec ./asan 3\"'"; do
		run bash -c "exec $how"
		check "with AddressSanitizer below $how: as bare" as_bare
		check "... and followed" [ "$(calls)" = 3 ]
	done
	# Who starts is one with the runtime, what it starts is not: nothing of the runtime comes along.
	printf '#!/bin/sh\ngrep -c libasan /proc/self/maps\n' >mapped; chmod +x mapped
	for how in "./asan_starter s ./mapped" "./asan_starter e ./mapped" "./asan_starter c ./mapped"; do
		run $how
		check "$how: the runtime stays with its program" as_bare
	done
	runtime=$($cc -print-file-name=libasan.so)
	LD_PRELOAD=$runtime run ./many 3
	check "a runtime that is preloaded into the launcher too: as bare" as_bare
	check "... and the program is followed" [ "$(calls)" = 3 ]
	run sh -c "LD_PRELOAD=$runtime:\$LD_PRELOAD exec ./many 3"
	check "a runtime that the user preloads is first, and stays" as_bare
	check "... and the program is followed" [ "$(calls)" = 3 ]
	# An environment of many lines is copied into a mapping, which a child of vfork leaves behind: it is used again.
	$cc $opts -fsanitize=address -o asan_nothing nothing.c
	run env STARTER_LINES=1500 ./starter m ./asan_nothing
	check "200 children by vfork: each starts" [ "$(cat status)" = 0 ]
	check "... and leaves no mapping of its own" [ $(($(cat out) - $(cat bare.out))) -lt 60 ]
	# ... that holds another program's as well: its own is inside, and does not bear a second one.
	if $cc $opts -fsanitize=address -static-libasan -o asan_inside "$here/ways/many.c" -lOpenCL 2>/dev/null && ./asan_inside 3 >/dev/null 2>&1; then
		run ./asan_starter s ./asan_inside 3
		check "a runtime inside the program, below one with the library: as bare" as_bare
	else
		skip "a runtime inside the program: no static one"
	fi
	# Without a launcher, too.
	rm -rf t.gputap; LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=$PWD/t sh -c './asan 3' >out 2>said
	check "preloaded without a launcher: the child starts, and is followed" [ "$(cat out) $(calls)" = "3 3" ]
else
	skip "children with AddressSanitizer: no such programs here"
fi

# ---- what nothing can be preloaded into is left in peace, and named
# left NAME PROGRAM WORDS: by each way, from a parent without calls and from one with them
left() {
	local way
	for way in "sh -c '$2'" "./starter s $2" "./starter e $2" "./starter v $2"; do
		run bash -c "./many 5; exec $way"
		check "$1 below $way: as bare" as_bare
		check "... counted" [ "$(ledger CHILD_UNREACHABLE) $(calls)" = "1 5" ]
		check "... by name" says "$2 was not followed, nor what it started: it is $3"
		run env STARTER_CALLS=1 bash -c "exec $way"
		check "... by a parent that records: as bare" as_bare
		[[ $way = sh* ]] || check "... counted" [ "$(ledger CHILD_UNREACHABLE) $(calls)" = "1 1" ]
		check "... by name" says "$2 was not followed, nor what it started: it is $3"
	done
	run "$2"
	check "$1 as the command: as bare" as_bare
	printf '#!%s\n' "$PWD/${2#./}" >"script_of_${2#./}"; chmod +x "script_of_${2#./}"
	run bash -c "./many 5; exec ./script_of_${2#./}"
	check "$1 as what runs a script: as bare" as_bare
	check "... by name" says "/${2#./} was not followed, nor what it started: it is $3"
}
# Linked with nothing, so that no 32-bit library is needed to build it: its dynamic linker preloads all the same.
printf '.globl _start\n_start: movl $1, %%eax\nmovl $3, %%ebx\nint $0x80\n' >small32.s
if $cc -m32 -nostdlib -pie -Wl,-dynamic-linker=/lib/ld-linux.so.2 -o small32 small32.s 2>/dev/null && { ./small32 2>/dev/null; [ $? = 3 ]; }; then
	left "a 32-bit program" ./small32 "a 32-bit program"
else
	skip "32-bit children: no compiler for them, or no dynamic linker (libc6-i386)"
fi
if command -v musl-gcc >/dev/null && musl-gcc -o musl nothing.c; then
	left "a program with musl" ./musl "linked with another C library"
	options="-t opencl,osrt,openmp"
	run sh -c ./musl
	check "a program with musl and every library that is preloaded: as bare" as_bare
	options=
else
	skip "children with musl: no musl-gcc"
fi
# With rights: our process is not root, so nothing of ours may lie where only root can read.
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	place=$(mktemp -d /tmp/gputap-children-XXXXXX); mkdir "$place/vendors" && mkdir -m 1777 "$place/here"; chmod 755 "$place" "$place/vendors"
	cp "$GPUTAP_BUILD"/libgputap*.so "$GPUTAP_BUILD/gputap" many starter "$place"; cp "$GPUTAP_BUILD"/tests/fakecl/*.so "$place"
	for f in "$place"/*.so; do case $f in */libgputap*) ;; *) echo "$f" >"$place/vendors/fake.icd" ;; esac; done
	cp many "$place/suid" && chmod 4755 "$place/suid"; cp many "$place/unread" && chmod 711 "$place/unread"; chmod 755 "$place/many" "$place/starter"
	user() { (cd "$place/here" && rm -rf t.gputap && OCL_ICD_VENDORS=$place/vendors setpriv --reuid=65534 --regid=65534 --clear-groups "$@" >out 2>said </dev/null; cp -r out said "$here_now"; cp -r t.gputap "$here_now" 2>/dev/null); }
	here_now=$PWD
	for way in s e v; do
		rm -rf t.gputap; user "$place/gputap" run -o t -- sh -c "$place/many 5; exec $place/starter $way $place/suid 7"
		check "a set-user-id child, way $way: counted" [ "$(ledger CHILD_UNREACHABLE) $(calls)" = "1 5" ]
		check "... by name" says "/suid was not followed, nor what it started: it is a program that runs with another user.s rights"
	done
	rm -rf t.gputap; user "$place/gputap" run -o t -- sh -c "$place/many 5; exec $place/unread 7"
	check "a program that may be run and not read starts as it did" [ "$(ledger CHILD_UNREACHABLE) $(calls)" = "0 12" ]
	check "... and that is said" says "/unread could not be looked at before it was started"
	if command -v setcap >/dev/null && cp many "$place/capable" && setcap cap_net_raw+ep "$place/capable" 2>/dev/null; then
		rm -rf t.gputap; user "$place/gputap" run -o t -- sh -c "$place/many 5; exec $place/capable 7"
		check "a child with file capabilities: counted" [ "$(ledger CHILD_UNREACHABLE) $(calls)" = "1 5" ]
	else
		skip "a child with file capabilities: no setcap, or a place that has none"
	fi
	rm -rf "$place"
else
	skip "children with rights of their own: not root, or no setpriv"
fi

# ---- a static program can load no driver: it is named, and nothing is lost
if $cc -static -o fixed nothing.c 2>/dev/null; then
	for way in "sh -c ./fixed" "./starter s ./fixed" "./starter e ./fixed"; do
		run bash -c "./many 5; exec $way"
		check "a static program below $way: as bare" as_bare
		check "... no loss" [ "$(ledger CHILD_UNREACHABLE) $(calls) $(info "i['complete']")" = "0 5 True" ]
		check "... and a note" says './fixed made no calls that can be traced: it is statically linked'
	done
	run sh -c ./fixed
	check "... also where there is no trace" says './fixed made no calls that can be traced: it is statically linked'
else
	skip "static children: no static C library"
fi

# ---- the audit module comes where plug-ins are opened, by whatever way, and nowhere else
$cc $opts -fPIC -shared -o plugin.so "$here/ways/plugin.c" -lOpenCL && $cc $opts -o host "$here/ways/host.c" -ldl || exit 1
mkdir -p shims
printf '#!/usr/bin/env bash\nprogram=${0##*/}\nexec env "%s" "$@"\n' "$(python3 -c 'import sys; print(sys.executable)')" >shims/python3; chmod +x shims/python3
cat >audited.py <<'PY'
import ctypes, os, subprocess, sys
def audited(): return "libgputap-audit" in open("/proc/self/maps").read()
if len(sys.argv) > 1: print(audited(), os.environ.get("LD_AUDIT"))
else: print(audited(), os.environ.get("LD_AUDIT"), subprocess.run(["sh", "-c", "grep -c libgputap-audit /proc/self/maps; exec env sh -c 'exec \"$0\" audited.py below' " + sys.executable], capture_output=True, text=True).stdout.split("\n"))
PY
printf '#!/usr/bin/env python3\nexec(open("audited.py").read())\n' >audited; chmod +x audited
for how in "sh -c 'python3 audited.py'" "env python3 audited.py" "$PWD/shims/python3 audited.py" "./audited" "./starter s ./audited" "env PATH=$PWD/shims:$PATH ./starter S python3 audited.py"; do
	run bash -c "exec $how"
	check "Python by $how has the audit module, a shell below it none, a Python below that again" [ "$(cat out)" = "True None ['0', 'True None', '']" ]
done
options=--audit=off; run sh -c 'python3 audited.py'
check "--audit=off: none" [ "$(cat out)" = "False None ['0', 'False None', '']" ]
options=--audit=on; run sh -c 'grep -c libgputap-audit /proc/self/maps'
check "--audit=on: all that is started" eval '[ "$(cat out)" -gt 0 ]'
options=
printf '#!/bin/sh\n# LD_PRELOAD is a word in a comment\ngrep -c libgputap-audit /proc/self/maps\n' >comment; chmod +x comment
run ./comment
check "a word in a comment is no reason for the audit module" [ "$(cat out)" = 0 ]
if ldd --version 2>/dev/null | head -n 1 | awk '{exit !($NF >= 2.35)}'; then
	cat >deep.py <<'PY'
import ctypes, os
ctypes.CDLL("./plugin.so", mode=os.RTLD_DEEPBIND | os.RTLD_NOW).run()
PY
	run bash -c "exec $PWD/shims/python3 deep.py"
	check "a plug-in with RTLD_DEEPBIND in a Python below scripts is recorded" [ "$(ledger LOADER_MISSED):$(info "i['complete']")" = 0:True ]
else
	skip "a plug-in with RTLD_DEEPBIND: bound lazily alone before glibc 2.35"
fi

# ---- what was to be followed and of which nothing is heard is counted; all else leaves no mark
printf 'int one(void); int one(void) { return 1; }\n' >one.c; printf 'int one(void); int main(void) { return one() - 1; }\n' >uses_one.c
$cc -fPIC -shared -o libone.so one.c && $cc -o whole uses_one.c -L. -lone "-Wl,-rpath,$PWD" || exit 1
marks() { find t.gputap -name 'mark.*' | wc -l; }
for way in s S e p v k f y l; do
	run env STARTER_CALLS=1 PATH="$PWD:$PATH" ./starter $way "$PWD/whole"
	check "a child without calls, way $way: as bare" as_bare
	check "... is heard of" [ "$(info "i['complete']") $(ledger CHILD_MISSED) $(marks) $(grep -c '^awaited=' t.gputap/run)" = "True 0 0 0" ]
	run env STARTER_CALLS=1 ./starter $way "$PWD/many" 3
	check "a child with calls, way $way: heard of, and recorded" [ "$(info "i['complete']") $(marks) $(calls)" = "True 0 4" ]
	run env STARTER_CALLS=1 ./starter $way "$PWD/nowhere"
	check "a start that fails, way $way: nobody is awaited" [ "$(info "i['complete']") $(marks)" = "True 0" ]
done
run env STARTER_CALLS=1 STARTER_LINES=1500 ./starter m ./whole
check "200 children by vfork of one that records: each is heard of" [ "$(cat status) $(info "i['complete']") $(marks)" = "0 True 0" ]
check "... and leaves no mapping of its own" [ $(($(cat out) - $(cat bare.out))) -lt 60 ]
run env STARTER_CALLS=1 ./starter e /usr/bin/env
check "the program does not find in its environment that it is awaited" eval '! grep -q AWAITED out'
mv libone.so libgone.so
for way in s e v k f y; do
	run env STARTER_CALLS=1 ./starter $way ./whole
	check "a child that does not get as far as our start, way $way: as bare" as_bare
	check "... counted" [ "$(info "i['complete']") $(ledger CHILD_MISSED)" = "False 1" ]
	check "... and said" says 'nothing was heard of .* that process [0-9]* started'
done
run env STARTER_CALLS=1 ./starter e ./whole
check "... by name, where the process itself turned into it" says 'nothing was heard of \./whole that process'
run ./starter s ./whole
check "... of a parent that records nothing there is no trace" [ ! -e t.gputap ]
mv libgone.so libone.so
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	place=$(mktemp -d /tmp/gputap-children-XXXXXX); chmod 755 "$place"
	cp "$GPUTAP_BUILD"/libgputap*.so "$GPUTAP_BUILD/gputap" starter libone.so "$place" && $cc -o "$place/whole" uses_one.c -L. -lone '-Wl,-rpath,$ORIGIN'
	gputap=$place/gputap run env STARTER_CALLS=1 STARTER_UID=65534 "$place/starter" s "$place/whole"
	check "a child of another user: as bare" as_bare
	check "... starts" [ "$(cat status)" = 0 ]
	check "... cannot take its mark away: the launcher does" [ "$(info "i['complete']") $(ledger CHILD_MISSED) $(marks)" = "True 0 0" ]
	rm -rf "$place"
else
	skip "a child of another user: not root, or no setpriv"
fi

# ---- what somebody puts before us comes behind us, and stays
$cc -shared -fPIC -o libfront.so nothing.c
run sh -c 'LD_PRELOAD=$PWD/libfront.so:$LD_PRELOAD sh -c "exec sh -c '"'echo \\\$LD_PRELOAD'"'"'
check "a library before ours is put behind it" eval '[[ $(cat out) == */libgputap.so:*/libfront.so ]]'

# ---- the program sees nothing of it
touch unreadable; chmod 600 unreadable
run ./starter x ./unreadable
check "an exec that fails: errno and environment as they were" as_bare
run bash -c 'exec env -i ./starter e /bin/true'
check "a cleaned environment stays clean" as_bare

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
