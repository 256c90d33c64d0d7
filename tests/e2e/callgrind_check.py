#!/usr/bin/env python3
"""tests/e2e/callgrind_check.py TRACE [nested|killed|annotate|parts=N]... - a profile holds what the database and the reports of the same trace hold

TRACE.callgrind beside TRACE.sqlite (made with --opencl-compat=off) and TRACE.gputap.
nested     calls inside calls and callbacks: host time is compared no further than "not more"
killed     calls that never returned are counted, and have no time
annotate   callgrind_annotate prints the same
parts=N    so many parts

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys

import callgrind_profile

CUDA_WORK = ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")


def base(name):
    return re.sub(r"_v\d+$", "", name)


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.there = {r[0] for r in self.db.execute("SELECT name FROM sqlite_master")}

    def rows(self, query, *tables):
        return self.db.execute(query).fetchall() if self.there.issuperset(tables) else []

    def calls(self):
        """(thread, name, ns, whether the program waited for OpenCL's end)"""
        out = []
        for table in ("OPENCL_API", "CUPTI_ACTIVITY_KIND_RUNTIME"):
            out += self.rows("""SELECT globalTid & 0xFFFFFF, s.value, end - start FROM %s JOIN StringIds s ON s.id = nameId
                WHERE s.value NOT LIKE '%%[callback]%%'""" % table, table)
        return [(tid, base(name), ns) for tid, name, ns in out]

    def waits(self):
        """CUDA: ns of waits of the host, whose call is known"""
        return sum(ns for ns, in self.rows("""SELECT w.end - w.start FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION w
            JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = w.correlationId AND r.globalTid & ~0xFFFFFF = w.globalPid
            WHERE w.syncType != 2""", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_RUNTIME"))

    def kernels(self):
        """(thread, call, kernel, ns)"""
        out = self.rows("""SELECT a.globalTid & 0xFFFFFF, c.value, n.value, w.end - w.start FROM OPENCL_WORKLOAD w
            JOIN OPENCL_API a ON a.correlationId = w.correlationId AND a.globalTid & ~0xFFFFFF = w.globalPid
            JOIN StringIds c ON c.id = a.nameId JOIN StringIds n ON n.id = w.nameId
            WHERE w.kernelId IS NOT NULL AND w.start IS NOT NULL AND w.end >= w.start""", "OPENCL_WORKLOAD", "OPENCL_API")
        out += self.rows("""SELECT a.globalTid & 0xFFFFFF, c.value, n.value, w.end - w.start FROM CUPTI_ACTIVITY_KIND_KERNEL w
            JOIN CUPTI_ACTIVITY_KIND_RUNTIME a ON a.correlationId = w.correlationId AND a.globalTid & ~0xFFFFFF = w.globalPid
            JOIN StringIds c ON c.id = a.nameId JOIN StringIds n ON n.id = w.shortName""",
                         "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME")
        return [(tid, base(call), kernel, ns) for tid, call, kernel, ns in out]

    def graphs(self):
        return sum(ns for ns, in self.rows("SELECT end - start FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                           "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"))

    def bytes(self):
        """Copied and filled. A map or unmap that moved nothing has bytes, and no target."""
        out = self.rows("""SELECT SUM(bytes) FROM OPENCL_WORKLOAD
            WHERE start IS NOT NULL AND end >= start AND dstKind IS NOT NULL""", "OPENCL_WORKLOAD")
        for table in ("MEMCPY", "MEMSET"):
            table = "CUPTI_ACTIVITY_KIND_" + table
            where = " WHERE migrationCause IS NULL" if table.endswith("MEMCPY") else ""
            out += self.rows("SELECT SUM(bytes) FROM %s%s" % (table, where), table)
        return sum(n or 0 for n, in out)


def report(trace, name):
    """The sum of a report's Total Time."""
    out = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "stats", "-q", "-r", name, "--format=csv", trace + ".gputap"],
                         check=True, capture_output=True, text=True).stdout
    return sum(int(row["Total Time (ns)"]) for row in csv.DictReader(io.StringIO(out)))


def sums(parts, event):
    return sum(p.total(event) for p in parts)


def by_thread(parts, what):
    """{thread: inclusive cost}"""
    out = collections.Counter()
    for part in parts:
        for f in part.functions():
            if f[1] == "[threads]" and f[2].startswith("thread "):
                out[int(f[2].split()[1])] += sum(part.inclusive(f, e) for e in what)
    return +out


def check_host(trace, parts, db, how):
    calls = db.calls()
    assert sums(parts, "Calls") == len(calls), (sums(parts, "Calls"), len(calls))
    wanted, names = collections.Counter(), collections.Counter()
    for tid, name, ns in calls:
        wanted[tid] += ns
        names[name] += 1
    found = by_thread(parts, ("Api", "Wait"))
    own = collections.Counter()
    for part in parts:
        for f in part.functions():
            if f[1] in ("[OpenCL API]", "[CUDA API]"):
                own[base(f[2])] += part.own[f + ("Calls",)]
    assert +own == names, (own - names, names - own)
    if "nested" in how:
        assert all(0 < found[tid] <= ns for tid, ns in wanted.items() if ns), (found, wanted)
        assert sum(found.values()) < sum(wanted.values())
    else:
        assert found == +wanted, (found, wanted)
        wait = report(trace, "opencl_wait_sum") + db.waits()
        assert sums(parts, "Wait") == wait, (sums(parts, "Wait"), wait)
    if "killed" in how:
        assert sum(int(p.desc.get("Calls that never returned", 0)) for p in parts) > 0


def check_device(trace, parts, db):
    gpu = report(trace, "opencl_gpu_sum") + report(trace, "cuda_gpu_sum") + db.graphs()
    assert sums(parts, "Gpu") == gpu, (sums(parts, "Gpu"), gpu)
    assert sums(parts, "Bytes") == db.bytes(), (sums(parts, "Bytes"), db.bytes())
    wanted = collections.Counter()
    for _, call, kernel, ns in db.kernels():
        wanted[call, kernel] += ns
    found = collections.Counter()
    for part in parts:
        for (caller, callee, event), cost in part.cost.items():
            if event == "Gpu" and callee[1].startswith("[device ") and (base(caller[2]), callee[2]) in wanted:
                found[base(caller[2]), callee[2]] += cost
    assert +found == +wanted, (found, wanted)
    threads = collections.Counter()
    for tid, _, _, ns in db.kernels():
        threads[tid] += ns
    found = by_thread(parts, ("Gpu",))
    assert all(found[tid] >= ns for tid, ns in threads.items()), (found, threads)


def check_annotate(trace, part):
    def named(f):
        return "%s:%s [%s]" % (f[1], f[2], f[0])
    own, words = callgrind_profile.annotate(trace + ".callgrind")
    assert not words, words
    assert own.pop("PROGRAM TOTALS") == part.totals
    wanted = {named(f): [part.own[f + (e,)] for e in part.events] for f in part.functions()}
    wanted = {f: costs for f, costs in wanted.items() if any(costs)}
    own = {f: costs for f, costs in own.items() if any(costs)}
    assert own == wanted, [(f, own.get(f), wanted.get(f)) for f in own.keys() | wanted.keys() if own.get(f) != wanted.get(f)]
    inclusive, words = callgrind_profile.annotate(trace + ".callgrind", "--inclusive=yes")
    assert not words, words
    assert inclusive.pop("PROGRAM TOTALS") == part.totals
    for f in part.functions():
        wanted = [part.inclusive(f, e) for e in part.events]
        assert inclusive.get(named(f), [0] * len(wanted)) == wanted, (f, inclusive.get(named(f)), wanted)


def check_reader(trace, parts):
    """gputap stats of the profile: own and inclusive costs, callers and callees"""
    def rows(report):
        out = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "stats", "-r", report, "--format=json", trace + ".callgrind"],
                             check=True, capture_output=True, text=True)
        assert not out.stderr, out.stderr
        return json.loads(out.stdout)["rows"]
    functions = set().union(*(p.functions() for p in parts))
    for report, before in (("callgrind_self", "Self "), ("callgrind_incl", "Incl ")):
        found = {(r["Object"], r["File"], r["Function"]): r for r in rows(report)}
        assert found.keys() == functions, found.keys() ^ functions
        for f in functions:
            for event in parts[0].events:
                cost = sum(p.own[f + (event,)] if before == "Self " else p.inclusive(f, event) for p in parts)
                assert found[f][before + event] == cost, (f, event, found[f], cost)
            assert found[f][before + "Host"] == found[f][before + "Api"] + found[f][before + "Wait"]
    wanted = collections.Counter()
    for part in parts:
        for (caller, callee), n in part.calls.items():
            wanted[caller[1:], callee[1:]] += n
    found = collections.Counter()
    for r in rows("callgrind_calls"):
        found[(r["Caller File"], r["Caller"]), (r["Callee File"], r["Callee"])] += r["Calls"]
    assert found == wanted, (found - wanted, wanted - found)


def main(trace, how):
    parts = callgrind_profile.read(trace + ".callgrind")
    db = Database(trace + ".sqlite")
    check_host(trace, parts, db, how)
    check_device(trace, parts, db)
    check_reader(trace, parts)
    if "annotate" in how:
        check_annotate(trace, parts[0])
    for word in how:
        if word.startswith("parts="):
            assert len(parts) == int(word[6:]), len(parts)
    print("%d parts, %d functions, %d calls, %d ns of device time" % (
        len(parts), sum(len(p.functions()) for p in parts), sums(parts, "Calls"), sums(parts, "Gpu")))


main(sys.argv[1], sys.argv[2:])
