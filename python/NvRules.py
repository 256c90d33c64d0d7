"""What rule files import: the classes of ncu_report and functions that take the handle a rule is given.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from ncu_report import *      # noqa: F401,F403  a rule's NvRules.IMetric is a report's
from ncu_report import __all__ as _classes
from gputap_report.model import IContext, IEvaluator

__all__ = _classes + ["get_context", "get_evaluator", "get_version", "metric_instances", "raise_exception",
                      "require_metrics", "require_rules"]


def get_context(h):
    """The IContext of the handle that apply() was given: one range with one action."""
    if not isinstance(h, IContext):
        raise TypeError("get_context wants the handle that apply() was given")
    return h


def get_evaluator(h):
    """The IEvaluator of the handle that evaluate() was given."""
    if not isinstance(h, IEvaluator):
        raise TypeError("get_evaluator wants the handle that evaluate() was given")
    return h


def get_version(h):
    """The version of the interface as a text."""
    return h.get_version()


def raise_exception(h, message):
    """Ends the rule with an error message."""
    raise RuntimeError(message)


def require_metrics(h, metrics):
    """Asks for a list of metrics to be collected before the rule is applied."""
    for name in metrics:
        get_evaluator(h).require_metric(name)


def require_rules(h, rules):
    """Asks for a list of other rules, by identifier; only these can be proposed."""
    for rule_id in rules:
        get_evaluator(h).require_rule(rule_id)


def metric_instances(metric):
    """The values of all instances of a metric, as a list of float."""
    return [metric.as_double(i) for i in range(metric.num_instances())]
