#!/usr/bin/env python3
"""tests/unit/test_cuda_versions.py - docs/cuda.md's table of CUPTI's versions: every known fault has its line, and what decides by a version agrees with it

A line without a guard tells a fault that gputap can do nothing about; one that says what gputap leaves alone holds while
the sources name no such function. docs/atp.md's sentences about what readers of the format do with our lines are held too.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import unittest

import pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/cuda.md").read_text(encoding="utf-8")
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "collectors/cupti").glob("*.[ch]")))

# Versions, a word of what happens, a word of what gputap does.
FAULTS = [
    ("12.0 update 1 to 13.0", "device buffer is initialised", "pinned host memory"),
    ("13.0", "switching kernels off may not come back", "kernels stay on"),
    ("13.0", "no record of `cudaDeviceSynchronize`", ""),
    ("12.3 to 12.6 update 1", "cannot be flushed by another thread", "before 12.8"),
    ("before 12.5", "crashes a trace of it as a whole", "node by node"),
    ("12.8 update 1 and before", "first node is a copy", "--cuda-graph-trace=node"),
    ("12.6 update 2 to 13.0", "kernel times of zero for a client with a clock of its own", "has none"),
    ("before 13.1 update 1", "wrong correlation ids of `cudaGraphLaunch` in sessions after the first", "one session"),
    ("before 12.9", "kinds 36 (events) and 38 (synchronisation) switch each other on", ""),
    ("13.2", "slow a process down", ""),
    ("before 13.4 update 1", "names of the one before", ""),
    ("before 13.4.1", "300 000 activities outstanding", "a warning"),
    ("13.2 and newer", "green contexts are told as kind 59 only", "reads both"),
]
# The constant of a guard, the version that its line names, and the comparison.
GUARDS = [
    ("VERSION_12_5", "before 12.5", r"graphs_by_node\(void\) \{ return tap_cupti\.version < VERSION_12_5; \}"),
    ("VERSION_12_8", "before 12.8", r"tap_cupti\.version >= VERSION_12_8 && set_attribute\(ATTRIBUTE_PER_THREAD_BUFFER, 1, 1\)"),
    ("VERSION_13_0", "to 13.0", r"tap_cupti\.version <= VERSION_13_0\)\s+set_attribute\(ATTRIBUTE_HOST_PINNED, 1, 1\)"),
    ("VERSION_13_0", "| 13.0 |", r"tap_cupti\.version == VERSION_13_0 && kinds\[i\]\.number == REC_CUPTI_KIND_KERNEL"),
    ("VERSION_13_4_1", "before 13.4.1", r"latency && tap_cupti\.version < VERSION_13_4_1"),
]
SECTION = PAGE.split("## What depends on CUPTI's version")[1].split("\n## ")[0]
ROWS = pages.rows(SECTION)      # versions, what happens, what gputap does


class Versions(unittest.TestCase):
    def test_every_known_fault_has_its_line(self):
        for versions, happens, does in FAULTS:
            with self.subTest(fault=happens):
                found = [row for row in ROWS if row[0] == versions and happens in row[1]]
                self.assertEqual(len(found), 1)
                self.assertIn(does, found[0][2])

    def test_every_line_is_a_known_fault(self):
        self.assertEqual([row for row in ROWS if not any(row[0] == versions and happens in row[1] for versions, happens, _ in FAULTS)], [])

    def test_guards_decide_by_the_version_of_their_line(self):
        for constant, told, guard in GUARDS:
            with self.subTest(guard=constant, line=told):
                self.assertIn(told, SECTION)
                self.assertTrue(re.search(guard, SOURCES), guard)
        used = set(re.findall(r"tap_cupti\.version (?:[<>]=?|==) (VERSION_\w+)", SOURCES))
        self.assertEqual(sorted(used - {constant for constant, _, _ in GUARDS} - {"VERSION_11_8"}), [])

    def test_what_is_left_alone_is_called_nowhere(self):
        """A clock of its own; a second session, which needs CUPTI to be taken out and brought in again."""
        code = re.sub(r"/\*.*?\*/", "", SOURCES, flags=re.S)
        for function in ("cuptiActivityRegisterTimestampCallback", "cuptiFinalize"):
            self.assertFalse(function in code, function)


class Atp(unittest.TestCase):
    def test_what_readers_make_of_our_lines_is_said(self):
        page = (ROOT / "docs/atp.md").read_text(encoding="utf-8")
        for sentence in ("shows the host times alone, and zeros for the device part", "Blanks, tabs and line ends in names and groups are written `&nbsp;`"):
            self.assertTrue(sentence in page, sentence)


if __name__ == "__main__":
    unittest.main()
