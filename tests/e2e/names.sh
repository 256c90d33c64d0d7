#!/usr/bin/env bash
# tests/e2e/names.sh - threads have the names they were given last, in whatever way, in every output that names threads
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap program=$GPUTAP_BUILD/tests/e2e/cl_names
. "$GPUTAP_TESTS/check_lib.sh"
export POCL_DEVICES=${POCL_DEVICES-basic}
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }

usual=$((20 + $(nice))) nicer=$(($(nice) + 25 < 39 ? $(nice) + 25 : 39))      # of the kernel: 20 + nice
rows() { sqlite3 -separator ' ' "$1" "SELECT priority, value FROM ThreadNames JOIN StringIds ON StringIds.id = nameId ORDER BY value"; }
has() { local file=$1 name; shift; for name; do grep -q "$name" "$file" || { echo "no $name in:"; cat "$file"; return 1; }; done; }

"$tap" run -q -f --summary=none -o n -- "$program" || failed=$((failed + 1))
"$tap" export -q -f -e sqlite -o n n.gputap
rows n.sqlite >rows
check "SQLite has the last name of every thread, made calls or not, and its priority" \
	has rows "^$usual ended\$" "^$usual prctl\$" "^$usual other\$" "^$usual by proc\$" "^$usual by nvtx\$" "^$usual quiet\$" "^$usual first\$" \
	"^$nicer nicer\$"
# An emulator has threads of its own in each process: how many, those of a program with one thread say.
check "... and no other row" test "$(wc -l <rows)" = $((8 + $(ls /proc/self/task | wc -l) - 1))
sqlite3 n.sqlite "SELECT count(*) - count(DISTINCT globalTid) FROM ThreadNames" >twice
check "... one row a thread" test "$(cat twice)" = 0
"$tap" export -q -f -e sqlite --sqlite-schema=2021 -o old n.gputap
sqlite3 old.sqlite "SELECT value FROM ThreadNames JOIN StringIds ON StringIds.id = nameId" >old
check "... so has the edition of 2021" has old ended prctl other 'by proc' 'by nvtx' quiet first nicer
"$tap" info --threads n.gputap >info
check "info lists them" has info 'ended: 1 call' 'prctl: 1 call' 'other: 1 call' 'by proc: 1 call' 'by nvtx: 1 call' 'first (main)'
"$tap" stats -q --by=thread -r opencl_api_sum n.gputap >by
check "statistics by thread" has by ended prctl other 'by proc' 'by nvtx' first
"$tap" stats -q -r opencl_api_trace --format=csv n.gputap >trace
check "the trace of calls, with the priority where it was looked at" has trace ",$nicer,nicer" ',first'
"$tap" export -q -f -e callgrind -o n n.gputap
cat n*callgrind >profile
check "callgrind's profiles" has profile '(ended)' '(prctl)' '(other)' '(by proc)' '(by nvtx)' '(first)'
"$tap" export -q -f -e perfetto -o n n.gputap
tr -c '[:print:]' '\n' <n.pftrace >tracks
check "Perfetto's tracks" has tracks ended prctl other 'by proc' 'by nvtx' first

"$tap" run -q -f --summary=none -o e -- "$program" exec
"$tap" info --threads e.gputap >info
check "an exec ends the image too" has info 'ended: 1 call' 'prctl: 1 call' 'by nvtx: 1 call' 'first (main)'
"$tap" run -q -f --summary=none -o k -- "$program" kill 2>/dev/null
"$tap" info --threads k.gputap >info
check "a killed program's thread is known by the name it had at its last chunk" has info 'busy: '

finish
