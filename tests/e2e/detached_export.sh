#!/bin/sh
# tests/e2e/detached_export.sh - without the tool, GPUTAP_EXPORT converts at exit, in a process that is not the program's child
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -eu

command -v clinfo >/dev/null || { echo "skipped: clinfo is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
shim=$GPUTAP_BUILD/libgputap.so

clinfo >"$dir/bare" 2>&1 || { echo "skipped: clinfo fails here"; exit 77; }
# A pipe that the converter inherited would keep cat waiting: its end is part of the test.
GPUTAP_OUTPUT=$dir/t GPUTAP_EXPORT=apilog,atp LD_PRELOAD=$shim timeout 60 clinfo 2>&1 | cat >"$dir/traced"
cmp "$dir/bare" "$dir/traced" || { echo "the traced program's output differs"; exit 1; }
if ! "$GPUTAP_BUILD/tests/e2e/silent_clone" 2>"$dir/why"; then
	grep -qx 'gputap: no conversion at exit: no process can be made for it' "$dir/t.gputap/export.log" || { echo "no word of the conversion that is not made"; exit 1; }
	echo "skipped: what the conversion makes: $(cat "$dir/why")"
	echo "1 passed, 0 failed, 1 skipped"
	exit 0
fi
# The lock is held from before the program's end until the files are there.
timeout 60 flock "$dir/t.gputap/export.lock" true || { echo "the lock was never released"; exit 1; }
for file in t.apilog t.atp; do
	[ -s "$dir/$file" ] || { echo "no $file: $(cat "$dir/t.gputap/export.log")"; exit 1; }
done

# The root image is a shell that records nothing itself; the conversion is its all the same.
GPUTAP_OUTPUT=$dir/s GPUTAP_EXPORT=apilog LD_PRELOAD=$shim timeout 60 sh -c 'clinfo >/dev/null; true'
timeout 60 flock "$dir/s.gputap/export.lock" true || { echo "the lock was never released"; exit 1; }
[ -s "$dir/s.apilog" ] || { echo "no s.apilog behind a shell"; exit 1; }

# Nothing recorded: nothing left.
GPUTAP_OUTPUT=$dir/n GPUTAP_EXPORT=apilog LD_PRELOAD=$shim true
[ ! -e "$dir/n.gputap" ] || { echo "a program without calls left a trace"; exit 1; }

# A wrong value does not stop the program; it is a note, which whoever converts the trace tells.
GPUTAP_OUTPUT=$dir/w GPUTAP_MAX_SIZE=banana LD_PRELOAD=$shim timeout 60 clinfo 2>&1 | cmp - "$dir/bare" || {
	echo "a wrong value changed the program's output"; exit 1; }
"$GPUTAP_BUILD/gputap" export -e apilog "$dir/w.gputap" 2>"$dir/w.err" || exit 1
grep -q "^gputap: --max-size: the environment says 'banana'" "$dir/w.err" || { echo "no word of the wrong value: $(cat "$dir/w.err")"; exit 1; }

# The conversion that the program started at its exit is one that tells: in its log, and by gputap wait, where it is no failure.
GPUTAP_OUTPUT=$dir/l GPUTAP_MAX_SIZE=banana GPUTAP_RING=yes GPUTAP_EXPORT=apilog LD_PRELOAD=$shim timeout 60 clinfo 2>&1 | cmp - "$dir/bare" || {
	echo "a wrong value and a conversion changed the program's output"; exit 1; }
timeout 60 "$GPUTAP_BUILD/gputap" wait "$dir/l" 2>"$dir/l.err" || { echo "gputap wait takes a note for a failure: $(cat "$dir/l.err")"; exit 1; }
for said in "--max-size: the environment says 'banana'" "--ring needs a size"; do
	grep -q "^gputap: note: $said" "$dir/l.gputap/export.log" || { echo "export.log does not tell '$said': $(cat "$dir/l.gputap/export.log")"; exit 1; }
	grep -q "^gputap: note: $said" "$dir/l.err" || { echo "gputap wait does not tell '$said': $(cat "$dir/l.err")"; exit 1; }
done
[ -s "$dir/l.apilog" ] || { echo "no l.apilog beside a note"; exit 1; }
