#!/usr/bin/env python3
"""tests/e2e/pm_samples_check.py - samples of performance monitors, compared with what the stand-in gave away

    pm_samples_check.py report TAKEN FILE.ncu-rep PYTHON METRIC...
    pm_samples_check.py counters TAKEN SHOWN METRIC...: SHOWN by tests/golden/perfetto_dump.py, of one launch
        METRIC may end with " (run N)"
    pm_samples_check.py sqlite TAKEN FILE.sqlite METRIC...: of one launch, named as above
    pm_samples_check.py dump TAKEN DUMP: every sample of every run whose launch is in the trace

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import sqlite3
import sys

HALF = 1000             # ns: half an interval
ROUNDING = 4            # ns: the kernel's times were converted to the session's clock and back


def taken(path):
    """Kernels as (start, end); {start of a sample: (end, threads)}"""
    kernels, samples = [], {}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            what, begin, end, threads, _ = line.split()
            if what == "kernel":
                kernels.append((int(begin), int(end)))
            elif what == "sample":
                samples[int(begin)] = (int(end), int(threads))
    return kernels, samples


def value(metric, threads):
    return float(sum(map(ord, metric)) + threads)


def overlapping(kernel, samples, by):
    return {begin for begin, (end, _) in samples.items() if begin < kernel[1] + by and end > kernel[0] - by}


def whole_of(metric, values):
    """What the metric has over the kernel."""
    if metric.endswith((".sum", ".avg")):
        return sum(values)
    return max(values) if ".max" in metric else sum(values) / len(values)


def report(path, file, python, *metrics):
    sys.path.insert(0, python)
    import ncu_report
    kernels, samples = taken(path)
    actions = [a for part in ncu_report.load_report(file) for a in part]
    if len(actions) != 1:
        return f"{len(actions)} actions"
    for name in metrics:
        metric = actions[0]["pmsampling:" + name]
        ids = metric.correlation_ids()
        have = {ids.as_uint64(i): metric.as_double(i) for i in range(metric.num_instances())}
        if not any(overlapping(k, samples, -ROUNDING) <= set(have) <= overlapping(k, samples, ROUNDING) for k in kernels):
            return f"{name}: {len(have)} samples {sorted(have)[:2]}, not those of one of {kernels}"
        wrong = {begin: v for begin, v in have.items() if v != value(name, samples[begin][1])}
        if wrong or not have:
            return f"{name}: {sorted(wrong.items())[:2]} of {len(have)}"
        if abs(metric.as_double() - whole_of(name, list(have.values()))) > 1e-6 * abs(metric.as_double()):
            return f"{name}: {metric.as_double()} is not the whole of {list(have.values())[:3]}"
    return True


def counters(path, file, *metrics):
    kernels, samples = taken(path)
    with open(file, encoding="utf-8") as lines:
        text = lines.read()
    for name in metrics:
        track = re.findall(r"^track (\d+) under \d+: 'pmsampling:%s', counts '" % re.escape(name), text, re.M)
        if len(track) != 1:
            return f"{name}: {len(track)} tracks"
        *have, last = [(int(at), float(v)) for at, v in re.findall(r"^(\d+) on %s = (.*)$" % track[0], text, re.M)]
        name = name.split(" (run ")[0]
        fits = [[(begin, value(name, samples[begin][1])) for begin in sorted(overlapping(k, samples, by))]
                for k in kernels for by in (-ROUNDING, ROUNDING)]
        same = [f for f in fits if [v for _, v in f] == [v for _, v in have]]
        if not have or not same or last[1] != 0:
            return f"{name}: {have[:2]} of {len(have)}, {last}, not {[f[:2] for f in fits]}"
        by = [at - want for (at, _), (want, _) in zip(have, same[0])]   # from the device's clock to the session's
        if max(by) - min(by) > HALF:
            return f"{name}: not at the samples' times, but off by {min(by)} to {max(by)}"
    return True


def sqlite(path, file, *metrics):
    """
    Each sample of the kernel's time has a row, as far behind the launch's beginning as it was behind that of its own run's:
    in the session's clock, in which the kernel of this run lasts as long as its own row says.
    """
    kernels, samples = taken(path)
    db = sqlite3.connect(file)
    (start, end, device), = db.execute("SELECT start, end, deviceId FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall()
    names = [n for n, in db.execute("SELECT metricName FROM TARGET_INFO_GPU_METRICS")]
    if sorted(names) != sorted("pmsampling:" + m for m in metrics):
        return f"{names}"
    for name in metrics:
        rows = db.execute("SELECT rawTimestamp, timestamp, value, typeId & 255, typeName FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS "
                          "USING (typeId, metricId) WHERE metricName = ? ORDER BY 1", ("pmsampling:" + name,)).fetchall()
        have = {row[0]: row for row in rows}
        kernel = next((k for k in kernels if overlapping(k, samples, -ROUNDING) <= set(have) <= overlapping(k, samples, ROUNDING)), None)
        if not rows or len(have) != len(rows) or not kernel:
            return f"{name}: {rows[:2]} of {len(rows)}, not those of one of {kernels}"
        rate = 1 if "(run " in name else (end - start) / (kernel[1] - kernel[0])
        for raw, at, number, gpu, of in rows:
            if number != round(value(name.split(" (run ")[0], samples[raw][1])) or gpu != device or not of:
                return f"{name}: {number}, device {gpu} {of}, not {samples[raw]}, device {device}"
            if abs((at - start) - (raw - kernel[0]) * rate) > 2 * ROUNDING:
                return f"{name}: {at - start} ns behind the launch, not {raw - kernel[0]}, at a rate of {rate}"
    return True


def dump(path, file):
    _, samples = taken(path)
    have = []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            found = re.match(r"cuda pm_sample \d+ correlation=\d+ plan=\d+ number=\d+ begin_ns=(\d+) end_ns=(\d+)$", line)
            if found:
                have.append((int(found[1]), int(found[2])))
    want = sorted((begin, end) for begin, (end, _) in samples.items())
    return (want and sorted(have) == want) or f"{len(have)} samples, not {len(want)}: {sorted(set(have) ^ set(want))[:3]}"


def main():
    answer = {"report": report, "counters": counters, "sqlite": sqlite, "dump": dump}[sys.argv[1]](*sys.argv[2:])
    sys.exit(0 if answer is True else answer)


main()
