"""privacy_check.py GPUTAP TRACE PAGE WORD=TEXT... - what docs/privacy.md says each output holds is what each output holds

WORD: with which the first column of a row begins; TEXT: what the traced program and its machine had there. Every format and
every command that reads a trace is made of it and searched; the third column names those, and no others, that hold the text.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import subprocess
import sys

tool, trace, page, *words = sys.argv[1:]
FORMATS = {"atp": "`.atp`", "apilog": "API log", "sqlite": "SQLite", "perfetto": "Perfetto", "callgrind": "callgrind", "folded": "folded",
           "occupancy": "occupancy", "csv": "csv", "ncu-rep": "`.ncu-rep`"}
COMMANDS = {"info": ["info"], "dump": ["dump"], "stats": ["stats", "-q"], "report": ["report"], "report --page source": ["report", "--page", "source"],
            "metrics": ["metrics"]}


def outputs():
    """{its word on the page: bytes}"""
    offered = re.search(r"files to write: ([\w -]+)", subprocess.run([tool, "export", "--help"], capture_output=True, text=True, check=True).stdout)
    assert set(offered.group(1).split()) == set(FORMATS), offered.group(1)
    out = {}
    for name, word in FORMATS.items():
        folder = pathlib.Path("made-" + name)
        folder.mkdir(exist_ok=True)
        subprocess.run([tool, "export", "-q", "-f", "-e", name, "-o", str(folder / "x"), trace], check=True)
        out[word] = b"".join(f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file())
    for word, arguments in COMMANDS.items():
        out["`%s`" % word] = subprocess.run([tool, *arguments, trace], capture_output=True, check=True).stdout
    return out


def named(cell):
    """The outputs that a cell names, longest names first: `report --page source` is not `report`."""
    found = set()
    for word in sorted([*FORMATS.values(), *("`%s`" % c for c in COMMANDS)], key=len, reverse=True):
        if re.search(r"(?<![\w.])%s(?![\w.])" % re.escape(word), cell):
            found.add(word)
            cell = cell.replace(word, "")
    return found


def main():
    rows = [[c.strip() for c in line.strip().strip("|").split("|")] for line in pathlib.Path(page).read_text(encoding="utf-8").splitlines()
            if line.startswith("| ")]
    made, wrong = outputs(), []
    for word, text in (w.split("=", 1) for w in words):
        row = next(r for r in rows if r[0].startswith(word))
        holds = {name for name, data in made.items() if text.encode() in data}
        if not holds or named(row[2]) != holds:
            wrong.append("%s: the page names %s, but %s hold it" % (word, ", ".join(sorted(named(row[2]))), ", ".join(sorted(holds))))
    print(*wrong or ["%d kinds of facts in %d outputs" % (len(words), len(made))], sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
