"""Reports composed byte by byte, by field numbers alone: what the readers of python/ are tested with

It shares nothing with python/gputap_report, so that a number that is wrong there is found.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import struct


def number(n):
    out = b""
    n &= (1 << 64) - 1
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def u(field, value):                    # integers, true and false, choices
    return number(field << 3) + number(int(value))


def s(field, value):                    # texts, bytes and messages
    value = value.encode() if isinstance(value, str) else value
    return number(field << 3 | 2) + number(len(value)) + value


def d(field, value):
    return number(field << 3 | 1) + struct.pack("<d", value)


def f(field, value):
    return number(field << 3 | 5) + struct.pack("<f", value)


def m(field, *parts):
    return s(field, b"".join(parts))


def value(v, kind=None):
    """ProfileMetricValue: text 1, float 2, double 3, uint32 4, uint64 5."""
    if kind:
        return {"float": lambda: f(2, v), "uint32": lambda: u(4, v)}[kind]()
    return s(1, v) if isinstance(v, (str, bytes)) else d(3, v) if isinstance(v, float) else u(5, v)


class Strings:
    """The table of all blocks; take() gives those that came since."""

    def __init__(self):
        self.all, self.taken = [], 0

    def id(self, text):
        if text not in self.all:
            self.all.append(text)
        return self.all.index(text)

    def take(self):
        out = self.all[self.taken:]
        self.taken = len(self.all)
        return m(4, *[s(1, t) for t in out]) if out else b""


def metric(strings, name, v=None, instances=(), unit=None, description=None, kind=None, why=None):
    """ProfileMetricResult; instances: [(id or None, value)]"""
    return b"".join(
        [u(1, strings.id(name)), m(2, value(v, kind)) if v is not None else b""] +
        [m(3, m(1, value(i)) if i is not None else b"", m(2, value(x))) for i, x in instances] +
        [s(1000, unit) if unit else b"", s(1001, description) if description else b"", s(1002, why) if why else b""])


def dim(x, y=1, z=1):
    return u(1, x) + u(2, y) + u(3, z)


def kernel(strings, name="k", metrics=(), *more, thread=1, stream=7, context=1, sections=(), reference=0, grid=(1,), block=(1,)):
    """ProfileResult with its required fields; metrics: {name: value} or bytes of metric()"""
    if isinstance(metrics, dict):
        metrics = [metric(strings, n, v) for n, v in metrics.items()]
    return b"".join(
        [u(1, thread), u(2, 5), u(3, 6), u(4, 7), s(5, "_Z1" + name), s(6, name), s(7, name + "(float *)"), u(8, 1),
         m(9, dim(0, 0, 0)), m(10, dim(*grid)), m(11, dim(*block))] +
        [s(13, x) for x in metrics] + [m(15, u(1, reference))] +
        [m(17, s(1, i), s(2, i)) for i in sections] + [u(22, context), u(23, stream)] + list(more))


def block(strings, sources=(), results=(), ranges=(), cmdlists=(), graphs=(), process=4711, session=b""):
    entries = b"".join(struct.pack("<I", len(e)) + e for e in [*sources, *results, *ranges, *cmdlists, *graphs])
    head = b"".join([
        u(1, len(sources)), u(2, len(results)), s(3, session) if session else b"", strings.take() if strings else b"",
        u(5, len(entries)), m(6, u(1, process), s(3, "app")), u(7, len(ranges)), u(8, len(cmdlists)), u(9, len(graphs))])
    return struct.pack("<I", len(head)) + head + entries


def report(*blocks, version=7):
    head = u(1, version)
    return b"NVR\0" + struct.pack("<I", len(head)) + head + b"".join(blocks)


def simple(metrics, *more, name="k", **facts):
    """A report of one kernel."""
    strings = Strings()
    entry = kernel(strings, name, metrics, *more, **facts)
    return report(block(strings, results=[entry]))


# ---------------------------------------------------------------- NVTX

def pushed(name, *attributes):
    return m(3, s(1, name), *attributes)


def nvtx(stack=(), started=(), domains=(), thread=1, default=0):
    """NvtxState of the default domain and of {id: (name, [pushed names])}."""
    own = m(2, u(1, default), *[pushed(n) if isinstance(n, str) else n for n in stack])
    others = [m(2, u(1, i), *[pushed(n) for n in names]) for i, (_, names) in dict(domains).items()]
    return m(21, m(1, u(1, default), s(2, "<default domain>")), *[m(1, u(1, i), s(2, n)) for i, (n, _) in dict(domains).items()],
             m(2, u(1, thread), own, *others),
             m(3, u(1, default), *[m(3, u(1, i), s(2, n)) for i, n in enumerate(started)]), u(4, default))
