#!/usr/bin/env python3
"""tests/e2e/stacks_off_check.py OFF ON IDS.H - without --callstacks a trace has the bytes that it had before there were any

Walks the stream files by the rules of docs/trace-format.md, without the project's reader. OFF and ON are traces of the same program
without and with call stacks: calls are the same records, in OFF without flag and word of a stack, and no record is there for stacks.
Sizes of some records are told here as they were before call stacks.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import glob
import re
import struct
import sys

import streams

STACK = 0x80
OF_STACKS = {30, 31, 40}                        # STACK, MODULE, PYTHON_CODE
# bytes of a record, header, times and arguments included
BEFORE = {"clRetainContext": 32, "clReleaseKernel": 32, "clFinish": 32, "clFlush": 32, "clWaitForEvents": 48}


def read(trace):
    found = []
    for path in sorted(glob.glob(trace + "/*/*.str")):
        with open(path, "rb") as f:
            data = streams.unstaged(f.read())
        found += [(fn, words, flags) for _, fn, words, flags, _ in streams.records(data)]
    return found


def main(off, on, ids):
    with open(ids, encoding="utf-8") as f:
        names = {int(v, 16): n for n, v in re.findall(r"FN_(\w+) = (0x[0-9a-f]+)", f.read())}
    bare, full = read(off), read(on)
    assert not any(fn in OF_STACKS for fn, _, _ in bare)
    assert any(fn in OF_STACKS for fn, _, _ in full)
    calls = [[(fn, words, flags) for fn, words, flags in r if fn >= 256] for r in (bare, full)]
    assert len(calls[0]) == len(calls[1]) > 50, (len(calls[0]), len(calls[1]))
    for number, ((fn, words, flags), (fn_on, words_on, flags_on)) in enumerate(zip(*calls)):
        assert fn == fn_on and words_on == words + 1, (number, names.get(fn), words, words_on)
        assert not flags & STACK and flags_on & STACK, (number, names.get(fn), flags, flags_on)
    seen = collections.defaultdict(set)
    for fn, words, flags in calls[0]:
        seen[names.get(fn)].add(words * 8)
    known = {name: seen[name] for name in BEFORE if name in seen}
    assert len(known) >= 2 and all(max(sizes) <= BEFORE[name] for name, sizes in known.items()), known
    kinds = [collections.Counter(fn for fn, _, _ in r if fn < 256 and fn not in OF_STACKS | {1, 4, 60}) for r in (bare, full)]
    assert kinds[0] == kinds[1], kinds          # but for pads, and what a new chunk brings: clock readings and costs
    print("%d calls, %d bytes without stacks, %d with" % (
        len(calls[0]), sum(words for _, words, _ in bare) * 8, sum(words for _, words, _ in full) * 8))


if __name__ == "__main__":
    main(*sys.argv[1:])
