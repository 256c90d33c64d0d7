#!/usr/bin/env bash
# tests/e2e/cuda_answers.sh - each function of CUPTI that gputap calls refuses in turn: the program never notices, the cause is named, the ledger knows
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
export GPUTAP_DEPLOY=false
exec python3 "$GPUTAP_TESTS/e2e/cuda_answers_check.py"
