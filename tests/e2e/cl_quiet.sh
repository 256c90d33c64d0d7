#!/usr/bin/env bash
# tests/e2e/cl_quiet.sh - real calls, traced: no allocation, no lock, and system calls only where a chunk is switched, few of them
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

export POCL_DEVICES=basic GPUTAP_OUTPUT=$PWD/t GPUTAP_FORCE=1
field() { awk -v w="$1" -v f="$2" '$1 == w {print $f}' quiet; }

for kind in device-info set-arg retain-release; do
	"$GPUTAP_BUILD/tests/e2e/cl_quiet" $kind "$GPUTAP_BUILD/libgputap.so" >quiet 2>quiet.err
	case $? in
	0) ;;
	77) echo "skipped: no process may be traced here, or a sanitizer's allocator"; exit 77 ;;
	*) fail "$kind: $(cat quiet quiet.err)"; continue ;;
	esac
	check "$kind: tracing adds no allocation" [ "$(field traced 2)" = "$(field bare 2)" ]
	check "$kind: tracing adds no lock" [ "$(field traced 3)" = "$(field bare 3)" ]
	check "$kind: the program makes no system call of its own" [ "$(field bare 4)" = 0 ]
	check "$kind: chunks were switched" [ "$(field switches 2)" -gt 0 ]
	check "$kind: a switch has at most 10 system calls ($(field most 2))" [ "$(field most 2)" -le 10 ]
	check "$kind: system calls only in switches" [ "$(field traced 4)" -le $((10 * $(field switches 2))) ]
	# 60 000 calls of at most 64 bytes: under 4 MB, in chunks of 384 KiB. A switch has two steps, a block apart, and each counts here.
	check "$kind: not more than two steps for each chunk ($(field switches 2))" [ "$(field switches 2)" -le 22 ]
	check "$kind: not more system calls than one switch of ten for each 256 KiB ($(field traced 4))" [ "$(field traced 4)" -le 160 ]
done
check "retain-release: ten thousand calls in a row make no system call ($(field longest 2))" [ "$(field longest 2)" -ge 10000 ]
check "the counters count: PoCL locks the object it retains" [ "$(field bare 3)" -ge 60000 ]
finish
