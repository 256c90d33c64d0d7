#!/usr/bin/env python3
"""tests/unit/test_guide_sections.py - every form of section file that the Customization Guide shows, through the tool itself

Each is a file of a folder, applied by `gputap report` to a report that was composed byte by byte.
spec: NCU "Section Files", "Metric Options and Filters", "Counter Domains", "Missing Sections", "Derived Metrics", "Source Counters"

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("GPUTAP_BUILD", ROOT / "build")).resolve()
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/rules")]
import compose as c         # noqa: E402

HEAD = 'Identifier: "SampleSection" DisplayName: "A Sample"\n'
WARPS_AND_CYCLES = '''Description: "Warps and cycles that were active."
Header {
  Metrics { Label: "Active Warps" Name: "smsp__active_warps_avg" }
  Metrics { Label: "Active Cycles" Name: "smsp__active_cycles_avg" }
}
'''
BODY = '''Body {
  Items { Table { Label: "Instructions" Rows: 2 Columns: 1
    Metrics { Label: "Issued by a Scheduler" Name: "smsp__inst_issued_avg" }
    Metrics { Label: "Executed by a Scheduler" Name: "smsp__inst_executed_avg" } } }
  Items { Table { Label: "Elapsed" Columns: 2 Order: ColumnMajor
    Metrics { Name: "regex:.*__elapsed_cycles_sum" } } }
  Items { BarChart { Label: "Elapsed as Bars"
    CategoryAxis { Label: "Units" } ValueAxis { Label: "Cycles" }
    Metrics { Name: "regex:.*__elapsed_cycles_sum" } } }
}
'''
FREQUENCY = '''Header { Metrics {
  Label: "Memory Clock" Name: "dram__cycles_elapsed.avg.per_second"
  Filter { MaxArch: CC_70 }
  Options { Name: "dram__cycles_elapsed.avg.per_second" Filter { MinArch: CC_75 MaxArch: CC_86 } }
} }
'''
SCOPE = '''Header { Metrics {
  Label: "Could be Active" Name: "sm__maximum_warps_per_active_cycle_pct"
  Filter { CollectionFilter { CollectionScopes: CollectionScope_%s } }
} }
'''
REQUIRED = '''Metrics { Metrics {
  Label: "Throughput" Name: "sm__throughput.avg.pct_of_peak_sustained_elapsed"
  Filter { CollectionFilter { Importance: %s } }
} }
'''
DOMAINS = '''Metrics { Metrics {
  Label: "Scoreboard" Name: "pmsampling:smsp__warps_issue_stalled_short_scoreboard.avg" Groups: "sampling_ws4" CtrDomains: "gpu_sm_c"
} }
'''
DERIVED = '''MetricDefinitions {
  MetricDefinitions { Name: "derived__threads" Expression: "thread_inst_executed_true / inst_executed" }
  MetricDefinitions { Name: "derived__l2" Expression: "memory_l2_transactions_global / memory_ideal_l2_transactions_global" }
  MetricDefinitions { Name: "sm__ffma_x2" Expression: "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained * 2" }
}
Header {
  Metrics { Label: "Threads" Name: "derived__threads" }
  Metrics { Label: "Transactions" Name: "derived__l2" }
  Metrics { Label: "Operations" Name: "sm__ffma_x2" }
}
'''
SOURCE = '''Metrics {
  Order: 2
  Metrics { Label: "Instructions Executed" Name: "inst_executed" }
  Metrics { Label: "" Name: "collected_but_not_shown" }
}
'''
VALUES = {"smsp__active_warps_avg": 12.5, "smsp__active_cycles_avg": 2000, "smsp__inst_issued_avg": 31.0, "smsp__inst_executed_avg": 30.0,
          "sm__elapsed_cycles_sum": 400, "lts__elapsed_cycles_sum": 100, "dram__cycles_elapsed.avg.per_second": 7.5,
          "sm__maximum_warps_per_active_cycle_pct": 66.0, "thread_inst_executed_true": 96, "inst_executed": 4,
          "memory_l2_transactions_global": 30, "memory_ideal_l2_transactions_global": 20,
          "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained": 64, "collected_but_not_shown": 5}


class Sections(unittest.TestCase):
    def setUp(self):
        if not os.access(str(BUILD / "gputap"), os.X_OK):
            self.skipTest("gputap is not built")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tool(self, *args):
        done = subprocess.run([str(BUILD / "gputap"), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100,
                              universal_newlines=True, cwd=self.folder, env=dict(os.environ, GPUTAP_DEPLOY="false"))
        return done.returncode, done.stdout, done.stderr

    def shown(self, text, capability=80, values=None, *options):
        """(status, page without runs of blanks, messages) of a section on a device."""
        with open(os.path.join(self.folder, "a.section"), "w", encoding="ascii") as f:
            f.write(HEAD + text)
        with open(os.path.join(self.folder, "r.ncu-rep"), "wb") as f:
            f.write(c.simple(dict(VALUES if values is None else values, device__attribute_compute_capability_major=capability // 10,
                                  device__attribute_compute_capability_minor=capability % 10)))
        status, page, said = self.tool("report", "r.ncu-rep", "--section-folder", ".", "--section", "SampleSection", *options)
        return status, re.sub(" +", " ", page), said

    def test_a_simple_section(self):
        status, page, said = self.shown(WARPS_AND_CYCLES)
        self.assertEqual((status, said), (0, ""))
        self.assertIn("Section: A Sample", page)
        self.assertRegex(page, r"Active Warps .*12\.5")
        self.assertRegex(page, r"Active Cycles .*2,000")

    def test_what_is_missing_is_not_available_and_no_error(self):
        status, page, said = self.shown(WARPS_AND_CYCLES, 80, {"smsp__active_warps_avg": 1.0})
        self.assertEqual(status, 0)
        self.assertRegex(page, r"Active Cycles .*N/A \S+")
        status, _, said = self.shown(WARPS_AND_CYCLES, 80, {}, "--metrics", "smsp__active_cycles_avg")
        self.assertEqual(status, 3)
        self.assertIn("smsp__active_cycles_avg is not available", said)

    def test_tables_and_charts_with_patterns(self):
        status, page, said = self.shown(WARPS_AND_CYCLES + BODY)
        self.assertEqual((status, said), (0, ""))
        self.assertRegex(page, r"Issued by a Scheduler .*31")
        self.assertRegex(page, r"Executed by a Scheduler .*30")
        for title in ("Elapsed", "Elapsed as Bars [Cycles]"):
            behind = page.split("\n " + title + "\n", 1)[1]
            self.assertRegex(behind, r"sm__elapsed_cycles_sum .*400")
            self.assertRegex(behind, r"lts__elapsed_cycles_sum .*100")
        self.assertRegex(page, r"sm__elapsed_cycles_sum 400 \|#+")

    def test_a_pattern_in_a_header_is_none(self):
        status, page, said = self.shown('Header { Metrics { Name: "regex:.*__elapsed_cycles_sum" } }\n')
        self.assertNotRegex(page, r"__elapsed_cycles_sum .*400")
        self.assertRegex(page, r"regex:\S+ N/A a pattern names metrics in the tables and charts of a Body alone")

    def test_options_and_filters_by_architecture(self):
        for capability, is_there in ((60, True), (70, True), (72, False), (75, True), (80, True), (86, True), (89, False), (90, False)):
            with self.subTest(capability=capability):
                status, page, _ = self.shown(FREQUENCY, capability)
                self.assertEqual((status, "Memory Clock" in page), (0, is_there))

    def test_filters_by_scope(self):
        for scope, is_there in (("Launch", True), ("Range", False)):
            with self.subTest(scope=scope):
                status, page, said = self.shown(SCOPE % scope)
                self.assertEqual((status, said, "Could be Active" in page), (0, "", is_there))

    def test_importance(self):
        for importance, is_told in (("Required", True), ("Optional", False)):
            with self.subTest(importance=importance):
                _, _, said = self.shown(REQUIRED % importance)
                self.assertEqual("requires sm__throughput.avg.pct_of_peak_sustained_elapsed" in said, is_told)

    def test_filters_of_a_metric_win_over_those_of_the_section(self):
        section = "Filter { Items { MinArch: CC_75 } }\n" + WARPS_AND_CYCLES.replace(
            'Name: "smsp__active_warps_avg"', 'Name: "smsp__active_warps_avg" Filter { MinArch: CC_60 }')
        _, page, _ = self.shown(section, 70)
        self.assertIn("Active Warps", page)
        self.assertNotIn("Active Cycles", page)

    def test_counter_domains(self):
        status, _, said = self.shown(DOMAINS, 80, None, "--strict")
        self.assertEqual((status, said), (0, ""))
        status, _, said = self.shown(DOMAINS.replace('CtrDomains: "gpu_sm_c"', 'Options { Name: "x" CtrDomains: "gpu_sm_c" }'))
        self.assertIn("CtrDomains", said)

    def test_derived_metrics(self):
        status, page, said = self.shown(DERIVED)
        self.assertEqual((status, said), (0, ""))
        self.assertRegex(page, r"Threads .*24")
        self.assertRegex(page, r"Transactions .*1")
        self.assertRegex(page, r"Operations .*128")

    def test_source_counters(self):
        status, page, said = self.shown(SOURCE, 80, None, "--strict")
        self.assertEqual((status, said), (0, ""))
        self.assertNotIn("collected_but_not_shown", page)
        _, raw, _ = self.shown(SOURCE, 80, None, "--page", "raw")
        self.assertRegex(raw, "inst_executed .*4")
        self.assertRegex(raw, "collected_but_not_shown .*5")

    def test_sections_that_cannot_be_used(self):
        for name, text in (("good.section", HEAD + WARPS_AND_CYCLES), ("bad.section", 'Identifier: "Bad"\nHeader {\n  Metrics {\n'),
                           ("named.txt", HEAD)):
            with open(os.path.join(self.folder, name), "w", encoding="ascii") as f:
                f.write(text)
        status, listed, said = self.tool("metrics", "--list-sections", "--section-folder", ".")
        self.assertEqual(status, 3)
        self.assertIn("SampleSection", listed)
        self.assertNotIn("Bad", listed)
        self.assertRegex(said, r"bad\.section:\d+:\d+: ")
        self.assertNotIn("named.txt", listed + said)


if __name__ == "__main__":
    unittest.main()
