#!/usr/bin/env bash
# tests/quality/report_pairs.sh - no report holds what another one's walk has let go of
#
# For `make check-asan`: the pairs of tests/cli/report_pairs.sh under the sanitizers, more of them.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan || { echo "skipped: no sanitizers' build (make check-asan makes it)"; exit 77; }
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
SANITIZED=1 PAIRS_STEP=${PAIRS_STEP:-5} PAIRS_RECORDED=${PAIRS_RECORDED:-61} . "$GPUTAP_TESTS/cli/report_pairs.sh"
