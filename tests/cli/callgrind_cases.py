#!/usr/bin/env python3
"""tests/cli/callgrind_cases.py - every production of callgrind's format is read, and one character changed is refused with its line

A case is a profile as text, what `gputap stats` must say of it, and mutants: (line, the line with one character changed, added or
taken away, a word of the message). The reports are asked for as JSON.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import tempfile

GPUTAP = os.environ["GPUTAP_BUILD"] + "/gputap"
HEAD = "events: Ir\n"
passed = failed = 0
path = None


def check(name, ok, what=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAILED: %s: %s" % (name, what))


def stats(text, *options):
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return subprocess.run([GPUTAP, "stats", *options, path], capture_output=True, timeout=60)


def rows(text, report, *options):
    run = stats(text, "-r", report, "--format=json", *options)
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


def table(text, report):
    """A report's rows as dictionaries."""
    out = rows(text, report)
    return out["rows"] if isinstance(out, dict) else out


def own(text, event="Ir"):
    return {r["Function"]: r["Self " + event] for r in table(text, "callgrind_self")}


def inclusive(text, event="Ir"):
    return {r["Function"]: r["Incl " + event] for r in table(text, "callgrind_incl")}


def calls(text, event="Ir"):
    return {(r["Caller"], r["Callee"]): (r["Calls"], r["Incl " + event]) for r in table(text, "callgrind_calls")}


def files(text, event="Ir"):
    return {(r["File"], r["Function"]): r["Self " + event] for r in table(text, "callgrind_files")}


def parts(text):
    return table(text, "callgrind_parts")


def case(name, text, expected, *mutants):
    """expected: [(function, wanted)]. mutants: (line from 1, from, to, word): in that line the one is changed to the other."""
    for what, wanted in expected:
        try:
            found = what(text)
        except Exception as e:  # of a refused file too
            found = repr(e)
        check(name, found == wanted, "%r instead of %r" % (found, wanted))
    for line, a, b, word in mutants:
        lines = text.split("\n")
        assert a in lines[line - 1] and abs(len(a) - len(b)) <= 1, (name, a)
        lines[line - 1] = lines[line - 1].replace(a, b, 1)
        run = stats("\n".join(lines))
        said = run.stderr.decode()
        at = [n for n in range(line, len(lines) + 2) if "%s:%d: " % (path, n) in said]
        check("%s, with %r" % (name, lines[line - 1]), run.returncode == 3 and at and at[0] <= line + 2 and word in said
              and not run.stdout, "%d %s" % (run.returncode, said))


def main():
    body = "fn=main\n1 5\n"
    case("version", "version: 1\n" + HEAD + body, [(own, {"main": 5})],
         (1, "1", "2", "version 2"), (1, "1", "x", "not a number"), (1, "v", "w", "not a line"), (1, ":", ";", "not a line"))
    case("version is the first header line", "# callgrind format\n\nversion: 1\ncreator: me 1.0\n" + HEAD + body,
         [(own, {"main": 5})], (3, "version: 1", "version: 1x", "not a number"))
    case("... or it is refused", HEAD + "version:\t1\n" + body, [], (2, "1", "1 ", "not the first line"))
    case("creator, cmd: any text", "creator: a: b=c #\n" + "cmd: ./a --b=(1) x\n" + HEAD + body,
         [(lambda t: parts(t)[0]["Command"], "./a --b=(1) x")], (1, "r:", "r;", "not a line"), (2, "cmd", "cmx", "not a line"))
    case("pid, thread, part", "pid: 12\nthread:3\npart: \t0x2\n" + HEAD + body,
         [(lambda t: [(p["PID"], p["Thread"], p["Part"]) for p in parts(t)], [(12, 3, 2)])],
         (1, "12", "1z", "process"), (2, "3", "-", "thread"), (3, "0x2", "x2", "part"))
    case("descriptions: two are shown, others are left out",
         "desc: Trigger: end\ndesc: Timerange: 0 - 5\ndesc: I1 cache: 32768 B, 64 B\ndesc: Unknown:\n" + HEAD + body,
         [(lambda t: (parts(t)[0]["Trigger"], parts(t)[0]["Timerange"]), ("end", "0 - 5"))],
         (4, ":\n"[:1], ";", "not a line"), (4, "n:", "n", "desc:"))
    case("a description's type may have blanks behind it", "desc:Trigger\t: end\ndesc: Timerange : 0 - 5\n" + HEAD + body,
         [(lambda t: (parts(t)[0]["Trigger"], parts(t)[0]["Timerange"]), ("end", "0 - 5"))], (2, " : ", " ; ", "desc:"))
    case("events", "events:\tIr  Dr\tDw \nfn=main\n1 1 2 3\n",
         [(own, {"main": 1}), (lambda t: own(t, "Dw"), {"main": 3})],
         (1, "Ir", "9r", "name of an event"), (1, "Dw ", "Dr ", "twice"), (1, "e", "f", "not a line"),
         (1, "Dw ", "D= ", "name of an event"))
    case("costs before events", "fn=main\nevents: Ir\n1 5\n", [(own, {"main": 5})], (2, "e", "#e", "no events"))
    case("positions: the line, when nothing is said", HEAD + "fn=main\n7 5\n", [(own, {"main": 5})],
         (3, "7 5", "7x5", "not a number"))
    case("positions: line", "positions: line\n" + HEAD + "fn=main\n7 5\n", [(own, {"main": 5})],
         (1, "line", "lime", "positions"), (1, ":", "", "not a line"))
    case("positions: instr", "positions: instr\n" + HEAD + "fn=main\n0x7f 5\n", [(own, {"main": 5})],
         (1, "instr", "instn", "positions"), (4, "0x7f", "x7f", "not a line"), (4, "0x7f", "0x7g", "not a number"))
    case("positions: instr line", "positions: instr line\n" + HEAD + "fn=main\n0x7f 3 5\n", [(own, {"main": 5})],
         (1, "instr l", "instrl", "positions"), (4, "3", "z", "not a number"))
    case("event: a long name", "event: Ir : Instructions, fetched\n" + HEAD + body, [(own, {"main": 5})],
         (1, "Ir", "1r", "name of an event"), (1, " :", " ;", "'=' or ':'"))
    computed = "event: Sum = Ir + 2 Dr + 3*Dw+10Ir : Long Name\nevents: Ir Dr Dw\nfn=main\n1 1 10 100\n"
    case("event: an expression and a long name", computed, [(lambda t: own(t, "Sum"), {"main": 331}), (own, {"main": 1})],
         (1, "2 Dr", "2 Dx", "no event"), (1, "+ 2", "- 2", "joined by"), (1, "3*Dw", "3/Dw", "no name"),
         (1, "10Ir", "10+r", "no name"), (1, "= ", "=+", "no name"))
    case("event: computed of a computed one, told later", "event: A = 2 B\n" + HEAD + "event: B = Ir + Ir\nfn=main\n1 3\n",
         [(lambda t: own(t, "A"), {"main": 12})], (3, "Ir +", "A +", "itself"))
    case("event: a factor of any base", "event: S = 0x10 * Ir\n" + HEAD + body, [(lambda t: own(t, "S"), {"main": 80})],
         (1, "* Ir", "* 1r", "no name"))
    case("an expression without a name", "event: S = Ir\n" + HEAD + body, [(lambda t: own(t, "S"), {"main": 5})],
         (1, "= Ir", "= r", "no event"))
    case("comments and empty lines anywhere", "# one\n\nevents: Ir\n#\n \t\nfn=main\n\n# x\n1 5\ncfn=f\n# y\ncalls=1 2\n\n# z\n1 7\n\n",
         [(own, {"main": 5, "f": 0}), (inclusive, {"main": 12, "f": 0}), (calls, {("main", "f"): (1, 7)})],
         (4, "#", "%", "not a line"))
    case("fewer counts are zero, a line without any too", "events: A B C\nfn=main\n1\n2 4\n3 0 0 9\n",
         [(lambda t: [own(t, e)["main"] for e in "ABC"], [4, 0, 9])], (5, "9", "x", "a count"))
    case("more counts than events", "events: A B\nfn=main\n1 2 3 \n", [(lambda t: own(t, "B"), {"main": 3})],
         (3, " 3 ", " 3 4", "more counts"))
    case("positions that come again add up", HEAD + "fn=main\n1 5\n1 5\n2 1\nfn=f\n1 1\nfn=main\n1 5\n", [(own, {"main": 16, "f": 1})],
         (4, "1 5", "1 5x", "a count"))
    case("a number is digits, in front of which zeros say nothing, or 0x and at least one more", HEAD + "fn=main\n007 010\n0x0 0x00a\n",
         [(own, {"main": 20})], (3, "010", "01a", "a count"), (4, "0x0 ", "0x ", "a line is not a number"), (4, "0x00a", "0X00a", "a count"),
         (3, "007", "_07", "not a line"))
    case("counts of base 16, tabs between", HEAD + "fn=main\n\t0x10\t0xfF\t\n", [(own, {"main": 255})],
         (3, "0xfF", "0xfG", "a count"), (3, "0x10", "0y10", "not a number"))
    # names
    case("ob, fl, fn", HEAD + "ob=/bin/x\nfl=a b.c\nfn=f(int, char*)\n1 5\n",
         [(lambda t: [(r["Object"], r["File"], r["Function"]) for r in table(t, "callgrind_self")], [("/bin/x", "a b.c", "f(int, char*)")])],
         (2, "ob=", "ov=", "not a line"), (3, "fl=", "fj=", "not a line"), (4, "fn=", "fn", "not a line"))
    case("an empty name", HEAD + "fl=\nfn=\n1 5\n", [(own, {"???": 5})], (3, "fn=", "fn-", "not a line"))
    case("costs without a function", HEAD + "1 5\n", [(own, {"???": 5})], (2, "1", "a", "not a line"))
    case("a name in brackets is a name", HEAD + "fn=(below main)\n1 5\n", [(own, {"(below main)": 5})],
         (2, "(b", "(1", "not closed") )
    case("numbered names, three tables", HEAD + "ob=(1) o\nfl=(1) a.c\nfn=(1) main\n1 5\ncob=(2) p\ncfi=(2) b.c\ncfn=(2) f\ncalls=1 3\n1 9\n"
         "ob=(2)\nfl=(2)\nfn=(2)\n3 9\n",
         [(lambda t: [(r["Object"], r["File"], r["Function"], r["Self Ir"]) for r in table(t, "callgrind_self")],
           [("p", "b.c", "f", 9), ("o", "a.c", "main", 5)]), (calls, {("main", "f"): (1, 9)})],
         (11, "(2)", "(3)", "(3) has no name"), (12, "(2)", "(9)", "(9) has no name"), (13, "(2)", "(4)", "(4) has no name"),
         (13, "(2)", "(2", "not closed"), (6, "(2) p", "(1) p", "another name"))
    case("a number of base 16 for a name, defined beside it", HEAD + "fn=(0x1f)main\n1 5\nfn=(31)\n1 6\n", [(own, {"main": 11})],
         (4, "31", "32", "(32) has no name"))
    case("numbers of files are one table: fl, fi, fe, cfl, cfi and jfi; those of functions: fn, cfn and jfn",
         HEAD + "fl=(1) a.c\nfn=(1) f\n1 1\nfi=(2) a.h\n2 2\nfe=(1)\n3 4\ncfl=(2)\ncfn=(2) g\ncalls=1 1\n3 8\ncfi=(2)\ncfn=(2)\ncalls=1 1\n4 8\n"
         "jfi=(2)\njfn=(2)\njump=1 9\n4\nfl=(2)\nfn=(2)\n1 16\n",
         [(files, {("a.c", "f"): 5, ("a.h", "f"): 2, ("a.h", "g"): 16}), (calls, {("f", "g"): (2, 16)})],
         (7, "(1)", "(3)", "(3) has no name"), (9, "(2)", "(3)", "(3) has no name"), (13, "(2)", "(3)", "(3) has no name"),
         (13, "cfi", "cfj", "not a line"), (14, "(2)", "(3)", "(3) has no name"), (17, "(2)", "(3)", "(3) has no name"),
         (18, "(2)", "(3)", "(3) has no name"))
    case("blanks behind '=', and between a number and its name", HEAD + "fl=\t a.c\nfn= (1) \t main\n1 5\ncfn= f\ncalls= \t1\t2\n1 6\nfn= (1)\n1 7\n",
         [(own, {"main": 12, "f": 0}), (files, {("a.c", "main"): 12}), (calls, {("main", "f"): (1, 6)})],
         (3, "1)", "1]", "not closed"), (6, "1\t", "1", "a line is not a number"), (8, "(1)", "(1", "not closed"))
    case("a number that is not closed", HEAD + "fn=(1) main\n1 5\n", [(own, {"main": 5})], (2, "(1)", "(1x", "not closed"))
    check("(ID) before its definition is an error with the line's number",
          "%s:3: (7) has no name yet" % path in stats(HEAD + "fn=main\nfl=(7)\n").stderr.decode())
    # positions
    case("relative positions", "positions: instr line\n" + HEAD + "fn=main\n0x1000 10 1\n+3 * 1\n* +5 1\n-0x3 -15 1\n",
         [(own, {"main": 4})], (7, "-15", "-16", "below 0"), (5, "+3", "+z", "a difference"), (6, "*", "**", "'*' alone"), (5, "+3", "+ ", "no number"),
         (7, "-0x3", "-0xz", "a difference"))
    case("relative to the last cost line, calls and jumps too",
         HEAD + "fn=main\n100 1\ncfn=f\ncalls=2 +20\n+10 7\njump=3 -50\n-50 \n-60 1\n",
         [(own, {"main": 2, "f": 0}), (calls, {("main", "f"): (2, 7)})], (9, "-60", "-61", "below 0"),
         (7, "-50", "-5x", "a difference"))
    case("an address of 64 bits, and no more", "positions: instr\n" + HEAD + "fn=f\n0xffffffffffffffff 1\n", [(own, {"f": 1})],
         (4, "0xf", "0xff", "64 bits"))
    # calls
    extended = ("events: Instructions\nfl=file1.c\nfn=main\n16 20\ncfn=func1\ncalls=1 50\n16 400\ncfl=file2.c\ncfn=func2\ncalls=3 20\n"
                "16 400\n\nfn=func1\n51 100\ncfl=file2.c\ncfn=func2\ncalls=2 20\n51 300\n\nfl=file2.c\nfn=func2\n20 700\n")
    case("the example of the format's text", extended,
         [(lambda t: own(t, "Instructions"), {"main": 20, "func1": 100, "func2": 700}),
          (lambda t: inclusive(t, "Instructions"), {"main": 820, "func1": 400, "func2": 700}),
          (lambda t: calls(t, "Instructions"), {("main", "func1"): (1, 400), ("main", "func2"): (3, 400), ("func1", "func2"): (2, 300)}),
          (lambda t: {r["Function"]: r["Called"] for r in table(t, "callgrind_self")}, {"main": 0, "func1": 1, "func2": 5}),
          (lambda t: files(t, "Instructions"), {("file1.c", "main"): 20, ("file1.c", "func1"): 100, ("file2.c", "func2"): 700})],
         (6, "calls", "cells", "not a line"), (6, "1 50", "1x50", "number of calls"), (6, " 50", " 5o", "not a number"),
         (7, "16", "x6", "not a line"), (5, "cfn", "cfx", "not a line"), (8, "cfl", "cfk", "not a line"), (7, "400", "40x", "a count"))
    case("cob, cfl and cfn hold for one call", HEAD + "ob=o\nfl=a.c\nfn=main\n1 1\ncob=p\ncfl=b.c\ncfn=f\ncalls=1 2\n1 3\ncfn=g\ncalls=1 2\n1 4\n",
         [(lambda t: sorted((r["Function"], r["File"], r["Object"]) for r in table(t, "callgrind_self")),
           [("f", "b.c", "p"), ("g", "a.c", "o"), ("main", "a.c", "o")])], (6, "cob", "cop", "not a line"))
    case("a call without a name is one of itself", HEAD + "fn=f\n1 1\ncfn=g\ncalls=1 1\n1 2\ncalls=4 1\n1 5\n",
         [(calls, {("f", "g"): (1, 2), ("f", "f"): (4, 5)}), (inclusive, {"f": 3, "g": 0})], (6, "2", "y", "a count"))
    case("a call wants its costs", HEAD + "fn=f\ncfn=g\ncalls=1 1\n1 2\n", [(calls, {("f", "g"): (1, 2)})], (5, "1", "#", "before the costs"))
    case("... next", HEAD + "fn=f\ncalls=1 1\n1 2\nfn=g\n1 1\n", [(own, {"f": 0, "g": 1})], (4, "1", "#", "are missing"))
    case("more positions of a callee than of costs", HEAD + "fn=f\ncfn=g\ncalls=1 0 0\n1 2\n", [(calls, {("f", "g"): (1, 2)})],
         (4, "0 0", "0 x", "a position"))
    # files inside a function
    case("fi and fe change the file within a function, fn ends that",
         HEAD + "fl=a.c\nfn=f\n1 1\nfi=a.h\n2 2\nfe=a.c\n3 4\nfi=b.h\n4 8\nfn=g\n5 16\n",
         [(own, {"f": 15, "g": 16}), (files, {("a.c", "f"): 5, ("a.h", "f"): 2, ("b.h", "f"): 8, ("a.c", "g"): 16})],
         (5, "fi", "fo", "not a line"), (7, "fe", "fd", "not a line"))
    # jumps
    case("jumps as valgrind writes them", "positions: instr line\n" + HEAD + "fl=a.c\nfn=f\n0x10 1 1\njump=5 0x20 7\n0x10 1\n"
         "jfi=b.c\njfn=g\njcnd=3/9 0x30 8\n* *\n+1 * 1\n", [(own, {"f": 2})],
         (6, "5", "f", "number of jumps"), (6, "jump", "jumo", "not a line"), (10, "/", " ", "parted by '/'"),
         (9, "jfn", "jfm", "not a line"), (8, "jfi", "jfj", "not a line"), (10, "jcnd", "jcnx", "not a line"), (11, "* *", "* x", "not a number"))
    # sums
    case("summary: and totals:", "events: Ir Dr\nsummary: 10 4\nfn=main\n1 5\ntotals: 5\n", [(own, {"main": 5}),
         (lambda t: table(t, "callgrind_self")[0]["Self (%)"], 50.0)],
         (2, "10", "1o", "a count"), (5, "t", "p", "not a line"), (5, "5", "z", "a count"))
    said = stats("events: Ir\nsummary: 10\nfn=main\n1 5\n").stderr.decode()
    check("a summary that is not the sum is said", "says 10 Ir in all, its lines add up to 5" in said, said)
    said = stats("events: Ir\nsummary: 5\nfn=main\n1 5\n").stderr.decode()
    check("... one that is is not", said == "", said)
    case("summary: before events:", "events: Ir\nsummary: 5\nfn=main\n1 5\n", [], (1, "events: Ir", "#vents: Ir", "no events"))
    case("Cachegrind: summary: at the end", "desc: I1 cache: 1 B\ncmd: ls\nevents: Ir I1mr\nfl=a.c\nfn=f\n1 5 1\nsummary: 5 1\n",
         [(own, {"f": 5}), (lambda t: len(parts(t)), 1)], (7, "5 1", "5,1", "a count"))
    big = 2**64 - 1
    case("sums of more than 64 bits", HEAD + "fn=main\n1 %d\n2 %d\n" % (big, big), [(own, {"main": str(2 * big)})],
         (3, str(big), str(big + 1), "64 bits"))
    # parts
    two = ("version: 1\ncreator: x\npid: 1\npart: 1\npositions: instr line\nevents: Ir Dr\nfl=(1) a.c\nfn=(1) f\n0x10 1 5 2\n"
           "totals: 5 2\n\npid: 1\npart: 2\nevents: Dr Bc\nfn=(1)\n7 3 9\ntotals: 3 9\n")
    case("parts with other events and positions; names are numbered on", two,
         [(lambda t: [sum(r["Self " + e] for r in table(t, "callgrind_self")) for e in ("Ir", "Dr", "Bc")], [5, 5, 9]),
          (lambda t: [p["Part"] for p in parts(t)], [1, 2]),
          (lambda t: [p["Dr"] for p in parts(t)], [2, 3])],
         (15, "(1)", "(2)", "(2) has no name"), (16, "3 9", "3 z", "a count"))
    case("a part's numbers may be used anew", two.replace("fn=(1)\n7", "fn=(1) g\n7"), [(lambda t: sorted(own(t)), ["f", "g"])],
         (8, "(1)", "(1", "not closed"))
    case("any line of a header begins a part behind costs, as in Cachegrind's files one behind the other",
         "".join(line + "\n" + HEAD + body for line in ("desc: Trigger: one", "desc: Trigger: two", "event: S = 2 Ir", "arch: x")),
         [(lambda t: [p["Trigger"] for p in parts(t)], ["one", "two", "???", "???"]), (lambda t: own(t, "S"), {"main": 40})],
         (5, "desc", "besc", "not a line"), (9, "Ir", "Ix", "no event"))
    case("a part wants its events", two, [], (14, "e", "#e", "no events"))
    # lines
    case("lines that end with CR LF", HEAD.replace("\n", "\r\n") + "fn=main\r\n1 5\r\n", [(own, {"main": 5})], (2, "fn", "fm", "not a line"))
    case("the last line without an end", HEAD + "fn=main\n1 5", [(own, {"main": 5})], (3, "5", "z", "a count"))
    run = stats("version: 1\n")
    check("no events at all", run.returncode == 3 and "without an events: line" in run.stderr.decode(), run)
    run = stats("")
    check("an empty file is called that", run.returncode == 3 and ("%s is empty" % path) in run.stderr.decode(), run)
    # the tool
    check("--from is refused", stats(HEAD + body, "--from=1ms").returncode == 2)
    check("an unknown report is refused", stats(HEAD + body, "-r", "opencl_api_sum").returncode == 2)
    check("a pattern chooses reports", stats(HEAD + body, "-r", "callgrind_c*,callgrind_self").stdout.decode().count("**") == 2)
    for form in ("table", "csv", "json", "markdown"):
        run = stats(HEAD + body, "--format=" + form)
        check("--format=" + form, run.returncode == 0 and b"main" in run.stdout, run)


with tempfile.TemporaryDirectory() as folder:
    path = folder + "/case.callgrind"
    main()
print("%d passed, %d failed" % (passed, failed))
raise SystemExit(failed > 0)
