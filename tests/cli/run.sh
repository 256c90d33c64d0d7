#!/usr/bin/env bash
# tests/cli/run.sh - gputap run: names, statuses, signals, streams
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
command -v clinfo >/dev/null || { echo "skipped: clinfo is not installed"; exit 77; }
gputap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
# Waits until an image has recorded into this trace.
recorded() { for _ in $(seq 100); do for d in "$1"/[0-9]*; do [ -d "$d" ] && return; done; sleep 0.05; done; }
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
cat >app.sh <<'END'
#!/bin/sh
clinfo -l
exit 7
END
chmod +x app.sh

# The program's own output, alone on stdout, and its own status.
clinfo -l >bare.out
"$gputap" run -q -o a -- ./app.sh >traced.out 2>err; ok "status of the program" $? 7
ok "stdout is the program's" "$(cat traced.out)" "$(cat bare.out)"
ok "quiet says nothing" "$(cat err)" ""
ok "one trace" "$(echo *.gputap)" a.gputap

"$gputap" run -o once -e atp --summary=table -- ./app.sh >out 2>err
ok "completeness is said once, with an export" "$(grep -c 'complete: yes' err)" 1
"$gputap" run -o once2 -- ./app.sh >out 2>err
ok "completeness is said once, without" "$(grep -c 'complete: yes' err)" 1

# On a terminal the summary is printed unasked, but not with -q.
on_terminal() { python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@" </dev/null | tr -d '\r'; }
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
on_terminal "$gputap" run -o terminal -- clinfo -l >out 2>err; has "summary on a terminal" out "opencl_api_sum"
on_terminal "$gputap" run -q -o terminal-q -- clinfo -l >out 2>err; ok "quiet on a terminal too" "$(cat out)" "$(cat bare.out)"
else
	skip "the summary on a terminal: no pseudo terminal can be opened here"
fi

# Never overwritten without -f.
"$gputap" run -o a -- ./app.sh >out 2>err; ok "existing name" $? 125
has "existing name" err "a.gputap is there already"
has "existing name" err "try:"
"$gputap" run -q -f -o a -- ./app.sh >out 2>err; ok "-f replaces" $? 7
mkdir notrace.gputap; echo precious >notrace.gputap/file
"$gputap" run -q -f -o notrace -- ./app.sh >out 2>err; ok "-f spares what is no trace" $? 125
ok "-f spares what is no trace" "$(cat notrace.gputap/file)" precious

# Names.
"$gputap" run -q -- clinfo -l >out 2>err; ok "default name" "$?:$(echo clinfo-*.gputap)" "0:clinfo-1.gputap"
"$gputap" run -q -- clinfo -l >out 2>err; ok "default name counts" "$(echo clinfo-*.gputap)" "clinfo-1.gputap clinfo-2.gputap"
WORD=w/x SLURM_PROCID=5 "$gputap" run -q -o 'n-%q{WORD}-%r-%i-%%' -- clinfo -l >out 2>err; ok "%q %r %i %%" "$(echo n-*)" "n-w_x-5-clinfo-%.gputap"
"$gputap" run -q -o 'pid-%p' -- sh -c 'echo $$; exec clinfo -l' >out 2>err; ok "%p is the root's pid" "$(echo pid-*)" "pid-$(head -n 1 out).gputap"
"$gputap" run -o 'x%z' -- touch started 2>err; ok "unknown letter" $? 125
has "unknown letter" err "unknown '%z'"
"$gputap" run -o 'x%q{NO_SUCH_VARIABLE}' -- touch started 2>err; ok "unset variable" $? 125
ok "an error comes before the start" "$([ -e started ] && echo started)" ""

# Failures before the start: 125; not found 127, not executable 126.
"$gputap" run -t nonsense -- true 2>err; ok "unknown domain" $? 125
"$gputap" run -e nonsense -- true 2>err; ok "unknown format" $? 125
"$gputap" run --summary=nonsense -- true 2>err; ok "unknown summary" $? 125
"$gputap" run --nonsense -- true 2>err; ok "unknown option" $? 125
"$gputap" run 2>err; ok "no program" $? 125
"$gputap" run -- ./no-such-program 2>err; ok "not found" $? 127
touch plain; "$gputap" run -- ./plain 2>err; ok "not executable" $? 126
ok "no trace is left of them" "$(ls -d ./*no-such* ./plain-*.gputap true-* 2>/dev/null)" ""
"$gputap" run -o /proc/nowhere/x -- true 2>err; ok "unwritable place" $? 125
has "unwritable place" err "cannot be made"
"$gputap" run -t vulkan -q -o warned -- clinfo -l >out 2>err; ok "known, not built: goes on" $? 0
has "known, not built: warns" err "vulkan: not built"

# A program without traced calls leaves nothing.
"$gputap" run -o nothing -- true 2>err; ok "nothing traced: status" $? 0
has "nothing traced" err "no traced call"
ok "nothing traced: no directory" "$(ls -d nothing* 2>/dev/null)" ""

# Death by signal is passed on, and what was recorded is there.
cat >die.sh <<'END'
#!/bin/sh
clinfo -l >/dev/null
kill -"$1" $$
sleep 5
END
chmod +x die.sh
for s in KILL SEGV TERM ABRT; do
	(ulimit -c 0; exec "$gputap" run -q -o "die$s" -- ./die.sh $s) >out 2>err; ok "death by $s" $? $((128 + $(kill -l $s)))
	ok "$s: trace kept" "$("$gputap" info --json "die$s.gputap" >info 2>err && echo yes)" yes
done
"$gputap" run -q -o term -- sh -c 'clinfo -l >/dev/null; sleep 20' >out 2>err & pid=$!
recorded term.gputap
sleep 0.2; kill -TERM $pid; wait $pid; ok "SIGTERM is forwarded" $? 143
# A script's background job has SIGINT ignored, and the program would inherit that: start with the default.
python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])' \
	"$gputap" run -q -o int -e apilog -- sh -c 'trap "exit 9" INT; clinfo -l >/dev/null; while :; do sleep 0.1; done' >out 2>err & pid=$!
recorded int.gputap
sleep 0.3; kill -INT $pid; wait $pid; ok "SIGINT is forwarded" $? 9
ok "SIGINT: everything is written" "$(ls int.apilog)" int.apilog

# Several images: one file each, the second image of a pid counted.
"$gputap" run -q -o multi -e atp,apilog,sqlite -- sh -c 'clinfo -l >/dev/null; exec clinfo -l' >out 2>err; ok "two images" $? 0
ok "two images, two files" "$(ls multi.*.atp | wc -l)" 2
ok "one SQLite file" "$(ls multi.*sqlite)" multi.sqlite

# A packed trace reads like the directory.
"$gputap" run -q --pack -o packed -- clinfo -l >out 2>err; ok "--pack" $? 0
ok "--pack makes one file" "$([ -f packed.gputap ] && echo file)" file
"$gputap" stats -q -r opencl_api_sum --format csv packed.gputap >packed.csv 2>err; ok "packed trace reads" $? 0
has "packed trace reads" packed.csv clGetPlatformIDs
finish
