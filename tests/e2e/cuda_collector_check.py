"""tests/e2e/cuda_collector_check.py TRACE WHAT [ARGUMENT...] - one truth about what the CUPTI collector wrote; exit status 1 and a line when it does not hold

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cupti_walk

DEFINING = (8, 9, 37)


def fail(text):
    raise SystemExit("cuda_collector_check: " + text)


def report(path):
    lines = open(path).read().splitlines()
    if not lines or lines[0] != "gputap stand-in":
        fail("no report of the stand-in")
    return {name: int(value) for name, value in (line.split() for line in lines[1:])}


def u32(record, at):
    return struct.unpack_from("<I", record, at)[0]


def u64(record, at):
    return struct.unpack_from("<Q", record, at)[0]


def total(image):
    return sum(len(b["records"]) for b in image.buffers)


def counts(image, path, version=None):
    said = report(path)
    if total(image) != said["records"]:
        fail("%d activities, the library recorded %d" % (total(image), said["records"]))
    if len(image.buffers) != said["buffers-requested"] or said["buffers-declined"]:
        fail("%d buffers, %d were requested, %d declined" % (len(image.buffers), said["buffers-requested"], said["buffers-declined"]))
    if sum(1 for b in image.buffers if b["completed"]) != said["buffers-completed"]:
        fail("buffers that came back: the library gave back %d" % said["buffers-completed"])
    if version and image.library["version"] != int(version):
        fail("version %d" % image.library["version"])


def whole(image):
    numbers = [b["number"] for b in image.buffers]
    if numbers != list(range(1, len(numbers) + 1)):
        fail("buffers are numbered %s" % numbers)
    for b in image.buffers:
        if b["completed"] and (b["read"] != b["valid"] or not b["requested"] <= b["completed"] or not b["tid"] or not b["done_tid"]):
            fail("buffer %d: %s" % (b["number"], {k: v for k, v in b.items() if k != "records"}))
        if b["requested"] < image.library["tick"]:
            fail("buffer %d was asked for before the sizes were told" % b["number"])
        for kind, r in b["records"]:
            at = {10: 104, 8: 136}.get(kind)
            if at and not image.name_of(b, u64(r, at)):
                fail("a record of kind %d in buffer %d has no name" % (kind, b["number"]))
            if kind in (4, 5) and ({4: 1, 5: 2}[kind], u32(r, 4)) not in image.names:
                fail("the call %d of kind %d has no name" % (u32(r, 4), kind))
    if len(image.clocks) < 2:
        fail("%d clock sets" % len(image.clocks))
    for tick, cupti, bracket, real in image.clocks:
        if abs(cupti - real) > 50_000_000:
            fail("the library's clock and the system's are %d ns apart" % (cupti - real))
    if any(image.kinds.values()) or not image.library["flags"] & 1:
        fail("kinds %s, flags %d" % (image.kinds, image.library["flags"]))
    if image.lost:
        fail("lost: %s" % image.lost)


def kinds(image, *wanted):
    for text in wanted:
        kind, n = text.split("=")
        found = image.count(int(kind))
        if found != int(n) if n != "+" else not found:
            fail("%d records of kind %s, %s expected" % (found, kind, n))


def kinds_or_lost(image, wanted, reason):
    kind, n = wanted.split("=")
    found, thrown = image.count(int(kind)), image.lost.get(REASONS.index(reason), 0)
    if found > int(n) or (found < int(n) and not thrown):
        fail("%d records of kind %s, %d buffers thrown away" % (found, kind, thrown))


def graph(image):
    made = [e for e in image.events if e["what"] in (4, 7, 9)]
    nodes = {e["words"][0] for e in image.events if e["what"] in (9, 10)}
    launched = {u32(r, 28) for r in image.records(51)}
    execs = {e["words"][0] for e in image.events if e["what"] == 7}
    calls = {u32(r, 32) for r in image.records(5)} | {u32(r, 32) for r in image.records(4)}
    if not nodes or not execs or 0 in nodes or not launched <= execs | {e["words"][1] for e in image.events if e["what"] == 7}:
        fail("nodes %s, executable graphs %s, launched %s" % (nodes, execs, launched))
    for e in made:
        if e["correlation"] and e["correlation"] not in calls:
            fail("an event belongs to call %d, which is not in the trace" % e["correlation"])
    if not any(e["correlation"] for e in made):
        fail("no event knows its call")


def queued(image):
    for r in image.records(10):
        if not 0 < u64(r, 120) <= u64(r, 128) <= u64(r, 16):
            fail("queued %d submitted %d start %d" % (u64(r, 120), u64(r, 128), u64(r, 16)))


def calls(image, *words):
    found = {image.names[{4: 1, 5: 2}[k], u32(r, 4)] for b in image.buffers for k, r in b["records"] if k in (4, 5)}
    wrong = [name for name in found if not any(w in name for w in words)]
    if wrong or not found:
        fail("calls %s" % sorted(found))


def buffers(image, least):
    if len(image.buffers) < int(least):
        fail("%d buffers" % len(image.buffers))


REASONS = re.findall(r'X\((\w+),\s*"', open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../trace/format/rec.h"), encoding="utf-8").read())


def lost(image, reason, n):
    found = image.lost.get(REASONS.index(reason), 0)
    if found != int(n) if n != "+" else not found:
        fail("%s: %d, all: %s" % (reason, found, image.lost))


def dropped(image, path):
    said = report(path)
    if not said["dropped"] or image.dropped != said["dropped"] or image.lost.get(REASONS.index("CUPTI_DROPPED")) != said["dropped"]:
        fail("dropped %d, the library dropped %d" % (image.dropped, said["dropped"]))


def ring(image, path):
    gone, said = image.lost.get(REASONS.index("RING_OVERWRITTEN"), 0), report(path)
    thrown = image.lost.get(REASONS.index("CUPTI_NO_BUFFER"), 0)
    if not gone or (total(image) + gone != said["records"] and not thrown):
        fail("%d activities and %d overwritten, the library recorded %d" % (total(image), gone, said["records"]))
    if image.buffers[-1]["number"] <= len(image.buffers):
        fail("no place was used again")


def calls_at_least(image, n):
    if image.count(4, 5) < int(n):
        fail("%d calls" % image.count(4, 5))


def named(image):
    kernels = [(b, r) for b in image.buffers for k, r in b["records"] if k == 10]
    if not kernels or any(image.name_of(b, u64(r, 104)) != "nothing" for b, r in kernels):
        fail("%d kernels; strings: %s" % (len(kernels), image.strings))


def idle(image):
    if len(image.buffers) > 12:
        fail("%d buffers in 4 s" % len(image.buffers))


def window(image, which, launches):
    kernels = image.count(10)
    if not 20 <= kernels <= int(launches) - 20 or not image.count(*DEFINING):
        fail("%d kernels, %d definitions" % (kernels, image.count(*DEFINING)))
    switch = [e["tick"] for e in image.events if e["what"] == (15 if which == "late" else 14)]
    if len(switch) != 1:
        fail("events: %s" % [e["what"] for e in image.events])


def late(image):
    if not image.library["flags"] & 4 or image.count(10) != 20 or not image.count(8) or not image.count(9):
        fail("flags %d, %d kernels, %d devices, %d contexts" % (image.library["flags"], image.count(10), image.count(8), image.count(9)))


def main():
    trace, what = sys.argv[1:3]
    found = cupti_walk.images(trace)
    if what == "images":
        if len([i for i in found if i.library]) != int(sys.argv[3]):
            fail("%d images with CUPTI" % len([i for i in found if i.library]))
        return
    if not found:
        fail("no image in %s" % trace)
    globals()[what](found[0], *sys.argv[3:])


main()
