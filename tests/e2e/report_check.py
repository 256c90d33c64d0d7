#!/usr/bin/env python3
# tests/e2e/report_check.py GPUTAP TRACE - a report of all launches against the counter file of the same trace
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import csv
import os
import subprocess
import sys

tool, trace = sys.argv[1:3]
problems = []


def said(*arguments):
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


def expect(what, is_it, should):
    if is_it != should:
        problems.append('%s: %s, not %s' % (what, is_it, should))


said('export', '-q', '-f', '-e', 'csv', '-o', 'check', trace)
with open('check.csv', encoding='utf-8') as f:
    lines = [line for line in f if not line.startswith('#')]
os.remove('check.csv')
names = [name.strip() for name in lines[0].split(',')]
counters = [dict(zip(names, (cell.strip() for cell in line.split(',')))) for line in lines[1:]]

raw = list(csv.DictReader(said('report', '--page', 'raw', '--csv', '--launch-count', '0', '--set', 'full', trace).splitlines()))[1:]
expect('launches', len(raw), len(counters))
for row, own in zip(raw, counters):
    where = 'launch %s' % row['ID']
    expect(where + ': name', own['Method'].split('__k')[0].rstrip('_')[:8], row['Kernel Name'].replace('(', '_')[:8])
    for name, cell in own.items():
        if '__' not in name:
            continue
        value = row[name]
        if cell == 'NA':
            expect('%s: %s' % (where, name), value, 'N/A')
        elif '.' in cell:
            expect('%s: %s' % (where, name), '%.2f' % float(value), cell)
        else:
            expect('%s: %s' % (where, name), value, cell)

details = list(csv.DictReader(said('report', '--csv', '--launch-count', '0', '--set', 'full,opencl', '--print-metric-name', 'name', trace).splitlines()))
by_id = {row['ID']: row for row in raw}
for line in details:
    value, name = line['Metric Value'], line['Metric Name']
    if name in by_id[line['ID']]:
        expect('%s of launch %s' % (name, line['ID']), value, by_id[line['ID']][name])
    expect('%s of launch %s: a reason' % (name, line['ID']), bool(line['Not Available Because']), value == 'N/A')

# Once for each size of a kernel, as people see it, and by the median of all launches but the first.
once = list(csv.DictReader(said('report', '--page', 'raw', '--csv', trace).splitlines()))[1:]


def shape(row):
    return tuple(row[name] for name in ('Kernel Name', 'Device', 'Process ID', 'Grid Size', 'Block Size')) + (row.get('opencl__global_size'),)


def duration(row):
    return float(row.get('opencl__duration') or row['launch__duration'])


times = {}
for row in raw:
    times.setdefault(shape(row), []).append(duration(row))
expect('each size of a kernel once', sorted(map(shape, once)), sorted(times))
for row in once:
    judged = sorted(times[shape(row)][1:] or times[shape(row)][:1])
    expect('%s: the median' % row['Kernel Name'], duration(row), judged[(len(judged) - 1) // 2])

print('\n'.join(problems[:20]) or '%d launches, %d values' % (len(raw), len(details)))
sys.exit(bool(problems) or not raw)
