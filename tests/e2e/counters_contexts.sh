#!/usr/bin/env bash
# tests/e2e/counters_contexts.sh - kernels are counted on every device and in every context, by turns and by threads of their own
#
# On the stand-in machine with three devices. As with the real library one context at a time can be profiled, so a session ends
# where the next launch is in another one.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false FAKEGPU_DEVICES=3 FAKEGPU_SAMPLES=$PWD/samples FAKEGPU_SASS=$PWD/counts
counters=$(printf 'sm__part_%02d.sum,' {1..20} | sed 's/,$//')     # three passes
# counted HOW OPTION...: 3 launches in turns or 10 by a thread, in each of 4 contexts
counted() { rm -f samples counts; traced --summary=none --cupti "$cupti" --launch-count 0 "${@:2}" -- "$GPUTAP_BUILD/tests/e2e/cuda_contexts" "$1"; }
whole() { status 0 && grep -q 'complete: yes' t.err && [ "$(cat t.out)" = "4 contexts" ]; }
# values_are EACH: so many launches of each of the contexts have the value of their size (one block of 32 threads more in each)
values_are() { timeout 60 "$tap" report --cupti "$cupti" --page raw --csv --launch-count 0 t.gputap 2>said | python3 -c '
import collections, csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["ID"]]
have = collections.Counter((r["Device"], r["Grid Size"], r["sm__part_20.sum"].replace(",", "")) for r in rows)
name = sum(map(ord, "sm__part_20.sum"))
want = {(str(i % 3), "(%d, 1, 1)" % (i + 1), str(name + 32 * (i + 1))): int(sys.argv[1]) for i in range(4)}
sys.exit(0 if have == want else "%s" % have)' "$1"; }
dumped() { "$tap" dump t.gputap >dump 2>/dev/null; [ "$(grep -c "^cuda $1 " dump)" = "$2" ]; }

for how in turns:3 threads:10; do
	each=${how#*:} how=${how%:*}
	counted "$how" --metrics "$counters"
	check "$how: counters, and nothing is lost" whole
	check "$how: each launch has its own" values_are "$each"
	counted "$how" --metrics "$counters" --replay-mode=application --reruns
	check "$how: in several runs of the program too" whole
	check "$how: ... each its own" values_are "$each"
	counted "$how" --metrics smsp__pcsamp_sample_count
	check "$how: samples of the program counter" whole
	check "$how: ... of every launch" dumped samples $((4 * each))
	check "$how: ... as they were taken" python3 "$GPUTAP_TESTS/e2e/pc_samples_check.py" dump samples dump
	counted "$how" --metrics inst_executed
	check "$how: counts of instructions" whole
	check "$how: ... of every launch" dumped sass $((4 * each))
	check "$how: ... as they were taken" python3 "$GPUTAP_TESTS/e2e/sass_counts_check.py" dump counts dump
	counted "$how" --metrics pmsampling:sm__cycles_active.avg
	check "$how: samples of performance monitors" whole
	check "$how: ... of every launch" dumped pm_samples $((4 * each))
done
finish
