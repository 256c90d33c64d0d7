"""tests/unit/test_checks.py - the checks of scripts/ find what they are there for

Each way round a rule is tried once.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("GPUTAP_BUILD", ROOT / "build"))
CC = os.environ.get("CC", "cc")


def run(*words):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def write(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Includes(unittest.TestCase):
    WRITER = {"trace/write/stream/stream.h": "", "trace/write/internal.h": "", "interpose/call.h": ""}

    def check(self, name, text, more=None):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, {**self.WRITER, **(more or {}), name: text})
            return run(ROOT / "scripts/check-includes", folder)

    def assertRefused(self, name, text, why, more=None):
        rc, out = self.check(name, text, more)
        self.assertEqual(rc, 1, out)
        self.assertRegex(out, r"(?m)^%s:\d+: .*%s" % (name.replace(".", r"\."), why))

    def test_the_repository_follows_the_rule(self):
        self.assertEqual(run(ROOT / "scripts/check-includes"), (0, ""))

    def test_what_is_allowed_passes(self):
        self.assertEqual(self.check("collectors/x.c", '#include <string.h>\n#include "trace/write/stream/stream.h"\n'), (0, ""))

    def test_the_tool_may_not_include_the_writer(self):
        rc, out = self.check("model/x.c", '#include <a.h>\n#include "trace/write/stream/stream.h"\n')
        self.assertEqual((rc, out), (1, 'model/x.c:2: model/ may not include "trace/write/stream/stream.h"\n'))

    def test_the_shim_may_not_include_the_reader(self):
        rc, out = self.check("interpose/x.c", '#include "trace/read/reader.h"\n')
        self.assertEqual((rc, out), (1, 'interpose/x.c:1: interpose/ may not include "trace/read/reader.h"\n'))

    def test_the_writer_may_not_include_what_stands_on_it(self):
        self.assertRefused("trace/write/x.c", '#include "collectors/opencl/hooks.h"\n', "may not include")

    def test_the_shim_has_the_plain_part_of_common_only(self):
        more = {"common/plain/text.h": "", "common/json.h": ""}
        self.assertEqual(self.check("trace/write/x.c", '#include "common/plain/text.h"\n', more), (0, ""))
        self.assertEqual(self.check("model/x.c", '#include "common/json.h"\n', more), (0, ""))
        self.assertRefused("trace/write/x.c", '#include "common/json.h"\n', "may not include", more)

    def test_a_family_may_not_include_another(self):
        self.assertRefused("collectors/nvtx/x.c", '#include "collectors/opencl/hooks.h"\n', "may not include")
        self.assertRefused("writers/atp/x.c", '#include "writers/sqlite/db.h"\n', "may not include")
        self.assertRefused("model/cuda/x.c", '#include "model/opencl/image.h"\n', "may not include")
        self.assertEqual(self.check("collectors/nvtx/x.c", '#include "collectors/collector.h"\n', {"collectors/collector.h": ""}), (0, ""))

    def test_the_two_users_of_the_model_do_not_meet(self):
        self.assertRefused("writers/x.c", '#include "analysis/reports/report.h"\n', "may not include")
        self.assertRefused("analysis/x.c", '#include "writers/writer.h"\n', "may not include")
        self.assertRefused("writers/x.c", '#include "cli/cli.h"\n', "may not include")

    def test_internal_headers_are_private(self):
        rc, out = self.check("collectors/x.c", '#include "trace/write/internal.h"\n')
        self.assertEqual((rc, out), (1, 'collectors/x.c:1: collectors/ may not include "trace/write/internal.h": it is private to trace/write/\n'))
        more = {"model/internal.h": "", "model/cuda/internal.h": ""}
        self.assertEqual(self.check("model/cuda/x.c", '#include "model/internal.h"\n', more), (0, ""))
        self.assertRefused("model/x.c", '#include "model/cuda/internal.h"\n', "private", {**more, "model/cuda/y.c": ""})

    def test_dots_lead_nowhere(self):
        self.assertRefused("model/x.c", '#include "../trace/write/stream/stream.h"\n', "no way with")
        self.assertRefused("model/x.c", '#include "model/../trace/write/stream/stream.h"\n', "no way with")
        self.assertRefused("model/x.c", '#include "./trace/./write//stream/stream.h"\n', 'may not include "trace/write/stream/stream.h"')
        self.assertRefused("trace/write/x.c", '#include "trace//write/stream/stream.h"\n', 'its name is "trace/write/stream/stream.h"')

    def test_an_absolute_path_is_refused(self):
        self.assertRefused("model/x.c", "#include </usr/include/string.h>\n", "no absolute path")

    def test_a_header_of_the_system_stands_in_angle_brackets(self):
        self.assertRefused("model/x.c", '#include "string.h"\n', "no such header here")

    def test_a_header_is_not_found_beside_the_file(self):
        self.assertRefused("trace/write/stream/x.c", '#include "stream.h"\n', 'its name is "trace/write/stream/stream.h"')

    def test_angle_brackets_are_the_systems(self):
        self.assertRefused("model/x.c", "#include <trace/write/stream/stream.h>\n", "may not include")
        self.assertRefused("trace/write/x.c", "#include <trace/write/stream/stream.h>\n", "its name is")
        self.assertRefused("model/x.c", "#include <opencl_hooks.h>\n", "may not include")

    def test_a_macro_names_no_header(self):
        self.assertRefused("model/x.c", '#define H "trace/write/stream/stream.h"\n#include H\n', r"by a macro \(H\)")

    def test_include_next_and_its_kin_are_refused(self):
        self.assertRefused("model/x.c", '#include_next "trace/write/stream/stream.h"\n', "no #include_next")
        self.assertRefused("model/x.c", '#import "trace/write/stream/stream.h"\n', "no #import")
        self.assertRefused("model/x.c", 'const char x[] = {\n#embed "trace/write/stream/stream.h"\n};\n', "no #embed")
        self.assertRefused("interpose/x.S", '.include "model/x.h"\n', "no .include")
        self.assertRefused("model/x.c", '__asm__(".incbin \\"trace/write/stream/stream.h\\"");\n', "no .incbin")

    def test_asking_for_a_header_is_using_it(self):
        self.assertRefused("model/x.c", '#if __has_include("trace/write/stream/stream.h")\n#endif\n', "may not include")
        self.assertRefused("model/x.c", "#if __has_include(H)\n#endif\n", "plain name")
        self.assertRefused("model/x.c", '#if __has_include_next("stdio.h")\n#endif\n', "no __has_include_next")
        self.assertRefused("model/x.c", '#if __has_embed("model/x.c")\n#endif\n', "no __has_embed")
        self.assertEqual(self.check("model/x.c", "#if __has_include(<valgrind.h>)\n#endif\n"), (0, ""))

    def test_spelling_hides_nothing(self):
        for text in ('#/**/include/* x */"trace/write/stream/stream.h"\n', '#inc\\\nlude "trace/write/\\\nstream.h"\n',
                     '%: include "trace/write/stream/stream.h"\n', '??=include "trace/write/stream/stream.h"\n',
                     '#inc??/\nlude "trace/write/stream/stream.h"\n', '\t # \tinclude"trace/write/stream/stream.h"\n',
                     'char *x = "/*"; // */\n#include "trace/write/stream/stream.h"\n', "/* ' */\n#include \"trace/write/stream/stream.h\"\n"):
            self.assertRefused("model/x.c", text, "may not include")

    def test_a_comment_is_no_include(self):
        self.assertEqual(self.check("model/x.c", '/*\n#include "trace/write/stream/stream.h"\n*/\n// #include "x.h"\n'), (0, ""))

    def test_code_under_another_suffix_is_refused(self):
        self.assertRefused("model/x.c", '#include "model/x.txt"\n', "nobody checks", {"model/x.txt": '#include "trace/write/stream/stream.h"\n'})

    def test_a_folder_without_a_rule_is_an_error(self):
        for name in ("model/vulkan/x.c", "new/x.h", "trace/x.c", "x.c", "interpose/vulkan/x.S"):
            self.assertRefused(name, "\n", "no rule in scripts/layers.py")

    def test_nobody_includes_a_test(self):
        self.assertRefused("model/x.c", '#include "tests/tracebuild.h"\n', "may not include")
        self.assertEqual(self.check("tests/unit/x.c", '#include "trace/write/internal.h"\n'), (0, ""))

    def test_a_link_to_a_header_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, self.WRITER)
            os.makedirs(folder + "/model")
            os.symlink("../trace/write/stream/stream.h", folder + "/model/stream.h")
            rc, out = run(ROOT / "scripts/check-includes", folder)
        self.assertEqual((rc, out), (1, "model/stream.h:1: a symbolic link: one file, one name\n"))

    def test_the_shim_may_not_print(self):
        self.assertRefused("collectors/x.c", "#include <stdio.h>\n", "may not include <stdio.h>")
        self.assertRefused("collectors/x.c", "#include <assert.h>\n", "may not include <assert.h>")
        self.assertEqual(self.check("writers/x.c", "#include <stdio.h>\n"), (0, ""))


class Exceptions(unittest.TestCase):
    def check(self, name, edge):
        """A copy of the script, with an edge that nothing needs."""
        with tempfile.TemporaryDirectory() as folder:
            write(folder, {"scripts/" + name: (ROOT / "scripts" / name).read_text().replace("\nEXCEPTIONS = []\n", "\nEXCEPTIONS = [%r]\n" % (edge,)),
                           "build/.nothing": ""})
            shutil.copy(ROOT / "scripts/layers.py", folder + "/scripts/layers.py")
            return run(sys.executable, folder + "/scripts/" + name)

    def test_one_that_nothing_needs_is_an_error(self):
        rc, out = self.check("check-includes", ("model", "cli/cli.h"))
        self.assertEqual((rc, out), (1, 'scripts/check-includes:1: the exception of model/ for "cli/cli.h" is not needed any more\n'))
        rc, out = self.check("check-layers", ("model", "cli"))
        self.assertEqual(rc, 1)
        self.assertIn("scripts/check-layers:1: the exception of model/ for cli/ is not needed any more", out)


@unittest.skipUnless(shutil.which(CC) and shutil.which("nm"), "no compiler or no nm")
class Layers(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, code in files.items():
                source = pathlib.Path(folder, name + ".c")
                write(folder, {source.relative_to(folder): code})
                subprocess.run([CC, "-g", "-fPIC", "-c", "-o", str(source.with_suffix(".o")), str(source)], check=True)
            return run(ROOT / "scripts/check-layers", folder)

    UPPER = {"shim/interpose/upper": "int tap_upper(void)\n{\n\treturn 1;\n}\n"}

    def test_the_build_follows_the_rule(self):
        if not (BUILD / "libgputap.so").exists():
            self.skipTest("nothing is built")
        self.assertEqual(run(ROOT / "scripts/check-layers", BUILD), (0, ""))

    def test_a_build_without_objects_is_an_error(self):
        rc, out = run(ROOT / "scripts/check-layers", ROOT / "no-such-build")
        self.assertEqual((rc, out), (1, "%s: nothing is built here\n" % (ROOT / "no-such-build")))

    def test_downwards_is_allowed(self):
        self.assertEqual(self.check({"shim/trace/write/low": "int tap_low;\n",
                                     "shim/interpose/x": "extern int tap_low;\nint *tap_x(void) { return &tap_low; }\n"}), (0, ""))

    def test_a_prototype_by_hand_is_found(self):
        rc, out = self.check({**self.UPPER, "shim/collectors/opencl/x": "int tap_upper(void);\nint tap_x(void)\n{\n\treturn tap_upper();\n}\n"})
        self.assertEqual(rc, 1)
        self.assertRegex(out, r"collectors/opencl/x\.c:4: collectors/opencl/ may not use tap_upper of interpose/ \(upper\.o\)")

    def test_an_address_in_a_table_is_found(self):
        rc, out = self.check({**self.UPPER, "shim/trace/write/x": "int tap_upper(void);\nint (*tap_x[])(void) = { tap_upper };\n"})
        self.assertEqual(rc, 1)
        self.assertIn("trace/write/ may not use tap_upper of interpose/", out)

    def test_a_weak_reference_is_found(self):
        code = "__attribute__((weak)) int tap_upper(void);\nint tap_x(void) { return tap_upper ? tap_upper() : 0; }\n"
        self.assertEqual(self.check({**self.UPPER, "shim/trace/write/x": code})[0], 1)

    def test_a_weak_definition_overridden_above_is_found(self):
        code = "__attribute__((weak)) int tap_upper(void) { return 0; }\nint tap_x(void) { return tap_upper(); }\n"
        rc, out = self.check({**self.UPPER, "shim/trace/write/x": code})
        self.assertEqual(rc, 1)
        self.assertIn("trace/write/ may not use tap_upper of interpose/", out)

    def test_a_function_that_a_resolver_chooses_is_found(self):
        """nm has a small letter for it ("i"), as for what is an object's own."""
        upper = {"shim/interpose/upper": "static int one(void) { return 1; }\nstatic int (*choose(void))(void) { return one; }\n"
                                         "int tap_upper(void) __attribute__((ifunc(\"choose\")));\n"}
        rc, out = self.check({**upper, "shim/trace/write/x": "int tap_upper(void);\nint tap_x(void) { return tap_upper(); }\n"})
        self.assertEqual(rc, 1)
        self.assertIn("trace/write/ may not use tap_upper of interpose/", out)

    def test_the_other_side_is_found_behind_a_weak_reference(self):
        rc, out = self.check({"tool/model/x": "int gt_x;\n", "shim/interpose/y": "__attribute__((weak)) extern int gt_x;\nint *tap_y(void) { return &gt_x; }\n"})
        self.assertEqual(rc, 1)
        self.assertIn("interpose/ may not use gt_x of model/", out)

    def test_generated_wrappers_stand_with_interpose(self):
        wrapper = {"gen/opencl_wrappers_0": "int tap_wrapper(void) { return 1; }\n"}
        self.assertEqual(self.check({**wrapper, "shim/collectors/x": "int tap_wrapper(void);\nint tap_x(void) { return tap_wrapper(); }\n"})[0], 1)
        self.assertEqual(self.check({**wrapper, "shim/interpose/x": "int tap_wrapper(void);\nint tap_x(void) { return tap_wrapper(); }\n"}), (0, ""))

    def test_a_family_may_not_call_another(self):
        self.assertEqual(self.check({"tool/writers/atp/x": "int gt_x;\n", "tool/writers/sqlite/y": "extern int gt_x;\nint *gt_y(void) { return &gt_x; }\n"})[0], 1)

    def test_a_folder_without_a_rule_is_an_error(self):
        rc, out = self.check({"tool/vulkan/x": "int gt_x;\n"})
        self.assertEqual(rc, 1)
        self.assertIn("vulkan/ has no rule", out)


@unittest.skipUnless(shutil.which(CC) and shutil.which("nm"), "no compiler or no nm")
class Symbols(unittest.TestCase):
    LIST = "[libgputap.so]\ngputs\nclock_gettime\nsysconf cold interpose/slow\n[libgputap-audit.so]\n[thin]\ndlsym\n"
    SLOW = "#include <unistd.h>\nlong tap_slow(void) { return sysconf(30); }\n"
    COLD = "#include <unistd.h>\nlong tap_x(void)\n{\n\treturn sysconf(30);\n}\n"

    def check(self, files, library="libgputap.so", flags=(), sources=()):
        """A copy of the script with a list of its own looks at a library made of these objects; sources: files of the tree without one."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "scripts").mkdir()
            for name in ("check-symbols", "layers.py"):
                shutil.copy(ROOT / "scripts" / name, folder / "scripts" / name)
            (folder / "scripts/shim-symbols.allow").write_text(self.LIST)
            write(folder, {name: "" for name in sources})
            objects = []
            for name, code in files.items():
                source = folder / "build/shim" / (name + ".c")
                write(folder, {source.relative_to(folder): code})
                objects.append(str(source.with_suffix(".o")))
                subprocess.run([CC, "-g", "-fPIC", "-c", "-o", objects[-1], str(source)], check=True)
            path = folder / "build" / library
            subprocess.run([CC, "-shared", "-nostartfiles", *flags, "-o", str(path), *objects], check=True)
            return run(folder / "scripts/check-symbols", path)

    def test_the_libraries_as_built_pass(self):
        if not (BUILD / "libgputap.so").exists():
            self.skipTest("nothing is built")
        rc, out = run(ROOT / "scripts/check-symbols", BUILD / "libgputap.so", BUILD / "libgputap-audit.so")
        self.assertEqual(rc, 0, out)

    def test_abort_is_refused_and_its_line_named(self):
        rc, out = self.check({"interpose/slow": self.SLOW, "interpose/x": "#include <stdlib.h>\nvoid tap_x(void)\n{\n\tabort();\n}\n"})
        self.assertEqual(rc, 1)
        self.assertRegex(out, r"x\.c:4: the shim may not import abort")

    def test_a_switch_that_takes_a_mend_out_is_refused(self):
        code = "const char *tap_variable(void) { return \"GPUTAP_WITHOUT=\"; }\n"
        rc, out = self.check({"interpose/slow": self.SLOW, "interpose/x": code})
        self.assertEqual(rc, 1)
        self.assertIn("libgputap.so:1: holds switches", out)

    def test_the_build_with_switches_holds_them(self):
        """Else the check above would look for what is not there any more."""
        if not (BUILD / "switch/libgputap.so").exists():
            self.skipTest("build/switch is not built")
        for name in ("libgputap.so", "gputap"):
            self.assertIn(b"GPUTAP_WITHOUT", (BUILD / "switch" / name).read_bytes())

    def test_a_symbol_on_the_list_passes_anywhere(self):
        code = "#include <time.h>\nint tap_x(struct timespec *t) { return clock_gettime(1, t); }\n"
        self.assertEqual(self.check({"interpose/slow": self.SLOW, "trace/write/x": code}), (0, ""))

    def test_every_object_not_named_for_a_cold_symbol_is_hot(self):
        rc, out = self.check({"interpose/slow": self.SLOW, "collectors/nvtx/record": self.COLD})
        self.assertEqual(rc, 1)
        self.assertRegex(out, r"record\.c:4: the hot path may not use sysconf, and collectors/nvtx/record is not named")

    def test_plain_code_is_free_of_the_c_library(self):
        plain = "#include <time.h>\nint gc_x(struct timespec *t);\nint gc_y(struct timespec *t)\n{\n\treturn %s;\n}\n"
        other = {"interpose/slow": self.SLOW, "common/plain/x": "int gc_x(void *t) { return t == 0; }\n"}
        self.assertEqual(self.check({**other, "common/plain/y": plain % "gc_x(t)"}), (0, ""))
        rc, out = self.check({**other, "common/plain/y": plain % "clock_gettime(1, t)"})
        self.assertEqual(rc, 1)
        self.assertRegex(out, r"y\.c:5: common/plain is free of the C library and may not use clock_gettime")

    def test_the_linkers_own_name_is_nobodys(self):
        """As an older assembler leaves it in an object whose calls go by the table of addresses."""
        plain = '__asm__(".globl _GLOBAL_OFFSET_TABLE_");\nint gc_y(int n)\n{\n\treturn n;\n}\n'
        self.assertEqual(self.check({"interpose/slow": self.SLOW, "common/plain/y": plain}), (0, ""))

    def test_a_missing_object_of_the_list_is_an_error(self):
        rc, out = self.check({"interpose/other": "int tap_other;\n"})
        self.assertEqual((rc, out), (1, "scripts/shim-symbols.allow:1: interpose/slow is named for sysconf: no such object\n"))

    def test_a_source_of_the_shim_without_an_object_is_an_error(self):
        rc, out = self.check({"interpose/slow": self.SLOW}, sources=("collectors/nvtx/record.c", "interpose/audit/audit.c", "model/model.c"))
        self.assertEqual((rc, out), (1, "collectors/nvtx/record.c:1: has no object in build/, so nothing was looked at\n"))

    def test_a_named_object_that_needs_it_no_more_is_an_error(self):
        rc, out = self.check({"interpose/slow": "int tap_slow;\n"})
        self.assertEqual((rc, out), (1, "scripts/shim-symbols.allow:1: interpose/slow is named for sysconf and does not use it\n"))

    def test_the_audit_module_imports_nothing(self):
        code = {"interpose/audit/x": "#include <string.h>\nunsigned long tap_x(const char *s) { return strlen(s); }\n"}
        rc, out = self.check(code, library="libgputap-audit.so")
        self.assertEqual(rc, 1)
        self.assertIn("libgputap-audit.so may not import strlen", out)
        code = {"interpose/audit/x": "void *dlsym(void *, const char *);\nvoid *tap_x(void) { return dlsym(0, \"x\"); }\n"}
        rc, out = self.check(code, library="libgputap-audit.so")        # though thin objects may
        self.assertEqual(rc, 1)
        self.assertIn("libgputap-audit.so may not import dlsym", out)

    def test_a_thin_object_has_a_list_of_its_own(self):
        code = "#include <stddef.h>\nvoid *dlsym(void *, const char *);\nvoid *tap_x(void) { return dlsym(NULL, \"gputap_core\"); }\n"
        self.assertEqual(self.check({"interpose/x": code}, library="libgputap-osrt.so"), (0, ""))
        rc, out = self.check({"interpose/x": "#include <stdlib.h>\nvoid *tap_x(void) { return malloc(1); }\n"}, library="libgputap-osrt.so")
        self.assertEqual(rc, 1)
        self.assertIn("libgputap-osrt.so may not import malloc", out)

    def test_all_libraries_are_looked_at_where_none_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "scripts").mkdir()
            for name in ("check-symbols", "layers.py", "shim-symbols.allow"):
                shutil.copy(ROOT / "scripts" / name, folder / "scripts" / name)
            rc, out = run(folder / "scripts/check-symbols")
        self.assertEqual(rc, 1)
        for name in ("", "-audit", "-osrt", "-openmp", "-libgomp"):
            self.assertIn("/libgputap%s.so:1: no such library" % name, out)

    def test_a_library_that_is_not_there_is_an_error(self):
        rc, out = run(ROOT / "scripts/check-symbols", str(ROOT / "no-such-folder/libgputap.so"))
        self.assertEqual(rc, 1)
        self.assertIn("no such library", out)


@unittest.skipUnless(shutil.which(CC) and shutil.which("readelf"), "no compiler or no readelf")
class Versions(unittest.TestCase):
    NAMES = ("libgputap.so", "libgputap-audit.so", "libgputap-osrt.so", "libgputap-openmp.so", "libgputap-libgomp.so", "gputap")
    YOUNG = "#include <sys/random.h>\nlong tap_x(char *at) { return getrandom(at, 1, 0); }\n"         # glibc 2.25

    def check(self, name, code, *options):
        """All binaries of a build need nothing, but for one."""
        with tempfile.TemporaryDirectory() as folder:
            for n in self.NAMES:
                write(folder, {"x.c": code if n == name else "int tap_nothing;\n"})
                subprocess.run([CC, "-shared", "-fPIC", "-o", folder + "/" + n, folder + "/x.c", "-Wl,--no-as-needed", "-ldl"], check=True)
            return run(ROOT / "scripts/check-versions", *options, folder)

    def test_whatever_of_ours_is_preloaded_is_looked_at(self):
        for name in self.NAMES[:-1]:
            rc, out = self.check(name, self.YOUNG)
            self.assertEqual((rc, out), (1, "%s needs more than GLIBC_2.17: getrandom@GLIBC_2.25\n5 passed, 1 failed\n" % name))

    def test_the_tool_may_be_younger(self):
        self.assertEqual(self.check("gputap", self.YOUNG), (0, "6 passed, 0 failed\n"))

    def test_a_name_that_only_moved_counts_in_a_release_alone(self):
        code = "#include <dlfcn.h>\nvoid *tap_x(void) { return dlopen(0, 1); }\n"
        if os.confstr("CS_GNU_LIBC_VERSION").split()[1] < "2.34":
            self.skipTest("dlopen has a younger name since glibc 2.34 only")
        self.assertEqual(self.check("libgputap-openmp.so", code), (0, "6 passed, 0 failed\n"))
        rc, out = self.check("libgputap-openmp.so", code, "--release")
        self.assertEqual((rc, out), (1, "libgputap-openmp.so needs more than GLIBC_2.17: dlopen@GLIBC_2.34\n5 passed, 1 failed\n"))


class Touched(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, files)
            return run(ROOT / "scripts/check-touched", folder)

    def test_the_repository_follows_the_rule(self):
        self.assertEqual(run(ROOT / "scripts/check-touched"), (0, ""))

    def test_a_collector_knows_itself_and_those_that_show_it_do(self):
        self.assertEqual(self.check({"interpose/osrt/osrt.c": "osrt\n", "writers/sqlite/osrt.c": "osrt\n"}), (0, ""))

    def test_another_collector_knows_it_not(self):
        rc, out = self.check({"collectors/nvtx/record.c": "int x;\nif (REC_ASK_OSRT)\n"})
        self.assertEqual((rc, out), (1, "collectors/nvtx/record.c:2: OSRT: of another collector\n"))

    def test_a_writer_that_does_not_show_it_knows_it_not(self):
        rc, out = self.check({"writers/atp/atp.c": "is_openmp(fn)\n"})
        self.assertEqual((rc, out), (1, "writers/atp/atp.c:1: openmp: of another collector\n"))

    def test_so_it_is_with_call_stacks(self):
        self.assertEqual(self.check({"collectors/stack/unwind.c": "tap_unwinder\n", "collectors/nvtx/record.c": "tap_stack_of(x)\n"}), (0, ""))
        rc, out = self.check({"collectors/opencl/times.c": "x = tap_stack_of(s);\n", "writers/apilog/apilog.c": "gt_call_stack(c)\n"})
        self.assertEqual((rc, out), (1, "collectors/opencl/times.c:1: tap_stack_of: of another collector\n"
                                        "writers/apilog/apilog.c:1: gt_call_stack: of another collector\n"))

    def test_and_with_samples_and_switches(self):
        self.assertEqual(self.check({"collectors/perf/timer.c": "REC_SAMPLE\n", "writers/perfetto/samples.c": "gt_model_sample(m, 0)\n"}), (0, ""))
        rc, out = self.check({"trace/write/core.c": "REC_SWITCH\n", "writers/callgrind/file.c": "\nstruct gt_sample *s;\n"})
        self.assertEqual((rc, out), (1, "trace/write/core.c:1: REC_SWITCH: of another collector\n"
                                        "writers/callgrind/file.c:2: gt_sample: of another collector\n"))


class Trust(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, files)
            return run(ROOT / "scripts/check-trust", folder)

    def test_the_repository_follows_the_rules(self):
        self.assertEqual(run(ROOT / "scripts/check-trust"), (0, ""))

    def test_texts_are_printed_harmless(self):
        self.assertEqual(self.check({"cli/x.c": 'printf("%d %s %*s%s\\n", n, gt_harmless(f(a, b)), 3, x ? "a" : y ? "b" : gt_harmless(z),\n'
                                                '\tstrerror(errno)); /* printf("%s", evil) */\n'}), (0, ""))
        for line, what in (('fprintf(stderr, "%d, %s", n, name);', "name"), ('printf("%.*s", (int)s.bytes, s.text);', "s.text"),
                           ('printf("%s", x ? "none" : name);', 'x ? "none" : name'), ("fputs(t.data, stdout);", "t.data"),
                           ('printf(x ? "a" : "%u %s", n, name);', "name"), ("puts(name);", "name")):
            self.assertEqual(self.check({"cli/run/x.c": "\n" + line + "\n"}),
                             (1, "cli/run/x.c:2: %s: use gt_harmless (common/harmless.h)\n" % what))

    def test_options_of_a_trace_come_from_the_list_alone(self):
        self.assertEqual(self.check({"model/taken.c": 'gt_reader_fact(r, -1, "option", i)\n'}), (0, ""))
        rc, out = self.check({"writers/x.c": 'int x;\ny = gt_reader_fact(r, -1, "option", i);\n', "cli/run/x.c": "gt_model_shown_option(m, -1, x)\n"})
        self.assertEqual(rc, 1)
        self.assertRegex(out, r"(?m)^writers/x.c:2: .*: use gt_model_option")
        self.assertRegex(out, r"(?m)^cli/run/x.c:1: gt_model_shown_option.*: use gt_model_option")


class Labels(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, files)
            return run(ROOT / "scripts/check-labels", folder)

    HEAD = "/*\n * a/x.c - a file\n *\n * CHUNK2  A magic is written last.\n */\n"

    def test_the_repository_follows_the_rule(self):
        self.assertEqual(run(ROOT / "scripts/check-labels"), (0, ""))

    def test_a_label_is_cited_from_any_file(self):
        self.assertEqual(self.check({"a/x.c": self.HEAD, "b/y.c": "int x; /* CHUNK2: last */\n"}), (0, ""))

    def test_a_label_explained_twice_is_an_error(self):
        rc, out = self.check({"a/x.c": self.HEAD, "b/y.c": self.HEAD})
        self.assertEqual((rc, out), (1, "b/y.c:4: CHUNK2 is explained in a/x.c:4 already\n"))

    def test_a_label_explained_nowhere_is_an_error(self):
        rc, out = self.check({"a/x.c": self.HEAD + "int x; /* CHUNK3 */\n"})
        self.assertEqual((rc, out), (1, "a/x.c:6: CHUNK3 is explained nowhere\n"))

    def test_a_letter_or_a_trap_says_nothing(self):
        self.assertIn("says nothing", self.check({"a/x.c": "int x; /* S3: a handler */\n"})[1])
        self.assertIn("says nothing", self.check({"a/x.c": "int x; // trap 17\n"})[1])

    def test_code_and_texts_are_not_read(self):
        self.assertEqual(self.check({"a/x.c": 'const char *a = "R2 /* S1 */"; int T0 = \'"\'; char b; /* plain */\n'}), (0, ""))


class Prose(unittest.TestCase):
    def check(self, text, name="page.md"):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, {name: text, "other.md": "# Other\n\n## A `heading` of two\n"})
            rc, out = run(ROOT / "scripts/check-prose", pathlib.Path(folder, name))
            return rc, out.replace(folder + "/", "")

    def test_the_repository_follows_the_rule(self):
        self.assertEqual(run(ROOT / "scripts/check-prose"), (0, ""))

    def test_tables_lists_and_code_keep_their_lines(self):
        self.assertEqual(self.check("# T\n\nOne.\n\n- a\n- b\n\n| a |\n| b |\n\n```\nx\ny\n```\n\n    p\n    q\n"), (0, ""))

    def test_a_wrapped_paragraph_or_item_is_found(self):
        self.assertEqual(self.check("One\ntwo.\n")[1], "page.md:2: the paragraph of the line before goes on: one paragraph per line\n")
        self.assertEqual(self.check("- one\n  two.\n")[0], 1)

    def test_links_lead_somewhere(self):
        self.assertEqual(self.check("[a](other.md#a-heading-of-two) [b](https://example.org) `[c](d)`\n"), (0, ""))
        self.assertEqual(self.check("[a](none.md)\n")[1], "page.md:1: the link to none.md leads nowhere\n")
        self.assertEqual(self.check("[a](other.md#none)\n")[1], "page.md:1: other.md has no heading for #none\n")

    def test_the_index_of_decisions_is_whole(self):
        self.assertEqual(self.check("- [A b](#a-b)\n\n### A b\n\n### C\n", "decisions.md")[1], "decisions.md:1: the index does not name #c\n")


class Within(unittest.TestCase):
    def run_within(self, minutes, *words):
        with tempfile.TemporaryDirectory() as folder:
            rc, out = run(ROOT / "scripts/within", minutes, "env", "PIDS=" + folder, *words)
            left = [p.name for p in pathlib.Path(folder).iterdir() if pathlib.Path("/proc", p.name, "stat").exists()]
            return rc, out, left

    def test_what_a_command_started_ends_with_it(self):
        bounded = 'timeout 1000 sh -c \'touch "$PIDS/$$"; exec sleep 1000\''
        self.assertEqual(self.run_within("0.02", "sh", "-c", bounded + "; :"), (124, "FAILED: not done within 0.02 minutes\n", []))
        waits = bounded + ' & until [ "$(ls "$PIDS")" ]; do sleep 0.1; done; exit 3'
        self.assertEqual(self.run_within("9", "sh", "-c", waits), (3, "", []))

    def test_its_status_is_the_commands(self):
        self.assertEqual(self.run_within("9", "sh", "-c", "echo said; exit 77"), (77, "said\n", []))


if __name__ == "__main__":
    unittest.main()
