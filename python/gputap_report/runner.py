"""Finds rule files, orders them, applies them to the actions of a report.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import base64
import os

from . import answers, causes, file, isolate, model, ordinary, rulefile, wire
from .frontend import MarkerKind, MsgType

# The file numbers messages and speedups differently than the interface does.
FILE_TYPES = {MsgType.NONE: 0, MsgType.OK: 1, MsgType.OPTIMIZATION: 4, MsgType.WARNING: 2, MsgType.ERROR: 3}
# Readers of before 2023 know no optimization, and refuse a report whose message has no type that they know: for them it is
# a warning.
OPTIMIZATION = (FILE_TYPES[MsgType.WARNING], FILE_TYPES[MsgType.OPTIMIZATION])
# Nsight Compute keeps its module beside its rules; here these names are gputap's.
OURS = {"NvRules.py", "ncu_report.py"}
CHART_FIELDS = {2: "metric_table", 3: "bar_chart", 4: "histogram", 5: "line_chart", 7: "roofline", 9: "source_table",
                11: "suffix_table"}
MOST_BYTES = 4 << 20          # of a rule file


class Rule:
    """A rule file that can be used: identifier, name, description, section (or None), parents, path."""

    def __init__(self, path, facts):
        self.path = path
        self.identifier, self.name, self.description = facts["identifier"], facts["name"], facts["description"]
        self.section, self.parents = facts["section"], facts["parents"]


class Rules:
    """``rules``: parents before their children; ``failed``: [(path, line that says why)]."""

    def __init__(self):
        self.rules, self.failed = [], []

    def by_id(self, identifier):
        return next((r for r in self.rules if r.identifier == identifier), None)


def rule_files(folder, recursive=False):
    """The *.py of a folder, by name; OSError when it cannot be read."""
    out = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            if recursive and not os.path.islink(path) and name != "__pycache__":
                out += rule_files(path, True)
        elif name.endswith(".py") and name not in OURS:
            out.append(path)
    return out


def find(folders, seconds=isolate.SECONDS):
    """The Rules of [(folder, recursive)] or [(folder, recursive, own)], own: looked at although nobody named it.

    Of two with one identifier the first holds.
    """
    found = Rules()
    for folder, recursive, *own in folders:
        try:
            paths = rule_files(folder, recursive)
        except OSError as e:
            found.failed.append((folder, e.strerror))
            continue
        for path in paths:
            try:
                why = ordinary.why_not(path, MOST_BYTES, any(own))
            except OSError as e:
                why = e.strerror
            if why:
                found.failed.append((path, why))
            else:
                _take(found, path, seconds)
    _order(found)
    return found


def _in_file(path, why):
    """A failure that names the file itself names its line alone."""
    begins = os.path.abspath(path) + ":"
    return "line " + why[len(begins):] if why.startswith(begins) else why


def _take(found, path, seconds):
    outcome = isolate.run(lambda emit: rulefile.describe(path, emit), seconds)
    facts = outcome.answers[0] if outcome.answers else {}
    failure = outcome.failure or (answers.description(facts) if facts else "it gave no answer")
    if failure:
        found.failed.append((path, _in_file(path, failure)))
    elif "rule" in facts:
        rule = Rule(path, facts["rule"])
        other = found.by_id(rule.identifier)
        if other:
            found.failed.append((path, "%s is the rule of %s already" % (rule.identifier, other.path)))
        else:
            found.rules.append(rule)


def _order(found):
    """Parents first, else as they were found. Rules that are their own ancestors cannot be ordered: they fail."""
    done, path, ordered = set(), [], []
    by_id = {r.identifier: r for r in found.rules}

    def visit(rule):
        if rule.identifier in path:
            return path[path.index(rule.identifier):]
        if rule.identifier in done:
            return None
        path.append(rule.identifier)
        circle = next((c for c in [visit(by_id[p]) for p in rule.parents if p in by_id] if c), None)
        path.pop()
        done.add(rule.identifier)
        if circle and rule.identifier in circle:
            found.failed.append((rule.path, "%s is its own parent: %s" % (rule.identifier, " -> ".join(circle))))
        else:
            ordered.append(rule)
        return circle

    for rule in found.rules:
        visit(rule)
    found.rules = ordered


def requirements(rule, seconds=isolate.SECONDS):
    """({"metrics": [...], "rules": [...]} or None, failure or None)"""
    outcome = isolate.run(lambda emit: rulefile.require(rule.path, emit), seconds)
    needs = outcome.answers[0] if outcome.answers else None
    failure = outcome.failure or (answers.requirements(needs) if needs is not None else None)
    return (None if failure else needs), failure


class Application:
    """The state of one run over the actions of a report."""

    def __init__(self, report, rules, seconds=isolate.SECONDS, least=causes.LEAST):
        self.rules, self.seconds, self.least = rules, seconds, least
        actions = model.actions_of(report)
        self.actions = [(place, action) for place, _, action in actions]
        self._pids = {place: key[0] for place, key, _ in actions}
        self._by_place = dict(self.actions)
        self.shared = {place: {"sent": {}, "vault": {}} for place, _ in self.actions}
        self.ids = [r.identifier for r in rules.rules]

    def _work(self, rule):
        """(what the rule is applied to, whether a section kept it from some)"""
        work = [(place, action, self.shared[place]) for place, action in self.actions
                if rule.section is None or rule.section in action.sections()]
        return work, len(work) < len(self.actions)

    def _keep(self, rule, place, answer):
        shared = self.shared[place]
        if "messages" in answer:
            if answer["sent"]:
                shared["sent"][rule.identifier] = answer["sent"]
            shared["vault"] = answer["vault"]
            rulefile.add_again(self._by_place[place], answer["metrics"])

    def _facts(self, place):
        """What causes.gather wants to know of an action."""
        action = self._by_place[place]
        shape = (action.trace().shape() if action.trace() else None) or {}
        grid, block = (action._message.get(field) or {} for field in ("grid", "block"))
        size = " x ".join("(%s)" % ", ".join(str(d.get(axis, 0)) for axis in "xyz") for d in (grid, block)) if any(block.values()) else \
            "not told"
        return {"kernel": action.name(), "size": size, "launches": shape.get("launches", 1), "process": self._pids[place]}

    def apply(self, rule, take):
        """Applies a rule to every action that it fits; calls take(kind, place or None, what) for each answer.

        kinds: "result" (a dictionary), "skipped" and "failed" (a line), "printed" (what the rule printed).
        """
        work, kept = self._work(rule)
        if not work:
            if kept:
                take("skipped", None, "its section %s was not collected" % rule.section)
            return
        outcome = isolate.run(
            lambda emit: rulefile.apply(rule.path, rule.identifier, work, self.ids, emit), self.seconds)
        taken, results = 0, []
        for answer in outcome.answers:
            wrong = answers.result(answer, work[taken][0], CHART_FIELDS) if taken < len(work) else \
                "it wrote into the pipe of its answers: more than it was asked for"
            if wrong:
                outcome.failure = wrong
                break
            taken += 1
            place = answer.pop("action")
            self._keep(rule, place, answer)
            for kind in ("skipped", "failed"):
                if kind in answer:
                    take(kind, place, answer[kind])
            if "messages" in answer:
                results.append((place, answer))
        causes.gather(results, self._facts, self.least)
        for place, answer in results:
            take("result", place, answer)
        if outcome.failure:
            at = work[taken][0] if taken < len(work) else None
            take("failed", at, outcome.failure)
        if outcome.output:
            take("printed", None, outcome.output)


def wanted(rules, identifiers):
    """(rules to apply in order, those whose results are asked for): chosen ones need their parents."""
    if not identifiers:
        return list(rules.rules), set(rules.by_id(r.identifier).identifier for r in rules.rules)
    needed, todo = set(), list(identifiers)
    while todo:
        rule = rules.by_id(todo.pop())
        if rule and rule.identifier not in needed:
            needed.add(rule.identifier)
            todo += rule.parents
    return [r for r in rules.rules if r.identifier in needed], set(identifiers)


# ---------------------------------------------------------------- results as the file has them

def _cell(value):
    if isinstance(value, bool):
        return {"u64": int(value)}
    if isinstance(value, int):
        return {"u64": value} if 0 <= value < 1 << 64 else {"f64": float(value)}
    return {"f64": value} if isinstance(value, float) else {"text": "" if value is None else value}


def _table(table):
    config = table["config"]
    columns = {int(k): v for k, v in config["columns"].items()}
    out = {"title": config["title"], "description": config["description"],
           "columns": [{"name": name, "tooltip": columns.get(i, {}).get("tooltip", ""),
                        "width": columns.get(i, {}).get("width", 0.0)} for i, name in enumerate(table["header"])],
           "rows": [{"cells": [_cell(v) for v in row]} for row in table["rows"]]}
    if "sort_by" in config:
        out.update(sort_column=config["sort_by"]["column"], sort_descending=config["sort_by"]["descending"])
    return out


def _message_items(message):
    focus = [dict(f, message=message["id"]) for f in message["focus"]]
    kind = OPTIMIZATION if message["type"] == MsgType.OPTIMIZATION else FILE_TYPES[message["type"]]
    item = {"message": {"text": message["text"], "type": kind, "id": message["id"]}, "focus": focus}
    if message["name"]:
        item["message"]["name"] = message["name"]
    if message["speedup"]:
        item["speedup"] = {"type": message["speedup"]["type"] + 1, "value": message["speedup"]["value"]}
    tables = [_table(t) for t in message["tables"]]
    if tables:
        item["table"] = tables[0]
    return [item] + [{"table": t, "focus": []} for t in tables[1:]]


def _marker(marker):
    out = {"kind": min(marker["kind"], MarkerKind.SOURCE), "text": marker["text"], "type": FILE_TYPES[marker["type"]],
           "file": marker["file"]}
    out["address" if marker["kind"] == MarkerKind.SASS else "line"] = marker["at"]
    return out


def result_message(rule, answer):
    """What a rule said, as a RuleResult of the file."""
    items = [item for message in answer["messages"] for item in _message_items(message)]
    items += [{CHART_FIELDS[field]: wire.View(base64.b64decode(body)), "focus": []} for field, body in answer["charts"]]
    items += [{"proposal": {"rule": other}, "focus": []} for other in answer["proposals"]]
    out = {"identifier": rule.identifier, "name": rule.name, "body": {"items": items},
           "markers": [_marker(m) for m in answer["markers"]]}
    if rule.section:
        out["section"] = rule.section
    return out


def write(report, results, path, replace=False):
    """Writes the report with {place: [RuleResult]} in it to a path; FileExistsError unless it may be replaced."""
    data = file.with_rules(report, results)
    if not replace and os.path.lexists(path):
        raise FileExistsError(17, "the file exists", path)
    beside = "%s.%d.part" % (path, os.getpid())
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as f:
            f.write(data)
        os.replace(beside, path)
    except BaseException as e:
        try:
            os.unlink(beside)
        except OSError:
            pass
        if isinstance(e, OSError) and e.filename == beside:
            e.filename = path            # the name that the user gave
        raise
