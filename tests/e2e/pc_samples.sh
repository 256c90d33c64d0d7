#!/usr/bin/env bash
# tests/e2e/pc_samples.sh - samples of the program counter: taken, in a run of their own beside counters, shown
#
# On the stand-in machine, which writes down what it let be sampled (FAKEGPU_SAMPLES): what the trace and the reports hold is
# compared with that. It gives nothing of a kernel that still runs when sampling stops, nothing while sampling is on, and
# nothing to a process that has initialised the profiler. No figure of it means anything.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false FAKEGPU_SAMPLES=$PWD/taken
all=smsp__pcsamp_sample_count
scoreboard=smsp__pcsamp_warps_issue_stalled_long_scoreboard
sampled() { rm -f taken; traced --summary=none --cupti "$cupti" "$@"; }
complete() { grep -q 'complete: yes' t.err; }
report() { timeout 60 "$tap" report --cupti "$cupti" "$@" 2>said; }
judge() { python3 "$GPUTAP_TESTS/e2e/pc_samples_check.py" "$@"; }
dumped() { "$tap" dump t.gputap >dump 2>/dev/null; judge dump taken dump; }
reported() { "$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said && judge report taken v.ncu-rep "$GPUTAP_TESTS/../python"; }
# alter TRACE MARK: a byte behind the only place that has the mark
alter() {
	python3 - "$@" <<-'END'
		import pathlib, sys
		[(p, b, i)] = [(p, b, i) for p in pathlib.Path(sys.argv[1]).rglob("*") if p.is_file()
		               for b in [bytearray(p.read_bytes())] for i in [b.find(sys.argv[2].encode())] if i >= 0]
		b[i + 64] ^= 4
		p.write_bytes(b)
	END
}
na_because() { report --page raw t.gputap --metrics "$all" | grep -q "$all.*N/A.*$1"; }

# One run
sampled --metrics "$all" -- "$examples/vector_add"
check "the program runs as ever" status 0
check "and prints the same" grep -q '0 wrong' t.out
check "what is done is told" said 'the program counter is sampled'
check "nothing is lost" complete
check "something was sampled" [ -s taken ]
check "the trace holds what the stand-in let be sampled, and nothing else" dumped
check "so does a report file: all samples, each reason, at each instruction" reported
check "no counter was collected" [ "$(grep -c '^cuda counters' dump)" = 0 ]
check "the launch is told as a whole" grep -qE '^cuda samples [0-9]+ correlation=[0-9]+ total=[0-9]+ dropped=0 interval_cycles=4096 instructions=[0-9]+ kernel="' dump
check "info tells of it" grep -q '^samples   of the program counter of 1 launch$' <("$tap" info t.gputap)
check "no library is needed to show them" grep -q "$all.*sample .*[0-9]" <("$tap" report --cupti /nowhere/libcupti.so --page raw t.gputap 2>&1)
check "stats has their sums" grep -q "$scoreboard" <("$tap" stats -r kernel_metric_sum t.gputap 2>&1)
"$tap" run -q -f -o u --pack --summary=none --cupti "$cupti" --metrics "$all" -- "$examples/vector_add" >/dev/null 2>&1
check "a packed trace holds them too" grep -q '^cuda samples' <("$tap" dump u.gputap 2>/dev/null)
check "how often is CUPTI's choice" grep -q ' interval_cycles=4096 ' dump
for interval in 0:32 7:4096 20:33554432 26:2147483648 31:2147483648; do
	sampled --sampling-interval "${interval%:*}" --metrics "$all" -- "$examples/vector_add"
	"$tap" dump t.gputap >dump 2>/dev/null
	check "an interval of ${interval%:*} is ${interval#*:} cycles" grep -q " interval_cycles=${interval#*:} " dump
done
for wrong in 32 -1 5x 007 '' often 99999999999; do
	sampled --sampling-interval="$wrong" --metrics "$all" -- touch started
	check "an interval of '$wrong' is refused" status 125
	check "before the program starts, and it is said what may stand there" eval "[ ! -e started ] && said 'it is auto, or a number from 0 to 31'"
done
sampled --launch-count 0 --metrics "$all" -- "$examples/storm" 3 20
check "launches of several threads: each has its own" dumped
check "all sixty of them" [ "$(grep -c '^cuda samples' dump)" = 60 ]
sampled --kernel-name nothing --metrics "$all" -- "$examples/vector_add"
check "what was not chosen is not sampled" [ ! -e taken ]
FAKEGPU_FAULTS=samples-pages=2 sampled --metrics "$all" -- "$examples/vector_add"
check "samples that come in several portions are all there" dumped
sampled --launch-count 0 --metrics "$all" -- "$examples/graphs"
check "graphs are sampled as one, and what is captured is left alone" dumped
check "the program's own work is right" status 0

# What is lost
FAKEGPU_FAULTS=samples-dropped=7 sampled --metrics "$all" -- "$examples/vector_add"
check "samples that the device dropped are counted" said 'complete: no (7 samples of the program counter lost'
check "the others are there" dumped
FAKEGPU_FAULTS=samples-full sampled --metrics "$all" -- "$examples/vector_add"
check "a device whose buffer is full: the launch is counted as lost" said 'complete: no (1 .*were not collected'
check "a note says why" said "the device's buffer of samples was full"
check "the value is N/A, and says so" na_because 'buffer of samples was full'
FAKEGPU_FAULTS=counters-no-permission sampled --metrics "$all" -- "$examples/vector_add"
check "without permission the program runs" status 0
check "in a line that says what to do" said 'no samples of the program counter: the driver allows them to administrators only'
check "it is counted" said 'complete: no'
FAKEGPU_FAULTS=counters-unsupported sampled --metrics "$all" -- "$examples/vector_add"
check "a device that cannot be sampled is told" said 'no samples of the program counter: CUPTI cannot count on a device'
FAKEGPU_FAULTS=slow-kernels=4000 sampled --replay-timeout 200ms --metrics "$all" -- "$examples/vector_add"
check "a kernel that is not over within the time limit: sampling ends, and that is told" said 'counting has ended: a launch did not come back'
check "the program goes on, and its kernel too" grep -q '0 wrong' t.out
check "that launch has no samples" [ "$("$tap" dump t.gputap 2>/dev/null | grep -c '^cuda samples')" = 0 ]
check "it is counted as lost" said 'complete: no (1 .*were not collected'
rm -f taken
FAKEGPU_FAULTS=launch-fails=1 sampled --metrics "$all" -- "$examples/vector_add"
check "a launch that fails leaves nothing" [ ! -e taken ]

# Functions that a kernel calls
FAKEGPU_FAULTS=code-calls sampled --section SourceCounters --reruns -- "$GPUTAP_BUILD/tests/e2e/cuda_contexts"
check "of a kernel that calls others, these are sampled with it" dumped
report --page source --csv t.gputap >rows
check "and the source page has each function's lines" judge calls taken rows called_too everywhere called

# Kernels that are over before a sample of them is taken, behind others
printf '%s\n' '*_HotSpots *@* 10' '* *@* 0' >values
export FAKEGPU_VALUES=$PWD/values
sampled --launch-count 0 --metrics "$all" -- "$GPUTAP_BUILD/tests/e2e/cuda_deserve" counters
check "launches of which nothing was sampled: nothing is lost" complete
check "two kernels have samples, the same as the stand-in's" dumped
check "each of the others is there with none" [ "$(grep -c '^cuda samples .* total=0 .*instructions=0 ' dump)" = 16 ]
check "their value is 0" [ "$(report --page raw --csv --launch-count 0 --metrics "$all" t.gputap | grep -c ',"0"$')" = 16 ]
sampled --reruns --launch-count 0 --metrics "sm__cycles_active.avg,$all" -- "$GPUTAP_BUILD/tests/e2e/cuda_deserve" counters
check "in a run of their own it is so too" complete
unset FAKEGPU_VALUES

# Samples that are no longer as they were recorded
sampled --metrics "$all" -- "$examples/vector_add"
check "samples that were altered in the trace are counted as lost" [ "$(alter t.gputap GTAPPCS1; "$tap" info t.gputap 2>&1 | grep -c '^complete: no (1 kernel.* not collected)$')" = 1 ]
check "and have no value" na_because 'damaged'

# Beside counters
sampled --metrics "sm__cycles_active.avg,$all" -- "$examples/vector_add"
check "beside counters it takes a run of its own, and that is told" said 'takes a run of the program of its own (--reruns)'
check "without it nothing is sampled" [ ! -e taken ]
check "and the value is N/A" na_because 'not sampled'
check "plan says how many runs it takes" grep -q 'runs of the program: 2' <("$tap" plan --cupti "$cupti" --chip GH100 --metrics "sm__cycles_active.avg,$all" 2>&1)
sampled --reruns --metrics "sm__cycles_active.avg,$all" -- "$examples/vector_add"
check "with --reruns there are two runs" said 'run 2 of 2 of the program'
check "the output is the first run's, and once" [ "$(cat t.out)" = "vector_add: 1000 values, 0 wrong" ]
check "nothing is lost then" complete
check "the samples are those of the second run" judge report taken <("$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap; cat v.ncu-rep) "$GPUTAP_TESTS/../python"
check "the counters are there beside them" grep -q 'sm__cycles_active.avg.*[0-9]' <(report --page raw t.gputap)
check "no trace of the second run is left" [ -z "$(ls -d t.run* 2>/dev/null)" ]
"$tap" dump t.gputap >dump 2>/dev/null
check "dump says which run it was" grep -q '^cuda samples .* run=2 ' dump
check "info names that run beside the counters" grep -qx 'run 2     samples of the program counter of 1 launch' <("$tap" info t.gputap)
check "so does its JSON" grep -q '"runs":\[{"run":2,"of":"samples","launches":1}\]' <("$tap" info --json t.gputap)
FAKEGPU_FAULTS=counters-nodes sampled --reruns --kernel-name graph --launch-skip 10 --metrics "sm__cycles_active.avg,$all" -- "$examples/graphs"
check "where the kernels of a graph are told apart, its samples are of none of them, and N/A says so" na_because 'its graph was sampled as a whole'
metrics=$(printf 'sm__part_%02d.sum,' {1..20})$all               # three passes
sampled --reruns --replay-mode=application --metrics "$metrics" -- "$examples/vector_add"
check "with application replay it is the last run" said 'run 4 of 4 of the program'
check "info names each" [ "$("$tap" info t.gputap | grep '^run ')" = "run 2     counters of 1 launch, pass 2
run 3     counters of 1 launch, pass 3
run 4     samples of the program counter of 1 launch" ]
check "and nothing is lost" complete
check "the samples are there" grep -q "$all.*sample .*[0-9]" <(report --page raw t.gputap)
FAKEGPU_FAULTS=samples-dropped=9 sampled --reruns --metrics "sm__cycles_active.avg,$all" -- "$examples/vector_add"
check "what the second run's device dropped is counted in the first one's trace" said 'complete: no (9 samples of the program counter lost'
launching_less 4
sampled --reruns --launch-count 0 --metrics "sm__cycles_active.avg,$all" -- ./other "$examples/storm"
check "launches that the second run does not make have no samples, and a note names them" said 'run 2 of the program did not make launch 3 of .*: the samples of that launch'
check "they are counted" said 'complete: no (2 .*were not collected'
runs_cut

# Sections and rules
sampled --section SourceCounters --reruns -- "$examples/vector_add"
report --page source --csv t.gputap >rows
check "the source page has them by instruction" judge source taken rows
check "the section SourceCounters shows them" grep -q 'Most Samples' <(report --page details t.gputap)
sampled --section WarpStateStats --metrics "$all" --reruns -- "$examples/vector_add"
check "the section WarpStateStats shows the reasons" grep -q "^ *$scoreboard  *sample " <(report --page details t.gputap)
sampled --section WarpStateStats --reruns -- "$examples/vector_add"
check "that section alone asks for the run, by its pattern" said 'run 2 of 2 of the program'
check "and shows them" grep -q "^ *$scoreboard  *sample " <(report --page details t.gputap)
check "plan counts it" grep -q 'runs of the program: 2' <("$tap" plan --cupti "$cupti" --chip GH100 --section WarpStateStats --apply-rules=false 2>&1)
traced --summary=none --cupti "$cupti" --reruns -- "$examples/vector_add"
check "--reruns for nothing is refused" status 125
finish
