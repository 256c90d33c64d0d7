"""Fewer active warps than the launch would allow.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import need, number, see

ACHIEVED, POSSIBLE = "sm__warps_active.avg.pct_of_peak_sustained_active", "sm__maximum_warps_per_active_cycle_pct"
DIFFERENCE = 10.0

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
    if possible - achieved < DIFFERENCE:
        return
    advice.say(
        "Achieved occupancy", "%.0f %% of a multiprocessor's warps were active, %.0f %% would fit. Warps that end early, blocks of "
        "different lengths or a short kernel do this: spread the work evenly over warps and blocks." % (achieved, possible),
        ACHIEVED, "%.0f below what fits" % (possible - achieved), 100.0 * (possible - achieved) / possible, whole=False)
