#!/usr/bin/env python3
"""tests/witness/names.py - the functions of the loader's dispatch table, in its order, from the installed header

Reads cl_icd.h as the preprocessor leaves it (headers since 2023 tell places twice, with and without a type; where a place
is a union, the first member is the function) and prints NAME(clFunction) lines for tests/witness/layer.c. The project's own
tables are not asked: a witness shares nothing with what it watches.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import sys

text = re.sub(r"\bunion\s*\{([^;]*;)[^}]*\}\s*;", r"\1", sys.stdin.read())
table = re.search(r"struct _cl_icd_dispatch\s*\{(.*?)\}", text, re.S).group(1)
print("/* made by names.py */")
for member in table.split(";"):
    name = re.search(r"\(\s*\*\s*(cl\w+)\s*\)\s*\(|\b(cl\w+)\s*$", member)
    if name:
        print(f"NAME({name[1] or name[2]})")
