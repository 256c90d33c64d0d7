#!/usr/bin/env bash
# tests/e2e/counters_choice.sh - which launches are counted, and shown: by name, number and NVTX range
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
metrics=sm__cycles_active.avg
counted() { traced --summary=none --cupti "$cupti" "$@"; }
complete() { grep -q 'complete: yes' t.err; }
report() { timeout 30 "$tap" report --cupti "$cupti" --page raw --csv "$@" t.gputap 2>said; }
launches() { grep -c '^"[0-9]'; }

# cuda_ranges gives each a grid of its own
# chosen GRIDS OPTION...: those and no others are counted
chosen() {
	local grids=$1
	shift
	counted --metrics "$metrics" --launch-count 0 "$@" -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges"
	[ "$(cat t.status)" = 0 ] && complete || { cat t.err; return 1; }
	[ "$("$tap" dump t.gputap 2>/dev/null | sed -nE 's/^cuda counters .* grid=([0-9]+)x.*/\1/p' | sort -n | tr -d '\n')" = "$grids" ]
}
check "--kernel-name regex: an expression" chosen 1234567 --kernel-name 'regex:^no(t|th)ing$'
check "which is searched for" chosen 1234567 --kernel-name 'regex:thi'
check "and may not fit" chosen '' --kernel-name 'regex:^thing'
check "names beside expressions" chosen 1234567 --kernel-name 'other*,more' --kernel-name 'regex:oth'
check "--kernel-id: a launch by its number" chosen 3 --kernel-id :::3
check "by its name" chosen 27 --kernel-id ::nothing:2 --kernel-id '::regex:no(?:th):7'
check "by context and stream, which are others" chosen '' --kernel-id 999:::3 --kernel-id :999::3
check "--nvtx-include: a pushed range, of this thread" chosen 23 --nvtx-include outer/
check "one inside another" chosen 3 --nvtx-include outer/inner
check "a started one" chosen 5 --nvtx-include phase
check "one in a domain, by a registered string" chosen 6 --nvtx-include Dom@step/
check "by an expression" chosen 23 --nvtx-include 'regex:^out/'
check "given twice: either" chosen 56 --nvtx-include phase --nvtx-include Dom@step/
check "--nvtx-exclude" chosen 14567 --nvtx-exclude outer/
check "both" chosen 2 --nvtx-include outer/ --nvtx-exclude inner]
check "a range that nobody opens" chosen '' --nvtx-include outer
check "ranges are found where -t leaves out NVTX" chosen 3 -t cuda --nvtx-include outer/inner
counted --metrics "$metrics" --launch-count 0 --nvtx-include 'deepest]' -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges" deepest 2000
check "the innermost of two thousand pushed ranges is found" [ "$("$tap" dump t.gputap | grep -c '^cuda counters .* grid=8x')" = 1 ]
counted --metrics "$metrics" --nvtx-include 'x]' -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges" x 9000
check "where there is no room for so many, a note says so" said 'more NVTX ranges and names than --nvtx-include'
counted --metrics "$metrics" --nvtx-include 'regex:^y/' -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges" "$(printf 'y%.0s' {1..1100})"
check "and where a name is longer than what is compared" said 'longer than 1024 bytes'
for one in --nvtx-include='regex:(/' --nvtx-exclude='regex:+x/' --kernel-name='regex:[a' --kernel-id=1:2:name --kernel-id='::regex:(:1'; do
	counted --metrics "$metrics" "$one" -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges"
	check "$one is refused before the program starts" status 125
done
counted --metrics "$metrics" --launch-count 3 -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges"
check "the report shows each launch that was counted" [ "$(report | grep -c '^"[0-9]')" = 3 ]
check "or as many as are asked for" [ "$(report --launch-count 2 | grep -c '^"[0-9]')" = 2 ]
counted --metrics "$metrics" --launch-count 0 -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges"
check "or those in a range" [ "$(report --nvtx-include outer/ | grep -c '^"[0-9]')" = 2 ]
check "but for some" [ "$(report --nvtx-include outer/ --nvtx-exclude 'inner/' --nvtx-exclude x | grep -c '^"[0-9]')" = 1 ]
report --nvtx-include 'regex:(/' >out
check "a wrong expression is a usage error there too" [ $? -eq 2 ]
finish
