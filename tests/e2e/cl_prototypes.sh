#!/usr/bin/env bash
# tests/e2e/cl_prototypes.sh - the version that a platform reports decides which prototype a provisional call is read by
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors

# barrier PATCH: the call's line in the API log
barrier() {
	export FAKECL_FAULTS=command-buffers=$1
	both cl_prototypes "$1"
	"$GPUTAP_BUILD/gputap" export -f -e apilog -o out.apilog t.gputap >/dev/null 2>err || fail "export: $(cat err)"
	"$GPUTAP_BUILD/gputap" info --json t.gputap >info.json
	grep clCommandBarrierWithWaitListKHR out.apilog >line || fail "0.9.$1: no line of the call"
}
by_name_only() { python3 -c 'import json; print(json.load(open("info.json"))["ledger"].get("EXT_PROVISIONAL", 0))'; }

for patch in 0 4; do
	barrier $patch
	check "0.9.$patch: two points to wait for, and the one that came out" \
		grep -q 'num_sync_points_in_wait_list = 2,.* \*sync_point = 204,' line
	check "0.9.$patch: no property list is read" bash -c '! grep -q properties line'
	check "0.9.$patch: nothing is recorded by name only" [ "$(by_name_only)" = 0 ]
done
for patch in 5 7; do
	barrier $patch
	check "0.9.$patch: two points to wait for, and the one that came out" \
		grep -q 'num_sync_points_in_wait_list = 2,.* \*sync_point = 7204,' line
	check "0.9.$patch: the property list is there" grep -q 'properties = ' line
	check "0.9.$patch: nothing is recorded by name only" [ "$(by_name_only)" = 0 ]
done
barrier 8
check "0.9.8, which we do not know: no argument is read" bash -c '! grep -q sync_point line'
check "0.9.8: the ledger counts its calls" [ "$(by_name_only)" -gt 0 ]
finish
