"""killed.py TRACE BEFORE AT-KILL - after a kill -9 of cuda_kill: what was complete is in the trace

BEFORE and AT-KILL: what the program said of itself (tests/fault/cuda_kill.c) two flush periods before the kill, and at
the kill. All calls that had returned and all kernels that were over BEFORE must be there; of those between, how many
are is told: CUPTI may still hold them.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import struct
import sys

import trace


def progress(path):
    data = open(path, 'rb').read()
    threads = struct.iter_unpack('<3Q', data[:len(data) // 24 * 24])
    return {tid: (launched, over) for tid, launched, over in threads if tid}


# The calls of one thread in order, and whether each has its kernel with a time.
CALLS = '''SELECT k.start IS NOT NULL AND k.end >= k.start FROM CUPTI_ACTIVITY_KIND_RUNTIME AS c
    JOIN StringIds AS s ON s.id = c.nameId
    LEFT JOIN CUPTI_ACTIVITY_KIND_KERNEL AS k ON k.correlationId = c.correlationId
    WHERE s.value LIKE 'cuLaunchKernel%' AND c.globalTid & 0xffffff = ? ORDER BY c.start'''


def main():
    before, at_kill = progress(sys.argv[2]), progress(sys.argv[3])
    if not any(launched for launched, _ in before.values()):
        print('the program had not begun to launch')
        sys.exit(77)
    database, wrong, told = trace.Database(sys.argv[1]), 0, []
    for tid, (launched, over) in sorted(before.items()):
        ended = [there for there, in database.rows(CALLS, tid, plain=True)]
        last = at_kill.get(tid, (launched, over))
        wrong += len(ended) < launched or sum(ended[:over]) < over
        told.append('thread %d: of what was complete before, %d of %d calls and %d of %d kernels; '
                    'at the kill %d of %d and %d of %d' % (
                        len(told) + 1, min(len(ended), launched), launched, sum(ended[:over]), over,
                        min(len(ended), last[0]), last[0], sum(ended[:last[1]]), last[1]))
    print('\n'.join(told))
    sys.exit(bool(wrong))


main()
