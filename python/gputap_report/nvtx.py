"""The NVTX state of a result, and the filters that choose results by it.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re

DEFAULT_DOMAIN = "<default domain>"


class INvtxRange:
    """One NVTX range that was open when the kernel was launched."""

    PayloadType_PAYLOAD_UNKNOWN, PayloadType_PAYLOAD_UINT64, PayloadType_PAYLOAD_INT64, PayloadType_PAYLOAD_DOUBLE, \
        PayloadType_PAYLOAD_UINT32, PayloadType_PAYLOAD_INT32, PayloadType_PAYLOAD_FLOAT, \
        PayloadType_PAYLOAD_JSON = range(8)
    PayloadType_UNKNOWN, PayloadType_UINT64, PayloadType_INT64, PayloadType_DOUBLE, PayloadType_UINT32, \
        PayloadType_INT32, PayloadType_FLOAT, PayloadType_JSON = range(8)

    _PAYLOADS = {1: "u64", 2: "i64", 3: "f64", 4: "u32", 5: "i32", 6: "f32", 7: "text", 8: "text"}

    def __init__(self, message, strings):
        self._message, self._strings = message, strings
        self._attributes = message.get("attributes")

    def name(self):
        """The name that the range was opened with."""
        return self._message.get("name", "")

    def has_attributes(self):
        """True when the range was opened with attributes: category, color, message and payload mean something then."""
        return self._attributes is not None

    def _attribute(self, name):
        return (self._attributes or {}).get(name, {})

    def category(self):
        """The number of the range's category; 0 when it has none."""
        return (self._attributes or {}).get("category", 0)

    def color(self):
        """The range's colour as a number, 0xAARRGGBB; 0 when it has none."""
        return self._attribute("color").get("value", 0)

    def message(self):
        """The text of the range's attributes; a registered text is looked up."""
        message = self._attribute("message")
        return message.get("text") or self._strings.get(message.get("handle"), "")

    def payload_type(self):
        """What kind of payload the range has: one of the PayloadType_ values."""
        kind = self._attribute("payload").get("type", 0)
        return 7 if kind == 8 else kind

    def _payload(self):
        payload = self._attribute("payload")
        return payload.get(self._PAYLOADS.get(payload.get("type")))

    def payload_as_uint64(self):
        """The payload as an integer; 0 when it is none."""
        value = self._payload()
        return int(value) & 0xffffffffffffffff if isinstance(value, int) else 0

    def payload_as_double(self):
        """The payload as a floating point number; 0.0 when it is none."""
        value = self._payload()
        return float(value) if isinstance(value, (int, float)) else 0.0

    def payload_as_string(self):
        """The payload as a text, numbers printed; '' when there is none."""
        value = self._payload()
        return "" if value is None else str(value)

    def __str__(self):
        """The range's name."""
        return self.name()


class INvtxDomainInfo:
    """One NVTX domain with the ranges that were open in it."""

    def __init__(self, domain_id, name, push_pop, start_end, strings):
        self._id, self._name = domain_id, name
        self._push_pop = [INvtxRange(r, strings) for r in push_pop]
        self._start_end = [INvtxRange(r, strings) for r in start_end]

    def name(self):
        """The domain's name; that of the default domain is '<default domain>'."""
        return self._name

    def push_pop_ranges(self):
        """Names of the pushed ranges as a tuple, the outermost first."""
        return tuple(r.name() for r in self._push_pop)

    def push_pop_range(self, idx):
        """The INvtxRange at a position of push_pop_ranges(); IndexError when there is none."""
        return self._push_pop[idx]

    def start_end_ranges(self):
        """Names of the started ranges that had not ended, as a tuple."""
        return tuple(r.name() for r in self._start_end)

    def start_end_range(self, idx):
        """The INvtxRange at a position of start_end_ranges(); IndexError when there is none."""
        return self._start_end[idx]

    def __str__(self):
        """The domain's name."""
        return self._name


class INvtxState:
    """All NVTX domains that had an open range when the kernel was launched. It behaves like a mapping by domain id."""

    def __init__(self, message, thread):
        stacks = _stack_of(message["threads"], thread)
        started = {d.get("id", 0): d["ranges"] for d in message["start_end"]}
        known = {d.get("id", 0): d for d in message["domains"]}
        default = message.get("default", 0)
        self._domains = {}
        for i in sorted(set(stacks) | set(started)):
            domain = known.get(i, {})
            strings = {s.get("id"): s.get("value", "") for s in domain.get("strings", [])}
            name = domain.get("name") or (DEFAULT_DOMAIN if i == default else "")
            self._domains[i] = INvtxDomainInfo(i, name, stacks.get(i, []), started.get(i, []), strings)

    def domains(self):
        """Ids of the domains as a tuple."""
        return tuple(self._domains)

    def domain_by_id(self, id):
        """The INvtxDomainInfo of an id, or None."""
        return self._domains.get(id)

    def __getitem__(self, id):
        """The INvtxDomainInfo of an id; KeyError when there is none."""
        return self._domains[id]

    def __iter__(self):
        """Goes through the domains' ids."""
        return iter(self._domains)

    def __len__(self):
        """How many domains there are."""
        return len(self._domains)


def _stack_of(threads, thread):
    """{domain: pushed ranges} of the thread that launched; a state that tells of one thread means that one."""
    mine = [t for t in threads if t.get("id") == thread] or (threads if len(threads) == 1 else [])
    return {d.get("id", 0): d["stack"] for t in mine for d in t["domains"]}


# ---------------------------------------------------------------- filters

def _split(text, at):
    """The parts of a text between unescaped characters; escapes stay in them."""
    parts, part, escaped = [], [], False
    for c in text:
        if c == at and not escaped:
            parts.append("".join(part))
            part = []
        else:
            part.append(c)
        escaped = c == "\\" and not escaped
    return parts + ["".join(part)]


def _escaped(text):
    """Whether the last character of a text has a backslash before it that counts."""
    before = text[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


class NvtxFilter:
    """One expression of --nvtx-include: DOMAIN@RANGES.

    ``A/`` and ``A/B`` look at pushed ranges, ``A`` and ``A,B`` at started ones. ``[`` in front is the bottom of the
    stack, ``]`` behind its top, ``*`` stands for any number of ranges and ``+`` for one; of several behind one another
    the last holds, and a ``+`` at the end is the top of the stack. ``regex:`` in front makes names patterns: a single
    one is searched for, one of several has to match the whole name. A backslash takes the meaning from the character
    behind it. Where the guide is silent, this is what Nsight Compute's own module was measured to do.
    """

    ANY, ONE = object(), object()

    def __init__(self, text):
        self.text = text
        self._regex = text.startswith("regex:")
        rest = text[len("regex:"):] if self._regex else text
        domain = _split(rest, "@")
        self._domain = None
        if len(domain) > 1:
            self._domain = self._name(domain[0], False)
            rest = rest[len(domain[0]) + 1:]
        self._read(rest)

    def _read(self, rest):
        pushed = len(_split(rest, "/")) > 1
        if len(_split(rest, "/")) == 2 and not _split(rest, "/")[1]:         # A/ and A]/
            rest = rest[:-1]
        self._bottom = rest.startswith("[")
        self._top = rest.endswith("]") and not _escaped(rest)
        self._pushed = pushed or self._bottom or self._top
        if not self._pushed:
            self._parts = [self._name(p, False) for p in _split(rest, ",")]
            return
        rest = rest[self._bottom:len(rest) - self._top]
        parts = [p for p in _split(rest, "/") if p]
        parts = [p for i, p in enumerate(parts) if p not in "*+" or i + 1 == len(parts) or parts[i + 1] not in "*+"]
        whole = sum(p not in "*+" for p in parts) > 1
        self._parts = [self.ANY if p == "*" else self.ONE if p == "+" else self._name(p, whole) for p in parts]
        self._top = self._top or self._parts[-1:] == [self.ONE]

    def _name(self, part, whole):
        """What says whether a range's name fits."""
        if self._regex:
            try:
                pattern = re.compile(part)
            except re.error as e:
                raise ValueError("NVTX filter %r: %s" % (self.text, e)) from None
            return pattern.fullmatch if whole else pattern.search
        plain = re.sub(r"\\(.)", r"\1", part, flags=re.S)
        return lambda name: name == plain

    def _fits(self, stack):
        """Whether the parts fit the stack, one behind the other."""
        if not self._parts or self._parts[0] in (self.ANY, self.ONE):        # a name has to come first
            return False
        at = {0} if self._bottom else set(range(len(stack)))
        for want in self._parts:                             # at: where the next part may begin
            if not at:
                return False
            if want is self.ANY:
                at = set(range(min(at), len(stack) + 1))
            else:
                at = {i + 1 for i in at if i < len(stack) and (want is self.ONE or want(stack[i]))}
        return len(stack) in at if self._top else bool(at)

    def _matches_domain(self, domain):
        if self._pushed:
            return self._fits(domain.push_pop_ranges())
        open_now = domain.start_end_ranges()
        return all(any(want(name) for name in open_now) for want in self._parts)

    def matches(self, state):
        """Whether an INvtxState (or None) has such ranges open."""
        for i in state or ():
            domain = state[i]
            if domain.name() == DEFAULT_DOMAIN if self._domain is None else self._domain(domain.name()):
                if self._matches_domain(domain):
                    return True
        return False
