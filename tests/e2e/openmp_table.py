#!/usr/bin/env python3
"""tests/e2e/openmp_table.py COLUMN DATABASE... - what docs/openmp.md says to be filled has rows in one of these, what cannot be has none

COLUMN: how the heading of the runtime's column begins. All 18 tables are named there, each cell says "filled" or "cannot" and why.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import sqlite3
import sys

column, databases = sys.argv[1], sys.argv[2:]
docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "openmp.md")
with open(docs, encoding="utf-8") as f:
    table = [[c.strip() for c in line.strip().strip("|").split("|")] for line in f if line.startswith("|")]
(at,) = [i for i, heading in enumerate(table[0]) if heading.startswith(column)]
rows = {cells[0].strip("`"): cells[at] for cells in table[2:]}
assert len(rows) == 18 and all(name.startswith("OPENMP_EVENT_KIND_") for name in rows), sorted(rows)


def of(name):
    n = 0
    for path in databases:
        db = sqlite3.connect(path)
        if db.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]:
            n += db.execute("SELECT count(*) FROM " + name).fetchone()[0]
        db.close()
    return n


wrong = []
for name, says in rows.items():
    # "filled, alike" and "cannot, alike": as in the column before
    if not says.startswith(("filled", "cannot:", "cannot, alike")):
        wrong.append("%s: neither filled nor a reason: %s" % (name, says))
    elif says.startswith("filled") != (of(name) > 0):
        wrong.append("%s: %d rows, and the page says: %s" % (name, of(name), says))
filled = sum(says.startswith("filled") for says in rows.values())
print("; ".join(wrong) or "%d filled, %d cannot" % (filled, len(rows) - filled))
sys.exit(bool(wrong))
