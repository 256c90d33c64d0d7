#!/usr/bin/env python3
"""tests/unit/test_genuine.py - reports that Nsight Compute made, its own module and its own rules, where they are installed

Debian's package nsight-compute brings them; GENUINE_NCU names a folder that it was unpacked into.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python")]
import ncu_report           # noqa: E402

TOP = os.environ.get("GENUINE_NCU", "/")
REPORTS = sorted(glob.glob(os.path.join(TOP, "usr/share/doc/nsight-compute/examples/*/*.ncu-rep")) +
                 glob.glob(os.path.join(TOP, "opt/nvidia/nsight-compute/*/extras/samples/*/*.ncu-rep")))
RULES = (glob.glob(os.path.join(TOP, "usr/lib/*/nsight-compute/sections")) +
         glob.glob(os.path.join(TOP, "opt/nvidia/nsight-compute/*/sections")) + [None])[0]
MODULE = (glob.glob(os.path.join(TOP, "*/extras/python")) + glob.glob(os.path.join(TOP, "opt/nvidia/nsight-compute/*/extras/python")) +
          [os.path.dirname(path) for path in glob.glob(os.path.join(TOP, "usr/lib/python3/dist-packages/_ncu_report.so"))] + [None])[0]
TARGET = glob.glob(os.path.join(TOP, "usr/lib/*/nsight-compute/target"))
# What the module of 2022.3 does not have yet.
HAS = """import ncu_report
print(*[word for word in ("metric_subtype", "rollup_operation") if hasattr(ncu_report.IMetric, word)])
"""
DUMP = """import json, sys
import ncu_report
out = []
for part in ncu_report.load_report(sys.argv[1]):
    for a in part:
        rows = []
        for name in a:
            m = a[name]
            n = m.num_instances()
            ids = m.correlation_ids() if m.has_correlation_ids() else None
            rows.append([name, m.has_value() and repr(m.value()), m.as_double(), m.as_uint64(), m.as_string(), n,
                         [getattr(m, word)() for word in sys.argv[2:]], [repr(m.value(i)) for i in range(n)],
                         ids and [repr(ids.value(i)) for i in range(n)]])
        pcs, places = a.metric_by_name("inst_executed"), []
        for i in range(pcs.num_instances() if pcs is not None and pcs.has_correlation_ids() else 0):
            pc = pcs.correlation_ids().as_uint64(i)
            info = a.source_info(pc)
            places.append([pc, info and [info.file_name(), info.line()], a.ptx_by_pc(pc)])
        out.append([a.name(), a.name(1), a.name(2), rows, places])
json.dump(out, sys.stdout)
"""


def said(result):
    """Messages with what belongs to them, and markers; charts and tables are bytes of their own."""
    return [[i.get(k) for k in ("message", "speedup", "focus")] for i in result.get("body", {}).get("items", [])], result.get("markers")


@unittest.skipUnless(REPORTS, "skipped: no report of Nsight Compute's is installed")
class Genuine(unittest.TestCase):
    def test_every_metric_is_read(self):
        for path in REPORTS:
            metrics = [a[name] for part in ncu_report.load_report(path) for a in part for name in a]
            self.assertGreater(sum(m.has_value() for m in metrics), 100, path)

    @unittest.skipUnless(RULES, "skipped: no rules of Nsight Compute's are installed")
    def test_its_rules_say_what_they_said(self):
        same = other = 0
        for path in REPORTS:
            with tempfile.TemporaryDirectory() as folder:
                new = os.path.join(folder, "new.ncu-rep")
                subprocess.run([sys.executable, str(ROOT / "python/gputap-rules"), "apply", path, "--folder", RULES, "-o", new],
                               stdout=subprocess.DEVNULL, check=True)
                for part, again in zip(ncu_report.load_report(path), ncu_report.load_report(new)):
                    for a, b in zip(part, again):
                        results = {r["identifier"]: r for r in b.rule_results()}
                        for r in a.rule_results():
                            agrees = said(r) == said(results[r["identifier"]])
                            same, other = same + agrees, other + (not agrees)
        # Texts change a little from version to version, and a package may hold older reports.
        self.assertGreater(same, 2 * other)

    @unittest.skipUnless(MODULE, "skipped: Nsight Compute's module ncu_report is not installed")
    def test_its_module_answers_the_same(self):
        with tempfile.TemporaryDirectory() as top:
            module = os.path.join(top, "extras/python")
            os.mkdir(os.path.dirname(module))
            os.symlink(MODULE, module)
            if TARGET:                  # Debian's module does not find its libraries where it lies
                os.symlink(TARGET[0], os.path.join(top, "target"))
            words = self.says(module, HAS).split()
            for path in REPORTS:
                told = [json.loads(self.says(folder, DUMP, path, *words)) for folder in (module, str(ROOT / "python"))]
                self.assertEqual(told[0], told[1], path)

    @staticmethod
    def says(folder, script, *args):
        return subprocess.run([sys.executable, "-c", script, *args], stdout=subprocess.PIPE, check=True,
                              env=dict(os.environ, PYTHONPATH=folder)).stdout.decode()


if __name__ == "__main__":
    unittest.main()
