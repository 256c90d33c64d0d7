#!/usr/bin/env python3
"""tests/golden/perfetto_dump.py FILE.pftrace - a Perfetto trace as text, one line per packet, with names for numbers

Decodes protocol buffers itself, by field numbers of its own (tests/e2e/perfetto.py compares the writer's with the published
ones). Fails when a field is unknown, a number of a text is not defined, slices do not nest, or a track goes back in time.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sys

# message: field number: (name, kind); kind: a message's name, or u (varint), i (signed varint), f (fixed64), d (double), s (text)
MESSAGES = {
    "packet": {6: ("clocks", "snapshot"), 8: ("timestamp", "u"), 10: ("sequence", "u"), 11: ("event", "event"),
               12: ("interned", "interned"), 13: ("flags", "u"), 59: ("defaults", "defaults"), 60: ("track", "track"), 66: ("sample", "sample"),
               87: ("first", "u")},
    "snapshot": {1: ("clock", "clock"), 2: ("primary", "u")},
    "clock": {1: ("id", "u"), 2: ("time", "u")},
    "defaults": {12: ("sampled", "sampled"), 58: ("clock", "u")},
    "sampled": {1: ("timebase", "timebase")},
    "timebase": {1: ("period", "u"), 4: ("counter", "u")},
    "sample": {1: ("cpu", "u"), 2: ("pid", "u"), 3: ("tid", "u"), 4: ("stack", "u"), 5: ("mode", "u")},
    "track": {1: ("uuid", "u"), 2: ("name", "s"), 3: ("process", "process"), 4: ("thread", "thread"), 5: ("parent", "u"),
              8: ("counter", "counter"), 15: ("merge", "u"), 17: ("key", "u")},
    "process": {1: ("pid", "i"), 2: ("cmdline", "s"), 6: ("name", "s"), 8: ("label", "s")},
    "thread": {1: ("pid", "i"), 2: ("tid", "i"), 5: ("name", "s")},
    "counter": {3: ("unit", "u"), 6: ("unit_name", "s")},
    "interned": {1: ("category", "entry"), 2: ("name", "entry"), 3: ("annotation", "entry"), 29: ("value", "entry"),
                 5: ("function", "entry"), 6: ("frame", "frame"), 7: ("stack", "stack"), 16: ("id", "raw"), 17: ("path", "entry"),
                 18: ("source", "entry"), 19: ("mapping", "mapping")},
    "raw": {1: ("iid", "u"), 2: ("text", "x")},
    "mapping": {1: ("iid", "u"), 2: ("id", "u"), 4: ("start", "u"), 5: ("end", "u"), 6: ("bias", "u"), 7: ("path", "u")},
    "frame": {1: ("iid", "u"), 2: ("function", "u"), 3: ("mapping", "u"), 4: ("pc", "u"), 5: ("source", "u"), 6: ("line", "u")},
    "stack": {1: ("iid", "u"), 2: ("frame", "u")},
    "entry": {1: ("iid", "u"), 2: ("text", "s")},
    "event": {3: ("category", "u"), 4: ("note", "note"), 9: ("type", "u"), 10: ("name", "u"), 11: ("track", "u"),
              30: ("value", "i"), 44: ("real", "d"), 47: ("flow", "f"), 48: ("end_flow", "f")},
    "note": {1: ("name", "u"), 2: ("bool", "u"), 3: ("uint", "u"), 4: ("int", "i"), 5: ("double", "d"), 6: ("text", "s"),
             7: ("pointer", "u"), 17: ("iid", "u")},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif key & 7 == 2:
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
            assert len(value) == n, "a message is cut"
        else:
            raise ValueError("wire type %d" % (key & 7))
        yield key >> 3, value


def decode(kind, data):
    """{name: [values]}"""
    import struct
    out = {}
    for number, value in fields(data):
        name, of = MESSAGES[kind][number]
        if of in MESSAGES:
            value = decode(of, value)
        elif of == "s":
            value = value.decode("utf-8")
        elif of == "x":
            value = value.hex()
        elif of == "i" and value >> 63:
            value -= 1 << 64
        elif of == "f":
            value = struct.unpack("<Q", value)[0]
        elif of == "d":
            value = struct.unpack("<d", value)[0]
        out.setdefault(name, []).append(value)
    return out


def one(message, name, default=None):
    values = message.get(name, [default])
    assert len(values) == 1, "%s comes %d times" % (name, len(values))
    return values[0]


def packets(path):
    with open(path, "rb") as f:
        data = f.read()
    for number, value in fields(data):
        assert number == 1, "field %d of a trace" % number
        yield decode("packet", value)


CLOCKS = {1: "REALTIME", 3: "MONOTONIC", 64: "session"}
UNITS = {2: "count", 3: "bytes"}


class Reader:
    """What a reader knows on the way: texts by number, tracks, open slices."""

    def __init__(self):
        self.texts = None
        self.written = set()
        self.tracks = {}
        self.open = {}
        self.last = {}

    def take_interned(self, packet):
        for kind, entries in one(packet, "interned", {}).items():
            for entry in entries:
                iid = one(entry, "iid")
                text = one(entry, "text") if "text" in entry else repr(sorted((k, v) for k, v in entry.items() if k != "iid"))
                assert iid and iid not in self.texts[kind], "%s %s is defined twice" % (kind, iid)
                assert (kind, text) not in self.written, "%s %r is written twice" % (kind, text)
                self.texts[kind][iid] = text if "text" in entry else entry
                self.written.add((kind, text))

    def frames(self, stack):
        """(function, file, line, path of the object) of each frame, the innermost first."""
        out = []
        for iid in reversed(self.texts["stack"][stack].get("frame", [])):
            f = self.texts["frame"][iid]
            mapping = self.texts["mapping"][one(f, "mapping")]
            assert one(mapping, "id", 0) == 0 or self.texts["id"][one(mapping, "id")]
            source, path = one(f, "source", 0), [self.texts["path"][part] for part in mapping["path"]]
            out.append((self.texts["function"][one(f, "function")], self.texts["source"][source] if source else None,
                        one(f, "line", 0), "/".join(path)))
        return out

    def sample(self, packet):
        s = one(packet, "sample")
        assert one(packet, "flags") == 2 and one(s, "mode") == 2
        stack = self.frames(one(s, "stack")) if "stack" in s else []
        return "%d sample of %d in %d on processor %d: %s" % (one(packet, "timestamp"), one(s, "tid"), one(s, "pid"),
                                                             one(s, "cpu", 0), " < ".join(f[0] for f in stack))

    def note(self, note):
        name = self.texts["annotation"][one(note, "name")]
        for kind, value in note.items():
            if kind == "name":
                continue
            if kind == "iid":
                return "%s=%r" % (name, self.texts["value"][value[0]])
            if kind == "pointer":
                return "%s=0x%x" % (name, value[0])
            if kind == "bool":
                return "%s=%s" % (name, bool(value[0]))
            return "%s=%r" % (name, value[0])
        raise ValueError("%s has no value" % name)

    def track(self, t):
        uuid, parent = one(t, "uuid"), one(t, "parent")
        assert uuid and uuid not in self.tracks, "track %s is described twice" % uuid
        assert parent is None or parent in self.tracks, "track %s is under an unknown one" % uuid
        said = []
        if "process" in t:
            p = one(t, "process")
            said.append("process %d %r %s" % (one(p, "pid"), one(p, "name"), " ".join(p.get("cmdline", []))))
            said += p.get("label", [])
        if "thread" in t:
            th = one(t, "thread")
            said.append("thread %d of %d %r" % (one(th, "tid"), one(th, "pid"), one(th, "name", "")))
        if "name" in t:
            said.append(repr(one(t, "name")))
        if "counter" in t:
            c = one(t, "counter")
            said.append("counts " + (UNITS[one(c, "unit")] if "unit" in c else repr(one(c, "unit_name", ""))))
        if "key" in t:
            assert one(t, "merge") == 3
            said.append("with %d" % one(t, "key"))
        self.tracks[uuid] = t
        return "track %d%s: %s" % (uuid, "" if parent is None else " under %d" % parent, ", ".join(said))

    def event(self, packet):
        e, at = one(packet, "event"), one(packet, "timestamp")
        uuid, kind = one(e, "track"), one(e, "type")
        assert uuid in self.tracks, "an event on track %d, which nobody described" % uuid
        assert at >= self.last.get(uuid, 0), "track %d goes back from %d to %d" % (uuid, self.last[uuid], at)
        self.last[uuid] = at
        stack = self.open.setdefault(uuid, [])
        if kind == 2:
            name = stack.pop()
            return "%d on %d end %s" % (at, uuid, name)
        if kind == 4:
            assert "counter" in self.tracks[uuid]
            return "%d on %d = %s" % (at, uuid, one(e, "real") if "real" in e else one(e, "value"))
        assert one(packet, "flags") == 2, "texts by number, but the packet does not say so"
        name = self.texts["name"][one(e, "name")].encode("unicode_escape").decode()
        said = [self.texts["category"][one(e, "category")], name]
        said += ["flow %x" % f for f in e.get("flow", [])]
        said += [self.note(n) for n in e.get("note", [])]
        if kind == 1:
            stack.append(name)
        return "%d on %d %s %s" % (at, uuid, {1: "begin", 3: "moment"}[kind], " ".join(said))

    def packet(self, packet):
        assert one(packet, "sequence") == 1
        if one(packet, "flags", 0) & 1:
            self.written = set()
            self.texts = {kind: {} for kind, _ in MESSAGES["interned"].values()}
            return "texts begin anew; times are those of clock %d" % one(one(packet, "defaults"), "clock")
        self.take_interned(packet)
        if "clocks" in packet:
            s = one(packet, "clocks")
            clocks = ["%s %d" % (CLOCKS[one(c, "id")], one(c, "time")) for c in s["clock"]]
            return "clocks: %s; the trace's is %s" % (", ".join(clocks), CLOCKS[one(s, "primary")])
        if "sample" in packet:
            return self.sample(packet)
        if "track" in packet:
            return self.track(one(packet, "track"))
        return self.event(packet)


def main():
    reader = Reader()
    for packet in packets(sys.argv[1]):
        print(reader.packet(packet))
    for uuid, stack in reader.open.items():
        for name in stack:
            print("never ended on %d: %s" % (uuid, name))


if __name__ == "__main__":
    main()
