#!/usr/bin/env bash
# tests/e2e/cuda_rules.sh - rules on what only CUDA tells, on the stand-in machine: what deserves them and its mended twin
#
# What kernels count is said by the test (cuda_deserve.values): it shows that rules on counters are asked with what was collected,
# and speak or not; no device counted it.
# OpenCL has no word for pageable memory, and a device that is the host's processors copies none: PageableCopy is silent there.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
export GPUTAP_DEPLOY=false
traced --summary=none -- "$GPUTAP_BUILD/tests/e2e/cuda_place_rules"
check "the program runs as ever" grep -qx PageableCopy t.out
check "a report is written" "$tap" export -q -f -e ncu-rep --apply-rules=false --launch-count=0 -o t t.gputap
check "a rule speaks of a kernel that waited for a copy of pageable memory, and not of its twin with pinned memory" \
	python3 "$GPUTAP_TESTS/e2e/place_rules_check.py" t.ncu-rep PageableCopy
python3 "$GPUTAP_TESTS/../python/gputap-rules" apply t.ncu-rep --text --least 0 --rule PageableCopy | tr -s " \n" " " >told
check "with the copy's bytes" grep -qE '1 copy, 1.0 MiB, [0-9.]+ .s\)' told
check "and its direction" grep -q 'Host-to-Device 1048576 ' told

# What shapes of launches deserve, with no counter.
traced --summary=none -- "$GPUTAP_BUILD/tests/e2e/cuda_deserve"
check "each shape is launched" eval 'status 0 && [ "$(grep -c . t.out)" = 4 ]'
check "a report is written of them" "$tap" export -q -f -e ncu-rep --apply-rules=false --launch-count=0 -o t t.gputap
check "rules on the size of grid and block, on the tail and on occupancy speak of what deserves them alone" \
	python3 "$GPUTAP_TESTS/e2e/rules_check.py" t.out t.ncu-rep

# What counters, samples and counts by instruction deserve.
cupti=$gpu/lib/libcupti.so.13
export FAKEGPU_VALUES=$GPUTAP_TESTS/e2e/cuda_deserve.values
traced --summary=none --cupti "$cupti" --set full --reruns --launch-count 0 -- "$GPUTAP_BUILD/tests/e2e/cuda_deserve" counters
check "two kernels for each rule on counters are launched" eval 'status 0 && [ "$(grep -c . t.out)" = 9 ]'
check "all of them are counted" said 'complete: yes'
check "a report is written with the counters" "$tap" export -q -f -e ncu-rep --cupti "$cupti" --apply-rules=false --launch-count=0 -o t t.gputap
check "rules on counters speak of what deserves them alone" python3 "$GPUTAP_TESTS/e2e/rules_check.py" t.out t.ncu-rep
unset FAKEGPU_VALUES

if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	timeout -k 5 90 "$tap" run -q -f --summary=none -o place -- "$GPUTAP_BUILD/tests/e2e/cl_place_rules" >truth
	check "it says nothing of OpenCL's copies, whose memory nobody tells" \
		eval "! '$tap' report --apply-rules --rule PageableCopy place.gputap | grep -q Pageable"
fi
finish
