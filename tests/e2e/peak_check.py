"""peak_check.py VALUES TRUTH PEAK [SOURCE] - what `gputap metrics --format csv` says of a peak is the program's bytes and time by it

PEAK: bytes a second, or what `gputap info --json` printed of the trace.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import re
import sys


def main():
    values, truth, peak, *source = sys.argv[1:]
    with open(truth, encoding="utf-8") as f:
        own = {}
        for line in f:
            row = dict(re.findall(r"(\w+)=(\S+)", line))
            own.setdefault(row["name"], row)        # the first launch of a kernel is told
    if peak.endswith(".json"):
        with open(peak, encoding="utf-8") as f:
            info = json.load(f)
        one, = info["peaks"]
        assert one["device"] == info["devices"][0]["name"].strip() and one["launches"] >= 9, one
        peak, source = one["bytes"] * 1e9 / one["ns"], ["measured (%s)" % one["kernel"]]
    wrong, seen = [], 0
    with open(values, encoding="utf-8", newline="") as f:
        told = {}
        for r in csv.DictReader(f):
            told.setdefault((r["Kernel"], r["Metric"]), r["Value"])
    for name, row in own.items():
        def metric(what, kernel=name):
            return told[kernel, "opencl__" + what]
        # the device's time in the trace is on the host's clock: it may lose a few ns of its rate
        rate = int(row["buffer_bytes"]) * 1e9 / int(row["duration"])
        share = 100 * rate / float(peak)
        seen += 1
        if abs(float(metric("peak_bandwidth")) - float(peak)) > 0.01 * (1 + float(peak) / 1e12):
            wrong.append("%s: peak %s, not %s" % (name, metric("peak_bandwidth"), peak))
        beyond = share > 100.1       # that is no share
        if beyond != (not metric("buffer_bandwidth_share")) and abs(share - 100) > 0.1:
            wrong.append("%s: share '%s' of %s" % (name, metric("buffer_bandwidth_share"), share))
        elif not beyond and abs(float(metric("buffer_bandwidth_share") or share) - share) > 0.006 + share * (2 / int(row["duration"]) + 0.001):
            wrong.append("%s: share %s, not %s" % (name, metric("buffer_bandwidth_share"), share))
        if metric("peak_bandwidth_source") != source[0]:
            wrong.append("%s: source %s, not %s" % (name, metric("peak_bandwidth_source"), source[0]))
    print(*wrong or ["%d kernels" % seen], sep="\n")
    return bool(wrong) or not seen


if __name__ == "__main__":
    sys.exit(main())
