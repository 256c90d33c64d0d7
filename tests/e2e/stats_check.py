#!/usr/bin/env python3
# tests/e2e/stats_check.py DUMP.json INFO.json DIRECTORY - every report recomputed from `gputap dump --json`
#
# DIRECTORY holds REPORT.csv and REPORT.json as `gputap stats` wrote them. Nothing of the tool's code or tables is used:
# what a report must say is written here a second time, from docs/stats.md and the field's headings.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import csv
import json
import os
import statistics
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    ROWS = [json.loads(line) for line in f]
with open(sys.argv[2], encoding="utf-8") as f:
    INFO = json.load(f)
WHERE = sys.argv[3]
problems = []

CALLS = [r for r in ROWS if r["type"] == "call"]
OBJECTS = {(r["pid"], r["instance"], r["kind"], r["id"]): r for r in ROWS if r["type"] == "object"}
THREADS = {(p["pid"], t["tid"]): t for p in INFO["processes"] for t in p["threads"]}

TIMES = ["Time (%)", "Total Time (ns)", "{}", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"]
FIVE = ["Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"]


def times(count, *names):
    return [h.format(count) for h in TIMES] + list(names)


# The headings, as the vendor's reports of the same shape have them.
HEADINGS = {
    "opencl_api_sum": times("Num Calls", "Name"),
    "opencl_kern_sum": times("Instances", "Name"),
    "opencl_kern_gb_sum": times("Instances", "GridXYZ", "BlockXYZ", "Name"),
    "opencl_mem_time_sum": times("Count", "Operation"),
    "opencl_mem_size_sum": ["Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)", "StdDev (MB)", "Operation"],
    "opencl_gpu_sum": times("Instances", "Category", "Operation"),
    "opencl_api_gpu_sum": times("Instances", "Category", "Operation"),
    "opencl_wait_sum": times("Num Calls", "Name"),
    "opencl_api_trace": ["Start (ns)", "Duration (ns)", "Name", "Result", "CorrID", "Pid", "Tid", "T-Pri", "Thread Name"],
    "opencl_gpu_trace": ["Start (ns)", "Duration (ns)", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd", "StcSMem (MB)",
                         "DymSMem (MB)", "Bytes (MB)", "Throughput (MB/s)", "SrcMemKd", "DstMemKd", "Device", "Ctx", "GreenCtx", "Strm", "Name"],
    "opencl_kern_exec_trace": ["API Start (ns)", "API Dur (ns)", "Queue Start (ns)", "Queue Dur (ns)", "Kernel Start (ns)", "Kernel Dur (ns)",
                               "Total Dur (ns)", "PID", "TID", "DevId", "API Function", "GridXYZ", "BlockXYZ", "Kernel Name"],
    "opencl_kern_exec_sum": ["Count", "QCount", "PID", "TID", "DevId"] + [x + h for x in "TAQK" for h in FIVE] + ["API Name", "Kernel Name"],
    "opencl_queue_sum": ["Utilization (%)", "Busy Time (ns)", "Span (ns)", "Commands", "Kernels", "Gaps", "Total Gap (ns)", "Avg Gap (ns)",
                         "Med Gap (ns)", "Max Gap (ns)", "PID", "Device", "Ctx", "Queue"],
}


def must(truth, what):
    if not truth:
        problems.append(what)


# ------------------------------------------------- what a command is, from its type and its call's arguments

COPIES = {
    "WRITE_BUFFER": ("Host", "Device"), "WRITE_BUFFER_RECT": ("Host", "Device"), "READ_BUFFER": ("Device", "Host"),
    "READ_BUFFER_RECT": ("Device", "Host"), "COPY_BUFFER": ("Device", "Device"), "COPY_BUFFER_RECT": ("Device", "Device"),
    "WRITE_IMAGE": ("Host", "Array"), "READ_IMAGE": ("Array", "Host"), "COPY_IMAGE": ("Array", "Array"),
    "COPY_IMAGE_TO_BUFFER": ("Array", "Device"), "COPY_BUFFER_TO_IMAGE": ("Device", "Array"),
}
FILLS = ("FILL_BUFFER", "FILL_IMAGE", "SVM_MEMFILL")
mapped = {}


def classify(call):
    """kernel, copy LABEL, fill, or None: docs/stats.md and the mapping of docs/sqlite.md."""
    c, a = call["command"], call["args"]
    kind = c["type"].removeprefix("CL_COMMAND_")
    worked = c["timed"] and c["end"] > c["start"]
    if kind in ("NDRANGE_KERNEL", "TASK", "NATIVE_KERNEL"):
        return "kernel", None
    if kind in COPIES:
        return "copy", "-to-".join(COPIES[kind])
    if kind == "SVM_MEMCPY":
        return "copy", "Unknown"
    if kind in FILLS:
        return "fill", None
    if kind in ("MAP_BUFFER", "MAP_IMAGE", "SVM_MAP"):
        flags = a.get("map_flags", a.get("flags"))
        mapped[call["pid"], call.get("return", a.get("svm_ptr"))] = flags
        return ("copy", "Device-to-Host") if "CL_MAP_READ" in flags.split("|") and worked else (None, None)
    if kind in ("UNMAP_MEM_OBJECT", "SVM_UNMAP"):
        flags = mapped.get((call["pid"], a.get("mapped_ptr", a.get("svm_ptr"))), "")
        return ("copy", "Host-to-Device") if "CL_MAP_WRITE" in flags and worked else (None, None)
    if kind in ("MIGRATE_MEM_OBJECTS", "SVM_MIGRATE_MEM"):
        to = "Device-to-Host" if "CL_MIGRATE_MEM_OBJECT_HOST" in str(a["flags"]) else "Host-to-Device"
        return "copy", ("Unified " if kind.startswith("SVM") else "") + to
    return None, None


def operation(kind, label):
    return "[OpenCL memset]" if kind == "fill" else f"[OpenCL memcpy {label}]"


COMMANDS = []                   # (call, command, kind, label) of each command with device times
for call in CALLS:
    c = call.get("command")
    if c and not call["result"]:
        kind, label = classify(call)
        if c["timed"]:
            COMMANDS.append((call, c, kind, label))
must(len(COMMANDS) > 100 and len({c["queue"]["id"] for _, c, _, _ in COMMANDS}) > 1, "a program with many commands on several queues")


def grid(c):
    """Where the runtime chose the block and did not tell, both are unknown."""
    size = (c["global"] + [1, 1])[:3]
    block = (c["local"] + [1, 1])[:3] if "local" in c else None
    return ([-(-g // b) for g, b in zip(size, block)], block) if block else ([None] * 3, [None] * 3)


def xyz(v):
    return " ".join(f"{n:4d}" for n in v)


def shape(c):
    g, b = grid(c)
    return (xyz(g), xyz(b)) if b[0] else ("items: " + xyz((c["global"] + [1, 1])[:3]), "unknown")


# ------------------------------------------------------------------------------------------- reading

def number(text):
    return None if text in ("", None) else float(text) if "." in str(text) else int(text)


def read(report):
    with open(os.path.join(WHERE, report + ".csv"), encoding="utf-8", newline="") as f:
        lines = list(csv.reader(f))
    with open(os.path.join(WHERE, report + ".json"), encoding="utf-8") as f:
        doc = json.load(f)
    must(lines[0] == HEADINGS[report], f"{report}: headings are {lines[0]}")
    must(doc["report"] == report, f"{report}: JSON names it {doc['report']}")
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    must(len(rows) == len(doc["rows"]), f"{report}: CSV and JSON have the same number of rows")
    for a, b in zip(rows, doc["rows"]):
        must(list(b) == lines[0], f"{report}: JSON keys are the headings")
        for h, v in b.items():
            same = a[h] == "" if v is None else a[h] == v if isinstance(v, str) else float(a[h]) == float(v)
            must(same, f"{report}: CSV has {a[h]!r}, JSON {v!r} as {h}")
    must(rows, f"{report}: there are rows")
    return doc["rows"]


def near(got, want, digits):
    return got is not None and abs(got - want) <= 0.5 * 10 ** -digits + 1e-6 * abs(want) * 10 ** -digits + 1e-9


def deviation(v):
    return statistics.stdev(v) if len(v) > 1 else 0


def compare_groups(report, want, count, names, sizes=False):
    """want: {names: [values]}"""
    rows = read(report)
    got = {tuple(r[n] for n in names): r for r in rows}
    must(len(got) == len(rows), f"{report}: each name once")
    must(set(got) == set(want), f"{report}: names {sorted(set(got) ^ set(want))[:6]} differ")
    total = sum(sum(v) for v in want.values())
    unit, first, digits, whole = ("MB", 1e6, 3, 3) if sizes else ("ns", 1, 1, 0)
    totals = [r[f"Total (MB)" if sizes else "Total Time (ns)"] for r in rows]
    must(totals == sorted(totals, reverse=True), f"{report}: largest total first")
    for name in set(got) & set(want):
        r, v = got[name], [x / first for x in want[name]]
        if not sizes:
            must(near(r["Time (%)"], 100 * sum(want[name]) / total, 1), f"{report} {name}: share")
        must(near(r["Total (MB)" if sizes else "Total Time (ns)"], sum(v), whole), f"{report} {name}: total")
        must(r[count] == len(v), f"{report} {name}: {r[count]} of {len(v)}")
        for h, x, d in (("Avg", statistics.fmean(v), digits), ("Med", statistics.median(v), digits), ("Min", min(v), whole), ("Max", max(v), whole),
                        ("StdDev", deviation(v), digits)):
            must(near(r[f"{h} ({unit})"], x, d), f"{report} {name}: {h} is {r[f'{h} ({unit})']}, should be {x}")


def gather(pairs):
    out = {}
    for name, value in pairs:
        out.setdefault(name, []).append(value)
    return out


# ------------------------------------------------------------------------------------------- sums

def took(call):
    return call["end_ns"] - call["start_ns"]


def ran(c):
    return c["end"] - c["start"]


kernels = [(call, c) for call, c, kind, _ in COMMANDS if kind == "kernel"]
memory = [(c, operation(kind, label)) for _, c, kind, label in COMMANDS if kind in ("copy", "fill")]
compare_groups("opencl_api_sum", gather(((k["name"],), took(k)) for k in CALLS), "Num Calls", ["Name"])
compare_groups("opencl_kern_sum", gather(((c["name"],), ran(c)) for _, c in kernels), "Instances", ["Name"])
compare_groups("opencl_kern_gb_sum", gather(((*shape(c), c["name"]), ran(c)) for _, c in kernels), "Instances", ["GridXYZ", "BlockXYZ", "Name"])
compare_groups("opencl_mem_time_sum", gather(((o,), ran(c)) for c, o in memory), "Count", ["Operation"])
compare_groups("opencl_mem_size_sum", gather(((o,), c["bytes"]) for c, o in memory if "bytes" in c), "Count", ["Operation"], sizes=True)
device = [(("OPENCL_KERNEL", c["name"]), ran(c)) for _, c in kernels] + [(("MEMORY_OPER", o), ran(c)) for c, o in memory]
compare_groups("opencl_gpu_sum", gather(device), "Instances", ["Category", "Operation"])
compare_groups("opencl_api_gpu_sum", gather(device + [(("OPENCL_API", k["name"]), took(k)) for k in CALLS]), "Instances", ["Category", "Operation"])


def waits():
    for k in CALLS:
        if k["name"] in ("clFinish", "clWaitForEvents"):
            yield (k["name"],), took(k)
        elif any(name.startswith("blocking") and value == "CL_TRUE" for name, value in k["args"].items()):
            yield (k["name"] + " (blocking)",), took(k)


compare_groups("opencl_wait_sum", gather(waits()), "Num Calls", ["Name"])

# ------------------------------------------------------------------------------------------- traces


def compare_rows(report, want):
    rows = read(report)
    must(len(rows) == len(want), f"{report}: {len(rows)} rows, should be {len(want)}")
    for r, w in zip(rows, want):
        for h, v in w.items():
            same = near(r[h], v, 3) if isinstance(v, float) else r[h] == v
            must(same, f"{report}: {h} is {r[h]!r}, should be {v!r}: {r}")


must(all(k.get("result_name") or k["name"] == "clSVMFree" for k in CALLS), "only what returns nothing has no result")
compare_rows("opencl_api_trace", [{
    "Start (ns)": k["start_ns"], "Duration (ns)": took(k), "Name": k["name"], "Result": k.get("result_name"), "CorrID": k["id"], "Pid": k["pid"],
    "Tid": k["tid"], "T-Pri": THREADS[k["pid"], k["tid"]].get("priority"),
    "Thread Name": THREADS[k["pid"], k["tid"]]["name"],
} for k in CALLS])


def device_row(call, c, kind, label):
    g, b = grid(c) if kind == "kernel" else ([None] * 3, [None] * 3)
    where = OBJECTS[call["pid"], call["instance"], "device", c["device"]["id"]]
    megabytes = c["bytes"] / 1e6 if "bytes" in c else None
    return {
        "Start (ns)": c["start"], "Duration (ns)": ran(c), "CorrId": call["id"], "GrdX": g[0], "GrdY": g[1], "GrdZ": g[2], "BlkX": b[0],
        "BlkY": b[1], "BlkZ": b[2], "Bytes (MB)": megabytes,
        "Throughput (MB/s)": megabytes / (ran(c) / 1e9) if megabytes is not None and ran(c) else None,
        "Device": f"{where['name']} ({where['device_index']})", "Ctx": c["context"]["id"] + 1, "Strm": c["queue"]["id"] + 13,
        "Name": c["name"] if kind == "kernel" else operation(kind, label),
    }


compare_rows("opencl_gpu_trace", [device_row(*x) for x in COMMANDS if x[2]])


def delays(call, c):
    queue = c["start"] - call["end_ns"]
    return took(call), queue if queue >= 0 else None, ran(c), max(c["end"], call["end_ns"]) - call["start_ns"]


def index(call, c):
    return OBJECTS[call["pid"], call["instance"], "device", c["device"]["id"]]["device_index"]


def exec_row(call, c):
    api, queue, kernel, total = delays(call, c)
    g, b = shape(c)
    return {
        "API Start (ns)": call["start_ns"], "API Dur (ns)": api, "Queue Start (ns)": None if queue is None else call["end_ns"], "Queue Dur (ns)": queue,
        "Kernel Start (ns)": c["start"], "Kernel Dur (ns)": kernel, "Total Dur (ns)": total, "PID": call["pid"], "TID": call["tid"],
        "DevId": index(call, c), "API Function": call["name"], "GridXYZ": g, "BlockXYZ": b, "Kernel Name": c["name"],
    }


compare_rows("opencl_kern_exec_trace", [exec_row(*x) for x in kernels])

want = gather(((call["pid"], call["tid"], index(call, c), call["name"], c["name"]), delays(call, c)) for call, c in kernels)
rows = read("opencl_kern_exec_sum")
must(len(rows) == len(want), "opencl_kern_exec_sum: rows")
totals = []
for r in rows:
    v = want.get((r["PID"], r["TID"], r["DevId"], r["API Name"], r["Kernel Name"]))
    if not v:
        must(False, f"opencl_kern_exec_sum: no such launches: {r}")
        continue
    api, queue, kernel, total = zip(*v)
    queue = [q for q in queue if q is not None]
    totals.append(sum(total))
    must((r["Count"], r["QCount"]) == (len(v), len(queue)), f"opencl_kern_exec_sum: counts {r}")
    for letter, x in zip("TAQK", (total, api, queue, kernel)):
        for h, f, d in (("Avg", statistics.fmean, 1), ("Med", statistics.median, 1), ("Min", min, 0), ("Max", max, 0), ("StdDev", deviation, 1)):
            got = r[f"{letter}{h} (ns)"]
            must(near(got, f(x), d) if x else got is None, f"opencl_kern_exec_sum: {letter}{h} is {got}: {x[:5]}")
must(totals == sorted(totals, reverse=True), "opencl_kern_exec_sum: largest total first")

# ------------------------------------------------------------------------------------------- queues

queues = gather(((call["pid"], c["queue"]["handle"], c["queue"]["id"]), (call, c)) for call, c, _, _ in COMMANDS)
rows = read("opencl_queue_sum")
must(len(rows) == len(queues), "opencl_queue_sum: a row for each queue")
for r, ((pid, handle, _), v) in zip(rows, queues.items()):
    spans = sorted((c["start"], c["end"]) for _, c in v)
    merged = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    busy = sum(end - start for start, end in merged)
    span = merged[-1][1] - merged[0][0]
    gaps = [b[0] - a[1] for a, b in zip(merged, merged[1:])]
    must(int(r["Queue"], 16) == int(handle, 16) and r["PID"] == pid, f"opencl_queue_sum: order of first use: {r}")
    must(near(r["Utilization (%)"], 100 * busy / span, 1), f"opencl_queue_sum: utilisation {r}")
    must((r["Busy Time (ns)"], r["Span (ns)"]) == (busy, span), f"opencl_queue_sum: busy {busy} of {span}: {r}")
    must((r["Commands"], r["Kernels"]) == (len(v), sum(c["is_kernel"] for _, c in v)), f"opencl_queue_sum: commands {r}")
    must((r["Gaps"], r["Total Gap (ns)"], r["Max Gap (ns)"]) == (len(gaps), sum(gaps), max(gaps, default=0)), f"opencl_queue_sum: gaps {r}")
    if gaps:
        must(near(r["Avg Gap (ns)"], statistics.fmean(gaps), 1) and near(r["Med Gap (ns)"], statistics.median(gaps), 1), f"opencl_queue_sum: gap {r}")

# The reports of NVTX ranges have a test of their own, e2e/nvtx; those of CUDA golden/stats, unit/test_cuda_stats and e2e/cuda_stats.
must({f[:-4] for f in os.listdir(WHERE) if f.endswith(".csv") and f.startswith("opencl_")} == set(HEADINGS), "each report that there is was checked")
for p in problems[:12]:
    print(p)
print(f"{len(CALLS)} calls, {len(COMMANDS)} commands, {len(queues)} queues")
sys.exit(1 if problems else 0)
