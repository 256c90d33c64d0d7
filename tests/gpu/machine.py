"""machine.py - the machine that scripts/test-gpu runs on: where things lie, what libraries it lacks, programs with limits

All that is started goes through run(): no command outlasts its step, and what hangs in the driver is left behind.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import hashlib
import importlib.util
import json
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig

import steps
from steps import Stop, bad, ok, skip

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(TOP, 'tests/gpu')
HOLD_SECONDS, ASK_SECONDS, CUPTI_SECONDS = 45, 20, 20
TIMED_OUT, NOT_FOUND, SKIPPED = 124, 127, 77
# What a run of ours would be told by, of the user's own runs.
FOREIGN = re.compile(r'LD_PRELOAD$|LD_AUDIT$|CUDA_INJECTION64_PATH$|NVTX_INJECTION64_PATH$|GPUTAP_')
# Modules of Python that may be missing where it was put together from parts.
ASK = '''
import importlib, sys
for module in sys.argv[1].split():
    try: importlib.import_module(module)
    except ImportError as why: print("module", module, why)
'''
MODULES = 'ctypes json sqlite3 csv gzip tarfile hashlib struct statistics'


class Missing(Exception):
    """What is missing on this machine, by its name; the status to end with."""

    def __init__(self, status, says):
        super().__init__(says)
        self.status, self.says = status, says


def interpreter_of(path):
    """The dynamic linker that an executable names; '' where it is none, or names none."""
    try:
        with open(path, 'rb') as file:
            data = file.read(4096)
        if data[:5] != b'\x7fELF\x02':
            return ''
        at, size, count = struct.unpack_from('<Q', data, 32)[0], *struct.unpack_from('<HH', data, 54)
        for i in range(count):
            kind, _, offset = struct.unpack_from('<IIQ', data, at + i * size)
            if kind == 3:
                return data[offset:data.index(b'\0', offset)].decode()
    except (OSError, struct.error, ValueError):
        pass
    return ''


def is_elf(path):
    try:
        with open(path, 'rb') as file:
            return file.read(4) == b'\x7fELF'
    except OSError:
        return False


class Machine:
    def __init__(self, build, work, out, budget):
        self.build, self.work, self.out, self.budget = build, work, out, budget
        self.gpu = os.path.join(build, 'gpu')
        self.bin = os.path.join(self.gpu, 'bin')
        self.tool = self.first('gputap', 'bin/gputap')
        self.shim = self.first('libgputap.so', 'lib/gputap/libgputap.so')
        self.env = {k: v for k, v in os.environ.items() if not FOREIGN.match(k) or k == 'GPUTAP_BUILD'}
        self.env.update(GPUTAP_BUILD=build, GPUTAP_TOOL=self.tool)
        self.foreign = set()            # programs that are there, of other sources: not used
        self.what, self.started, self.results = {}, [], None

    def first(self, *places):
        """In a build folder, or where an install puts it."""
        return next((p for p in (os.path.join(self.build, at) for at in places) if os.path.exists(p)),
                    os.path.join(self.build, places[0]))

    # ------------------------------------------------------------ commands

    def run(self, most, command, out=None, err=None, cwd=None, env=None):
        """Its status, 128 + signal, 124 where it took longer than `most` or than the step has; words go to files."""
        limit = min(most, self.budget.step_left())
        if limit <= 0:
            return TIMED_OUT
        with open(out or os.devnull, 'wb') as o, open(err or os.devnull, 'wb') as e:
            try:
                child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=o, stderr=e, cwd=cwd,
                                         env={**self.env, **(env or {})}, start_new_session=True)
            except OSError as why:
                e.write(('%s: %s\n' % (command[0], why.strerror)).encode())
                return NOT_FOUND - (why.errno != 2)
        return wait_for(child, limit)

    def start(self, command, **words):
        """In the background; who starts it ends it."""
        env = {**self.env, **words.pop('env', {})}
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=words.pop('stdout', subprocess.DEVNULL),
                                 stderr=words.pop('stderr', subprocess.DEVNULL), env=env, start_new_session=True,
                                 **words)
        self.started.append(child)
        return child

    def end(self, child, most):
        return wait_for(child, min(most, self.budget.step_left()))

    def said(self, most, command, **words):
        """(status, what it printed)"""
        out = self.path('said')
        status = self.run(most, command, out=out, err=words.pop('err', self.path('said.err')), **words)
        return status, read(out)

    def script(self, name, *arguments, most=60):
        """One of tests/gpu's scripts: (status, lines, last line of its errors)."""
        command = [sys.executable, os.path.join(SOURCES, name), *map(str, arguments)]
        status, lines = self.said(most, command)
        return status, lines.rstrip('\n'), last_line(read(self.path('said.err')))

    def path(self, *names):
        return os.path.join(self.work, *names)

    def have(self, path):
        return os.access(path, os.X_OK) and os.path.basename(path) not in self.foreign

    def need(self, *paths):
        """Skips the step, and names what is not there."""
        for path in paths:
            if not self.have(path):
                raise Stop(skip('%s is not there' % os.path.basename(path)))

    # ------------------------------------------------------------ libraries

    def missing_libraries(self, files):
        loader = interpreter_of(self.tool)
        if not loader:
            return []
        missing, env = set(), {**self.env, 'LD_TRACE_LOADED_OBJECTS': '1'}      # as ldd asks, which may not be here
        for file in filter(is_elf, files):
            done = subprocess.run([loader, file], capture_output=True, text=True, env=env, check=False)
            missing.update(re.findall(r'^\s*(\S+) => not found', done.stdout, re.M))
        return sorted(missing)

    def find_libraries(self):
        """What is missing here comes from the bundle, and nothing else does: CUPTI as the last of LD_LIBRARY_PATH."""
        lib = self.path('lib')
        os.makedirs(lib, exist_ok=True)
        env = sorted(glob.glob(os.path.join(sysconfig.get_path('purelib'), 'nvidia', '*', 'lib')))
        before = self.env.get('LD_LIBRARY_PATH')
        self.env['LD_LIBRARY_PATH'] = ':'.join(([before] if before else []) + env + [lib])
        places = (os.path.dirname(self.shim), self.gpu, self.bin)
        files = [self.tool, *(p for place in places for p in sorted(glob.glob(os.path.join(place, '*'))))]
        for name in self.missing_libraries(files):
            self.take(name)
        for path in glob.glob(os.path.join(self.gpu, 'lib', 'libcupti.so*')):
            self.take(os.path.basename(path))
        done = subprocess.run([sys.executable, '-c', ASK, MODULES], capture_output=True, text=True, env=self.env,
                              timeout=ASK_SECONDS, check=False)
        for line in done.stdout.splitlines():
            _, module, why = line.split(' ', 2)
            raise Missing(5, 'python3 (%s) has no module %s: %s' % (sys.executable, module, why))

    def take(self, name):
        source, target = os.path.join(self.gpu, 'lib', name), self.path('lib', name)
        if os.path.exists(source) and not os.path.lexists(target):
            os.symlink(source, target)

    # ------------------------------------------------------------ the device

    def hold_gpu(self):
        """One idle context for as long as this runs, and what GPU it is."""
        holder = self.start([sys.executable, os.path.join(SOURCES, 'hold.py'), str(os.getpid())],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        ready, _, _ = select.select([holder.stdout], [], [], HOLD_SECONDS)
        line = holder.stdout.readline() if ready else b''
        if not ready:
            raise Missing(5, 'the driver did not answer within %d s' % HOLD_SECONDS)
        if not line:
            why = last_line(holder.stderr.read().decode(errors='replace'))
            status = holder.wait()
            if status == SKIPPED:
                raise Missing(SKIPPED, 'skipped: no GPU: ' + why)
            raise Missing(5, 'hold.py ended with %d: %s' % (status, why))
        self.what = json.loads(line)

    def let_go(self):
        for child in self.started:
            if child.poll() is None:
                kill(child)

    def key(self):
        """What is tested, and on what: results of other builds or machines are not gone on with."""
        sum_ = hashlib.sha256(json.dumps(self.what).encode())
        for path in [self.tool, self.shim, *sorted(glob.glob(os.path.join(SOURCES, '*.*')))]:
            with open(path, 'rb') as file:
                sum_.update(file.read())
        return sum_.hexdigest()[:16]

    # ------------------------------------------------------------ programs, bare and traced

    def traced(self, name, options, most, command):
        """Into work/NAME.gputap, words into traced and traced.err; its status."""
        remove(self.path(name + '.gputap'))
        return self.run(most, [self.tool, 'run', '-q', '-f', '-o', self.path(name), *options, '--', *command],
                        out=self.path('traced'), err=self.path('traced.err'), cwd=self.work)

    def trace(self, name):
        return self.path(name + '.gputap')

    def info(self, name):
        return self.said(20, [self.tool, 'info', self.trace(name)])[1]

    def about(self, name):
        """What a trace says of itself."""
        lines = [line.strip() for line in self.info(name).splitlines() if re.search('CUPTI|lost|complete', line)]
        return '\n'.join(lines[:5])

    def missing_library(self, status, err):
        """A missing library of the vendor is no failure: 127 is what the dynamic linker leaves."""
        if status == NOT_FOUND:
            found = re.search(r'error while loading shared libraries: (.*)', read(err))
            raise Stop(skip(found.group(1) if found else 'status 127: ' + last_line(read(err))))

    def probe(self, name, options, most, expected, command):
        """A program that must end so, with the tool as without."""
        self.need(command[0])
        status = self.run(most, command, out=self.path('bare'), err=self.path('bare.err'))
        self.missing_library(status, self.path('bare.err'))
        if status != expected:
            raise Stop(bad('without the tool: status %d: %s' % (status, last_line(read(self.path('bare.err'))))))
        status = self.traced(name, options, most, command)
        if status != expected:
            raise Stop(bad('with the tool: status %d%s: %s' % (
                status, ', it hangs' * (status == TIMED_OUT), last_line(read(self.path('traced.err'))))))

    def attempt(self, name, options, words, command, bare=None):
        """The same with the tool as without, and the trace is what the program says. bare: its words, where known"""
        if os.sep in command[0]:
            self.need(command[0])
        if bare is None:
            bare = self.bare(command)
        status = self.traced(name, options, 100, command)
        traced = read(self.path('traced'))
        if status or without_times(traced) != without_times(bare):
            return bad('other than without the tool: %s: %s' % (
                status or 'different', ' '.join((difference(bare, traced) + read(self.path('traced.err'))).split())))
        status, lines, why = self.script('check.py', self.trace(name), self.path('traced'), *words)
        return (bad if status else ok)('%s\n%s' % (lines or why, self.about(name)))

    def why_no_torch(self):
        """'' where PyTorch is installed; that takes no time to ask, while loading it does."""
        return '' if importlib.util.find_spec('torch') else 'PyTorch is not installed'

    def bare(self, command):
        status = self.run(60, command, out=self.path('bare'), err=self.path('bare.err'))
        self.missing_library(status, self.path('bare.err'))
        if status == SKIPPED:
            raise Stop(skip(last_line(read(self.path('bare.err')) or read(self.path('bare')))))
        if status:
            words = read(self.path('bare.err')) or read(self.path('bare'))
            raise Stop(bad('fails without the tool (%d): %s' % (status, last_line(words))))
        return read(self.path('bare'))


def wait_for(child, limit):
    """Its status in the end; where it does not end: 124, and its whole group is killed."""
    try:
        status = child.wait(limit)
        return status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        pass
    except BaseException:               # we are to end: so is it
        os.killpg(child.pid, signal.SIGKILL)
        raise
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(steps.GRACE / 2)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:       # in the driver, and not to be had back
            continue
    return TIMED_OUT


def kill(child):
    """With all that it started: it has a session of its own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait(5)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read()
    except OSError:
        return ''


def last_line(text):
    return (text.strip().splitlines() or [''])[-1]


def without_times(text):
    return [line for line in text.splitlines() if not line.startswith('ns ')]


def difference(a, b):
    a, b = without_times(a), without_times(b)
    return '\n'.join(['< ' + x for x in a if x not in b][:3] + ['> ' + x for x in b if x not in a][:3]) + '\n'


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.unlink(path)


def children_of(pid):
    """Processes below pid, with their own below them."""
    found = []
    for task in glob.glob('/proc/%d/task/*/children' % pid):
        for child in map(int, read(task).split()):
            found += [child, *children_of(child)]
    return found


def where_they_hang(pids):
    """What each thread of these processes waits in."""
    counts = {}
    for task in [t for pid in pids for t in glob.glob('/proc/%d/task/*' % pid)]:
        words = [read(os.path.join(task, name)).split() for name in ('comm', 'wchan', 'syscall')]
        line = '%s in %s call %s' % tuple(w[0] if w else '?' for w in words)
        counts[line] = counts.get(line, 0) + 1
    return '; '.join('%d %s' % (n, line) for line, n in sorted(counts.items()))
