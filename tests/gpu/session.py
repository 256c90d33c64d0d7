"""session.py - scripts/test-gpu: everything that needs a real NVIDIA GPU, in four parts

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import gzip
import os
import re
import shutil
import signal
import sys
import tempfile

import build
import part1
import part2
import part3
import part4
from machine import CUPTI_SECONDS, TOP, Machine, Missing, remove
from steps import PLAN, SECONDS, Budget, Part, Session

USAGE = '''usage: scripts/test-gpu [-o DIR] [--part N]... [--step NAME]... [--seconds S] [--again]
       scripts/test-gpu --compile
       scripts/test-gpu --bundle [DIR]

Tests gputap on a real NVIDIA GPU, in four parts:
  1  versions, and the questions that only hardware answers (D1 to D15)
  2  programs bare and traced, recordings of them, a kill, counters, OpenCL on the vendor's driver
  3  what tracing adds to launches, copies and queries: best, median, mean, 99 %%
  4  PyTorch: the same losses, and the costs beside its own profiler
On a machine that is lent for 900 s in all, these two calls:
  scripts/test-gpu PLAN0
  scripts/test-gpu PLAN1

  -o DIR       where the results go (default: $GPUTAP_BUILD/gpu/results)
  --part N     that part only; may be given more than once (default: all four)
  --step NAME  that step only; may be given more than once
  --seconds S  what each part may take (default %d); looking for the device and compiling count, and what a part
               leaves is the next one's. A step begins only where the time that is left holds it.
  --again      do not go on with what is in DIR from a run that was cut
  --compile    only compile the CUDA programs: needs nvcc and no GPU
  --bundle DIR what another machine needs, in DIR (default: $GPUTAP_BUILD/gpu-bundle): there, with the C library, a
               shell and Python alone: DIR/scripts/test-gpu --part 1

DIR gets log, partN.jsonl (a line per step and per measured cost) and recordings.tar (part 2: packed traces);
scripts/test-gpu-report makes bench/gpu-results.md of them. A part that is run again goes on where it was cut.
Steps whose parts are missing are skipped, with a reason, and counted. Status 77: no GPU, or for --compile no nvcc;
5: something else is missing, which is named.

Environment: GPUTAP_BUILD (build; in a bundle the bundle), NVCC, GPU_ROUNDS (5), GPU_OPENCL (the driver's library), and
for short runs GPU_ENDS (30), GPU_CONTEXTS (100), GPU_PACE (20 s), GPU_KILL_AFTER (2 s), GPU_HANG (45 s).''' % SECONDS
PARTS = {1: part1, 2: part2, 3: part3, 4: part4}
MOST_BYTES = 15000000           # of a result: files over 16 MiB are lost on some ways back
PATHS = ('GPUTAP_BUILD', 'GPU_OPENCL', 'GPU_CUPTI', 'CUDA_HOME')        # that may be relative


def usage():
    text = USAGE
    for i, words in enumerate(PLAN):
        text = text.replace('PLAN%d' % i, ' '.join(words))
    return text


def wrong(text):
    print('test-gpu: %s; scripts/test-gpu --help says more' % text, file=sys.stderr)
    sys.exit(2)


class Options:
    def __init__(self, words):
        self.out = self.bundle = None
        self.mode, self.parts, self.only, self.seconds, self.again = 'test', [], [], SECONDS, False
        words = list(words)
        while words:
            self.take(words.pop(0), words)
        self.parts = self.parts or [1, 2, 3, 4]

    def take(self, word, words):
        value = words[0] if words else ''
        if word in ('-h', '--help'):
            print(usage())
            sys.exit(0)
        if word in ('--again', '--compile'):
            self.again, self.mode = self.again or word == '--again', 'compile' if word == '--compile' else self.mode
        elif word == '--bundle':
            self.mode = 'bundle'
            if value and not value.startswith('-'):
                self.bundle = os.path.abspath(words.pop(0))
        elif word == '-o':
            if not value:
                wrong('-o needs a folder')
            self.out = os.path.abspath(words.pop(0))
        elif word == '--part':
            if value not in ('1', '2', '3', '4'):
                wrong("--part is 1, 2, 3 or 4, not '%s'" % value)
            self.parts.append(int(words.pop(0)))
        elif word == '--step':
            if not value:
                wrong('--step needs a name')
            self.only.append(words.pop(0))
        elif word == '--seconds':
            if not re.match(r'[1-9][0-9]*$', value):
                wrong('--seconds needs a number')
            self.seconds = int(words.pop(0))
        else:
            wrong("'%s' is not known" % word)


def build_folder():
    """In a bundle this script lies beside what it tests."""
    named = os.environ.get('GPUTAP_BUILD')
    if named:
        return named
    return TOP if os.path.exists(os.path.join(TOP, 'bin/gputap')) else os.path.join(TOP, 'build')


def fit_results(session):
    """Compressed, and what is still too large goes; both are said."""
    most = int(os.environ.get('GPU_MOST_BYTES', MOST_BYTES))
    for name in sorted(os.listdir(session.out)):
        path = os.path.join(session.out, name)
        if not os.path.isfile(path) or os.path.getsize(path) <= most or name.endswith('.gz'):
            continue
        with open(path, 'rb') as plain, gzip.open(path + '.gz', 'wb', 9) as packed:
            shutil.copyfileobj(plain, packed)
        os.unlink(path)
        session.say('compressed: ' + name)
        size = os.path.getsize(path + '.gz')
        if size > most:
            os.unlink(path + '.gz')
            session.say('removed: %s.gz, %d bytes are too many' % (name, size))


def finish(session):
    session.say('time: %d s' % session.budget.used())
    session.say('%d passed, %d failed, %d skipped' % session.counts())
    sys.exit(session.failed > 0)


def say_cupti(session, m):
    """Which CUPTI is used is true of all that follows."""
    m.traced('cupti', ['-t', 'cuda'], CUPTI_SECONDS, [os.path.join(m.bin, 'doubt_late')])
    used = re.search(r'(CUPTI [0-9][^)]*\))', m.info('cupti'))
    session.say('CUPTI used: ' + (used.group(1) if used else 'none'))


def prepare(session, m, parts):
    """All that parts need: libraries, the device, gputap, the programs."""
    m.find_libraries()
    m.hold_gpu()
    session.say('== %(gpu)s, driver %(driver)s (CUDA %(cuda)s), held: %(held)s' % m.what)
    if not os.path.exists(m.tool):
        if not build.make(m, 'all', 'gpu-programs'):
            raise Missing(5, 'gputap cannot be built here\n'
                          '  why: a compiler or a library for development is missing\n'
                          '  try: scripts/test-gpu --bundle DIR   (elsewhere; bring DIR, and run DIR/scripts/test-gpu)')
        m.find_libraries()
    status, version = m.said(20, [m.tool, '--version'])
    if status:
        raise Missing(5, '%s does not start: %s' % (m.tool, (version + open(m.path('said.err')).read()).strip()))
    for path in ('tests/fault/cuda_kill', 'tests/e2e/cuda_client', 'tests/e2e/cl_commands'):
        source, target = os.path.join(m.build, path), os.path.join(m.bin, os.path.basename(path))
        if os.path.exists(source) and not os.path.exists(target):
            os.makedirs(m.bin, exist_ok=True)
            shutil.copy(source, target)
    wanted = sorted({p for number in parts for p in PARTS[number].PROGRAMS})
    build.compile_programs(session, m, wanted)
    say_cupti(session, m)


def run_parts(session, m, options):
    for index, number in enumerate(options.parts):
        session.budget.begin_part(index)
        part = Part(session, number, PARTS[number].TITLE, m.key(), m.what, options.again)
        m.results = part.results
        for step in PARTS[number].steps(m):
            part.run(step)
        part.close()
    unknown = set(options.only) - session.met
    if unknown:
        wrong('no step of these parts is called %s; there are: %s' % (
            ', '.join(sorted(unknown)), ', '.join(sorted(session.met))))


def end_early(number, _):
    raise KeyboardInterrupt(signal.Signals(number).name)


def main():
    options = Options(sys.argv[1:])
    for name in PATHS:
        if os.environ.get(name):
            os.environ[name] = os.path.abspath(os.environ[name])
    folder = build_folder()
    out = options.out or os.path.join(folder, 'gpu/results')
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as why:
        print('test-gpu: %s: %s' % (out, why.strerror), file=sys.stderr)
        sys.exit(4)
    budget = Budget(options.seconds, len(options.parts))
    session, work = Session(out, budget, options.only), tempfile.mkdtemp()
    m = Machine(folder, work, out, budget)
    signal.signal(signal.SIGTERM, end_early)
    try:
        if options.mode == 'test':
            prepare(session, m, options.parts)
            run_parts(session, m, options)
            fit_results(session)
        elif options.mode == 'compile' and not build.find_nvcc():
            raise Missing(77, 'skipped: no nvcc')
        else:
            budget.end = budget.part_end = budget.start + 3600
            build.compile_programs(session, m, build.sources())
            if options.mode == 'bundle' and not build.make_bundle(
                    session, m, options.bundle or os.path.join(folder, 'gpu-bundle')):
                sys.exit(5)
        finish(session)
    except KeyboardInterrupt as why:
        session.say('stopped by %s; what was done is in %s' % (why or 'SIGINT', out))
        fit_results(session)
        sys.exit(143 if str(why) else 130)
    except Missing as missing:
        print(missing.says if missing.status == 77 else 'test-gpu: ' + missing.says,
              file=sys.stdout if missing.status == 77 else sys.stderr)
        sys.exit(missing.status)
    finally:
        m.let_go()
        remove(work)


if __name__ == '__main__':
    main()
