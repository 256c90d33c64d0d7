#!/usr/bin/env python3
"""tests/e2e/generic_check.py DATABASE DATABASE-OF-2021 API - generic events: each has its type, each type its source and fields

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import sqlite3
import sys

# As people ask such files: events with the names of their type and source, and their values by the names of fields
NEW = """
SELECT e.timestamp, types.value, sources.value, fields.value, d.intVal, e.genericEventId
FROM GENERIC_EVENTS AS e JOIN GENERIC_EVENT_TYPES AS t ON t.typeId = e.typeId JOIN GENERIC_EVENT_SOURCES AS s ON s.sourceId = t.sourceId
JOIN GENERIC_EVENT_DATA AS d ON d.genericEventId = e.genericEventId
JOIN GENERIC_EVENT_TYPE_FIELDS AS f ON f.typeId = e.typeId AND f.fieldIdx = d.fieldIdx
JOIN StringIds AS types ON types.id = t.nameId JOIN StringIds AS sources ON sources.id = s.nameId JOIN StringIds AS fields ON fields.id = f.fieldNameId
ORDER BY e.genericEventId, d.fieldIdx
"""
OLD = """
SELECT e.timestamp, json_extract(t.data, '$.Name'), json_extract(s.data, '$.Name'), e.data, e.rawTimestamp
FROM GENERIC_EVENTS AS e JOIN GENERIC_EVENT_TYPES AS t ON t.typeId = e.typeId JOIN GENERIC_EVENT_SOURCES AS s ON s.sourceId = t.sourceId
ORDER BY e.rowid
"""


def newer(db):
    events = {}
    for at, name, source, field, value, number in db.execute(NEW):
        events.setdefault(number, (at, name, source, {}))[3][field] = value
    return list(events.values())


def older(db):
    rows = db.execute(OLD).fetchall()
    assert all(raw == at for at, *_, raw in rows)
    assert all(isinstance(v, str) for row in rows for v in json.loads(row[3]).values())
    return [(at, name, source, {k: int(v) for k, v in json.loads(data).items()}) for at, name, source, data, _ in rows]


def main(new, old, api):
    new, old = sqlite3.connect(new), sqlite3.connect(old)
    for db in new, old:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    events = newer(new)
    assert events == older(old)
    assert {source for _, _, source, _ in events} == {"gputap counters"}
    assert len(events) == new.execute("SELECT COUNT(*) FROM GENERIC_EVENTS").fetchone()[0]
    by_type = {}
    for at, name, _, values in events:
        assert values["Value"] >= 0, (name, values)
        by_type.setdefault(name, []).append((at, values))
    for name, of in by_type.items():
        assert [at for at, _ in of] == sorted(at for at, _ in of), name
    if api == "opencl":
        last = {(v["Device"], v["Queue"]): v["Value"] for _, v in by_type["Pending commands"]}
        assert set(last.values()) == {0}, last
        ran = set(new.execute("SELECT DISTINCT deviceId, queueId FROM OPENCL_WORKLOAD WHERE start IS NOT NULL"))
        assert set(last) == ran, (last, ran)
        assert max(v["Value"] for _, v in by_type["Pending commands"]) <= new.execute("SELECT COUNT(*) FROM OPENCL_WORKLOAD").fetchone()[0]
        assert max(v["Value"] for _, v in by_type["Buffer bytes"]) > 0
    else:
        used = most = 0
        for operation, size in new.execute("SELECT memoryOperationType, bytes FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE memKind IN (2, 4) ORDER BY start"):
            used += size if operation == 0 else -size
            most = max(most, used)
        memory = by_type["GPU memory in use"]
        assert max(v["Value"] for _, v in memory) == most > 0, (most, memory)
        assert memory[-1][1]["Value"] == used, (used, memory[-1])
    print({name: len(of) for name, of in by_type.items()})


main(*sys.argv[1:])
