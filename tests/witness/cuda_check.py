#!/usr/bin/env python3
"""tests/witness/cuda_check.py FOLDER TRACE.gputap CALLS.API - what the stand-in CUDA machine counted against what a trace holds

FOLDER has the files of tests/fakegpu/counts.c, one for each process. The trace is read from its raw files, and so are TRACE-N.gputap beside
it: processes that parted before anything of the tracer's was loaded into them know nothing of each other. For each kind of activity
the machine made as many records as the trace has; for each function the program made as many calls as the trace has records of, but
for those that began before the collector was there. Where something is missing, the ledger's number is the difference exactly (in
buffers that were thrown away nobody counts activities: then it only has to say so). Prints one line, or what differs and status 1.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
sys.dont_write_bytecode = True
import cupti_walk  # noqa: E402

CALLS, KINDS = 1024, 64
KIND_OF = {0: 4, 1: 5}                  # the kinds of driver and runtime calls
# cuInit loads the collector; what a program asks before it, and the runtime call that makes it, end while nothing is asked for yet.
BEFORE = re.compile(r"cuInit|cuDriverGetVersion|cuDeviceGet\w*|cuGetErrorName|cuGetErrorString|cuGetProcAddress\w*|cudaGetDeviceCount|cudaDriverGetVersion|cudaRuntimeGetVersion")


def names(path):
    out = {}
    for line in pathlib.Path(path).read_text().splitlines():
        m = re.match(r"([DR])\s+(\d+)\s+(\w+)\(", line)
        if m:
            out[0 if m.group(1) == "D" else 1, int(m.group(2))] = m.group(3)
    return out


def counted(folder):
    calls, unrecorded, own, made, dropped = (collections.Counter() for _ in range(5))
    for path in pathlib.Path(folder).glob("*.*"):
        data = path.read_bytes()
        if data[:8] != b"standin:":
            sys.exit(f"{path}: no file of the stand-in")
        words = struct.unpack_from(f"<{6 * CALLS + KINDS + 1}Q", data, 16)
        for i in range(2 * CALLS):
            key = (i // CALLS, i % CALLS)
            calls[key] += words[i]
            unrecorded[key] += words[2 * CALLS + i]
            own[key] += words[4 * CALLS + i]
        for kind in range(KINDS):
            made[kind] += words[6 * CALLS + kind]
        dropped[0] += words[6 * CALLS + KINDS]
    return calls, unrecorded, own, made, dropped[0]


def recorded(trace):
    calls, kinds, lost = (collections.Counter() for _ in range(3))
    rec_h = (HERE.parents[1] / "trace/format/rec.h").read_text()
    reasons = re.findall(r"^\tX\((\w+),", rec_h[rec_h.index("#define REC_LOSSES"):], re.M)
    path = pathlib.Path(trace)
    traces = [path, *path.parent.glob(path.stem + "-[0-9]*.gputap")]
    for image in (image for one in traces for image in cupti_walk.images(str(one))):
        for buffer in image.buffers:
            for kind, data in buffer["records"]:
                kinds[kind] += 1
                if kind in (4, 5):
                    calls[kind - 4, struct.unpack_from("<I", data, 4)[0]] += 1
        for reason, n in image.lost.items():
            lost[reasons[reason]] += n
    return calls, kinds, lost


def main():
    calls, unrecorded, own, made, dropped = counted(sys.argv[1])
    found, kinds, lost = recorded(sys.argv[2])
    name = names(sys.argv[3])
    bad = []
    thrown = lost["CUPTI_NO_BUFFER"] + lost["RING_OVERWRITTEN"]
    for kind in sorted(set(made) | set(kinds)):
        missing = made[kind] - kinds[kind]
        if missing < 0 or missing > lost["CUPTI_DROPPED"] and not thrown:
            bad.append(f"kind {kind}: the machine made {made[kind]} records, the trace has {kinds[kind]}")
    missing = sum(made.values()) - sum(kinds.values())
    if not thrown and missing != lost["CUPTI_DROPPED"] or dropped != lost["CUPTI_DROPPED"]:
        bad.append(f"{missing} activities are not in the trace, the machine dropped {dropped}, the ledger counts {dict(lost)}")
    for key in sorted(set(calls) | set(found)):
        text = name.get(key, str(key))
        before = unrecorded[key]
        if before and not BEFORE.fullmatch(re.sub(r"_v\d+$", "", text)):
            bad.append(f"{text}: nobody asked for records of {before} calls of {calls[key]}")
        missing = calls[key] - before - found[key]
        if missing < 0 or missing > lost["CUPTI_DROPPED"] and not thrown:
            bad.append(f"{text}: the program made {calls[key]} calls (and the tracer {own[key]}), {before} unasked for, the trace has {found[key]}")
    if not sum(calls.values()):
        bad.append("the machine saw no call")
    if bad:
        print("\n".join(bad))
        sys.exit(1)
    print(f"{sum(calls.values())} calls of {len([k for k in calls if calls[k]])} functions, {sum(unrecorded.values())} before the collector, "
          f"{sum(own.values())} of the tracer's own, {sum(made.values())} activities of {len([k for k in made if made[k]])} kinds, "
          f"in the ledger: { {r: n for r, n in lost.items() if n} or chr(45) }")


if __name__ == "__main__":
    main()
