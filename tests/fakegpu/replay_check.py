"""replay_check.py RECORDED.sqlite REPLAYED.sqlite - rows of CUDA are those of the recording: all columns but ids of the process and the times' origin

Times: the same durations and the same distances, within what two sets of clock readings differ by.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sqlite3
import sys

TABLES = ['CUPTI_ACTIVITY_KIND_' + k for k in ('KERNEL', 'MEMCPY', 'MEMSET', 'RUNTIME', 'SYNCHRONIZATION', 'GRAPH_TRACE', 'CUDA_EVENT', 'OVERHEAD')] + [
    'CUDA_GRAPH_EVENTS', 'CUDA_GRAPH_NODE_EVENTS', 'CUDA_GPU_MEMORY_USAGE_EVENTS', 'CUDA_GPU_MEMORY_POOL_EVENTS', 'TARGET_INFO_CUDA_CONTEXT_INFO',
    'TARGET_INFO_CUDA_STREAM', 'TARGET_INFO_GPU', 'CUDA_UM_CPU_PAGE_FAULT_EVENTS', 'CUDA_UM_GPU_PAGE_FAULT_EVENTS']
TIMES = {'start', 'end', 'timestamp'}
OWN = {'globalPid', 'processId', 'pid', 'vmId'}     # of the process
MOMENTS = {'CUDA_GRAPH_EVENTS', 'CUDA_GRAPH_NODE_EVENTS'}      # of callbacks: time and thread are those of the replay
TEXTS = {'nameId', 'demangledName', 'shortName', 'mangledName'}


def read(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    texts = dict(tuple(r) for r in db.execute('SELECT id, value FROM StringIds'))
    tables = {}
    for name in TABLES:
        try:
            rows = [dict(r) for r in db.execute('SELECT * FROM ' + name)]
        except sqlite3.OperationalError:
            continue
        for r in rows:
            for column in list(r):
                if column in OWN or (name in MOMENTS and column == 'globalTid'):
                    del r[column]
                elif column in TEXTS and r[column] is not None:
                    r[column] = texts[r[column]]
                elif column == 'globalTid' and r[column] is not None:
                    r[column] &= 0xffffff                   # the thread's number is a recorded one
        tables[name] = rows
    return tables


def key(row):
    return sorted((k, str(v)) for k, v in row.items() if k not in TIMES)


def main():
    first, second = read(sys.argv[1]), read(sys.argv[2])
    assert set(first) == set(second), set(first) ^ set(second)
    total = 0
    origin = [min(r['start'] for r in x['CUPTI_ACTIVITY_KIND_RUNTIME']) for x in (first, second)]
    for name in first:
        a, b = (sorted(x[name], key=lambda r: (key(r), r.get('start') or 0)) for x in (first, second))
        assert len(a) == len(b), (name, len(a), len(b))
        for x, y in zip(a, b):
            assert key(x) == key(y), (name, x, y)
            for column in TIMES & set(x):
                if x[column] is None or y[column] is None:
                    assert x[column] == y[column], (name, x, y)
                    continue
                if name in MOMENTS:
                    continue
                p, q = x[column] - origin[0], y[column] - origin[1]
                assert abs(p - q) <= 20000 + abs(p) // 100, (name, column, p, q)
            if x.get('end') is not None and x.get('start') is not None and name not in MOMENTS:
                p, q = x['end'] - x['start'], y['end'] - y['start']
                assert abs(p - q) <= 2 + p // 100, (name, p, q)
        total += len(a)
    assert total, 'no rows'
    print('%d rows of %d tables agree' % (total, len(first)))


main()
