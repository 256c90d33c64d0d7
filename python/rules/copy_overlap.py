"""Copies that the kernel waited for and that could have run beside another kernel.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import number, see, time_text

DURATIONS = "opencl__duration", "launch__duration", "gpu__time_duration.sum"
SHARE = 0.25
COPIES = "copy", "read", "write"          # what OpenCL calls them, and CUDA


def get_identifier():
    return "CopyOverlap"


def get_name():
    return "Copies that could overlap"


def get_description():
    return "Kernels that wait for copies for a good part of the time that they run."


def apply(handle):
    action, advice = see(handle)
    trace, duration = action.trace(), number(action, *DURATIONS)
    if trace is None or not duration:
        return
    took = sum(max(0, w.get("end_ns", 0) - w.get("start_ns", 0)) for w in trace.waits() if w.get("kind") in COPIES)
    if took < SHARE * duration:
        return
    advice.say(
        "Overlap", "The kernel ran for %s and waited for copies of %s. Cut the data into parts and copy the next part in "
        "another stream or queue while the kernel works on this one." % (time_text(duration), time_text(took)),
        speedup=100.0 * min(took, duration) / (took + duration))
