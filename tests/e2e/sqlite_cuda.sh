#!/usr/bin/env bash
# tests/e2e/sqlite_cuda.sh - CUDA programs' traces as databases: joins that consumers make lose no row, counts are the programs' own
#
# On the stand-in machine of tests/fakegpu; CUDA_LIBRARIES=DIR runs on a real machine's libraries instead.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -eu
[ -x "$GPUTAP_BUILD/examples/cuda/storm" ] || { echo "skipped: the CUDA examples are not built"; exit 77; }
libraries=${CUDA_LIBRARIES-$GPUTAP_BUILD/tests/fakegpu/lib}
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT
export FAKEGPU_DEVICES=2

trace() { LD_LIBRARY_PATH=$libraries timeout 60 "$GPUTAP_BUILD/gputap" run -q --summary=none -f -o "$1" "${@:2}" >/dev/null; }
export_as() { timeout 60 "$GPUTAP_BUILD/gputap" export -q -f -e sqlite -o "$1" "${@:3}" "$2.gputap"; }
example() { echo "$GPUTAP_BUILD/examples/cuda/$1"; }

trace storm -- "$(example storm)" 4 200
trace graphs --cuda-graph-trace=node -- "$(example graphs)"
trace whole -- "$(example graphs)"
trace pools --cuda-memory-usage -- "$(example pools)"
trace managed --cuda-um -- "$(example managed)"
trace streams --cuda-events -- "$(example streams)"
trace errors -- "$(example errors)"
if [ -z "${CUDA_LIBRARIES-}" ]; then FAKEGPU_FAULTS=zero-times=10,reversed-times=7 trace faults -- "$(example storm)" 4 200; export_as faults faults; fi
for t in storm graphs whole pools managed streams errors; do
	export_as "$t" "$t"
	export_as "$t.old" "$t" --sqlite-schema=2021
done
export_as storm.all storm --cuda-driver-rows=all
python3 "$GPUTAP_TESTS/e2e/sqlite_cuda_check.py"
