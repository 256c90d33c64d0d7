# tests/check_lib.sh - sentences that must be true, counted: sourced by test scripts, which end with `finish`
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
passed=0 failed=0 skipped=0

# check NAME COMMAND...: one sentence that must be true
check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi
}

# ok NAME GOT WANT: two words are the same
ok() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1: got '$2', want '$3'"; fi; }

# has NAME FILE PATTERN: a line of the file matches
has() { if grep -q -- "$3" "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1: no '$3' in:"; sed 's/^/  /' "$2" | head -n 20; fi; }

# skip WHY [HOW MANY]
skip() { echo "skipped: $1"; skipped=$((skipped + ${2-1})); }

finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ "$failed" -eq 0 ]; }
