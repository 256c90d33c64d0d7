"""What rules said, for people.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import sys
import textwrap

WORDS = {0: "", 1: "OK", 2: "Optimization", 3: "Warning", 4: "Error"}
SPEEDUPS = ("local", "global")


def harmless(text):
    """Texts of reports and rules may hold anything; a terminal obeys some of it."""
    return "".join(c if c.isprintable() or c == "\n" else "\\x%02x" % ord(c) for c in str(text))


def one_line(text):
    return harmless(text).replace("\n", "\\n")


def plain(text):
    """A text with its links as words: @url:TEXT:TARGET@ and the like."""
    text = re.sub(r"@url:([^:@]*):([^@]*)@", r"\1 (\2)", text)
    text = re.sub(r"@sass:([^:@]*):([^@]*)@", r"\2", text)
    text = re.sub(r"@source:([^:@]*):(\d+):([^@]*)@", r"\3 (\1:\2)", text)
    return re.sub(r"@section:([^:@]*):([^@]*)@", r"\2 (section \1)", text)


WORD_MOST = 1000              # characters; textwrap takes the square of the time for a word


def _wrapped(text, indent):
    width = 100 - len(indent)
    text = re.sub(r"\S{%d,}" % WORD_MOST, lambda m: " ".join(m.group()[i:i + width] for i in range(0, len(m.group()), width)), text)
    return "\n".join(textwrap.fill(line, 100, initial_indent=indent, subsequent_indent=indent) for line in text.splitlines())


def _table(table):
    rows = [[str(v) for v in table["header"]]] + [
        ["" if v is None else "%.2f" % v if isinstance(v, float) else str(v) for v in row] for row in table["rows"]]
    width = [max(len(row[c]) for row in rows) for c in range(len(table["header"]))]
    return ["      " + "  ".join(cell.ljust(width[c]) for c, cell in enumerate(row)).rstrip() for row in rows]


def _number(value):
    return "{:,.0f}".format(value) if 1e6 <= abs(value) < 1e15 else "%g" % value


def _message(message):
    head = ": ".join(t for t in (WORDS[message["type"]], message["name"]) if t)
    if message["speedup"] and message.get("gather"):
        head += " (at most %.1f %% of the run)" % message["speedup"]["value"]
    elif message["speedup"]:
        head += " (estimated %s speedup %.1f %%)" % (SPEEDUPS[message["speedup"]["type"]], message["speedup"]["value"])
    out = ["    " + head] if head else []
    out.append(_wrapped(plain(message["text"]), "      " if head else "    "))
    out += ["      %s = %s %s" % (f["metric"], _number(f["value"]), f["info"]) for f in message["focus"]]
    for table in message["tables"]:
        out += ([table["config"]["title"] and "      " + table["config"]["title"]] if table["config"]["title"] else []) + _table(table)
    return out


def _result(what):
    if not (what["messages"] or what["proposals"] or what["markers"]):
        return []
    out = ["%s: %s" % (what["kernel"], what["name"])]
    for message in what["messages"]:
        out += _message(message)
    out += ["    see also the rule %s" % p for p in what["proposals"]]
    out += ["    %s: %s" % ("%s:%d" % (m["file"], m["at"]) if m["kind"] else "%#x" % m["at"], plain(m["text"])) for m in what["markers"]]
    return out


def put_text(kind, what):
    """One line of the protocol as lines for people."""
    if kind == "result":
        lines = _result(what)
    elif kind == "rule":
        lines = ["%s  %s%s" % (what["identifier"], what["name"], " [%s]" % what["section"] if what["section"] else "")]
    elif kind == "require":
        lines = [what["rule"]] + ["    metric %s" % m for m in what["metrics"]] + ["    rule %s" % r for r in what["rules"]]
    elif kind == "failed":
        lines = ["%s: failed: %s" % (what.get("rule") or what.get("file"), what["why"])]
    elif kind == "wrote":
        lines = ["%s: %d result%s of rules" % (what["file"], what["results"], "" if what["results"] == 1 else "s")]
    else:
        lines = []
    for line in lines:
        sys.stdout.write(harmless(line) + "\n")
    sys.stdout.flush()


class Failures:
    """Tells what failed, each rule once, on standard error."""

    def __init__(self):
        self._told = set()

    def put(self, kind, what):
        subject = what.get("rule") or what.get("file")
        if kind == "failed" and subject not in self._told:
            self._told.add(subject)
            sys.stderr.write("gputap: rule %s%s: %s\n" % (
                one_line(subject), " at " + one_line(what["kernel"]) if what.get("kernel") else "", one_line(what["why"])))
