#!/usr/bin/env bash
# tests/fakegpu/nvcc.sh - programs of tests/gpu, compiled by nvcc, do what they should on the stand-in machine
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/fakegpu/gpu_lib.sh
. "$GPUTAP_TESTS/fakegpu/gpu_lib.sh"
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
[ -n "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; }
for p in storm cost leave; do
	"$nvcc" -O1 -std=c++17 -arch=sm_90 -cudart none -o $p "$GPUTAP_TESTS/gpu/$p.cu" \
		-Xlinker "$stand_in/lib/libcudart.so.13" -Xlinker "$stand_in/lib/libcuda.so.1" >$p.log 2>&1 &
done
wait
export LD_LIBRARY_PATH=$stand_in/lib
judged() { python3 "$GPUTAP_TESTS/gpu/check.py" t.gputap t.out >t.said; }
kernels() { "$GPUTAP_BUILD/gputap" dump --json t.gputap 2>/dev/null | grep '"type":"cuda_kernel"'; }
traced() { timeout 60 "$GPUTAP_BUILD/gputap" run -q -f -o t -- "$@" >t.out 2>t.err; }
check "they are compiled" test -x storm -a -x cost -a -x leave
cat ./*.log
traced ./storm 4 500
check "kernels of four threads compute what they should under the tool" has '^storm: right$' t.out
check "... and the trace has all that the program counted" judged
check "... under their names" test "$(kernels | grep -c '"short_name":"add_one"')" = 2000
traced ./leave _exit
check "launches that nobody waits for are all in the trace" test "$(kernels | grep -c .)" = 1000
for what in launch graph copy query; do
	./cost $what 2 3000 >cost.out
	check "cost $what: best, median, mean and 99 % are numbers in their order" \
		awk '{ for (i = 2; i <= 5; i++) { split($i, a, "="); v[a[1]] = a[2] } }
		END { exit !(v["best"] && v["best"] <= v["median"] && v["best"] <= v["mean"] && v["p99"]) }' cost.out
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
