"""Template of a rule that uses most of what there is.

It belongs to a section, names what it needs, weighs what it found, says what could be won, shows a table, marks source
lines, leaves numbers for the rules below it and points to another rule.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import NvRules

BLOCK = "launch__block_size"
INSTRUCTIONS = "inst_executed"
WARP = 32


def get_identifier():
    return "TemplateAdvanced"


def get_name():
    return "Advanced template"


def get_description():
    return "Shows how a rule requires metrics, estimates a speedup, draws tables and marks sources."


def get_section_identifier():
    return "LaunchStats"                 # applied where this section was collected; leave it out for an independent rule


def get_parent_rules_identifiers():
    return ["TemplateBasic"]             # applied before this one; may send a dictionary


def evaluate(handle):
    NvRules.require_metrics(handle, [BLOCK])               # without these it is not applied
    NvRules.require_rules(handle, ["TemplateBasic"])       # only such rules can be proposed


def apply(handle):
    context = NvRules.get_context(handle)
    action = context.range_by_idx(0).action_by_idx(0)
    frontend = context.frontend()
    threads = action[BLOCK].as_uint64()
    idle = -threads % WARP

    if not idle:
        frontend.message(NvRules.IFrontend.MsgType_MSG_OK, "Blocks are whole warps.")
        return
    share = 100.0 * idle / (threads + idle)
    message = frontend.message(
        NvRules.IFrontend.MsgType_MSG_OPTIMIZATION,
        "A block has %d threads: %d lanes of its last warp do nothing. See @section:LaunchStats:the launch@." % (threads, idle),
        "Partial warps")
    frontend.speedup(message, NvRules.IFrontend.SpeedupType_LOCAL, share)
    frontend.focus_metric(message, BLOCK, threads, NvRules.IFrontend.Severity_SEVERITY_HIGH, "not a multiple of %d" % WARP)
    frontend.generate_table(message, ["lanes", "threads"], [["used", threads], ["idle", idle]], {
        "title": "Lanes of a block", "sort_by": {"column": "threads", "order": "descending"},
        "per_column_configs": {"threads": {"tooltip": "threads of a block", "relative_width": 0.5}}})
    frontend.send_dict_to_children({"idle_lanes": idle})

    instructions = action.metric_by_name(INSTRUCTIONS)     # of the Source page; not required, so it may be missing
    if instructions is not None and instructions.has_correlation_ids():
        counts = NvRules.metric_instances(instructions)
        hottest = counts.index(max(counts))
        address = instructions.correlation_ids().as_uint64(hottest)
        frontend.source_marker("executed most often", address, NvRules.IFrontend.MarkerKind_SASS)
    context.controller().propose_rule("TemplateBasic")
