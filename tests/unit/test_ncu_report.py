#!/usr/bin/env python3
"""tests/unit/test_ncu_report.py - python/ncu_report reads reports that were composed by field numbers

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ast
import inspect
import os
import pathlib
import random
import struct
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/rules")]
import compose as c         # noqa: E402
import ncu_report           # noqa: E402
import NvRules              # noqa: E402
from gputap_report import host       # noqa: E402
from ncu_report import IAction, IMetric, INvtxRange     # noqa: E402


OWN = {p.stem for p in (ROOT / "python").rglob("*.py")} | {"gputap_report", "compression"}      # the last is of Python 3.14


class Source(unittest.TestCase):
    def test_python_3_8_understands_it(self):
        for path in (ROOT / "python").rglob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 8))

    @unittest.skipUnless(hasattr(sys, "stdlib_module_names"), "skipped: Python before 3.10 does not name its library")
    def test_nothing_but_the_standard_library_is_imported(self):
        for path in (ROOT / "python").rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for name in [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if (
                        isinstance(node, ast.ImportFrom) and node.module and not node.level) else []:
                    top = name.split(".")[0]
                    self.assertTrue(top in sys.stdlib_module_names or top in OWN,
                                    "%s imports %s" % (path, name))


class WithFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "a.ncu-rep")

    def load(self, data):
        with open(self.path, "wb") as f:
            f.write(data)
        return ncu_report.load_report(self.path)

    def action(self, *args, **kw):
        return self.load(c.simple(*args, **kw))[0][0]


class Metrics(WithFiles):
    def test_each_kind_of_value_is_told_as_it_is(self):
        strings = c.Strings()
        k = c.kernel(strings, "k", [
            c.metric(strings, "text", "abc"), c.metric(strings, "double", 2.5), c.metric(strings, "u64", 1 << 63),
            c.metric(strings, "float", 0.5, kind="float"), c.metric(strings, "u32", 7, kind="uint32"), c.metric(strings, "none")])
        a = self.load(c.report(c.block(strings, results=[k])))[0][0]
        names = "text double u64 float u32 none".split()
        self.assertEqual(list(a), sorted(names))
        self.assertEqual([a[n].value() for n in names], ["abc", 2.5, 1 << 63, 0.5, 7, None])
        self.assertEqual([a[n].kind() for n in names], [2, 4, 6, 3, 5, 0])
        self.assertEqual([a[n].has_value() for n in names], [True] * 5 + [False])
        self.assertEqual(a["text"].as_double(), 0.0)
        self.assertEqual(a["text"].as_uint64(), 0)
        self.assertEqual(a["text"].as_string(), "abc")
        self.assertEqual(a["double"].as_uint64(), 2)
        self.assertIsNone(a["double"].as_string())
        self.assertEqual(a["u64"].as_double(), 2.0 ** 63)
        self.assertEqual(str(a["text"]), "text")

    def test_doubles_that_are_no_integers_are_0_as_one(self):
        for v in (float("nan"), float("inf"), -1.0):
            self.assertEqual(self.action({"m": v})["m"].as_uint64(), 0)

    def test_instances_with_their_ids(self):
        strings = c.Strings()
        k = c.kernel(strings, "k", [c.metric(strings, "inst_executed", 30, [(0x100, 10), (0x110, 20)]),
                                    c.metric(strings, "plain", None, [(None, 1.5), (None, 2.5)]),
                                    c.metric(strings, "opcodes", None, [("FFMA", 3)])])
        a = self.load(c.report(c.block(strings, results=[k])))[0][0]
        m = a["inst_executed"]
        self.assertEqual((m.value(), m.num_instances(), m.value(0), m.value(1)), (30, 2, 10, 20))
        self.assertTrue(m.has_correlation_ids())
        ids = m.correlation_ids()
        self.assertEqual([ids.as_uint64(i) for i in range(ids.num_instances())], [0x100, 0x110])
        self.assertEqual((m.as_double(1), m.as_uint64(1), m.kind(1), m.has_value(1)), (20.0, 20, 6, True))
        self.assertFalse(m.has_value(2))
        with self.assertRaises(IndexError):
            m.value(2)
        self.assertFalse(a["plain"].has_correlation_ids())
        self.assertIsNone(a["plain"].correlation_ids())
        self.assertEqual(NvRules.metric_instances(a["plain"]), [1.5, 2.5])
        self.assertEqual(a["opcodes"].correlation_ids().value(0), "FFMA")

    def test_unit_and_description_come_with_the_report_or_are_empty(self):
        strings = c.Strings()
        k = c.kernel(strings, "k", [c.metric(strings, "a", 1, unit="ns", description="a time"), c.metric(strings, "b", 1),
                                    c.metric(strings, "c", why="the runtime does not tell it")])
        a = self.load(c.report(c.block(strings, results=[k])))[0][0]
        self.assertEqual((a["a"].unit(), a["a"].description()), ("ns", "a time"))
        self.assertEqual((a["b"].unit(), a["b"].description()), ("", ""))
        self.assertEqual((a["c"].value(), a["c"].why()), (None, "the runtime does not tell it"))

    def test_units_as_reports_name_them(self):
        for told, unit in {"gpc_cycle": "cycle", "byte/second": "byte_per_s", "instruction/gpc_cycle": "inst_per_cycle", "percent": "%",
                           "nanosecond": "ns", "l2_sector/second": "sector_per_s", "": "", "warp": "warp", "gpc_cycle/second": "hz"}.items():
            self.assertEqual(host.short(told), unit)
        self.assertEqual([host.chip_of(0x170, i) for i in (0x172, 2, 0x199)], ["GA102", "GA102", None])

    def properties(self, implementation):
        s = c.Strings()
        k = c.kernel(s, "k", [c.metric(s, "device__attribute_architecture", 0x170), c.metric(s, "device__attribute_implementation", implementation),
                              c.metric(s, "sm__cycles_active.avg", 1.5), c.metric(s, "dram__bytes.sum.per_second", 2.5, unit="own")])
        a = self.load(c.report(c.block(s, results=[k])))[0][0]
        return [(a[n].unit(), bool(a[n].description())) for n in ("sm__cycles_active.avg", "dram__bytes.sum.per_second")]

    @unittest.skipUnless(next(host.libraries(), None), "skipped: CUPTI is not installed")
    def test_units_and_descriptions_of_the_installed_cupti(self):
        self.assertEqual(self.properties(0x172), [("cycle", True), ("own", True)])
        self.assertEqual(self.properties(0x1ff), [("", False), ("own", False)])

    def test_a_library_that_fails_has_no_units(self):
        before = host.libraries
        self.addCleanup(setattr, host, "libraries", before)
        for library in ("/nowhere/libcupti.so.13", os.devnull):
            host.libraries = lambda library=library: iter([library])
            self.assertEqual(self.properties(0x172), [("", False), ("own", False)])
        host.libraries = lambda: iter([])
        self.assertEqual(self.properties(0x172), [("", False), ("own", False)])

    def test_attributes_by_name(self):
        counter, ratio, throughput, other = (
            IMetric.MetricType_COUNTER, IMetric.MetricType_RATIO, IMetric.MetricType_THROUGHPUT, IMetric.MetricType_OTHER)
        for name, expected in {
            "sm__cycles_active.avg": (counter, IMetric.RollupOperation_AVG, None),
            "dram__bytes.sum.per_second": (counter, IMetric.RollupOperation_SUM, IMetric.MetricSubtype_PER_SECOND),
            "sm__inst_executed.max.pct_of_peak_sustained_active":
                (counter, IMetric.RollupOperation_MAX, IMetric.MetricSubtype_PCT_OF_PEAK_SUSTAINED_ACTIVE),
            "sm__x.min.peak_sustained_elapsed.per_second":
                (counter, IMetric.RollupOperation_MIN, IMetric.MetricSubtype_PEAK_SUSTAINED_ELAPSED_PER_SECOND),
            "sm__throughput.avg.pct_of_peak_sustained_elapsed":
                (throughput, IMetric.RollupOperation_AVG, IMetric.MetricSubtype_PCT_OF_PEAK_SUSTAINED_ELAPSED),
            "lts__t_sector_hit_rate.pct": (ratio, None, None), "sm__x.ratio": (ratio, None, None), "sm__x.max_rate": (ratio, None, None),
            "pmsampling:dram__read_throughput.avg.pct_of_peak_sustained_elapsed":
                (throughput, IMetric.RollupOperation_AVG, IMetric.MetricSubtype_PCT_OF_PEAK_SUSTAINED_ELAPSED),
            "launch__grid_size": (other, None, None), "device__attribute_display_name": (other, None, None),
            "inst_executed": (other, None, None), "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed":
                (other, IMetric.RollupOperation_AVG, IMetric.MetricSubtype_PCT_OF_PEAK_SUSTAINED_ELAPSED),
            "profiler__replayer_bytes.sum": (other, IMetric.RollupOperation_SUM, None),
        }.items():
            m = IMetric(name)
            self.assertEqual((m.metric_type(), m.rollup_operation(), m.metric_subtype()), expected, name)

    def test_numbers_of_the_enumerations(self):
        self.assertEqual([IMetric.ValueKind_STRING, IMetric.ValueKind_DOUBLE, IMetric.ValueKind_UINT64], [2, 4, 6])
        self.assertEqual([IMetric.MetricSubtype_PER_CYCLE_ACTIVE, IMetric.MetricSubtype_PER_SECOND, IMetric.MetricSubtype_MAX_RATE,
                          IMetric.MetricSubtype_RATIO], [10, 14, 19, 21])
        self.assertEqual([IAction.NameBase_DEMANGLED, IAction.WorkloadType_GRAPH, INvtxRange.PayloadType_PAYLOAD_JSON], [1, 3, 7])
        fe = NvRules.IFrontend
        self.assertEqual([fe.MsgType_MSG_OPTIMIZATION, fe.MsgType_MSG_ERROR, fe.Severity_SEVERITY_HIGH, fe.SpeedupType_GLOBAL,
                          fe.MarkerKind_SOURCE, int(fe.MsgType.WARNING), int(fe.MsgType.MSG_WARNING)], [2, 4, 2, 1, 1, 3, 3])


class Structure(WithFiles):
    def test_names_of_a_kernel(self):
        a = self.action({"m": 1}, name="blur")
        self.assertEqual([a.name(), a.name(IAction.NameBase_DEMANGLED), a.name(IAction.NameBase_MANGLED), str(a)],
                         ["blur", "blur(float *)", "_Z1blur", "blur"])

    def test_an_action_is_a_mapping(self):
        a = self.action({"one": 1, "two": 2})
        self.assertEqual((len(a), list(a), a.metric_names(), "one" in a, "three" in a), (2, ["one", "two"], ("one", "two"), True, False))
        self.assertIsNone(a.metric_by_name("three"))
        with self.assertRaises(KeyError):
            a["three"]
        with self.assertRaises(TypeError):
            a[0]

    def test_a_range_for_each_stream_and_process(self):
        s = c.Strings()
        r = self.load(c.report(
            c.block(s, results=[c.kernel(s, "a", {}, stream=7), c.kernel(s, "b", {}, stream=8), c.kernel(s, "c", {}, stream=7)]),
            c.block(s, results=[c.kernel(s, "d", {}, stream=7)], process=4712)))
        self.assertEqual([[a.name() for a in x] for x in r], [["a", "c"], ["b"], ["d"]])
        self.assertEqual((r.num_ranges(), len(r), len(r[0]), r[0].num_actions()), (3, 3, 2, 2))
        self.assertEqual(r.range_by_idx(0).action_by_idx(1).name(), "c")
        self.assertEqual((r[-1][0].name(), [x[0].name() for x in r[1:]], [a.name() for a in r[0][::-1]]), ("d", ["b", "d"], ["c", "a"]))
        self.assertIsNone(r.range_by_idx(3))
        self.assertIsNone(r[0].action_by_idx(2))
        for key, error in ((3, IndexError), (-4, IndexError), ("0", TypeError), (1.0, TypeError)):
            with self.assertRaises(error):
                r[key]

    def test_ranges_command_lists_and_graphs_are_actions(self):
        s = c.Strings()
        part = c.u(1, 1) + c.u(2, 2) + c.s(4, c.metric(s, "m", 5))
        r = self.load(c.report(c.block(s, ranges=[part], cmdlists=[part + c.s(18, "list")], graphs=[part])))
        actions = [a for x in r for a in x]
        self.assertEqual([(a.name(), a.workload_type(), a["m"].value()) for a in actions],
                         [("range", 1, 5), ("list", 2, 5), ("graph", 3, 5)])

    def test_texts_of_a_later_block_name_metrics_of_an_earlier_one(self):
        s = c.Strings()
        k = c.kernel(s, "k", {"later": 3})
        first = c.block(None, results=[k])
        self.assertEqual(self.load(c.report(first, c.block(s)))[0][0]["later"].value(), 3)

    def test_fields_that_are_not_known_are_stepped_over(self):
        s = c.Strings()
        more = c.u(900, 1) + c.s(901, "x") + c.d(902, 1.0) + c.f(903, 1.0)
        k = c.kernel(s, "k", [c.metric(s, "m", 4) + more], more)
        self.assertEqual(self.load(c.report(c.block(s, results=[k])))[0][0]["m"].value(), 4)

    def test_the_last_value_of_a_field_holds(self):
        s = c.Strings()
        k = c.kernel(s, "k", [c.metric(s, "m", 4) + c.m(2, c.u(5, 9))])
        self.assertEqual(self.load(c.report(c.block(s, results=[k])))[0][0]["m"].value(), 9)

    def test_source_files_of_the_module(self):
        s = c.Strings()
        source = c.u(1, 9) + c.m(8, c.m(1, c.s(1, "/src/a.cu"), c.s(2, "line\n")), c.m(1, c.s(1, "/src/b.h")))
        k = c.kernel(s, "k", {}, reference=9)
        a = self.load(c.report(c.block(s, sources=[source]), c.block(s, results=[k])))[0][0]
        self.assertEqual(a.source_files(), {"/src/a.cu": "line\n", "/src/b.h": ""})
        self.assertEqual((a.sass_by_pc(1), a.ptx_by_pc(1), a.source_info(1)), ("", "", None))
        self.assertEqual(self.action({}).source_files(), {})

    def test_place_in_time_where_the_report_has_it(self):
        wait = c.m(6, c.s(1, "copy"), c.s(2, "in"), c.u(3, 4096), c.u(4, 10), c.u(5, 20), c.s(6, "HtoD"), c.s(7, "pageable"))
        trace = c.m(1000, c.u(1, 100), c.u(2, 300), c.u(3, 40), c.u(4, 50), c.u(5, 60), wait, c.u(7, 3), c.u(8, 600), c.s(9, "q"))
        stack = c.m(28, c.m(1, c.s(1, "app"), c.u(2, 77), c.s(3, "a.c"), c.s(4, "main"), c.u(5, 12)))
        t = self.action({}, trace, stack).trace()
        self.assertEqual((t.start_ns(), t.end_ns(), t.gap_before_ns(), t.queued_ns(), t.submit_ns(), t.launches(), t.total_ns(), t.queue()),
                         (100, 300, 40, 50, 60, 3, 600, "q"))
        self.assertEqual(t.waits(), ({"kind": "copy", "name": "in", "bytes": 4096, "start_ns": 10, "end_ns": 20, "direction": "HtoD",
                                      "memory": "pageable"},))
        self.assertEqual(t.call_site(), ({"module": "app", "pc": 77, "file": "a.c", "function": "main", "line": 12},))
        self.assertIsNone(self.action({}).trace())

    def test_added_metrics(self):
        a = self.action({"old": 1})
        a.add_integer_metric("i", 3)
        a.add_double_metric("d", IMetric.ValueKind_DOUBLE, 4.5)
        a.add_string_metric("s", "x")
        m = a.add_metric("curve")
        self.assertTrue(m.set_double(1, IMetric.ValueKind_DOUBLE, 0.5))
        m.mutable_correlation_ids().set_uint64(1, IMetric.ValueKind_UINT64, 64)
        self.assertEqual([a[n].value() for n in ("i", "d", "s")], [3, 4.5, "x"])
        self.assertEqual((m.num_instances(), m.value(1), m.correlation_ids().value(1), m.has_value(0)), (2, 0.5, 64, False))
        self.assertEqual(list(a), ["curve", "d", "i", "old", "s"])
        self.assertEqual([x.name() for x in a.added_metrics()], ["i", "d", "s", "curve"])

    def test_everything_public_has_a_docstring(self):
        for module in (ncu_report, NvRules):
            for name in module.__all__:
                thing = getattr(module, name)
                self.assertTrue(inspect.getdoc(thing), name)
                for part, member in vars(thing).items() if inspect.isclass(thing) and thing.__module__.startswith("gputap") else ():
                    if inspect.isfunction(member) and (not part.startswith("_") or part in ("__getitem__", "__iter__", "__len__", "__str__")):
                        self.assertTrue(inspect.getdoc(member), "%s.%s" % (name, part))

    def test_what_the_interface_has(self):
        for name, members in {
            "IContext": "num_ranges range_by_idx frontend controller get_version handle_exception __len__ __getitem__ __iter__",
            "IRange": "num_actions action_by_idx actions_by_nvtx __len__ __getitem__ __iter__",
            "IAction": "name metric_by_name metric_names nvtx_state source_info source_files sass_by_pc ptx_by_pc workload_type "
                       "add_metric add_integer_metric add_double_metric add_string_metric __getitem__ __iter__ __len__ __str__",
            "IMetric": "name value as_double as_uint64 as_string has_value kind unit description metric_type metric_subtype "
                       "rollup_operation num_instances has_correlation_ids correlation_ids __str__",
            "IMutableMetric": "set_double set_uint64 set_string mutable_correlation_ids",
            "IFrontend": "message speedup focus_metric source_marker generate_table load_chart_from_file send_dict_to_children "
                         "receive_dict_from_parent",
            "IController": "propose_rule get_message_vault", "IMessageVault": "Put Get", "IEvaluator": "require_metric require_rule",
            "INvtxState": "domains domain_by_id __len__ __iter__ __getitem__",
            "INvtxDomainInfo": "name push_pop_ranges push_pop_range start_end_ranges start_end_range __str__",
            "INvtxRange": "name has_attributes category color message payload_type payload_as_uint64 payload_as_double payload_as_string",
            "ISourceInfo": "file_name line",
        }.items():
            for member in members.split():
                self.assertTrue(callable(getattr(getattr(NvRules, name), member, None)), "%s.%s" % (name, member))
        for name in "get_context get_evaluator get_version raise_exception require_metrics require_rules metric_instances load_report".split():
            self.assertTrue(callable(getattr(NvRules, name)), name)


class Nvtx(WithFiles):
    def load_state(self, *args, **kw):
        return self.load(c.simple({}, c.nvtx(*args, **kw)))[0]

    def states(self):
        """[(state, [(expression, whether it fits)])] of the table that the C matcher is tested with too."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvtx_filters.txt"), encoding="utf-8") as f:
            lines = [line.rstrip("\n").partition(" ")[::2] for line in f if line[0] != "#"]
        out = []
        for word, rest in lines:
            if word == "open":
                out.append(({"": [[], []]}, []))
                domain = ""
            elif word == "domain":
                domain = rest
                out[-1][0][domain] = [[], []]
            elif word in ("pushed", "started"):
                out[-1][0][domain][word == "started"].append(rest)
            else:
                out[-1][1].append((rest, word == "yes"))
        return out

    def test_the_table(self):
        states = self.states()
        self.assertEqual([len(expressions) for _, expressions in states], [22, 77, 28])
        for domains, expressions in states:
            pushed, started = domains.pop("")
            r = self.load_state(pushed, started, {5 + i: (name, d[0]) for i, (name, d) in enumerate(domains.items())})
            for text, expected in expressions:
                self.assertEqual(r.actions_by_nvtx([text], []) == (0,), expected, text)

    def test_several_expressions(self):
        r = self.load_state(["outer", "inner"], ["startend"], {5: ("Dom", ["domrange"])})
        self.assertEqual(r.actions_by_nvtx([], []), ())
        self.assertEqual(r.actions_by_nvtx(["outer/"], ["startend"]), ())
        self.assertEqual(r.actions_by_nvtx(["nowhere/", "outer/"], ["nowhere/"]), (0,))
        with self.assertRaisesRegex(ValueError, r"NVTX filter 'regex:\(/': "):
            r.actions_by_nvtx(["regex:(/"], [])

    def test_long_filters_take_no_time(self):
        r = self.load_state(["a"] * 40)
        for last in ("b", "b/"):
            self.assertEqual(r.actions_by_nvtx(["a/" + "*/a/" * 60 + last], []), ())

    def test_the_state_as_objects(self):
        attributes = c.m(2, c.u(1, 3), c.u(2, 12), c.m(3, c.u(1, 1), c.u(2, 0xff00ff00)), c.m(4, c.u(1, 3), c.d(4, 2.5)),
                         c.m(5, c.u(1, 1), c.s(2, "said")))
        r = self.load_state(["outer", c.pushed("inner", attributes)], ["startend"], {5: ("Dom", ["domrange"])})
        state = r[0].nvtx_state()
        self.assertEqual((state.domains(), list(state), len(state)), ((0, 5), [0, 5], 2))
        own = state.domain_by_id(0)
        self.assertEqual((own.name(), str(state[5]), own.push_pop_ranges(), own.start_end_ranges()),
                         ("<default domain>", "Dom", ("outer", "inner"), ("startend",)))
        plain, rich = own.push_pop_range(0), own.push_pop_range(1)
        self.assertEqual((plain.has_attributes(), plain.category(), plain.payload_type(), plain.message()), (False, 0, 0, ""))
        self.assertEqual((rich.has_attributes(), rich.category(), rich.color(), rich.message()), (True, 12, 0xff00ff00, "said"))
        self.assertEqual((rich.payload_type(), rich.payload_as_double(), rich.payload_as_uint64(), rich.payload_as_string()),
                         (INvtxRange.PayloadType_PAYLOAD_DOUBLE, 2.5, 0, "2.5"))
        self.assertEqual(own.start_end_range(0).name(), "startend")
        self.assertIsNone(state.domain_by_id(9))
        with self.assertRaises(KeyError):
            state[9]
        self.assertIsNone(self.action({}).nvtx_state())

    def test_the_stack_is_that_of_the_launching_thread(self):
        two = c.m(21, c.m(2, c.u(1, 1), c.m(2, c.u(1, 0), c.pushed("mine"))), c.m(2, c.u(1, 2), c.m(2, c.u(1, 0), c.pushed("others"))))
        r = self.load(c.simple({}, two))[0]
        self.assertEqual((r.actions_by_nvtx(["mine/"], []), r.actions_by_nvtx(["others/"], [])), ((0,), ()))


class Damage(WithFiles):
    def refused(self, data):
        with self.assertRaises(ncu_report.ReportError) as e:
            for r in self.load(data):
                for a in r:
                    for name in a:
                        a[name].value()
        self.assertIn(self.path, str(e.exception))
        self.assertIsInstance(e.exception.offset, int)
        return "byte %d: %s" % (e.exception.offset, e.exception.reason)

    def test_no_such_file(self):
        with self.assertRaises(FileNotFoundError):
            ncu_report.load_report(pathlib.Path(self.path))

    def test_each_complaint_says_where(self):
        good = c.simple({"m": 1.5})
        self.assertEqual(self.refused(b""), "byte 0: this is no report: it does not begin with NVR")
        self.assertEqual(self.refused(b"\x28\xb5\x2f\xfd")[:24], "byte 0: a packed report ")
        self.assertEqual(self.refused(good[:6]), "byte 4: the file ends before the size of the file's header")
        self.assertEqual(self.refused(c.report(version=6)), "byte 8: a report of version 6; 7 is the oldest that is read")
        self.assertEqual(self.refused(good[:12]), "byte 10: the file ends before the size of a block's header")
        self.assertRegex(self.refused(good[:-1]), r"^byte 10: a block claims \d+ bytes, \d+ are left$")
        self.assertEqual(self.refused(c.report(struct.pack("<I", 2) + b"\x0a\x05")),
                         "byte 14: field 1 claims 5 bytes, 0 are left")
        self.assertEqual(self.refused(c.report(struct.pack("<I", 1) + b"\x0b")),
                         "byte 14: field 1 has wire type 3, which is not known")
        self.assertEqual(self.refused(c.report(struct.pack("<I", 11) + b"\x08" + b"\xff" * 10)),
                         "byte 15: a number of more than ten bytes")
        self.assertEqual(self.refused(c.report(struct.pack("<I", 2) + c.u(2, 1))),
                         "byte 16: the file ends before the size of an entry of a block (results)")
        s = c.Strings()
        k = c.kernel(s, "k", [c.u(1, 5)])
        self.assertRegex(self.refused(c.report(c.block(s, results=[k]))), r"^byte \d+: a metric's name is text 5 of 0$")
        self.assertRegex(self.refused(c.report(c.block(s, results=[c.u(21, 1)]))), r"^byte \d+: field 21 should be a message")

    def test_any_damage_is_one_exception_or_none(self):
        r = random.Random(20261123)
        good = c.simple({"a": 1.5, "b": "text", "c": 3}, c.nvtx(["outer"], ["x"]), sections=["S"])
        for _ in range(int(os.environ.get("MUTATIONS", 1000))):
            data = bytearray(good)
            for _ in range(r.randint(1, 4)):
                at = r.randrange(len(data))
                if r.random() < .2:
                    del data[at:at + r.randint(1, 8)]
                else:
                    data[at] = r.choice((0, 0x7f, 0x80, 0xff, r.randrange(256)))
            try:
                for rng in self.load(bytes(data)):
                    rng.actions_by_nvtx(["outer/"], [])
                    for a in rng:
                        [(m.value(), m.num_instances(), m.correlation_ids()) for m in map(a.metric_by_name, a)]
            except ncu_report.ReportError as e:
                self.assertIsInstance(e.offset, int)


if __name__ == "__main__":
    unittest.main()
