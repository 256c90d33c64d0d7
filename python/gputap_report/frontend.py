"""What a rule speaks to: messages, speedups, tables, and its way to other rules.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import enum
import math


class MsgType(enum.IntEnum):
    """Kinds of messages."""
    NONE = MSG_NONE = 0
    OK = MSG_OK = 1
    OPTIMIZATION = MSG_OPTIMIZATION = 2
    WARNING = MSG_WARNING = 3
    ERROR = MSG_ERROR = 4


class Severity(enum.IntEnum):
    """How much a focus metric weighs."""
    DEFAULT = SEVERITY_DEFAULT = 0
    LOW = SEVERITY_LOW = 1
    HIGH = SEVERITY_HIGH = 2


class SpeedupType(enum.IntEnum):
    """What a speedup speaks of: the part that the rule looked at, or the whole kernel."""
    LOCAL = 0
    GLOBAL = 1


class MarkerKind(enum.IntEnum):
    """What a source marker points to."""
    SASS = 0
    SOURCE = 1
    NONE = 2


class IFrontend:
    """Takes what a rule has to say. Texts may hold links:

    @url:TEXT:TARGET@, @sass:ADDRESS:TEXT@, @source:FILE:LINE:TEXT@, @section:IDENTIFIER:TEXT@.
    """

    MsgType, Severity, SpeedupType, MarkerKind = MsgType, Severity, SpeedupType, MarkerKind
    MsgType_MSG_NONE, MsgType_MSG_OK, MsgType_MSG_OPTIMIZATION, MsgType_MSG_WARNING, MsgType_MSG_ERROR = range(5)
    Severity_SEVERITY_DEFAULT, Severity_SEVERITY_LOW, Severity_SEVERITY_HIGH = range(3)
    SpeedupType_LOCAL, SpeedupType_GLOBAL = range(2)
    MarkerKind_SASS, MarkerKind_SOURCE, MarkerKind_NONE = range(3)

    def __init__(self, vault=None, rule="", load_chart=None):
        self._vault, self._rule, self._load_chart = {} if vault is None else vault, rule, load_chart
        self.messages, self.markers, self.charts = [], [], []

    def message(self, *args):
        """message([type,] text[, name]): shows a message; returns its id for what belongs to it.

        type: a MsgType_ value; name: a short one for the message.
        """
        kind = MsgType.NONE
        if args and isinstance(args[0], int):
            kind, args = MsgType(int(args[0])), args[1:]
        if not 1 <= len(args) <= 2 or not isinstance(args[0], str):
            raise TypeError("message([type,] text[, name])")
        self.messages.append({"id": len(self.messages) + 1, "type": int(kind), "text": args[0],
                              "name": str(args[1]) if len(args) > 1 and args[1] is not None else "",
                              "speedup": None, "focus": [], "tables": [], "proposals": []})
        return len(self.messages)

    def _of(self, message_id):
        return self.messages[message_id - 1] if isinstance(message_id, int) and 0 < message_id <= len(self.messages) else None

    def speedup(self, message_id, type, estimated_speedup):
        """Adds to a message by how many percent its advice might shorten the kernel; False for an unknown message.

        type: SpeedupType_LOCAL or SpeedupType_GLOBAL.
        """
        message = self._of(message_id)
        if message is None or not math.isfinite(float(estimated_speedup)):
            return False
        message["speedup"] = {"type": int(SpeedupType(int(type))), "value": float(estimated_speedup)}
        return True

    def focus_metric(self, message_id, metric_name, metric_value, severity, info):
        """Adds to a message a metric that led to it, and why; False for an unknown message.

        severity: a Severity_ value; info: a text such as "> 50".
        """
        message = self._of(message_id)
        if message is None:
            return False
        message["focus"].append({"metric": str(metric_name), "value": float(metric_value),
                                 "severity": int(Severity(int(severity))), "info": str(info)})
        return True

    def gather(self, message_id, cause, share, gain=False):
        """Messages of one cause are said once, with the launch that has the largest share, and the others are counted.

        (gputap's own.) share: percent of the run that the message is about, of launches that no other message of the cause is
        about; gain: it is what could be gained at most. What all of them come to is said, and too little of it not at all.
        """
        message = self._of(message_id)
        if message is None:
            return False
        message["gather"] = {"cause": str(cause), "share": float(share), "gain": bool(gain)}
        return True

    def source_marker(self, message, address_or_line, kind, *args):
        """source_marker(text, address_or_line, kind[, file][, type]): marks an instruction or a line of a source.

        kind: MarkerKind_SASS (an address) or MarkerKind_SOURCE (a line of `file`); type: a MsgType_ value.
        """
        file_name = next((a for a in args if isinstance(a, str)), "")
        kind_of = next((a for a in args if isinstance(a, int)), MsgType.NONE)
        if not 0 <= int(address_or_line) < 1 << 64:
            raise ValueError("%s is neither an address nor a line" % address_or_line)
        self.markers.append({"text": str(message), "at": int(address_or_line), "kind": int(MarkerKind(int(kind))),
                             "file": file_name, "type": int(MsgType(int(kind_of)))})

    def generate_table(self, message_id, header, data, config=None):
        """Adds a table to a message.

        header: names of the columns; data: rows, each with a value for every column; a column holds texts or numbers,
        not both (TypeError), all rows are equally long (ValueError). config, all of it optional: title, description,
        sort_by {column, order: "ascending" or "descending"}, per_column_configs {column: {tooltip, relative_width,
        style}}.
        """
        message = self._of(message_id)
        if message is None:
            return False
        header, rows = [str(h) for h in header], [list(r) for r in data]
        for i, row in enumerate(rows):
            if len(row) != len(header):
                raise ValueError("row %d has %d values, the table has %d columns" % (i, len(row), len(header)))
        for c, name in enumerate(header):
            kinds = {_cell_kind(row[c], name) for row in rows} - {None}
            if len(kinds) > 1:
                raise TypeError("column %r holds texts and numbers" % name)
        message["tables"].append({"header": header, "rows": rows, "config": _table_config(config or {}, header)})
        return True

    def load_chart_from_file(self, filename):
        """Adds the charts and tables of a file in the form of a section's Body; a path is seen from the rule's folder."""
        if self._load_chart:
            self.charts.extend(self._load_chart(str(filename)))

    def send_dict_to_children(self, dict):
        """Gives {text: number} to the rules that name this one as their parent."""
        self._vault.setdefault(self._rule, {}).update({str(k): float(v) for k, v in dict.items()})

    def receive_dict_from_parent(self, parent_id):
        """The dictionary that a parent sent; {} when it sent none or was not applied."""
        return dict(self._vault.get(parent_id, {}))


def _cell_kind(value, column):
    if value is None:
        return None
    if isinstance(value, str):
        return "text"
    if isinstance(value, (int, float)):
        return "number"
    raise TypeError("column %r holds a %s; texts and numbers can be shown" % (column, type(value).__name__))


def _column(key, header):
    """A column is named, or numbered from 0."""
    if isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(header):
        return key
    if str(key) in header:
        return header.index(str(key))
    raise ValueError("there is no column %r" % (key,))


def _table_config(config, header):
    unknown = set(config) - {"title", "description", "sort_by", "per_column_configs"}
    if unknown:
        raise ValueError("a table has no setting %s" % ", ".join(sorted(map(repr, unknown))))
    out = {"title": str(config.get("title", "")), "description": str(config.get("description", ""))}
    if config.get("sort_by"):
        order = str(config["sort_by"].get("order", "ascending"))
        out["sort_by"] = {"column": _column(config["sort_by"].get("column", 0), header),
                          "descending": order.lower().startswith("desc")}
    columns = config.get("per_column_configs") or {}
    out["columns"] = {_column(key, header): {"tooltip": str(c.get("tooltip", "")), "width": float(c.get("relative_width", 0))}
                      for key, c in (columns.items() if isinstance(columns, dict) else enumerate(columns))}
    return out


class IMessageVault:
    """Keeps dictionaries that rules leave for one another, by the identifier of the rule that left them."""

    def __init__(self, entries=None):
        self._entries = {} if entries is None else entries

    def Put(self, rule_id, dictionary):
        """Keeps {text: number} for a rule; what it had under the same texts is replaced."""
        self._entries.setdefault(rule_id, {}).update({str(k): float(v) for k, v in dictionary.items()})
        return True

    def Get(self, rule_id):
        """What was kept for a rule; {} without anything."""
        return dict(self._entries.get(rule_id, {}))

    put, get = Put, Get


class IController:
    """A rule's way to other rules."""

    def __init__(self, vault=None, propose=None):
        self._vault, self._propose = IMessageVault(vault), propose

    def propose_rule(self, rule_id):
        """Proposes to look at another rule, one that this rule named with require_rules."""
        if self._propose:
            self._propose(str(rule_id))

    def get_message_vault(self):
        """The IMessageVault of this run."""
        return self._vault
