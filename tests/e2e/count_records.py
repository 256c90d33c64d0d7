#!/usr/bin/env python3
"""tests/e2e/count_records.py TRACE.gputap [IDS.H] - how often each function and record type is in a trace

Walks the stream files by trace/format/rec.h alone, without the project's reader. Prints "NAME COUNT" lines, sorted; a function is
named if IDS.H (build/gen/ids.h) is given; losses of the control pages come as "lost.NAME COUNT", what
slots show to be running as "slot.NAME COUNT".

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import pathlib
import re
import struct
import sys

CONTROL, BLOCK, SLOTS, IMAGE = 4096, 65536, 8, 4096
COMPLETE, INCOMPLETE, LONG = 1, 2, 4


def records(data, at, end):
    while at + 8 <= end:
        fn, words, flags, result = struct.unpack_from("<HBBi", data, at)
        size = result if flags & INCOMPLETE else struct.unpack_from("<I", data, at + 8)[0] if flags & LONG else words
        if size <= 0:                           # nothing more in this block
            at = (at // BLOCK + 1) * BLOCK
            continue
        yield "incomplete" if flags & INCOMPLETE else fn
        at += size * 8


def chunks(data):
    """Those of records; what a window holds is put into its place first, and windows stand before what they hold."""
    at = CONTROL
    while at + 64 <= len(data):
        magic, kind, _, size = struct.unpack_from("<IHHQ", data, at)
        if magic != 0x314B4843:
            break
        if kind == 4:
            target = struct.unpack_from("<Q", data, at + 24)[0]
            if target:
                data[target:target + size - IMAGE] = data[at + IMAGE:at + size]
        if kind == 1:
            yield at + 64, min(at + size, len(data))
        at = (at + size + BLOCK - 1) // BLOCK * BLOCK


def main():
    counts = collections.Counter()
    folder = pathlib.Path(__file__).resolve().parents[2] / "trace/format"
    rec_h = (folder / "rec.h").read_text()
    losses = re.findall(r"^\tX\((\w+),", rec_h[rec_h.index("#define REC_LOSSES"):], re.M)
    types = re.findall(r"^RECORD\((\w+), (\d+),", (folder / "records.def").read_text(), re.M)
    names = {int(number): "REC_" + name for name, number in types}
    if len(sys.argv) > 2:
        text = pathlib.Path(sys.argv[2]).read_text()
        names.update((int(v, 16), n) for n, v in re.findall(r"FN_(\w+) = (0x[0-9a-f]+)", text))
    for path in pathlib.Path(sys.argv[1]).glob("*/*.str"):
        data = bytearray(path.read_bytes())
        for i, n in enumerate(struct.unpack_from("<128Q", data, 64 + SLOTS * 64)):      # its own, those of others
            if n:
                counts["lost." + losses[i % 64]] += n
        for i in range(SLOTS):
            fn = struct.unpack_from("<I", data, 64 + i * 64)[0]
            if fn:
                counts["slot." + names.get(fn, str(fn))] += 1
        for start, end in chunks(data):
            for fn in records(data, start, end):
                counts[names.get(fn, str(fn))] += 1
    for name in sorted(counts):
        print(name, counts[name])


if __name__ == "__main__":
    main()
