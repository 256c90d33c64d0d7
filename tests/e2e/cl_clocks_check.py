#!/usr/bin/env python3
"""What a trace of tests/e2e/cl_clocks says of its times: cl_clocks_check.py INFO.json SUM.csv HOST KERNELS NS

right: complete, and the kernels' sum lies between that of the kernels alone (KERNELS of NS each) and what the host saw.
doubtful: the trace says that a clock was stepped, or that times cannot be. WRONG: neither.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import sys

info = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2])))
host, kernels, each = float(open(sys.argv[3]).read().split()[-1]), int(sys.argv[4]), float(sys.argv[5])
failed = [c["name"] for c in info["checks"] if c["failed"]]
looked = dict.fromkeys(("begins", "waits"), 0)
looked.update((c["name"], c["looked"]) for c in info["checks"])
total = sum(float(value) for row in rows for name, value in row.items() if name.startswith("Total Time"))
# a kernel during which the clock was stepped; and what took longer than the process lasted, by a clock that runs that fast
reversed_ones = info["ledger"].get("TIME_REVERSED", 0)
impossible = info["ledger"].get("TIME_IMPOSSIBLE", 0)
untimed = reversed_ones + impossible
told = "CLOCK_BREAK" in info["ledger"] or failed or untimed
if looked["begins"] != kernels - untimed or looked["waits"] < kernels - 2 * untimed or reversed_ones > 1 or impossible > kernels / 2:
    print("WRONG: looked at", looked, info["ledger"])
elif told:
    print("doubtful: complete %s, %s" % (info["complete"], " ".join(sorted(info["ledger"]))))
elif info["complete"] and kernels * each * 0.999 <= total <= host * 1.001:
    print("right")
else:
    print("WRONG: complete %s, %.0f ns of kernels in %.0f ns" % (info["complete"], total, host))
