#!/usr/bin/env python3
"""A database of the SQLite export as text for golden files: sqlite_dump.py FILE.sqlite

Each table with rows, in its order; NULL is left out; ids of strings are shown as the strings, GlobalIds as pid.tid. What the
machine or the time decides stands as '*'. Enumerations are not shown (tests/unit/test_sqlite_doc.py looks at them). Fails when
the file is not sound or a string is missing.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import sqlite3
import sys

STRINGS = {"jsonTextId", "nameId", "demangledName", "shortName", "mangledName", "textId", "module", "buildOptionsId", "buildLogId"}
GLOBAL_IDS = {"globalTid", "globalPid", "endGlobalTid", "globalVid"}
CHANGING = {"EXPORT_PRODUCT_VERSION", "EXPORT_ARCH", "EXPORT_TIME_UTC", "EXPORT_PARAM_INPUT_FILE", "EXPORT_PARAM_OUTPUT_FILE"}
OLD_ENUMS = {"UnwindMethodType", "CUDA_MEMCPY_KIND", "ThreadState", "CUDA_SHARED_MEM_LIMIT_CONFIG"}


def global_id(value):
    if value >> 48 != 1:
        return str(value)
    return "%d.%d" % (value >> 24 & 0xffffff, value & 0xffffff)


def show(column, value, strings):
    if column in STRINGS and isinstance(value, int):
        return json.dumps(strings[value])
    if column in GLOBAL_IDS:
        return global_id(value)
    return json.dumps(value) if isinstance(value, str) else str(value)


def check_types(db, table):
    """Nothing in the column but its declared type: a text's address would be a number in a TEXT column, or in an INT one at worst."""
    for _, column, declared, *_ in db.execute('PRAGMA table_info("%s")' % table):
        if not declared:  # a table made of a payload schema
            continue
        kind = {"INT": "integer", "INTEGER": "integer", "TEXT": "text", "REAL": "real"}[declared.split()[0]]
        wrong = db.execute('SELECT DISTINCT typeof("%s") FROM "%s" WHERE typeof("%s") NOT IN (?, \'null\')' % (column, table, column), (kind,)).fetchall()
        if wrong:
            sys.exit("%s.%s is %s and holds %s" % (table, column, declared, wrong))


def dump(db):
    strings = dict(db.execute("SELECT id, value FROM StringIds"))
    empty = []
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        if table.startswith("ENUM_") or table in OLD_ENUMS:
            continue
        cursor = db.execute('SELECT * FROM "%s" ORDER BY rowid' % table)
        columns = [c[0] for c in cursor.description]
        rows = cursor.fetchall()
        check_types(db, table)
        if not rows:
            empty.append(table)
            continue
        print("%s%s" % (table, "" if len(rows) == 1 else " (%d rows)" % len(rows)))
        for row in rows:
            cells = dict(zip(columns, row))
            if cells.get("name") in CHANGING:
                cells["value"] = "*"
            if "localTime" in cells:
                cells["localTime"] = "*"
            print("  " + " ".join("%s=%s" % (c, show(c, v, strings)) for c, v in cells.items() if v is not None))
    print("without rows: " + " ".join(sorted(empty)))
    sound = db.execute("PRAGMA integrity_check").fetchall()
    if sound != [("ok",)]:
        sys.exit("not sound: %s" % sound)


if __name__ == "__main__":
    dump(sqlite3.connect(sys.argv[1]))
