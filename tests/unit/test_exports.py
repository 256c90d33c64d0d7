#!/usr/bin/env python3
"""tests/unit/test_exports.py - libgputap.so shows the dynamic linker what it is meant to, in these versions, and nothing else

Whatever stands here takes the place of a function of the C library or of a driver in every traced program.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import unittest

PLAIN = """dlsym dlvsym dlclose
    _exit _Exit execve execv execvp execvpe execl execle execlp fexecve execveat pidfd_spawn pidfd_spawnp system popen
    prctl syscall
    InitializeInjection InitializeInjectionNvtx2 InitializeInjectionNvtx2_fnptr InitializeInjectionNvtxExtension
    gputap_shim gputap_rebind gputap_core gputap_start""".split()
# what the C library has in two versions: https://sourceware.org/glibc, ABI lists of x86_64 and aarch64
VERSIONED = {
    "x86_64": """posix_spawn@@GLIBC_2.15 posix_spawn@GLIBC_2.2.5 posix_spawnp@@GLIBC_2.15 posix_spawnp@GLIBC_2.2.5
        quick_exit@@GLIBC_2.24 quick_exit@GLIBC_2.10""",
    "aarch64": "posix_spawn@@GLIBC_2.17 posix_spawnp@@GLIBC_2.17 quick_exit@@GLIBC_2.24 quick_exit@GLIBC_2.17",
}


class Exports(unittest.TestCase):
    def test_the_shim_exports_these_and_the_functions_of_opencl_and_cupti(self):
        library = os.environ["GPUTAP_BUILD"] + "/libgputap.so"
        out = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
        shown = {line.split()[2] for line in out.splitlines() if line.split()[1] != "A"}
        opencl = {name for name in shown if re.match(r"cl[A-Z]\w+$", name)}
        with open(os.path.join(os.environ["GPUTAP_TESTS"], "../collectors/cupti/client.def"), encoding="utf-8") as f:
            cupti = set(re.findall(r"^ENTRY\((\w+),", f.read(), re.M))
        self.assertGreater(len(cupti), 20)
        self.assertGreater(len(opencl), 100)
        sanitizers = {name for name in shown if name.startswith("__odr_asan.")}       # of a build with one
        self.assertEqual(shown - opencl - sanitizers, cupti | set(PLAIN) | set(VERSIONED[os.uname().machine].split()))


if __name__ == "__main__":
    unittest.main()
