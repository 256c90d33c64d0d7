#!/usr/bin/env bash
# tests/e2e/recipes.sh - questions that the vendor's documentation of the SQLite export answers with recipes: each has rows, in both editions
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
build=$GPUTAP_BUILD here=$GPUTAP_TESTS/e2e tap=$GPUTAP_BUILD/gputap cc=${CC:-cc}
passed=0 failed=0
unset LD_PRELOAD LD_AUDIT
command -v "${cc%% *}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
[ -e "$build/tests/fakegpu/lib/libcupti.so.13" ] || { echo "skipped: the stand-in CUDA machine is not built"; exit 77; }
if nm -D --undefined-only "$build/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
$cc -std=gnu11 -O1 -g -D_GNU_SOURCE -fno-omit-frame-pointer -o busy "$here/samples/busy.c" -lpthread || exit 1
timeout 60 "$tap" run -q -f --summary=none -t osrt,sample,sched --sample-rate=1000 --callstacks=osrt --capture-output -o host -- \
	sh -c 'echo said; exec ./busy 150 20' >out 2>err
[ $? = 3 ] || { echo "FAILED: the program's status"; cat err; failed=1; }
LD_LIBRARY_PATH=$build/tests/fakegpu/lib timeout 60 "$tap" run -q -f --summary=none --callstacks=cuda --cuda-memory-usage -o gpu -- \
	"$build/examples/cuda/storm" 2 200 >out 2>err || { echo "FAILED: the program on the stand-in machine"; cat err; failed=$((failed + 1)); }
# Tracepoints: where tracefs is not mounted, in a place of our own where it is.
with=()
if [ ! -d /sys/kernel/tracing/events ] && unshare -m mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; then
	with=(unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing && exec "$@"' -)
fi
timeout 60 "${with[@]}" "$tap" run -f --summary=none --ftrace=raw_syscalls/sys_enter -t none -o kernel -- ./busy 5 20 >out 2>err
traces=(host gpu kernel)
if grep -q "no tracepoints (--ftrace)" err; then
	echo "skipped: system calls: $(grep -o "no tracepoints (--ftrace): .*" err)"
	traces=(host gpu)
fi
for edition in default 2021; do
	for trace in "${traces[@]}"; do "$tap" export -q -f -e sqlite --sqlite-schema=$edition --sqlite-counters -o $trace-$edition $trace.gputap; done
	if python3 "$here/recipes_check.py" host-$edition.sqlite gpu-$edition.sqlite $edition ${traces[2]+kernel-$edition.sqlite}; then
		echo "ok: edition $edition"
		passed=$((passed + 1))
	else
		echo "FAILED: edition $edition"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
