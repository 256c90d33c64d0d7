#!/usr/bin/env python3
"""tests/e2e/no_times.py FILE.sqlite N REASON - N rows of work have that reason and no times; no row of the device lasts a second

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
reasons = {name: number for number, name in db.execute("SELECT id, name FROM ENUM_OPENCL_UNTIMED")} if "ENUM_OPENCL_UNTIMED" in tables else {}
rows = db.execute("SELECT reason, start, end FROM OPENCL_WORKLOAD").fetchall()
bad = [r for r in rows if r[0] is not None]
print(len(rows), "rows", len(bad), "without times", reasons)
assert len(bad) == int(sys.argv[2]), (len(bad), sys.argv[2])
assert all(r[1] is None and r[2] is None for r in bad)
assert all(r[2] - r[1] < 1e9 for r in rows if r[0] is None and r[1] is not None)
for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"):
    if table in tables:
        lasting = db.execute(f"SELECT count(*) FROM {table} WHERE end - start > 1000000000 OR start IS NULL OR end < start").fetchone()[0]
        assert not lasting, (table, lasting)
        if len(bad) == len(rows):
            assert not db.execute(f"SELECT count(*) FROM {table}").fetchone()[0], table
