#!/usr/bin/env bash
# tests/e2e/pm_samples.sh - samples of performance monitors: taken, in runs of their own beside counters, shown
#
# On the stand-in machine, which writes down what samples it gave away and which kernels ran meanwhile (FAKEGPU_PM): what the
# trace and the reports hold is compared with that. No figure of it means anything.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false FAKEGPU_PM=$PWD/taken
active=sm__cycles_active.avg
sampled() { rm -f taken; traced --summary=none --cupti "$cupti" "$@"; }
complete() { grep -q 'complete: yes' t.err; }
report() { timeout 60 "$tap" report --cupti "$cupti" "$@" 2>said; }
judge() { python3 "$GPUTAP_TESTS/e2e/pm_samples_check.py" "$@"; }
dumped() { "$tap" dump t.gputap >dump 2>/dev/null; judge dump taken dump; }
# reported METRIC...: with the samples of the kernel's time, and their whole
reported() { "$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said && judge report taken v.ncu-rep "$GPUTAP_TESTS/../python" "$@"; }
na_because() { report --page raw t.gputap --metrics "pmsampling:$active" | grep -q "pmsampling:$active.*N/A.*$1"; }
pms() { printf 'pmsampling:%s,' "$@" | sed 's/,$//'; }
all_of() { grep -c '^cuda pm_samples' dump; }

# One run
FAKEGPU_FAULTS=slow-kernels=2 sampled --metrics "$(pms $active)" -- "$examples/vector_add"
check "the program runs as ever" status 0
check "and prints the same" grep -q '0 wrong' t.out
check "what is done is told" said 'performance monitors are sampled'
check "nothing is lost" complete
check "something was sampled" grep -q '^sample' taken
check "the trace holds the samples that the stand-in gave away, and no others" dumped
check "a report file has those of the kernel's time, with their values" reported $active
check "no counter was collected" [ "$(grep -c '^cuda counters' dump)" = 0 ]
check "the launch is told as a whole" grep -qE '^cuda pm_samples [0-9]+ correlation=[0-9]+ plan=0 state="whole" samples=[0-9]+ images=[0-9]+ interval_ns=2000 begin_ns=[0-9]+ end_ns=[0-9]+ kernel="' dump
check "info tells of it" grep -q '^samples   of performance monitors of 1 launch$' <("$tap" info t.gputap)
check "the raw page shows the whole" grep -q "pmsampling:$active.*stand-in .*[0-9]" <(report --page raw t.gputap)
check "and how often it was" grep -q 'profiler__pmsampler_interval_time  *ns  *2,000' <(report --page raw t.gputap --metrics profiler__pmsampler_interval_time)
check "without the host library it is N/A, and says so" grep -q "pmsampling:$active.*N/A.*host library" <("$tap" report --cupti /nowhere/libcupti.so --page raw t.gputap 2>&1)
FAKEGPU_FAULTS=slow-kernels=500 sampled --pm-sampling-interval 100000 --metrics "$(pms $active)" -- "$examples/vector_add"
check "samples were fetched while the kernel ran: the device's buffer may be small" [ "$(awk '$1 == "fetches" { print ($2 > 1) }' taken)" = 1 ]
FAKEGPU_FAULTS=slow-kernels=2,pm-slow=3000 sampled --metrics "$(pms $active)" -- "$examples/vector_add"
check "they come faster than they are fetched: the kernel's end is seen all the same, and no more is kept than there is room for" complete
check "and its samples are all there" reported $active
FAKEGPU_FAULTS=slow-kernels=40,clock-rate=200 sampled --metrics "$(pms $active)" -- "$examples/vector_add"
check "a clock that goes at another rate than the session's: they are the kernel's all the same" reported $active
"$tap" run -q -f -o u --pack --summary=none --cupti "$cupti" --metrics "$(pms $active)" -- "$examples/vector_add" >/dev/null 2>&1
check "a packed trace holds them too" grep -q '^cuda pm_samples' <("$tap" dump u.gputap 2>/dev/null)
FAKEGPU_FAULTS=slow-kernels=2 sampled --metrics "$(pms sm__a.sum sm__b.max sm__c.avg.per_second)" -- "$examples/vector_add"
check "counters add up, the most is the most, rates are averaged" reported sm__a.sum sm__b.max sm__c.avg.per_second
"$tap" export -q -f -e perfetto --cupti "$cupti" -o p t.gputap 2>said
python3 "$GPUTAP_TESTS/golden/perfetto_dump.py" p.pftrace >shown
check "Perfetto has a counter for each metric, with the samples' values, and 0 behind the last" judge counters taken shown sm__a.sum sm__b.max sm__c.avg.per_second
in_sqlite() { "$tap" export -q -f -e sqlite --cupti "$cupti" -o s "${@:2}" t.gputap 2>said && eval "judge sqlite taken s.sqlite $1"; }
check "SQLite has a row for each sample, at its time" in_sqlite 'sm__a.sum sm__b.max sm__c.avg.per_second'
rows_of() { "$tap" export -q -f -e sqlite --cupti "$cupti" -o s "${@:2}" t.gputap 2>said && python3 -c 'import sqlite3, sys
print(*sqlite3.connect("s.sqlite").execute(sys.argv[1]).fetchone())' "$1"; }
check "in the window alone" [ "$(rows_of 'SELECT count(*) FROM GPU_METRICS' --lazy=false --to 1ns)" = 0 ]
check "the older edition has no such table" [ "$(rows_of "SELECT count(*) FROM sqlite_master WHERE name LIKE '%GPU_METRICS'" --lazy=false --sqlite-schema 2021)" = 0 ]
check "stats has their whole, as the report has it" env GPUTAP_CUPTI="$cupti" python3 "$GPUTAP_TESTS/e2e/metric_sum_check.py" "$tap" t.gputap pmsampling:sm__a.sum pmsampling:sm__b.max pmsampling:sm__c.avg.per_second
FAKEGPU_FAULTS=pm-small=3,slow-kernels=1 sampled --metrics "$(pms $active)" -- "$examples/vector_add"
check "images of three samples: one behind another" [ "$(awk '/^sample/ { n++ } END { print int((n + 2) / 3) }' taken)" = "$("$tap" dump t.gputap 2>/dev/null | sed -nE 's/^cuda pm_samples .* images=([0-9]+) .*/\1/p')" ]
check "and none is missing" reported $active
sampled --launch-count 0 --metrics "$(pms $active)" -- "$examples/storm" 3 20
check "launches of several threads: each has its own" dumped
check "all sixty of them" [ "$(all_of)" = 60 ]
sampled --kernel-name nothing --metrics "$(pms $active)" -- "$examples/vector_add"
check "what was not chosen is not sampled" [ ! -e taken ]
sampled --launch-count 0 --metrics "$(pms $active)" -- "$examples/graphs"
check "graphs are sampled as one, and what is captured is left alone" dumped
check "the program's own work is right" status 0

# How often, and into what
sampled --pm-sampling-interval 7000 --pm-sampling-buffer-size 1M --metrics "$(pms $active)" -- "$examples/vector_add"
check "the interval is the one that was asked for" grep -q ' interval_ns=7000 ' <("$tap" dump t.gputap 2>/dev/null)
check "so is the buffer" grep -q 'profiler__pmsampler_buffer_size_bytes  *byte  *1,048,576' <(report --page raw t.gputap --metrics profiler__pmsampler_buffer_size_bytes)
for chip in GA100 TU102; do
	FAKEGPU_CHIP=$chip sampled --metrics "$(pms $active)" -- "$examples/vector_add"
	check "$chip has no clock for it: the interval is one of cycles" grep -q ' interval_cycles=20000 ' <("$tap" dump t.gputap 2>/dev/null)
done
FAKEGPU_CHIP=GA100 sampled --chip GH100 --metrics "$(pms $active)" -- "$examples/vector_add"
check "another chip than the one that was planned for is told" said 'no samples of performance monitors: they were planned for another chip'

# What is lost
lost_because() {
	FAKEGPU_FAULTS=$1 sampled --metrics "$(pms $active)" -- "$examples/vector_add"
	check "$1: the program runs" grep -q '0 wrong' t.out
	check "$1: it is said why" said "$2"
	check "$1: and counted" said 'complete: no (1 '
}
lost_because counters-no-permission 'no samples of performance monitors: the driver allows them to administrators only'
lost_because counters-unsupported 'no samples of performance monitors: CUPTI cannot count on a device'
lost_because pm-busy 'no samples of performance monitors: another tool holds'
check "pm-busy: the value is N/A" na_because 'not sampled'
lost_because pm-overflow=0 "missing: the device's buffer was full: a longer --pm-sampling-interval"
check "pm-overflow: N/A says so" na_because "buffer of samples was full"
lost_because pm-small=1,slow-kernels=40 'missing: there are more of a launch than are kept: a longer --pm-sampling-interval'
check "more than are kept: N/A says so" na_because "more samples than a trace keeps of a launch"
lost_because pm-decode-fails 'missing: cuptiPmSamplingDecodeData answered CUPTI_ERROR_'
check "pm-decode-fails: N/A says so" na_because 'CUPTI did not give'
FAKEGPU_FAULTS=pm-other-clock=100 sampled --metrics "$(pms $active)" -- "$examples/vector_add"
check "samples in another clock are no kernel's" na_because "clock is not that of CUPTI's activities"
FAKEGPU_FAULTS=launch-fails=1 sampled --metrics "$(pms $active)" -- "$examples/vector_add"
check "a launch that fails leaves nothing" [ "$("$tap" dump t.gputap 2>/dev/null | grep -c '^cuda pm_samples')" = 0 ]
FAKEGPU_FAULTS=slow-kernels=4000 sampled --replay-timeout 200ms --metrics "$(pms $active)" -- "$examples/vector_add"
check "a kernel that is not over within the time limit: sampling ends, and that is told" said 'counting has ended: a launch did not come back'
check "the program goes on, and its kernel too" grep -q '0 wrong' t.out
check "it is counted as lost" said 'complete: no (1 .*were not collected'
sampled --metrics "$(pms $active)" -- env GPUTAP_CUPTI="$gpu/v24/libcupti.so.12" LD_LIBRARY_PATH="$gpu/v24:$gpu/lib" "$examples/vector_add"
check "a CUPTI that cannot sample is told" said 'this CUPTI (version 24) has no cuptiPmSamplingEnable'
check "and the program runs" grep -q '0 wrong' t.out
traced --summary=none --cupti "$gpu/v24/libcupti.so.12" --section PmSampling -- "$examples/vector_add"
check "a host library that knows no sampling: nothing is sampled, and that is told" said 'performance monitors are not sampled: GH100: this chip cannot do it'
sampled --metrics "$(pms none__such.sum)" -- "$examples/vector_add"
check "a metric that is not there is refused before the program starts" status 125

# Several runs: the stand-in samples four metrics together
five=$(pms sm__a.sum sm__b.sum sm__c.sum sm__d.sum sm__e.sum)
check "plan says how many runs metrics take" grep -q 'runs of the program: 2' <("$tap" plan --cupti "$cupti" --chip GH100 --metrics "$five" 2>&1)
sampled --metrics "$five" -- "$examples/vector_add"
check "without --reruns some are sampled" reported sm__a.sum
check "and of the others it is said" said 'the others take runs of the program of their own'
check "they are N/A" grep -q 'pmsampling:sm__e.sum.*N/A' <(report --page raw t.gputap --metrics pmsampling:sm__e.sum)
FAKEGPU_FAULTS=slow-kernels=1 sampled --reruns --metrics "$five" -- "$examples/vector_add"
check "with --reruns there are two runs" said 'run 2 of 2 of the program'
check "the output is the first run's, and once" [ "$(cat t.out)" = "vector_add: 1000 values, 0 wrong" ]
check "nothing is lost then" complete
check "each metric has the samples of its own run's kernel" reported sm__a.sum sm__b.sum sm__c.sum sm__d.sum sm__e.sum
check "SQLite has those of the second run at this run's launch" in_sqlite 'sm__a.sum sm__b.sum sm__c.sum sm__d.sum "sm__e.sum (run 2)"'
"$tap" export -q -f -e perfetto --cupti "$cupti" -o p t.gputap 2>said
python3 "$GPUTAP_TESTS/golden/perfetto_dump.py" p.pftrace >shown
check "Perfetto has them on a track that names the run" judge counters taken shown sm__a.sum sm__d.sum "sm__e.sum (run 2)"
check "no trace of the second run is left" [ -z "$(ls -d t.run* 2>/dev/null)" ]
check "info names that run" grep -qx 'run 2     samples of performance monitors of 1 launch' <("$tap" info t.gputap)
check "so does its JSON" grep -q '"runs":\[{"run":2,"of":"pm_samples","launches":1}\]' <("$tap" info --json t.gputap)
"$tap" dump t.gputap >dump 2>/dev/null
check "dump says which run it was" grep -q '^cuda pm_samples .* run=2 ' dump
for cut in 200 $(($(stat -c %s t.gputap/passes) - 1)); do
	cp -r t.gputap cut.gputap
	truncate -s "$cut" cut.gputap/passes
	check "the file of the runs cut to $cut bytes: the first run's samples are there, the others N/A" eval 'report --page raw cut.gputap >page; grep -q "pmsampling:sm__a.sum.*[0-9]" page && ! grep -q "pmsampling:sm__e.sum.*stand-in  *[0-9]" page'
	rm -r cut.gputap
done
sampled --reruns --pm-sampling-max-passes 1 --metrics "$five" -- "$examples/vector_add"
check "one run at most: a metric is left out" said 'pmsampling:sm__e.sum is not sampled: it would take one run more'
check "and the program runs once" eval '! said "run 2 of"'
sampled --metrics "sm__cycles_active.avg,$(pms $active)" -- "$examples/vector_add"
check "beside counters it takes a run of its own, and that is told" said 'performance monitors are not sampled: it takes a run of the program of its own (--reruns)'
sampled --reruns --metrics "sm__cycles_active.avg,smsp__pcsamp_sample_count,$(pms $active)" -- "$examples/vector_add"
check "counters, the program counter and performance monitors: three runs" said 'run 3 of 3 of the program'
check "nothing is lost" complete
check "the counters are there" grep -q ' sm__cycles_active.avg.*[0-9]' <(report --page raw t.gputap)
check "the samples of the program counter too" grep -q 'smsp__pcsamp_sample_count.*[1-9]' <(report --page raw t.gputap)
check "and those of performance monitors" grep -q "pmsampling:$active.*[1-9]" <(report --page raw t.gputap)
launching_less 4
sampled --reruns --launch-count 0 --metrics "sm__cycles_active.avg,$(pms $active)" -- ./other "$examples/storm"
check "launches that the second run does not make have none, and a note names them" said 'run 2 of the program did not make launch 3 of .*: the samples of performance monitors of that launch'
check "they are counted" said 'complete: no (2 .*were not collected'

# The section
FAKEGPU_FAULTS=slow-kernels=1 sampled --reruns --set pmsampling -- "$examples/vector_add"
report --set pmsampling t.gputap >page
check "the section PmSampling shows a line for each metric" [ "$(grep -cE '^ +[A-Za-z0-9 ]+ \|@+\| up to [0-9]+, [0-9]+ values$' page)" = 9 ]
printf '%s\n' '* *dram* nan' >values
FAKEGPU_VALUES=$PWD/values FAKEGPU_FAULTS=slow-kernels=1 sampled --reruns --set pmsampling -- "$examples/vector_add"
FAKEGPU_VALUES=$PWD/values report --set pmsampling t.gputap >page
check "samples without a value are no line of zeros" [ "$(grep -cE '^ +DRAM (Reads|Writes) +N/A +the device counted none' page)" = 2 ]
check "the others have theirs" [ "$(grep -cE '^ +[A-Za-z0-9 ]+ \|@+\| up to [0-9]+, [0-9]+ values$' page)" = 7 ]
traced --summary=none --cupti "$cupti" --replay-mode=range --metrics "$(pms $active)" -- "$examples/vector_add"
check "with ranges nothing is sampled" said 'performance monitors are not sampled: launches are, and ranges are counted'
finish
