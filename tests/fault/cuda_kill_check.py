"""cuda_kill_check.py TRACE PROGRESS [args] - after a kill: every call that had returned is in the trace, and every kernel that was over;
the ledger has the others

args: the calls were recorded with their arguments too, at each call's exit.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import struct
import subprocess
import sys

TAP = os.environ['GPUTAP_BUILD'] + '/gputap'
trace, progress = sys.argv[1:3]


def lines(*args):
    return subprocess.run([TAP, *args, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.splitlines()


records = [json.loads(line) for line in lines('dump', '--json')]
info = json.loads(b''.join(lines('info', '--json')))
calls = [r for r in records if r['type'] == 'cuda_call' and r['name'] == 'cuLaunchKernel']
kernels = [r for r in records if r['type'] == 'cuda_kernel']
buffers = [r for r in records if r['type'] == 'cuda_buffer']
over = 0
data = open(progress, 'rb').read()
for at in range(0, len(data), 24):
    tid, launched, waited = struct.unpack_from('<3Q', data, at)
    over += waited
    mine = [c for c in calls if c['tid'] == tid]
    assert launched <= len(mine) <= launched + 1, 'thread %d: %d launches returned, %d are in the trace' % (tid, launched, len(mine))
    if 'args' in sys.argv:
        with_args = sum(c['has_args'] for c in mine)
        assert with_args >= launched, 'thread %d: %d launches returned, %d are in the trace with arguments' % (tid, launched, with_args)
assert over <= len(kernels) <= len(calls) + 2, '%d kernels were over, %d are in the trace, %d calls' % (over, len(kernels), len(calls))
assert len({k['correlation'] for k in kernels}) == len(kernels), 'a kernel is there twice'
# Launches whose kernel was on the device, or in CUPTI's memory: the ledger has each, as such or as a place that was not written.
there = {k['correlation'] for k in kernels}
alone = sum(c.get('result') == 0 and c['correlation'] not in there for c in calls)
told = info['ledger'].get('UNMATCHED_CALL', 0)
assert told <= alone <= told + info['ledger'].get('INCOMPLETE_RECORD', 0), '%d launches have no kernel: %s' % (alone, info['ledger'])
strange = set(info['ledger']) - {'CUPTI_NAME_GONE', 'INCOMPLETE_RECORD', 'UNMATCHED_COMMAND', 'UNMATCHED_CALL'}
assert not strange, info['ledger']
unnamed = sum(not k.get('short_name') for k in kernels)
assert unnamed == info['ledger'].get('CUPTI_NAME_GONE', 0), (unnamed, info['ledger'])
print('%d calls, %d kernels, %d without a name, %d launches without a kernel, %d of %d buffers never completed' % (len(calls), len(kernels), unnamed, alone,
                                                                                      sum(not b['completed'] for b in buffers), len(buffers)))
