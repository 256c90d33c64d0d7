"""part3.py - what tracing adds to launches, copies and queries

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os

from steps import Step, bad, ok, skip

TITLE = 'what tracing adds'
PROGRAMS = ('cost',)


def costs(m, which):
    """Not all rounds are needed, each mode once is; it takes what its part has left."""
    rounds, seconds = os.environ.get('GPU_ROUNDS', '5'), int(m.budget.step_left()) - 3
    status, lines, why = m.script('costs.py', which, m.bin, rounds, m.results, seconds, most=3600)
    return {0: ok, 3: skip}.get(status, bad)(lines or why)


def steps(m):
    def launch_costs():
        m.need(os.path.join(m.bin, 'cost'))
        return costs(m, 'launch')

    return [Step('costs', 60, 40, launch_costs, whole=True)]
