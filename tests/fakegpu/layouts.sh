#!/usr/bin/env bash
# tests/fakegpu/layouts.sh - the stand-in's record table agrees with the CUPTI headers and libraries that are installed, if any
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
unset LD_LIBRARY_PATH
exec python3 "$GPUTAP_TESTS/fakegpu/check_layouts.py" "$GPUTAP_TESTS/fakegpu/records.def"
