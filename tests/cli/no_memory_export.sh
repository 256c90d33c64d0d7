#!/usr/bin/env bash
# tests/cli/no_memory_export.sh - wherever an export finds no memory, it makes the whole file, or none and says why
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/cli/no_memory_lib.sh
. "$GPUTAP_TESTS/cli/no_memory_lib.sh"
sweep_export 30 atp atp
sweep_export 30 apilog apilog
sweep_export 30 perfetto pftrace
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
