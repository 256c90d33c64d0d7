"""part1.py - versions, and what only hardware answers: D1 to D15

A program and an answer each. FAIL means that the hardware answers otherwise than the collector assumes. Those that
last long come last.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import platform
import re
import sys
import time

from machine import SKIPPED, SOURCES, children_of, kill, last_line, read, remove, where_they_hang
from steps import Step, Stop, bad, ok, skip

TITLE = 'versions, and what only hardware answers'
PROGRAMS = ('streams', 'leave', 'cost')         # that nvcc compiles
EVERY_KIND = ['--cuda-memory-usage', '--cuda-um', '--cuda-events', '--cuda-jit', '--cuda-latency',
              '--cuda-graph-trace=node']


def number(name, usual):
    return float(os.environ.get(name, usual))


def doubts(m, *arguments, most=60):
    """The lines of tests/gpu/doubts.py are the answer, its status the verdict."""
    status, lines, why = m.script('doubts.py', *arguments, most=most)
    return {0: ok, SKIPPED: skip}.get(status, bad)(lines or why or 'status %d' % status)


def steps(m):
    """With launches as nvcc writes them where nvcc's programs are."""
    simple = os.path.join(m.bin, 'streams')
    if not m.have(simple):
        simple = os.path.join(m.bin, 'doubt_late')

    def program(name):
        return os.path.join(m.bin, name)

    def versions():
        m.probe('versions', [], 12, 0, [program('doubt_late')])
        used = re.search(r'(CUPTI [0-9].*?), clock', m.info('versions'))
        if not used:
            return bad('CUDA was not traced: ' + last_line(read(m.path('traced.err'))))
        release = '.'.join(platform.release().split('.')[:2])
        return ok('%s; Linux %s, Python %s, %s' % (used.group(1), release, platform.python_version(),
                                                   ' '.join(platform.libc_ver())))

    def kinds_refused():
        m.probe('d1', EVERY_KIND, 15, 0, [simple])
        return doubts(m, 'kinds', m.trace('d1'))

    def exit_loses():
        """Ends without waiting, in each way; four at a time."""
        m.need(program('leave'))
        answers = []
        for way in ('exit', '_exit', 'reset'):
            for trace in glob.glob(m.path('d2.*')):
                remove(trace)
            for first in range(0, int(number('GPU_ENDS', 30)), 4):
                leave_together(way, first)
            answers.append(doubts(m, 'leave', way, *sorted(glob.glob(m.path('d2.*.gputap')))))
        worst = max(answers, key=lambda v: ('ok', 'skipped', 'FAIL').index(v.status))
        return worst._replace(says='; '.join(v.says for v in answers))

    def leave_together(way, first):
        last = min(first + 4, int(number('GPU_ENDS', 30)))
        running = [m.start([m.tool, 'run', '-q', '-f', '-o', m.path('d2.%d' % i), '--', program('leave'), way])
                   for i in range(first, last)]
        for child in running:
            m.end(child, 20)

    def hang_at_destroy():
        m.need(program('doubt_contexts'))
        remove(m.trace('d3'))
        rounds, start = '%d' % number('GPU_CONTEXTS', 100), time.monotonic()
        command = [m.tool, 'run', '-q', '-f', '-o', m.path('d3'), '--cuda-flush=1', '--', program('doubt_contexts')]
        with open(m.path('d3.out'), 'wb') as out, open(m.path('traced.err'), 'wb') as err:
            child = m.start([*command, '4', rounds, '40'], stdout=out, stderr=err)
        most = min(number('GPU_HANG', 45), m.budget.step_left())
        while child.poll() is None and time.monotonic() - start < most:
            time.sleep(0.1)
        if child.poll() is None:
            below = children_of(child.pid)
            stuck = where_they_hang(below or [child.pid])
            for pid in below:
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    pass
            kill(child)
            return bad('it hangs after %d s: %s' % (most, stuck))
        if child.returncode:
            return bad('status %d: %s' % (child.returncode, last_line(read(m.path('traced.err')))))
        answer = doubts(m, 'contexts', m.trace('d3'), m.path('d3.out'))
        said = (read(m.path('d3.out')).splitlines() or [''])[0]
        return answer._replace(says='%s in %d s, no hang; %s' % (said, time.monotonic() - start, answer.says))

    def late_writes():
        m.probe('d4', [], 15, 0, [program('doubt_late')])
        return doubts(m, 'late', m.trace('d4'))

    def after_teardown():
        m.probe('d5', [], 15, 3, [program('doubt_teardown')])
        return doubts(m, 'teardown', m.trace('d5'), m.path('traced'))

    def child_writes():
        m.probe('d6', [], 15, 0, [program('doubt_fork')])
        return doubts(m, 'fork', m.trace('d6'), m.path('traced'))

    def open_buffers():
        raw = os.path.join(m.gpu, 'raw')
        m.need(program('cuda_kill'), raw)
        remove(m.trace('d7'))
        victim = m.start([program('cuda_kill'), m.path('progress')],
                         env={'LD_PRELOAD': m.shim, 'GPUTAP_OUTPUT': m.path('d7'), 'GPUTAP_CUDA_FLUSH': '50'})
        time.sleep(number('GPU_KILL_AFTER', 2))
        kill(victim)
        return doubts(m, 'killed', m.said(20, [raw, 'buffers', m.trace('d7')])[1].strip(), m.trace('d7'))

    def time_error():
        seconds = number('GPU_PACE', 20)
        m.need(program('doubt_pace'))
        if m.traced('d8', [], seconds + 20, [program('doubt_pace'), '%d' % seconds]):
            return bad('with the tool: ' + last_line(read(m.path('traced.err'))))
        return doubts(m, 'times', m.trace('d8'))

    def same_number():
        m.probe('d9', [], 15, 0, [simple])
        return doubts(m, 'nested', m.trace('d9'))

    def seconds_of(command):
        """Of three runs, with commas between; the trace of the last one stays."""
        took = []
        for _ in range(3):
            start = time.monotonic()
            status = m.run(60, command, out=m.path('bare'), err=m.path('bare.err'), cwd=m.work)
            if status == SKIPPED:
                raise Stop(skip(last_line(read(m.path('bare.err')))))
            if status:
                raise Stop(bad('status %d: %s: %s' % (status, ' '.join(map(os.path.basename, command)),
                                                      last_line(read(m.path('bare.err'))))))
            took.append('%.3f' % (time.monotonic() - start))
        return ','.join(took)

    def module_hashing():
        command, why = [sys.executable, os.path.join(SOURCES, 'torch_step.py'), 'first'], m.why_no_torch()
        if why:
            command = [program('doubt_late')]
            m.need(command[0])
        run = [m.tool, 'run', '-q', '-f', '-o', m.path('d10'), '-t', 'cuda']
        bare = seconds_of(command)
        without = seconds_of([*run, '--cupti=' + os.path.join(m.gpu, 'libnomodules.so'), '--', *command])
        whole = seconds_of([*run, '--', *command])
        pairs = m.said(20, [os.path.join(m.gpu, 'raw'), 'modules', m.trace('d10')])[1].strip()
        answer = doubts(m, 'modules', pairs, bare, whole, without)
        return answer._replace(says=answer.says + (' (%s: %s)' % (why, os.path.basename(command[0])) if why else ''))

    def flush_costs():
        m.need(program('cost'))
        results = m.path('flush.jsonl')
        status, lines, why = m.script('costs.py', 'flush', m.bin, 1, results, int(m.budget.step_left()), most=600)
        if status:
            return bad(lines or why)
        return doubts(m, 'flush', *[line for line in read(results).splitlines() if line.startswith('{"cost"')])

    def second_window():
        m.need(program('doubt_windows'))
        status, lines = m.said(15, [program('doubt_windows')])
        lines = lines.strip() or last_line(read(m.path('said.err')))
        return {0: ok, SKIPPED: skip}.get(status, bad)(lines or 'status %d' % status)

    def names_after_unload():
        m.probe('d13', [], 15, 0, [program('doubt_unload')])
        return doubts(m, 'unload', m.trace('d13'), m.path('traced'))

    def second_client():
        """Bare and traced it must be answered the same; what is not recorded from then on is counted."""
        cupti = 'libcupti.so.13'
        answers = []
        for name, words in (('session', 'cuda session launch'), ('takes', 'cuda launch gather launch')):
            command = [program('cuda_client'), 'open', cupti, *words.split()]
            m.need(command[0])
            bare, said = m.said(12, command)
            if bare == SKIPPED:
                return skip(last_line(said))
            if bare != 3:
                return bad('%s: without the tool: status %d: %s' % (name, bare, ' '.join(said.split())))
            status = m.traced('d14', [], 12, command)
            traced = read(m.path('traced'))
            if status != bare or traced != said:
                return bad('%s: with the tool status %d, not %d: %s, not %s: %s' % (
                    name, status, bare, ' '.join(traced.split()), ' '.join(said.split()),
                    last_line(read(m.path('traced.err')))))
            answers.append(doubts(m, 'client', name, m.trace('d14'), ' '.join(said.split())))
        worst = max(answers, key=lambda v: ('ok', 'skipped', 'FAIL').index(v.status))
        return worst._replace(says='\n'.join(v.says for v in answers))

    def what_identifies_devices():
        raw = os.path.join(m.gpu, 'raw')
        m.need(raw)
        m.probe('d15', [], 12, 0, [program('doubt_late')])
        return doubts(m, 'devices', m.said(10, [raw, 'devices', m.trace('d15')])[1].strip())

    return [
        Step('versions', 3, 30, versions),
        Step('D1', 3, 40, kinds_refused),
        Step('D9', 3, 40, same_number),
        Step('D12', 2, 20, second_window),
        Step('D13', 3, 40, names_after_unload),
        Step('D14', 6, 60, second_client),
        Step('D15', 3, 40, what_identifies_devices),
        Step('D4', 3, 40, late_writes),
        Step('D5', 3, 40, after_teardown),
        Step('D6', 3, 40, child_writes),
        Step('D7', 5, 40, open_buffers),
        Step('D2', 25, 60, exit_loses),
        Step('D3', 25, 60, hang_at_destroy),
        Step('D11', 12, 50, flush_costs),
        Step('D8', 22, 50, time_error),
        Step('D10', 55, 90, module_hashing),
    ]
