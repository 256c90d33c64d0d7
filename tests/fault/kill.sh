#!/usr/bin/env bash
# tests/fault/kill.sh - random SIGKILLs: every call that was completed is in the trace, and the call each thread was in
#
# KILLS=500 for the long run; SEED to repeat one.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
exec python3 "$GPUTAP_TESTS/fault/kill_check.py" "$GPUTAP_BUILD" "${KILLS:-20}" "${SEED:-$$}"
