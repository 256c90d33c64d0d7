"""A last wave of blocks that fills only a part of the device.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import math

from gputap_advice import counted, need, number, see

WAVES, GRID = "launch__waves_per_multiprocessor", "launch__grid_size"
LIMIT = 20.0        # percent

evaluate = need(WAVES)


def get_identifier():
    return "LaunchTail"


def get_name():
    return "Tail of the grid"


def get_description():
    return "Grids whose last wave of blocks leaves a good part of the device idle."


def get_section_identifier():
    return "LaunchStats"


def apply(handle):
    action, advice = see(handle)
    waves = number(action, WAVES)
    if not waves or waves <= 1:         # a grid that fits at once has no tail
        return
    rounds = math.ceil(waves)
    tail = 100.0 * (rounds - waves) / rounds
    if tail < LIMIT:
        return
    grid = number(action, GRID)
    advice.say(
        "Tail", "%sfill the device %.2f times: %s and one that is %.0f %% full. If blocks take equally long, "
        "%.0f %% of the device's time is idle. Choose a grid that is a multiple of what fits at once%s, or let each block "
        "take several pieces of work."
        % ("The %d blocks " % grid if grid else "The blocks ", waves, counted(rounds - 1, "whole wave"), 100 * (waves - rounds + 1), tail,
           " (%d blocks)" % round(grid / waves) if grid else ""), WAVES, "%.0f %% tail" % tail, tail, alone=True)
