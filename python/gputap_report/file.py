"""Report files, version 7: blocks with a string table that spans them all, and their entries.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import struct

from . import schema, wire
from .wire import ReportError, View

MAGIC = b"NVR\0"
ZSTD = b"\x28\xb5\x2f\xfd"
# In the order in which a block holds them.
COUNTS = ("sources", "results", "ranges", "cmdlists", "graphs")
MESSAGES = {"results": schema.KERNEL, "ranges": schema.RANGE, "cmdlists": schema.CMDLIST, "graphs": schema.GRAPH}
# Which field of a result holds the results of rules; ranges and graphs have none.
RULES_FIELD = {"results": 19, "cmdlists": 21}


class Block:
    """``header`` and ``entries``: a list of (kind, View), kinds as in COUNTS."""

    def __init__(self, header, head_view, entries):
        self.header, self.head_view, self.entries = header, head_view, entries


class Report:
    """What a file holds, in its order: ``head`` (the file's header), ``blocks``; ``strings`` of all blocks together."""

    def __init__(self, head, blocks):
        self.head, self.blocks, self.path = head, blocks, None
        self.strings = [s for b in blocks for s in b.header.get("strings", {}).get("strings", [])]


def _sized(data, at, end, what):
    """The message behind its size, as a View."""
    if end - at < 4:
        raise ReportError("the file ends before the size of %s" % what, at)
    size = struct.unpack_from("<I", data, at)[0]
    if size > end - at - 4:
        raise ReportError("%s claims %d bytes, %d are left" % (what, size, end - at - 4), at)
    return View(data, at + 4, at + 4 + size)


def _block(data, at):
    head = _sized(data, at, len(data), "a block's header")
    header = wire.decode(head, schema.BLOCK_HEADER)
    begin, size = head.end, header.get("payload", 0)
    if size > len(data) - begin:
        raise ReportError("a block claims %d bytes, %d are left" % (size, len(data) - begin), at)
    at, end, entries = begin, begin + size, []
    for kind in COUNTS:
        for _ in range(header.get(kind, 0)):
            entry = _sized(data, at, end, "an entry of a block (%s)" % kind)
            entries.append((kind, entry))
            at = entry.end
    return Block(header, head, entries), end


def parse(data):
    """A Report from the bytes of a file."""
    if data[:4] == ZSTD:
        data = _unpack(data)
    if data[:4] != MAGIC:
        raise ReportError("this is no report: it does not begin with NVR", 0)
    head = _sized(data, 4, len(data), "the file's header")
    version = wire.decode(head, schema.FILE_HEADER).get("version")
    if version is None or version < 7:
        raise ReportError("a report of version %s; 7 is the oldest that is read" % version, head.start)
    at, blocks = head.end, []
    while at < len(data):
        block, at = _block(data, at)
        blocks.append(block)
    return Report(head.bytes(), blocks)


def _unpack(data):
    """A .ncu-repz is the same file, packed."""
    try:
        from compression import zstd         # Python 3.14
    except ImportError:
        raise ReportError("a packed report (zstd): unpack it first with: zstd -d -o NEW.ncu-rep FILE", 0) from None
    try:
        return zstd.decompress(data)
    except zstd.ZstdError as e:
        raise ReportError("a packed report that cannot be unpacked: %s" % e, 0) from None


def load(path):
    """A Report from a file; FileNotFoundError and the like as ``open`` raises them, else ReportError."""
    with open(path, "rb") as f:
        data = f.read()
    try:
        report = parse(data)
    except ReportError as e:
        raise e.of(path)
    report.path = path
    return report


# ---------------------------------------------------------------- writing

def _keep(view, drop):
    """The message without the fields that ``drop`` names; all others byte for byte."""
    out, begin = [], view.start
    for number, _, _, offset in wire.fields(view):
        if begin is not None:
            out.append(view.data[begin:offset])
        begin = None if number in drop else offset
    if begin is not None:
        out.append(view.data[begin:view.end])
    return b"".join(bytes(o) for o in out)


def with_rules(report, results):
    """The file's bytes with the results of rules in it.

    results: {index of the entry among all results, ranges, command lists and graphs: [RULE_RESULT]}. They replace those
    of the same rule; of everything else each byte stays.
    """
    out = [MAGIC, struct.pack("<I", len(report.head)), report.head]
    at = -1
    for block in report.blocks:
        payload = []
        for kind, view in block.entries:
            body = view.bytes()
            at += kind != "sources"
            if kind in RULES_FIELD and results.get(at):
                body = _merge(view, RULES_FIELD[kind], results[at])
            payload.append(struct.pack("<I", len(body)) + body)
        payload = b"".join(payload)
        head = _keep(block.head_view, {5}) + (wire.put(5, "u32", len(payload)) if payload or 5 in _numbers(block) else b"")
        out.append(struct.pack("<I", len(head)) + head + payload)
    return b"".join(out)


def _numbers(block):
    return {number for number, _, _, _ in wire.fields(block.head_view)}


def _merge(view, field, results):
    fresh = {r["identifier"] for r in results}
    old = [v for number, _, v, _ in wire.fields(view) if number == field]
    kept = [v.bytes() for v in old if wire.decode(v, schema.RULE_RESULT).get("identifier") not in fresh]
    return _keep(view, {field}) + b"".join(
        wire.put(field, "raw", body) for body in kept + [wire.encode(r, schema.RULE_RESULT) for r in results])
