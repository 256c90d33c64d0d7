#!/usr/bin/env bash
# tests/e2e/perfetto.sh - Perfetto traces of real programs: what they hold is what the database of the same trace holds
#
# Decoded by a reader of our own, and by the message classes of PyPI's package perfetto where $PERFETTO_PYTHON has them
# (tests/real/perfetto installs it).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
python=${PERFETTO_PYTHON-python3}
. "$GPUTAP_TESTS/check_lib.sh"
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT "${!GPUTAP_CUDA@}"
export FAKEGPU_DEVICES=2 POCL_DEVICES=${POCL_DEVICES-basic}

compare() { "$1" "$GPUTAP_TESTS/e2e/perfetto_check.py" "$2" "$3.pftrace" "$3.sqlite"; }
classes=
if "$python" -c 'import perfetto.protos.perfetto.trace.perfetto_trace_pb2' 2>/dev/null; then
	classes=1
	check "the writer's numbers of fields are the published ones" \
		"$python" "$GPUTAP_TESTS/e2e/perfetto_check.py" fields "$GPUTAP_TESTS/../writers/perfetto/fields.def"
else
	skip "decoding by the published message classes: $python has no package perfetto (tests/real/perfetto)"
fi

# both WHAT TRACE: as Perfetto's and as a database, compared
both() {
	if ! "$tap" export -q -f -e perfetto,sqlite --opencl-compat=off -o "$2" "$2.gputap"; then
		check "$1 can be exported" false
		return
	fi
	check "$1: counts, names, times and flows are the database's" compare python3 own "$2"
	[ -z "$classes" ] || check "... and so say the published classes" compare "$python" classes "$2"
}
traced() { "$tap" run -q -f --summary=none -o "$@" >/dev/null 2>&1; }
cuda() { LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib traced "$@"; }
built() { "$GPUTAP_BUILD/tests/golden/build" "$1" "$GPUTAP_BUILD/gen/table.txt" "$1.gputap"; }

if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	traced opencl -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 3
	both "an OpenCL program" opencl
	traced names -t opencl,osrt --osrt-threshold=0 -- "$GPUTAP_BUILD/tests/e2e/cl_names"
	both "calls of the C library, and threads by all kinds of names" names
	clang=$(command -v clang clang-19 clang-16 clang-15 clang-14 | head -n 1)
	if [ -n "$clang" ] && "$clang" -fopenmp -O1 -o regions "$GPUTAP_TESTS/e2e/idle/regions.c" -lOpenCL 2>/dev/null; then
		traced regions -t opencl,osrt,openmp -- ./regions
		both "regions of OpenMP" regions
	else
		skip "regions of OpenMP: no clang with an OpenMP runtime"
	fi
else
	skip "an OpenCL program: no OpenCL platform"
fi
if ${CC:-cc} -std=gnu11 -O1 -g -D_GNU_SOURCE -fno-omit-frame-pointer -o busy "$GPUTAP_TESTS/e2e/samples/busy.c" -lpthread 2>/dev/null &&
	traced samples -t sample,sched --sample-rate=1000 -- ./busy 100 20; [ -d samples.gputap ] && "$tap" dump samples.gputap 2>/dev/null | grep -q ^sample; then
	both "samples with their stacks" samples
	check "... and there are some of the function that computes" eval 'python3 "$GPUTAP_TESTS/golden/perfetto_dump.py" samples.pftrace | grep -q " sample of .*: inner < outer < main"'
else
	skip "samples with their stacks: none can be taken here"
fi
if [ -x "$GPUTAP_BUILD/examples/cuda/storm" ]; then
	cuda storm -- "$GPUTAP_BUILD/examples/cuda/storm" 4 200
	both "a CUDA program on the stand-in" storm
	cuda nodes --cuda-graph-trace=node -- "$GPUTAP_BUILD/examples/cuda/graphs"
	both "graphs node by node: one call, many kernels" nodes
	cuda mixed -- sh -c '"$0/examples/cuda/streams"; "$0/tests/e2e/nvtx_byhand"; exec "$0/tests/e2e/cl_commands"' "$GPUTAP_BUILD"
	both "programs of three kinds in one trace" mixed
else
	skip "CUDA programs: the examples are not built"
fi
check "the mixed session can be built" built cuda_opencl
both "OpenCL and CUDA in one process" cuda_opencl

# Seventy thousand different names: the table of texts is begun anew on the way, and every number is still defined.
check "the session of many names can be built" built many_names
both "more names than the table of texts holds" many_names
begun=$(python3 "$GPUTAP_TESTS/golden/perfetto_dump.py" many_names.pftrace | grep -c "^texts begin anew")
check "... which is then begun anew" test "$begun" -eq 2

# How large a file will be is said before it is written, when it is large; within half of what it becomes.
export GPUTAP_TABLE=$GPUTAP_BUILD/gen/table.txt
announced() {
	"$tap" export -f -e perfetto large.gputap 2>said
	forecast=$(sed -n 's/.* will take about \([0-9.]*\) GB.*/\1/p' said)
	bytes=$(stat -c %s large.pftrace)
	check "a large file of $1 is announced, about as large as it becomes (${forecast:-not} GB, $bytes bytes)" \
		awk -v f="${forecast:-0}" -v b="$bytes" 'BEGIN { exit !(f * 1e9 > b / 2 && f * 1e9 < b * 2) }'
}
if [ -x "$GPUTAP_BUILD/tests/cudagen" ]; then
	"$GPUTAP_BUILD/tests/cudagen" make large.gputap 600000 2 >/dev/null
	announced CUDA
	rm -rf large.gputap
else
	skip "the size of a large CUDA trace's file: cudagen is not built"
fi
"$GPUTAP_BUILD/tests/tracegen" large.gputap 1300000 2 >/dev/null
announced OpenCL
"$tap" export -f -e perfetto --min-dur=1s large.gputap 2>said
check "--min-dur makes it small, and no word is said" test "$(grep -c 'will take' said)" = 0 -a "$(stat -c %s large.pftrace)" -lt $((bytes / 2))
"$tap" export -q -f -e perfetto --min-dur=soon large.gputap 2>said
check "--min-dur takes a time" test $? = 2
rm -rf large.*

finish
