#!/usr/bin/env python3
"""tests/witness/names.py - the functions of the loader's dispatch table, in its order, from the installed header

Prints NAME(clFunction) lines for tests/witness/layer.c. The project's own tables are not asked: a witness shares nothing with
what it watches.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/include/CL/cl_icd.h").read_text(encoding="utf-8")
table = text[text.index("typedef struct _cl_icd_dispatch {"):]
places = re.findall(r"\b(?:cl_api_\w+|void)\s*\*?\s*(cl\w+);", table)
print("/* made by names.py */")
for name in places:
    print(f"NAME({name})")
