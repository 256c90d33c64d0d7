"""torch_step.py [STEPS|first] [kineto [cpu]] - training steps of a small network: its loss, and the time per step

kineto: under PyTorch's own profiler. Deterministic, and the loss is told to 3 digits: with and without a tool it must
be the same. With "first" in the place of STEPS one step is done, as a program's first one is: for what loading costs.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import sys
import time

os.environ.setdefault('CUBLAS_WORKSPACE_CONFIG', ':4096:8')

try:
    import torch  # noqa: E402 (the variable is read when the library is loaded)
except ModuleNotFoundError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print('PyTorch does not see the GPU', file=sys.stderr)
    sys.exit(77)

torch.manual_seed(1)
torch.use_deterministic_algorithms(True, warn_only=True)
torch.backends.cudnn.benchmark = False
layers = torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 30 * 30, 10)
model = torch.nn.Sequential(*layers).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(32, 3, 32, 32, device='cuda'), torch.randint(0, 10, (32,), device='cuda')


def step():
    optimiser.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimiser.step()
    return loss


def measure(steps, warm=3):
    for _ in range(warm):
        step()
    torch.cuda.synchronize()
    each, start = [], time.perf_counter_ns()
    for _ in range(steps):
        before = time.perf_counter_ns()
        loss = step()
        each.append(time.perf_counter_ns() - before)
    torch.cuda.synchronize()
    whole = (time.perf_counter_ns() - start) / steps
    each.sort()
    figures = (each[0], each[steps // 2], whole, each[min(steps - 1, steps * 99 // 100)])
    return loss.item(), 'ns best=%.1f median=%.1f mean=%.1f p99=%.1f' % figures


def main():
    words = sys.argv[1:]
    steps = int(words[0]) if words and words[0].isdigit() else 1 if 'first' in words else 5
    if 'kineto' in words:
        from torch.profiler import ProfilerActivity, profile
        both = [ProfilerActivity.CUDA, ProfilerActivity.CPU]
        with profile(activities=both if 'cpu' in words else both[:1]):
            loss, ns = measure(steps)
    else:
        loss, ns = measure(steps, 0 if 'first' in words else 3)
    print('loss %.3f' % loss)
    print(ns)


main()
