#!/usr/bin/env python3
"""What must hold in every SQLite export: sqlite_check.py DEFAULT.sqlite EDITION2021.sqlite NOCOMPAT.sqlite KERNELS

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sqlite3
import sys

DEVICE_TABLES = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
# (table, column, what it refers to, that column): no row may be lost by an INNER JOIN.
REFERENCES = [
    (t, c, "StringIds", "id") for t, c in (
        ("CUPTI_ACTIVITY_KIND_RUNTIME", "nameId"), ("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName"), ("CUPTI_ACTIVITY_KIND_KERNEL", "shortName"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "mangledName"), ("OPENCL_API", "nameId"), ("OPENCL_WORKLOAD", "nameId"), ("ThreadNames", "nameId"),
        ("OPENCL_KERNEL", "nameId"))
] + [
    ("CUPTI_ACTIVITY_KIND_RUNTIME", "eventClass", "ENUM_NSYS_EVENT_CLASS", "id"), ("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid", "ThreadNames", "globalTid"),
    ("OPENCL_API", "globalTid", "ThreadNames", "globalTid"), ("CUPTI_ACTIVITY_KIND_KERNEL", "launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE", "id"),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind", "ENUM_CUDA_MEMCPY_OPER", "id"), ("CUPTI_ACTIVITY_KIND_MEMCPY", "srcKind", "ENUM_CUDA_MEM_KIND", "id"),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", "dstKind", "ENUM_CUDA_MEM_KIND", "id"), ("CUPTI_ACTIVITY_KIND_MEMSET", "memKind", "ENUM_CUDA_MEM_KIND", "id"),
    ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType", "ENUM_CUPTI_SYNC_TYPE", "id"),
    ("OPENCL_WORKLOAD", "commandType", "ENUM_OPENCL_COMMAND_TYPE", "id"),
    ("DIAGNOSTIC_EVENT", "severity", "ENUM_DIAGNOSTIC_SEVERITY_LEVEL", "id"),
] + [(t, "deviceId", "TARGET_INFO_GPU", "id") for t in DEVICE_TABLES] \
  + [(t, "streamId", "TARGET_INFO_CUDA_STREAM", "streamId") for t in DEVICE_TABLES] \
  + [(t, "contextId", "TARGET_INFO_CUDA_CONTEXT_INFO", "contextId") for t in DEVICE_TABLES]

passed = failed = 0


def check(sentence, ok, seen=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + sentence + ("" if ok else " (%s)" % (seen,)))


def one(db, sql):
    return db.execute(sql).fetchone()[0]


def count(db, table, where="1"):
    return one(db, "SELECT count(*) FROM %s WHERE %s" % (table, where))


def check_default(db, kernels):
    check("the file is sound", one(db, "PRAGMA integrity_check") == "ok")
    calls = count(db, "CUPTI_ACTIVITY_KIND_RUNTIME")
    check("there are calls", calls > 0)
    check("RUNTIME and OPENCL_API hold the same calls",
          one(db, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN OPENCL_API USING (globalTid, correlationId, start, end, nameId)") == calls)
    check("correlation ids are unique in a process",
          one(db, "SELECT count(DISTINCT correlationId || '.' || (globalTid & ~0xffffff)) FROM CUPTI_ACTIVITY_KIND_RUNTIME") == calls)
    for t in DEVICE_TABLES + ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",):
        rows = count(db, t)
        joined = one(db, "SELECT count(*) FROM %s d JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = d.correlationId "
                         "AND r.globalTid & ~0xffffff = d.globalPid" % t)
        check("each row of %s has its call (%d)" % (t, rows), rows > 0 and joined == rows, joined)
    for t in DEVICE_TABLES:
        check("%s: behind zero, not before its call, end not before start" % t,
              one(db, "SELECT count(*) FROM %s d JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = d.correlationId AND "
                      "r.globalTid & ~0xffffff = d.globalPid WHERE d.start <= 0 OR d.end < d.start OR d.start < r.start" % t) == 0)
    for table, column, target, key in REFERENCES:
        lost = one(db, "SELECT count(*) FROM %s WHERE %s NOT IN (SELECT %s FROM %s) OR %s IS NULL" % (table, column, key, target, column))
        check("%s.%s is in %s" % (table, column, target), lost == 0, lost)
    check("each thread with calls is named once",
          one(db, "SELECT count(*) - count(DISTINCT globalTid) FROM ThreadNames") == 0)
    timed = count(db, "OPENCL_WORKLOAD", "kernelId IS NOT NULL AND start IS NOT NULL")
    check("kernels with times are the same in both places (%d)" % timed, timed == count(db, "CUPTI_ACTIVITY_KIND_KERNEL"))
    check("kernels are as many as the program said (%d)" % kernels, count(db, "OPENCL_WORKLOAD", "kernelId IS NOT NULL") == kernels,
          count(db, "OPENCL_WORKLOAD", "kernelId IS NOT NULL"))
    check("the export says whether it is complete",
          one(db, "SELECT value FROM META_DATA_EXPORT WHERE name = 'GPUTAP_COMPLETE'").startswith("complete: "))
    check("no environment is stored", count(db, "TARGET_INFO_SYSTEM_ENV", "name LIKE '%Environment%'") == 0
          and count(db, "META_DATA_CAPTURE", "name LIKE '%ENVIRONMENT%' OR value LIKE '%PATH=%'") == 0)


def check_others(default, old, plain):
    for t in DEVICE_TABLES + ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"):
        columns = ", ".join(c[1] for c in old.execute("PRAGMA table_info(%s)" % t) if not c[1].endswith(("Name", "nameId", "srcId")))
        sql = "SELECT %s FROM %s ORDER BY rowid" % (columns, t)
        check("edition 2021 has the rows of %s" % t, default.execute(sql).fetchall() == old.execute(sql).fetchall())
        check("without compatible rows %s is empty or absent" % t,
              plain.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (t,)).fetchone()[0] == 0 or count(plain, t) == 0)
    check("edition 2021 is sound", one(old, "PRAGMA integrity_check") == "ok")
    check("our own tables do not depend on the compatible ones",
          default.execute("SELECT * FROM OPENCL_WORKLOAD").fetchall() == plain.execute("SELECT * FROM OPENCL_WORKLOAD").fetchall())


if __name__ == "__main__":
    dbs = [sqlite3.connect(p) for p in sys.argv[1:4]]
    check_default(dbs[0], int(sys.argv[4]))
    check_others(*dbs)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)
