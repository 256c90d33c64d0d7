#!/usr/bin/env bash
# tests/e2e/well.sh - rules have nothing to say of programs that behave well, and name what spoils them, as the trace shows it
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
export GPUTAP_DEPLOY=false
# Rules are applied once to each trace.
run() { timeout -k 5 60 "$tap" run -q -f --summary=none "$@" >out && "$tap" report --apply-rules t >told; }
ms=20
cuda() { FAKEGPU_FAULTS=slow-kernels=$ms run -o t "${@:1:2}" -- "$GPUTAP_BUILD/tests/e2e/cuda_well" "${@:3}"; }
stand_in() { OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors FAKECL_FAULTS=build-slow=20 run -o t -- "$GPUTAP_BUILD/tests/e2e/cl_well" "$@"; }
# What rules say, a line each; the causes alone.
said() { tr -s ' \n' ' ' <told; }
causes() { grep -oE '^ +(Optimization|Warning): [A-Za-z ]+' told | sed 's/.*: //; s/ *$//' | sort | tr '\n' ','; }
# A program that the machine kept from running did not behave well: it has three tries.
silent() {
	local try
	for try in 1 2 3; do
		"$@" && [ -s out ] && [ ! -s told ] && return 0
	done
	echo "after $try tries: $(said)"
	return 1
}
# Its share of the run: the rule's own word, which is no more than all.
share() { grep -oE 'at most [0-9.]+ %' told | head -n 1 | grep -oE '[0-9.]+'; }
between() { awk -v v="$(share)" -v least="$1" -v most="$2" 'BEGIN { exit !(v != "" && v >= least && v <= most) }'; }

check "a pipeline of two streams" silent cuda -t cuda pipeline
check "many steps, one wait" silent cuda -t cuda steps
check "kernels of many streams beside each other" silent cuda -t cuda streams
check "... are no more than all of the run" grep -qE '\((100|[0-9]{2})\.[0-9] % of the run\)' <("$tap" report t)
ms=3
cuda -t cuda pipeline spoiled
ms=20
check "the same in one stream and from pageable memory: both are told" test "$(causes | sed 's/Gap,//')" = "Overlap,Pageable memory,"
cuda -t cuda steps spoiled
check "a wait and a sleep between the steps: a gap" test "$(causes)" = "Gap,"
check "in which the thread was in its own code, for all that the trace knows" grep -q 'launching thread was in its own code for' <(said)
check "gpu_idle says the same" grep -q ' host code ' <("$tap" stats -q -r gpu_idle t)
cuda -t cuda,osrt steps spoiled
check "with the C library in the trace it was asleep" grep -qE 'launching thread was in usleep for [0-9]+ %.* sleep ahead of the work' <(said)
check "gpu_idle says the same" grep -q ' OS runtime usleep ' <("$tap" stats -q -r gpu_idle t)
check "the gap is a good part of the run, and not more than it" between 10 60

stand_in builds
check "programs that are built between launches" test "$(causes)" = "Gap,"
check "are named" grep -qE 'launching thread was in clBuildProgram for [0-9]+ % .*Build programs before the work begins' <(said)
check "as gpu_idle names them" grep -q ' API clBuildProgram ' <("$tap" stats -q -r gpu_idle t)
check "... most of the run" between 40 100
stand_in kernels
check "many kernels of one trouble are one message" test "$(causes)" = "Gap,"
check "with their number" grep -q 'So it is with 19 other kernels (k[0-9]*, k[0-9]*, k[0-9]*, ...): ' <(said)
check "and a table of them" test "$(grep -cE '^ +k[0-9]+ +\(1024, 1, 1\) x \(64, 1, 1\) ' told)" -eq 20

if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	check "launches on memory that is shared with the device" silent run -o t -- "$GPUTAP_BUILD/tests/e2e/cl_well"
	typical=$("$tap" report --page raw --csv --launch-count 0 t | python3 -c 'import csv, sys
ran = [float(row["opencl__duration"]) for row in list(csv.DictReader(sys.stdin))[1:]]
assert len(ran) == 21
print("%d" % sorted(ran[1:])[9])')
	check "the launch that is shown has the median time of all but the first" \
		grep -q "^ one of 21 launches of this size, which typically run for $typical ns (.* this one for $typical ns$" \
		<("$tap" report t | sed 's/^ */ /; s/\([0-9]\),\([0-9]\)/\1\2/g; s/\([0-9]\),\([0-9]\)/\1\2/g')
	run -o t -- "$GPUTAP_BUILD/tests/e2e/cl_well" copies
	if "$tap" info t | grep -q 'CPU'; then
		check "data that are written to the host's own processors: need not be" grep -q 'Copies on a CPU .* CL_MEM_USE_HOST_PTR' <(said)
	fi
else
	echo "skipped: no OpenCL platform"; skipped=$((skipped + 1))
fi
finish
