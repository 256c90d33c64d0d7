#!/usr/bin/env python3
"""tests/e2e/idle_check.py TRACE DOING... - the longest gap between two works has this reason first, and times add up

DOING: what the first row of that gap must say (any of them).

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys


def rows(trace, report):
    out = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "stats", "-q", "-r", report, "--format=json", trace + ".gputap"],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)["rows"]


def main(trace, doings):
    (process,) = rows(trace, "timeline_sum")
    host = [process[k + " (ns)"] for k in ("API", "Waiting", "OS Runtime", "Elsewhere")]
    assert sum(host) == process["Wall (ns)"], process
    assert 0 < process["Device (ns)"] < process["Wall (ns)"], process
    idle = rows(trace, "gpu_idle")
    lengths = [r["Idle (ns)"] for r in idle]
    assert lengths == sorted(lengths, reverse=True), lengths
    assert sum({r["Gap"]: r["Idle (ns)"] for r in idle}.values()) + process["Device (ns)"] <= process["Wall (ns)"]
    between = [r for r in idle if r["Start (ns)"] > 0 and r["Then"] == "add"]
    first = between[0]
    assert first["Doing"] in doings, (first, doings)
    assert first["Time (%)"] > 50, first
    print("%.1f %% %s, then %s; %s" % (first["Time (%)"], first["Doing"], first["Then"], first["Also"]))


main(sys.argv[1], sys.argv[2:])
