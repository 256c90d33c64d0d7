#!/usr/bin/env python3
# tests/e2e/dump_check.py DUMP.json INFO.json - facts in a dump agree with each other and with `info`
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import json
import math
import sys

with open(sys.argv[1], "rb") as f:
    rows = [json.loads(line.decode("utf-8", "strict")) for line in f]
with open(sys.argv[2], "rb") as f:
    info = json.loads(f.read().decode("utf-8", "strict"))

calls = [r for r in rows if r["type"] in ("call", "callback")]
objects = [r for r in rows if r["type"] == "object"]
processes = [r for r in rows if r["type"] == "process"]
clocks = [r for r in rows if r["type"] == "clock"]
exits = [r for r in rows if r["type"] == "exit"]
error = max((d.get("clock_error_ns", -1) for d in info["devices"]), default=0) + max(p["clock_error_ns"] for p in info["processes"]) + 1000
problems = []


def must(truth, what, row):
    if not truth:
        problems.append(f"{what}: {json.dumps(row)[:400]}")


def product(v):
    return math.prod(v)


# Bytes that each kind of command moves, by the program's own arguments.
BYTES = {
    "clEnqueueWriteBuffer": lambda a: a["size"], "clEnqueueReadBuffer": lambda a: a["size"], "clEnqueueCopyBuffer": lambda a: a["size"],
    "clEnqueueFillBuffer": lambda a: a["size"], "clEnqueueMapBuffer": lambda a: a["size"], "clEnqueueSVMMemcpy": lambda a: a["size"],
    "clEnqueueSVMMemFill": lambda a: a["size"], "clEnqueueSVMMap": lambda a: a["size"],
    "clEnqueueWriteBufferRect": lambda a: product(a["region"]), "clEnqueueReadBufferRect": lambda a: product(a["region"]),
    "clEnqueueCopyBufferRect": lambda a: product(a["region"]), "clEnqueueMigrateMemObjects": lambda a: None,  # only the runtime knows
}
for name in ("clEnqueueReadImage", "clEnqueueWriteImage", "clEnqueueFillImage", "clEnqueueMapImage", "clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage"):
    BYTES[name] = lambda a: product(a["region"]) * 4     # the program's images are RGBA with 8 bits each

last = None
ids, cmd_ids = {}, {}
mapped = {}
for c in calls:
    p = (c["pid"], c["instance"])
    ids[p] = ids.get(p, 0) + 1
    must(c["id"] == ids[p], "ids count from 1 in start order", c)
    must(last is None or c["start_ns"] >= last, "calls are sorted by start", c)
    last = c["start_ns"]
    must(c["end_ns"] >= c["start_ns"], "a call ends behind its start", c)
    must(c["has_args"], "arguments are recorded", c)
    if "event" in c.get("args", {}) and c["type"] == "call" and c["name"].startswith("clEnqueue") and not c["result"]:
        cmd_ids[p] = cmd_ids.get(p, 0) + 1
        must(c.get("cmd_id") == cmd_ids[p], "cmd_id counts calls with an event output", c)
    k = c.get("command")
    if not k or c["result"]:
        continue
    a = c["args"]
    if k["timed"]:
        must(c["start_ns"] - error <= k["queued"] <= c["end_ns"] + error, "queued lies inside its call", c)
        must(k["start"] <= k["end"], "a command ends behind its start", c)
        must(k["end"] >= c["start_ns"] - error, "a command runs after its call began", c)
    else:
        must(k.get("reason") or k["status"], "a command without times says why", c)
    if "queue" in k:
        must(k["queue"]["handle"] == a["command_queue"], "the command is on the call's queue", c)
        must("context" in k and "device" in k, "queue leads to context and device", c)
    if c["name"] in BYTES:
        must(k.get("bytes") == BYTES[c["name"]](a), "bytes are what the arguments say", c)
    if c["name"] in ("clEnqueueMapBuffer", "clEnqueueMapImage"):
        mapped[c["return"]] = k["bytes"]
    if c["name"] == "clEnqueueSVMMap":
        mapped[a["svm_ptr"]] = k["bytes"]
    if c["name"] == "clEnqueueSVMUnmap":
        must(k.get("bytes") == mapped.get(a["svm_ptr"]), "an unmap of shared memory too", c)
    if c["name"] == "clEnqueueUnmapMemObject":
        must(k.get("bytes") == mapped.get(a["mapped_ptr"]), "an unmap has the bytes of its map", c)
    if c["name"] == "clEnqueueNDRangeKernel":
        must(k["global"] == a["global_work_size"], "global size is the argument", c)
        must(k["name"] and k["name"] != "NDRANGE_KERNEL", "a kernel has its name", c)

commands = [c for c in calls if c.get("command") and not c["result"]]
for p in info["processes"]:
    mine = [c for c in calls if (c["pid"], c["instance"]) == (p["pid"], p["instance"])]
    must(p["calls"] == sum(c["type"] == "call" for c in mine), "info counts the calls", p)
    must(p["callbacks"] == sum(c["type"] == "callback" for c in mine), "info counts the callbacks", p)
    must(p["commands"] == sum(1 for c in mine if c.get("command") and not c["result"]), "info counts the commands", p)
    must(p["kernels"] == sum(1 for c in mine if c.get("command", {}).get("is_kernel") and not c["result"]), "info counts the kernels", p)
    must(sum(t["calls"] for t in p["threads"]) == p["calls"], "threads' calls add up", p)

    same = ("ppid", "image", "args", "reason", "calls", "callbacks", "commands", "kernels", "start_ns", "end_ns", "clock_error_ns")
    rows_of = [[r for r in all_rows if (r["pid"], r["instance"]) == (p["pid"], p["instance"])] for all_rows in (processes, clocks, exits)]
    must([[r[k] for k in same] for r in rows_of[0]] == [[p[k] for k in same]], "a process has one row, which says what info says", p)
    must(len(rows_of[1]) >= 2, "a process has its clock sets", p)
    for before, c in zip(rows_of[1], rows_of[1][1:]):
        must(c["tick"] > before["tick"] and c["monotonic_ns"] > before["monotonic_ns"], "clock sets come in time order", c)
        passed = (c["monotonic_ns"] - before["monotonic_ns"]) - (c["time_ns"] - before["time_ns"])
        must(abs(passed) <= 50000 + error, "session time runs as CLOCK_MONOTONIC", c)
    must(len(rows_of[2]) == 1, "a process has one exit", p)
    for e in rows_of[2]:
        must(e["how"] == "exit" and e["status"] == 0, "the exit is the program's own", e)
        must(all(c["end_ns"] <= e["time_ns"] for c in mine), "no call ends behind the exit", e)

for o in objects:
    must(o["died_ns"] is None or o["born_ns"] is None or o["died_ns"] >= o["born_ns"], "objects die after their birth", o)
    if o["kind"] == "queue":
        must("context" in o and "device" in o, "a queue has its context and device", o)
    if o["kind"] == "device":
        must(o.get("name") and o["compute_units"] > 0, "a device has its facts", o)
creates = sum(1 for c in calls if c["name"] in ("clCreateBuffer", "clCreateImage", "clCreateCommandQueue", "clCreateKernel") and not c["result"])
must(creates == sum(o["kind"] in ("mem", "queue", "kernel") for o in objects), "each creating call made one object", {"creates": creates})
must(commands, "there are commands", {})
must(info["complete"], "nothing is missing", {"ledger": info["ledger"]})

for p in problems[:10]:
    print(p)
sys.exit(1 if problems else 0)
