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
all=$("$gputap" stats -r x "$name.gputap" 2>&1 | sed -n 's/.*known: //p' | tr ' ' ,)
for f in table markdown csv; do "$gputap" stats -r "$all" --format "$f" "$name.gputap" >"out/stats.$f" 2>"out/stats.$f.err"; done
"$gputap" info "$name.gputap" >out/info 2>out/info.err
"$gputap" dump "$name.gputap" >out/dump 2>out/dump.err
for form in atp apilog; do
	"$gputap" export -e $form -o out/file "$name.gputap" >out/export.$form 2>out/export.$form.err
done
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
for f in sorted(os.listdir("out")):
    text = open(os.path.join("out", f), "rb").read()
    seen += re.search(rb"\\(x1b|u001b|033)", text) is not None
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as e:
        bad += 1
        print("FAILED: %s is no UTF-8: %s" % (f, e))
        decoded = text.decode("latin-1")
    found = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", decoded)
    if found:
        bad += 1
        print("FAILED: %s holds %r in %r" % (f, found.group(), decoded[max(0, found.start() - 30):found.end() + 30]))
markdown = open("out/stats.markdown").read()
if re.search(r"(?<!\\)\[link(?<!\\)\]\(", markdown):
    bad += 1
    print("FAILED: a link in markdown")
import csv
names = [row for row in csv.reader(open("out/stats.csv", newline="")) if any("1+2" in cell for cell in row)]
ours = open("out/stats.csv").read()
if not names or "'=1+2" not in ours:
    bad += 1
    print("FAILED: a formula in a CSV cell")
marker = re.findall(r"clBeginPerfMarker +(literal\S+)", open("out/file.atp").read())
if set(marker) != {"literal&nbsp;&amp;nbsp;&nbsp;and&nbsp;blank"}:
    bad += 1
    print("FAILED: a literal &nbsp; became %s" % marker)
if seen < 12:
    bad += 1
    print("FAILED: only %d outputs show the text" % seen)
print("%d outputs, %d with the text, %d failed" % (len(os.listdir("out")), seen, bad))
sys.exit(bad != 0)
END
