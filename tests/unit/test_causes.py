#!/usr/bin/env python3
"""tests/unit/test_causes.py - messages of one cause are said once, with a count, and what is under 1 % of the run is not said

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/rules")]
import compose as c         # noqa: E402

LAUNCHES, TOTAL, RUN, JUDGED = 1, 2, 4, 5           # fields of a shape
RULE = """import NvRules
def get_identifier(): return "Gathers"
def apply(handle):
    context = NvRules.get_context(handle)
    action = context.range_by_idx(0).action_by_idx(0)
    shape = action.trace().shape()
    front = context.frontend()
    front.gather(front.message(NvRules.IFrontend.MsgType_MSG_WARNING, "It is slow.", "Slow"), "slow", 100.0 * shape["total_ns"] / shape["run_ns"], %s)
    front.source_marker("here", 1, NvRules.IFrontend.MarkerKind_SASS)
    if action.name() == "most":
        front.message("Besides.")
"""


def shape(total, run=1000000, judged=1, launches=1):
    return c.m(1000, c.m(12, c.u(LAUNCHES, launches), c.u(TOTAL, total), c.u(RUN, run), c.u(JUDGED, judged)))


def process(pid, kernels):
    strings = c.Strings()
    return strings, [c.kernel(strings, name, {}, shape(total)) for name, total in kernels], pid


def said(*processes, gain=False, least=()):
    """What Gathers says: {kernel: result}"""
    with tempfile.TemporaryDirectory() as folder:
        rules, report = pathlib.Path(folder, "rules"), pathlib.Path(folder, "a.ncu-rep")
        rules.mkdir()
        (rules / "gathers.py").write_text(RULE % gain, encoding="utf-8")
        report.write_bytes(c.report(*[c.block(s, results=k, process=pid) for s, k, pid in processes]))
        r = subprocess.run([sys.executable, str(ROOT / "python/gputap-rules"), "apply", str(report), "--folder", str(rules), *least],
                           stdout=subprocess.PIPE, timeout=100, check=True)
    lines = [json.loads(line) for line in r.stdout.decode().splitlines()]
    assert not any("failed" in line for line in lines), lines
    results = [line["result"] for line in lines if "result" in line]
    return {r["kernel"]: r for r in sorted(results, key=lambda r: bool(r["messages"]))}     # of two of one name the one that spoke


class Causes(unittest.TestCase):
    def test_five_hundred_kernels_are_one_message(self):
        results = said(process(1, [("k%d" % i, 1500) for i in range(499)] + [("most", 2000)]))
        spoke = {k: r["messages"] for k, r in results.items() if r["messages"]}
        self.assertEqual((len(results), list(spoke)), (500, ["most"]))
        self.assertEqual(spoke["most"][0]["text"],
                         "It is slow. So it is with 499 other kernels (k0, k1, k2, ...): 75 % of the run for all their launches.")
        table = spoke["most"][0]["tables"][0]
        self.assertEqual((len(table["rows"]), table["rows"][0]), (20, ["most", "(1, 1, 1) x (1, 1, 1)", 1, 0.2]))
        self.assertEqual([m["text"] for m in spoke["most"]][1:], ["Besides."])

    def test_of_one_kernel_it_is_said_what_it_takes(self):
        spoke = said(process(1, [("k", 300000)]))["k"]["messages"]
        self.assertEqual((spoke[0]["text"], spoke[0]["tables"]), ("It is slow. Its launches take 30 % of the run.", []))

    def test_sizes_of_one_kernel(self):
        self.assertIn("So it is with another size of it: 40 %", said(process(1, [("k", 300000), ("k", 100000)]))["k"]["messages"][0]["text"])

    def test_a_gain_is_a_share_of_the_run(self):
        message = said(process(1, [("a", 20000), ("b", 10000)]), gain=True)["a"]["messages"][0]
        self.assertEqual(message["text"], "It is slow. So it is with another kernel (b): 3 % of the run in all, at most.")
        self.assertEqual(message["speedup"], {"type": 1, "value": 3.0})

    def test_under_one_percent_it_is_silent(self):
        results = said(process(1, [("a", 5000), ("b", 4999)]))
        self.assertEqual([(r["messages"], r["markers"]) for r in results.values()], [([], []), ([], [])])
        self.assertTrue(said(process(1, [("a", 5000), ("b", 5000)]))["a"]["messages"])
        self.assertTrue(said(process(1, [("a", 1)]), least=["--least", "0"])["a"]["messages"])
        self.assertEqual([m["id"] for m in said(process(1, [("most", 5)]))["most"]["messages"]], [1])

    def test_each_process_has_its_own_run(self):
        results = said(process(1, [("a", 6000)]), process(2, [("b", 6000)]))
        self.assertEqual([r["messages"] for r in results.values()], [[], []])
        results = said(process(1, [("a", 60000)]), process(2, [("b", 70000)]))
        self.assertIn("So it is with another kernel (a): 7 % of the run", results["b"]["messages"][0]["text"])

    def test_marks_stay_where_the_message_is_another_kernels(self):
        self.assertEqual([len(r["markers"]) for r in said(process(1, [("a", 30000), ("b", 20000)])).values()], [1, 1])


if __name__ == "__main__":
    unittest.main()
