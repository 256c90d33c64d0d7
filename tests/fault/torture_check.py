#!/usr/bin/env python3
"""tests/fault/torture_check.py BUILD all|short - each of the shim's system calls fails once, and each with all behind it

The program prints the same and ends the same. The tool reads what is there: every call is in the trace or counted as lost,
or it says that something is missing.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

build, extent = sys.argv[1], sys.argv[2]
program = os.path.join(build, "tests/fault/torture_calls")
tool = os.path.join(build, "gputap")
passed = failed = 0
NOT_RECORDED = ("NO_SPACE", "NO_STREAM", "SECCOMP", "SIZE_CAP", "LATE_CALL")
kinds = {}
CHILD = 100     # calls of the forked child; the other image makes one


def check(where, ok, what):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {where}: {what}")


def run(mode, n, variables):
    for d in glob.glob("t*.gputap*"):
        shutil.rmtree(d, ignore_errors=True)
    command = [os.path.join(build, "tests/fault/torture"), mode, str(n), "report", "env", "LD_PRELOAD=" + os.path.join(build, "libgputap.so"),
               "GPUTAP_OUTPUT=" + os.path.join(os.getcwd(), "t")] + variables + [program]
    r = subprocess.run(command, capture_output=True, timeout=60)
    if r.returncode == 77:
        print(r.stdout.decode().strip())
        sys.exit(77)
    with open("report") as f:
        report = dict(line.split() for line in f)
    return r, int(report["steps"]), report["failed"]


def read_trace(where, made):
    """A trace that is there can be read; what it does not hold it says."""
    traces = sorted(glob.glob("t*.gputap"))     # an image that cannot see the run's own takes the next name
    found = lost = 0
    complete = bool(traces)
    for trace in traces:
        r = subprocess.run([tool, "info", "--json", trace], capture_output=True, timeout=60)
        check(where, r.returncode == 0, f"info ends with {r.returncode}: {r.stderr.decode()[-300:]}")
        check(where, subprocess.run([tool, "dump", trace], capture_output=True, timeout=60).returncode == r.returncode, "dump and info disagree")
        if r.returncode:
            return "unreadable: " + r.stderr.decode().strip()
        info = json.loads(r.stdout)
        found += sum(p["calls"] for p in info["processes"])
        lost += sum(info["ledger"].get(reason, 0) for reason in NOT_RECORDED)
        complete &= info["complete"]
    check(where, found <= made, f"{found} calls in the trace, {made} were made")
    # Whole processes that cannot make a single system call leave nothing to tell.
    mute = where.split(": ")[1].startswith("from") and made - found in (1, CHILD, CHILD + 1)
    if found < made and traces and not mute:
        check(where, not complete, f"{made - found} of {made} calls are missing and info says nothing is")
    return f"{len(traces)} traces, {made - found} of {made} calls missing, {lost} counted"


def torture(name, variables):
    bare = subprocess.run([program], capture_output=True, timeout=60)
    made = int(re.search(rb"calls (\d+)", bare.stdout).group(1))
    _, steps, _ = run("one", 0, variables)
    check(name, steps > 50, f"only {steps} steps")
    stride = 1 if extent == "all" else max(1, steps // 24)
    points = 0
    for mode in ("one", "from"):
        for n in range(1, steps + 1, stride):
            r, _, what = run(mode, n, variables)
            where = f"{name}: {mode} {n} ({what})"
            kinds[what] = kinds.get(what, 0) + 1
            points += 1
            check(where, r.stdout == bare.stdout, f"the output differs: {r.stdout[-200:]!r}")
            check(where, r.stderr == bare.stderr, f"it says {r.stderr[-200:]!r}")
            check(where, r.returncode == bare.returncode, f"it ends with {r.returncode}, bare with {bare.returncode}")
            state = read_trace(where, made)
            if os.environ.get("VERBOSE"):
                print(where, state)
    print(f"{name}: {points} points of {2 * steps}")


torture("plain", [])
torture("export", ["GPUTAP_EXPORT=apilog"])
print("failed calls: " + " ".join(f"{k}={v}" for k, v in sorted(kinds.items())))
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
