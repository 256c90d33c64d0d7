"""Copies right before a kernel that could have run beside one, or need not be.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import bytes_text, counted, see, time_text

SHARE = 0.25        # of the time that the kernel ran


def get_identifier():
    return "CopyOverlap"


def get_name():
    return "Copies that could overlap"


def get_description():
    return "Kernels behind copies that take a good part of the time that the kernels run, while no kernel runs."


def apply(handle):
    _, advice = see(handle)
    shape = advice.shape
    if shape is None or not shape["copies"] or shape["copy_ns"] < SHARE * shape["total_ns"]:
        return
    what = "Right before its launches %s of %s took %s while no kernel ran; all launches ran for %s. " % (
        counted(shape["copies"], "copy", "copies"), bytes_text(shape["copied_bytes"]), time_text(shape["copy_ns"]),
        time_text(shape["total_ns"]))
    if shape["on_cpu"]:
        advice.say(
            "Copies on a CPU", what + "The device is the host's own processors and can work on the host's memory: make the buffer with "
            "CL_MEM_USE_HOST_PTR, or map it and write into it, and nothing is copied.", gain_ns=shape["copy_ns"])
    else:
        advice.say("Overlap", what + "Cut the data into parts and copy the next part in another stream or queue while the kernel works "
                   "on this one.", gain_ns=shape["hideable_ns"])
