#!/usr/bin/env bash
# tests/quality/sanitized.sh - tool and shim of a sanitizers' build: traced programs built alike, whole and damaged traces
#
# For `make check-asan`: needs shim, tool, test programs and stand-in runtime built with SAN=address,undefined. A program must
# print and end as without the shim, and no sanitizer may say a word; the tool must answer each trace, damaged or not, with one
# of its documented statuses. DAMAGED: how many damaged copies of each of two traces (default 60).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
build=$GPUTAP_BUILD
shim=$build/libgputap.so gputap=$build/gputap programs=$build/tests/e2e
nm -D --undefined-only "$shim" | grep -q __asan || { echo "skipped: $shim is not built with a sanitizer (make check-asan does)"; exit 77; }
# The shim stands before the sanitizer's library because it is preloaded; leaks at the exit of a tool are nobody's loss.
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export OCL_ICD_VENDORS=$build/tests/fakecl/vendors
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }

# silent NAME FILE...: no sanitizer spoke
silent() {
	local name=$1; shift
	if grep -aE -A 12 'ERROR: AddressSanitizer|runtime error:|AddressSanitizer:DEADLYSIGNAL' "$@"; then bad "$name"; return 1; fi
}

# ------------------------------------------------------------------ programs

# program NAME ARG...: bare and traced agree; the trace stays in NAME.gputap
program() {
	local name=$* bare traced
	name=${name//[ \/]/_}
	{ timeout 60 "$programs/$1" "${@:2}" >bare.out 2>bare.err; bare=$?; } 2>/dev/null
	{ LD_PRELOAD=$shim GPUTAP_OUTPUT=$PWD/$name timeout 120 "$programs/$1" "${@:2}" >traced.out 2>traced.err; traced=$?; } 2>/dev/null
	silent "$* alone" bare.err || return
	silent "$* traced" traced.err || return
	if [ "$bare" != "$traced" ]; then bad "$*: status $traced, $bare without the shim"; return; fi
	if ! diff bare.out traced.out; then bad "$*: another output"; return; fi
	if [ ! -d "$name.gputap" ]; then bad "$*: no trace"; return; fi
	ok
}

ulimit -c 0
program cl_commands
program cl_callbacks
program cl_queue_view
program cl_references
for how in return exit _exit quick_exit exec abort late; do program cl_leave $how; done
for kind in blocked failed disorder; do program cl_many $kind 3000; done
program cl_shared threads 30
program cl_shared reuse 100
program cl_shared fork
for fault in profiling-refused profiling-late=3 profiling-zero profiling-untouched profiling-reversed map-fails late-callbacks; do
	FAKECL_FAULTS=$fault
	export FAKECL_FAULTS
	mkdir "$fault" && cd "$fault" || exit 1
	program cl_commands
	cd ..
done
unset FAKECL_FAULTS
# CUDA: on the stand-in, which is built alike
export LD_LIBRARY_PATH=$build/tests/fakegpu/lib
for how in return exit _exit quick_exit thread_exit exec fork_after fork_before reset window; do program cuda_ends $how; done
programs=$build/examples/cuda
for name in vector_add streams graphs managed pools errors; do program $name; done
program storm 4 300
GPUTAP_CUDA_ARGS=1 program storm 2 100
programs=$build/tests/e2e
unset LD_LIBRARY_PATH
echo "programs: $passed agree, $failed do not"

# ---------------------------------------------------------------- the tool

# answers STATUSES COMMAND...: the tool ends with one of these, and no sanitizer speaks
answers() {
	local wanted=$1 status; shift
	timeout 60 "$gputap" "$@" >tool.out 2>tool.err; status=$?
	silent "gputap $*" tool.err tool.out || return
	case " $wanted " in *" $status "*) ok ;; *) bad "gputap $*: status $status"; head -n 5 tool.err ;; esac
}

# each STATUSES TRACE: all that reads a trace
each() {
	answers "$1" info "$2"
	answers "$1" dump "$2"
	answers "$1" dump --json "$2"
	answers "$1" stats -r all "$2"
	answers "$1" report "$2"
	answers "$1" export -q -f -e atp,apilog,sqlite,perfetto,callgrind,folded,occupancy,csv,ncu-rep -o exported "$2"
	for f in exported*.callgrind; do [ ! -e "$f" ] || answers 0 stats "$f"; done
	rm -rf exported*
}

before=$passed
for t in *.gputap; do each 0 "$t"; done
answers 3 run -q -f --pack --summary=json -e atp,apilog,sqlite -o packed -- "$programs/cl_leave" return
each 0 packed.gputap
echo "whole traces: $((passed - before)) answers"

before=$passed
for t in cl_commands.gputap packed.gputap; do
	mkdir -p damaged
	python3 "$GPUTAP_TESTS/quality/damage.py" "$t" damaged "${DAMAGED:-60}" >damaged/list || exit 1
	while read -r copy what; do
		f=$failed
		each "0 3" "damaged/$copy"
		[ "$failed" -eq "$f" ] || echo "  ($t: $copy $what)"
	done <damaged/list
	rm -rf damaged
done
echo "damaged traces: $((passed - before)) answers"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
