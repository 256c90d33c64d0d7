#!/usr/bin/env python3
"""tests/quality/damage.py TRACE OUT N - N damaged copies of a trace: OUT/0, OUT/1, ...; prints what each has

Half of them are cut (one file, at some byte), half changed (a few bytes, words or runs in one file). The same N makes the
same copies. TRACE may be a directory or one packed file.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import random
import shutil
import sys

WORDS = [0, 1, 255, 256, 65535, 65536, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]


def cut(data, dice):
    place = dice.choice([dice.randrange(len(data)), dice.randrange(len(data)) // 65536 * 65536, dice.randrange(min(len(data), 8192))])
    return data[:place], "cut at %d of %d" % (place, len(data))


def change(data, dice):
    busy = [i for i in dice.sample(range(len(data)), min(len(data), 400)) if data[i]] or [0]
    said = []
    for _ in range(dice.randint(1, 6)):
        at = dice.choice(busy)
        kind = dice.randrange(3)
        if kind == 0:
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            at -= at % 8
            word = dice.choice(WORDS) if dice.random() < .6 else dice.getrandbits(64)
            data[at:at + 8] = word.to_bytes(8, "little")[:len(data) - at]
        else:
            n = min(dice.randint(1, 64), len(data) - at)
            data[at:at + n] = bytes([dice.choice([0, 255])]) * n
        said.append(str(at))
    return data, "changed at " + " ".join(said)


def main():
    trace, out, n = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    for i in range(n):
        dice = random.Random(i)
        copy = out / ("%d.gputap" % i)
        if trace.is_dir():
            shutil.copytree(trace, copy)
        else:
            shutil.copy(trace, copy)
        files = sorted(p for p in (copy.rglob("*") if copy.is_dir() else [copy]) if p.is_file() and p.stat().st_size)
        victim = dice.choice(files)
        data, said = (cut if i % 2 else change)(bytearray(victim.read_bytes()), dice)
        victim.write_bytes(data)
        print(copy.name, victim.relative_to(out), said)


if __name__ == "__main__":
    main()
