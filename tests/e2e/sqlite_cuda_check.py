#!/usr/bin/env python3
"""What must hold in the databases that sqlite_cuda.sh made, in the present folder.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import sqlite3
import sys

WORK = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
STREAMED = WORK + ("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",)
# (table, column, what it refers to, that column): no row may be lost by an INNER JOIN; tables that are not there have none.
REFERENCES = [
    ("CUPTI_ACTIVITY_KIND_RUNTIME", "nameId", "StringIds", "id"), ("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid", "ThreadNames", "globalTid"),
    ("CUPTI_ACTIVITY_KIND_RUNTIME", "eventClass", "ENUM_NSYS_EVENT_CLASS", "id"),
    ("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName", "StringIds", "id"), ("CUPTI_ACTIVITY_KIND_KERNEL", "shortName", "StringIds", "id"),
    ("CUPTI_ACTIVITY_KIND_KERNEL", "mangledName", "StringIds", "id"),
    ("CUPTI_ACTIVITY_KIND_KERNEL", "launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE", "id"),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind", "ENUM_CUDA_MEMCPY_OPER", "id"), ("CUPTI_ACTIVITY_KIND_MEMCPY", "srcKind", "ENUM_CUDA_MEM_KIND", "id"),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", "dstKind", "ENUM_CUDA_MEM_KIND", "id"), ("CUPTI_ACTIVITY_KIND_MEMSET", "memKind", "ENUM_CUDA_MEM_KIND", "id"),
    ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType", "ENUM_CUPTI_SYNC_TYPE", "id"),
    ("CUDA_GPU_MEMORY_USAGE_EVENTS", "memKind", "ENUM_CUDA_MEM_KIND", "id"),
    ("CUDA_GPU_MEMORY_USAGE_EVENTS", "memoryOperationType", "ENUM_CUDA_DEV_MEM_EVENT_OPER", "id"),
    ("CUDA_GPU_MEMORY_POOL_EVENTS", "operationType", "ENUM_CUDA_MEMPOOL_OPER", "id"),
    ("CUDA_GRAPH_NODE_EVENTS", "nameId", "StringIds", "id"), ("CUDA_GRAPH_EVENTS", "eventClass", "ENUM_NSYS_EVENT_CLASS", "id"),
    ("PROFILER_OVERHEAD", "overheadType", "ENUM_CUPTI_OVERHEAD_TYPE", "id"),
    ("CUPTI_ACTIVITY_KIND_OVERHEAD", "overheadType", "ENUM_CUPTI_OVERHEAD_TYPE", "id"),
] + [(t, "deviceId", "TARGET_INFO_GPU", "id") for t in STREAMED + ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUDA_GPU_MEMORY_USAGE_EVENTS")] \
  + [(t, "deviceId", "TARGET_INFO_CUDA_DEVICE", "cudaId") for t in STREAMED] \
  + [(t, "streamId", "TARGET_INFO_CUDA_STREAM", "streamId") for t in STREAMED] \
  + [(t, "contextId", "TARGET_INFO_CUDA_CONTEXT_INFO", "contextId") for t in STREAMED + ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",)]
NO_CONTEXT = " AND migrationCause IS NULL"  # nobody tells whose the memory is that moves
OF_CALL = " d JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = d.correlationId AND r.globalTid & ~0xffffff = d.globalPid"

passed = failed = 0


def check(sentence, ok, seen=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED: %s (%s)" % (sentence, seen))


class Database:
    def __init__(self, name):
        self.name, self.db = name, sqlite3.connect("%s.sqlite" % name)
        self.tables = {r[0] for r in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def one(self, sql):
        return self.db.execute(sql).fetchone()[0]

    def rows(self, sql):
        return self.db.execute(sql).fetchall()

    def count(self, table, where="1"):
        return self.one("SELECT count(*) FROM %s WHERE %s" % (table, where)) if table in self.tables else 0

    def check(self, sentence, ok, seen=""):
        check("%s: %s" % (self.name, sentence), ok, seen)


def check_any(d):
    d.check("the file is sound", d.one("PRAGMA integrity_check") == "ok")
    d.check("there are calls, in order of start", d.count("CUPTI_ACTIVITY_KIND_RUNTIME") > 0 and d.one(
        "SELECT count(*) FROM (SELECT start < lag(start) OVER (ORDER BY rowid) AS back FROM CUPTI_ACTIVITY_KIND_RUNTIME) WHERE back") == 0)
    d.check("ids of calls are unique in a process", d.one("SELECT count(*) - count(DISTINCT correlationId) FROM CUPTI_ACTIVITY_KIND_RUNTIME") == 0)
    for t in STREAMED:
        if t in d.tables:
            rows = d.count(t, "correlationId NOT NULL")
            joined = d.one("SELECT count(*) FROM %s%s" % (t, OF_CALL))
            d.check("each row of %s has its call" % t, joined == rows, "%d of %d" % (joined, rows))
            d.check("%s: behind zero, not before its call, end not before start" % t,
                    d.one("SELECT count(*) FROM %s%s WHERE d.start <= 0 OR d.end < d.start OR d.start < r.start" % (t, OF_CALL)) == 0)
    for table, column, target, key in REFERENCES:
        if table in d.tables:
            lost = d.one("SELECT count(*) FROM %s WHERE (%s NOT IN (SELECT %s FROM %s) OR %s IS NULL)%s" % (
                table, column, key, target, column, NO_CONTEXT if column in ("contextId", "streamId") and table.endswith("MEMCPY") else ""))
            d.check("%s.%s is in %s" % (table, column, target), lost == 0, lost)
    d.check("it says once how long a thread waited for the tracing to be set up", d.one(
        "SELECT count(*) FROM PROFILER_OVERHEAD o JOIN StringIds s ON s.id = o.nameId JOIN ThreadNames t ON t.globalTid = o.globalTid "
        "WHERE s.value = 'CUDA profiling initialization' AND o.end > o.start") == 1)
    d.check("nothing is missing", d.one("SELECT value FROM META_DATA_EXPORT WHERE name = 'GPUTAP_COMPLETE'") == "complete: yes",
            d.one("SELECT value FROM META_DATA_EXPORT WHERE name = 'GPUTAP_COMPLETE'"))
    d.check("it says that this is CUDA", d.count("META_DATA_CAPTURE", "name = 'CAPTURE_EVENT_TYPE' AND value = 'Cuda'") == 1)


def check_old(d, default):
    d.check("the file is sound", d.one("PRAGMA integrity_check") == "ok")
    for t in WORK + ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"):
        if t not in d.tables:
            d.check("it has %s when the default edition has" % t, default.count(t) == 0)
            continue
        columns = ", ".join(c[1] for c in d.rows("PRAGMA table_info(%s)" % t) if not c[1].endswith(("Name", "nameId", "srcId")))
        sql = "SELECT %s FROM %s ORDER BY rowid" % (columns, t)
        d.check("%s has the rows of the default edition" % t, d.rows(sql) == default.rows(sql))


def check_storm(d):
    d.check("each launch has its kernel", d.count("CUPTI_ACTIVITY_KIND_KERNEL") == 800, d.count("CUPTI_ACTIVITY_KIND_KERNEL"))
    d.check("as many calls launch", d.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                                          "WHERE s.value LIKE 'cudaLaunchKernel%'") == 800)
    d.check("four threads launch", len(d.rows("SELECT DISTINCT r.globalTid FROM CUPTI_ACTIVITY_KIND_KERNEL" + OF_CALL)) == 4)
    d.check("four streams run", len(d.rows("SELECT DISTINCT streamId FROM CUPTI_ACTIVITY_KIND_KERNEL")) == 4)
    every = Database("storm.all")
    inside = every.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME i JOIN CUPTI_ACTIVITY_KIND_RUNTIME o USING (correlationId, globalTid) "
                       "WHERE i.eventClass = 1 AND o.eventClass = 0 AND i.start >= o.start AND i.end <= o.end")
    more = every.count("CUPTI_ACTIVITY_KIND_RUNTIME") - d.count("CUPTI_ACTIVITY_KIND_RUNTIME")
    every.check("it has the driver's calls inside the runtime's, and nothing else more", inside > 0 and inside == more, (inside, more))


def check_faults(d):
    """Every tenth record of the device without times, every seventh with reversed ones."""
    lost = sum(int(r[0].split()[0]) for r in d.rows(
        "SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '% commands with %' AND text NOT LIKE 'complete%' AND text NOT LIKE 'moved%'"))
    work = sum(d.count(t) for t in WORK)
    d.check("what has no usable times has no row and is counted", lost > 0 and work + lost == 800 + 4 + 4, (work, lost))
    d.check("its calls have theirs", d.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                                           "WHERE s.value LIKE 'cudaLaunchKernel%'") == 800)
    d.check("no row ends before it begins", sum(d.count(t, "end < start OR start <= 0") for t in WORK) == 0)


def check_graphs(nodes, whole):
    launches = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId WHERE s.value LIKE 'cudaGraphLaunch%'"
    whole.check("a graph launched as a whole has one row", whole.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE") == whole.one(launches) > 0)
    nodes.check("traced by nodes it has none", nodes.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE") == 0)
    nodes.check("kernels of graphs name their node", nodes.count("CUPTI_ACTIVITY_KIND_KERNEL", "graphNodeId NOT NULL AND graphId NOT NULL") > 0)
    for d in (nodes, whole):
        made = d.count("CUDA_GRAPH_NODE_EVENTS", "originalGraphNodeId IS NULL")
        inside = d.one("SELECT count(*) FROM CUDA_GRAPH_NODE_EVENTS n JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.globalTid = n.globalTid AND "
                       "r.start < n.start AND r.end > n.start WHERE n.originalGraphNodeId IS NULL")
        d.check("each node was made inside one call of its thread", inside == made > 0, (made, inside))
        made = "SELECT graphId FROM CUDA_GRAPH_EVENTS WHERE graphId NOT NULL"
        for table in STREAMED + ("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",):
            if table in d.tables and any(c[1] == "graphId" for c in d.rows("PRAGMA table_info(%s)" % table)):
                lost = d.count(table, "graphId NOT NULL AND graphId NOT IN (%s)" % made)
                d.check("graphId of %s is the graph that the application made, and joins its creation" % table, lost == 0, lost)
        execs = "SELECT graphExecId FROM CUDA_GRAPH_EVENTS WHERE graphExecId NOT NULL"
        if d.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
            lost = d.count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graphExecId NOT IN (%s)" % execs)
            d.check("graphExecId of a launch is an executable graph that was made", lost == 0, lost)
        d.check("clones name their original", d.one("SELECT count(*) FROM CUDA_GRAPH_NODE_EVENTS c WHERE originalGraphNodeId NOT NULL AND NOT EXISTS "
                                                    "(SELECT 1 FROM CUDA_GRAPH_NODE_EVENTS o WHERE o.graphNodeId = c.originalGraphNodeId)") == 0)
        d.check("graphs and executables were made", {95, 94} <= {r[0] for r in d.rows("SELECT eventClass FROM CUDA_GRAPH_EVENTS")})
    nodes.check("nodes that ran were made", nodes.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId NOT NULL AND graphNodeId NOT IN "
                                                      "(SELECT graphNodeId FROM CUDA_GRAPH_NODE_EVENTS)") == 0)


def check_memory(pools, managed):
    made, freed = (pools.count("CUDA_GPU_MEMORY_USAGE_EVENTS", "memoryOperationType = %d" % i) for i in (0, 1))
    pools.check("what was allocated was released", made == freed > 0, (made, freed))
    pools.check("a pool was made", pools.count("CUDA_GPU_MEMORY_POOL_EVENTS", "operationType = 1") > 0)
    pools.check("memory of a pool names it", pools.count("CUDA_GPU_MEMORY_USAGE_EVENTS", "localMemoryPoolAddress NOT NULL") > 0)
    managed.check("unified memory moved, for a cause", managed.count("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind IN (11, 12)") > 0
                  and managed.count("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind IN (11, 12) AND (migrationCause IS NULL OR virtualAddress IS NULL)") == 0)


def check_others(streams, errors):
    streams.check("copies have two kinds of host memory", streams.rows(
        "SELECT DISTINCT dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 2 ORDER BY 1") == [(0,), (1,)])
    streams.check("events were recorded", streams.count("CUPTI_ACTIVITY_KIND_CUDA_EVENT") > 0)
    streams.check("streams were waited for", streams.count("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType = 3") > 0)
    errors.check("failed calls say so", errors.count("CUPTI_ACTIVITY_KIND_RUNTIME", "returnValue = 2") > 0)


if __name__ == "__main__":
    all_of = {n: Database(n) for n in ("storm", "graphs", "whole", "pools", "managed", "streams", "errors")}
    for name, database in all_of.items():
        check_any(database)
        check_old(Database(name + ".old"), database)
    check_storm(all_of["storm"])
    check_graphs(all_of["graphs"], all_of["whole"])
    check_memory(all_of["pools"], all_of["managed"])
    check_others(all_of["streams"], all_of["errors"])
    if os.path.exists("faults.sqlite"):
        check_faults(Database("faults"))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)
