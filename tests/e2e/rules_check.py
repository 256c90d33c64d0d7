"""rules_check.py TRUTH METRICS - gputap's rules speak of the kernels bad_RULE and of none of good_RULE

TRUTH: the rules that the program could show, a line each. METRICS: a report (.ncu-rep), or what `gputap metrics --format csv`
prints, of which a report is composed by field numbers. A rule that a trace shows to be of no use there is silent.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "tests/rules"))
import compose as c         # noqa: E402

# A busy kernel has no trouble with waiting warps: what deserves these rules deserves the other too.
WAITING = {"IssueSlots", "OccupancyAchieved", "WarpStalls"}
NOT_ON_CPU = {"OpenCLLocalMemory"}
SECTIONS = ("OpenCLLaunch", "OpenCLOccupancy", "OpenCLMemory")


def composed(path):
    """A report of the table's kernels; returns its name."""
    kernels, strings = {}, c.Strings()
    with open(path, encoding="utf-8", newline="") as f:
        rows = csv.reader(f)
        next(rows)
        for kernel, name, value, unit, why in rows:
            if value:
                value = value.replace(",", "")
                value = float(value) if "." in value else int(value) if value.isdigit() else value
            kernels.setdefault(kernel, []).append(c.metric(strings, name, value if value != "" else None, unit=unit, why=why))
    with open("composed.ncu-rep", "wb") as f:
        f.write(c.report(c.block(strings, results=[c.kernel(strings, n, ms, sections=SECTIONS) for n, ms in kernels.items()])))
    return "composed.ncu-rep"


def on_cpu(report):
    """Of a report that was made of a trace."""
    sys.path.insert(0, str(TOP / "python"))
    import ncu_report
    return any(action.trace() and action.trace().shape()["on_cpu"] for part in ncu_report.load_report(report) for action in part)


def main():
    truth, metrics = sys.argv[1:]
    with open(truth, encoding="utf-8") as f:
        rules = f.read().split()
    report = metrics if metrics.endswith(".ncu-rep") else composed(metrics)
    out = subprocess.run([sys.executable, str(TOP / "python/gputap-rules"), "apply", report, "--least", "0"], stdout=subprocess.PIPE, check=True).stdout
    lines = [json.loads(line) for line in out.decode().splitlines()]
    spoke = {}
    for line in lines:
        # rules of no section look at times, which are the machine's
        if line.get("result", {}).get("messages") and line["result"]["section"]:
            # what is said of several kernels is said with one, and lists all of them
            for kernel in {line["result"]["kernel"]} | {row[0] for m in line["result"]["messages"] for t in m["tables"]
                                                        if t["header"][:2] == ["kernel", "size"] for row in t["rows"]}:
                spoke.setdefault(kernel, []).append(line["result"]["rule"])
    wrong = [line["failed"] for line in lines if "failed" in line]
    for rule in rules:
        expected = [] if rule in NOT_ON_CPU and metrics.endswith(".ncu-rep") and on_cpu(metrics) else \
            sorted({rule} | ({"Bottleneck"} if rule in WAITING else set()))
        if sorted(spoke.get("bad_" + rule, [])) != expected:
            wrong.append("bad_%s: %s" % (rule, spoke.get("bad_" + rule)))
        if "good_" + rule in spoke:
            wrong.append("good_%s: %s" % (rule, spoke["good_" + rule]))
    print("%d rules, %d kernels" % (len(rules), lines[-1]["end"]["kernels"]), *wrong, sep="\n")
    return bool(wrong) or not rules or lines[-1]["end"]["kernels"] != 2 * len(rules)


if __name__ == "__main__":
    sys.exit(main())
