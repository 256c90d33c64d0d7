#!/usr/bin/env bash
# tests/e2e/ftrace.sh - tracepoints of the kernel: every system call of a program, its threads and its children
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$GPUTAP_TESTS/e2e tap=$GPUTAP_BUILD/gputap cc=${CC:-cc}
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT
command -v "${cc%% *}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
$cc -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -o calls "$here/ftrace/calls.c" -lpthread || exit 1

check() { # WHAT COMMAND...
	if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; head -n 20 err; fi
}
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
with=() status=0
traced() { # ARGUMENTS of gputap run -> trace t.gputap, $status
	rm -rf t.gputap
	timeout 100 "${with[@]}" "$tap" run -f -o t "$@" >out 2>err
	status=$?
}
said() { [ "$(grep -c "$1" err)" = "${2:-1}" ]; }
see() { python3 "$here/ftrace_check.py" "$@"; }

# ---- where it is not to be had
traced --ftrace=no_such/tracepoint,nonsense -t none -- ./calls 10
check "not to be had: the program's status" [ $status = 3 ]
check "... one line says why, of each that is named wrongly or of all" eval \
	'said "no tracepoints (--ftrace): " || { said "no tracepoint no_such/tracepoint (--ftrace): this machine has no such tracepoint"; }'
traced --ftrace=../../etc/passwd,raw_syscalls -t none -- ./calls 10
check "names that lead elsewhere: one line says how they are" eval '[ $status = 3 ] && said "no tracepoint ../../etc/passwd (--ftrace): a tracepoint is named SUBSYSTEM/EVENT"'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	with=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	mkdir -m 777 -p nobody && cp calls nobody/ && chmod 755 .
	(cd nobody && timeout 60 "${with[@]}" "$tap" run -f -o "$PWD/n" --ftrace=raw_syscalls/sys_enter,raw_syscalls/sys_exit -t none -- ./calls 10 >../out 2>../err)
	status=$?
	if [ $status != 3 ]; then
		skip "another user cannot come here"
	else
		check "an ordinary user: one line says why, and the program runs as ever" said "no tracepoints (--ftrace): "
	fi
	with=()
fi
# ---- where it is, in a place of our own
if [ ! -r /sys/kernel/tracing/events ] || [ ! -d /sys/kernel/tracing/events ]; then
	unshare -m true 2>/dev/null && unshare -m mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null &&
		with=(unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing && exec "$@"' -)
fi
traced --ftrace=raw_syscalls/sys_enter,raw_syscalls:sys_exit,no_such/tracepoint -t none -- ./calls 1000
if said "no tracepoints (--ftrace): "; then
	skip "$(grep -o 'no tracepoints (--ftrace): .*' err)"
else
	# Places that look like tracefs: root's alone, and one whose tracepoints an ordinary user finds and may not use.
	if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
		mkdir -p own/copy && chmod 777 own
		"${with[@]}" cp /sys/kernel/tracing/events/sched/sched_switch/format own/copy/format
		for mode in 000 444; do
			user=(unshare -m sh -c "mount -t tmpfs -o mode=755 none /sys/kernel/tracing && mkdir -p /sys/kernel/tracing/events/sched/sched_switch && cp own/copy/format /sys/kernel/tracing/events/sched/sched_switch/ && chmod $mode /sys/kernel/tracing/events/sched/sched_switch/format && exec \"\$@\"" - setpriv --reuid=65534 --regid=65534 --clear-groups)
			"${user[@]}" test -w "$PWD/own" || { skip "another user cannot come here"; break; }
			timeout 60 "${user[@]}" "$tap" run -f -o "$PWD/own/t" --ftrace=sched/sched_switch,no/such -t none -- true >out 2>err
			if [ $mode = 000 ]; then
				check "descriptions that root alone may read: one line says so" eval 'said "no tracepoints (--ftrace): tracefs may be read by root alone" && said "no tracepoint"'
			else
				check "what the kernel refuses is said, beside what it does not know" eval \
					'said "no tracepoint no/such (--ftrace): this machine" && said "no tracepoints (--ftrace): tracepoints need CAP_PERFMON"'
			fi
			check "... and no trace is left" [ ! -e own/t.gputap ]
		done
		traced --ftrace=raw_syscalls/sys_enter,raw_syscalls:sys_exit,no_such/tracepoint -t none -- ./calls 1000
	fi
	check "the program's status and output" eval '[ $status = 3 ] && [ "$(wc -w <out)" = 6 ]'
	check "one line says which is not there" said "no tracepoint no_such/tracepoint (--ftrace): this machine has no such tracepoint"
	check "... and the trace lacks what was asked for" eval '"$tap" info t.gputap | grep -q "^complete: no (1 part of the trace asked for and refused)"'
	"$tap" dump --json t.gputap >t.json 2>/dev/null
	check "every call, of each thread and the child, begins and ends" see dump t.json out 1000
	check "exports" "$tap" export -q -f -o new -e sqlite,perfetto t.gputap
	check "... of the older edition too" "$tap" export -q -f -o old -e sqlite --sqlite-schema=2021 t.gputap
	check "the published query, and what else the tables say" see sqlite new.sqlite old.sqlite out 1000
	check "Perfetto has them with their fields" eval 'grep -aq raw_syscalls:sys_enter new.pftrace && grep -aq tracepoints new.pftrace'
	"$tap" dump t.gputap >t.txt 2>/dev/null
	check "a line of the dump names the fields" grep -q '^tracepoint [0-9]* [0-9]* [0-9]* cpu [0-9]* raw_syscalls:sys_enter id=[0-9]* args=\[' t.txt
	traced --ftrace=oom/mark_victim -t none -- ./calls 10
	check "nothing happened: no trace is left" eval '[ $status = 3 ] && [ ! -e t.gputap ]'
	traced --ftrace=sched/sched_switch -t sched -- ./calls 100
	"$tap" dump --json t.gputap >t.json 2>/dev/null
	check "texts in events, beside context switches" eval '[ $status = 3 ] && grep -q "\"name\":\"sched:sched_switch\".*\"prev_comm\":\"calls\"" t.json'
	if command -v strace >/dev/null && strace -f -c -o counts.ref true 2>/dev/null; then
		strace -f -c -U calls,name -o counts ./calls 1000 >/dev/null
		traced --ftrace=raw_syscalls/sys_enter -t none -- ./calls 1000
		"$tap" dump --json t.gputap >t.json 2>/dev/null
		check "as many as strace counts, of calls that threads make alone" see counts t.json out counts
	else
		skip "strace is not installed, or may not trace"
	fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
