"""The source page: lines of the source, of PTX and of SASS with the metrics of each instruction beside them.

Which metrics, and in which order, is what the section files say (their groups `Metrics` and `SourceMetrics`).

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import os
import re
import textwrap

from . import model, ordinary
from .speak import harmless, plain

MOST_BYTES = 16 << 20        # of a source file that is read from disk
GAP = 8                      # lines without instructions that are still shown
MARKS = {0: "INF", 1: "OK", 2: "WRN", 3: "ERR", 4: "OPT"}
VIEWS = ("source", "ptx", "sass")
NOT_COLLECTED = "no metric of single instructions was collected"


class Column:
    """A metric by instruction: ``values`` {address: number}; ``how`` the values of several instructions become one."""

    def __init__(self, label, metric, action, definition):
        self.label, self.name = label, metric.name()
        ids = metric.correlation_ids()
        self.values = {}
        for i in range(metric.num_instances()):
            address, value = ids.value(i), metric.value(i)
            if isinstance(address, int) and isinstance(value, (int, float)):
                self.values[address] = self.values.get(address, 0) + value
        self._sides = None
        if definition:
            self._sides = [_side(word, action) for word in (definition.group(1), definition.group(3))]
            self._operator = definition.group(2)
        self._mean = bool(re.search(r"(\.(pct|ratio|avg|max|min)|_pct)\b", self.name))

    def of(self, addresses):
        """The value of several instructions; None without any."""
        values = [self.values[a] for a in addresses if a in self.values]
        if not values:
            return None
        if len(values) == 1:
            return values[0]
        if self._sides and None not in self._sides and self._operator in "*/":
            left, right = (side if isinstance(side, (int, float)) else sum(side.get(a, 0) for a in addresses)
                           for side in self._sides)
            return left * right if self._operator == "*" else left / right if right else left
        return sum(values) / len(values) if self._mean else sum(values)


def _side(word, action):
    """An operand of a derived metric: a number, {address: value}, or None."""
    if re.fullmatch(r"\d+(\.\d*)?", word):
        return float(word) if "." in word else int(word)
    metric = action.metric_by_name(word)
    return Column("", metric, action, None).values if metric is not None and metric.has_correlation_ids() else None


def _groups(sections):
    """[(label, names that may be meant)] of all groups in Order; labels that are empty are not shown."""
    groups = []
    for section in sections:
        for field in ("metrics", "source_metrics"):
            if field in section:
                groups.append((section[field].get("order", 0), section[field]["metrics"]))
    groups.sort(key=lambda g: g[0])
    return [(m.get("label", m.get("name", "")), [m.get("name", "")] + [o.get("name", "") for o in m["options"]])
            for _, metrics in groups for m in metrics]


def columns(action, names=()):
    """([Column], [(label, why it is missing)]); names: these metrics, instead of what the sections say."""
    sections = action._message["sections"]
    definitions = {d.get("name"): re.fullmatch(r"\s*(\S+)\s*([-+*/])\s*(\S+)\s*", d.get("expression", ""))
                   for s in sections for d in s.get("definitions", {}).get("definitions", [])}
    have, missing, seen = [], [], set()
    for label, options in [(n, [n]) for n in names] or _groups(sections):
        found = next((m for m in map(action.metric_by_name, options) if m is not None and m.has_correlation_ids()), None)
        if not label or options[0] in seen:
            continue
        seen.add(options[0])
        if found is not None:
            have.append(Column(label, found, action, definitions.get(found.name())))
        else:
            first = next((m for m in map(action.metric_by_name, options) if m is not None), None)
            missing.append((label, first.why() if first is not None else ""))
    return have, missing


class Row:
    """A line of a view: what numbers it, its text, its values (one a column), lines of remarks below it."""

    def __init__(self, number, text, values, marks=(), gap=False):
        self.number, self.text, self.values, self.marks, self.gap = number, text, values, list(marks), gap


class View:
    """kind is one of VIEWS; title a line above the rows; file: of the source."""

    def __init__(self, kind, title, rows, file=""):
        self.kind, self.title, self.rows, self.file = kind, title, rows, file


def _read(path):
    """The lines of a regular file of the disk; None. Its name is a report's, and may be that of anything: nothing else is opened."""
    try:
        return ordinary.read(path, MOST_BYTES).decode("utf-8", "replace").split("\n")
    except (OSError, ValueError):
        return None


def _kernel_lines(lines, name):
    """(first, last) line, from 1, of a kernel's definition in OpenCL C; None when it is not found."""
    text = "\n".join(lines)
    blank = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    head = re.search(r"(?<!\w)(?:__kernel|kernel)\b[^;{]*?\b%s\s*\(" % re.escape(name), blank) if name else None
    if not head:
        return None
    depth, at = 0, head.end()
    while at < len(blank):
        depth += {"{": 1, "}": -1}.get(blank[at], 0)
        if blank[at] == "}" and depth == 0 or blank[at] == ";" and not depth:
            break
        at += 1
    return text.count("\n", 0, head.start()) + 1, text.count("\n", 0, at) + 1


def _log_marks(log):
    """{line: [remark]} of a compiler's messages."""
    out = {}
    for m in re.finditer(r"^\s*(?:[^\n:]*:)*?(\d+):(\d+):? *(error|warning|note|remark): *(.*)$", log, re.M):
        out.setdefault(int(m.group(1)), []).append("%s: %s" % (m.group(3), m.group(4)))
    return out


class Page:
    """What the report knows of one action's source."""

    def __init__(self, action, names=()):
        self.action, self.module = action, action._source()
        self.columns, self.missing = columns(action, names)
        self.addresses = sorted(set().union(*[c.values for c in self.columns], self._own()))
        self._markers = [m for r in action.rule_results() for m in r.get("markers", [])]

    def _own(self):
        """Addresses of the kernel's own instructions."""
        return self.module.instructions(self.action.name(self.action.NameBase_MANGLED)) if self.module else []

    def _values(self, addresses):
        return [c.of(addresses) for c in self.columns]

    def _marks(self, kind, number, file=None):
        key = ("address", "line")[kind]
        return ["%s %s" % (MARKS.get(m.get("type", 0), "INF"), plain(m.get("text", ""))) for m in self._markers
                if m.get("kind", 0) == kind and m.get(key) == number and
                (file is None or os.path.basename(m.get("file", "")) == os.path.basename(file))]

    def views(self, wanted, whole=False):
        """whole: every line of each file, instead of those of the kernel."""
        out = self._source(whole) if "source" in wanted else []
        out += self._ptx(whole) if "ptx" in wanted else []
        return out + (self._sass() if "sass" in wanted else [])

    def _source(self, whole):
        by_file = {}
        for address in self.addresses:
            place = self.module.line_of(address) if self.module else None
            if place:
                by_file.setdefault(place[0], {}).setdefault(place[1], []).append(address)
        files = self.module.files() if self.module else {}
        if by_file:
            order = sorted(by_file, key=lambda f: -sum(map(len, by_file[f].values())))
            return [self._file(name, files.get(name), by_file[name], whole) for name in order]
        return [self._program(name, content, whole) for name, content in files.items()]

    def _file(self, name, content, lines, whole):
        text = content.split("\n") if content else None
        where = ""
        if text is None:
            text = _read(name)
            where = ", as it is on disk now" if text else ", which neither the report nor this machine has"
        rows, last = [], 0
        for number in range(1, len(text) + 1) if whole and text else _near(sorted(lines)):
            gap = bool(rows) and number != last + 1
            shown = text[number - 1].rstrip("\r") if text and number <= len(text) else ""
            rows.append(Row(number, shown, self._values(lines.get(number, [])), self._marks(1, number, name), gap))
            last = number
        return View("source", "%s%s" % (name, where), rows, name)

    def _program(self, name, content, whole):
        """A source without lines by instruction: the kernel, or all of it."""
        lines = content.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        found = _kernel_lines(lines, self.action.name())
        first, last = found if found and not whole else (1, len(lines))
        log = _log_marks(self.module.build_log())
        rows = [Row(n, lines[n - 1].rstrip("\r"), [None] * len(self.columns), log.get(n, []) + self._marks(1, n, name))
                for n in range(first, last + 1)]
        title = "%s, lines %d to %d of %d" % (name, first, last, len(lines))
        options = self.module.build_options()
        return View("source", title + (", built with %s" % options if options else ""), rows, name)

    def _ptx(self, whole):
        text, rows, by_line = self.module.ptx_lines() if self.module else [], [], {}
        for address in self.addresses if text else ():
            line = self.module.ptx_line_of(address)
            if line:
                by_line.setdefault(line, []).append(address)
        last = 0
        for number in range(1, len(text) + 1) if whole or not by_line else _near(sorted(by_line)):
            gap = bool(rows) and number != last + 1
            if number <= len(text):
                rows.append(Row(number, text[number - 1], self._values(by_line.get(number, [])), gap=gap))
            last = number
        return [View("ptx", "%d line%s of PTX" % (len(text), "" if len(text) == 1 else "s"), rows)] if rows else []

    def _sass(self):
        rows, told = [], False
        for address in self.addresses:
            text = self.action.sass_by_pc(address)
            told |= bool(text)
            place = self.module.line_of(address) if self.module else None
            if not text and place:
                text = "(%s:%d)" % (os.path.basename(place[0]), place[1])
            rows.append(Row(address, text, self._values([address]), self._marks(0, address)))
        if not rows:
            return []
        why = ("" if told else "; nvdisasm, which could show them, is not installed or does not know them"
               if self.module and self.module.binary() else "; the report does not hold them")
        return [View("sass", "%d instruction%s%s" % (len(rows), "" if len(rows) == 1 else "s", why), rows)]

    def why_empty(self):
        if self.module is None:
            return "the report does not hold its source: the program was made of a binary, sources were not stored, or it is a CUDA " \
                "kernel whose module was not stored"
        return "neither a source nor instructions of it are in the report"


def _near(numbers):
    """All of the lines, with the short gaps between them."""
    out = []
    for n in numbers:
        if out and n - out[-1] <= GAP:
            out += range(out[-1] + 1, n)
        out.append(n)
    return out


# ---------------------------------------------------------------- printed

def _cell(value):
    if value is None:
        return ""
    return "{:,}".format(value) if isinstance(value, int) else "{:,.2f}".format(value) if abs(value) < 1e15 else "%g" % value


def kernel_name(action, base):
    name = action.name(base)
    return name or action.name() or "unknown_kernel"


def _kernel(action, base):
    m, where = action._message, []
    if action.workload_type() == action.WorkloadType_KERNEL:
        sizes = ["(%s)" % ", ".join(str(m.get(f, {}).get(a, 0)) for a in "xyz") if m.get(f, {}).get("x") else "(?)"
                 for f in ("grid", "block")]
        known = sizes != ["(?)", "(?)"]         # an OpenCL runtime that chose the local size tells neither
        where.append(kernel_name(action, base) + (" " + "x".join(sizes) if known else ""))
    else:
        where.append(kernel_name(action, base))
    if m.get("stream_name") or "stream" in m:
        where.append(m.get("stream_name") or "Stream %d" % m["stream"])
    device = action.metric_by_name("device__attribute_display_name")
    if device is not None and device.as_string():
        where.append(device.as_string())
    return ", ".join(where)


def _times(action):
    """How long the kernel took as a whole."""
    place = action.trace()
    if place is None or place.start_ns() is None or place.end_ns() is None:
        return ""
    line = "    This launch ran for %s ns" % _cell(place.end_ns() - place.start_ns())
    if (place.launches() or 0) > 1 and place.total_ns() is not None:
        line += ", all %s of this kernel for %s ns" % (_cell(place.launches()), _cell(place.total_ns()))
    return line


TITLES = {"source": "Source", "ptx": "PTX", "sass": "SASS"}
NUMBERS = {"source": "Line", "ptx": "Line", "sass": "Address"}


def _heads(labels, widths):
    """The labels as lines, each as wide as its column."""
    lines = [textwrap.wrap(label, max(w, 10)) or [""] for label, w in zip(labels, widths)]
    deep = max(map(len, lines), default=0)
    return [[(column[i - deep + len(column)] if i >= deep - len(column) else "") for column in lines] for i in range(deep)]


def _print_view(view, used, out):
    out.append("    %s: %s" % (TITLES[view.kind], view.title))
    shown = [i for i, _ in enumerate(used) if any(r.values[i] is not None for r in view.rows)]
    widths = [max([min(10, len(used[i].label))] + [max(map(len, textwrap.wrap(used[i].label, 10)), default=1)] +
                  [len(_cell(r.values[i])) for r in view.rows]) for i in shown]
    numbers = [("%#x" if view.kind == "sass" else "%d") % r.number for r in view.rows]
    first = max([len(NUMBERS[view.kind])] + [len(n) for n in numbers])
    heads = _heads([used[i].label for i in shown], widths) or [[]]
    for i, line in enumerate(heads):
        begin = NUMBERS[view.kind] if i == len(heads) - 1 else ""
        out.append("    " + "  ".join([begin.rjust(first)] + [t.rjust(w) for t, w in zip(line, widths)]))
    out.append("    " + "  ".join(["-" * first] + ["-" * w for w in widths] + ["-" * 40]))
    for row, number in zip(view.rows, numbers):
        if row.gap:
            out.append("    " + "...".rjust(first))
        cells = [_cell(row.values[i]).rjust(w) for i, w in zip(shown, widths)]
        out.append(("    " + "  ".join([number.rjust(first)] + cells + [row.text.expandtabs(8)])).rstrip())
        indent = " " * (8 + first + sum(widths) + 2 * len(widths))
        out.extend(indent + mark for mark in row.marks)
    out.append("")


def text(report, options):
    """The page for people. options: base, views, metrics (names)."""
    out = []
    for _, _, action in model.actions_of(report):
        page = Page(action, options.metrics)
        out.append("  " + _kernel(action, options.base))
        took = _times(action)
        out += [took] if took else []
        views = page.views(options.views)
        for view in views:
            _print_view(view, page.columns, out)
        if not views:
            out += ["    " + page.why_empty() if options.views == VIEWS else "    the report has nothing for this view of it", ""]
        elif page.missing:
            reasons = {}
            for label, why in page.missing:
                reasons.setdefault(why or NOT_COLLECTED, []).append(label)
            out += textwrap.wrap("N/A beside these lines: %s" % "; ".join("%s (%s)" % (", ".join(labels), why)
                                 for why, labels in reasons.items()), 110, initial_indent="    ", subsequent_indent="    ") + [""]
    return "".join(harmless(line) + "\n" for line in out)


def rows(report, options):
    """The page as CSV: every line of each file, a column for each metric that any kernel has."""
    pages = [(place, Page(action, options.metrics)) for place, _, action in model.actions_of(report)]
    labels = list(dict.fromkeys(c.label for _, page in pages for c in page.columns))
    sheet = io.StringIO()
    out = csv.writer(sheet, quoting=csv.QUOTE_ALL, lineterminator="\n")
    out.writerow(["ID", "Kernel Name", "View", "File", "#", "Address", "Source"] + labels + ["Remarks"])
    for place, page in pages:
        for view in page.views(options.views, whole=True):
            for i, row in enumerate(view.rows):
                values = dict(zip([c.label for c in page.columns], row.values))
                sass = view.kind == "sass"
                out.writerow([place, harmless(kernel_name(page.action, options.base)), view.kind, harmless(view.file),
                              i if sass else row.number, row.number if sass else "", harmless(row.text.expandtabs(8))] +
                             ["" if values.get(x) is None else repr(values[x]) for x in labels] + [harmless("; ".join(row.marks))])
    return sheet.getvalue()
