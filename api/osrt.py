"""api/osrt.py - from api/osrt.api the wrappers of libgputap-osrt.so, its table of functions and its version script

The language of the lines is explained at the top of api/osrt.api; interpose/osrt/osrt.h says what a wrapper does.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import errno
import os
import re

import prototypes
import table
from wrappers import HEAD

DOMAIN_OSRT, FIRST_OSRT = 6, 0x4000
KINDS = ("call", "sync", "lock", "wake", "unlock", "reads", "writes", "own")
FAILS = {"-1": "OSRT_FAILS_ERRNO", "NULL": "OSRT_FAILS_NULL", "map": "OSRT_FAILS_ERRNO", "code": "OSRT_FAILS_CODE",
         "never": "OSRT_FAILS_NEVER"}
# C type -> (class, bytes); pointers apart
TYPES = {"int": ("i32", 4), "unsigned int": ("u32", 4), "long": ("i64", 8), "unsigned long": ("u64", 8), "size_t": ("size", 8),
         "ssize_t": ("i64", 8)}
TEXT = "const char *"
LIMIT_TEXT = 24576
SLOT_ARGS = 4           # arguments that a slot holds, for a call that does not come back


class Function:
    """One line: a name that is exported, unless it is reached by syscall() alone."""

    def __init__(self, prototype, words):
        self.name, self.ret, self.params = prototype.name, prototype.ret, prototype.params
        kind, _, self.how = words[0].partition(":")
        if kind not in KINDS:
            raise table.ApiError("api/osrt.api: %s: `%s` is no kind" % (self.name, words[0]))
        self.kind, self.fails, self.alias, self.version, self.old, self.alone = kind, "-1", None, None, None, None
        self.named = len(self.params)   # those in front of "..."
        self.syscall = self.cancel = False
        for word in words[1:]:
            what, _, value = word.partition(":")
            if what == "fails" and value in FAILS:
                self.fails = value
            elif what == "as":
                self.alias = value
            elif what == "variadic":
                self.named = int(value)
            elif what == "version":
                self.version = value
            elif what == "old":
                self.old = value
            elif what == "alone":
                self.alone = value
            elif word in ("syscall", "cancel"):
                setattr(self, word, True)
            elif word != "extra":
                raise table.ApiError("api/osrt.api: %s: `%s` is no attribute" % (self.name, word))
        self.entry = None               # table.Fn, of the name that it is recorded as


def read(path):
    functions = []
    with open(path, encoding="utf-8") as f:
        lines = [line.split("#", 1)[0].rstrip() for line in f]
    lines = [line for line in lines if line]
    for head, words in zip(lines[::2], lines[1::2]):
        m = re.match(r"(\S.*?[\s*])(\w+)\((.*)\)$", head)
        if not m or not words.startswith("\t"):
            raise table.ApiError("api/osrt.api: cannot read `%s`" % head)
        functions.append(Function(prototypes.make_function(m.group(2), m.group(1), m.group(3), None), words.split()))
    return functions


def argument(param):
    a = table.Arg(param)
    if param.type == TEXT:
        a.value, a.bytes, a.copy, a.elem, a.elem_bytes, a.limit = "pointer", 8, "string", "char", 1, LIMIT_TEXT
    elif param.type.endswith("*"):
        a.value, a.bytes = "pointer", 8
    elif param.type in TYPES:
        a.value, a.bytes = TYPES[param.type]
    else:
        raise table.ApiError("api/osrt.api: unknown type `%s`" % param.type)
    return a


def entry(function, number):
    """What the trace's table says of it. What comes back lies behind the arguments, so that the result can be the error."""
    fn = table.Fn(function.name, function.ret, [argument(p) for p in function.params])
    fn.domain, fn.kind, fn.id = DOMAIN_OSRT, "syscall" if function.syscall else "state", FIRST_OSRT + number
    table.layout(fn)
    if function.fails == "code":
        fn.ret = "i32"
    elif function.ret != "void":
        fn.ret = "pointer" if function.ret.endswith("*") else TYPES[function.ret][0]
        fn.ret_position, fn.fixed_words = 2 * (fn.fixed_words + 1), fn.fixed_words + 1
    return fn


def describe(path):
    functions = read(path)
    entries = {}
    for f in functions:
        if f.alias is None:
            entries[f.name] = entry(f, len(entries))
    for f in functions:
        f.entry = entries.get(f.alias or f.name)
        if f.entry is None:
            raise table.ApiError("api/osrt.api: %s: there is no `%s`" % (f.name, f.alias))
    return functions


# ------------------------------------------------------------------ C

def c_text(lines):
    return "\n".join("\t\"%s\\n\"" % line.replace("\t", "\\t") for line in lines)


def always(f):
    """Whether it is recorded whatever its duration."""
    return "true" if f.kind in ("wake", "unlock", "own") else "false"


def facts(f):
    """One struct osrt_function: places in halves behind the duration word (api/README.md)."""
    fn = f.entry
    args = ", ".join("{ %d, %d, %s }" % (a.position, a.bytes, "true" if a.copy == "string" else "false") for a in fn.args)
    return ("\t[OSRT_%s] = { .fails = %s, .always = %s, .n = %d, .words = %d, .ret_at = %d,\n\t\t.arg = { %s } },"
            % (f.name, FAILS[f.fails], always(f), len(fn.args), fn.fixed_words, fn.ret_position, args or "{ 0 }"))


def names(f):
    return ", ".join(p.name for p in f.params)


def passed(f):
    """The arguments as the entry has them: a fortified twin's have another one among them."""
    if f.alias is None:
        return ["(uint64_t)%s" % p.name if i < f.named else "osrt_mode(flags, mode)" if p.name == "mode" else "0"
                for i, p in enumerate(f.params)]
    own = {p.name for p in f.params}
    return ["(uint64_t)%s" % a.name if a.name in own else "0" for a in f.entry.args]


def recorded(f, call, symbol):
    """The real call between two stamps."""
    arguments = passed(f)
    arguments += ["0"] * (SLOT_ARGS - len(arguments))
    out = ["\tOSRT_CALL(call, OSRT_%s, %s);\n" % (symbol, ", ".join(arguments)),
           "\t%s%s(%s);\n" % ("" if f.ret == "void" else "%s ret = " % f.ret, call, names(f)),
           "\tosrt_end(&call, %s, %s, %s);" % (FAILS[f.fails], always(f), "0" if f.ret == "void" else "(long)ret")]
    return out + ([] if f.ret == "void" else ["\treturn ret;"])


def first_look(f, call):
    """What a look decides, without a record: most calls of these kinds end here, so nothing else is done for them."""
    out, arguments = [], names(f)
    if f.kind in ("reads", "writes"):
        out.append("\tif (osrt_file_%s(%s))\n\t\treturn %s(%s);" % (f.kind, f.params[-1].name, call, arguments))
    if f.kind == "unlock":
        out.append("\tif (!osrt_%s_contended(%s))\n\t\treturn %s(%s);" % (f.how, f.params[0].name, call, arguments))
    if f.kind == "lock":
        if f.alone:
            out.append("\tif (osrt_%s_alone(%s))\n\t\treturn %s(%s);" % (f.alone, f.params[0].name, call, arguments))
        if f.cancel:
            out.append("\tosrt_cancellation_point();")
        give = "return%s;" % ("" if f.ret == "void" else " 0")
        out.append("\tint tried = osrt_try_%s(osrt_real_of(OSRT_%s), %s);\n" % (
            "errno" if f.fails == "-1" else "code", f.how, f.params[0].name))
        out.append("\tif (!tried)\n\t\t%s" % give)
        if f.fails == "code":
            out.append("\tif (tried != EBUSY)\n\t\treturn tried;")
    return out


def wrapper(f, suffix="", version=None):
    """suffix: of an older version's wrapper, exported by the version script."""
    params = ", ".join(p.c_decl() for p in f.params) or "void"
    name = "osrt_%s%s" % (f.name, suffix)
    types = ", ".join(p.type for p in f.params) or "void"
    index = "OSRT_%s%s" % (f.name, suffix)
    out = ["/* %s%s */" % (f.name, "@" + version if version else "")]
    if not suffix and not f.old:
        out.append("OSRT_EXPORT %s %s(%s) __asm__(\"%s\");" % (f.ret, name, params, f.name))
    elif suffix:
        out.append("#if OSRT_VERSIONS\nOSRT_EXPORT %s %s(%s);\n__asm__(\".symver %s, %s@%s\");" % (
            f.ret, name, params, name, f.name, f.old))
    else:
        out.append("#if OSRT_VERSIONS\nOSRT_EXPORT %s %s(%s);\n__asm__(\".symver %s, %s@@%s\");\n#else" % (
            f.ret, name, params, name, f.name, f.version))
        out.append("OSRT_EXPORT %s %s(%s) __asm__(\"%s\");\n#endif" % (f.ret, name, params, f.name))
    call = "((%s (*)(%s))osrt_real_of(%s))" % (f.ret, types, index)
    look, whole = first_look(f, call), recorded(f, call, f.alias or f.name)
    if look:
        out[1:1] = ["OSRT_APART %s %s_recorded(%s)" % (f.ret, name, params), "{"] + whole + ["}", ""]
        whole = look + ["\t%s%s_recorded(%s);" % ("" if f.ret == "void" else "return ", name, names(f))]
    out += ["%s %s(%s)" % (f.ret, name, params), "{"] + whole + ["}"]
    return out + ["#endif", ""] if suffix else out + [""]


def exported(functions):
    return [f for f in functions if not f.syscall]


def osrt_h(functions):
    out = [HEAD % ("osrt_functions.h", "the functions of the C library by number"),
           "#ifndef GPUTAP_GEN_OSRT_FUNCTIONS_H", "#define GPUTAP_GEN_OSRT_FUNCTIONS_H", "",
           "/* Those of which facts are stored first, then further names and versions of them. */", "enum osrt_index {"]
    out += ["\tOSRT_%s," % f.name for f in functions if f.alias is None]
    out += ["\tOSRT_RECORDED,", "\tOSRT_FURTHER_ = OSRT_RECORDED - 1,"]
    out += ["\tOSRT_%s," % f.name for f in functions if f.alias is not None]
    out += ["\tOSRT_%s_old," % f.name for f in functions if f.old]
    return "\n".join(out + ["\tOSRT_COUNT", "};", "", "enum { OSRT_FIRST_FN = 0x%04x };" % FIRST_OSRT, "", "#endif", ""])


def osrt_table(functions):
    recorded = [f for f in functions if f.alias is None]
    lines = ["D\t%d\tosrt" % DOMAIN_OSRT, "E\terrno\tenum"]
    lines += ["V\t%d\t%s" % (value, name) for value, name in sorted(errno.errorcode.items())]
    for f in recorded:
        lines += table.function_lines(f.entry)
    out = [HEAD % ("osrt_table.c", "what the trace and the wrappers know of each function"), "#include \"interpose/osrt/osrt.h\"", "",
           "const struct osrt_function osrt_functions[OSRT_RECORDED] = {"]
    out += [facts(f) for f in recorded] + ["};", "", "const struct osrt_symbol osrt_symbols[OSRT_COUNT] = {"]
    for f in exported(functions):
        out.append("\t[OSRT_%s] = { \"%s\", %s }," % (f.name, f.name, "\"%s\"" % f.version if f.version else "NULL"))
        if f.old:
            out.append("\t[OSRT_%s_old] = { \"%s\", \"%s\" }," % (f.name, f.name, f.old))
    out += ["};", "", "/* By the number of the system call, for syscall(). */", "int osrt_index_of_syscall(long number)", "{",
            "\tswitch (number) {"]
    for f in recorded:
        if f.name == "vfork":
            continue                    # no C function can stand between it and its caller
        out.append("#ifdef SYS_%s\n\tcase SYS_%s:\n\t\treturn OSRT_%s;\n#endif" % (f.name, f.name, f.name))
    out += ["\tdefault:", "\t\treturn -1;", "\t}", "}", "", "static const char functions[] =", c_text(lines) + ";", "",
            "struct gputap_thin osrt_thin = GPUTAP_THIN(\"libgputap-osrt.so\", REC_DOMAIN_OSRT, REC_ASK_OSRT, functions);", ""]
    return "\n".join(out)


def osrt_wrappers(functions):
    out = [HEAD % ("osrt_wrappers.c", "what programs call in place of the C library's functions"), "#include <errno.h>", "",
           "#include \"interpose/osrt/osrt.h\"", ""]
    for f in exported(functions):
        if f.kind == "own":
            continue
        out += wrapper(f)
        if f.old:
            out += wrapper(f, "_old", f.old)
    return "\n".join(out)


def osrt_map(functions):
    """Only names with two versions have one here: a reference with any version binds to a name without one."""
    versions = {}
    for f in functions:
        if f.old:
            versions.setdefault(f.version, []).append(f.name)
            versions.setdefault(f.old, []).append(f.name)
    head = (HEAD % ("osrt.map", "versions of the functions that have two")).rstrip()
    nodes = ["%s { global: %s; };" % (v, "; ".join(sorted(names))) for v, names in sorted(versions.items())]
    return "\n".join([head] + nodes) + "\n"


def files(folder):
    functions = describe(os.path.join(folder, "osrt.api"))
    return {"osrt_functions.h": osrt_h(functions), "osrt_table.c": osrt_table(functions),
            "osrt_wrappers.c": osrt_wrappers(functions), "osrt.map": osrt_map(functions)}
