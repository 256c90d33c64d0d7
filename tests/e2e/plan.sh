#!/usr/bin/env bash
# tests/e2e/plan.sh - gputap plan: passes of six chips, by the CUPTI that is installed; no GPU is needed
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

"$tap" metrics --query-metrics --format csv >chips 2>said || { echo "skipped: $(head -n 1 said)"; exit 77; }
# Of CUPTI 13.0
for one in GV100:7 TU102:5 GA100:5 AD102:6 GH100:8 GB100:8; do
	grep -q "^${one%:*}," chips || continue
	"$tap" plan --chip "${one%:*}" --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed --format csv >plan 2>said
	check "${one%:*}: ${one#*:} passes" grep -q "^hardware counters,1,0,1,${one#*:}," plan
done
"$tap" plan --chip GH100 --set full --format csv >plan 2>said
check "every metric of every section is on GH100" [ "$(awk -F, 'NR > 1 {n += $3} END {print n}' plan)" = 0 ]
"$tap" plan --chip GH100 --metrics sm__none.sum >plan 2>said
check "a metric that was asked for and is not there is an error" [ $? -eq 3 ]
"$tap" plan --chip gh100 >plan 2>said
check "a chip that is not there is a usage error" [ $? -eq 2 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
