#!/usr/bin/env python3
"""tests/unit/test_ledger.py - docs/ledger.md against the list of reasons, the tests that it names and the switches in the code

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/ledger.md").read_text(encoding="utf-8")
WITHOUT = "".join((ROOT / f"tests/e2e/{name}.sh").read_text(encoding="utf-8") for name in ("without", "without_cuda"))
FOLDERS = ("api", "collectors", "common", "interpose", "trace", "model", "writers", "analysis", "cli")
NAMED = re.compile(r"`((?:unit|e2e|fault|cli|golden|witness|fakegpu|real|quality)/\w+)`")


def reasons():
    rec_h = (ROOT / "trace/format/rec.h").read_text(encoding="utf-8")
    return re.findall(r"^\tX\((\w+),", rec_h[rec_h.index("#define REC_LOSSES"):rec_h.index("enum rec_loss")], re.M)


def tables():
    """The rows of every table, apart by their headings."""
    rows, heading, out = [], None, []
    for line in PAGE.splitlines() + [""]:
        if not line.startswith("|"):
            if heading:
                out.append((heading, rows))
            rows, heading = [], None
            continue
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if heading is None:
            heading = cells
        elif not set(line) <= set("|- "):
            rows.append(cells)
    return out


def ways():
    return [row for heading, rows in tables() for row in rows if heading[0] == "way"]


def no_switch_reasons():
    return {row[0].strip("*") for heading, rows in tables() for row in rows if heading[0] == "reason"}


def switches_in_code():
    """{switch: files}"""
    found = {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.[ch]"):
            if path.name == "without.h":        # its comment shows how one is written
                continue
            for name in re.findall(r'\bgc_without\("([^"]+)"\)', path.read_text(encoding="utf-8")):
                found.setdefault(name, set()).add(path.relative_to(ROOT).as_posix())
    return found


def exists(test):
    folder, name = test.split("/")
    return any((ROOT / "tests" / folder / (name + suffix)).exists() for suffix in (".sh", ".c", ".py", ""))


class Ledger(unittest.TestCase):
    def test_every_row_has_four_cells(self):
        self.assertGreater(len(ways()), 60)
        for row in ways():
            self.assertEqual(len(row), 4, row)
            self.assertTrue(all(row), row)

    def test_every_reason_has_a_row(self):
        said = set(re.findall(r"`([A-Z_]+)`", " ".join(row[1] for row in ways())))
        self.assertEqual([r for r in reasons() if r not in said], [])

    def test_every_row_names_tests_that_exist(self):
        for row in ways():
            named = NAMED.findall(row[2])
            untold = row[2] == "none" and row[3] in ("open", "price", "unseen")
            self.assertTrue(named or untold, f"no test is named: {row[0]}")
            self.assertEqual([t for t in named if not exists(t)], [], row[0])

    def test_cases_that_rows_quote_stand_in_their_tests(self):
        """`e2e/cuda_client`: "behind us": what is between "..." is in that test, in words or as a function's name."""
        for row in ways():
            for test, quoted in re.findall(r'`(\w+/\w+)`: ((?:"[^"]+"(?:, )?)+)', row[2]):
                files = [ROOT / "tests" / (test + suffix) for suffix in (".sh", ".c", ".py", "")]
                text = " ".join(f.read_text(encoding="utf-8") for f in files if f.is_file())
                for case in re.findall(r'"([^"]+)"', quoted):
                    for part in filter(None, (p.strip(" ,:") for p in case.split("..."))):
                        self.assertTrue(part in text or part.replace(" ", "_") in text, f"{test}: {case}")

    def test_every_row_has_a_switch_or_a_reason(self):
        known = switches_in_code()
        for row in ways():
            named = re.findall(r"`([\w-]+)`", row[3])
            if named:
                self.assertEqual([n for n in named if n not in known], [], row[0])
            else:
                self.assertIn(row[3], no_switch_reasons(), row[0])

    def test_every_switch_has_a_row_and_a_test_that_fails_without_it(self):
        rows = set(re.findall(r"`([\w-]+)`", " ".join(row[3] for row in ways())))
        tested = set(re.findall(r"^(?:beside=\S+ )?needed ([\w-]+) ", WITHOUT, re.M))
        self.assertEqual(rows, set(switches_in_code()))
        self.assertEqual(tested, set(switches_in_code()))

    def test_no_header_has_a_switch(self):
        """build/switch compiles anew only the files that name one."""
        self.assertEqual({n: f for n, f in switches_in_code().items() if any(p.endswith(".h") for p in f)}, {})


if __name__ == "__main__":
    unittest.main()
