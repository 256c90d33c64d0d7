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
sys.path[:0] = [str(ROOT / "tests/rules"), str(ROOT / "python")]
import compose as c         # noqa: E402
from gputap_report import file, runner         # noqa: E402

SECTIONS = ("OpenCLLaunch OpenCLOccupancy OpenCLMemory LaunchStats Occupancy SpeedOfLight MemoryWorkloadAnalysis SchedulerStats "
            "WarpStateStats SourceCounters").split()


SHAPE = ("launches total_ns typical_ns run_ns judged on_cpu beside_ns idle_ns idles known_ns doings late_ns lates short_ns shorts "
         "copy_ns copies copied_bytes hideable_ns pageable_ns pageable pageable_bytes ran_ns").split()


def trace(waits=(), unused=None, doings=(), **shape):
    """GputapTrace; waits: (kind, name, bytes, start, end, direction, memory); doings: (kind, name, ns); shape: by its names"""
    shape = {"launches": 1, "total_ns": 1000000, "ran_ns": 1000000, "run_ns": 10000000, "judged": 1, **shape}
    numbers = b"".join(c.u(SHAPE.index(name) + 1, value) for name, value in shape.items())
    parts = b"".join(c.m(11, c.s(1, kind), c.s(2, name), c.u(3, ns)) for kind, name, ns in doings)
    return [c.m(1000, c.u(10, unused[0]) + c.u(11, unused[1]) if unused else b"", c.s(9, "queue 1"), c.m(12, numbers, parts), *[
        c.m(6, c.s(1, w[0]), c.s(2, w[1]), c.u(3, w[2]), c.u(4, w[3]), c.u(5, w[4]), c.s(6, w[5]), c.s(7, w[6])) for w in waits])]


SITE = c.m(28, c.m(1, c.s(1, "app"), c.u(2, 7), c.s(3, "step.c"), c.s(4, "step"), c.u(5, 31)))
OCC = {"launch__occupancy_limit_registers": 4, "launch__occupancy_limit_shared_mem": 16, "launch__occupancy_limit_blocks": 32,
       "launch__occupancy_limit_warps": 8, "sm__maximum_warps_per_active_cycle_pct": 50.0, "launch__registers_per_thread_allocated": 64,
       "launch__shared_mem_per_block_allocated": 3072, "launch__block_size": 256}
LOW = dict(OCC, launch__occupancy_limit_registers=2, sm__maximum_warps_per_active_cycle_pct=25.0)
STALL = "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"
ACHIEVED = {"sm__warps_active.avg.pct_of_peak_sustained_active": 40.0, "sm__maximum_warps_per_active_cycle_pct": 100.0}
GLOBAL = "l1tex__%s_pipe_lsu_mem_global_op_%s"
COMPUTE, MEMORY = (n + ".avg.pct_of_peak_sustained_elapsed" for n in ("sm__throughput", "gpu__compute_memory_throughput"))
LATENCY = "smsp__average_warp_latency_per_inst_issued.ratio"
COPY = ("copy", "input", 1 << 20, 100, 90100, "HtoD")

LOCAL_MEMORY = {"opencl__local_memory": 40000, "opencl__local_memory_limit": 65536}

# rule: [(what deserves it, its mended twin, words of the message)]; each is a dictionary of metrics, or with what comes behind them
CASES = {
    "OpenCLLocalSize": [
        ({"opencl__preferred_multiple": 32, "opencl__local_size": 40}, {"opencl__preferred_multiple": 32, "opencl__local_size": 64},
         "24 lanes"),
        ({"opencl__preferred_multiple": 8, "opencl__local_size": 1}, {"opencl__preferred_multiple": 1, "opencl__local_size": 1}, "7 lanes"),
        ({"opencl__preferred_multiple": 8, "opencl__local_size": 1, "opencl__global_size": 8},
         {"opencl__preferred_multiple": 8, "opencl__local_size": 1, "opencl__global_size": 7}, "7 lanes")],
    "OpenCLFewGroups": [({"opencl__work_groups": 3, "opencl__compute_units": 16, "opencl__local_size": 256},
                         {"opencl__work_groups": 48, "opencl__compute_units": 16, "opencl__local_size": 16}, "13 of them have nothing"),
                        (({"opencl__work_groups": 8, "opencl__compute_units": 16}, *trace()),
                         ({"opencl__work_groups": 8, "opencl__compute_units": 16}, *trace(beside_ns=900000)), "At most 5 % of the run.")],
    "OpenCLTail": [({"opencl__work_groups": 17, "opencl__compute_units": 16, "opencl__tail_share": 46.875},
                    {"opencl__work_groups": 32, "opencl__compute_units": 16, "opencl__tail_share": 0.0}, "take 2 rounds, and the last one has 1")],
    "OpenCLLocalMemory": [
        ({"opencl__local_memory": 40000, "opencl__local_memory_limit": 65536, "opencl__local_memory_share": 61.0},
         {"opencl__local_memory": 32768, "opencl__local_memory_limit": 65536, "opencl__local_memory_share": 50.0}, "32.0 KiB"),
        (dict(LOCAL_MEMORY, opencl__work_groups=17, opencl__compute_units=16), dict(LOCAL_MEMORY, opencl__work_groups=16, opencl__compute_units=16),
         "a second group"),
        ((LOCAL_MEMORY, *trace()), (LOCAL_MEMORY, *trace(on_cpu=1)), "Its launches take 10 % of the run.")],
    "OpenCLBandwidth": [
        ({"opencl__buffer_bandwidth_share": 60.0, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         {"opencl__buffer_bandwidth_share": 59.9, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         "its 1.0 MiB of buffers once, it moves 60 % of the 936 GB/s"),
        ({"opencl__buffer_bandwidth_share": 100.0, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         {"opencl__buffer_bandwidth_share": 1171.0, "opencl__buffer_bytes": 1 << 20, "opencl__peak_bandwidth": 9.36e11},
         "it moves 100 % of")],
    "OpenCLPrivateMemory": [({"opencl__private_memory": 4096, "opencl__local_size": 64}, {"opencl__private_memory": 64}, "256.0 KiB for a group")],
    "TinyKernels": [
        (({}, *trace(launches=5000, typical_ns=2000, short_ns=4000000, shorts=4000)),
         ({}, *trace(launches=5000, typical_ns=2000, short_ns=90000, shorts=4000)), "launched 5000 times and typically runs for 2 us; the "
         "device was idle for 1 us before a launch, 4 ms in all"),
        (({}, *trace(launches=100, typical_ns=9999, short_ns=100000, shorts=1)), ({}, *trace(launches=99, typical_ns=9999, short_ns=100000, shorts=1)),
         "At most 1 % of the run."),
        (({}, *trace(launches=100, typical_ns=9999, short_ns=100000, shorts=1)), ({}, *trace(launches=100, typical_ns=10000, short_ns=100000, shorts=1)),
         "launched 100 times")],
    "HostGap": [
        (({}, *trace(idle_ns=900000, idles=3, known_ns=900000, launches=4, doings=[("api", "clBuildProgram", 855000), ("code", "", 45000)]), SITE),
         ({}, *trace(idle_ns=99000, idles=3, known_ns=99000, doings=[("api", "clBuildProgram", 99000)]), SITE),
         "idle for 900 us in all before 3 launches, until they were enqueued in step (step.c:31). Meanwhile the launching thread was in "
         "clBuildProgram for 95 % and in its own code for 5 % of the time. Build programs before"),
        (({}, *trace(idle_ns=900000, idles=1, known_ns=800000, doings=[("wait", "clFinish", 800000)])), ({}, *trace()),
         "in clFinish for 100 % of the time. Enqueue the next work before waiting"),
        (({}, *trace(idle_ns=900000, idles=1, known_ns=900000, doings=[("code", "", 900000)])), ({}, *trace()), "in its own code for 100 %"),
        (({}, *trace(idle_ns=900000, idles=1, known_ns=900000, doings=[("os", "nanosleep", 900000)])), ({}, *trace()), "sleep ahead of the work"),
        (({}, *trace(idle_ns=900000, idles=1, known_ns=900000, doings=[("api", "cuMemAlloc_v2", 900000)])), ({}, *trace()), "Take memory once"),
        (({}, *trace(idle_ns=900000, idles=1)), ({}, *trace(idle_ns=900000, idles=1, judged=0)), "is not in the trace"),
        (({}, *trace(late_ns=2000000, lates=1)), ({}, *trace(late_ns=90000, lates=1)), "launched once, and started 2 ms late"),
        (({}, *trace(late_ns=2000000, lates=2, launches=5)), ({}, *trace(late_ns=2000000, lates=1, launches=5)), "its first launch is not counted")],
    "PageableCopy": [
        (({}, *trace(waits=[COPY + ("pageable",)], pageable=1, pageable_ns=200000, pageable_bytes=1 << 20)),
         ({}, *trace(waits=[COPY + ("pinned",)])), "(1 copy, 1.0 MiB, 200 us)"),
        (({}, *trace(pageable=2, pageable_ns=200000, pageable_bytes=1 << 21)), ({}, *trace(pageable=2, pageable_ns=90000, pageable_bytes=1 << 21)),
         "At most 2 % of the run.")],
    "CopyOverlap": [
        (({}, *trace(copies=1, copied_bytes=1 << 20, copy_ns=900000, hideable_ns=900000)), ({}, *trace(copies=1, copy_ns=240000, hideable_ns=240000)),
         "1 copy of 1.0 MiB took 900 us while no kernel ran; all launches ran for 1 ms. Cut the data"),
        (({}, *trace(copies=2, copy_ns=900000, hideable_ns=200000)), ({}, *trace(copies=2, copy_ns=900000, hideable_ns=99000)),
         "At most 2 % of the run."),
        (({}, *trace(copies=1, copy_ns=900000, hideable_ns=900000, on_cpu=1)), ({}, *trace(copies=1, copy_ns=90000, on_cpu=1)), "CL_MEM_USE_HOST_PTR")],
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
         "limited by the number of blocks (3 blocks fit). Blocks are small (32 threads)"),
        (dict(LOW, launch__waves_per_multiprocessor=3.0), dict(LOW, launch__waves_per_multiprocessor=1.0), "2 blocks fit"),
        (LOW, dict(LOW, **{COMPUTE: 81.0, MEMORY: 1.0}), "2 blocks fit")],
    "OccupancyAchieved": [
        ({"sm__warps_active.avg.pct_of_peak_sustained_active": 40.0, "sm__maximum_warps_per_active_cycle_pct": 100.0},
         {"sm__warps_active.avg.pct_of_peak_sustained_active": 93.0, "sm__maximum_warps_per_active_cycle_pct": 100.0}, "40 % of"),
        (dict(ACHIEVED, launch__waves_per_multiprocessor=0.5), dict(ACHIEVED, **{COMPUTE: 1.0, MEMORY: 90.0}), "blocks for 50 % of what"),
        (ACHIEVED, dict(ACHIEVED, sm__maximum_warps_per_active_cycle_pct=104.0), "40 % of")],
    "Bottleneck": [({COMPUTE: 20.0, MEMORY: 30.0}, {COMPUTE: 85.0, MEMORY: 30.0}, "Neither computing (20 %"),
                   ({COMPUTE: 20.0, MEMORY: 70.0}, {COMPUTE: 20.0, MEMORY: 91.0}, "Memory (70 % of its peak) is busier"),
                   ({COMPUTE: 70.0, MEMORY: 20.0}, {COMPUTE: 81.0, MEMORY: 91.0}, "Computing (70 % of its peak) is busier")],
    "GlobalAccess": [
        ({GLOBAL % ("average_t_sectors_per_request", "ld.ratio"): 32.0}, {GLOBAL % ("average_t_sectors_per_request", "ld.ratio"): 4.0},
         "Reads of global memory touch 32.0"),
        ({GLOBAL % ("average_t_sectors_per_request", "st.ratio"): 32.0},
         {GLOBAL % ("average_t_sectors_per_request", "st.ratio"): 32.0, COMPUTE: 90.0, MEMORY: 20.0}, "Writes of global memory touch 32.0"),
        ({GLOBAL % ("t_sectors", "st.sum"): 2400.0, GLOBAL % ("t_requests", "st.sum"): 100.0},
         {GLOBAL % ("t_sectors", "st.sum"): 400.0, GLOBAL % ("t_requests", "st.sum"): 100.0}, "Writes of global memory touch 24.0")],
    "UncoalescedLines": [
        ({"memory_l2_theoretical_sectors_global": [(0x10, 32), (0x20, 4)], "memory_l2_theoretical_sectors_global_ideal": [(0x10, 4), (0x20, 4)]},
         {"memory_l2_theoretical_sectors_global": [(0x10, 4), (0x20, 4)], "memory_l2_theoretical_sectors_global_ideal": [(0x10, 4), (0x20, 4)]},
         "28 of 36 sectors (78 %)")],
    "SharedConflicts": [
        ({"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 31.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 32.0},
         {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 0.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 1.0},
         "took 32 turns, 31 of them (97 %)"),
        ({"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": 32.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 32.0},
         {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": 33.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 32.0},
         "Writes of shared memory took 32 turns, 32 of them")],
    "WarpStalls": [({STALL % "long_scoreboard": 12.0, STALL % "barrier": 1.0, STALL % "wait": 2.0},
                    {STALL % r: 1.0 for r in ("long_scoreboard", "barrier", "wait", "drain")}, "12.0 (80 %) were spent waiting for data from global"),
                   ({STALL % "wait": 9.0, LATENCY: 10.0}, {STALL % "wait": 11.0, LATENCY: 10.0}, "9.0 (90 %)"),
                   ({STALL % "wait": 9.0, LATENCY: 10.0}, {STALL % "wait": 9.0, LATENCY: 10.0, COMPUTE: 1.0, MEMORY: 93.0}, "9.0 (90 %)")],
    "IssueSlots": [({"smsp__issue_active.avg.per_cycle_active": 0.2, "smsp__warps_active.avg.per_cycle_active": 8.0,
                     "smsp__warps_eligible.avg.per_cycle_active": 0.3}, {"smsp__issue_active.avg.per_cycle_active": 0.9},
                    "in 20 % of its cycles. Of 8.0 active warps 0.30 were eligible"),
                   ({"smsp__issue_active.avg.per_cycle_active": 0.2},
                    {"smsp__issue_active.avg.per_cycle_active": 0.2, COMPUTE: 1.0, MEMORY: 95.0}, "in 20 %")],
    "Divergence": [
        ({"smsp__thread_inst_executed_per_inst_executed.ratio": 12.0}, {"smsp__thread_inst_executed_per_inst_executed.ratio": 31.5}, "12.0 of 32"),
        ({"smsp__thread_inst_executed_per_inst_executed.ratio": 32.0, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": 16.0},
         {"smsp__thread_inst_executed_per_inst_executed.ratio": 32.0, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": 30.0},
         "conditions switch threads off"),
        ({"smsp__thread_inst_executed_per_inst_executed.ratio": 8.0, "launch__block_size": 64},
         {"smsp__thread_inst_executed_per_inst_executed.ratio": 24.0, "launch__block_size": 64}, "8.0 of 32 threads")],
    "HotSpots": [({"smsp__pcsamp_sample_count": [(0x10 * i, 1) for i in range(20)] + [(0x1000, 80)]},
                  {"smsp__pcsamp_sample_count": [(0x10 * i, 5) for i in range(20)]}, "1 of 21 instructions holds 80 %"),
                 ({"smsp__pcsamp_sample_count": [(0x10 * i, 10) for i in range(8)] + [(0x1000, 60)]},
                  {"smsp__pcsamp_sample_count": [(0x10 * i, 10) for i in range(4)] + [(0x1000, 59)]}, "1 of 9 instructions holds 43 %"),
                 ({"smsp__pcsamp_sample_count": [(0x10 * i, 2) for i in range(20)] + [(0x1000, 10)]},
                  {"smsp__pcsamp_sample_count": [(0x10 * i, 2) for i in range(18)] + [(0x1000, 10)]}, "holds 20 %")],
}


def parts(case):
    return case if isinstance(case, tuple) else (case,)


def kernel(strings, name, metrics, more=()):
    ms = [c.metric(strings, n, None, v) if isinstance(v, list) else c.metric(strings, n, v) for n, v in metrics.items()]
    return c.kernel(strings, name, ms, *more, sections=SECTIONS)


class Stock(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Launches of which nothing but metrics is known are judged one by one; what has a place in a run is a run of its own."""
        cls.failed, cls.results, cls.printed = [], [], []
        rules, together, s = runner.find([(str(ROOT / "python/rules"), False)]), [], c.Strings()
        for rule, cases in CASES.items():
            for i, (bad, good, _) in enumerate(cases):
                for word, (metrics, *more) in (("bad", parts(bad)), ("good", parts(good))):
                    name = "%s/%d/%s" % (rule, i, word)
                    if more:
                        own = c.Strings()
                        cls.apply(rules, own, [kernel(own, name, metrics, more)], rule)
                    else:
                        together.append(kernel(s, name, metrics))
        cls.apply(rules, s, together)

    @classmethod
    def apply(cls, rules, strings, kernels, rule=None):
        """rule: it and those that look at places alone"""
        with tempfile.NamedTemporaryFile(suffix=".ncu-rep") as f:
            f.write(c.report(c.block(strings, results=kernels)))
            f.flush()
            run = runner.Application(file.load(f.name), rules)
        names = {place: action.name() for place, action in run.actions}
        for one in rules.rules:
            def take(kind, place, what, one=one):
                if kind == "result":
                    cls.results.append(dict(what, rule=one.identifier, kernel=names[place]))
                elif kind != "skipped":
                    (cls.failed if kind == "failed" else cls.printed).append((one.identifier, what))
            if not rule or one.identifier == rule or not one.section:
                run.apply(one, take)

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
