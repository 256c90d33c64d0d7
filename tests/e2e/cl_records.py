#!/usr/bin/env python3
"""tests/e2e/cl_records.py TRACE.gputap TABLE.TXT - check every device record of a trace and count them

Walks the stream files by trace/format/rec.h alone. Fails when a device record's link does not lead to a successful enqueue,
when two lead to the same one, when an enqueue has none, or when times are impossible. Prints "NAME COUNT" lines.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import pathlib
import struct
import sys

import streams

WIDE = 0x20
TYPES = ["none", "PAD", "THREAD", "THREAD_END", "CLOCK", "COMMAND", "UNTIMED", "OBJECT", "BLOB_REF", "NOTE", "LOCAL_SIZE", "CALIBRATION",
         "FORK", "EXEC", "EXIT", "WINDOW", "HSA_KERNEL", "HSA_COPY"]
LOSSES = ["NO_SPACE", "NO_STREAM", "SECCOMP", "SIZE_CAP", "RING_OVERWRITTEN", "ARGS_CUT", "PENDING_FULL", "QUEUE_UNPROFILED", "NOT_FINISHED",
          "NO_PROFILING_INFO", "TIME_ZERO", "TIME_REVERSED", "TIME_UNTOUCHED", "FAILED_COMMAND", "EXT_PLATFORMS", "EXT_PROVISIONAL",
          "LOADER_MISSED", "CHILD_MISSED", "SOURCE_CUT", "CALLBACK_UNWRAPPED", "LATE_CALL"]


def functions(table):
    enqueues, names = set(), {}
    for line in pathlib.Path(table).read_text().splitlines():
        f = line.split("\t")
        if f[0] == "F":
            names[int(f[1])] = f[2]
            if f[4] == "enqueue":
                enqueues.add(int(f[1]))
    return names, enqueues


def times(flags, w):
    if flags & WIDE:
        return w[2:7]
    queued, submit = w[2], w[2] + (w[3] & 0xffffffff)
    start = submit + (w[3] >> 32)
    return queued, submit, start, start + (w[4] & 0xffffffff), 0


def check_image(directory, names, enqueues, counts):
    calls, links = {}, []
    for path in directory.glob("*.str"):
        data = streams.unstaged(path.read_bytes())
        stream = int(path.stem)
        for i, n in enumerate(struct.unpack_from("<128Q", data, 64 + 8 * 64)):     # its own, those of others
            reason = i % 64
            if n:
                counts["lost." + (LOSSES[reason] if reason < len(LOSSES) else str(reason))] += n
        for at, fn, words, flags, result in streams.records(data):
            w = struct.unpack_from("<%dQ" % words, data, at)
            if fn >= 256:
                counts[names.get(fn, str(fn))] += 1
                calls[(stream, at)] = (fn, result)
                continue
            counts[TYPES[fn] if fn < len(TYPES) else str(fn)] += 1
            if fn == 5:
                queued, submit, start, end, _ = times(flags, w)
                if not (0 < queued <= submit <= start <= end):
                    sys.exit(f"impossible times {queued} {submit} {start} {end}")
            if fn == 6:
                counts["UNTIMED." + LOSSES[w[2] & 0xffffffff]] += 1
                counts["UNTIMED.result.%d" % result] += 1
            if fn in (5, 6):
                links.append((w[1] & 0xffffffff, (w[1] >> 32) * 8))
    for link in links:
        if link not in calls or calls[link][0] not in enqueues or calls[link][1] != 0:
            sys.exit(f"a device record leads to {link}: {calls.get(link)}")
    if len(set(links)) != len(links):
        sys.exit("two device records of one call")
    for place, (fn, result) in calls.items():
        if fn in enqueues and result == 0:
            counts["accepted"] += 1
            if place not in links_set(links):
                counts["without"] += 1


def links_set(links, cache={}):
    if cache.get("of") is not links:
        cache["of"], cache["set"] = links, set(links)
    return cache["set"]


def main():
    names, enqueues = functions(sys.argv[2])
    counts = collections.Counter()
    for directory in sorted(pathlib.Path(sys.argv[1]).glob("*.[0-9]*")):
        if directory.is_dir():
            check_image(directory, names, enqueues, counts)
    for name in sorted(counts):
        print(name, counts[name])


main()
