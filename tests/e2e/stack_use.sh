#!/usr/bin/env bash
# tests/e2e/stack_use.sh - what is ours on a stack of the program's takes at most 4 KiB more than the program alone
#
# Stacks are painted (stack_use.c). The same steps then run in threads of 16, 24 and 32 KiB: where the program alone ends well, the
# traced one does.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
program=$GPUTAP_BUILD/tests/e2e/stack_use
nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan && { echo "skipped: a sanitizer's frames are larger"; exit 77; }
most=4096
opencl="cl.platform cl.device cl.context cl.queue cl.program cl.kernel cl.enqueue cl.read cl.many cl.handler cl.thread cl.platform.child cl.free"
cuda="cu.init cu.context cu.module cu.alloc cu.launch cu.copy cu.sync cu.many cu.handler cu.thread cu.free"
library="os.write os.sleep os.thread os.handler os.child nothing nothing.thread nothing.handler"
host=(--cupti "$gpu/lib/libcupti.so.13")

# within NAME STEPS OPTION...: each step, and the end
within() {
	local name=$1 steps=$2; shift 2
	# shellcheck disable=SC2086
	"$program" $steps exit >bare 2>/dev/null
	# shellcheck disable=SC2086
	traced -q "$@" -- "$program" $steps exit
	check "$name: the program ends as it does alone" [ "$(cut -d' ' -f1 bare)" = "$(cut -d' ' -f1 t.out)" ]
	check "$name: each step was traced" [ "$(wc -w <<<"$steps exit")" -le "$(wc -l <t.out)" ]
	over=$(paste -d' ' bare t.out | awk -v most=$most '$4 - $2 > most { print $1 ": " $2 " alone, " $4 " traced" }')
	ok "$name: at most $most bytes more" "$over" ""
}
# small STEPS OPTION...: in threads that have less and less
small() {
	local steps=$1 k; shift
	for k in 32 24 16; do
		# shellcheck disable=SC2086
		[ "$("$program" small=$k $steps 2>/dev/null)" = "done" ] || { echo "the program alone needs more than $k KiB for: $steps"; break; }
		# shellcheck disable=SC2086
		traced -q "$@" -- "$program" small=$k $steps
		check "$k KiB, $*: $steps" [ "$(cat t.status) $(cat t.out)" = "0 done" ]
	done
}

within opencl "$opencl" -t opencl
within "opencl, call stacks" "$opencl" -t opencl --callstacks
within cuda "$cuda" -t cuda,nvtx
within "cuda, arguments" "$cuda" -t cuda,nvtx --cuda-args
within "cuda, counters" "$cuda" -t cuda "${host[@]}" --metrics sm__cycles_active.avg
within "cuda, samples of performance monitors" "$cuda" -t cuda "${host[@]}" --set pmsampling
within osrt "$library" -t osrt
within "osrt, call stacks" "$library" -t osrt --callstacks=osrt
within samples "$library" -t osrt,sample --sample=timer
small "$opencl" -t opencl
small "cl.platform cl.device cl.context cl.queue" -t opencl --callstacks
small "cl.platform cl.platform.child" -t opencl,osrt
small "cu.init" -t cuda
small "cu.init cu.context cu.alloc cu.copy cu.many" -t cuda
small "$cuda" -t cuda
small "$cuda" -t cuda "${host[@]}" --metrics sm__cycles_active.avg
small "$cuda" -t cuda "${host[@]}" --set pmsampling
small "$library" -t osrt --callstacks=osrt
finish
