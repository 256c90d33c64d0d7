#!/usr/bin/env bash
# tests/e2e/cuda_faults.sh - each fault of the stand-in CUDA machine, through the whole tool: the program never notices, one line, the ledger, right counts
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"

# What the tool says: none of it is about CUDA but for the ledger. Lines that say what is missing, and what to do:
lines() { grep -c '^gputap: .*\(CUDA\|CUPTI\)' <(grep -v '^gputap: complete\|stand-in machine' t.err); }

# fault FAULTS LINES LEDGER COUNTS [VARIABLE=VALUE | --OPTION]... -- PROGRAM...
fault() {
	local faults=$1 expected=$2 ledger=$3 counts=$4 bare status options=() variables=()
	shift 4
	while [ "$1" != -- ]; do case $1 in -*) options+=("$1") ;; *) variables+=("$1") ;; esac; shift; done
	shift
	env "${variables[@]}" FAKEGPU_FAULTS="$faults" timeout 60 "$@" >bare.out 2>bare.err
	bare=$?
	rm -rf t.gputap report
	env "${variables[@]}" FAKEGPU_FAULTS="$faults" timeout 60 "$tap" run -f -o t "${options[@]}" -- "$@" >t.out 2>t.err
	status=$?
	check "$faults: the program prints and returns what it does bare" test "$bare $(cat bare.out bare.err)" = "$status $(cat t.out; grep -v '^gputap: ' t.err)"
	check "... $expected clear lines" test "$(lines)" = "$expected"
	# shellcheck disable=SC2086
	[ "$ledger" = - ] || check "... the ledger says why" whole ledger $ledger
	# shellcheck disable=SC2086
	[ "$counts" = - ] || check "... and the counts are right" whole counts report $counts
}
storm="$examples/storm 1 200"
# shellcheck disable=SC2086
{
fault subscribe-busy 1 CUPTI_BUSY=1 "kernel=0 copy=0 fill=0" -- $storm
check "... the holder is named" grep -q "other-profiler" t.err
fault no-permission 1 CUPTI_REFUSED=4 "kernel=0 copy=0 fill=0" -- $storm
check "... calls are there all the same" whole calls cudaLaunchKernel 200
fault kind-refused=10 1 CUPTI_REFUSED=1 kernel=0 -- $storm
fault kind-refused=1 1 CUPTI_REFUSED=1 copy=0 -- $storm
fault kind-refused=5 1 CUPTI_REFUSED=1 "" -- $storm
fault no-device 0 "" "" -- $storm
fault drop=7 0 "CUPTI_DROPPED=+" - -- $storm
dropped=$(sed -n 's/^dropped //p' report)
check "... with the very number" whole ledger "CUPTI_DROPPED=$dropped"
fault decline-crashes 0 "" "" -- $storm
fault decline-crashes 0 "" "" FAKEGPU_DRIVER=12040 --cupti="$gpu/v22/libcupti.so.12" -- $storm
fault zero-times=5 0 TIME_ZERO=40 "" -- $storm
check "... they have no times, the others have" whole untimed TIME_ZERO 40
fault reversed-times=5 0 TIME_REVERSED=40 "" -- $storm
check "... they have no times, the others have" whole untimed TIME_REVERSED 40
fault exhausted=100 0 TIME_ZERO=102 "" -- $storm
check "... all from then on" whole untimed TIME_ZERO 102
fault out-of-order 0 "" "" -- $storm
check "... and order is made" whole times
fault late-buffers 0 "" "" -- $storm
fault late-buffers 0 "" "" --cuda-flush=0 -- $storm
fault late-records 0 "" "" -- $storm
fault flush-hangs=300 0 "" "" -- $storm
check "... times are right" whole times
fault slow-kernels=5 0 "" "" -- $storm
fault launch-fails=50 0 - - -- $storm
check "... what still ran when the program gave up is counted, and nothing else" whole ledger_within NOT_FINISHED
fault alloc-fails=1 0 "" "" -- "$examples/vector_add"
fault child-flush-hangs 0 "" "" -- $storm
fault drop=7,zero-times=5,out-of-order,late-buffers 0 "CUPTI_DROPPED=+ TIME_ZERO=+" - -- $storm
}
fault "" 1 CUPTI_MISSING=1 "kernel=0 copy=0" FAKEGPU_DRIVER=11000 -- "$examples/vector_add"
fault "" 1 CUPTI_MISSING=1 "kernel=0 copy=0" --cupti=$PWD/no-such-library.so -- "$examples/vector_add"
# The library of CUDA 13.2 ends a process whose driver it refuses at the first question; later ones answer nothing.
fault "" 1 CUPTI_MISSING=1 "kernel=0 copy=0" FAKEGPU_DRIVER=12080 --cupti="$gpu/v130202/libcupti.so.13" -- "$examples/vector_add"
fault "" 1 CUPTI_MISSING=1 "kernel=0 copy=0" FAKEGPU_DRIVER=12080 --cupti="$gpu/v130500/libcupti.so.13" -- "$examples/vector_add"
fault "" 1 CUPTI_MISSING=1 "kernel=0 copy=0" FAKEGPU_DRIVER=13000 --cupti="$gpu/v130202/libcupti.so.13" -- "$examples/vector_add"
check "... and why is said" grep -q "it is for CUDA 13.2 or newer, and the driver is older (CUDA 13.0)" t.err
fault "" 0 "" "" FAKEGPU_DRIVER=13020 --cupti="$gpu/v130202/libcupti.so.13" -- "$examples/vector_add"
fault "" 0 "" "" FAKEGPU_DRIVER=13050 --cupti="$gpu/v130500/libcupti.so.13" -- "$examples/vector_add"

finish
