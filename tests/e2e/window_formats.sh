#!/usr/bin/env bash
# tests/e2e/window_formats.sh - for one window the statistics, the database, .atp, the API log and the timeline take the same calls and the same work
#
# Kernels of 3 ms, so that a launch and its kernel lie on two sides of a window's edge.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
tap=$GPUTAP_BUILD/gputap examples=$GPUTAP_BUILD/examples/cuda
export POCL_DEVICES=${POCL_DEVICES-basic}
unset FAKEGPU_REPORT

FAKEGPU_FAULTS=slow-kernels=3 traced -q --summary=none -- "$examples/streams"
check "CUDA: whole, and at twelve windows" python3 "$GPUTAP_TESTS/e2e/window_formats_check.py" "$tap" t.gputap cuda
traced -q --summary=none --cuda-graph-trace=node -- "$examples/graphs"
check "CUDA graphs, node by node" python3 "$GPUTAP_TESTS/e2e/window_formats_check.py" "$tap" t.gputap cuda
traced -q --summary=none -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 2
check "OpenCL" python3 "$GPUTAP_TESTS/e2e/window_formats_check.py" "$tap" t.gputap opencl
finish
