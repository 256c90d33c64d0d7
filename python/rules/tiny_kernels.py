"""Kernels that are over before the next one can be launched.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import number, see, time_text

SHORT_NS = 10000        # about what a launch costs the host and the driver
MANY = 100

DURATIONS = "opencl__duration", "launch__duration", "gpu__time_duration.sum"


def get_identifier():
    return "TinyKernels"


def get_name():
    return "Many tiny kernels"


def get_description():
    return "A kernel that is launched often and runs for a shorter time than a launch takes."


def apply(handle):
    action, advice = see(handle)
    trace = action.trace()
    duration = number(action, *DURATIONS)
    if trace is None or duration is None:       # how often it was launched is only known where a trace is
        return
    launches, total = trace.launches() or 0, trace.total_ns() or 0
    if launches < MANY or total >= launches * SHORT_NS:
        return
    advice.say(
        "Tiny kernels", "%s was launched %d times for %s each on average: a launch itself takes about as long. Let one launch "
        "do the work of many (more work-items, a loop in the kernel, kernels that are merged), or record the sequence once "
        "as a graph or command buffer." % (action.name(), launches, time_text(total / launches)),
        next((n for n in DURATIONS if number(action, n) is not None), None), "< %d ns" % SHORT_NS)
