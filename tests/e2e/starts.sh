#!/usr/bin/env bash
# tests/e2e/starts.sh - a program that starts bare starts traced, with the same status, output and messages
#
# A dozen of what tests/long/starts.sh tries in all combinations: what has taken the static thread-local storage that glibc
# keeps back where an audit module is.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
passed=0 failed=0 skipped=0
# shellcheck source=tests/e2e/starts_lib.sh
. "$(dirname "$0")/starts_lib.sh"
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cd "$d" || exit 1
build_programs c python3 sh tls1700 tls3000 jemalloc tcmalloc asan tsan tsan-static tsan-clang lsan
all=opencl,cuda,nvtx,osrt,openmp
check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $name ($*)"; fi; }

start python3 itself openmp
start python3 itself $all
start python3 sh $all
start c itself openmp --audit=on
start sh itself $all --audit=on
start asan itself osrt
start tsan itself $all
start lsan itself osrt

# With the module, and behind a program that has it.
for kind in tls1700 tls3000 tls3000-instead jemalloc jemalloc-preloaded jemalloc-instead tcmalloc tsan tsan-static tsan-clang lsan; do
	start $kind itself $all --audit=on
done
start tls3000 python $all --audit=on
start jemalloc-python itself $all
start jemalloc-python sh $all
start tsan-clang python opencl --audit=on
start lsan sh opencl --audit=on

# What is asked for stands in the environment of nobody who need not know, and what the user asks for stays.
cat >tunables.py <<-'P'
	import os, subprocess, threading
	print(os.environ.get("GLIBC_TUNABLES"), os.environ.get("LD_AUDIT"), subprocess.run(["printenv", "GLIBC_TUNABLES"], stdout=subprocess.PIPE).stdout)
P
command[tunables]="python3 $PWD/tunables.py"
start tunables itself $all
start tunables sh opencl
command[tunables-kept]="python3 $PWD/tunables.py" outer[tunables-kept]=GLIBC_TUNABLES=glibc.malloc.perturb=5
start tunables-kept itself opencl
start tunables-kept sh $all

# Where the module is left out, that is said.
said() { timeout 60 "$gputap" run -f -o t -t opencl --audit=on -- "$@" >/dev/null 2>err </dev/null; grep -q "$1 was started without the audit module" err; }
said_below() { timeout 60 "$gputap" run -f -o t -t opencl --audit=on -- sh -c "$1; true" >/dev/null 2>err </dev/null; grep -q "$1 was started without the audit module" err; }
for kind in tsan-static tsan-clang; do
	[ -n "${command[$kind]-}" ] || continue
	check "a program with ThreadSanitizer in itself ($kind): said" said "$PWD/$kind"
	check "... below a shell" said_below "$PWD/$kind"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
