#!/usr/bin/env python3
"""api/generate.py - from the descriptions in api/*.api to what build/gen/ holds (see api/README.md)

    api/generate.py --out build/gen

Needs the standard library and the zstd tool alone.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import hashlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import declarations  # noqa: E402
import openmp  # noqa: E402
import osrt  # noqa: E402
import table  # noqa: E402
import wrappers  # noqa: E402


class Api:
    """Everything described: types, values, functions, callbacks, HSA functions, queries."""

    def __init__(self):
        self.declared = declarations.Declarations()
        self.groups = table.Groups(self.declared)
        self.types = table.Types(self.declared, self.groups)
        self.fns = table.describe(self.declared, self.groups, self.types)
        self.callbacks = table.callback_fns(self.fns, self.types)
        self.hsa = table.hsa_fns(read_lines("hsa.api"))
        self.queries = read_lines("opencl_queries.api")
        table.number(self.fns, self.callbacks)

    def table_text(self):
        return table.table_text(self.fns + self.callbacks + self.hsa, self.groups, self.types, self.queries)


def read_lines(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        lines = [line.split("#", 1)[0].split() for line in f]
    return [words for words in lines if words]


def write(folder, name, text):
    """Replaces only what changed, so that make rebuilds no more than it has to."""
    path = os.path.join(folder, name)
    data = text.encode() if isinstance(text, str) else text
    if os.path.exists(path):
        with open(path, "rb") as f:
            if f.read() == data:
                return
    with open(path + ".new", "wb") as f:
        f.write(data)
    os.rename(path + ".new", path)


def compress(folder, name):
    """From a file, not a pipe: the frame then tells its size, which the reader checks before it unpacks."""
    run = subprocess.run(["zstd", "-19", "-q", "-c", os.path.join(folder, name)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return run.stdout


def table_embed(packed, digest):
    rows = [", ".join("%d" % b for b in packed[i:i + 24]) for i in range(0, len(packed), 24)]
    return (wrappers.HEAD % ("table_embed.c", "the function table, compressed: written once per run into the trace") +
            "#include <stddef.h>\n\n#include \"opencl_entries.h\"\n\n"
            "const unsigned char tap_table[] = {\n\t%s\n};\n"
            "const size_t tap_table_bytes = sizeof(tap_table);\n"
            "const char tap_table_hash[] = \"%s\";\n" % (",\n\t".join(rows), digest))


def main():
    parser = argparse.ArgumentParser(description="generate wrappers and tables from the API descriptions")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    api = Api()
    text = api.table_text().encode()
    digest = hashlib.sha256(text).hexdigest()[:16]
    write(args.out, "table.txt", text)
    packed = compress(args.out, "table.txt")
    write(args.out, "table.zst", packed)
    write(args.out, "table_embed.c", table_embed(packed, digest))
    for name, content in {**wrappers.files(api), **osrt.files(HERE), **openmp.files(HERE)}.items():
        write(args.out, name, content)


if __name__ == "__main__":
    try:
        main()
    except (table.ApiError, declarations.DeclarationError, OSError, subprocess.CalledProcessError) as err:
        sys.exit("api/generate.py: %s" % err)
