#!/usr/bin/env bash
# tests/e2e/own_time.sh - what recording takes is not the program's: first calls begin behind it, a process ends when it says so
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/check_lib.sh
. "$GPUTAP_TESTS/check_lib.sh"

gputap=$GPUTAP_BUILD/gputap
"$gputap" run -q -f -t osrt,sched -o t -- "$GPUTAP_BUILD/tests/e2e/own_time" >out 2>err
check "the program ran" [ "$(cat out)" = ok ]
"$gputap" dump --json t.gputap >dump
check "calls begin behind our start, processes end with their last own record" python3 - dump <<'P'
import collections, json, sys
by = collections.defaultdict(list)
for r in map(json.loads, open(sys.argv[1])):
    by[r["type"]].append(r)
wrong = []
for p in by["process"]:
    mine = {k: [r for r in v if r.get("pid") == p["pid"]] for k, v in by.items()}
    started = max(c["end_ns"] for c in mine["cost"] if c["what"] == "start")
    first = min(c["start_ns"] for c in mine["call"])
    if first < started:
        wrong.append("the first call of %d encloses %d ns of our start" % (p["pid"], started - first))
    ends = [c["end_ns"] for c in mine["call"]] + [r["time_ns"] for k in ("exit", "switch", "task", "waking") for r in mine.get(k, [])]
    if p["end_ns"] != max(ends):
        wrong.append("process %d ends %d ns behind its last record" % (p["pid"], p["end_ns"] - max(ends)))
print("\n".join(wrong))
sys.exit(len(by["process"]) != 2 or bool(wrong))
P
"$gputap" run -q -f -t osrt -o t -- "$GPUTAP_BUILD/tests/e2e/own_time" >out 2>err
"$gputap" stats -q -r sched_sum --format csv t.gputap >states
"$gputap" dump t.gputap | sed -n 's/.*pthread_create(.*tid=\([0-9]*\).*/\1/p' >threads
check "each thread that was created has a row of estimated states" [ "$(cut -d, -f2 states | grep -cxFf threads)" = 3 ]
check "... those that made no call ran all the time" [ "$(grep -cE ',[1-9][0-9]*,,0,.*,estimated,' states)" -ge 2 ]
"$gputap" export -q -f -e sqlite -o t.sqlite t.gputap
check "... in SQLite too" [ "$(python3 - t.sqlite <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("SELECT count(DISTINCT globalTid) FROM OSRT_ESTIMATED_STATES").fetchone()[0])
P
)" = 5 ]
finish
