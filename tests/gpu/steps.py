"""steps.py - how scripts/test-gpu keeps count: seconds, steps, verdicts, results

A step has a name, seconds that it usually takes, seconds after which it is stopped, and a function. It begins only
where the time that is left holds all of the latter; otherwise it is skipped, by name and with the reason. So nothing
is cut halfway because the time of all ends, and what was begun has a verdict.

Results are $out/partN.jsonl: a head line with a key (what was tested, on what machine), a line per step with its
verdict and words, a line per cost that was measured, an end line. A part that is run again with the same key goes on:
what passed and what was measured stays.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import time
import traceback
from collections import namedtuple

# The one plan for a machine that is lent for 900 s in all: two calls, as a call may take 600 s; its starts and
# transfers, some 100 s each, count too.
PLAN = (('--part', '1', '--part', '2', '--seconds', '260'), ('--part', '3', '--part', '4', '--seconds', '90'))
PLAN_SECONDS = 700
CALL_SECONDS = 600
SECONDS = 170               # of a part, where none are given: four of them are less than PLAN_SECONDS
END_SECONDS = 5             # for packing the results
GRACE = 2                   # from SIGTERM to SIGKILL

# whole: it takes whatever the part has left; the bound is what it needs at least
Step = namedtuple('Step', 'name usual bound run whole', defaults=(False,))
Verdict = namedtuple('Verdict', 'status says')


def ok(says):
    return Verdict('ok', says)


def bad(says):
    return Verdict('FAIL', says)


def skip(says):
    return Verdict('skipped', says)


class Stop(Exception):
    """Ends a step with a verdict."""

    def __init__(self, verdict):
        super().__init__(verdict.says)
        self.verdict = verdict


class Budget:
    """The seconds of the whole call. What a part does not use is the next one's."""

    def __init__(self, part_seconds, parts, clock=time.monotonic):
        self.clock, self.start, self.part_seconds = clock, clock(), part_seconds
        self.end = self.start + part_seconds * parts - END_SECONDS
        self.part_end = self.end
        self.step_end = None

    def begin_part(self, index):
        self.part_end = min(self.end, self.start + self.part_seconds * (index + 1))

    def used(self):
        return self.clock() - self.start

    def left(self):
        return max(0, self.part_end - self.clock())

    def begin_step(self, seconds):
        self.step_end = self.clock() + seconds

    def end_step(self):
        self.step_end = None

    def step_left(self):
        """What a command may take: of its step where one runs."""
        end = self.part_end if self.step_end is None else self.step_end
        return max(0, end - self.clock())


class Session:
    """Counts, and says so to the terminal and to $out/log."""

    def __init__(self, out, budget, only=()):
        self.out, self.budget, self.only = out, budget, set(only)
        self.passed = self.failed = self.skipped = 0
        self.met = set()                # names of steps that there are
        self.most_steps = int(os.environ.get('GPU_STEPS', '1000'))      # for tests: a part's time is over behind them

    def say(self, text):
        print(text, flush=True)
        with open(os.path.join(self.out, 'log'), 'a', encoding='utf-8') as log:
            log.write(text + '\n')

    def count(self, name, verdict):
        words = {'ok': 'ok    ', 'FAIL': 'FAIL  ', 'skipped': 'skipped: '}[verdict.status]
        says = verdict.says.replace('\n', '\n        ')
        self.say(words + name + (': ' + says if says else ''))
        self.passed += verdict.status == 'ok'
        self.failed += verdict.status == 'FAIL'
        self.skipped += verdict.status == 'skipped'

    def counts(self):
        return self.passed, self.failed, self.skipped


def read_kept(path, key):
    """The lines of earlier results that are gone on with: None where there are none of this key."""
    try:
        with open(path, encoding='utf-8') as file:
            head, *lines = file.read().splitlines()
        if json.loads(head).get('key') != key:
            return None
    except (OSError, ValueError, AttributeError):
        return None
    return [line for line in lines if re.match(r'\{"step":"[^"]*","status":"ok"|\{"cost"', line)]


class Part:
    def __init__(self, session, number, title, key, machine, again=False):
        self.session, self.number = session, number
        self.results = os.path.join(session.out, 'part%d.jsonl' % number)
        self.before, self.start, self.begun = session.counts(), session.budget.used(), 0
        session.say('== part %d: %s' % (number, title))
        kept = None if again else read_kept(self.results, key)
        if kept is not None:
            session.say('going on with what was there: %d results' % len(kept))
        head = {'part': number, 'title': title, 'key': key, 'date': time.strftime('%Y-%m-%d', time.gmtime()),
                'machine': machine}
        with open(self.results + '.new', 'w', encoding='utf-8') as file:
            file.write('\n'.join([json.dumps(head, separators=(',', ':')), *(kept or [])]) + '\n')
        os.replace(self.results + '.new', self.results)
        self.done = {json.loads(line)['step'] for line in kept or [] if line.startswith('{"step"')}

    def write(self, row):
        with open(self.results, 'a', encoding='utf-8') as file:
            file.write(json.dumps(row, separators=(',', ':')) + '\n')

    def run(self, step):
        session = self.session
        session.met.add(step.name)
        if session.only and step.name not in session.only:
            return
        if step.name in self.done:
            session.passed += 1
            session.say('ok    %s (before)' % step.name)
            return
        start = session.budget.used()
        verdict = self.verdict(step)
        session.count(step.name, verdict)
        self.write({'step': step.name, 'status': verdict.status, 'seconds': int(session.budget.used() - start),
                    'says': re.sub(r'[^\n -~\u00a0-\uffff]', ' ', verdict.says)})

    def verdict(self, step):
        budget = self.session.budget
        left = budget.left()
        if self.begun >= self.session.most_steps:
            return skip('no time left')
        if left < step.bound:
            return skip('no time left: it may take %d s, and %d s are left' % (step.bound, left))
        self.begun += 1
        # What stops a command at the end of the step takes its grace from the step.
        budget.begin_step((left if step.whole else step.bound) - GRACE)
        try:
            return step.run() or bad('gave no answer')
        except Stop as stop:
            return stop.verdict
        except Exception:               # whatever it is: the other steps have their answers to give
            return bad('this step is wrong itself: ' + traceback.format_exc(limit=-3).strip())
        finally:
            budget.end_step()

    def close(self):
        session = self.session
        passed, failed, skipped = (now - then for now, then in zip(session.counts(), self.before))
        seconds = int(session.budget.used() - self.start)
        self.write({'end': True, 'passed': passed, 'failed': failed, 'skipped': skipped, 'seconds': seconds})
        session.say('part %d: %d passed, %d failed, %d skipped, %d s' % (
            self.number, passed, failed, skipped, seconds))
