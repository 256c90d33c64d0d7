#!/usr/bin/env bash
# tests/fault/torture.sh - the N-th mmap, open, fallocate, ... of the shim fails: the program does not notice
#
# TORTURE=all goes through every step (make torture), short (default) through some.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
exec python3 "$GPUTAP_TESTS/fault/torture_check.py" "$GPUTAP_BUILD" "${TORTURE:-short}"
