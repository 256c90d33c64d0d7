"""api/table.py - the functions as the trace's table tells them: values, groups, where each argument lies

describe() joins prototypes and attributes into Fn objects; layout() gives every argument its place and every copy its
order. Both the table text and the C of the wrappers are made from these, so that writer and reader cannot differ.
The language of the .api lines is explained at the top of api/opencl.api, the text of the table in api/README.md.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re

DOMAIN_OPENCL, DOMAIN_HSA = 1, 5
FIRST_OPENCL, FIRST_CALLBACK, FIRST_HSA = 0x0400, 0x0b00, 0x0c00

OBJECTS = {"cl_platform_id": 1, "cl_device_id": 2, "cl_context": 3, "cl_command_queue": 4, "cl_mem": 5, "cl_program": 6,
           "cl_kernel": 7, "cl_sampler": 8, "cl_event": 9, "cl_command_buffer_khr": 10, "cl_semaphore_khr": 12}

SCALARS = {"cl_char": ("i8", 1), "cl_uchar": ("u8", 1), "cl_short": ("i16", 2), "cl_ushort": ("u16", 2), "cl_int": ("i32", 4),
           "cl_uint": ("u32", 4), "cl_long": ("i64", 8), "cl_ulong": ("u64", 8), "size_t": ("size", 8), "cl_float": ("f32", 4),
           "cl_double": ("f64", 8), "float": ("f32", 4), "int": ("i32", 4), "unsigned int": ("u32", 4), "char": ("char", 1),
           "unsigned char": ("byte", 1), "void": ("byte", 1), "intptr_t": ("i64", 8), "cl_bitfield": ("flags", 8),
           "cl_properties": ("u64", 8), "cl_GLint": ("i32", 4), "cl_GLuint": ("u32", 4), "cl_GLenum": ("u32", 4),
           "VASurfaceID": ("u32", 4), "uint32_t": ("u32", 4), "uint64_t": ("u64", 8)}

# Bytes of a copy at most: what its length is where that is fixed, else none of the table's (--max-args cuts it, and then the record says where).
NO_LIMIT = 0
# Info queries whose answers may be what --sources and --binaries are about.
CONTENT_QUERIES = ("cl_program_info", "cl_program_build_info")
ERROR_GROUPS = ("cl_error", "cl_execution_status")


class ApiError(Exception):
    """The description is wrong; the text says where and what to write."""


# ------------------------------------------------------------------ enum groups

class Groups:
    """Enum and flag groups: name -> {symbol: value} in the table's order. `none` is no group."""

    def __init__(self, declarations):
        self.values = {g: v for g, v in declarations.groups.items() if g != "none"}
        self.flags = declarations.flags


# ------------------------------------------------------------------ types

class Types:
    def __init__(self, declarations, groups):
        self.declared, self.groups = declarations, groups

    def scalar(self, name):
        """(class, bytes, group, object) of a type without stars."""
        name = re.sub(r"\bconst\b", "", name).strip()
        group = None
        seen = name
        while True:
            if seen in self.declared.handles:
                return "handle", 8, None, OBJECTS.get(seen, 0)
            if seen == "cl_bool":
                return "bool", 4, "cl_bool", 0
            if group is None and seen in self.groups.values:
                group = seen
            if seen == "cl_bitfield":
                return ("flags" if group else "u64"), 8, group, 0
            if seen in SCALARS:
                kind, size = SCALARS[seen]
                if group and kind in ("u32", "i32"):
                    kind = "enum"
                return kind, size, group, 0
            if seen in self.declared.structs:
                return "struct", self.struct_layout(seen)[0], seen, 0
            target = self.declared.typedefs.get(seen)
            if target is None:
                raise ApiError("unknown type `%s`" % name)
            if target.endswith("*"):
                return "pointer", 8, None, 0
            seen = target

    def struct_layout(self, name):
        """(bytes, [(field, offset, class, bytes, group)])"""
        at, align, fields = 0, 1, []
        for kind, field, length in self.declared.structs[name]:
            n = 1
            if length is not None:
                n = int(length) if length.isdigit() else self.declared.value(length)
            if kind.endswith("*"):
                value, size, group, a = "pointer", 8, None, 8
            else:
                value, size, group, _ = self.scalar(kind)
                a = self.struct_align(kind) if value == "struct" else size
            at = (at + a - 1) // a * a
            fields.append((field, at, value, size * n, group))
            at += size * n
            align = max(align, a)
        return (at + align - 1) // align * align, fields

    def struct_align(self, name):
        return max(8 if k.endswith("*") else self.struct_align(k) if k in self.declared.structs else self.scalar(k)[1]
                   for k, _, _ in self.declared.structs[name])


# ------------------------------------------------------------------ functions

class Arg:
    """A parameter with everything the table says of it (model/functions/fntable.h, struct gt_param)."""

    def __init__(self, param):
        self.p = param
        self.name, self.type = param.name, param.type
        self.value, self.group, self.bytes, self.object = "pointer", None, 8, 0
        self.copy, self.dir, self.elem, self.elem_bytes = "none", "in", "void", 0
        self.count, self.capacity, self.limit = "", "", 0
        self.pairs = False
        self.typed_out, self.role, self.position = False, "-", -1
        self.said = False               # the .api line speaks of this pointer

    def is_pointer(self):
        return self.p.callback is None and ("*" in self.type or self.type.endswith("[]"))


class Fn:
    def __init__(self, name, ret_type, args):
        self.name, self.ret_type, self.args = name, ret_type, args
        self.domain, self.kind, self.line = DOMAIN_OPENCL, "control", ""
        self.ret, self.ret_object, self.ret_position = "void", 0, -1
        self.command, self.command_value = "", 0
        self.event, self.errcode, self.blocking, self.queue = None, None, None, None
        self.hooks, self.provisional = set(), None
        self.since = self.until = self.revises = None
        self.is_callback = False
        self.callbacks = []
        self.id = 0

    def arg(self, name):
        for a in self.args:
            if a.name == name:
                return a
        raise ApiError("%s has no parameter `%s`" % (self.name, name))

    def shown(self):
        """The function's name: a second prototype has another one in C alone."""
        return self.revises or self.name

    def kept(self, a):
        """Copied of calls that failed, too: what a text says is often why. The wrappers of OpenCL do that."""
        return self.domain == DOMAIN_OPENCL and not self.is_callback and a.copy == "string" and not a.count

    def ident(self):
        return self.name.replace(".", "_")

    def counters(self):
        """Copies that another copy's count or capacity names, in prototype order."""
        named = set()
        for a in self.args:
            if a.copy != "none":
                named.update(re.findall(r"\*(\w+)", a.count))
                named.add(a.capacity)
        return [a for a in self.args if a.copy != "none" and a.name in named]

    def copies(self):
        """The copies in the order they lie: first those that others count by."""
        first = self.counters()
        return first + [a for a in self.args if a.copy != "none" and a not in first]


def element(types, arg, type_text=None):
    """What one element behind the pointer is."""
    text = type_text
    if text is None:
        text = arg.type[:-2] if arg.type.endswith("[]") else arg.type[:-1]
        text = text.strip()
    if text.endswith("*"):
        arg.elem, arg.elem_bytes, arg.group = "pointer", 8, None
        return
    kind, size, group, obj = types.scalar(text)
    arg.elem, arg.elem_bytes, arg.object = kind, size, obj
    arg.group = group
    if kind == "i32" and arg.name == "errcode_ret":
        arg.elem, arg.group = "error", "cl_error"


ATTRIBUTE = re.compile(r"(\w+)(?::([\w.]+))?(?:\[([^\]]*)\])?(?:=(\w+))?(?:<(\w+))?$")


def apply_attribute(fn, types, word):
    m = ATTRIBUTE.match(word)
    if not m:
        raise ApiError("%s: cannot read `%s`" % (fn.name, word))
    what, name, count, type_text, capacity = m.groups()
    if what in ("in", "out", "inout"):
        set_array(fn, types, what, name, count, type_text, capacity)
    elif what in ("str", "plist", "zlist"):
        set_list(fn, types, what, name)
    elif what == "ptr":
        fn.arg(name).said = True
    elif what == "cb":
        fn.arg(name).value = "callback"
        fn.callbacks.append(name)
    elif what == "err":
        a = fn.arg(name)
        a.said, a.dir, a.role, a.typed_out = True, "out", "errcode", True
        element(types, a)
        fn.errcode = name
    elif what == "waits":
        set_array(fn, types, "in", name, "num_events_in_wait_list", None, None)
        fn.arg(name).role = "waits"
    elif what == "info":
        set_array(fn, types, "out", "param_value", "param_value_size", None, "param_value_size_ret")
        set_array(fn, types, "out", "param_value_size_ret", None, None, None)
        fn.arg("param_value").group = fn.arg("param_name").group
    elif what == "blocking":
        fn.blocking = fn.arg(name).name
    elif what == "command":
        fn.command = "" if name == "none" else name
    elif what == "group":
        a = fn.arg(name)
        a.group = type_text
        kind = "error" if type_text in ERROR_GROUPS else "enum"
        if a.is_pointer():
            a.elem = kind if a.copy == "array" else a.elem
        else:
            a.value = kind
    elif what == "hook":
        fn.hooks.add(name)
    elif what == "provisional":
        fn.provisional = name
    elif what in ("since", "until"):
        setattr(fn, what, tuple(int(n) for n in name.split(".")))
    elif what == "revises":
        fn.revises = name
    else:
        raise ApiError("%s: `%s` is no attribute" % (fn.name, what))


def set_array(fn, types, direction, name, count, type_text, capacity):
    a = fn.arg(name)
    a.said, a.dir, a.count, a.capacity = True, direction, count or "", capacity or ""
    element(types, a, type_text)
    a.copy = "bytes" if a.elem in ("byte", "char") else "array"
    if not count:
        a.limit = a.elem_bytes
    elif count.isdigit():
        a.limit = int(count) * a.elem_bytes
    else:
        a.limit = NO_LIMIT
    a.typed_out = direction != "in" and a.elem not in ("byte", "char", "struct")
    if name == "event" and direction == "out" and fn.kind == "enqueue":
        a.role = "event"
        fn.event = name


def set_list(fn, types, what, name):
    a = fn.arg(name)
    a.said, a.dir = True, "in"
    element(types, a)
    if what == "str":
        a.copy, a.limit = "string", NO_LIMIT
    else:
        a.copy, a.limit, a.count, a.pairs = "plist", NO_LIMIT, "zero", what == "plist"


def describe(declarations, groups, types):
    """One Fn per function of opencl.api, in its order; raises ApiError for a pointer that its attributes do not name."""
    fns = []
    for name, f in declarations.functions.items():
        words = declarations.attributes.get(name)
        if not words:
            raise ApiError("api/opencl.api: `%s` has no line of its kind and attributes" % name)
        fn = make_fn(types, name, f.ret, f.params)
        fn.kind, fn.line = words[0], " ".join([name] + words)
        for word in words[1:]:
            apply_attribute(fn, types, word)
        finish_fn(fn, groups)
        fns.append(fn)
    return fns


def make_fn(types, name, ret, params):
    fn = Fn(name, ret, [Arg(p) for p in params])
    for a in fn.args:
        if a.p.callback is not None:
            a.value = "callback"
        elif not a.is_pointer():
            a.value, a.bytes, a.group, a.object = types.scalar(a.type)
            a.bytes = max(a.bytes, 4)
    if ret == "cl_int":
        fn.ret = "error"
    elif ret != "void":
        fn.ret, _, _, fn.ret_object = ("pointer", 8, None, 0) if ret.endswith("*") else types.scalar(ret)
    return fn


def finish_fn(fn, groups):
    for a in fn.args:
        if a.is_pointer() and not a.said and a.name != "user_data":
            raise ApiError("api/opencl.api: %s: nothing says what `%s %s` is" % (fn.name, a.type, a.name))
    if fn.command:
        fn.command_value = groups.values["cl_command_type"].get(fn.command)
        if fn.command_value is None:
            raise ApiError("api/opencl.api: %s: no such command type `%s`" % (fn.name, fn.command))
    if fn.kind == "enqueue" and fn.args[0].type == "cl_command_queue":
        fn.queue = fn.args[0].name
    for a in fn.args:
        if a.copy != "none":
            for word in re.findall(r"[A-Za-z_]\w*", a.count):
                if word not in ("min", "zero"):
                    fn.arg(word)
    layout(fn)


def layout(fn):
    """Places of the fixed arguments, in halves behind the duration word (api/README.md)."""
    free, word = [1], 1
    for a in fn.args:
        if a.bytes == 8:
            a.position, word = 2 * word, word + 1
        elif free:
            a.position = free.pop(0)
        else:
            a.position = 2 * word
            free.append(2 * word + 1)
            word += 1
    if fn.ret in ("handle", "pointer"):
        fn.ret_position, word = 2 * word, word + 1
    fn.fixed_words = word - 1


def callback_fns(fns, types):
    """The application's callbacks as functions of their own."""
    out = []
    for fn in fns:
        for name in fn.callbacks:
            ret, params = fn.arg(name).p.callback
            cb = make_fn(types, "%s.%s" % (fn.name, name), ret, params)
            cb.kind, cb.is_callback = "callback", True
            cb.line = "callback %s of %s" % (name, fn.name)
            for a in cb.args:
                if a.type == "const char *":
                    set_list(cb, types, "str", a.name)
                elif a.name == "event_command_status":
                    a.value, a.group = "error", "cl_execution_status"
                elif a.name == "svm_pointers":
                    set_array(cb, types, "in", a.name, "num_svm_pointers", None, None)
            layout(cb)
            out.append(cb)
    return out


def number(fns, callbacks):
    for i, fn in enumerate(fns):
        fn.id = FIRST_OPENCL + i
    for i, fn in enumerate(callbacks):
        fn.id = FIRST_CALLBACK + i
    if FIRST_OPENCL + len(fns) > FIRST_CALLBACK or FIRST_CALLBACK + len(callbacks) > FIRST_HSA:
        raise ApiError("more OpenCL functions than ids")


# ------------------------------------------------------------------ HSA: names, and the arguments that writers read

HSA_ARGS = {
    "hsa_init": "",
    "hsa_amd_memory_async_copy": "void * dst, hsa_agent_t dst_agent, const void * src, hsa_agent_t src_agent, size_t size, "
                                 "uint32_t num_dep_signals, const hsa_signal_t * dep_signals, hsa_signal_t completion_signal",
}


def hsa_fns(lines):
    """Functions of the HSA domain: id = FIRST_HSA + the number the .atp format gives the function."""
    out = []
    for words in lines:
        number_, name = int(words[0]), words[1]
        args = []
        for text in filter(None, (t.strip() for t in HSA_ARGS.get(name, "").split(","))):
            m = re.match(r"(.*?)\s*(\w+)$", text)
            a = Arg(_Plain(m.group(1), m.group(2)))
            if m.group(1) == "uint32_t":
                a.value, a.bytes = "u32", 4
            elif m.group(1) == "size_t":
                a.value = "size"
            elif m.group(1).startswith("hsa_"):
                a.value = "handle"
            args.append(a)
        fn = Fn(name, "hsa_status_t", args)
        fn.domain, fn.kind, fn.ret, fn.id = DOMAIN_HSA, "hsa", "enum", FIRST_HSA + number_
        fn.line = "%d %s" % (number_, name)
        layout(fn)
        out.append(fn)
    return out


class _Plain:
    callback = None

    def __init__(self, type_text, name):
        self.type, self.text, self.name = type_text, type_text, name


# ------------------------------------------------------------------ text

def table_text(fns, groups, types, queries):
    out = ["T\t1", "D\t%d\topencl" % DOMAIN_OPENCL, "D\t%d\thsa" % DOMAIN_HSA]
    for group in sorted(groups.values):
        out.append("E\t%s\t%s" % (group, "flags" if group in groups.flags else "enum"))
        out += ["V\t%d\t%s" % (value, name) for name, value in groups.values[group].items()]
    for name in sorted(types.declared.structs):
        size, fields = types.struct_layout(name)
        out.append("S\t%s\t%d" % (name, size))
        out += ["M\t%s\t%d\t%s\t%d\t%s" % (f, at, v, n, g or "-") for f, at, v, n, g in fields]
    for words in queries:
        out.append(query_line(words, groups, types))
    for fn in fns:
        out += function_lines(fn)
    return "\n".join(out) + "\n"


def query_line(words, groups, types):
    """Q line of `cl_device_info CL_DEVICE_NAME char[]`."""
    group, query, type_text = words
    value = groups.values.get(group, {}).get(query)
    if value is None:
        raise ApiError("api/opencl_queries.api: `%s` is no value of `%s`" % (query, group))
    array = type_text.endswith("[]")
    text = type_text[:-2] if array else type_text
    if text.endswith("*"):
        kind, g = "pointer", None
    elif text in ERROR_GROUPS:
        kind, g = "error", text
    else:
        kind, _, g, _ = types.scalar(text)
    return "Q\t%s\t%d\t%s\t%s\t%d" % (group, value, kind, g or "-", array)


def function_lines(fn):
    out = ["F\t%d\t%s\t%d\t%s\t%s\t%s\t%d\t%d\t%s\t%d\t%d\t%d\t%d" % (
        fn.id, fn.shown(), fn.domain, fn.kind, fn.ret_type, fn.ret, fn.ret_position, fn.ret_object,
        fn.command or "-", fn.command_value, fn.fixed_words, fn.event is not None, fn.is_callback)]
    for a in fn.args:
        out.append("P\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%d\t%d\t%s\t%d\t%d" % (
            a.p.text, a.name, a.value, a.group or "-", a.position, a.bytes, a.copy, a.dir, a.elem, a.elem_bytes, a.object,
            a.count or "-", a.capacity or "-", a.limit, a.typed_out, a.role, fn.kept(a), a.name in {x.capacity for x in fn.args}))
    return out
