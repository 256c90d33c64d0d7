#!/usr/bin/env bash
# tests/e2e/cuda_storm.sh - launches from 8 threads at once: nothing is lost, times are in order, the traced program's memory stays what it is
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
storm=$GPUTAP_BUILD/examples/cuda/storm

traced() {                                      # WORDS OPTION... -- PROGRAM...
	rm -rf t.gputap report
	timeout 100 "$tap" run -q -f -o t "$@" >t.out 2>t.err
}
complete() {                                    # LAUNCHES
	whole ledger && whole counts report && whole calls cudaLaunchKernel "$1"
}

traced -- "$storm" 8 2000
check "8 threads: the results are right" grep -qx 'storm: 8 threads, 2000 launches each, 0 wrong' t.out
check "every call and every activity is in the trace" complete 16000
check "... in order, on every thread and stream" whole times
traced --cuda-buffer-size=64k -- "$storm" 8 1000
check "buffers that are full all the time: nothing is lost" complete 8000
check "... in order" whole times
traced --cuda-args -- "$storm" 8 500
check "with arguments: nothing is lost" complete 4000
check "... every launch has its arguments" test "$("$tap" dump --json t.gputap | grep -c '"name":"cudaLaunchKernel.*"has_args":true')" = 4000
FAKEGPU_DRIVER=12040 traced --cupti="$gpu/v20/libcupti.so.12" -- "$storm" 8 1000
check "one buffer for all threads (before CUDA 12.3): nothing is lost" complete 8000
FAKEGPU_FAULTS=out-of-order,late-buffers traced --cuda-buffer-size=64k -- "$storm" 8 1000
check "records out of order in buffers that come late: nothing is lost" complete 8000
check "... and order is made" whole times

# Memory that is the program's own, in KiB, at its most after a while and later (the trace's pages are the file system's): a program that waits
# for its kernels, since the stand-in keeps what is not done yet.
rm -rf m.gputap
read -r early late < <(python3 - "$GPUTAP_BUILD" <<'P'
import os, subprocess, sys, time
build = sys.argv[1]
p = subprocess.Popen([build + '/tests/fault/cuda_kill', 'progress'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                     env=dict(os.environ, LD_PRELOAD=build + '/libgputap.so', GPUTAP_OUTPUT='m'))
peak, early, start = 0, None, time.monotonic()
while p.poll() is None and time.monotonic() < start + 4:
    own = sum(int(line.split()[1]) for line in open('/proc/%d/smaps_rollup' % p.pid) if line.startswith('Anonymous'))
    peak = max(peak, own)
    if early is None and time.monotonic() > start + 1:
        early = peak
    time.sleep(0.02)
p.kill()
print(early, peak)
P
)
size=$(du -sk m.gputap | cut -f1)
echo "own memory $early KiB after 1 s of launches, $late KiB after 4 s; trace $size KiB"
check "a longer storm takes no more memory in the program" test "$late" -lt $((early + 4096))
check "... but makes a large trace" test "$size" -gt 20000

finish
