"""Template of a small rule: copy it, give it an identifier of its own, and say something.

It looks at how many blocks (or work-groups) a launch has, and says so.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import NvRules


def get_identifier():
    return "TemplateBasic"


def apply(handle):
    context = NvRules.get_context(handle)
    action = context.range_by_idx(0).action_by_idx(0)      # a rule sees one launch
    for name in ("launch__grid_size", "opencl__work_groups"):
        metric = action.metric_by_name(name)
        if metric is not None and metric.has_value():
            context.frontend().message("%s was launched with %d groups of threads" % (action.name(), metric.as_uint64()))
