#!/usr/bin/env python3
"""tests/e2e/protoc_check.py REPORT <RAW - a report file decoded by protoc, which knows nothing of it, beside our own raw page

RAW: `gputap report --page raw --csv --launch-count 0 REPORT`. The container is walked here: `NVR`, the file's header, blocks of
a header and their entries. `protoc --decode_raw` decodes each message; metrics are put together by field numbers.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import re
import struct
import subprocess
import sys

LINE = re.compile(r'\s*(?:(\d+) \{|(\d+): (?:"(.*)"|(0x[0-9a-f]+)|(\d+))|(\}))$')
ESCAPE = re.compile(rb'\\(?:([0-7]{3})|(.))')


def text(quoted):
    """The bytes of a quoted text."""
    named = {b'n': b'\n', b'r': b'\r', b't': b'\t'}
    return ESCAPE.sub(lambda m: bytes([int(m[1], 8)]) if m[1] else named.get(m[2], m[2]), quoted.encode('latin-1'))


def message(value):
    """A field that is one. Of some bytes protoc takes messages for text: they are given to it alone."""
    return decode(value) if isinstance(value, bytes) else value


def decode(data):
    """{field: [values]}; a message is such a dictionary again. Raises where protoc refuses."""
    out = subprocess.run(['protoc', '--decode_raw'], input=data, stdout=subprocess.PIPE, check=True, timeout=60).stdout
    top = {}
    stack = [top]
    for line in out.decode('latin-1').splitlines():
        m = LINE.match(line)
        assert m, line
        if m[6]:
            stack.pop()
        elif m[1]:
            part = {}
            stack[-1].setdefault(int(m[1]), []).append(part)
            stack.append(part)
        else:
            value = text(m[3]) if m[3] is not None else m[4] if m[4] else int(m[5])
            stack[-1].setdefault(int(m[2]), []).append(value)
    assert len(stack) == 1
    return top


def blocks(data):
    assert data[:4] == b'NVR\0'
    size, = struct.unpack_from('<I', data, 4)
    at = 8 + size
    decode(data[8:at])
    while at < len(data):
        size, = struct.unpack_from('<I', data, at)
        head = decode(data[at + 4:at + 4 + size])
        at += 4 + size
        end, entries = at + head[5][0], []
        while at < end:
            size, = struct.unpack_from('<I', data, at)
            entries.append(data[at + 4:at + 4 + size])
            at += 4 + size
        assert at == end
        yield head, entries


def number(value):
    """What a ProfileMetricValue holds."""
    if 3 in value:
        return struct.unpack('<d', struct.pack('<Q', int(value[3][0], 16)))[0]
    if 2 in value:
        return struct.unpack('<f', struct.pack('<I', int(value[2][0], 16)))[0]
    value = value.get(1, value.get(4, value.get(5, [None])))[0]
    return value.decode() if isinstance(value, bytes) else value


def main():
    with open(sys.argv[1], 'rb') as f:
        parts = list(blocks(f.read()))
    strings = [s.decode() for head, _ in parts for table in head.get(4, []) for s in message(table).get(1, [])]
    sources, results = [], []
    for head, entries in parts:
        n = head.get(1, [0])[0]
        sources += [decode(e) for e in entries[:n]]
        results += [decode(e) for e in entries[n:n + head.get(2, [0])[0]]]
    rows = [row for row in csv.DictReader(sys.stdin) if row['ID']]
    bad = [] if len(rows) == len(results) > 0 else ['%d kernels, not %d' % (len(results), len(rows))]
    cells = rules = 0
    for row, result in zip(rows, results):
        own = {strings[m[1][0]]: number(message(m[2][0])) for m in map(message, result.get(13, [])) if 2 in m}
        rules += len(result.get(19, []))
        for name, cell in row.items():
            if '__' not in name or (cell in ('', 'N/A') and name not in own):
                continue
            value, cells = own.pop(name, None), cells + 1
            same = abs(float(cell) - value) <= 1e-9 * abs(value) if isinstance(value, (int, float)) else cell == value
            if not same:
                bad.append('%s %s: %s, not %s' % (row['ID'], name, value, cell))
        bad += ['%s %s is not in the raw page' % (row['ID'], name) for name in own if name in row]
    if not any('__kernel void' in str(s) for s in sources):
        bad.append('no source of an OpenCL program')
    if not rules:
        bad.append('no result of a rule')
    print('%d messages, %d kernels, %d cells, %d sources, %d results of rules' % (
        len(parts) + len(sources) + len(results), len(results), cells, len(sources), rules))
    print('\n'.join(bad[:30]), end='\n' if bad else '')
    return bool(bad) or not cells


if __name__ == '__main__':
    sys.exit(main())
