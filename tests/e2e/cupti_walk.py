"""tests/e2e/cupti_walk.py TRACE [check ARGUMENT...] - what the CUPTI collector wrote, read from the raw files by the rules of trace/format/rec.h

Independent of the tool's reader. Without a check it prints what it found as JSON.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import json
import os
import re
import struct
import sys

BLOCK, CONTROL, BUFFER = 65536, 4096, 4096
LIBRARY, KIND, CLOCK, NAME, STRING, DROPPED, EVENT, NOTE = "LIBRARY", "KIND", "CLOCK", "NAME", "STRING", "DROPPED", "EVENT", "NOTE"


def record_types():
    """Numbers from the table of types."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "trace", "format", "records.def")
    text = open(path, encoding="utf-8").read()
    return {"REC_" + name: int(number) for name, number in re.findall(r"^RECORD\((\w+), (\d+),", text, re.M)}


def text_at(data, at):
    n = struct.unpack_from("<I", data, at)[0]
    return data[at + 4:at + 4 + n].decode("utf-8", "replace")


class Image:
    def __init__(self, folder):
        self.folder = folder
        self.library, self.sizes, self.kinds, self.clocks, self.names, self.strings = None, {}, {}, [], {}, []
        self.dropped, self.events, self.notes, self.buffers, self.lost = 0, [], [], [], {}
        self.types = {v: k for k, v in record_types().items()}
        for path in sorted(glob.glob(folder + "/*.str")):
            self.stream(open(path, "rb").read())
        self.buffers.sort(key=lambda b: b["number"])
        for b in self.buffers:
            self.activities(b)

    def stream(self, data):
        for i, n in enumerate(struct.unpack_from("<128Q", data, 64 + 8 * 64)):     # its own, those of others
            reason = i % 64
            if n:
                self.lost[reason] = self.lost.get(reason, 0) + n
        at, buffers = CONTROL, False
        while at + 64 <= len(data):
            magic, kind, _, size = struct.unpack_from("<IHHQ", data, at)
            if magic != 0x314b4843:
                if at > CONTROL and not buffers and at != BLOCK:
                    break
                at = (at // BLOCK + 1) * BLOCK
                continue
            if kind == 1:
                self.calls(data, at, size)
            elif kind == 3:
                buffers = True
                self.buffer(data, at, size)
            at = -(-(at + size) // BLOCK) * BLOCK

    def calls(self, data, start, size):
        at, end = start + 64, start + size
        while at + 8 <= end:
            head = struct.unpack_from("<Q", data, at)[0]
            if head == 0:
                at = (at // BLOCK + 1) * BLOCK
                continue
            ident, words, flags = head & 0xffff, head >> 16 & 0xff, head >> 24 & 0xff
            skip = 1
            if flags & 2:
                words = head >> 32
            elif flags & 4:
                words, skip = struct.unpack_from("<Q", data, at + 8)[0], 2
            if flags & 1:
                self.record(ident, struct.unpack("<i", struct.pack("<I", head >> 32))[0], data, at + 8 * skip)
            at += 8 * words

    def record(self, ident, result, data, at):
        name = self.types.get(ident, "")
        word = lambda i: struct.unpack_from("<Q", data, at + 8 * i)[0]
        pair = lambda i: struct.unpack_from("<II", data, at + 8 * i)
        if name == "REC_CUPTI_LIBRARY":
            n, flags = pair(2)
            self.sizes = dict(pair(3 + i) for i in range(n))
            self.library = {"version": pair(1)[0], "driver": pair(1)[1], "flags": flags, "path": text_at(data, at + 8 * (3 + n)), "tick": word(0)}
        elif name == "REC_CUPTI_KIND":
            self.kinds[pair(1)[0]] = result
        elif name == "REC_CUPTI_CLOCK":
            self.clocks.append([word(i) for i in range(4)])
        elif name == "REC_CUPTI_NAME":
            self.names[pair(1)] = text_at(data, at + 16)
        elif name == "REC_CUPTI_STRING":
            self.strings.append((word(0), word(1), text_at(data, at + 16)))
        elif name == "REC_CUPTI_DROPPED":
            self.dropped += word(1)
        elif name == "REC_CUPTI_EVENT":
            self.events.append(dict(tick=word(0), what=pair(1)[0], cbid=pair(1)[1], context=pair(2)[0], correlation=pair(2)[1], words=[word(3 + i) for i in range(4)]))
        elif name == "REC_NOTE":
            self.notes.append(text_at(data, at + 16))

    def buffer(self, data, at, size):
        number, requested, tid, done_tid, context, stream, valid, completed = struct.unpack_from("<QQIIIIQQ", data, at + 64)
        room = struct.unpack_from("<Q", data, at + 40)[0]
        raw = data[at + BUFFER:at + BUFFER + (valid if completed else room)]
        self.buffers.append(dict(number=number, requested=requested, tid=tid, done_tid=done_tid, valid=valid, completed=completed, raw=raw, records=[]))

    def activities(self, b):
        raw, at = b.pop("raw"), 0
        while at + 4 <= len(raw):
            kind = struct.unpack_from("<I", raw, at)[0]
            if not kind:
                break
            size = self.sizes.get(kind)
            if not size or at + size > len(raw):
                raise SystemExit("buffer %d: nothing known of kind %d at byte %d" % (b["number"], kind, at))
            b["records"].append((kind, raw[at:at + size]))
            at += size
        b["read"] = at

    # ---- what checks ask

    def records(self, kind=None):
        return [r for b in self.buffers for k, r in b["records"] if kind is None or k == kind]

    def count(self, *kinds):
        return sum(1 for b in self.buffers for k, _ in b["records"] if k in kinds)

    def name_of(self, b, address):
        found = [(tick, text) for tick, a, text in self.strings if a == address and (not b["completed"] or tick <= b["completed"])]
        return max(found)[1] if found else None


def images(trace):
    return [Image(d) for d in sorted(glob.glob(trace + "/*.[0-9]*")) if os.path.isdir(d)]


def summary(i):
    by_kind = {}
    for b in i.buffers:
        for k, _ in b["records"]:
            by_kind[k] = by_kind.get(k, 0) + 1
    return dict(library=i.library, kinds=i.kinds, clocks=len(i.clocks), names=len(i.names), strings=[s[2] for s in i.strings], dropped=i.dropped, notes=i.notes,
                lost=i.lost, buffers=[{k: v for k, v in b.items() if k != "records"} for b in i.buffers], records=by_kind,
                events=[(e["what"], e["context"], e["correlation"], e["words"]) for e in i.events])


if __name__ == "__main__":
    print(json.dumps([summary(i) for i in images(sys.argv[1])], indent=1))
