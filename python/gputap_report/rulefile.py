"""One rule file: what it has to offer, what it asks for, what it says of an action. All of it runs in a child.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import base64
import importlib.util
import os
import sys

import NvRules

from . import charts, model
from .frontend import IController, IFrontend


class NotARule(Exception):
    """A file without the two functions that every rule has: a module that rules share, say."""


def load(path):
    """The module of a rule file, read anew."""
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)                   # rules import what lies beside them
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    missing = [f for f in ("get_identifier", "apply") if not callable(getattr(module, f, None))]
    if len(missing) == 2:
        raise NotARule()
    if missing:
        raise TypeError("a rule has a function %s(%s)" % (missing[0], "handle" if missing[0] == "apply" else ""))
    return module


def _text(module, function, otherwise):
    value = getattr(module, function)() if hasattr(module, function) else otherwise
    if value is not None and not isinstance(value, str):
        raise TypeError("%s() gives a %s instead of a text" % (function, type(value).__name__))
    return value


def _describe(path):
    module = load(path)
    identifier = _text(module, "get_identifier", None)
    if not identifier or identifier.split() != [identifier]:
        raise ValueError("get_identifier() gives %r; an identifier has no blanks" % (identifier,))
    parents = getattr(module, "get_parent_rules_identifiers", list)()
    return {"identifier": identifier, "name": _text(module, "get_name", identifier) or identifier,
            "description": _text(module, "get_description", "") or "",
            "section": _text(module, "get_section_identifier", None) or None,
            "parents": [str(p) for p in ([parents] if isinstance(parents, str) else parents or [])]}


def describe(path, emit):
    """Emits {"rule": {identifier, name, description, section, parents}}, or {"helper": True} for a file that is no rule."""
    try:
        emit({"rule": _describe(path)})
    except NotARule:
        emit({"helper": True})


def _evaluate(module):
    evaluator = model.IEvaluator()
    if callable(getattr(module, "evaluate", None)):
        module.evaluate(evaluator)
    return evaluator


def require(path, emit):
    """Emits {"metrics": [...], "rules": [...]}: what evaluate() asks for."""
    evaluator = _evaluate(load(path))
    emit({"metrics": list(dict.fromkeys(evaluator.metrics)), "rules": list(dict.fromkeys(evaluator.rules))})


def _missing(action, evaluator, rules):
    """Why the rule cannot be applied to this action, or None."""
    out = []
    for name in dict.fromkeys(evaluator.metrics):
        metric = action.metric_by_name(name)
        if metric is None or not (metric.has_value() or metric.num_instances()):
            out.append(name + (" (%s)" % metric.why() if metric is not None and metric.why() else ""))
    if out:
        return "it needs metrics that the report lacks: " + ", ".join(out)
    lacking = [r for r in dict.fromkeys(evaluator.rules) if r not in rules]
    return "it needs rules that are not there: " + ", ".join(lacking) if lacking else None


def _added(action, before):
    """What the rule added, as JSON can hold it: [name, [kind, value], [[kind, value]...], [[kind, value]...]]"""
    return [[m.name(), m._value, m._instances, m._ids] for m in action.added_metrics() if before.get(m.name()) is not m]


def add_again(action, added):
    """Puts the metrics of _added into an action of another process."""
    for name, value, instances, ids in added:
        metric = action.add_metric(name)
        metric._value, metric._instances = tuple(value), [tuple(v) for v in instances]
        metric._ids.extend(tuple(v) for v in ids)


def _apply_one(module, rule, action, shared, evaluator, rules, path):
    why = _missing(action, evaluator, rules)
    if why:
        return {"skipped": why}
    proposals = []

    def propose(other):
        if other not in evaluator.rules:
            raise ValueError("%s proposes %s, which it does not name by require_rules" % (rule, other))
        proposals.append(other)

    def load_chart(name):
        found = charts.load(os.path.join(os.path.dirname(os.path.abspath(path)), name))
        return [[field, base64.b64encode(body).decode()] for field, body in found]

    before = {m.name(): m for m in action.added_metrics()}
    vault = {k: dict(v) for k, v in shared["vault"].items()}
    frontend = IFrontend({p: d for p, d in shared["sent"].items()}, rule, load_chart)
    context = model.IContext([model.IRange([action])], frontend, IController(vault, propose))
    module.apply(context)
    return {"messages": frontend.messages, "markers": frontend.markers, "charts": frontend.charts, "proposals": proposals,
            "sent": frontend._vault.get(rule, {}), "vault": vault, "metrics": _added(action, before)}


def apply(path, rule, work, rules, emit):
    """Applies a rule to actions; emits {"action": its number, ...} for each, with "error" or "skipped" where it could not.

    work: [(number, IAction, {"sent": {parent: dict}, "vault": {rule: dict}})]
    """
    from .isolate import one_line

    module = load(path)
    evaluator = _evaluate(module)
    for number, action, shared in work:
        try:
            answer = _apply_one(module, rule, action, shared, evaluator, rules, path)
        except Exception as e:
            answer = {"failed": one_line(e)}
        emit(dict(answer, action=number))


assert NvRules       # rules find ours under this name, whatever lies beside them
