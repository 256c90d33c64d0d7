#!/usr/bin/env bash
# tests/fault/faults.sh - trouble of every kind: the program is never harmed, the message is clear, what was recorded is readable
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# A variable before `same` is for the functions that it calls.
# shellcheck disable=SC2097,SC2098
set -u
gputap=$GPUTAP_BUILD/gputap
shim=$GPUTAP_BUILD/libgputap.so
prog=$GPUTAP_BUILD/tests/fault/faults
here=$GPUTAP_TESTS/fault
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS
passed=0 failed=0 skipped=0
ulimit -c 0

fail() { echo "FAILED: $*"; failed=$((failed + 1)); }
pass() { passed=$((passed + 1)); }
check() { local name=$1; shift; if "$@"; then pass; else fail "$name ($*)"; fi; }
skip() { echo "skipped: $*"; skipped=$((skipped + 1)); }
sanitized() { nm -D --undefined-only "$shim" | grep -q __asan; }
# field PYTHON-EXPRESSION: of `info --json` as i
field() { "$gputap" info --json "${trace:-t.gputap}" 2>err | python3 -c "import json, sys; i = json.load(sys.stdin); print($1)" 2>/dev/null; }
calls() { field 'sum(p["calls"] for p in i["processes"])'; }
lost() { field "sum(i['ledger'].get(r, 0) for r in '$1'.split())"; }

# same NAME WRAPPER... -- PROGRAM ARG...: bare and traced through WRAPPER (a function or command; may be empty), same output, same end
same() {
	local name=$1 wrapper=(); shift
	while [ "$1" != -- ]; do wrapper+=("$1"); shift; done
	shift
	rm -rf t.gputap
	"${wrapper[@]}" env "$@" >bare.out 2>bare.err; echo $? >bare.status
	rm -rf t.gputap
	"${wrapper[@]}" env LD_PRELOAD="$shim${also:+:$also}" GPUTAP_OUTPUT="${out:-$PWD/t}" "$@" >traced.out 2>traced.err; echo $? >traced.status
	check "$name: the same output" diff bare.out traced.out
	# a shell names the process that a signal ended
	sed -Ei 's/(faults\.sh: line [0-9]+: +)[0-9]+ /\1/' bare.err traced.err
	check "$name: the same messages" diff bare.err traced.err
	check "$name: the same status, $(cat bare.status)" cmp -s bare.status traced.status
}
readable() { check "$1: the trace is readable" "$gputap" info t.gputap >/dev/null 2>&1; }
whole() { check "$1: nothing is missing" [ "$(field 'i["complete"]')" = True ]; }
tells() { check "$1: the ledger says $2" [ "$(lost "$2")" -gt 0 ]; }

# ---- in the program
same work -- "$prog" work; whole work; n=$(calls)
for mode in storm cancel jump closed nocwd vfork wait noloader; do same $mode -- "$prog" $mode; done
same storm -- "$prog" storm
check "storm: calls left by a jump are counted" [ "$(lost INCOMPLETE_RECORD)" -gt 0 ]
same delete -- "$prog" delete 20000
same strict -- "$prog" strict; tells strict SECCOMP
# The pipe is open for as long as the grandchild is there, and nobody knows which of them prints first.
all_of_it() { "$@" | sort; return "${PIPESTATUS[0]}"; }
same daemon all_of_it -- "$prog" daemon
check "daemon: the grandchild is in the trace" [ "$(field 'len(i["processes"])')" = 2 ]
OCL_ICD_VENDORS=$PWD/no-vendors; mkdir -p no-vendors
same "no platform" -- "$prog" work; readable "no platform"
OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors

# ---- places that cannot be written
out=/proc/nowhere/t same "no such place" -- "$prog" work
out=$PWD/file/t; echo precious >file
same "a file in the way" -- "$prog" work
check "a file in the way stays" [ "$(cat file)" = precious ]
unset out
fsize() { (ulimit -f "$fblocks"; trap '' XFSZ; exec "$@"); }
for fblocks in 0 1 8 100; do
	same "RLIMIT_FSIZE $fblocks KiB" fsize -- "$prog" work 20000 </dev/null
done
readable "RLIMIT_FSIZE"; tells "RLIMIT_FSIZE" "NO_SPACE NO_STREAM"
fsize_default() { (ulimit -f 100; exec "$@"); }
same "RLIMIT_FSIZE with SIGXFSZ deadly" fsize_default -- "$prog" work 20000
if unshare -m true 2>/dev/null; then
	mkdir -p small
	# full SIZE CALLS: inside a mount namespace of its own
	cat >full.sh <<'END'
mount -t tmpfs -o size="$1" tmpfs small && shift && "$@"; status=$?
cp -r small/. kept 2>/dev/null; exit $status
END
	for size in 4k 16k 64k 256k 1m; do
		rm -rf kept; mkdir kept
		"$prog" work 20000 >bare.out
		unshare -m sh full.sh $size env LD_PRELOAD="$shim" GPUTAP_OUTPUT="$PWD/small/t" "$prog" work 20000 >traced.out 2>traced.err
		check "a full disk of $size: the same status" [ $? = 3 ]
		check "a full disk of $size: the same output" cmp bare.out traced.out
		trace=kept/t.gputap
		if [ -d $trace ]; then
			check "a full disk of $size: what is there is readable" "$gputap" info $trace >/dev/null
			check "a full disk of $size: the ledger says so" [ "$(lost "NO_SPACE NO_STREAM")" -gt 0 ]
		fi
	done
	check "a disk of 1 MiB holds a part" [ "$(calls)" -gt 1000 ]
	unset trace
	cat >readonly.sh <<'END'
mount -t tmpfs -o ro tmpfs small && exec "$@"
END
	unshare -m sh readonly.sh env LD_PRELOAD="$shim" GPUTAP_OUTPUT="$PWD/small/t" "$prog" work >traced.out 2>traced.err
	check "a read-only place: the same status" [ $? = 3 ]
	unshare -m sh readonly.sh "$gputap" run -o small/t -- "$prog" work >traced.out 2>err
	check "a read-only place, with the launcher: refused before the start" [ $? = 125 ]
	check "... and it says where" grep -q 'small/t' err
else
	skip "full disks: no mount namespace here"
fi

# ---- limits
files() { (ulimit -n "$most"; exec "$@"); }
for most in 4 5 6 8; do same "$most descriptors" files -- "$prog" work; done
memory() { (ulimit -v "$most"; exec "$@"); }
if ! sanitized; then
	for most in 40000 60000 200000; do same "$most KiB of addresses" memory -- "$prog" work; done
fi

# ---- others in the process
if command -v "${CC:-cc}" >/dev/null && ! sanitized; then
	"${CC:-cc}" -shared -fPIC -o counting.so "$here/lib/counting.c" -ldl
	"${CC:-cc}" -shared -fPIC -o auditor.so "$here/lib/auditor.c"
	LD_PRELOAD=$PWD/counting.so "$prog" work >bare.out 2>bare.err
	for order in "$shim:$PWD/counting.so" "$PWD/counting.so:$shim"; do
		rm -rf t.gputap
		LD_PRELOAD=$order GPUTAP_OUTPUT=$PWD/t "$prog" work >traced.out 2>traced.err
		check "another tool: the same output" cmp bare.out traced.out
		check "another tool: it counts the same" cmp bare.err traced.err
		check "another tool: all calls are in the trace" [ "$(calls)" = "$n" ]
	done
	LD_AUDIT=$PWD/auditor.so same "another's audit module" -- "$prog" work
	check "another's audit module: all calls are in the trace" [ "$(calls)" = "$n" ]
	cp "$shim" second.so
	also=$PWD/second.so same "two copies" -- "$prog" work
	check "two copies: each call once" [ "$(calls)" = "$n" ]
else
	skip "other preloaded tools: no compiler, or a sanitizer's build"
fi
if command -v "${CXX:-c++}" >/dev/null && "${CXX:-c++}" -DCL_TARGET_OPENCL_VERSION=300 -o throws "$here/lib/throws.cc" -lOpenCL 2>err; then
	same "an exception out of a callback" -- ./throws
	check "an exception out of a callback: caught" [ "$(grep -c caught traced.out)" = 20 ]
else
	skip "C++ exceptions: no compiler"
fi

# ---- options
opt() { env "${set[@]}" "$@"; }
set=(GPUTAP_MAX_SIZE=200k); same --max-size opt -- "$prog" work 20000; readable --max-size; tells --max-size SIZE_CAP
check "--max-size holds" [ "$(du -sk t.gputap | cut -f 1)" -le 400 ]
set=(GPUTAP_MAX_SIZE=400k GPUTAP_RING=true); same --ring opt -- "$prog" work 20000; readable --ring
set=(GPUTAP_START_AFTER=1h); same --start-after opt -- "$prog" work
many() { [ "$(calls)" -gt 1 ]; }
few() { [ ! -d t.gputap ] || [ "$(calls)" -le "$1" ]; }
check "--start-after: nothing before" few 0
set=(GPUTAP_STOP_AFTER=1ns); same --stop-after opt -- "$prog" work
check "--stop-after: nothing behind" few 1
# 1 alone was 1 ns once, so that a run recorded nothing, which nobody means who writes it.
set=(GPUTAP_STOP_AFTER=1); same --stop-after opt -- "$prog" work
check "--stop-after: a number without a unit is no time, nothing is left out" many
set=(GPUTAP_SERIALIZE=true); same --serialize opt -- "$prog" work; whole --serialize
set=(SECRET=hidden-word GPUTAP_SOURCES=false); same --no-sources opt -- "$prog" work
check "no environment is stored" [ -z "$(grep -rl hidden-word t.gputap)" ]
check "no source is stored" [ -z "$(grep -rl get_global_id t.gputap)" ]
set=(SECRET=hidden-word ASKED=open-word GPUTAP_ENV=ASKED GPUTAP_BINARIES=true); same "--env and --binaries" opt -- "$prog" work
check "a variable that was asked for is stored" [ -n "$(grep -rl ASKED=open-word t.gputap)" ]
check "another one is not" [ -z "$(grep -rl hidden-word t.gputap)" ]
check "sources are stored" [ -n "$(grep -rl get_global_id t.gputap)" ]

# ---- conversion at exit, by nobody's child
rm -rf t.gputap t.*apilog t.sqlite
set=("GPUTAP_EXPORT=apilog,sqlite"); same "conversion at exit" opt -- "$prog" wait
silent=$("$GPUTAP_BUILD/tests/e2e/silent_clone" 2>&1 && echo yes)
# appear WHAT FILE...: within ten seconds
appear() {
	local what=$1 file; shift
	[ "$silent" = yes ] || { skip "$what: $silent"; return; }
	for file; do for _ in $(seq 100); do [ -e "$file" ] && break; sleep 0.1; done; done
	for file; do check "$what: $file" [ -e "$file" ]; done
}
appear "conversion at exit: files appear" t.apilog t.sqlite
rm -rf t.gputap t.*apilog t.sqlite
end=$( (LD_PRELOAD=$shim GPUTAP_OUTPUT=$PWD/t GPUTAP_EXPORT=apilog "$prog" wait; echo "status $?") | cat | tail -n 1)
check "conversion at exit: a pipe ends with the program" [ "$end" = "status 3" ]
appear "conversion at exit: the file appears behind a pipe too" t.apilog

# ---- traces
same "for damage" -- "$prog" work
check "damaged traces" python3 "$here/damage.py" "$gputap" t.gputap
cp -r t.gputap other.gputap
stream=$(find other.gputap -name '*.str' | head -n 1)
printf '\x09' | dd of="$stream" bs=1 seek=8 conv=notrunc 2>/dev/null
"$gputap" info other.gputap >seen 2>err; check "another version: refused" [ $? = 3 ]
check "another version: says which" grep -q 'version 9' err
rm -rf other.gputap; cp -r t.gputap other.gputap
printf '1RTSPATG' | dd of="$stream" bs=1 conv=notrunc 2>/dev/null
"$gputap" info other.gputap >seen 2>err; check "another byte order: refused" [ $? = 3 ]
check "another byte order: says so" grep -q 'byte order' err
"$gputap" export -e nonsense t.gputap >seen 2>err; check "an unknown format: usage" [ $? = 2 ]
"$gputap" info nowhere.gputap >seen 2>err; check "no trace: input" [ $? = 3 ]
"$gputap" info file >seen 2>err; check "a file that is no trace: input" [ $? = 3 ]
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
