"""Schedulers that issue nothing in most cycles.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from gputap_advice import is_busy, need, number, see

ISSUE, ELIGIBLE, ACTIVE = (
    "smsp__issue_active.avg.per_cycle_active", "smsp__warps_eligible.avg.per_cycle_active", "smsp__warps_active.avg.per_cycle_active")
LEAST = 0.6

evaluate = need(ISSUE)


def get_identifier():
    return "IssueSlots"


def get_name():
    return "Issue slots"


def get_description():
    return "Schedulers that find no warp to issue from in many cycles."


def get_section_identifier():
    return "SchedulerStats"


def apply(handle):
    action, advice = see(handle)
    issue = number(action, ISSUE)
    if issue >= LEAST or is_busy(action):       # a kernel that memory or a wide pipe keeps busy issues little, and nothing is lost
        return
    more = "" if number(action, ACTIVE) is None or number(action, ELIGIBLE) is None else \
        " Of %.1f active warps %.2f were eligible in a cycle." % (number(action, ACTIVE), number(action, ELIGIBLE))
    advice.say(
        "Issue slots", "A scheduler issued an instruction in %.0f %% of its cycles.%s The states of warps say what they waited for; "
        "more warps help where few are active." % (100 * issue, more), ISSUE, "< %g" % LEAST, 100.0 * (1 - issue), whole=False)
