#!/usr/bin/env python3
"""tests/long/symbols_check.py TRACE PROGRAM LEAST - function, file and line of each frame in the program, against llvm-symbolizer

LEAST: addresses that must have been compared. Functions are compared by their own names, without scopes and parameters.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import subprocess
import sys

trace, program, least = sys.argv[1:4]
out = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "dump", "--json", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
modules, places = {}, {}
for line in out.splitlines():
    if line.startswith(b'{"type":"module"'):
        record = json.loads(line)
        modules[record["index"]] = record
    elif line.startswith(b'{"type":"stack"'):
        frames = json.loads(line)["frames"]
        while frames:
            n = next(i for i, f in enumerate(frames) if not f.get("inlined")) + 1
            places[int(frames[0]["address"], 16)] = frames[:n]
            frames = frames[n:]
mine = {}
for address, frames in places.items():
    module = modules.get(frames[-1].get("module"))
    if module and os.path.basename(module["path"]) == program and frames[-1].get("file"):
        mine[address - int(module["bias"], 16) - 1] = [(f["function"], f["file"], f["line"]) for f in frames]


def name(function):
    """Without scopes, parameters of templates and calls, and what a clone is called."""
    function = function.replace("operator()", "operator@").replace("(anonymous namespace)", "")
    while True:
        shorter = re.sub(r"<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)", "", function)
        if shorter == function:
            break
        function = shorter
    return re.sub(r"\.(constprop|isra|part|cold)[.\d]*", "", function.replace(" const", "")).strip().split("::")[-1].split(" ")[-1]


asked = sorted(mine)
out = subprocess.run(["llvm-symbolizer", "-f", "-i", "-C", "-e", program], input="".join("%#x\n" % a for a in asked).encode(),
                     stdout=subprocess.PIPE, check=True).stdout.decode()
theirs = {a: part.strip().split("\n") for a, part in zip(asked, out.split("\n\n"))}
wrong = 0
for a in asked:
    want = []
    for function, place in zip(theirs[a][::2], theirs[a][1::2]):
        path, number, _ = place.rsplit(":", 2)
        want.append((name(function), os.path.basename(path), int(number)))
    got = [(name(f), os.path.basename(p), n) for f, p, n in mine[a]]
    if got != want:
        wrong += 1
        if wrong < 4:
            print("%#x: %s, llvm-symbolizer: %s" % (a, got, want))
print("%d addresses, %d places, %d differ" % (len(asked), sum(map(len, mine.values())), wrong))
sys.exit(wrong > 0 or len(asked) < int(least))
