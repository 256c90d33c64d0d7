"""Buffers that the memory of the device cannot move any faster.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import bytes_text, need, number, see

SHARE, BYTES, PEAK = "opencl__buffer_bandwidth_share", "opencl__buffer_bytes", "opencl__peak_bandwidth"
LIMIT = 60.0        # percent

evaluate = need(SHARE, BYTES, PEAK)


def get_identifier():
    return "OpenCLBandwidth"


def get_name():
    return "Memory bandwidth"


def get_description():
    return "Launches that move their buffers as fast as the memory of the device can."


def get_section_identifier():
    return "OpenCLMemory"


def apply(handle):
    action, advice = see(handle)
    share, size, peak = (number(action, n) for n in (SHARE, BYTES, PEAK))
    if not share or not size or not peak or not LIMIT <= share <= 100:      # beyond the peak the bytes were not moved
        return
    advice.warn(
        "Memory bandwidth", "If the kernel touches each byte of its %s of buffers once, it moves %.0f %% of the %.4g GB/s that the "
        "memory of the device moves at most. Faster computing does not help it: fewer bytes do, by smaller types, or by doing the "
        "work of two kernels on the same data in one." % (bytes_text(size), share, peak / 1e9), metric=SHARE, why=">= %g" % LIMIT)
