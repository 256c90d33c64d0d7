#!/usr/bin/env python3
"""tests/unit/test_stock_rules.py - each of gputap's own rules speaks of a launch that deserves it, and is silent on its mended twin

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/rules")]
import compose as c         # noqa: E402

SECTIONS = ("OpenCLLaunch OpenCLOccupancy OpenCLMemory LaunchStats Occupancy SpeedOfLight MemoryWorkloadAnalysis SchedulerStats "
            "WarpStateStats SourceCounters").split()


def trace(gap=0, launches=1, total=0, waits=(), queue="queue 1", start=None, queued=None, unused=None):
    """GputapTrace; waits: (kind, name, bytes, start, end, direction, memory)"""
    times = (c.u(1, start) if start is not None else b"") + (c.u(4, queued) if queued is not None else b"")
    times += c.u(10, unused[0]) + c.u(11, unused[1]) if unused else b""
    return [c.m(1000, times, c.u(3, gap), c.u(7, launches), c.u(8, total), c.s(9, queue), *[
        c.m(6, c.s(1, w[0]), c.s(2, w[1]), c.u(3, w[2]), c.u(4, w[3]), c.u(5, w[4]), c.s(6, w[5]), c.s(7, w[6])) for w in waits])]


SITE = c.m(28, c.m(1, c.s(1, "app"), c.u(2, 7), c.s(3, "step.c"), c.s(4, "step"), c.u(5, 31)))
OCC = {"launch__occupancy_limit_registers": 4, "launch__occupancy_limit_shared_mem": 16, "launch__occupancy_limit_blocks": 32,
       "launch__occupancy_limit_warps": 8, "sm__maximum_warps_per_active_cycle_pct": 50.0, "launch__registers_per_thread_allocated": 64,
       "launch__shared_mem_per_block_allocated": 3072, "launch__block_size": 256}
STALL = "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"
GLOBAL = "l1tex__%s_pipe_lsu_mem_global_op_%s"
COMPUTE, MEMORY = (n + ".avg.pct_of_peak_sustained_elapsed" for n in ("sm__throughput", "gpu__compute_memory_throughput"))
COPY = ("copy", "input", 1 << 20, 100, 90100, "HtoD")

# rule: [(what deserves it, its mended twin, words of the message)]; each is a dictionary of metrics, or with what comes behind them
CASES = {
    "OpenCLLocalSize": [
        ({"opencl__preferred_multiple": 32, "opencl__local_size": 40}, {"opencl__preferred_multiple": 32, "opencl__local_size": 64},
         "24 lanes"),
        ({"opencl__preferred_multiple": 8, "opencl__local_size": 1}, {"opencl__preferred_multiple": 1, "opencl__local_size": 1}, "7 lanes")],
    "OpenCLFewGroups": [({"opencl__work_groups": 3, "opencl__compute_units": 16, "opencl__local_size": 256},
                         {"opencl__work_groups": 48, "opencl__compute_units": 16, "opencl__local_size": 16}, "13 of them have nothing")],
    "OpenCLTail": [({"opencl__work_groups": 17, "opencl__compute_units": 16, "opencl__tail_share": 46.875},
                    {"opencl__work_groups": 32, "opencl__compute_units": 16, "opencl__tail_share": 0.0}, "take 2 rounds, and the last one has 1")],
    "OpenCLLocalMemory": [
        ({"opencl__local_memory": 40000, "opencl__local_memory_limit": 65536, "opencl__local_memory_share": 61.0},
         {"opencl__local_memory": 32768, "opencl__local_memory_limit": 65536, "opencl__local_memory_share": 50.0}, "32.0 KiB")],
    "OpenCLBandwidth": [
        ({"opencl__buffer_bandwidth_share": 60.0, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         {"opencl__buffer_bandwidth_share": 59.9, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         "its 1.0 MiB of buffers once, it moves 60 % of the 936 GB/s"),
        ({"opencl__buffer_bandwidth_share": 180.0, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         {"opencl__buffer_bandwidth_share": 18.0, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         "would have moved 180 %")],
    "OpenCLPrivateMemory": [({"opencl__private_memory": 4096, "opencl__local_size": 64}, {"opencl__private_memory": 64}, "256.0 KiB for a group")],
    "TinyKernels": [(({"opencl__duration": 2000}, *trace(launches=5000, total=10000000)),
                     ({"opencl__duration": 2000000}, *trace(launches=5, total=10000000)), "launched 5000 times for 2 us"),
                    (({"gpu__time_duration.sum": 3000.0}, *trace(launches=100, total=300000)),
                     ({"gpu__time_duration.sum": 3000.0}, *trace(launches=99, total=300000)), "launched 100 times")],
    "HostGap": [(({"opencl__duration": 100000}, *trace(gap=900000), SITE), ({"opencl__duration": 100000}, *trace(gap=1000), SITE),
                 "queue 1 stood idle for 900 us before this kernel was enqueued; it ran for 100 us and was launched in step (step.c:31)"),
                (({"launch__duration": 100000}, *trace(gap=900000, start=1000000, queued=950000)),
                 ({"launch__duration": 100000}, *trace(gap=900000, start=1000000, queued=50000)), "idle for 850 us"),
                (({"launch__duration": 100000}, *trace(gap=9000000, start=10000000, queued=900000)),
                 ({"launch__duration": 9100000}, *trace(gap=9000000, start=10000000, queued=900000)), "The kernel waited 9 ms for its start")],
    "PageableCopy": [(({"launch__duration": 1000000}, *trace(waits=[COPY + ("pageable",)])),
                      ({"launch__duration": 1000000}, *trace(waits=[COPY + ("pinned",)])), "1 copy (1.0 MiB, 90 us)")],
    "CopyOverlap": [(({"launch__duration": 100000}, *trace(waits=[COPY + ("pinned",)])), ({"launch__duration": 100000}, *trace()),
                     "ran for 100 us and waited for copies of 90 us"),
                    (({"launch__duration": 40}, *trace(waits=[COPY + ("pinned",)])), ({"launch__duration": 40}, *trace()),
                     "ran for 40 ns and waited for copies of 90 us")],
    "UnusedBuffers": [(({"opencl__duration": 100000}, *trace(unused=(3, 3 << 20))), ({"opencl__duration": 100000}, *trace(unused=(3, 3000))),
                       "made 3 buffers of 3.0 MiB that nothing uses"),
                      (({"opencl__duration": 100000}, *trace(unused=(1, 65536))), ({"opencl__duration": 100000}, *trace(unused=(0, 0))),
                       "made 1 buffer of 64.0 KiB")],
    "LaunchGrid": [({"launch__grid_size": 20, "launch__sm_count": 132}, {"launch__grid_size": 1056, "launch__sm_count": 132}, "112 of them"),
                   ({"launch__grid_size": 20, "device__attribute_multiprocessor_count": 132},
                    {"launch__grid_size": 132, "device__attribute_multiprocessor_count": 132}, "112 of them")],
    "LaunchTail": [({"launch__waves_per_multiprocessor": 1.05, "launch__grid_size": 1109}, {"launch__waves_per_multiprocessor": 2.0,
                     "launch__grid_size": 2112}, "(1056 blocks)"),
                   ({"launch__waves_per_multiprocessor": 2.2}, {"launch__waves_per_multiprocessor": 20.2}, "2 whole waves and one that is 20 % full")],
    "LaunchBlockSize": [({"launch__block_size": 33}, {"launch__block_size": 64}, "31 lanes")],
    "OccupancyLimit": [
        (dict(OCC, launch__occupancy_limit_registers=2, sm__maximum_warps_per_active_cycle_pct=25.0, launch__registers_per_thread_allocated=128),
         OCC, "limited by registers (2 blocks fit). A thread takes 128 registers, one block more fits with 80"),
        (dict(OCC, launch__occupancy_limit_shared_mem=1, sm__maximum_warps_per_active_cycle_pct=12.5,
              launch__shared_mem_per_block_allocated=102400), OCC, "limited by shared memory (1 block fits). A block takes 100.0 KiB"),
        (dict(OCC, launch__occupancy_limit_blocks=3, sm__maximum_warps_per_active_cycle_pct=40.0, launch__block_size=32), OCC,
         "limited by the number of blocks (3 blocks fit). Blocks are small (32 threads)")],
    "OccupancyAchieved": [
        ({"sm__warps_active.avg.pct_of_peak_sustained_active": 40.0, "sm__maximum_warps_per_active_cycle_pct": 100.0},
         {"sm__warps_active.avg.pct_of_peak_sustained_active": 93.0, "sm__maximum_warps_per_active_cycle_pct": 100.0}, "40 % of")],
    "Bottleneck": [({COMPUTE: 20.0, MEMORY: 30.0}, {COMPUTE: 85.0, MEMORY: 30.0}, "Neither computing (20 %"),
                   ({COMPUTE: 20.0, MEMORY: 70.0}, {COMPUTE: 20.0, MEMORY: 91.0}, "Memory (70 % of its peak) is busier"),
                   ({COMPUTE: 70.0, MEMORY: 20.0}, {COMPUTE: 81.0, MEMORY: 91.0}, "Computing (70 % of its peak) is busier")],
    "GlobalAccess": [
        ({GLOBAL % ("average_t_sectors_per_request", "ld.ratio"): 32.0}, {GLOBAL % ("average_t_sectors_per_request", "ld.ratio"): 4.0},
         "Reads of global memory touch 32.0"),
        ({GLOBAL % ("t_sectors", "st.sum"): 2400.0, GLOBAL % ("t_requests", "st.sum"): 100.0},
         {GLOBAL % ("t_sectors", "st.sum"): 400.0, GLOBAL % ("t_requests", "st.sum"): 100.0}, "Writes of global memory touch 24.0")],
    "UncoalescedLines": [
        ({"memory_l2_theoretical_sectors_global": [(0x10, 32), (0x20, 4)], "memory_l2_theoretical_sectors_global_ideal": [(0x10, 4), (0x20, 4)]},
         {"memory_l2_theoretical_sectors_global": [(0x10, 4), (0x20, 4)], "memory_l2_theoretical_sectors_global_ideal": [(0x10, 4), (0x20, 4)]},
         "28 of 36 sectors (78 %)")],
    "SharedConflicts": [
        ({"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 31.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 32.0},
         {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 0.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 1.0},
         "took 32 turns, 31 of them (97 %)")],
    "WarpStalls": [({STALL % "long_scoreboard": 12.0, STALL % "barrier": 1.0, STALL % "wait": 2.0},
                    {STALL % r: 1.0 for r in ("long_scoreboard", "barrier", "wait", "drain")}, "12.0 (80 %) were spent waiting for data from global")],
    "IssueSlots": [({"smsp__issue_active.avg.per_cycle_active": 0.2, "smsp__warps_active.avg.per_cycle_active": 8.0,
                     "smsp__warps_eligible.avg.per_cycle_active": 0.3}, {"smsp__issue_active.avg.per_cycle_active": 0.9},
                    "in 20 % of its cycles. Of 8.0 active warps 0.30 were eligible")],
    "Divergence": [
        ({"smsp__thread_inst_executed_per_inst_executed.ratio": 12.0}, {"smsp__thread_inst_executed_per_inst_executed.ratio": 31.5}, "12.0 of 32"),
        ({"smsp__thread_inst_executed_per_inst_executed.ratio": 32.0, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": 16.0},
         {"smsp__thread_inst_executed_per_inst_executed.ratio": 32.0, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": 30.0},
         "conditions switch threads off")],
    "HotSpots": [({"smsp__pcsamp_sample_count": [(0x10 * i, 1) for i in range(20)] + [(0x1000, 80)]},
                  {"smsp__pcsamp_sample_count": [(0x10 * i, 5) for i in range(20)]}, "1 of 21 instructions holds 80 %")],
}


def parts(case):
    return case if isinstance(case, tuple) else (case,)


class Stock(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        s, kernels = c.Strings(), []
        for rule, cases in CASES.items():
            for i, (bad, good, _) in enumerate(cases):
                for word, (metrics, *more) in (("bad", parts(bad)), ("good", parts(good))):
                    ms = [c.metric(s, n, None, v) if isinstance(v, list) else c.metric(s, n, v) for n, v in metrics.items()]
                    kernels.append(c.kernel(s, "%s/%d/%s" % (rule, i, word), ms, *more, sections=SECTIONS))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.ncu-rep")
            with open(path, "wb") as f:
                f.write(c.report(c.block(s, results=kernels)))
            r = subprocess.run([sys.executable, str(ROOT / "python/gputap-rules"), "apply", path], stdout=subprocess.PIPE, timeout=100, check=True)
        lines = [json.loads(line) for line in r.stdout.decode().splitlines()]
        cls.failed = [x["failed"] for x in lines if "failed" in x]
        cls.results = [x["result"] for x in lines if "result" in x]
        cls.printed = [x for x in lines if "printed" in x]

    def spoke(self, kernel):
        return {r["rule"]: r["messages"] for r in self.results if r["kernel"] == kernel and r["messages"]}

    def test_none_fails(self):
        self.assertEqual((self.failed, self.printed), ([], []))

    def test_each_rule_has_its_case(self):
        r = subprocess.run([sys.executable, str(ROOT / "python/gputap-rules"), "list"], stdout=subprocess.PIPE, timeout=100, check=True)
        rules = [json.loads(line).get("rule") for line in r.stdout.decode().splitlines()]
        self.assertEqual(sorted(CASES), sorted(x["identifier"] for x in rules if x))
        for x in rules:
            if x:
                self.assertNotEqual(x["name"], x["identifier"])
                self.assertTrue(x["description"].endswith("."), x)
                self.assertIn(x["section"], SECTIONS + [None])

    def test_what_deserves_it_is_told(self):
        for rule, cases in CASES.items():
            for i, (_, _, words) in enumerate(cases):
                spoke = self.spoke("%s/%d/bad" % (rule, i))
                self.assertEqual(list(spoke), [rule], "%s/%d" % (rule, i))
                self.assertIn(words, spoke[rule][0]["text"])
                speedup = spoke[rule][0]["speedup"]
                self.assertTrue(speedup is None or 0 < speedup["value"] < 100, rule)

    def test_a_share_that_is_shown_as_0_is_not_said(self):
        self.assertEqual([self.spoke("CopyOverlap/%d/bad" % i)["CopyOverlap"][0]["speedup"] is None for i in (0, 1)], [False, True])

    def test_the_mended_twin_is_not(self):
        for rule, cases in CASES.items():
            for i in range(len(cases)):
                self.assertEqual(self.spoke("%s/%d/good" % (rule, i)), {}, "%s/%d" % (rule, i))

    def test_markers_and_tables(self):
        by = {r["kernel"]: r for r in self.results if r["messages"]}
        self.assertEqual([m["at"] for m in by["UncoalescedLines/0/bad"]["markers"]], [0x10])
        self.assertEqual([m["at"] for m in by["HotSpots/0/bad"]["markers"]], [0x1000])
        self.assertEqual(by["PageableCopy/0/bad"]["messages"][0]["tables"][0]["rows"], [["input", "HtoD", 1 << 20, 90000]])
        self.assertEqual(by["WarpStalls/0/bad"]["messages"][0]["tables"][0]["rows"][0], ["long_scoreboard", 12.0])


class Documented(unittest.TestCase):
    PAGE = (ROOT / "docs/rules.md").read_text(encoding="utf-8")

    def test_each_rule_has_its_row(self):
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| .* \|$", self.PAGE, re.M)
        found = []
        for path in sorted((ROOT / "python/rules").glob("*.py")):
            text = path.read_text(encoding="utf-8")
            identifier = re.search(r'def get_identifier\(\):\n    return "(\w+)"', text)
            section = re.search(r'def get_section_identifier\(\):\n    return "(\w+)"', text)
            if identifier:
                found.append((identifier.group(1), section.group(1) if section else "independent"))
        self.assertEqual(sorted(rows), sorted(found))


if __name__ == "__main__":
    unittest.main()
