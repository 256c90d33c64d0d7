#!/usr/bin/env bash
# tests/e2e/metrics.sh - counter and occupancy files of a real runtime: their values are the program's own
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
export POCL_DEVICES=${POCL_DEVICES-basic}
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }

check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

timeout -k 5 60 "$tap" run -q -f --summary=none -o m -e csv,occupancy -- "$GPUTAP_BUILD/tests/e2e/cl_metrics" >truth || cat truth
check "every value is the program's own" python3 "$GPUTAP_TESTS/e2e/metrics_check.py" truth m.csv
check "readers take the counter file" python3 "$GPUTAP_TESTS/golden/csv_parse.py" m.csv
check "readers take the occupancy file" python3 "$GPUTAP_TESTS/golden/occupancy_parse.py" m.occupancy
check "a CPU's kernels are not in it" grep -qx '# KernelCount=0' m.occupancy
check "with --occupancy-cpu they are" "$tap" export -q -f -e occupancy --occupancy-cpu -o m m
check "and readers take that one" python3 "$GPUTAP_TESTS/golden/occupancy_parse.py" m.occupancy
check "all of them" grep -qx "# KernelCount=$(wc -l <truth)" m.occupancy

POCL_DEVICES="basic basic" timeout -k 5 60 "$tap" run -q -f --summary=none -o second -e csv -- "$GPUTAP_BUILD/tests/e2e/cl_metrics" second >truth2 || cat truth2
check "the second device of a program has its own answers" python3 "$GPUTAP_TESTS/e2e/metrics_check.py" truth2 second.csv

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
