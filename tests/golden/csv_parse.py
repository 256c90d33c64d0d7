"""Reads a counter .csv file as the format's old readers do, and refuses what they refuse

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import sys

FIXED = ['Method', 'ExecutionOrder', 'ThreadID', 'CallIndex', 'GlobalWorkSize', 'WorkGroupSize', 'Time', 'LocalMemSize', 'VGPRs', 'SGPRs',
         'ScratchRegs']
SIZES = re.compile(r'\{ *\d+ +\d+ +\d+\}$|NULL$')


def main(path):
    with open(path, 'rb') as f:
        data = f.read()
    assert data.endswith(b'\n')
    lines = data.decode().split('\n')[:-1]
    assert all(len(line.encode()) < 2048 for line in lines), 'a line of 2048 bytes'
    head = [line for line in lines if line.startswith('#')]
    assert lines[:len(head)] == head and head[0] == '#ProfileFileVersion=5.6' and head[1] == '#ProfilerVersion=5.6.0'
    assert all('=' in line and line[1] not in ' #' for line in head)
    names = [cell.strip() for cell in lines[len(head)].split(',')]
    assert names[:len(FIXED)] == FIXED and len(set(names)) == len(names), names
    for order, line in enumerate(lines[len(head) + 1:], 1):
        cells = [cell.strip() for cell in line.split(',')]
        assert len(cells) == len(names), (len(cells), len(names), line)
        row = dict(zip(names, cells))
        assert re.match(r'.*__k\d+_(CPU|.*\d)$', row['Method']), row['Method']
        assert int(row['ExecutionOrder']) == order
        assert SIZES.match(row['GlobalWorkSize']) and SIZES.match(row['WorkGroupSize']), line
        assert row['Time'] == 'NA' or re.match(r'\d+\.\d{5}$', row['Time']), row['Time']
        for name in ('ThreadID', 'CallIndex', 'LocalMemSize', 'VGPRs', 'SGPRs', 'ScratchRegs'):
            assert row[name] == 'NA' or row[name].isdigit(), (name, row[name])


main(sys.argv[1])
