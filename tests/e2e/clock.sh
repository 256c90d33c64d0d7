#!/usr/bin/env bash
# tests/e2e/clock.sh - device times lie where causality puts them, within the clock error that the trace states
#
# PoCL's basic device executes inside the enqueue call: the time a command was queued says little about the clock there.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
passed=0 failed=0
gcc -O2 -o blur "$GPUTAP_TESTS/../examples/blur.c" -lOpenCL -lm || exit 1
if ! ./blur >alone && grep -q 'TOO LARGE' alone; then echo "skipped: the device here does not compute: $(cat alone)"; exit 77; fi
for device in basic pthread; do
	POCL_DEVICES=$device "$gputap" run -q -f -o t -- ./blur >out 2>&1 || { cat out; exit 1; }
	"$gputap" dump --json t.gputap >dump.json 2>/dev/null
	"$gputap" info --json t.gputap >info.json 2>/dev/null
	# PoCL's event clock is CLOCK_MONOTONIC_RAW, whose sets say more than the brackets of calls; from version 4 on it
	# tells its timers, which say as much.
	clock=CLOCK_MONOTONIC_RAW
	if grep '"kind":"device"' dump.json | grep -q '"clock":"timer"'; then clock='(CLOCK_MONOTONIC_RAW|calibrated)'; fi
	if grep -Eq "\"clock\":\"$clock\"" info.json
	then passed=$((passed + 1)); else failed=$((failed + 1)); grep -o '"clock":"[^"]*"' info.json; fi
	if python3 - "$device" <<'END'
import json, sys
error = max(d["clock_error_ns"] for d in json.load(open("info.json"))["devices"] if d["clock_error_ns"] is not None)
bad, seen, shortest = [], 0, 1 << 62
for line in open("dump.json"):
    r = json.loads(line)
    c = r.get("command")
    if not c or not c["timed"]:
        continue
    seen += 1
    shortest = min(shortest, r["end_ns"] - r["start_ns"])
    if c["queued"] < r["start_ns"] - error:
        bad.append(f"{r['name']} queued {r['start_ns'] - c['queued']} ns before its call")
    if c["blocking"] and c["end"] > r["end_ns"] + error:
        bad.append(f"{r['name']} ended {c['end'] - r['end_ns']} ns behind its blocking call")
if sys.argv[1] == "basic" and error * 3 > shortest:  # half the shortest call is what queued times alone give
    bad.append(f"the clock error is no better than the calls' length, {shortest} ns")
print(f"{sys.argv[1]}: {seen} commands, clock within {error} ns", *bad, sep="\n")
sys.exit(bool(bad) or seen != 42)
END
	then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
