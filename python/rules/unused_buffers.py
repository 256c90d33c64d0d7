"""Buffers that the program makes and that nothing ever uses.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import bytes_text, counted, see

LEAST_BYTES = 65536     # all of them together


def get_identifier():
    return "UnusedBuffers"


def get_name():
    return "Buffers that nothing uses"


def get_description():
    return "Memory of the device that the program takes for buffers which no kernel and no command uses."


def apply(handle):
    action, advice = see(handle)
    trace = action.trace()
    unused = trace.unused_buffers() if trace else None      # of the process, with its first kernel
    if not unused or unused["bytes"] < LEAST_BYTES:
        return
    one = unused["buffers"] == 1
    advice.say(
        "Unused buffers", "The program made %s of %s that nothing uses: no kernel that was launched has %s as an argument, and "
        "no copy, fill or map names %s. Leave %s out, or make %s when there is a use."
        % (counted(unused["buffers"], "buffer"), bytes_text(unused["bytes"]), *(["it"] * 4 if one else ["one of them", "one", "them", "them"])),
        of_process=True)
