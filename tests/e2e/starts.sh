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
. "$(dirname "$0")/starts_lib.sh"
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cd "$d" || exit 1
build_programs c python3 sh asan tsan lsan
all=opencl,cuda,nvtx,osrt,openmp

start python3 itself openmp
start python3 itself $all
start python3 sh $all
start c itself openmp --audit=on
start sh itself $all --audit=on
start asan itself osrt
start tsan itself $all
start lsan itself osrt

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
