#!/usr/bin/env python3
"""tests/e2e/host_off_check.py OFF ON IDS.H - without -t osrt,openmp a trace has the bytes that it had before there were any

Walks the stream files by the rules of docs/trace-format.md, without the project's reader. OFF and ON are traces of the same program
of OpenCL's without and with the calls of the C library: OpenCL's calls are the same records in both, byte for byte as large, and OFF
has no record of any other function.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import sys

from stacks_off_check import read


def main(off, on, ids):
    with open(ids, encoding="utf-8") as f:
        opencl = {int(v, 16) for v in re.findall(r"FN_\w+ = (0x[0-9a-f]+)", f.read())}
    bare, full = read(off), read(on)
    calls = [[r for r in records if r[0] >= 256] for records in (bare, full)]
    others = [[r for r in c if r[0] not in opencl] for c in calls]
    own = [collections.Counter(r for r in c if r[0] in opencl) for c in calls]
    assert not others[0], others[0][:5]
    assert others[1], "nothing of the C library was recorded"
    assert own[0] == own[1] and sum(own[0].values()) > 50, (own[0] - own[1], own[1] - own[0])
    kinds = [set(r[0] for r in records if r[0] < 256) for records in (bare, full)]
    assert kinds[0] <= kinds[1], kinds
    print("%d calls of OpenCL in both, %d others" % (len(calls[0]), len(others[1])))


main(*sys.argv[1:])
