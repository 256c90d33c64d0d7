#!/usr/bin/env python3
"""tests/unit/test_setup.py - scripts/setup: what is needed, what is optional, and what a release does not have

A Debian whose packages are a list in this test; nothing is installed.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

SETUP = pathlib.Path(__file__).resolve().parents[2] / "scripts/setup"
# Installed is what the file `installed` names. apt-get fails as the real one does, for all that it is asked for.
STUBS = {
    "dpkg-query": 'grep -qx "${@: -1}" "$SYSTEM/installed" && echo "install ok installed"',
    "apt-cache": 'grep -qx "${@: -1}" "$SYSTEM/release" && echo "Package: ${@: -1}"',
    "apt-get": """[ "$1" = install ] || exit 0
for p in "${@:2}"; do
	case $p in -*) ;; *) grep -qx "$p" "$SYSTEM/release" || { echo "E: Unable to locate package $p" >&2; exit 100; } ;; esac
done
for p in "${@:2}"; do case $p in -*) ;; *) echo "$p" >>"$SYSTEM/installed" ;; esac; done""",
    "id": "echo 0",
    "python3": "exit 1",                # no pip: what it would bring is not asked for here
}
NEEDED = {"gcc", "make", "python3", "zstd", "libsqlite3-dev", "libzstd-dev", "libxxhash-dev", "opencl-headers", "ocl-icd-opencl-dev",
          "ocl-icd-libopencl1", "pocl-opencl-icd", "sqlite3"}
TESTS = {"libcmocka-dev", "binutils", "procps"}
OPTIONAL = {"clinfo", "elfutils", "libc6-i386", "musl-tools", "oclgrind", "protobuf-compiler", "shellcheck", "strace", "python3-pycparser",
            "python3-pip"}


class Setup(unittest.TestCase):
    def run_on(self, release, *options):
        """(status, what was installed, what was said)"""
        with tempfile.TemporaryDirectory() as system:
            (pathlib.Path(system) / "release").write_text("\n".join(sorted(release)) + "\n", encoding="ascii")
            installed = pathlib.Path(system) / "installed"
            installed.touch()
            for name, body in STUBS.items():
                path = pathlib.Path(system) / name
                path.write_text(f"#!/bin/bash\n{body}\n", encoding="ascii")
                path.chmod(0o755)
            run = subprocess.run(["bash", SETUP, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True,
                                 env={**os.environ, "PATH": f"{system}:{os.environ['PATH']}", "SYSTEM": system, "HOME": system,
                                      "XDG_CACHE_HOME": system})
            return run.returncode, set(installed.read_text(encoding="ascii").split()), run.stderr

    def test_all_of_a_release_that_has_it(self):
        status, installed, said = self.run_on(NEEDED | TESTS | OPTIONAL)
        self.assertEqual((status, installed), (0, NEEDED | TESTS | OPTIONAL), said)

    def test_what_is_optional_and_not_in_the_release_is_left_out_by_name(self):
        status, installed, said = self.run_on(NEEDED | TESTS | OPTIONAL - {"oclgrind"})
        self.assertEqual((status, installed), (0, NEEDED | TESTS | OPTIONAL - {"oclgrind"}), said)
        self.assertIn("setup: left out: oclgrind is not in this release\n", said)

    def test_what_is_needed_and_not_in_the_release_is_an_error(self):
        status, installed, said = self.run_on((NEEDED | TESTS | OPTIONAL) - {"libzstd-dev"})
        self.assertNotEqual(status, 0, said)
        self.assertEqual(installed, set(), said)

    def test_the_demo_installs_what_it_needs_alone(self):
        status, installed, said = self.run_on(NEEDED | TESTS | OPTIONAL, "--demo")
        self.assertEqual((status, installed), (0, NEEDED), said)


if __name__ == "__main__":
    unittest.main()
