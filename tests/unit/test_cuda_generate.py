#!/usr/bin/env python3
"""tests/unit/test_cuda_generate.py - the table of CUDA's arguments: our own calls, those of an installed toolkit, and the capture file

The reader here is written from docs/cuda-args.md alone.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(TOP, "api/cuda_generate.py")
CC = os.environ.get("CC", "cc").split()
BARE = {k: v for k, v in os.environ.items() if k not in ("CUDA_HOME", "CUDA_PATH", "GPUTAP_CUDA_TOOLKIT")}
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "api"))
import cuda_generate  # noqa: E402


class Table:
    """The text as docs/cuda-args.md describes it."""

    def __init__(self, text):
        self.calls, self.structs, self.enums, self.sources = {}, {}, {}, []
        for line in text.splitlines():
            f = line.split("\t")
            if f[0] == "source":
                self.sources.append(f[1])
            elif f[0] == "E":
                self.values = self.enums.setdefault(f[1], {})
            elif f[0] == "V":
                self.values[f[1]] = int(f[2])
            elif f[0] == "S":
                self.rows = self.structs.setdefault(f[1], (int(f[2]), []))[1]
            elif f[0] == "C":
                self.rows = []
                self.calls[(f[1], int(f[2]))] = (f[3], int(f[4]), f[5] == "1", self.rows)
            elif f[0] in "PM":
                self.rows.append(dict(zip(("name", "type", "cls", "offset", "bytes", "ref", "target", "copy", "count"), f[1:])))


class Capture:
    """The file as docs/cuda-args.md describes it: {(domain, cbid): (bytes, [(offset, bytes, flags)])}."""

    def __init__(self, data):
        magic, version, size, runtime, driver, copies, _ = struct.unpack_from("=QIIIIII", data)
        assert (magic, version, size) == (0x3143504143505447, 1, len(data))
        at = 32 + 8 * (runtime + driver)
        rows = [struct.unpack_from("=HHH", data, at + 8 * i) for i in range(copies)]
        assert at + 8 * copies == size
        self.calls = {}
        for i in range(runtime + driver):
            size, first, n, _ = struct.unpack_from("=HHHH", data, 32 + 8 * i)
            if size:
                self.calls[("R", i) if i < runtime else ("D", i - runtime)] = (size - 1, rows[first:first + n])


def own():
    return cuda_generate.Own(cuda_generate.calls_text()).table


def toolkit():
    found = cuda_generate.find_toolkits()
    if not found:
        raise unittest.SkipTest("skipped: no CUDA toolkit with CUPTI's headers is installed")
    try:
        import pycparser  # noqa: F401
    except ImportError:
        raise unittest.SkipTest("skipped: pycparser is not installed")
    return found[0]


def content(path):
    with open(path, "rb") as f:
        return f.read()


def compiles(source, *flags):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "check.c")
        with open(path, "w") as f:
            f.write(source)
        ran = subprocess.run(CC + ["-fsyntax-only", "-w", *flags, path], capture_output=True, text=True)
        return ran.returncode == 0, ran.stderr


class OwnCalls(unittest.TestCase):
    def test_the_text_reads_back_as_it_was_described(self):
        table = Table(own().text())
        name, size, known, params = table.calls[("R", 211)]
        self.assertEqual((name, size, known), ("cudaLaunchKernel_v7000", 56, True))
        self.assertEqual([(p["name"], p["cls"], p["offset"], p["bytes"], p["ref"]) for p in params],
                         [("function", "p", "0", "8", "-"), ("grid", "t", "8", "12", "dim3"), ("block", "t", "20", "12", "dim3"),
                          ("args", "p", "32", "8", "-"), ("shared", "u", "40", "8", "-"), ("stream", "h", "48", "8", "-")])
        self.assertEqual(table.structs["dim3"][0], 12)
        self.assertEqual(table.enums["cudaMemcpyKind"]["cudaMemcpyDeviceToHost"], 2)
        self.assertEqual(table.calls[("D", 5)][3][0]["copy"], "5")      # a text that the call wrote

    def test_the_launches_that_newer_compilers_make_are_described(self):
        """From CUDA 13.3 on, <<<>>> is told as one of these two; their parameters are cudaLaunchKernel's but for the first."""
        table = Table(own().text())
        plain = table.calls[("R", 211)]
        for number, name in ((505, "__cudaLaunchKernel_v13000"), (506, "__cudaLaunchKernel_ptsz_v13000")):
            self.assertIn(("R", number), table.calls)
            told, size, known, params = table.calls[("R", number)]
            self.assertEqual((told, size, known), (name, plain[1], True))
            self.assertEqual([(p["name"], p["offset"], p["bytes"]) for p in params][1:],
                             [(p["name"], p["offset"], p["bytes"]) for p in plain[3]][1:])

    def test_the_capture_file_says_the_same_as_the_text(self):
        table = own()
        text, capture = Table(table.text()), Capture(table.capture())
        self.assertEqual(set(capture.calls), set(text.calls))
        for key, (name, size, _, params) in text.calls.items():
            want = []
            for p in params:
                flags = int(p["copy"])
                if flags:
                    want.append((int(p["offset"]), 0 if flags & 1 else int(p["target"].split(":")[1]), flags))
            self.assertEqual(capture.calls[key], (size, want), name)

    def test_the_stand_in_hands_out_the_same_structures(self):
        mine, checked = own(), 0
        # fg_host_fn: a type of the stand-in's header that parameters of calls.api have
        source = ["#include <stddef.h>", "#include <stdint.h>", "struct fg_dim3 { unsigned x, y, z; };", "typedef void fg_host_fn(void *);"]
        with open(os.path.join(TOP, "tests/fakegpu/calls.api"), encoding="ascii") as f:
            lines = [line.split("#")[0].strip() for line in f]
        for line in filter(None, lines):
            domain, cbid, name, params = re.fullmatch(r"([DR])\s+(\d+)\s+(\w+)\((.*)\)", line).groups()
            call = mine.calls.get((domain, int(cbid)))
            self.assertIsNotNone(call, "%s of the stand-in is not in cuda_calls.def" % name)
            self.assertEqual(call.name, name)
            theirs = [p.strip() for p in params.split(",")] if params else []
            self.assertEqual(len(call.params), len(theirs), name)
            if not theirs:
                continue
            source.append("struct %s { %s; };" % (name, "; ".join(theirs)))
            source.append("_Static_assert(sizeof(struct %s) == %d, \"%s\");" % (name, call.bytes, name))
            for p, t in zip(call.params, theirs):
                field = re.search(r"\w+$", t).group(0)
                source.append("_Static_assert(offsetof(struct %s, %s) == %d && sizeof ((struct %s *)0)->%s == %d, \"%s.%s\");"
                              % (name, field, p.offset, name, field, p.type.size, name, field))
            checked += 1
        self.assertGreater(checked, 110)
        ok, said = compiles("\n".join(source) + "\n")
        self.assertTrue(ok, said)

    def test_a_bad_line_is_named(self):
        for line, why in (("R 1 cudaX_v1(what* x)", "what"), ("R cudaX(int x)", "NoneType"), ("enum a b", "unpack")):
            with self.assertRaisesRegex(cuda_generate.Problem, "cuda_calls.def:2: .*%s" % why):
                cuda_generate.Own("type int i 4\n" + line)

    def test_what_the_build_embeds_does_not_change_from_run_to_run(self):
        said = []
        for seed in ("1", "2"):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([sys.executable, SCRIPT, "--own", folder], check=True, env={**BARE, "PYTHONHASHSEED": seed})
                said.append({n: content(os.path.join(folder, n)) for n in sorted(os.listdir(folder))})
        self.assertEqual(list(said[0]), ["cuda_args_own.h", "cuda_capture_own.h", "cuda_generator.h"])
        self.assertEqual(said[0], said[1])

    def test_the_embedded_generator_works_without_the_source_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, SCRIPT, "--own", folder], check=True)
            with open(os.path.join(folder, "cuda_generator.h"), encoding="ascii") as f:
                numbers = re.search(r"\{\n(.*)\};", f.read(), re.S).group(1)
            script = bytes(int(n) for n in numbers.split(",") if n.strip())[:-1]
            os.mkdir(folder + "/empty")
            ran = subprocess.run([sys.executable, "-", "--cache", folder + "/cache"], input=script, capture_output=True,
                                 env={**BARE, "GPUTAP_CUDA_TOOLKIT": folder + "/empty"})
            self.assertEqual(ran.returncode, 5)
            self.assertIn(b"no CUDA toolkit with CUPTI's headers", ran.stderr)
            self.assertFalse(os.path.exists(folder + "/cache"))


class Toolkit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folders = toolkit()
        cls.whole = cuda_generate.make([cls.folders])
        cls.bare = cuda_generate.toolkit_table(cls.folders)
        cls.text = Table(cls.whole.text())

    def test_the_compiler_lays_out_every_structure_alike(self):
        out = ["#define __CUDA_API_VERSION_INTERNAL", "#include <stddef.h>"]
        out += ["#include <%s>" % n for n in cuda_generate.MAIN if "cbid" not in n]
        mine = [c for c in self.bare.calls.values() if c.params and not re.search("GL|VDPAU", c.name)]
        removed = set()
        for folder in self.folders:
            path = os.path.join(folder, "generated_cudart_removed_meta.h")
            if os.path.exists(path):
                with open(path) as f:
                    removed |= set(cuda_generate.split_structs(f.read())[0])
        checked = 0
        for c in mine:
            if c.name in removed:
                continue
            out.append("_Static_assert(sizeof(struct %s_params_st) == %d, \"%s\");" % (c.name, c.bytes, c.name))
            for p in c.params:
                checked += 1
                out.append("_Static_assert(offsetof(struct %s_params_st, %s) == %d && sizeof ((struct %s_params_st *)0)->%s == %d, \"%s.%s\");"
                           % (c.name, p.name, p.offset, c.name, p.name, p.type.size, c.name, p.name))
                t = p.type.target
                if t and t.cls == "t" and "void" not in p.text:
                    out.append("_Static_assert(sizeof *((struct %s_params_st *)0)->%s == %d, \"*%s.%s\");" % (c.name, p.name, t.size, c.name, p.name))
        for name, (size, members) in self.bare.structs.items():
            if not re.match("cuda|CU", name) or "." in name:
                continue
            tag = next((t for t in ("struct %s_st" % name, "struct %s" % name) if self.has_tag(t)), None)
            for m in members if tag else []:
                if m.name != "-":
                    out.append("_Static_assert(offsetof(%s, %s) == %d, \"%s.%s\");" % (tag, m.name, m.offset, name, m.name))
        self.assertGreater(checked, 2500)
        ok, said = compiles("\n".join(out) + "\n", *["-I" + f for f in self.folders])
        self.assertTrue(ok, said[:4000])

    def has_tag(self, tag):
        if not hasattr(self, "headers"):
            type(self).headers = cuda_generate.preprocess(self.folders, cuda_generate.MAIN, False)
        return re.search(re.escape(tag) + r"\s*\{", self.headers)

    def test_our_own_calls_agree_with_the_headers(self):
        checked = 0
        for key, mine in own().calls.items():
            theirs = self.bare.calls.get(key)
            if not theirs:
                continue
            checked += 1
            self.assertEqual(mine.name, theirs.name.replace("_v2_v", "_v"))     # 12.x tells one runtime call under two names
            self.assertEqual(mine.bytes, theirs.bytes, mine.name)
            self.assertEqual(len(mine.params), len(theirs.params), mine.name)
            for p, q in zip(mine.params, theirs.params):
                self.assertEqual((p.offset, p.type.size), (q.offset, q.type.size), "%s.%s" % (mine.name, q.name))
                if p.copy:
                    self.assertTrue(q.type.target or q.type.cls == "s", "%s.%s leads nowhere" % (mine.name, q.name))
                    if q.type.target:
                        self.assertEqual(p.type.target.size, q.type.target.size, "%s.%s" % (mine.name, q.name))
        self.assertGreater(checked, 160)
        for name, (size, members) in own().structs.items():
            if name != "CUuuid":
                theirs = self.bare.structs.get(name) or self.bare.structs[name + "_v2"]
                if theirs[0] == size:
                    self.assertEqual([(m.offset, m.type.size) for m in members],
                                     [(m.offset, m.type.size) for m in theirs[1] if not m.name.startswith("reserved")][:len(members)], name)

    def test_our_own_values_agree_with_the_headers(self):
        for name, values in own().enums.items():
            self.assertEqual([v for v in values if v not in self.bare.enums[name]], [], name)

    def test_counts_of_cuda_13_0(self):
        if self.bare.version != "13.0":
            self.skipTest("skipped: the toolkit is %s" % self.bare.version)
        self.assertEqual(sum(d == "R" for d, _ in self.bare.names), 522)
        self.assertEqual(sum(d == "D" for d, _ in self.bare.names), 806)
        have = subprocess.run(["grep", "-c", "_params_st {"] + [self.path("generated_cuda_runtime_api_meta.h"), self.path("generated_cuda_meta.h")],
                              capture_output=True, text=True).stdout
        self.assertEqual([int(n) for n in re.findall(r":(\d+)", have)], [372, 632])
        self.assertEqual(len(self.bare.calls) + len(self.bare.reasons), 1328)
        self.assertEqual(len(self.bare.calls), 1100)
        why = list(self.bare.reasons.values())
        self.assertEqual([sum(w.startswith(s) for w in why) for s in ("of an API", "64-bit form", "graphics", "its type", "in no header")],
                         [130, 44, 1, 1, 52])

    def path(self, name):
        return next(os.path.join(f, name) for f in self.folders if os.path.exists(os.path.join(f, name)))

    def test_a_callback_id_without_a_structure_keeps_its_name(self):
        for key, reason in self.bare.reasons.items():
            self.assertEqual(self.text.calls[key][2], key in own().calls, reason)
            self.assertTrue(self.text.calls[key][0])

    def test_only_what_a_pointer_surely_leads_to_is_copied(self):
        def copies(cbid, domain="R"):
            return {p["name"]: int(p["copy"]) for p in self.text.calls[(domain, cbid)][3] if int(p["copy"])}
        self.assertEqual(copies(211), {})                                       # the arguments of a kernel: their layout is the kernel's
        self.assertEqual(copies(20), {"devPtr": 4})
        self.assertEqual(copies(678, "D"), {"library": 4})                      # options are arrays, of a count that may be 0
        self.assertEqual(copies(23, "D"), {"hfunc": 4, "name": 3})
        self.assertEqual(list(copies(430).values()), [2])
        for name, size, known, params in self.text.calls.values():
            for p in params:
                if int(p["copy"]) & 4 and not int(p["copy"]) & 1 and p["target"].startswith("t:"):
                    # both write one CUuuid, whose size is the same in every toolkit
                    self.assertTrue(int(p["copy"]) & 8 or name in ("cuDeviceGetUuid", "cuDeviceGetUuid_v2"), "%s.%s" % (name, p["name"]))

    def test_all_that_the_table_names_is_in_it(self):
        rows = [p for c in self.text.calls.values() for p in c[3]] + [m for s in self.text.structs.values() for m in s[1]]
        for p in rows:
            if p["cls"] == "e":
                self.assertIn(p["ref"], self.text.enums)
            if p["cls"] == "t" and p["ref"] != "-":
                self.assertIn(p["ref"], self.text.structs)
        self.assertEqual(self.text.enums["cudaError"]["cudaErrorInvalidValue"], 1)
        self.assertEqual(self.text.enums["CUresult"]["CUDA_ERROR_INVALID_VALUE"], 1)

    def test_two_runs_make_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            out = []
            for seed in ("1", "2"):
                path = os.path.join(folder, seed)
                subprocess.run([sys.executable, SCRIPT, "--include", ":".join(self.folders), "--out", path, "--capture", path + "c"],
                               check=True, env={**BARE, "PYTHONHASHSEED": seed})
                out.append((content(path), content(path + "c")))
            self.assertEqual(out[0], out[1])
            self.assertEqual(out[0][0].decode(), self.whole.text())

    def test_an_older_toolkit_adds_what_the_newer_one_lost(self):
        newer, older = cuda_generate.Table(), cuda_generate.Table()
        newer.calls = {("R", 1): "new"}
        older.calls = {("R", 1): "old", ("R", 2): "old only"}
        newer.enums, older.enums = {"e": [("a", 1)]}, {"e": [("A", 1), ("b", 2)], "f": [("c", 3)]}
        newer.reasons = {("R", 2): "in no header"}
        newer.merge(older)
        self.assertEqual(newer.calls, {("R", 1): "new", ("R", 2): "old only"})
        self.assertEqual(newer.enums, {"e": [("a", 1), ("b", 2)], "f": [("c", 3)]})
        self.assertEqual(newer.reasons, {})

    def kit_in(self, folder):
        """A toolkit of the same headers, as pip's packages have them: without the folder crt."""
        kit = folder + "/kit/include"
        os.makedirs(kit)
        for name in cuda_generate.MAIN:
            shutil.copy2(self.path(name), kit)
        for path in self.folders:
            for name in os.listdir(path):
                if name.endswith(".h") and not os.path.exists(kit + "/" + name):
                    os.symlink(os.path.join(path, name), kit + "/" + name)
        return kit

    def test_a_toolkit_without_the_headers_of_the_compiler_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(cuda_generate.make([[self.kit_in(folder)]]).text(), self.whole.text())

    def test_a_toolkit_that_cannot_be_read_leaves_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = folder + "/include"
            os.mkdir(broken)
            for name in cuda_generate.MAIN:
                with open(os.path.join(broken, name), "w") as f:
                    f.write("this is not C\n")
            self.assertEqual(cuda_generate.make([[broken], self.folders]).text(), self.whole.text())
            with self.assertRaisesRegex(cuda_generate.Problem, "pycparser does not read the headers"):
                cuda_generate.make([[broken]])

    def test_a_structure_may_point_to_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            kit = self.kit_in(folder)
            with open(kit + "/generated_cuda_runtime_api_meta.h", "a") as f:
                f.write("\nstruct chain { int n; struct chain *next; };\n")
            with open(kit + "/cupti_runtime_cbid.h", "a") as f:
                f.write("\nenum more { CUPTI_RUNTIME_TRACE_CBID_cudaChain_v99000 = 999 };\n")
            with open(kit + "/generated_cuda_meta.h", "a") as f:
                f.write("\nstruct chain;\ntypedef struct cudaChain_v99000_params_st { struct chain *what; } cudaChain_v99000_params;\n")
            table = Table(cuda_generate.make([[kit]]).text())
            self.assertEqual(table.calls[("R", 999)][3][0]["target"], "t:16:chain")
            self.assertEqual(table.structs["chain"][1][1]["cls"], "p")

    def test_the_cache_is_made_once_and_made_anew_when_the_toolkit_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            kit = self.kit_in(folder)

            def made():
                ran = subprocess.run([sys.executable, SCRIPT, "--cache", folder + "/cache"], capture_output=True, text=True, check=True,
                                     env={**BARE, "GPUTAP_CUDA_TOOLKIT": folder + "/kit"})
                return ran.stdout.strip()
            first = made()
            stamp = os.stat(first).st_mtime_ns
            self.assertTrue(os.path.exists(first + ".capture"))
            self.assertEqual((made(), os.stat(first).st_mtime_ns), (first, stamp))
            os.utime(kit + "/cuda.h", ns=(1, 1))
            self.assertNotEqual(made(), first)
            self.assertEqual(sorted(len(n.split(".")) for n in os.listdir(folder + "/cache")), [2, 2, 3, 3])


if __name__ == "__main__":
    unittest.main()
