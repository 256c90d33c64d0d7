"""Advice of a whole run: messages of one cause are said once, and what is too little of the run not at all.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
LEAST = 1.0         # percent of the run
NAMED, ROWS = 3, 20


def percent(value):
    return "%.3g %%" % min(value, 100.0)


def counted(n, what):
    return "%d %s%s" % (n, what, "" if n == 1 else "s")


def _others(kept, others):
    """'3 other kernels (a, b, c)', 'another size of it'"""
    names = list(dict.fromkeys(m["kernel"] for m in others if m["kernel"] != kept["kernel"]))
    if not names:
        return "another size of it" if len(others) == 1 else "%d other sizes of it" % len(others)
    shown = ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
    return ("another kernel (%s)" if len(names) == 1 else str(len(names)) + " other kernels (%s)") % shown


def _sentence(kept, others, total, gain):
    if others:
        return " So it is with %s: %s of the run%s." % (
            _others(kept, others), percent(total), " in all, at most" if gain else " for all their launches")
    return " At most %s of the run." % percent(total) if gain else " Its launches take %s of the run." % percent(total)


def _table(members):
    rows = [[m["kernel"], m["size"], m["launches"], round(m["message"]["gather"]["share"], 2)] for m in members[:ROWS]]
    return {"header": ["kernel", "size", "launches", "% of the run"], "rows": rows,
            "config": {"title": "Where" + (", the first %d of %d" % (ROWS, len(members)) if len(members) > ROWS else ""),
                       "description": "", "columns": {}}}


def _largest_process(members):
    """The share of the process that has the most of it: each has a run of its own."""
    sums = {}
    for m in members:
        sums[m["process"]] = sums.get(m["process"], 0.0) + m["message"]["gather"]["share"]
    return max(sums.values())


def _drop(member, with_marks):
    answer = member["answer"]
    answer["messages"].remove(member["message"])
    if with_marks and not answer["messages"]:
        answer["markers"] = []
    for i, message in enumerate(answer["messages"]):
        message["id"] = i + 1


def gather(results, facts, least=LEAST):
    """Changes the answers of one rule in place. results: [(place, answer)]; facts(place): {kernel, size, launches, process}."""
    causes = {}
    for place, answer in results:
        for message in answer["messages"]:
            if "gather" in message:
                causes.setdefault(message["gather"]["cause"], []).append(dict(facts(place), answer=answer, message=message))
    for members in causes.values():
        members.sort(key=lambda m: -m["message"]["gather"]["share"])
        total, kept, others = _largest_process(members), members[0], members[1:]
        silent = total < least
        for member in members if silent else others:
            _drop(member, silent)
        if silent:
            continue
        message, gain = kept["message"], kept["message"]["gather"]["gain"]
        message["text"] += _sentence(kept, others, total, gain)
        if gain:
            message["speedup"] = {"type": 1, "value": min(total, 99.9)}
        if others:
            message["tables"].append(_table(members))
