#!/usr/bin/env bash
# tests/e2e/cuda_doubts.sh - what a real CUPTI may do that the stand-in does only when told: the program goes on as without us, and what is missing is said
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
ends=$GPUTAP_BUILD/tests/e2e/cuda_ends

# doubt FAULTS WAY LEDGER PART=N... [-- OPTION...]: bare and traced alike, the ledger, the counts
doubt() {
	local faults=$1 way=$2 ledger=$3 counts=()
	shift 3
	while [ $# -gt 0 ] && [ "$1" != -- ]; do counts+=("$1"); shift; done
	[ $# = 0 ] || shift
	FAKEGPU_FAULTS=$faults timeout 60 "$ends" "$way" >bare.out 2>bare.err
	echo $? >bare.status
	FAKEGPU_FAULTS=$faults traced "$@" -- "$ends" "$way"
	check "$faults, $way: the program prints and returns what it does bare" \
		test "$(cat bare.status bare.out bare.err)" = "$(cat t.status t.out; grep -v '^gputap: ' t.err)"
	# shellcheck disable=SC2086
	[ "$ledger" = - ] || check "... the ledger" whole ledger $ledger
	[ ${#counts[@]} = 0 ] || check "... what is in the trace" walk kinds "${counts[@]}"
}

# Flushes: none inside a callback of resources, never two at once
doubt flush-in-callback reset "" 10=20
doubt flush-in-callback,flush-hangs=20 reset "" 10=20 -- --cuda-flush=1
doubt flush-in-callback return "" 10=20 -- --cuda-flush=1
doubt flush-hangs=200000 reset -
check "a flush that does not return: a context goes all the same" status 3

# Open buffers in a forked child
doubt "" fork_calls "" 10=40 4=48
check "... the child wrote nothing into its parent's buffers" status 3

# What CUPTI tells of itself, and what it answers. (The fatal error may lie between a kernel and the end of its call.)
fatal() { whole ledger_within CUPTI_FATAL UNMATCHED_COMMAND && "$tap" info --json t.gputap | grep -q '"CUPTI_FATAL":1'; }
doubt fatal-state=30 return -
check "... the ledger tells of it, and of no more than a call that could not be told" fatal
check "... it is said" said "CUPTI tells of a fatal error: CUPTI_ERROR_UNKNOWN: the stand-in was told to fail"
doubt fatal-state=30 reset -
check "... the ledger tells of it, and of no more than a call that could not be told" fatal
doubt fatal-state=30 exec -
check "... the ledger tells of it, and of no more than a call that could not be told" fatal
doubt told-state=20 return "" 10=20
check "... both are said" eval "said 'CUPTI tells of an error: ' && said 'CUPTI tells of a warning: '"
doubt flush-fails=1 return CUPTI_FLUSH_FAILED=+
check "... it is said" said "a flush of CUPTI failed: CUPTI_ERROR_UNKNOWN"

# Kernels that run when the process ends
doubt incomplete return "" 10=20
doubt incomplete,slow-kernels=2 unfinished "" 10=20
doubt incomplete,slow-kernels=100 unfinished TIME_ZERO=+ 10=20
doubt incomplete,slow-kernels=2 _exit "" 10=20

# ... when it is killed: a kernel that still runs hides nothing of what stands behind it in CUPTI's buffer
launches() { test "$("$tap" stats -q -r cuda_api_trace --format csv t.gputap | grep -c ',cuLaunchKernel,')" = 20; }
doubt incomplete=2,slow-kernels=50 kill_unfinished INCOMPLETE_RECORD=+
check "... all launches are there" launches

# ... and CUPTI has not begun its record: the launch has no work, and that is said
doubt slow-kernels=60000 kill_unfinished UNMATCHED_CALL=20
check "... all launches are there" launches

for option in --cuda-api=none --cuda-api=runtime '--cuda-filter=!cuLaunchKernel'; do
	doubt slow-kernels=60000 kill_unfinished WORK_UNKNOWN=1 -- "$option"
done
doubt slow-kernels=60000 kill_unfinished UNMATCHED_CALL=20 -- --cuda-api=all
doubt "" return "" 10=20 -- --cuda-api=none
doubt "" exec "" 10=20 -- --cuda-api=none

# Records that never come, and that nobody counts: in a process that ends by itself too
for way in return exit _exit quick_exit; do
	doubt vanish-kernels=4 $way UNMATCHED_CALL=5 10=15
done
doubt vanish-kernels=4 return UNMATCHED_CALL=5 10=15 -- --cuda-api=driver

# ... and it has dropped records, and gives no buffer back: it is asked meanwhile
FAKEGPU_FAULTS=incomplete=2,slow-kernels=60000,drop=7,dropped-kills=7 traced --cuda-flush=0 -- "$ends" pause_unfinished 2>killed
check "what CUPTI had dropped is told, in a process that is killed while CUPTI keeps its buffer" whole ledger INCOMPLETE_RECORD=+ CUPTI_DROPPED=7

# ... and it has given all its buffers back
FAKEGPU_FAULTS=slow-kernels=60000,drop=7,dropped-kills=4 traced --cuda-flush=50 -- "$ends" pause_unfinished 2>killed
check "launches without work are told, in a process that is killed when CUPTI keeps no buffer" whole ledger UNMATCHED_CALL=+ CUPTI_DROPPED=+

# ... and somebody wipes what stands in a buffer that it keeps
FAKEGPU_FAULTS=incomplete,slow-kernels=60000,drop=7,dropped-kills=7 traced -- "$ends" pause_unfinished 2>killed
unread() { "$tap" info --json t.gputap | grep -q '"CUPTI_UNREAD":'; }
check "a buffer that CUPTI keeps in a killed process: nothing in it is unread" eval '! unread'
check "... it is wiped" python3 "$GPUTAP_TESTS/e2e/cuda_wipe.py" t.gputap
check "... that is told" unread

# A library that tells neither of cuInit nor of contexts
for way in return exit _exit quick_exit thread_exit exec; do
	doubt no-resource-callbacks $way "" 10=20 38=1
done

# A driver that takes itself down before the image ends
# ---- the last calls of all
traced -q --summary=none -- "$ends" last_calls
check "calls in a static destructor are recorded" test "$("$GPUTAP_BUILD/gputap" stats -q -r cuda_api_sum --format csv t.gputap | awk -F, '/cuCtxGetCurrent/ {print $3}'):$("$GPUTAP_BUILD/gputap" info t.gputap | grep -c '^complete: yes')" = 3:1
for way in return exit _exit quick_exit thread_exit exec reset late_work; do
	doubt deinitialised $way "" 10=20
done
doubt "" late_work "" 10=40 38=2

# Threads that call until the process is gone. Of each a call may have come back that it did not count any more
recorded() { "$tap" stats -q -r cuda_api_sum --format csv t.gputap | awk -F, -v name="$1" '$0 ~ name {n = $3} END {print n + 0}'; }
counted() { od -An -v -t u8 calls | awk '{print $1 + $2}'; }
for way in return _exit quick_exit thread_exit kill; do
	for option in --cuda-args=false --cuda-args; do
		traced -q --summary=none "$option" -- "$ends" threads_call $way 2>killed
		less=$(($(recorded cuCtxGetDevice) - $(counted)))
		check "threads that call while the process ends ($way, $option): recorded, less what they counted: $less" \
			[ $less -ge 0 ] && [ $less -le 2 ]
		check "... a call of ours, whether the driver is there, is not among them: $(recorded cuDeviceGetCount)" \
			[ "$(recorded cuDeviceGetCount)" = 0 ]
	done
done
# ... for so long that more comes than the trace keeps of one large buffer behind the last look: told. (A thread that has no
# buffer then gets one that is kept whole.)
FAKEGPU_FAULTS=deinitialised traced -q --summary=none -- "$ends" threads_stay
less=$(($(recorded cuCtxGetDevice) - $(counted)))
check "threads that call for long when the driver is gone: recorded, less what they counted: $less" eval '[ $less -ge 0 ] && [ $less -le 2 ] && status 3'
for _ in $(seq 20); do          # both threads, on a busy machine: then nothing is missing, and it is done again
	FAKEGPU_FAULTS=deinitialised traced -q --summary=none --cuda-buffer-size=64M -- "$ends" threads_stay
	less=$(($(counted) - $(recorded cuCtxGetDevice)))
	if unread || ! status 3 || [ $less -gt 0 ]; then break; fi
done
check "... more than is kept of large buffers: $less are missing, and one is told for each" \
	eval 'status 3 && [ $less -gt 0 ] && "$tap" info --json t.gputap | grep -q "\"CUPTI_UNREAD\": *[12]\b"'
# ... and launch: what has no work in the trace is counted, and work whose launch had not come back
launches_add_up() {
	"$tap" info --json t.gputap | python3 -c "import json, sys; l = json.load(sys.stdin)['ledger']; print(sum(l.get(r, 0) for r in ('NOT_FINISHED', 'TIME_ZERO', 'UNMATCHED_CALL')) - l.get('UNMATCHED_COMMAND', 0))" >missing
	timed=$("$tap" stats -q -r cuda_gpu_kern_sum --format csv t.gputap | awk -F, '$NF == "nothing" {print $3}')
	[ "$(recorded cuLaunchKernel)" = $(($(cat missing) + timed)) ]
}
for way in return _exit; do
	for faults in "" slow-kernels=5; do
		FAKEGPU_FAULTS=$faults traced -q --summary=none -- "$ends" threads_launch $way
		check "threads that launch while the process ends ($faults, $way): work and losses are as many as launches" launches_add_up
	done
done
traced -q --summary=none --cuda-api=none -- "$ends" threads_launch return
check "... where calls are left out, it is unknown" eval '"$tap" info --json t.gputap | grep -q "\"WORK_UNKNOWN\": *1"'

# A driver that does not know of us: what was called cannot be told, and that is said
doubt "" uninjected CUDA_UNSEEN=1
check "... with the reason" said "the driver was not told of gputap: CUDA_INJECTION64_PATH"

# Correlation ids that begin again: of the calls with one id the last that began before the work
doubt wrapping-ids=24 return "" 10=20
check "... every kernel belongs to one call, a launch" test "$("$tap" stats -q -r cuda_kern_exec_trace --format csv t.gputap | grep -c ',cuLaunchKernel,'):$(
	"$tap" stats -q -r cuda_kern_exec_trace --format csv t.gputap | wc -l)" = 20:21

# A full command buffer: its overhead points to data, which is stored; a pointer that leads nowhere is counted
full() { "$tap" dump t.gputap | sed -n 's/^cuda overhead .* overhead=393216 object_kind=2 *//p' | sort; }
doubt command-buffer-full=5 return "" 10=20
check "... on which channel" test "$(full)" = "$(printf 'buffer_left=0 channel=%d channel_type=1\n' 1 2 3 4)"
doubt command-buffer-full=5,overhead-data-gone return CUPTI_DATA_GONE=4 10=20
check "... not on which channel" test "$(full | grep -c '^$')" = 4
FAKEGPU_FAULTS=command-buffer-full=5 FAKEGPU_DRIVER=12030 traced --cupti="$(ls "$gpu"/v21/libcupti.so.*)" -- "$ends" return
check "CUPTI 12.3 points to nothing: no data, and nothing is missing" eval 'whole ledger && test "$(full | grep -c "^$")" = 4'

# A kind that a device need not have
doubt kind-refused=54 return "" 10=20
check "... is a note" said "no records of decompressions: CUPTI refused"

# A kind that is refused while the driver initialises itself is asked for again: those that define, of the device, calls
for kind in 8 10 4; do doubt kind-early=$kind return "" 10=20 4=+; done

# Unified memory is configured when the driver is there, its kind enabled behind that
FAKEGPU_FAULTS=um-late traced --cuda-um -- "$examples/managed"
check "unified memory that can be configured behind cuInit only: no kind is refused" whole ledger
check "... and its records are there" walk kinds 25=+

# Calls of one domain that nobody asked for are no loss of the work that they set going
for api in runtime driver none; do
	traced --cuda-api=$api -- "$examples/vector_add"
	check "--cuda-api=$api: nothing is missing" whole ledger
done
traced --cuda-filter='!cuLaunchKernel' -- "$ends" return
check "--cuda-filter: kernels whose calls were filtered out are no loss" eval "whole ledger && walk kinds 10=20"

# What a version must not be asked for
at() {                                          # VERSION DRIVER OPTION...: the program graphs
	local lib
	lib=$(ls "$gpu/v$1"/libcupti.so.*)
	FAKEGPU_DRIVER=$2 traced --cupti="$lib" "${@:3}" -- "$examples/graphs"
}
attribute() { sed -n "s/^$1 //p" report; }
at 24 12060
check "CUPTI 12.6: one buffer for all threads" test "$(attribute per-thread-buffers)" = 0
at 26 12080
check "... 12.8: one a thread" test "$(attribute per-thread-buffers)" = 1
at 22 12040
check "CUPTI 12.4: graphs node by node, which is said" eval "walk kinds 51=0 && said 'graphs are traced node by node: .* (version 22)'"
at 22 12040 --cuda-graph-trace=node
check "... not when that was asked for" eval "! said 'graphs are traced node by node'"
at 23 12050
check "... 12.5: as a whole" eval "walk kinds 51=+ && ! said 'graphs are traced node by node'"
at 130000 13000 --cuda-latency
check "CUPTI 13.0: pinned device buffers" test "$(attribute host-pinned)" = 1
check "... latency: more buffers ahead, and the danger is said" eval "test $(attribute pre-allocated) = 32 && said 'may stop the program'"
at 130001 13000
check "... 13.0 update 1: as it is" test "$(attribute host-pinned):$(attribute pre-allocated)" = 0:3
at 130500 13050 --cuda-latency
check "CUPTI 13.5: latency without a word" eval "test $(attribute pre-allocated) = 3 && ! said 'may stop the program'"

# Behind the window CUPTI 13.0 may not come back from switching kernels off: there, and only there, they stay on
behind() {                                      # VERSION: the kinds that are on when the program ends, a bit for each
	FAKEGPU_DRIVER=13000 traced --cupti="$(ls "$gpu/v$1"/libcupti.so.*)" --stop-after=1500ms -- "$ends" seconds
	sed -n 's/^still-on //p' report
}
check "CUPTI 13.0: kernels stay on behind the window, and nothing else does" test "$(behind 130000)" = 1024
check "... their calls are outside the window, and no loss" whole ledger
check "... 13.0 update 1: nothing does" test "$(behind 130001)" = 0
finish
