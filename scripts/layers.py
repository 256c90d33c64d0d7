"""scripts/layers.py - the folders of code and which of them each may use; for check-includes and check-layers

    common/plain <- trace/format <- { trace/write <- collectors <- interpose }
                                 and { common <- trace/read <- model <- analysis/metrics <- analysis/sections <- writers, analysis <- cli }

The two braces never meet. A folder of a family (collectors/opencl) and the folder above it (collectors) are one layer and use
each other; two families never do. A part of a folder (cli/dump) only keeps it small. model/timeline stands above
the families, analysis/metrics and analysis/sections above the model: files and reports show their values. A folder that is not in the table is an error, so that a new one is thought about.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import fnmatch
import pathlib
import posixpath

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Runs inside the traced program: folder, folders below it in the order of the layers
SHIM = {
    "trace/write": ["common/plain", "trace/format"],
    "collectors": ["common/plain", "trace/format", "trace/write"],
    "interpose": ["common/plain", "trace/format", "trace/write", "collectors"],
}
READ = ["common/plain", "common", "trace/format", "trace/read"]
MODEL = READ + ["model", "model/timeline"]
TOOL = {
    "common": ["common/plain"],
    "trace/read": READ,
    "model": READ,
    "model/timeline": READ + ["model"],
    "analysis/metrics": MODEL,
    "analysis/sections": MODEL + ["analysis/metrics"],
    "writers": MODEL + ["analysis/metrics", "analysis/sections"],
    "analysis": MODEL + ["analysis/metrics", "analysis/sections"],
    "cli": MODEL + ["analysis/metrics", "analysis/sections", "writers", "analysis"],
}
BOTH = {
    "common/plain": [],
    "trace/format": ["common/plain"],
}
# A part keeps a folder small and counts as the folder above it in every respect.
PARTS = {
    "trace/write": ["run", "stream", "call"],
    "model": ["checks", "functions", "stacks", "symbols", "threads"],
    "analysis": ["reports"],
    "cli": ["run", "perf", "dump", "show", "info", "stats", "metrics"],
}
# A family's folder is in the layer of the folder above it; two families never use each other.
FAMILIES = {
    "collectors": ["opencl", "cupti", "nvtx", "stack", "perf", "profiler"],
    "model": ["opencl", "cuda", "nvtx"],
    "writers": ["apilog", "atp", "sqlite", "perfetto", "callgrind", "folded", "codexl", "ncurep"],
    "analysis": ["callgrind"],
}
# Thin objects: they include what describes the core and link nothing of it.
THIN = {"interpose/osrt": ["trace/format", "trace/write"], "interpose/openmp": ["trace/format", "trace/write"],
        "interpose/libgomp": ["trace/format", "trace/write", "interpose/openmp"]}
# Loaded by the dynamic linker before anything else: it uses nothing of ours.
ALONE = ["interpose/audit"]
# Use what they like, are used by nobody.
FREE = ["api", "bench", "examples", "scripts", "tests"]

# What the build makes, and the folder whose layer it stands in
GENERATED = {
    "ids.h": "trace/format", "opencl_types.h": "trace/format", "opencl_values.h": "trace/format",
    "opencl_api.h": "collectors",
    "opencl_hooks.h": "collectors",
    "cuda_capture_own.h": "collectors",
    "opencl_entries.h": "interpose",
    "opencl_callbacks.c": "collectors",
    "opencl_wrappers_*": "interpose",
    "opencl_entries.c": "interpose",
    "osrt_*": "interpose/osrt",
    "openmp_*": "interpose/openmp",
    "gomp_*": "interpose/libgomp",
    "table_embed.c": "trace/format",
    "cuda_args_own.h": "model",
    "cuda_generator.h": "model",
}


def whole(layer):
    """A folder and its parts."""
    return [layer] + ["%s/%s" % (layer, part) for part in PARTS.get(layer, [])]


def folders():
    """{folder: the folders it may use, itself included}; no entry: unknown."""
    rules = {}
    for layer, below in [*BOTH.items(), *SHIM.items(), *TOOL.items()]:
        families = ["%s/%s" % (layer, name) for name in FAMILIES.get(layer, [])]
        parts = whole(layer)
        low = [one for name in below for one in whole(name) + ["%s/%s" % (name, family) for family in FAMILIES.get(name, [])]]
        for part in parts:
            rules[part] = parts + families + low
        for family in families:
            rules[family] = parts + [family] + low
    for name in ALONE:
        rules[name] = [name]
    for name, below in THIN.items():
        rules[name] = [name] + below
    return rules


RULES = folders()
IN_SHIM = {f for f in RULES if f.split("/")[0] in ("collectors", "interpose") or f in (*whole("trace/write"), *BOTH)}


def free(folder):
    return folder.split("/")[0] in FREE


def may_use(user, used):
    return free(user) or used in RULES.get(user, [])


def generated(name):
    """The folder whose layer a generated file stands in, or None: not generated."""
    for pattern, folder in GENERATED.items():
        if fnmatch.fnmatchcase(name, pattern):
            return folder
    return None


def core_sources():
    """The sources of libgputap.so, by the name that objects() gives to theirs."""
    folders_of_it = IN_SHIM - set(THIN) - set(ALONE)
    for path in sorted(one for folder in folders_of_it for suffix in ("c", "S") for one in (ROOT / folder).glob("*." + suffix)):
        name = path.relative_to(ROOT).as_posix()
        yield name if path.suffix == ".S" else name[:-2]


def objects(build):
    """(path, world, folder, source without suffix) of each object that the build made of the folders: world shim, tool or both."""
    for path in sorted(build.glob("*/**/*.o")):
        parts = path.relative_to(build).parts
        if generated(path.stem + ".c") in THIN:
            continue                    # linked by itself: check-symbols sees what it imports
        if parts[0] == "gen":
            yield path, "both" if path.stem == "table_embed" else "shim", generated(path.stem + ".c") or "build/gen", "gen/" + path.stem
        elif parts[0] in ("shim", "tool"):
            name = posixpath.join(*parts[1:])[:-2]
            source = name if name.endswith(".S") else name + ".c"
            # a file that was moved leaves its object behind
            if (build.parent / source).exists() or not (build.parent / "Makefile").exists():
                yield path, parts[0], posixpath.dirname(name), name
