"""trace_options_check.py GPUTAP TRACE FORMAT CUPTI - every option of FORMAT/options.def, with hostile values in a copy of TRACE

A folder with a library whose constructor says that it ran, a rule and a section file that are Python and text, and a FIFO
is watched while each reader reads the trace: whoever opens anything in it is found, whatever runs there too.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOOL, TRACE, FORMAT, CUPTI = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
IN_OPEN, IN_NONBLOCK = 0x20, os.O_NONBLOCK
SECONDS = 20
bad = []


def words(path, macro):
    return re.findall(r"^%s\((?:[A-Z_]+, )?([-a-z]+)," % macro, (FORMAT / path).read_text(), re.M)


OPTIONS, TAKEN = words("options.def", "OPTION"), words("taken.def", "TAKEN")
TEXTS = re.findall(r"^OPTION\(([-a-z]+), [^,]+, STRING,", (FORMAT / "options.def").read_text(), re.M)
FORMATS = re.findall(r'^FORMAT\(\w+, "([^"]+)"', (FORMAT / "formats.def").read_text(), re.M)
FEW = [["stats", "-q", "-r", "kernel_metric_sum"], ["export", "-q", "-f", "-e", "ncu-rep", "--apply-rules=false", "-o", "out"]]
MORE = FEW + [["info"], ["info", "--json"], ["dump"], ["stats"], ["metrics"], ["report"]]
ALL = MORE + [["report", "--page", "source"], ["report", "--apply-rules"], ["export", "-f", "-o", "out", "-e", ",".join(FORMATS)]]


class Bait:
    """A folder that tells who opens what is in it."""

    def __init__(self):
        self.folder = pathlib.Path("bait").absolute()
        self.folder.mkdir()
        self.ran = pathlib.Path("ran").absolute()
        source = '#include <stdio.h>\n__attribute__((constructor)) static void f(void) { fclose(fopen("%s", "a")); }\n' % self.ran
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-xc", "-", "-o", str(self.folder / "libcupti.so.13")],
                       input=source.encode(), check=True)
        (self.folder / "rule.py").write_text('open("%s", "a").close()\n' % self.ran)
        (self.folder / "x.section").write_text('Identifier: "X"\nDisplayName: "X"\n')
        (self.folder / "file").write_text("text\n")
        os.mkfifo(self.folder / "fifo")
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(IN_NONBLOCK)
        assert self.fd >= 0 and self.libc.inotify_add_watch(self.fd, os.fsencode(self.folder), IN_OPEN) >= 0

    def values(self):
        return [str(self.folder)] + [str(self.folder / n) for n in ("libcupti.so.13", "file", "fifo")] + [os.path.relpath(self.folder)]

    def touched(self):
        """What was opened since the last call."""
        try:
            events = os.read(self.fd, 65536)
        except BlockingIOError:
            return self.ran.exists()
        names = set(re.findall(rb"[\w.]{4,}", events)) or {b"the folder"}
        return b", ".join(sorted(names)).decode() + (" (and it ran)" if self.ran.exists() else "")


def read(bait, what, readers):
    for words_ in readers:
        try:
            done = subprocess.run([TOOL] + words_ + ["bad.gputap"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=SECONDS)
            if done.returncode < 0:
                bad.append("%s: %s died by signal %d" % (what, " ".join(words_), -done.returncode))
        except subprocess.TimeoutExpired:
            bad.append("%s: %s hangs" % (what, " ".join(words_)))
        touched = bait.touched()
        if touched:
            bad.append("%s: %s opened %s" % (what, " ".join(words_), touched))
            bait.ran.unlink(missing_ok=True)


def with_options(lines):
    """A copy of the trace whose files of facts have these options alone."""
    shutil.rmtree("bad.gputap", ignore_errors=True)
    shutil.copytree(TRACE, "bad.gputap")
    for path in [pathlib.Path("bad.gputap/run")] + sorted(pathlib.Path("bad.gputap").glob("*/meta")):
        kept = [l for l in path.read_bytes().split(b"\n") if l and not l.startswith(b"option=")]
        path.write_bytes(b"\n".join(kept + [("option=" + l).encode() for l in lines]) + b"\n")


def main():
    assert len(OPTIONS) > 100 and len(TEXTS) > 5 and len(TAKEN) > 5 and not set(TAKEN) - set(OPTIONS), (OPTIONS, TAKEN)
    bait = Bait()
    bait.touched()
    open(bait.folder / "file").close()
    if "file" not in str(bait.touched()):
        print("skipped: this machine does not tell who opens files")
        return 0
    for i, value in enumerate(bait.values()):
        with_options(["%s=%s" % (name, value) for name in OPTIONS])
        read(bait, "all options say " + value, MORE if i else ALL)
    # One that is refused may keep another from being obeyed: texts one by one, the others in smaller company.
    others = [name for name in OPTIONS if name not in TEXTS]
    for names in [[name] for name in TEXTS] + [others[i::6] for i in range(6)]:
        with_options(["%s=%s" % (name, bait.folder) for name in names])
        read(bait, ", ".join(names), FEW)
    with_options(["cupti=" + str(bait.folder / "libcupti.so.13")])
    told = subprocess.run([TOOL, "stats", "-q", "-r", "kernel_metric_sum", "--cupti", CUPTI, "bad.gputap"], stdout=subprocess.PIPE).stdout
    if b"sm__cycles_active" not in told:
        bad.append("--cupti of the reader's own is not used")
    print("\n".join(bad) or "%d options" % len(OPTIONS))
    return bool(bad)


sys.exit(main())
