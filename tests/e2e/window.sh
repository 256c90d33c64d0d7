#!/usr/bin/env bash
# tests/e2e/window.sh - a window of a trace shows the same calls under the same numbers
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap

"$gputap" run -q --summary=none -o t -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 3 >/dev/null 2>&1
"$gputap" export -q -e atp,apilog,sqlite -o whole t.gputap 2>/dev/null
# From the start of the third tenth of the calls to that of the fourth, as ns and as us.
starts=$("$gputap" stats -q -r opencl_api_trace --format csv t.gputap 2>/dev/null | cut -d, -f1 | tail -n +2)
n=$(wc -l <<<"$starts")
from=$(sed -n "$((n * 3 / 10))p" <<<"$starts") to=$(sed -n "$((n * 4 / 10))p" <<<"$starts")
"$gputap" export -q -e atp,apilog,sqlite -o part --from "${from}ns" --to "${to}ns" t.gputap 2>/dev/null
check "a window from ${from} ns to ${to} ns is a part of the whole" python3 "$here/window_check.py" whole part "$from" "$to"
# A window that begins at a wait: the call that made its event lies before.
waits=$("$gputap" stats -q -r opencl_api_trace --format csv t.gputap 2>/dev/null | grep clWaitForEvents | cut -d, -f1 | head -n 3)
check "the program waits for events" [ -n "$waits" ]
for at in $waits; do
	"$gputap" export -q -f -e atp,apilog,sqlite -o wait --from "${at}ns" --to "$((at + 2000000))ns" t.gputap 2>/dev/null
	check "a window that begins with a wait knows its event" python3 "$here/window_check.py" whole wait "$at" "$((at + 2000000))"
done
"$gputap" export -q -e apilog -o micro --from "$((from / 1000))us" --to "$((to / 1000 + 1))us" t.gputap 2>/dev/null
check "the same in microseconds holds it" [ -z "$(grep -Fvxf micro.apilog part.apilog | head -n 1)" ]
"$gputap" export -q -e apilog -o none --from 3600s t.gputap 2>/dev/null
check "a window behind the end is no error and has no calls" [ "$?:$(cat none*.apilog 2>/dev/null | wc -l)" = 0:0 ]
finish
