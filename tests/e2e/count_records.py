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

from streams import INCOMPLETE, SLOTS, records, unstaged


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
        data = unstaged(path.read_bytes())
        for i, n in enumerate(struct.unpack_from("<128Q", data, 64 + SLOTS * 64)):      # its own, those of others
            if n:
                counts["lost." + losses[i % 64]] += n
        for i in range(SLOTS):
            fn = struct.unpack_from("<I", data, 64 + i * 64)[0]
            if fn:
                counts["slot." + names.get(fn, str(fn))] += 1
        for _, fn, _, flags, _ in records(data):
            counts["incomplete" if flags & INCOMPLETE else names.get(fn, str(fn))] += 1
    for name in sorted(counts):
        print(name, counts[name])


if __name__ == "__main__":
    main()
