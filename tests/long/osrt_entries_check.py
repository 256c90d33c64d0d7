#!/usr/bin/env python3
"""tests/long/osrt_entries_check.py STRACE COUNTS TABLE PROGRAM [NAME...] | names - system calls as the kernel counted them, by who made each

The program through a function that is one system call (then the trace must have as many calls of that function; NAMEs are not
compared), or why it did not.

STRACE is the output of `strace -ff -k` of the program without gputap, all its files, COUNTS "NAME CALLS" of its trace, TABLE api/osrt.api. Nothing
is tolerated: each system call has one of these reasons, and where it is "by NAME" the counts are equal.

    by NAME       the program, or a library that is not the C library's, called NAME
    inside NAME   ... called another function of the C library, which called the kernel (fopen opens, fdopendir asks for flags)
    start         before there was a program to call anything: the dynamic linker's own, the C library's beginning and end of a thread
    no function   an instruction of the program's own, or syscall() with a number that is not recorded
    gputap        gputap's own: what its library and its launcher do, where strace looked at a run under gputap

Two runs of one program may differ (a virtual machine's threads grow as time passes), so STRACE may also be of the traced run itself. Then our
library is on the stacks: a call that passed through it is "by" the function that the program called, and one that the program made without
passing through it is "by" that function too: it is in no trace, and the counts differ.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import bisect
import collections
import re
import subprocess
import sys

# Functions that are one system call, whatever their arguments and whatever comes back; the kernel's name first.
ONE = {
    "read": ["read"], "write": ["write"], "readv": ["readv"], "writev": ["writev"], "close": ["close"], "creat": ["creat", "creat64"],
    "openat": ["open", "open64", "openat", "openat64"], "pread64": ["pread", "pread64"], "pwrite64": ["pwrite", "pwrite64"],
    "fcntl": ["fcntl", "fcntl64"], "ioctl": ["ioctl"], "flock": ["flock"], "dup": ["dup"], "dup2": ["dup2"], "dup3": ["dup3"],
    "pipe": ["pipe"], "pipe2": ["pipe", "pipe2"], "ftruncate": ["ftruncate", "ftruncate64"], "truncate": ["truncate", "truncate64"], "fsync": ["fsync"], "fdatasync": ["fdatasync"],
    "poll": ["poll"], "ppoll": ["ppoll"], "pselect6": ["select", "pselect"], "select": ["select"], "epoll_ctl": ["epoll_ctl"],
    "epoll_wait": ["epoll_wait"], "socket": ["socket"], "socketpair": ["socketpair"], "bind": ["bind"], "listen": ["listen"],
    "accept": ["accept"], "accept4": ["accept4"], "connect": ["connect"], "shutdown": ["shutdown"], "sendto": ["send", "sendto"],
    "sendmsg": ["sendmsg"], "recvfrom": ["recv", "recvfrom"], "recvmsg": ["recvmsg"], "sched_yield": ["sched_yield"], "kill": ["kill"],
    "tgkill": ["tgkill"], "vfork": ["vfork"], "wait4": ["wait", "wait3", "wait4", "waitpid"], "waitid": ["waitid"],
    "mmap": ["mmap", "mmap64"], "munmap": ["munmap"], "mprotect": ["mprotect"], "msync": ["msync"], "madvise": ["madvise"],
    "mremap": ["mremap"], "clock_nanosleep": ["nanosleep", "clock_nanosleep", "usleep"], "prctl": ["prctl"],
}
SHARED = ("pipe2", "pipe")      # one function may be either
CALL = re.compile(r"^(\w+)\(")
FRAME = re.compile(r"^ > (.*?)\((?:[^()]*|.*?)\) \[0x([0-9a-f]+)\]$")
SYSTEM = re.compile(r"/(libc|libpthread|libc-[0-9.]+|libpthread-[0-9.]+)\.so[^/]*$")
OURS = re.compile(r"/libgputap(-[a-z]+)?\.so$")
LAUNCHER = re.compile(r"/gputap$")
LINKER = re.compile(r"/ld(-linux[^/]*|-[0-9.]+)\.so[^/]*$")


class Names:
    """Exported functions of an object, by address in it."""

    def __init__(self, path):
        self.at, self.names = [], collections.defaultdict(set)
        for line in subprocess.run(["nm", "-D", "-S", "--defined-only", path], stdout=subprocess.PIPE, universal_newlines=True).stdout.split("\n"):
            part = line.split()
            if len(part) == 4 and part[2] in "TWtwiI":
                self.names[int(part[0], 16), int(part[1], 16)].add(part[3].split("@")[0])
        self.at = sorted(self.names)

    def of(self, address):
        i = bisect.bisect_right(self.at, (address, 1 << 62)) - 1
        return self.names[self.at[i]] if i >= 0 and address <= self.at[i][0] + self.at[i][1] else set()


def calls(path):
    """(name, [(object, address)]) of each system call, the kernel's side first. Each thread has a file of its own (-ff)."""
    name, frames = None, []
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            frame = FRAME.match(line.rstrip("\n"))
            if frame:
                frames.append((frame.group(1), int(frame.group(2), 16)))
                continue
            if name:
                yield name, frames
            call = CALL.match(line)
            name, frames = call.group(1) if call else None, []
    if name:
        yield name, frames


def table(path):
    """Functions of the list, by each name that the program may call them by."""
    own, name = {}, ""
    for line in open(path, encoding="utf-8"):
        head = re.match(r"[a-z].*?(\w+)\(", line)
        if head:
            name = head.group(1)
            own[name] = name
        elif line.startswith("\t") and " as:" in line:
            own[name] = re.search(r" as:(\w+)", line).group(1)
    return own


def exported(frame, objects):
    path, address = frame
    if path not in objects:
        objects[path] = Names(path)
    return objects[path].of(address)


def reason(name, frames, own, objects):
    if any(LAUNCHER.search(path) for path, _ in frames) or (frames and OURS.search(frames[0][0])):
        return "gputap"
    inside = []
    for frame in frames:
        if OURS.search(frame[0]):
            if not exported(frame, objects) & set(own):
                return "gputap"     # the C library called by a function of ours that takes nobody's place
        elif not SYSTEM.search(frame[0]) and not LINKER.search(frame[0]):
            break
        inside.append(frame)
    else:
        return "start"          # nobody else is on the stack
    if not inside:
        return "no function"
    if LINKER.search(inside[-1][0]):
        return "start"
    entry = exported(inside[-1], objects)
    known = {own[e] for e in entry if e in own}
    one = known & set(ONE.get(name, []))
    if one:
        return "by " + sorted(one)[0]
    return "inside " + (sorted(known) or sorted(entry) or ["?"])[0]


def main(strace, counts, api, program, *left_out):
    own, objects = table(api), {}
    found = collections.defaultdict(collections.Counter)
    for name, frames in calls(strace):
        if name in ONE:
            found[name][reason(name, frames, own, objects)] += 1
    traced = {n: int(c) for n, c in (line.split() for line in open(counts))}
    wrong = 0
    for name in sorted(found):
        by = {why[3:]: c for why, c in found[name].items() if why.startswith("by ")}
        ours = {f: traced.get(f, 0) for f in ONE[name] if traced.get(f) and (f in by or name not in SHARED)}
        rest = ", ".join("%d %s" % (c, why) for why, c in sorted(found[name].items()) if not why.startswith("by "))
        alike = sum(by.values()) == sum(ours.values())
        print("%s%s: %s: %d system calls, %d by the program, %d in the trace%s" % ("" if alike else "not compared: " if name in left_out else "DIFFERS ", program, name, sum(
            found[name].values()), sum(by.values()), sum(ours.values()), "; " + rest if rest else ""))
        wrong |= not alike and name not in left_out
    sys.exit(wrong or not found)


if sys.argv[1:] == ["names"]:
    print(",".join("?" + name for name in sorted(ONE)))
else:
    main(*sys.argv[1:])
