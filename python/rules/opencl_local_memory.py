"""Local memory that lets no second group onto a compute unit.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import bytes_text, need, number, see

USED, LIMIT, SHARE = "opencl__local_memory", "opencl__local_memory_limit", "opencl__local_memory_share"
GROUPS, UNITS = "opencl__work_groups", "opencl__compute_units"

evaluate = need(USED, LIMIT)


def get_identifier():
    return "OpenCLLocalMemory"


def get_name():
    return "Local memory"


def get_description():
    return "Groups that take more than half of a compute unit's local memory."


def get_section_identifier():
    return "OpenCLMemory"


def apply(handle):
    action, advice = see(handle)
    used, limit = number(action, USED), number(action, LIMIT)
    if not used or not limit or 2 * used <= limit or used > limit:
        return
    if advice.shape is not None and advice.shape["on_cpu"]:
        return          # its local memory is memory like any other
    if number(action, GROUPS) and number(action, GROUPS) <= (number(action, UNITS) or 0):
        return          # there is no second group for a unit
    advice.warn(
        "Local memory", "A group takes %s of the %s of local memory that a group can have: if a compute unit has no more, a second group "
        "does not fit on it and cannot hide the first one's waiting. Take half of it at most, %s, or share the work of two groups."
        % (bytes_text(used), bytes_text(limit), bytes_text(limit // 2)), metric=SHARE, why="> 50")
