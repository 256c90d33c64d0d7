#!/usr/bin/env python3
"""tests/unit/test_cubin.py - lines, PTX and instructions of the modules that a report embeds

The line programs of the compiler's own objects are compared with what addr2line reads in them; a module of a GPU is made
where NVRTC is installed.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import glob
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/rules")]
import compose as c         # noqa: E402
import ncu_report           # noqa: E402
from gputap_report import cubin     # noqa: E402

SOURCE = """#include "part.h"
int first(int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += in_header(a[i]);

	return sum;
}
int second(int x) { return x * 3; }
"""
HEADER = "static __attribute__((noinline)) int in_header(int x)\n{\n\treturn x ^ 7;\n}\n"
KERNEL = b"""extern "C" __global__ void first(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i] * 2.0f;
}
"""


def elf(sections, symbols):
    """An ELF file: sections {name: (type, link name or None, info name or None, bytes)}, symbols [(name, section, value, size)]."""
    names = ["", *sections, ".symtab", ".strtab", ".shstrtab"]
    strtab = b"\0" + b"".join(n.encode() + b"\0" for n, _, _, _ in symbols)
    shstrtab = b"".join(n.encode() + b"\0" for n in names)
    at, table = 1, b"\0" * 24
    for name, section, value, size in symbols:
        table += struct.pack("<IBBHQQ", at, 0x12, 0, names.index(section), value, size)
        at += len(name) + 1
    whole = dict(sections, **{".symtab": (2, ".strtab", None, table), ".strtab": (3, None, None, strtab), ".shstrtab": (3, None, None, shstrtab)})
    body, heads = b"", b"\0" * 64
    for name in names[1:]:
        kind, link, info, data = whole[name]
        heads += struct.pack("<IIQQQQIIQQ", shstrtab.index(name.encode() + b"\0"), kind, 0, 0, 64 + len(body), len(data),
                             names.index(link) if link else 0, names.index(info) if info else 0, 1, 0)
        body += data
    return b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64,
                                                           len(names), len(names) - 1) + body + heads


def line_program(rows, files=b"a.cu\0\1\0\0\0", base=0):
    """A unit of version 2; rows: [(advance of the address, line)], the last one ends it. The address, base, is at the place 11 + header."""
    head = struct.pack("<BBbBB", 1, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + (b"/src\0\0" if files else b"\0") + files + b"\0"
    program, line = b"\0\x09\x02" + struct.pack("<Q", base) + b"\4\1", 1
    for advance, to in rows:
        program += b"\2" + c.number(advance) + b"\3" + sleb(to - line) + b"\1"
        line = to
    program += b"\2\x10\0\1\1"
    unit = struct.pack("<HI", 2, len(head)) + head + program
    return struct.pack("<I", len(unit)) + unit, 4 + 6 + len(head) + 3


def sleb(n):
    out = b""
    while not -64 <= n < 64:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n & 127])


def module(base=0):
    """A module with the two tables that a cubin has: lines of the source and of its PTX. base: where its code lay in memory."""
    lines, at = line_program([(0, 5), (16, 6), (32, 9)], base=base)
    ptx, ptx_at = line_program([(0, 2), (16, 3), (16, 4)], b"", base)
    return elf({".text.k": (1, None, None, b"\0" * 64), ".debug_line": (1, None, None, lines),
                ".rel.debug_line": (9, ".symtab", ".debug_line", struct.pack("<QQ", at, 1 << 32 | 2)),
                ".nv_debug_line_sass": (1, None, None, ptx),
                ".rel.nv_debug_line_sass": (9, ".symtab", ".nv_debug_line_sass", struct.pack("<QQ", ptx_at, 1 << 32 | 2)),
                ".nv_debug_ptx_txt": (1, None, None, b".version 8.4\0mov.u32 %r1, 1;\0\tadd.s32 %r2, 1;\0ret;\0")}, [("k", ".text.k", base, 64)])


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, data, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        os.chmod(path, mode)
        return path


class Compiled(Files):
    def compare(self, *flags):
        self.write("part.h", HEADER)
        source, out = self.write("a.c", SOURCE), os.path.join(self.folder, "a.o")
        subprocess.run([os.environ.get("CC", "cc").split()[0], "-c", "-gz=none", "-O1", "-ffunction-sections", *flags, "-o", out, source],
                       check=True, cwd=self.folder)
        with open(out, "rb") as f:
            data = f.read()
        symbols = cubin.Elf(data).symbols
        places = [(0x10000 * (i + 1), i, s[0]) for i, s in enumerate(symbols) if s[0] in ("first", "second", "in_header") and s[3]]
        m, compared = cubin.Cubin(data, places), 0
        for start, index, name in places:
            addresses = range(symbols[index][3])
            told = subprocess.run(["addr2line", "-j", ".text." + name, "-e", out], input="".join("%#x\n" % a for a in addresses),
                                  stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout.splitlines()
            for a, want in zip(addresses, told):
                file, line = m.line_of(start + a)
                # addr2line 2.40 takes the first file of version 5 for the second: its lines hold, the file is known
                asked = want.split(" (")[0].rsplit(":", 1)[1]
                self.assertEqual(line, int(asked) if asked != "?" else 0, (name, a))
                self.assertEqual(os.path.basename(file), "part.h" if name == "in_header" else "a.c")
                compared += 1
        self.assertGreater(compared, 30)

    @unittest.skipUnless(shutil.which("addr2line"), "skipped: addr2line is not installed")
    def test_lines_of_each_version_are_those_of_addr2line(self):
        for flag in ("-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"):
            with self.subTest(flag):
                self.compare(flag)


class Module(Files):
    def action(self, binary, functions=c.m(9, c.m(1, c.s(1, "k"), c.u(2, 0x7f00), c.u(3, 1)))):
        """The kernel of a report that holds the module; its code begins at 0x7f00."""
        s = c.Strings()
        source = c.u(1, 3) + c.s(4, binary) + functions
        path = self.write("a.ncu-rep", c.report(c.block(None, sources=[source]), c.block(s, results=[c.kernel(s, "k", {}, reference=3)])))
        return ncu_report.load_report(path)[0][0]

    def test_lines_and_ptx_by_address(self):
        a = self.action(module())
        places = [a.source_info(0x7f00 + i) for i in (0, 15, 16, 47, 48, 63)]
        self.assertEqual([(p.file_name(), p.line()) for p in places],
                         [("/src/a.cu", n) for n in (5, 5, 6, 6, 9, 9)])
        self.assertEqual([a.source_info(x) for x in (0, 0x7eff, 0x7f40, 1 << 63)], [None] * 4)
        self.assertEqual([a.ptx_by_pc(0x7f00 + i) for i in (0, 16, 32, 64)], ["mov.u32 %r1, 1;", "add.s32 %r2, 1;", "ret;", ""])

    def test_a_module_as_it_lay_in_memory(self):
        """Nsight Compute 2022 lists no functions; symbols and line programs have their addresses in memory."""
        a = self.action(module(0x7f00), b"")
        places = [a.source_info(0x7f00 + i) for i in (0, 15, 16, 63)]
        self.assertEqual([p and (p.file_name(), p.line()) for p in places], [("/src/a.cu", n) for n in (5, 5, 6, 9)])
        self.assertEqual([a.source_info(x) for x in (0, 0x7eff, 0x7f40, 1 << 63)], [None] * 4)
        self.assertEqual([a.ptx_by_pc(0x7f00 + i) for i in (0, 16, 64)], ["mov.u32 %r1, 1;", "add.s32 %r2, 1;", ""])
        self.assertEqual(cubin.Cubin(module(0x7f00), []).instructions("k"), [0x7f00, 0x7f10, 0x7f20, 0x7f30])

    def test_instructions_come_from_nvdisasm(self):
        self.write("nvdisasm", "#!/bin/sh\n[ -s \"$2\" ] && printf '.text.k:\\n  /*0000*/   MOV R1, c[0x0][0x28] ;\\n.L_x_1:\\n"
                   "  /*0010*/   @P0 EXIT ;\\n.text.other:\\n /*0020*/ NOP;\\n'\n", 0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = self.folder + os.pathsep + before
        try:
            a = self.action(module())
            self.assertEqual([a.sass_by_pc(0x7f00 + i) for i in (0, 16, 32)], ["MOV R1, c[0x0][0x28]", "@P0 EXIT", ""])
        finally:
            os.environ["PATH"] = before

    def test_an_nvdisasm_that_fails_is_none(self):
        self.assertEqual(cubin.disassemble(b"x", self.write("bad", "#!/bin/sh\nexit 3\n", 0o755)), {})
        self.assertEqual(cubin.disassemble(b"x", self.write("worse", "no program", 0o755)), {})

    def test_damage_has_no_answers_and_no_errors(self):
        r, good, answers = random.Random(20261123), module(), 0
        for binary in [b"", b"\x7fELF", good[:100], good[:-1]] + [None] * 600:
            if binary is None:
                data = bytearray(good)
                for _ in range(r.randint(1, 4)):
                    data[r.randrange(len(data))] = r.choice((0, 1, 0x7f, 0x80, 0xff, r.randrange(256)))
                binary = bytes(data)
            m = cubin.Cubin(binary, [(0x7f00, 1, "k")])
            answers += sum((m.line_of(x) is not None) + bool(m.ptx(x)) for x in (0x7f00, 0x7f10, 0x7f30))
        self.assertGreater(answers, 600)


def nvrtc():
    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libnvrtc.so.*")):
            return path
    return next(iter(glob.glob("/usr/local/cuda/lib64/libnvrtc.so.*")), None)


class Real(Files):
    @unittest.skipUnless(nvrtc(), "skipped: NVRTC (nvidia-cuda-nvrtc) is not installed")
    def test_a_module_that_the_vendors_compiler_made(self):
        lib, program, size = ctypes.CDLL(nvrtc()), ctypes.c_void_p(), ctypes.c_size_t()
        options = (ctypes.c_char_p * 2)(b"-arch=sm_80", b"-lineinfo")
        self.assertEqual(lib.nvrtcCreateProgram(ctypes.byref(program), KERNEL, b"/src/test.cu", 0, None, None), 0)
        self.assertEqual(lib.nvrtcCompileProgram(program, 2, options), 0)
        lib.nvrtcGetCUBINSize(program, ctypes.byref(size))
        data = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetCUBIN(program, data)
        m = cubin.Cubin(data.raw, [(0x1000, None, "first")])
        code = m._elf.symbols if m._open() else []
        end = next(s[3] for s in code if s[0] == "first" and s[3])
        lines = [m.line_of(0x1000 + i) for i in range(0, end, 16)]
        self.assertEqual({x[0] for x in lines}, {"/src/test.cu"})
        self.assertTrue({2, 3, 4} <= {x[1] for x in lines} <= {1, 2, 3, 4, 5})
        self.assertIn("ld.global.f32", "".join(m.ptx(0x1000 + i) for i in range(0, end, 16)))
        if cubin.find_nvdisasm():
            self.assertIn("EXIT", [m.sass(0x1000 + i) for i in range(0, end, 16)])


if __name__ == "__main__":
    unittest.main()
