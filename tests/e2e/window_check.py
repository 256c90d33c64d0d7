#!/usr/bin/env python3
# tests/e2e/window_check.py WHOLE PART FROM TO - exports of a window (ns) hold the same rows as the whole, with the same ids
#
# WHOLE and PART are base names of .sqlite, .apilog and .atp files of one process.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import sqlite3
import sys

WHOLE, PART, FROM, TO = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
TEXTS = ("nameId", "demangledName", "shortName", "mangledName")     # numbers of StringIds belong to the file
problems = []


def rows(base, table):
    db = sqlite3.connect(f"file:{base}.sqlite?mode=ro", uri=True)
    strings = dict(db.execute("SELECT id, value FROM StringIds"))
    cursor = db.execute(f"SELECT * FROM {table}")
    names = [d[0] for d in cursor.description]
    out = []
    for row in cursor:
        row = dict(zip(names, row))
        if table == "OPENCL_API":
            row.pop("id")                                            # of the row, not of the call
        out.append(tuple(strings.get(v, v) if k in TEXTS else v for k, v in row.items()))
    return out, names


def overlaps(calls):
    """Correlation ids of the calls that overlap the window."""
    return {c[names.index("correlationId")] for c in calls if c[names.index("start")] <= TO and c[names.index("end")] >= FROM}


_, names = rows(WHOLE, "CUPTI_ACTIVITY_KIND_RUNTIME")
kept = None
for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
              "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "OPENCL_API", "OPENCL_WORKLOAD"):
    (whole, _), (part, _) = rows(WHOLE, table), rows(PART, table)
    strange = set(part) - set(whole)
    if strange:
        problems.append(f"{table}: {len(strange)} rows differ from the whole export: {next(iter(strange))}")
    if table == "CUPTI_ACTIVITY_KIND_RUNTIME":
        missing = overlaps(whole) - {r[names.index("correlationId")] for r in part}
        if missing:
            problems.append(f"calls that overlap the window are missing: {sorted(missing)[:5]}")
        if not 0 < len(part) < len(whole):
            problems.append(f"the window holds {len(part)} of {len(whole)} calls")
for suffix in (".apilog", ".atp"):
    with open(WHOLE + suffix, encoding="utf-8") as f:
        lines = set(f)
    with open(PART + suffix, encoding="utf-8") as f:
        # Of an .atp, what is no line of a call: counts and thread ids.
        # How many times had to be moved is said of what is in the file.
        strange = [line for line in f if line not in lines and not line.strip().isdigit() and
                   not line.startswith(("DisplayName=", "TimesMoved="))]
    if strange:
        problems.append(f"{suffix}: {len(strange)} lines differ from the whole export: {strange[0]}")
for p in problems:
    print(p)
sys.exit(1 if problems else 0)
