#!/usr/bin/env python3
"""tests/e2e/stack_damage_check.py GPUTAP PROGRAM - copies of a program with other bytes in .eh_frame_hdr or .eh_frame

The random numbers begin at a fixed place. Some bytes are those of lengths and offsets, which lead far away. Untraced, the
program never reads these tables.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import re
import subprocess
import sys

COPIES = 40


def sections(path):
    text = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    return {name: (int(at, 16), int(n, 16)) for name, at, n in re.findall(r"\] (\.eh_frame\w*) +\w+ +\w+ (\w+) (\w+)", text)}


def run(*words):
    done = subprocess.run(words, capture_output=True, timeout=60)
    return done.returncode, done.stdout


def main(gputap, program):
    rng, failed = random.Random(20261124), 0
    whole, tables = open(program, "rb").read(), sections(program)
    assert set(tables) == {".eh_frame", ".eh_frame_hdr"}, tables
    plain = run(program)
    for copy in range(COPIES):
        name = rng.choice(sorted(tables))
        at, n = tables[name]
        damaged = bytearray(whole)
        for _ in range(rng.choice((1, 4, 40))):
            damaged[at + rng.randrange(n)] = rng.randrange(256)
        with open("damaged", "wb") as f:
            f.write(damaged)
        os.chmod("damaged", 0o755)
        assert run("./damaged") == plain
        traced = run(gputap, "run", "-q", "-f", "-o", "t", "--callstacks", "--", "./damaged")
        complete = b"complete: yes" in run(gputap, "info", "t.gputap")[1]
        read = run(gputap, "stats", "-r", "call_sites", "t.gputap")[0]
        if traced != plain or not complete or read:
            failed += 1
            print("FAILED: copy %d, %s: status %d, %s, stats %d" % (copy, name, traced[0], complete, read))
    print("%d passed, %d failed" % (COPIES - failed, failed))
    return failed > 0


sys.exit(main(*sys.argv[1:]))
