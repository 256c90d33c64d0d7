"""What warps wait for most.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import is_busy, number, see

METRIC = "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"
LATENCY = "smsp__average_warp_latency_per_inst_issued.ratio"
SHARE = 30.0        # percent
REASONS = {
    "barrier": "other warps of the block at a barrier: let all warps do equally much before it, or use smaller blocks",
    "branch_resolving": "the target of a branch: use fewer branches and jumps",
    "drain": "writes to be done before the kernel ends: write in whole sectors",
    "imc_miss": "constants that are not in the cache: use fewer of them, or the same ones in all threads",
    "lg_throttle": "room in the queue for global and local memory: use fewer, wider accesses",
    "long_scoreboard": "data from global or local memory: reuse what was read, read earlier, use shared memory",
    "math_pipe_throttle": "a pipe that computes: mix in instructions of other pipes",
    "membar": "a memory fence: use fewer of them, or of a smaller scope",
    "mio_throttle": "room in the queue for shared memory and special functions: use wider accesses, fewer special functions",
    "no_instruction": "instructions to be fetched: use less code, fewer jumps far away",
    "short_scoreboard": "data from shared memory or special functions: avoid bank conflicts",
    "sleeping": "the end of a sleep: sleep less",
    "tex_throttle": "room in the texture queue: use fewer texture reads",
    "wait": "a fixed latency of the instruction before: more warps or independent instructions hide it",
}


def get_identifier():
    return "WarpStalls"


def get_name():
    return "What warps wait for"


def get_description():
    return "Names the reason for which warps could not issue, where it is a large share of all."


def get_section_identifier():
    return "WarpStateStats"


def apply(handle):
    action, advice = see(handle)
    cycles = {r: number(action, METRIC % r) for r in REASONS}
    cycles = {r: c for r, c in cycles.items() if c}
    latency = number(action, LATENCY) or sum(cycles.values())
    if not cycles or not latency:
        return
    reason = max(cycles, key=cycles.get)
    share = 100.0 * cycles[reason] / latency
    if not SHARE <= share <= 100 or is_busy(action):      # more than all of the time is no time of these warps
        return
    message = advice.say(
        "Stalls", "Of the %.1f cycles between two instructions of a warp, %.1f (%.0f %%) were spent waiting for %s."
        % (latency, cycles[reason], share, REASONS[reason]), METRIC % reason, "%.0f %% of the cycles" % share, share, whole=False,
        cause="Stalls: " + reason)
    if message is not None:
        advice.frontend.generate_table(
            message, ["reason", "cycles"], [[r, cycles[r]] for r in sorted(cycles, key=cycles.get, reverse=True)])
