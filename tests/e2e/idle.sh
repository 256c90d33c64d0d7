#!/usr/bin/env bash
# tests/e2e/idle.sh - why was the GPU idle: programs made for it, the right reason first
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0 skipped=0
export POCL_DEVICES=${POCL_DEVICES-basic}
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }

# reason DOMAINS PROGRAM DOING... ($stacks: more options of the run; $checks: of the check)
reason() {
	local domains=$1 program=$2
	shift 2
	if timeout -k 5 60 "$tap" run -q -f --summary=none -t "$domains" ${stacks-} -o "$program" -- "${run:-$GPUTAP_BUILD/tests/e2e/cl_idle}" "$program" >/dev/null 2>said &&
		python3 "$GPUTAP_TESTS/e2e/idle_check.py" ${checks-} "$program" "$@"; then
		echo "ok: $program (-t $domains)"
		passed=$((passed + 1))
	else
		echo "FAILED: $program (-t $domains)"
		cat said
		failed=$((failed + 1))
	fi
}
reason opencl sleep "host code"
# The first gap, from the process' start: nothing is recorded of what a program does before it first calls.
checks=--first reason opencl late "before its first recorded call"
reason opencl compute "host code"
# The stand-in compiles nothing: it takes the time of a compiler.
FAKECL_FAULTS=build-slow=300 reason opencl build "API clBuildProgram"
reason opencl wait "waiting clWaitForEvents"
reason opencl,osrt sleep "OS runtime nanosleep"
reason opencl,osrt lock "OS runtime pthread_mutex_lock"
reason opencl,osrt file "OS runtime read"
reason opencl,osrt compute "host code"
reason opencl,osrt wait "waiting clWaitForEvents"
reason opencl,osrt pool "OS runtime pthread_join"
# Beside a thread that sleeps one that was woken, which is no wait for work.
reason opencl,osrt woken "OS runtime nanosleep"
# A wait for the device that was over, as calls of the C library inside it tell: the device did not keep the thread.
if [ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ]; then
	OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors reason opencl,osrt back "woken, not yet back from clWaitForEvents"
fi

# With samples and context switches: in which function, and whether it ran at all.
"$tap" run -q -f --summary=none -t sample,sched -o perf -- true >/dev/null 2>said
if "$tap" dump perf.gputap 2>/dev/null | grep -q "^switch"; then
	no_processor="not running: waited for a processor" blocked="not running: blocked"
	reason opencl,sample sleep "host code, mostly not running"
	checks=--scheduled reason opencl,sample,sched sleep "$blocked"
	checks=--scheduled reason opencl,sample,sched compute "computes in computes \(cl_idle\.c:[0-9]+\)"
	checks=--scheduled reason opencl,sample,sched starve "$no_processor"
	checks=--scheduled stacks=--callstacks=osrt
	# stacks of the program's calls and stacks of samples in one trace
	reason opencl,osrt,sample,sched lock "OS runtime pthread_mutex_lock, called from locks \(cl_idle\.c:[0-9]+\)"
	reason opencl,osrt,sample,sched file "OS runtime read, called from reads \(cl_idle\.c:[0-9]+\)"
	reason opencl,osrt,sample,sched compute "computes in computes \(cl_idle\.c:[0-9]+\)"
	reason opencl,osrt,sample,sched starve "$no_processor"
	unset checks stacks
else
	echo "skipped: with samples and switches: $(grep -o 'no samples.*' said | head -n 1)"
	skipped=1
fi

# Two processes at once: each has its own gap, and its own reason for it.
"$tap" run -q -f --summary=none -t opencl,osrt -o two -- sh -c '"$0" sleep & "$0" lock & wait' "$GPUTAP_BUILD/tests/e2e/cl_idle" >/dev/null 2>said
if python3 "$GPUTAP_TESTS/e2e/idle_check.py" --processes two "OS runtime nanosleep" "OS runtime pthread_mutex_lock"; then
	echo "ok: two processes"
	passed=$((passed + 1))
else
	echo "FAILED: two processes"
	cat said
	failed=$((failed + 1))
fi

clang=$(command -v clang clang-19 clang-16 clang-15 clang-14 | head -n 1)
if [ -n "$clang" ] && "$clang" -fopenmp -O1 -o regions "$GPUTAP_TESTS/e2e/idle/regions.c" -lOpenCL 2>said; then
	run=$PWD/regions reason opencl,osrt,openmp regions "host code in omp_workshare" "host code in omp_task" "host code in omp_parallel"
else
	echo "skipped: OpenMP regions: no clang with an OpenMP runtime"
	skipped=1
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
