#!/usr/bin/env bash
# tests/e2e/signals.sh - what is sent to the launcher, or to its group, reaches the program once, as if it were the program
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
exec python3 "$GPUTAP_TESTS/e2e/signals_check.py" "$GPUTAP_BUILD/gputap" "$GPUTAP_BUILD/tests/e2e/signals"
