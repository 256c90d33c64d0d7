"""part2.py - programs bare and traced, their recordings, counters, a kill, the vendor's OpenCL

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import glob
import os
import re
import shutil
import tarfile
import time

from machine import SKIPPED, kill, last_line, read, remove
from part1 import number
from steps import Step, Stop, bad, ok, skip

TITLE = 'programs, recordings, OpenCL'
PROGRAMS = ('vector_add', 'copies', 'streams', 'graphs', 'cooperative', 'pools', 'errors', 'storm', 'leave', 'blas', 'dnn')
MOST_BYTES = 2000000            # of one recording; they are packed
FEW_BYTES = 100                 # less than the head of any
OPENCL = 'libnvidia-opencl.so.1'
COUNTED = ('sm', 'gpu', 'dram', 'lts', 'l1tex', 'gpc')
REFUSED = re.compile('no (counters|samples of the program counter|samples of performance monitors|'
                     'counts of instructions)( are collected)?:.*')
KINDS = ['--cuda-memory-usage', '--cuda-um', '--cuda-events']


def lines_with(text, pattern, most):
    return [line.strip() for line in text.splitlines() if re.search(pattern, line)][:most]


def vendor_opencl():
    """By path, as the dynamic linker may know it, or as it is registered; None where there is none."""
    named = os.environ.get('GPU_OPENCL')
    places = ['/usr/lib/%s-linux-gnu' % os.uname().machine, '/usr/local/nvidia/lib64', '/usr/lib64', '/usr/lib',
              *os.environ.get('LD_LIBRARY_PATH', '').split(':')]
    found = [named] if named else [os.path.join(place, OPENCL) for place in places if place]
    found.append(read('/etc/OpenCL/vendors/nvidia.icd').strip())
    return next((path for path in found if path and os.path.exists(path)), None)


def steps(m):
    recordings = m.path('recordings')
    os.makedirs(recordings, exist_ok=True)
    cupti = ['--cupti', os.environ['GPU_CUPTI']] if os.environ.get('GPU_CUPTI') else []

    def program(name):
        return os.path.join(m.bin, name)

    def attempt(name, options, command, words=()):
        return lambda: m.attempt(name, options.split(), words, [program(command[0]), *command[1:]])

    def record(name, options, command):
        """Once more to be kept: under a name and in a place that say nothing of this machine, and scrubbed."""
        place, scrub = m.path('gpu-programs'), os.path.join(m.gpu, 'scrub')
        m.need(program(command[0]), scrub)
        remove(place)
        os.makedirs(place)
        shutil.copy(program(command[0]), place)
        try:
            return recorded(place, scrub, name, options, command)
        finally:
            remove(place)

    def recorded(place, scrub, name, options, command):
        err, trace, packed = m.path('record.err'), os.path.join(place, name), name + '.gputap'
        status = m.run(15, [m.tool, 'run', '-q', '-f', '-o', trace, *options.split(), '--', './' + command[0],
                            *command[1:]], err=err, cwd=place)
        m.missing_library(status, err)
        if status:
            return bad('the program failed: status %d: %s' % (status, last_line(read(err))))
        if m.run(10, [scrub, trace + '.gputap', os.path.join(recordings, packed)], err=err):
            return bad(last_line(read(err)))
        size = os.path.getsize(os.path.join(recordings, packed))
        if size > MOST_BYTES:
            return skip('removed: its %d bytes are more than %d' % (size, MOST_BYTES))
        calls = m.said(10, [m.tool, 'info', os.path.join(recordings, packed)])[1]
        if not re.search(r'[1-9]\d* (calls|kernels)', calls):
            return bad('nothing of CUDA is in it: ' + ' '.join(calls.split())[:300])
        with tarfile.open(os.path.join(m.out, 'recordings.tar'), 'a') as tar:
            tar.add(os.path.join(recordings, packed), 'recordings/' + packed)
        return ok('%d bytes' % size)

    def killed():
        """Every call and kernel that was complete half a second before is there; what became so since is told."""
        m.need(program('cuda_kill'))
        remove(m.trace('killed'))
        remove(m.path('progress'))
        victim = m.start([program('cuda_kill'), m.path('progress')],
                         env={'LD_PRELOAD': m.shim, 'GPUTAP_OUTPUT': m.path('killed')})
        time.sleep(number('GPU_KILL_AFTER', 2))
        if not os.path.exists(m.path('progress')):
            kill(victim)
            return skip('the program had not begun to launch')
        shutil.copy(m.path('progress'), m.path('progress.before'))
        time.sleep(0.6)                 # more than two periods of the flush
        kill(victim)
        status, lines, why = m.script('killed.py', m.trace('killed'), m.path('progress.before'), m.path('progress'))
        return {0: ok, SKIPPED: skip}.get(status, bad)(lines or why)

    def collected(name, command, options):
        """The program's run with these; what it said. What the machine does not allow is told, and no failure."""
        m.need(program(command))
        remove(m.trace(name))
        err = m.path(name + '.err')
        status = m.run(45, [m.tool, 'run', '-f', '-o', m.path(name), '--summary=none', *cupti, *options, '--',
                            program(command)], err=err)
        if status:
            raise Stop(bad('while it was measured the program failed: status %d: %s' % (status, last_line(read(err)))))
        refused = REFUSED.search(read(err))
        if refused:
            raise Stop(skip(refused.group(0)))
        return read(err)

    def asked(name, *words):
        """What a command of the tool prints of a trace; its complaints go behind those of the run."""
        _, text = m.said(20, [m.tool, words[0], *words[1:], m.trace(name)])
        with open(m.path(name + '.err'), 'a', encoding='utf-8') as err:
            err.write(read(m.path('said.err')))
        return text

    def troubles(err):
        return ' '.join(lines_with(err, r'complete:|missing:|run [0-9]+ of', 4))

    def counters(name, command, *options):
        """Planned, collected, and evaluated to numbers; what is computed without any is none."""
        err = collected(name, command, options)
        table = list(csv.DictReader(asked(name, 'report', '--page', 'raw', '--csv', *cupti).splitlines()))
        rows = ['%s %s' % cell for row in table if row.get('ID') for cell in row.items()
                if cell[0] and cell[0].split('__')[0] in COUNTED and (cell[1] or '')[:1].isdigit()
                and not cell[0].startswith('sm__maximum_warps_')]
        good = rows and 'complete: yes' in err
        return (ok if good else bad)('\n'.join(['%d values%s:' % (
            len(rows), '' if good else ', ' + troubles(read(m.path(name + '.err')))), *rows]))

    def pc_samples(name, *options):
        """Samples of the program counter, and what was lost of them."""
        err = collected(name, 'streams', options)
        rows = lines_with(asked(name, 'dump'), '^cuda sample', 200)
        if any(row.startswith('cuda sample ') for row in rows):
            return ok('\n'.join(['%d counts, %s:' % (len(rows), last_line('\n'.join(lines_with(err, 'complete:', 9)))),
                                 *rows]))
        return bad('no sample, ' + troubles(err))

    def pm_samples(name, *options):
        """Samples of performance monitors, and what the report makes of them. That a kernel has values of its own
        shows that CUPTI samples and tells of activities in one clock."""
        err = collected(name, 'streams', options)
        cannot = lines_with(err, 'performance monitors are not sampled: .*this chip cannot', 1)
        if cannot:
            return skip(cannot[0])
        rows = lines_with(asked(name, 'dump'), '^cuda pm_sample', 200)
        values = sorted(set(lines_with(asked(name, 'report', '--page', 'raw', *cupti), 'pmsampling:', 1000)))
        good = rows and any('N/A' not in value for value in values)
        return (ok if good else bad)('\n'.join(['%d samples, %s:' % (len(rows), troubles(err)), *values, *rows]))

    def sass_counts(name, *options):
        """Counts by instruction, what was lost of them, and what counters say of the same."""
        err = collected(name, 'streams', options)
        rows = lines_with(asked(name, 'dump'), '^cuda sass', 200)
        good = any(row.startswith('cuda sass_count ') for row in rows)
        rows += lines_with(asked(name, 'report', '--page', 'raw', '--launch-count', '0', *cupti), 'inst_executed', 1000)
        return (ok if good else bad)('\n'.join(['%d counts, %s:' % (len(rows), troubles(err)), *rows]))

    def opencl():
        command = program('cl_commands')
        m.need(command)
        driver = vendor_opencl()
        if not driver:
            return skip("the vendor's driver for OpenCL is not here")
        os.makedirs(m.path('vendors'), exist_ok=True)
        with open(m.path('vendors', 'vendor.icd'), 'w', encoding='utf-8') as icd:
            icd.write(driver + '\n')
        # one loader asks for a folder, the other for libraries
        before, m.env = m.env, {**m.env, 'OCL_ICD_VENDORS': m.path('vendors'), 'OCL_ICD_FILENAMES': driver}
        try:
            bare = m.bare([command])
            status = m.traced('opencl', ['-t', 'opencl'], 15, [command])
        finally:
            m.env = before
        if status or read(m.path('traced')) != bare:
            return bad('differs under the tool (status %d)' % status)
        info = m.info('opencl')
        if 'complete: yes' in info:
            calls = re.search(r'[0-9]+ calls?, .*kernels?\)', info)
            return ok('%s: %s' % (driver, calls.group(0) if calls else ''))
        return bad(' '.join(lines_with(info, 'complete|untimed', 3)))

    return [*programs(attempt, record), Step('killed', 4, 30, killed), Step('opencl', 5, 45, opencl),
            *more_programs(attempt), *counted(counters, pc_samples, pm_samples, sass_counts), *recordings_of(record)]


def programs(attempt, record):
    for p in ('vector_add', 'copies', 'streams', 'graphs', 'cooperative', 'pools', 'errors'):
        yield Step(p, 4, 45, attempt(p, '', [p]))
        yield Step('record ' + p, 2, 30, lambda p=p: record(p, '', [p]))


def more_programs(attempt):
    for name, options, command, words in (
            ('graph_nodes', '--cuda-graph-trace=node', ['graphs'], ['nodes']),
            ('all_kinds', ' '.join(KINDS) + ' --cuda-jit --cuda-latency', ['copies'], ()),
            ('arguments', '--cuda-args', ['copies'], ()),
            ('storm', '', ['storm', '8', '20000'], ()),
            ('storm_arguments', '--cuda-args', ['storm', '8', '5000'], ()),
            ('leave', '', ['leave'], ()),
            ('leave_at_once', '', ['leave', '_exit'], ()),
            ('leave_reset', '', ['leave', 'reset'], ()),
            ('blas', '-t cuda,nvtx,cublas', ['blas'], ()),
            ('dnn', '-t cuda,nvtx,cudnn', ['dnn'], ())):
        yield Step(name, 4, 60, attempt(name, options, command, words))


def counted(counters, pc_samples, pm_samples, sass_counts):
    for name, run, options in (
            ('counters', counters, 'vector_add --set basic'),
            ('counters_again', counters, 'vector_add --set basic --replay-mode=application --reruns'),
            ('pc_samples', pc_samples, '--launch-count 0 --metrics smsp__pcsamp_sample_count'),
            ('pc_samples_again', pc_samples, '--reruns --section SourceCounters,SpeedOfLight'),
            ('pm_samples', pm_samples, '--launch-count 0 --metrics pmsampling:sm__cycles_active.avg'),
            ('pm_samples_again', pm_samples, '--reruns --section PmSampling,SpeedOfLight'),
            ('sass_counts', sass_counts, '--launch-count 0 --metrics '
             'inst_executed,thread_inst_executed,thread_inst_executed_true'),
            ('sass_counts_again', sass_counts, '--reruns --metrics '
             'smsp__inst_executed.sum,inst_executed,memory_l2_theoretical_sectors_global'),
            ('counters_graph', counters, 'graphs --metrics sm__cycles_active.avg --kernel-name graph')):
        yield Step(name, 8, 70, lambda name=name, run=run, options=options: run(name, *options.split()))


def recordings_of(record):
    for name, options, command in (
            ('graph_nodes', '--cuda-graph-trace=node', ['graphs']),
            ('managed', '--cuda-um', ['copies']),
            ('all_kinds', ' '.join(KINDS), ['copies']),
            ('arguments', '--cuda-args', ['copies']),
            ('storm', '', ['storm', '8', '500']),
            ('blas', '-t cuda,nvtx,cublas', ['blas']),
            ('dnn', '-t cuda,nvtx,cudnn', ['dnn'])):
        yield Step('record ' + name, 2, 30, lambda n=name, o=options, c=command: record(n, o, c))
