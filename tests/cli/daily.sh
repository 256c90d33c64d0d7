#!/usr/bin/env bash
# tests/cli/daily.sh - what people type: names without endings, options behind the trace, Ctrl-C, a reader that leaves
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
command -v clinfo >/dev/null || { echo "skipped: clinfo is not installed"; exit 77; }
gputap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
"$gputap" run -q -o one -- clinfo -l >/dev/null 2>err; ok "a trace to work with" "$?:$(ls -d one.gputap)" 0:one.gputap

# Short options that everybody tries first.
"$gputap" -V >out; has "-V is --version" out '^gputap [0-9]'
"$gputap" stats -h >out; has "-h is --help" out '^Usage: gputap stats'
for command in run wait plan; do
	"$gputap" help $command >out; ok "help $command is its --help" "$?:$("$gputap" $command --help | cmp - out 2>&1)" 0:
done
"$gputap" help wiat >out 2>err; ok "help of a command that is not there" "$?:$(cat out)" 2:; has "... says which one is meant" err 'try: gputap wait'
"$gputap" export --help >out
ok "the text of each option begins in its column, or below" "$(awk '/^  ..[ ,] --[^ ]* +[^ ]/ && substr($0, 37, 1) != " "' out)" ""
for command in info stats dump export; do "$gputap" $command one -h >out 2>err; has "-h behind the trace of $command" out "^Usage: gputap $command"; done
"$gputap" run -q -o own -- sh -c 'echo "$@"' sh -h >out 2>err; ok "-h behind the program is the program's" "$(cat out)" -h
"$gputap" run --help >out; ok "--help is in groups" "$(grep -cE '^(Common|What is recorded|OpenCL|CUDA and NVTX|SQLite|\.atp, API log and occupancy):$' out)" 6
ok "... which hold every option" "$(grep -c '^  ..[ ,] --' out)" "$(grep -cE '^OPTION.*", [A-Z |]*R[A-Z |]*, "' "$GPUTAP_TESTS/../trace/format/options.def")"
has "... with the words that -t knows" out '^  opencl '

# What would record or show something else than was meant.
for o in "--ring" "--start-after=5" "--stop-after=2.5"; do
	"$gputap" run -o refused "$o" -- touch started >out 2>err; ok "run $o" "$?:$(ls -d started refused* 2>/dev/null)" 125:
done
has "--stop-after=2.5" err "'2.5' is not a time with its unit"
"$gputap" run -o refused --ring -- true 2>err; has "--ring without a size" err "ring needs a size: --max-size"
"$gputap" run -q -o deep --callstack-depth=100 -- clinfo -l >out 2>err; ok "--callstack-depth without --callstacks" "$?:$(cat err)" \
	"0:gputap: --callstack-depth has no effect: call stacks are recorded with --callstacks"
"$gputap" run -q -o long --callstack-min=1us -- clinfo -l >out 2>err; has "--callstack-min without --callstacks" err "^gputap: --callstack-min has no effect"
"$gputap" run -q -o stacked --callstacks --callstack-depth=100 --callstack-min=1us -- clinfo -l >out 2>err; ok "... and with it" "$?:$(cat err)" 0:
"$gputap" run -q -o kept --ring --max-size=4M -- clinfo -l >out 2>err; ok "--ring with one" "$?:$(ls -d kept.gputap)" 0:kept.gputap
"$gputap" stats --from 5 one >out 2>err; ok "stats --from 5" "$?:$(grep -c 'is not a time with its unit' err)" 2:1
"$gputap" stats --from 0 one >out 2>err; ok "0 needs no unit" "$?:$(grep -c 'nothing in that window' err)" 0:0
"$gputap" stats --from 100s --to 200s one >out 2>err; has "a window without rows says so" err "nothing in that window (from 100s to 200s): the trace goes from 0 to 0\."
"$gputap" stats -r opencl_api_sum --from 100s one >out 2>err; has "... of a report that was named" err "nothing in that window (from 100s)"
"$gputap" export -e apilog -o none --from 100s one >out 2>err; has "... of an export" err "nothing in that window (from 100s)"
rm -f none.apilog

# A report that was named and has no rows is no riddle.
"$gputap" stats -r openmp_sum,opencl_api_sum,cuda_api_sum one >out 2>err
ok "each report without rows is named, and how it would have some" "$(grep -v complete err)" \
	"gputap: openmp_sum has no rows: what it shows is recorded with gputap run -t openmp
gputap: cuda_api_sum has no rows"
"$gputap" stats -r 'openmp*' one >out 2>err; has "... of a pattern that none of them has" err "no report of that pattern has rows"
"$gputap" stats -r all one >out 2>err; ok "... and none is where several were meant" "$(grep -v complete err)" ""
"$gputap" stats -q -r openmp_sum one >out 2>err; ok "... and nothing is said with -q" "$(cat err)" ""
if command -v groff >/dev/null; then
	for page in "$GPUTAP_TESTS"/../docs/man/*.1; do groff -man -Tascii -ww "$page" >page.txt 2>page.err; cat page.err; done >out 2>&1
	ok "man pages have no line that roff takes for a command" "$(cat out)" ""
else
	echo "not here: groff"
fi
ok "no line of a man page begins with a point that is text" "$(grep -hE '^\.\.|^\.[^A-Z\\]' "$GPUTAP_TESTS"/../docs/man/*.1)" ""

# A name without its ending, although a program of that name stands beside the trace.
# By type -P: command -v names what the shell has itself, and that is no file to copy.
cp "$(type -P true)" one
for command in info stats dump; do
	"$gputap" $command one >out 2>err; ok "$command NAME reads NAME.gputap" $? 0
done

# Who preloads the library by hand has no launcher, which would know of what could record nothing.
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=bare clinfo -l >/dev/null 2>&1
alone="(recorded without .gputap run., which alone knows of a process that could record nothing)"
"$gputap" info bare >out; ok "a trace without a launcher: that it is complete has a limit" "$(grep -A1 '^complete: yes' out | grep -c "^  $alone")" 1
"$gputap" info one >out; ok "... and one with a launcher has none" "$(grep -c '^complete: yes' out):$(grep -c "$alone" out)" 1:0
ok "... which --json tells apart, too" "$("$gputap" info --json bare | grep -c '"launched":false'):$("$gputap" info --json one | grep -c '"launched":true')" 1:1

# Options behind the trace, in any order.
"$gputap" export one.gputap -e apilog -q 2>err; ok "options behind the trace" "$?:$(ls one.apilog)" 0:one.apilog
"$gputap" stats one --format csv -r opencl_api_sum >out 2>err; has "options behind the trace of stats" out '^Time (%),'
"$gputap" run -q -o args -- sh -c 'echo "$@"' sh -o x --format y >out 2>err; ok "the program's own options stay its own" "$(cat out)" "-o x --format y"
"$gputap" info -- one.gputap >out 2>err; ok "-- before the trace" $? 0
"$gputap" info one.gputap two.gputap 2>err; ok "two traces are one too many" $? 2

# Names of outputs.
"$gputap" export -q -e sqlite -o x.sqlite one 2>err; ok "-o x.sqlite is that file" "$(ls x.*)" x.sqlite
mkdir folder
"$gputap" export -q -e apilog -o folder/ one 2>err; ok "-o folder/ takes the default name" "$(ls folder)" one.apilog
rm folder/*
"$gputap" export -q -e apilog -o folder one 2>err; ok "-o folder does so too" "$(ls folder)" one.apilog
"$gputap" export -q -e atp,apilog -o both.atp one 2>err; ok "the ending is any format's that is asked for" "$(echo both.*)" "both.apilog both.atp"

mkdir runs
for _ in 1 2; do "$gputap" run -q -o runs/ --summary=none -- clinfo -l >out 2>err; done
ok "run -o runs/ takes the default name" "$(ls -A runs)" "clinfo-1.gputap
clinfo-2.gputap"
"$gputap" run -q -e sqlite -o y.sqlite --summary=none -- clinfo -l >out 2>err
ok "run -e sqlite -o y.sqlite makes that file, and the trace beside it" "$(echo y.*)" "y.gputap y.sqlite"

# The file of stats: whole or not there, its owner's, not through a link, no folder of its own.
umask 022
"$gputap" stats -q -o r.txt one 2>err; ok "stats -o" "$?:$(stat -c %a r.txt):$(grep -c opencl_api_sum r.txt)" 0:600:1
"$gputap" stats -q -o r.txt -r opencl_api_trace one 2>err; ok "stats -o again does not replace it" "$?:$(grep -c opencl_api_sum r.txt)" 4:1
has "... and says what does" err "-f"
"$gputap" stats -q -f -o r.txt -r opencl_api_trace one 2>err; ok "stats -f -o replaces it" "$?:$(grep -c opencl_api_sum r.txt)" 0:0
echo kept >target; ln -s target link
"$gputap" stats -q -o link one 2>err; ok "stats -o takes no link for a free name" "$?:$(cat target):$(test -L link && echo link)" 4:kept:link
"$gputap" stats -q -f -o link one 2>err; ok "stats -f -o does not write through a link" "$?:$(cat target):$(test -L link || echo file)" 0:kept:file
mkfifo pipe; timeout 20 "$gputap" stats -q -o pipe one 2>err; ok "stats -o to a pipe that nobody reads does not hang" $? 4
exec 8<>pipe 9<pipe                     # 8 lets 9 be opened, as a writer
timeout 20 "$gputap" stats -q -o pipe one 2>err; status=$?
exec 8>&-; ok "... and is read where somebody does" "$status:$(grep -c opencl_api_sum <&9)" 0:1
exec 9<&-
"$gputap" stats -q -o /dev/stdout one >got 2>err; ok "stats -o /dev/stdout" "$?:$(grep -c opencl_api_sum got):$(test -L /dev/stdout && echo link)" 0:1:link
"$gputap" stats -q -o - one >got 2>err; ok "stats -o -" "$?:$(grep -c opencl_api_sum got):$(ls -- - 2>/dev/null)" 0:1:
"$gputap" stats -q -o none/r.txt one 2>err; ok "stats -o where no folder is" $? 4
"$gputap" stats -q -o /dev/full one 2>err; ok "stats -o where there is no room" $? 4
ok "nothing half-written stays" "$(compgen -G '*.part'; compgen -G '.*.part')" ""

# Whoever reads what we say may leave before we are done: the status is the program's.
for _ in 1 2 3 4 5; do
	{ "$gputap" run -f -o left --summary=table -- sh -c 'clinfo -l; exit 7' 2>&1 >/dev/null; echo $? >status; } | true
	[ "$(cat status)" = 7 ] || break
done
ok "a closed pipe does not change the status" "$(cat status)" 7

# A path that the dynamic linker would split.
mkdir "a b"
mkdir a:b
for place in "a b" a:b; do
	for f in gputap libgputap.so libgputap-audit.so; do cp "$GPUTAP_BUILD/$f" "$place/"; done
	"$place/gputap" run -q -o blank -- touch started 2>err; ok "a blank or colon in our own path ($place)" "$?:$(ls started 2>/dev/null)" 125:
	has "a blank or colon in our own path ($place)" err "cannot be preloaded"
done

# An interrupted export leaves the trace and nothing half-written, and says which signal it was. The trace is large enough
# to be met while it is written: calls of the stand-in runtime take no time.
"$GPUTAP_BUILD/tests/tracegen" big.gputap 3000000 2 >/dev/null 2>&1 || GPUTAP_TABLE=$GPUTAP_BUILD/gen/table.txt "$GPUTAP_BUILD/tests/tracegen" big.gputap 3000000 2 >/dev/null
interrupt() { # NAME SIGNAL TRACE COMMAND...
	rm -f "$3".apilog*
	# Under nohup it would be ignored, as it should. One thread behind all others: it is met before it is done.
	chrt -o 0 nice -n 19 env --default-signal="$2" "${@:4}" >/dev/null 2>err &
	local pid=$!
	for _ in $(seq 3000); do compgen -G "$3.apilog?*" >/dev/null && break; sleep 0.01; done
	kill "-$2" $pid; wait $pid; status=$?
	ok "$1: status" $status $((128 + $(kill -l "$2")))
	ok "$1: no file stays" "$(compgen -G "$3.apilog*")" ""
	has "$1: said" err "the trace is kept"
}
for signal in TERM HUP INT QUIT; do
	interrupt $signal $signal big "$gputap" export -q -e apilog -j 1 big.gputap
	interrupt "run, $signal" $signal run0 "$gputap" run -q -f --summary=none -o run0 -e apilog -j 1 -- "$GPUTAP_BUILD/tests/e2e/cl_place" 1500000
	ok "run, $signal: the trace is whole" "$("$gputap" info run0 2>&1 | grep -c '^complete: yes')" 1
done
# The first signal removes what is half-written and has no reader of its word; a second one, of any kind, ends at once.
second() { # NAME COMMAND...
	chrt -o 0 nice -n 19 python3 "$GPUTAP_TESTS/cli/second_signal.py" "${@:2}" >said 2>&1; local status=$?
	ok "$1, a second signal: $(cat said)" $status 0
}
rm -f big.apilog*
second "export" TERM HUP big.apilog "$gputap" export -q -e apilog -j 1 big.gputap
second "export, alike" TERM TERM big.apilog "$gputap" export -q -e apilog -j 1 big.gputap
second "run" INT INT run1.apilog "$gputap" run -q --summary=none -o run1 -e apilog -j 1 -- "$GPUTAP_BUILD/tests/e2e/cl_place" 1500000
second "run, another" INT TERM run2.apilog "$gputap" run -q --summary=none -o run2 -e apilog -j 1 -- "$GPUTAP_BUILD/tests/e2e/cl_place" 1500000
ok "run, a second signal: the traces are kept" "$("$gputap" info run1 2>err | grep -c '^complete: yes'):$("$gputap" info run2 2>err | grep -c '^complete: yes')" 1:1
"$gputap" export -q -e apilog big.gputap; ok "the trace is as it was" "$?:$(ls big.apilog)" 0:big.apilog
finish
