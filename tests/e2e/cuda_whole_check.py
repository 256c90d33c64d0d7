"""cuda_whole_check.py TRACE WHAT... - CUDA in a trace as the tool shows it, against what the stand-in machine counted (FAKEGPU_REPORT)

  counts REPORT [PART=N...]   kernels, copies, sets and graph launches are as many as the machine did; PART (kernel, copy, fill, graph): N instead
  times                       each activity begins in or behind its call, ends behind its beginning, one stream does one thing at a time
  untimed REASON N            N activities have no times, for that reason; all others have
  ledger REASON=N...          the ledger is that and nothing else; REASON=+: some
  ledger_within REASON...     the ledger has no other reasons
  fields NAME=yes|no...       every kernel has, or none has, such a field
  calls NAME N                N calls of that name
  at_least N                  N kernels at least

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys

TAP = os.environ['GPUTAP_BUILD'] + '/gputap'
trace, what, words = sys.argv[1], sys.argv[2], sys.argv[3:]


def output(*args):
    return subprocess.run([TAP, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


records = [json.loads(line) for line in output('dump', '--json', trace).splitlines()]
kinds = {k: [r for r in records if r['type'] == 'cuda_' + k] for k in ('call', 'kernel', 'copy', 'fill', 'graph', 'sync')}
work = {k: kinds[k] for k in ('kernel', 'copy', 'fill', 'graph')}


def report(path):
    return {k: int(v) for k, v in (line.split() for line in open(path, encoding='ascii') if line[0] != 'g' or line.startswith('graph'))}


def counts(path, *instead):
    said = report(path)
    expected = {'kernel': said['kernels'], 'copy': said['copies'], 'fill': said['sets'], 'graph': said['graph-launches']}
    expected.update((k, int(v)) for k, v in (w.split('=') for w in instead))
    found = {k: len(v) for k, v in work.items()}
    assert found == expected, (found, expected)


def times():
    outer = {}
    for c in kinds['call']:
        if not c['nested']:
            outer[c['pid'], c['correlation']] = c
    streams, host = {}, {}
    for kind, rows in work.items():
        for r in rows:
            if not r.get('timed', True):
                continue
            call = outer.get((r['pid'], r['correlation']))
            assert call, ('no call', r)
            assert call['start_ns'] <= r['start_ns'] <= r['end_ns'], (call, r)
            streams.setdefault((r['pid'], r['context'], r['stream']), []).append((r['start_ns'], r['end_ns']))
    for rows in streams.values():
        rows.sort()
        assert all(a[1] <= b[0] for a, b in zip(rows, rows[1:])), 'a stream does two things at once'
    for c in kinds['call']:
        if not c['nested']:
            host.setdefault((c['pid'], c['tid']), []).append((c['start_ns'], c['end_ns']))
    for rows in host.values():
        rows.sort()
        assert all(a[1] <= b[0] for a, b in zip(rows, rows[1:])), 'a thread is in two calls at once'


def untimed(reason, n):
    rows = [r for v in work.values() for r in v if not r.get('timed', True)]
    assert len(rows) == int(n) and all(r['reason'] == reason for r in rows), (len(rows), rows[:2])
    assert all(r['end_ns'] >= r['start_ns'] for v in work.values() for r in v if r.get('timed', True))


def ledger(*expected):
    found = json.loads(output('info', '--json', trace))['ledger']
    expected = dict(w.split('=') for w in expected)
    assert set(found) == set(expected) and all(v == '+' or found[k] == int(v) for k, v in expected.items()), (found, expected)


def ledger_within(*allowed):
    found = json.loads(output('info', '--json', trace))['ledger']
    assert set(found) <= set(allowed), found


def fields(*expected):
    assert kinds['kernel'], 'no kernel'
    for word in expected:
        name, there = word.split('=')
        assert all((name in k) == (there == 'yes') for k in kinds['kernel']), (name, kinds['kernel'][0])


def calls(name, n):
    found = sum(c['name'].startswith(name) for c in kinds['call'] if not c['nested'])
    assert found == int(n), found


def at_least(n):
    assert len(kinds['kernel']) >= int(n), len(kinds['kernel'])
    assert all(k.get('short_name') for k in kinds['kernel'])


globals()[what](*words)
