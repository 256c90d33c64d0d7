#!/usr/bin/env python3
"""tests/unit/test_api_table.py - the function table against the loader, and the generated wrappers against the table

The decoder here is written from api/README.md alone and shares no line with api/table.py.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("GPUTAP_BUILD", os.path.join(TOP, "build"))
CC = os.environ.get("CC", "cc").split()
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-DCL_TARGET_OPENCL_VERSION=300", "-I" + TOP]


class Table:
    """table.txt as README describes it."""

    def __init__(self, text):
        self.enums, self.structs, self.queries, self.fns = {}, {}, {}, {}
        for line in text.split("\n"):
            f = line.split("\t")
            if f[0] == "E":
                self.values = self.enums.setdefault(f[1], {})
            elif f[0] == "V":
                self.values[f[2]] = int(f[1])
            elif f[0] == "S":
                self.fields = []
                self.structs[f[1]] = (int(f[2]), self.fields)
            elif f[0] == "M":
                self.fields.append((f[1], int(f[2]), int(f[4])))
            elif f[0] == "Q":
                self.queries[(f[1], int(f[2]))] = f[3:]
            elif f[0] == "F":
                self.fn = Fn(f)
                if self.fn.name in self.fns:            # a second prototype, named in C as in opencl.api
                    self.fn.name += "_2"
                self.fns[self.fn.name] = self.fn
            elif f[0] == "P":
                self.fn.params.append(Param(f))


class Fn:
    def __init__(self, f):
        self.id, self.name, self.domain, self.kind = int(f[1]), f[2], int(f[3]), f[4]
        self.ret_class, self.ret_position = f[6], int(f[7])
        self.fixed, self.callback = int(f[11]), int(f[13])
        self.params = []

    def by_name(self, name):
        return next(p for p in self.params if p.name == name)

    def counters(self):
        named = {n for p in self.params if p.copy != "none" for n in re.findall(r"\*(\w+)", p.count) + [p.capacity]}
        return [p for p in self.params if p.copy != "none" and p.name in named]

    def copies(self):
        first = self.counters()
        return first + [p for p in self.params if p.copy != "none" and p not in first]


class Param:
    def __init__(self, f):
        self.type, self.name, self.value, self.group = f[1:5]
        self.position, self.bytes, self.copy, self.dir, self.elem, self.elem_bytes = int(f[5]), int(f[6]), f[7], f[8], f[9], int(f[10])
        self.count, self.capacity = ("" if f[12] == "-" else f[12]), ("" if f[13] == "-" else f[13])
        self.limit, self.role, self.kept, self.counts = int(f[14]), f[16], f[17] == "1", f[18] == "1"


def generate():
    folder = tempfile.mkdtemp(prefix="gputap-gen-")
    subprocess.run([sys.executable, os.path.join(TOP, "api/generate.py"), "--out", folder], check=True)
    return folder


COUNT_WORD = 1 << 63 | 1 << 55

GEN = None
TABLE = None


def setUpModule():
    global GEN, TABLE
    GEN = generate()
    with open(os.path.join(GEN, "table.txt"), encoding="utf-8") as f:
        TABLE = Table(f.read())


def tearDownModule():
    subprocess.run(["rm", "-rf", GEN], check=True)


class Coverage(unittest.TestCase):
    def test_every_query_value_says_how_its_answer_reads(self):
        groups = {p.group for fn in TABLE.fns.values() for p in fn.params if p.copy == "bytes" and p.group != "-"}
        self.assertIn("cl_device_info", groups)
        missing = [(g, name) for g in groups for name, v in TABLE.enums[g].items() if (g, v) not in TABLE.queries]
        self.assertEqual([m for m in missing if m[1] != "CL_PROGRAM_IL_KHR"], [])

    def test_the_loaders_own_functions_have_exported_wrappers(self):
        with open(os.path.join(GEN, "opencl_entries.c"), encoding="utf-8") as f:
            exported = set(re.findall(r'\.name = "(\w+)", \.exported = \1,', f.read()))
        run = subprocess.run("nm -D --defined-only $(ldconfig -p | sed -n 's/.*libOpenCL.so.1 .*=> //p' | head -1)",
                             shell=True, text=True, capture_output=True)
        names = set(re.findall(r" T (cl\w+)", run.stdout))
        if not names:
            self.skipTest("skipped: no libOpenCL.so.1")
        self.assertEqual(names - exported, set())


class Hooks(unittest.TestCase):
    def test_every_hook_that_a_collector_defines_is_asked_for_in_the_description(self):
        with open(os.path.join(GEN, "opencl_hooks.h"), encoding="utf-8") as f:
            declared = set(re.findall(r"tap_cl_(?:pre|do|post)_cl\w+", f.read()))
        defined = set()
        for folder in ("collectors", "interpose"):
            for path in pathlib.Path(TOP, folder).rglob("*.c"):
                defined.update(re.findall(r"\btap_cl_(?:pre|do|post)_cl\w+", path.read_text(encoding="utf-8")))
        self.assertIn("tap_cl_do_clCreateCommandQueue", defined)
        self.assertEqual(defined - declared, set())


class Packed(unittest.TestCase):
    def test_the_packed_table_tells_its_size_and_unpacks_to_the_text(self):
        path = os.path.join(GEN, "table.zst")
        with open(os.path.join(GEN, "table.txt"), "rb") as f:
            text = f.read()
        shown = subprocess.run(["zstd", "-lv", path], text=True, capture_output=True, check=True).stdout
        self.assertIn("(%d B)" % len(text), shown)
        self.assertEqual(subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout, text)
        with open(os.path.join(GEN, "table_embed.c"), encoding="utf-8") as f:
            self.assertIn(hashlib.sha256(text).hexdigest()[:16], f.read())


class Layout(unittest.TestCase):
    def test_ids_are_unique_and_equal_in_table_and_header(self):
        with open(os.path.join(GEN, "ids.h"), encoding="utf-8") as f:
            ids = re.findall(r"FN_(\w+) = (0x[0-9a-f]+)", f.read())
        self.assertEqual(len(ids), len({v for _, v in ids}))
        self.assertEqual({n: int(v, 16) for n, v in ids}, {fn.name.replace(".", "_"): fn.id for fn in TABLE.fns.values()})
        for fn in TABLE.fns.values():
            low, high = {1: (0x0400, 0x0c00), 5: (0x0c00, 0x1000)}[fn.domain]
            self.assertTrue(low <= fn.id < high, fn.name)

    def test_arguments_do_not_overlap_and_fill_the_fixed_words(self):
        for fn in TABLE.fns.values():
            taken = {0}
            for position, size in [(p.position, p.bytes) for p in fn.params] + [(fn.ret_position, 8)] * (fn.ret_position >= 0):
                halves = {position, position + 1} if size == 8 else {position}
                self.assertFalse(taken & halves, fn.name)
                self.assertTrue(size == 4 or position % 2 == 0, fn.name)
                self.assertLess(max(halves), 2 * (fn.fixed + 1), fn.name)
                taken |= halves
            self.assertGreaterEqual(max(taken), 2 * fn.fixed, fn.name)

    def test_no_copy_has_a_limit_of_its_own_and_the_beginning_of_a_long_record_has_what_is_fixed(self):
        for fn in TABLE.fns.values():
            chosen = [p for p in fn.params if p.copy in ("string", "plist") or p.count and not p.count.isdigit()]
            self.assertEqual({p.limit for p in chosen if fn.domain == 1}, {0} if chosen and fn.domain == 1 else set(), fn.name)
            self.assertLess(fn.fixed + 16, 64, fn.name)     # trace/write/call/call.c, BEGINNING

    def size(self, name, **lengths):
        """Bytes of a record: head, tick, duration word, fixed arguments, copies of the given byte lengths."""
        fn = TABLE.fns[name]
        for param in lengths:
            self.assertNotEqual(fn.by_name(param).copy, "none")
        return 24 + 8 * fn.fixed + sum((n + 7) // 8 * 8 for n in lengths.values())

    def test_frequent_calls_stay_within_their_bytes(self):
        for name, fn in TABLE.fns.items():
            if fn.kind in ("retain", "release") and not fn.callback:
                self.assertLessEqual(self.size(name), 32, name)
        self.assertLessEqual(self.size("clSetKernelArg", arg_value=8), 56)
        for name in ("clGetDeviceInfo", "clGetKernelInfo", "clGetEventInfo", "clGetMemObjectInfo"):
            self.assertLessEqual(self.size(name, param_value=8), 64)
            self.assertLessEqual(self.size(name, param_value_size_ret=8), 64)
        self.assertLessEqual(self.size("clEnqueueNDRangeKernel", global_work_size=8, local_work_size=8, event=8), 112)


# ------------------------------------------------------------------ wrappers against the table

class Entry(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("exported", ctypes.c_void_p), ("route", ctypes.c_void_p * 4), ("ext", ctypes.c_void_p * 4),
                ("bare", ctypes.c_void_p * 4), ("layer", ctypes.c_void_p), ("provisional", ctypes.c_char_p),
                ("least", ctypes.c_uint32), ("most", ctypes.c_uint32), ("revised", ctypes.c_void_p), ("api_index", ctypes.c_uint16),
                ("dispatch_index", ctypes.c_uint16), ("core", ctypes.c_bool)]


def build_library():
    """The generated wrappers and a stub of what they call, as a library."""
    out = os.path.join(GEN, "wrappers.so")
    shim = CC + FLAGS + ["-I" + GEN, "-O1", "-fPIC", "-fvisibility=hidden"]
    sources = [os.path.join(GEN, "opencl_wrappers_%d.c" % i) for i in range(4)]
    sources += [os.path.join(GEN, "opencl_entries.c"), os.path.join(TOP, "tests/unit/api_table_stub.c"), os.path.join(TOP, "interpose/bare.c")]
    jump = os.path.join(GEN, "bare.o")
    subprocess.run(shim + ["-c", "-o", jump, os.path.join(TOP, "interpose/bare.S")], check=True)
    subprocess.run(shim + ["-include", os.path.join(TOP, "tests/unit/api_table_stub.h"), "-shared", "-Wl,-Bsymbolic", "-o", out] + sources + [jump],
                   check=True)
    lib = ctypes.CDLL(out)
    lib.stub_entry.restype = ctypes.POINTER(Entry)
    lib.stub_route.restype = lib.stub_ext_route.restype = ctypes.POINTER(ctypes.c_void_p)
    return lib


def entry_of(lib, fn):
    """A second prototype has no name of its own to be looked up by."""
    first = lib.stub_entry(fn.name.removesuffix("_2").encode()).contents
    return Entry.from_address(first.revised) if fn.name.endswith("_2") else first


class Call:
    """One call of one wrapper with known arguments and a real function that does what it is told."""

    def __init__(self, lib, fn, null=(), result=0, seed=1):
        self.lib, self.fn, self.result = lib, fn, result
        self.bound = ctypes.c_uint32.in_dll(lib, "stub_max_args").value
        self.buffers, self.args, self.seen = {}, {}, None
        for i, p in enumerate(fn.params):
            pointer = p.bytes == 8 and ("*" in p.type or "[" in p.type) and p.value != "callback"
            if pointer and p.name in null:
                self.args[p.name] = 0
            elif pointer:
                self.buffers[p.name] = ctypes.create_string_buffer(self.content(p, i + seed), 8192)
                self.args[p.name] = ctypes.addressof(self.buffers[p.name])
            elif p.bytes == 4:
                self.args[p.name] = 3
            else:
                self.args[p.name] = 24 if p.value == "size" else 0x1122334400000000 + i
        # Counts that are outputs: two of the three that there is room for.
        for p in fn.counters():
            if p.name in self.buffers:
                self.buffers[p.name][:8] = struct.pack("<Q", 2)

    @staticmethod
    def content(p, seed):
        if p.copy == "string":
            return b"text %d" % seed
        if p.copy == "plist":
            return struct.pack("<3Q", 0x1000 + seed, seed, 0)
        return bytes((seed * 37 + i) % 251 + 1 for i in range(2000))

    def ctype(self, size):
        return ctypes.c_uint64 if size == 8 else ctypes.c_uint32

    def run(self, instance, table):
        fn = self.fn
        ret = {"void": None, "error": ctypes.c_int32}.get(fn.ret_class, ctypes.c_uint64)
        kind = ctypes.CFUNCTYPE(ret, *[self.ctype(p.bytes) for p in fn.params])

        def real(*args):
            self.seen = args
            for p, a in zip(fn.params, args):
                if p.role == "errcode":
                    ctypes.c_int32.from_address(a).value = self.result
                elif p in fn.counters() and p.name not in self.buffers and a:
                    ctypes.c_uint32.from_address(a).value = 2       # the wrapper's own slot
            return self.result if ret is ctypes.c_int32 else 0x7788990011223344
        self.keep = kind(real)
        entry = entry_of(self.lib, fn)
        self.lib_table(table)[entry.api_index] = ctypes.cast(self.keep, ctypes.c_void_p).value
        commits = ctypes.c_uint32.in_dll(self.lib, "stub_commits")
        before = commits.value
        self.returned = kind(self.pointer(entry, instance))(*[self.args[p.name] for p in fn.params])
        self.committed = commits.value - before
        count = ctypes.c_uint32.in_dll(self.lib, "stub_word_count").value
        self.words = (ctypes.c_uint64 * 65536).in_dll(self.lib, "stub_words")[:count]
        self.untouched = (ctypes.c_uint64 * 65536).in_dll(self.lib, "stub_words")[count]
        self.first = ctypes.c_uint32.in_dll(self.lib, "stub_first").value
        return self

    def lib_table(self, table):
        return self.lib.stub_route() if table == "route" else self.lib.stub_ext_route()

    @staticmethod
    def pointer(entry, instance):
        return entry.exported if instance == "exported" else getattr(entry, instance)[0]

    # -- decoding, by the README

    def half(self, position):
        return self.first if position == 1 else self.words[position // 2 - 1] >> (32 if position % 2 else 0) & 0xffffffff

    def fixed(self, position, size):
        word = self.half(position) if size == 4 else self.words[position // 2 - 1]
        return 0 if word & COUNT_WORD == COUNT_WORD else word

    def counted(self, p):
        """What stands in place of a NULL that would have counted an array; None: nothing does."""
        word = self.words[p.position // 2 - 1]
        return word & (1 << 55) - 1 if p.counts and word & COUNT_WORD == COUNT_WORD else None

    def count(self, expression, counted):
        if expression == "":
            return 1
        if expression.isdigit():
            return int(expression)
        if expression.startswith("*"):
            return counted.get(expression[1:], 0)
        p = self.fn.by_name(expression)
        return self.fixed(p.position, p.bytes)

    def decode(self):
        """{parameter: bytes} of the copies; raises if the record is longer or shorter than they are."""
        raw = struct.pack("<%dQ" % len(self.words), *self.words)
        at, out, counted = 8 * self.fn.fixed, {}, {}
        for p in self.fn.copies():
            if self.fixed(p.position, 8) == 0 or (self.result != 0 and not p.kept):
                continue
            if p.copy == "string":
                n = struct.unpack_from("<I", raw, at)[0]
                if n == 0xffffffff and self.result:
                    at += 8
                    continue
                out[p.name] = raw[at + 4:at + 4 + n]
                at += (4 + n + 7) // 8 * 8
                continue
            if p.copy == "plist":
                n = struct.unpack_from("<Q", raw, at)[0] * 8
                at += 8
            else:
                count = self.count(p.count, counted)
                if p.capacity and self.fixed(self.fn.by_name(p.capacity).position, 8):
                    count = min(count, counted[p.capacity])
                elif p.capacity and self.counted(self.fn.by_name(p.capacity)) is not None:
                    count = min(count, self.counted(self.fn.by_name(p.capacity)))
                limit = p.limit or (self.bound if not p.count.isdigit() and p.count else 1 << 32)
                n = min(count, limit // p.elem_bytes) * p.elem_bytes
            out[p.name] = raw[at:at + n]
            if n <= 8:
                counted[p.name] = int.from_bytes(out[p.name], "little")
            at += (n + 7) // 8 * 8
        if at != len(raw):
            raise AssertionError("%s: the table reads %d bytes, the record has %d" % (self.fn.name, at, len(raw)))
        return out


class Wrappers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lib = build_library()

    def functions(self):
        return [fn for fn in TABLE.fns.values() if fn.domain == 1 and not fn.callback]

    def check(self, call):
        fn = call.fn
        self.assertEqual(call.committed, 1, fn.name)
        self.assertEqual(call.untouched, 0xa5a5a5a5a5a5a5a5, fn.name)
        self.assertEqual(ctypes.c_uint32.in_dll(self.lib, "stub_fn").value, fn.id)
        for p in fn.params:
            self.assertEqual(call.fixed(p.position, p.bytes), call.args[p.name], "%s %s" % (fn.name, p.name))
        for p, seen in zip(fn.params, call.seen):
            if call.args[p.name] or not (p.role in ("errcode", "event") or p in fn.counters()):
                self.assertEqual(seen, call.args[p.name], "%s %s reached the driver changed" % (fn.name, p.name))
        if fn.ret_position >= 0:
            self.assertEqual(call.fixed(fn.ret_position, 8), 0x7788990011223344, fn.name)
        copies = call.decode()
        for name, data in copies.items():
            self.assertEqual(data, call.buffers[name].raw[:len(data)], "%s %s" % (fn.name, name))
        return copies

    def test_records_of_all_functions_read_back_what_was_passed(self):
        for fn in self.functions():
            call = Call(self.lib, fn).run("ext", "ext")
            copies = self.check(call)
            self.assertEqual(set(copies), {p.name for p in fn.params if p.copy != "none"}, fn.name)

    def test_exported_and_routed_wrappers_lead_to_their_own_route(self):
        checked = 0
        for fn in self.functions():
            if entry_of(self.lib, fn).exported:
                self.check(Call(self.lib, fn).run("exported", "route"))
                self.check(Call(self.lib, fn).run("route", "route"))
                checked += 1
        self.assertGreater(checked, 125)

    def test_null_pointers_are_recorded_as_null_and_read_by_nobody(self):
        for fn in self.functions():
            everything = [p.name for p in fn.params]
            self.assertEqual(self.check(Call(self.lib, fn, null=everything).run("ext", "ext")), {}, fn.name)

    def failing(self):
        return [fn for fn in self.functions() if fn.ret_class == "error" or any(p.role == "errcode" for p in fn.params)]

    def test_a_failed_call_copies_its_texts_alone(self):
        seen = set()
        for fn in self.failing():
            texts = {p.name for p in fn.params if p.kept}
            self.assertEqual(set(self.check(Call(self.lib, fn, result=-30).run("ext", "ext"))), texts, fn.name)
            self.assertEqual(ctypes.c_int32.in_dll(self.lib, "stub_result").value, -30)
            seen |= {(fn.name, name) for name in texts}
        self.assertLessEqual({("clBuildProgram", "options"), ("clCreateKernel", "kernel_name"), ("clLinkProgram", "options"),
                              ("clCreateProgramWithBuiltInKernels", "kernel_names")}, seen)

    def test_a_text_of_a_failed_call_that_lies_nowhere_is_not_there(self):
        for fn in self.failing():
            call = Call(self.lib, fn, result=-30)
            for p in fn.params:
                if p.kept:
                    call.args[p.name] = 16
            self.assertEqual(self.check(call.run("ext", "ext")), {}, fn.name)

    def test_outputs_whose_count_nobody_asked_for_show_only_what_was_written(self):
        seen = 0
        for fn in self.functions():
            for p in fn.params:
                if not p.capacity:
                    continue
                call = Call(self.lib, fn, null=[p.capacity]).run("ext", "ext")
                self.assertEqual(call.decode()[p.name], call.buffers[p.name].raw[:2 * p.elem_bytes], fn.name)
                seen += 1
        self.assertGreater(seen, 20)

    def flags(self):
        return {name: ctypes.c_uint32.in_dll(self.lib, "stub_" + name).value for name in ("cut", "left", "large")}

    def long(self, fn, p, n):
        """A call of fn of which this parameter, and what has the same count, has n elements (the closing zero among them)."""
        call = Call(self.lib, fn)
        counter = p.count if p.count.isidentifier() and p.copy != "plist" else None
        for q in fn.params:
            if q is not p and (not counter or q.count != counter or q.copy == "none"):
                continue
            size = 8 * n if q.copy == "plist" else n * max(q.elem_bytes, 1)
            data = bytearray(i % 251 + 1 for i in range(251)) * (size // 251 + 1)
            del data[size:]
            data[size - (8 if q.copy == "plist" else 0):] = bytes(64)
            call.buffers[q.name] = ctypes.create_string_buffer(bytes(data), len(data))
            call.args[q.name] = ctypes.addressof(call.buffers[q.name])
        for c in [counter, p.capacity]:
            if c in call.buffers:
                call.buffers[c][:8] = struct.pack("<Q", n)
            elif c:
                call.args[c] = n
        return call

    def lengthy(self):
        """Every parameter whose length the program chooses and says in one other parameter, or in the data itself."""
        for fn in self.functions():
            for p in fn.params:
                if p.copy in ("string", "plist") or p.copy != "none" and p.count.isidentifier():
                    beside = [q for q in fn.params if q.copy != "none" and q.count == p.count and p.count.isidentifier()]
                    yield fn, p, 8 if p.copy == "plist" else max(q.elem_bytes for q in beside + [p]) or 1

    def test_what_is_long_is_whole_up_to_the_bound_and_never_cut_silently(self):
        bound, seen = ctypes.c_uint32.in_dll(self.lib, "stub_max_args").value, set()
        for fn, p, size in self.lengthy():
            for n in (4096 // size + 1, bound // size, bound // size + 1):
                n -= p.copy == "plist" and n % 2 == 0           # of pairs every second element may end the list
                what = "%s %s %d" % (fn.name, p.name, n)
                call = self.long(fn, p, n).run("ext", "ext")
                data, own = call.decode()[p.name], 8 if p.copy == "plist" else max(p.elem_bytes, 1)
                self.assertEqual(data, call.buffers[p.name].raw[:len(data)], what)
                self.assertEqual((len(data), self.flags()["cut"]), (min(n * own, bound // own * own), int(n * size > bound)), what)
                self.assertEqual(self.flags()["left"], 0, what)
                self.assertEqual(self.flags()["large"], int(len(call.words) > 7636 or self.flags()["cut"]), what)
                seen.add((fn.name, p.name))
        self.assertLessEqual({("clWaitForEvents", "event_list"), ("clEnqueueMigrateMemObjects", "mem_objects"), ("clBuildProgram", "options"),
                              ("clSetKernelExecInfo", "param_value"), ("clSetKernelArg", "arg_value"), ("clGetDeviceInfo", "param_value"),
                              ("clEnqueueFillBuffer", "pattern"), ("clCreateContext", "properties")}, seen)

    def test_counts_beyond_all_memory_are_cut_and_marked(self):
        fn = TABLE.fns["clWaitForEvents"]
        call = self.long(fn, fn.by_name("event_list"), 8192)
        call.args["num_events"] = 0xffffffff
        call.run("ext", "ext")
        self.assertEqual(len(call.decode()["event_list"]), 65536)
        self.assertEqual(self.flags(), {"cut": 1, "left": 0, "large": 1})

    def test_an_answer_that_is_not_to_be_stored_is_left_out_and_marked(self):
        kept = ctypes.c_uint32.in_dll(self.lib, "stub_contents_kept")
        kept.value = 0
        try:
            for name in ("clGetProgramInfo", "clGetProgramBuildInfo"):
                call = Call(self.lib, TABLE.fns[name])
                call.bound = 0
                call.run("ext", "ext")
                self.assertEqual(call.decode()["param_value"], b"", name)
                self.assertEqual(self.flags()["left"], 1, name)
            Call(self.lib, TABLE.fns["clGetDeviceInfo"]).run("ext", "ext")
            self.assertEqual(self.flags()["left"], 0)
        finally:
            kept.value = 1

    def test_a_function_the_library_lacks_fails_without_a_crash(self):
        for fn in self.functions():
            entry = entry_of(self.lib, fn)
            call = Call(self.lib, fn)
            self.lib.stub_ext_route()[entry.api_index] = None
            ret = {"void": None, "error": ctypes.c_int32}.get(fn.ret_class, ctypes.c_uint64)
            kind = ctypes.CFUNCTYPE(ret, *[call.ctype(p.bytes) for p in fn.params])
            returned = kind(entry.ext[0])(*[call.args[p.name] for p in fn.params])
            self.assertEqual(returned, {"void": None, "error": -59}.get(fn.ret_class, 0), fn.name)
            for p in fn.params:
                if p.role == "errcode":
                    self.assertEqual(ctypes.c_int32.from_buffer(call.buffers[p.name]).value, -59, fn.name)

    def test_when_tracing_is_off_calls_pass_through_unrecorded(self):
        off = ctypes.c_int.in_dll(self.lib, "stub_off")
        off.value = 1
        try:
            for fn in self.functions():
                call = Call(self.lib, fn).run("ext", "ext")
                self.assertEqual(call.committed, 0, fn.name)
                self.assertEqual(call.seen, tuple(call.args[p.name] for p in fn.params), fn.name)
        finally:
            off.value = 0

    def test_two_prototypes_of_one_function_share_a_name_and_part_the_versions(self):
        seconds = [fn for fn in self.functions() if fn.name.endswith("_2")]
        self.assertGreater(len(seconds), 10)
        for fn in seconds:
            second, first = entry_of(self.lib, fn), entry_of(self.lib, TABLE.fns[fn.name[:-2]])
            self.assertEqual(second.name, first.name)
            self.assertEqual(second.provisional, first.provisional)
            self.assertEqual(second.least, first.most + 1, fn.name)
            self.assertLess(first.least, first.most)
            self.assertLess(second.least, second.most)
            self.assertNotEqual([p.type for p in fn.params], [p.type for p in TABLE.fns[fn.name[:-2]].params])

    def test_a_provisional_function_keeps_arguments_that_no_prototype_knows(self):
        entry = self.lib.stub_entry(b"clCommandNDRangeKernelKHR").contents
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_uint64] * 16)
        seen = []
        real = kind(lambda *args: seen.extend(args) or 7)
        self.lib.stub_ext_route()[entry.api_index] = ctypes.cast(real, ctypes.c_void_p).value
        passed = [0x0123456789abc000 + i for i in range(16)]
        self.assertEqual(kind(entry.bare[0])(*passed), 7)
        self.assertEqual(seen, passed)
        self.assertEqual(ctypes.c_uint32.in_dll(self.lib, "stub_bare").value, 1)
        self.assertEqual(ctypes.c_uint32.in_dll(self.lib, "stub_fn").value, TABLE.fns["clCommandNDRangeKernelKHR"].id)


if __name__ == "__main__":
    unittest.main()
