"""A device that had nothing to do before this kernel.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import number, see, time_text

DURATIONS = "opencl__duration", "launch__duration", "gpu__time_duration.sum"
LEAST_NS = 20000
LATE_NS = 1000000       # from being enqueued to the start, with nothing before it in its queue


def get_identifier():
    return "HostGap"


def get_name():
    return "Gap before the kernel"


def get_description():
    return "Queues and streams that stood idle before the kernel, longer than it ran, and whether the host or the driver was late."


def host_part(trace, gap):
    """How much of the gap had passed when the kernel was enqueued; all of it where that is not known."""
    start, queued = trace.start_ns(), trace.queued_ns()
    return gap if start is None or queued is None else min(gap, max(0, queued - (start - gap)))


def apply(handle):
    action, advice = see(handle)
    trace, duration = action.trace(), number(action, *DURATIONS)
    gap = trace.gap_before_ns() if trace else None
    if gap is None or duration is None:
        return
    late = host_part(trace, gap)
    site = next(("%s (%s:%d)" % (f.get("function", "?"), f.get("file", "?"), f.get("line", 0)) for f in trace.call_site()
                 if f.get("line")), None)
    metric = next((n for n in DURATIONS if number(action, n) is not None), None)
    if late >= LEAST_NS and late > duration:
        advice.say(
            "Gap", "%s stood idle for %s before this kernel was enqueued; it ran for %s%s. Enqueue the next work before "
            "waiting for the last one, and leave out waits between kernels of one queue: they run in order anyway."
            % (trace.queue() or "Its queue", time_text(late), time_text(duration), " and was launched in " + site if site else ""),
            metric, "gap of " + time_text(late))
    elif gap - late >= LATE_NS and gap - late > duration:
        advice.warn(
            "Late start", "The kernel waited %s for its start though its queue had nothing to do, and ran for %s. At the first "
            "launch runtimes often compile a kernel: launch it once before time counts, or build programs for the device "
            "ahead; else another queue had the device." % (time_text(gap - late), time_text(duration)),
            metric=metric, why="start %s late" % time_text(gap - late))
