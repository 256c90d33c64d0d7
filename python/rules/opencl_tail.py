"""A last round of groups that fills only a part of the device.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import counted, need, number, see

TAIL, GROUPS, UNITS = "opencl__tail_share", "opencl__work_groups", "opencl__compute_units"
LIMIT = 20.0        # percent

evaluate = need(TAIL, GROUPS, UNITS)


def get_identifier():
    return "OpenCLTail"


def get_name():
    return "Tail of the launch"


def get_description():
    return "Launches whose last round of groups leaves many compute units idle."


def get_section_identifier():
    return "OpenCLOccupancy"


def apply(handle):
    action, advice = see(handle)
    tail, groups, units = (number(action, n) for n in (TAIL, GROUPS, UNITS))
    if not groups or not units or groups < units or tail < LIMIT:      # fewer groups than units is another rule's
        return
    rounds = -(-groups // units)
    advice.say(
        "Tail", "With one group on each of %d compute units the %d groups take %d rounds, and the last one has %s: "
        "%.0f %% of all is idle if groups take equally long. A number of groups that is a multiple of %d avoids it; so do "
        "smaller groups, which end at different times."
        % (units, groups, rounds, counted(groups - (rounds - 1) * units, "group"), tail, units), TAIL, ">= %g" % LIMIT, tail, alone=True)
