#!/usr/bin/env python3
"""tests/real/callgrind_compare.py FILE [RECORDED] - gputap reads a profile as callgrind_annotate does: the same lines

Own cost by file and function, what each called function costs with all that it calls, and the totals. RECORDED: what
callgrind_annotate printed once, as --record FILE writes it, where it is not installed.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TOOL = os.environ.get("GPUTAP_BUILD", "build") + "/gputap"


def annotate(path, *options):
    """{"file:function": [costs]} of what is printed; objects are not told apart.

    A call that began in the part before has calls=0, and callgrind_annotate takes its cost for the caller's own: it is given a
    copy with calls=1."""
    with tempfile.NamedTemporaryFile() as copy:
        with open(path, "rb") as f:
            copy.write(re.sub(rb"^calls=0 ", b"calls=1 ", f.read(), flags=re.M))
        copy.flush()
        text = subprocess.run(["callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no", *options, copy.name],
                              cwd="/", check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    rows = {}
    for line in text.decode(errors="replace").split("\n"):
        row = re.match(r"((?:\s*(?:[\d,]+|\.))+)  (\S.*)$", line)
        if row:
            name = re.sub(r" \[[^\[\]]*\]$", "", row.group(2))
            rows[name] = [0 if v == "." else int(v.replace(",", "")) for v in row.group(1).split()]
    return rows


def recorded(path):
    return {"own": annotate(path), "inclusive": annotate(path, "--inclusive=yes")}


def report(path, name):
    run = subprocess.run([TOOL, "stats", "-q", "-r", name, "--format=json", path], check=True, stdout=subprocess.PIPE)
    return json.loads(run.stdout.decode(errors="replace"))["rows"]


def known(name):
    return "" if name == "???" else name


def costs(row, before):
    return [int(v) for k, v in row.items() if k.startswith(before) and not k.endswith("(%)")]


def add(to, key, values):
    to[key] = [a + b for a, b in zip(to.get(key) or [0] * len(values), values)]


def main(path, wanted):
    own, called, total = {}, {}, None
    for row in report(path, "callgrind_files"):
        add(own, "%s:%s" % (row["File"], row["Function"]), costs(row, "Self "))
    for row in report(path, "callgrind_calls"):
        add(called, "%s:%s" % (row["Callee File"], row["Callee"]), costs(row, "Incl "))
    for row in report(path, "callgrind_parts"):
        total = [int(v) for k, v in list(row.items())[3:-3]]  # callgrind_annotate has those of the last part
    lines = differ = 0
    assert wanted["own"].pop("PROGRAM TOTALS") == total, (path, "totals", total)
    wanted["inclusive"].pop("PROGRAM TOTALS")
    for name, values in wanted["own"].items():
        lines += 1
        if own.get(name, [0] * len(values)) != values: # some have no costs but their calls
            differ += 1
            print("%s: %s is %s, gputap says %s" % (path, name, values, own.get(name)))
    missing = [n for n, v in own.items() if any(v) and n not in wanted["own"]]
    for name, values in wanted["inclusive"].items():
        if name in called:
            lines += 1
            if called[name] != values:
                differ += 1
                print("%s: %s is %s with its calls, gputap says %s" % (path, name, values, called[name]))
    print("%s: %d lines compared, %d differ, %d more in gputap's: %s" % (path, lines, differ, len(missing), missing[:3]))
    return differ == 0 and not missing and lines > 5


if sys.argv[1] == "--record":
    print(json.dumps(recorded(sys.argv[2]), indent=0, sort_keys=True))
elif len(sys.argv) > 2:
    with open(sys.argv[2], encoding="utf-8") as f:
        sys.exit(not main(sys.argv[1], json.load(f)))
else:
    sys.exit(not main(sys.argv[1], recorded(sys.argv[1])))
