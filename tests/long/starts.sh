#!/usr/bin/env bash
# tests/long/starts.sh - programs of all kinds start traced as they start bare: each domain and all of them, in each way
#
# Interpreters, sanitizers, allocators and libraries with thread-local storage, as the command, below a shell and below a
# Python, with the audit module where it is wanted and everywhere. What is not to be had is named.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
passed=0 failed=0 skipped=0
# shellcheck source=tests/e2e/starts_lib.sh
. "$(dirname "$0")/../e2e/starts_lib.sh"
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cd "$d" || exit 1
build_programs ${STARTS_KINDS-}
# Those that are built; what is a part of NVTX's, or counts kernels, loads nothing of its own.
mapfile -t domains < <("$gputap" run --help | sed -n '/^Domains of -t:/,/^$/p' | grep -v 'not built yet\|only the NVTX ranges\|^  \(counters\|none\) ' |
	sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "${#domains[@]}" -ge 5 ] || { echo "FAIL: domains: ${domains[*]}"; exit 1; }
echo "domains: ${domains[*]}"
domains+=("$(IFS=,; echo "${domains[*]}")")

for kind in $(printf '%s\n' "${!command[@]}" | sort); do
	for how in itself sh python; do
		for one in "${domains[@]}"; do
			for audit in auto on; do start "$kind" "$how" "$one" "--audit=$audit"; done
		done
	done
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
