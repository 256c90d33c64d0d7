#!/usr/bin/env bash
# tests/e2e/sqlite.sh - a real program's trace as a database, in both editions
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -eu
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
export POCL_DEVICES=${POCL_DEVICES-basic}

"$GPUTAP_BUILD/gputap" run -q --summary=none -o t -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 3 >/dev/null
export_as() { "$GPUTAP_BUILD/gputap" export -q -e sqlite -o "$1" "${@:2}" t.gputap; }
export_as new
export_as old --sqlite-schema=2021
export_as plain --opencl-compat=off
# Each of three threads does everything 20 times, with one NDRange and one task: 120 kernels.
python3 "$GPUTAP_TESTS/e2e/sqlite_check.py" new.sqlite old.sqlite plain.sqlite 120
# Flags that have one name for all of them are shown by it.
export_as args --sqlite-arguments
python3 - <<'END'
import sqlite3
rows = sqlite3.connect("args.sqlite").execute("SELECT arguments FROM OPENCL_API WHERE arguments LIKE '%device_type=%'").fetchall()
assert rows and all("device_type=CL_DEVICE_TYPE_ALL," in r[0] for r in rows), rows
END

# Of several processes, each with threads, and a second image of one pid: no two calls have one id, so a join without the process is right.
cl=$GPUTAP_BUILD/tests/e2e/cl_commands
"$GPUTAP_BUILD/gputap" run -q --summary=none -o many -e sqlite -- sh -c '"$0" 2 & "$0" 3 & "$0" 1; wait; exec "$0" 2' "$cl" >/dev/null
# A command on no queue, alone: its calls, and neither a device nor ids that nobody gave out.
"$GPUTAP_BUILD/gputap" run -q --summary=none -o null -e sqlite,atp,apilog -- "$GPUTAP_BUILD/tests/e2e/cl_null" >/dev/null
"$GPUTAP_BUILD/gputap" dump null.gputap >null.txt
python3 "$GPUTAP_TESTS/e2e/sqlite_ids_check.py" many.sqlite null.sqlite null.atp null.apilog null.txt
