#!/usr/bin/env python3
"""tests/unit/test_privacy.py - docs/privacy.md against the sources: its options exist, and what a trace holds has its line

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import unittest

import pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/privacy.md").read_text(encoding="utf-8")
OPTIONS = dict(re.findall(r'^OPTION\(([\w-]+),.*"(.*)"\)$', (ROOT / "trace/format/options.def").read_text(encoding="utf-8"), re.M))
# Facts of `run` and `meta` that tell of the program, its user or the machine, by the words of the page; the others are our own.
TOLD = {"arg": "`arg=`", "image": "`image=`", "cwd": "`cwd=`", "env": "`env=`", "option": "`option=`", "host": "host name", "user": "user and host name",
        "os": "kernel release", "boot_id": "boot id", "pid": "pids", "ppid": "pids", "launcher_pid": "pids",
        "unreachable": "`unreachable=`", "started": "`started=`", "gathers": "pids", "left": "`left=`"}
OURS = set("arch awaits begin byte_order clock clock_source cut end_realtime_ns exit_signal exit_status format gathered heard launcher_start launcher_stream made made_again "
           "no_wakings note ns_pid parent reason refused rerun retried run_id start_realtime_ns start_tick start_time stream table version".split())
CONTENTS = {"ARGS": "arguments of OpenCL calls", "SOURCE": "sources of OpenCL programs", "LOG": "build logs", "BINARY": "binaries", "IL": "IL of OpenCL programs", "OPTIONS": "build options",
            "COUNTERS": "images of counted values", "CUBIN": "code of CUDA modules"}
ROWS = pages.rows(PAGE)     # what, where, outputs, left out by


class Privacy(unittest.TestCase):
    def test_every_option_and_domain_that_it_names_exists(self):
        named = set(re.findall(r"`--([\w-]+)", PAGE))
        self.assertGreater(len(named), 10)
        self.assertEqual(sorted(named - set(OPTIONS)), [])
        domains = re.findall(r'^DOMAIN\(.*?"(\w+)"', (ROOT / "trace/format/domains.def").read_text(encoding="utf-8"), re.M)
        for _, _, _, by in ROWS:
            for domain in re.findall(r"`(?:-t )?([a-z]+)`", by):
                self.assertIn(domain, domains)

    def test_every_option_that_stores_something_is_named(self):
        storing = {name for name, text in OPTIONS.items() if re.search(r"\bstore\b(?!.*up to this size)", text)}
        self.assertGreater(len(storing), 4)
        self.assertEqual(sorted(name for name in storing if "`--" + name not in PAGE), [])

    def test_every_row_says_where_and_how_it_is_left_out(self):
        self.assertGreater(len(ROWS), 10)
        for row in ROWS:
            self.assertEqual(len(row), 4, row)
            self.assertTrue(all(row), row)

    def test_every_fact_has_its_line(self):
        keys = set()
        for file in [*(ROOT / "trace/write").rglob("*.c"), *(ROOT / "cli").rglob("*.c")]:
            keys |= set(re.findall(r'\b(?:put_\w+|gt_run_log\w*|tap_text_str)\([^,()]+, "([a-z_]+)=?"', file.read_text(encoding="utf-8")))
        self.assertGreater(len(keys), 30)
        self.assertEqual(sorted(keys - set(TOLD) - OURS), [])
        self.assertEqual(sorted(key for key in TOLD if key in keys and TOLD[key] not in PAGE), [])

    def test_every_kind_of_contents_has_its_line(self):
        kinds = re.findall(r"\bREC_BLOB_([A-Z]+)(?= = 1,|,|\s+/\*)", re.search(r"enum rec_blob_kind \{.*?\}", (ROOT / "trace/format/rec.h").read_text(
            encoding="utf-8"), re.S).group(0))
        self.assertEqual(sorted(kinds), sorted(CONTENTS))
        for words in CONTENTS.values():
            self.assertTrue(any(words in row[0] for row in ROWS), words)

    def test_every_file_of_a_trace_that_it_names_can_be_there(self):
        code = "".join(file.read_text(encoding="utf-8") for folder in ("trace", "cli", "common") for file in (ROOT / folder).rglob("*.[ch]"))
        named = {name for row in ROWS for name in re.findall(r"`(?:PID\.N/)?([a-z][\w.-]+)`", row[1])}
        self.assertGreater(len(named), 5)
        self.assertEqual(sorted(name for name in named if '%s"' % name not in code and '"%s' % name.rstrip("12") not in code), [])


if __name__ == "__main__":
    unittest.main()
