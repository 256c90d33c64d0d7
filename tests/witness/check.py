#!/usr/bin/env python3
"""tests/witness/check.py [--bare F] [--driver F [--driver-all]] FOLDER TRACE.gputap IDS.H - what a witness counted against what a trace holds

FOLDER has the files of tests/witness/witness.h, one for each process image. For every function that the witness watches, the calls
that it saw the program make are the calls in the trace; where they are not, the ledger's numbers are the difference exactly. The
trace is read by trace/format/rec.h alone. Prints one line, or what differs, and then ends with status 1.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from streams import INCOMPLETE, SLOTS, records, unstaged  # noqa: E402

PLACES, NAME, PROGRAM, OWN, DRIVER = 256, 64, 0, 1, 2
# Reasons that stand for calls which are not in the trace, each as many as it counts.
CALLS_LOST = ("NO_SPACE", "NO_STREAM", "SECCOMP", "SIZE_CAP", "RING_OVERWRITTEN", "LATE_CALL", "EARLY_CALL", "LEFT_CALL")


# What a loader answers by itself, or asks its drivers of its own accord.
LOADERS_OWN = ("clGetPlatformIDs", "clGetPlatformInfo", "clGetExtensionFunctionAddress", "clGetExtensionFunctionAddressForPlatform",
               "clUnloadCompiler", "clUnloadPlatformCompiler")

# To hide that a queue has profiling, the tracer answers some of these itself, and asks others of them twice. What the program calls
# of them is known from the run without the tracer; where there is none, they are left out.
ANSWERED = ("clCreateCommandQueue", "clCreateCommandQueueWithProperties", "clGetCommandQueueInfo", "clGetEventProfilingInfo",
            "clSetCommandQueueProperty")


def witnessed(folder):
    """{function: calls} by who called, summed over the processes; tables that were not watched."""
    calls, passed = [collections.Counter() for _ in range(3)], 0
    for path in pathlib.Path(folder).glob("*.*"):
        data = path.read_bytes()
        if data[:8] != b"witness:":
            sys.exit(f"{path}: no file of a witness")
        passed += struct.unpack_from("<Q", data, 8)[0]
        for place in range(PLACES):
            name = data[16 + 3 * PLACES * 8 + place * NAME:][:NAME].split(b"\0")[0].decode()
            for who in range(3 if name else 0):
                calls[who][name] += struct.unpack_from("<Q", data, 16 + (who * PLACES + place) * 8)[0]
    return calls, passed


def recorded(trace, ids):
    """Calls by function, calls that had begun at the end, the ledger."""
    names = {int(v, 16): n for n, v in re.findall(r"FN_(\w+) = (0x[0-9a-f]+)", pathlib.Path(ids).read_text())}
    rec_h = (HERE.parents[1] / "trace/format/rec.h").read_text()
    reasons = re.findall(r"^\tX\((\w+),", rec_h[rec_h.index("#define REC_LOSSES"):], re.M)
    calls, begun, lost = collections.Counter(), collections.Counter(), collections.Counter()
    for path in pathlib.Path(trace).glob("*/*.str"):
        data = unstaged(path.read_bytes())
        for slot in range(SLOTS):
            begun[names.get(struct.unpack_from("<I", data, 64 + slot * 64)[0], "")] += 1
        for i, n in enumerate(struct.unpack_from("<128Q", data, 64 + SLOTS * 64)):     # its own, those of others
            lost[reasons[i % 64] if i % 64 < len(reasons) else str(i % 64)] += n
        for _, function, _, flags, _ in records(data):
            if not flags & INCOMPLETE:
                calls[names.get(function, str(function))] += 1
    return calls, begun, lost


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("trace")
    parser.add_argument("ids")
    parser.add_argument("--bare", help="counts of the same program without the tracer: it must make the same calls")
    parser.add_argument("--driver", help="counts of the stand-in runtime: extension functions by address")
    parser.add_argument("--driver-all", action="store_true", help="... and all that a loader hands to its driver")
    return parser.parse_args()


def compare(what, program, own, calls, begun, lost):
    """What differs: a function that has more calls in the trace than were made, or fewer and the ledger says nothing; the sum."""
    bad, missing = [], 0
    for name in sorted(program):
        difference = program[name] - calls[name] - begun[name]
        missing += difference
        if difference < 0 or difference > 0 and not any(lost[r] for r in CALLS_LOST):
            bad.append(f"{name}: {what} saw {program[name]} (and {own[name]} of the tracer), the trace has {calls[name]}"
                       + (f" and {begun[name]} begun" if begun[name] else ""))
    return bad, missing


def main():
    a = arguments()
    (program, own, driver), passed = witnessed(a.folder)
    calls, begun, lost = recorded(a.trace, a.ids)
    watched = collections.Counter(program)
    bare = witnessed(a.bare)[0][PROGRAM] if a.bare else None
    for name in ANSWERED:
        watched.pop(name, None)
        if bare and bare[name]:
            watched[name] = bare[name]
    # Of several loaders the layer watches the first, the driver all; a tracer that is a layer itself says that it missed the others.
    missed = passed and lost["LOADER_MISSED"] == passed
    if a.driver and passed and not missed:
        watched.clear()
    bad, missing = compare("the layer", watched, own, calls, begun, lost)
    ledger = sum(lost[r] for r in CALLS_LOST)
    if lost["LOADER_MISSED"] and not missed:
        bad.append(f"the ledger says that {lost['LOADER_MISSED']} loaders were missed, {passed} asked the layer too late")
    if a.driver and not missed:
        (by_driver, driver_own, _), _ = witnessed(a.driver)
        chosen = {n: c for n, c in by_driver.items() if n not in (LOADERS_OWN + ANSWERED if a.driver_all else program)}
        more, more_missing = compare("the driver", chosen, driver_own, calls, begun, lost)
        bad, missing = bad + more, missing + more_missing
        watched.update({n: c for n, c in chosen.items() if n not in watched})
    if not bad and missing != ledger:
        bad.append(f"{missing} calls are not in the trace, the ledger counts {ledger}: { {r: n for r, n in lost.items() if n} }")
    if bare:
        bad += [f"{n}: bare {bare[n]}, traced {program[n]}" for n in sorted(set(bare) | set(program))
                if bare[n] != program[n] and n not in ANSWERED]
    if not sum(watched.values()):
        bad.append("the witness saw no call")
    if bad:
        print("\n".join(bad))
        sys.exit(1)
    print(f"{sum(watched.values())} calls of {len([n for n in watched if watched[n]])} functions, {sum(own.values())} of the tracer's own, "
          f"{sum(driver.values())} of drivers', {missing} in the ledger, {sum(begun[n] for n in watched)} begun"
          + (f", {passed} loaders missed, as the ledger says" if missed else ""))


if __name__ == "__main__":
    main()
