#!/usr/bin/env bash
# tests/e2e/dump.sh - what dump and info say about a real program is what the program did
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
here=$GPUTAP_TESTS/e2e
gputap=$GPUTAP_BUILD/gputap

record() {
	"$gputap" run -q -o "$1" -- "$GPUTAP_BUILD/tests/e2e/$2" "${@:3}" >/dev/null 2>&1
	"$gputap" dump --json "$1.gputap" >"$1.json" 2>"$1.complete" && "$gputap" info --json "$1.gputap" >"$1.info"
}

for POCL_DEVICES in basic pthread; do
	export POCL_DEVICES
	check "cl_commands is recorded on $POCL_DEVICES" record one."$POCL_DEVICES" cl_commands
	check "dump and info of cl_commands are true on $POCL_DEVICES" python3 "$here/dump_check.py" one."$POCL_DEVICES".json one."$POCL_DEVICES".info
	check "cl_commands 3 is recorded on $POCL_DEVICES" record many."$POCL_DEVICES" cl_commands 3
	check "dump and info of 3 threads are true on $POCL_DEVICES" python3 "$here/dump_check.py" many."$POCL_DEVICES".json many."$POCL_DEVICES".info
done
unset POCL_DEVICES
check "cl_callbacks is recorded" record back cl_callbacks
check "dump shows callbacks with their arguments" grep -q '"type":"callback".*"name":"clSetEventCallback.pfn_notify".*"args":{"event":"0x' back.json
check "a callback has no result" [ "$(grep '"type":"callback"' back.json | grep -c '"result"')" = 0 ]
check "... nor in text" [ "$("$gputap" dump back.gputap 2>/dev/null | grep ' callback ' | grep -c ') = ')" = 0 ]
check "dump and info of callbacks are true" python3 "$here/dump_check.py" back.json back.info

# How each way to leave shows: the program ends with 3, whichever it takes.
rows() { "$gputap" dump --json "$1.gputap" 2>/dev/null | grep "^{\"type\":\"$2\"" | sed 's/.*"time_ns":-*[0-9]*,//'; }
for how in exit _exit quick_exit; do
	"$gputap" run -q -o "by$how" -- "$GPUTAP_BUILD/tests/e2e/cl_leave" $how >/dev/null 2>&1
	check "dump shows an end by $how with its status" [ "$(rows "by$how" exit)" = "\"how\":\"$how\",\"status\":3}" ]
	check "... in text too" [ "$("$gputap" dump "by$how.gputap" 2>/dev/null | grep '^exit ' | sed 's/.* how=/how=/')" = "how=\"$how\" status=3" ]
done
"$gputap" run -q -o became -- "$GPUTAP_BUILD/tests/e2e/cl_leave" exec >/dev/null 2>&1
check "dump shows a call of exec" [ "$(rows became exec)" = '"path":"/proc/self/exe","followed":true}' ]
check "... in text too" grep -q '^exec [0-9]* time_ns=[0-9]* path="/proc/self/exe" followed$' <("$gputap" dump became.gputap 2>/dev/null)
check "... and no exit" [ -z "$(rows became exit)" ]
check "info shows it" grep -q '"execs":\[{"time_ns":[0-9]*,"path":"/proc/self/exe","followed":true}\]' <("$gputap" info --json became.gputap)
check "... in text too" grep -q '^  exec of /proc/self/exe at [0-9.]* s$' <("$gputap" info became.gputap)

content() { # content FILE KIND FIELD PATTERN: a content row of that kind has the field
	python3 - "$@" <<'END'
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
ids = {o[k] for o in rows if o["type"] == "object" for k in ("source_id", "log_id") if k in o}
mine = [r for r in rows if r["type"] == "content" and r["kind"] == sys.argv[2]]
assert len(mine) == len({r["id"] for r in mine}), "once each"
assert all(r["id"] in ids for r in mine if r["kind"] in ("source", "log")) or sys.argv[2] == "log", "programs name their source"
sys.exit(not any(r[sys.argv[3]] is not None and re.search(sys.argv[4], str(r[sys.argv[3]])) for r in mine))
END
}
check "dump shows the source of programs" content one.basic.json source text '__kernel void add'
check "dump shows build logs" content back.json log text 'error'
"$gputap" run -q -o kept --binaries --env DUMP_SH -- env DUMP_SH=x=y "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1
"$gputap" dump --json kept.gputap >kept.json 2>/dev/null
check "dump shows binaries that were asked for" content kept.json binary hex '^[0-9a-f]{64}'
check "info shows the environment that was asked for" grep -q '"env":\["DUMP_SH=x=y"\]' <("$gputap" info --json kept.gputap)
"$gputap" export -q -e atp,sqlite kept.gputap 2>/dev/null
check ".atp shows it" grep -qx 'EnvVar=DUMP_SH=x=y' kept.atp
check "SQLite shows it" python3 -c 'import sqlite3, sys; sys.exit(("DUMP_SH=x=y",) not in sqlite3.connect("kept.sqlite").execute(
	"SELECT value FROM META_DATA_CAPTURE WHERE name = \"PROCESS_0:ENVIRONMENT_VARIABLE\"").fetchall())'
"$gputap" run -q -o bare --no-sources -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1
"$gputap" dump --json bare.gputap >bare.json 2>/dev/null
check "--no-sources keeps the id" content bare.json source id '^[0-9a-f]{32}$'
check "... and not the text" content bare.json source stored '^0$'
check "environment and binaries are not kept unasked" [ "$(grep -c '"kind":"binary"' one.basic.json):$("$gputap" info --json one.basic.gputap | grep -c '"env":\[\]')" = 0:1 ]

"$gputap" dump one.basic.gputap >one.text 2>/dev/null
calls=$(grep -c '"type":"call"' one.basic.json)
check "text and JSON have the same calls" [ "$(grep -cE '^[0-9.]+ [0-9]+/[0-9]+ #[0-9]+ cl[A-Z]' one.text)" = "$calls" ]
check "text has a line for each command" [ "$(grep -c '^    command ' one.text)" = "$(grep -c '"command":{' one.basic.json)" ]
check "no fact of an object lacks its name" [ "$(grep '"type":"object"' one.basic.json | grep -c '"0x[0-9a-f]*":')" = 0 ]
check "a kernel shows its work-group facts" grep -q '"kind":"kernel".*"facts":{.*"CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE":[0-9]' one.basic.json
check "a device shows how its clock was found" grep -Eq '"kind":"device".*"clock":"(brackets|timer)"' one.basic.json
check "info in words says that nothing is missing" grep -q '^complete: yes' <("$gputap" info one.basic.gputap)

"$gputap" dump >out 2>err; check "no trace is a usage error" [ $? = 2 ]
"$gputap" info nowhere.gputap >out 2>err; check "a missing trace is an input error" [ $? = 3 ]
check "... that names it" grep -q 'gputap: .*nowhere.gputap' err
"$gputap" dump one.basic.gputap >/dev/full 2>err; check "a full output is an output error" [ $? = 4 ]
finish
