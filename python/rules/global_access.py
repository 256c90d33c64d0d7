"""Reads and writes of global memory that touch more sectors than their bytes need.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import BUSY, COMPUTE, MEMORY, number, see

KINDS = {"ld": "Reads", "st": "Writes"}
MOST = 16.0         # sectors of a request that whole vectors of 16 bytes a thread need: 512 bytes


def names(op):
    base = "l1tex__%s_pipe_lsu_mem_global_op_" + op
    return base % "average_t_sectors_per_request" + ".ratio", base % "t_sectors" + ".sum", base % "t_requests" + ".sum"


def get_identifier():
    return "GlobalAccess"


def get_name():
    return "Access to global memory"


def get_description():
    return "Requests of global memory whose threads' addresses are far apart."


def get_section_identifier():
    return "MemoryWorkloadAnalysis"


def apply(handle):
    action, advice = see(handle)
    if (number(action, COMPUTE) or 0) >= BUSY > (number(action, MEMORY) or 0):
        return          # memory is not what it waits for
    for op, word in KINDS.items():
        ratio, sectors, requests = names(op)
        average = number(action, ratio)
        if average is None and number(action, requests):
            average = number(action, sectors) / number(action, requests)
        if average is None or average <= MOST:
            continue
        advice.say(
            "Uncoalesced", "%s of global memory touch %.1f sectors of 32 bytes a request; 4 hold a float of each thread of a warp, 16 a "
            "vector of four. Let neighbouring threads touch neighbouring addresses: arrays of members instead of members "
            "in arrays, a transposed tile in shared memory." % (word, average),
            ratio if number(action, ratio) is not None else sectors, "> %g sectors a request" % MOST, 100.0 * (1 - MOST / average),
            whole=False, cause="Uncoalesced: " + op)
