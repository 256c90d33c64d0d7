"""Whether computing, memory or neither of them keeps the kernel busy.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import BUSY, COMPUTE, MEMORY, is_busy, need, number, see

IDLE = 60.0

evaluate = need(COMPUTE, MEMORY)


def get_identifier():
    return "Bottleneck"


def get_name():
    return "What limits the kernel"


def get_description():
    return "Compares the throughput of computing and of memory with what the device can do."


def get_section_identifier():
    return "SpeedOfLight"


def apply(handle):
    action, advice = see(handle)
    compute, memory = number(action, COMPUTE), number(action, MEMORY)
    if is_busy(action):
        return          # one of them is used well
    if max(compute, memory) < IDLE:
        advice.say("Latency", "Neither computing (%.0f %% of its peak) nor memory (%.0f %%) is busy: warps wait. Look at the states of "
                   "warps and at occupancy: more warps, or more independent instructions in each." % (compute, memory),
                   COMPUTE if compute >= memory else MEMORY, "< %g" % IDLE)
    elif memory > compute:
        advice.say("Memory", "Memory (%.0f %% of its peak) is busier than computing (%.0f %%): move fewer bytes, reuse what is in "
                   "caches or shared memory, and read in whole sectors." % (memory, compute), MEMORY, "< %g" % BUSY)
    else:
        advice.say("Compute", "Computing (%.0f %% of its peak) is busier than memory (%.0f %%): see which pipe is used most, and "
                   "whether cheaper instructions do." % (compute, memory), COMPUTE, "< %g" % BUSY)
