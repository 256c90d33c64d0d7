"""tests/unit/test_permuted_table.py - a trace is read by its own table: other numbers, another order, more fields, same output

The golden traces are built again with a table in which every function has another number, all items stand in another order and
carry fields of a later version, and with functions, enums and items that this tool has never heard of.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("GPUTAP_BUILD", "build"))
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
HEADS = "TDEFSQ"                # an item begins; P, V, M belong to the one before


def items(text):
    found = []
    for line in text.splitlines():
        if line[0] in HEADS:
            found.append([])
        found[-1].append(line.split("\t"))
    return found


def permuted(text):
    dice = random.Random(3)
    all_items = items(text)
    version, rest = all_items[0], all_items[1:]
    functions = [i for i in rest if i[0][0] == "F"]
    ids = [i[0][1] for i in functions]
    while True:
        dice.shuffle(ids)
        if all(i[0][1] != number for i, number in zip(functions, ids)):
            break
    for item, number in zip(functions, ids):
        item[0][1] = number
    dice.shuffle(rest)
    lines = ["\t".join(line + ["later", "fields"]) for item in [version] + rest for line in item]
    lines += ["X\tan item\tof later", "E\tcl_later_enum\tenum", "V\t9\tCL_LATER", "D\t77\tlater",
              "F\t60000\tclLaterThanThis\t1\tsync\tcl_int\terror\t-1\t0\t-\t0\t1\t0\t0",
              "P\tcl_event\te\thandle\t-\t2\t8\tnone\tin\tvoid\t0\tevent\t-\t-\t0\t0\t-"]
    return "\n".join(lines) + "\n"


class PermutedTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.table = pathlib.Path(self.folder.name, "table.txt")
        self.original = (BUILD / "gen/table.txt").read_text()
        self.table.write_text(permuted(self.original))

    def tearDown(self):
        self.folder.cleanup()

    def export(self, case, fmt, place):
        name = (case / "trace").read_text().strip() if (case / "trace").exists() else case.name
        options = (case / "options").read_text().split() if (case / "options").exists() else []
        trace = place / (name + ".gputap")          # the name stands in the files
        place.mkdir()
        subprocess.run([BUILD / "tests/golden/build", name, self.table, trace], check=True)
        subprocess.run([BUILD / "gputap", "export", "-q", "-e", fmt, *options, "-o", place / "expect", trace], check=True)

    def test_every_function_has_another_number(self):
        def numbers(text):
            return {i[0][2]: i[0][1] for i in items(text) if i[0][0] == "F"}
        old, new = numbers(self.original), numbers(self.table.read_text())
        self.assertGreater(len(old), 400)
        self.assertEqual([name for name in old if old[name] == new[name]], [])

    def test_files_are_those_of_the_usual_table(self):
        compared = 0
        for fmt in ("apilog", "atp"):
            for case in sorted(p for p in (GOLDEN / fmt).iterdir() if p.is_dir()):
                place = pathlib.Path(self.folder.name, "%s-%s" % (fmt, case.name))
                with self.subTest(place.name):
                    self.export(case, fmt, place)
                    for want in case.glob("expect.*"):
                        self.assertEqual((place / want.name).read_bytes(), want.read_bytes())
                        compared += 1
        self.assertGreaterEqual(compared, 20)


if __name__ == "__main__":
    unittest.main()
