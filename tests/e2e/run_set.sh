#!/usr/bin/env bash
# tests/e2e/run_set.sh - gputap run --set opencl, then gputap report: values of OpenCL kernels that equal the program's own
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0 skipped=0
export POCL_DEVICES=${POCL_DEVICES-basic} GPUTAP_DEPLOY=false FAKECL_FAULTS=as-built
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

# Every launch beside what the program printed of it (out), or what a layer below the tracer was told by the runtime.
equal() { "$tap" report --page raw --csv --launch-count 0 t | python3 "$GPUTAP_TESTS/e2e/launches_check.py" "$@"; }
layer=$GPUTAP_BUILD/tests/witness/liblaunches.so
if [ ! -e "$layer" ]; then
	echo "skipped: values of programs that print none: the OpenCL headers here have no layers"
	layer=
fi
unset OPENCL_LAYERS

# run_it PROGRAM ARGUMENT...: into t
run_it() {
	rm -f launches.*
	env LAUNCHES=launches ${layer:+OPENCL_LAYERS="$layer"} timeout -k 5 100 "$tap" run -f -o t --set opencl --summary=none -- "$@" >out 2>err </dev/null
}
sections() { grep -q 'Section: OpenCL Launch' page && grep -q 'Section: OpenCL Memory' page && grep -q 'Section: OpenCL Occupancy' page; }
duration() { grep -Eq '^ +Duration +ns +[1-9]' page; }
reasons() { ! grep -Eq 'N/A *$' page; }

${CC:-cc} -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -o blur "$GPUTAP_TESTS/../examples/blur.c" -lOpenCL -lm || exit 1

# looks NAME COMMAND...: a program under the tool, and its report
looks() {
	local name=$1; shift
	run_it "$@"
	check "$name runs as ever" [ $? -eq 0 ]
	"$tap" report t >page 2>said
	check "$name: sizes that nobody knows are not in the kernel's line" eval "! grep -q '(?)' page"
	check "$name: its report has the set's sections, and no other was asked for" sections
	check "$name: kernels have durations" duration
	check "$name: what is not available has a reason" reasons
	check "$name: nothing was planned or said of counters" eval "! grep -q counters err && [ ! -e t.gputap/counters ]"
	[ -z "$layer" ] || check "$name: every value is the runtime's own" equal launches.*
}

for program in cl_metrics cl_deserve cl_commands; do
	looks $program "$GPUTAP_BUILD/tests/e2e/$program"
	"$tap" report --metrics opencl__none_such t >page 2>said
	check "$program: a name that is no metric's is told as such" grep -q 'opencl__none_such .*N/A  this launch has no metric of this name' page
	[ $program != cl_metrics ] || check "$program: every value is the program's own" equal out
done
if ./blur >/dev/null 2>&1; then looks "the example" ./blur; else echo "skipped: the example: the device here does not compute"; skipped=$((skipped + 1)); fi
# Programs by others; tests/real/run has more of them, whose kernels take long to compile.
if type clpeak >/dev/null 2>&1; then looks clpeak clpeak --kernel-latency; else echo "skipped: clpeak is not installed"; skipped=$((skipped + 1)); fi
if type ffmpeg >/dev/null 2>&1; then
	looks ffmpeg ffmpeg -hide_banner -loglevel error -init_hw_device opencl=cl:0.0 -filter_hw_device cl -f lavfi \
		-i testsrc=size=160x120:rate=5:duration=1 -vf "format=rgba,hwupload,avgblur_opencl=sizeX=4,hwdownload,format=rgba" -f framemd5 -
else
	echo "skipped: ffmpeg is not installed"
	skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
