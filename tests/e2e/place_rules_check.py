"""place_rules_check.py REPORT RULE... - each rule speaks of the last launch of bad_RULE and not of the last one of good_RULE

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
report, *rules = sys.argv[1:]
out = subprocess.run([sys.executable, str(TOP / "python/gputap-rules"), "apply", report], stdout=subprocess.PIPE, check=True).stdout
results = [line["result"] for line in map(json.loads, out.decode().splitlines()) if "result" in line]
wrong = []
for rule in rules:
    last = {r["kernel"]: [m["text"] for m in r["messages"]] for r in sorted(results, key=lambda r: r["action"]) if r["rule"] == rule}
    if not last.get("bad_" + rule) or last.get("good_" + rule, ["it was not applied"]):
        wrong.append("%s: bad %s, good %s" % (rule, last.get("bad_" + rule), last.get("good_" + rule)))
print(len(rules), "rules", *wrong, sep="\n")
sys.exit(bool(wrong))
