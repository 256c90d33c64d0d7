#!/usr/bin/env python3
"""cuda_answers_check.py - each function of collectors/cupti_functions.def refuses in turn (FAKEGPU_REFUSE), some at once

Every row of the table is tried, in a way of running in which the function is called: a row that is new fails here until
it has one. Status and output are those of the bare program; a note names the function and its result; the ledger has the
reason of the row and no other, or says complete where nothing is lost.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

BUILD, TESTS = os.environ["GPUTAP_BUILD"], pathlib.Path(os.environ["GPUTAP_TESTS"])
TAP, GPU = BUILD + "/gputap", BUILD + "/tests/fakegpu"
CUPTI = ["--summary=none", "--cupti", GPU + "/lib/libcupti.so.13"]
RESULT = "CUPTI_ERROR_HARDWARE"
ROW = re.compile(r"^(?:FUNCTION|PROFILER)\((cupti\w+),\s*(?:(?:NEEDED|WANTED),\s*)?(SAID|TOLD|ANSWER),\s*(\w+),", re.M)
ROWS = {name: (refusal, loss) for name, refusal, loss in
        ROW.findall((TESTS / "../collectors/cupti_functions.def").read_text(encoding="utf-8"))}

GRAPHS = [BUILD + "/examples/cuda/graphs"]
ADD = [BUILD + "/examples/cuda/vector_add"]
PAUSE = [BUILD + "/tests/e2e/cuda_client", "cuda", "launch", "pause"]
RANGES = [BUILD + "/tests/e2e/cuda_ranges"]
# Ways of running: options, program, variables
PLAIN = ([], GRAPHS, {})
ALL = (["--cuda-latency", "--cuda-memory-usage=true", "--cuda-um=true", "--cuda-events=true"], GRAPHS, {})
WINDOW = (["--stop-after=20ms"], PAUSE, {})
OLD = (["--cupti", GPU + "/v28/libcupti.so.12"], GRAPHS, {})
FILTER = (["--cuda-filter=*Launch*"], GRAPHS, {})
CODE = (["--binaries=true"], ADD, {})
COUNT = (CUPTI + ["--metrics", "sm__cycles_active.avg"], ADD, {})
SPAN = (CUPTI + ["--metrics", "sm__cycles_active.avg", "--replay-mode=range", "--nvtx-include", "outer/"], RANGES, {})
MONITORS = (CUPTI + ["--metrics", "pmsampling:sm__cycles_active.avg"], ADD, {"FAKEGPU_FAULTS": "slow-kernels=2"})
SAMPLES = (CUPTI + ["--metrics", "smsp__pcsamp_sample_count"], ADD, {})
SASS = (CUPTI + ["--metrics", "inst_executed"], ADD, {})
WAYS = (("Graph", PLAIN), ("PmSampling", MONITORS), ("PCSampling", SAMPLES), ("SassMetrics", SASS), ("RangeProfiler", COUNT),
        ("Profiler", COUNT))
OF = {
    "cuptiSubscribe": OLD, "cuptiUnsubscribe": WINDOW, "cuptiActivityDisable": WINDOW, "cuptiGetCubinCrc": CODE,
    "cuptiActivityEnableRuntimeApi": FILTER, "cuptiActivityEnableDriverApi": FILTER,
    "cuptiActivityEnableLatencyTimestamps": ALL, "cuptiActivityEnableAllocationSource": ALL,
    "cuptiActivityEnableCudaEventDeviceTimestamps": ALL, "cuptiActivityConfigureUnifiedMemoryCounter": ALL,
    "cuptiDeviceGetChipName": (COUNT[0] + ["--chip=GH100"], ADD, {}), "cuptiRangeProfilerPushRange": SPAN, "cuptiRangeProfilerPopRange": SPAN,
}
# Not asked where everything else is sound, or asked of a library of another version
QUIET = {"cuptiGetResultString", "cuptiGetErrorMessage", "cuptiActivityGetStructSize"}
# A driver that is initialised already is attached to: e2e/cuda_collector
ELSEWHERE = {"cuptiActivityEnableAndDump"}
# Several at once: each cause for itself; a cause that CUPTI's result tells
MORE = {
    "cuptiActivityEnable:35": ("PRIVILEGES", "administrators only", "CUPTI_REFUSED", PLAIN),
    "cuptiSubscribe_v2:35": ("PRIVILEGES", "administrators only", "CUPTI_MISSING", PLAIN),
    "cuptiSubscribe_v2:15": ("NOT_INITIALIZED", "does not say why", "CUPTI_MISSING", PLAIN),
    "cuptiSubscribe_v2:41": ("no name", "confidential computing is on", "CUPTI_MISSING", PLAIN),
    "cuptiSubscribe_v2:999": ("UNKNOWN", "is for CUDA 13, the driver for 12.8", "CUPTI_MISSING",
                              (["--cupti", GPU + "/v130101/libcupti.so.13"], GRAPHS, {"FAKEGPU_DRIVER": "12080"})),
    "cuptiGetResultString,cuptiActivitySetAttribute": ("no name", "cuptiActivitySetAttribute", None, PLAIN),
    "cuptiDeviceGetChipName:27": ("error 27", "CUPTI does not name the device's", None, COUNT),
    "cuptiRangeProfilerEnable:26": ("", "another tool holds", "COUNTERS_REFUSED", COUNT),
}


def way_of(name):
    if name in OF:
        return OF[name]
    return next((way for words, way in WAYS if re.search(words, name)), PLAIN)


def run(folder, refuse, way):
    options, program, variables = way
    here = pathlib.Path(folder)
    here.mkdir()
    env = {**os.environ, **variables, "FAKEGPU_REFUSE": refuse}
    done = []
    for command in (program, [TAP, "run", "-f", "-o", "t", *options, "--", *program]):
        done.append(subprocess.run(command, cwd=here, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, timeout=100, text=True, check=False))
    bare, traced = done
    ours = [line for line in traced.stderr.splitlines() if line.startswith("gputap: ")]
    rest = [line for line in traced.stderr.splitlines() if not line.startswith("gputap: ")]
    alike = (bare.returncode, bare.stdout, bare.stderr.splitlines()) == (traced.returncode, traced.stdout, rest)
    info = subprocess.run([TAP, "info", "--json", "t.gputap"], cwd=here, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    ledger = json.loads(info.stdout)["ledger"] if info.stdout else {"no trace": 1}
    return alike, "\n".join(ours), set(ledger)


def judged(name):
    """What is wrong, as sentences."""
    wrong = []
    if name in MORE:
        result, words, loss, way = MORE[name]
        function = ""
        loss = {loss} - {None}
    else:
        refusal, loss = ROWS[name]
        function, way = name, way_of(name)
        loss = {loss} - {"NOTHING"}
        result, words = ("", "") if refusal == "ANSWER" or name in QUIET else (RESULT, name)
    alike, said, ledger = run(re.sub(r"\W", "_", name), name, way)
    if not alike:
        wrong.append("the program prints and returns something else than bare")
    if ledger != loss:
        wrong.append(f"the ledger has {sorted(ledger)}, not {sorted(loss)}")
    if not re.search(f"{re.escape(words)}", said) or result not in said:
        wrong.append(f"nobody says {words} {result}")
    if function and RESULT in said and not function.replace("cupti", "") in said:
        wrong.append("the cause is another function's")
    return [w + ":\n" + said for w in wrong]


def main():
    names = [*sorted(set(ROWS) - ELSEWHERE), *MORE]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for name, wrong in zip(names, pool.map(judged, names)):
            failed += bool(wrong)
            print("".join(f"FAILED: {name}: {one}\n" for one in wrong) or f"ok: {name} refuses\n", end="")
    print(f"{len(names) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
