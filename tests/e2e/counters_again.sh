#!/usr/bin/env bash
# tests/e2e/counters_again.sh - counters that several runs of the program collect: --replay-mode=application --reruns
#
# On the stand-in machine, where eight metrics make a pass. It refuses an image whose passes came in another order, were
# counted of different launches, or are not all there: a value is one of an image that went through all the runs.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
metrics=$(printf 'sm__part_%02d.sum,' {1..20} | sed 's/,$//')     # three passes
answer() { python3 -c 'import sys; print(sum(map(ord, sys.argv[1])) + int(sys.argv[2]))' "$@"; }
counted() { traced --summary=none --cupti "$cupti" --metrics "$metrics" --replay-mode=application "$@"; }
report() { timeout 30 "$tap" report --cupti "$cupti" --page raw --csv --launch-count 0 "${2-t.gputap}" 2>said >"$1"; }
# values THREADS: each launch that was counted has the first and the last metric of so many threads
values() { report rows; python3 - "$@" "$(answer sm__part_01.sum "$1")" "$(answer sm__part_20.sum "$1")" <<'END'
import csv, sys
rows = [r for r in csv.DictReader(open("rows", encoding="utf-8")) if r["ID"]]
have = {(r.get("sm__part_01.sum", "").replace(",", ""), r.get("sm__part_20.sum", "").replace(",", "")) for r in rows}
sys.exit(0 if have == {tuple(sys.argv[-2:])} else f"{have}")
END
}
# with_value N: so many launches have values
with_value() { report rows; [ "$(python3 -c '
import csv
print(sum(1 for r in csv.DictReader(open("rows", encoding="utf-8")) if r["ID"] and r.get("sm__part_20.sum", "")[:1].isdigit()))')" = "$1" ]; }
complete() { grep -q 'complete: yes' t.err; }

# The runs
cat >again <<'END'
#!/bin/sh
cat >>read
echo "$$" >>runs
exec "$@"
END
chmod +x again
echo "some words" >input
counted --reruns -- ./again "$examples/vector_add" <input
check "three passes are three runs of the program" [ "$(wc -l <runs)" = 3 ]
check "the status is the first run's" status 0
check "the output too, and once" [ "$(cat t.out)" = "vector_add: 1000 values, 0 wrong" ]
check "each reads the same from a file" [ "$(cat read)" = "$(printf 'some words\nsome words\nsome words')" ]
check "the runs are told" said 'GH100: 20 metrics are counted in 3 runs of the program'
check "nothing is lost" complete
check "the values are those of an image with all three passes" values 1024
check "the trace holds the kernel of the first run alone" [ "$("$tap" dump t.gputap | grep -c '^cuda kernel')" = 1 ]
check "no trace of a later run is left" [ -z "$(ls -d t.run* 2>/dev/null)" ]
"$tap" info t.gputap >out 2>&1
check "info tells of the runs" grep -q '20 metrics in 3 passes, one in each run of the program' out
"$tap" run -q -f -o u --pack --summary=none --cupti "$cupti" --metrics "$metrics" --replay-mode=application --reruns -- "$examples/vector_add" >/dev/null 2>&1
report packed u.gputap
report rows
check "a packed trace has the same values" [ "$(tail -n 1 packed | cut -d, -f10-)" = "$(tail -n 1 rows | cut -d, -f10-)" ]
"$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said
check "a report file holds them" grep -qa 'sm__part_20.sum' v.ncu-rep

# One run is not enough, and nobody asked for more
rm -f runs
counted -- ./again "$examples/vector_add" </dev/null
check "without --reruns it is refused before the program starts" status 125
check "in one line that says how many runs it takes" said 'replay-mode=application takes 3 runs of the program'
check "and the program did not start" [ ! -e runs ]
traced --summary=none --cupti "$cupti" --metrics sm__part_01.sum --replay-mode=application -- "$examples/vector_add"
check "one pass needs one run" status 0
report rows
check "and has its value" grep -q "$(answer sm__part_01.sum 1024)" rows

# Launches of threads, in any order
counted --reruns --launch-count 7 -- "$examples/storm" 4 50
check "launches of several threads are matched by name, grid and order" with_value 7
check "and none is lost" complete

# A program that does something else in a later run
launching_less 5
counted --reruns --launch-count 0 -- ./other "$examples/storm"
check "launches that a later run does not make have no values" with_value 2
check "a note names them" said 'run 2 of the program did not make launch 3 of '
check "and they are counted" said 'complete: no (3 .*counters were not collected'
"$tap" report --cupti "$cupti" --page raw t.gputap --launch-count 0 >page 2>&1
check "the page says why" grep -q 'run 2 of the program, which counts one of the passes, had no such launch' page

# A later run that dies
cat >dies <<'END'
#!/bin/sh
echo run >>deaths
[ "$(grep -c . deaths)" -lt 2 ] || kill -9 $$
exec "$@"
END
chmod +x dies
counted --reruns -- ./dies "$examples/vector_add"
check "a later run that is killed costs the values alone" status 0
check "there is no third run then" [ "$(grep -c . deaths)" = 2 ]
check "and no value" with_value 0

# The launcher dies in a later run
cat >kills <<'END'
#!/bin/sh
echo run >>kills.runs
[ "$(grep -c . kills.runs)" -lt 2 ] || kill -9 $PPID
exec "$@"
END
chmod +x kills
killed() { "$tap" run -q -f -o k --summary=none --cupti "$cupti" --metrics "$metrics" --replay-mode=application --reruns -- ./kills "$examples/vector_add" >/dev/null 2>&1; }
(killed) 2>/dev/null
check "a launcher that is killed in a later run: its counters are lost by name" grep -q '^missing *reruns: gputap run was killed' <("$tap" info k.gputap)
check "... and the trace of that run is left" [ -d k.run2.gputap ]
for ((i = 0; i < 300; i++)); do [ "$("$tap" wait k.run2.gputap >/dev/null 2>&1; ls -d k.run2.gputap/*.1 2>/dev/null)" ] && break; sleep 0.1; done
"$tap" run -q -f -o k -- "$examples/vector_add" >/dev/null 2>&1
check "... and goes with the next run of that name" [ "$(echo k*.gputap)" = k.gputap ]

# A process that a later run leaves behind: its trace is not removed under it
mkfifo gate
cat >leaves <<'END'
#!/bin/sh
echo run >>leaves.runs
if [ "$(grep -c . leaves.runs)" = 2 ]; then
	setsid -f sh -c 'read -r word <gate' </dev/null >/dev/null 2>&1
fi
exec "$@"
END
chmod +x leaves
counted --reruns -o l -- ./leaves "$examples/vector_add"
check "a process that a later run left behind is named" said 'run 2 of the program left processes behind that still run: [0-9]* (sh); its trace stays in .*/l.run2.gputap'
check "... and that trace stays" [ -d l.run2.gputap ]
echo >gate; "$tap" wait l.run2.gputap
"$tap" run -q -f -o l -- "$examples/vector_add" >/dev/null 2>&1
check "... until the next run of that name" [ "$(echo l*.gputap)" = l.gputap ]

# Damage
counted --reruns -- "$examples/vector_add"
for cut in 10 300 $(($(stat -c %s t.gputap/passes) - 1)); do
	cp -r t.gputap cut.gputap
	truncate -s $cut cut.gputap/passes
	report rows cut.gputap
	check "the file of the passes cut to $cut bytes gives no value, and tells" grep -q 'complete: no' <("$tap" info cut.gputap)
	check "... no value" [ "$(grep -c "$(answer sm__part_01.sum 1024)" rows)" = 0 ]
	rm -r cut.gputap
done
FAKEGPU_FAULTS=counters-no-permission counted --reruns -- ./again "$examples/vector_add" </dev/null
check "counters that are refused are no reason to run again" [ "$(wc -l <runs)" = 1 ]
check "plan says how many runs it takes" grep -q 'runs of the program: 3' <("$tap" plan --cupti "$cupti" --chip GH100 --metrics "$metrics" --replay-mode=application 2>&1)
check "and one with kernel replay" grep -q 'in one run: 3; runs of the program: 1' <("$tap" plan --cupti "$cupti" --chip GH100 --metrics "$metrics" 2>&1)
finish
