"""metric_sum_check.py GPUTAP TRACE [METRIC...] - stats -r kernel_metric_sum against each launch of the report; METRICs are in it, with values

With METRICs the report may show these alone.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import subprocess
import sys

tool, trace, *wanted = sys.argv[1:]


def rows(*words):
    out = subprocess.run([tool, *words, trace], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    return list(csv.DictReader(out.splitlines()))


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


units, *launches = rows("report", "--page", "raw", "--csv", "--launch-count", "0")
values = {}
for launch in launches:
    for name, text in launch.items():
        if "__" in name and not name.startswith("device__") and number(text) is not None:
            values.setdefault((launch["Kernel Name"], name), []).append(number(text))
sums = {(r["Kernel"], r["Metric"]): r for r in rows("stats", "-q", "-r", "kernel_metric_sum", "--format", "csv")}
wrong = ["%s of %s in one alone" % key[::-1] for key in set(sums) ^ set(values) if not wanted]
wrong += ["%s is not there" % m for m in wanted if m not in {name for _, name in set(sums) & set(values)}]
for key in set(sums) & set(values):
    v, r = values[key], sums[key]
    want = [len(v), sum(v) / len(v), min(v), max(v)]
    if any(abs(a - float(r[b])) > 0.0051 + 1e-9 * abs(a) for a, b in zip(want, ("Launches", "Avg", "Min", "Max"))) or r["Unit"] != units[key[1]]:
        wrong.append("%s: %s, not %s" % (key, r, want))
print("%d metrics" % len(sums), *wrong[:20], sep="\n")
sys.exit(bool(wrong) or not sums)
