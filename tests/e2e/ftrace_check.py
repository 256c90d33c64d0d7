#!/usr/bin/env python3
"""tests/e2e/ftrace_check.py WHAT FILE... - system calls of tests/e2e/ftrace/calls.c as tracepoints have them

dump JSON OUTPUT N; sqlite DATABASE DATABASE-OF-2021 OUTPUT N; counts JSON OUTPUT COUNTS-OF-STRACE. OUTPUT: what the program printed.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import sqlite3
import sys

PUBLISHED = """
    SELECT json_extract(data, '$.common_pid') AS PID, count(*) AS total
    FROM GENERIC_EVENTS WHERE PID IS NOT NULL AND typeId = (
      SELECT typeId FROM GENERIC_EVENT_TYPES
      WHERE json_extract(data, '$.Name') = "raw_syscalls:sys_enter")
    GROUP BY PID
    ORDER BY total DESC
    LIMIT 10;
"""


def printed(path):
    with open(path, encoding="utf-8") as f:
        return [int(word) for word in f.read().split()]


def events_of(path):
    with open(path, encoding="utf-8") as f:
        records = [json.loads(line) for line in f]
    return [r for r in records if r["type"] == "tracepoint"], [r for r in records if r["type"] == "tracepoint_type"]


def check_dump(path, output, n):
    pid, child, parent, getppid, sched_yield, umask = printed(output)
    events, types = events_of(path)
    assert {t["name"] for t in types} == {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit"}, types
    assert [f["name"] for f in types[0]["fields"]][-2:] in (["id", "args"], ["id", "ret"]), types[0]
    by = collections.Counter((e["pid"], e["tid"], e["name"].split(":")[1], e["fields"]["id"]) for e in events)
    assert by[pid, pid, "sys_enter", getppid] == by[pid, pid, "sys_exit", getppid] == n + 1, by
    assert by[child, child, "sys_enter", umask] == n, by
    others = {tid for p, tid, _, number in by if number == sched_yield and p == pid and tid != pid}
    assert len(others) == 1 and by[pid, others.pop(), "sys_enter", sched_yield] == n, by
    assert {e["fields"]["ret"] for e in events if e["name"] == "raw_syscalls:sys_exit" and e["fields"]["id"] == getppid} == {parent}
    assert {e["fields"]["args"][0] for e in events if e["name"] == "raw_syscalls:sys_enter" and e["fields"]["id"] == umask} == {0o27}
    assert [e["time_ns"] for e in events] == sorted(e["time_ns"] for e in events) and events[0]["time_ns"] >= 0
    open_calls = {}
    for e in events:        # a thread's calls come one after the other
        if e["name"] == "raw_syscalls:sys_enter":
            assert e["tid"] not in open_calls, (e, open_calls[e["tid"]])
            open_calls[e["tid"]] = e
        elif e["tid"] in open_calls:
            assert open_calls.pop(e["tid"])["fields"]["id"] == e["fields"]["id"]


def check_sqlite(new, old, output, n):
    pid, child, _, getppid, _, umask = printed(output)
    answers = []
    for path in new, old:
        db = sqlite3.connect(path)
        rows = db.execute(PUBLISHED).fetchall()
        assert len(rows) == 3 and all(total > n for _, total in rows), rows
        answers.append(rows)
        assert db.execute("SELECT json_extract(data, '$.Name') FROM GENERIC_EVENT_SOURCES").fetchall() == [("FTrace",)]
        assert db.execute("SELECT MIN(timestamp) >= 0 FROM GENERIC_EVENTS").fetchone() == (1,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert answers[0] == answers[1]
    db = sqlite3.connect(new)
    rows = dict(db.execute("SELECT globalTid / 0x1000000 % 0x1000000, COUNT(*) FROM GENERIC_EVENTS JOIN GENERIC_EVENT_DATA USING (genericEventId) "
                           "JOIN GENERIC_EVENT_TYPE_FIELDS USING (typeId, fieldIdx) JOIN StringIds ON fieldNameId = StringIds.id "
                           "JOIN GENERIC_EVENT_TYPES USING (typeId) JOIN StringIds AS names ON GENERIC_EVENT_TYPES.nameId = names.id "
                           "WHERE StringIds.value = 'id' AND names.value = 'raw_syscalls:sys_enter' AND intVal IN (?, ?) GROUP BY 1", (getppid, umask)))
    assert rows == {pid: n + 1, child: n}, rows
    print(answers[0])


def check_counts(path, output, counts):
    _, _, _, getppid, sched_yield, umask = printed(output)
    events, _ = events_of(path)
    by = collections.Counter(e["fields"]["id"] for e in events)
    with open(counts, encoding="utf-8") as f:
        theirs = {words[1]: int(words[0]) for words in map(str.split, f) if len(words) == 2 and words[0].isdigit()}
    for name, number in (("getppid", getppid), ("sched_yield", sched_yield), ("umask", umask)):
        assert by[number] == theirs[name], (name, by[number], theirs[name])


def main(what, *rest):
    if what == "dump":
        check_dump(rest[0], rest[1], int(rest[2]))
    elif what == "sqlite":
        check_sqlite(rest[0], rest[1], rest[2], int(rest[3]))
    else:
        check_counts(*rest)


main(*sys.argv[1:])
