"""Copies from or to pageable memory that the kernel waited for.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import bytes_text, counted, see, time_text

LEAST_BYTES = 65536     # below, a copy takes its time whatever the memory


def get_identifier():
    return "PageableCopy"


def get_name():
    return "Copies of pageable memory"


def get_description():
    return "Copies that the driver has to stage because their host memory is not pinned."


def apply(handle):
    action, advice = see(handle)
    shape = advice.shape
    if shape is None or not shape["pageable"]:
        return
    message = advice.say(
        "Pageable memory", "Right before its launches the device moved memory that is not pinned (%s, %s, %s): the driver moves it "
        "through a buffer of its own, and the copy cannot overlap with kernels. Allocate the host's side with cudaHostAlloc or "
        "cudaMallocHost, in OpenCL map a buffer made with CL_MEM_ALLOC_HOST_PTR."
        % (counted(shape["pageable"], "copy", "copies"), bytes_text(shape["pageable_bytes"]), time_text(shape["pageable_ns"])),
        gain_ns=shape["pageable_ns"])
    copies = [w for w in action.trace().waits()
              if w.get("kind") == "copy" and w.get("memory", "").lower() == "pageable" and w.get("bytes", 0) >= LEAST_BYTES]
    if copies and message is not None:
        advice.frontend.generate_table(
            message, ["copy", "direction", "bytes", "ns"],
            [[w.get("name", ""), w.get("direction", ""), w["bytes"], w.get("end_ns", 0) - w.get("start_ns", 0)] for w in copies],
            {"title": "Before this launch", "sort_by": {"column": "bytes", "order": "descending"}})
