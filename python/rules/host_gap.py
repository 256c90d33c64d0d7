"""A device that had nothing to do before this kernel.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import number, see, time_text

DURATIONS = "opencl__duration", "launch__duration", "gpu__time_duration.sum"
LEAST_NS = 20000


def get_identifier():
    return "HostGap"


def get_name():
    return "Gap before the kernel"


def get_description():
    return "Queues and streams that stood idle before the kernel, longer than it ran."


def apply(handle):
    action, advice = see(handle)
    trace, duration = action.trace(), number(action, *DURATIONS)
    gap = trace.gap_before_ns() if trace else None
    if gap is None or duration is None or gap < LEAST_NS or gap <= duration:
        return
    site = next(("%s (%s:%d)" % (f.get("function", "?"), f.get("file", "?"), f.get("line", 0)) for f in trace.call_site()
                 if f.get("line")), None)
    advice.say(
        "Gap", "%s stood idle for %s before this kernel, which ran for %s%s. Enqueue the next work before waiting for the "
        "last one, and leave out waits between kernels of one queue: they run in order anyway."
        % (trace.queue() or "Its queue", time_text(gap), time_text(duration), "; launched in " + site if site else ""),
        next((n for n in DURATIONS if number(action, n) is not None), None), "gap of %d ns" % gap,
        100.0 * gap / (gap + duration))
