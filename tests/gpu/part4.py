"""part4.py - PyTorch: the same losses, and the costs beside its own profiler

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import sys

import part3
from machine import SOURCES
from steps import Step, Stop, skip

TITLE = 'PyTorch'
PROGRAMS = ()


def steps(m):
    command = [sys.executable, os.path.join(SOURCES, 'torch_step.py')]
    bare = []

    def need_torch():
        why = m.why_no_torch()
        if why:
            raise Stop(skip(why))

    def torch(name, options):
        """PyTorch takes long to load: bare it runs once for both."""
        need_torch()
        if not bare:
            bare.append(m.bare(command))
        return m.attempt(name, options, (), command, bare[0])

    def torch_costs():
        need_torch()
        return part3.costs(m, 'torch')

    return [Step('torch', 20, 60, lambda: torch('torch', ['-t', 'cuda,nvtx,cublas,cudnn'])),
            Step('torch arguments', 8, 45, lambda: torch('torch_arguments', ['-t', 'cuda', '--cuda-args'])),
            Step('torch costs', 50, 40, torch_costs, whole=True)]
