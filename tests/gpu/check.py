"""check.py TRACE OUTPUT [nodes] - the trace of a program against what the program says it did, and against itself

OUTPUT is the program's; its last line has its counts (tests/gpu/gpu.h; -1: not known, no such line: nothing known). "nodes": graphs were traced by node.
Prints one line per thing that does not hold, then a summary line. Status 1 when something does not hold.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

GPUTAP = os.path.join(os.environ.get('GPUTAP_BUILD', 'build'), 'gputap')
CLOCK_ERROR_NS = 1000       # device and host times both come from CUPTI, which states no error; what is seen is reported beside it
wrong = []


def hold(condition, what):
    if not condition:
        wrong.append(what)


class Trace:
    def __init__(self, path):
        folder = tempfile.mkdtemp()
        subprocess.run([GPUTAP, 'export', '-q', '-f', '-e', 'sqlite', '-o', folder + '/t', path], check=True, stderr=subprocess.DEVNULL)
        file = [f for f in os.listdir(folder)][0]
        self.db = sqlite3.connect(os.path.join(folder, file))
        self.db.row_factory = sqlite3.Row
        self.names = dict(self.rows('SELECT id, value FROM StringIds', plain=True))
        os.remove(os.path.join(folder, file))
        os.rmdir(folder)

    def rows(self, query, plain=False):
        try:
            found = self.db.execute(query).fetchall()
        except sqlite3.OperationalError:        # a table without rows is not written
            return []
        return [tuple(r) for r in found] if plain else found

    def table(self, kind):
        return self.rows('SELECT * FROM CUPTI_ACTIVITY_KIND_' + kind)


def counts_of(path):
    lines = open(path, encoding='utf-8', errors='replace').read().splitlines()
    found = [line for line in lines if line.startswith('counts ')]
    return {k: int(v) for k, v in re.findall(r'(\w+)=(-?\d+)', found[-1])} if found else {}


def percentile(values, p):
    return sorted(values)[min(len(values) - 1, len(values) * p // 100)]


def main():
    trace, counts, nodes = Trace(sys.argv[1]), counts_of(sys.argv[2]), 'nodes' in sys.argv[3:]
    info = subprocess.run([GPUTAP, 'info', sys.argv[1]], capture_output=True, text=True, check=False).stdout
    calls, by_id = trace.table('RUNTIME'), {}
    for c in calls:
        if c['correlationId']:
            by_id.setdefault((c['globalTid'] >> 24, c['correlationId']), c)
    work = {k: trace.table(k) for k in ('KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE')}
    outside = {k: [r for r in rows if k == 'GRAPH_TRACE' or r['graphNodeId'] in (None, 0)] for k, rows in work.items()}
    by_name = {}
    for c in calls:
        name = re.sub(r'_v\d+$', '', trace.names.get(c['nameId'], '?'))
        by_name[name] = by_name.get(name, 0) + (c['returnValue'] == 0)

    hold('complete: yes' in info, 'the trace is not complete: ' + ' '.join(re.findall(r'complete:.*', info)))
    for key, kind in (('kernels', 'KERNEL'), ('copies', 'MEMCPY'), ('sets', 'MEMSET')):
        rows = [r for r in outside[kind] if kind != 'MEMCPY' or r['copyKind'] < 11]         # 11 to 13: pages of managed memory
        if counts.get(key, -1) >= 0:
            hold(len(rows) == counts[key], '%s: %d in the trace, the program made %d' % (key, len(rows), counts[key]))
    launches = sum(n for name, n in by_name.items() if re.match(r'cu(da)?Launch(Cooperative)?Kernel', name))
    if counts.get('kernels', -1) >= 0:
        hold(launches >= counts['kernels'], '%d calls that launch, the program made %d' % (launches, counts['kernels']))
    if counts.get('graphs', -1) >= 0:
        hold(by_name.get('cudaGraphLaunch', 0) == counts['graphs'], '%d calls that launch graphs, not %d' % (by_name.get('cudaGraphLaunch', 0), counts['graphs']))
        ids = {r['correlationId'] for r in (work['KERNEL'] if nodes else work['GRAPH_TRACE']) if not nodes or r['graphNodeId']}
        hold(len(ids) == counts['graphs'], '%d graph launches on the device, not %d' % (len(ids), counts['graphs']))
    if counts.get('failed', 0) > 0:
        hold(any(c['returnValue'] for c in calls), 'no call with an error')

    lead = []
    for kind, rows in work.items():
        for r in rows:
            call = by_id.get((r['globalPid'] >> 24, r['correlationId']))
            hold(call is not None, '%s at %d has no call' % (kind, r['start']))
            hold(r['end'] >= r['start'], '%s at %d ends before it starts' % (kind, r['start']))
            if call is not None:
                lead.append(r['start'] - call['start'])
                hold(lead[-1] >= -CLOCK_ERROR_NS, '%s at %d starts %d ns before its call' % (kind, r['start'], -lead[-1]))
    streams = {}                                # of our own programs; libraries may start a kernel before the last one's end (dependent launches)
    for r in outside['KERNEL'] if counts.get('kernels', -1) >= 0 else []:
        streams.setdefault((r['globalPid'], r['deviceId'], r['contextId'], r['streamId']), []).append(r)
    for rows in streams.values():
        rows.sort(key=lambda r: r['start'])
        for a, b in zip(rows, rows[1:]):
            hold(b['start'] >= a['end'] - CLOCK_ERROR_NS, 'kernels of one stream overlap at %d' % b['start'])
    for k in outside['KERNEL']:
        hold(trace.names.get(k['shortName']), 'a kernel without a name at %d' % k['start'])
    for line in wrong[:20]:
        print('  ' + line)
    print('%d calls, %d kernels, %d copies, %d sets, %d graph records%s; %d do not hold' % (
        len(calls), len(work['KERNEL']), len(work['MEMCPY']), len(work['MEMSET']), len(work['GRAPH_TRACE']),
        '; start after call: least %d, half %d, 99 %% %d ns' % (min(lead), percentile(lead, 50), percentile(lead, 99)) if lead else '', len(wrong)))
    sys.exit(bool(wrong))


main()
