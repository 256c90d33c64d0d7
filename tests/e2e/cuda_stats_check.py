#!/usr/bin/env python3
"""cuda_stats_check.py REPORTS STANDIN-REPORT [FACT=VALUE...] - the CUDA reports agree with each other and with what is known.

REPORTS: a folder of NAME.json. The traces (cuda_api_trace, cuda_gpu_trace, cuda_kern_exec_trace) are added up here and compared with each
summing report. Facts: kernels, copies, bytes (of all copies), kernel (a name), launches (the call that made each kernel), threads, graphs
(launches), as (how they were traced), allocations, peak (MB), managed, failures, untimed. Prints what is wrong; exit status 1 then.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import statistics
import sys

where, standin = sys.argv[1:3]
facts = dict(a.split("=", 1) for a in sys.argv[3:])
problems = []


def must(condition, what):
    if not condition:
        problems.append(what)


def read(name):
    with open(os.path.join(where, name + ".json"), encoding="utf-8") as f:
        doc = json.load(f)
    must(doc["report"] == name, f"{name} calls itself {doc['report']}")
    return doc["rows"], doc.get("missing", 0)


def rows(name):
    return read(name)[0]


def gather(pairs):
    out = {}
    for name, value in pairs:
        out.setdefault(name, []).append(value)
    return out


def near(got, want, digits=1):
    return got is not None and abs(got - want) <= 0.5 * 10 ** -digits + 1e-9 * abs(want) + 1e-9


def deviation(v):
    return statistics.stdev(v) if len(v) > 1 else 0


def same_sums(report, want, count, *names):
    """want: {(name, ...): [ns]}; each group of the report is that, largest total first."""
    got = {tuple(r[n] for n in names): r for r in rows(report)}
    must(set(got) == set(want), f"{report}: {sorted(set(got) ^ set(want))[:4]}")
    total = sum(map(sum, want.values()))
    totals = [r["Total Time (ns)"] for r in rows(report)]
    must(totals == sorted(totals, reverse=True), f"{report}: largest first")
    for name in set(got) & set(want):
        r, v = got[name], want[name]
        must((r[count], r["Total Time (ns)"], r["Min (ns)"], r["Max (ns)"]) == (len(v), sum(v), min(v), max(v)), f"{report} {name}: {r}")
        must(near(r["Avg (ns)"], statistics.fmean(v)) and near(r["Med (ns)"], statistics.median(v)) and
             near(r["StdDev (ns)"], deviation(v)), f"{report} {name}: {r}, should be {statistics.fmean(v)} {statistics.median(v)} {deviation(v)}")
        must(near(r["Time (%)"], 100 * sum(v) / total if total else 0), f"{report} {name}: share {r}")


told = {}
with open(standin, encoding="utf-8") as f:
    for line in f.read().splitlines():
        name, _, value = line.rpartition(" ")
        if value.isdigit():
            told[name] = int(value)

calls, device, launches = rows("cuda_api_trace"), rows("cuda_gpu_trace"), rows("cuda_kern_exec_trace")
kernels = [r for r in device if r["GrdX"] is not None]
memory = [r for r in device if r["GrdX"] is None]
timed = [r for r in device if r["Start (ns)"] is not None]
ran, moved = [r for r in kernels if r in timed], [r for r in memory if r in timed]

# ------------------------------------------------------------------------------------------- the reports among themselves

for trace in (calls, timed):
    starts = [r["Start (ns)"] for r in trace]
    must(starts == sorted(starts), "in order of start")
same_sums("cuda_api_sum", gather(((r["Name"],), r["Duration (ns)"]) for r in calls), "Num Calls", "Name")
same_sums("cuda_gpu_kern_sum", gather(((r["Name"],), r["Duration (ns)"]) for r in ran), "Instances", "Name")
same_sums("cuda_gpu_kern_gb_sum", gather(((" ".join(f"{r[c]:4d}" for c in ("GrdX", "GrdY", "GrdZ")),
                                          " ".join(f"{r[c]:4d}" for c in ("BlkX", "BlkY", "BlkZ")), r["Name"]), r["Duration (ns)"]) for r in ran),
          "Instances", "GridXYZ", "BlockXYZ", "Name")
same_sums("cuda_gpu_mem_time_sum", gather(((r["Name"],), r["Duration (ns)"]) for r in moved), "Count", "Operation")
both = [(("CUDA_KERNEL" if r in kernels else "MEMORY_OPER", r["Name"]), r["Duration (ns)"]) for r in timed]
same_sums("cuda_gpu_sum", gather(both), "Instances", "Category", "Operation")
same_sums("cuda_api_gpu_sum", gather(both + [(("CUDA_API", r["Name"]), r["Duration (ns)"]) for r in calls]), "Instances", "Category", "Operation")
sizes = gather((r["Name"], r["Bytes (MB)"]) for r in memory)
for r in rows("cuda_gpu_mem_size_sum"):
    v = sizes.pop(r["Operation"], [])
    must(r["Count"] == len(v) and near(r["Total (MB)"], sum(v), 2), f"cuda_gpu_mem_size_sum: {r}")
must(not sizes, f"cuda_gpu_mem_size_sum: {sizes} missing")

by_id = {(r["Pid"], r["CorrID"]): r for r in calls}
must(len(launches) == len([r for r in ran if True]), f"{len(launches)} launches of {len(ran)} kernels")
for r in launches:
    api_end = r["API Start (ns)"] + r["API Dur (ns)"]
    queue = r["Kernel Start (ns)"] - api_end
    must(r["Queue Dur (ns)"] == (queue if queue >= 0 else None), f"queue time: {r}")
    must(r["Total Dur (ns)"] == max(api_end, r["Kernel Start (ns)"] + r["Kernel Dur (ns)"]) - r["API Start (ns)"], f"total: {r}")
    must(r["Kernel Start (ns)"] >= r["API Start (ns)"], f"a kernel before its call: {r}")
sums = rows("cuda_kern_exec_sum")
must(sum(r["Count"] for r in sums) == len(launches), "cuda_kern_exec_sum: all launches")
must(sum(r["QCount"] for r in sums) == sum(r["Queue Dur (ns)"] is not None for r in launches), "cuda_kern_exec_sum: queued ones")

streams = rows("cuda_stream_sum")
graph_rows = rows("cuda_graph_sum")
whole = sum(r["Launches"] for r in graph_rows if r["Traced as"] == "graph")
stream_work = [r for r in timed if "Unified" not in r["Name"]]
must(sum(r["Operations"] for r in streams) == len(stream_work) + whole, f"cuda_stream_sum: {streams} for {len(stream_work)} and {whole} graphs")
must(sum(r["Kernels"] for r in streams) == len(ran), "cuda_stream_sum: kernels")
for r in streams:
    v = sorted((x["Start (ns)"], x["Start (ns)"] + x["Duration (ns)"]) for x in stream_work if (x["Ctx"], x["Strm"]) == (r["Ctx"], r["Strm"]))
    if whole or not v:
        continue
    busy, gaps, until = 0, [], v[0][0]
    for start, end in v:
        if start > until:
            gaps.append(start - until)
        busy += max(0, end - max(start, until))
        until = max(until, end)
    must((r["Busy Time (ns)"], r["Span (ns)"], r["Gaps"], r["Total Gap (ns)"], r["Max Gap (ns)"]) ==
         (busy, until - v[0][0], len(gaps), sum(gaps), max(gaps, default=0)), f"cuda_stream_sum: {r}")

# ------------------------------------------------------------------------------------------- what is known

untimed = len(device) - len(timed)
if "untimed" in facts:
    must(untimed > 0, "some are untimed")
    must(all(r["Duration (ns)"] is None for r in device if r not in timed), "no duration without a start")
    must(read("cuda_gpu_kern_sum")[1] == len(kernels) - len(ran), f"missing kernels: {read('cuda_gpu_kern_sum')[1]}, {len(kernels) - len(ran)}")
    must(read("cuda_gpu_mem_time_sum")[1] == len(memory) - len(moved), "missing memory operations")
    must(read("cuda_gpu_sum")[1] == read("cuda_stream_sum")[1] == untimed, f"missing operations: {untimed}")
else:
    must(untimed == 0, f"{untimed} have no times")
if whole == 0:
    must(len(kernels) == told["kernels"], f"{len(kernels)} kernels, the stand-in ran {told['kernels']}")
    must(len(memory) - sum("Unified" in r["Name"] for r in memory) == told["copies"] + told["sets"], "copies and fills as the stand-in ran them")
if "kernels" in facts:
    must(len(kernels) == int(facts["kernels"]), f"{len(kernels)} kernels")
if "copies" in facts:
    must(sum("memcpy" in r["Name"] for r in memory) == int(facts["copies"]), f"copies: {memory}")
if "bytes" in facts:
    must(near(sum(r["Bytes (MB)"] for r in memory) * 1e6, int(facts["bytes"]), -3), f"bytes: {memory}")
if "kernel" in facts:
    must({r["Name"] for r in kernels} == {facts["kernel"]}, "name of the kernel")
if "launches" in facts:
    must({r["API Name"] for r in sums} == {facts["launches"]}, f"launched by {sums[:2]}")
if "threads" in facts:
    must(len({r["TID"] for r in sums}) == int(facts["threads"]), "threads that launched")
if "graphs" in facts:
    must(sum(r["Launches"] for r in graph_rows) == int(facts["graphs"]) == told["graph-launches"], f"graphs: {graph_rows}")
    must({r["Traced as"] for r in graph_rows} == {facts["as"]}, f"graphs: {graph_rows}")
    must(all(r["Avg Nodes"] >= 2 for r in graph_rows), f"graphs have nodes: {graph_rows}")
if "allocations" in facts:
    usage = [r for r in rows("cuda_mem_usage") if r["MemKd"] == "Device"]
    must([(r["Allocations"], r["Releases"], r["Outstanding"]) for r in usage] == [(int(facts["allocations"]),) * 2 + (0,)], f"memory: {usage}")
    must(usage and near(usage[0]["Peak (MB)"], float(facts["peak"]), 3) and usage[0]["Outstanding (MB)"] == 0, f"memory: {usage}")
if "managed" in facts:
    total = rows("um_total_sum")
    migrated = {d: sum(r["Bytes (MB)"] for r in memory if r["Name"] == f"[CUDA memcpy Unified {d}]") for d in ("Host-to-Device", "Device-to-Host")}
    must(len(total) == 1 and migrated["Host-to-Device"] > 0, f"managed: {total} {migrated}")
    must(near(total[0]["Total HtoD Migration Size (MB)"], migrated["Host-to-Device"], 2), f"managed: {total} {migrated}")
    must(near(total[0]["Total DtoH Migration Size (MB)"], migrated["Device-to-Host"], 2), f"managed: {total} {migrated}")
    per = rows("um_sum")
    must(sum(r["CPU Page Faults"] for r in per) == total[0]["Total CPU Page Faults"], f"faults: {per} {total}")
    must(sum(r["CPU Page Faults"] for r in rows("um_cpu_page_faults_sum")) == total[0]["Total CPU Page Faults"], "faults by instruction")
if "failures" in facts:
    must(any(r["Result"] not in (0, None) for r in calls) and all(isinstance(r["Result"], int) for r in calls), "results")

for p in problems[:12]:
    print(p)
sys.exit(1 if problems else 0)
