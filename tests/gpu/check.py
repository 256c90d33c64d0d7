"""check.py TRACE OUTPUT [nodes] - the trace of a program against what the program says it did, and against itself

OUTPUT is the program's; its last line has its counts (tests/gpu/gpu.h; -1: not known, no such line: nothing known).
"nodes": graphs were traced by node. Prints a summary line, a histogram of how long after its call work starts, then a
line per thing that does not hold. Status 1 when something does not hold.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys

from trace import CLOCK_ERROR_NS, GPUTAP, Database, counts_of, histogram, percentile

LAUNCHES = re.compile(r'(__)?cu(da)?Launch')    # __cudaLaunchKernel: what <<<>>> is from CUDA 13.3 on
MANAGED_PAGES = range(11, 14)                   # copy kinds of pages that move by themselves: no call made them
OVERLAP_NS = 1000           # of kernels of one stream, both in the device's time
wrong = []


def hold(condition, what):
    if not condition:
        wrong.append(what)


def may_start(ns):
    """Work that starts so many ns after the start of its call: within the error of the clocks?"""
    return ns >= -CLOCK_ERROR_NS


def main():
    trace, counts, nodes = Database(sys.argv[1]), counts_of(sys.argv[2]), 'nodes' in sys.argv[3:]
    info = subprocess.run([GPUTAP, 'info', sys.argv[1]], capture_output=True, text=True, check=False).stdout
    calls, by_id = trace.table('RUNTIME'), {}
    for c in calls:
        if c['correlationId']:
            by_id.setdefault((c['globalTid'] >> 24, c['correlationId']), c)
    work = {k: trace.table(k) for k in ('KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE')}
    work['MEMCPY'] = [r for r in work['MEMCPY'] if r['copyKind'] not in MANAGED_PAGES]
    outside = {k: [r for r in rows if k == 'GRAPH_TRACE' or r['graphNodeId'] in (None, 0)] for k, rows in work.items()}
    by_name = {}
    for c in calls:
        name = re.sub(r'_v\d+$', '', trace.names.get(c['nameId'], '?'))
        by_name[name] = by_name.get(name, 0) + (c['returnValue'] == 0)

    hold('complete: yes' in info, 'the trace is not complete: ' + ' '.join(re.findall(r'complete:.*', info)))
    for key, kind in (('kernels', 'KERNEL'), ('copies', 'MEMCPY'), ('sets', 'MEMSET')):
        if counts.get(key, -1) >= 0:
            hold(len(outside[kind]) == counts[key],
                 '%s: %d in the trace, the program made %d' % (key, len(outside[kind]), counts[key]))
    launches = sum(n for name, n in by_name.items() if LAUNCHES.match(name))
    if counts.get('kernels', -1) >= 0:
        hold(launches >= counts['kernels'], '%d calls that launch, the program made %d' % (launches, counts['kernels']))
    if counts.get('graphs', -1) >= 0:
        called = by_name.get('cudaGraphLaunch', 0)
        hold(called == counts['graphs'], '%d calls that launch graphs, not %d' % (called, counts['graphs']))
        rows = [r for r in work['KERNEL'] if r['graphNodeId']] if nodes else work['GRAPH_TRACE']
        ids = {r['correlationId'] for r in rows}
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
                hold(may_start(lead[-1]), '%s at %d starts %d ns before its call' % (kind, r['start'], -lead[-1]))
    streams = {}    # of our own programs; libraries may start a kernel before the last one's end (dependent launches)
    for r in outside['KERNEL'] if counts.get('kernels', -1) >= 0 else []:
        streams.setdefault((r['globalPid'], r['deviceId'], r['contextId'], r['streamId']), []).append(r)
    for rows in streams.values():
        rows.sort(key=lambda r: r['start'])
        for a, b in zip(rows, rows[1:]):
            hold(b['start'] >= a['end'] - OVERLAP_NS, 'kernels of one stream overlap at %d' % b['start'])
    for k in outside['KERNEL']:
        hold(trace.names.get(k['shortName']), 'a kernel without a name at %d' % k['start'])
    numbers = [len(rows) for rows in (calls, *work.values())]
    print('%d calls, %d kernels, %d copies, %d sets, %d graph records; %d do not hold' % (*numbers, len(wrong)))
    if lead:
        print('start after call, ns: least %d, half %d, 99 %% %d; %s' % (
            min(lead), percentile(lead, 50), percentile(lead, 99), histogram(lead)))
    for line in wrong[:20]:
        print('  ' + line)
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
