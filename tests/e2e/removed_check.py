#!/usr/bin/env python3
"""tests/e2e/removed_check.py - what is removed, cut or wiped in a trace, by whom and whenever: never a "yes" that is not true

    removed_check.py every GPUTAP TRACE.gputap            each file of a trace that is over, in each of many ways
    removed_check.py tail GPUTAP TRACE.gputap             zeros over the last records of each stream, from many places on
    removed_check.py random GPUTAP SEED ROUNDS CALLS PROGRAM...
                                                          a random file at a random moment of the program, which now and
                                                          then is killed; in all it makes CALLS calls

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

PAGE, BLOCK = 4096, 65536


def info(gputap, trace):
    r = subprocess.run([gputap, "info", "--json", trace], capture_output=True, check=False)
    return json.loads(r.stdout) if r.returncode == 0 else None


def held(i):
    """What the trace says it holds."""
    counts = [(p["pid"], p["instance"], p["calls"], p["commands"], p["kernels"]) for p in i["processes"]]
    return counts, i.get("cuda", {}).get("counts"), [lib["records"] for lib in i.get("cuda", {}).get("libraries", [])]


def records(gputap, trace):
    """How many records `dump` shows."""
    return subprocess.run([gputap, "dump", "--json", trace], capture_output=True, check=False).stdout.count(b"\n")


def calls(i):
    return sum(p["calls"] for p in i["processes"])


def overwrite(path, at, n):
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(bytes(n))


def ways(path):
    """(name, function that does it) for one file."""
    size = path.stat().st_size
    data = path.read_bytes()
    yield "removed", path.unlink
    yield "renamed", lambda: path.rename(path.with_name("x" + path.name))
    for to in sorted({0, size // 2, size * 3 // 4, *range(BLOCK, size, max(BLOCK, size // 8 // BLOCK * BLOCK))}):
        yield f"cut to {to}", lambda to=to: os.truncate(path, to)
    pages = [at for at in range(0, size, PAGE) if any(data[at:at + PAGE])]
    step = max(1, len(pages) // 24)
    for at in pages[:8] + pages[8::step]:
        yield f"wiped from {at} on", lambda at=at: overwrite(path, at, min(PAGE, size - at))
    yield "wiped", lambda: overwrite(path, 0, size)


def every(gputap, trace):
    whole = info(gputap, trace)
    if not whole["complete"]:
        print(f"FAILED: {trace} is not complete to begin with: {whole['complete_text']}")
        return 1
    wrong = looks = 0
    copy = pathlib.Path("changed.gputap")
    for name in sorted(p.relative_to(trace) for p in pathlib.Path(trace).rglob("*") if p.is_file()):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(trace, copy)
        # The function table is this build's own, the marker of `other` is nobody's content.
        if name.name.startswith("table.") or name.parts[0] == "other":
            continue
        for what, change in list(ways(copy / name)):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(trace, copy)
            change()
            got = info(gputap, copy)
            looks += 1
            if got and got["complete"] and not (name.suffix == ".str" and what.startswith("wiped from") and held(got) == held(whole)):
                wrong += 1
                print(f"FAILED: {name} {what}: complete: yes, {calls(got)} of {calls(whole)} calls")
    shutil.rmtree(copy, ignore_errors=True)
    print(f"{looks} changes, {wrong} wrong")
    return looks < 20 or wrong


def tail(gputap, trace):
    """Zeros from a place in the last records to their end; only what holds no record may go unseen."""
    whole, shown = info(gputap, trace), records(gputap, trace)
    if not whole["complete"]:
        print(f"FAILED: {trace} is not complete to begin with: {whole['complete_text']}")
        return 1
    wrong = looks = 0
    for path in sorted(pathlib.Path(trace).glob("*/*.str")):
        data = path.read_bytes()
        end = len(data.rstrip(b"\0"))
        for n in (8, 16, 24, 32, 64, 200, 1000, 4000, 20000, 60000):
            if end - n < PAGE + 64:
                break
            overwrite(path, end // 8 * 8 + 8 - n, n)
            got = info(gputap, trace)
            looks += 1
            left = records(gputap, trace) if got and got["complete"] else shown
            if got and got["complete"] and (held(got), left) != (held(whole), shown):
                wrong += 1
                print(f"FAILED: {path} without its last {n} bytes: complete: yes, {calls(got)} of {calls(whole)} calls, "
                      f"{left} of {shown} records")
            path.write_bytes(data)
    print(f"{looks} changes, {wrong} wrong")
    return looks < 5 or wrong


def harm(chance):
    """One change of a random file of the running trace; False: nothing was there."""
    files = [p for p in pathlib.Path("t.gputap").glob("*/*.str")]
    if not files:
        return ""
    path = chance.choice(files)
    # None is cut while it is mapped: that ends its program with SIGBUS, as of any file.
    what = chance.choice(("remove", "remove", "remove", "remove all", "folder"))
    try:
        if what == "remove":
            path.unlink()
        elif what == "remove all":
            for p in files:
                p.unlink()
        else:
            shutil.rmtree(path.parent)
    except OSError:
        return ""
    return f"{what} {path.name}"


def one(gputap, chance, expected, program, longest):
    shutil.rmtree("t.gputap", ignore_errors=True)
    begun = time.monotonic()
    run = subprocess.Popen([gputap, "run", "-f", "-q", "-o", "t", "--summary=none", "--", *program], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(chance.random() * longest)
    done = harm(chance)
    killed = chance.random() < 0.2
    if killed:
        for p in pathlib.Path("t.gputap").glob("[0-9]*"):
            try:
                os.kill(int(p.name.split(".")[0]), signal.SIGKILL)
            except (OSError, ValueError):
                pass
    run.wait()
    took = time.monotonic() - begun
    if not done and os.path.isdir("t.gputap"):
        done = harm(chance)             # the run is over: behind everybody's last look
    got = info(gputap, "t.gputap") if os.path.isdir("t.gputap") else None
    if got and got["complete"] and not killed and calls(got) != expected:
        return took, done, f"{done}: complete: yes, {calls(got)} of {expected} calls"
    if got and got["complete"] and done:
        return took, done, f"{done}{', killed' if killed else ''}: complete: yes, {calls(got)} calls"
    return took, done, ""


def at_random(gputap, seed, rounds, expected, program):
    chance, longest, harmed, wrong = random.Random(seed), 0.2, 0, 0
    for i in range(rounds):
        took, done, what = one(gputap, chance, expected, program, longest)
        longest = 0.9 * longest + 0.1 * took
        harmed += bool(done)
        if what:
            wrong += 1
            print(f"FAILED: round {i} of seed {seed}: {what}")
    print(f"{rounds} rounds, {harmed} with a loss, {wrong} wrong")
    return wrong or harmed < rounds // 2


if __name__ == "__main__":
    if sys.argv[1] == "every":
        sys.exit(bool(every(*sys.argv[2:4])))
    if sys.argv[1] == "tail":
        sys.exit(bool(tail(*sys.argv[2:4])))
    sys.exit(bool(at_random(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6:])))
