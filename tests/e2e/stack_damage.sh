#!/usr/bin/env bash
# tests/e2e/stack_damage.sh - --callstacks of a program whose unwind tables are damaged: it runs, and its calls are recorded
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
[ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ] || { echo "skipped: the stand-in runtime is not here"; exit 77; }
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
exec python3 "$GPUTAP_TESTS/e2e/stack_damage_check.py" "$GPUTAP_BUILD/gputap" "$GPUTAP_BUILD/tests/e2e/cl_commands"
