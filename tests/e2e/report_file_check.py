#!/usr/bin/env python3
# tests/e2e/report_file_check.py GPUTAP TRACE FILE.ncu-rep - a report file, decoded by number alone, against the trace's report
#
# Knows nothing of the writer: protocol buffers' wire format and the field numbers of docs/report.md.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
import csv
import struct
import subprocess
import sys

tool, trace, path = sys.argv[1:4]
problems = []


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """{number: [values]}: integers, bytes, or 8 and 4 bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            assert at + size <= len(data)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[key & 7]
            value, at = data[at:at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


def sized(data, at):
    size, = struct.unpack_from('<I', data, at)
    assert at + 4 + size <= len(data), 'a size beyond the end'
    return data[at + 4:at + 4 + size], at + 4 + size


def value_of(data):
    message = fields(data)
    if 1 in message:
        return message[1][0].decode()
    if 3 in message:
        return struct.unpack('<d', message[3][0])[0]
    return message[5][0]


with open(path, 'rb') as f:
    whole = f.read()
assert whole[:10] == b'NVR\0\2\0\0\0\x08\x07'
strings, results, at, sources = [], [], 10, {}
while at < len(whole):
    header, at = sized(whole, at)
    block = fields(header)
    for table in block.get(4, []):
        strings += [s.decode() for s in fields(table).get(1, [])]
    end = at + block[5][0]
    for _ in range(block.get(1, [0])[0]):
        source, at = sized(whole, at)
        file = fields(fields(fields(source)[8][0])[1][0])
        assert fields(source)[1][0] not in sources, 'a source twice'
        sources[fields(source)[1][0]] = file[2][0].decode()
    for _ in range(block.get(2, [0])[0]):
        result, at = sized(whole, at)
        results.append(fields(result))
    assert at == end, 'a block is not as long as it says'
    assert fields(block[6][0])[1][0] > 0, 'a block without a process'
    if len(sys.argv) > 4 and block.get(2, [0])[0]:      # for protoc
        with open(sys.argv[4], 'wb') as f:
            f.write(result)

for required in [*range(1, 12), 15]:
    for result in results:
        if required not in result:
            problems.append('a result without its field %d' % required)
page = subprocess.run([tool, 'report', '--page', 'raw', '--csv', '--set', 'full,opencl', trace], check=True, capture_output=True, text=True).stdout
rows = list(csv.DictReader(page.splitlines()))
units, rows = rows[0], rows[1:]
if len(rows) != len(results):
    problems.append('%d results, %d kernels in the report' % (len(results), len(rows)))
cells = 0
for row, result in zip(rows, results):
    if result[7][0].decode() != row['Kernel Name']:
        problems.append('%s is %s in the report' % (result[7][0], row['Kernel Name']))
    metrics = {strings[m[1][0]]: m for m in map(fields, result[13])}
    for name, m in metrics.items():
        cells += 1
        cell, value = row[name], value_of(m[2][0]) if 2 in m else 'N/A'
        if str(value) != cell and (cell == 'N/A' or isinstance(value, str) or float(cell) != float(value)):
            problems.append('%s: %r in the file, %s in the report' % (name, value, cell))
        if m.get(1000, [b''])[0].decode() != units[name]:
            problems.append('%s: unit %s in the file, %s in the report' % (name, m.get(1000), units[name]))
        if (value == 'N/A') != (1002 in m):
            problems.append('%s: a reason beside a value, or none without' % name)
    reference = fields(result[15][0]).get(1)
    program = any(name.startswith('opencl__') and 2 in m for name, m in metrics.items())
    if program != bool(reference) or reference and result[6][0].decode() not in sources.get(reference[0], ''):
        problems.append('the source of %s is not in the file' % result[6][0].decode())
    place = fields(result[1000][0])
    if place.get(7, [0])[0] < 1:
        problems.append('how often the kernel ran is missing')
    if 1 in place and place[2][0] - place[1][0] != next(value_of(m[2][0]) for n, m in metrics.items() if n.endswith('__duration')):
        problems.append('its place in time is not as long as its duration')
    sections = [fields(s)[1][0].decode() for s in result[17]]
    if not sections or len(set(sections)) != len(sections):
        problems.append('sections: %s' % sections)
print('\n'.join(problems[:20]) or '%d results, %d strings, %d values' % (len(results), len(strings), cells))
sys.exit(bool(problems) or not results)
