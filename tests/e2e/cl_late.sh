#!/usr/bin/env bash
# tests/e2e/cl_late.sh - kernels that were made before the recording began have their names, by whatever call they are launched
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

for how in "" task; do
	# shellcheck disable=SC2086
	"$GPUTAP_BUILD/gputap" run -q -f --start-after=300ms -o t -- "$GPUTAP_BUILD/tests/e2e/cl_late" $how >out
	check "${how:-range}: the program ran" [ "$(cat out)" = 0 ]
	check "${how:-range}: both kernels by their names" [ "$("$GPUTAP_BUILD/gputap" stats -q -r opencl_kern_sum --format csv t.gputap |
		sed -n 's/.*,\([a-zA-Z_]*\)$/\1/p' | grep -v Name | sort | paste -sd' ')" = "first second" ]
	check "${how:-range}: each was asked once" [ "$("$GPUTAP_BUILD/gputap" dump t.gputap | grep -c '^object .* kernel ')" = 2 ]
	check "${how:-range}: nothing is missing" eval '"$GPUTAP_BUILD/gputap" info t.gputap | grep -q "^complete: yes"'
done
finish
