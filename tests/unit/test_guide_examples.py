#!/usr/bin/env python3
"""tests/unit/test_guide_examples.py - what the Customization Guide shows of its Python interfaces works, call by call

spec: NCU "Rule Examples", "Basic Usage", "High-Level Interface", "Metric attributes", "NVTX Support", "Sample Script"

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import pydoc
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/rules")]
import compose as c         # noqa: E402
import ncu_report           # noqa: E402
from ncu_report import IMetric          # noqa: E402

# "Rule Examples": the architecture that a kernel ran on
ARCHITECTURE = """import NvRules

def get_identifier():
    return "Architecture"

def apply(handle):
    context = NvRules.get_context(handle)
    action = context.range_by_idx(0).action_by_idx(0)
    major = action.metric_by_name("device__attribute_compute_capability_major").as_uint64()
    context.frontend().message("It ran on a device of compute capability " + str(major) + ".x")
"""

# "Rule File API": a rule with everything that the guide lists
WHOLE = """import NvRules
def get_identifier(): return "Whole"
def get_name(): return "A rule with a name"
def get_description(): return "And a description"
def get_section_identifier(): return "LaunchStats"
def evaluate(handle):
    NvRules.require_metrics(handle, ["launch__grid_size"])
    NvRules.require_rules(handle, ["Architecture"])
def apply(handle):
    context = NvRules.get_context(handle)
    context.controller().propose_rule("Architecture")
    context.frontend().message("%d blocks" % context[0][0]["launch__grid_size"].value())
"""

# "Sample Script": kernels inside of two pushed ranges
SCRIPT = """#!/usr/bin/env python3
import sys
import ncu_report

if len(sys.argv) != 2:
    print("a report is wanted: {} FILE".format(sys.argv[0]), file=sys.stderr)
    sys.exit(1)
report = ncu_report.load_report(sys.argv[1])
for i in range(report.num_ranges()):
    part = report.range_by_idx(i)
    for j in part.actions_by_nvtx(["BottomRange/*/TopRange"], []):
        print(part.action_by_idx(j).name())
"""


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        s = c.Strings()
        metrics = {"device__attribute_display_name": "NVIDIA GeForce RTX 3060 Ti", "device__attribute_compute_capability_major": 8,
                   "launch__grid_size": 64, "sm__cycles_active.avg.per_second": 1.5, "sm__cycles_active.sum.per_second": 2.5,
                   "dram__throughput.avg.pct_of_peak_sustained_elapsed": 40.0, "sm__inst_executed.avg": 7.0}
        self.path = self.write("my_report.ncu-rep", c.report(c.block(s, results=[
            c.kernel(s, "MyKernel", metrics, c.nvtx(["BottomRange", "Middle", "TopRange"]), sections=["LaunchStats"]),
            c.kernel(s, "OtherKernel", metrics, c.nvtx(["TopRange"]), sections=["LaunchStats"])])))

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path

    def python(self, *args):
        return subprocess.run([sys.executable, *args], stdout=subprocess.PIPE, timeout=60, check=True, universal_newlines=True,
                              env=dict(os.environ, PYTHONPATH=str(ROOT / "python"), PYTHONDONTWRITEBYTECODE="1")).stdout

    def test_rule_examples(self):
        self.write("architecture.py", ARCHITECTURE)
        self.write("whole.py", WHOLE)
        out = self.python(str(ROOT / "python/gputap-rules"), "apply", self.path, "--folder", self.folder)
        results = [json.loads(line).get("result") for line in out.splitlines()]
        said = [(r["rule"], r["kernel"], r["messages"][0]["text"], r["proposals"]) for r in results if r]
        self.assertEqual(said, [
            ("Architecture", "MyKernel", "It ran on a device of compute capability 8.x", []),
            ("Architecture", "OtherKernel", "It ran on a device of compute capability 8.x", []),
            ("Whole", "MyKernel", "64 blocks", ["Architecture"]), ("Whole", "OtherKernel", "64 blocks", ["Architecture"])])

    def test_basic_usage(self):
        my_context = ncu_report.load_report(self.path)
        self.assertIsInstance(my_context, ncu_report.IContext)
        self.assertEqual(my_context.num_ranges(), 1)
        my_range = my_context.range_by_idx(0)
        self.assertEqual(my_range.num_actions(), 2)
        my_action = my_range.action_by_idx(0)
        self.assertEqual(my_action.name(), "MyKernel")
        self.assertIn("device__attribute_display_name", my_action.metric_names())
        display_name = my_action.metric_by_name("device__attribute_display_name")
        self.assertEqual(display_name.as_string(), "NVIDIA GeForce RTX 3060 Ti")
        self.assertEqual(display_name.as_double(), 0.0)

    def test_high_level_interface(self):
        my_action = ncu_report.load_report(pathlib.Path(self.path))[0][0]
        display_name = my_action["device__attribute_display_name"]
        self.assertEqual(display_name.value(), "NVIDIA GeForce RTX 3060 Ti")
        self.assertIn("value(self, idx=None)", pydoc.render_doc(ncu_report.IMetric, renderer=pydoc.plaintext))
        self.assertTrue(ncu_report.IMetric.value.__doc__)

    def test_metric_attributes(self):
        action = ncu_report.load_report(self.path)[0][0]
        metrics = [action[name] for name in action]
        found = ["{}: {} {}".format(metric.name(), metric.value(), metric.unit()) for metric in metrics
                 if metric.metric_type() == IMetric.MetricType_COUNTER and
                 metric.metric_subtype() == IMetric.MetricSubtype_PER_SECOND and
                 metric.rollup_operation() == IMetric.RollupOperation_AVG]
        self.assertEqual(found, ["sm__cycles_active.avg.per_second: 1.5 "])
        self.assertEqual([m.name() for m in metrics if m.metric_type() == IMetric.MetricType_THROUGHPUT],
                         ["dram__throughput.avg.pct_of_peak_sustained_elapsed"])
        self.assertIsNone(action["sm__inst_executed.avg"].metric_subtype())

    def test_nvtx_support(self):
        state = ncu_report.load_report(self.path)[0][0].nvtx_state()
        self.assertEqual(state.domains(), (0,))
        info = state.domain_by_id(0)
        self.assertEqual(info.push_pop_ranges(), ("BottomRange", "Middle", "TopRange"))
        self.assertEqual(info.start_end_ranges(), ())

    def test_sample_script(self):
        self.assertEqual(self.python(self.write("script.py", SCRIPT), self.path), "MyKernel\n")


if __name__ == "__main__":
    unittest.main()
