#!/usr/bin/env bash
# tests/e2e/cuda_long_names.sh - kernels whose symbols are thousands of bytes long, as C++ templates make them
#
# On the stand-in machine.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
sizes="40 1000 1100 4096 4097 5000"
metrics=$(printf 'sm__part_%02d.sum,' {1..20} | sed 's/,$//')     # three passes
complete() { grep -q 'complete: yes' t.err; }
named() { traced --summary=none --cupti "$cupti" "$@" -- "$GPUTAP_BUILD/tests/e2e/cuda_long_names" $sizes; }
counted() { named --metrics "$metrics" "$@"; }
# rows_are N [OPTION...]: the report has so many launches, each with a value of each metric
rows_are() { timeout 60 "$tap" report --cupti "$cupti" --page raw --csv "${@:2}" t.gputap 2>said | python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(sys.stdin) if r["ID"]]
have = sum(1 for r in rows if all(r["sm__part_%02d.sum" % i][:1].isdigit() for i in range(1, 21)))
sys.exit(0 if len(rows) == have == int(sys.argv[1]) else "%d rows, %d with values" % (len(rows), have))' "$1"; }

named
check "each is launched twice, and nothing is lost" complete
"$tap" export -q -f -e sqlite -o t t.gputap
check "a database has their whole symbols, and the short name of each" [ "$(sqlite3 t.sqlite "SELECT group_concat(n, ' ') FROM (SELECT length(m.value) || '/' || s.value AS n
	FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds m ON m.id = mangledName JOIN StringIds s ON s.id = shortName GROUP BY 1 ORDER BY length(m.value))")" = \
	"40/named 1000/named 1100/named 4096/named 4097/named 5000/named" ]
check "so has the table of metrics" [ "$("$tap" metrics --format csv t.gputap 2>/dev/null | python3 -c '
import csv, sys
print(*sorted({len(row["Kernel"]) for row in csv.DictReader(sys.stdin) if row["Kernel"].startswith("_Z")}))')" = "1100 4096 4097 5000" ]
counted --launch-count 0
check "counters of all of them are collected" complete
check "and each launch has its values" rows_are 12 --launch-count 0
counted --launch-skip 1 --launch-count 0
check "where the second launch of each is counted, that one is shown" rows_are 6
counted --launch-count 0 --replay-mode=application --reruns
check "in several runs of the program they are found again" complete
check "and have their values" rows_are 12 --launch-count 0
named --metrics smsp__pcsamp_sample_count,inst_executed --reruns --launch-count 0
check "samples and counts of their instructions are found again too" complete
finish
