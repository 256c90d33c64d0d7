#!/usr/bin/env bash
# tests/long/unwind.sh - stacks that the unwinder takes are those of a debugger: walks at random through functions of many kinds
#
# STACKS: how many in each program. A program is built of C with five sets of options, C++, a plug-in that is stripped and has its debug
# information elsewhere, and a static library without unwind tables. What has neither tables nor frame pointers is told apart: an
# unwinder cannot know it. Then samples that timers took of it and of programs by others, at any instruction of theirs, against what the
# debugger sees there. SAMPLES: how many of each.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
src=$GPUTAP_TESTS/long/unwind samples=${SAMPLES:-1700}
unset SAMPLES           # what the debugger is told of samples alone
passed=0 failed=0 skipped=0
for tool in gdb gcc g++; do command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }; done
gdb --batch -ex 'python print(1)' 2>/dev/null | grep -qx 1 || { echo "skipped: gdb has no Python"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: options of x86-64"; exit 77; }
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi

# build PROGRAM FLAGS ARCHIVE_FLAGS
build() {
	local objects=() n=0 flags
	# shellcheck disable=SC2086
	while read -r flags; do
		n=$((n + 1))
		gcc -g $flags $2 -DVARIANT=v$n -c -o v$n.o "$src/wander.c" || return 1
		objects+=("v$n.o")
	done <<-END
		-O0
		-O2
		-O2 -fomit-frame-pointer
		-O1 -fno-omit-frame-pointer
		-Os -fomit-frame-pointer
	END
	# shellcheck disable=SC2086
	{
		g++ -g -O2 $2 -c -o cpp.o "$src/wander.cc" && gcc -g -O1 $3 $2 -DVARIANT=archive -c -o archive.o "$src/wander.c" &&
			rm -f archive.a && ar rc archive.a archive.o &&
			gcc -g -O2 -shared -fPIC -Wl,-soname,libOpenCL.so.1 -o libOpenCL.so.1 "$src/api.c" &&
			gcc -g -O2 $2 -rdynamic -o "$1" "$src/main.c" "${objects[@]}" cpp.o -Wl,--whole-archive archive.a -Wl,--no-whole-archive \
				-L. -l:libOpenCL.so.1 -Wl,-rpath,"$PWD" -ldl -lpthread -lstdc++ &&
			gcc -g -O2 -fPIC -shared -DVARIANT=plugin -o plugin.so "$src/wander.c"
	} || return 1
	objcopy --only-keep-debug plugin.so plugin.debug && objcopy --strip-all --add-gnu-debuglink=plugin.debug plugin.so
}

# debugged HOW_MANY PROGRAM...: the program in gdb, and once more when gdb did not get to its end (something killed it, it had no memory); how
# the stacks compare is asked once
debugged() {
	local wanted=$1 attempt status taken
	shift
	for attempt in 1 2; do
		rm -rf t.gputap frames
		gdb --batch -nx -x "$src/debugger.py" --args "$@" >gdb.out 2>&1 </dev/null
		status=$?
		taken=$(cat frames 2>/dev/null | wc -l)
		[ "$status" = 0 ] && [ "$taken" = "$wanted" ] && return
		echo "gdb ended with status $status and $taken of $wanted stacks (attempt $attempt of 2); its last lines:"
		tail -n 5 gdb.out
	done
}

# compared NAME LEAST: the stacks of the trace with the debugger's
compared() {
	if python3 "$GPUTAP_TESTS/long/unwind_check.py" t.gputap frames "$2" 2>check.err; then
		echo "ok: $1"
		passed=$((passed + 1))
	else
		tail -n 5 check.err
		echo "FAILED: $1 ($(cat frames 2>/dev/null | wc -l) stacks of the debugger's)"
		failed=$((failed + 1))
	fi
}

# walks NAME LEAST FLAGS ARCHIVE_FLAGS
walks() {
	local name=$1 least=$2
	if ! build ./walker "$3" "$4"; then
		echo "FAILED: $name: cannot be built"
		failed=$((failed + 1))
		return
	fi
	export FRAMES=frames
	export INFERIOR="LD_PRELOAD=$GPUTAP_BUILD/libgputap.so|GPUTAP_OUTPUT=$PWD/t|GPUTAP_CALLSTACKS=opencl|GPUTAP_CALLSTACK_DEPTH=256"
	debugged "${STACKS:-5000}" ./walker "${STACKS:-5000}" ./plugin.so
	compared "$name" "$least"
}

walks "position independent" 99 "-fPIE -pie" "-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer"
walks "not position independent" 99 "-fno-pie -no-pie" "-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer"
STACKS=1000 walks "a static library with neither tables nor frame pointers: what is equal is what does not lead through it" 10 \
	"-fPIE -pie" "-fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer"

# sampled NAME LEAST PROGRAM...: stacks of samples
sampled() {
	local name=$1 least=$2
	shift 2
	command -v "$1" >/dev/null || { skipped=$((skipped + 1)); echo "skipped: $name: $1 is not installed"; return; }
	export FRAMES=frames INFERIOR="LD_PRELOAD=$GPUTAP_BUILD/libgputap.so|GPUTAP_OUTPUT=$PWD/t|GPUTAP_TRACE=sample|GPUTAP_SAMPLE=timer|GPUTAP_SAMPLE_RATE=1000|GPUTAP_CALLSTACK_DEPTH=256"
	SAMPLES=$samples debugged "$samples" "$@"
	compared "$name" "$least"
}
tables="-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer"
build ./walker "-fPIE -pie" "$tables" && sampled "samples, position independent" 99 ./walker 100000000 ./plugin.so
build ./walker "-fno-pie -no-pie" "$tables" && sampled "samples, not position independent" 99 ./walker 100000000 ./plugin.so
cat >work.py <<'P'
import json, re, sys

sys.setrecursionlimit(5000)


class Node:
    def __init__(self, depth):
        self.children = [Node(depth - 1) for _ in range(2)] if depth else []

    def walk(self):
        return 1 + sum(child.walk() for child in self.children)


def deep(n):
    return deep(n - 1) + 1 if n else len(sorted(range(50), key=lambda x: -x))


while True:
    Node(7).walk()
    deep(60)
    json.loads(json.dumps([{"a": i, "b": [str(i)] * 3} for i in range(50)]))
    re.sub("a+b", "c", "aaab" * 50)
P
sampled "samples of Python" 99 "$(python3 -c 'import sys; print(sys.executable)')" work.py
cat >work.pl <<'P'
sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) }
while (1) {
	f(17);
	my %h = map { $_ => 1 } 1 .. 500;
	my $t = join ",", sort { $a <=> $b } keys %h;
	$t =~ s/1(\d)/$1/g;
}
P
seq 1 3000000 | shuf --random-source=<(yes) >numbers
sampled "samples of sort, with threads" 99 sort --parallel=2 -S 8M numbers numbers numbers numbers -o /dev/null
sampled "samples of gzip" 99 gzip -9 -k -c numbers
sampled "samples of perl" 99 perl work.pl
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
