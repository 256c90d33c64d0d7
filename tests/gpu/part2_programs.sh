# tests/gpu/part2_programs.sh - programs, their recordings, a kill, the vendor's OpenCL: sourced by scripts/test-gpu
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154

recordings=$work/recordings
mkdir -p "$recordings"
MOST_BYTES=2000000                      # of one recording; they are packed

# Once more to be kept: under a name and in a place that say nothing of this machine, without what names it.
record() {
	local name=$1 options=$2 place=$work/gpu-programs bytes; shift 2
	have "$1" && [ -x "$GPUTAP_BUILD/gpu/scrub" ] || { skip "$(basename "$1") or scrub is not there"; return; }
	mkdir -p "$place"
	cp "$1" "$place/"
	# shellcheck disable=SC2086
	(cd "$place" && limited 60 "$tap" run -q -f -o "$place/$name" $options -- "./$(basename "$1")" "${@:2}") \
		>/dev/null 2>"$work/record.err"
	missing_library $? "$work/record.err" && { rm -rf "$place"; return; }
	if "$GPUTAP_BUILD/gpu/scrub" "$place/$name.gputap" "$recordings/$name.gputap" 2>"$work/record.err"; then
		bytes=$(stat -c %s "$recordings/$name.gputap")
		ok "$bytes bytes"
		if [ "$bytes" -gt $MOST_BYTES ]; then skip "removed: its $bytes bytes are more than $MOST_BYTES"
		else tar rf "$out/recordings.tar" -C "$work" "recordings/$name.gputap"; fi
	else bad "$(tail -n 1 "$work/record.err")"; fi
	rm -rf "$place"
}

# A kill: every call and kernel that was complete half a second before is there; what became so since is told.
killed() {
	local victim
	have "$bin/cuda_kill" || { skip "cuda_kill is not there"; return; }
	rm -rf "$work/killed.gputap" "$work/progress"
	LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=$work/killed \
		"$bin/cuda_kill" "$work/progress" >/dev/null 2>&1 &
	victim=$!
	sleep "${GPU_KILL_AFTER:-2}"
	cp "$work/progress" "$work/progress.before"
	sleep 0.6                               # more than two periods of the flush
	kill -9 $victim
	wait $victim 2>/dev/null
	lines=$(python3 tests/gpu/killed.py "$work/killed.gputap" "$work/progress.before" "$work/progress" 2>&1)
	case $? in 0) ok "$lines" ;; 77) skip "$lines" ;; *) bad "$lines" ;; esac
}

# collected NAME PROGRAM OPTION...: the program's run with these, its words in $work/NAME.err. What the machine does not allow is told, and no failure.
collected() {
	local name=$1 program=$2 refused; shift 2
	library=(${GPU_CUPTI:+--cupti "$GPU_CUPTI"})
	have "$bin/$program" || { skip "$program is not there"; return 1; }
	limited 120 "$tap" run -f -o "$work/$name" --summary=none "${library[@]}" "$@" -- "$bin/$program" >"$work/$name.out" 2>"$work/$name.err" ||
		{ bad "while it was measured the program failed: $(tail -n 1 "$work/$name.err")"; return 1; }
	refused=$(grep -E 'no (counters|samples of the program counter|samples of performance monitors|counts of instructions)( are collected)?:' "$work/$name.err" | head -n 1)
	[ -z "$refused" ] || { skip "$refused"; return 1; }
}
# The counters of its kernels that have a value, a line each; what is computed without any is none.
counted_values() {
	"$tap" report --page raw --csv "${library[@]}" "$work/$1.gputap" 2>>"$work/$1.err" | python3 -c '
import csv, sys
for name, value in [cell for row in csv.DictReader(sys.stdin) if row["ID"] for cell in row.items()]:
    if name.split("__")[0] in ("sm", "gpu", "dram", "lts", "l1tex", "gpc") and value[:1].isdigit() and not name.startswith("sm__maximum_warps_"):
        print(name, value)'
}
# counters NAME PROGRAM OPTION...: planned, collected, and evaluated to numbers
counters() {
	local rows numbers
	collected "$@" || return
	rows=$(counted_values "$1")
	numbers=$(grep -c . <<<"$rows")
	if [ "$numbers" -gt 0 ] && grep -q 'complete: yes' "$work/$1.err"; then ok "$numbers values:"$'\n'"$rows"
	else bad "$numbers values, $(grep -E 'complete:|run [0-9]+ of' "$work/$1.err" | head -n 3):"$'\n'"$rows"; fi
}

# pc_samples NAME OPTION...: samples of the program counter, and what was lost of them
pc_samples() {
	local rows n
	collected "$1" streams "${@:2}" || return
	rows=$("$tap" dump "$work/$1.gputap" 2>>"$work/$1.err" | grep '^cuda sample' | head -n 200)
	n=$(grep -c '^cuda sample ' <<<"$rows")
	if [ "$n" -gt 0 ]; then ok "$n counts, $(grep complete: "$work/$1.err" | tail -n 1):"$'\n'"$rows"
	else bad "no sample, $(grep -E 'complete:|run [0-9]+ of' "$work/$1.err" | head -n 3):"$'\n'"$rows"; fi
}

# pm_samples NAME OPTION...: samples of performance monitors, and what the report makes of them. That a kernel has values of its own
# shows that CUPTI samples and tells of activities in one clock.
pm_samples() {
	local rows n values why
	collected "$1" streams "${@:2}" || return
	why=$(grep -m 1 'performance monitors are not sampled: .*this chip cannot' "$work/$1.err") && { skip "$why"; return; }
	rows=$("$tap" dump "$work/$1.gputap" 2>>"$work/$1.err" | grep '^cuda pm_sample' | head -n 200)
	n=$(grep -c '^cuda pm_sample ' <<<"$rows")
	values=$("$tap" report --page raw "${library[@]}" "$work/$1.gputap" 2>>"$work/$1.err" | grep 'pmsampling:' | sort | uniq -c)
	if [ "$n" -gt 0 ] && grep pmsampling: <<<"$values" | grep -qv 'N/A'; then
		ok "$n samples, $(grep complete: "$work/$1.err" | tail -n 1):"$'\n'"$values"$'\n'"$rows"
	else bad "$n samples, $(grep -E 'complete:|run [0-9]+ of' "$work/$1.err" | head -n 3):"$'\n'"$values"$'\n'"$rows"; fi
}

# sass_counts NAME OPTION...: counts by instruction, what was lost of them, and what counters say of the same
sass_counts() {
	local rows n
	collected "$1" streams "${@:2}" || return
	rows=$("$tap" dump "$work/$1.gputap" 2>>"$work/$1.err" | grep '^cuda sass' | head -n 200
		"$tap" report --page raw --launch-count 0 "${library[@]}" "$work/$1.gputap" 2>>"$work/$1.err" | grep 'inst_executed')
	n=$(grep -c '^cuda sass_count ' <<<"$rows")
	if [ "$n" -gt 0 ]; then ok "$n counts, $(grep complete: "$work/$1.err" | tail -n 1):"$'\n'"$rows"
	else bad "no count, $(grep -E 'complete:|missing:|run [0-9]+ of' "$work/$1.err" | head -n 4):"$'\n'"$rows"; fi
}

# The vendor's OpenCL: by path, as the dynamic linker knows it, or as it is registered.
vendor_opencl() {
	local f name=libnvidia-opencl.so.1
	for f in ${GPU_OPENCL:-"/usr/lib/$(uname -m)-linux-gnu/$name" /usr/local/nvidia/lib64/$name} \
		"$(ldconfig -p 2>/dev/null | sed -n 's/.*libnvidia-opencl\.so\.1 .*=> //p' | head -n 1)" \
		"$(cat /etc/OpenCL/vendors/nvidia.icd 2>/dev/null)"; do
		[ -n "$f" ] && [ -e "$f" ] && { echo "$f"; return; }
	done
	return 1
}

opencl() {
	local driver program=$bin/cl_commands bare status
	have "$program" || program=$GPUTAP_BUILD/tests/e2e/cl_commands
	have "$program" || { skip "cl_commands is not there"; return; }
	driver=$(vendor_opencl) || { skip "the vendor's driver for OpenCL is not here"; return; }
	mkdir -p "$work/vendors"
	echo "$driver" >"$work/vendors/vendor.icd"
	# one loader asks for a folder, the other for libraries
	local -x OCL_ICD_VENDORS=$work/vendors OCL_ICD_FILENAMES=$driver
	(cd "$work" && limited 60 "$program") >"$work/bare" 2>"$work/bare.err"
	bare=$?
	missing_library $bare "$work/bare.err" && return
	if [ $bare -ne 0 ]; then bad "fails without the tool ($bare): $(tail -n 1 "$work/bare")"; return; fi
	traced opencl "-t opencl" 60 "$program"
	status=$?
	if [ $status -ne 0 ] || ! cmp -s "$work/bare" "$work/traced"; then
		bad "differs under the tool (status $status)"
		return
	fi
	if "$tap" info "$work/opencl.gputap" | grep -q 'complete: yes'; then
		ok "$driver: $("$tap" info "$work/opencl.gputap" | grep -oE '[0-9]+ calls?, .*kernels?\)' | head -n 1)"
	else bad "$("$tap" info "$work/opencl.gputap" | grep -E 'complete|untimed' | head -n 3)"; fi
}

for p in vector_add copies streams graphs cooperative pools errors; do
	step "$p" try "$p" "" "" "$bin/$p"
	step "record $p" record "$p" "" "$bin/$p"
done
step killed killed
step opencl opencl
step graph_nodes try graph_nodes "--cuda-graph-trace=node" nodes "$bin/graphs"
step all_kinds try all_kinds "--cuda-memory-usage --cuda-um --cuda-events --cuda-jit --cuda-latency" "" "$bin/copies"
step arguments try arguments "--cuda-args" "" "$bin/copies"
step storm try storm "" "" "$bin/storm" 8 20000
step storm_arguments try storm_arguments "--cuda-args" "" "$bin/storm" 8 5000
step leave try leave "" "" "$bin/leave"
step leave_at_once try leave_at_once "" "" "$bin/leave" _exit
step leave_reset try leave_reset "" "" "$bin/leave" reset
step blas try blas "-t cuda,nvtx,cublas" "" "$bin/blas"
step dnn try dnn "-t cuda,nvtx,cudnn" "" "$bin/dnn"
step "record graph_nodes" record graph_nodes "--cuda-graph-trace=node" "$bin/graphs"
step "record managed" record managed "--cuda-um" "$bin/copies"
step "record all_kinds" record all_kinds "--cuda-memory-usage --cuda-um --cuda-events" "$bin/copies"
step "record arguments" record arguments "--cuda-args" "$bin/copies"
step "record storm" record storm "" "$bin/storm" 8 500
step "record blas" record blas "-t cuda,nvtx,cublas" "$bin/blas"
step "record dnn" record dnn "-t cuda,nvtx,cudnn" "$bin/dnn"
step counters counters counters vector_add --set basic
step counters_again counters counters_again vector_add --set basic --replay-mode=application --reruns
step pc_samples pc_samples pc_samples --launch-count 0 --metrics smsp__pcsamp_sample_count
step pc_samples_again pc_samples pc_samples_again --reruns --section SourceCounters,SpeedOfLight
step pm_samples pm_samples pm_samples --launch-count 0 --metrics pmsampling:sm__cycles_active.avg
step pm_samples_again pm_samples pm_samples_again --reruns --section PmSampling,SpeedOfLight
step sass_counts sass_counts sass_counts --launch-count 0 --metrics inst_executed,thread_inst_executed,thread_inst_executed_true
step sass_counts_again sass_counts sass_counts_again --reruns --metrics smsp__inst_executed.sum,inst_executed,memory_l2_theoretical_sectors_global
step counters_graph counters counters_graph graphs --metrics sm__cycles_active.avg --kernel-name graph
