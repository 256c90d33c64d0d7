"""api/openmp.py - from api/openmp.api what the trace's table knows of OpenMP regions

For libgputap-openmp.so (omp_NAME), and the same for libgputap-libgomp.so (gomp_NAME): whose word it is stays known.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import copy
import os
import re

import osrt
import prototypes
import table
from wrappers import HEAD

DOMAIN_OPENMP, FIRST_OPENMP, FIRST_GOMP = 7, 0x4800, 0x4880


def read(path):
    """(functions, {group: [(number, name)]})"""
    functions, groups = [], {}
    with open(path, encoding="utf-8") as f:
        lines = [line.split("#", 1)[0].rstrip() for line in f]
    for line in filter(None, lines):
        if line.startswith("enum "):
            _, name, *values = line.split()
            groups[name] = [(int(n), text) for n, text in (v.split("=") for v in values)]
        elif line.startswith("\t"):
            attach(functions[-1], line.split(), groups)
        else:
            m = re.match(r"void (\w+)\((.*)\)$", line)
            if not m:
                raise table.ApiError("api/openmp.api: cannot read `%s`" % line)
            functions.append(entry(prototypes.make_function(m.group(1), "void", m.group(2), None), len(functions)))
    return functions, groups


def entry(prototype, number):
    fn = table.Fn(prototype.name, "void", [osrt.argument(p) for p in prototype.params])
    fn.domain, fn.id = DOMAIN_OPENMP, FIRST_OPENMP + number
    return fn


def attach(fn, words, groups):
    fn.kind = words[0]
    for word in words[1:]:
        m = re.match(r"group:(\w+)=(\w+)$", word)
        if not m or m.group(2) not in groups:
            raise table.ApiError("api/openmp.api: %s: cannot read `%s`" % (fn.name, word))
        arg = fn.arg(m.group(1))
        arg.group, arg.value = m.group(2), "enum"
    table.layout(fn)


def header(functions):
    out = [HEAD % ("openmp_functions.h", "regions and moments of OpenMP, as records carry them"),
           "#ifndef GPUTAP_GEN_OPENMP_FUNCTIONS_H", "#define GPUTAP_GEN_OPENMP_FUNCTIONS_H", "", "enum {"]
    out += ["\tFN_%s = 0x%04x," % (fn.name, fn.id) for fn in functions + of_libgomp(functions)]
    return "\n".join(out + ["};", "", "#endif", ""])


def of_libgomp(functions):
    out = []
    for fn in functions:
        twin = copy.copy(fn)
        twin.name, twin.id = "g" + fn.name, fn.id - FIRST_OPENMP + FIRST_GOMP
        out.append(twin)
    return out


def table_c(functions, groups, name, library):
    lines = ["D\t%d\topenmp" % DOMAIN_OPENMP]
    for group, values in sorted(groups.items()):
        lines.append("E\t%s\tenum" % group)
        lines += ["V\t%d\t%s" % value for value in values]
    for fn in functions:
        lines += table.function_lines(fn)
    return "\n".join([HEAD % (name + "_table.c", "what the trace knows of OpenMP's regions"), "#include \"interpose/openmp/openmp.h\"", "",
                      "static const char functions[] =", osrt.c_text(lines) + ";", "",
                      "struct gputap_thin %s_thin = GPUTAP_THIN(\"%s\", REC_DOMAIN_OPENMP, REC_ASK_OPENMP, functions);" % (name, library),
                      ""])


def files(folder):
    functions, groups = read(os.path.join(folder, "openmp.api"))
    return {"openmp_functions.h": header(functions), "openmp_table.c": table_c(functions, groups, "openmp", "libgputap-openmp.so"),
            "gomp_table.c": table_c(of_libgomp(functions), groups, "gomp", "libgputap-libgomp.so")}
