"""The few instructions at which warps spend most of their time.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import NvRules
from gputap_advice import need, see

SAMPLES = "smsp__pcsamp_sample_count"
SHARE, SHOWN = 20.0, 5
TIMES = 3           # as much as an instruction would have were all alike: a short loop has no spots
ENOUGH = 50         # samples: of fewer each is a large share

evaluate = need(SAMPLES)


def get_identifier():
    return "HotSpots"


def get_name():
    return "Hot spots"


def get_description():
    return "Marks instructions that hold a large share of all samples."


def get_section_identifier():
    return "SourceCounters"


def apply(handle):
    action, advice = see(handle)
    metric = action[SAMPLES]
    ids = metric.correlation_ids()
    samples = {ids.as_uint64(i): metric.as_double(i) for i in range(metric.num_instances())} if ids else {}
    total = sum(samples.values())
    if total < ENOUGH:
        return
    least = max(SHARE, TIMES * 100.0 / len(samples))
    hot = [a for a in sorted(samples, key=samples.get, reverse=True)[:SHOWN] if 100.0 * samples[a] / total >= least]
    if not hot:
        return
    message = advice.warn(
        "Hot spots", "%d of %d instructions %s %.0f %% of all samples." % (
            len(hot), len(samples), "holds" if len(hot) == 1 else "hold", 100.0 * sum(samples[a] for a in hot) / total),
        cause="Hot spots of " + action.name())
    if message is None:
        return
    rows = []
    for address in hot:
        place = action.source_info(address)
        rows.append(["%s:%d" % (place.file_name(), place.line()) if place else "%#x" % address, action.sass_by_pc(address),
                     samples[address]])
        advice.frontend.source_marker("%.0f %% of all samples" % (100.0 * samples[address] / total), address,
                                      NvRules.IFrontend.MarkerKind_SASS, NvRules.IFrontend.MsgType_MSG_WARNING)
    advice.frontend.generate_table(message, ["place", "instruction", "samples"], rows, {"title": "Where"})
