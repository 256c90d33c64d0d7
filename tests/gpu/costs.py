"""costs.py SET PROGRAMS-DIR ROUNDS RESULTS.jsonl SECONDS - what tracing adds per CUDA operation on this GPU

SET: launch, flush or torch. Runs tests/gpu/cost.cu (torch: torch_step.py) bare and in each mode, in turns, a round of
everything before the next begins; appends to RESULTS one line per run: {"cost": case, "mode": ..., "round": ...,
"best", "median", "mean", "p99": ns}. What is there already is not measured again; ends when SECONDS are over.
A run begins where the time that is left holds twice what the longest of its kind took, and is never cut. Status 0: each
mode was measured once at least; 3: the time was over before; 1: something did not run.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from trace import GPUTAP

HERE = os.path.dirname(os.path.abspath(__file__))
NSYS = ['-t', 'cuda', '-s', 'none', '--cpuctxsw=none', '-f', 'true', '-o', 'WORK/n']
BARE = [('bare', None)]
DEFAULT = [('and all calls (default)', ['-t', 'cuda'])]
KERNELS = [('kernels only', ['-t', 'cuda', '--cuda-api=none'])]
FEW = BARE + [('loaded, nothing traced', ['-t', 'none'])] + KERNELS + [
    ('and runtime calls', ['-t', 'cuda', '--cuda-api=runtime'])] + DEFAULT
ARGUMENTS = [('with arguments', ['-t', 'cuda', '--cuda-args'])]
ALL = FEW + [('with queue times', ['-t', 'cuda', '--cuda-latency'])] + ARGUMENTS + [
    ('buffers of 256 KiB', ['-t', 'cuda', '--cuda-buffer-size=256k']),
    ('buffers of 8 MiB', ['-t', 'cuda', '--cuda-buffer-size=8M'])]
GRAPHS = BARE + [('whole graphs (default)', ['-t', 'cuda']),
                 ('a row per node', ['-t', 'cuda', '--cuda-graph-trace=node'])]
FLUSHES = [('--cuda-flush=%d' % ms, ['-t', 'cuda', '--cuda-flush=%d' % ms]) for ms in (0, 50, 250, 1000)]
TORCH = BARE + KERNELS + DEFAULT + [('all calls and NVTX', ['-t', 'cuda,nvtx,cublas,cudnn'])] + ARGUMENTS
# Long enough for several buffers (512 KiB last 1750 launches) and flushes (250 ms); a round of all
# shall fit into a minute.
CASES = {
    'launch': [('empty kernel, 1 thread', ['launch', '1', '200000'], ALL),
               ('empty kernel, 8 threads', ['launch', '8', '40000'], FEW + ARGUMENTS),
               ('graph of 20 kernels', ['graph', '1', '25000'], GRAPHS),
               ('copy of 64 bytes', ['copy', '1', '100000'], FEW),
               ('cudaStreamQuery', ['query', '1', '500000'], BARE + KERNELS + DEFAULT + ARGUMENTS)],
    'flush': [('flush period', ['launch', '1', '400000'], FLUSHES)],
    'torch': [('PyTorch, one training step', ['200'], TORCH)],
}
FIRST = 10                  # seconds that a run may take of whose kind none was measured
RIVALS = ('nsys', 'Kineto')    # whose failures are told and are not ours
KINETO = [('Kineto, CUDA', ['200', 'kineto']), ('Kineto, CPU and CUDA', ['200', 'kineto', 'cpu'])]


def nsys():
    found = [shutil.which('nsys')] + sorted(glob.glob('/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys'))
    return next((path for path in found if path), None)


def runs_of(which, programs):
    """(case, mode, command) of one round, in order."""
    runs, rival = [], nsys()
    for title, arguments, modes in CASES[which]:
        script = [sys.executable, os.path.join(HERE, 'torch_step.py')]
        command = (script if which == 'torch' else [os.path.join(programs, 'cost')]) + arguments
        for name, options in modes:
            traced = [GPUTAP, 'run', '-q', '-f', '-o', 'WORK/t', *(options or []), '--', *command]
            runs.append((title, name, command if options is None else traced))
        if which == 'torch':
            runs += [(title, name, script + words) for name, words in KINETO]
        elif rival and modes is ALL:
            runs.append((title, 'nsys -t cuda', [rival, 'profile', *NSYS, *command]))
    return runs


def once(command, limit):
    work = tempfile.mkdtemp()
    try:
        done = subprocess.run([a.replace('WORK', work) for a in command], capture_output=True, text=True,
                              timeout=limit, check=False)
        found = re.search(r'^ns (best=.*)$', done.stdout, re.M)
        if not found or done.returncode:
            return None, (done.stderr.strip().splitlines() or ['status %d' % done.returncode])[-1]
        return {k: float(v) for k, v in re.findall(r'(\w+)=([\d.]+)', found.group(1))}, ''
    except subprocess.TimeoutExpired:
        return None, 'no end within %d s' % limit
    finally:
        shutil.rmtree(work, ignore_errors=True)


def measured(path):
    if not os.path.exists(path):
        return set()
    with open(path, encoding='utf-8') as file:
        rows = [json.loads(line) for line in file if line.startswith('{"cost"')]
    return {(r['cost'], r['mode'], r['round']) for r in rows}


def main():
    which, programs, rounds, path, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], float(sys.argv[5])
    until, known, failed, missing, longest = time.monotonic() + seconds, measured(path), {}, [], {}
    for number in range(1, rounds + 1):
        for case, mode, command in runs_of(which, programs):
            if (case, mode, number) in known or (case, mode) in failed:
                continue
            left, start = until - time.monotonic(), time.monotonic()
            if left < 2 * longest.get(case, FIRST / 2):
                missing.append((case, mode))
                continue
            figures, why = once(command, left)
            longest[case] = max(longest.get(case, 0), time.monotonic() - start)
            if figures is None:
                failed[case, mode] = why
                continue
            with open(path, 'a', encoding='utf-8') as out:
                out.write(json.dumps({'cost': case, 'mode': mode, 'round': number, **figures}) + '\n')
    there = measured(path)
    never = sorted({run for run in missing if not any((*run, n) in there for n in range(1, rounds + 1))})
    print('%d of %d runs measured%s' % (len(there), rounds * len(runs_of(which, programs)),
                                        ', %d left when the time was over' % len(missing) if missing else ''))
    for case, mode in never:
        print('no time left for: %s, %s' % (case, mode))
    for (case, mode), why in failed.items():
        print('%s, %s did not run: %s' % (case, mode, why))
    ours = [mode for _, mode in failed if not mode.startswith(RIVALS)]
    sys.exit(1 if ours else 3 if never else 0)


if __name__ == '__main__':
    main()
