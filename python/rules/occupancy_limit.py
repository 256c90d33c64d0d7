"""What keeps more warps from a multiprocessor.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import bytes_text, counted, is_busy, need, number, see

WAVES = "launch__waves_per_multiprocessor"
OCCUPANCY = "sm__maximum_warps_per_active_cycle_pct"
LIMITS = {name: "launch__occupancy_limit_" + name for name in ("registers", "shared_mem", "blocks", "warps", "barriers")}
ENOUGH = 50.0        # percent: above, more warps seldom help

evaluate = need(OCCUPANCY, LIMITS["registers"])


def get_identifier():
    return "OccupancyLimit"


def get_name():
    return "Theoretical occupancy"


def get_description():
    return "Launches of which a multiprocessor can hold few warps, with what limits them."


def get_section_identifier():
    return "Occupancy"


def advice_for(limit, action, fits):
    if limit == "registers":
        used = number(action, "launch__registers_per_thread_allocated", "launch__registers_per_thread")
        goal = used * fits // (fits + 1) // 8 * 8 if used else 0
        return "A thread takes %d registers%s. __launch_bounds__ or -maxrregcount make the compiler use fewer; so do a loop " \
            "that is unrolled less and values that are computed again." % (
                used or 0, ", one block more fits with %d" % goal if goal >= 16 else "")
    if limit == "shared_mem":
        used = number(action, "launch__shared_mem_per_block_allocated")
        return "A block takes %s of shared memory. Use smaller tiles, smaller types, or more threads on the same tile." % (
            bytes_text(used) if used else "too much")
    if limit == "barriers":
        return "Its barriers are used up: use fewer named barriers in a block."
    threads = number(action, "launch__block_size")
    return "Blocks are small%s, and their number is limited: use larger blocks." % (" (%d threads)" % threads if threads else "")


def apply(handle):
    action, advice = see(handle)
    occupancy = number(action, OCCUPANCY)
    limits = {limit: number(action, metric) for limit, metric in LIMITS.items()}
    known = {limit: blocks for limit, blocks in limits.items() if blocks is not None}
    fits_at_once = number(action, WAVES) is not None and number(action, WAVES) <= 1     # room for more blocks would stay empty
    if occupancy is None or occupancy >= ENOUGH or not known or fits_at_once or is_busy(action):
        return
    limit = min(known, key=known.get)
    least = known[limit]
    if limit == "warps":        # as many warps as fit are there, or a block more does not fit in
        limit = "blocks"
    advice.say(
        "Low occupancy", "A multiprocessor holds %.0f %% of the warps that it could, limited by %s (%s). %s"
        % (occupancy, {"shared_mem": "shared memory", "blocks": "the number of blocks"}.get(limit, limit),
           counted(least, "block fits", "blocks fit"), advice_for(limit, action, least)),
        OCCUPANCY, "< %g" % ENOUGH, 100.0 - occupancy, whole=False)
