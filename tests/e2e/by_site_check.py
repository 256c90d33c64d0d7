"""tests/e2e/by_site_check.py TRACE TIMES SOURCE... - rows of gputap stats --by=line and --by=stack against what the sources' comments say

The comment of a line that makes a call names the functions on the stack (tests/e2e/stack_sites_check.py). TIMES: how often the program ran.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import os
import re
import subprocess
import sys

trace, times, sources = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def report(way):
    out = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "stats", "-q", "-r", "opencl_api_sum", "--format", "csv", "--by=" + way, trace],
                         stdout=subprocess.PIPE, check=True, text=True)
    return [r for r in csv.DictReader(io.StringIO(out.stdout)) if r["Name"] == "clGetPlatformIDs"]


wanted = {}
for source in sources:
    for number, line in enumerate(open(source), 1):
        found = re.search(r"/\* stack: (.*) \*/", line)
        if found:
            wanted["%s:%d" % (os.path.basename(source), number)] = [n.rstrip("~") for n in found.group(1).split(" < ")]

lines = {r["Call Site"]: int(r["Num Calls"]) for r in report("line")}
true = {"%s (%s)" % (names[0], place): times for place, names in wanted.items()}
assert lines == true, sorted(set(lines.items()) ^ set(true.items()))
stacks = report("stack")
assert len(stacks) == len(true), "%d stacks of %d calls" % (len(stacks), len(true))
for r in stacks:
    frames = r["Call Stack"].split(" < ")
    assert true.get(frames[0]) == int(r["Num Calls"]) == times, r
    names = wanted[frames[0][frames[0].index("(") + 1:-1]]
    pattern = " < ".join(".*" if n == "*" else "[^<]*" if n == "?" else re.escape(n) + r" \([^<]*\)" for n in names)
    assert re.match(pattern, r["Call Stack"]), (names, r["Call Stack"])
print("%d sites" % len(lines))
