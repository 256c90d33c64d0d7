#!/usr/bin/env python3
"""api/cuda_generate.py - what the arguments of CUDA calls are: from an installed toolkit's headers to a table of our own

    api/cuda_generate.py --own build/gen                    what the build needs; no toolkit is looked at
    api/cuda_generate.py --cache ~/.cache/gputap            find the toolkits, make their table unless it is there, print its path
    api/cuda_generate.py --include DIR[:DIR] --out FILE     the table of one toolkit

The toolkit says what the callbacks of its CUPTI hand out: one structure for each call (generated_*_meta.h). They are preprocessed, parsed by
pycparser, and laid out as the C compiler does. Nothing of them is kept but names, types, offsets and values of enumerations, and these
stay on the machine: in the user's cache, and in traces. api/cuda_calls.def says in our own words what a machine without a
toolkit needs: the calls that nearly every program makes. Where both know a call, the toolkit has the names and
cuda_calls.def says what is copied. docs/cuda-args.md describes the text and the capture file.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import glob
import hashlib
import os
import re
import shutil
import site
import struct
import subprocess
import sys
import tempfile

FORMAT = 1                      # of the table's text and of the capture file: both change their name with it
CALLS = None                    # text of cuda_calls.def where this file is not beside it (the tool feeds it by standard input)
REVISION = None                 # of this file, likewise: a table of another one is not used again
RUNTIME, DRIVER = "R", "D"
CAPTURE_MAGIC = 0x3143504143505447      # "GTPCAPC1"
COPY_TEXT, COPY_IN, COPY_OUT, COPY_GUARDED = 1, 2, 4, 8         # enum rec_cuda_copy
OUT_BYTES, IN_BYTES = 128, 256          # largest structures that are copied


class Problem(Exception):
    """Something is missing; the message says what."""


class Type:
    """Class letter of the text, bytes, alignment; ref: enumeration or structure; target: what a pointer leads to."""

    def __init__(self, cls, size, align=None, ref=None, target=None, const=False, count=1):
        self.cls, self.size, self.align = cls, size, align or min(max(size, 1), 8)
        self.ref, self.target, self.const, self.count = ref, target, const, count


class Param:
    def __init__(self, name, text, kind, offset):
        self.name, self.text, self.type, self.offset, self.copy = name, text, kind, offset, 0

    def line(self, letter):
        t = self.type
        target = "-" if not t.target else "%s:%d:%s" % (t.target.cls, t.target.size, t.target.ref or "-")
        return "\t".join([letter, self.name, self.text, t.cls, str(self.offset), str(t.size), t.ref or "-", target, str(self.copy), str(t.count)])


class Call:
    def __init__(self, domain, cbid, name, params, size):
        self.domain, self.cbid, self.name, self.params, self.bytes = domain, cbid, name, params, size

    def key(self):
        return (self.domain, self.cbid)


class Table:
    def __init__(self):
        self.calls, self.enums, self.structs, self.names = {}, {}, {}, {}       # names: {(domain, cbid): name} of all callback ids
        self.sources, self.reasons = [], {}                                     # reasons: {(domain, cbid): why there is no structure}

    def merge(self, older):
        """What only the other one knows is added; this one is right about the rest."""
        for mine, other in ((self.calls, older.calls), (self.structs, older.structs), (self.names, older.names)):
            for key, value in other.items():
                mine.setdefault(key, value)
        for name, values in older.enums.items():
            known = self.enums.setdefault(name, [])
            have = {v for _, v in known}
            known += [(n, v) for n, v in values if v not in have]
        self.sources += older.sources
        self.reasons = {k: v for k, v in {**older.reasons, **self.reasons}.items() if k not in self.calls}

    def used(self):
        """Structures and enumerations that a call can show, with what they are made of."""
        structs, enums, open_ = set(), {"cudaError", "CUresult"}, [p.type for c in self.calls.values() for p in c.params]
        while open_:
            t = open_.pop()
            if t.target:
                open_.append(t.target)
            if t.cls == "e":
                enums.add(t.ref)
            if t.cls == "t" and t.ref in self.structs and t.ref not in structs:
                structs.add(t.ref)
                open_ += [m.type for m in self.structs[t.ref][1]]
        return structs, enums

    def text(self):
        structs, enums = self.used()
        out = ["gputap-cuda-args\t%d" % FORMAT] + ["source\t" + s for s in self.sources]
        for name in sorted(enums & set(self.enums)):
            out.append("E\t" + name)
            out += ["V\t%s\t%d" % v for v in self.enums[name]]
        for name in sorted(structs):
            out.append("S\t%s\t%d" % (name, self.structs[name][0]))
            out += [m.line("M") for m in self.structs[name][1]]
        for key in sorted(set(self.calls) | set(self.names)):
            c = self.calls.get(key)
            out.append("C\t%s\t%d\t%s\t%d\t%d" % (key + ((c.name, c.bytes, 1) if c else (self.names[key], 0, 0))))
            out += [p.line("P") for p in c.params] if c else []
        return "\n".join(out) + "\n"

    def capture(self):
        """What the shim needs of it, as it lies in memory: struct rec_cuda_capture."""
        rows, copies = {RUNTIME: [], DRIVER: []}, []
        for domain, row in rows.items():
            row += [(0, 0, 0)] * (1 + max([cbid for d, cbid in self.calls if d == domain], default=0))
            for (d, cbid), c in sorted(self.calls.items()):
                if d == domain:
                    mine = [(p.offset, p.type.target.size if p.copy & (COPY_IN | COPY_OUT) and not p.copy & COPY_TEXT else 0, p.copy)
                            for p in c.params if p.copy]
                    row[cbid] = (c.bytes + 1, len(copies), len(mine))
                    copies += mine
        body = b"".join(struct.pack("=HHHH", b, first, n, 0) for d in (RUNTIME, DRIVER) for b, first, n in rows[d])
        body += b"".join(struct.pack("=HHHH", o, b, f, 0) for o, b, f in copies)
        return struct.pack("=QIIIIII", CAPTURE_MAGIC, FORMAT, 32 + len(body), len(rows[RUNTIME]), len(rows[DRIVER]), len(copies), 0) + body


# ------------------------------------------------------------------------------------------------ the toolkit's headers

# Headers of the C library that CUDA's include are replaced by nothing: the types they would bring are these.
PRELUDE = """
typedef unsigned long size_t; typedef long ptrdiff_t; typedef int wchar_t;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t;
typedef long intptr_t; typedef unsigned long uintptr_t; typedef unsigned long cuuint64_own;
typedef unsigned int GLuint; typedef unsigned int GLenum; typedef int GLint;
typedef uint32_t VdpDevice; typedef uint32_t VdpVideoSurface; typedef uint32_t VdpOutputSurface; typedef uint32_t VdpStatus; typedef uint32_t VdpFuncId;
typedef int VdpGetProcAddress(VdpDevice device, VdpFuncId id, void **function);
"""
# What pip's packages of runtime and CUPTI lack of what their headers include: marks that mean nothing to us.
MARKS = "".join("#define %s\n" % m for m in """CUDARTAPI CUDARTAPI_CDECL CUDA_CB __host__ __device__ __global__ __shared__ __constant__ __managed__ __grid_constant__
__device_builtin__ __cudart_builtin__ __device_builtin_texture_type__ __device_builtin_surface_type__ __no_return__ __noinline__ __forceinline__
__inline_hint__ __thread__ __import__ __export__ __align__(n) __location__(a) __annotate__(a) __CUDA_ARCH_HAS_FEATURE__(a) __cluster_dims__(...)
__maxnreg__(a) __nv_pure__ __specialization_static __builtin_align__(a) __cdecl __launch_bounds__(...) __block_size__(...) __local_maxnreg__(a)
__tile__ __tile_builtin__ __tile_global__""".split())
MAIN = ["cuda.h", "cuda_runtime_api.h", "cupti_driver_cbid.h", "cupti_runtime_cbid.h", "generated_cuda_meta.h", "generated_cuda_runtime_api_meta.h"]
# Headers whose structures use types that a toolkit may not have: taken one structure at a time.
OPTIONAL = ["cudaGL.h", "cuda_gl_interop.h", "cudaVDPAU.h", "cuda_vdpau_interop.h", "cudaProfiler.h", "cuda_profiler_api.h",
            "generated_cudaGL_meta.h", "generated_cuda_gl_interop_meta.h", "generated_cudaVDPAU_meta.h", "generated_cuda_vdpau_interop_meta.h",
            "generated_cudart_removed_meta.h"]
BASE = {"char": ("i", 1), "signed char": ("i", 1), "unsigned char": ("u", 1), "short": ("i", 2), "unsigned short": ("u", 2), "int": ("i", 4),
        "unsigned int": ("u", 4), "unsigned": ("u", 4), "signed": ("i", 4), "long": ("i", 8), "unsigned long": ("u", 8), "long long": ("i", 8),
        "unsigned long long": ("u", 8), "float": ("f", 4), "double": ("f", 8), "void": ("v", 0), "_Bool": ("u", 1)}
NUMBER_HANDLE = re.compile(r"(Object|[hH]andle)(_t|_v1|_v2)?$")        # numbers that are handles: read better in hex


def preprocess(folders, names, allow_missing):
    """Their text after the preprocessor. Headers that nobody has become empty ones: C library headers always, others when allowed."""
    compiler = next((c for c in ([os.environ["CC"].split()[0]] if os.environ.get("CC") else []) + ["gcc", "cc", "clang"] if shutil.which(c)), None)
    if not compiler:
        raise Problem("no C compiler (cc) to preprocess the headers with")
    empty = tempfile.mkdtemp(prefix="gputap-cuda-")
    try:
        for _ in range(60):
            command = [compiler, "-E", "-P", "-xc", "-", "-nostdinc", "-D__CUDA_API_VERSION_INTERNAL", "-D__attribute__(x)=", "-D__extension__=",
                       "-D__inline__=", "-D__inline=", "-D__restrict=", "-D__asm__(x)="]
            source = "".join("#include <%s>\n" % n for n in names)
            ran = subprocess.run(command + ["-I" + f for f in folders] + ["-I" + empty], input=source, capture_output=True, text=True)
            if ran.returncode == 0:
                return ran.stdout
            missing = re.search(r"fatal error: '?([\w./+-]+)'?(?:: No such file| file not found)", ran.stderr)
            if not missing or (missing.group(1) in MAIN and not allow_missing):
                raise Problem((ran.stderr.strip().splitlines() or ["the preprocessor failed"])[0])
            path = os.path.join(empty, missing.group(1))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as header:
                header.write(MARKS if path.endswith("host_defines.h") else "")
        raise Problem("too many headers are missing")
    finally:
        shutil.rmtree(empty, ignore_errors=True)


def split_structs(text):
    """({name: text of the structure}, the rest): the parameter structures of meta headers."""
    pattern = re.compile(r"typedef struct (\w+)_params_st \{(.*?)\} \w+;", re.S)
    return {m.group(1): re.sub(r"\b__dv\b", "", m.group(2)) for m in pattern.finditer(text)}, pattern.sub("", text)


class Headers:
    def __init__(self, folders):
        try:
            from pycparser import c_ast, c_parser
        except ImportError:
            raise Problem("no pycparser (Debian: python3-pycparser)")
        self.ast, self.typedefs, self.structs, self.enums, self.constants, self.cache, self.laid = c_ast, {}, {}, {}, {}, {}, {}
        self.shown, self.without = {}, set()            # structures that can be told by member; functions without parameters
        self.open = set()                               # structures being laid out: one may point to itself
        text = PRELUDE + re.sub(r"\btypedef [^;{]*\b(size_t|wchar_t|ptrdiff_t);", "", preprocess(folders, MAIN, False))
        text = re.sub(r"static\s+(inline\s+)?[^;{()]*\([^;{]*\)\s*\{.*?\n\}", "", text, flags=re.S)
        text = re.sub(r"\b_Alignas\s*\(\s*\d+\s*\)", "", text)      # pycparser 2.21 does not read it; only of what is passed by pointer
        extra, self.reasons = self.optional(folders, text)
        try:
            self.collect(c_parser.CParser().parse(text + extra))
        except c_parser.ParseError as e:
            raise Problem("pycparser does not read the headers in %s: %s" % (folders[0], e))

    def optional(self, folders, text):
        """Structures of the optional headers all of whose types are known; why the others are not there."""
        known = set(re.findall(r"\b(\w+)\s*;", text)) | set(re.findall(r"\w+", "struct enum const unsigned int long char short float double void size_t"))
        known |= set(re.findall(r"\(\s*\*\s*(\w+)\s*\)", text)) | {"VdpGetProcAddress"}
        have = [n for n in OPTIONAL if any(os.path.exists(os.path.join(f, n)) for f in folders)]
        structs, rest = split_structs(preprocess(folders, MAIN + have, True))
        mine = set(split_structs(text)[0])
        enums = "".join("enum %s {%s};\n" % e for e in re.findall(r"enum\s+(cudaGL\w+|CUGL\w+)\s*\{(.*?)\}", rest, re.S))
        names = re.findall(r"typedef enum (CUGL\w+?)_enum", rest)
        enums += "".join("typedef enum %s_enum %s;\n" % (n, n) for n in dict.fromkeys(names))
        out, reasons = [enums], {}
        for name, body in structs.items():
            types = set(re.findall(r"\b\w+\b", re.sub(r"\b(struct|enum)\s+\w+|\w+\s*(\[.*?\])?\s*;", "", body)))
            unknown = sorted(types - known - set(names))
            if unknown:
                reasons[name] = "its type %s is in no header here" % unknown[0]
            elif name not in mine:
                out.append("typedef struct %s_params_st {%s} %s_params;\n" % (name, body, name))
        return "".join(out), reasons

    def collect(self, node):
        c_ast, outer = self.ast, self

        class Visitor(c_ast.NodeVisitor):
            def visit_Typedef(self, n):
                inner = getattr(n.type, "type", None)
                if isinstance(inner, c_ast.Enum) and not inner.name:
                    inner.name = n.name
                outer.typedefs[n.name] = n.type
                self.generic_visit(n)

            def visit_Struct(self, n):
                if n.decls is not None:
                    outer.structs[n.name or id(n)] = n
                self.generic_visit(n)

            visit_Union = visit_Struct

            def visit_Decl(self, n):
                args = n.type.args.params if isinstance(n.type, c_ast.FuncDecl) and n.type.args else None
                if args is not None and len(args) == 1 and getattr(getattr(args[0].type, "type", None), "names", None) == ["void"]:
                    outer.without.add(n.name)
                self.generic_visit(n)

            def visit_Enum(self, n):
                if n.values:
                    outer.enums[outer.enum_name(n)] = outer.enumerators(n)

        Visitor().visit(node)

    # -------- values

    def enumerators(self, node):
        value, out = -1, []
        for e in node.values.enumerators:
            value = self.number(e.value) if e.value is not None else value + 1
            self.constants[e.name] = value
            out.append((e.name, value - (1 << 32) if value == 0xffffffff else value))
        return out

    def number(self, n):
        a = self.ast
        if isinstance(n, a.Constant):
            return ord(eval(n.value)) if n.type == "char" else int(n.value.rstrip("uUlL"), 0)
        if isinstance(n, a.ID):
            return self.constants.get(n.name, 0)
        if isinstance(n, a.Cast):
            return self.number(n.expr)
        if isinstance(n, a.UnaryOp):
            if n.op == "sizeof":
                return self.resolve(n.expr).size
            v = self.number(n.expr)
            return {"-": -v, "~": ~v, "+": v, "!": int(not v)}[n.op]
        if isinstance(n, a.TernaryOp):
            return self.number(n.iftrue if self.number(n.cond) else n.iffalse)
        x, y = self.number(n.left), self.number(n.right)
        return {"<<": lambda: x << y, ">>": lambda: x >> y, "|": lambda: x | y, "&": lambda: x & y, "+": lambda: x + y, "-": lambda: x - y,
                "*": lambda: x * y, "/": lambda: x // y}[n.op]()

    def enum_name(self, n):
        name = n.name or "enum%d" % n.coord.line
        return "CUresult" if name == "cudaError_enum" else re.sub(r"_enum$", "", name)

    # -------- types

    def resolve(self, t, name=None):
        a = self.ast
        if isinstance(t, (a.Typename, a.Decl)):
            return self.resolve(t.type)
        if isinstance(t, a.TypeDecl):
            return self.resolve(t.type, name)
        if isinstance(t, a.IdentifierType):
            return self.identifier(t.names)
        if isinstance(t, a.PtrDecl):
            return self.pointer(t.type)
        if isinstance(t, a.ArrayDecl):
            one = self.resolve(t.type)
            count = self.number(t.dim) if t.dim is not None else 0
            return Type(one.cls, one.size * count, one.align, one.ref, one.target, count=count * one.count)
        if isinstance(t, a.Enum):
            return Type("e", 4, ref=self.enum_name(t))
        if isinstance(t, (a.Struct, a.Union)):
            return self.structure(t, name)
        if isinstance(t, a.FuncDecl):
            return Type("v", 0)
        raise Problem("a type that this generator does not know: %s" % type(t).__name__)

    def identifier(self, names):
        text = " ".join(sorted((n for n in names if n not in ("int",) or len(names) == 1), key=lambda n: n not in ("signed", "unsigned")))
        text = {"signed long": "long", "signed long long": "long long", "signed short": "short", "unsigned": "unsigned int"}.get(text, text)
        if text in BASE:
            return Type(*BASE[text])
        if text not in self.typedefs:
            raise Problem("the type %s is in no header here" % text)
        if text not in self.cache:
            self.cache[text] = self.resolve(self.typedefs[text], text)
        t = self.cache[text]
        if t.cls == "u" and (text.startswith("CUdeviceptr") or t.ref == "CUdeviceptr"):
            return Type("d", t.size, ref="CUdeviceptr")
        return Type("h", t.size) if t.cls == "u" and t.size == 8 and NUMBER_HANDLE.search(text) else t

    def pointer(self, to):
        a = self.ast
        if isinstance(to, a.FuncDecl):
            return Type("p", 8)
        target = self.resolve(to)
        if target.size < 0:
            return Type("p", 8)
        const = "const" in (getattr(to, "quals", None) or [])
        if target.cls == "t" and target.size == 0:
            return Type("h", 8)
        if (target.cls, target.size, target.count, const) == ("i", 1, 1, True):
            return Type("s", 8)
        return Type("p", 8, target=target if target.size else None, const=const)

    def structure(self, t, name):
        """Laid out as C does; one without a name gets that of its typedef, or one from its place."""
        key = t.name or id(t)
        if key in self.laid:
            return self.laid[key]
        if key in self.open:
            return Type("t", -1, 1)
        node = self.structs.get(key)
        if node is None:
            return Type("t", 0, 1, ref=t.name)
        self.open.add(key)
        label = re.sub(r"_st$", "", t.name or name or "struct%d" % node.coord.line)
        members, at, align, union = [], 0, 1, isinstance(node, self.ast.Union)
        for d in node.decls:
            if getattr(d, "bitsize", None) is not None:
                label = None                            # bit fields: the structure is shown as bytes
                continue
            m = self.resolve(d.type, "%s.%s" % (label, d.name or at))
            offset = 0 if union else -(-at // m.align) * m.align
            members.append(Param(d.name or "-", self.spell(d.type), m, offset))
            at, align = max(at, offset + m.size) if union else offset + m.size, max(align, m.align)
        laid = Type("t", -(-at // align) * align, align, ref=None if union else label)
        self.laid[key] = laid
        self.open.discard(key)
        if laid.ref:
            self.shown[label] = (laid.size, members)
        return laid

    def spell(self, t):
        """The type as C writes it."""
        a, stars = self.ast, ""
        while isinstance(t, (a.PtrDecl, a.ArrayDecl)):
            stars = "*" + stars if isinstance(t, a.PtrDecl) else stars + "[%d]" % (self.number(t.dim) if t.dim is not None else 0)
            t = t.type
        if isinstance(t, a.FuncDecl):
            return "void (*)()"
        quals = "".join(q + " " for q in (getattr(t, "quals", None) or []))
        inner = t.type if isinstance(t, a.TypeDecl) else t
        word = {a.Struct: "struct ", a.Union: "union ", a.Enum: "enum "}.get(type(inner))
        base = word + (inner.name or "").strip() if word else " ".join(inner.names)
        return (quals + base + stars).strip()


# ------------------------------------------------------------------------------------------------------- what is copied

COUNT = re.compile(r"^(num|count$|n[A-Z])|[cC]ount(_out)?$|[nN]um[A-Z]")
NEVER = re.compile(r"^(args|kernelParams|extra|data)$|Values$|([pP]arams?Array|SemArray|List|_arr)$")      # parameters that are arrays, or of unknown kind
PLURAL = re.compile(r"(?<![m])s$")                                                      # "ms" is a time
SINGLE = re.compile(r"_out$|Out$")                                                      # ... where others in the call are arrays
READ = re.compile(r"(Params|[cC]onfig)$")


def choose_copies(call):
    """
    What a pointer leads to is copied where the type says enough: texts, single values that the call wrote, small structures that it
    read or wrote. Where a number of elements is passed, a pointer may lead to none of them: then only those are taken whose names say one.
    """
    counted = any(COUNT.search(p.name) for p in call.params)
    for i, p in enumerate(call.params):
        t, const = p.type.target, p.type.const
        single = not counted or COUNT.search(p.name) or SINGLE.search(p.name) or (i == 0 and not PLURAL.search(p.name))
        if p.type.cls == "s":
            p.copy = COPY_TEXT | COPY_IN
        elif p.type.cls != "p" or t is None or NEVER.search(p.name):
            continue
        elif t.cls == "t":                              # guarded: an older program may hold an older, smaller structure
            if t.ref and t.size <= (IN_BYTES if const else OUT_BYTES) and (single or READ.search(p.name)):
                p.copy = (COPY_IN if const else COPY_OUT) | COPY_GUARDED
        elif const:
            continue
        elif (t.cls, t.size) == ("i", 1):
            p.copy = COPY_TEXT | COPY_OUT if any(q.name == "len" for q in call.params) else 0
        elif t.count == 1 and t.size <= 8 and single:
            p.copy = COPY_OUT


def toolkit_table(folders):
    h = Headers(folders)
    table = Table()
    for enum, values in h.enums.items():
        for name, value in values:
            m = re.match(r"CUPTI_(RUNTIME|DRIVER)_TRACE_CBID_(\w+)$", name)
            if m and m.group(2) not in ("INVALID", "SIZE", "FORCE_INT"):
                table.names[(m.group(1)[0], value)] = m.group(2)
        if "_TRACE_CBID" not in "".join(n for n, _ in values[:1]):
            table.enums[enum] = values
    for key, name in table.names.items():
        node = h.structs.get(name + "_params_st")
        if node is None and re.sub(r"(_ptsz|_ptds)?(_v\d{4,5})?$", "", name) in h.without:
            table.calls[key] = Call(key[0], key[1], name, [], 0)
            continue
        if node is None:
            table.reasons[key] = h.reasons.get(name) or no_struct_reason(name)
            continue
        members, at, align = [], 0, 1
        for d in node.decls or []:
            t = h.resolve(d.type)
            if t.count != 1 and t.cls != "t":
                t = Type("p", 8)                        # an array as a parameter is a pointer
            at = -(-at // t.align) * t.align
            members.append(Param(d.name, h.spell(d.type), t, at))
            at, align = at + t.size, max(align, t.align)
        table.calls[key] = Call(key[0], key[1], name, members, -(-at // align) * align)
        choose_copies(table.calls[key])
    table.structs = h.shown
    version = h_version(folders)
    table.sources = ["toolkit %s: %d calls, %d with parameters known" % (version, len(table.names), len(table.calls))]
    table.version = version
    return table


def no_struct_reason(name):
    for pattern, reason in (("D3D|Direct3D|WGL|EGL|NvSci", "of an API for other systems or libraries: in no header here"),
                            ("^cu64", "64-bit form of 32-bit systems: in no header"),
                            ("GL|VDPAU", "graphics interoperation in an older form: in no header")):
        if re.search(pattern, name):
            return reason
    return "in no header of this toolkit: an older one may have it"


def h_version(folders):
    for f in folders:
        path = os.path.join(f, "cuda.h")
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as text:
                m = re.search(r"#define\s+CUDA_VERSION\s+(\d+)", text.read())
            if m:
                return "%d.%d" % (int(m.group(1)) // 1000, int(m.group(1)) % 1000 // 10)
    return "unknown"


def find_toolkits():
    """[[include folders]], newest first: $GPUTAP_CUDA_TOOLKIT alone when set; else $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, pip's packages."""
    named = [p for p in os.environ.get("GPUTAP_CUDA_TOOLKIT", "").split(":") if p]
    roots = named or [os.environ[v] for v in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(v)] + sorted(glob.glob("/usr/local/cuda*")) + ["/usr/lib/cuda"]
    sites = named or [p + "/nvidia" for p in (site.getsitepackages() + [site.getusersitepackages()] + [p for p in sys.path if p.endswith("-packages")])]
    found = {}
    for root in roots:
        add_toolkit(found, [root + "/include", root + "/extras/CUPTI/include", root + "/targets/x86_64-linux/include",
                            root + "/targets/sbsa-linux/include", root])
    for base in dict.fromkeys(sites):
        for whole in sorted(glob.glob(base + "/cu[0-9]*/include")):
            add_toolkit(found, [whole])
        add_toolkit(found, [base + "/cuda_runtime/include", base + "/cuda_cupti/include"])
    return sorted(found.values(), key=lambda f: ([int(n) for n in re.findall(r"\d+", h_version(f))], f), reverse=True)


def add_toolkit(found, folders):
    folders = [os.path.realpath(f) for f in folders if os.path.isdir(f)]
    if all(any(os.path.exists(os.path.join(f, n)) for f in folders) for n in MAIN):
        found.setdefault(tuple(dict.fromkeys(folders))[0], list(dict.fromkeys(folders)))


# ---------------------------------------------------------------------------------------------------- our own words

def calls_text():
    if CALLS is not None:
        return CALLS
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda_calls.def"), encoding="utf-8") as f:
        return f.read()


def revision():
    if REVISION is not None:
        return REVISION
    with open(os.path.abspath(__file__), "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:12]


class Own:
    """api/cuda_calls.def."""

    def __init__(self, text):
        self.table, self.types = Table(), {}
        self.table.sources = ["gputap: the calls that nearly every program makes"]
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#", 1)[0].strip()
            try:
                if line:
                    self.line(line)
            except (ValueError, KeyError, AttributeError) as e:
                raise Problem("cuda_calls.def:%d: %s: %s" % (number, e, line))

    def line(self, line):
        word = line.split()
        if word[0] == "type":
            cls, size, ref = word[2], int(word[3]), word[4] if len(word) > 4 else None
            for name in word[1].split("|"):
                self.types[name] = Type(cls, size, ref=ref)
        elif word[0] == "enum":
            self.types[word[1]] = Type("e", 4, ref=word[1])
            self.table.enums[word[1]] = [(n, int(v, 0)) for n, v in (w.split("=") for w in word[2:])]
        elif word[0] == "struct":
            m = re.match(r"struct (\w+) \{(.*)\}$", line)
            size, align, members = self.layout(m.group(2))
            self.types[m.group(1)] = Type("t", size, align, ref=m.group(1))
            self.table.structs[m.group(1)] = (size, members)
        else:
            m = re.match(r"([RD]) +(\d+) +(\w+)\((.*)\)$", line)
            size, _, params = self.layout(m.group(4))
            call = Call(m.group(1), int(m.group(2)), m.group(3), params, size)
            self.table.calls[call.key()] = call

    def layout(self, text):
        at, align, members = 0, 1, []
        for piece in filter(None, (p.strip() for p in text.split(","))):
            words = piece.split()
            flags, words = [w for w in words if w in ("in", "out", "text", "guarded")], [w for w in words if w not in ("in", "out", "text", "guarded")]
            t = Type("p", 8, target=self.types["char"]) if words[0] == "char*" and "out" in flags else self.type(words[0])
            at = -(-at // t.align) * t.align
            p = Param(words[1], words[0], t, at)
            p.copy = sum({"in": COPY_IN, "out": COPY_OUT, "text": COPY_TEXT, "guarded": COPY_GUARDED}[f] for f in flags)
            p.copy |= COPY_TEXT | COPY_IN if t.cls == "s" else 0
            members.append(p)
            at, align = at + t.size, max(align, t.align)
        return -(-at // align) * align, align, members

    def type(self, name):
        if name.endswith("*"):
            if name in self.types:
                return self.types[name]
            return Type("p", 8, target=self.type(name[:-1]))
        return self.types[name]


def apply_own(table, own):
    """What the list of our own says is copied is right; a call that the toolkits do not have is taken from it."""
    for key, mine in own.table.calls.items():
        call = table.calls.get(key)
        if not call or call.bytes != mine.bytes or [p.offset for p in call.params] != [p.offset for p in mine.params]:
            table.calls.setdefault(key, mine)
            continue
        for p, q in zip(call.params, mine.params):
            if q.copy or q.type.target:
                p.copy = q.copy
    for name, values in own.table.enums.items():
        table.enums.setdefault(name, values)
    for name, value in own.table.structs.items():
        table.structs.setdefault(name, value)
    table.sources += own.table.sources


# ------------------------------------------------------------------------------------------------------------- output

def write(path, data):
    """All or nothing; unchanged files keep their time."""
    data = data.encode() if isinstance(data, str) else data
    if os.path.exists(path):
        with open(path, "rb") as f:
            if f.read() == data:
                return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    new = "%s.%d" % (path, os.getpid())
    with open(new, "wb") as f:
        f.write(data)
    os.rename(new, path)


def c_bytes(name, data, comment):
    rows = ["\t" + ",".join(str(b) for b in data[i:i + 40]) + "," for i in range(0, len(data), 40)]
    return "/* %s */\n#define %s_BYTES %d\nstatic const unsigned char %s[%d] __attribute__((aligned(8))) = {\n%s\n};\n" % (
        comment, name.upper(), len(data), name, len(data) + 1, "\n".join(rows) + "\n\t0")


def write_own(folder):
    table = Own(calls_text()).table
    with open(os.path.abspath(__file__), encoding="utf-8") as f:
        script = f.read()
    script = script.replace("\nREVISION = None", "\nREVISION = %r" % revision(), 1).replace("\nCALLS = None", "\nCALLS = %r" % calls_text(), 1)
    comment = "made by api/cuda_generate.py of api/cuda_calls.def"
    write(os.path.join(folder, "cuda_capture_own.h"), c_bytes("cuda_capture_own", table.capture(), comment))
    write(os.path.join(folder, "cuda_args_own.h"), c_bytes("cuda_args_own", table.text().encode(), comment))
    write(os.path.join(folder, "cuda_generator.h"), c_bytes("cuda_generator", script.encode(), "api/cuda_generate.py itself, with api/cuda_calls.def in it"))


def make(toolkits):
    tables, problems = [], []
    for folders in toolkits:
        try:
            tables.append(toolkit_table(folders))
        except Problem as e:
            problems.append(str(e))
        except Exception as e:          # headers of a future toolkit: the others serve, or the list of our own
            problems.append("the headers in %s are not understood: %s" % (folders[0], type(e).__name__))
    if not tables:
        raise Problem(problems[0])
    for older in tables[1:]:
        tables[0].merge(older)
    apply_own(tables[0], Own(calls_text()))
    return tables[0]


def write_cache(folder):
    """Path of the table of the toolkits that are here now."""
    toolkits = find_toolkits()
    if not toolkits:
        raise Problem("no CUDA toolkit with CUPTI's headers (GPUTAP_CUDA_TOOLKIT, CUDA_HOME, CUDA_PATH, /usr/local/cuda*, pip's nvidia packages)")
    key = hashlib.sha256((revision() + calls_text()).encode())
    for folders in toolkits:
        for path in sorted(p for f in folders for n in MAIN + OPTIONAL for p in [os.path.join(f, n)] if os.path.exists(p)):
            key.update(("%s %d %d\n" % (path, os.stat(path).st_size, os.stat(path).st_mtime_ns)).encode())
    path = os.path.join(folder, "cuda-args-%s-%s" % (h_version(toolkits[0]), key.hexdigest()[:12]))
    if not os.path.exists(path):
        table = make(toolkits)
        write(path + ".capture", table.capture())
        write(path, table.text())
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--own", metavar="DIR")
    parser.add_argument("--cache", metavar="DIR")
    parser.add_argument("--include", metavar="DIRS", action="append", default=[])
    parser.add_argument("--out", metavar="FILE")
    parser.add_argument("--capture", metavar="FILE")
    parser.add_argument("--list-unknown", action="store_true", help="callback ids without a structure, and why")
    args = parser.parse_args()
    try:
        if args.own:
            write_own(args.own)
        elif args.cache:
            print(write_cache(args.cache))
        else:
            toolkits = [f.split(":") for f in args.include] or find_toolkits()
            if not toolkits:
                raise Problem("no CUDA toolkit")
            table = make(toolkits)
            if args.out:
                write(args.out, table.text())
            if args.capture:
                write(args.capture, table.capture())
            for key, reason in sorted(table.reasons.items()) if args.list_unknown else []:
                print("%s %d %s: %s" % (key[0], key[1], table.names[key], reason))
    except Problem as e:
        print("cuda_generate: %s" % e, file=sys.stderr)
        return 5
    return 0


if __name__ == "__main__":
    sys.exit(main())
