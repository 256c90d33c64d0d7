"""tests/e2e/nvtx_check.py CASE TRACE - the ranges of a trace are those that the program of that case made

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys

case, trace = sys.argv[1], sys.argv[2]
lines = subprocess.run([os.environ["GPUTAP_BUILD"] + "/gputap", "dump", "--json", trace], stdout=subprocess.PIPE, check=True,
                       stderr=subprocess.DEVNULL).stdout.splitlines()
records = [json.loads(line) for line in lines]
ranges = [r for r in records if r["type"] == "range"]
names = {(r["kind"], r["id"]): r.get("text") for r in records if r["type"] == "name"}


def one(text, kind):
    found = [r for r in ranges if r.get("text") == text and r["kind"] == kind]
    assert len(found) == 1, (text, kind, len(found))
    return found[0]


def within(inner, outer):
    assert outer["start_ns"] <= inner["start_ns"] and inner["end_ns"] <= outer["end_ns"], (inner, outer)
    assert inner["level"] == outer["level"] + 1


def byhand():
    outer = one("by hand", "push")
    within(one("wide", "push"), outer)
    within(one("x" * 24576 + "...", "push"), outer)
    silent = [r for r in ranges if r["kind"] == "push" and "text" not in r]
    assert len(silent) == 1
    within(silent[0], outer)
    kept = one("kept", "start")
    assert kept["registered"] and kept["domain_name"] == "one" and kept["end_ns"] >= kept["start_ns"]
    bare = [r for r in ranges if r["kind"] == "start" and r["domain_name"] == "two"]
    assert len(bare) == 1 and "text" not in bare[0] and bare[0]["end_ns"] >= bare[0]["start_ns"]
    assert len(ranges) == 6


def many():
    assert 2000 < len(ranges) < 200000, len(ranges)
    assert names[("domain", 1)] == "mine" and names[("category", 5)] == "kind", names
    for r in ranges:
        assert r["kind"] != "push" or (r["text"] == "kept" and r["domain_name"] == "mine"), r


def old():
    assert [r["text"] for r in ranges] == ["old client"] and ranges[0]["end_ns"] is None


def real():
    outer = one("outer", "push")
    within(one("br\u00e9ite \U0001f680", "push"), outer)
    assert outer["start_ns"] <= one("mark", "mark")["start_ns"] <= outer["end_ns"]
    across, other = one("across threads", "start"), one("on the other thread", "push")
    assert across["tid"] != across["end_tid"] == other["tid"]
    assert other["start_ns"] <= across["end_ns"] <= other["end_ns"]
    values = {"u64": 2 ** 64 - 1, "i64": -5, "double": 1.5, "u32": 4000000000, "i32": -7, "float": -2.25}
    for text, value in values.items():
        assert one(text, "mark")["payload"] == value, text
    for kind in "push", "start":
        r = one("registered", kind)
        assert r["registered"] and r["category"] == 7 and r["color"] == 0xff00ff00 and r["domain_name"] == "my.domain"
    marks = [r for r in ranges if r.get("text") == "registered" and r["kind"] == "mark"]
    assert len({r["pid"] for r in marks}) == 2, "a child of fork knows its parent's strings"
    assert all(r["domain_name"] == "my.domain" for r in marks)
    data = [r for r in ranges if r.get("payload_type") == "schema"]
    assert len(data) == 1 and bytes.fromhex(data[0]["payload"])[24:32] == (4096).to_bytes(8, "little")
    assert one("never ended", "start")["end_ns"] is None and one("never popped", "push")["end_ns"] is None
    main = outer["tid"]
    assert names[("thread", main)] == "the main one" and names[("category", 3)] == "third" and names[("category", 7)] == "io"
    assert names[("resource", 0x1234)] == "copies" and names[("resource", 0x5678)] == "my context"
    assert names[("domain", 1)] == "my.domain" and ("domain_end", 1) in names


def python():
    assert [r["kind"] for r in ranges if r.get("text") == "decorated"] == ["push"] * 3
    inside = [r for r in ranges if r.get("text") == "inside"]
    assert len(inside) == 3 and all(r["payload"] == 7 and r["domain_name"] == "py" for r in inside)
    assert len([r for r in ranges if r.get("text") == "here"]) == 3
    assert one("started", "start")["end_ns"] is not None


def legacy():
    outer = one("legacy", "push")
    wide = one("wide", "push")
    within(wide, outer)
    inner = one("described", "push")
    within(inner, wide)
    assert inner["payload"] == 42 and inner["color"] == 0xff00ff00
    mark, started = one("described", "mark"), one("started", "start")
    assert mark["domain_name"] == "old.domain" and started["start_ns"] <= mark["start_ns"] <= started["end_ns"]
    assert len(ranges) == 5


def libraries(*wanted):
    """Of every domain named one push with a mark and a range in it, and nothing else."""
    kinds = sorted((r["domain_name"] or "", r["kind"]) for r in ranges)
    expected = [(d, k) for d in wanted if d != "default" for k in ("mark", "push", "start")] + [("", "push")] * ("default" in wanted)
    assert kinds == sorted(expected), kinds
    assert all(r["text"] == (r["domain_name"] or "default") for r in ranges)
    assert sorted(t for (kind, _), t in names.items() if kind == "domain") == sorted(d for d in wanted if d != "default")


{"legacy": legacy, "libraries": libraries, "byhand": byhand, "many": many, "old": old, "real": real, "python": python}[case](*sys.argv[3:])
