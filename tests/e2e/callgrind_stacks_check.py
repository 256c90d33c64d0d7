#!/usr/bin/env python3
"""tests/e2e/callgrind_stacks_check.py TRACE SOURCES [lines] - call stacks in a profile lead to the lines and addresses of the calls

TRACE.callgrind, made with --callgrind-instr of a program of the folder SOURCES: the source line of each call names who is called,
and at its address objdump shows a call. Without the word "lines" there may be none (where libdw is missing there are none).

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import sys

import callgrind_profile


def calls_in(path):
    """Addresses of the call instructions of an object."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    return {int(m, 16) for m in re.findall(r"^\s*([0-9a-f]+):\s+(?:callq?|bl|blr)\b", text, re.M)}


def main(trace, sources, wanted=""):
    (part,) = callgrind_profile.read(trace + ".callgrind")
    lines, places, objects = 0, 0, {}
    for (caller, line, address, callee) in part.lines:
        path = os.path.join(sources, os.path.basename(caller[1]))
        if line and os.path.exists(path) and "/e2e/" in caller[1]:
            with open(path, encoding="utf-8") as f:
                text = f.read().split("\n")[line - 1]
            assert callee[2] + "(" in text or ".run(" in text, (caller, line, callee, text)
            lines += 1
        if int(address, 16) and os.path.exists(caller[0]) and "/e2e/" in caller[0]:
            if caller[0] not in objects:
                objects[caller[0]] = calls_in(caller[0])
            at = int(address, 16)
            assert any(a <= at < a + 8 for a in objects[caller[0]]), (caller, address)
            places += 1
    assert places >= 10 and (lines >= 10 or wanted != "lines"), (lines, places)
    total = sum(part.own.values())
    assert total > 0
    root = [f for f in part.functions() if f[1] == "[threads]"]
    for event in part.events:
        assert sum(part.inclusive(f, event) for f in root) == part.total(event), event
    print("%d lines, %d addresses" % (lines, places))


main(*sys.argv[1:])
