"""api/declarations.py - OpenCL as our own tables declare it: opencl.api, opencl_types.api, opencl_values.api, opencl_dispatch.api

These are facts of the interface, written down here, so that a build needs no header of anybody. What the tables may say is
explained at the top of each.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import re

from prototypes import make_function, tidy_type

HERE = os.path.dirname(os.path.abspath(__file__))


class DeclarationError(Exception):
    """A table cannot be read; the text says where."""


def lines_of(name, folder=HERE):
    """[(number, indented, text)] of a table, without comments and empty lines."""
    out = []
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            text = line.split("#", 1)[0].rstrip()
            if text.strip():
                out.append((number, text[0] in " \t", text.strip()))
    return out


class Declarations:
    def __init__(self, folder=HERE):
        self.folder = folder
        self.functions = {}             # name -> Function
        self.attributes = {}            # name -> [kind, attribute...]
        self.handles = {}               # name -> the structure that it points to
        self.typedefs = {}              # name -> what it stands for, one step
        self.structs = {}               # name -> [(type, field, count or None)]
        self.groups = {}                # group -> {constant: value}
        self.flags = set()              # groups whose values are or-ed together
        self.constants = {}             # constant -> (value, as the table writes it)
        self.dispatch = []              # members of the loader's dispatch table, in its order
        self._read_types()
        self._read_values()
        self._read_functions()
        self.dispatch = [text for _, _, text in lines_of("opencl_dispatch.api", folder)]

    def _bad(self, table, number, what):
        raise DeclarationError("api/%s:%d: %s" % (table, number, what))

    def _read_functions(self):
        name = None
        for number, indented, text in lines_of("opencl.api", self.folder):
            if indented:
                if name is None:
                    self._bad("opencl.api", number, "attributes without a prototype above them")
                self.attributes[name] = text.split()
                name = None
                continue
            if name is not None:
                self._bad("opencl.api", number - 1, "`%s` has no line of its kind and attributes" % name)
            m = re.match(r"(.*?)(cl\w+)\((.*)\)$", text)
            if not m:
                self._bad("opencl.api", number, "no prototype: `%s`" % text)
            name = m.group(2)
            if name in self.functions:
                self._bad("opencl.api", number, "a second `%s`" % name)
            self.functions[name] = make_function(name, m.group(1), m.group(3), "opencl.api")

    def _read_types(self):
        fields = None
        for number, indented, text in lines_of("opencl_types.api", self.folder):
            if indented:
                m = re.match(r"(.*[\s*])(\w+)(?:\[(\w+)\])?$", text)
                if fields is None or not m:
                    self._bad("opencl_types.api", number, "no field of a structure: `%s`" % text)
                fields.append((tidy_type(m.group(1)), m.group(2), m.group(3)))
                continue
            words, fields = text.split(None, 2), None
            if words[0] == "handle" and len(words) == 3:
                self.handles[words[1]] = words[2]
            elif words[0] == "type" and len(words) == 3:
                self.typedefs[words[1]] = tidy_type(words[2])
            elif words[0] == "struct" and len(words) == 2:
                fields = self.structs[words[1]] = []
            else:
                self._bad("opencl_types.api", number, "neither handle, type nor struct: `%s`" % text)

    def _read_values(self):
        group = None
        for number, indented, text in lines_of("opencl_values.api", self.folder):
            words = text.split()
            again = not indented and len(words) == 3 and words[2] == "again"
            if (len(words) != 2 and not again) or (not indented and words[0] not in ("enum", "flags")):
                self._bad("opencl_values.api", number, "neither a group nor NAME VALUE: `%s`" % text)
            if not indented:
                group, renumbered = self.groups.setdefault(words[1], {}), again
                if words[0] == "flags":
                    self.flags.add(words[1])
                continue
            value = int(words[1], 0)
            if group is None or (not renumbered and self.constants.get(words[0], (value,))[0] != value):
                self._bad("opencl_values.api", number, "`%s` has no group, or another value elsewhere" % words[0])
            group[words[0]] = value
            self.constants.setdefault(words[0], (value, words[1]))

    def value(self, name):
        """The number of a constant, or None."""
        return self.constants[name][0] if name in self.constants else None
