"""Fewer blocks than the device has multiprocessors.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import counted, need, number, of_them, see

GRID, UNITS = "launch__grid_size", "launch__sm_count"

evaluate = need(GRID)


def get_identifier():
    return "LaunchGrid"


def get_name():
    return "Size of the grid"


def get_description():
    return "Grids that leave multiprocessors without any block."


def get_section_identifier():
    return "LaunchStats"


def apply(handle):
    action, advice = see(handle)
    grid, units = number(action, GRID), number(action, UNITS, "device__attribute_multiprocessor_count")
    if not grid or not units or grid >= units:
        return
    advice.say(
        "Small grid", "The grid has %s for %d multiprocessors: %s nothing to do. Launch more blocks with "
        "less work each, or run other kernels beside this one in another stream." % (counted(grid, "block"), units, of_them(units - grid)),
        GRID, "< %d multiprocessors" % units, 100.0 * (units - grid) / units, alone=True)
