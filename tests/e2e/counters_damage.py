"""tests/e2e/counters_damage.py TAP CUPTI TRACE METRICS: a trace whose counters were cut or altered

Whatever is done to the plan (the file `counters`) or to an image of counters, report, export and dump end as they do ever, a
value that was not counted is never shown, and what is N/A says why.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import glob
import io
import os
import shutil
import subprocess
import sys

tap, cupti, trace, metrics = sys.argv[1:]
metrics = metrics.split(',')
shutil.rmtree('bad.gputap', ignore_errors=True)


def call(*words):
    return subprocess.run([tap, *words], capture_output=True, text=True, timeout=60, check=False)


def values():
    done = call('report', '--cupti', cupti, '--page', 'raw', '--csv', 'bad.gputap')
    rows = [r for r in csv.DictReader(io.StringIO(done.stdout)) if r['ID']]
    return done, [[r.get(m) for m in metrics] for r in rows]


def damaged(name, content):
    with open('bad.gputap/' + name, 'wb') as f:
        f.write(content)


def check(what, line, reason):
    """Of the trace as it is now: no value, the line on stderr, the reason on the page."""
    done, found = values()
    assert done.returncode in (0, 3) and len(found) == 1, (what, done)
    assert not any(v and v[0].isdigit() for v in found[0]), (what, found)
    assert line in done.stderr, (what, done.stderr)
    page = call('report', '--cupti', cupti, 'bad.gputap')
    assert page.returncode in (0, 3) and reason in page.stdout + page.stderr, (what, page)
    assert 'which were not collected' not in page.stderr, (what, page.stderr)


shutil.copytree(trace, 'bad.gputap')
good = values()[1]
assert len(good) == 1 and all(v[0].isdigit() for v in good[0]), good

# The plan
with open(trace + '/counters', 'rb') as f:
    plan = f.read()
line = 'bad.gputap: the file counters is missing or damaged: the counters of 1 launch have no values'
reason = "counters were collected; the trace's file counters, which tells what they are, is missing or damaged"
for size in [0, 1, 8, 31, 32, 33, 80, len(plan) // 2, len(plan) - 1]:
    damaged('counters', plan[:size])
    check(f'plan of {size} bytes', line, reason)
for at in sorted({*range(0, 40, 5), *range(40, len(plan), max(len(plan) // 16, 1)), len(plan) - 2, len(plan) - 1}):
    damaged('counters', plan[:at] + bytes([plan[at] ^ 0x10]) + plan[at + 1:])
    check(f'byte {at} of the plan', line, reason)
damaged('counters', plan + b'x')
check('a longer plan', line, reason)
os.unlink('bad.gputap/counters')
check('no plan', line, reason)
done = call('export', '-q', '-f', '-e', 'ncu-rep', '--cupti', cupti, '-o', 'bad', 'bad.gputap')
assert done.returncode == 0 and os.path.getsize('bad.ncu-rep'), done
done = call('export', '-f', '-e', 'ncu-rep', '--cupti', cupti, '-o', 'bad', 'bad.gputap')
assert line in done.stderr, done
assert '"cuda_counters"' in call('dump', '--json', 'bad.gputap').stdout
damaged('counters', plan)

# The image: wherever the stand-in's mark lies in a stream
images = [(p, i) for p in glob.glob(trace + '/**', recursive=True) if os.path.isfile(p) and not p.endswith('/counters')
          for i in [open(p, 'rb').read().find(b'gputap stand-in\0GH100')] if i >= 0]
assert len(images) == 1, images
path, start = images[0]
name = os.path.relpath(path, trace)
with open(path, 'rb') as f:
    stream = f.read()
for at in range(0, 96, 7):
    damaged(name, stream[:start + at] + bytes([stream[start + at] ^ 0x04]) + stream[start + at + 1:])
    check(f'byte {at} of the image', '', 'the image of counters is damaged: it is not what was recorded')
damaged(name, stream[:start + 20])
check('a cut image', '', 'the image of counters is')
damaged(name, stream)
assert values()[1] == good
