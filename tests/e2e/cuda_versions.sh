#!/usr/bin/env bash
# tests/e2e/cuda_versions.sh - every version of CUPTI's records through the whole tool: the counts are right, what a version has not is absent
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"

traced() {
	rm -rf t.gputap report
	timeout 60 "$tap" run -q -f -o t "$@" >t.out 2>t.err
}
cell() { sqlite3 -separator ' ' t.sqlite "$1"; }
yes_from() { if [ "$version" -ge "$1" ]; then echo yes; else echo no; fi; }

# version:driver; what cuptiGetVersion answers stands in the trace (12.0 and 12.1 answer as 11.8 does)
for at in 18:11080 19:12010 20:12020 21:12030 22:12040 23:12050 24:12060 26:12080 27:12090 28:12090 130000:13000 130001:13000 130101:13010 130202:13020 \
	130500:13050 139900:13990; do
	version=${at%:*}
	lib=$(ls "$gpu/v$version"/libcupti.so.*)
	export FAKEGPU_DRIVER=${at#*:}
	traced --cupti="$lib" -- "$examples/storm" 2 100
	check "CUPTI $version: a storm is complete" whole ledger
	check "... with every kernel, copy and set" whole counts report
	check "... in order" whole times
	check "... clusters' occupancy is told since 12.0 only" whole fields "max_cluster=$(yes_from 19)" "max_active_clusters=$(yes_from 19)" grid=yes short_name=yes
	check "... the version is the library's" grep -q "\"cupti\":${version/#19/18}," <("$tap" dump --json t.gputap)
	traced --cupti="$lib" --cuda-graph-trace=node --cuda-memory-usage --cuda-events --cuda-um -e sqlite -- "$examples/graphs"
	check "... graphs by node: every kernel, copy and set" whole counts report graph=0
	check "... the same numbers in SQLite" test "$(cell 'SELECT (SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL), (SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY),
		(SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET)')" = "$(sed -n 's/^kernels //p' report) $(sed -n 's/^copies //p' report) $(sed -n 's/^sets //p' report)"
	traced --cupti="$lib" --cuda-memory-usage -e sqlite -- "$examples/pools"
	check "... memory and pools" test "$(cell 'SELECT count(*) > 10 FROM CUDA_GPU_MEMORY_USAGE_EVENTS')" = 1
done

finish
