#!/usr/bin/env bash
# tests/e2e/trace_options.sh - options that stand in a trace are shown, never obeyed: nothing that they name is opened or run
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
export GPUTAP_DEPLOY=false

traced --summary=none --cupti "$gpu/lib/libcupti.so.13" --metrics sm__cycles_active.avg,dram__bytes.sum -- "$examples/vector_add"
check "the trace has counters" test -s t.gputap/counters
python3 "$GPUTAP_TESTS/e2e/trace_options_check.py" "$tap" t.gputap "$GPUTAP_TESTS/../trace/format" "$gpu/lib/libcupti.so.13" >checked 2>&1
check "no reader touches what an option of a trace names" test $? = 0
cat checked
finish
