#!/usr/bin/env bash
# tests/e2e/ways.sh - every way an OpenCL call can reach a library is caught, once, and the program sees no difference
#
# Each case runs bare and traced: output and status must be equal byte by byte, and the trace must hold exactly the calls
# that the program made. Programs: tests/e2e/ways/.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${GPUTAP_BUILD:-$here/../../build}
shim=$build/libgputap.so
audit=$build/libgputap-audit.so
bin=$build/tests/ways
cc=${CC:-cc}
passed=0 failed=0 skipped=0
# shellcheck source=tests/e2e/layers_lib.sh
. "$here/layers_lib.sh"
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS

real=$(ldconfig -p | awk '/libOpenCL\.so\.1 .*x86-64|libOpenCL\.so\.1 .*AArch64/ {print $NF; exit}')
[ -n "$real" ] || { echo "skipped: no libOpenCL.so.1 here"; exit 77; }
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
san=
if nm -D --undefined-only "$shim" | grep -q __asan; then san="-fsanitize=address,undefined"; fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$bin/wheel" "$bin/copy"

# ------------------------------------------------------------------ programs
opts="-O1 -Wall -Wextra -Wno-deprecated-declarations -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 $san"
program() { local out=$1 src=$2; shift 2; $cc $opts -o "$bin/$out" "$here/ways/$src" "$@" || exit 1; }
library() { local out=$1 src=$2; shift 2; $cc $opts -fPIC -shared -o "$bin/$out" "$here/ways/$src" "$@" || exit 1; }
program linked linked.c -lOpenCL
program opener opener.c -ldl
program host host.c -ldl
program missing missing.c -ldl
program missing-linked missing.c -lOpenCL -ldl
program pending pending.c -lOpenCL -ldl
program processes processes.c -lOpenCL
program cost cost.c -ldl
program maps maps.c -ldl
program extension extension.c -lOpenCL
program unload unload.c -ldl
program timed timed.c -lOpenCL
library plugin.so plugin.c -lOpenCL
library libOpenCL-fake.so fakeloader.c -Wl,-soname,libOpenCL-fake.so
library plugin-fake.so plugin.c "-L$bin" -l:libOpenCL-fake.so "-Wl,-rpath,$bin"
library libearly.so early.c -lOpenCL
library libearly-main.so early.c -DFIRST_IN_MAIN -lOpenCL
library libearly-atexit.so early.c -DAT_EXIT -lOpenCL
program early early_main.c "-L$bin" -learly "-Wl,-rpath,$bin"
program early-main early_main.c "-L$bin" -learly-main "-Wl,-rpath,$bin"
program early-atexit early_main.c "-L$bin" -learly-atexit "-Wl,-rpath,$bin"
[ -n "$san" ] || program early-signal early_signal.c -rdynamic -lOpenCL -ldl -Wl,--no-as-needed -lpthread # before glibc 2.34 the real one is there
program missing-fake missing.c "-L$bin" -l:libOpenCL-fake.so "-Wl,-rpath,$bin" -ldl
# A loader renamed as wheels do it: another file name and soname (of the same length), found by RUNPATH.
python3 - "$real" "$bin/wheel/libOpenCL1a.so" <<'PY' || exit 1
import sys
data = open(sys.argv[1], "rb").read().replace(b"libOpenCL.so.1\0", b"libOpenCL1a.so\0")
open(sys.argv[2], "wb").write(data)
PY
library wheel/plugin-wheel.so plugin.c "-L$bin/wheel" -l:libOpenCL1a.so "-Wl,-rpath,\$ORIGIN"
cp "$shim" "$bin/copy/libgputap-copy.so"

# --------------------------------------------------------------------- cases
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL  $case_name: $*"; }
run() { # out-file program...: output and status in one file
	local out=$1; shift
	"$@" >"$out" 2>&1 </dev/null
	echo "status $?" >>"$out"
}
# count_of TRACE NAME; a trace that was looked at is not read again
count_of() {
	[ "${looked_at:-}" = "$1" ] || python3 "$here/count_records.py" "$1" "$build/gen/ids.h" >"$scratch/counts"
	looked_at=$1
	awk -v n="$2" '$1 == n {c = $2} END {print c + 0}' "$scratch/counts"
}

leave_out() { skipped=$((skipped + 1)); left_out=1; echo "skipped: $case_name: $*"; }
layers=1; has_layers || layers=
# Before glibc 2.35 the dynamic linker tells an audit module of no binding that it makes when a library is opened.
eager=1; [ "$(getconf GNU_LIBC_VERSION | sort -V - <(echo "glibc 2.34") | tail -n 1)" != "glibc 2.34" ] || eager=

# way "sentence" COUNT VARIABLE=VALUE... -- program...: COUNT calls of clGetPlatformIDs are in the trace
way() {
	case_name=$1
	local expected=$2 vars=(); shift 2
	while [ "$1" != -- ]; do vars+=("$1"); shift; done
	shift
	left_out=
	case $layers${vars[0]} in OPENCL_LAYERS=*) leave_out "$no_layers"; return ;; esac
	trace=$scratch/$passed.$failed.trace
	run "$scratch/bare" "$@"
	# glibc 2.31: a look-up that finds nothing ends the program where a library of a namespace makes it, and loaders make some
	if grep -q '^status 127$' "$scratch/bare"; then leave_out "the program does not get through it alone: $(tail -n 2 "$scratch/bare" | head -n 1)"; return; fi
	run "$scratch/traced" env "GPUTAP_OUTPUT=$trace" "${vars[@]}" "$@"
	if ! cmp -s "$scratch/bare" "$scratch/traced"; then
		bad "output differs"; diff "$scratch/bare" "$scratch/traced" | head -10; return
	fi
	local seen=0
	looked_at=
	[ -d "$trace.gputap" ] && count_of "$trace.gputap" clGetPlatformIDs >"$scratch/seen" && seen=$(cat "$scratch/seen")
	if [ "$seen" != "$expected" ]; then bad "$expected calls made, $seen in the trace"; else ok; fi
}
# in_trace NAME COUNT: of the case before
in_trace() {
	local seen
	[ -z "$left_out" ] || return
	count_of "$trace.gputap" "$1" >"$scratch/seen"; seen=$(cat "$scratch/seen")
	if [ "$seen" != "$2" ]; then bad "$1: expected $2, found $seen"; else ok; fi
}
# bound "sentence" COUNT LOADERS ...: a way in which so many loaders are bound when a library is opened
bound() {
	if [ -n "$eager" ]; then way "$1" "$2" "${@:4}"; return; fi
	way "$1 (before glibc 2.35: missed)" 0 "${@:4}"
	in_trace lost.LOADER_MISSED "$3"
}
without_sanitizer() { [ -z "$san" ] && return 0; skipped=$((skipped + 1)); return 1; }

P="LD_PRELOAD=$shim"
A="LD_AUDIT=$audit"

way "linked" 2 "$P" -- "$bin/linked"
way "linked, lazy binding off" 2 "$P" LD_BIND_NOW=1 -- "$bin/linked"
way "dlopen by soname and dlsym" 2 "$P" -- "$bin/opener" s libOpenCL.so.1
way "dlopen by full path and dlsym" 2 "$P" -- "$bin/opener" s "$real"
way "dlopen and dlvsym" 2 "$P" -- "$bin/opener" v libOpenCL.so.1
way "plug-in, RTLD_LOCAL" 2 "$P" -- "$bin/host" l "$bin/plugin.so"
way "plug-in, RTLD_LOCAL, lazy" 2 "$P" -- "$bin/host" lz "$bin/plugin.so"
way "plug-in, RTLD_GLOBAL" 2 "$P" -- "$bin/host" g "$bin/plugin.so"
way "renamed loader by dlopen" 2 "$P" -- "$bin/opener" s "$bin/wheel/libOpenCL1a.so"
way "plug-in with a renamed loader" 2 "$P" -- "$bin/host" l "$bin/wheel/plugin-wheel.so"
way "two loaders by dlsym: each call reaches its own" 4 "$P" -- "$bin/opener" s libOpenCL.so.1 "$bin/libOpenCL-fake.so"
way "two loaders under plug-ins: each call reaches its own" 4 "$P" -- "$bin/host" l "$bin/plugin-fake.so" "$bin/plugin.so"
way "two loaders under plug-ins, the other way round" 4 "$P" -- "$bin/host" l "$bin/plugin.so" "$bin/plugin-fake.so"
way "three loaders" 6 "$P" -- "$bin/opener" s libOpenCL.so.1 "$bin/libOpenCL-fake.so" "$bin/wheel/libOpenCL1a.so"
way "a plug-in unloaded and loaded again" 4 "$P" -- "$bin/host" l2 "$bin/plugin-fake.so"

for program in early early-atexit; do
	way "calls before our constructor and behind our exit handler, $program" 6 "$P" -- "$bin/$program"
	way "calls before our constructor and behind our exit handler, $program, as a layer" 6 "OPENCL_LAYERS=$shim" -- "$bin/$program"
	without_sanitizer || continue
	way "calls before our constructor and behind our exit handler, $program, in three ways at once" 6 "$P" "$A" "OPENCL_LAYERS=$shim" -- "$bin/$program"
done
if without_sanitizer; then              # its runtime makes thread keys of its own
	way "calls of a signal handler that comes during our start are counted" 1 "$P" -- "$bin/early-signal"
	in_trace lost.EARLY_CALL 2
fi
for vars in "$P" "OPENCL_LAYERS=$shim"; do
	way "calls in static destructors, behind our exit handler, ${vars%%=*}" 4 "$vars" -- "$bin/early-main"
	in_trace lost.LATE_CALL 0
	in_trace REC_EXIT 1
done

way "the library is closed behind complete commands" 1 "$P" -- "$bin/unload" "done"
in_trace REC_COMMAND 1
way "the library is closed while a command is blocked" 1 "$P" -- "$bin/unload" blocked
in_trace REC_COMMAND_UNTIMED 1
way "the library is closed while a command is blocked, and used again" 2 "$P" -- "$bin/unload" again
in_trace REC_COMMAND_UNTIMED 1
in_trace REC_COMMAND 1
way "the library was opened twice and closed once: commands are timed" 1 "$P" -- "$bin/unload" twice
in_trace REC_COMMAND 1

if without_sanitizer; then
	bound "plug-in, DEEPBIND, with the audit module" 2 1 "$P" "$A" -- "$bin/host" d "$bin/plugin.so"
	way "plug-in, DEEPBIND, lazy, with the audit module" 2 "$P" "$A" -- "$bin/host" dz "$bin/plugin.so"
	bound "plug-in with a renamed loader, DEEPBIND, with the audit module" 2 1 "$P" "$A" -- "$bin/host" d "$bin/wheel/plugin-wheel.so"
	way "dlmopen and dlsym, with the audit module" 2 "$P" "$A" -- "$bin/opener" n libOpenCL.so.1
	way "plug-in in a namespace of its own, with the audit module" 2 "$P" "$A" -- "$bin/host" n "$bin/plugin.so"
	bound "two loaders, DEEPBIND, with the audit module" 4 2 "$P" "$A" -- "$bin/host" d "$bin/plugin.so" "$bin/plugin-fake.so"
	way "linked, with the audit module" 2 "$P" "$A" -- "$bin/linked"
	way "dlsym, with the audit module" 2 "$P" "$A" -- "$bin/opener" s libOpenCL.so.1
	way "dlvsym, with the audit module" 2 "$P" "$A" -- "$bin/opener" v "$real"
	way "plug-in, RTLD_LOCAL, with the audit module" 2 "$P" "$A" -- "$bin/host" l "$bin/plugin.so"
	bound "a plug-in unloaded and loaded again, with the audit module" 4 1 "$P" "$A" -- "$bin/host" d2 "$bin/plugin-fake.so"
	way "the audit module alone does nothing" 0 "$A" -- "$bin/linked"
	way "DEEPBIND without the audit module is missed" 0 "$P" -- "$bin/host" d "$bin/plugin.so"
	in_trace lost.LOADER_MISSED 1
	way "dlmopen without the audit module is missed" 0 "$P" -- "$bin/host" n "$bin/plugin.so"
	in_trace lost.LOADER_MISSED 1
	for w in dk nk dc nc dzc; do
		way "DEEPBIND and dlmopen are missed, whatever becomes of library and process: $w" 0 "$P" -- "$bin/host" $w "$bin/plugin.so"
		in_trace lost.LOADER_MISSED 1
	done
	way "a plug-in that comes later by the audit module is not missed" 2 "$P" "$A" -- "$bin/host" nk "$bin/plugin.so"
	in_trace lost.LOADER_MISSED 0
	for w in "l $real" "l $bin/plugin.so" "d $bin/plugin.so" "n $real" "n $bin/plugin.so"; do
		read -ra words <<<"$w"
		way "a loader that is mapped and never called is no loss, $w" 0 "$P" -- "$bin/maps" "${words[@]}"
		if [ ! -e "$trace.gputap" ]; then ok; else bad "there is a trace"; fi
	done
	way "dlmopen and dlsym" 2 "$P" -- "$bin/opener" n libOpenCL.so.1
	way "as a layer" 2 "OPENCL_LAYERS=$shim" -- "$bin/linked"
	way "as a layer, dlopen by path" 2 "OPENCL_LAYERS=$shim" -- "$bin/opener" s "$real"
fi
way "preloaded and as a layer: once" 2 "$P" "OPENCL_LAYERS=$shim" -- "$bin/linked"
# Pairs of ways in: each call once, and what the collector asks itself is not taken for the program's.
alone=
for pair in "$P" "OPENCL_LAYERS=$shim" "$P OPENCL_LAYERS=$shim" "$P $A" "$P $A OPENCL_LAYERS=$shim" "$P OPENCL_LAYERS=$bin/copy/libgputap-copy.so" \
	"LD_PRELOAD=$shim:$bin/copy/libgputap-copy.so OPENCL_LAYERS=$shim"; do
	case $pair in *LD_AUDIT*|OPENCL_LAYERS*) without_sanitizer || continue ;; esac
	read -ra vars <<<"$pair"
	for program in "$bin/timed" "$bin/opener s libOpenCL.so.1"; do
		read -ra words <<<"$program"
		way "calls: ${pair//$bin/} ${words[0]##*/}" $((${#words[@]} > 1 ? 2 : 1)) "${vars[@]}" -- "${words[@]}"
		[ "$program" = "$bin/timed" ] && [ -z "$left_out" ] || continue
		in_trace REC_COMMAND 3
		in_trace lost.NO_PROFILING_INFO 0
		seen=$(python3 "$here/count_records.py" "$trace.gputap" "$build/gen/ids.h" | grep '^cl')
		: "${alone:=$seen}"
		if [ "$seen" = "$alone" ]; then ok; else bad "calls by function differ"; diff <(echo "$alone") <(echo "$seen"); fi
	done
done
way "preloaded and another copy as a layer: once" 2 "$P" "OPENCL_LAYERS=$bin/copy/libgputap-copy.so" -- "$bin/linked"
way "preloaded twice, two copies: once" 2 "LD_PRELOAD=$shim:$bin/copy/libgputap-copy.so" -- "$bin/linked"
way "preloaded twice, two copies, dlsym: once" 2 "LD_PRELOAD=$shim:$bin/copy/libgputap-copy.so" -- "$bin/opener" s libOpenCL.so.1

way "what the library lacks is missing, dlopen" 0 "$P" -- "$bin/missing"
way "what the library lacks is missing, linked" 0 "$P" -- "$bin/missing-linked"
way "what another library lacks is missing, dlopen" 0 "$P" -- "$bin/missing" "$bin/libOpenCL-fake.so"
way "what another library lacks is missing, linked" 0 "$P" -- "$bin/missing-fake" "$bin/libOpenCL-fake.so"
way "a pending dlerror message survives our look-ups" 1 "$P" -- "$bin/pending"

# A platform may give out its own functions by name, or only those of extensions.
asked=$((1 + $("$bin/extension" 2>/dev/null | grep -c '^clGetPlatformInfo: found')))
way "extension functions by name" 1 "$P" -- "$bin/extension"
in_trace clRetainDeviceEXT "$(sed -n 's/^calls //p' "$scratch/bare")"
in_trace clGetPlatformInfo $asked
in_trace clGetExtensionFunctionAddressForPlatform 5
in_trace clGetExtensionFunctionAddress 1
if without_sanitizer; then
	way "extension functions by name, as a layer" 1 "OPENCL_LAYERS=$shim" -- "$bin/extension"
	in_trace clRetainDeviceEXT "$(sed -n 's/^calls //p' "$scratch/bare")"
	in_trace clGetPlatformInfo $asked
fi

for w in _exit _Exit quick_exit; do way "$w" 1 "$P" -- "$bin/processes" $w; in_trace REC_EXIT 1; done
for w in execl execle execv fexecve; do
	# An emulator that the kernel starts cannot open a descriptor that is closed by then.
	if ! "$bin/processes" $w 2>&1 | grep -q '^[34]: x'; then case_name=$w; leave_out "the program does not get through it alone"; continue; fi
	way "$w" 2 "$P" -- "$bin/processes" $w; in_trace REC_EXEC 1
done
way "execle with a cleaned environment" 1 "$P" -- "$bin/processes" execle-clean
in_trace lost.CHILD_MISSED 1
way "an exec that fails is as if nothing had happened" 2 "$P" -- "$bin/processes" failing
way "fork" 3 "$P" -- "$bin/processes" fork
way "fork and exec" 3 "$P" -- "$bin/processes" fork-exec
way "vfork and exec" 3 "$P" -- "$bin/processes" vfork-exec
way "vfork and _exit" 2 "$P" -- "$bin/processes" vfork-exit
in_trace REC_EXIT 1
way "fork and exec with a cleaned environment" 2 "$P" -- "$bin/processes" fork-exec-clean
in_trace lost.CHILD_MISSED 1
way "syscall and prctl pass their arguments" 2 "$P" -- "$bin/processes" syscall

# After a filter the shim makes no new kind of system call: what is prepared is used up, the rest is counted.
for w in filter-prctl filter-syscall; do
	case_name=$w
	run "$scratch/bare" "$bin/processes" $w
	run "$scratch/traced" env "GPUTAP_OUTPUT=$scratch/$w" "$P" "$bin/processes" $w
	if ! cmp -s "$scratch/bare" "$scratch/traced"; then bad "output differs"; diff "$scratch/bare" "$scratch/traced" | head; continue; fi
	in_all=$(( $(count_of "$scratch/$w.gputap" clGetPlatformIDs) + $(count_of "$scratch/$w.gputap" lost.SECCOMP) ))
	if [ "$in_all" -eq 200001 ] && [ "$(count_of "$scratch/$w.gputap" lost.SECCOMP)" -gt 0 ]; then ok; else bad "200001 calls, $in_all recorded or counted"; fi
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
