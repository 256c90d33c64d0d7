#!/usr/bin/env python3
"""tests/e2e/pc_samples_check.py - samples of the program counter, compared with what the stand-in let be sampled

    pc_samples_check.py dump TAKEN DUMP
    pc_samples_check.py report TAKEN FILE.ncu-rep PYTHON
    pc_samples_check.py source TAKEN CSV

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import re
import sys
import tempfile

ALL = "smsp__pcsamp_sample_count"


def taken(path):
    """{(correlation id, function, offset, reason): samples}"""
    counts = collections.Counter()
    with open(path, encoding="ascii") as lines:
        for line in lines:
            correlation, function, offset, reason, samples, _ = line.split()
            counts[int(correlation), function, int(offset), reason] += int(samples)
    return counts


def crc_of(path):
    """What CUPTI calls the code of all of them."""
    with open(path, encoding="ascii") as lines:
        return {line.split()[5] for line in lines}


def of_reason(counts, reason):
    """{offset: samples} of the only launch; ALL: of all reasons that are no part of others"""
    found = collections.Counter()
    for (_, _, offset, name), samples in counts.items():
        if name == reason or (reason == ALL and not name.endswith("_not_issued")):
            found[offset] += samples
    return dict(found)


def dump(counts, path, crcs):
    have = collections.Counter()
    line_of = re.compile(r'cuda sample \d+ correlation=(\d+) cubin_crc=(?:%s) function="([^"]*)" offset=(\d+) reason="([^"]*)" samples=(\d+)$' % "|".join(crcs))
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            found = line_of.match(line)
            if found:
                have[int(found[1]), found[2], int(found[3]), found[4]] += int(found[5])
    return have == counts or f"{len(have)} counts, not {len(counts)}: {sorted((have - counts).items())[:3]} {sorted((counts - have).items())[:3]}"


def report(counts, path, python):
    sys.path.insert(0, python)
    import ncu_report
    with tempfile.NamedTemporaryFile(suffix=".ncu-rep") as copy, open(path, "rb") as file:
        copy.write(file.read())
        copy.flush()
        actions = [a for part in ncu_report.load_report(copy.name) for a in part]
    if len(actions) != 1:
        return f"{len(actions)} actions"
    for name in sorted({key[3] for key in counts}) + [ALL]:
        metric, want = actions[0][name], of_reason(counts, name)
        ids = metric.correlation_ids()
        have = {ids.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}
        if have != want or metric.as_uint64() != sum(want.values()):
            return f"{name}: {metric.as_uint64()} {have}, not {sum(want.values())} {want}"
    return True


def source(counts, path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    want = of_reason(counts, ALL)
    have = {int(row["Address"]): int(row["Samples"]) for row in rows}
    return have == want or f"{have}, not {want} of {rows[:2]}"


def main():
    how, counts = sys.argv[1], taken(sys.argv[2])
    more = [crc_of(sys.argv[2])] if how == "dump" else []
    sys.exit(0 if (answer := {"dump": dump, "report": report, "source": source}[how](counts, *sys.argv[3:], *more)) is True else answer)


main()
