#!/usr/bin/env bash
# tests/e2e/cl_sycl.sh - names of C++ kernels, local sizes that the runtime chose, and the direction of copies of unified shared memory
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
tap=$GPUTAP_BUILD/gputap
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS FAKECL_DEVICES
see() { python3 "$here/cl_sycl_check.py" "$tap" t "$@"; }
run() { "$tap" run -q -f -o t -e sqlite,atp,perfetto,apilog "$@" -- "$GPUTAP_BUILD/tests/e2e/cl_sycl" >t.out 2>t.err || cat t.err; }

run
ldconfig -p 2>/dev/null | grep -qE 'libstdc\+\+\.so\.6|libc\+\+abi\.so\.1' || { echo "skipped: no C++ runtime to read names with"; exit 77; }
check "statistics have the names as people write them, the short ones and the linker's" see names
check "SQLite has all three" see sqlite_names
check ".atp and the API log have the linker's, as the program said it" see raw_names
check "the size that the runtime suggests is the block" see suggested
check "copies go where their pointers lead" see copies t.out
FAKECL_FAULTS=no-function=clGetKernelSuggestedLocalWorkSizeKHR,no-function=clGetKernelSuggestedLocalWorkSizeINTEL run
check "where nobody tells the block, none is made up" see unknown_block
run --start-after=1ms
check "what was allocated before the recording began is not taken for the host's" see late t.out
finish
