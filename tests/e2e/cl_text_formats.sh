#!/usr/bin/env bash
# tests/e2e/cl_text_formats.sh - .atp and API log of real programs: strict readers accept them, and they agree with each other
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

number() { sed -n "s/.* $2=\([0-9]*\).*/\1/p" "$1" | awk '{n += $1} END {print n + 0}'; }

# formats PROGRAM ARG...: export both formats of a traced run and read them
formats() {
	rm -rf f f.* counts.*
	timeout 60 env LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" GPUTAP_OUTPUT="$PWD/f" "$GPUTAP_BUILD/tests/e2e/$1" "${@:2}" >/dev/null 2>&1
	check "$*: exported" "$GPUTAP_BUILD/gputap" export -q -e atp,apilog -o f f.gputap
	check "$*: .atp is accepted" python3 "$GPUTAP_TESTS/golden/atp_parse.py" f.atp
	check "$*: the API log is accepted" python3 "$GPUTAP_TESTS/golden/apilog_parse.py" --whole f.apilog
	python3 "$GPUTAP_TESTS/golden/atp_parse.py" f.atp >counts.atp
	python3 "$GPUTAP_TESTS/golden/apilog_parse.py" --whole f.apilog >counts.apilog
	check "$*: calls were seen" [ "$(number counts.atp calls)" -gt 0 ]
	check "$*: both have the same calls" [ "$(number counts.atp ' calls')" = "$(number counts.apilog ' calls')" ]
	check "$*: both have the same threads" [ "$(number counts.atp threads)" -le "$(number counts.apilog threads)" ]
}

for POCL_DEVICES in basic pthread; do
	export POCL_DEVICES
	formats cl_commands
	check "cl_commands: commands have a device part" [ "$(number counts.atp commands)" -ge 20 ]
	check "cl_commands: no more device parts than commands" [ "$(number counts.atp commands)" -le "$(number counts.apilog commands)" ]
done
# On the pthread device: PoCL's basic one locks itself up in clSetUserEventStatus.
formats cl_callbacks
check "cl_callbacks: callbacks are in the log" [ "$(number counts.apilog callbacks)" -gt 0 ]
rm -rf t.*
check "one log per thread" "$GPUTAP_BUILD/gputap" export -q -e apilog --apilog-per-thread -o t f.gputap
check "one log per thread: no common file" [ ! -e t.apilog ]
check "one log per thread: the logs are accepted" python3 "$GPUTAP_TESTS/golden/apilog_parse.py" t.*.apilog
check "one log per thread: all lines are there" [ "$(cat t.*.apilog | wc -l)" = "$(wc -l <f.apilog)" ]
check "a log that is there is kept" [ "$("$GPUTAP_BUILD/gputap" export -q -e apilog --apilog-per-thread -o t f.gputap >/dev/null 2>&1; echo $?)" = 4 ]
check "a log that is there is replaced with -f" "$GPUTAP_BUILD/gputap" export -q -f -e apilog --apilog-per-thread -o t f.gputap
# Programs beside it that make no such calls: the file keeps its name, and they have none.
rm -rf h h.*
"$GPUTAP_BUILD/gputap" run -q -t opencl,osrt -e atp,apilog -o h -- sh -c 'sleep 0.01; "$0"' "$GPUTAP_BUILD/tests/e2e/cl_commands" >h.out 2>h.err
check "programs that call the C library alone have no file" [ "$(echo h.*)" = "h.apilog h.atp h.err h.gputap h.out" ]
rm -rf h h.*
"$GPUTAP_BUILD/gputap" run -t osrt -e atp,apilog -o h -- sleep 0.01 >h.out 2>h.err
check "... nor is there one where nobody called more" [ "$(echo h.*) $(grep -c "h.gputap holds nothing to write as" h.err)" = "h.err h.gputap h.out 2" ]
finish
