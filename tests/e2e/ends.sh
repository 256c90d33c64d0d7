#!/usr/bin/env bash
# tests/e2e/ends.sh - every way to start a process, and to end one: calls are recorded, or the child that cannot be is counted
#
# Each case runs bare and traced: output and status must be equal. Program: tests/e2e/ways/ends.c.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$GPUTAP_TESTS/e2e
shim=$GPUTAP_BUILD/libgputap.so
bin=$GPUTAP_BUILD/tests/ways
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS
passed=0 failed=0 skipped=0
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
nm -D --undefined-only "$shim" | grep -q __asan && { echo "skipped: signals and jumps under a sanitizer"; exit 77; }
mkdir -p "$bin"
build() { "$cc" -O1 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -o "$bin/$1" "$here/ways/${1%-newer}.c" "${@:2}" -lOpenCL -lpthread || exit 1; }
build ends

# way NAME CALLS COUNTER N: that many calls of clGetPlatformIDs in the trace, and N of the counter
way() {
	rm -rf t.gputap
	"$bin/${program:-ends}" "$1" >bare 2>&1; echo "status $?" >>bare
	LD_PRELOAD=$shim GPUTAP_OUTPUT=$PWD/t "$bin/${program:-ends}" "$1" >traced 2>&1; echo "status $?" >>traced
	python3 "$here/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" >counts 2>&1
	local calls n
	calls=$(awk '$1 == "clGetPlatformIDs" {print $2}' counts)
	n=$(awk -v n="$3" '$1 == n {c = $2} END {print c + 0}' counts)
	if ! cmp -s bare traced; then
		echo "FAILED: $1: output or status differs"; diff bare traced | head -5
	elif [ "$calls $n" = "$2 $4" ]; then
		passed=$((passed + 1)); return
	else
		echo "FAILED: $1: $2 calls and $4 $3 expected, $calls and $n in the trace"
	fi
	failed=$((failed + 1))
}

# Starting. A child that cannot be followed is one, whatever it does; one that was not made is none.
for w in posix_spawn posix_spawnp posix_spawn-old clone-vfork execve-syscall system popen; do way $w 2 lost.CHILD_MISSED 0; done
for w in clone fork-syscall exec-thread; do way $w 3 lost.CHILD_MISSED 0; done
for w in posix_spawn-clean posix_spawn-killed posix_spawnp-clean posix_spawnp-old-clean execve-syscall-clean system-clean popen-clean; do
	way $w 1 lost.CHILD_MISSED 1
done
# missing WAY: of a program that is not there. User-mode emulation forks where a spawn shares memory, and so makes a child.
missing() {
	if "$bin/${program:-ends}" "$1" | grep -q '^error'; then way "$1" 1 lost.CHILD_MISSED 0; return; fi
	skipped=$((skipped + 1)); echo "skipped: $1: a missing program is a child that ends here (user-mode emulation)"
}
missing posix_spawn-missing
way posix_spawn-script 1 lost.CHILD_MISSED 0

# By a parent that has recorded nothing, whose mark is there for as long as the child is made.
# uncalled WAY N: beside a process of the run that makes a call, N such children
uncalled() {
	rm -rf t.gputap
	("$GPUTAP_BUILD/gputap" run -q -o t --summary=none -- sh -c "$bin/ends called; $bin/ends $1 uncalled" >out 2>&1) 2>/dev/null
	if [ "$("$GPUTAP_BUILD/gputap" info --json t.gputap | python3 -c 'import json, sys; i = json.load(sys.stdin); print(i["ledger"].get("CHILD_MISSED", 0), i["complete"])')" = "$2" ] &&
		! ls t.gputap/mark.* >/dev/null 2>&1; then passed=$((passed + 1)); return; fi
	echo "FAILED: $1 by a parent without calls: $2 expected: $("$GPUTAP_BUILD/gputap" info t.gputap | grep complete) $(ls t.gputap)"
	failed=$((failed + 1))
}
# A parent that is held while its child is made can be killed then alone; user-mode emulation does not hold it.
if "$bin/ends" posix_spawn-missing | grep -q '^error'; then
	uncalled posix_spawn-killed "1 False"
	uncalled posix_spawn-missing "0 True"
else
	skipped=$((skipped + 2))
	echo "skipped: posix_spawn-killed and posix_spawn-missing by a parent without calls: it goes on beside the child (user-mode emulation)"
fi
uncalled posix_spawn-clean "1 False"
uncalled popen-clean "1 False"
uncalled posix_spawn "0 True"

# By descriptor: since glibc 2.34 and 2.39. Where the C library has no such functions, ours stay unseen; a library that has them stands in for a newer one.
for w in execveat pidfd_spawn pidfd_spawnp; do
	if "$bin/ends" $w | grep -q '^error'; then way $w 1 lost.CHILD_MISSED 0; else way $w 2 lost.CHILD_MISSED 0; fi
done
"$cc" -O1 -D_GNU_SOURCE -fPIC -shared -o "$bin/libnewer.so" "$here/ways/newer.c" -ldl || exit 1
build ends-newer -Wl,--no-as-needed "$bin/libnewer.so" "-Wl,-rpath,$bin"
program=ends-newer
for w in pidfd_spawn pidfd_spawnp; do way $w 2 lost.CHILD_MISSED 0; done
for w in pidfd_spawn-clean pidfd_spawnp-clean; do way $w 1 lost.CHILD_MISSED 1; done
missing pidfd_spawn-missing
program=ends

# Ending: handlers of quick_exit make a call, threads do; the end is written down where anybody sees it.
for w in quick_exit quick_exit-old exit-thread pthread_exit; do way $w 2 REC_EXIT 1; done
for w in _exit _Exit exit-syscall; do way $w 1 REC_EXIT 1; done
for w in abort segv term kill exit-raw; do way $w 1 REC_EXIT 0; done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
