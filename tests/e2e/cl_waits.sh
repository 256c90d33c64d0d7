#!/usr/bin/env bash
# tests/e2e/cl_waits.sh - long wait lists are recorded whole, and first launches are marked
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap
unset FAKECL_FAULTS FAKECL_PLATFORMS FAKECL_DEVICES

for n in 200 257 3000; do
	"$gputap" run -q -f -e sqlite -o t -- "$GPUTAP_BUILD/tests/e2e/cl_waits" $n >out 2>err
	check "$n events: the program" [ "$(cat out)" = "$n events" ]
	check "$n events: all of them are waited for, twice" [ "$(sqlite3 t.sqlite 'SELECT count(*) FROM OPENCL_WAIT_LIST')" = $((2 * n)) ]
	check "$n events: each is another one" [ "$(sqlite3 t.sqlite 'SELECT count(DISTINCT waitsForCorrelationId) FROM OPENCL_WAIT_LIST')" = "$n" ]
	check "$n events: nothing is cut" [ "$("$gputap" info t.gputap 2>/dev/null | grep -c '^complete: yes')" = 1 ]
done
"$gputap" dump --json t.gputap >dump.json 2>/dev/null
check "the first launch of a kernel with each local size" [ "$(grep '"name":"clEnqueueNDRangeKernel"' dump.json | grep -c '"first":1')" = 2 ]
check "... of four" [ "$(grep -c '"name":"clEnqueueNDRangeKernel"' dump.json)" = 4 ]
finish
