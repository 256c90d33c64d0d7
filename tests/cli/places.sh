#!/usr/bin/env bash
# tests/cli/places.sh - what is replaced, removed, waited for and read: only what is ours
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
command -v clinfo >/dev/null || { echo "skipped: clinfo is not installed"; exit 77; }
gputap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
record() { "$gputap" run -q "$@" -- clinfo -l >out 2>err; }
record -o t; ok "a trace to work with" "$?:$(ls -d t.gputap)" 0:t.gputap

# -f replaces a trace, whole or packed, also with what an export left in it.
"$gputap" export -q -e apilog t; record -f -o t; ok "-f replaces a trace" $? 0
record -f --pack -o t; record -f -o t; ok "-f replaces a packed one" "$?:$(cat t.gputap/run | head -1)" 0:format=1

# Not what only has the name.
echo mine >file.gputap; record -f -o file; ok "-f leaves a file" "$?:$(cat file.gputap)" 125:mine
mkdir other.gputap; echo mine >other.gputap/run; echo mine >other.gputap/data
record -f -o other; ok "-f leaves a folder with a run of its own" "$?:$(cat other.gputap/run other.gputap/data | tr '\n' ' ')" "125:mine mine "
cp -r t.gputap mixed.gputap; echo mine >mixed.gputap/thesis.txt; before=$(find mixed.gputap | wc -l)
record -f -o mixed; ok "-f leaves a trace with something else in it, whole" "$?:$(find mixed.gputap | wc -l)" "125:$before"
has "and says why" err 'holds something that is not of a trace'
cp -r t.gputap linked.gputap; ln -s /etc/passwd "$(dirname linked.gputap/*/meta)/7.str"
record -f -o linked; ok "-f leaves a trace with a link in it" "$?:$(ls -d linked.gputap)" 125:linked.gputap

# Unfinished files: whatever stands under a name that could be guessed is left alone.
echo mine >victim
"$gputap" export -q -e apilog,atp,sqlite -f -o u t & pid=$!
wait $pid; ok "an export" $? 0
ok "nothing unfinished stays" "$(compgen -G '*.part*')" ""
bash -c 'for f in atp apilog sqlite; do ln -s victim "v.$f.part$$"; done; exec "$0" export -q -e apilog,atp,sqlite -o v t' "$gputap" 2>err
ok "links under the names of before are not followed" "$?:$(cat victim)" 0:mine

# A lock that somebody holds, until that is said: waited for.
: >err
flock t.gputap/export.lock sh -c 'for i in $(seq 600); do grep -q waiting err && break; sleep 0.05; done' & holder=$!
for _ in $(seq 100); do flock -n t.gputap/export.lock true || break; sleep 0.02; done
"$gputap" export -q -e apilog -f t 2>err; ok "an export waits for the lock" $? 0; wait $holder
has "and says so" err 'is being converted by another process: waiting'
# One that is never let go is given up after a time; what would take two minutes of pauses takes none here.
if nm -D --undefined-only "$gputap" | grep -qE '__[at]san'; then skip "the time limit of the lock: a sanitizer comes first"; else
	"${CC:-cc}" -O1 -fPIC -shared -o libhurry.so "$GPUTAP_TESTS/cli/hurry.c"; ok "what takes the pauses away" $? 0
	rm -f u.apilog.* z.*
	exec 8>t.gputap/export.lock; flock 8
	timeout 100 env LD_PRELOAD="$PWD/libhurry.so" "$gputap" export -q -e apilog -o z t 2>err 8>&- 9>pauses; ok "an export gives up waiting for the lock" $? 4
	exec 8>&-
	has "and says after how long" err 'gave up waiting after 120 s'
	has "and what to do" err 'again when that process is done'
	ok "which is how long it would have paused" "$(cat pauses)" 120
	ok "and nothing is left of it" "$(compgen -G 'z*')" ""
fi
ok "nobody else can open the lock" "$(stat -c %a t.gputap/export.lock)" 600

# Special files are no tables.
mkfifo fifo
timeout 20 "$gputap" run --cuda-args -q --cuda-table=fifo -o w -- true 2>err; ok "--cuda-table=FIFO is refused at once" $? 125
timeout 20 "$gputap" run --cuda-args -q --cuda-table=/dev/zero -o w -- true 2>err; ok "--cuda-table=/dev/zero too" $? 125
has "and said" err 'is not a table'

finish
