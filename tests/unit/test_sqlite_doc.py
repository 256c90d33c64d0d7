#!/usr/bin/env python3
"""The editions of the SQLite export: what they hold, and that docs/sqlite.md tells every difference between them.

Both editions are exported with all tables from one small trace. sqlite_2021.txt restates the column lists of the source
document. Which tables stay empty is told there too. `test_sqlite_doc.py --print` prints the table of differences.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("GPUTAP_BUILD", os.path.join(ROOT, "build"))
DOC = os.path.join(ROOT, "docs", "sqlite.md")
SAMPLE_IDS = {"SCHED_EVENTS", "COMPOSITE_EVENTS"}   # their id is in the source's .schema sample, not in its column list
ENUMS_2021 = {"UnwindMethodType", "CUDA_MEMCPY_KIND", "ThreadState", "CUDA_SHARED_MEM_LIMIT_CONFIG"}


def export(directory, name, *options):
    trace = os.path.join(directory, "t.gputap")
    if not os.path.exists(trace):
        subprocess.run([os.path.join(BUILD, "tests", "unit", "test_sqlite"), "--keep", trace], check=True)
    base = os.path.join(directory, name)
    subprocess.run([os.path.join(BUILD, "gputap"), "export", "-q", "-e", "sqlite", "-o", base, *options, trace], check=True)
    return sqlite3.connect(base + ".sqlite")


def schema(db):
    """{table: [(column, type, not null)]} in order, without SQLite's own tables."""
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'")]
    return {t: [(c[1], c[2], bool(c[3])) for c in db.execute('PRAGMA table_info("%s")' % t)] for t in tables}


def restated():
    lists = {}
    with open(os.path.join(HERE, "sqlite_2021.txt"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            table, column, rest = line.strip().split(" ", 2)
            lists.setdefault(table, []).append((column, rest.split()[0], "NOT NULL" in rest))
    return lists


def names(columns):
    return [c[0] for c in columns]


def moved(old, new):
    """Columns of both editions whose order differs."""
    both = set(old) & set(new)
    a, b = [c for c in old if c in both], [c for c in new if c in both]
    return [] if a == b else [c for c, d in zip(b, a) if c != d]


def retyped(old, new):
    """Columns whose type differs by more than INT against INTEGER."""
    types = {c[0]: c[1].replace("INTEGER", "INT") for c in new}
    return [c[0] for c in old if c[0] in types and types[c[0]] != c[1].replace("INTEGER", "INT")]


def cell(columns):
    return ", ".join("`%s`" % c for c in columns) if columns else ""


def differences(default, old):
    """Lines of the table in docs/sqlite.md."""
    lines = []
    for t in sorted(set(default) | set(old)):
        if t not in old:
            lines.append("| `%s` | default edition only | | | | | |" % t)
            continue
        if t not in default:
            lines.append("| `%s` | edition 2021 only | | | | | |" % t)
            continue
        d, o = default[t], old[t]
        dn, on = {c[0]: c[2] for c in d}, {c[0]: c[2] for c in o}
        row = [cell([c for c in names(d) if c not in on]), cell([c for c in names(o) if c not in dn]),
               cell([c for c in names(o) if c in dn and on[c] and not dn[c]]), cell([c for c in names(o) if c in dn and dn[c] and not on[c]]),
               cell(moved(names(o), names(d))), cell(retyped(o, d))]
        if any(row):
            lines.append("| `%s` | %s |" % (t, " | ".join(row)))
    return lines


def tables_of_goldens():
    """Tables with rows in the golden databases."""
    found = set()
    for path in glob.glob(os.path.join(ROOT, "tests", "golden", "sqlite", "*", "expect.txt")):
        with open(path, encoding="utf-8") as f:
            found |= set(re.findall(r"^(\w+)(?: \(\d+ rows\))?$", f.read(), re.M))
    return found


def texts_of_tests():
    """What the end-to-end tests ask of tables."""
    text = ""
    for path in glob.glob(os.path.join(ROOT, "tests", "e2e", "*")):
        if path.endswith((".sh", ".py")):
            with open(path, encoding="utf-8") as f:
                text += f.read()
    return text


class Editions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.db = export(cls.dir.name, "new", "--lazy=false")
        cls.db_2021 = export(cls.dir.name, "old", "--sqlite-schema=2021", "--lazy=false")
        cls.default, cls.old = schema(cls.db), schema(cls.db_2021)

    @classmethod
    def tearDownClass(cls):
        cls.db.close()
        cls.db_2021.close()
        cls.dir.cleanup()

    def test_edition_2021_has_the_columns_order_and_not_null_of_the_source(self):
        lists = restated()
        for table, columns in lists.items():
            have = list(self.old[table])
            if table in SAMPLE_IDS:
                self.assertEqual("id", have.pop(0)[0], table)
            self.assertEqual(columns, have, table)
        self.assertEqual(set(lists) | ENUMS_2021, set(self.old))

    def test_edition_2021_numbers_its_enumerations_from_0(self):
        for table in ENUMS_2021:
            self.assertEqual(["number", "name"], names(self.old[table]))
            numbers = [r[0] for r in self.db_2021.execute("SELECT number FROM %s ORDER BY number" % table) if r[0] != 255]
            self.assertEqual(list(range(len(numbers))), numbers, table)
        self.assertEqual([(2, "CUDA_MEMCPY_KIND_DTOH")], self.db_2021.execute("SELECT * FROM CUDA_MEMCPY_KIND WHERE number=2").fetchall())
        self.assertEqual([(10, "Transition")], self.db_2021.execute("SELECT * FROM ThreadState ORDER BY number DESC LIMIT 1").fetchall())

    def test_edition_2021_has_no_newer_table(self):
        for table in self.old:
            self.assertIsNone(re.match("ENUM_|META_DATA_|TARGET_INFO_|OPENCL_", table), table)

    def test_the_default_edition_holds_every_column_of_the_source_but_the_clash(self):
        for table, columns in restated().items():
            if table in ENUMS_2021:
                continue
            missing = [c for c in names(columns) if c not in names(self.default[table])]
            self.assertEqual(["graphNodeId", "originalGraphNodeId"] if table == "CUDA_GRAPH_EVENTS" else [], missing, table)

    def test_columns_kept_from_the_source_are_nullable_and_at_the_end(self):
        for table, column in (("CUPTI_ACTIVITY_KIND_MEMCPY", "srcId"), ("PROFILER_OVERHEAD", "returnValue"), ("GENERIC_EVENTS", "data"),
                              ("GENERIC_EVENT_TYPES", "data"), ("GENERIC_EVENT_SOURCES", "data")):
            self.assertEqual((column, False), self.default[table][-1][::2], table)

    def test_enumerations_are_whole_and_join_by_id(self):
        for table in self.default:
            if table.startswith("ENUM_"):
                self.assertEqual(["id", "name", "label"], names(self.default[table]), table)
        self.assertEqual(155, self.db.execute("SELECT count(*) FROM ENUM_NSYS_EVENT_TYPE").fetchone()[0])
        self.assertEqual(99, self.db.execute("SELECT count(*) FROM ENUM_NSYS_EVENT_CLASS").fetchone()[0])
        self.assertEqual([("Host-to-Device",)], self.db.execute("SELECT label FROM ENUM_CUDA_MEMCPY_OPER WHERE id=1").fetchall())

    def test_the_document_tells_every_difference(self):
        with open(DOC, encoding="utf-8") as f:
            text = f.read()
        section = text.split("<!-- differences -->")[1]
        have = [l for l in section.splitlines() if l.startswith("| `")]
        self.assertEqual(differences(self.default, self.old), have, "run tests/unit/test_sqlite_doc.py --print")

    def test_the_document_tells_which_tables_stay_empty(self):
        with open(DOC, encoding="utf-8") as f:
            empty = set(re.findall(r"`([A-Za-z_0-9]+)`", "".join(re.findall(r"^\| (`.*?) \|", f.read().split("<!-- empty -->")[1], re.M))))
        tables = {t for t in set(self.default) | set(self.old) if not t.startswith("ENUM_")} - ENUMS_2021
        self.assertLessEqual(empty, tables)
        shown, asked = tables_of_goldens(), texts_of_tests()
        for db, have in ((self.db, self.default), (self.db_2021, self.old)):
            shown |= {t for t in have if db.execute('SELECT count(*) FROM "%s"' % t).fetchone()[0]}
        self.assertEqual(set(), empty & shown)
        # tests/e2e/openmp_table.py asks for all tables of OpenMP by their prefix
        unshown = {t for t in tables - empty - shown if not t.startswith("OPENMP_EVENT_KIND_") and not re.search(r"\b%s\b" % t, asked)}
        self.assertEqual(set(), unshown, "no test has rows of these")

    def test_both_files_are_sound(self):
        for db in (self.db, self.db_2021):
            self.assertEqual([("ok",)], db.execute("PRAGMA integrity_check").fetchall())


if __name__ == "__main__":
    if "--print" in sys.argv:
        with tempfile.TemporaryDirectory() as d:
            print("\n".join(differences(schema(export(d, "new", "--lazy=false")), schema(export(d, "old", "--sqlite-schema=2021", "--lazy=false")))))
    else:
        unittest.main()
