#!/usr/bin/env python3
"""tests/e2e/idle_check.py [--scheduled|--first|--processes] TRACE DOING... - the longest gap between two works has this reason first, and times add up

DOING: what the first row of that gap must say (any of these patterns). --scheduled: or, where others want the
processors too, that the thread waited for one longer than it did this.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import subprocess
import sys


def rows(trace, report):
    out = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "stats", "-q", "-r", report, "--format=json", trace + ".gputap"],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)["rows"]


def waiting_at_end(idle):
    """How many threads only waited in the last gap, when those of the program have ended."""
    start = max(r["Start (ns)"] for r in idle)
    return sum(int(r["Thread"].split()[0]) for r in idle if r["Start (ns)"] == start and r["TID"] is None)


def check_pool(rows, process, runtime):
    """Who computes stands before nine that wait, which are one row with one that did a little, slept and ended; the longest wait names it.

    runtime: threads of the OpenCL library's own that wait all the time (PoCL 7 has one).
    """
    second, last = rows[1], rows[-1]
    assert (second["Thread"], second["Doing"]) == ("calculator", "host code"), rows
    assert (last["TID"], last["Doing"]) == (None, "OS runtime pthread_cond_wait"), rows
    # Who ended was there for 26 ms at least; behind a hundred times that it is hardly there and left out.
    left_out = [9] if last["Idle (ns)"] > 2600000000 else []
    assert last["Thread"] in ["%d threads" % (n + runtime) for n in [10] + left_out], rows
    assert not [r for r in rows if r["Thread"] == "leaver"], rows
    # one computes: the time is no wait, whoever waits beside it
    assert process["Elsewhere (ns)"] > 300000000, process


NO_PROCESSOR = "not running: waited for a processor"


def is_reason(row, doings, scheduled):
    """The row's first reason, or its second one behind the lack of a processor."""
    if any(re.fullmatch(d, row["Doing"]) for d in doings):
        return row["Time (%)"] > 50 or scheduled
    return scheduled and row["Doing"] == NO_PROCESSOR and any(re.search("[0-9] % " + d, row["Also"]) for d in doings)


def main(trace, doings, scheduled):
    # PoCL 7 links kernels in a process of its own, which samples meet too.
    (process,) = [r for r in rows(trace, "timeline_sum") if r["Device (ns)"]]
    host = [process[k + " (ns)"] for k in ("API", "Waiting", "OS Runtime", "Elsewhere")]
    assert (process["No Processor (ns)"] is not None) == scheduled, process
    host.append(process["No Processor (ns)"] or 0)
    assert sum(host) == process["Wall (ns)"], process
    assert 0 < process["Device (ns)"] < process["Wall (ns)"], process
    idle = rows(trace, "gpu_idle")
    lengths = [r["Idle (ns)"] for r in idle]
    assert lengths == sorted(lengths, reverse=True), lengths
    assert sum({r["Gap"]: r["Idle (ns)"] for r in idle}.values()) + process["Device (ns)"] <= process["Wall (ns)"]
    between = [r for r in idle if r["Start (ns)"] > 0 and r["Then"] == "add"]
    first = between[0]
    assert is_reason(first, doings, scheduled), (first, doings)
    if scheduled and os.path.basename(trace) == "starve":
        assert process["Computes Mostly"], process
    if os.path.basename(trace) == "pool" and not scheduled:
        check_pool([r for r in between if r["Gap"] == first["Gap"]] + [r for r in idle if r["Gap"] == first["Gap"] and r["Then"] != "add"], process, waiting_at_end(idle))
    if os.path.basename(trace) == "woken":
        (other,) = [r for r in idle if r["Gap"] == first["Gap"] and r["Thread"] == "sleeper"]
        assert other["Doing"] == "woken, not yet back from pthread_cond_wait" and other["Time (%)"] > 50, other
    print("%.1f %% %s, then %s; %s" % (first["Time (%)"], first["Doing"], first["Then"], first["Also"]))


def processes(trace, doings):
    """As many processes as reasons: the gap between the two works of each."""
    between = [r for r in rows(trace, "gpu_idle") if r["Then"] == "add"]
    last = {r["PID"]: r["Doing"] for r in sorted(between, key=lambda r: r["Start (ns)"])}
    assert sorted(last.values()) == sorted(doings), between
    print(", ".join(last.values()))


def first_gap(trace, doing):
    """What the main thread did before the first work of all, as the report says it: alone, or beside what it called."""
    idle = rows(trace, "gpu_idle")
    start = min(r["Start (ns)"] for r in idle)
    main_thread = [r for r in idle if r["Start (ns)"] == start and r["TID"] == r["PID"]]
    assert len(main_thread) == 1 and doing in main_thread[0]["Doing"] + ", " + (main_thread[0]["Also"] or ""), idle
    print(main_thread[0]["Doing"], "also", main_thread[0]["Also"])


if sys.argv[1] == "--first":
    first_gap(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "--processes":
    processes(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "--scheduled":
    main(sys.argv[2], sys.argv[3:], True)
else:
    main(sys.argv[1], sys.argv[2:], False)
