#!/usr/bin/env bash
# tests/cli/nothing.sh - traces in which there is nothing of a kind: what is empty is not sorted, which C leaves undefined
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
nm -D --undefined-only "$gputap" | grep -qE '__[at]san' && { echo "skipped: a sanitizer looks for itself"; exit 77; }
cat >sort.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned sorts;

void qsort(void *v, size_t n, size_t bytes, int (*compare)(const void *, const void *))
{
	void *volatile there = v;         /* the header says that it is never null, which a compiler believes */

	if (!there)
		_exit(99);
	sorts++;
	qsort_r(v, n, bytes, (int (*)(const void *, const void *, void *))(void (*)(void))compare, NULL);
}

__attribute__((destructor)) static void tell(void) { dprintf(9, "%u\n", sorts); }
END
"${CC:-cc}" -O1 -fPIC -shared -D_GNU_SOURCE -o libsort.so sort.c || exit 1

export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
"$gputap" run -q -o calls --summary=none -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1
LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib "$gputap" run -q -o cuda --summary=none -- "$GPUTAP_BUILD/examples/cuda/vector_add" >/dev/null 2>&1
mkdir run.gputap image.gputap
cp calls.gputap/run run.gputap
cp -r calls.gputap/. image.gputap
rm image.gputap/*/*.str

for trace in run image calls cuda; do
	for words in info dump "stats -r all" report "export -e "{atp,apilog,sqlite,perfetto,callgrind,folded,occupancy,csv,ncu-rep}" -f -o out"; do
		# shellcheck disable=SC2086
		LD_PRELOAD=$PWD/libsort.so "$gputap" $words "$trace.gputap" >/dev/null 2>err 9>>sorts </dev/null
		status=$?
		check "$words, $trace: it ends, and sorts nothing that is not there" test $status -lt 5
	done
done
check "what sorts was looked at" grep -q '^[1-9]' sorts
finish
