#!/usr/bin/env python3
"""tests/fault/damage.py GPUTAP TRACE - cut and change every file of a trace; the tool ends well and says what is wrong

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import shutil
import subprocess
import sys

tool, trace = sys.argv[1:3]
chance = random.Random(20)
files = sorted(os.path.relpath(os.path.join(d, f), trace) for d, _, names in os.walk(trace) for f in names)
commands = [["info", "--json"], ["stats", "-q", "-r", "opencl_api_sum"], ["export", "-q", "-f", "-e", "atp,apilog,sqlite,perfetto", "-o", "damaged-out"]]
runs = refused = bad = 0


def look(what):
    global runs, refused, bad
    for c in commands:
        r = subprocess.run([tool] + c + ["damaged.gputap"], capture_output=True, timeout=60)
        runs += 1
        refused += r.returncode == 3
        if r.returncode not in (0, 3) or (r.returncode == 3 and not r.stderr.startswith(b"gputap: ")):
            bad += 1
            print(f"FAILED: {what}: {c[0]} ends with {r.returncode}: {r.stderr.decode(errors='replace')[-200:]}")


def change(name, edit):
    shutil.rmtree("damaged.gputap", ignore_errors=True)
    shutil.copytree(trace, "damaged.gputap")
    path = os.path.join("damaged.gputap", name)
    with open(path, "rb") as f:
        data = f.read()
    data = edit(data)
    with open(path, "wb") as f:
        f.write(data)


def flipped(data):
    data = bytearray(data)
    for _ in range(8):
        if data:
            # Most of a stream file is empty: damage where something stands.
            data[chance.randrange(min(len(data), 20000))] ^= 1 << chance.randrange(8)
    return bytes(data)


for name in files:
    with open(os.path.join(trace, name), "rb") as f:
        size = len(f.read())
    for at in sorted({0, 1, min(7, size), min(63, size), size // 3, max(0, size - 1), chance.randrange(size + 1), min(size, 4096 + chance.randrange(4096))}):
        change(name, lambda data: data[:at])
        look(f"{name} cut at {at}")
    for i in range(6):
        change(name, flipped)
        look(f"{name} with flipped bits, {i}")
    change(name, lambda data: bytes(chance.randrange(256) for _ in range(min(size, 9000))))
    look(f"{name} replaced by noise")
    os.remove(os.path.join("damaged.gputap", name))
    look(f"{name} missing")
print(f"{runs} looks at damaged traces, {refused} refused with a message, {bad} bad")
sys.exit(bad != 0)
