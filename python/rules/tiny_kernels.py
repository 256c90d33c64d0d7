"""Kernels that are over before the next one can be launched.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import see, time_text

SHORT_NS = 10000        # about what a launch costs the host and the driver
MANY = 100


def get_identifier():
    return "TinyKernels"


def get_name():
    return "Many tiny kernels"


def get_description():
    return "A kernel that is launched often and runs so shortly that the device is idle between its launches."


def apply(handle):
    action, advice = see(handle)
    shape = advice.shape
    if shape is None or shape["launches"] < MANY or shape["typical_ns"] is None or shape["typical_ns"] >= SHORT_NS or not shape["shorts"]:
        return
    advice.say(
        "Tiny kernels", "%s was launched %d times and typically runs for %s; the device was idle for %s before a launch, %s in all: "
        "launching takes longer than the work. Let one launch do the work of many (more work-items, a loop in the kernel, kernels that "
        "are merged), or record the sequence once as a graph or command buffer."
        % (action.name(), shape["launches"], time_text(shape["typical_ns"]), time_text(shape["short_ns"] / shape["shorts"]),
           time_text(shape["short_ns"])), gain_ns=shape["short_ns"])
