"""Units and descriptions of metrics, asked of the CUPTI that is installed; without one there are none.

It is asked in a process of its own: what a vendor's library does there cannot end the script.

    python3 host.py LIBRARY CHIP <NAMES         one JSON object: {name: [unit, description]}

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import glob
import json
import os
import re
import subprocess
import sys

# What the metrics device__attribute_architecture and _implementation say.
CHIPS = {0x140: "GV100", 0x14b: "GV11B", 0x162: "TU102", 0x164: "TU104", 0x166: "TU106", 0x167: "TU117", 0x168: "TU116", 0x170: "GA100",
         0x172: "GA102", 0x173: "GA103", 0x174: "GA104", 0x176: "GA106", 0x177: "GA107", 0x17b: "GA10B", 0x180: "GH100",
         0x192: "AD102", 0x193: "AD103", 0x194: "AD104", 0x196: "AD106", 0x197: "AD107"}
SECONDS = 60


class Initialize(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("private", ctypes.c_void_p), ("type", ctypes.c_int), ("chip", ctypes.c_char_p),
                ("availability", ctypes.c_void_p), ("host", ctypes.c_void_p)]


class Properties(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("private", ctypes.c_void_p), ("host", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("description", ctypes.c_char_p), ("hardware_unit", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("type", ctypes.c_int)]


WORDS = {"instruction": "inst", "second": "s", "nanosecond": "ns", "percent": "%", "hertz": "hz"}


def short(unit):
    """The unit as reports name it: byte/second is byte_per_s, gpc_cycle a cycle."""
    parts = [re.sub(r"^\w+_(cycle|sector|request)$", r"\1", p.strip()) for p in unit.split("/")]
    text = "_per_".join(WORDS.get(p, p) for p in parts if p)
    return {"cycle_per_s": "hz"}.get(text, text)


def libraries():
    """Places of libcupti, the newest first."""
    folders = ["/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/usr/local/cuda/extras/CUPTI/lib64"]
    folders += sorted(glob.glob("/usr/local/cuda-*/lib*"), reverse=True)
    for folder in sys.path:
        folders += sorted(glob.glob(os.path.join(glob.escape(folder or "."), "nvidia", "*", "lib")), reverse=True)
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") + folders:
        found = sorted(glob.glob(os.path.join(glob.escape(folder), "libcupti.so.*"))) if folder else []
        if found and os.path.exists(os.path.join(folder, "libnvperf_host.so")):
            yield found[0]


def chip_of(architecture, implementation):
    """'GA102', or None."""
    return CHIPS.get(implementation if implementation > 0xff else architecture | implementation & 0xf)


def ask(chip, names):
    """{name: (unit, description)}; {} without CUPTI, for a chip that it does not know, and when it fails."""
    library = next(libraries(), None)
    if not chip or not library:
        return {}
    try:
        done = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), library, chip], input="\n".join(names).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS)
        return {name: tuple(value) for name, value in json.loads(done.stdout.decode()).items()}
    except (OSError, ValueError, subprocess.SubprocessError):
        return {}


def main():
    library, chip = sys.argv[1:]
    # CUPTI looks for it on the path of libraries, not beside itself.
    ctypes.CDLL(os.path.join(os.path.dirname(library), "libnvperf_host.so"), ctypes.RTLD_GLOBAL)
    cupti = ctypes.CDLL(library)
    start = Initialize(Initialize.host.offset + 8, None, 0, chip.encode(), None, None)
    if cupti.cuptiProfilerHostInitialize(ctypes.byref(start)):
        return 1
    out = {}
    for name in sys.stdin.read().split("\n"):
        p = Properties(Properties.type.offset + 4, None, start.host, name.encode())
        if name and not cupti.cuptiProfilerHostGetMetricProperties(ctypes.byref(p)):
            out[name] = [short((p.unit or b"").decode("utf-8", "replace")), (p.description or b"").decode("utf-8", "replace")]
    json.dump(out, sys.stdout)
    sys.stdout.flush()
    os._exit(0)              # a library's own end could still fail


if __name__ == "__main__":
    sys.exit(main())
