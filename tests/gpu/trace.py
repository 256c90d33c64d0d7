"""trace.py - what tests/gpu reads of a trace: its records and what gputap says of it; and histograms of times

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import sqlite3
import subprocess
import tempfile

BUILD = os.environ.get('GPUTAP_BUILD', 'build')
GPUTAP = os.environ.get('GPUTAP_TOOL') or os.path.join(BUILD, 'gputap')
# Clocks of host and device are CUPTI's business, and it states no error: beyond this a start before its call is
# wrong, not inexact.
CLOCK_ERROR_NS = 50000
EDGES = [-50000, -10000, -1000, 0, 1000, 2000, 5000, 10000, 50000, 1000000]


def said(command, path, *options):
    done = subprocess.run([GPUTAP, command, '--json', *options, path], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]


def records(path):
    return said('dump', path)


def info(path):
    found = said('info', path)
    return found[0] if found else {}


class Database:
    """A trace as a database, for what would be too many records to hold as objects."""

    def __init__(self, path):
        folder = tempfile.mkdtemp()
        subprocess.run([GPUTAP, 'export', '-q', '-f', '-e', 'sqlite', '-o', folder + '/t', path], check=True,
                       stderr=subprocess.DEVNULL)
        file = os.listdir(folder)[0]
        self.db = sqlite3.connect(os.path.join(folder, file))
        self.db.row_factory = sqlite3.Row
        self.names = dict(self.rows('SELECT id, value FROM StringIds', plain=True))
        os.remove(os.path.join(folder, file))
        os.rmdir(folder)

    def rows(self, query, *values, plain=False):
        try:
            found = self.db.execute(query, values).fetchall()
        except sqlite3.OperationalError:        # a table without rows is not written
            return []
        return [tuple(r) for r in found] if plain else found

    def table(self, kind):
        return self.rows('SELECT * FROM CUPTI_ACTIVITY_KIND_' + kind)


def of(type_, rows):
    return [r for r in rows if r['type'] == type_]


def counts_of(path):
    """What the program itself counted (gpu.h); {} where it said nothing."""
    lines = open(path, encoding='utf-8', errors='replace').read().splitlines()
    found = [line for line in lines if line.startswith('counts ')]
    return {k: int(v) for k, v in re.findall(r'(\w+)=(-?\d+)', found[-1])} if found else {}


def percentile(values, p):
    return sorted(values)[min(len(values) - 1, len(values) * p // 100)]


def short(ns):
    for unit, size in (('ms', 1000000), ('us', 1000)):
        if abs(ns) >= size:
            return '%g %s' % (ns / size, unit)
    return '%d ns' % ns


def histogram(values):
    """'< -50 us: 0, -50 us: 0, ... >= 1 ms: 3': how many values lie from each edge on."""
    counts = [0] * (len(EDGES) + 1)
    for v in values:
        counts[sum(v >= e for e in EDGES)] += 1
    names = ['< ' + short(EDGES[0])] + ['from ' + short(e) for e in EDGES]
    return ', '.join('%s: %d' % (n, c) for n, c in zip(names, counts))
