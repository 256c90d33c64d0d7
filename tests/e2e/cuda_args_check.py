#!/usr/bin/env python3
"""tests/e2e/cuda_args_check.py WHAT [FILE] - judge the arguments of CUDA calls in `gputap dump --json` (standard input)

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import sys

# What a parameter is called: by the built-in table, by the toolkit's
NAMES = {"dst": ("dst", "dstDevice", "dstHost"), "src": ("src", "srcHost", "srcDevice"), "bytes": ("bytes", "bytesize", "ByteCount", "size", "count"),
         "ptr": ("ptr", "dptr", "devPtr", "pp"), "function": ("function", "hfunc", "f", "func"), "name": ("name",), "kind": ("kind",),
         "grid": ("grid", "gridDim"), "block": ("block", "blockDim"), "grid_x": ("grid_x", "gridDimX"), "block_x": ("block_x", "blockDimX"),
         "ms": ("ms", "pMilliseconds"), "stream": ("stream",), "device": ("device",), "what": ("what", "pNodeParams", "pMemsetParams"),
         "node": ("node", "pGraphNode"), "code": ("code",)}


def arg(call, name, out=False):
    for n in NAMES[name]:
        key = "*" + n if out else n
        if key in call["args"]:
            return call["args"][key]
    raise AssertionError("%s has no %s%s: %r" % (call["name"], "*" if out else "", name, call["args"]))


def must(ok, text, *values):
    if not ok:
        raise AssertionError(text % values)


def named(calls, *names):
    return [c for c in calls if c["name"] in names]


def vector_add(calls):
    """Three allocations of 4000 bytes; copies go to and from what they gave; the kernel's name."""
    got = named(calls, "cuMemAlloc_v2")
    must([int(arg(c, "bytes")) for c in got] == [4000] * 3, "allocations: %r", got)
    memory = [arg(c, "ptr", out=True) for c in got]
    must(len(set(memory)) == 3 and all(int(m, 16) for m in memory), "addresses: %r", memory)
    to = named(calls, "cuMemcpyHtoD_v2")
    must([arg(c, "dst") for c in to] == memory[:2], "copies go to %r, not %r", [arg(c, "dst") for c in to], memory[:2])
    back = named(calls, "cuMemcpyDtoH_v2")[0]
    must(arg(back, "src") == memory[2] and arg(back, "bytes") == "4000", "the copy back: %r", back)
    must(sorted(arg(c, "ptr") for c in named(calls, "cuMemFree_v2")) == sorted(memory), "frees")
    function = named(calls, "cuModuleGetFunction")[0]
    must(arg(function, "name") == '"vector_add"', "name: %r", function)
    launch = named(calls, "cuLaunchKernel")[0]
    must(arg(launch, "function") == arg(function, "function", out=True), "the launched function: %r", launch)
    must((arg(launch, "grid_x"), arg(launch, "block_x")) == ("8", "128"), "dimensions: %r", launch)


def streams(calls):
    """Runtime calls and the driver calls inside them say the same; kinds by name; a float that was written."""
    copies = named(calls, "cudaMemcpyAsync")
    must([arg(c, "kind") for c in copies] == ["cudaMemcpyHostToDevice", "cudaMemcpyDeviceToDevice", "cudaMemcpyDeviceToHost"], "kinds: %r", copies)
    inner = named(calls, "cuMemcpyHtoDAsync_v2")[0]
    must((arg(inner, "dst"), arg(inner, "src")) == (arg(copies[0], "dst"), arg(copies[0], "src")), "the driver's copy: %r", inner)
    launches = named(calls, "cudaLaunchKernel")
    must([(arg(c, "grid"), arg(c, "block")) for c in launches] == [("(32,1,1)", "(128,1,1)")] * 2, "launches: %r", launches)
    made = [c["args"][k] for c in named(calls, "cudaStreamCreateWithFlags") for k in c["args"] if k.startswith("*")]
    must([arg(c, "stream") for c in launches] == made, "streams: %r, launched on %r", made, launches)
    ms = float(arg(named(calls, "cudaEventElapsedTime")[0], "ms", out=True))
    must(0 < ms < 1000, "time: %r", ms)


def graphs(calls):
    """What a pointer to a structure led to."""
    node = named(calls, "cudaGraphAddKernelNode")[0]
    must(arg(node, "what").startswith("{func = 0") and "gridDim = (" in arg(node, "what"), "node: %r", node)
    must(int(arg(node, "node", out=True), 16), "its handle: %r", node)


def errors(calls):
    """Failed calls: what they were asked; nothing of what they did not write."""
    failed = [c for c in named(calls, "cudaMalloc") if c["result"]][0]
    must(failed["result_name"] == "cudaErrorMemoryAllocation", "result: %r", failed)
    must(int(arg(failed, "bytes")) == 1 << 50 and not any(k.startswith("*") for k in failed["args"]), "the failed allocation: %r", failed)
    must(arg(named(calls, "cudaMemcpy")[0], "kind") == "99", "a value without a name")
    lost = named(calls, "cudaLibraryGetKernel")[0]
    must((arg(lost, "name"), lost["result_name"]) == ('"nobody"', "cudaErrorSymbolNotFound"), "the kernel that is not there: %r", lost)
    must([arg(c, "device") for c in named(calls, "cudaSetDevice") if c["args"]][-1] == "1000", "the device that is not there")


def storm(calls):
    """Each launch of each thread has its dimensions."""
    launches = named(calls, "cudaLaunchKernel")
    must(len(launches) == 4 * 300, "%d launches", len(launches))
    must({(arg(c, "grid"), arg(c, "block")) for c in launches} == {("(1,1,1)", "(128,1,1)")}, "their dimensions")
    must(len({c["tid"] for c in launches}) == 4 and len({c["correlation"] for c in launches}) == len(launches), "threads and correlation ids")


def everywhere(calls):
    """All but the call that loaded the collector, inside which it was not there yet."""
    first = min(calls, key=lambda c: c["start_ns"])
    bare = [c for c in calls if not c["args"] and not c["has_args"]]
    must(all(c is first for c in bare), "without arguments: %r", bare)
    must(not any(k.startswith("word") for c in calls for k in c["args"]), "raw words")


def none(calls):
    must(len(calls) > 5 and not any(c["has_args"] for c in calls), "arguments that nobody asked for")


def only_copies(calls):
    must(calls and all(c["name"].startswith(("cudaMemcpy", "cuMemcpy")) for c in calls if c["has_args"]), "arguments of others")
    must(all(c["has_args"] for c in named(calls, "cudaMemcpyAsync", "cudaMemcpy")), "a copy without arguments")


def first_words(calls):
    """What the shim's table did not know: values are there, what pointers led to is not."""
    copy, memory = named(calls, "cuMemcpyHtoD_v2")[0], named(calls, "cuMemAlloc_v2")[0]
    must((arg(copy, "bytes"), arg(memory, "bytes")) == ("4000", "4000"), "bytes: %r %r", copy, memory)
    must(not any(k.startswith("*") for c in (copy, memory) for k in c["args"]), "copies: %r %r", copy, memory)


def main():
    calls = [json.loads(line) for line in sys.stdin if line.startswith('{"type":"cuda_call"')]
    for c in calls:
        c.setdefault("args", {})
        c["name"] = re.sub(r"_v\d{4,}$", "", c["name"])
    try:
        for what in sys.argv[1:]:
            globals()[what](calls)
    except AssertionError as e:
        print("%s: %s" % (what, e), file=sys.stderr)
        return 1
    return 0


sys.exit(main())
