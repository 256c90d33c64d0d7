#!/usr/bin/env bash
# tests/e2e/plan.sh - gputap plan: passes of six chips, by each CUPTI that is here; no GPU is needed
#
# How many passes a plan takes is the library's answer: it is held for each version that is in the table, and for the
# sections that come with gputap. scripts/setup brings one of them.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
export GPUTAP_DEPLOY=false
not() { ! "$@"; }
check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

# Of a version: its name; each chip with the passes of one throughput, of the set basic and of full. CUDA 12.6 has no
# GB100 and knows no sampling, 13.1 has no GV100.
expected() {
	case $1 in
	24) echo 12.6 ;;
	28) echo 12.9 ;;
	130001) echo 13.0 ;;
	130101) echo 13.1 ;;
	*) return ;;
	esac
	[ "$1" = 130101 ] || echo 'GV100 7 17 24'
	echo 'TU102 5 7 14
GA100 5 9 15
AD102 6 7 16
GH100 8 9 19'
	[ "$1" = 24 ] || echo 'GB100 8 8 18'
}

# One library: where it lies, and what the table says of it.
version_of() { python3 -c '
import ctypes, sys
n = ctypes.c_uint32()
ctypes.CDLL(sys.argv[1]).cuptiGetVersion(ctypes.byref(n))
print(n.value)' "$1" 2>/dev/null; }
# plan CHIP WORDS...; passes: of its hardware counters, when the chip has all of them
plan() { "$tap" plan --cupti "$lib" --chip "$1" "${@:2}" --format csv 2>said; }
passes() { plan "$@" | awk -F, '/^hardware counters,/ { print $3 == 0 ? $5 : "unknown" }'; }
take() {
	local number name chip throughput basic full
	number=$(version_of "$lib")
	expected "$number" >rows
	read -r name <rows || { echo "nothing is known of CUPTI $number ($lib)"; return; }
	while read -r chip throughput basic full; do
		check "CUPTI $name, $chip: $throughput passes of the throughput" [ "$(passes "$chip" --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed)" = "$throughput" ]
		check "CUPTI $name, $chip: $basic of the set basic" [ "$(passes "$chip" --set basic)" = "$basic" ]
		check "CUPTI $name, $chip: $full of the set full" [ "$(passes "$chip" --set full)" = "$full" ]
	done < <(tail -n +2 rows)
	[ "$name" = 12.6 ] || check "CUPTI $name: every metric of every section is on GH100" [ "$(plan GH100 --set full | awk -F, 'NR > 1 {n += $3} END {print n}')" = 0 ]
	full=$(passes GH100 --set full)
	take_domains "$name"
	take_refused "$name"
	plan GH100 --metrics sm__none.sum >out
	check "CUPTI $name: a metric that was asked for and is not there is an error" [ $? -eq 3 ]
	plan gh100 >out
	check "CUPTI $name: a chip that is not there is a usage error" [ $? -eq 2 ]
}

# The guide's example: a metric whose counter two units of the multiprocessor can collect, one of them in one pass.
mkdir -p f
section() { printf 'Identifier: "%s"\nDisplayName: "%s"\nMetrics { Metrics {\n  Name: "%s"\n  Groups: "g" CtrDomains: "%s"\n} }\n' "$@" >"f/$1.section"; }
stall=smsp__warps_issue_stalled_short_scoreboard.avg
for unit in a b c x; do
	section "Range_$unit" domain "$stall" "gpu_sm_$unit"
	section "Sampled_$unit" domain "pmsampling:$stall" "gpu_sm_$unit"
done
section Several domain "$stall" 'gpu_sm_b" CtrDomains: "gpu_sm_a'
section Fma domain pmsampling:sm__pipe_fma_cycles_active.avg gpu_sm_c
in_domain() { plan GH100 --section-folder f --section "$1" | awk -F, 'NR == 2 { print $5 }'; }
chosen() { grep -qxF "gputap: $1: collected where the library chooses: $2" said; }
take_domains() {
	local name=$1
	if [ "$name" = 12.6 ]; then
		check "CUPTI $name: a counter domain is not taken" [ "$(in_domain Range_a)" = 1 ]
		check "CUPTI $name: and a line says why" chosen "$stall" "this libnvperf_host.so takes none, CUDA 12.9's does"
		return
	fi
	check "CUPTI $name: the domain gpu_sm_c takes 1 pass" [ "$(in_domain Range_c)" = 1 ]
	check "CUPTI $name: gpu_sm_a takes 2" [ "$(in_domain Range_a)" = 2 ]
	check "CUPTI $name: of several the first that can is taken" [ "$(in_domain Several)" = 2 ]
	check "CUPTI $name: and nothing is said of them" not grep -q 'the library chooses' said
	check "CUPTI $name: where gpu_sm_b cannot the library chooses" [ "$(in_domain Range_b)" = 1 ]
	check "CUPTI $name: and a line says so" chosen "$stall" "the counter domain gpu_sm_b of GH100 does not collect it"
	check "CUPTI $name: one that there is not is told" [ "$(in_domain Range_x)" = 1 ]
	check "CUPTI $name: as such" chosen "$stall" "there is no counter domain gpu_sm_x"
	check "CUPTI $name: sampled in gpu_sm_c it takes 1 pass" [ "$(in_domain Sampled_c)" = 1 ]
	check "CUPTI $name: which CUPTI does in 2" [ "$(in_domain Sampled_b)" = 2 ]
	check "CUPTI $name: and that is told" chosen "pmsampling:$stall" "the counter domain gpu_sm_b of GH100 does not collect it"
	check "CUPTI $name: what CUPTI samples by other counters stays as it is" [ "$(in_domain Fma)" = 1 ]
	check "CUPTI $name: and is told too" chosen pmsampling:sm__pipe_fma_cycles_active.avg "CUPTI takes other counters than libnvperf_host.so for what is collected with it"
	cp "$GPUTAP_TESTS"/../analysis/sections/stock/*.section f/
	check "CUPTI $name: one domain among the set full: the rest is CUPTI's plan" [ "$(plan GH100 --section-folder f --set full --section Range_c | awk -F, '/^hardware counters,/ { print ($5 == '"$full"') }')" = 1 ]
	check "CUPTI $name: without a word" not grep -q 'the library chooses' said
}

# A metric that the library cannot plan: on GB202 34 of 13.0's names end in _realtime and are refused alone.
take_refused() {
	local name=$1 bad=lts__t_requests_srcnode_gpc_realtime.sum good=smsp__inst_executed.sum
	local words="$good,$bad,sm__cycles_active.avg,lts__t_requests_srcunit_ce_realtime.sum"
	plan GB202 --metrics "$bad" >out && { echo "skipped: CUPTI $name plans $bad"; return; }
	grep -q 'cannot be collected' said || { echo "skipped: CUPTI $name: $(head -1 said)"; return; }
	plan GB202 --metrics "$words" >out
	check "CUPTI $name: a metric that cannot be planned and was asked for is an error" [ $? -eq 3 ]
	check "CUPTI $name: which is named" grep -qx "gputap: $bad is left out: this metric cannot be collected (CUPTI's error [0-9]*)" said
	check "CUPTI $name: the others are planned" grep -q '^hardware counters,4,0,1,1,' out
	"$tap" run --cupti "$lib" --chip GB202 --metrics "$words" -o refused -- true 2>said
	check "CUPTI $name: to be collected too" grep -qx 'gputap: GB202: 2 metrics are counted in 1 pass of each kernel' said
	check "CUPTI $name: with a line of those that are not" [ "$(grep -c ' is left out: ' said)" = 2 ]
	bad=pmsampling:syslts__t_sectors_srcunit_tex_misc_atom_or_red_realtime.sum
	plan GB202 --metrics "$bad" >out && { echo "skipped: CUPTI $name plans $bad"; return; }
	plan GB202 --metrics "pmsampling:$good,$bad" >out
	check "CUPTI $name: samples of performance monitors, too" grep -q '^PM sampling,2,0,1,1,' out
	check "CUPTI $name: with the reason" grep -q '^gputap: pmsampling:syslts__t_sectors_.* is left out: this metric cannot be collected' said
}

for lib in "${XDG_CACHE_HOME:-${HOME-}/.cache}"/gputap/cupti/*/nvidia/*/lib/libcupti.so.1? "${CUDA_HOME:-/usr/local/cuda}"/extras/CUPTI/lib64/libcupti.so.1?; do
	[ -e "$lib" ] && take
done
[ $((passed + failed)) -gt 0 ] || { echo "skipped: no CUPTI of CUDA 12.6 to 13.1 whose passes are known: scripts/setup brings one"; exit 77; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
