"""Fewer active warps than the launch would allow.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import is_busy, need, number, see

ACHIEVED, POSSIBLE = "sm__warps_active.avg.pct_of_peak_sustained_active", "sm__maximum_warps_per_active_cycle_pct"
DIFFERENCE = 10.0
WAVES = "launch__waves_per_multiprocessor"

evaluate = need(ACHIEVED, POSSIBLE)


def get_identifier():
    return "OccupancyAchieved"


def get_name():
    return "Achieved occupancy"


def get_description():
    return "Kernels in which warps end long before others, so that fewer are active than fit."


def get_section_identifier():
    return "Occupancy"


def apply(handle):
    action, advice = see(handle)
    achieved, possible = number(action, ACHIEVED), number(action, POSSIBLE)
    if possible > 100 or possible - achieved < DIFFERENCE or is_busy(action):
        return
    if (number(action, WAVES) or 1) < 1:        # all blocks are there at once, and do not fill the device
        advice.say(
            "Achieved occupancy", "%.0f %% of a multiprocessor's warps were active, %.0f %% would fit: the grid has blocks for %.0f %% of "
            "what the device holds at once. Launch more blocks with less work each." % (achieved, possible, 100 * number(action, WAVES)),
            ACHIEVED, "%.0f below what fits" % (possible - achieved), 100.0 * (possible - achieved) / possible, whole=False, alone=True)
        return
    advice.say(
        "Achieved occupancy", "%.0f %% of a multiprocessor's warps were active, %.0f %% would fit. Warps that end early, blocks of "
        "different lengths or a short kernel do this: spread the work evenly over warps and blocks." % (achieved, possible),
        ACHIEVED, "%.0f below what fits" % (possible - achieved), 100.0 * (possible - achieved) / possible, whole=False)
