#!/usr/bin/env python3
"""tests/real/check.py GPUTAP NAME WITNESS - are the trace NAME.gputap and what was exported from it true and of one mind?

WITNESS: how many kernels another observer counted in the same run. Compares the counts of kernels and calls in .atp,
API log, SQLite, statistics and dump; looks for names, device names and sizes that are missing and for times that cannot be.
Prints "calls N, kernels N" and exits 0, or says each fault on a line of its own and exits 1.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import glob
import io
import json
import pathlib
import re
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
faults = []


def fault(text, *args):
    faults.append(text % args if args else text)


def tool(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        fault("%s: status %d: %s", " ".join(words), done.returncode, done.stderr.strip())
    return done.stdout


def agree(what, counts):
    if len(set(counts.values())) != 1:
        fault("%s differ: %s", what, ", ".join("%s %s" % pair for pair in counts.items()))


# ------------------------------------------------------------------ the text files

def atp_counts(name):
    calls = kernels = 0
    for path in files(name, "atp"):
        line = tool(sys.executable, str(HERE.parent / "golden/atp_parse.py"), path)
        found = dict(re.findall(r"(\w+)=(\d+)", line))
        calls, kernels = calls + int(found.get("calls", 0)), kernels + int(found.get("kernels", 0))
    return calls, kernels


LOG_LINE = re.compile(r"^TID +\d+ +START TIME 0x[0-9a-f]{16} +DURATION 0x[0-9a-f]{16} +(?:CMD ID \d+ +)?(\w+)\((.*)\) = (\w+)(, .*)?$")


def apilog_counts(name):
    calls = kernels = 0
    for path in files(name, "apilog"):
        for number, line in enumerate(open(path, encoding="utf-8", errors="replace"), 1):
            if line.startswith("Internally calculated ") or " callback " in line:
                continue
            match = LOG_LINE.match(line.rstrip("\n"))
            if not match:
                fault("%s:%d: not a call: %s", path, number, line.rstrip()[:160])
                continue
            calls += 1
            kernels += match[1] in ("clEnqueueNDRangeKernel", "clEnqueueTask") and match[3] == "CL_SUCCESS"
    return calls, kernels


def files(name, extension):
    return sorted(p for p in glob.glob(name + ".*" + extension) if p.endswith("." + extension))


# ------------------------------------------------------------------ SQLite

KERNELS = "commandType IN (4592, 4593)"
# sentence: rows that must not be
NEVER = {
    "a kernel has no name": "SELECT * FROM OPENCL_WORKLOAD w LEFT JOIN StringIds s ON s.id = w.nameId "
                            "WHERE w.%s AND (s.value IS NULL OR s.value IN ('', '[Unknown]'))" % KERNELS,
    "a call has no name": "SELECT * FROM OPENCL_API a LEFT JOIN StringIds s ON s.id = a.nameId WHERE s.value NOT LIKE 'cl%'",
    "a kernel has no global size": "SELECT * FROM OPENCL_WORKLOAD WHERE %s AND (coalesce(workDim, 0) = 0 OR globalSizeX IS NULL)" % KERNELS,
    "a local size has no source": "SELECT * FROM OPENCL_WORKLOAD WHERE %s AND localSizeX IS NOT NULL AND coalesce(localSizeSource, 0) = 0" % KERNELS,
    "a local size is 0": "SELECT * FROM OPENCL_WORKLOAD WHERE localSizeX = 0 OR localSizeY = 0 OR localSizeZ = 0",
    "a command has no queue, context or device": "SELECT w.* FROM OPENCL_WORKLOAD w LEFT JOIN OPENCL_QUEUE q ON q.id = w.queueId "
                                                 "AND q.globalPid = w.globalPid WHERE q.id IS NULL",
    "a device has no name": "SELECT * FROM OPENCL_DEVICE WHERE coalesce(name, '') = ''",
    "a kernel has no program": "SELECT * FROM OPENCL_WORKLOAD WHERE %s AND (programId IS NULL OR kernelId IS NULL)" % KERNELS,
    "a command has no times": "SELECT * FROM OPENCL_WORKLOAD WHERE start IS NULL",
    "a time runs backwards": "SELECT * FROM OPENCL_WORKLOAD WHERE NOT (queued <= submit AND submit <= start AND start <= end)",
    "a call ends before it starts": "SELECT * FROM OPENCL_API WHERE end < start",
    "a command starts before its call, or was queued outside of it":
        "SELECT w.* FROM OPENCL_WORKLOAD w JOIN OPENCL_API a ON a.correlationId = w.correlationId AND (a.globalTid & ~0xffffff) = w.globalPid "
        "JOIN OPENCL_QUEUE q ON q.id = w.queueId AND q.globalPid = w.globalPid "
        "WHERE w.start < a.start - q.clockErrorNs OR w.queued < a.start - q.clockErrorNs OR w.queued > a.end + q.clockErrorNs",
    "a command ends after the session": "SELECT * FROM OPENCL_WORKLOAD WHERE end > (SELECT max(duration) FROM ANALYSIS_DETAILS)",
    "a command has no call": "SELECT * FROM OPENCL_WORKLOAD WHERE correlationId NOT IN (SELECT correlationId FROM OPENCL_API)",
    "an in-order queue runs two commands at once":
        "SELECT * FROM (SELECT start, lag(end) OVER (PARTITION BY globalPid, queueId ORDER BY start, end) AS before, queueId, globalPid FROM OPENCL_WORKLOAD) w "
        "JOIN OPENCL_QUEUE q ON q.id = w.queueId AND q.globalPid = w.globalPid WHERE NOT q.properties & 1 AND w.start < before",
}


def sqlite_counts(name):
    db = sqlite3.connect("file:%s.sqlite?mode=ro" % name, uri=True)
    tables = set(row[0] for row in db.execute("SELECT name FROM sqlite_master"))

    def one(query):
        return db.execute(query).fetchone()[0]
    for sentence, query in NEVER.items():
        if not set(re.findall(r"OPENCL_[A-Z]+", query)) <= tables:       # a table without rows is not there
            continue
        rows = db.execute(query).fetchall()
        if rows:
            fault("%s: %d rows, first %s", sentence, len(rows), rows[0])
    for path, in db.execute("PRAGMA integrity_check"):
        if path != "ok":
            fault("integrity: %s", path)
    calls = one("SELECT count(*) FROM OPENCL_API a JOIN StringIds s ON s.id = a.nameId WHERE s.value NOT LIKE '%.%'")  # no callbacks
    kernels = one("SELECT count(*) FROM OPENCL_WORKLOAD WHERE " + KERNELS) if "OPENCL_WORKLOAD" in tables else 0
    return calls, kernels, one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")


# ------------------------------------------------------------------ the tool's own reports

def stats_sum(gputap, trace, report, column):
    text = tool(gputap, "stats", "-r", report, "--format", "csv", trace)
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row.get(column)]
    if len(set(row["Name"] for row in rows)) != len(rows):
        fault("%s: a name stands twice", report)
    return sum(int(row[column]) for row in rows)


def dump_counts(gputap, trace):
    seen = collections.Counter()
    for line in tool(gputap, "dump", "--json", trace).splitlines():
        record = json.loads(line)
        seen[record.get("type")] += 1
        if record.get("type") == "call" and record["name"] in ("clEnqueueNDRangeKernel", "clEnqueueTask") and record["result"] == 0:
            seen["kernel"] += 1
    return seen["call"], seen["kernel"]


def main():
    gputap, name, witness = sys.argv[1], sys.argv[2], int(sys.argv[3])
    trace = name + ".gputap"
    info = tool(gputap, "info", trace)
    if "complete: yes" not in info:
        fault("not complete: %s", "; ".join(re.findall(r"complete: .*", info)))
    atp_calls, atp_kernels = atp_counts(name)
    log_calls, log_kernels = apilog_counts(name)
    sql_calls, sql_kernels, sql_compatible = sqlite_counts(name)
    dump_calls, dump_kernels = dump_counts(gputap, trace)
    agree("kernels", {"witness": witness, ".atp": atp_kernels, "API log": log_kernels, "OPENCL_WORKLOAD": sql_kernels,
                      "CUPTI_ACTIVITY_KIND_KERNEL": sql_compatible, "dump": dump_kernels,
                      "statistics": stats_sum(gputap, trace, "opencl_kern_sum", "Instances") if witness else 0})
    agree("calls", {".atp": atp_calls, "API log": log_calls, "OPENCL_API": sql_calls, "dump": dump_calls,
                    "statistics": stats_sum(gputap, trace, "opencl_api_sum", "Num Calls")})
    for text in faults:
        print(text)
    if not faults:
        print("calls %d, kernels %d" % (sql_calls, sql_kernels))
    return 1 if faults else 0


sys.exit(main())
