"""tests/e2e/stack_sites_check.py TRACE QUESTION SOURCE... - frames of each call, against what the sources' comments say

A call's first argument is its line. The comment of that line names the functions on the stack, from the call outwards:
"*" is any number of frames, "?" one, "~" marks one that only debug information knows. QUESTION: lines (functions, file and line), functions (no lines known), sites (the
call's own function and line alone), addresses (no names: module and address, nothing invented).

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import subprocess
import sys

trace, question, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
dump = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "dump", "--json", trace], capture_output=True, text=True, check=True)
rows = [json.loads(line) for line in dump.stdout.splitlines()]
stacks = {s["id"]: s for s in rows if s["type"] == "stack"}
wanted = {}
for source in sources:
    for number, line in enumerate(open(source), 1):
        found = re.search(r"/\* stack: (.*) \*/", line)
        if found:
            wanted.setdefault(number, []).append((os.path.basename(source), found.group(1).split(" < ")))


def plain(name):
    """Without the type that it returns, which templates have in their names."""
    return re.sub(r"^(void|int|std::\w+) ", "", name or "")


def is_called(frame, name):
    function = plain(frame.get("function"))
    if "{lambda" in name:             # DWARF names an inlined one so
        return function == "operator()" or "main::{lambda" in function or "main()::{lambda" in function
    return name == "?" or function == name or function.startswith((name + "(", name + "."))


def matches(frames, names):
    if not names:
        return True
    if names[0] == "*":
        return any(matches(frames[i:], names[1:]) for i in range(len(frames) + 1))
    return bool(frames) and is_called(frames[0], names[0]) and matches(frames[1:], names[1:])


def right(call):
    frames, line = stacks[call["stack"]]["frames"], call["args"]["num_entries"]
    for source, names in wanted.get(line, []):
        names = [n.rstrip("~") for n in names if question != "functions" or not n.endswith("~")]
        place = (os.path.basename(frames[0].get("file", "")), frames[0].get("line"))
        if question == "addresses":
            good = "function" not in frames[0] and "file" not in frames[0] and "module" in frames[0]
        elif question == "functions":
            good = matches(frames, names) and "file" not in frames[0]
        elif question == "sites":
            good = place == (source, line) and matches(frames, names[:1])
        else:
            good = place == (source, line) and matches(frames, names)
        if good:
            return True
    print("wrong:", line, wanted.get(line), [(f.get("function"), f.get("file", "").split("/")[-1], f.get("line")) for f in frames])
    return False


calls = [r for r in rows if r["type"] == "call" and r["name"] == "clGetPlatformIDs" and r["args"]["num_entries"] in wanted]
missing = set(wanted) - {c["args"]["num_entries"] for c in calls}
if missing:
    print("no call of line", sorted(missing))
results = [right(c) for c in calls]
sys.exit(0 if results and all(results) and not missing else 1)
