#!/usr/bin/env bash
# tests/e2e/cuda_ends.sh - faults of CUPTI and ends of a process: the program goes on as without us, and what is missing is said
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"

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
ln -sfn "$gpu" gpu
FAKEGPU_DRIVER=12080 traced --cupti=gpu/v26/libcupti.so.12 -- sh -c 'cd / && exec "$0" return' "$GPUTAP_BUILD/tests/e2e/cuda_ends"
check "--cupti names a place relative to where gputap was started: found wherever the program went" eval "silent && status 3"
traced --cupti=$PWD/no-such-folder/libcupti.so -- "$examples/vector_add"
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
# The collector's threads are none that the end of a process waits for. An emulator's own thread is left too, and its
# /proc/self/exe is made up, which says that main has left: there they wait for ever.
if [ -n "${EMULATED-}" ]; then
	skip "the end of a last thread: an emulator hides that main has left" 2
else
	traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" main_leaves
	check "ended by its last thread, main having left" eval "status 0 && walk calls_at_least 2 && said 'complete: yes'"
	traced --metrics=launch__grid_size -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" main_leaves
	check "... with metrics too" status 0
fi
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
traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" sealed
check "sealed by seccomp: open buffers are filled, what finds no buffer is counted, and the program ends as it should" \
	eval "status 3 && walk kinds_or_lost 10=40 CUPTI_NO_BUFFER"
traced -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" idle
check "an idle process writes next to nothing" walk idle

# The window
traced --start-after=1500ms -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" seconds
check "--start-after: devices and contexts from the beginning, activities from then on" eval 'walk window late "$(sed -n "s/^launches //p" t.out)"'
traced --stop-after=1500ms -- "$GPUTAP_BUILD/tests/e2e/cuda_ends" seconds
check "--stop-after: none behind it" eval 'walk window early "$(sed -n "s/^launches //p" t.out)"'

# The library comes into a program whose driver is up
rm -rf t.gputap
env -u LD_PRELOAD GPUTAP_OUTPUT=t timeout 60 "$GPUTAP_BUILD/tests/e2e/cuda_ends" late "$GPUTAP_BUILD/libgputap.so" >t.out 2>t.err
check "late: what exists is told, what follows is recorded" walk late
real=$(find /usr/local/cuda/ -name 'libcupti.so.[0-9]*' 2>/dev/null | head -n 1)
if [ -n "$real" ]; then
	traced --cupti="$real" -- "$examples/vector_add"
	# It does not say why, and its version is the driver's: so what it answered is told, and no cause.
	check "a real CUPTI without its driver: the program runs on, and it is said" eval "status 0 && said 'CUDA is not traced: .* cuptiSubscribe_v2 answered CUPTI_ERROR_UNKNOWN (999)'"
else
	echo "skipped: no real CUPTI library here"
fi
finish
