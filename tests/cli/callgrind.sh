#!/usr/bin/env bash
# tests/cli/callgrind.sh - gputap stats of profiles in callgrind's format: each production, valgrind's files, damaged ones
#
# callgrind/: profiles of tests/real/callgrind_example.c that valgrind 3.19 made, and what callgrind_annotate printed of them.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
passed=0 failed=0
check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }
profiles=$GPUTAP_TESTS/cli/callgrind
python3 "$GPUTAP_TESTS/cli/callgrind_cases.py" >cases || failed=$((failed + 1))
grep -v " passed, " cases
read -r more _ <<<"$(tail -n 1 cases)"
passed=$((passed + more))
for name in threads plain caches; do
	check "a file of valgrind ($name): the lines of callgrind_annotate" \
		python3 "$GPUTAP_TESTS/real/callgrind_compare.py" "$profiles/$name.out" "$profiles/$name.json"
done
check "damaged and hostile files are read or refused, in 256 MB" python3 "$GPUTAP_TESTS/cli/callgrind_damage.py" "$profiles"/*.out
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
