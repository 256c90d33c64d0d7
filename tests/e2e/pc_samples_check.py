#!/usr/bin/env python3
"""tests/e2e/pc_samples_check.py - samples of the program counter, compared with what the stand-in let be sampled

    pc_samples_check.py dump TAKEN DUMP
    pc_samples_check.py report TAKEN FILE.ncu-rep PYTHON
    pc_samples_check.py source TAKEN CSV
    pc_samples_check.py lines TAKEN CSV SOURCE: of the kernel vector_add, the second one of the stand-in's modules
    pc_samples_check.py calls TAKEN CSV FUNCTION...: the module's functions in their order
    pc_samples_check.py genuine FILE.ncu-rep PYTHON SOURCE: of a module that nvcc made

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
    begin = int(actions[0]["launch__function_pcs"].as_double())
    if not begin:
        return "the module is not there"
    for name in sorted({key[3] for key in counts}) + [ALL]:
        metric, want = actions[0][name], of_reason(counts, name)
        ids = metric.correlation_ids()
        have = {ids.as_uint64(i) - begin: metric.as_uint64(i) for i in range(metric.num_instances())}
        if have != want or metric.as_uint64() != sum(want.values()):
            return f"{name}: {metric.as_uint64()} {have}, not {sum(want.values())} {want}"
    return True


def source(counts, path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    want = of_reason(counts, ALL)
    rows = [row for row in rows if row["Address"]]
    begin = min(int(row["Address"]) for row in rows)
    have = {int(row["Address"]) - begin: int(row["Samples"]) for row in rows if row["Samples"]}
    return have == want or f"{have}, not {want} of {rows[:2]}"


def lines(counts, path, source_file):
    """Two instructions in a row are of one line (tests/fakegpu/cubin.c)."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    want = collections.Counter()
    for offset, samples in of_reason(counts, ALL).items():
        want[12 + offset // 32] += samples
    have = {int(row["#"]): int(row[ALL]) for row in rows if row[ALL]}
    if have != dict(want) or {row["File"] for row in rows} != {source_file}:
        return f"{have}, not {dict(want)} of {rows[:2]}"
    with open(source_file, encoding="utf-8") as text:
        return [row["Source"] for row in rows][:40] == text.read().split("\n")[:40] or "another text"


def calls(counts, path, *functions):
    """The source page has the lines of all functions: ten lines lie between the first ones of two (tests/fakegpu/cubin.c)."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    want = collections.Counter()
    for (_, function, offset, name), samples in counts.items():
        if not name.endswith("_not_issued"):
            want[10 * functions.index(function) + 2 + offset // 32] += samples
    have = {int(row["#"]): int(row["Samples"]) for row in rows if row["View"] == "source" and row["Samples"]}
    return (have == dict(want) and len({key[1] for key in counts}) == len(functions)) or f"{have}, not {dict(want)} of {rows[:2]}"


def genuine(path, python, source_file):
    """Each line of the source has the PTX that it is translated to."""
    sys.path.insert(0, python)
    import ncu_report
    action = ncu_report.load_report(path)[0][0]
    metric, ptx, found = action[ALL], collections.defaultdict(str), collections.Counter()
    ids = metric.correlation_ids()
    for i in range(metric.num_instances()):
        place = action.source_info(ids.as_uint64(i))
        if place is None or place.file_name() != source_file:
            return f"{ids.as_uint64(i)}: {place and place.file_name()}"
        ptx[place.line()] += action.ptx_by_pc(ids.as_uint64(i)) + "\n"
        found[place.line()] += metric.as_uint64(i)
    if sum(found.values()) != metric.as_uint64():
        return f"{sum(found.values())} samples of {metric.as_uint64()} have a line"
    with open(source_file, encoding="utf-8") as text:
        for number, line in enumerate(text.read().split("\n"), 1):
            said = re.search(r"// ptx: (\S+)", line)
            if said and said[1] not in ptx[number]:
                return f"line {number} has not {said[1]}: {ptx[number]}"
    return True


def main():
    how, counts = sys.argv[1], taken(sys.argv[2]) if sys.argv[1] != "genuine" else sys.argv[2]
    more = [crc_of(sys.argv[2])] if how == "dump" else []
    sys.exit(0 if (answer := {"dump": dump, "report": report, "source": source, "lines": lines, "calls": calls, "genuine": genuine}[how](counts, *sys.argv[3:], *more)) is True else answer)


main()
