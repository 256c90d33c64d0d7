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
    code = {}

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

    def test_every_function_named_anywhere_is_in_the_sources(self):
        named = {name for name in re.findall(r"`((?:gt|tap|rec|gc)_\w+)`", self.text) if "NAME" not in name}
        self.assertGreater(len(named), 20)
        self.assertEqual(sorted(name for name in named if not self.places(name)), [])

    def test_every_path_exists(self):
        for path in set(re.findall(r"`((?:[a-z]+/)[\w./-]*)`", self.text)):
            top = path.split("/")[0]
            if top == "build" or "NAME" in path or not (ROOT / top).exists():
                continue
            with self.subTest(path=path):
                self.assertTrue((ROOT / path).exists(), path)

    def test_what_a_critical_path_needs_is_read_back(self):
        rows = re.findall(r'^\| .* \| `(tests/[\w/.]+)` \| "(.*)" \|$', self.text, re.M)
        self.assertGreaterEqual(len(rows), 16)
        for test, check in rows:
            with self.subTest(test=test, check=check):
                self.assertIn('check "%s"' % check, (ROOT / test).read_text(encoding="utf-8"))

    def test_generated_wrappers_are_made_of_the_table(self):
        self.assertIn("clEnqueueNDRangeKernel(", (ROOT / "api/opencl.api").read_text(encoding="utf-8"))
        self.assertIn("body_", (ROOT / "api/wrappers.py").read_text(encoding="utf-8"))

    def places(self, word):
        """The hand-written files of the tree that say a word."""
        if not self.code:
            for folder in ("analysis", "api", "cli", "collectors", "common", "interpose", "model", "trace", "writers"):
                for path in (ROOT / folder).rglob("*"):
                    if path.suffix in (".c", ".h", ".def", ".py"):
                        self.code[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
        return {path for path, text in self.code.items() if word in text and re.search(r"\b%s\b" % word, text)}

    def test_a_report_is_named_in_one_other_file(self):
        table = (ROOT / "analysis/reports/report.c").read_text(encoding="utf-8")
        names = re.findall(r"LIST\((\w+)\)", re.search(r"#define LISTS((?:.*\\\n)*.*)", table).group(1))
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(name=name):
                own = self.places("gt_reports_%s" % name)
                self.assertEqual(len(own), 1, own)

    def test_a_writer_is_named_in_one_other_file(self):
        for name in re.findall(r"^FORMAT\((\w+),", (ROOT / "trace/format/formats.def").read_text(encoding="utf-8"), re.M):
            with self.subTest(name=name):
                self.assertEqual(len(self.places("gt_writer_%s" % name)), 1)

    def test_a_collector_is_named_in_the_table_alone(self):
        for name in re.findall(r"\bCOLLECTOR\((\w+)\)", (ROOT / "collectors/table.c").read_text(encoding="utf-8").split("#define COLLECTOR(")[0]):
            with self.subTest(name=name):
                own = self.places("tap_collector_%s" % name)
                self.assertEqual([path.rsplit("/", 1)[0] for path in own], ["collectors/%s" % name])

    def test_an_activity_kind_is_named_where_it_is_described_and_shown(self):
        described = {"model/cuda/kinds.def", "trace/format/cupti.def"}
        shown = {"model/timeline/cuda.c", "writers/sqlite/cuda.c", "writers/perfetto/annotate.c"}
        said = self.places("DECOMPRESS") | self.places("GT_CUDA_DECOMPRESS")
        self.assertLessEqual(described, said)
        self.assertLessEqual(said, described | shown)

    def test_a_record_of_an_image_is_described_once(self):
        table = (ROOT / "trace/format/records.def").read_text(encoding="utf-8")
        names = re.findall(r"^IMAGE\((\w+), \w+,", table, re.M)
        made = {"model/image.c", "model/model.h", "cli/show/image.c", "cli/dump/image.c", "trace/read/block.c"}
        self.assertGreater(len(names), 5)
        for name in names:
            with self.subTest(name=name):
                self.assertEqual(self.places("REC_%s" % name) & made, set())
        # a clock set is a calibration too, an end says that the image is whole, an exec that it was not killed by then
        self.assertEqual({name for name in names if "model/open.c" in self.places("REC_%s" % name)}, {"CLOCK", "EXEC", "EXIT"})

    def test_every_stack_has_a_name_of_its_own(self):
        names = [name for name, _ in internals.tables(PAGE) if name]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 12)


if __name__ == "__main__":
    unittest.main()
