#!/usr/bin/env python3
"""tests/fault/kill_check.py BUILD KILLS SEED - kill a traced program at random times; nothing that it counted may be missing

For each kill: the calls a thread counted as completed are in the trace (at most one more: killed before it counted), the call
that `info` says it was inside is the one it had published, and a thread that was inside for certain is said to be. Each third
program has the launcher above it, which must end by the same signal.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

SLOT = struct.Struct("<IIQ48s")
build, kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
program = os.path.join(build, "tests/fault/kill_calls")
totals = dict(kills=0, counted=0, found=0, missing=0, extra=0, inside=0, deep=0, unnamed=0, wrong=0, early=0)


def slots():
    if not os.path.exists("shared"):
        return []
    with open("shared", "rb") as f:
        for _ in range(65536):
            raw = f.read(SLOT.size)
            if len(raw) < SLOT.size:
                return
            tid, deep, count, name = SLOT.unpack(raw)
            if not tid:
                return
            yield tid, deep, count, name.split(b"\0")[0].decode()


def started():
    """The threads have begun to count."""
    end = time.monotonic() + 60
    while time.monotonic() < end and not any(count for _, _, count, _ in slots()):
        time.sleep(0.002)


def run_and_kill(stand_in, k):
    shutil.rmtree("t.gputap", ignore_errors=True)
    if os.path.exists("shared"):
        os.remove("shared")
    env = dict(os.environ, LD_PRELOAD=os.path.join(build, "libgputap.so"), GPUTAP_OUTPUT=os.path.join(os.getcwd(), "t"))
    if stand_in:
        env["OCL_ICD_VENDORS"] = os.path.join(build, "tests/fakecl/vendors")
    else:
        env["POCL_DEVICES"] = "basic"
    command = [program, "shared", "3"]
    if k % 3 == 1:
        env.pop("LD_PRELOAD")
        command = [os.path.join(build, "gputap"), "run", "-q", "-o", env.pop("GPUTAP_OUTPUT"), "--"] + command
    p = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if k % 4 == 0:
        time.sleep(chance.uniform(0, 0.08))     # while it starts
    else:
        started()
        time.sleep(chance.uniform(0, 0.12))
    if p.poll() is not None:
        sys.exit(f"the program ended by itself with {p.returncode}")
    if k % 3 == 1:
        victims = []
        while not victims and p.poll() is None:     # a launcher that is killed before its program starts leaves nothing to see
            with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
                victims = [int(c) for c in f.read().split()]
        for c in victims:
            os.kill(c, signal.SIGKILL)
        if p.wait() != -signal.SIGKILL:
            sys.exit(f"the launcher ended with {p.returncode}: its program was killed")
    else:
        p.send_signal(signal.SIGKILL)
        p.wait()


def trace_threads():
    if not os.path.isdir("t.gputap"):
        return {}
    r = subprocess.run([os.path.join(build, "gputap"), "info", "--json", "t.gputap"], capture_output=True, timeout=120)
    if r.returncode:
        # Killed between the making of the directory and the first record: only right when nothing was counted.
        print("info:", r.stderr.decode().strip())
        return {}
    info = json.loads(r.stdout)
    return {t["tid"]: (t["calls"], [i["name"] for i in t["inside"]]) for p in info["processes"] for t in p["threads"]}


def compare(where):
    threads = trace_threads()
    any_count = False
    for tid, deep, count, published in slots():
        found, inside = threads.get(tid, (0, []))
        any_count |= count > 0
        totals["counted"] += count
        totals["found"] += found
        totals["missing"] += max(0, count - found)
        totals["extra"] += max(0, found - count)
        if found < count or found > count + 1:
            print(f"{where}: thread {tid} counted {count} calls, {found} are in the trace")
        if inside:
            totals["inside"] += 1
            # Innermost first: the callback that the driver ran during the call, then the call.
            if inside[-1] != published or len(inside) > 2 or (deep and len(inside) < 2):
                totals["wrong"] += 1
                print(f"{where}: thread {tid} was in {published!r}, info says {inside}")
        if found > count + 1:
            totals["wrong"] += 1
        if deep:
            totals["deep"] += 1
            if not inside:
                totals["unnamed"] += 1
                print(f"{where}: thread {tid} was inside {published}, info does not say so")
    totals["early"] += not any_count


for k in range(kills):
    run_and_kill(k % 2, k // 2)
    compare(f"kill {k} on {'the stand-in' if k % 2 else 'PoCL basic'} (seed {seed})")
    totals["kills"] += 1
print("{kills} kills ({early} before the first count): {counted} calls counted, {found} found, {missing} missing, {extra} completed but not yet counted; "
      "{inside} threads inside a call, {deep} of them for certain, {unnamed} unnamed, {wrong} wrong".format(**totals))
sys.exit(1 if totals["missing"] or totals["unnamed"] or totals["wrong"] or not totals["counted"] else 0)
