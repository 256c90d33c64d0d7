#!/usr/bin/env python3
"""tests/e2e/samples_sqlite.py DATABASE EDITION MS - samples and switches in SQLite: what people ask such files

The questions are those that the vendor's documentation of the export answers with recipes: which threads used the processors, by
samples and by scheduling; which functions they were in, and in them or below them.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sqlite3
import sys

# Which threads used the processors, by samples
BY_SAMPLES = """
SELECT globalTid / 0x1000000 % 0x1000000 AS pid, globalTid % 0x1000000 AS tid,
       ROUND(100.0 * SUM(cpuCycles) / (SELECT SUM(cpuCycles) FROM COMPOSITE_EVENTS GROUP BY globalTid / 0x1000000000000 % 0x100), 2) AS used,
       (SELECT value FROM StringIds WHERE id = (SELECT nameId FROM ThreadNames WHERE ThreadNames.globalTid = COMPOSITE_EVENTS.globalTid)) AS name
FROM COMPOSITE_EVENTS GROUP BY globalTid ORDER BY used DESC LIMIT 10
"""
# ... and by scheduling: from each beginning to the thread's next event
BY_SCHEDULING = """
SELECT began.globalTid AS globalTid, SUM(ended.start - began.start) AS total, COUNT(*) AS ranges
FROM SCHED_EVENTS AS began LEFT JOIN SCHED_EVENTS AS ended
ON ended.rowid = (SELECT rowid FROM SCHED_EVENTS WHERE start > began.start AND globalTid = began.globalTid ORDER BY start ASC LIMIT 1)
WHERE began.isSchedIn != 0 GROUP BY began.globalTid ORDER BY total DESC
"""
# A thread that had a processor when the looking began has no beginning: from its first sample to its first event, an end
BEFORE_SWITCHES = """
SELECT SUM(ended.start - seen.start) FROM (SELECT globalTid, MIN(start) AS start FROM COMPOSITE_EVENTS GROUP BY globalTid) AS seen
JOIN (SELECT globalTid, MIN(start) AS start, isSchedIn FROM SCHED_EVENTS GROUP BY globalTid) AS ended USING (globalTid)
WHERE ended.isSchedIn = 0 AND ended.start > seen.start
"""
# Functions: in them or below, and in them
FLAT = """
SELECT symbolName, moduleName, ROUND(100.0 * SUM(cpuCycles) / (SELECT SUM(cpuCycles) FROM COMPOSITE_EVENTS), 2) AS part
FROM SAMPLING_CALLCHAINS LEFT JOIN COMPOSITE_EVENTS ON SAMPLING_CALLCHAINS.id == COMPOSITE_EVENTS.id
%s GROUP BY symbol, module ORDER BY part DESC LIMIT 5
"""


def main(path, edition, ms):
    db = sqlite3.connect(path)
    many = lambda sql: db.execute(sql).fetchall()
    assert many("PRAGMA integrity_check") == [("ok",)]
    samples, = many("SELECT COUNT(*) FROM COMPOSITE_EVENTS")[0]
    assert samples > ms / 4, samples
    assert many("SELECT DISTINCT threadState, cpuCycles FROM COMPOSITE_EVENTS") == [(1, 1)]
    assert many("SELECT COUNT(*) FROM COMPOSITE_EVENTS WHERE id NOT IN (SELECT id FROM SAMPLING_CALLCHAINS WHERE stackDepth = 0)") == [(0,)]
    assert many("SELECT COUNT(*) FROM SAMPLING_CALLCHAINS WHERE id NOT IN (SELECT id FROM COMPOSITE_EVENTS)") == [(0,)]

    threads = many(BY_SAMPLES)
    assert [t[3] for t in threads] == ["busy", "worker"], threads
    assert abs(sum(t[2] for t in threads) - 100) < 0.1 and threads[0][0] == threads[1][0] == threads[0][1], threads

    db.execute("CREATE INDEX sched_start ON SCHED_EVENTS (start)")
    running = many(BY_SCHEDULING)
    assert len(running) >= 2 and all(total > 0 and n > 0 for _, total, n in running), running
    names = dict(many("SELECT globalTid, value FROM ThreadNames JOIN StringIds ON StringIds.id = nameId"))
    assert {names.get(tid) for tid, _, _ in running} >= {"busy", "worker"}, (running, names)
    # whoever computed had a processor for at least as long
    before = many(BEFORE_SWITCHES)[0][0] or 0
    assert before + sum(total for _, total, _ in running) > ms * 1e6 * 0.9, (before, running)

    for column, source in (("symbolName", "symbol"), ("moduleName", "module")):
        db.execute("ALTER TABLE SAMPLING_CALLCHAINS ADD COLUMN %s TEXT" % column)
        db.execute("UPDATE SAMPLING_CALLCHAINS SET %s = (SELECT value FROM StringIds WHERE %s = StringIds.id)" % (column, source))
    flat, own = many(FLAT % ""), many(FLAT % "WHERE stackDepth == 0")
    assert {"inner", "outer"} <= {f[0] for f in flat}, flat
    assert own[0][0] == "inner" and own[0][1].endswith("/busy") and own[0][2] > 80, own

    if edition == "default":
        states = {s for s, in many("SELECT DISTINCT threadState FROM SCHED_EVENTS WHERE isSchedIn = 0")}
        assert states <= {1, 5, 7} and {5, 7} <= states, states
        assert many("SELECT DISTINCT threadState FROM SCHED_EVENTS WHERE isSchedIn = 1") == [(0,)]
        assert many("SELECT label FROM ENUM_SAMPLING_THREAD_STATE WHERE id = 7") == [("Waiting",)]
        assert many("SELECT DISTINCT unwindMethod FROM SAMPLING_CALLCHAINS ORDER BY 1") == [(0,), (1,)]
    print("%d samples, %d switches, %s" % (samples, many("SELECT COUNT(*) FROM SCHED_EVENTS")[0][0], own[0]))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
