"""Private memory that cannot stay in registers.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import bytes_text, need, number, see

PRIVATE, LOCAL = "opencl__private_memory", "opencl__local_size"
REGISTERS = 1024        # bytes that a work-item has at most (255 registers of four bytes); PoCL tells this number of every kernel

evaluate = need(PRIVATE)


def get_identifier():
    return "OpenCLPrivateMemory"


def get_name():
    return "Private memory"


def get_description():
    return "Work-items with more private memory than registers can hold."


def get_section_identifier():
    return "OpenCLMemory"


def apply(handle):
    action, advice = see(handle)
    private = number(action, PRIVATE)
    if private is None or private <= REGISTERS:
        return
    local = number(action, LOCAL)
    group = " (%s for a group)" % bytes_text(private * local) if local else ""
    advice.warn(
        "Private memory", "Each work-item has %s of private memory%s: arrays of that size do not stay in registers and go "
        "through the caches to memory. Make private arrays smaller, index them by constants only, or put what the group "
        "shares into local memory." % (bytes_text(private), group), metric=PRIVATE, why="> %d" % REGISTERS)
