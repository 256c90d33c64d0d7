#!/usr/bin/env python3
"""tests/unit/test_rules.py - rule files run beside the tool: what they say arrives, what they do wrong harms nothing

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/rules")]
import compose as c         # noqa: E402
import ncu_report           # noqa: E402
from gputap_report import charts, file, frontend, schema, wire      # noqa: E402

ONE = "import NvRules\ndef get_identifier(): return '%s'\n"
SAY = ONE + "def apply(h): NvRules.get_context(h).frontend().message('%s')\n"


class WithRules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.rules = os.path.join(self.folder, "rules")
        os.mkdir(self.rules)

    def write(self, name, text, folder=None):
        path = os.path.join(folder or self.rules, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w" if isinstance(text, str) else "wb") as f:
            f.write(text)
        return path

    def rule(self, identifier, body, head=""):
        """A rule whose apply() has ctx, action and fe."""
        body = "\n".join("    " + line for line in body.splitlines())
        return self.write(identifier + ".py", ONE % identifier + head + "\ndef apply(h):\n    ctx = NvRules.get_context(h)\n"
                          "    action = ctx.range_by_idx(0).action_by_idx(0)\n    fe = ctx.frontend()\n" + body + "\n")

    def report(self, *args, **kw):
        return self.write("a.ncu-rep", c.simple(*args, **kw), self.folder)

    def run_it(self, *args, status=0):
        folder = [] if any(a.startswith("--folder") for a in args) else ["--folder", self.rules]
        r = subprocess.run([sys.executable, str(ROOT / "python/gputap-rules"), *args, *folder], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=100)
        self.assertEqual(r.returncode, status, r.stderr.decode())
        self.said = r.stderr.decode()
        return [json.loads(line) for line in r.stdout.decode().splitlines()]

    def apply(self, path=None, *args):
        """(results, reasons of failures, reasons of what was not applied)"""
        lines = self.run_it("apply", path or self.report({"m": 5.0}), *args)
        self.assertEqual(list(lines[-1]), ["end"])
        return ([x["result"] for x in lines if "result" in x], [x["failed"]["why"] for x in lines if "failed" in x],
                [x["skipped"]["why"] for x in lines if "skipped" in x])


class Readable(WithRules):
    def test_numbers_of_focus_metrics(self):
        self.rule("Numbers", "for value in 224492248, 9, 0.5, 1e20, -float('inf'):\n"
                             "    fe.focus_metric(fe.message('text'), 'm', value, F.Severity_SEVERITY_LOW, 'late')", "F = NvRules.IFrontend")
        said = subprocess.run([sys.executable, str(ROOT / "python/gputap-rules"), "apply", self.report({"m": 5.0}), "--text", "--folder", self.rules],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100).stdout.decode()
        self.assertEqual([line.strip() for line in said.splitlines() if " = " in line],
                         ["m = %s late" % n for n in ("224,492,248", "9", "0.5", "1e+20", "-inf")], said)


class Contract(WithRules):
    def test_two_functions_are_enough(self):
        self.write("a.py", SAY % ("Small", "hello"))
        lines = self.run_it("list")
        self.assertEqual(lines[0]["rule"], {"identifier": "Small", "name": "Small", "description": "", "section": None, "parents": [],
                                            "file": os.path.join(self.rules, "a.py")})
        self.assertEqual(lines[1], {"end": {"rules": 1, "failed": 0}})
        results, failed, skipped = self.apply()
        self.assertEqual([(r["rule"], r["kernel"], r["action"], r["messages"][0]["text"]) for r in results], [("Small", "k", 0, "hello")])
        self.assertEqual((failed, skipped), ([], []))

    def test_all_functions_are_told(self):
        self.write("a.py", SAY % ("Whole", "x") + "def get_name(): return 'A name'\ndef get_description(): return 'What it does'\n"
                   "def get_section_identifier(): return 'LaunchStats'\ndef get_parent_rules_identifiers(): return ['Nobody']\n"
                   "def evaluate(h):\n    NvRules.require_metrics(h, ['m1', 'm2', 'm1'])\n    NvRules.require_rules(h, ['R'])\n"
                   "    NvRules.get_evaluator(h).require_metric('m3')\n")
        rule = self.run_it("list")[0]["rule"]
        self.assertEqual([rule[k] for k in ("name", "description", "section", "parents")],
                         ["A name", "What it does", "LaunchStats", ["Nobody"]])
        self.assertEqual(self.run_it("require")[0]["require"],
                         {"rule": "Whole", "section": "LaunchStats", "metrics": ["m1", "m2", "m3"], "rules": ["R"]})

    def test_files_that_are_no_rules(self):
        self.write("helper.py", "VALUE = 7\n")
        self.write("notes.txt", "def get_identifier(): return 'T'")
        self.write("deep/b.py", SAY % ("Deep", "x"))
        self.rule("User", "import helper\nfe.message('value %d' % helper.VALUE)")
        self.assertEqual([x["rule"]["identifier"] for x in self.run_it("list")[:-1]], ["User"])
        self.assertEqual(len(self.run_it("list", "--folder-recursive", self.rules)), 3)
        self.assertEqual(self.apply()[0][0]["messages"][0]["text"], "value 7")

    def test_what_is_wrong_with_a_file_is_a_line(self):
        for name, text in {"a.py": "def get_identifier(: pass", "b.py": "def get_identifier(): return 'B'", "c.py": SAY % ("has blank", "x"),
                           "d.py": SAY % ("D", "x"), "e.py": SAY % ("D", "x"), "f.py": "import no_such_module_at_all",
                           "g.py": "def get_identifier(): return 7\ndef apply(h): pass", "h.py": b"\xff\xfe\x00"}.items():
            self.write(name, text)
        lines = self.run_it("list")
        why = {os.path.basename(x["failed"]["file"]): x["failed"]["why"] for x in lines if "failed" in x}
        self.assertEqual(sorted(why), ["a.py", "b.py", "c.py", "e.py", "f.py", "g.py", "h.py"])
        # Which file it is stands beside the reason: the reason does not name it again.
        self.assertRegex(why["a.py"], r"^line 1: SyntaxError")
        self.assertIn("a rule has a function apply(handle)", why["b.py"])
        self.assertIn("'has blank'; an identifier has no blanks", why["c.py"])
        self.assertIn("D is the rule of %s already" % os.path.join(self.rules, "d.py"), why["e.py"])
        self.assertRegex(why["f.py"], r"^line 1: ModuleNotFoundError")
        self.assertIn("get_identifier() gives a int instead of a text", why["g.py"])
        self.assertFalse([w for w in why.values() if "\n" in w])

    def test_ours_is_what_rules_import_whatever_lies_beside_them(self):
        self.write("ncu_report.py", "raise RuntimeError('another one')\n")
        self.write("NvRules.py", "raise RuntimeError('another one')\n")
        self.write("a.py", SAY % ("Small", "hello"))
        results, failed, _ = self.apply()
        self.assertEqual((results[0]["messages"][0]["text"], failed), ("hello", []))

    def test_options_stand_before_the_report_too(self):
        self.write("a.py", SAY % ("Small", "hello"))
        lines = self.run_it("apply", "--folder", self.rules, "--timeout", "20", self.report({"m": 5.0}))
        self.assertEqual(lines[-1]["end"]["results"], 1)

    def test_usage(self):
        self.run_it("apply", status=2)
        self.run_it("apply", self.report({}), "--rule", "Nobody", status=2)
        self.assertIn("there is no rule Nobody", self.said)
        self.assertEqual(self.run_it("apply", "/nowhere.ncu-rep", status=3), [])
        self.assertIn("/nowhere.ncu-rep: No such file or directory", self.said)
        self.run_it("apply", self.write("bad.ncu-rep", b"NVR\0\1", self.folder), status=3)
        self.assertIn("bad.ncu-rep: byte 4: ", self.said)


class Interface(WithRules):
    def test_what_a_rule_sees(self):
        self.rule("Sees", "fe.message(repr([ctx.num_ranges(), len(ctx[0]), action.name(), action['m'].value(), list(action),\n"
                  "  isinstance(action['m'], NvRules.IMetric), NvRules.get_version(h)[:3]]))")
        s = c.Strings()
        path = self.write("two.ncu-rep", c.report(c.block(s, results=[c.kernel(s, "a", {"m": 1}), c.kernel(s, "b", {"m": 2}, stream=9)])),
                          self.folder)
        self.assertEqual([r["messages"][0]["text"] for r in self.apply(path)[0]],
                         ["[1, 1, 'a', 1, ['m'], True, '202']", "[1, 1, 'b', 2, ['m'], True, '202']"])

    def test_messages_with_all_that_belongs_to_them(self):
        self.rule("Says", "F = NvRules.IFrontend\n"
                  "a = fe.message(F.MsgType_MSG_OPTIMIZATION, 'text', 'short')\n"
                  "b = fe.message('plain')\nassert a != b\n"
                  "assert fe.message(NvRules.MsgType.WARNING, 'w') == 3\n"
                  "assert fe.speedup(a, F.SpeedupType_GLOBAL, 12.5)\n"
                  "assert fe.focus_metric(a, 'm', 5, F.Severity_SEVERITY_HIGH, '> 4')\n"
                  "assert not fe.speedup(99, F.SpeedupType_LOCAL, 1) and not fe.focus_metric(0, 'm', 5, 0, '')\n"
                  "fe.source_marker('here', 0x1230, F.MarkerKind_SASS)\n"
                  "fe.source_marker('line', 17, F.MarkerKind_SOURCE, 'a.cu', F.MsgType_MSG_WARNING)\n"
                  "fe.source_marker('line', 18, F.MarkerKind_SOURCE, F.MsgType_MSG_ERROR)\n")
        r = self.apply()[0][0]
        self.assertEqual([(m["id"], m["type"], m["text"], m["name"]) for m in r["messages"]],
                         [(1, 2, "text", "short"), (2, 0, "plain", ""), (3, 3, "w", "")])
        self.assertEqual(r["messages"][0]["speedup"], {"type": 1, "value": 12.5})
        self.assertEqual(r["messages"][0]["focus"], [{"metric": "m", "value": 5.0, "severity": 2, "info": "> 4"}])
        self.assertEqual([(m["text"], m["at"], m["kind"], m["file"], m["type"]) for m in r["markers"]],
                         [("here", 0x1230, 0, "", 0), ("line", 17, 1, "a.cu", 3), ("line", 18, 1, "", 4)])

    def test_tables(self):
        fe = frontend.IFrontend()
        m = fe.message("x")
        self.assertTrue(fe.generate_table(m, ["name", "n"], [["a", 1], ["b", 2.5], ["c", None]], {
            "title": "T", "description": "D", "sort_by": {"column": "n", "order": "descending"},
            "per_column_configs": {"n": {"tooltip": "tip", "relative_width": .5, "style": {"header": "bold", "data": "bold"}}}}))
        self.assertEqual(fe.messages[0]["tables"][0]["config"], {
            "title": "T", "description": "D", "sort_by": {"column": 1, "descending": True}, "columns": {1: {"tooltip": "tip", "width": .5}}})
        with self.assertRaises(TypeError):
            fe.generate_table(m, ["x"], [["a"], [1]])
        with self.assertRaises(TypeError):
            fe.generate_table(m, ["x"], [[[]]])
        with self.assertRaises(ValueError):
            fe.generate_table(m, ["x", "y"], [["a", 1], ["b"]])
        for config in ({"titel": "x"}, {"sort_by": {"column": "z"}}, {"per_column_configs": {"z": {}}}):
            with self.assertRaises(ValueError):
                fe.generate_table(m, ["x"], [["a"]], config)
        self.assertFalse(fe.generate_table(9, ["x"], []))

    def test_parents_come_first_and_send(self):
        self.rule("A", "got = fe.receive_dict_from_parent('Z')\nfe.message('got %s' % sorted(got.items()))",
                  "def get_parent_rules_identifiers(): return ['Z', 'Missing']")
        self.rule("Z", "fe.message('parent')\nfe.send_dict_to_children({'x': action['m'].value()})\nfe.send_dict_to_children({'y': 2})")
        results = self.apply()[0]
        self.assertEqual([(r["rule"], r["messages"][0]["text"]) for r in results], [("Z", "parent"), ("A", "got [('x', 5.0), ('y', 2.0)]")])
        # one rule is chosen: its parent runs and is silent
        results = self.apply(None, "--rule", "A")[0]
        self.assertEqual([(r["rule"], r["messages"][0]["text"]) for r in results], [("A", "got [('x', 5.0), ('y', 2.0)]")])

    def test_rules_that_are_their_own_parents_are_refused(self):
        for a, b in (("A", "B"), ("B", "C"), ("C", "A")):
            self.write(a + ".py", SAY % (a, "x") + "def get_parent_rules_identifiers(): return ['%s']\n" % b)
        self.write("D.py", SAY % ("D", "fine") + "def get_parent_rules_identifiers(): return ['A']\n")
        results, failed, _ = self.apply()
        self.assertEqual([r["rule"] for r in results], ["D"])
        self.assertEqual(len(failed), 3)
        self.assertIn("is its own parent: A -> B -> C", failed[0])

    def test_the_vault_and_proposals(self):
        self.rule("A", "ctx.controller().get_message_vault().Put('A', {'n': 3})\nctx.controller().propose_rule('B')\nfe.message('x')",
                  "def evaluate(h): NvRules.require_rules(h, ['B'])")
        self.rule("B", "fe.message('n %g' % ctx.controller().get_message_vault().Get('A')['n'])")
        self.rule("C", "ctx.controller().propose_rule('B')")
        results, failed, _ = self.apply()
        self.assertEqual([(r["rule"], r["messages"][0]["text"], r["proposals"]) for r in results], [("A", "x", ["B"]), ("B", "n 3", [])])
        self.assertRegex(failed[0], r"C\.py:\d+: ValueError: C proposes B, which it does not name by require_rules")

    def test_sections_and_needs_decide_what_is_applied(self):
        self.rule("Of", "fe.message('x')", "def get_section_identifier(): return 'There'")
        self.rule("Other", "fe.message('x')", "def get_section_identifier(): return 'Missing'")
        self.rule("Needs", "fe.message('x')", "def evaluate(h): NvRules.require_metrics(h, ['m', 'no', 'empty'])")
        self.rule("NeedsRule", "fe.message('x')", "def evaluate(h): NvRules.require_rules(h, ['Of', 'Nobody'])")
        s = c.Strings()
        k = c.kernel(s, "k", [c.metric(s, "m", 1), c.metric(s, "empty", why="the runtime does not tell it")], sections=["There"])
        results, failed, skipped = self.apply(self.write("s.ncu-rep", c.report(c.block(s, results=[k])), self.folder))
        self.assertEqual(([r["rule"] for r in results], failed), (["Of"], []))
        self.assertEqual(sorted(skipped), [
            "it needs metrics that the report lacks: no, empty (the runtime does not tell it)", "it needs rules that are not there: Nobody",
            "its section Missing was not collected"])

    def test_metrics_that_a_rule_adds_are_there_for_the_next(self):
        self.rule("A", "m = action.add_metric('curve')\nm.set_double(0, NvRules.IMetric.ValueKind_DOUBLE, 1.5)\n"
                  "m.mutable_correlation_ids().set_uint64(0, NvRules.IMetric.ValueKind_UINT64, 64)\naction.add_string_metric('s', 'x')")
        self.rule("B", "m = action['curve']\nfe.message('%s %s %s' % (m.value(0), m.correlation_ids().value(0), action['s'].value()))")
        self.assertEqual(self.apply()[0][1]["messages"][0]["text"], "1.5 64 x")

    def test_the_trace_is_there_for_rules(self):
        self.rule("T", "t = action.trace()\nfe.message('%s %s' % (t.gap_before_ns(), t.waits()[0]['memory']))")
        trace = c.m(1000, c.u(3, 40), c.m(6, c.s(1, "copy"), c.s(7, "pageable")))
        self.assertEqual(self.apply(self.report({}, trace))[0][0]["messages"][0]["text"], "40 pageable")


class Harm(WithRules):
    CASES = {
        "loops": ("while True: pass", "it took more than 5 s"),
        "sleeps": ("import time; time.sleep(1000)", "it took more than 5 s"),
        "crashes": ("import os; os.kill(os.getpid(), 11)", "it died by signal 11"),
        "leaves": ("import os; os._exit(3)", "it ended its process with status 3"),
        "leaves_well": ("import os; os._exit(0)", "it ended its process with status 0"),
        "exits": ("import sys; sys.exit(4)", "it left by sys.exit(4)"),
        "prints": ("while True: print('x' * 10000)", "it printed more than 1 MiB"),
        "raises": ("NvRules.raise_exception(h, 'a\\nlong story')", "RuntimeError: a long story"),
        "recurses": ("def f(): f()\nf()", "RecursionError"),
        "eats": ("x = bytearray(1 << 40)", "MemoryError"),
        "forks": ("import os, time\nos.fork() or time.sleep(1000)\nfe.message('said')", None),
        "interrupts": ("raise KeyboardInterrupt()", "KeyboardInterrupt"),
        "lacks": ("action.metric_by_name('no').as_double()", "AttributeError"),
    }

    def test_each_is_one_line_and_all_others_speak(self):
        for name, (body, _) in self.CASES.items():
            self.rule(name, body)
        self.rule("zz_last", "fe.message('still here')")
        path = self.report({"m": 1})
        lines = self.run_it("apply", path, "--timeout", "5")
        failed = {x["failed"]["rule"]: x["failed"]["why"] for x in lines if "failed" in x}
        for name, (_, why) in self.CASES.items():
            if why:
                self.assertIn(why, failed.get(name, "nothing"), name)
                self.assertNotIn("\n", failed[name])
        self.assertEqual([x["result"]["rule"] for x in lines if "result" in x], ["forks", "zz_last"])
        self.assertEqual(lines[-1]["end"]["failed"], len(failed))

    def test_while_it_is_loaded_too(self):
        self.write("a.py", "while True: pass")
        self.write("b.py", "import os\nos.abort()\n")
        self.write("c.py", SAY % ("C", "x"))
        lines = self.run_it("list", "--timeout", "5")
        self.assertEqual([x["failed"]["why"] for x in lines if "failed" in x], ["it took more than 5 s", "it died by signal 6 (Aborted)"])
        self.assertEqual(lines[0]["rule"]["identifier"], "C")

    def test_what_is_printed_is_told_apart(self):
        self.rule("P", "print('by the way'); fe.message('x')")
        lines = self.run_it("apply", self.report({"m": 1}))
        self.assertEqual([x["printed"]["text"] for x in lines if "printed" in x], ["by the way\n"])

    def test_an_error_at_one_kernel_leaves_the_others(self):
        self.rule("R", "if action.name() == 'b': raise ValueError('bad')\nfe.message('x')")
        s = c.Strings()
        path = self.write("x.ncu-rep", c.report(c.block(s, results=[c.kernel(s, n, {}) for n in "abc"])), self.folder)
        lines = self.run_it("apply", path)
        self.assertEqual([x["result"]["kernel"] for x in lines if "result" in x], ["a", "c"])
        self.assertEqual([(x["failed"]["kernel"], x["failed"]["action"]) for x in lines if "failed" in x], [("b", 1)])

    def test_a_reader_that_goes_away(self):
        for i in range(20):
            self.write("r%02d.py" % i, SAY % ("R%d" % i, "x" * 60000))
        p = subprocess.Popen([sys.executable, str(ROOT / "python/gputap-rules"), "apply", self.report({}), "--folder", self.rules],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdout.readline()
        p.stdout.close()
        self.assertEqual(p.stderr.read(), b"")
        p.stderr.close()
        self.assertEqual(p.wait(60), 0)


class Saved(WithRules):
    def saved(self, path, *args):
        new = os.path.join(self.folder, "new.ncu-rep")
        lines = self.run_it("apply", path, "-o", new, *args)
        return ncu_report.load_report(new), lines

    def test_results_are_in_the_file_by_its_numbers(self):
        self.rule("R", "F = NvRules.IFrontend\nm = fe.message(F.MsgType_MSG_OPTIMIZATION, 'text', 'short')\n"
                  "fe.speedup(m, F.SpeedupType_LOCAL, 12.5)\nfe.focus_metric(m, 'm', 5, F.Severity_SEVERITY_LOW, 'why')\n"
                  "fe.generate_table(m, ['a', 'b'], [['x', 1], ['y', 2]], {'title': 'T'})\n"
                  "fe.message(F.MsgType_MSG_WARNING, 'w')\nfe.source_marker('here', 0x10, F.MarkerKind_SASS)\n"
                  "fe.source_marker('line', 7, F.MarkerKind_SOURCE, 'a.cu')\nfe.load_chart_from_file('c.chart')\n"
                  "ctx.controller().propose_rule('S')",
                  "def evaluate(h): NvRules.require_rules(h, ['S'])\ndef get_section_identifier(): return 'Sec'\ndef get_name(): return 'Name'")
        self.write("S.py", ONE % "S" + "def apply(h): pass\n")
        self.write("c.chart", "BarChart { Label: 'b' Metrics { Name: 'm' } }")
        r, lines = self.saved(self.report({"m": 1.5}, sections=["Sec"]))
        self.assertEqual(lines[-2]["wrote"]["results"], 2)
        rule = r[0][0].rule_results()[0]
        self.assertEqual((rule["identifier"], rule["name"], rule["section"]), ("R", "Name", "Sec"))
        first, second, chart, proposal = rule["body"]["items"]
        self.assertEqual(first["message"], {"text": "text", "type": 4, "id": 1, "name": "short"})
        self.assertNotIn("name", second["message"])
        self.assertEqual(first["speedup"], {"type": 1, "value": 12.5})
        self.assertEqual(first["focus"], [{"message": 1, "metric": "m", "value": 5.0, "severity": 1, "info": "why"}])
        self.assertEqual([[list(v.values())[0] for v in row["cells"]] for row in first["table"]["rows"]], [["x", 1], ["y", 2]])
        self.assertEqual((second["message"]["type"], second["message"]["id"]), (2, 2))
        self.assertEqual(chart["bar_chart"].bytes(), c.s(1, "b") + c.m(5, c.s(1, "m")))
        self.assertEqual(proposal["proposal"], {"rule": "S"})
        self.assertEqual([(m["kind"], m.get("address"), m.get("line"), m["file"]) for m in rule["markers"]],
                         [(0, 0x10, None, ""), (1, None, 7, "a.cu")])
        self.assertEqual(r[0][0]["m"].value(), 1.5)

    def test_all_else_stays_byte_for_byte(self):
        self.write("a.py", SAY % ("R", "x"))
        s = c.Strings()
        odd = c.u(900, 5) + c.s(901, "own")
        old = c.m(19, c.s(1, "Old"), c.s(2, "Old")) + c.m(19, c.s(1, "R"), c.s(2, "stale"))
        k1, k2 = c.kernel(s, "k", {"m": 1}, odd, old), c.kernel(s, "k2", {"n": 1}, odd)
        whole = c.report(c.block(None, session=c.u(1, 7)), c.block(s, sources=[c.u(1, 9)], results=[k1], ranges=[c.u(1, 1) + c.u(2, 2)]),
                         c.block(s, results=[k2]))
        r, _ = self.saved(self.write("x.ncu-rep", whole, self.folder))
        with open(os.path.join(self.folder, "new.ncu-rep"), "rb") as f:
            new = file.parse(f.read())
        entries = [(kind, v.bytes()) for b in new.blocks for kind, v in b.entries]
        mine = c.m(19, c.m(3), c.s(1, "x"))      # only to find where the results begin
        self.assertEqual([kind for kind, _ in entries], ["sources", "results", "ranges", "results"])
        self.assertTrue(entries[1][1].startswith(k1[:-len(old)]) and entries[3][1].startswith(k2), mine)
        self.assertEqual(entries[2][1], c.u(1, 1) + c.u(2, 2))
        self.assertEqual([x["identifier"] for x in r[0][0].rule_results()], ["Old", "R"])
        self.assertEqual([x["name"] for x in r[0][0].rule_results()], ["Old", "R"])
        # and once more it is the same file
        with open(os.path.join(self.folder, "new.ncu-rep"), "rb") as f:
            before = f.read()
        again = os.path.join(self.folder, "again.ncu-rep")
        self.run_it("apply", os.path.join(self.folder, "new.ncu-rep"), "-o", again)
        with open(again, "rb") as f:
            self.assertEqual(f.read(), before)

    def test_a_file_is_replaced_only_when_told(self):
        self.write("a.py", SAY % ("R", "x"))
        path, new = self.report({}), self.write("new.ncu-rep", "mine", self.folder)
        self.run_it("apply", path, "-o", new, status=4)
        self.assertIn("new.ncu-rep: the file exists", self.said)
        self.run_it("apply", path, "-o", new, "-f")
        self.assertEqual(os.stat(new).st_mode & 0o777, 0o600)
        self.run_it("apply", path, "-o", "/nowhere/x", status=4)
        self.assertEqual([n for n in os.listdir(self.folder) if n.endswith(".part")], [])


class Charts(unittest.TestCase):
    def test_text_becomes_the_message(self):
        text = """# a comment
            Items { BarChart { Label: "two" ' words' Direction: Vertical ValueAxis { Range { Min: -1 Max: 0x10 } }
                               Metrics { Name: "a" ShowInstances: true }; Metrics < Name: 'b\\n' HWUnit: 4 > } }
            LineChart { Metrics { Name: "c" } AxisX: { Label: "x" Precision: 2 } }
            SourceMetricTable { Label: "s" Metrics { Name: "d" } }
            SuffixTable { Suffixes { Suffix { Name: ".sum" } } BaseNames { BaseName { Name: "e" } } }
            Body { Items { RooflineChart { Rooflines { PeakWork { Constant: 1.5 } PeakTraffic { Constant: 2 } } } } }"""
        self.assertEqual(sorted(charts.parse(text)), sorted([
            (3, c.s(1, "two words") + c.u(2, 1) + c.m(4, c.m(2, c.u(1, -1), c.u(2, 16))) +
             c.m(5, c.s(1, "a"), c.u(4, 1)) + c.m(5, c.s(1, "b\n"), c.u(3, 4))),
            (5, c.m(4, c.s(1, "c")) + c.m(2, c.s(1, "x"), c.u(5, 2))),
            (9, c.s(1, "s") + c.m(3, c.s(1, "d"))), (11, c.m(2, c.m(1, c.s(1, ".sum"))) + c.m(3, c.m(1, c.s(1, "e")))),
            (7, c.m(4, c.m(1, c.d(1, 1.5)), c.m(2, c.d(1, 2.0))))]))

    def test_what_is_wrong_has_its_place(self):
        for text, what in {
            "BarChart { Labl: 'x' }": "1:12: there is no field Labl here", "BarChart {\n  Label: 3 }": "2:10: a text in quotes is expected",
            "BarChart {": "1:11: the file ends inside a message", "BarChart { SortKey: Up }": "1:21: Up is none of ByLabel, ByValue",
            "Table { Rows: 1.5 }": "1:15: 1.5 is no integer", "Table { Rows 1 }": "1:14: : is expected", "\n ~": "2:2: '~' is not expected here",
            "Pie { }": "1:1: there is no field Pie here",
        }.items():
            with self.assertRaises(charts.ChartError) as e:
                charts.parse(text)
            self.assertEqual(str(e.exception), what)

    def test_numbers_are_those_of_the_schema(self):
        text = (ROOT / "analysis/sections/schema.def").read_text(encoding="utf-8")
        for name, (number, _, _) in {**charts.BAR, **charts.LINE}.items():
            self.assertRegex(text, r"\b%s\b" % name, number)


class Templates(WithRules):
    def test_they_run(self):
        s = c.Strings()
        k = c.kernel(s, "k", [c.metric(s, "launch__block_size", 40), c.metric(s, "launch__grid_size", 8),
                              c.metric(s, "inst_executed", None, [(0x100, 3), (0x110, 9)])], sections=["LaunchStats"])
        path = self.write("t.ncu-rep", c.report(c.block(s, results=[k])), self.folder)
        results, failed, _ = self.apply(path, "--folder", str(ROOT / "python/templates"))
        self.assertEqual(failed, [])
        basic, advanced = results
        self.assertEqual(basic["messages"][0]["text"], "k was launched with 8 groups of threads")
        self.assertIn("24 lanes", advanced["messages"][0]["text"])
        self.assertEqual((advanced["messages"][0]["speedup"]["value"], advanced["markers"][0]["at"], advanced["proposals"]),
                         (37.5, 0x110, ["TemplateBasic"]))


class Codec(unittest.TestCase):
    def test_what_is_encoded_is_decoded(self):
        message = {"identifier": "R", "name": "N", "body": {"items": [{"message": {"text": "x", "type": 4, "id": -1}, "focus": []}]},
                   "markers": [{"kind": 1, "line": 7, "text": "t"}]}
        self.assertEqual(wire.decode(wire.View(wire.encode(message, schema.RULE_RESULT)), schema.RULE_RESULT), message)


if __name__ == "__main__":
    unittest.main()
