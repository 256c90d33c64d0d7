"""tests/e2e/internals.py - docs/internals.md against the sources, and against a debugger

As a script:        internals.py names|stacks|count FILE.md
Inside of gdb:      the variables `want` (a Python list of function names) and `file` (of the last) are set, then `source internals.py`

A path in docs/internals.md is a table whose rows begin with | `function` | `file` |. A line "<!-- stack: NAME -->" in front
of one promises that its functions are on one stack, outermost first, in the run that tests/e2e/internals.sh makes for NAME.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import sys

ROW = re.compile(r"^\| `(\w+)` \| `([\w./*-]+)` \|")
STACK = re.compile(r"^<!-- stack: ([\w-]+) -->$")


def tables(path):
    """[(name of the stack or None, [(function, file)])]"""
    found, name, rows = [], None, []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() + [""]:
        row, mark = ROW.match(line), STACK.match(line)
        if mark:
            name = mark.group(1)
        elif row:
            rows.append(row.groups())
        elif rows:
            found.append((name, rows))
            name, rows = None, []
    return found


def on_stack():
    import gdb
    names, frame = [], gdb.newest_frame()
    while frame:
        names.append((frame.name() or "").split("(")[0])
        frame = frame.older()
    return names[::-1]


def in_order(wanted, names):
    rest = iter(names)
    return all(name in rest for name in wanted)


def body_of(function, path):
    """FILE:LINE of its first statement."""
    lines = (pathlib.Path(__file__).resolve().parents[2] / path).read_text(encoding="utf-8").splitlines()
    head = next(n for n, line in enumerate(lines) if re.match(r"\w.*\b%s\(" % function, line) and not line.endswith(";"))
    return "%s:%d" % (path, next(n for n, line in enumerate(lines) if n > head and line == "{") + 2)


def look(wanted, place):
    """Stops at the place until the functions are on the stack. (found, the nearest that there was)"""
    import gdb
    stop, best = gdb.Breakpoint(place), []
    gdb.execute("run")
    for _ in range(4000):
        try:
            names = on_stack()
        except gdb.error:
            break                       # the program has ended
        if in_order(wanted, names):
            return True, names
        if len([n for n in wanted if n in names]) > len([n for n in wanted if n in best]):
            best = names
        gdb.execute("continue")
    stop.delete()
    return False, best


def debug(wanted, path):
    import gdb
    for line in ("set pagination off", "set confirm off", "set breakpoint pending on", "set startup-with-shell off"):
        gdb.execute(line)
    found, best = look(wanted, wanted[-1])
    if not found and not best and (pathlib.Path(__file__).resolve().parents[2] / path).exists():
        # gcc 10 puts a function into its one caller and leaves nothing of that name: its first line is there.
        found, best = look(wanted[:-1], body_of(wanted[-1], path))
    print(("FOUND " if found else "NOT FOUND; the nearest: ") + " > ".join(wanted if found else best))


def main():
    what, path = sys.argv[1:3]
    if what == "stacks":
        for name, rows in tables(path):
            if name:
                print(name, rows[-1][1], *[function for function, _ in rows])
    elif what == "count":
        print(sum(len(rows) for _, rows in tables(path)))


if "want" in globals():
    debug(globals()["want"], globals()["file"])
elif __name__ == "__main__":
    main()
