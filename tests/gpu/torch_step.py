"""torch_step.py [kineto] - five training steps of a small network; prints the time per step. kineto: under PyTorch's own profiler

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sys
import time

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 30 * 30, 10)).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(32, 3, 32, 32, device='cuda'), torch.randint(0, 10, (32,), device='cuda')


def step():
    optimiser.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimiser.step()
    return loss


def measure(steps):
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    for _ in range(steps):
        loss = step()
    torch.cuda.synchronize()
    return (time.perf_counter_ns() - start) / steps, loss.item()


if 'kineto' in sys.argv:
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] if 'cpu' in sys.argv else [ProfilerActivity.CUDA]):
        ns, result = measure(200)
else:
    ns, result = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
print('loss %.6f' % result)
print('ns %.1f' % ns)
