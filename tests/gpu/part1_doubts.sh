# tests/gpu/part1_doubts.sh - versions, and what only hardware answers: D1 to D12: sourced by scripts/test-gpu
#
# A program and an answer each. # FAIL means that the hardware answers otherwise than the collector assumes. Those
# that last long come last.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154

# answer COMMAND...: its lines are the answer, its status the verdict
answer() {
	local lines status

	lines=$("$@" 2>"$work/answer.err")
	status=$?
	case $status in
	0) ok "$lines" ;;
	77) skip "${lines:-$(tail -n 1 "$work/answer.err")}" ;;
	*) bad "${lines:-$(tail -n 1 "$work/answer.err")}" ;;
	esac
}
doubts() { python3 tests/gpu/doubts.py "$@"; }

# probe NAME "OPTIONS" SECONDS STATUS COMMAND...: a program that must end so, with the tool as without; false: the
# verdict is given
probe() {
	local name=$1 options=$2 most=$3 expected=$4 status; shift 4
	have "$1" || { skip "$(basename "$1") is not there"; return 1; }
	limited "$most" "$@" >"$work/bare" 2>"$work/bare.err"
	status=$?
	missing_library $status "$work/bare.err" && return 1
	if [ $status -ne "$expected" ]; then
		bad "without the tool: status $status: $(tail -n 1 "$work/bare.err")"
		return 1
	fi
	traced "$name" "$options" "$most" "$@"
	status=$?
	[ $status -eq "$expected" ] && return
	bad "with the tool: status $status$([ $status -eq 124 ] && echo ", it hangs"): $(tail -n 1 "$work/traced.err")"
	return 1
}

versions() {
	local used
	probe versions "" 60 0 "$bin/doubt_late" || return
	used=$("$tap" info "$work/versions.gputap" | sed -n 's/.*\(CUPTI [0-9].*\), clock.*/\1/p' | head -n 1)
	if [ -z "$used" ]; then bad "CUDA was not traced: $(tail -n 2 "$work/traced.err")"; return; fi
	ok "$used; Linux $(uname -r | cut -d. -f1,2), $(python3 -V)"
}

kinds_refused() {
	local all="--cuda-memory-usage --cuda-um --cuda-events --cuda-jit --cuda-latency --cuda-graph-trace=node"

	probe d1 "$all" 60 0 "$simple" && answer doubts kinds "$work/d1.gputap"
}

# Ends without waiting, 50 times in each way; four at a time.
exit_loses() {
	local way runs=${GPU_ENDS:-50} i lines='' worst=ok until=$((SECONDS + 120)) pids=()
	have "$bin/leave" || { skip "leave is not there"; return; }
	for way in exit _exit reset; do
		rm -rf "$work"/d2.*
		for ((i = 0; i < runs && SECONDS < until; i++)); do
			limited 20 "$tap" run -q -f -o "$work/d2.$i" -- "$bin/leave" $way >/dev/null 2>&1 &
			pids+=($!)
			if [ ${#pids[@]} -eq 4 ]; then wait "${pids[@]}"; pids=(); fi
		done
		[ ${#pids[@]} -eq 0 ] || wait "${pids[@]}"
		pids=()
		answer doubts leave "$way" "$work"/d2.*.gputap
		lines+="${lines:+; }$says"
		[ "$verdict" = ok ] || worst=$verdict
	done
	verdict=$worst says=$lines
	rm -rf "$work"/d2.*
}

# What each thread of a process waits in.
where_it_hangs() {
	local task
	for task in /proc/"$1"/task/*; do
		echo "$(cat "$task/comm") in $(cat "$task/wchan") call $(cut -d' ' -f1 "$task/syscall")"
	done 2>/dev/null | sort | uniq -c | tr '\n' ';'
}

# The launcher's child that is the program: beside it is one of its own, which looks after signals.
program_of() {
	local child
	for child in $(cat /proc/"$1"/task/"$1"/children); do
		[[ $(cat "/proc/$child/comm") == gputap* ]] || echo "$child"
	done 2>/dev/null | head -n 1
}

hang_at_destroy() {
	local rounds=${GPU_CONTEXTS:-500} program waited=0 status job stuck=
	have "$bin/doubt_contexts" || { skip "doubt_contexts is not there"; return; }
	rm -rf "$work/d3.gputap"
	"$tap" run -q -f -o "$work/d3" --cuda-flush=1 -- "$bin/doubt_contexts" 4 "$rounds" 40 \
		>"$work/d3.out" 2>"$work/traced.err" &
	job=$!
	while kill -0 $job 2>/dev/null && [ $waited -lt "${GPU_HANG:-90}" ] && in_time; do
		sleep 1
		waited=$((waited + 1))
	done
	if kill -0 $job 2>/dev/null; then
		program=$(program_of $job)
		stuck=$(where_it_hangs "${program:-$job}")
		kill -9 ${program:+"$program"} $job 2>/dev/null
	fi
	wait $job 2>/dev/null
	status=$?
	if [ -n "$stuck" ]; then bad "it hangs after ${waited} s: $stuck"; return; fi
	if [ $status -ne 0 ]; then bad "status $status: $(tail -n 1 "$work/traced.err")"; return; fi
	answer doubts contexts "$work/d3.gputap" "$work/d3.out"
	says="$(head -n 1 "$work/d3.out") in $waited s, no hang; $says"
}

late_writes() { probe d4 "" 30 0 "$bin/doubt_late" && answer doubts late "$work/d4.gputap"; }
after_teardown() { probe d5 "" 30 3 "$bin/doubt_teardown" && answer doubts teardown "$work/d5.gputap" "$work/traced"; }
child_writes() { probe d6 "" 60 0 "$bin/doubt_fork" && answer doubts fork "$work/d6.gputap" "$work/traced"; }

open_buffers() {
	local victim
	have "$bin/cuda_kill" && have "$GPUTAP_BUILD/gpu/raw" || { skip "cuda_kill or raw is not there"; return; }
	rm -rf "$work/d7.gputap"
	LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=$work/d7 GPUTAP_CUDA_FLUSH=50 \
		"$bin/cuda_kill" "$work/progress" >/dev/null 2>&1 &
	victim=$!
	sleep "${GPU_KILL_AFTER:-2}"
	kill -9 $victim
	wait $victim 2>/dev/null
	answer doubts killed "$("$GPUTAP_BUILD/gpu/raw" buffers "$work/d7.gputap" 2>&1)" "$work/d7.gputap"
}

time_error() {
	local seconds=${GPU_PACE:-60}

	have "$bin/doubt_pace" || { skip "doubt_pace is not there"; return; }
	if traced d8 "" $((seconds + 30)) "$bin/doubt_pace" "$seconds"; then answer doubts times "$work/d8.gputap"
	else bad "with the tool: $(tail -n 1 "$work/traced.err")"; fi
}
same_number() { probe d9 "" 30 0 "$simple" && answer doubts nested "$work/d9.gputap"; }

# seconds_of COMMAND...: three runs, with a comma between; the trace of the last one stays
seconds_of() {
	local i start list=
	for i in 1 2 3; do
		start=$EPOCHREALTIME
		(cd "$work" && limited 60 "$@") >/dev/null 2>&1 || return
		list+=${list:+,}$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.3f", b - a}')
	done
	echo "$list"
}

module_hashing() {
	local bare whole without command=(python3 "$root/tests/gpu/torch_step.py" first) run
	if ! torch_is_here; then command=("$bin/doubt_late"); fi
	have_command "${command[0]}" || { skip "no program"; return; }
	run=("$tap" run -q -f -o "$work/d10" -t cuda)
	if ! bare=$(seconds_of "${command[@]}") ||
		! without=$(seconds_of "${run[@]}" "--cupti=$GPUTAP_BUILD/gpu/libnomodules.so" -- "${command[@]}") ||
		! whole=$(seconds_of "${run[@]}" -- "${command[@]}"); then
		bad "a run failed: bare $bare, without modules ${without-}"
		return
	fi
	answer doubts modules "$("$GPUTAP_BUILD/gpu/raw" modules "$work/d10.gputap")" "$bare" "$whole" "$without"
	torch_is_here || says+=" (PyTorch is not here: $(basename "${command[0]}"))"
}

flush_costs() {
	local lines
	have "$bin/cost" || { skip "cost is not there"; return; }
	lines=$(python3 tests/gpu/costs.py flush "$bin" 1 "$results" "$(left)") || { bad "$lines"; return; }
	mapfile -t lines < <(grep '^{"cost": "flush period"' "$results")
	answer doubts flush "${lines[@]}"
}

second_window() {
	have "$bin/doubt_windows" || { skip "doubt_windows is not there"; return; }
	answer limited 30 "$bin/doubt_windows"
}

# With launches as nvcc writes them where nvcc's programs are.
simple=$bin/streams
have "$simple" || simple=$bin/doubt_late
step versions versions
step D1 kinds_refused
step D9 same_number
step D12 second_window
step D4 late_writes
step D5 after_teardown
step D6 child_writes
step D7 open_buffers
step D2 exit_loses
step D3 hang_at_destroy
step D11 flush_costs
step D8 time_error
step D10 module_hashing
