"""tests/e2e/callgrind_profile.py - a small reader of callgrind's files, and of what callgrind_annotate prints of them

Of the format only what gputap writes: independent of both the tool's writer and its reader.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess


class Part:
    def __init__(self):
        self.head, self.events, self.desc = {}, [], {}
        self.own = collections.Counter()      # (object, file, function, event): cost
        self.calls = collections.Counter()    # (caller, callee): how often; each (object, file, function)
        self.cost = collections.Counter()     # (caller, callee, event): cost
        self.lines = set()                    # (caller, line, address, callee)
        self.summary = self.totals = None

    def total(self, event):
        return sum(cost for key, cost in self.own.items() if key[3] == event)

    def functions(self):
        return {key[:3] for key in self.own} | {f for pair in self.calls for f in pair}

    def inclusive(self, function, event):
        return self.own[function + (event,)] + sum(
            cost for (caller, _, e), cost in self.cost.items() if caller == function and e == event)


def read(path):
    """The parts of a file. Asserts what the format demands of it."""
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        lines = f.read().split("\n")
    assert lines[0] == "version: 1", lines[0]
    assert lines[1].startswith("creator: gputap"), lines[1]
    parts, names, part, target = [], None, None, None
    for number, line in enumerate(lines[2:], 3):
        where = "%s:%d: %s" % (path, number, line)
        header = re.match(r"(\w+): ?(.*)", line)
        if header:
            key, value = header.groups()
            if key in ("pid", "part") and (part is None or part.totals is not None):
                part = Part()
                parts.append(part)
                names = {"ob": {}, "fl": {}, "fn": {}}
                at = dict.fromkeys(("ob", "fl", "fn"), "")
                called = {}
            if key == "desc":
                part.desc.update([value.split(": ", 1)])
            elif key == "events":
                part.events = value.split()
            elif key in ("summary", "totals"):
                setattr(part, key, [int(v) for v in value.split()])
            else:
                part.head[key] = value
            continue
        if not line:
            continue
        name = re.match(r"(c?)(ob|fl|fi|fn)=\((\d+)\)(?: (.+))?$", line)
        if name:
            c, kind, index, text = name.groups()
            table = names["fl" if kind == "fi" else kind]
            if text:
                assert index not in table, where
                table[index] = text
            (called if c else at)["fl" if kind == "fi" else kind] = table[index]
            continue
        calls = re.match(r"calls=(\d+)((?: (?:0x[0-9a-f]+|\d+))+)$", line)
        here = at["ob"], at["fl"], at["fn"]
        if calls:
            assert target is None and "fn" in called, where
            target = called.get("ob", at["ob"]), called.get("fl", at["fl"]), called["fn"]
            part.calls[here, target] += int(calls.group(1))
            called = {}
            continue
        words = line.split()
        places = len(part.head["positions"].split())
        assert len(words) > places, where
        counts = dict(zip(part.events, map(int, words[places:])))
        assert len(counts) == len(words) - places, where
        if target:
            part.cost.update({(here, target, e): v for e, v in counts.items()})
            part.lines.add((here, int(words[places - 1]), words[0] if places == 2 else None, target))
        else:
            part.own.update({here + (e,): v for e, v in counts.items()})
        target = None
    assert target is None, path
    for part in parts:
        sums = [part.total(e) for e in part.events]
        assert part.summary == sums == part.totals, (path, part.summary, sums, part.totals)
    return parts


def annotate(path, *options):
    """What callgrind_annotate prints: {"PROGRAM TOTALS" or "file:function [object]": [costs]}; the words it complains with."""
    run = subprocess.run(["callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no", *options, path],
                         capture_output=True, check=True)
    rows = {}
    for line in run.stdout.decode(errors="surrogateescape").split("\n"):
        row = re.match(r"((?:\s*(?:[\d,]+|\.))+)  (\S.*)$", line)
        if row:
            assert row.group(2) not in rows, row.group(2)
            rows[row.group(2)] = [0 if v == "." else int(v.replace(",", "")) for v in row.group(1).split()]
    return rows, run.stderr.decode(errors="surrogateescape")
