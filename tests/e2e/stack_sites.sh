#!/usr/bin/env bash
# tests/e2e/stack_sites.sh - functions and lines of call stacks are those of the sources, however a program is built
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
export OCL_ICD_VENDORS=$PWD/none    # the calls fail at once: nothing is loaded
here=$GPUTAP_TESTS/e2e src=$GPUTAP_TESTS/e2e/stacks tap=$GPUTAP_BUILD/gputap
passed=0 failed=0 skipped=0
cc=${CC:-cc} cxx=${CXX:-c++}
command -v "${cc%% *}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
ldconfig -p 2>/dev/null | grep -q 'libdw\.so\.1' || { echo "skipped: no libdw (libdw1)"; exit 77; }

check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }
# sites TRACE QUESTION [SOURCE...]
sites() { local t=$1 q=$2; shift 2; python3 "$here/stack_sites_check.py" "$t" "$q" "${@:-$src/sites.c}"; }
# build FLAG...: ./sites, with the archive and the plug-in
build() {
	"$cc" -g "$@" -fPIC -shared -o plugin.so "$src/plugin.c" -lOpenCL &&
		"$cc" -g "$@" -c -o archive.o "$src/archive.c" && "$cc" -g "$@" -o sites "$src/sites.c" archive.o -lOpenCL -ldl -lpthread
}
# run NAME PROGRAM...: into NAME.gputap
run() { local t=$1; shift; rm -rf "$t.gputap"; GPUTAP_CALLSTACK_DEPTH=64 "$tap" run -q -o "$t" --callstacks -- "$@" >"$t.out" 2>"$t.err"; }
all=("$src/sites.c" "$src/plugin.c" "$src/archive.c")

for flags in "-O0" "-O2" "-O2 -no-pie -fno-pie" "-O2 -fomit-frame-pointer" "-O1 -fno-omit-frame-pointer"; do
	# shellcheck disable=SC2086
	build $flags && run t ./sites ./plugin.so
	check "C, $flags" sites t.gputap lines "${all[@]}"
done

# ---- sums split by line and by stack
by() { python3 "$here/by_site_check.py" "$@"; }
build -O0 && run t ./sites ./plugin.so
check "gputap stats --by=line and --by=stack: each call at its place" by t.gputap 1 "${all[@]}"
run t sh -c './sites ./plugin.so; ./sites ./plugin.so; ./sites ./plugin.so'
check "... one row for a place in three processes" by t.gputap 3 "${all[@]}"
printf '#include "sites.h"\nint main(void) { CALL; CALL; CALL; /* stack: main */ return 0; }\n' >same.c
"$cc" -g -I"$src" -o same same.c -lOpenCL && run s ./same
check "... one row for three calls of a line" eval '"$tap" stats -q --by=line -r opencl_api_sum --format csv s.gputap | grep -q ",3,.*,main (same.c:2),clGetPlatformIDs$"'
"$tap" run -q -f -o n -- ./same
"$tap" stats -q --by=line -r opencl_api_sum n.gputap >n.out 2>n.err
check "... a trace without stacks says so" eval 'grep -q "n.gputap holds no call stacks: --by=line has nothing to tell" n.err && grep -q "try: gputap run --callstacks" n.err && [ ! -s n.out ]'
GPUTAP_CALLSTACK_MIN=1h "$tap" run -q -f -o n --callstacks -- ./same
check "... so does one whose calls were too short for one" eval '! "$tap" stats -q --by=stack -r opencl_api_sum n.gputap >n.out 2>n.err && grep -q "holds no call stacks" n.err'

# ---- stripped, with the debug information elsewhere
build -O2
objcopy --only-keep-debug sites sites.debug && objcopy --strip-all --add-gnu-debuglink=sites.debug sites bare
run t ./bare ./plugin.so
check "stripped, with a debug file beside it" sites t.gputap lines
mkdir -p .debug && mv sites.debug .debug/
check "... in .debug" sites t.gputap lines
echo damaged >.debug/sites.debug
check "... a damaged one invents nothing: the address is shown" sites t.gputap addresses
rm -r .debug
check "... and without it too" sites t.gputap addresses
strip -g -o thin sites
run t ./thin ./plugin.so
check "without debug information there are functions" sites t.gputap functions
cp sites moved && run t ./moved ./plugin.so
"$cc" -g -O0 -o moved "$src/sites.c" archive.o -lOpenCL -ldl -lpthread
check "another program under the same name is not asked" sites t.gputap addresses
"$cc" -g -O2 -Wl,--build-id=none -o moved "$src/sites.c" archive.o -lOpenCL -ldl -lpthread && run t ./moved ./plugin.so
check "linked without a build id" sites t.gputap lines
"$cc" -g -O0 -Wl,--build-id=none -o moved "$src/sites.c" archive.o -lOpenCL -ldl -lpthread
check "... and another one under its name is not asked either" sites t.gputap addresses
rm moved
check "nor is one that is gone" sites t.gputap addresses
"$tap" stats -r call_sites t.gputap >/dev/null 2>notes
check "... and one line says so" [ "$(grep -c "1 of [0-9]* objects is not on this machine as it ran (.*/moved): its functions are shown by address" notes)" = 1 ]
run t ./sites ./plugin.so
"$tap" stats -r call_sites t.gputap >/dev/null 2>notes
check "... which nothing says where all is here" [ "$(grep -c "call stacks:" notes)" = 0 ]

# ---- deeper than what is kept
deep() { rm -rf c.gputap; "$tap" run -q -o c --callstacks "$@" -- ./sites ./plugin.so >c.out 2>c.err; "$tap" stats -r call_sites c.gputap >/dev/null 2>notes; }
deep
check "one line says how many stacks are deeper than what is kept" \
	[ "$(grep -c "call stacks: 1 of [0-9]* end at --callstack-depth, without the functions further out" notes)" = 1 ]
deep --callstack-depth=24
check "... not to who gave the depth" [ "$(grep -c "call stacks:" notes)" = 0 ]

# ---- a plug-in that is replaced while it is open, and opened anew
for n in one two; do
	printf '#include "sites.h"\nvoid version_%s(void);\nvoid version_%s(void) { CALL; /* a call at its end would be a jump */ }\nvoid entry(void) { version_%s(); }\n' $n $n $n >$n.c
done
"$cc" -g -O0 -fPIC -shared -I"$src" -o plug.so one.c -lOpenCL && "$cc" -g -O0 -fPIC -shared -I"$src" -o plug2.so two.c -lOpenCL &&
	"$cc" -g -O0 -o replaced "$src/replaced.c" -ldl && run t ./replaced
"$tap" stats --by=line -r opencl_api_sum --format csv t.gputap >by.csv 2>notes
check "calls of a plug-in that was replaced are not looked up in the new one" grep -qE ',2,[0-9.,]*,plug\.so\+0x[0-9a-f]+,clGetPlatformIDs$' by.csv
check "... those of the new one are" grep -qE ',1,[0-9.,]*,version_two \(two\.c:3\),clGetPlatformIDs$' by.csv
check "... and one line says so" [ "$(grep -c "1 of [0-9]* objects is not on this machine as it ran (.*plug.so): its functions are shown by address" notes)" = 1 ]

# ---- no unwind tables
if [ "$(uname -m)" = x86_64 ]; then
	"$cc" -g -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer -c -o archive.o "$src/archive.c"
	"$cc" -g -O2 -o sites "$src/sites.c" archive.o -lOpenCL -ldl -lpthread
	run t ./sites ./plugin.so
	check "a static library without unwind tables: the site is right" sites t.gputap sites "$src/archive.c"
	check "... and stacks beside it are whole" sites t.gputap lines "$src/sites.c"
	"$tap" stats -r call_sites t.gputap >/dev/null 2>notes
	check "... and one line says how many may not be" [ "$(grep -c "call stacks: [1-9][0-9]* of [0-9]* may lack functions: they lead through code without unwind tables" notes)" = 1 ]
fi

# ---- C++
if command -v "${cxx%% *}" >/dev/null; then
	for flags in "-O0" "-O2"; do
		"$cxx" -g "$flags" -o cpp "$src/sites.cpp" -lOpenCL && run t ./cpp
		check "C++, $flags: templates, namespaces, inlined functions" sites t.gputap lines "$src/sites.cpp"
	done
else
	skipped=$((skipped + 1))
	echo "skipped: no C++ compiler"
fi
if command -v clang >/dev/null; then
	cc=clang build -O2 && run t ./sites ./plugin.so
	check "clang" sites t.gputap lines "${all[@]}"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
