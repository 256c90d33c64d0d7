"""tests/e2e/stacks_check.py TRACE QUESTION... - what `gputap dump --json` says of call stacks

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys

trace, question, words = sys.argv[1], sys.argv[2], sys.argv[3:]
dump = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "dump", "--json", trace], capture_output=True, text=True, check=True)
rows = [json.loads(line) for line in dump.stdout.splitlines()]
of = lambda kind: [r for r in rows if r["type"] == kind]
calls = of("call") + of("cuda_call")
stacks = {s["id"]: s for s in of("stack")}
modules = {m["index"]: m for m in of("module")}


def whole(calls):
    """Each has a stack whose frames lie in the modules that they name."""
    if not calls or not all(c.get("stack") in stacks for c in calls):
        return False
    for s in stacks.values():
        for f in s["frames"]:
            m = modules.get(f.get("module"))
            if m and not int(m["start"], 16) <= int(f["address"], 16) <= int(m["end"], 16):
                return False
            if m and (m["pid"], m["instance"]) != (s["pid"], s["instance"]):
                return False
    return True


def main():
    if question == "none":
        return not stacks and not modules and not any("stack" in r for r in rows)
    if question == "calls":       # [NAME]: all calls (of that name) have one
        return whole([c for c in calls if not words or c["name"] == words[0]])
    if question == "ranges":
        return whole(of("range"))
    if question == "no_ranges":
        return of("range") and not any("stack" in r for r in of("range"))
    if question == "inner":       # MODULE: the innermost frame of each stack lies in it
        return stacks and all(modules[s["frames"][0]["module"]]["path"].endswith(words[0]) for s in stacks.values())
    if question == "ends":        # no stack was left unfinished
        return stacks and not any(s.get("stopped") or s.get("cut") for s in stacks.values())
    if question == "depth":       # N: none is deeper, and one was cut there
        deepest = max(len([f for f in s["frames"] if not f.get("inlined")]) for s in stacks.values())
        return deepest == int(words[0]) and any(s.get("cut") for s in stacks.values())
    if question == "long":        # NS: those that took so long have one, the others have none
        least = int(words[0])
        return all((c["end_ns"] - c["start_ns"] >= least) == ("stack" in c)
                   for c in of("call") if abs(c["end_ns"] - c["start_ns"] - least) > 100) and stacks
    if question == "few":         # N: calls share stacks: at most so many
        return 0 < len(stacks) <= int(words[0])
    if question == "processes":   # N: so many have stacks and modules of their own
        return len({(s["pid"], s["instance"]) for s in stacks.values()}) == int(words[0]) == len({(m["pid"], m["instance"]) for m in modules.values()})
    if question == "no_args":
        return not any(c.get("has_args") for c in calls)
    raise SystemExit("no such question")


sys.exit(0 if main() else 1)
