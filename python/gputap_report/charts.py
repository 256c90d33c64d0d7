"""Charts and tables from a file in the text form of protocol buffers, as a section's Body has them.

The file holds items (``BarChart { ... }``), or ``Items { ... }`` or ``Body { ... }`` around them. What cannot be used is
a ChartError with line and column.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re

from . import ordinary, wire


class ChartError(ValueError):
    """A chart file that cannot be read."""


def words(*names):
    return {name: value for value, name in enumerate(names)}


# name: (number, kind, repeated); a kind is one of wire.WIRE, a table, or {"enum": words}
def one(number, kind="text"):
    return number, kind, False


def many(number, kind="text"):
    return number, kind, True


MOST_BYTES = 4 << 20
ASCENDING = {"enum": words("Ascending", "Descending")}
BY = {"enum": words("ByLabel", "ByValue")}
UNITS = {"enum": words("Invalid", "Default", "Gpc", "Tpc", "Sm", "Smsp", "Tex", "Lts", "Ltc", "Fbpa")}
ARGB = {"enum": {"ChartColorTypeUnknown": 0, "ChartColorTypeArgb": 1}}
COLOR = {"ColorType": one(1, ARGB), "ColorValue": one(2, "u32")}
METRIC = {"Name": one(1), "Label": one(2), "HWUnit": one(3, UNITS), "ShowInstances": one(4, "bool"), "Unit": one(5),
          "Groups": many(9), "DisableExtraSuffixes": one(10, "bool"), "CtrDomains": many(11)}
METRICS = many(5, METRIC)
VALUE_AXIS = {"Label": one(1), "Range": one(2, {"Min": one(1, "i64"), "Max": one(2, "i64")}), "TickCount": one(3, "i64"),
              "Size": one(4, "i64"), "Precision": one(5, "u32")}
TABLE = {"Label": one(1), "Rows": one(2, "u32"), "Columns": one(3, "u32"),
         "Order": one(4, {"enum": words("RowMajor", "ColumnMajor")}), "Metrics": METRICS, "SortKey": one(6, BY),
         "SortDirection": one(7, ASCENDING), "Description": one(8)}
BAR = {"Label": one(1), "Direction": one(2, {"enum": words("Horizontal", "Vertical")}),
       "CategoryAxis": one(3, {"Label": one(1)}), "ValueAxis": one(4, VALUE_AXIS), "Metrics": METRICS, "SortKey": one(6, BY),
       "SortDirection": one(7, ASCENDING),
       "ValueAxisAlignment": one(8, {"enum": words(*("ValueAxisAlignments_" + w for w in ("Default", "Alternate", "Both")))}),
       "Description": one(9)}
HISTOGRAM = {"Label": one(1), "HistogramAxis": one(2, {"Label": one(1), "BinCount": one(2, "i64")}),
             "ValueAxis": one(3, VALUE_AXIS), "Metric": one(4, METRIC), "Description": one(5)}
LINE = {"Label": one(1), "AxisX": one(2, VALUE_AXIS), "AxisY": one(3, VALUE_AXIS), "Metrics": many(4, METRIC),
        "HighlightX": one(5, {"Metrics": many(1, METRIC)}), "Description": one(6)}
ROOF_AXIS = {"Label": one(1), "Base": one(2, "f64"), "Min": one(3, "f64"), "Max": one(4, "f64")}
ROOF_VALUE = {"Constant": one(1, "f64"), "Metric": one(2, METRIC), "ValueCyclesPerSecondExpression": one(3, {
    "ValuePerCycleMetrics": many(1, METRIC), "CyclesPerSecondMetric": one(2, METRIC)})}
ROOF_LABEL = {"Label": one(1), "Color": one(2, COLOR)}
ROOF_OPTIONS = dict(ROOF_LABEL, ShowRooflineExtensions=one(3, "bool"), ShowRooflinePoints=one(4, "bool"),
                    ShowOnlyIfNotZero=one(5, ROOF_VALUE))
ROOFLINE = {
    "Label": one(1), "AxisIntensity": one(2, ROOF_AXIS), "AxisWork": one(3, ROOF_AXIS),
    "Rooflines": many(4, {"PeakWork": one(1, ROOF_VALUE), "PeakTraffic": one(2, ROOF_VALUE), "Options": one(3, ROOF_OPTIONS)}),
    "AchievedValues": many(5, {"AchievedWork": one(1, ROOF_VALUE), "AchievedTraffic": one(2, ROOF_VALUE),
                               "Options": one(3, ROOF_LABEL)}),
    "Walls": many(6, {"Value": one(1, ROOF_VALUE), "Options": one(2, ROOF_LABEL)}), "Description": one(7),
    "Options": one(8, {"AspectRatio": one(1)})}
SOURCE_TABLE = {"Label": one(1), "Rows": one(2, "u32"), "Metrics": many(3, METRIC), "SortDirection": one(4, ASCENDING),
                "Description": one(5)}
SUFFIX_TABLE = {"Label": one(1), "Suffixes": one(2, {"Suffix": many(1, {"Name": one(1), "Label": one(2)})}),
                "BaseNames": one(3, {"BaseName": many(1, METRIC)}), "SortKey": one(4, BY), "SortDirection": one(5, ASCENDING),
                "Description": one(6)}
# By the numbers that they have in the result of a rule.
ITEM = {"SourceMetricTable": many(9, SOURCE_TABLE), "SuffixTable": many(11, SUFFIX_TABLE),
        "Table": many(2, TABLE), "BarChart": many(3, BAR), "HistogramChart": many(4, HISTOGRAM), "LineChart": many(5, LINE),
        "RooflineChart": many(7, ROOFLINE)}
BODY = {"Items": many(0, ITEM), "DisplayName": one(0), "SetDefault": one(0, "bool")}
ROOT = dict(ITEM, Items=many(0, ITEM), Body=many(0, BODY), Identifier=one(0), DisplayName=one(0))

# ---------------------------------------------------------------- text

TOKEN = re.compile(
    r"[ \t\r\n]+|#[^\n]*|([A-Za-z_]\w*)|([-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[fF]?)"
    r"|(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|([{}<>:,;\[\]])")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _tokens(text):
    at, line, begin = 0, 1, 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise ChartError("%d:%d: %r is not expected here" % (line, at - begin + 1, text[at]))
        if m.lastindex:
            yield m.lastindex, m.group(), line, at - begin + 1
        line += m.group().count("\n")
        begin = at + m.group().rindex("\n") + 1 if "\n" in m.group() else begin
        at = m.end()
    yield 0, "", line, at - begin + 1


class _Parser:
    NAME, NUMBER, STRING = 1, 2, 3

    def __init__(self, text):
        self._all, self._at = list(_tokens(text)), 0

    @property
    def token(self):
        return self._all[self._at]

    def take(self):
        token = self.token
        self._at += token[0] != 0
        return token

    def fail(self, token, what):
        raise ChartError("%d:%d: %s" % (token[2], token[3], what))

    def message(self, table, close, depth=0):
        out = {}
        if depth > 32:
            self.fail(self.token, "messages inside one another more than 32 deep")
        while self.token[1] != close or self.token[0] == self.STRING:
            token = self.take()
            if token[0] != self.NAME:
                self.fail(token, "the name of a field is expected" if token[0] else "the file ends inside a message")
            if token[1] not in table:
                self.fail(token, "there is no field %s here" % token[1])
            _, kind, repeated = table[token[1]]
            value = self.value(kind, depth)
            if repeated:
                out.setdefault(token[1], []).append(value)
            else:
                out[token[1]] = value
            if self.token[1] in (",", ";") and self.token[0] != self.STRING:
                self.take()
        self.take()
        return out

    def value(self, kind, depth):
        colon = self.token[1] == ":" and bool(self.take())
        token = self.take()
        if isinstance(kind, dict) and "enum" not in kind:
            if token[1] not in ("{", "<"):
                self.fail(token, "{ is expected")
            return self.message(kind, "}" if token[1] == "{" else ">", depth + 1)
        if not colon:
            self.fail(token, ": is expected")
        if isinstance(kind, dict):
            return self.choice(kind["enum"], token)
        if kind == "text":
            return self.string(token)
        if kind == "bool":
            if token[1] not in ("true", "false", "1", "0"):
                self.fail(token, "true or false is expected")
            return token[1] in ("true", "1")
        return self.number(kind, token)

    def choice(self, choices, token):
        if token[0] == self.NUMBER and token[1].isdigit() and int(token[1]) in choices.values():
            return int(token[1])
        if token[1] not in choices:
            self.fail(token, "%s is none of %s" % (token[1] or "the end of the file", ", ".join(choices)))
        return choices[token[1]]

    def string(self, token):
        if token[0] != self.STRING:
            self.fail(token, "a text in quotes is expected")
        out = token[1][1:-1]
        while self.token[0] == self.STRING:          # texts that follow one another are one
            out += self.take()[1][1:-1]
        return re.sub(r"\\(.)", lambda m: ESCAPES.get(m.group(1), m.group(1)), out)

    def number(self, kind, token):
        if token[0] != self.NUMBER:
            self.fail(token, "a number is expected")
        try:
            return float(token[1].rstrip("fF")) if kind in ("f32", "f64") and "x" not in token[1].lower() else int(token[1], 0)
        except ValueError:
            self.fail(token, "%s is no integer" % token[1])


def _encode(message, table):
    out = b""
    for name, value in message.items():
        number, kind, repeated = table[name]
        for v in value if repeated else [value]:
            if isinstance(kind, dict) and "enum" not in kind:
                out += wire.put(number, "raw", _encode(v, kind))
            else:
                out += wire.put(number, "u64" if isinstance(kind, dict) else kind, v)
    return out


def parse(text):
    """The charts of a text, as a list of (field of a rule's result, bytes of the message)."""
    root = _Parser(text).message(ROOT, "")
    items = [root] + root.get("Items", []) + [i for body in root.get("Body", []) for i in body.get("Items", [])]
    return [(ITEM[name][0], _encode(chart, ITEM[name][1])) for item in items for name in ITEM for chart in item.get(name, [])]


def load(path):
    """The charts of a file."""
    text = ordinary.read(path, MOST_BYTES).decode("utf-8", "replace")
    try:
        return parse(text)
    except ChartError as e:
        raise ChartError("%s:%s" % (path, e)) from None
