#!/usr/bin/env bash
# tests/fakegpu/conformance.sh - the stand-in CUDA machine behaves as CUPTI, the driver and the injection are known to behave
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
dir=$GPUTAP_BUILD/tests/fakegpu
passed=0 failed=0
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT
export LD_LIBRARY_PATH=$dir/lib

note() {                                        # STATUS WHAT...
	if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed ($1): ${*:2}"; fi
}

try() {                                         # CASE [VARIABLE=VALUE...]
	env "${@:2}" timeout 60 "$dir/test_fakegpu" "$1"
	note $? "$@"
}

try launches_have_kernels
try one_stream_never_overlaps
try all_kinds_come
try external_ids_are_told
try calls_enter_and_leave
try second_subscriber_is_refused
try busy_slot_is_named FAKEGPU_FAULTS=subscribe-busy
try full_buffers_come_by_themselves
try record_limit_is_kept
try buffers_are_per_thread
try one_buffer_for_all
try per_thread_is_the_default_since_13 EXPECT_PER_THREAD=1
try per_thread_is_the_default_since_13 EXPECT_PER_THREAD=0 CUPTI_LIBRARY=libcupti.so.12
try declined_buffers_are_counted
try every_third_record_is_dropped FAKEGPU_FAULTS=drop=3
try some_times_are_zero FAKEGPU_FAULTS=zero-times=5
try some_times_are_reversed FAKEGPU_FAULTS=reversed-times=5
try exhausted_times_are_zero FAKEGPU_FAULTS=exhausted=12
try times_are_good_without_faults
try pairs_are_swapped FAKEGPU_FAULTS=out-of-order
try no_permission_for_device_kinds FAKEGPU_FAULTS=no-permission
try one_kind_is_refused FAKEGPU_FAULTS=kind-refused=17
try old_driver_is_refused FAKEGPU_DRIVER=12050 EXPECT_ERROR=999
try old_driver_is_refused FAKEGPU_DRIVER=11080 EXPECT_ERROR=15 CUPTI_LIBRARY=libcupti.so.12
try full_buffers_wait_for_the_flush FAKEGPU_FAULTS=late-buffers
try the_period_brings_full_buffers FAKEGPU_FAULTS=late-buffers
try forced_flush_leaves_kernels_open FAKEGPU_FAULTS=slow-kernels=2000
try graph_launch_has_its_nodes
try graph_trace_stands_for_the_nodes
try late_attach_tells_what_exists
try filters_choose_calls
try clock_of_the_client_is_used
try clock_is_the_realtime_one
try nothing_comes_behind_finalize
try late_records_come_behind_finalize FAKEGPU_FAULTS=late-records
try a_child_cannot_use_it
try launches_fail_in_turn FAKEGPU_FAULTS=launch-fails=3
try allocations_fail_in_turn FAKEGPU_FAULTS=alloc-fails=4
try peers_copy FAKEGPU_DEVICES=2
try a_storm_loses_nothing
try a_flush_may_take_long FAKEGPU_FAULTS=flush-hangs=100

for v in 18 19 20 21 22 23 24 26 27 28 130000 130001 130101 130202 130500 139900; do
	library=$(basename "$(echo "$dir/v$v"/libcupti.so.*)")
	try version_is_consistent "LD_LIBRARY_PATH=$dir/v$v:$dir/lib" "CUPTI_LIBRARY=$library" "EXPECT_VERSION=${v/#19/18}"
	case $v in 18 | 22 | 23 | 130001 | 130101 | 130500 | 139900) try sizes_are_the_versions "LD_LIBRARY_PATH=$dir/v$v:$dir/lib" "CUPTI_LIBRARY=$library" ;; esac
done

# Without a driver that is new enough: 13.2 ends the process at the first question, later ones answer nothing.
(
	ulimit -c 0
	env FAKEGPU_DRIVER=12050 "LD_LIBRARY_PATH=$dir/v130202:$dir/lib" "$dir/test_fakegpu" old_driver_is_refused
) >/dev/null 2>&1
status=$?
note $((status - 139)) version 13.2 kills a process whose driver it refuses
try newer_versions_answer_nothing FAKEGPU_DRIVER=12050 "LD_LIBRARY_PATH=$dir/v130500:$dir/lib"

# Before version 27 a declined buffer is the end of the process.
(
	ulimit -c 0
	env FAKEGPU_FAULTS=decline-crashes CUPTI_LIBRARY=libcupti.so.12 FAKEGPU_CUPTI_VERSION=24 "$dir/test_fakegpu" declined_buffers_are_counted
) >/dev/null 2>&1
status=$?
note $((status - 134)) a declined buffer kills before version 27
try declined_buffers_are_counted FAKEGPU_FAULTS=decline-crashes CUPTI_LIBRARY=libcupti.so.12

# Injection: once in cuInit when accepted, at each cuInit and unloaded again when refused, before devices are found, ignored when missing.
program=$GPUTAP_BUILD/examples/cuda/vector_add
inject() {                                      # EXPECTED-LOG EXPECTED-STATUS VARIABLE=VALUE...
	rm -f inject.log
	env "CUDA_INJECTION64_PATH=$dir/libinject.so" INJECT_LOG=inject.log "${@:3}" timeout 60 "$program" >/dev/null 2>&1
	status=$?
	[ "$(cat inject.log)" = "$1" ] || status="other log, $status"
	if [ "$status" = "$2" ]; then status=0; else status=1; fi
	note $status "injection ${*:3}"
}
inject $'entry on the calling thread\nunloaded on the calling thread' 0 INJECT_RETURN=1
inject $'entry on the calling thread\nunloaded on the calling thread' 0 INJECT_RETURN=0
inject $'entry on the calling thread\nunloaded on the calling thread' 1 INJECT_RETURN=1 FAKEGPU_FAULTS=no-device
env CUDA_INJECTION64_PATH=/nowhere/lib.so timeout 60 "$program" >/dev/null
note $? "a missing injection library is ignored"

# The report counts, and says whose it is.
env FAKEGPU_REPORT=report timeout 60 "$GPUTAP_BUILD/examples/cuda/storm" 2 50 >/dev/null
grep -qx 'gputap stand-in' report && grep -qx 'kernels 100' report && grep -qx 'live-memory 0' report && grep -qx 'live-streams 0' report
note $? "the report counts kernels and what is alive"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
