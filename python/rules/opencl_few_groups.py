"""Fewer groups than the device has compute units.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import counted, need, number, of_them, see

GROUPS, UNITS, LOCAL = "opencl__work_groups", "opencl__compute_units", "opencl__local_size"

evaluate = need(GROUPS, UNITS)


def get_identifier():
    return "OpenCLFewGroups"


def get_name():
    return "Groups and compute units"


def get_description():
    return "Launches that leave compute units without any work."


def get_section_identifier():
    return "OpenCLOccupancy"


def apply(handle):
    action, advice = see(handle)
    groups, units = number(action, GROUPS), number(action, UNITS)
    if not groups or not units or groups >= units:
        return
    local = number(action, LOCAL)
    smaller = ", or use smaller groups (%s each now)" % counted(local, "work-item") if local and local > 1 else ""
    advice.say(
        "Few groups", "The launch has %s for %d compute units: %s nothing to do. Launch more work-items at once%s."
        % (counted(groups, "work-group"), units, of_them(units - groups), smaller),
        GROUPS, "< %d compute units" % units, 100.0 * (units - groups) / units, alone=True)
