"""api/headers.py - what the Khronos headers say: functions, types, structs, enum values

Reads the installed headers as text, with the standard library alone. Prototypes come from `extern CL_API_ENTRY`
declarations, or from `NAME_fn` types where a header has only those. Enum values are grouped by the comment above
them ("/* cl_device_info */"), which is how these headers say what belongs together.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

HEADERS = ("cl.h", "cl_egl.h", "cl_gl.h", "cl_ext.h", "cl_va_api_media_sharing_intel.h")


class Param:
    """One parameter. text: the type as its header writes it; type: the same with one way of blanks; c_decl: how C declares it."""

    def __init__(self, type_text, name, callback=None, text=None):
        self.type = type_text
        self.text = text or type_text
        self.name = name
        self.callback = callback        # (return type, [Param]) of a function pointer

    def c_decl(self):
        if self.callback is not None:
            ret, params = self.callback
            return "%s (CL_CALLBACK *%s)(%s)" % (ret, self.name, ", ".join(p.c_decl() for p in params) or "void")
        if self.type.endswith("[]"):
            return "%s%s[]" % (self.type[:-2], self.name)
        return "%s%s%s" % (self.type, "" if self.type.endswith("*") else " ", self.name)


class Function:
    def __init__(self, name, ret, params, header):
        self.name, self.ret, self.params, self.header = name, ret, params, header


def split_commas(text):
    """Split at the commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


def tidy_type(text):
    """`const size_t*` and `const size_t  *` are one type: a blank before the stars, none between them."""
    text = " ".join(text.split())
    text = re.sub(r"\s*\*\s*", "*", text)
    return re.sub(r"([^*\s])\*", r"\1 *", text)


def parse_param(text, index):
    text = " ".join(text.split())
    m = re.match(r"(.*?)\(\s*(?:CL_CALLBACK)?\s*\*\s*(\w*)\s*\)\s*\((.*)\)$", text)
    if m:
        params = [] if m.group(3).strip() in ("", "void") else [parse_param(p, i) for i, p in enumerate(split_commas(m.group(3)))]
        ret = tidy_type(m.group(1))
        # The parameter types of a callback stay out of its one-word form: no format prints them.
        return Param("%s (CL_CALLBACK *)(%s)" % (ret, ", ".join(p.type for p in params)), m.group(2), (ret, params))
    m = re.match(r"(.*[\s*])(\w+)\s*(\[\s*\])?$", text)
    if not m or m.group(2) in ("void", "char"):
        return Param(tidy_type(text), "arg%d" % index)
    array = "[]" if m.group(3) else ""
    return Param(tidy_type(m.group(1)) + array, m.group(2), text=m.group(1).strip() + array)


def make_function(name, ret, params, header):
    ret = tidy_type(re.sub(r"\bCL_\w*PREFIX\w*", "", ret))
    params = " ".join(params.split())
    parsed = [] if params in ("", "void") else [parse_param(p, i) for i, p in enumerate(split_commas(params))]
    return Function(name, ret, parsed, header)


def strip_code(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//.*", "", text)
    return re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M)


class Headers:
    def __init__(self, folder):
        self.folder = folder
        self.functions = {}
        self.typedefs = {}              # name -> what it stands for, one step
        self.handles = set()            # pointers to opaque structs
        self.structs = {}               # name -> [(type, field, array length)]
        self.defines = {}               # name -> text
        self.comment_of = {}            # define -> comment text above it
        self.exported_names = []        # members of the loader's dispatch table, in its order
        texts = {}
        for name in HEADERS:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as f:
                texts[name] = f.read()
        for name in HEADERS:
            self._read_types(strip_code(texts[name]))
            self._read_functions(strip_code(texts[name]), name)
            self._read_defines(texts[name])
        with open(os.path.join(folder, "cl_icd.h"), encoding="utf-8", errors="replace") as f:
            self._read_dispatch(f.read())

    def _read_functions(self, code, header):
        for ret, name, params in re.findall(
                r"extern\s+CL_API_ENTRY\s+(.*?)\s*\bCL_API_CALL\s+(cl\w+)\s*\((.*?)\)\s*(?:CL_\w+|;)", code, flags=re.S):
            self.functions.setdefault(name, make_function(name, ret, params, header))
        for ret, name, params in re.findall(
                r"typedef\s+(?:CL_API_ENTRY\s+)?([^;{}]*?)\s*\(\s*CL_API_CALL\s*\*\s*(cl\w+)_fn\s*\)\s*\((.*?)\)\s*(?:CL_\w+\s*)*;",
                code, flags=re.S):
            self.functions.setdefault(name, make_function(name, ret, params, header))

    def _read_types(self, code):
        for body, name in re.findall(r"typedef\s+struct\s*\w*\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*(\w+)\s*;", code):
            # An anonymous union of names for one handle (cl_image_desc): its first name stands for it.
            body = re.sub(r"(?:__extension__\s*)?union\s*\{\s*([^;]*;)[^}]*\}\s*;", r"\1", body)
            fields = []
            for field in body.split(";"):
                m = re.match(r"\s*(.*[\s*])(\w+)\s*(?:\[\s*(\w+)\s*\])?\s*$", field, flags=re.S)
                if m:
                    fields.append((tidy_type(m.group(1)), m.group(2), m.group(3)))
            self.structs[name] = fields
        for target, name in re.findall(r"typedef\s+([^;{}()]*[\s*])(\w+)\s*;", code):
            target = tidy_type(target)
            if re.match(r"struct \w+ \*$", target):
                self.handles.add(name)
            elif name != target:
                self.typedefs.setdefault(name, target)

    def _read_defines(self, text):
        comment = ""
        for line in re.sub(r"\\\n", " ", text).split("\n"):
            m = re.match(r"\s*#\s*define\s+(CL_\w+)\s+(.+?)\s*(?:/[*/].*)?$", line)
            if m:
                if m.group(1) not in self.defines:
                    self.defines[m.group(1)] = m.group(2)
                    self.comment_of[m.group(1)] = comment
                continue
            m = re.match(r"\s*/\*+\s*(.*?)\s*\*/", line)
            if m and m.group(1).strip("*/ "):
                comment = m.group(1)
            elif re.match(r"\s*/?\*+\s*cl_\w+", line):
                comment = ""            # an extension's title: what was said above ends here

    def _read_dispatch(self, text):
        body = re.search(r"typedef struct _cl_icd_dispatch \{(.*?)\} cl_icd_dispatch", text, flags=re.S).group(1)
        body = re.sub(r"/\*.*?\*/", " ", body, flags=re.S)
        # Members that exist on Windows alone are void pointers here: cl_icd.h declares their types so.
        self.exported_names = re.findall(r"^\s*\w[\w\s*]*?\**(cl\w+)\s*;", body, flags=re.M)

    def value(self, name, depth=0):
        """The integer a define stands for, or None."""
        text = self.defines.get(name)
        return None if text is None or depth > 8 else self._eval(text, depth)

    def _eval(self, text, depth):
        text = re.sub(r"\(\s*(?:cl_\w+|size_t|int|unsigned)\s*\)", "", text)
        text = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)

        def name_value(m):
            v = self.value(m.group(0), depth + 1)
            return "None" if v is None else "(%d)" % v
        text = re.sub(r"\bCL_\w+", name_value, text)
        if not re.fullmatch(r"[\s0-9a-fA-FxX()<>|+~-]*", text) or not text.strip():
            return None
        try:
            v = eval(text, {"__builtins__": {}})   # numbers and operators only: the line above saw to it
        except (SyntaxError, TypeError):
            return None
        return v if isinstance(v, int) else None
