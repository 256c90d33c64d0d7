"""costs.py PROGRAMS-DIR ROUNDS - what tracing adds per CUDA operation on this GPU, as a table in Markdown

Runs tests/gpu/cost.cu bare and in each mode, in turns, and takes the median of the rounds. ns per operation on the issuing thread, less bare beside it.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

GPUTAP = os.path.join(os.environ.get('GPUTAP_BUILD', 'build'), 'gputap')
PROGRAMS, ROUNDS = sys.argv[1], int(sys.argv[2])
MODES = [
    ('bare', None), ('loaded, nothing traced', ['-t', 'none']), ('kernels only', ['-t', 'cuda', '--cuda-api=none']),
    ('and runtime calls', ['-t', 'cuda', '--cuda-api=runtime']), ('and all calls (default)', ['-t', 'cuda']),
    ('with queue times', ['-t', 'cuda', '--cuda-latency']), ('with arguments', ['-t', 'cuda', '--cuda-args']),
    ('buffers of 256 KiB', ['-t', 'cuda', '--cuda-buffer-size=256k']), ('buffers of 8 MiB', ['-t', 'cuda', '--cuda-buffer-size=8M']),
]
GRAPH_MODES = MODES[:1] + [('whole graphs (default)', ['-t', 'cuda']), ('a row per node', ['-t', 'cuda', '--cuda-graph-trace=node'])]
CASES = [('empty kernel, 1 thread', ['launch', '1', '20000'], MODES), ('empty kernel, 8 threads', ['launch', '8', '5000'], MODES),
         ('graph of 20 kernels', ['graph', '1', '2500'], GRAPH_MODES), ('copy of 64 bytes', ['copy', '1', '20000'], MODES[:5]),
         ('cudaStreamQuery', ['query', '1', '50000'], [MODES[0], MODES[2], MODES[4], MODES[6]])]
TORCH = [('bare', None), ('kernels only', ['-t', 'cuda', '--cuda-api=none']), ('and all calls (default)', ['-t', 'cuda']),
         ('all calls and NVTX', ['-t', 'cuda,nvtx,cublas,cudnn']), ('with arguments', ['-t', 'cuda', '--cuda-args'])]


def once(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    found = re.search(r'^ns ([\d.]+)$', done.stdout, re.M)
    return float(found.group(1)) if found and done.returncode == 0 else None


def traced(options, command, work):
    return [GPUTAP, 'run', '-q', '-f', '-o', work + '/t', *options, '--', *command] if options is not None else command


def nsys():
    for path in ['nsys'] + ['/opt/nvidia/nsight-compute/2025.3.1/host/target-linux-x64/nsys']:
        if shutil.which(path):
            return path
    return None


def measure(title, command, modes, extra=()):
    work = tempfile.mkdtemp()
    runs = [(name, traced(options, command, work)) for name, options in modes]
    runs += [(name, [a.replace('WORK', work) for a in full]) for name, full in extra]
    figures = {name: [] for name, _ in runs}
    for _ in range(ROUNDS):
        for name, full in runs:
            ns = once(full)
            if ns is not None:
                figures[name].append(ns)
    shutil.rmtree(work)
    bare = statistics.median(figures['bare']) if figures['bare'] else None
    print('\n| %s | ns | added | x bare |\n| --- | ---: | ---: | ---: |' % title)
    for name, values in figures.items():
        if values and bare:
            ns = statistics.median(values)
            print('| %s | %.0f | %.0f | %.2f |' % (name, ns, ns - bare, ns / bare))
        else:
            print('| %s | did not run | | |' % name)
    sys.stdout.flush()


def main():
    rival = nsys()
    for title, arguments, modes in CASES:
        command = [os.path.join(PROGRAMS, 'cost')] + arguments
        extra = [('nsys -t cuda', [rival, 'profile', '-t', 'cuda', '-s', 'none', '--cpuctxsw=none', '-f', 'true', '-o', 'WORK/n'] + command)] if rival and len(modes) > 5 else []
        measure(title, command, modes, extra)
    if subprocess.run([sys.executable, '-c', 'import torch; torch.zeros(1).cuda()'], capture_output=True, check=False).returncode == 0:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'torch_step.py')
        command = [sys.executable, script, '200']
        measure('PyTorch, one training step', command, TORCH, [('Kineto, CUDA', [sys.executable, script, 'kineto']),
                                                              ('Kineto, CPU and CUDA', [sys.executable, script, 'kineto', 'cpu'])])


main()
