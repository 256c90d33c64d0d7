#!/usr/bin/env python3
"""Ids in databases: sqlite_ids_check.py MANY.sqlite NULL.sqlite NULL.atp NULL.apilog

MANY is of four processes with threads, one of them with a second image; NULL of a program whose only commands name no queue.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import sqlite3
import sys

passed = failed = 0


def check(sentence, seen, expected):
    global passed, failed
    ok = seen == expected
    passed, failed = passed + ok, failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + sentence + ("" if ok else " (%s, not %s)" % (seen, expected)))


def one(db, sql):
    return db.execute(sql).fetchone()[0]


def many(db):
    calls = one(db, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME")
    check("there are calls of four processes", one(db, "SELECT count(DISTINCT globalTid >> 24) FROM CUPTI_ACTIVITY_KIND_RUNTIME"), 4)
    check("and of nine threads at least", one(db, "SELECT count(DISTINCT globalTid) FROM CUPTI_ACTIVITY_KIND_RUNTIME") >= 9, True)
    for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "OPENCL_API"):
        check("correlation ids of %s are unique in the trace" % table, one(db, "SELECT count(DISTINCT correlationId) FROM " + table), calls)
    for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "OPENCL_WORKLOAD"):
        rows = one(db, "SELECT count(*) FROM " + table)
        check("%s: there are rows" % table, rows > 0, True)
        check("%s: joined without the process, each row has one call, of its process" % table,
              one(db, "SELECT count(*) || ' ' || sum(r.globalTid & ~0xffffff = d.globalPid) FROM %s d "
                      "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)" % table), "%d %d" % (rows, rows))
    check("what a call waits for is a call of its own process", one(
        db, "SELECT count(*) - sum(r.globalTid & ~0xffffff = w.globalPid) FROM OPENCL_WAIT_LIST w "
            "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = w.waitsForCorrelationId"), 0)


def null(db, atp, apilog, dump):
    tables = {r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    check("each command has its row, without a place", db.execute(
        "SELECT commandType, executionStatus, deviceId, contextId, queueId, gpu FROM OPENCL_WORKLOAD ORDER BY correlationId").fetchall(),
        [(t, -36, None, None, None, None) for t in (4592, 4595, 4615, 4606)])
    check("calls that name no queue have none, and no device but their buffer's or kernel's", db.execute(
        "SELECT count(*), count(queueId), count(nullif(deviceId, 0)) FROM OPENCL_API JOIN StringIds s ON s.id = nameId "
        "WHERE value LIKE 'clEnqueue%' OR value = 'clFinish'").fetchall(), [(5, 0, 0)])
    check("no device but the real one", db.execute("SELECT id FROM TARGET_INFO_GPU").fetchall(), [(0,)])
    check("no context but the real one", db.execute("SELECT contextId FROM TARGET_INFO_CUDA_CONTEXT_INFO").fetchall(), [(1,)])
    for table in ("TARGET_INFO_CUDA_STREAM", "OPENCL_QUEUE", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
                  "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"):
        check("%s has no row" % table, one(db, "SELECT count(*) FROM " + table) if table in tables else 0, 0)
    with open(atp, encoding="utf-8") as f:
        lines = f.read().splitlines()
    check(".atp: times of these calls without a device part",
          [len(line.split()) for line in lines if re.match(r"[0-9]+ +(clEnqueue|clFinish)", line)], [4] * 5)
    with open(apilog, encoding="utf-8") as f:
        text = f.read()
    check("API log: the five calls, none of them a command",
          (text.count("CL_INVALID_COMMAND_QUEUE"), len(re.findall(r"CMD ID +[0-9]+.*(?:clEnqueue|clFinish)", text))), (5, 0))
    with open(dump, encoding="utf-8") as f:
        commands = [line.strip() for line in f if line.startswith("    command")]
    check("dump: the kernel has no size, since nobody gave one", [line for line in commands if " add " in line],
          ["command add no times, failed with -36"])


if __name__ == "__main__":
    many(sqlite3.connect(sys.argv[1]))
    null(sqlite3.connect(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5])
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)
