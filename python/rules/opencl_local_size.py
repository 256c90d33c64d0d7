"""A local size that leaves lanes of the last vector of each group without work.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import counted, need, number, see

MULTIPLE, LOCAL, GLOBAL = "opencl__preferred_multiple", "opencl__local_size", "opencl__global_size"

evaluate = need(MULTIPLE, LOCAL)


def get_identifier():
    return "OpenCLLocalSize"


def get_name():
    return "Local size"


def get_description():
    return "Groups whose size is no multiple of what the device runs at once."


def get_section_identifier():
    return "OpenCLLaunch"


def apply(handle):
    action, advice = see(handle)
    multiple, local = number(action, MULTIPLE), number(action, LOCAL)
    if not multiple or not local or local % multiple == 0:
        return
    if (number(action, GLOBAL) or multiple) < multiple:
        return          # there are not more work-items: another rule speaks of that
    idle = -local % multiple
    better = local + idle
    advice.say(
        "Local size", "A group has %s, and the device runs them in vectors of %d: %s of the last vector of each "
        "group %s nothing. Use a local size that is a multiple of %d, %d for example, and let the work-items that are "
        "too many return."
        % (counted(local, "work-item"), multiple, counted(idle, "lane"), "does" if idle == 1 else "do", multiple, better),
        LOCAL, "no multiple of %d" % multiple, 100.0 * idle / better, whole=False)
