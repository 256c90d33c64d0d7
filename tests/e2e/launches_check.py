#!/usr/bin/env python3
"""tests/e2e/launches_check.py TRUTH... <RAW - every OpenCL value of a report is what the runtime itself said of the launch

TRUTH: lines of name=value, one for each launch in the order of the calls, as cl_metrics prints them or the layer
tests/witness/launches.c writes them. RAW: what `gputap report --page raw --csv --launch-count 0` printed. A value may be
missing only where the truth has none: the runtime chose the local size, the queue had no profiling.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import re
import sys

COUNTS = ("work_dim global_size local_size work_groups compute_units max_local_size preferred_multiple private_memory "
          "local_memory local_memory_limit arguments buffer_arguments buffer_bytes").split()
TIMES = "duration", "queue_delay", "submit_delay"
bad, compared, missing = [], 0, collections.Counter()


def derived(own):
    """What follows of a launch's own numbers."""
    n = {name: int(value) for name, value in own.items() if value.isdigit()}
    if n["local_memory_limit"]:
        yield "local_memory_share", 100 * n["local_memory"] / n["local_memory_limit"]
    if n.get("duration"):
        yield "buffer_bandwidth", n["buffer_bytes"] / n["duration"] * 1e9
    if n["work_groups"] and n["compute_units"]:
        rounds = -(-n["work_groups"] // n["compute_units"])
        yield "work_groups_per_compute_unit", n["work_groups"] / n["compute_units"]
        yield "tail_share", 100 * (rounds - n["work_groups"] / n["compute_units"]) / rounds
    if n["local_size"] and n["preferred_multiple"]:
        yield "local_size_remainder", n["local_size"] % n["preferred_multiple"]


def expect(what, cell, should, near):
    """near: how far a value may lie from what it should be."""
    global compared
    compared += 1
    try:
        if abs(float(cell) - should) <= near:
            return
    except ValueError:
        pass
    bad.append("%s: %r, not %s" % (what, cell, should))


def main():
    truth = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            truth += [dict(re.findall(r"(\w+)=(\S+)", line)) for line in f if line.startswith("name=")]
    rows = [row for row in csv.DictReader(sys.stdin) if row["ID"]]
    if not len(rows) == len(truth) > 0:
        bad.append("%d launches, not %d" % (len(rows), len(truth)))
    for number, (own, row) in enumerate(zip(truth, rows), 1):
        where = "launch %d, %s" % (number, own["name"])
        if row["Kernel Name"] != own["name"]:
            bad.append("%s: the row is %s" % (where, row["Kernel Name"]))
        chosen = own["local_size"] == "0"        # by the runtime, which does not tell it
        for name in COUNTS:
            if chosen and name in ("local_size", "work_groups"):
                missing[name] += 1
            else:
                expect("%s: %s" % (where, name), row["opencl__" + name], int(own[name]), 0)
        for name in TIMES:
            if name in own:     # brought to the host's clock a time may lose some ns of its rate
                expect("%s: %s" % (where, name), row["opencl__" + name], int(own[name]), 2 + int(own[name]) / 1000)
            else:
                missing[name] += 1
        for name, value in derived(own):
            expect("%s: %s" % (where, name), row["opencl__" + name], value, value * (0.05 if name == "buffer_bandwidth" else 1e-6))
    print("%d launches, %d values compared%s" % (len(rows), compared, "".join(", %s unknown of %d" % m for m in missing.items())))
    print("\n".join(bad[:40]), end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
