#!/usr/bin/env bash
# tests/e2e/protoc.sh - a report file that we write, with sources and results of rules, decoded by protoc: values are our reader's
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
export POCL_DEVICES=${POCL_DEVICES-pthread} GPUTAP_DEPLOY=false
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
type protoc >/dev/null 2>&1 || { echo "skipped: protoc is not installed"; exit 77; }
check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }
equal() { "$tap" report --page raw --csv --launch-count 0 t.ncu-rep | python3 "$GPUTAP_TESTS/e2e/protoc_check.py" t.ncu-rep; }

for program in cl_deserve cl_metrics; do
	timeout -k 5 90 "$tap" run -q -f --summary=none -o t -- "$GPUTAP_BUILD/tests/e2e/$program" >out
	check "$program: a report is written" "$tap" export -q -f -e ncu-rep --launch-count=0 -o t t
	check "$program: protoc decodes each message, and finds the values, sources and results of rules" equal
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
