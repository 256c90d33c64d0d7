#!/usr/bin/env python3
"""tests/unit/test_rule_protocol.py - whatever a rule's process answers, its caller has results or one line that says why not

Structured mutations of what rules really answer, as values and as bytes, and of rule files themselves, within the limits of
the process. RULE_MUTATIONS in the environment says how many (500; a tenth of it of rule files), RULE_SEED which (1).

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import copy
import io
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/rules")]
import compose as c                     # noqa: E402
from gputap_report import file, isolate, rulefile, runner, schema, speak, wire          # noqa: E402

MANY = int(os.environ.get("RULE_MUTATIONS", "500"))
SEED = int(os.environ.get("RULE_SEED", "1"))

# Says everything that a rule can say.
TALKER = '''import NvRules
def get_identifier(): return "Talker"
def get_section_identifier(): return "LaunchStats"
def evaluate(handle):
    NvRules.require_metrics(handle, ["launch__grid_size"])
    NvRules.require_rules(handle, ["Talker"])
def apply(handle):
    context = NvRules.get_context(handle)
    say, action = context.frontend(), context[0][0]
    m = say.message(NvRules.IFrontend.MsgType_MSG_OPTIMIZATION, "text", "name")
    say.message("another")
    say.speedup(m, NvRules.IFrontend.SpeedupType_LOCAL, 12.5)
    say.focus_metric(m, "launch__grid_size", 1.0, NvRules.IFrontend.Severity_SEVERITY_HIGH, "> 0")
    say.generate_table(m, ["a", "b"], [["x", 1], ["y", 2.5]], {"title": "t", "sort_by": {"column": "b", "order": "descending"},
                       "per_column_configs": {"a": {"tooltip": "tip", "relative_width": 0.5}}})
    say.source_marker("mark", 4096, NvRules.IFrontend.MarkerKind_SASS, NvRules.IFrontend.MsgType_MSG_OK)
    say.source_marker("mark", 12, NvRules.IFrontend.MarkerKind_SOURCE, "file.cu")
    say.send_dict_to_children({"a": 1})
    context.controller().propose_rule("Talker")
    context.controller().get_message_vault().Put("Talker", {"b": 2})
    action.add_integer_metric("own").set_uint64(0, 7) if False else action.add_metric("own").set_uint64(7, 7)
'''
VALUES = [None, True, False, 0, 1, -1, 2 ** 31, 2 ** 64, -2 ** 70, 10 ** 400, 0.5, float("inf"), float("nan"), 1e300, "", "x", "\0", "\ud800",
          "A" * 5000, "LaunchStats", [], [[]], {}, {"a": 1}, {"": {}}, [None], [1, "a"]]


ODD_WORDS = ["", "(", ")", ":", "\n", "\t", "0", "-1", "1e999", "2 ** 64", "None", "True", "''", "'A' * 5000", "[]", "{}", "[[1], [1, 2]]", "handle", "lambda: 0",
             "return", "raise", "pass", "def", "yield", "import", "\\", "\"\"\"", "\0", "\x80", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")]


def mutated_text(text, r):
    """A rule file, as bytes, with one or two changes: a word, a line, a few characters."""
    for _ in range(r.randrange(1, 3)):
        lines, how = text.split("\n"), r.randrange(8)
        words = list(re.finditer(r"\w+", text)) or [re.match("", text)]
        word, line = r.choice(words), r.randrange(len(lines))
        if how < 3:                     # another word of the file
            text = text[:word.start()] + r.choice(words)[0] + text[word.end():]
        elif how == 3:
            text = text[:word.start()] + r.choice(ODD_WORDS) + text[word.end():]
        elif how == 4:
            text = "\n".join(lines[:line] + lines[line + 1:])
        elif how == 5:
            text = "\n".join(lines[:line + 1] + lines[line:])
        elif how == 6:                  # a line elsewhere
            other = r.randrange(len(lines))
            lines[line], lines[other] = lines[other], lines[line]
            text = "\n".join(lines)
        else:
            place = r.randrange(len(text) + 1)
            text = text[:place] + text[place + r.randrange(1, 8):]
    return text.encode("latin-1")


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for k in value:
            yield from places(value[k], path + (k,))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from places(v, path + (i,))


def at(value, path):
    for k in path:
        value = value[k]
    return value


def mutated(answers, r):
    """A copy of a list of answers with one to three changes."""
    root = [copy.deepcopy(answers)]
    for _ in range(r.randrange(1, 4)):
        path = r.choice([p for p in places(root) if p])
        holder, key = at(root, path[:-1]), path[-1]
        how = r.randrange(7)
        if how < 3:
            holder[key] = copy.deepcopy(r.choice(VALUES))
        elif how == 3:
            holder[key] = copy.deepcopy(at(root, r.choice([p for p in places(root) if p])))
        elif how == 4 and path != (0,):
            del holder[key]
        elif how == 5 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif isinstance(holder, dict):
            holder[r.choice(["", "action", "done", "error", "skipped", "failed", "x", "rule"])] = copy.deepcopy(r.choice(VALUES))
    return root[0] if isinstance(root[0], list) else [root[0]]


class Protocol(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        strings = c.Strings()
        self.path = os.path.join(self.folder, "r.ncu-rep")
        with open(self.path, "wb") as f:
            f.write(c.report(c.block(strings, results=[
                c.kernel(strings, name, {"launch__grid_size": 64}, sections=["LaunchStats"]) for name in ("one", "two")])))
        self.rule = os.path.join(self.folder, "talker.py")
        with open(self.rule, "w", encoding="ascii") as f:
            f.write(TALKER)
        self.report = file.load(self.path)
        self.rules = runner.find([(self.folder, False)])
        self.assertEqual(self.rules.failed, [])
        self.answers = self.true_answers()

    def true_answers(self):
        run = runner.Application(self.report, self.rules)
        work, _ = run._work(self.rules.rules[0])
        outcome = isolate.run(lambda emit: rulefile.apply(self.rule, "Talker", work, run.ids, emit))
        self.assertIsNone(outcome.failure)
        return outcome.answers

    def applied(self, outcome):
        """What the caller makes of an outcome, up to the new file; the file must be one that is read."""
        run = runner.Application(self.report, self.rules)
        said, results = [], {}
        with mock.patch.object(isolate, "run", lambda *_: outcome):
            run.apply(self.rules.rules[0], lambda kind, place, what: said.append((kind, place, what)))
        for kind, place, what in said:
            if kind == "result":
                results.setdefault(place, []).append(runner.result_message(self.rules.rules[0], what))
                json.dumps(what)
            else:
                self.assertIsInstance(what, str)
                self.assertLess(len(what), 7000)
        out = os.path.join(self.folder, "new.ncu-rep")
        runner.write(self.report, results, out, True)
        new = file.load(out)
        with contextlib.redirect_stdout(io.StringIO()):
            for _, action in runner.Application(new, self.rules).actions:
                action.rule_results()
        return said

    def outcome(self, answers, failure=None):
        o = isolate.Outcome()
        o.answers, o.failure = answers, failure
        return o

    def test_what_it_really_answers_is_taken(self):
        said = self.applied(self.outcome(copy.deepcopy(self.answers)))
        self.assertEqual([(kind, place) for kind, place, _ in said], [("result", 0), ("result", 1)])

    def test_mutated_results_are_taken_or_refused_with_a_reason(self):
        r, refused = random.Random(SEED), 0
        for i in range(MANY):
            answers = mutated(self.answers, r)
            with self.subTest(seed=SEED, number=i):
                # What comes over the pipe are objects: isolate refuses the rest.
                said = self.applied(self.outcome([a for a in json.loads(json.dumps(answers)) if isinstance(a, dict)]))
                refused += any(kind == "failed" for kind, _, _ in said)
        self.assertGreater(refused, MANY // 3)
        self.assertLess(refused, MANY)

    def test_mutated_descriptions_and_needs(self):
        r = random.Random(SEED)
        facts = [{"rule": {"identifier": "A", "name": "n", "description": "d", "section": None, "parents": ["B"]}}]
        needs = [{"metrics": ["m"], "rules": ["A"]}]
        for i in range(MANY):
            with self.subTest(seed=SEED, number=i):
                answers = [a for a in mutated(facts, r) if isinstance(a, dict)]
                with mock.patch.object(isolate, "run", lambda *_: self.outcome(answers)):
                    found = runner.find([(self.folder, False)])
                for rule in found.rules:
                    self.assertIsInstance(rule.identifier, str)
                self.assertTrue(all(isinstance(why, str) for _, why in found.failed))
                answers = [a for a in mutated(needs, r) if isinstance(a, dict)]
                with mock.patch.object(isolate, "run", lambda *_: self.outcome(answers)):
                    is_needed, why = runner.requirements(self.rules.rules[0])
                if is_needed is not None:
                    self.assertTrue(all(isinstance(n, str) for n in is_needed["metrics"] + is_needed["rules"]))
                else:
                    self.assertTrue(why is None or isinstance(why, str))

    def watched(self, data):
        """What isolate makes of these bytes in the pipe of the answers."""
        answers, answers_in = os.pipe()
        output, output_in = os.pipe()
        watch = isolate._Watch(os.getpid(), answers, output, 5)
        try:
            watch._take_answers(data)
        finally:
            for fd in (answers, answers_in, output, output_in):
                os.close(fd)
        return watch.outcome

    def test_an_end_mark_of_the_rules_own_is_told(self):
        for then in (lambda: None, lambda: os._exit(0), lambda: os._exit(3)):
            def forger(emit, then=then):
                emit({"messages": []})
                emit({"done": True})
                then()
            outcome = isolate.run(forger)
            self.assertEqual((outcome.failure, len(outcome.answers)), ("it wrote into the pipe of its answers", 1))

    def test_an_end_without_the_mark_is_told(self):
        self.assertEqual(isolate.run(lambda emit: os._exit(0)).failure, "it ended its process with status 0")

    def test_it_needs_neither_proc_nor_dev(self):
        with mock.patch.object(isolate, "STATM", self.folder + "/none"), mock.patch.object(os, "devnull", self.folder + "/none"):
            outcome = isolate.run(lambda emit: emit({"read": sys.stdin.read()}))
            self.assertEqual((outcome.failure, outcome.answers), (None, [{"read": ""}]))
            outcome = isolate.run(lambda emit: bytearray(8 << 30))
            self.assertIn("MemoryError", outcome.failure)

    def test_where_no_process_can_be_made_the_reason_is_told(self):
        with mock.patch.object(isolate, "_become_child", side_effect=OSError(24, "too many")):
            self.assertIn("no process for it: ", isolate.run(lambda emit: None).failure)

    def test_a_long_word_takes_no_square_of_the_time(self):
        fill, words = speak.textwrap.fill, []

        def look(text, *args, **how):
            words.extend(text.split())
            return fill(text, *args, **how)
        with mock.patch.object(speak.textwrap, "fill", look):
            lines = speak._wrapped("a " + "x" * 300000 + " b", "    ").split("\n")
        self.assertLess(max(map(len, words)), speak.WORD_MOST)
        self.assertEqual("".join(lines).replace(" ", ""), "a" + "x" * 300000 + "b")
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_mutated_bytes(self):
        r = random.Random(SEED)
        good = b"".join((json.dumps(a) + "\n").encode() for a in self.answers)
        for i in range(MANY):
            data = bytearray(good)
            for _ in range(r.randrange(1, 6)):
                place, how = r.randrange(len(data)), r.randrange(4)
                if how == 0:
                    data[place] = r.randrange(256)
                elif how == 1:
                    del data[place:place + r.randrange(1, 40)]
                elif how == 2:
                    data[place:place] = bytes(r.choices(b'{}[]",:0e\n\\', k=r.randrange(1, 9)))
                else:
                    data[place:place] = data[:r.randrange(1, 60)]
            with self.subTest(seed=SEED, number=i):
                outcome = self.watched(bytes(data))
                self.assertTrue(all(isinstance(a, dict) for a in outcome.answers))
                self.applied(outcome)

    def test_mutated_rule_files(self):
        """Each is a rule that answers, or is named with one line that says what is wrong; processes of their own, with limits."""
        r, counts = random.Random(SEED), {"unusable": 0, "failed": 0, "answered": 0}
        for i in range(MANY // 10):
            with open(self.rule, "wb") as f:
                f.write(mutated_text(TALKER, r))
            with self.subTest(seed=SEED, number=i):
                found, said = runner.find([(self.folder, False)]), []
                self.assertTrue(all(isinstance(why, str) and "\n" not in why and why for _, why in found.failed), found.failed)
                for rule in found.rules:
                    run = runner.Application(self.report, found, 20)
                    run.apply(rule, lambda kind, place, what: said.append((kind, place, what)))
                for kind, _, what in said:
                    self.assertTrue(kind == "result" or isinstance(what, str) and "\n" not in what.rstrip("\n") or kind == "printed", (kind, what))
                kinds = {kind for kind, _, _ in said}
                counts["answered" if "result" in kinds else "failed" if "failed" in kinds else "unusable"] += 1
        self.assertGreater(counts["unusable"], MANY // 100, counts)
        self.assertGreater(counts["answered"], MANY // 100, counts)
        self.assertGreater(counts["failed"], MANY // 500, counts)

    def test_an_optimization_is_a_warning_for_readers_that_know_none(self):
        answer = copy.deepcopy(self.answers[0])
        answer.pop("action")
        body = wire.encode(runner.result_message(self.rules.rules[0], answer), schema.RULE_RESULT)
        self.assertIn(wire.put(2, "u32", 2) + wire.put(2, "u32", 4), body)
        told = wire.decode(wire.View(body), schema.RULE_RESULT)["body"]["items"][0]["message"]["type"]
        self.assertEqual(told, 4)

    def test_deep_answers(self):
        for text in (b"[" * 200000, b'{"a":' * 200000, b'{"action": 0, "messages": ' + b"[" * 900 + b"]" * 900 + b"}"):
            with self.subTest(begin=text[:12]):
                self.applied(self.watched(text + b"\n"))

    def test_children_that_write_where_their_answers_go(self):
        """Real processes: each rule finds the pipe and says something else."""
        for line in ("3", "null", '{"done": 1}', '{"error": [1]}', '{"action": 0, "messages": 5}', '{"action": 7, "skipped": "x"}', "\\xff", '{"done": true}'):
            with self.subTest(line=line):
                with open(self.rule, "w", encoding="ascii") as f:
                    f.write("import os, stat\ndef get_identifier(): return 'Talker'\ndef apply(handle):\n"
                            "    for fd in range(3, 64):\n        try:\n            if stat.S_ISFIFO(os.fstat(fd).st_mode): os.write(fd, b'%s\\n')\n"
                            "        except OSError: pass\n" % line)
                run, said = runner.Application(self.report, self.rules, 20), []
                run.apply(self.rules.rules[0], lambda kind, place, what: said.append((kind, place, what)))
                self.assertTrue(all(kind in ("failed", "printed") and isinstance(what, str) for kind, _, what in said if kind != "result"), said)


if __name__ == "__main__":
    unittest.main()
