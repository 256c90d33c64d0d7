#!/usr/bin/env bash
# tests/e2e/dump.sh - what dump and info say about a real program is what the program did
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
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
check "dump and info of callbacks are true" python3 "$here/dump_check.py" back.json back.info

"$gputap" dump one.basic.gputap >one.text 2>/dev/null
calls=$(grep -c '"type":"call"' one.basic.json)
check "text and JSON have the same calls" [ "$(grep -cE '^[0-9.]+ [0-9]+/[0-9]+ #[0-9]+ cl[A-Z]' one.text)" = "$calls" ]
check "text has a line for each command" [ "$(grep -c '^    command ' one.text)" = "$(grep -c '"command":{' one.basic.json)" ]
check "no fact of an object lacks its name" [ "$(grep '"type":"object"' one.basic.json | grep -c '"0x[0-9a-f]*":')" = 0 ]
check "a kernel shows its work-group facts" grep -q '"kind":"kernel".*"facts":{.*"CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE":[0-9]' one.basic.json
check "a device shows how its clock was found" grep -q '"kind":"device".*"clock":"brackets"' one.basic.json
check "info in words says that nothing is missing" grep -q '^complete: yes' <("$gputap" info one.basic.gputap)

"$gputap" dump >out 2>err; check "no trace is a usage error" [ $? = 2 ]
"$gputap" info nowhere.gputap >out 2>err; check "a missing trace is an input error" [ $? = 3 ]
check "... that names it" grep -q 'gputap: .*nowhere.gputap' err
"$gputap" dump one.basic.gputap >/dev/full 2>err; check "a full output is an output error" [ $? = 4 ]
finish
