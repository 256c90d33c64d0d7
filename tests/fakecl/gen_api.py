#!/usr/bin/env python3
"""tests/fakecl/gen_api.py - api.h and icd table of the stand-in from its own sources

Prints prototypes of every fk_cl* function defined in the given C files (api.h), or with --dispatch the initializer of
the ICD dispatch (functions that the stand-in lacks stay NULL, as in an old driver) and the list of its places by name.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import sys

dispatch = sys.argv[1] == "--dispatch"
files = sys.argv[2:] if dispatch else sys.argv[1:]
pattern = re.compile(r"^([a-z][^\n{};]*CL_API_CALL fk_(cl\w+)\([^{};]*\))\n\{", re.M)
seen = []
for name in files:
    with open(name, encoding="utf-8") as source:
        for match in pattern.finditer(source.read()):
            seen.append((match.group(2), " ".join(match.group(1).split())))
    with open(name, encoding="utf-8") as source:  # functions made by the two macros
        text = source.read()
    for what, handle in re.findall(r"^RETAIN_RELEASE\((\w+), (\w+),", text, re.M):
        for verb in ("Retain", "Release"):
            seen.append((f"cl{verb}{what}", f"cl_int CL_API_CALL fk_cl{verb}{what}({handle} o)"))
    for function in re.findall(r"^PLAIN\((cl\w+),", text, re.M):
        seen.append((function, f"cl_int CL_API_CALL fk_{function}(cl_command_queue q, WAITS)"))
if dispatch:
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../api/opencl_dispatch.api")
    with open(table, encoding="utf-8") as lines:
        known = {line.strip() for line in lines}
    print("/* made by gen_api.py */\n#include \"api.h\"\n#include <stddef.h>\nconst cl_icd_dispatch fk_full_dispatch = {")
    for name, _ in seen:
        if name in known:
            print(f"\t.{name} = (void *)fk_{name},")
    print("};")
    print("const struct fk_place fk_places[] = {")
    for name, _ in seen:
        if name in known:
            print(f'\t{{ "{name}", offsetof(cl_icd_dispatch, {name}) }},')
    print("\t{ NULL, 0 },\n};")
else:
    print("/* made by gen_api.py */\n#include \"fakecl.h\"")
    for _, prototype in seen:
        print(prototype + ";")
