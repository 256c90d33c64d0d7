"""Protocol buffers on the wire: bytes to fields and back, every complaint with the place in the file.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import struct


class ReportError(ValueError):
    """A report that cannot be read. ``path`` and ``offset`` (a byte of the file) say where, ``reason`` why."""

    def __init__(self, reason, offset=None, path=None):
        super().__init__(reason)
        self.reason, self.offset, self.path = reason, offset, path

    def of(self, path):
        """The same error with the file that it is about."""
        self.path = self.path or (None if path is None else os.fspath(path))
        return self

    def __str__(self):
        place = [self.path] if self.path else []
        place += ["byte %d" % self.offset] if self.offset is not None else []
        return ": ".join([str(p) for p in place] + [self.reason])


class View:
    """A part of the file: bytes ``start`` to ``end`` of ``data``. It copies nothing."""

    __slots__ = ("data", "start", "end")

    def __init__(self, data, start=0, end=None):
        self.data, self.start, self.end = data, start, len(data) if end is None else end

    def bytes(self):
        return bytes(self.data[self.start:self.end])

    def text(self):
        return bytes(self.data[self.start:self.end]).decode("utf-8", "replace")

    def __len__(self):
        return self.end - self.start


VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(data, at, end):
    """(value, place behind it)"""
    value = shift = 0
    begin = at
    while True:
        if at >= end:
            raise ReportError("a number is cut off", begin)
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value & 0xffffffffffffffff, at
        shift += 7
        if shift > 63:
            raise ReportError("a number of more than ten bytes", begin)


def fields(view):
    """Yields (number, wire type, value, offset); a value is an integer, or a View for bytes and fixed numbers."""
    data, at, end = view.data, view.start, view.end
    while at < end:
        offset = at
        tag, at = varint(data, at, end)
        number, kind = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise ReportError("field number %d" % number, offset)
        if kind == VARINT:
            value, at = varint(data, at, end)
        else:
            if kind == BYTES:
                size, at = varint(data, at, end)
            elif kind == FIXED64 or kind == FIXED32:
                size = 8 if kind == FIXED64 else 4
            else:
                raise ReportError("field %d has wire type %d, which is not known" % (number, kind), offset)
            if size > end - at:
                raise ReportError("field %d claims %d bytes, %d are left" % (number, size, end - at), offset)
            value = View(data, at, at + size)
            at += size
        yield number, kind, value, offset


WIRE = {"text": BYTES, "bytes": BYTES, "raw": BYTES, "u32": VARINT, "u64": VARINT, "i32": VARINT, "i64": VARINT,
        "bool": VARINT, "f64": FIXED64, "f32": FIXED32}


def _number(kind, value):
    if kind == "u64":
        return value
    if kind == "i64" or kind == "i32":
        return value - (1 << 64) if value >> 63 else value
    if kind == "u32":
        return value & 0xffffffff
    return bool(value)


def _value(kind, wire, value, offset, number, depth):
    if isinstance(kind, dict):
        if wire != BYTES:
            raise ReportError("field %d should be a message and has wire type %d" % (number, wire), offset)
        return decode(value, kind, depth + 1)
    if wire != WIRE[kind]:
        raise ReportError("field %d should be %s and has wire type %d" % (number, kind, wire), offset)
    if wire == VARINT:
        return _number(kind, value)
    if kind == "f64":
        return struct.unpack_from("<d", value.data, value.start)[0]
    if kind == "f32":
        return struct.unpack_from("<f", value.data, value.start)[0]
    return value.text() if kind == "text" else value


def _packed(kind, view):
    """Repeated numbers may stand together in one field."""
    at = view.start
    while at < view.end:
        value, at = varint(view.data, at, view.end)
        yield _number(kind, value)


def decode(view, table, depth=0):
    """A message as {name: value}; a repeated field is a list that is always there. Unknown fields are skipped.

    ``table`` maps numbers to (name, kind, repeated); kinds are the keys of WIRE or another table.
    """
    if depth > 64:
        raise ReportError("messages inside one another more than 64 deep", view.start)
    out = {name: [] for name, _, repeated in table.values() if repeated}
    for number, wire, value, offset in fields(view):
        if number not in table:
            continue
        name, kind, repeated = table[number]
        if not repeated:
            out[name] = _value(kind, wire, value, offset, number, depth)
        elif wire == BYTES and not isinstance(kind, dict) and WIRE[kind] == VARINT:
            out[name].extend(_packed(kind, value))
        else:
            out[name].append(_value(kind, wire, value, offset, number, depth))
    return out


def put_varint(value):
    value &= 0xffffffffffffffff
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def put(number, kind, value):
    """One field as bytes; ``kind`` as in ``decode``."""
    if isinstance(kind, dict):
        wire, body = BYTES, encode(value, kind)
    elif kind == "text":
        wire, body = BYTES, value.encode("utf-8", "replace")
    elif kind in ("bytes", "raw"):
        wire, body = BYTES, value.bytes() if isinstance(value, View) else bytes(value)
    elif kind == "f64":
        return put_varint(number << 3 | FIXED64) + struct.pack("<d", value)
    elif kind == "f32":
        return put_varint(number << 3 | FIXED32) + struct.pack("<f", value)
    else:
        return put_varint(number << 3 | VARINT) + put_varint(int(value))
    return put_varint(number << 3 | wire) + put_varint(len(body)) + body


def encode(message, table):
    """The bytes of a message that ``decode`` would read; fields that the table does not name are an error.

    A tuple is a field that stands there once for each of its values: the last one that a reader knows holds.
    """
    by_name = {name: (number, kind, repeated) for number, (name, kind, repeated) in table.items()}
    out = []
    for number, name in sorted((by_name[name][0], name) for name in message):
        _, kind, repeated = by_name[name]
        for value in message[name] if repeated or isinstance(message[name], tuple) else [message[name]]:
            out.append(put(number, kind, value))
    return b"".join(out)
