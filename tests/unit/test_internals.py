"""tests/unit/test_internals.py - what docs/internals.md names exists

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
import internals  # noqa: E402

PAGE = ROOT / "docs/internals.md"
BUILD = ("build/", "tests/fakegpu/gen_calls.py")


def defined(function, text):
    """A definition or declaration at the beginning of a line: the name, then its parameters."""
    return re.search(r"^[A-Za-z][^\n;=]*[ *]%s\(" % re.escape(function), text, re.M) is not None


class Internals(unittest.TestCase):
    def setUp(self):
        self.text = PAGE.read_text(encoding="utf-8")

    def test_every_function_of_a_table_is_defined_in_its_file(self):
        rows = [row for _, rows in internals.tables(PAGE) for row in rows]
        self.assertGreater(len(rows), 40)
        for function, name in rows:
            if name.startswith(BUILD):
                continue
            with self.subTest(function=function, file=name):
                self.assertTrue((ROOT / name).is_file(), name)
                self.assertTrue(defined(function, (ROOT / name).read_text(encoding="utf-8")), function)

    def test_every_function_named_in_a_sentence_is_in_the_file_behind_it(self):
        found = re.findall(r"((?:`\w+`(?:, | and )?)+) \(`([\w/.-]+\.[ch])`\)", self.text)
        self.assertGreater(len(found), 5)
        for names, file in found:
            for function in re.findall(r"`(\w+)`", names):
                with self.subTest(function=function, file=file):
                    self.assertTrue(defined(function, (ROOT / file).read_text(encoding="utf-8")), function)

    def test_every_path_exists(self):
        for path in set(re.findall(r"`((?:[a-z]+/)[\w./-]*)`", self.text)):
            top = path.split("/")[0]
            if top == "build" or "NAME" in path or not (ROOT / top).exists():
                continue
            with self.subTest(path=path):
                self.assertTrue((ROOT / path).exists(), path)

    def test_generated_wrappers_are_made_of_the_table(self):
        self.assertIn("clEnqueueNDRangeKernel(", (ROOT / "api/opencl.api").read_text(encoding="utf-8"))
        self.assertIn("body_", (ROOT / "api/wrappers.py").read_text(encoding="utf-8"))

    def test_every_stack_has_a_name_of_its_own(self):
        names = [name for name, _ in internals.tables(PAGE) if name]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 12)


if __name__ == "__main__":
    unittest.main()
