#!/usr/bin/env bash
# tests/e2e/capture.sh - gputap run --capture-output: what the program writes arrives as ever, and is in the trace
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
export POCL_DEVICES=${POCL_DEVICES-basic}
exec python3 "$GPUTAP_TESTS/e2e/capture_check.py"
