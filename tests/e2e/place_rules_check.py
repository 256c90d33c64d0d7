"""place_rules_check.py REPORT RULE... - each rule speaks of a launch of bad_RULE and of none of good_RULE, however short they are

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
report, *rules = sys.argv[1:]
out = subprocess.run([sys.executable, str(TOP / "python/gputap-rules"), "apply", report, "--least", "0"], stdout=subprocess.PIPE, check=True).stdout
results = [line["result"] for line in map(json.loads, out.decode().splitlines()) if "result" in line]
wrong = []
for rule in rules:
    said = {}
    for r in results:
        if r["rule"] == rule:
            said.setdefault(r["kernel"], []).extend(m["text"] for m in r["messages"])
    if len(said.get("bad_" + rule, [])) != 1 or said.get("good_" + rule, ["it was not applied"]) or "good_" + rule in said["bad_" + rule][0]:
        wrong.append("%s: bad %s, good %s" % (rule, said.get("bad_" + rule), said.get("good_" + rule)))
print(len(rules), "rules", *wrong, sep="\n")
sys.exit(bool(wrong))
