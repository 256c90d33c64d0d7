#!/usr/bin/env bash
# tests/cli/hostile.sh - whatever a program calls its things, no output obeys it: one hostile text through all of them
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
name=$'e\e[31m\x9b\nvil'
"$GPUTAP_BUILD/tests/golden/build" hostile "$GPUTAP_BUILD/gen/table.txt" "$name.gputap" || exit 1
mkdir out
# A program, its place, arguments and files under such names, on the stand-in runtime; what calls come from it says its module.
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
mkdir "$name"; program=$name/$name
strip -o "$program" "$GPUTAP_BUILD/tests/e2e/cl_sycl" 2>/dev/null || cp "$GPUTAP_BUILD/tests/e2e/cl_sycl" "$program"
"$gputap" run -o "real$name" -t opencl,nvtx,osrt --callstacks --osrt-threshold=0 --osrt-args -- "./$program" "$name" "=1+2" >/dev/null 2>out/run
"$gputap" run -q -o "files$name" -t osrt --callstacks --osrt-threshold=0 --osrt-backtrace-threshold=0 --osrt-args -- sh -c 'cat "$0" "$0.none"' "$name.gputap/run" \
	>/dev/null 2>&1
all=$("$gputap" stats -r x "$name.gputap" 2>&1 | sed -n 's/.*known: //p' | tr ' ' ,)
# outputs TRACE PREFIX: everything that can be made of it, as files that people or their tools read line by line
outputs() {
	local trace=$1 o=out/$2 f
	for f in table markdown csv json; do "$gputap" stats -r "$all" --format "$f" "$trace" >"$o.stats.$f" 2>"$o.stats.$f.err"; done
	for f in process thread line stack; do "$gputap" stats --by=$f "$trace" >"$o.by.$f" 2>"$o.by.$f.err"; done
	for f in info dump; do
		"$gputap" $f "$trace" >"$o.$f" 2>"$o.$f.err"
		"$gputap" $f --json "$trace" >"$o.$f.json" 2>"$o.$f.json.err"
	done
	for f in details raw; do
		"$gputap" report --page $f "$trace" >"$o.report.$f" 2>"$o.report.$f.err"
		"$gputap" report --page $f --csv "$trace" >"$o.report.$f.csv" 2>"$o.report.$f.csv.err"
	done
	"$gputap" info --threads "$trace" >"$o.threads" 2>"$o.threads.err"
	for f in $forms; do "$gputap" export -e "$f" -o "$o.file" "$trace" >"$o.export.$f" 2>"$o.export.$f.err"; done
	for f in "$o".file*.ncu-rep; do
		"$gputap" report "$f" >"$o.read" 2>"$o.read.err"
		"$gputap" info "$f" >"$o.read.info" 2>&1
		"$gputap" report --page raw --metrics "x$name" "$f" >"$o.read.metric" 2>&1
		"$gputap" report --page raw --rule "$name" --section "$name" "$f" >"$o.read.rule" 2>&1
	done
	for f in "$o".file*.callgrind; do "$gputap" stats "$f" >"$o.profile" 2>"$o.profile.err"; done
}
forms=$("$gputap" export -e x "$name.gputap" 2>&1 | sed -n 's/.*one of: //p')
outputs "$name.gputap" built
outputs "real$name.gputap" real
outputs "files$name.gputap" files
"$gputap" export -e atp -o "out/$name" "$name.gputap" >out/export.path 2>&1; rm -f "out/$name"*
for c in "stats -r nonsense" "info" "dump" "export -e atp" "export -e nonsense"; do
	# shellcheck disable=SC2086
	"$gputap" $c "no$name" >out/error."${c//[ -]/_}" 2>&1
done
"$gputap" "$name" >out/error.command 2>&1
"$gputap" run -o out/r -- "./no$name" >out/error.run 2>&1
rm -rf out/r*.gputap
python3 - <<'END'
import os, re, sys

bad, seen = 0, 0
import sqlite3
for f in sorted(os.listdir("out")):
    text = open(os.path.join("out", f), "rb").read()
    if f.endswith(".sqlite"):         # these two have rules of their own: whole, and UTF-8
        db = sqlite3.connect(os.path.join("out", f))
        for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            try:
                db.execute('SELECT * FROM "%s"' % table).fetchall()
            except sqlite3.Error as e:
                bad += 1
                print("FAILED: %s, %s: %s" % (f, table, e))
        continue
    if f.endswith((".pftrace", ".ncu-rep")):
        if re.search(rb"\xff\xc0\x80|\[31m\x9b", text):
            bad += 1
            print("FAILED: %s holds what is no UTF-8" % f)
        continue
    seen += re.search(rb"\\(x1b|u001b|033)", text) is not None
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as e:
        bad += 1
        print("FAILED: %s is no UTF-8: %s" % (f, e))
        decoded = text.decode("latin-1")
    if f.endswith(".atp"):            # a tab parts two cells of a call's place
        decoded = re.sub("(?m)^(\w+)\t(?=[^\t\n]*$)", r"\1 ", decoded)
    found = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", decoded)
    if found:
        bad += 1
        print("FAILED: %s holds %r in %r" % (f, found.group(), decoded[max(0, found.start() - 30):found.end() + 30]))
markdown = open("out/built.stats.markdown").read()
if re.search(r"(?<!\\)\[link(?<!\\)\]\(", markdown):
    bad += 1
    print("FAILED: a link in markdown")
import csv
cells = [cell for row in csv.reader(open("out/built.stats.csv", newline="")) for cell in row if "1+2" in cell]
formulas = [cell for cell in cells if cell[0] in "=+-@"]
if formulas or sum(cell.startswith("'=1+2") for cell in cells) < 20:
    bad += 1
    print("FAILED: a formula in %d CSV cells of %d: %.80r" % (len(formulas), len(cells), formulas))
marker = re.findall(r"clBeginPerfMarker +(literal\S+)", open("out/built.file.atp").read())
if set(marker) != {"literal&nbsp;&amp;nbsp;&nbsp;and&nbsp;blank"}:
    bad += 1
    print("FAILED: a literal &nbsp; became %s" % marker)
if seen < 55:
    bad += 1
    print("FAILED: only %d outputs show the text" % seen)
print("%d outputs, %d with the text, %d failed" % (len(os.listdir("out")), seen, bad))
sys.exit(bad != 0)
END
