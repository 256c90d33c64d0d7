# tests/gpu/part3_costs.sh - what tracing adds to launches, copies and queries: sourced by scripts/test-gpu
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154

launch_costs() { if have "$bin/cost"; then costs launch; else skip "cost is not there"; fi; }

step costs launch_costs
