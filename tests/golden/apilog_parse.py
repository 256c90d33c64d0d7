#!/usr/bin/env python3
"""tests/golden/apilog_parse.py [--whole] FILE... - read API logs by the grammar of docs/apilog.md

An oracle for the writer that shares no code with it: one call per line, columns, digits, escapes, order of start, command
ids. --whole: the log covers its process from the start, so ids count from 1. Prints one line of counts per file:

    FILE: calls=14 callbacks=0 commands=3 threads=1 local_sizes=1 cuda_calls=2

calls are those of all domains, cuda_calls those of CUDA among them.

Exit status 0: all good; 1: the first fault of each bad file is on stderr.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re
import sys

TEXT = r'"(?:[^"\\\x00-\x1f\x7f]|\\[abtnvfr"\\]|\\[0-7]{3})*"(?:\.\.\.)?'
SCALAR = r"[0-9A-F]{16}|-?[0-9]+|-?[0-9.]+(?:e[+-][0-9]+)?|-?inf|-?nan|\?|%s" % TEXT
INNER = r"[^{}()\"]|%s" % TEXT
NESTED = INNER
for _ in range(3):              # structures and arrays, in one another
    NESTED = r"%s|\{(?:%s)*\}|\((?:%s)*\)" % (INNER, NESTED, NESTED)
VALUE = r"(?:%s|\{(?:%s)*\}|\((?:%s)*\)|bytes [0-9A-F]+(?:\.\.\.)?)" % (SCALAR, NESTED, NESTED)
PARAMETER = re.compile(r"((?:[^=\"(),]|\((?:[^()]|\([^()]*\))*\))+?) (\w+) = (%s)(?:, |$)" % VALUE)
HEAD = re.compile(r"TID ([ 0-9]{9}[0-9]*)    START TIME 0x([0-9a-f]{16})    DURATION 0x([0-9a-f]{16})"
                  r"(?:    CMD ID ([0-9 ]{10,})    | {25})(?=\S)")
OUTPUT = re.compile(r", \*(\w+) = (NULL|CL_\w+|%s)(?=,|$)" % VALUE)
SUCCESS = ("CL_SUCCESS", "cudaSuccess", "CUDA_SUCCESS")
LOCAL = re.compile(r"Internally calculated local_work_size with for NDRangeKernel command with ID ([0-9]+): \(([0-9]+(?:,[0-9]+){0,2})\)$")


class Fault(Exception):
    pass


def close_of(text, start):
    """Index of the parenthesis that closes the one at start, outside of texts."""
    depth, quoted, i = 0, False, start
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        else:
            depth += (c == "(") - (c == ")")
            if depth == 0:
                return i
        i += 1
    raise Fault("no closing parenthesis")


def check_parameters(text):
    names, at = [], 0
    if text == "...":
        return names
    while at < len(text):
        m = PARAMETER.match(text, at)
        if not m:
            raise Fault("no 'type name = value' at %r" % text[at:at + 80])
        names.append(m.group(2))
        at = m.end()
    return names


def check_call(text, command):
    callback = text.startswith("callback ")
    text = text[9:] if callback else text
    m = re.match(r"((?:cl|cu|__cu)\w+(?:\.\w+)?)\(", text)
    if not m or callback != ("." in m.group(1)):
        raise Fault("no function name")
    end = close_of(text, m.end() - 1)
    names = check_parameters(text[m.end():end])
    rest = text[end + 1:]
    if callback:
        if rest or command:
            raise Fault("a callback has neither result nor command")
        return True, m.group(1)
    cuda = not m.group(1).startswith("cl")
    if not rest and not command:
        return False, m.group(1)        # it never returned
    r = re.match(r" = (-?[0-9]+|%s)(?=,|$)" % ("cuda[A-Z]\\w*|CUDA_\\w+" if cuda else "void|CL_\\w+|[0-9A-F]{16}"), rest)
    if not r:
        raise Fault("no result")
    at, shown = r.end(), []
    while at < len(rest):
        o = OUTPUT.match(rest, at)
        if not o or (names and o.group(1) not in names):
            raise Fault("no output at %r" % rest[at:at + 60])
        shown.append(names.index(o.group(1)))
        at = o.end()
    if shown != sorted(shown):
        raise Fault("outputs are not in the order of the prototype")
    failed = re.match(r"CL_|cuda|CUDA_", r.group(1)) and r.group(1) not in SUCCESS
    if failed and shown:
        raise Fault("outputs after a failure")
    if command and failed:
        raise Fault("a failed call with a command id")
    return False, m.group(1)


def parse(text, whole):
    counts = dict(calls=0, callbacks=0, commands=0, threads=0, local_sizes=0, cuda_calls=0)
    last_start, last_id, local, threads = 0, 0, None, set()
    if text and not text.endswith("\n"):
        raise Fault("no end of line at the end")
    lines = text.split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        try:
            if line.startswith("complete: no (") and number == len(lines):
                continue
            m = LOCAL.match(line)
            if m:
                if local is not None:
                    raise Fault("two local sizes for one command")
                local = int(m.group(1))
                counts["local_sizes"] += 1
                continue
            m = HEAD.match(line)
            if not m:
                raise Fault("no head of a call")
            if m.group(1) != m.group(1).strip().rjust(9) or (m.group(4) and m.group(4) != m.group(4).strip().ljust(10)):
                raise Fault("columns")
            start, command = int(m.group(2), 16), int(m.group(4) or 0)
            if start < last_start:
                raise Fault("not in order of start")
            callback, name = check_call(line[m.end():], command)
            if command and (command <= last_id or (whole and command != last_id + 1)):
                raise Fault("command id %d after %d" % (command, last_id))
            if local is not None and (local != command or name != "clEnqueueNDRangeKernel"):
                raise Fault("a local size in front of another call")
            local, last_start, last_id = None, start, command or last_id
            threads.add(int(m.group(1)))
            counts["callbacks" if callback else "calls"] += 1
            counts["cuda_calls"] += not name.startswith("cl")
            counts["commands"] += command > 0
        except Fault as e:
            raise Fault("line %d: %s: %s" % (number, e, line[:240])) from None
    if local is not None:
        raise Fault("a local size without its call")
    counts["threads"] = len(threads)
    return counts


def main():
    args = sys.argv[1:]
    whole = args[:1] == ["--whole"]
    bad = 0
    for path in args[whole:]:
        with open(path, encoding="utf-8", newline="") as f:
            text = f.read()
        try:
            print("%s: %s" % (path, " ".join("%s=%d" % c for c in parse(text, whole).items())))
        except Fault as e:
            print("%s: %s" % (path, e), file=sys.stderr)
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
