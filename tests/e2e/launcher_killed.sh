#!/usr/bin/env bash
# tests/e2e/launcher_killed.sh - gputap run is killed: what it gathers itself is counted as lost, in each phase of a run
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap live=$GPUTAP_BUILD/tests/e2e/cl_live place=$GPUTAP_BUILD/tests/e2e/cl_place
dir=$(mktemp -d)
trap 'touch "$dir/go"; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS "${!FAKECL_@}"
passed=0 failed=0 skipped=0
check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name ($*)"; fi; }
until_true() { for _ in $(seq 600); do "$@" && return 0; sleep 0.05; done; return 1; }
says() { "$gputap" info "${2-t.gputap}" 2>&1 | grep -qE -- "$1"; }
json() { "$gputap" info --json t.gputap | python3 -c "import json, sys; i = json.load(sys.stdin); print($1)"; }
# What is missing by name, how often the ledger has it, and whether the trace is called whole.
ledger() { json "*i.get('not_gathered', []), i['ledger'].get('NOT_GATHERED', 0), i['complete']"; }
gathers() { grep -q "^gathers=$1 " t.gputap/run; }
# killed [OPTION...] -- PROGRAM...: the launcher, once the program has made the file `ready`
killed() {
	rm -rf t.gputap ready go
	setsid "$gputap" run -q -f -o t "$@" </dev/null & launcher=$!
	until_true test -e ready
	kill -KILL "${group-}$launcher"; wait "$launcher" 2>/dev/null
}
goes_on() { touch go; until_true ended; }
ended() { ! says 'still recording|still being written'; }

# ---- while the program runs
killed -t opencl,sample,sched -- "$live" ready go 2>/dev/null
if gathers samples && gathers switches; then
	check "samples, the program runs on: still recording" says 'complete: no \(still recording'
	goes_on
	check "samples and switches are lost by name" [ "$(ledger)" = "samples switches 2 False" ]
	check "... and in words" says '^missing +samples, switches: gputap run was killed'
	check "... the ledger's line" says 'complete: no \(2 parts of the trace that only'
	check "... --require-complete" eval '! "$gputap" stats --require-complete t.gputap >/dev/null 2>&1'
	"$gputap" export -q -f -e atp -o x t.gputap 2>/dev/null
	check "... an export says it inside" grep -q 'only `gputap run` writes' x.atp
	cp -r t.gputap u.gputap; sed -i 's/^boot_id=.*/boot_id=1/; s/^host=.*/host=elsewhere/' u.gputap/run
	check "... and on another machine" says '2 parts of the trace that only' u.gputap
	"$gputap" run -q -f -o t -t opencl,sample,sched -- "$place" 5 2>/dev/null
	check "a run that ends lacks none of it" [ "$(ledger)" = "0 True" ]

	# ---- before the program's first call
	killed -t opencl,sample -- sh -c "touch ready; until [ -e go ]; do sleep 0.02; done; exec $place 5" 2>/dev/null
	check "before the first call" [ "$(ledger)" = "samples 1 False" ]
	touch go; made() { says '^  5 calls'; }; until_true made; until_true ended
	check "... and when the program has gone on" [ "$(ledger)" = "samples 1 False" ]
	mkfifo alive
	rm -rf t.gputap; "$gputap" run -q -f -o t -t sample -- sh -c 'echo >alive; read -r go <alive' 2>/dev/null &
	read -r _ <alive
	check "a run that goes on is still being written" says 'complete: no \(still being written: by gputap run'
	check "... and lacks nothing yet" [ "$(ledger)" = "0 False" ]
	echo >alive; wait
else
	skipped=$((skipped + 1)); echo "skipped: samples: $(sed -n 's/^note=//p' t.gputap/run)"; goes_on
fi

# ---- nothing that it gathers itself
killed -- "$live" ready go; goes_on
check "what the program recorded alone is whole" [ "$(ledger)" = "0 True" ]
check "... and that is said with its limit" says 'gputap run. was killed, which alone knows'
killed -- sh -c 'touch ready; until [ -e go ]; do sleep 0.02; done'
check "where nothing is recorded, nothing is called whole" [ "$(ledger)" = "1 False" ]
touch go

# ---- captured output
killed --capture-output -- "$live" ready go >out 2>err; goes_on
check "files that were to be copied at the end" [ "$(ledger)" = "output.1 output.2 2 False" ]
killed --capture-output -- sh -c "echo before; $live ready go; echo behind" > >(cat >out) 2>&1; goes_on
check "a pipe: its forwarder goes on, and nothing is lost" until_true eval '[ "$(ledger)" = "0 True" ]'
check "... of what was written behind the kill" grep -q behind t.gputap/output.1
group=- killed --capture-output -- sh -c "trap '' TERM; setsid $live ready go" > >(cat >out) 2>&1; goes_on
check "... the forwarder is killed as well" [ "$(ledger)" = "output.1 1 False" ]

# ---- behind the program's end
if nm -D --undefined-only "$gputap" | grep -qE '__[at]san' || ! "${CC:-cc}" -O1 -fPIC -shared -D_GNU_SOURCE -o libdies.so "$GPUTAP_TESTS/e2e/launcher/dies.c"; then
	skipped=$((skipped + 1)); echo "skipped: a library in the launcher"
else
	dies() { rm -rf t.gputap; { LD_PRELOAD=$PWD/libdies.so env "$1" "$gputap" run -q -f -o t "${@:2}" >out 2>err & } 2>/dev/null; wait $! 2>/dev/null; }
	dies DIES_BEHIND=end_realtime_ns= --measure-peak --capture-output -- "$place" 5
	check "peaks that were not measured" [ "$(ledger)" = "peaks 1 False" ]
	dies DIES_BEHIND=stream_bytes= --capture-output -- "$place" 5
	check "while it copies what was written" [ "$(ledger)" = "output.1 output.2 2 False" ]
	dies DIES_BEHIND=exit_status= -t opencl,sched -- "$place" 5
	! gathers switches || check "before the switches are stored" [ "$(ledger)" = "switches 1 False" ]
	dies DIES_BEFORE=.atp -t opencl,sched --capture-output -e atp -- "$place" 5
	check "while exports are made: the trace is whole" [ "$(ledger)" = "0 True" ]
	check "... and the export is not there, half or whole" [ ! -e t.atp ]
	check "... but under its unfinished name" [ "$(ls t.atp.*.part | wc -l)" = 1 ]
	"$gputap" run -q -f -o t -e atp -- "$place" 5
	check "... which goes with the next run" [ "$(echo t.atp*)" = t.atp ]
fi

# ---- the trace of a later run
"$gputap" run -q -f -o t -- "$place" 5
cp -r t.gputap t.run2.gputap; cp -r t.gputap t.run3.gputap; cp -r t.gputap tt.run2.gputap
for t in t.run2 tt.run2; do echo rerun=1 >>$t.gputap/run; done
"$gputap" run -q -f -o t -- "$place" 5
check "what a killed launcher left of a later run goes, and what has such a name stays" [ "$(echo t*.gputap)" = "t.gputap t.run3.gputap tt.run2.gputap" ]
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
