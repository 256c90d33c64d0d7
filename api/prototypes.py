"""api/prototypes.py - C prototypes as text, taken apart: of our own tables and of headers that they are compared with

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re


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
