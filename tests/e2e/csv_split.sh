#!/usr/bin/env bash
# tests/e2e/csv_split.sh - counter files whose lines readers would not take are split by section, and a note says so
#
# On the stand-in machine, which counts whatever it is asked for: the line of names can be made as long as one likes.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
export GPUTAP_DEPLOY=false
counted() { rm -f t*.csv; traced --summary=none --cupti "$gpu/lib/libcupti.so.13" -e csv "$@" -- "$examples/vector_add"; }
# names COUNT LENGTH [LAST]: so many metrics, with names of LENGTH bytes; the last one of LAST
names() { python3 -c '
import sys
count, length, last = (int(n) for n in (sys.argv[1:] + sys.argv[2:])[:3])
print(",".join(("sm__m%03d_" % i).ljust((last if i == count - 1 else length) - 4, "x") + ".sum" for i in range(count)))' "$@"; }
longest() { awk '!/^#/ && length($0) > n {n = length($0)} END {print n + 0}' "$1"; }
# Each file is one that readers take, and all columns of one section and no other are in it.
readable() { for f in t*.csv; do python3 "$GPUTAP_TESTS/golden/csv_parse.py" "$f" || return 1; done; }
# columns FILE...: their names but for the fixed ones
columns() { for f; do grep -v '^#' "$f" | head -n 1 | tr -d ' ' | tr , '\n' | grep __; done; }
# The values of a launch are those of the report, in whatever file they are.
values() { "$tap" report --cupti "$gpu/lib/libcupti.so.13" --page raw --csv t.gputap 2>/dev/null | python3 -c '
import csv, sys
own = [row for row in csv.DictReader(sys.stdin) if row["ID"]]
bad, cells = [], 0
for path in sys.argv[1:]:
    lines = [line for line in open(path) if not line.startswith("#")]
    names = [n.strip() for n in lines[0].split(",")]
    for row, line in zip(own, lines[1:]):
        for name, cell in zip(names, line.split(",")):
            if not name.startswith("sm__") or name not in row:
                continue
            cells += 1
            if abs(float(cell) - float(row[name])) > 0.006:
                bad.append("%s %s: %s, not %s" % (path, name, cell.strip(), row[name]))
sys.exit("\n".join(bad) if bad else 0 if cells else "no cell was compared")' t*.csv; }

counted --metrics "$(names 20 40)"
size=$(longest t.csv)
last=$((40 + 2047 - size))
while [ $last -gt 100 ]; do last=$((last - 42)); count=$((${count-20} + 1)); done
counted --metrics "$(names "${count-20}" 40 $last)"
check "a file whose longest line has 2047 bytes" [ "$(longest t.csv)" = 2047 ]
check "is one file" [ "$(echo t*.csv)" = t.csv ]
check "and readers take it" readable
check "nothing is said of it" eval "! grep -q 'would have lines' t.err"
columns t.csv | sort >all

counted --metrics "$(names "${count-20}" 40 $((last + 1)))"
check "with a line of 2048 bytes it is no file" [ ! -e t.csv ]
check "but several: what no section names that was asked for goes into Others" [ -e t.Others.csv ]
check "readers take each of them" readable
check "a note names them" said 'note: t.csv would have lines of 2048 bytes or more, which its readers do not take: it is written as t\.'
check "each is named" eval "for f in t.*.csv; do said \"\$f\" || exit 1; done"
columns t*.csv | sed 's/x*\.sum$//' | sort -u >these
check "they have all columns" diff <(sed 's/x*\.sum$//' all | sort -u) these
check "and the values of the report" values
exported() { "$tap" export -e csv --cupti "$gpu/lib/libcupti.so.13" -o t "$@" t.gputap >/dev/null 2>said; }
exported
check "they are not replaced unless asked for" [ $? -eq 4 ]
check "with -q nothing is said" eval "[ -z \"\$('$tap' export -q -f -e csv --cupti '$gpu/lib/libcupti.so.13' -o t t.gputap 2>&1)\" ]"

# What an earlier export left would be taken for a part of this one; what others wrote stays, whatever its name.
cp -r t.gputap long.gputap
parts=$(echo t.*.csv)
traced --summary=none -- "$examples/vector_add"
for f in t.mine.csv t.csv.old t.Others.bak t.Mine.Others.csv; do echo 'mine, of all days' >$f; done
cp t.Others.csv t.foo.csv
printf '#ProfileFileVersion=5.6\n#ProfilerVersion=5.6.0\n#DisplayName=t.one\nMethod\n' >t.one.csv
others=$(echo t.mine.csv t.csv.old t.Others.bak t.Mine.Others.csv t.foo.csv t.one.csv)
sha256sum $others >sums
exported
check "one file is not put beside those of sections" [ $? -eq 4 ]
check "the line names one" grep -q 't\.[A-Za-z]*\(\.2\)\?\.csv: exists already' said
check "and nothing was written" [ ! -e t.csv ]
exported -f
check "with -f it takes their place" [ -e t.csv ]
check "and none of them is left" eval "! ls $parts 2>/dev/null | grep -q ."
check "files of others are as they were" sha256sum --status -c sums
rm -r t.gputap
mv long.gputap t.gputap
exported
check "those of sections are not put beside one file" [ $? -eq 4 ]
exported -f
check "with -f they take its place" [ ! -e t.csv ]
check "and all of them are there" eval "ls $parts >/dev/null"
check "files of others are as they were then too" sha256sum --status -c sums
sed -e 's/^#CounterSection=.*/#CounterSection=Gone.2/' t.Others.csv >t.Gone.2.csv
echo 'mine, of all days' >t.csv
exported -f
check "a file of a section that is not there any more goes" [ ! -e t.Gone.2.csv ]
check "what is no counter file stays under any name" grep -q mine t.csv
check "and a note says so" grep -q "t.csv is no counter file of gputap's, and stays" said
rm -f $others t.csv

# A pattern of a section's body names columns there as it does on the page.
mkdir sections
printf 'Identifier: "Picked"\nDisplayName: "Picked"\nBody {\n  Items {\n    Table {\n      Columns: 1\n      Metrics {\n        Name: "regex:sm__m00[0-4]_x*.sum"\n      }\n    }\n  }\n}\n' >sections/picked.section
counted --section-folder sections --section Picked --metrics "$(names "${count-20}" 40 $((last + 1)))"
check "a pattern's columns are in its section's file" [ "$(columns t.Picked.csv | grep -c '^sm__m00[0-4]')" = 5 ]
check "and not among the others" eval "! columns t.Others.csv | grep -q '^sm__m00[0-4]'"
check "which readers take" readable

counted --metrics "$(names 100 60)"
check "what does not fit into one file of a section goes into further ones" [ -e t.Others.2.csv ]
check "which readers take" readable
check "with all columns" [ "$(columns t*.csv | grep -c '^sm__m[0-9]')" = 100 ]
check "and their values" values

counted --set full
check "the set full is split by its sections" ls t.SourceCounters.csv t.MemoryWorkloadAnalysis.csv
check "each column once in its section's file" eval "! columns t.MemoryWorkloadAnalysis.csv | sort | uniq -d | grep -q ."
check "and readers take all of them" readable
check "no counter is left out" eval "! grep -q CountersLeftOut t*.csv"

# Head lines too.
rm -f t*.csv
LONG=$(printf '%03000d' 0) traced --summary=none --env LONG -e csv,occupancy -- "$examples/vector_add" "$(printf '%03000d' 1)"
check "lines of the head are cut where readers end" eval "awk 'length(\$0) > 2047 {bad = 1} length(\$0) == 2047 {n++} END {exit bad || !n}' t.csv t.occupancy"
finish
