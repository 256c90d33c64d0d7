#!/usr/bin/env python3
"""tests/unit/test_source_page.py - the source page: lines of source, PTX and SASS with the metrics of each instruction

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import os
import pathlib
import struct
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/rules"), str(ROOT / "tests/unit")]
import compose as c                                 # noqa: E402
from gputap_report import page                      # noqa: E402
from test_cubin import Files, elf, line_program     # noqa: E402

CODE = 0x7f00
TEXT = "".join("line %d\n" % n for n in range(1, 40))


def module():
    """Four instructions of _Z1k, 16 bytes each: two of line 5, one of line 6, one of line 30."""
    lines, at = line_program([(0, 5), (32, 6), (16, 30), (16, 30)])
    ptx, ptx_at = line_program([(0, 2), (32, 3), (16, 4), (16, 4)], b"")
    return elf({".text._Z1k": (1, None, None, b"\0" * 64), ".debug_line": (1, None, None, lines),
                ".rel.debug_line": (9, ".symtab", ".debug_line", struct.pack("<QQ", at, 1 << 32 | 2)),
                ".nv_debug_line_sass": (1, None, None, ptx),
                ".rel.nv_debug_line_sass": (9, ".symtab", ".nv_debug_line_sass", struct.pack("<QQ", ptx_at, 1 << 32 | 2)),
                ".nv_debug_ptx_txt": (1, None, None, b".version 8.4\0mov.u32 %r1, 1;\0\tadd.s32 %r2, 1;\0ret;\0")},
               [("_Z1k", ".text._Z1k", 0, 64)])


def group(order, *metrics, field=6):
    """ProfilerSectionMetrics; metrics: (name, label or None)"""
    return c.m(field, *[c.m(1, c.s(1, n), c.s(2, l) if l is not None else b"") for n, l in metrics], c.u(2, order))


def by_pc(strings, name, values):
    return c.metric(strings, name, None, [(CODE + 16 * i, v) for i, v in enumerate(values)])


class Page(Files):
    def page(self, *words, metrics=None, sections=None, rules=(), source=None, status=0, **env):
        s = c.Strings()
        if source is None:
            source = c.u(1, 3) + c.s(4, module()) + c.m(9, c.m(1, c.s(1, "_Z1k"), c.u(2, CODE), c.u(3, 1))) + \
                c.m(8, c.m(1, c.s(1, "/src/a.cu"), c.s(2, TEXT)))
        if metrics is None:
            metrics = [by_pc(s, "inst_executed", [10, 20, 5, 8]), by_pc(s, "thread_true", [100, 140, 20, 0]),
                       by_pc(s, "derived__avg", [10., 7., 4., 0.]), by_pc(s, "hidden", [1, 1, 1, 1]), c.metric(s, "samples", why="no sampling")]
        if sections is None:
            first = c.s(1, "B") + c.s(2, "B") + group(2, ("inst_executed", "Instructions Executed"), ("hidden", ""), ("samples", "Samples"))
            second = c.s(1, "A") + c.s(2, "A") + group(1, ("derived__avg", "Avg. Threads"), ("thread_true", None), ("inst_executed", "Again")) + \
                c.m(10, c.m(1, c.s(1, "derived__avg"), c.s(2, "thread_true / inst_executed")))
            sections = [first, second]
        entry = c.kernel(s, "k", metrics, *[c.s(17, x) for x in sections], *rules, reference=3)
        path = self.write("a.ncu-rep", c.report(c.block(None, sources=[source]) if source else b"", c.block(s, results=[entry])))
        r = subprocess.run([sys.executable, str(ROOT / "python/gputap-source"), path, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           universal_newlines=True, timeout=100, env=dict(os.environ, PATH=self.folder + os.pathsep + os.environ["PATH"], **env))
        self.assertEqual((r.returncode, r.stderr), (status, ""))
        return r.stdout

    def table(self, *words, **made):
        lines = list(csv.reader(io.StringIO(self.page("--csv", *words, **made))))
        return [dict(zip(lines[0], line)) for line in lines[1:]]

    def test_groups_come_in_order_and_an_empty_label_is_not_shown(self):
        out = self.table("--view", "sass")
        self.assertEqual(list(out[0])[7:], ["Avg. Threads", "thread_true", "Again", "Remarks"])
        self.assertEqual([r["Again"] for r in out], ["10", "20", "5", "8"])
        self.assertEqual([int(r["Address"]) for r in out], [CODE + 16 * i for i in range(4)])

    def test_a_line_sums_its_instructions_and_a_derived_metric_is_computed_of_the_sums(self):
        rows = {int(r["#"]): r for r in self.table("--view", "source")}
        self.assertEqual(len(rows), 40)             # every line of the file, the empty one behind the last too
        self.assertEqual((rows[5]["Again"], rows[5]["thread_true"], rows[5]["Avg. Threads"]), ("30", "240", "8.0"))
        self.assertEqual((rows[6]["Again"], rows[30]["Again"], rows[7]["Again"]), ("5", "8", ""))
        self.assertEqual((rows[5]["Source"], rows[5]["File"]), ("line 5", "/src/a.cu"))

    def test_ptx_lines_have_the_values_of_what_was_made_of_them(self):
        rows = {int(r["#"]): r for r in self.table("--view", "ptx")}
        self.assertEqual([(n, rows[n]["Source"].strip(), rows[n]["Again"]) for n in (1, 2, 3, 4)],
                         [(1, ".version 8.4", ""), (2, "mov.u32 %r1, 1;", "30"), (3, "add.s32 %r2, 1;", "5"), (4, "ret;", "8")])

    def test_the_page_for_people_shows_the_kernels_lines(self):
        out = self.page("--view", "source")
        self.assertRegex(out, r"(?m)^ +5  +8\.00 +240 +30  line 5$")
        self.assertRegex(out, r"(?m)^ +\.\.\.$")
        self.assertNotIn("line 20", out)
        self.assertIn("N/A beside these lines: Samples (no sampling)", out)

    def test_instructions_are_shown_with_nvdisasm_and_without(self):
        self.assertIn("(a.cu:30)", self.page("--view", "sass"))
        self.write("nvdisasm", "#!/bin/sh\nprintf '.text._Z1k:\\n /*0000*/ MOV R1, R2 ;\\n /*0030*/ EXIT ;\\n'\n", 0o755)
        out = self.page("--view", "sass")
        self.assertRegex(out, r"(?m)^ +0x7f00 .* MOV R1, R2$")
        self.assertRegex(out, r"(?m)^ +0x7f30 .* EXIT$")

    def test_without_metrics_by_instruction_there_are_addresses_and_lines(self):
        out = self.page("--view", "sass", metrics=[], sections=[])
        self.assertEqual([line.split()[0] for line in out.splitlines() if "0x" in line], ["%#x" % (CODE + 16 * i) for i in range(4)])

    def test_marks_of_rules_stand_below_their_lines(self):
        marks = c.m(19, c.s(1, "R"), c.s(2, "R"), c.m(3), c.m(5, c.u(1, 0), c.u(3, CODE + 16), c.s(4, "here"), c.u(5, 2)),
                    c.m(5, c.u(1, 1), c.u(2, 6), c.s(4, "a @url:link:x@"), c.u(5, 2), c.s(6, "a.cu")))
        lines = [x.strip() for x in self.page("--view", "sass", rules=[marks]).splitlines()]
        self.assertEqual(lines.index("WRN here"), next(i for i, x in enumerate(lines) if x.startswith("0x7f10")) + 1)
        self.assertIn("WRN a link (x)", self.page("--view", "source", rules=[marks]))

    def test_metrics_by_name_stand_for_those_of_the_sections(self):
        self.assertEqual(list(self.table("--view", "sass", "--metrics", "hidden")[0])[7:], ["hidden", "Remarks"])

    def test_a_source_that_the_report_does_not_hold_is_read_from_disk(self):
        path = self.write("on_disk.cu", TEXT)
        lines, at = line_program([(0, 5), (64, 5)], path.encode() + b"\0\0\0\0")
        binary = elf({".text._Z1k": (1, None, None, b"\0" * 64), ".debug_line": (1, None, None, lines),
                      ".rel.debug_line": (9, ".symtab", ".debug_line", struct.pack("<QQ", at, 1 << 32 | 2))}, [("_Z1k", ".text._Z1k", 0, 64)])
        out = self.page("--view", "source", source=c.u(1, 3) + c.s(4, binary) + c.m(9, c.m(1, c.s(1, "_Z1k"), c.u(2, CODE), c.u(3, 1))))
        self.assertIn("on_disk.cu, as it is on disk now", out)
        self.assertRegex(out, r"(?m)  line 5$")

    def test_a_name_of_a_report_that_is_no_ordinary_file_is_never_opened(self):
        fifo, huge = os.path.join(self.folder, "fifo.cu"), self.write("huge.cu", "")
        os.mkfifo(fifo)
        os.truncate(huge, page.MOST_BYTES + 1)
        for path in (fifo, huge, self.folder, "/dev/zero", "/nowhere.cu"):
            self.assertIsNone(page._read(path), path)
        self.assertEqual(page._read(self.write("small.cu", "a\nb")), ["a", "b"])

    def test_an_opencl_program_is_shown_with_what_its_compiler_said(self):
        program = ("// kernel void k(int x) { not this one\n__kernel void other(void) { }\n/* } */\nkernel void __attribute__((x(1)))\nk(global int *a)\n{\n"
                   "\tif (a) { a[0] = '}' ? 1 : 2; }\n\ta[1] = 3;\n}\n__kernel void after(void) { }\n")
        log = "program.cl:8:2: warning: something\nwarning: /tmp/x.cl:2:9: not of this form\n"
        source = c.u(1, 3) + c.m(8, c.m(1, c.s(1, "program-1.cl"), c.s(2, program))) + c.s(1000, "-DX=1") + c.s(1001, log)
        out = self.page(source=source, metrics=[], sections=[])
        self.assertIn("program-1.cl, lines 4 to 9 of 10, built with -DX=1", out)
        lines = [x.strip() for x in out.splitlines()]
        self.assertEqual(lines[lines.index("8          a[1] = 3;") + 1], "warning: something")
        self.assertEqual(len(self.table(source=source, metrics=[], sections=[])), 10)

    def test_without_a_module_it_says_so(self):
        self.assertIn("the report does not hold its source", self.page(source=b"", metrics=[], sections=[]))

    def test_damaged_reports_are_told_and_nothing_crashes(self):
        import random
        r, answers = random.Random(7), 0
        self.page()
        with open(os.path.join(self.folder, "a.ncu-rep"), "rb") as f:
            good = f.read()
        from gputap_report import file
        from gputap_report.wire import ReportError
        options = type("O", (), {"views": page.VIEWS, "base": 1, "metrics": []})
        for _ in range(200):
            data = bytearray(good)
            for _ in range(r.randint(1, 4)):
                data[r.randrange(len(data))] = r.choice((0, 1, 0x7f, 0x80, 0xff, r.randrange(256)))
            try:
                answers += bool(page.text(file.parse(bytes(data)), options)) + bool(page.rows(file.parse(bytes(data)), options))
            except ReportError:
                pass
        self.assertGreater(answers, 100)


if __name__ == "__main__":
    unittest.main()
