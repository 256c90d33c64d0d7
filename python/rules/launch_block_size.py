"""A block that is no whole number of warps, or a single one.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import counted, need, number, see

BLOCK = "launch__block_size"
WARP = 32

evaluate = need(BLOCK)


def get_identifier():
    return "LaunchBlockSize"


def get_name():
    return "Size of a block"


def get_description():
    return "Blocks that leave lanes of their last warp without work."


def get_section_identifier():
    return "LaunchStats"


def apply(handle):
    action, advice = see(handle)
    block = number(action, BLOCK)
    if not block or block % WARP == 0:
        return
    idle = -block % WARP
    advice.say(
        "Partial warps", "A block has %s; warps have %d, so %s of its last warp %s nothing. Use a multiple of %d, "
        "%d for example."
        % (counted(block, "thread"), WARP, counted(idle, "lane"), "does" if idle == 1 else "do", WARP, block + idle),
        BLOCK, "no multiple of %d" % WARP,
        100.0 * idle / (block + idle), whole=False)
