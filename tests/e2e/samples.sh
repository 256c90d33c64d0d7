#!/usr/bin/env bash
# tests/e2e/samples.sh - -t sample, -t sched: where threads were, and that the program notices nothing of it
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
build=$GPUTAP_BUILD here=$GPUTAP_TESTS/e2e tap=$GPUTAP_BUILD/gputap cc=${CC:-cc}
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
if nm -D --undefined-only "$build/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
# The kernel's samples would be those of the emulator. Timers make its threads wait for each other for ever: seen with
# QEMU 7.2, two threads with all signals blocked in the emulator's own locks, where a signal came while a thread was made.
if [ -n "${EMULATED-}" ]; then echo "skipped: samples of an emulator's threads, in which timers of a thousand hertz end in a deadlock"; exit 77; fi
# Frame pointers: the kernel finds callers by them.
$cc -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE -fno-omit-frame-pointer -o busy "$here/samples/busy.c" -lpthread || exit 1
$cc -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -o deny "$here/ways/deny.c" || exit 1

check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); cat err 2>/dev/null; fi
}
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }
# What the tool reads of the trace: asked for once.
dumped() { [ -s t.json ] || "$tap" dump --json t.gputap >t.json 2>/dev/null; }
see() { dumped && python3 "$here/samples_check.py" t.json "$@"; }
has() { dumped && grep -q "\"type\":\"$1\"" t.json; }
# traced STATUS OPTION... -- PROGRAM...: into t.gputap
traced() {
	local expected=$1
	shift
	rm -rf t.gputap t.json
	timeout -k 5 60 "$tap" run -f -o t "$@" >out 2>err
	[ $? = "$expected" ]
}
said() { grep -q "$1" err; }
once() { [ "$(grep -c "$1" err)" = 1 ]; }
csv() { "$tap" stats -q --format csv -r "$1" t.gputap 2>/dev/null; }

# ---- what forbids it costs the samples, and one line
rm -rf t.gputap
timeout -k 5 60 ./deny perf_event_open 1 "$tap" run -f -o t -t sample,sched -- ./busy 5 >out 2>err
check "where a filter forbids the call (EPERM) the status is the program's" [ $? = 3 ]
check "... and one line says so" once "no samples and no context switches: "
check "... the trace lacks what was asked for" eval '"$tap" info t.gputap | grep -q "^complete: no (1 part of the trace asked for and refused)"'
check "... the run delay is there all the same" eval 'has run_delay && [ "$(csv sched_sum | awk -F, "NR > 1 && \$6 > 0" | wc -l)" -ge 1 ]'
timeout -k 5 60 ./deny perf_event_open 38 "$tap" run -f -o t -t sample -- ./busy 5 >out 2>err
check "... where the kernel has none (ENOSYS)" [ $? = 3 ]
check "... in one line" once "no samples: the system call perf_event_open is forbidden"

# ---- timers in the program: where the kernel samples for nobody
$cc -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE -fomit-frame-pointer -o signals "$here/samples/signals.c" -lpthread -lrt || exit 1
rm -rf t.gputap t.json
timeout -k 5 60 ./deny perf_event_open 1 "$tap" run -f -o t --sample=timer --sample-rate=1000 -t sample -- ./busy 100 >out 2>err
check "timers: where a filter forbids the kernel's samples, the program's status" [ $? = 3 ]
check "... without a note" eval '! said "no samples"'
check "... samples by unwind tables" see timers 150 inner
rm -rf t.gputap t.json
GPUTAP_TRACE=sample GPUTAP_SAMPLE=timer GPUTAP_SAMPLE_RATE=1000 GPUTAP_OUTPUT=$PWD/t LD_PRELOAD=$build/libgputap.so timeout 60 ./busy 100
check "timers: preloaded without the launcher" [ $? = 3 ]
check "... samples" see timers 150 inner
check "... no note" eval '! grep -q "\"type\":\"note\"" t.json'
"$tap" export -q -f -o t -e sqlite,folded,perfetto t.gputap
check "... all of them in folded stacks" [ "$(awk '{ n += $NF } END { print n }' t.folded)" = "$(grep -c '"type":"sample"' t.json)" ]
check "... statistics" [ "$(csv samples | sed -n 2p | cut -d, -f5)" = inner ]
"$tap" stats t.gputap >out 2>err
check "... where the reports of calls have no rows, one line says how others are printed" eval '[ ! -s out ] && once "no report that is printed without -r has rows: -r all prints those that have"'
"$tap" stats -r all t.gputap >out 2>err
check "... which it does" eval 'grep -q "(samples):" out && ! said "no report"'
# Names of C++ functions are long.
long=$(printf 'inner_%0600d' 0)
$cc -std=gnu11 -O1 -g -D_GNU_SOURCE -fno-omit-frame-pointer -Dinner="$long" -o longer "$here/samples/busy.c" -lpthread || exit 1
traced 3 --sample=timer --sample-rate=1000 -t sample -- ./longer 100
check "a long name is whole in statistics" [ "$(csv samples | cut -d, -f5 | grep -c "^$long\$")" = 1 ]
check "... and in their tree" eval 'csv samples:tree | grep -q "$long"'
timeout 60 ./signals 40 >bare.out
traced 7 --sample=timer --sample-rate=1000 -t sample -- ./signals 40
check "timers: handlers for all signals, sigwait for all, SIGEV_THREAD, a cancelled thread: same output" cmp bare.out out
check "... samples in handlers, threads that block all, threads that came late, a forked child" see timers 200 in_first in_handler in_blocked in_late in_child
# from 2.34 on the C library's handler for cancelling comes with the first one, in place of ours; before it was there first
if getconf GNU_LIBC_VERSION | awk '{ split($2, v, "."); exit !(v[1] > 2 || v[2] >= 34) }'; then
	check "... and where they end is said" once "samples end where the program first cancelled a thread"
else
	check "... and they do not end there" eval '! said "samples end"'
fi
traced 3 --sample=timer --sample-rate=1000 -t sample -- sh -c './busy 40; exec ./busy 40'
check "timers: children, and what replaces a process" see computing busy 2
traced 3 --sample=timer --sample-rate=1000 --sample-stacks=none -t sample -- ./busy 40
check "timers: no stacks where none are asked for" eval 'has sample && ! has stack'
$cc -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -o small "$here/samples/small.c" || exit 1
check "timers: a handler on a small stack: the program's status" traced 3 --sample=timer --sample-rate=1000 -t sample -- ./small
refused() { "$tap" info --json t.gputap | python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["ledger"].get("SAMPLES_LOST", 0) < 20)'; }
check "... samples before it, and those that had no room in it are counted" eval 'has sample && refused'
# The first tick may come before main is reached, on a stack that is large enough: that run says nothing.
from_the_beginning() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		traced 3 --sample=timer --sample-rate=1000 -t sample -- ./small now || return 1
		has sample || return 0
	done
}
check "timers: ... from the beginning: the program's status" from_the_beginning
check "... all are counted" eval '! has sample && refused'
traced 137 --sample=timer --sample-rate=1000 -t sample -- ./small now kill
check "... and in a process that is killed" refused
traced 3 --sample=timer --ring --max-size=4M --sample-rate=1000 -t sample -- ./busy 40
check "timers: with a ring" has sample

traced 3 -t sample -- ./busy 5 || { echo "FAILED: status"; exit 1; }
if said "no samples: "; then
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] || exit 1
	echo "skipped: $(grep -o 'no samples: .*' err)"
	exit 77
fi

# ---- samples
traced 3 --sample-rate=1000 -t sample,sched -- ./busy 150 20
check "the program's status and output are its own" [ "$(cat out)" = "" ]
check "nothing is lost" said "complete: yes"
check "samples are where the program computes" see samples 225 1000
check "threads get processors in turns" see switches
check "threads have names, beginnings and ends" see threads
check "the program has its image" see images busy
check "statistics: the function that computes first" [ "$(csv samples | sed -n 2p | cut -d, -f5)" = inner ]
"$tap" stats -r samples t.gputap >/dev/null 2>err
check "... and one line says that callers were found by frame pointers" once "^gputap: stacks of samples: \([0-9]*\) of \1 may lack functions: .* found by frame pointers"
check "... for no lack of tables" eval '! said "without unwind tables"'
check "... and the tree leads to it" eval 'csv samples:tree | grep -q "^[0-9.]*,[0-9]*,[0-9.]*,[0-9]*,\" *inner\"\|, *inner,"'
cp busy plain_busy && strip plain_busy
inner=plain_busy+0x$(nm busy | sed -n 's/^0*\([0-9a-f]*\) t inner$/\1/p')
"$tap" run -f -o plain -t sample --sample-rate=1000 -- ./plain_busy 150 >out 2>/dev/null
check "of a stripped program all of a function is one, told by where it begins" [ "$("$tap" stats -q --format csv -r samples plain.gputap | awk -F, -v f="$inner" '$1 + 0 >= 80 { print $5 == f }')" = 1 ]
check "... where its time went, too" eval '"$tap" stats -q --format csv -r timeline_sum plain.gputap | grep -q "$inner"'
"$tap" export -q -f -o plain -e folded plain.gputap
check "... and in flame graphs" eval 'grep -q ";$inner [0-9]*$" plain.folded'
"$tap" export -q -f -o t -e sqlite,folded t.gputap
check "SQLite answers what such files are asked" python3 "$here/samples_sqlite.py" t.sqlite default 225
check "what emptying the rings took is told" see rings t.sqlite
"$tap" export -q -f -o old -e sqlite --sqlite-schema=2021 t.gputap
check "... in the edition of 2021 too" python3 "$here/samples_sqlite.py" old.sqlite 2021 225
check "folded stacks: samples, where there is no work of a device" eval 'grep -q "^busy \[[0-9]*\];thread [0-9]* (worker);start_thread;thread;inner [0-9]*$\|;thread;inner [0-9]*$" t.folded'
check "... all of them" [ "$(awk '{ n += $NF } END { print n }' t.folded)" = "$(grep -c '"type":"sample"' t.json)" ]
check "... in a window there is less" eval '[ "$("$tap" stats -q --format csv -r samples --to 1us t.gputap 2>/dev/null | wc -l)" -le 1 ]'
traced 3 --sample-rate=1000 --sample-stacks=none -t sample -- ./busy 30
check "without stacks the instruction alone" see alone
$cc -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE -fno-omit-frame-pointer -o leaves "$here/samples/leaves.c" -lpthread || exit 1
traced 3 --sample-rate=1000 -t osrt,sample,sched -- ./leaves 80
check "where main's thread ends first, the others are still of that process" [ "$("$tap" info t.gputap | grep -c ^process)" = 1 ]
check "... and their functions have names" [ "$(csv samples | sed -n 2p | cut -d, -f5)" = stays ]
$cc -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE -fomit-frame-pointer -o bare_busy "$here/samples/busy.c" -lpthread || exit 1
traced 3 --sample-rate=1000 --sample-stacks=copy -t sample -- ./bare_busy 60
if said "libunwind is not installed"; then
	skip "--sample-stacks=copy: libunwind is not installed"
else
	check "without frame pointers: stacks from copies lead to the thread's beginning" see whole
	"$tap" stats -r samples t.gputap >/dev/null 2>err
	check "... and no line says that they were found by frame pointers" eval '! said "frame pointers"'
	$cc -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE -fomit-frame-pointer -o jit "$here/samples/jit.c" || exit 1
	traced 0 --sample-rate=1000 --sample-stacks=copy -t sample -- ./jit 60
	check "... through code made at run time too" see jit
	check "... without a note" eval '! said "no stack leads through"'
	rm -f "$(cat out)"
	traced 0 --sample-rate=1000 -t sample -- ./jit 60
	check "... where frame pointers end before it, one line names the way that does not" once "no stack leads through the code that $(cat out) names, .*--sample-stacks=copy needs none"
	rm -f "$(cat out)"
	traced 0 --sample-rate=1000 --sample-stacks=none -t sample -- ./jit 60
	check "... and none where no stacks are asked for" eval '! said "no stack leads through"'
	[ -s out ] && rm -f "$(cat out)"
fi
check "samples alone: no switches" see none switch
traced 3 -t sched -- ./busy 20 10
check "switches alone: no samples" see none sample
check "... but switches" see switches
traced 3 -t osrt -- ./busy 5
check "not asked for: nothing" see none switch
GPUTAP_TRACE=sample LD_PRELOAD=$build/libgputap.so GPUTAP_OUTPUT=$PWD/bare timeout 60 ./busy 5
check "preloaded without the launcher: the program's status" [ $? = 3 ]
check "... and a note" eval '"$tap" dump bare.gputap 2>/dev/null | grep -q "no samples and no context switches: gputap run takes them"'

# ---- run delay, and who woke whom
$cc -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE -o wake "$here/samples/wake.c" -lpthread || exit 1
traced 0 -t sched -- ./wake 150 25
check "two threads on one processor: each waited for it, as the kernel counts" see delays
check "... which the statistics show" eval '[ "$(csv sched_sum | awk -F, "NR > 1 && \$7 > 1000000" | wc -l)" -ge 2 ]'
if grep -q ^no_wakings t.gputap/run; then
	check "who woke a thread is not told: no line for the user, a reason in the trace" eval '! has waking && ! said waking'
	# What this machine permits when somebody mounts it, in a place of our own.
	if unshare -m true 2>/dev/null && unshare -m mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; then
		rm -rf t.gputap t.json
		unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing && exec "$@"' - timeout 60 "$tap" run -f -o t -t sched -- ./wake 20 25 >out 2>err
	fi
fi
if grep -q ^no_wakings t.gputap/run; then
	skip "who woke a thread: $(sed -n 's/^no_wakings=//p' t.gputap/run)"
else
	check "who woke a thread is named, and it was ready from then on" see wakings 25
	check "... and the statistics name it" eval 'csv sched_sum | grep -q ",$(cat out),recorded,sleeper\$"'
fi

# ---- processes
traced 0 --sample-rate=1000 -t sample -- sh -c './busy 30; ./busy 30; exec env -i ./busy 30 || true; exit 0' || true
check "children, and what replaces a process" see computing busy 3
traced 137 --sample-rate=1000 -t sample -- sh -c './busy 30; kill -9 $$'
check "a killed program's samples are there" has sample
printf 'n=0; for i in $(seq 25); do n=$((n + $(/bin/echo 1))); done; echo $n; exit 7\n' >many.sh
traced 7 -t sample,sched -- sh many.sh
check "a script with many children runs as ever" [ "$(cat out)" = 25 ]
check "... and each of them is there" eval 'dumped && [ "$(grep -c "\"image\":\"[^\"]*/echo\"" t.json)" = 25 ]'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 -p nobody && chmod 755 . && cp busy nobody/ && (cd nobody && timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups "$tap" run -q -f -o "$PWD/n" -t sample,sched --sample-rate=1000 -- ./busy 30 >../out 2>../err)
	status=$?
	if grep -q "cannot be made\|Permission denied" err; then
		skip "another user cannot come here"
	else
		check "an ordinary user's program" [ $status = 3 ]
		check "... has samples" eval '"$tap" dump nobody/n.gputap 2>/dev/null | grep -q ^sample'
	fi
fi

# ---- beside calls
if [ -d "$build/tests/fakecl/vendors" ]; then
	export OCL_ICD_VENDORS=$build/tests/fakecl/vendors
	traced 0 --sample-rate=20000 -t opencl,sample,sched -- "$build/tests/e2e/cl_commands"
	check "a program that makes calls has one image" see calls
	check "exports" "$tap" export -q -f -o t -e sqlite,perfetto,atp,callgrind t.gputap
else
	skip "the stand-in OpenCL runtime is not built"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
