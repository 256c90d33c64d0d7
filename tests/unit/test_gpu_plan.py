#!/usr/bin/env python3
"""tests/unit/test_gpu_plan.py - scripts/test-gpu keeps to its seconds, by a clock that the test moves

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/gpu"))
import costs    # noqa: E402
import machine  # noqa: E402
import session  # noqa: E402
import steps    # noqa: E402

PREPARED = 40           # seconds that looking for the device and compiling usually take


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def call_of(words):
    return session.Options(words)


class Plan(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.clock = Clock()

    def steps_of(self, number):
        """Those of a part, as they are on a machine where everything is."""
        place = os.path.join(self.folder, "work")
        m = machine.Machine(place, place, place, steps.Budget(100, 1))
        return session.PARTS[number].steps(m)

    def run_call(self, words, takes):
        """A call of the plan in which each step takes takes(step) seconds; (what was said, seconds in all)"""
        options = call_of(words)
        budget = steps.Budget(options.seconds, len(options.parts), self.clock)
        done = steps.Session(tempfile.mkdtemp(dir=self.folder), budget)
        said = io.StringIO()
        self.clock.now += PREPARED

        def act(step):
            def run():
                # a step is stopped when it has used what it may
                self.clock.now += min(takes(step), budget.step_left() + steps.GRACE)
                return steps.ok("")
            return step._replace(run=run)

        with contextlib.redirect_stdout(said):
            for index, number in enumerate(options.parts):
                budget.begin_part(index)
                part = steps.Part(done, number, "a part", "key", {})
                for step in self.steps_of(number):
                    part.run(act(step))
                part.close()
        return said.getvalue(), budget.used(), done

    def seconds_of(self, words):
        options = call_of(words)
        return options.seconds * len(options.parts)

    def test_the_calls_are_those_of_the_documents_and_fit_what_is_lent(self):
        for name in ("docs/gpu-tests.md", "CONTRIBUTING.md"):
            found = re.findall(r"DIR/scripts/test-gpu (--part [^`\n]*)", (ROOT / name).read_text(encoding="utf-8"))
            self.assertEqual(found, [" ".join(words) for words in steps.PLAN], name)
        self.assertEqual(sum(map(self.seconds_of, steps.PLAN)), steps.PLAN_SECONDS)
        for words in steps.PLAN:
            self.assertLessEqual(self.seconds_of(words), steps.CALL_SECONDS)
        self.assertEqual([n for words in steps.PLAN for n in call_of(words).parts], [1, 2, 3, 4])
        self.assertLess(steps.SECONDS * 4, steps.PLAN_SECONDS)

    def test_what_steps_usually_take_fits(self):
        for words in steps.PLAN:
            said, used, _ = self.run_call(words, lambda step: step.usual)
            self.assertNotIn("skipped: ", said)
            self.assertLessEqual(used, self.seconds_of(words))

    def test_every_step_fits_into_a_part_by_itself(self):
        for words in steps.PLAN:
            for index, number in enumerate(call_of(words).parts):
                before = 0 if index else PREPARED
                for step in self.steps_of(number):
                    with self.subTest(step=step.name):
                        self.assertLessEqual(step.bound + before + steps.END_SECONDS, call_of(words).seconds)
                        self.assertLessEqual(0 if step.whole else step.usual, step.bound)

    def test_a_call_ends_in_its_seconds_whatever_steps_take(self):
        for seed in range(30):
            chance = random.Random(seed)
            for words in steps.PLAN:
                said, used, done = self.run_call(words, lambda step: chance.choice((0, step.usual, step.bound, 10000)))
                self.assertLessEqual(used, self.seconds_of(words) - steps.END_SECONDS)
                names = [s.name for n in call_of(words).parts for s in self.steps_of(n)]
                self.assertEqual(sum(done.counts()), len(names), "each step has a verdict")

    def test_what_does_not_fit_is_skipped_with_its_name_and_seconds(self):
        said, _, done = self.run_call(steps.PLAN[0], lambda step: step.bound)
        skipped = re.findall(r"^skipped: (.*): no time left: it may take (\d+) s, and (\d+) s are left$", said, re.M)
        self.assertEqual(len(skipped), done.skipped)
        self.assertGreater(len(skipped), 5)
        for _, bound, left in skipped:
            self.assertLess(int(left), int(bound))

    def test_what_a_part_leaves_is_the_next_ones(self):
        budget = steps.Budget(90, 2, self.clock)
        budget.begin_part(0)
        self.assertEqual(budget.left(), 90)
        self.clock.now += 10
        budget.begin_part(1)
        self.assertEqual(budget.left(), 170 - steps.END_SECONDS)

    def test_a_command_has_what_its_step_has_left(self):
        budget = steps.Budget(100, 1, self.clock)
        self.assertEqual(budget.step_left(), 100 - steps.END_SECONDS)
        budget.begin_step(20)
        self.clock.now += 5
        self.assertEqual(budget.step_left(), 15)
        self.clock.now += 50
        self.assertEqual(budget.step_left(), 0)
        m = machine.Machine(self.folder, self.folder, self.folder, budget)
        self.assertEqual(m.run(10, ["/bin/true"]), machine.TIMED_OUT)

    def test_a_wrong_step_costs_no_other_its_answer(self):
        def wrong():
            raise ValueError("not here")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            done = steps.Session(self.folder, steps.Budget(100, 1, self.clock))
            part = steps.Part(done, 1, "a part", "key", {})
            for run in (wrong, lambda: None, lambda: steps.ok("fine")):
                part.run(steps.Step(run.__name__, 1, 2, run))
            part.close()
        self.assertEqual(done.counts(), (1, 2, 0))
        self.assertIn("ValueError: not here", said.getvalue())
        rows = [json.loads(line) for line in machine.read(part.results).splitlines()]
        self.assertEqual([row.get("status") for row in rows], [None, "FAIL", "FAIL", "ok", None])

    def test_results_of_another_machine_are_not_gone_on_with(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            for key in ("one", "one", "other"):
                done = steps.Session(self.folder, steps.Budget(100, 1, self.clock))
                part = steps.Part(done, 1, "a part", key, {})
                part.run(steps.Step("D1", 1, 2, lambda: steps.ok("fine")))
        self.assertEqual(re.findall("^ok .*", said.getvalue(), re.M),
                         ["ok    D1: fine", "ok    D1 (before)", "ok    D1: fine"])

    def test_what_is_measured_is_never_cut(self):
        """Each run takes 4 s here; the first of a kind needs room for 10."""
        for seconds, verdict in ((9, 3), (20, 3), (600, 0)):
            clock, limits = Clock(), []

            def once(_, limit):
                limits.append(limit)
                clock.now += 4
                return {"best": 1.0, "median": 1.0, "mean": 1.0, "p99": 1.0}, ""

            results = os.path.join(self.folder, "%d.jsonl" % seconds)
            with mock.patch.object(costs, "once", once), mock.patch.object(costs.time, "monotonic", clock), \
                    mock.patch.object(sys, "argv", ["costs.py", "launch", self.folder, "2", results, str(seconds)]), \
                    contextlib.redirect_stdout(io.StringIO()) as said, self.assertRaises(SystemExit) as ended:
                costs.main()
            self.assertEqual(ended.exception.code, verdict)
            self.assertEqual(len(limits), len(costs.measured(results)))
            self.assertTrue(all(limit >= 8 for limit in limits), limits)
            self.assertEqual("no time left for: " in said.getvalue(), verdict == 3)


class Commands(unittest.TestCase):
    def test_what_outlasts_its_limit_is_ended_with_all_below_it(self):
        child = subprocess.Popen(["sh", "-c", "echo $$; sleep 600 & echo $!; wait"], stdout=subprocess.PIPE,
                                 start_new_session=True)
        pids = [int(child.stdout.readline()) for _ in range(2)]
        self.assertEqual(machine.wait_for(child, 0.01), machine.TIMED_OUT)
        child.stdout.close()
        for pid in pids:
            while machine.read("/proc/%d/stat" % pid).rsplit(")", 1)[-1].split()[:1] not in ([], ["Z"]):
                time.sleep(0.01)        # the signal is on its way

    def test_a_status_is_the_programs(self):
        for words, status in ((["exit 3"], 3), (["kill -9 $$"], 137)):
            child = subprocess.Popen(["sh", "-c", *words], start_new_session=True)
            self.assertEqual(machine.wait_for(child, 60), status)


if __name__ == "__main__":
    unittest.main()
