#!/usr/bin/env python3
"""tests/e2e/cl_long_args.py - compares what cl_long_args printed with the arguments that `gputap dump --json` shows

cl_long_args.py OUT DUMP whole|cut: each list and text must be there with all of its elements, or be the beginning of it and
named by `cut` at its call.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import sys


def numbers(value):
    """The elements as the program summed them up."""
    if isinstance(value, list):
        return [int(v, 0) if isinstance(v, str) else v for v in value]
    if value and set(value) <= set("0123456789abcdefABCDEF"):
        return list(bytes.fromhex(value))
    return list(value.encode("latin-1"))


def main():
    out, dump, wanted = sys.argv[1:]
    said = {}
    with open(out) as f:
        for line in f:
            function, parameter, n, total = line.split()
            said[function, parameter] = int(n), int(total)
    found, wrong = set(), []
    with open(dump) as f:
        for line in f:
            call = json.loads(line)
            for (function, parameter), (n, total) in said.items():
                value = call.get("args", {}).get(parameter) if call.get("name") == function else None
                if value is None or len(value) < 500:           # another call of that name, or an address
                    continue
                elements, cut = numbers(value), parameter in call.get("cut", [])
                whole = len(elements) == n and sum(elements) % 2**64 == total
                if (whole and not cut) if wanted == "whole" else (cut and len(elements) < n):
                    found.add((function, parameter))
                else:
                    wrong.append("%s %s: %d of %d elements, cut %s" % (function, parameter, len(elements), n, cut))
    wrong += ["%s %s: not there" % missing for missing in set(said) - found]
    print("\n".join(wrong) or "%d are %s" % (len(found), wanted))
    return bool(wrong) or len(found) < 6


sys.exit(main())
