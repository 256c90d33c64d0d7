#!/usr/bin/env python3
"""tests/e2e/cuda_counts_check.py REPORT OUT OPTION - one trace's outputs in OUT count the same calls, commands and kernels

REPORT: what the stand-in machine counted ("counter value" lines). Prints what differs; exit status 1 then.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import json
import os
import re
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
sys.dont_write_bytecode = True
import apilog_parse  # noqa: E402
import atp_parse     # noqa: E402

# Our own reading of which calls put something on a stream, for the programs that run here.
WORK = re.compile(r"cu(da)?(Launch|Memcpy|Memset|GraphLaunch|EventRecord|StreamWaitEvent|Mem(Alloc|Free)(FromPool)?Async|MallocAsync|"
                  r"MallocFromPoolAsync|FreeAsync|MemPrefetch)")
CALL = re.compile(r"DURATION 0x\w{16}(?:    CMD ID (\d+) *    | {25})(\w+)\([^\n]*")
TABLES = ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")
bad = 0


def same(what, **counts):
    global bad
    if len(set(counts.values())) > 1:
        print("%s: %s" % (what, ", ".join("%s %s" % c for c in counts.items())))
        bad = 1


def read(name):
    with open(name, encoding="utf-8", newline="") as f:
        return f.read()


def rows(db):
    """Rows of each table; calls: (name, result)."""
    con = sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    there = {r[0] for r in con.execute("SELECT name FROM sqlite_master")}
    n = {}
    for t in TABLES:
        table = "CUPTI_ACTIVITY_KIND_" + t
        n[t] = con.execute("SELECT count(*) FROM " + table).fetchone()[0] if table in there else 0
    calls = con.execute("SELECT s.value, r.returnValue FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId").fetchall()
    con.close()
    return n, calls


def column(path, name):
    text = read(path)
    return sum(r[name] for r in json.loads(text)["rows"]) if text.strip() else 0


def main():
    report, out, option = sys.argv[1:4]
    machine = {k: int(v) for k, v in re.findall(r"^([a-z-]+) (\d+)$", read(report), re.M)}
    info = json.loads(read(out + "/info"))["processes"][0]
    atp, hsa = atp_parse.parse(read(out + "/t.atp")), atp_parse.parse(read(out + "/hsa.atp"))
    log = apilog_parse.parse(read(out + "/t.apilog"), True)
    tables, calls = rows(out + "/t.sqlite")
    kernels, copies = tables["KERNEL"], tables["MEMCPY"] + tables["MEMSET"]

    same("calls", info=info["calls"], atp=atp["cuda_calls"], hsa=hsa["cuda_calls"], apilog=log["cuda_calls"], sqlite=len(calls),
         stats=column(out + "/cuda_api_sum", "Num Calls"))
    same("kernels", info=info["kernels"], atp=atp["cuda_kernels"], hsa=hsa["hsa_kernels"], sqlite=kernels,
         stats=column(out + "/cuda_gpu_kern_sum", "Instances"))
    same("commands", info=info["commands"], atp=atp["cuda_commands"], sqlite=sum(tables.values()))
    same("copies and fills", atp=atp["cuda_commands"] - atp["cuda_kernels"] - tables["GRAPH_TRACE"], sqlite=copies,
         stats=column(out + "/cuda_gpu_mem_time_sum", "Count"))
    if option or not machine["graph-launches"]:                     # whole graphs hide what runs in them
        same("the machine's kernels", machine=machine["kernels"], sqlite=kernels)
        same("the machine's copies and fills", machine=machine["copies"] + machine["sets"], sqlite=copies)
    else:
        same("the machine's graph launches", machine=machine["graph-launches"], sqlite=tables["GRAPH_TRACE"])

    work = sum(1 for name, result in calls if result == 0 and WORK.match(name))
    same("command ids", apilog=log["commands"], successful_work_calls=work)
    for number, name in CALL.findall(read(out + "/t.apilog")):
        if number and not WORK.match(name):
            same(name, command_id=number, work="no")
    parts = [apilog_parse.parse(read(p), False) for p in glob.glob(out + "/part.*.apilog")]
    same("calls in logs by thread", parts=sum(p["calls"] for p in parts), one_log=log["calls"])
    same("command ids in logs by thread", parts=sum(p["commands"] for p in parts), one_log=log["commands"])

    all_atp, all_log, (_, all_calls) = atp_parse.parse(read(out + "/all.atp")), apilog_parse.parse(read(out + "/all.apilog"), True), rows(out + "/all.sqlite")
    same("calls with nested ones", atp=all_atp["cuda_calls"], apilog=all_log["cuda_calls"], sqlite=len(all_calls),
         machine=machine["runtime-calls"] + machine["driver-calls"] - 1)    # one is the collector's: which driver is this?
    same("commands and ids with nested calls", atp=all_atp["cuda_commands"] - atp["cuda_commands"], apilog=all_log["commands"] - log["commands"], none=0)
    return bad


if __name__ == "__main__":
    sys.exit(main())
