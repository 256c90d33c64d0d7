"""The instructions whose access to global memory moves the most sectors in vain.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import NvRules
from gputap_advice import need, see

REAL, IDEAL = "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"
LEAST = 0.05        # of all sectors
SHOWN = 5

evaluate = need(REAL, IDEAL)


def get_identifier():
    return "UncoalescedLines"


def get_name():
    return "Uncoalesced instructions"


def get_description():
    return "Marks the instructions that read or write more sectors than their threads need."


def get_section_identifier():
    return "SourceCounters"


def by_address(metric):
    ids = metric.correlation_ids()
    return {ids.as_uint64(i): metric.as_double(i) for i in range(metric.num_instances())} if ids else {}


def apply(handle):
    action, advice = see(handle)
    real, ideal = by_address(action[REAL]), by_address(action[IDEAL])
    total = sum(real.values())
    vain = {a: n - ideal.get(a, n) for a, n in real.items() if n > ideal.get(a, n)}
    if not total or sum(vain.values()) < LEAST * total:
        return
    share = 100.0 * sum(vain.values()) / total
    message = advice.say(
        "Uncoalesced", "%.0f of %.0f sectors (%.0f %%) were moved in vain: the threads of a warp touched addresses that are far "
        "apart. The instructions below did most of it." % (sum(vain.values()), total, share), speedup=share, whole=False, cause="Uncoalesced in " + action.name())
    if message is None:
        return
    worst = sorted(vain, key=vain.get, reverse=True)[:SHOWN]
    rows = []
    for address in worst:
        place = action.source_info(address)
        rows.append(["%s:%d" % (place.file_name(), place.line()) if place else "%#x" % address, vain[address]])
        text = "%.0f sectors in vain" % vain[address]
        if place:
            advice.frontend.source_marker(text, place.line(), NvRules.IFrontend.MarkerKind_SOURCE, place.file_name(),
                                          NvRules.IFrontend.MsgType_MSG_OPTIMIZATION)
        advice.frontend.source_marker(text, address, NvRules.IFrontend.MarkerKind_SASS,
                                      NvRules.IFrontend.MsgType_MSG_OPTIMIZATION)
    advice.frontend.generate_table(message, ["place", "sectors in vain"], rows, {"title": "Where"})
