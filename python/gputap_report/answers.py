"""What a rule's process may answer: nothing of it is taken before it was looked at.

The process runs a stranger's file, which may write where its answers go, or say what no report can hold.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import binascii
import base64

LARGEST = (1 << 64) - 1


class Wrong(Exception):
    """Where in the answer, and what it should be."""


def _text(value, place):
    if not isinstance(value, str):
        raise Wrong("%s is no text" % place)


def _number(value, place):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Wrong("%s is no number" % place)
    try:
        float(value)
    except OverflowError:
        raise Wrong("%s is too large for a number" % place) from None


def _within(most):
    def look(value, place):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise Wrong("%s is no integer from 0 to %d" % (place, most))
    return look


def _cell(value, place):
    if isinstance(value, str):
        _text(value, place)
    elif value is not None and not isinstance(value, bool):
        _number(value, place)


def _base64(value, place):
    _text(value, place)
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise Wrong("%s is no base64" % place) from None


def _list(of):
    def look(value, place):
        if not isinstance(value, list):
            raise Wrong("%s is no list" % place)
        for i, v in enumerate(value):
            of(v, "%s[%d]" % (place, i))
    return look


def _tuple(*of):
    def look(value, place):
        if not isinstance(value, list) or len(value) != len(of):
            raise Wrong("%s is no list of %d" % (place, len(of)))
        for i, (v, one) in enumerate(zip(value, of)):
            one(v, "%s[%d]" % (place, i))
    return look


def _map(of, key=None):
    def look(value, place):
        if not isinstance(value, dict):
            raise Wrong("%s is no object" % place)
        for k, v in value.items():
            _text(k, "a key of " + place)
            if key:
                key(k, "a key of " + place)
            of(v, "%s.%s" % (place, k))
    return look


def _object(**fields):
    """All of these and nothing else; a field that ends with _ may be missing."""
    needed = {name for name in fields if not name.endswith("_")}
    shape = {name.rstrip("_"): look for name, look in fields.items()}

    def look(value, place):
        if not isinstance(value, dict):
            raise Wrong("%s is no object" % place)
        for name in sorted(needed - set(value)):
            raise Wrong("%s lacks %s" % (place, name))
        for name, v in value.items():
            if name not in shape:
                raise Wrong("%s has a field that is not known" % place)
            shape[name](v, "%s.%s" % (place, name))
    return look


def _or_none(look):
    return lambda value, place: None if value is None else look(value, place)


def _column(value, place):
    if not value.isdigit() or len(value) > 6:
        raise Wrong("%s is no column" % place)


def _table(value, place):
    _TABLE(value, place)
    columns = len(value["header"])
    if any(len(row) != columns for row in value["rows"]):
        raise Wrong("%s has rows of other lengths than its header" % place)
    if value["config"].get("sort_by", {}).get("column", 0) >= max(columns, 1):
        raise Wrong("%s is sorted by a column that it does not have" % place)


def _flag(value, place):
    if not isinstance(value, bool):
        raise Wrong("%s is neither true nor false" % place)


def _value(value, place):
    """[kind, value] of a metric; kinds are the fields of the file, None without a value."""
    _tuple(_or_none(_within(99)), _cell)(value, place)
    if isinstance(value[1], bool):
        raise Wrong("%s is no value" % place)


_SMALL = _within((1 << 31) - 1)
_TABLE = _object(header=_list(_text), rows=_list(_list(_cell)), config=_object(
    title=_text, description=_text, sort_by_=_object(column=_SMALL, descending=_flag),
    columns=_map(_object(tooltip=_text, width=_number), _column)))
_MESSAGE = _object(
    id=_SMALL, type=_within(4), text=_text, name=_text, speedup=_or_none(_object(type=_within(1), value=_number)),
    focus=_list(_object(metric=_text, value=_number, severity=_within(2), info=_text)), tables=_list(_table), proposals=_list(_text),
    gather_=_object(cause=_text, share=_number, gain=_flag))
_MARKER = _object(text=_text, at=_within(LARGEST), kind=_within(2), file=_text, type=_within(4))
_NUMBERS = _map(_number)
_RESULT = _object(
    action=_SMALL, messages=_list(_MESSAGE), markers=_list(_MARKER), charts=_list(_tuple(_within(11), _base64)),
    proposals=_list(_text), sent=_NUMBERS, vault=_map(_NUMBERS),
    metrics=_list(_tuple(_text, _value, _list(_value), _list(_value))))
_RULE = _object(rule=_object(identifier=_text, name=_text, description=_text, section=_or_none(_text), parents=_list(_text)))


def _one_of(value, *shapes):
    """The place of the first shape that has the fields of this answer looks at it."""
    for fields, look in shapes:
        if isinstance(value, dict) and fields in value:
            return look(value, "its answer")
    raise Wrong("its answer is of no kind that is known")


def _reason(look, value):
    try:
        look(value)
    except (Wrong, RecursionError) as e:
        return "it wrote into the pipe of its answers: %s" % e
    return None


def description(value):
    """Why this is no answer to what a rule file is, or None."""
    return _reason(lambda v: _one_of(v, ("rule", _RULE), ("helper", _object(helper=_flag))), value)


def requirements(value):
    """Why this is no answer to what a rule needs, or None."""
    return _reason(lambda v: _object(metrics=_list(_text), rules=_list(_text))(v, "its answer"), value)


def result(value, action, chart_fields):
    """Why this is no answer of a rule that was applied to the action of this number, or None."""
    def look(v):
        _one_of(v, ("skipped", _object(action=_SMALL, skipped=_text)), ("failed", _object(action=_SMALL, failed=_text)),
                ("messages", _RESULT))
        if v["action"] != action:
            raise Wrong("its answer is of another kernel than asked")
        if any(field not in chart_fields for field, _ in v.get("charts", [])):
            raise Wrong("its answer has a chart of no kind that is known")
        numbers = [m["id"] for m in v.get("messages", [])]
        if numbers != list(range(1, len(numbers) + 1)):
            raise Wrong("its messages are not numbered from 1")
    return _reason(look, value)
