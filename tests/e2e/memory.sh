#!/usr/bin/env bash
# tests/e2e/memory.sh - what a trace takes in memory when it is read does not grow with its length
#
# Two traces of the same kind, one of two million calls and one of three: what one thread holds at most, as the kernel reports it.
# With the pages of the trace that it looks at, of which a million calls need not have as many as are ever there at once.
# The timeline keeps the commands that are pending, so its traces are of a program that waits for its device now and then: in the
# others the device falls farther behind with each call.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
passed=0 failed=0
check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name"; failed=$((failed + 1)); fi; }
if nm "$gputap" 2>/dev/null | grep -q __asan_init || nm "$gputap" 2>/dev/null | grep -q __tsan_init; then
	echo "skipped: a sanitizer's own memory grows"; exit 77
fi

# peak COMMAND...: KiB that it held at most
peak() {
	python3 - "$@" <<-'EOF'
		import os, subprocess, sys
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
		_, status, used = os.wait4(p.pid, 0)
		print(used.ru_maxrss)
		sys.exit(status != 0)
	EOF
}

# flat MOST COMMAND...: with the trace's path behind it. MOST: KiB that the longer trace may take more
flat() {
	local most=$1 short long; shift
	short=$(peak "$@" short.gputap) && long=$(peak "$@" long.gputap) || return 1
	echo "$short KiB, then $long KiB"
	[ "$long" -le $((short + most)) ]
}

export GPUTAP_TABLE=$GPUTAP_BUILD/gen/table.txt
"$GPUTAP_BUILD/tests/tracegen" short.gputap 2000000 4 >/dev/null && "$GPUTAP_BUILD/tests/tracegen" long.gputap 3000000 4 >/dev/null || exit 1
for format in sqlite atp apilog; do
	check "-e $format" flat 1536 "$gputap" export -q -f -j 1 -e "$format" -o out
	rm -f out*
done
for trace in short:2000000 long:3000000; do
	"$GPUTAP_BUILD/tests/tracegen" "${trace%:*}.gputap" "${trace#*:}" 4 1 0 in-step >/dev/null || exit 1
done
check "-e perfetto" flat 1536 "$gputap" export -q -f -j 1 -e perfetto -o out
rm -f out*
check "stats -r timeline_sum,gpu_idle" flat 1536 "$gputap" stats -q -j 1 -r timeline_sum,gpu_idle
# its medians need every value: 8 MiB of them at most stay in memory
check "stats" flat 3072 "$gputap" stats -q -j 1
check "stats -r opencl_queue_sum" flat 2048 "$gputap" stats -q -j 1 -r opencl_queue_sum
# Samples of performance monitors are looked at when the trace is opened, those of one launch at a time.
rm -rf ./*.gputap
export LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib GPUTAP_DEPLOY=false
for trace in short:25 long:100; do
	FAKEGPU_FAULTS=slow-kernels=1 "$gputap" run -q -o "${trace%:*}" --summary=none --cupti "$LD_LIBRARY_PATH/libcupti.so.13" --launch-count 0 \
		--metrics pmsampling:sm__cycles_active.avg -- "$GPUTAP_BUILD/examples/cuda/storm" 4 "${trace#*:}" >/dev/null 2>&1 || exit 1
done
check "info of launches with samples" flat 4096 "$gputap" info
rm -rf ./*.gputap
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
