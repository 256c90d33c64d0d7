#!/usr/bin/env bash
# tests/e2e/cl_unsaid.sh - what nobody said is not shown as 0, NULL or a device of its own, and what the program was told is known
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap

both cl_unsaid
"$gputap" dump --json t.gputap >dump
"$gputap" export -q -f -e atp -o t.atp t.gputap
"$gputap" info t.gputap >info
check "an array has the elements that were written" python3 - dump <<'P'
import json, sys
calls = {c["name"]: c["args"] for c in map(json.loads, open(sys.argv[1])) if c["type"] == "call"}
arrays = calls["clGetPlatformIDs"]["platforms"], calls["clGetDeviceIDs"]["devices"]
sys.exit(not all(a and len(a) < 8 and all(h and "5a5a5a5a" not in h for h in a) for a in arrays))
P
check "... in .atp too" grep -Eq '^CL_SUCCESS = clGetDeviceIDs \( .*;8;\[0x[0-9A-F]+(,0x[0-9A-F]+)*\];NULL \)' t.atp
check "a device that was only asked has the answers" \
	grep -q "^device 0 $(sed -n 's/\(.*\), .*/\1/p' traced.out), $(sed -n 's/.*, //p' traced.out) compute unit" info
check "nothing is damaged" grep -q '^complete: yes' info

both cl_unsaid wait
"$gputap" export -q -f -e sqlite -o t.sqlite t.gputap
check "a wait for the program's own event has its context and no device" [ "$(python3 - t.sqlite <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("SELECT deviceId, contextId, streamId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION").fetchall(),
      [r[0] for r in db.execute("SELECT id FROM TARGET_INFO_GPU WHERE id < 0")])
P
)" = "[(4294967295, 1, 4294967295)] []" ]
finish
