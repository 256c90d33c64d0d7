#!/usr/bin/env python3
"""tests/e2e/sass_counts_check.py - counts by instruction, compared with what the stand-in let be counted

    sass_counts_check.py dump TAKEN DUMP
    sass_counts_check.py report TAKEN FILE.ncu-rep PYTHON
    sass_counts_check.py source TAKEN CSV
    sass_counts_check.py opcodes TAKEN FILE.ncu-rep PYTHON: of vector_add, as tools/nvdisasm names them
    sass_counts_check.py stats TAKEN CSV

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
import re
import sys

# What reports call them.
NAMES = {
    "inst_executed": "smsp__sass_inst_executed",
    "thread_inst_executed": "smsp__sass_thread_inst_executed",
    "thread_inst_executed_true": "smsp__sass_thread_inst_executed_pred_on",
    "branch_inst_executed": "smsp__sass_inst_executed_op_branch",
    "memory_l2_theoretical_sectors_global": "smsp__sass_sectors_mem_global",
}


def taken(path):
    """{(correlation id, function, offset, metric of CUPTI): value}, {crc}"""
    counts, crcs = collections.Counter(), set()
    with open(path, encoding="ascii") as lines:
        for line in lines:
            correlation, function, offset, metric, value, crc = line.split()
            counts[int(correlation), function, int(offset), metric] += int(value)
            crcs.add(crc)
    return counts, crcs


def of_metric(counts, metric):
    """{offset: value} of all launches"""
    found = collections.Counter()
    for (_, _, offset, name), value in counts.items():
        if name == NAMES.get(metric, metric):
            found[offset] += value
    return dict(found)


def dump(counts, crcs, path):
    have, asked = collections.Counter(), set()
    line_of = re.compile(r'cuda sass_count \d+ correlation=(\d+) cubin_crc=(\w+) function="([^"]*)" offset=(\d+) metric="([^"]*)" value=(\d+)$')
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            found = line_of.match(line)
            if found:
                asked.add(found[5])
                if found[2] not in crcs:
                    return f"code {found[2]} is none of {crcs}"
                have[int(found[1]), found[3], int(found[4]), NAMES.get(found[5], found[5])] += int(found[6])
    return have == counts or f"{len(have)} counts, not {len(counts)}: {sorted((have - counts).items())[:3]} {sorted((counts - have).items())[:3]}"


def report(counts, _, path, python):
    sys.path.insert(0, python)
    import ncu_report
    actions = [a for part in ncu_report.load_report(path) for a in part]
    if len(actions) != 1:
        return f"{len(actions)} actions"
    begin, seen = int(actions[0]["launch__function_pcs"].as_double()), 0
    if not begin:
        return "the module is not there"
    for name in actions[0].metric_names():
        want = of_metric(counts, name)
        if not want:
            continue
        metric = actions[0][name]
        ids = metric.correlation_ids()
        have = {ids.as_uint64(i) - begin: metric.as_uint64(i) for i in range(metric.num_instances())}
        if have != want or metric.as_uint64() != sum(want.values()):
            return f"{name}: {metric.as_uint64()} {have}, not {sum(want.values())} {want}"
        seen += 1
    return seen == len({key[3] for key in counts}) or f"{seen} metrics"


OPCODES = ("LDG.E", "LDG.E.64", "FADD", "BRA", "STG.E", "EXIT")        # of the kernel's instructions, in their order
BY_OPCODE = {
    "sass__inst_executed_per_opcode": ("inst_executed", False),
    "sass__inst_executed_per_opcode_with_modifier_all": ("inst_executed", True),
    "sass__thread_inst_executed_true_per_opcode": ("thread_inst_executed_true", False),
}


def opcodes(counts, _, path, python):
    sys.path.insert(0, python)
    import ncu_report
    [action] = [a for part in ncu_report.load_report(path) for a in part]
    for name, (of, modifiers) in BY_OPCODE.items():
        want, metric = collections.Counter(), action[name]
        for offset, value in of_metric(counts, of).items():
            want[OPCODES[offset // 16] if modifiers else OPCODES[offset // 16].split(".")[0]] += value
        ids = metric.correlation_ids()
        have = {ids.as_string(i): metric.as_uint64(i) for i in range(metric.num_instances())}
        if have != dict(want) or list(have) != sorted(have) or metric.as_uint64() != sum(want.values()):
            return f"{name}: {metric.as_uint64()} {have}, not {dict(want)}"
    return True


def source(counts, _, path):
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["Address"]]
    begin = min(int(row["Address"]) for row in rows)
    for title, metric in (("Instructions Executed", "inst_executed"), ("Threads Executed", "thread_inst_executed")):
        have = {int(row["Address"]) - begin: int(row[title]) for row in rows if row[title]}
        if have != of_metric(counts, metric):
            return f"{title}: {have}, not {of_metric(counts, metric)} of {rows[:2]}"
    return True


def stats(counts, _, path):
    with open(path, encoding="utf-8") as file:
        rows = {row["Metric"]: row for row in csv.DictReader(file) if row["Metric"] in NAMES}
    want = {metric: sum(of_metric(counts, metric).values()) for metric in rows}
    have = {metric: int(float(row["Avg"]) * int(row["Launches"])) for metric, row in rows.items()}
    return bool(rows) and (have == want or f"{have}, not {want}")


def main():
    how = {"dump": dump, "report": report, "source": source, "stats": stats, "opcodes": opcodes}[sys.argv[1]]
    answer = how(*taken(sys.argv[2]), *sys.argv[3:])
    sys.exit(0 if answer is True else str(answer))


main()
