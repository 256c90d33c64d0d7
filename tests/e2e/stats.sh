#!/usr/bin/env bash
# tests/e2e/stats.sh - each report of a real program says what can be computed from its dump
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap

# One file for each report and format; the tool itself lists its reports.
reports() {
	local r f
	mkdir "$2"
	for r in $("$gputap" stats -r nonsense "$1" 2>&1 | sed -n 's/.*known: //p'); do
		for f in csv json; do "$gputap" stats -q -r "$r" --format "$f" "$1" >"$2/$r.$f" 2>/dev/null || return 1; done
	done
}

judge() {
	"$gputap" run -q --summary=none -o "$1" -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 3 >/dev/null 2>&1
	"$gputap" dump --json "$1.gputap" >"$1.dump" 2>/dev/null && "$gputap" info --json "$1.gputap" >"$1.info" || fail "$1: no dump"
	check "$1: every report prints as CSV and JSON" reports "$1.gputap" "$1.reports"
	check "$1: every report agrees with the dump" python3 "$here/stats_check.py" "$1.dump" "$1.info" "$1.reports"
}

for POCL_DEVICES in basic pthread; do
	export POCL_DEVICES
	judge "$POCL_DEVICES"
done
unset POCL_DEVICES
if [ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ]; then
	export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
	judge stand-in
fi
finish
