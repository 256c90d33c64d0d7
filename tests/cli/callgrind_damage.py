#!/usr/bin/env python3
"""tests/cli/callgrind_damage.py PROFILE... - a damaged or hostile profile is read or refused with a line, within bounded memory

Each profile is changed at random places (a fixed beginning of the random numbers): bytes, lines and pieces of lines are changed,
taken away, doubled and swapped, and the file is cut.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

TOOL = os.environ["GPUTAP_BUILD"] + "/gputap"
ROUNDS = int(os.environ.get("DAMAGE_ROUNDS", "120"))
LIMIT = 0 if os.environ.get("SAN") else 256 << 20
WORDS = [b"calls=", b"fn=", b"(1)", b"(99999999999999999999)", b"0x", b"18446744073709551615", b"events: A B", b"positions: instr",
         b"version: 1", b"event: A = A", b"+", b"-1", b"*", b"jump=1 2", b"totals: 1", b"\0", b"\xff", b"cfn=(3) x", b"pid: 1"]


def bounded():
    if LIMIT:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def read(path):
    run = subprocess.run([TOOL, "stats", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, preexec_fn=bounded)
    said = run.stderr.decode(errors="replace")
    assert run.returncode in (0, 3), (run.returncode, said)
    if run.returncode == 3:
        assert re.search(r"\.callgrind:\d+: ", said), said
        assert not run.stdout
    return run


def damaged(rng, text):
    lines = text.split(b"\n")
    for _ in range(rng.randrange(1, 6)):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        line, at = lines[i], rng.randrange(len(lines[i]) + 1)
        how = rng.randrange(8)
        if how == 0:
            lines[i] = line[:at] + bytes([rng.randrange(256)]) + line[at + 1:]
        elif how == 1:
            lines[i] = line[:at] + line[at + 1:]
        elif how == 2:
            lines[i] = line[:at] + rng.choice(WORDS) + line[at:]
        elif how == 3:
            lines[i], lines[j] = lines[j], lines[i]
        elif how == 4:
            del lines[i:i + rng.randrange(1, 4)]
            lines = lines or [b""]
        elif how == 5:
            lines.insert(j, line)
        elif how == 6:
            lines[i] = rng.choice(WORDS) + line[at:]
        else:
            del lines[max(i, 1):]
    return b"\n".join(lines)


# what a file spells out in few bytes and a careless reader takes much for
HOSTILE = [
    b"events: A\nfn=(4294967295) x\n1 1\nfn=(18446744073709551615) y\n1 1\n",
    b"events: " + b" ".join(b"E%d" % i for i in range(1000)) + b"\n",
    b"".join(b"event: E%d = E%d + E%d\n" % (i, i + 1, i + 1) for i in range(63)) + b"event: E63 = A\nevents: A\nfn=f\n1 1\n",
    b"".join(b"event: E%d = 4000000000 E%d\n" % (i, i + 1) for i in range(60)) + b"event: E60 = A\nevents: A\nfn=f\n1 1\n",
    b"events: A\n" + b"pid: 1\nevents: A\nfn=f\n1 1\n" * 20000,
    b"events: A\nfn=" + b"x" * (20 << 20) + b"\n1 1\n",
    b"events: A\n" + b"".join(b"fn=f%d\ncfn=f%d\ncalls=1 1\n1 1\n" % (i, i + 1) for i in range(100000)),
    b"events: A\n" + b"#" * 1000000 + b"\n" + b"\n" * 1000000,
    b"events: A\nfn=f\n0x" + b"f" * 100000 + b" 1\n",
    b"events: A\nfn=f\n1 " + b"0" * 1000000 + b"1\n",
]


def main(paths):
    rng, runs, refused = random.Random(20260101), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/damaged.callgrind"
        texts = [open(p, "rb").read() for p in paths]
        for text in [damaged(rng, rng.choice(texts)) for _ in range(ROUNDS)] + HOSTILE:
            with open(path, "wb") as f:
                f.write(text)
            try:
                refused += read(path).returncode == 3
            except (AssertionError, subprocess.TimeoutExpired):
                with open("failed.callgrind", "wb") as f:
                    f.write(text)
                raise
            runs += 1
        # A line without an end, of which no more is read than a line may have: it was taken for the end of the file.
        with open(path, "wb") as f:
            f.write(b"events: A\nfn=f\n1 1\n")
            f.truncate(4 << 30)
        assert b":4: a line of more than 16 MiB" in read(path).stderr
    assert 0 < refused < runs
    print("%d files, %d of them refused" % (runs, refused))


main(sys.argv[1:])
