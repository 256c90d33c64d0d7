#!/usr/bin/env bash
# tests/e2e/cuda_collector.sh - what the CUPTI collector writes agrees with what the stand-in CUDA machine says it told
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
gpu=$GPUTAP_BUILD/tests/fakegpu
examples=$GPUTAP_BUILD/examples/cuda
passed=0 failed=0
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION CUDA_HOME CUDA_PATH CONDA_PREFIX
export LD_LIBRARY_PATH=$gpu/lib FAKEGPU_REPORT=report

# check NAME COMMAND...: one sentence that must be true
check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi
}
walk() { python3 "$GPUTAP_TESTS/e2e/cuda_collector_check.py" t.gputap "$@"; }
# traced OPTION... -- PROGRAM ARGUMENT...: into t.gputap, its words into t.out and t.err, status into t.status
traced() {
	rm -rf t.gputap report
	timeout 60 "$tap" run -f -o t "$@" >t.out 2>t.err
	echo $? >t.status
}
said() { grep -q "$1" t.err; }
silent() { ! grep -q "CUDA is not traced" t.err; }
calls() { grep '^runtime-calls' "$1"; }
driver_calls() { grep '^driver-calls' "$1" | cut -d' ' -f2; }
status() { [ "$(cat t.status)" = "$1" ]; }
no_image() { ! ls -d t.gputap/*.[0-9]* >/dev/null 2>&1; }

for program in vector_add streams graphs managed pools errors "storm 8 500"; do
	read -ra words <<<"$program"
	timeout 60 "$examples/${words[0]}" "${words[@]:1}" >bare.out 2>bare.err
	bare=$?
	cp report bare.report 2>/dev/null
	traced -- "$examples/${words[0]}" "${words[@]:1}"
	check "${words[0]} prints and returns traced what it does bare" eval "cmp -s bare.out t.out && status $bare"
	check "${words[0]}: as many CUDA calls traced as bare, and our one question for the driver's version" \
		test "$(calls bare.report):1" = "$(calls report):$(($(driver_calls report) - $(driver_calls bare.report)))"
	check "${words[0]}: every activity that the library recorded is in the trace" walk counts report
	check "${words[0]}: buffers, names, clocks and kinds are whole" walk whole
done

# Every version of the library, each with a driver that goes with it
for at in 18:11080 20:12020 21:12030 22:12040 23:12050 24:12060 26:12080 27:12090 28:12090 130000:13000 130001:13000 130101:13010 130202:13020 130500:13050 139900:13090; do
	version=${at%:*} lib=$(ls "$gpu/v${at%:*}"/libcupti.so.*)
	FAKEGPU_DRIVER=${at#*:} traced --cupti="$lib" --cuda-memory-usage --cuda-events --cuda-um -- "$examples/pools"
	check "CUPTI $version: every activity is in the trace, with the sizes of that version" walk counts report "$version"
	check "CUPTI $version: ... and whole" walk whole
done
LD_LIBRARY_PATH=$gpu/v24:$gpu/lib FAKEGPU_DRIVER=12060 traced -- "$examples/vector_add"
check "the library that goes with the driver is found by itself" walk counts report 24
FAKEGPU_DRIVER=12080 traced -- "$examples/vector_add"
check "... by the driver's major version" walk counts report 28

# Options
traced --cuda-graph-trace=node -- "$examples/graphs"
check "--cuda-graph-trace=node: a record a node and none a launch" walk kinds 51=0 10=20
traced -- "$examples/graphs"
check "... else one a launch" walk kinds 51=15 10=0
check "graphs are told once, with the call that made them" walk graph
traced --cuda-memory-usage -- "$examples/pools"
check "--cuda-memory-usage: allocations and pools" walk kinds 49=+ 50=+
traced --cuda-um -- "$examples/managed"
check "--cuda-um: migrations" walk kinds 25=+
traced --cuda-events -- "$examples/streams"
check "--cuda-events: event records" walk kinds 36=+
traced --cuda-jit -- "$examples/vector_add"
check "--cuda-jit: compilations" walk kinds 52=+
traced --cuda-latency -- "$examples/vector_add"
check "--cuda-latency: kernels know when they were queued" walk queued
traced --cuda-api=runtime -- "$examples/streams"
check "--cuda-api=runtime: no driver calls" walk kinds 4=0 5=+ 10=+
traced --cuda-api=none -- "$examples/streams"
check "--cuda-api=none: kernels alone" walk kinds 4=0 5=0 10=+
traced --cuda-filter='*Launch*,cudaMemcpy*' -- "$examples/streams"
check "--cuda-filter: these calls alone" walk calls Launch Memcpy
traced --cuda-filter='!cuda*' -- "$examples/streams"
check "--cuda-filter: all but those" walk kinds 5=0 4=+ 10=+
FAKEGPU_DRIVER=12040 traced --cupti="$gpu/v22/libcupti.so.12" --cuda-filter='*Launch*' -- "$examples/streams"
check "a library that cannot filter says so, and all is recorded" eval "said 'all are recorded' && walk counts report"
traced --cuda-buffer-size=64k -- "$examples/storm" 4 4000
check "small buffers: more of them, nothing lost" eval "walk counts report && walk buffers 20"
traced --cuda-api=some -- "$examples/vector_add"
check "--cuda-api knows its words" eval "status 125 && said 'is not one of: all runtime driver none'"
traced -t cuda -- "$examples/vector_add"
check "-t cuda alone is enough" walk counts report
traced -t opencl,nvtx -- "$examples/vector_add"
check "without the domain nothing is loaded" eval "no_image && grep -qx 'injections 0' report"
traced -- true
check "a program without CUDA leaves no trace of it" no_image
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=t GPUTAP_FORCE=1 timeout 60 "$examples/vector_add" >/dev/null 2>&1
check "a plain preload is enough" walk counts report
rm -rf t.gputap
CUDA_INJECTION64_PATH=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=t timeout 60 "$examples/vector_add" >/dev/null 2>&1
check "... or the driver's variable alone" walk counts report

# Another tool in the driver's variable
rm -f inject.log
CUDA_INJECTION64_PATH=$gpu/libinject.so INJECT_LOG=inject.log traced -- "$examples/vector_add"
check "a tool that was there is called too" grep -q "entry on the calling thread" inject.log
check "... which is said" said "libinject.so: it was loaded too"
check "... and both trace" walk counts report
cp "$GPUTAP_BUILD/libgputap.so" copy.so && mkdir -p copy && mv copy.so copy/libgputap.so
CUDA_INJECTION64_PATH=$PWD/copy/libgputap.so traced -- "$examples/vector_add"
check "another copy of this library is not chained" eval "silent && walk images 1 && walk counts report"
CUDA_INJECTION64_PATH=/nonexistent.so traced -- "$examples/vector_add"
check "one that does not exist is passed over, as the driver does" eval "silent && walk counts report"

# Faults: the program runs on, and one line says what is missing
fault() {                                       # FAULT
	FAKEGPU_FAULTS=$1 timeout 60 "$examples/vector_add" >bare.out 2>bare.err
	echo $? >bare.status
	FAKEGPU_FAULTS=$1 traced -- "$examples/vector_add"
	check "$1: the program prints and returns what it does bare" eval "cmp -s bare.out t.out && cmp -s bare.status t.status"
}
fault subscribe-busy
check "... the tool that holds CUPTI is named" said "other-profiler"
check "... the ledger counts it" walk lost CUPTI_BUSY 1
fault no-permission
check "... what is forbidden, what works and what to do is said, once" test "$(grep -c NVreg_RestrictProfilingToAdminUsers t.err)" = 1
check "... calls are recorded" walk kinds 4=+ 10=0 1=0
fault kind-refused=38
check "... the kind is named and counted" eval "said 'no records of synchronisations' && walk lost CUPTI_REFUSED 1"
check "... the others are there" walk counts report
fault no-device
check "... nothing is said of CUPTI" silent
fault drop=7
check "... dropped records are counted" walk dropped report
fault late-buffers
check "... buffers that come late are there" walk counts report
fault flush-hangs=100
check "... all is there" walk counts report
fault late-records
check "... all is there" walk counts report
fault out-of-order
check "... all is there" walk counts report
FAKEGPU_FAULTS=flush-hangs=20000 traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" return
check "a flush that does not return: the program ends all the same" status 3
check "... and it is said" said "did not return from its last flush"
for driver in 9000 11080; do
	FAKEGPU_DRIVER=$driver traced -- "$examples/vector_add"
	check "driver $driver: no CUPTI goes with it, which is said; the program runs on" eval "said 'CUDA is not traced' && status 0"
	check "... and counted" walk lost CUPTI_MISSING 1
done
FAKEGPU_DRIVER=12080 traced --cupti="$gpu/v130202/libcupti.so.13" -- "$examples/vector_add"
check "CUPTI 13.2 and an older driver, which would end the program: it is left alone, and that is said" eval "status 0 && said 'left alone'"
CUDA_VISIBLE_DEVICES='' FAKEGPU_DRIVER=13020 traced --cupti="$gpu/v130202/libcupti.so.13" -- "$examples/vector_add"
check "... and without a visible device" eval "status 0 && said 'left alone'"
FAKEGPU_DRIVER=12080 traced --cupti="$gpu/v130500/libcupti.so.13" -- "$examples/vector_add"
check "CUPTI 13.5 and an older driver: likewise" eval "status 0 && said 'left alone'"
traced --cupti=/nonexistent/libcupti.so -- "$examples/vector_add"
check "--cupti names nothing: said, and the program runs on" eval "said 'cannot be loaded' && status 0"
traced --cupti="$GPUTAP_BUILD/libgputap.so" -- "$examples/vector_add"
check "--cupti names no CUPTI: said, and the program runs on" eval "said 'it is no CUPTI' && status 0"
for version in 24 26; do
	FAKEGPU_DRIVER=12080 FAKEGPU_FAULTS=decline-crashes traced --cupti="$gpu/v$version/libcupti.so.12" --max-size=300k -- "$examples/storm" 4 2000
	check "CUPTI $version, no room: no request is declined" status 0
	check "... what is thrown away is counted" walk lost CUPTI_NO_BUFFER +
done
traced --max-size=1M --cuda-buffer-size=64k -- "$examples/storm" 4 2000
check "--max-size counts buffers" eval "[ \$(du -sk t.gputap | cut -f1) -lt 1300 ]"
traced --max-size=4M --ring --cuda-buffer-size=64k -- "$examples/storm" 4 8000
check "--ring: the last activities are kept, the others counted" walk ring report

# Ways to end
for way in return exit _exit quick_exit thread_exit exec; do
	traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" "$way"
	check "ended by $way: all activities are there" walk kinds 10=20 38=1
done
traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" kill
check "killed: the calls before are there" walk calls_at_least 27
check "... and the names of kernels that ran before the last look" walk named
for way in fork_after fork_before; do
	FAKEGPU_FAULTS=child-flush-hangs traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" $way
	check "$way: parent and child end as they should" status 3
done
check "a child forked before cuInit is traced on its own" walk images 2
traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" reset
check "a context that is reset: its activities came before" walk kinds 10=20
traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" idle
check "an idle process writes next to nothing" walk idle

# The window
traced --start-after=300ms -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" window
check "--start-after: devices and contexts from the beginning, activities from then on" walk window late
traced --stop-after=300ms -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" window
check "--stop-after: none behind it" walk window early

# The library comes into a program whose driver is up
rm -rf t.gputap
env -u LD_PRELOAD GPUTAP_OUTPUT=t timeout 60 "$GPUTAP_BUILD/tests/e2e/cuda_ends" late "$GPUTAP_BUILD/libgputap.so" >t.out 2>t.err
check "late: what exists is told, what follows is recorded" walk late
real=$(find /usr/local/cuda/ -name 'libcupti.so.[0-9]*' 2>/dev/null | head -n 1)
if [ -n "$real" ]; then
	traced --cupti="$real" -- "$examples/vector_add"
	check "a real CUPTI without its driver: the program runs on, and it is said" eval "status 0 && said 'does not work here'"
else
	echo "skipped: no real CUPTI library here"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
