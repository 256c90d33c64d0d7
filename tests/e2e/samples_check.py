#!/usr/bin/env python3
"""tests/e2e/samples_check.py DUMP WHAT... - what `gputap dump --json` tells of samples, switches and threads

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import os
import sqlite3
import sys


def records(path):
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            found[one["type"]].append(one)
    return found


def names(stacks, sample):
    return [f.get("function", "?") for f in stacks[sample["stack"]]["frames"]]


def check_samples(r, ms, rate):
    """At least a quarter of what the clock asks for, for the machine may be busy; all but a few in what computes."""
    stacks = {s["id"]: s for s in r["stack"]}
    samples = r["sample"]
    assert len(samples) > ms * rate / 1000 / 4, len(samples)
    assert [s["time_ns"] for s in samples] == sorted(s["time_ns"] for s in samples)
    assert samples[0]["time_ns"] >= 0, samples[0]
    assert all(s["stack"] for s in samples)
    assert all(s["by"] == "clock" and s["period"] == 1000000000 // rate for s in samples)
    chains = collections.Counter(tuple(names(stacks, s)[:3]) for s in samples)
    computing = sum(n for chain, n in chains.items() if "inner" in chain)
    assert computing > 0.8 * len(samples), chains
    first = sum(n for chain, n in chains.items() if chain[:2] == ("inner", "outer"))
    other = sum(n for chain, n in chains.items() if chain[:2] == ("inner", "thread"))
    assert first > other > 0, chains
    tids = collections.Counter(s["tid"] for s in samples)
    assert len(tids) == 2, tids
    frames = [f for s in r["stack"] for f in s["frames"] if f.get("function") == "inner"]
    assert all(f["file"].endswith("busy.c") and f["line"] > 20 for f in frames), frames[:2]
    print("%d samples, %d in inner under outer, %d under thread" % (len(samples), first, other))


def check_timers(r, ms, *functions):
    """By timers in the program: no more time than it computed, at least a quarter of it; stacks lead to where threads began."""
    stacks = {s["id"]: s for s in r["stack"]}
    samples = r["sample"]
    assert samples and all(s["by"] == "timer" and s["stack"] for s in samples), samples[:2]
    used = sum(s["period"] for s in samples) / 1e6
    assert ms / 4 < used < ms * 1.5, (used, len(samples))
    chains = [names(stacks, s) for s in samples]
    for function in functions:
        assert any(c[0] == function for c in chains), function
    computing = [c for c in chains if c[0] in functions]
    assert len(computing) > 0.6 * len(chains), chains[:5]
    ends = collections.Counter(c[-1] for c in computing)
    assert set(ends) <= {"_start", "clone3", "clone", "thread_start", "start_thread", "?"} and ends["_start"], ends
    print("%d samples, %.0f ms" % (len(samples), used))


def check_whole(r):
    """By unwind tables: nothing is guessed, and all but a few lead from where the thread was to where it began."""
    stacks = {s["id"]: s for s in r["stack"]}
    chains = [names(stacks, s) for s in r["sample"] if not stacks[s["stack"]].get("guessed")]
    assert len(chains) > 0.9 * len(r["sample"]) > 5, (len(chains), len(r["sample"]))
    first = [c for c in chains if c[:3] == ["inner", "outer", "main"] and c[-1] == "_start"]
    # Below a thread's function there is the C library, which has names only where its symbols are installed.
    other = [c for c in chains if c[:2] == ["inner", "thread"] and len(c) == 4 and c[2] in ("start_thread", "?")]
    assert len(first) > len(other) > 0 and len(first) + len(other) > 0.6 * len(chains), chains[:5]
    print("%d stacks, %d from _start, %d from start_thread" % (len(chains), len(first), len(other)))


def check_jit(r):
    """Code without tables is no end: what called it is there, by each of the two ways, and the stack is said to be a guess."""
    stacks = {s["id"]: s for s in r["stack"]}
    for way in ("kept", "framed"):
        chains = [(names(stacks, s), stacks[s["stack"]]) for s in r["sample"]]
        below = [(c, s) for c, s in chains if way + " at run time" in c]
        good = [c for c, s in below if c[c.index(way + " at run time") + 1:][:2] == ["through_" + way, "main"] and c[-1] == "_start"
                and s.get("guessed")]
        assert len(good) > 0.9 * len(below) > 5, (way, len(good), len(below), below[:2])
        print("%s: %d of %d stacks" % (way, len(good), len(below)))


def check_rings(r, path):
    """What emptying the rings took stands in the program's image, of no thread of it, one time after the other; SQLite has it."""
    costs = [c for c in r["cost"] if c["what"] == "rings"]
    assert costs and all(c["tid"] == 0 and c["end_ns"] > c["time_ns"] for c in costs), costs[:3]
    assert all(a["end_ns"] <= b["time_ns"] for a, b in zip(costs, costs[1:])), costs
    assert len({(c["pid"], c["instance"]) for c in costs}) == 1
    rows = sqlite3.connect(path).execute("SELECT start, end FROM PROFILER_OVERHEAD JOIN StringIds ON nameId = id "
                                         "WHERE value = 'Sample rings emptied (by gputap run)' ORDER BY start").fetchall()
    assert rows == [(c["time_ns"], c["end_ns"]) for c in costs], (rows[:3], costs[:3])
    print("%d times, %d us" % (len(rows), sum(b - a for a, b in rows) / 1000))


def check_switches(r):
    """A thread goes in and out in turns; it is in when it is sampled."""
    by_tid = collections.defaultdict(list)
    for s in r["switch"]:
        by_tid[s["tid"]].append(s)
    assert len(by_tid) >= 2, by_tid.keys()
    # The program's own exec had a processor, which the kernel does not tell.
    (process,) = r["process"]
    assert by_tid[process["pid"]][0]["what"] == "in" and by_tid[process["pid"]][0]["time_ns"] == 0, by_tid[process["pid"]][:2]
    for tid, switches in by_tid.items():
        times = [s["time_ns"] for s in switches]
        assert times == sorted(times), tid
        turns = [s["what"] == "in" for s in switches]
        assert all(a != b for a, b in zip(turns, turns[1:])), (tid, switches[:8])
    assert any(s["what"] == "out" for s in r["switch"]), "nobody waited"
    print("%d switches of %d threads" % (len(r["switch"]), len(by_tid)))


def check_threads(r):
    begun = [t for t in r["task"] if t["what"] == "begins"]
    ended = {t["tid"] for t in r["task"] if t["what"] == "ends"}
    assert any(t["tid"] in ended for t in begun), r["task"]
    assert any(t["name"] == "worker" for t in r["task"] if t["what"] == "named"), r["task"]


def check_images(r, *expected):
    got = sorted(os.path.basename(p["image"]) for p in r["process"])
    assert got == sorted(expected), got


def check_computing(r, name, n):
    """So many images compute; the shell and what it starts them by may have been met too."""
    sampled = {(s["pid"], s["instance"]) for s in r["sample"]}
    images = [os.path.basename(p["image"]) for p in r["process"] if (p["pid"], p["instance"]) in sampled]
    assert images.count(name) == n and len(images) <= n + 3, images


def check_calls(r):
    """Samples of a process that made calls are of its image: there is one, and they begin with its program, not with its library."""
    (process,) = r["process"]
    assert process["calls"] > 0 and r["sample"], process
    assert {(s["pid"], s["instance"]) for s in r["sample"]} == {(process["pid"], process["instance"])}
    assert r["sample"][0]["time_ns"] >= process["start_ns"] == 0, (r["sample"][0], process)
    tids = {t["tid"] for t in r["task"]}
    assert {s["tid"] for s in r["sample"]} <= tids | {process["pid"]}


def check_delays(r):
    """Counts of a thread only grow, and two that share a processor waited for it."""
    last = {}
    for d in r["run_delay"]:
        before = last.setdefault((d["pid"], d["tid"]), d)
        assert all(d[key] >= before[key] for key in ("time_ns", "ran_ns", "delay_ns", "turns")), (before, d)
        last[d["pid"], d["tid"]] = d
    waited = [d for d in last.values() if d["delay_ns"] > 1000000 and d["ran_ns"] > 10000000]
    assert len(waited) == 2, last


def check_wakings(r, n):
    """The sleeper was woken so many times by the main thread. It waited until then."""
    (sleeper,) = {t["tid"] for t in r["task"] if t["name"] == "sleeper"}
    (process,) = r["process"]
    by = [w for w in r["waking"] if w["tid"] == sleeper and w.get("waker_tid") == process["pid"]]
    assert n <= len(by) <= n + 5, (len(by), len(r["waking"]))
    assert all(w["waker_pid"] == process["pid"] for w in by), by[:2]
    # The next switch of who was woken is that it gets a processor.
    turns = {s["time_ns"]: s["what"] for s in r["switch"] if s["tid"] == sleeper}
    later = [min((t for t in turns if t >= w["time_ns"]), default=None) for w in by]
    assert sum(turns.get(t) == "in" for t in later) >= n - 2, by


def main(path, what, *rest):
    r = records(path)
    if what == "samples":
        check_samples(r, int(rest[0]), int(rest[1]))
    elif what == "timers":
        check_timers(r, int(rest[0]), *rest[1:])
    elif what == "images":
        check_images(r, *rest)
    elif what == "wakings":
        check_wakings(r, int(rest[0]))
    elif what == "rings":
        check_rings(r, rest[0])
    elif what == "computing":
        check_computing(r, rest[0], int(rest[1]))
    elif what == "alone":
        # One address each; what was inlined there is told beside it, and belongs to the same address.
        assert r["stack"] and {sum(not f.get("inlined") for f in s["frames"]) for s in r["stack"]} == {1}, r["stack"]
    elif what == "none":
        assert not r[rest[0]], len(r[rest[0]])
    else:
        {"switches": check_switches, "whole": check_whole, "jit": check_jit, "threads": check_threads, "delays": check_delays, "calls": check_calls}[what](r)


main(*sys.argv[1:])
