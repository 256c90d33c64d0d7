#!/usr/bin/env python3
# tests/e2e/metrics_check.py TRUTH FILE.csv - the metrics of each launch are what the program printed of it
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import re
import sys

with open(sys.argv[1], encoding='utf-8') as f:
    truth = [dict(re.findall(r'(\w+)=(\S+)', line)) for line in f if line.startswith('name=')]
with open(sys.argv[2], encoding='utf-8') as f:
    lines = [line for line in f if not line.startswith('#')]
names = [name.strip() for name in lines[0].split(',')]
rows = [dict(zip(names, (cell.strip() for cell in line.split(',')))) for line in lines[1:]]
problems = []


def expect(what, is_it, should):
    if is_it != should:
        problems.append('%s: %s, not %s' % (what, is_it, should))


def near(what, is_it, should):
    """Times of the device are brought to the host's clock: they may lose a few ns of their rate."""
    if abs(int(is_it) - int(should)) > 2 + int(should) // 1000:
        problems.append('%s: %s, not %s' % (what, is_it, should))


expect('launches', len(rows), len(truth))
for order, (row, own) in enumerate(zip(rows, truth), 1):
    where = 'launch %d' % order
    expect(where, row['Method'].split('__k')[0], own['name'])
    unknown = row['opencl__local_size_source'] == 'unknown'
    for name, value in own.items():
        cell = row.get('opencl__' + name)
        if name in ('duration', 'queue_delay', 'submit_delay'):
            near('%s: %s' % (where, name), cell, value)
        elif name in ('local_size', 'work_groups', 'local_size_source') and own['local_size'] == '0':
            # The runtime chose: nothing is known, or what it suggests.
            expect('%s: %s' % (where, name), cell == 'NA' if name != 'local_size_source' and unknown else bool(cell), True)
        elif name != 'name':
            expect('%s: %s' % (where, name), cell, value)
    groups, units = int(own['work_groups']), int(own['compute_units'])
    if groups:
        expect(where + ': groups of a unit', row['opencl__work_groups_per_compute_unit'], '%.2f' % (groups / units))
        rounds = -(-groups // units)
        expect(where + ': tail', row['opencl__tail_share'], '%.2f' % (100 * (rounds * units - groups) / (rounds * units)))
        expect(where + ': remainder', int(row['opencl__local_size_remainder']), int(own['local_size']) % int(own['preferred_multiple']))
    share = 100 * int(own['local_memory']) / int(own['local_memory_limit'])
    expect(where + ': share of local memory', row['opencl__local_memory_share'], '%.2f' % share)
    rate = int(own['buffer_bytes']) / int(row['opencl__duration']) * 1e9
    expect(where + ': bandwidth', row['opencl__buffer_bandwidth'], '%.2f' % rate)
    expect(where + ': time', row['Time'], '%.5f' % (int(row['opencl__duration']) / 1e6))

print('\n'.join(problems) or '%d launches' % len(rows))
sys.exit(bool(problems) or not rows)
