#!/usr/bin/env bash
# tests/e2e/generic.sh - --sqlite-counters: generic events of what is pending and allocated, in both editions
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
tap=$GPUTAP_BUILD/gputap examples=$GPUTAP_BUILD/examples/cuda
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi

see() { python3 "$GPUTAP_TESTS/e2e/generic_check.py" "$@"; }
exported() {
	rm -f new.sqlite old.sqlite
	"$tap" export -q -f -o new -e sqlite --sqlite-counters t.gputap && "$tap" export -q -f -o old -e sqlite --sqlite-counters --sqlite-schema=2021 t.gputap
}
if [ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ]; then
	OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors traced -q -- "$GPUTAP_BUILD/tests/e2e/cl_commands"
	check "OpenCL: exports" exported
	check "pending commands and bytes, and buffers" see new.sqlite old.sqlite opencl
	"$tap" export -q -f -o off -e sqlite t.gputap
	check "nothing where it is not asked for" [ -z "$(sqlite3 off.sqlite "SELECT name FROM sqlite_master WHERE name LIKE 'GENERIC_EVENT%'")" ]
else
	echo "skipped: the stand-in OpenCL runtime is not built"
fi
traced -q --cuda-memory-usage -t cuda -- "$examples/pools"
check "CUDA: exports" exported
check "memory in use is what the allocations say" see new.sqlite old.sqlite cuda
finish
