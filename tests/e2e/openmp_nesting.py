#!/usr/bin/env python3
"""tests/e2e/openmp_nesting.py DATABASE - how many spans of OpenMP cross another one of their thread

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sqlite3
import sys

TABLES = ("PARALLEL", "TASK", "SYNC_REGION", "SYNC_REGION_WAIT", "WORKSHARE", "MASTER", "CRITICAL_SECTION", "MUTEX_WAIT")


def crossing(path):
    db = sqlite3.connect(path)
    there = {name for name, in db.execute("SELECT name FROM sqlite_master")}
    spans, found = {}, 0
    for table in ("OPENMP_EVENT_KIND_" + name for name in TABLES):
        for start, end, tid in db.execute("SELECT start, end, globalTid FROM " + table) if table in there else ():
            spans.setdefault(tid, []).append((start, -end))
    for rows in spans.values():
        stack = []
        for start, end in sorted(rows):
            while stack and stack[-1] <= start:
                stack.pop()
            # two stamps of one moment may lie in either order within the clock's step
            found += bool(stack and -end > stack[-1] + 100)
            stack.append(-end)
    return found


if __name__ == "__main__":
    print(crossing(sys.argv[1]))
