#!/usr/bin/env bash
# tests/long/symbols.sh - functions, files and lines of addresses are those that llvm-symbolizer tells, and finding one does not take longer in a larger file
#
# A file of C with many functions, each inlined into others, and one of C++, built by each compiler that is here. What takes long is
# counted in instructions (valgrind), not in time.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
export OCL_ICD_VENDORS=$PWD/none    # the calls fail at once: nothing is loaded
here=$GPUTAP_TESTS/long tap=$GPUTAP_BUILD/gputap
passed=0 failed=0 skipped=0
command -v llvm-symbolizer >/dev/null || { echo "skipped: no llvm-symbolizer (package llvm)"; exit 77; }
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
ldconfig -p 2>/dev/null | grep -q 'libdw\.so\.1' || { echo "skipped: no libdw (libdw1)"; exit 77; }
check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }

# file FUNCTIONS >FILE.c: each function calls the API, and a function inlined into it does, behind another
file() {
	printf '#include <CL/cl.h>\n#define NO __attribute__((noinline))\n#define IN static inline __attribute__((always_inline))\nstatic volatile int sink;\n'
	for ((i = 0; i < $1; i++)); do
		printf 'IN int deep_%d(int a)\n{\n\tint r = clGetPlatformIDs(0, 0, 0) + a;\n\n\treturn r + sink;\n}\n' "$i"
		printf 'IN int inner_%d(int a)\n{\n\treturn deep_%d(a) * 2;\n}\n' "$i" "$i"
		printf 'NO int outer_%d(int a)\n{\n\t{\n\t\tint b = clGetPlatformIDs(0, 0, 0);\n\n\t\tsink = b + inner_%d(a);\n\t}\n\treturn sink;\n}\n' "$i" "$i"
	done
	printf 'int main(void)\n{\n'
	for ((i = 0; i < $1; i++)); do printf '\touter_%d(%d);\n' "$i" "$i"; done
	printf '\treturn 0;\n}\n'
}
cat >cpp.cc <<'C'
#include <CL/cl.h>
#include <algorithm>
#include <string>
#include <vector>
static volatile int sink;
template <int N> struct shape {
	template <typename T> inline T area(T a) { sink = sink + clGetPlatformIDs(0, 0, 0); return a * N + shape<N - 1>().area(a); }
};
template <> struct shape<0> {
	template <typename T> T area(T a) { return a + clGetPlatformIDs(0, 0, 0); }
};
namespace { namespace inner { struct Local { static int call() { return clGetPlatformIDs(0, 0, 0); } }; } }
int main()
{
	std::vector<int> v{ 3, 1, 2 };

	std::sort(v.begin(), v.end(), [](int a, int b) { sink = sink + clGetPlatformIDs(0, 0, 0); return a < b; });
	std::for_each(v.begin(), v.end(), [](int a) { sink = sink + shape<12>().area(a) + inner::Local::call(); });
	try { throw std::string("x"); } catch (const std::string &s) { sink = sink + clGetPlatformIDs(0, 0, 0) + (int)s.size(); }
	return 0;
}
C
file 300 >many.c
with='-g -DCL_TARGET_OPENCL_VERSION=120'
for cc in gcc clang; do
	command -v $cc >/dev/null || { skipped=$((skipped + 1)); echo "skipped: $cc is not installed"; continue; }
	for flags in "-O0" "-O1" "-O2" "-O2 -gdwarf-4 -ffunction-sections" "-Os -fno-pie -no-pie"; do
		# shellcheck disable=SC2086
		$cc $flags $with -o many many.c -lOpenCL && "$tap" run -q -f -o t --callstacks -- ./many
		check "$cc, $flags: C" python3 "$here/symbols_check.py" t.gputap many 600
		[ "$cc" = clang ] && cxx=clang++ || cxx=g++
		# shellcheck disable=SC2086
		$cxx $flags $with -o cpp cpp.cc -lOpenCL && "$tap" run -q -f -o t --callstacks -- ./cpp
		check "$cc, $flags: C++" python3 "$here/symbols_check.py" t.gputap cpp 6
	done
done

# ---- instructions
if command -v valgrind >/dev/null; then
	for n in 200 400 800; do
		file $n >large.c
		gcc -O1 -g -DCL_TARGET_OPENCL_VERSION=120 -o large large.c -lOpenCL && "$tap" run -q -f -o "t$n" --callstacks -- ./large
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tap" stats -q -j 1 -r call_sites "t$n.gputap" 2>&1 >/dev/null | sed -n 's/.*Collected : //p' >"$n"
	done
	echo "200, 400 and 800 functions: $(cat 200) $(cat 400) $(cat 800) instructions"
	check "twice as many functions take about twice as many" [ $(($(cat 800) - $(cat 400))) -lt $((($(cat 400) - $(cat 200)) * 3)) ]
else
	skipped=$((skipped + 1)); echo "skipped: valgrind is not installed"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
