"""Warps whose threads go different ways.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import need, number, see

THREADS, PREDICATED = (
    "smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")
BLOCK = "launch__block_size"
WARP, LEAST = 32, 0.75

evaluate = need(THREADS)


def get_identifier():
    return "Divergence"


def get_name():
    return "Divergent warps"


def get_description():
    return "Instructions that run for only a part of a warp's threads."


def get_section_identifier():
    return "WarpStateStats"


def apply(handle):
    action, advice = see(handle)
    threads, predicated = number(action, THREADS), number(action, PREDICATED)
    on = threads if predicated is None else min(threads, predicated)
    block = number(action, BLOCK) or WARP
    full = block / -(-block // WARP)        # what the block's warps have: a partial one is another rule's
    least = LEAST * full
    if on >= least:
        return
    why = "threads of a warp take different branches" if threads < least else "conditions switch threads off"
    advice.say(
        "Divergence", "An instruction runs for %.1f of %.3g threads on average, because %s. Let threads of one warp take the same way: "
        "sort the work, or make the condition depend on the warp." % (on, full, why),
        THREADS if threads < least else PREDICATED, "< %g" % least, 100.0 * (full - on) / full, whole=False)
