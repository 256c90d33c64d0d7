#!/usr/bin/env bash
# tests/e2e/rules.sh - rules on what a real runtime tells of launches that deserve them, and of their mended twins
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }

check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

# One compute unit, and as many as there are processors: two kinds of launches need several.
for device in basic pthread; do
	export POCL_DEVICES=$device
	timeout -k 5 90 "$tap" run -q -f --summary=none -o "$device" -- "$GPUTAP_BUILD/tests/e2e/cl_deserve" >truth || cat truth
	"$tap" metrics --format csv "$device.gputap" >"$device.csv"
	check "rules speak of what deserves them alone ($device)" python3 "$GPUTAP_TESTS/e2e/rules_check.py" truth "$device.csv"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
