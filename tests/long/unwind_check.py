#!/usr/bin/env python3
"""tests/long/unwind_check.py TRACE FRAMES LEAST - call stacks of a trace, address by address, against those that a debugger saw

FRAMES: a line for each call (tests/long/unwind/debugger.py), or where the trace has samples for each of these, its thread first.
LEAST: per cent of them that must be equal. Prints how many are, and the first that are not.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import os
import subprocess
import sys

trace, frames, least = sys.argv[1:4]
run = subprocess.Popen([os.environ["GPUTAP_BUILD"] + "/gputap", "dump", "--json", trace], stdout=subprocess.PIPE)
stacks, calls, modules, samples = {}, {}, {}, {}
for line in run.stdout:
    if line.startswith(b'{"type":"stack"'):
        record = json.loads(line)
        stacks[record["id"]] = record
    elif line.startswith(b'{"type":"call"'):
        record = json.loads(line)
        calls[record["args"]["num_entries"]] = record["stack"]
    elif line.startswith(b'{"type":"sample"'):
        record = json.loads(line)
        samples.setdefault(record["tid"], []).append(record.get("stack"))
    elif line.startswith(b'{"type":"module"'):
        record = json.loads(line)
        modules[record["index"]] = record["path"]
assert run.wait() == 0
with open(frames, encoding="ascii") as f:
    wanted = [line.split() for line in f]
if samples:
    # each thread's in order; it was killed before the last was written
    calls, order = {}, {}
    for number, words in enumerate(wanted, 1):
        tid = int(words.pop(0))
        at = order[tid] = order.get(tid, -1) + 1
        if at < len(samples.get(tid, [])):
            calls[number] = samples[tid][at]
    assert len(wanted) - len(calls) <= 1 and len(wanted) - 1 in calls, (len(wanted), len(calls))
    wanted = wanted[:len(calls)]
assert len(wanted) == len(calls), (len(wanted), len(calls))
equal, frames_seen, guessed, where = 0, 0, 0, collections.Counter()
for number, theirs in enumerate(wanted, 1):
    stack = stacks.get(calls[number], {"frames": []})
    # A function of Python that C did not enter has no address: one frame of the interpreter's C runs several.
    kept = [f for f in stack["frames"] if not f.get("inlined") and f["address"]]
    mine = ["%x" % int(f["address"], 16) for f in kept]
    guessed += bool(stack.get("guessed") or stack.get("stopped"))
    if stack.get("cut"):
        theirs = theirs[:len(mine)]
    frames_seen += len(mine)
    if mine == theirs:
        equal += 1
        continue
    first = next((i for i, (a, b) in enumerate(zip(mine, theirs)) if a != b), min(len(mine), len(theirs)))
    at = kept[max(first - 1, 0)]
    where[at.get("function", modules.get(at.get("module"), "?"))] += 1
    if sum(where.values()) <= 3:
        print("call %d differs at frame %d of %d (%d): %s\n  here     %s\n  debugger %s" % (
            number, first, len(mine), len(theirs), at.get("function"), mine[first:first + 3], theirs[first:first + 3]))
share = 100.0 * equal / len(wanted)
print("%d of %d stacks are equal (%.2f %%), %d frames, %d marked as not whole; they differ behind: %s" % (
    equal, len(wanted), share, frames_seen, guessed, dict(where.most_common(6))))
sys.exit(share < float(least))
