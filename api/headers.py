"""api/headers.py - what installed Khronos headers say: functions, types, structs, values

A build needs none of them: a test compares them with our own tables (tests/unit/test_headers.py). Read as text, with the
standard library alone. Prototypes come from `extern CL_API_ENTRY`
declarations, or from `NAME_fn` types where a header has only those. Enum values are grouped by the comment above
them ("/* cl_device_info */"), which is how these headers say what belongs together.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

from prototypes import make_function, tidy_type

HEADERS = ("cl.h", "cl_egl.h", "cl_gl.h", "cl_ext.h", "cl_va_api_media_sharing_intel.h")


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

    def extension_version(self, extension):
        """(major, minor, patch) that the headers name since 2024, or None."""
        text = self.defines.get(extension.upper() + "_EXTENSION_VERSION", "")
        m = re.match(r"CL_MAKE_VERSION\((\d+), (\d+), (\d+)\)$", text)
        return tuple(map(int, m.groups())) if m else None

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
