"""tests/e2e/stacks_check.py TRACE QUESTION... - what `gputap dump --json` says of call stacks

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys

import callgrind_profile

trace, question, words = sys.argv[1], sys.argv[2], sys.argv[3:]
dump = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "dump", "--json", trace], capture_output=True, text=True, check=True)
rows = [json.loads(line) for line in dump.stdout.splitlines()]
of = lambda kind: [r for r in rows if r["type"] == kind]
calls = of("call") + of("cuda_call")
stacks = {s["id"]: s for s in of("stack")}
LINES = os.environ.get("STACK_LINES")         # there is what reads them
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
    if question == "costs":       # DATABASE: of each thread's stacks the first, and then one in 64, has a row that says what it took
        import collections
        import sqlite3
        taken = collections.Counter(c["tid"] for c in calls if "stack" in c)
        told = collections.Counter(c["tid"] for c in of("cost") if c["what"] == "unwind")
        times = [c["end_ns"] - c["time_ns"] for c in of("cost") if c["what"] == "unwind"]
        found = sqlite3.connect(words[0]).execute(
            "SELECT count(*), sum(end - start) FROM PROFILER_OVERHEAD JOIN StringIds ON nameId = id WHERE value = 'Call stack unwinding (one in 64)'").fetchone()
        print(dict(taken), dict(told), found)
        return told and told == {t: (n + 63) // 64 for t, n in taken.items()} and min(times) > 0 and found == (len(times), sum(times))
    if question == "few":         # N: calls share stacks: at most so many
        return 0 < len(stacks) <= int(words[0])
    if question == "processes":   # N: so many have stacks and modules of their own
        return len({(s["pid"], s["instance"]) for s in stacks.values()}) == int(words[0]) == len({(m["pid"], m["instance"]) for m in modules.values()})
    if question == "sqlite":      # DATABASE: each chain that a row leads to is there, depths from 0 on, ids from 1
        import sqlite3
        db = sqlite3.connect(words[0])
        ids = {i for i, in db.execute("SELECT callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE callchainId IS NOT NULL")}
        chains = {}
        for i, depth, symbol, unresolved, address in db.execute(
                "SELECT c.id, stackDepth, s.value, unresolved, originalIP FROM CUDA_CALLCHAINS c JOIN StringIds s ON s.id = symbol "
                "JOIN StringIds m ON m.id = module ORDER BY c.id, stackDepth"):
            chains.setdefault(i, []).append((depth, symbol, unresolved, address))
        same = all([a for _, _, _, a in chains[i]] == [int(f["address"], 16) for f in stacks[i]["frames"]] for i in chains)
        named = all(symbol == hex(a) if unresolved else symbol for chain in chains.values() for _, symbol, unresolved, a in chain)
        return ids == set(chains) and min(ids) == 1 and same and named and db.execute("PRAGMA integrity_check").fetchone() == ("ok",) \
            and all([d for d, *_ in c] == list(range(len(c))) for c in chains.values())
    if question == "atp":         # FILE TITLE: a line for each line of the API section, the same names in the same order
        sections, lines = {}, []
        for line in open(words[0]):
            if line.startswith("====="):
                lines = sections.setdefault(line.strip("=\n"), [])
            else:
                lines.append(line.rstrip("\n"))
        titles = list(sections)
        api, times, source = (sections.get(words[1] + " " + x + " Output") for x in ("API Trace", "Timestamp", "Stack Trace"))
        at = titles.index(words[1] + " API Trace Output")
        if titles[at + 1:at + 3] != [words[1] + " Timestamp Output", words[1] + " Stack Trace Output"] or api[:2] != source[:2]:
            return False
        names = [line.split(" = ")[1].split(" ")[0] for line in api if " = " in line]
        rest = [line.split("\t") for line in source if "\t" in line]
        return len(api) == len(times) == len(source) and names == [r[0] for r in rest] and all(
            len(r) == 4 and r[2].isdigit() and (r[3] or not LINES) for r in rest)
    if question == "callers":     # FILE: a row of the report names this caller and a line, or the address where there are no lines
        return any(r.split(",")[-2] == words[1] and (":" if LINES else "+0x") in r.split(",")[-1] for r in open(words[0]) if r.count(",") > 8)
    if question == "profile":     # FILE CALLER CALL: some line of CALLER calls CALL, and what the call cost is in CALLER's cost
        (part,) = callgrind_profile.read(words[0])
        arcs = [(c, e) for (c, line, _, e) in part.lines if c[2] == words[1] and e[2].startswith(words[2]) and (line or not LINES)]
        return bool(arcs) and all(part.inclusive(c, "Gpu") >= part.inclusive(e, "Gpu") > 0 for c, e in arcs)
    if question == "no_args":
        return not any(c.get("has_args") for c in calls)
    raise SystemExit("no such question")


sys.exit(0 if main() else 1)
