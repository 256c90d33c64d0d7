#!/usr/bin/env bash
# tests/e2e/sass_counts.sh - counts by instruction, of instrumented code: taken, in a run of their own beside others, shown
#
# On the stand-in machine, which writes down what it let be counted (FAKEGPU_SASS): what the trace and the reports hold is
# compared with that. It gives nothing of a kernel that still runs, nothing behind the end of the instrumentation, and wants
# the profiler initialised and a device configured once. No figure of it means anything.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false FAKEGPU_SASS=$PWD/taken
metrics=inst_executed,thread_inst_executed,branch_inst_executed,memory_l2_theoretical_sectors_global
counted() { rm -f taken; traced --summary=none --cupti "$cupti" "$@"; }
complete() { grep -q 'complete: yes' t.err; }
report() { timeout 60 "$tap" report --cupti "$cupti" "$@" 2>said; }
judge() { python3 "$GPUTAP_TESTS/e2e/sass_counts_check.py" "$@"; }
dumped() { "$tap" dump t.gputap >dump 2>/dev/null; judge dump taken dump; }
reported() { "$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said && judge report taken v.ncu-rep "$GPUTAP_TESTS/../python"; }
na_because() { report --page raw t.gputap --metrics inst_executed | grep -q "inst_executed.*N/A.*$1"; }
plan() { "$tap" plan --cupti "$cupti" --chip GH100 "$@" 2>&1; }

# One run
counted --metrics "$metrics" -- "$examples/vector_add"
check "the program runs as ever" status 0
check "and prints the same" grep -q '0 wrong' t.out
check "what is done is told" said 'instructions are counted, in code that CUPTI instruments'
check "nothing is lost" complete
check "something was counted" [ -s taken ]
check "the trace holds what the stand-in let be counted, beyond 32 bits, and nothing else" dumped
check "so does a report file: the sum of each metric, and its value at each instruction" reported
check "stats has their sums" judge stats taken <("$tap" stats --format csv -r kernel_metric_sum t.gputap 2>/dev/null)
check "no counter was collected" [ "$(grep -c '^cuda counters' dump)" = 0 ]
check "the launch is told as a whole" grep -qE '^cuda sass [0-9]+ correlation=[0-9]+ instructions=6 metrics=4 kernel="vector_add"$' dump
check "info tells of it" grep -q '^counts    of instructions of 1 launch$' <("$tap" info t.gputap)
check "no library is needed to show them" grep -q "inst_executed  *inst .*[0-9]" <("$tap" report --cupti /nowhere/libcupti.so --page raw t.gputap 2>&1)
"$tap" run -q -f -o u --pack --summary=none --cupti "$cupti" --metrics "$metrics" -- "$examples/vector_add" >/dev/null 2>&1
check "a packed trace holds them too" grep -q '^cuda sass_count' <("$tap" dump u.gputap 2>/dev/null)
counted --metrics smsp__sass_inst_executed,inst_executed -- "$examples/vector_add"
check "CUPTI's own names are taken, and one metric under two names is counted once" complete
check "each name has it" [ "$("$tap" dump t.gputap 2>/dev/null | grep -c '^cuda sass_count .*offset=0 metric="\(smsp__sass_\)\?inst_executed" value=8589934592$')" = 2 ]
check "with a rollup it is a counter of the range profiler" grep -q '^ *SASS  *1 .*kernel replay' <(plan --metrics smsp__sass_inst_executed.sum)
check "without one it is counted by instruction" grep -q '^ *source counters  *1 ' <(plan --metrics smsp__sass_inst_executed)
counted --launch-count 0 --metrics "$metrics" -- "$examples/storm" 3 20
check "launches of several threads: each has its own" dumped
check "all sixty of them" [ "$(grep -c '^cuda sass ' dump)" = 60 ]
counted --kernel-name nothing --metrics "$metrics" -- "$examples/vector_add"
check "what was not chosen is not counted" [ ! -e taken ]
FAKEGPU_FAULTS=sass-parts=3 counted --metrics "$metrics" -- "$examples/vector_add"
check "values of several parts of the device add up" dumped
FAKEGPU_FAULTS=code-calls counted --metrics "$metrics" -- "$GPUTAP_BUILD/tests/e2e/cuda_contexts"
check "of a kernel that calls others, their instructions are counted with it" dumped
check "the launch has those of three functions" [ "$(grep '^cuda sass_count' dump | grep -o 'function="[a-z_]*"' | sort -u | wc -l)" = 3 ]
counted --launch-count 0 --metrics "$metrics" -- "$examples/graphs"
check "graphs are instrumented as one, and what is captured is left alone" dumped
check "the program's own work is right" status 0

# Sums by opcode: of a program that prints as nvdisasm does, of the six instructions that the kernel has on the stand-in
mkdir -p tools
cat >tools/nvdisasm <<'END'
#!/bin/sh
[ "$1" = -c ] && [ "$(head -c 4 "$2" | tail -c 3)" = ELF ] || exit 1
printf '.text.vector_add:\n'
printf '        /*%s*/   %s ;\n' 0000 'LDG.E R2, [R2]' 0010 'LDG.E.64 R4, [R4]' 0020 'FADD R2, R2, R4' 0030 '@P0 BRA `(.L_1)' 0040 'STG.E [R6], R2' 0050 EXIT
END
chmod +x tools/nvdisasm
by_opcode=sass__inst_executed_per_opcode
opcodes="$by_opcode,${by_opcode}_with_modifier_all,sass__thread_inst_executed_true_per_opcode"
with_tools() { PATH=$PWD/tools:$PATH "$@"; }
opcodes_are() { "$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said && judge opcodes taken v.ncu-rep "$GPUTAP_TESTS/../python"; }
counted --metrics "$opcodes" -- "$examples/vector_add"
check "by opcode: nothing is lost" complete
check "two counts of the run are enough for them" [ "$(cut -d' ' -f4 taken | sort -u | wc -l)" = 2 ]
check "without nvdisasm they are N/A, and that is the reason" grep -q "$by_opcode .*N/A  *nvdisasm, which names opcodes, is not installed" <(CUDA_HOME='' CUDA_PATH='' PATH=$PWD/none:/usr/bin:/bin report --page raw t.gputap)
check "with it a report has the sum of each opcode, and of each with its modifiers" with_tools opcodes_are
check "the section InstructionStats shows them" grep -qE '^ +LDG +[0-9,]+ \|#+$' <(with_tools report --section InstructionStats t.gputap)
printf '#!/bin/sh\nexit 1\n' >tools/nvdisasm
check "where it fails they are N/A" grep -q "$by_opcode .*N/A  *nvdisasm failed" <(with_tools report --page raw t.gputap)
printf '#!/bin/sh\nprintf ".text.vector_add:\\n/*0000*/ EXIT ;\\n"\n' >tools/nvdisasm
check "where it leaves something out too" grep -q "$by_opcode .*N/A  *nvdisasm does not show all" <(with_tools report --page raw t.gputap)
counted --binaries=false --metrics "$opcodes" -- "$examples/vector_add"
check "and where the code is not in the trace" grep -q "$by_opcode .*N/A  *the code of the kernel's module" <(with_tools report --page raw t.gputap)

# What CUPTI does not have
counted --metrics inst_executed,memory_l1_tag_requests_global -- "$examples/vector_add"
check "a metric that the chip lacks is N/A, and says so" grep -q 'memory_l1_tag_requests_global .*N/A  *CUPTI has no such count of instructions for this chip' <(report --page raw t.gputap)
check "the other has its value" grep -q ' inst_executed  *inst .*[0-9]' <(report --page raw t.gputap)
check "and nothing counts as lost" complete
counted --metrics memory_l1_tag_requests_global -- "$examples/vector_add"
check "where the chip has none of them one line says so" said 'no counts of instructions: cuptiSassMetricsGetProperties'
check "the program runs all the same" status 0
counted --metrics sass__block_histogram -- "$examples/vector_add"
check "counts that CUPTI has none of are not collected, and that is told" said 'some counts of instrumented code are not collected'
check "nothing was instrumented for them" [ ! -e taken ]
counted --metrics no_such -- "$examples/vector_add"
check "a name that no metric has is told before the program runs" said 'no metric of the name no_such is known'
report --page raw --metrics no_such t.gputap >/dev/null
check "and the report says it too, not that a run is missing" grep -q "no_such .*no metric of this name is known" said

# What is lost
FAKEGPU_FAULTS=sass-flush-fails counted --metrics "$metrics" -- "$examples/vector_add"
check "counts that CUPTI does not give: the launch counts as lost" said 'complete: no (1 .*were not collected'
check "a note says why" said 'cuptiSassMetricsFlushData answered CUPTI_ERROR_'
check "the value is N/A, and says so" na_because 'CUPTI did not give the counts'
FAKEGPU_FAULTS=sass-many counted --metrics "$metrics" -- "$examples/vector_add"
check "too many instructions: the launch counts as lost" said 'complete: no (1 .*were not collected'
check "a note says why" said 'more instructions than there is room for'
check "the value is N/A, and says so" na_because 'more instructions than there is room for'
check "dump says how many were left out" grep -q '^cuda sass .*state=1 instructions=0 .*left_out=1099511627776 ' <("$tap" dump t.gputap 2>/dev/null)
FAKEGPU_FAULTS=sass-dropped=7 counted --metrics "$metrics" -- "$examples/vector_add"
check "counts that CUPTI dropped: a part of a sum is none" na_because 'more instructions than there is room for'
check "it counts as lost" said 'complete: no (1 .*were not collected'
for fault in counters-no-permission:'the driver allows them to administrators only' counters-unsupported:'CUPTI cannot count on a device' \
	sass-refused:cuptiSassMetricsEnable sass-chip:cuptiSassMetricsGetProperties; do
	FAKEGPU_FAULTS=${fault%%:*} counted --metrics "$metrics" -- "$examples/vector_add"
	check "${fault%%:*}: the program runs" status 0
	check "${fault%%:*}: a line says why nothing is counted" said "no counts of instructions: ${fault#*:}"
	check "${fault%%:*}: it counts as lost" said 'complete: no'
	check "${fault%%:*}: the value is N/A" na_because 'was not made'
done
LD_LIBRARY_PATH=$gpu/v21:$gpu/lib traced --summary=none --cupti "$gpu/v21/libcupti.so.12" --metrics "$metrics" -- "$examples/vector_add"
check "an older CUPTI lacks it, and that is told" said 'no counts of instructions: this CUPTI (version 21) has no cuptiSassMetrics'
FAKEGPU_FAULTS=launch-fails=1 counted --metrics "$metrics" -- "$examples/vector_add"
check "a launch that fails leaves nothing" [ ! -e taken ]
FAKEGPU_FAULTS=slow-kernels=4000 counted --replay-timeout 200ms --metrics "$metrics" -- "$examples/vector_add"
check "a kernel that is not done within the time limit has none" [ ! -e taken ]
check "and that is told" said 'counting has ended'
FAKEGPU_FAULTS=sass-late counted --launch-count 0 --metrics "$metrics" -- "$examples/storm" 1 20
check "code that is not instrumented in time for its own launch is in time for the next one" [ "$("$tap" dump t.gputap 2>/dev/null | grep -c '^cuda sass .* instructions=[1-9]')" = 19 ]
check "the first launch counts as lost" said 'complete: no (1 .*were not collected'
check "and says why" said 'CUPTI told of no instruction'
FAKEGPU_FAULTS=sass-late counted --launch-skip 1 --launch-count 3 --metrics "$metrics" -- "$examples/storm" 1 20
check "what other launches left then is thrown away" dumped

# Beside others
counted --metrics "sm__cycles_active.avg,$metrics" -- "$examples/vector_add"
check "beside counters it takes a run of its own, and that is told" said 'instructions are not counted: it takes a run of the program of its own (--reruns)'
check "without it nothing is instrumented" [ ! -e taken ]
check "and the value is N/A" na_because 'was not made'
check "plan says how many runs it takes" grep -q 'runs of the program: 2' <(plan --metrics "sm__cycles_active.avg,$metrics")
counted --reruns --metrics "sm__cycles_active.avg,$metrics" -- "$examples/vector_add"
check "with --reruns there are two runs" said 'run 2 of 2 of the program'
check "the output is the first run's, and once" [ "$(cat t.out)" = "vector_add: 1000 values, 0 wrong" ]
check "nothing is lost then" complete
check "the counts are those of the second run" reported
check "the counters are there beside them" grep -q 'sm__cycles_active.avg.*[0-9]' <(report --page raw t.gputap)
check "no trace of the second run is left" [ -z "$(ls -d t.run* 2>/dev/null)" ]
"$tap" dump t.gputap >dump 2>/dev/null
check "dump says which run it was" grep -q '^cuda sass .* run=2 ' dump
check "info names that run beside the counters" grep -qx 'run 2     counts of instructions of 1 launch' <("$tap" info t.gputap)
check "so does its JSON" grep -q '"runs":\[{"run":2,"of":"instructions","launches":1}\]' <("$tap" info --json t.gputap)
counted --reruns --metrics "smsp__pcsamp_sample_count,$metrics" -- "$examples/vector_add"
check "without counters the program's own run samples, and a later one counts instructions" said 'run 2 of 2 of the program'
check "nothing is lost" complete
check "both have values" [ "$(report --page raw t.gputap | grep -cE ' (smsp__pcsamp_sample_count|inst_executed) .*[0-9]$')" = 2 ]
check "info tells of both" [ "$("$tap" info t.gputap | grep -E '^(samples|run) ')" = "samples   of the program counter of 1 launch
run 2     counts of instructions of 1 launch" ]
FAKEGPU_FAULTS=sass-flush-fails counted --reruns --metrics "sm__cycles_active.avg,$metrics" -- "$examples/vector_add"
check "what the second run could not count is lost in the first one's trace" said 'complete: no (1 .*were not collected'
FAKEGPU_FAULTS=sass-refused counted --reruns --metrics "sm__cycles_active.avg,$metrics" -- "$examples/vector_add"
check "why the second run counted none is told" said 'run 2 of the program: no counts of instructions: cuptiSassMetricsEnable'
FAKEGPU_FAULTS=counters-nodes counted --reruns --kernel-name graph --launch-skip 10 --metrics "sm__cycles_active.avg,$metrics" -- "$examples/graphs"
check "where the kernels of a graph are told apart, its counts are of none of them, and N/A says so" na_because 'its graph was instrumented as a whole'
launching_less 4
counted --reruns --launch-count 0 --metrics "sm__cycles_active.avg,$metrics" -- ./other "$examples/storm"
check "launches that the second run does not make have no counts, and a note names them" said 'run 2 of the program did not make launch 3 of .*: the counts of instructions of that launch'
check "they are counted" said 'complete: no (2 .*were not collected'
runs_cut

# Sections
counted --section SourceCounters --reruns -- "$examples/vector_add"
check "the section SourceCounters takes three runs" said 'run 3 of 3 of the program'
check "plan says so" grep -q 'runs of the program: 3' <(plan --section SourceCounters)
check "nothing is lost" complete
report --page source --csv t.gputap >rows
check "the source page has them by instruction" judge source taken rows
report --page details t.gputap >page
check "the section shows the instructions that were executed most" grep -q 'Most Instructions Executed' page
check "what is derived from them has a value" grep -q 'derived__avg_thread_executed  *[a-z]* .*[0-9]$' <(report --page raw t.gputap)
finish
