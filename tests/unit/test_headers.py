#!/usr/bin/env python3
"""tests/unit/test_headers.py - installed OpenCL headers of any version against our own declarations

What a header has and our tables lack is listed as a skip; what both have must agree. GPUTAP_CL_HEADERS names other folders
than /usr/include/CL, separated by colons.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "api"))
sys.dont_write_bytecode = True

from declarations import Declarations  # noqa: E402
from headers import HEADERS, Headers  # noqa: E402
import table  # noqa: E402
import wrappers  # noqa: E402

FOLDERS = os.environ.get("GPUTAP_CL_HEADERS", "/usr/include/CL").split(":")
CC = os.environ.get("CC", "cc").split()
OURS = Declarations()
# Between loader and driver (the loader's second interface): an application has no use for them, and recording a loader that
# fills its tables would show calls that nobody made.
LOADERS = {"clIcdGetFunctionAddressForPlatformKHR", "clIcdSetPlatformDispatchDataKHR"}
# What cl_khr_command_buffer_mutable_dispatch 0.9.2 changed besides functions.
REVISED = re.compile(r"cl_mutable_\w+|CL_STRUCTURE_TYPE_MUTABLE_\w+")


def resolved(type_text, theirs):
    """A type without the names that typedefs give it: cl_command_type and cl_uint are one."""
    words = []
    for word in re.findall(r"\w+|\*|\[\]", type_text):
        seen = word
        while seen in theirs.typedefs or seen in OURS.typedefs:
            target = OURS.typedefs.get(seen) or theirs.typedefs[seen]
            if not re.fullmatch(r"\w+", target):
                break
            seen = target
        words += [seen] if seen != "const" else []
    return " ".join(words).replace("[]", "*")


def signature(function, theirs):
    return [resolved(function.ret, theirs)] + [
        "callback" if p.callback is not None else resolved(p.type, theirs) for p in function.params]


def attribute(name, key):
    """VALUE of a function's attribute `KEY:VALUE`, or None."""
    return next((w.partition(":")[2] for w in OURS.attributes[name] if w.startswith(key + ":")), None)


def prototypes(name, theirs):
    """Our prototypes of a function that may stand in these headers: of several the one for their version of its extension."""
    ours = [name] + [n for n in OURS.functions if attribute(n, "revises") == name]
    version = theirs.extension_version(attribute(name, "provisional") or "")

    def number(n, key, default):
        return tuple(map(int, (attribute(n, key) or default).split(".")))
    if version:
        ours = [n for n in ours if number(n, "since", "0.0.0") <= version <= number(n, "until", "99.0.0")]
    return [OURS.functions[n] for n in ours]


def each_folder(test):
    """Runs a test for every folder that has headers; skipped where there is none."""
    def run(self):
        found = [f for f in FOLDERS if os.path.exists(os.path.join(f, "cl.h"))]
        if not found:
            self.skipTest("skipped: no OpenCL headers in %s" % " ".join(FOLDERS))
        missing = []
        for folder in found:
            with self.subTest(folder=folder):
                missing += test(self, Headers(folder)) or []
        if missing:
            self.skipTest("skipped: our tables lack %d: %s" % (len(set(missing)), " ".join(sorted(set(missing)))))
    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    return run


class InstalledHeaders(unittest.TestCase):
    @each_folder
    def test_a_prototype_that_both_have_is_the_same(self, theirs):
        self.assertGreater(len(theirs.functions), 150)
        for name, function in theirs.functions.items():
            if name in OURS.functions:
                self.assertIn(signature(function, theirs), [signature(f, theirs) for f in prototypes(name, theirs)], name)
        return [name for name in theirs.functions if name not in OURS.functions and name not in LOADERS]

    @each_folder
    def test_a_constant_that_both_have_has_one_value(self, theirs):
        values = {name: theirs.value(name) for name in theirs.defines}
        self.assertGreater(len(values), 500)
        differ = {name: (value, OURS.value(name)) for name, value in values.items()
                  if value is not None and OURS.value(name) not in (None, value) and not REVISED.fullmatch(name)}
        self.assertEqual(differ, {})
        return [name for name, value in values.items() if value is not None and OURS.value(name) is None]

    @each_folder
    def test_structures_and_places_in_the_loaders_table_are_the_compilers(self, theirs):
        groups = table.Groups(OURS)
        types = table.Types(OURS, groups)
        lines = ["#include <stddef.h>"] + ["#define CL_USE_DEPRECATED_OPENCL_%s_APIS" % v for v in ("1_0", "1_1", "1_2", "2_0", "2_1", "2_2")]
        lines += ["#include <CL/%s>" % h for h in ("cl.h", "cl_gl.h", "cl_egl.h", "cl_ext.h", "cl_icd.h")]
        for name in theirs.structs:
            if name not in OURS.structs or REVISED.fullmatch(name):
                continue
            size, fields = types.struct_layout(name)
            self.assertEqual([f for f, _, _, _, _ in fields], [f for _, f, _ in theirs.structs[name]], name)
            lines.append("_Static_assert(sizeof(%s) == %d, \"%s\");" % (name, size, name))
            lines += ["_Static_assert(offsetof(%s, %s) == %d, \"%s.%s\");" % (name, f, at, name, f) for f, at, _, _, _ in fields]
        for place, name in enumerate(OURS.dispatch):
            if name in theirs.exported_names:
                lines.append("_Static_assert(offsetof(struct _cl_icd_dispatch, %s) == %d * sizeof(void *), \"%s\");" % (name, place, name))
        self.assertGreater(len(lines), 150)
        run = subprocess.run(CC + ["-std=gnu11", "-w", "-DCL_TARGET_OPENCL_VERSION=300", "-I" + os.path.dirname(theirs.folder),
                                   "-fsyntax-only", "-xc", "-"], input="\n".join(lines), text=True, capture_output=True)
        self.assertEqual([line for line in run.stderr.splitlines() if "error" in line], [])
        self.assertEqual(run.returncode, 0, run.stderr[-2000:])


class Reader(unittest.TestCase):
    def test_a_union_without_a_name_is_its_first_member_however_it_is_spelt(self):
        for word in ("", "__extension__ ", "__CL_ANON_STRUCT__ "):
            with self.subTest(word=word), tempfile.TemporaryDirectory() as folder:
                for name in HEADERS + ("cl_icd.h",):
                    with open(os.path.join(folder, name), "w", encoding="ascii") as f:
                        f.write("typedef struct _cl_icd_dispatch { int none; } cl_icd_dispatch;\n")
                with open(os.path.join(folder, "cl.h"), "w", encoding="ascii") as f:
                    f.write("typedef struct _cl_one {\ncl_uint a;\n#if SOME\n%sunion {\n#endif\ncl_mem b;\n#if SOME\ncl_mem c;\n};\n#endif\n} cl_one;\n" % word)
                self.assertEqual([name for _, name, _ in Headers(folder).structs["cl_one"]], ["a", "b"])


class OwnTables(unittest.TestCase):
    def test_every_version_of_a_provisional_extension_is_known(self):
        named = {w.partition(":")[2] for words in OURS.attributes.values() for w in words if w.startswith("provisional:")}
        self.assertEqual(named - set(wrappers.PROVISIONAL), set())

    def test_our_own_types_compile_without_any_header(self):
        build = os.environ.get("GPUTAP_BUILD", os.path.join(TOP, "build"))
        run = subprocess.run(CC + ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(build, "gen"), "-fsyntax-only", "-H", "-xc", "-"],
                             input="#include \"opencl_api.h\"\n", text=True, capture_output=True)
        self.assertEqual(run.returncode, 0, run.stderr[-2000:])
        self.assertNotRegex(run.stderr, r"/CL/")


if __name__ == "__main__":
    unittest.main()
