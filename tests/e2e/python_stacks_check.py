#!/usr/bin/env python3
"""tests/e2e/python_stacks_check.py TRACE TOLD WHAT - functions of Python in call stacks are those that the program told

told       every call has the functions, files and lines of its line in TOLD, and C functions between them
none       no stack has a function of Python, and a note says why
whole      every stack leads to the thread's beginning, and no function is there twice: as C's, by a map of the process, too

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys


def dump(trace):
    out = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "dump", "--json", trace], check=True, capture_output=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def stacks_of_calls(records, name):
    stacks = {r["id"]: r for r in records if r["type"] == "stack"}
    calls = [r for r in records if r["type"] == "call" and r["name"] == name]
    return [stacks[r["stack"]] for r in sorted(calls, key=lambda r: r["start_ns"])]


def python_of(stack):
    return [[f.get("function"), f.get("file"), f.get("line")] for f in stack["frames"] if f.get("python")]


def check_told(records, told):
    with open(told, encoding="utf-8") as f:
        wanted = [json.loads(line) for line in f]
    found = stacks_of_calls(records, "clGetPlatformIDs")
    assert len(found) == len(wanted), (len(found), len(wanted))
    short, between, depth = 0, 0, 0
    for stack, functions in zip(found, wanted):
        python = python_of(stack)
        for mine, theirs in zip(python, functions):
            if mine[1:] == ["too_long.py", 0]:       # a table of lines is kept up to 48 KiB
                mine[2] = theirs[2]
        assert python == functions[:len(python)], "\n%s\n%s" % (python, functions)
        assert python and (len(python) == len(functions) or stack.get("cut")), (python, functions)
        depth = max(depth, len(python))
        kinds = [bool(f.get("python")) for f in stack["frames"]]
        between += any(not kinds[i] and kinds[i - 1] and True in kinds[i:] for i in range(1, len(kinds)))
        short += not any(f.get("function") == "_PyEval_EvalFrameDefault" for f in stack["frames"])
    assert between >= 4, "C functions between those of Python in %d stacks" % between
    assert short == len(found), "%d stacks have the interpreter's own function too" % (len(found) - short)
    print("%d stacks, up to %d functions of Python" % (len(found), depth))


def main(trace, told, what):
    records = dump(trace)
    if what == "told":
        check_told(records, told)
        return
    stacks = [r for r in records if r["type"] == "stack"]
    assert stacks
    if what == "none":
        assert not any(python_of(s) for s in stacks)
        assert any("of Python" in r["text"] for r in records if r["type"] == "note"), [r for r in records if r["type"] == "note"]
    if what == "whole":
        assert not any(s.get("stopped") or s.get("guessed") for s in stacks)
        assert any(python_of(s) for s in stacks)
        assert not any(f.get("function", "").startswith("py::") for s in stacks for f in s["frames"])


main(*sys.argv[1:])
