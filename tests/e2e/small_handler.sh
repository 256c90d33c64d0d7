#!/usr/bin/env bash
# tests/e2e/small_handler.sh - the first calls come from a signal handler on the smallest stack on which they work without gputap
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan && { echo "skipped: a library with sanitizers has frames of its own"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
ulimit -c 0
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS "${!FAKECL_@}"
"$cc" -O1 -w -DCL_TARGET_OPENCL_VERSION=300 -o small_handler "$GPUTAP_TESTS/e2e/ways/small_handler.c" -lOpenCL || exit 1
bytes=2048
until (./small_handler $bytes 5) 2>/dev/null; do bytes=$((bytes + 256)); [ $bytes -lt 65536 ] || { echo "skipped: they never work"; exit 77; }; done
# What is gputap's on the way to the driver may take 1 KiB of it.
("$GPUTAP_BUILD/gputap" run -q -f -o t -- ./small_handler $((bytes + 1024)) 5) >out 2>&1
status=$?
told=$("$GPUTAP_BUILD/gputap" info t.gputap 2>/dev/null | grep -oE '^  [0-9]+ calls|^complete: yes' | tr '\n' ' ')
[ "$status:$told" = "0:  5 calls complete: yes " ] && { echo "1 passed, 0 failed"; exit 0; }
echo "FAILED: on $bytes bytes and 1 KiB: status $status, $told"
exit 1
