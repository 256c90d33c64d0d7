#!/usr/bin/env bash
# tests/e2e/python_stacks.sh - functions of Python in call stacks are those that the interpreter itself knows, in each version that is installed
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap src=$GPUTAP_TESTS/e2e/stacks
passed=0 failed=0 skipped=0
[ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ] || { echo "skipped: the stand-in runtime is not built"; exit 77; }
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors

check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }
see() { python3 "$GPUTAP_TESTS/e2e/python_stacks_check.py" "$@"; }
run() { rm -rf t.gputap; "$tap" run -q -f -o t --callstacks --callstack-depth=256 -- "$@" >t.out 2>t.err; }
# versions PYTHON...: those that are CPython, each version once
versions() {
	local one said seen=
	for one; do
		said=$("$one" -c 'import ctypes, platform, sys; print(platform.python_implementation(), "%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
		case $said in CPython\ 3.*) ;; *) continue ;; esac
		case $seen in *" $said $(readlink -f "$one") "*) continue ;; esac
		seen="$seen $said $(readlink -f "$one") "
		echo "${said#CPython } $one"
	done
}

cat >busy.py <<'P'
import time


def leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def middle(n):
    return leaf(n) + 1


def outer():
    end = time.process_time() + 0.3
    while time.process_time() < end:
        middle(2000)


outer()
P
# The same behind a second of compiling, in which no function of Python runs. Samples begin behind the interpreter's start.
for i in $(seq 5000); do
	echo "def f$i(a, b=$i): return [a + $i, {'k$i': (b, a * $i)}, a if b > $i else -b, [a for a in range(b)]]"
done >large.py
cat busy.py >>large.py
known=0 trampolines=0
while read -r version python; do
	case $version in
	3.[0-7]) continue ;;
	3.8 | 3.9 | 3.1[0-4]) ;;
	*) continue ;;
	esac
	known=$((known + 1))
	run "$python" "$src/python.py" told
	check "CPython $version ($python)" see t.gputap told told
	if [ "$known" = 1 ]; then
		"$tap" stats -q -r call_sites --format csv t.gputap >sites.csv
		check "... reports name the program's own function and line" grep -q ',clGetPlatformIDs,call,python.py:33$' sites.csv
		if ! "${CC:-cc}" -O1 -D_GNU_SOURCE -o deny "$src/../ways/deny.c" 2>cc.out; then :
		elif ! ./deny process_vm_readv 1 true; then
			skipped=$((skipped + 1))
			echo "skipped: a container that forbids process_vm_readv: no filter of system calls can be set here (user-mode emulation)"
		else
			run ./deny process_vm_readv 1 "$python" "$src/python.py" told
			check "... in a container that forbids to read by process_vm_readv too" see t.gputap told told
		fi
		"$tap" export -q -f -o t -e folded --folded-weight=calls t.gputap
		check "... and folded stacks lead through them" grep -qE ';<module>;(.*;)?deep;(.*;)?deep;.*;call;.*clGetPlatformIDs' t.folded
	fi
	rm -rf s.gputap
	"$tap" run -q -f -o s -t sample --sample=timer --sample-rate=1000 -- "$python" busy.py >s.out 2>&1
	"$tap" export -q -f -o s -e folded s.gputap
	check "... and samples of timers lead through its functions" grep -qE ';<module>;(.*;)?outer;(.*;)?middle;(.*;)?leaf(;| )' s.folded || head -n 3 s.out s.folded
	if [ "$known" = 1 ]; then
		rm -rf s.gputap
		"$tap" run -q -f -o s -t sample --sample=timer --sample-rate=1000 --start-after=150ms -- "$python" -B -S -I large.py >s.out 2>&1
		"$tap" export -q -f -o s -e folded s.gputap
		check "... behind a second without any function, as when a large file is compiled, too" \
			grep -qE ';<module>;(.*;)?outer;(.*;)?middle;(.*;)?leaf(;| )' s.folded || "$tap" dump s.gputap | grep "^note"
	fi
	case $version in 3.8 | 3.9 | 3.10 | 3.11) continue ;; esac
	if [ "$trampolines" = 1 ] || [ "$(uname -m)" != x86_64 ]; then continue; fi
	"$python" -c 'import sys; sys.activate_stack_trampoline("perf")' 2>/dev/null || continue
	trampolines=1
	run "$python" -X perf "$src/python.py" told
	check "... with its trampolines for perf stacks are whole, and no function is there twice" see t.gputap told whole
	rm -f "/tmp/perf-$("$tap" info --json t.gputap | sed -n 's/.*"pid":\([0-9]*\).*/\1/p' | head -n 1).map"
	rm -rf s.gputap
	"$tap" run -f -o s -t sample --sample-stacks=copy --sample-rate=1000 -- "$python" -X perf busy.py >s.out 2>&1
	if grep -q "no samples: \|libunwind is not installed" s.out; then
		skipped=$((skipped + 1))
		echo "skipped: samples of the kernel through its trampolines: $(grep -o 'no samples: .*\|libunwind is not installed' s.out)"
	else
		"$tap" export -q -f -o s -e folded s.gputap
		rm -f "/tmp/perf-$("$tap" info --json s.gputap | sed -n 's/.*"pid":\([0-9]*\).*/\1/p' | head -n 1).map"
		check "... and the kernel's samples lead through its functions" \
			awk '/;_start;.*;py::<module>:[^;]*;.*;py::outer:[^;]*;.*;py::middle:[^;]*;.*;py::leaf:/ { good += $NF } { all += $NF } END { print good, all; exit !(good > all / 2) }' s.folded
	fi
done < <(versions python3 /usr/bin/python3 /usr/local/bin/python3 "$HOME"/.pyenv/versions/*/bin/python3)
[ "$known" -gt 0 ] || { skipped=$((skipped + 1)); echo "skipped: no CPython of a version that is known"; }

# ---- not known, or not what it says to be
cc=${CC:-cc}
if command -v "${cc%% *}" >/dev/null; then
	for version in 0x03630000 0x030b0000 0x030d0000; do
		"$cc" -g -O1 -DFAKE_VERSION=${version}UL -fPIC -shared -o libfakepython.so "$src/fakepython.c" &&
			"$cc" -g -O1 -o jit "$src/jit.c" -L. -lfakepython -Wl,-rpath,. -lOpenCL
		run ./jit -
		check "an interpreter that says to be $version and is not has C functions alone, and one note" see t.gputap told none
	done
	if [ "$(uname -m)" = x86_64 ] && ldconfig -p 2>/dev/null | grep -q 'libdw\.so\.1'; then
		run ./jit
		check "code made at run time is named by its map, and what called it is found" \
			python3 "$GPUTAP_TESTS/e2e/stack_sites_check.py" t.gputap lines "$src/jit.c"
		rm -f "/tmp/perf-$("$tap" info --json t.gputap | sed -n 's/.*"pid":\([0-9]*\).*/\1/p' | head -n 1).map"
	fi
else
	skipped=$((skipped + 1))
	echo "skipped: no C compiler"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
