#!/usr/bin/env python3
# tests/e2e/stats_by_check.py GPUTAP TRACE cuda|opencl - rows of --by against those of the trace reports and of the whole sums
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import collections
import csv
import io
import subprocess
import sys

TAP, TRACE, API = sys.argv[1:4]


def report(name, *options):
    out = subprocess.run([TAP, "stats", "-q", "-r", name, "--format", "csv", *options, TRACE], stdout=subprocess.PIPE, check=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))


def summed(rows, count, *keys):
    n, total = collections.Counter(), collections.Counter()
    for r in rows:
        n[tuple(r[k] for k in keys)] += int(r[count])
        total[tuple(r[k] for k in keys)] += int(r["Total Time (ns)"])
    return n, total


calls = report(API + "_api_trace")
kernels = API + ("_kern_sum" if API == "opencl" else "_gpu_kern_sum")
names = lambda r: r["Name"].split("_v")[0]      # noqa: E731 - sums leave the version out
for way, keys in (("process", ("PID",)), ("thread", ("PID", "TID"))):
    true = collections.Counter(tuple(r[k.title()] for k in keys) + (names(r),) for r in calls if r["Duration (ns)"])
    split, _ = summed(report(API + "_api_sum", "--by=" + way), "Num Calls", *keys, "Name")
    assert split == true, "%s: %s" % (way, list((split - true).items() | (true - split).items())[:4])
    for name, count in ((API + "_api_sum", "Num Calls"), (kernels, "Instances")):
        assert summed(report(name, "--by=" + way), count, "Name") == summed(report(name), count, "Name"), name
launches = collections.Counter(r["Tid"] for r in calls if "Launch" in names(r) or names(r) in ("clEnqueueNDRangeKernel", "clEnqueueTask"))
ran, _ = summed(report(kernels, "--by=thread"), "Instances", "TID")
assert {k[0]: n for k, n in ran.items()} == dict(launches), "kernels %s, launches %s" % (ran, launches)
assert len(launches) > 1, "one thread only"
print("%d calls, %d threads with launches" % (len(calls), len(launches)))
