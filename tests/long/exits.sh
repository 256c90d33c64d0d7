#!/usr/bin/env bash
# tests/long/exits.sh - a traced program ends as it does bare, a hundred times for each way of ending: no hang, no crash, the same status
#
# CUDA programs on the stand-in machine, whose modes change from run to run: a driver that takes itself down, a CUPTI that fails, tells
# nothing, or keeps records back. OpenCL programs that fork, jump out of calls, change stacks and leave with commands
# waiting. Any build will do, one with sanitizers too (GPUTAP_BUILD=build-asan). EXITS: how often each, 100. WAYS: only those whose
# names hold this.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap e2e=$GPUTAP_BUILD/tests/e2e
exits=${EXITS:-100} passed=0 failed=0 skipped=0 ways=0
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS CUDA_INJECTION64_PATH "${!FAKEGPU_@}" "${!FAKECL_@}"
export LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=0} UBSAN_OPTIONS=${UBSAN_OPTIONS-halt_on_error=1:print_stacktrace=1}
ulimit -c 0
modes=("" deinitialised no-resource-callbacks fatal-state=30 told-state=20 incomplete "incomplete,slow-kernels=2" flush-in-callback flush-fails=2 late-buffers)

# status COMMAND...: 124 for a hang
status() { (timeout -k 2 60 "$@" >out 2>err </dev/null; echo $?) 2>/dev/null; }

# ends NAME MODES COMMAND...: $exits times, each with the next of the modes; bare once for each mode. In a folder of its own, beside
# the ways before it: two more at once than there are processors, for some wait more than they work.
ends() {
	case $1 in *"${WAYS-}"*) ;; *) return ;; esac
	while [ "$(jobs -rp | wc -l)" -ge $(($(nproc) + 2)) ]; do wait -n; done
	ways=$((ways + 1))
	mkdir "way.$ways"
	(cd "way.$ways" && one_way "$@") >"way.$ways.log" 2>&1 &
}

one_way() {
	local name=$1 kinds=$2 wrong=0 bare=() mode got n
	shift 2
	for ((n = 0; n < exits; n++)); do
		mode=$((n % kinds))
		[ -n "${bare[mode]-}" ] || bare[mode]=$(FAKEGPU_FAULTS=${modes[mode]} status "$@")
		rm -rf t.gputap
		got=$(FAKEGPU_FAULTS=${modes[mode]} status "$gputap" run -q -f -o t --summary=none -- "$@")
		if [ "$got" != "${bare[mode]}" ] || [ "$got" = 77 ] || grep -q 'Sanitizer: \|runtime error: ' err; then
			wrong=$((wrong + 1))
			[ $wrong -gt 3 ] || { echo "FAILED: $name${modes[mode]:+, ${modes[mode]}}: status $got, bare ${bare[mode]}"; grep -v '^gputap: ' err | head -n 12; }
		fi
	done
	if [ $wrong = 0 ]; then echo "ok: $name: $exits exits"; else echo "FAILED: $name: $wrong of $exits"; fi
}

for way in return exit _exit quick_exit thread_exit exec kill fork_after fork_before fork_calls reset late_work; do
	ends "CUDA, $way" ${#modes[@]} "$e2e/cuda_ends" $way
done
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
for how in return exit _exit quick_exit abort exec late; do ends "OpenCL, $how" 1 "$e2e/cl_leave" $how; done
ends "OpenCL, children of fork" 1 "$e2e/cl_shared" fork
ends "OpenCL, threads" 1 "$e2e/cl_shared" threads 20
# Calls that are left, and stacks that are changed in the middle of one.
cc=${CC:-cc} from=$GPUTAP_TESTS/e2e/ways opts=(-O1 -w -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300)
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then opts+=("-fsanitize=address,undefined"); fi
if command -v "$cc" >/dev/null; then
	"$cc" "${opts[@]}" -fPIC -shared -o libjumper.so "$from/jumper.c" -lOpenCL &&
		"$cc" "${opts[@]}" -o jumps "$from/jumps.c" "$PWD/libjumper.so" -lOpenCL -lpthread &&
		"$cc" "${opts[@]}" -o cuda_jumps "$from/cuda_jumps.c" -ldl -lpthread || exit 1
	for how in jump jump-higher cancel end fiber-above fiber-below; do ends "OpenCL, $how out of a call" 1 "$PWD/jumps" $how; done
	modes=(slow-kernels=300)
	for how in jump cancel end; do GPUTAP_CUDA_ARGS=1 ends "CUDA, $how out of a call" 1 "$PWD/cuda_jumps" $how; done
	modes=("")
fi
unset OCL_ICD_VENDORS
if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	POCL_DEVICES=basic ends "OpenCL, a jump out of a call" 1 "$e2e/cl_jump"
else
	echo "skipped: a jump out of a call: no OpenCL platform but the stand-in, which waits for nothing"; skipped=1
fi
wait
for ((n = 1; n <= ways; n++)); do
	cat "way.$n.log"
	if tail -n 1 "way.$n.log" | grep -q '^ok: '; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$((ways * exits)) exits"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
