#!/usr/bin/env python3
"""tests/unit/test_build.py - the flags of packagers reach all that is built, and what they change is built again

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CC = os.environ.get("CC", "cc")


def make(folder, *words):
    """What make says, in a folder of its own; none of its caller's flags."""
    env = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "MFLAGS")}
    run = subprocess.run(["make", "-C", str(ROOT), "O=" + folder, "CC=" + CC, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         check=False, text=True, env=env)
    if run.returncode:
        raise AssertionError(run.stdout)
    return run.stdout


@unittest.skipUnless(shutil.which("make"), "skipped: make is not installed")
class Flags(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name + "/test_build"

    def commands(self, cflags="-O1 -DOF_C"):
        said = make(self.folder, "-n", "CFLAGS=" + cflags, "CPPFLAGS=-DOF_CPP", "LDFLAGS=-Wl,-z,of_ld", "all")
        lines = [" ".join(line.split()) for line in said.replace("\\\n", " ").splitlines()]
        return {re.search(r" -o \S+?/test_build/(\S+)", line).group(1): line for line in lines if line.startswith(CC + " ") and " -o " in line}

    def assert_all(self, commands, pattern):
        self.assertEqual([name for name, line in commands.items() if not re.search(pattern, line)], [])

    def test_all_that_is_compiled_has_them_behind_ours(self):
        compiled = {name: line for name, line in self.commands().items() if line.endswith(".c")}
        self.assertGreater(len(compiled), 300)
        self.assert_all(compiled, " -g .* -DOF_CPP -O1 -DOF_C ")
        assembled = {name: line for name, line in self.commands().items() if line.endswith(".S")}
        self.assertGreater(len(assembled), 3)
        self.assert_all(assembled, " -DOF_CPP ")

    def test_all_that_is_linked_has_them(self):
        linked = {name: line for name, line in self.commands().items() if " -c " not in line}
        self.assertEqual(sorted(linked), ["gputap", "libgputap-audit.so", "libgputap-libgomp.so", "libgputap-openmp.so", "libgputap-osrt.so",
                                          "libgputap.so"])
        self.assert_all(linked, " -Wl,-z,of_ld( |$)")
        self.assert_all(linked, " -O1 -DOF_C ")

    def test_hardening_does_not_reach_what_lives_in_a_strangers_process(self):
        ours = {name: line for name, line in self.commands().items() if re.search(r"^(shim|thin)/.*(?<!\.S)\.o$|\.so$", name)}
        self.assertGreater(len(ours), 100)
        self.assert_all(ours, " -DOF_C -U_FORTIFY_SOURCE -fno-stack-protector ")

    def test_where_a_compiler_inlines_nothing_nobody_insists(self):
        """gcc 16 with -Og refuses functions of xxhash.h that must be inlined."""
        compiled = {name: line for name, line in self.commands("-Og").items() if line.endswith(".c")}
        self.assert_all(compiled, " -DXXH_NO_INLINE_HINTS=1 ")

    def test_a_change_of_flags_or_of_the_makefiles_builds_again(self):
        target = self.folder + "/tool/common/utf8.o"

        def built(*words):
            return [line.split() for line in make(self.folder, "-s", *words, target).splitlines() if line.startswith("  CC")]
        once = [["CC", "common/utf8.c"]]
        self.assertEqual(built("CFLAGS=-O1"), once)
        self.assertEqual(built("CFLAGS=-O1"), [])
        self.assertEqual(built("CFLAGS=-O0"), once)
        self.assertEqual(built("CFLAGS=-O0", "CPPFLAGS=-DMORE"), once)
        self.assertEqual(built("CFLAGS=-O0", "CPPFLAGS=-DMORE", "LDFLAGS=-Wl,-z,now"), once)
        for file in ("Makefile", "scripts/rules.mk"):
            self.assertEqual(built("CFLAGS=-O0", "CPPFLAGS=-DMORE", "LDFLAGS=-Wl,-z,now"), [])
            self.assertEqual(built("-W", file, "CFLAGS=-O0", "CPPFLAGS=-DMORE", "LDFLAGS=-Wl,-z,now"), once, file)


if __name__ == "__main__":
    unittest.main()
