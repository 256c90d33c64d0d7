#!/usr/bin/env bash
# tests/e2e/sanitized_app.sh - programs built with a sanitizer start, run and are traced under the shim
#
# A sanitizer's runtime asks dlsym for the functions it replaces before main, before its own strcmp works, and reaches the
# shim's dlsym first.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
build=$GPUTAP_BUILD
passed=0 failed=0 skipped=0
if nm -D --undefined-only "$build/libgputap.so" | grep -q __asan; then echo "skipped: the shim itself is built with a sanitizer"; exit 77; fi
export OCL_ICD_VENDORS=$build/tests/fakecl/vendors
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

# The stand-in runtime, bare and traced: same output, same end, and the platform query is in the trace.
try() {
	local name=$1 bare traced; shift
	if ! "$@" -O1 -DCL_TARGET_OPENCL_VERSION=300 -Wno-deprecated-declarations -o app "$GPUTAP_TESTS/e2e/cl_commands.c" -lOpenCL 2>build.err; then
		skipped=$((skipped + 1)); echo "skipped: $*: $(tail -n 1 build.err)"; return
	fi
	timeout 60 ./app >bare.out 2>bare.err; bare=$?
	if [ "$bare" -ne 0 ]; then skipped=$((skipped + 1)); echo "skipped: $*: does not run here by itself: status $bare"; return; fi
	rm -rf t.gputap
	env LD_PRELOAD="$build/libgputap.so" GPUTAP_OUTPUT="$PWD/t" ./app >traced.out 2>traced.err; traced=$?
	if [ "$traced" -eq "$bare" ] && cmp -s bare.out traced.out && "$build/gputap" dump t.gputap 2>/dev/null | grep -q clGetPlatformIDs; then
		passed=$((passed + 1)); echo "ok: $name"
	else
		failed=$((failed + 1)); echo "FAILED: $name: status $traced, $bare without the shim"; head -n 20 traced.err
	fi
	# The launcher puts a runtime that must be first there: nothing is asked of the user. With -t osrt that runtime calls us when it
	# starts itself, before the C library has the environment.
	for domains in opencl opencl,osrt; do
		rm -rf t.gputap
		env ASAN_OPTIONS=detect_leaks=0 "$build/gputap" run -q -o t -t $domains ./app >traced.out 2>traced.err; traced=$?
		if [ "$traced" -eq "$bare" ] && cmp -s bare.out traced.out && "$build/gputap" dump t.gputap 2>/dev/null | grep -q clGetPlatformIDs; then
			passed=$((passed + 1)); echo "ok: $name under gputap run -t $domains"
		else
			failed=$((failed + 1)); echo "FAILED: $name under gputap run -t $domains: status $traced, $bare without the shim"; head -n 20 traced.err
		fi
	done
}

ran=0
for cc in gcc clang; do
	command -v $cc >/dev/null || { skipped=$((skipped + 1)); echo "skipped: no $cc"; continue; }
	ran=1
	for san in address undefined thread; do try "$cc -fsanitize=$san" $cc -I"$GPUTAP_TESTS/.." -g -D_GNU_SOURCE -fsanitize=$san; done
done
[ "$ran" = 1 ] || { echo "skipped: no C compiler"; exit 77; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
