#!/usr/bin/env python3
# tests/e2e/window_formats_check.py GPUTAP TRACE cuda|opencl - each format takes what WINDOW1 (model/window.h) says
#
# The rule is applied here to the whole trace, as the statistics show it; then each window must be that, in each format.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import csv
import io
import os
import re
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perfetto_check

TAP, TRACE, API = sys.argv[1:4]
WORK = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
# Everything that ran on a device; of OpenCL more than what reports call work: maps, markers, barriers.
COMMANDS = ("OPENCL_WORKLOAD",) if API == "opencl" else WORK
# A part of a line in the Timestamp section of .atp that tells of work: its word and the first of its times.
PART = {"cuda": r"CUDA_(?:KERNEL|MEMCPY\w*|MEMSET|GRAPH\w*) ", "opencl": r"CL_COMMAND_\w+ "}[API]


def report(name, window):
    out = subprocess.run([TAP, "stats", "-q", "-r", name, "--format", "csv", *window, TRACE], stdout=subprocess.PIPE, check=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))


def export(window):
    subprocess.run([TAP, "export", "-q", "-f", "-e", "atp,apilog,sqlite,perfetto", "-o", "w", *window, TRACE], check=True)
    db = sqlite3.connect("file:w.sqlite?mode=ro", uri=True)
    tables = {name for name, in db.execute("SELECT name FROM sqlite_master")}
    work, commands = ([row for t in names if t in tables for row in
                       db.execute("SELECT start, end, correlationId FROM %s WHERE start IS NOT NULL AND end >= start" % t)]
                      for names in (WORK, COMMANDS))
    calls = list(db.execute(
        "SELECT start, end, correlationId FROM %s" % ("OPENCL_API WHERE eventClass != -1" if API == "opencl" else "CUPTI_ACTIVITY_KIND_RUNTIME")))
    with open("w.atp", encoding="utf-8") as f:
        atp = f.read()
    with open("w.apilog", encoding="utf-8") as f:
        log = sum("START TIME 0x" in line for line in f)
    return calls, work, commands, len(re.findall(PART, atp)), log


def rule(calls, work, start, end):
    """Starts of calls and of work that belong to the window."""
    def over(x):
        return x[0] <= end and x[1] >= start
    inside = {c[2] for c in calls if over(c)}
    working = {w[2] for w in work if over(w)}
    return (sorted(c[0] for c in calls if over(c) or c[2] in working), sorted(w[0] for w in work if over(w) or w[2] in inside))


def same(what, window, got, wanted):
    assert got == wanted, "%s, %s: %s, not %s" % (what, " ".join(window), got, wanted)


def spans(rows):
    return [(int(r["Start (ns)"]), int(r["Start (ns)"]) + int(r["Duration (ns)"]), r["CorrID" if "CorrID" in r else "CorrId"])
            for r in rows if r["Start (ns)"] and r["Duration (ns)"]]


all_calls, all_work = spans(report(API + "_api_trace", [])), spans(report(API + "_gpu_trace", []))
assert all_calls and len(all_work) > 4, "%d calls, %d of work" % (len(all_calls), len(all_work))
whole = export([])
db_calls = whole[0]
assert sorted(c[0] for c in db_calls) == sorted(c[0] for c in all_calls), "the database and the statistics have other calls"
assert whole[4] == len(whole[0]), "API log tells of %d calls, the database of %d" % (whole[4], len(whole[0]))
assert whole[3] == len(whole[2]), ".atp tells of %d commands, the database of %d" % (whole[3], len(whole[2]))
edges = sorted({t for w in all_work for t in (w[0] - 1, (w[0] + w[1]) // 2, w[1] + 1)})
step = max(1, len(edges) // 6)
windows = [(edges[i], edges[i] + width) for i in range(0, len(edges), step) for width in (0, 500000)][:12]
split = 0
for start, end in windows:
    _, work = rule(all_calls, all_work, start, end)
    _, db_work = rule(db_calls, whole[1], start, end)
    # A marker that a busy device reaches late brings its call too.
    calls, commands = rule(db_calls, whole[2], start, end)
    split += any(c < start for c in calls) or any(w > end for w in work)
    window = ["--from", "%dns" % start, "--to", "%dns" % end]
    same("statistics, calls", window, sorted(s[0] for s in spans(report(API + "_api_trace", window))), calls)
    same("statistics, work", window, sorted(s[0] for s in spans(report(API + "_gpu_trace", window))), work)
    got_calls, got_work, got_commands, in_atp, log = export(window)
    slices = perfetto_check.own("w.pftrace")[0]
    same("database, calls", window, sorted(c[0] for c in got_calls), calls)
    same("database, work", window, sorted(w[0] for w in got_work), db_work)
    same("database, commands", window, sorted(c[0] for c in got_commands), commands)
    same(".atp, work", window, in_atp, len(commands))
    same("API log, calls", window, log, len(calls))
    same("timeline, work", window, sum(s.category in perfetto_check.WORK for s in slices), len(commands))
assert split, "no window parts a call from its work"
print("%d calls, %d of work, %d windows, %d with a call or work outside" % (len(all_calls), len(all_work), len(windows), split))
