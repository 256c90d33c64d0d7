#!/usr/bin/env python3
"""tests/e2e/folded_check.py TRACE [through NAME...] - folded stacks hold what the callgrind profile of the same trace holds

TRACE.WEIGHT.folded for each weight, TRACE.callgrind beside them.
through NAME...   some path with device time leads through these frames, in this order

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import sys

import callgrind_profile

EVENTS = {"gpu": ["Gpu"], "bytes": ["Bytes"], "api": ["Api"], "wait": ["Wait"], "host": ["Api", "Wait"], "calls": ["Calls"]}


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        lines = f.read().splitlines()
    paths = [tuple(line.rpartition(" ")[0].split(";")) for line in lines]
    assert len(set(paths)) == len(paths), "a path stands twice in " + path
    assert [";".join(p) for p in paths] == sorted(";".join(p) for p in paths) or any(not line.isascii() for line in lines)
    weights = [int(line.rpartition(" ")[2]) for line in lines]
    assert all(weights), "a path of weight 0 in " + path
    return dict(zip(paths, weights))


def as_frame(name):
    return name.replace(";", ":")


def is_through(path, names):
    at = iter(path)
    return all(any(frame.startswith(name) for frame in at) for name in names)


def main(trace, *how):
    parts = callgrind_profile.read(trace + ".callgrind")
    for weight, events in EVENTS.items():
        paths = read("%s.%s.folded" % (trace, weight))
        found, wanted = collections.Counter(), collections.Counter()
        for path, n in paths.items():
            assert path[0].endswith("[%s]" % path[0].rpartition("[")[2][:-1]) and len(path) >= 2, path
            found[path[-1]] += n
        for part in parts:
            for (_, _, function, event), n in part.own.items():
                wanted[as_frame(function)] += n if event in events else 0
        assert found == +wanted, (weight, found - wanted, wanted - found)
        if weight == "gpu":
            assert len(how) < 2 or any(is_through(path, how[1:]) for path in paths), (how[1:], list(paths)[:10])
    print("%d paths" % len(paths))


main(*sys.argv[1:])
