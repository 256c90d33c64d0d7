"""tests/e2e/cl_sycl_check.py GPUTAP NAME QUESTION [OUTPUT] - what the outputs say of tests/e2e/cl_sycl.c's kernels and copies

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import glob
import io
import sqlite3
import subprocess
import sys

tap, name, question = sys.argv[1:4]
LAMBDA = "_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_EUlNS0_2idILi1EEEE_"
FUNCTION = "_ZN3gpu6kernel5scaleIfLi4EEEvPT_i"
TYPE = "main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::{lambda(sycl::_V1::id<1>)#1}"
SCALE = "void gpu::kernel::scale<float, 4>(float*, int)"
SIDES = {"system": (0, "h", "Pageable"), "host": (1, "h", "Pinned"), "device": (2, "d", "Device"), "shared": (4, "", "Managed")}
KINDS = {"hh": (9, "Host-to-Host"), "hd": (1, "Host-to-Device"), "dh": (2, "Device-to-Host"), "dd": (8, "Device-to-Device")}


def report(report_name):
    out = subprocess.run([tap, "stats", "-q", "-r", report_name, "--format", "csv", name + ".gputap"], stdout=subprocess.PIPE, check=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))


def query(sql):
    return sqlite3.connect(name + ".sqlite").execute(sql).fetchall()


def texts(pattern):
    return "".join(open(f).read() for f in glob.glob(name + pattern))


def copies():
    return query("SELECT copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start")


def names():
    assert {r["Name"] for r in report("opencl_kern_sum")} == {TYPE, SCALE, "plain"}, report("opencl_kern_sum")
    assert {r["Name"] for r in report("opencl_kern_sum:base")} == {TYPE, "scale", "plain"}
    assert {r["Name"] for r in report("opencl_kern_sum:mangled")} == {LAMBDA, FUNCTION, "plain"}
    for other, column in (("opencl_kern_gb_sum", "Name"), ("opencl_gpu_trace", "Name"), ("opencl_kern_exec_sum", "Kernel Name"),
                          ("opencl_kern_exec_trace", "Kernel Name"), ("opencl_gpu_sum", "Operation"), ("opencl_api_gpu_sum", "Operation")):
        assert {TYPE, SCALE, "plain"} <= {r[column] for r in report(other)}, other
    trace = open(name + ".perfetto-trace", "rb").read() if glob.glob(name + ".perfetto-trace") else b"".join(
        open(f, "rb").read() for f in glob.glob(name + ".p*trace*"))
    assert SCALE.encode() in trace and FUNCTION.encode() in trace


def sqlite_names():
    rows = query("SELECT d.value, s.value, m.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds d ON d.id = demangledName "
                 "JOIN StringIds s ON s.id = shortName JOIN StringIds m ON m.id = mangledName ORDER BY start")
    assert rows == [(TYPE, TYPE, LAMBDA), (SCALE, "scale", FUNCTION), ("plain", "plain", "plain")], rows


def raw_names():
    assert LAMBDA in texts(".atp") and FUNCTION in texts(".atp") and "gpu::kernel" not in texts(".atp")
    assert FUNCTION in texts(".apilog") and "gpu::kernel" not in texts(".apilog")


def suggested():
    rows = query("SELECT localSizeX, localSizeSource FROM OPENCL_WORKLOAD WHERE globalSizeX = 128")
    assert len(rows) == 3 and all(x and x > 1 for x, _ in rows), rows
    blocks = {" ".join(r["BlockXYZ"].split()) for r in report("opencl_kern_gb_sum")}
    assert blocks == {"%d 1 1" % rows[0][0]}, blocks
    assert [int(r["BlkX"]) for r in report("opencl_gpu_trace") if r["GrdX"]] == [x for x, _ in rows]


def unknown_block():
    rows = report("opencl_kern_gb_sum")
    assert len(rows) == 3 and {(" ".join(r["GridXYZ"].split()), r["BlockXYZ"]) for r in rows} == {("items: 128 1 1", "unknown")}, rows
    kernels = [r for r in report("opencl_gpu_trace") if r["Name"] in (TYPE, SCALE, "plain")]
    assert len(kernels) == 3 and not any(r[c] for r in kernels for c in ("GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ")), kernels
    assert query("SELECT DISTINCT localSizeX, localSizeY, localSizeSource FROM OPENCL_WORKLOAD WHERE globalSizeX = 128") == [(None, None, 0)]
    lines = [x for x in texts(".atp").splitlines() if "{128}" in x]
    assert len(lines) == 3 and all("{NULL}" in x.split("{128}")[1] for x in lines), lines


def wanted():
    for line in open(sys.argv[4]):
        (source, a, _), (target, b, _) = (SIDES[s] for s in line.split())
        yield KINDS[a + b][0] if a and b else 0, source, target


def directions():
    assert copies() == list(wanted()), "%s\n%s" % (copies(), list(wanted()))
    assert len(copies()) == 17
    labels = {r["Operation"]: int(r["Count"]) for r in report("opencl_mem_time_sum")}
    assert labels == {"[OpenCL memcpy Host-to-Host]": 4, "[OpenCL memcpy Host-to-Device]": 2, "[OpenCL memcpy Device-to-Host]": 3,
                      "[OpenCL memcpy Device-to-Device]": 1, "[OpenCL memcpy Unknown]": 7, "[OpenCL memset]": 1}, labels
    assert query("SELECT memKind FROM CUPTI_ACTIVITY_KIND_MEMSET") == [(2,)]


def late():
    for got, true in zip(copies(), wanted()):
        for g, t in zip(got[1:], true[1:]):
            assert g == t or (t == 0 and g == 7), (got, true)


{"names": names, "sqlite_names": sqlite_names, "raw_names": raw_names, "suggested": suggested, "unknown_block": unknown_block,
 "copies": directions, "late": late}[question]()
