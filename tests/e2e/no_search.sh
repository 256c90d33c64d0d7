#!/usr/bin/env bash
# tests/e2e/no_search.sh - a process that uses nothing of a GPU does not look for a driver in the folders of libraries
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

command -v strace >/dev/null || { echo "skipped: no strace"; exit 77; }
# Before glibc 2.34 parts of the C library are files of their own, which the bare program loads too.
parts=$(readelf -d "$GPUTAP_BUILD/libgputap.so" | sed -n 's/.*(NEEDED).*\[\(lib\(dl\|pthread\|rt\)\.so.*\)\]/\1/p' | paste -sd:)
strace ${parts:+-E "LD_PRELOAD=$parts"} -o bare /bin/true 2>/dev/null && [ -s bare ] || { echo "skipped: no process may be traced here"; exit 77; }
strace -E LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" -E GPUTAP_OUTPUT="$PWD/t" -o traced /bin/true
check "the program ends as it did" [ $? = 0 ]
check "the shim was there" grep -q 'open.*libgputap.so' traced
check "nobody looks for CUDA's driver ($(grep -c libcuda traced) system calls)" [ "$(grep -c libcuda traced)" = 0 ]
more=$(($(wc -l <traced) - $(wc -l <bare)))
# 24 when this was written, 119 with the search; a sanitizer makes its own
grep -q __asan_init "$GPUTAP_BUILD/libgputap.so" ||
	check "the process makes few system calls more ($more)" [ "$more" -le 40 ]
finish
