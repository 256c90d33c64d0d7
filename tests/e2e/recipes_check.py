#!/usr/bin/env python3
"""tests/e2e/recipes_check.py HOST GPU EDITION [KERNEL] - what the vendor's documentation of the export asks of such files runs, with rows

The recipes' tables, columns and steps as they are published (columns that are added and filled, an index, a table of results; names without
their table, so one column too many of the same name would make them fail), in as few words as they can be said; each gets an answer that is known.
What was published and is not here asks for tables of Windows, of SLI or of the GPU's own scheduler. HOST: tests/e2e/samples/busy.c with -t osrt,sample,sched and what it printed; GPU: CUDA calls with
stacks on the stand-in machine, with --sqlite-counters. EDITION: default or 2021. KERNEL: a program with --ftrace=raw_syscalls/sys_enter, where that is permitted.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import sqlite3
import sys

PID_TID = "globalTid / 0x1000000 % 0x1000000 AS PID, globalTid % 0x1000000 AS TID"


def name_columns(db, table, columns):
    """Texts instead of their numbers, in columns beside them."""
    for new, number in columns:
        db.execute("ALTER TABLE %s ADD COLUMN %s TEXT" % (table, new))
        db.execute("UPDATE %s SET %s = (SELECT value FROM StringIds WHERE %s = StringIds.id)" % (table, new, number))


def backtraces(db, api, chains, function):
    """Ranges with their stacks, a row for each frame."""
    name_columns(db, api, (("name", "%s.nameId" % api),))
    name_columns(db, chains, (("symbolName", "symbol"), ("moduleName", "module")))
    frames = ("SELECT %s, start, end, name, callchainId, stackDepth, symbolName, moduleName FROM %s LEFT JOIN %s ON callchainId == %s.id " % (PID_TID, api, chains, chains))
    framed = [r for r in db.execute(frames + "ORDER BY %s.rowid, stackDepth" % api).fetchall() if r[5]]
    assert framed and {r[6] for r in framed} >= {0, 1}, framed[:3]
    assert all(r[4] and r[7] and r[8] for r in framed), [r for r in framed if not (r[7] and r[8])][:3]
    assert function in {r[7] for r in framed}, {r[7] for r in framed}
    chained = db.execute(frames.replace("LEFT JOIN", "JOIN") + "ORDER BY callchainId, stackDepth LIMIT 11").fetchall()
    assert len(chained) == min(11, len(framed)) and all(r[4] and r[7] for r in chained), chained
    return len(framed)


def longest(db):
    """The stack of the longest range."""
    rows = db.execute("SELECT %s, start, end, name, callchainId, stackDepth, symbolName, moduleName FROM OSRT_API "
                      "LEFT JOIN OSRT_CALLCHAINS ON callchainId == OSRT_CALLCHAINS.id WHERE OSRT_API.rowid IN "
                      "(SELECT rowid FROM OSRT_API ORDER BY end - start DESC LIMIT 1) ORDER BY stackDepth LIMIT 10" % PID_TID).fetchall()
    most = db.execute("SELECT MAX(end - start) FROM OSRT_API").fetchone()[0]
    assert rows and [r[6] for r in rows] == list(range(len(rows))) and all(r[3] - r[2] == most and r[4] and r[7] and r[8] for r in rows), rows
    return len(rows)


def overlapping(db):
    """Calls in whose time something was recorded about recording."""
    n, = db.execute("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid IN (SELECT cuda.rowid FROM PROFILER_OVERHEAD AS overhead "
                    "INNER JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS cuda ON (cuda.start BETWEEN overhead.start AND overhead.end) "
                    "OR (cuda.end BETWEEN overhead.start AND overhead.end) OR (cuda.start < overhead.start AND cuda.end > overhead.end))").fetchone()
    assert 0 < n <= db.execute("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME").fetchone()[0], n
    return n


def streams(db):
    """What the processes printed."""
    name_columns(db, "ProcessStreams", (("filename", "filenameId"), ("content", "contentId")))
    rows = db.execute("SELECT globalPid / 0x1000000 % 0x1000000 AS PID, filename, content FROM ProcessStreams").fetchall()
    assert [r[2] for r in rows if r[2]] == ["said\n"] and all(pid > 1 and name for pid, name, _ in rows), rows
    return len(rows)


def thread_summary(db):
    """Who used the processors, by samples; the greatest first."""
    rows = db.execute("SELECT %s, ROUND(100.0 * SUM(cpuCycles) / (SELECT SUM(cpuCycles) FROM COMPOSITE_EVENTS "
                      "GROUP BY globalTid / 0x1000000000000 %% 0x100), 2) AS CPU_utilization, "
                      "(SELECT value FROM StringIds WHERE id = (SELECT nameId FROM ThreadNames WHERE ThreadNames.globalTid = COMPOSITE_EVENTS.globalTid)) "
                      "AS thread_name FROM COMPOSITE_EVENTS GROUP BY globalTid ORDER BY CPU_utilization DESC LIMIT 10" % PID_TID).fetchall()
    assert {"busy", "worker"} <= {r[3] for r in rows} and abs(sum(r[2] for r in rows) - 100) < 1, rows
    return len(rows)


def running_time(db):
    """Who had processors for how long, by context switches; kept in a table."""
    db.execute("CREATE INDEX sched_start ON SCHED_EVENTS (start)")
    db.execute("CREATE TABLE CPU_USAGE AS SELECT first.globalTid AS globalTid, "
               "(SELECT nameId FROM ThreadNames WHERE ThreadNames.globalTid = first.globalTid) AS nameId, "
               "SUM(second.start - first.start) AS total_duration, COUNT() AS ranges_count "
               "FROM SCHED_EVENTS AS first LEFT JOIN SCHED_EVENTS AS second ON second.rowid = "
               "(SELECT rowid FROM SCHED_EVENTS WHERE start > first.start AND globalTid = first.globalTid ORDER BY start ASC LIMIT 1) "
               "WHERE first.isSchedIn != 0 GROUP BY first.globalTid ORDER BY total_duration DESC")
    rows = db.execute("SELECT %s, (SELECT value FROM StringIds WHERE nameId == id) AS thread_name, "
                      "ROUND(100.0 * total_duration / (SELECT SUM(total_duration) FROM CPU_USAGE), 2) AS CPU_utilization, total_duration, ranges_count "
                      "FROM CPU_USAGE ORDER BY CPU_utilization DESC" % PID_TID).fetchall()
    assert {"busy", "worker"} <= {r[2] for r in rows} and all(r[4] and r[5] for r in rows), rows
    assert abs(sum(r[3] for r in rows) - 100) < 1 and sum(r[4] for r in rows) > 100e6, rows     # it computes 150 ms
    return len(rows)


def functions(db):
    """Functions with what they called, and alone."""
    name_columns(db, "SAMPLING_CALLCHAINS", (("symbolName", "symbol"), ("moduleName", "module")))
    table = ("SELECT symbolName, moduleName, ROUND(100.0 * SUM(cpuCycles) / (SELECT SUM(cpuCycles) FROM COMPOSITE_EVENTS), 2) AS share "
             "FROM SAMPLING_CALLCHAINS LEFT JOIN COMPOSITE_EVENTS ON SAMPLING_CALLCHAINS.id == COMPOSITE_EVENTS.id %s "
             "GROUP BY symbol, module ORDER BY share DESC")
    whole, own = db.execute(table % "").fetchall(), db.execute(table % "WHERE stackDepth == 0").fetchall()
    assert own[0][0] == "inner" and own[0][1].endswith("busy") and own[0][2] > 50, own[:3]
    assert {"inner", "outer", "main"} <= {r[0] for r in whole}, whole
    return len(whole)


def generic(db, edition):
    """Sources, types and events, each with the numbers that lead to the next."""
    of = lambda table, *columns: [json.loads(row[0]) for row in db.execute("SELECT json_insert('{}', %s, '$.data', json(data)) FROM GENERIC_EVENT%s" % (
        ", ".join("'$.%s', %s" % (c, c) for c in columns), table))]
    sources, types, events = of("_SOURCES", "sourceId"), of("_TYPES", "typeId", "sourceId"), of("S", "rawTimestamp", "timestamp", "typeId")
    assert all(row["data"]["Name"] for row in sources + types) and all(isinstance(v, str) for e in events for v in e["data"].values()), (sources, types, events[:2])
    named = db.execute("SELECT json_extract(data, '$.Device') AS device, COUNT(*) AS total FROM GENERIC_EVENTS WHERE device IS NOT NULL AND typeId = "
                       "(SELECT typeId FROM GENERIC_EVENT_TYPES WHERE json_extract(data, '$.Name') = 'Pending commands') GROUP BY device ORDER BY total DESC LIMIT 10").fetchall()
    assert named and named[0][0] == "0" and named[0][1] > 1, named
    if edition == "default":
        assert db.execute("SELECT COUNT(*) FROM GENERIC_EVENT_DATA WHERE genericEventId NOT IN (SELECT genericEventId FROM GENERIC_EVENTS)").fetchone()[0] == 0
    assert sources and types and events
    assert {t["sourceId"] for t in types} == {s["sourceId"] for s in sources}, (types, sources)
    assert {e["typeId"] for e in events} <= {t["typeId"] for t in types}
    return len(events)


def system_calls(path):
    """Who made most system calls."""
    rows = sqlite3.connect(path).execute(
        "SELECT json_extract(data, '$.common_pid') AS PID, count(*) AS total FROM GENERIC_EVENTS WHERE PID IS NOT NULL AND typeId = ("
        "SELECT typeId FROM GENERIC_EVENT_TYPES WHERE json_extract(data, '$.Name') = \"raw_syscalls:sys_enter\") "
        "GROUP BY PID ORDER BY total DESC LIMIT 10").fetchall()
    assert len(rows) >= 2 and all(int(pid) > 0 and total > 0 for pid, total in rows), rows     # its threads
    assert [r[1] for r in rows] == sorted((r[1] for r in rows), reverse=True), rows
    return len(rows)


def own_costs(db):
    """What the recording took: a beginning of each program that recorded (the shell that becomes it, too), one end."""
    wall = db.execute("SELECT MAX(end) - MIN(start) FROM OSRT_API").fetchone()[0]
    rows = db.execute("SELECT %s, start, end, value FROM PROFILER_OVERHEAD JOIN StringIds ON nameId = id WHERE value LIKE 'Profiling %%' ORDER BY start" % PID_TID).fetchall()
    assert [r[4] for r in rows][-2:] == ["Profiling initialization", "Profiling end"] and len(rows) <= 3, rows
    assert all(0 < r[3] - r[2] < wall for r in rows) and len({r[1] for r in rows}) == 1, (wall, rows)
    return len(rows)


def main(host, gpu, edition, kernel=None):
    db = sqlite3.connect(host)
    found = {"OSRT backtraces": backtraces(db, "OSRT_API", "OSRT_CALLCHAINS", "main"), "the longest": longest(db), "output streams": streams(db), "own costs": own_costs(db)}
    if db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'COMPOSITE_EVENTS'").fetchone()[0]:
        found.update({"threads by samples": thread_summary(db), "threads by switches": running_time(db), "functions": functions(db)})
    else:
        print("skipped: no samples here")
    db = sqlite3.connect(gpu)
    found["calls beside own costs"] = overlapping(db)
    found["CUDA backtraces"] = backtraces(db, "CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA_CALLCHAINS", "main")
    found["generic events"] = generic(db, edition)
    if kernel:
        found["system calls"] = system_calls(kernel)
    print(", ".join("%s %d" % f for f in found.items()))


main(*sys.argv[1:])
