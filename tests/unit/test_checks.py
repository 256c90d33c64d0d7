"""tests/unit/test_checks.py - scripts/check-includes and scripts/check-symbols find what they are there for

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CC = os.environ.get("CC", "cc")


def run(*words):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Includes(unittest.TestCase):
    def check(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return run(ROOT / "scripts/check-includes", folder)

    def test_the_repository_follows_the_rule(self):
        self.assertEqual(run(ROOT / "scripts/check-includes"), (0, ""))

    def test_the_tool_may_not_include_the_writer(self):
        rc, out = self.check("model/x.c", '#include <a.h>\n#include "trace/write/stream.h"\n')
        self.assertEqual((rc, out), (1, 'model/x.c:2: model/ may not include "trace/write/stream.h"\n'))

    def test_the_shim_may_not_include_the_reader(self):
        rc, out = self.check("interpose/x.c", '#include "trace/read/reader.h"\n')
        self.assertEqual((rc, out), (1, 'interpose/x.c:1: interpose/ may not include "trace/read/reader.h"\n'))

    def test_the_writer_may_not_include_what_stands_on_it(self):
        self.assertEqual(self.check("trace/write/x.c", '#include "collectors/opencl/hooks.h"\n')[0], 1)

    def test_the_shim_may_not_print(self):
        self.assertEqual(self.check("collectors/x.c", "#include <stdio.h>\n")[0], 1)
        self.assertEqual(self.check("writers/x.c", "#include <stdio.h>\n")[0], 0)


@unittest.skipUnless(shutil.which(CC) and shutil.which("nm"), "no compiler or no nm")
class Symbols(unittest.TestCase):
    def check(self, code, hot=False):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            source = build / "x.c"
            source.write_text(code)
            obj = build / "shim/interpose" / ("call.o" if hot else "other.o")
            obj.parent.mkdir(parents=True)
            subprocess.run([CC, "-g", "-fPIC", "-c", "-o", str(obj), str(source)], check=True)
            subprocess.run([CC, "-shared", "-o", str(build / "libx.so"), str(obj)], check=True)
            return run(ROOT / "scripts/check-symbols", build / "libx.so")

    def test_abort_is_refused_and_its_line_named(self):
        rc, out = self.check("#include <stdlib.h>\nvoid f(void)\n{\n\tabort();\n}\n")
        self.assertEqual(rc, 1)
        self.assertRegex(out, r"x\.c:4: the shim may not import abort")

    def test_a_function_on_the_list_passes(self):
        self.assertEqual(self.check("#include <time.h>\nint f(struct timespec *t) { return clock_gettime(1, t); }\n"), (0, ""))

    def test_the_hot_path_may_not_use_cold_functions(self):
        code = "#include <unistd.h>\nlong f(void)\n{\n\treturn sysconf(30);\n}\n"
        self.assertEqual(self.check(code)[0], 0)
        rc, out = self.check(code, hot=True)
        self.assertEqual(rc, 1)
        self.assertRegex(out, r"x\.c:4: the hot path may not use sysconf")

    def test_the_shim_as_built_passes(self):
        library = pathlib.Path(os.environ.get("GPUTAP_BUILD", ROOT / "build"), "libgputap.so")
        if not library.exists():
            self.skipTest("no %s" % library.name)
        rc, out = run(ROOT / "scripts/check-symbols", library)
        self.assertEqual(rc, 0, out)


if __name__ == "__main__":
    unittest.main()
