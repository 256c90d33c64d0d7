#!/usr/bin/env bash
# tests/cli/file_limit.sh - a file that may not grow (ulimit -f) is an error that is told, by every command that writes
#
# What such a limit sends, SIGXFSZ, ends who does not ask for anything else: without a word, and with half a file.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
source "$GPUTAP_TESTS/check_lib.sh"
gputap=$GPUTAP_BUILD/gputap
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
program=$GPUTAP_BUILD/tests/e2e/cl_commands

"$gputap" run -q -o t --callstacks -t opencl,osrt -- "$program" >program.out || exit 1

# limited KIB OUT COMMAND...: with files of at most so many KiB; its status, and in `err` what it said (through a pipe: files are limited)
limited() {
	local blocks=$1 out=$2
	shift 2
	rm -f err
	(trap - XFSZ; ulimit -f "$blocks"; exec "$@") 2>&1 >"$out" | cat >err
	return "${PIPESTATUS[0]}"
}
# refused NAME STATUS: with words that say why, and nothing half-written
refused() {
	ok "$1: status" "$2" 4
	has "$1: says why" err 'File too large'
	ok "$1: nothing half-written is left" "$(find . \( -name '*.part*' -o -name 'out*' \) ! -name '*.old' -printf '%f ')" ""
}
# An old file keeps its contents.
kept() { ok "$1: the old file is whole" "$(cat "$2")" old; rm -f "$2"; }

made=0
for format in $(sed -n 's/^FORMAT(.*, "\(.*\)").*/\1/p' "$GPUTAP_TESTS/../trace/format/formats.def"); do
	rm -f out*
	"$gputap" export -q --apply-rules=false -e "$format" -o out t.gputap 2>/dev/null
	file=$(echo out*)
	bytes=$(stat -c %s "$file") || continue
	made=$((made + 1))
	for blocks in 0 $((bytes / 4096)) $(((bytes - 1) / 1024)); do
		rm -f out*
		limited "$blocks" /dev/null "$gputap" export --apply-rules=false -e "$format" -o out t.gputap
		refused "export -e $format, $blocks KiB of $bytes bytes" $?
	done
	echo old >"$file"
	limited 0 /dev/null "$gputap" export -f -e "$format" -o out t.gputap
	ok "export -f -e $format: status" $? 4
	kept "export -f -e $format" "$file"
	limited $(((bytes + 1023) / 1024)) /dev/null "$gputap" export -q --apply-rules=false -e "$format" -o out t.gputap
	ok "export -e $format where its size is allowed: $(cat err)" "$?" 0
done
ok "formats tried" "$made" 9
rm -f out*

# Everything that prints, into a file by its own option or the shell's. The shell's is cut, and that is told.
printed() { # NAME ARGUMENT...: with -o where the last word before NAME says so
	local name=$1
	shift
	limited 0 shell.out "$gputap" "$@"
	ok "$name > FILE: status" $? 4
	has "$name > FILE: says why" err 'File too large'
}
printed "stats" stats t.gputap
printed "stats --format=json" stats --format=json -r all t.gputap
printed "info" info t.gputap
printed "info --json" info --json t.gputap
printed "dump" dump t.gputap
printed "dump --json" dump --json t.gputap
printed "metrics" metrics t.gputap
printed "metrics --list-sections" metrics --list-sections
printed "report" report t.gputap
printed "report --page=raw --csv" report --page=raw --csv t.gputap
printed "help" help run
printed "--help" --help
printed "--version" --version
for option in "" -f; do
	[ -z "$option" ] || echo old >out.txt
	# shellcheck disable=SC2086      # no option
	limited 0 /dev/null "$gputap" stats $option -o out.txt t.gputap
	status=$?
	if [ -z "$option" ]; then
		refused "stats -o" $status
	else
		ok "stats -f -o: status" $status 4
		kept "stats -f -o" out.txt
	fi
done
if "$gputap" report -q --apply-rules -o out.ncu-rep t.gputap >/dev/null 2>&1 || [ $? = 4 ]; then
	rm -f out*
	limited 4 /dev/null "$gputap" report --apply-rules -o out.ncu-rep t.gputap
	refused "report -o" $?
fi

# The launcher's own: what it could not write is told, the program's status stays, its output comes through, and nothing is half-written.
limited 1 shell.out "$gputap" run -o out -e sqlite,atp --summary=table --summary-output=out.sum --pack -- sh -c "$program; head -c 700 /dev/zero; exit 7"
ok "run: the program's status" $? 7
ok "run: the program's output" "$(tr -d '\0' <shell.out | cmp - program.out 2>&1; stat -c %s shell.out)" "$(($(stat -c %s program.out) + 700))"
has "run: says why" err 'File too large'
ok "run: nothing half-written" "$(find . -name '*.part*' -o -name out.sqlite -o -name out.atp)" ""
has "run: the trace can be read, and says what it lacks" <("$gputap" info out.gputap 2>&1) '^complete: no'
rm -rf out*
limited 64 /dev/null "$gputap" run -o out --capture-output -- sh -c 'head -c 100000 /dev/zero | tr "\0" x; exit 3'
ok "run --capture-output: the program's status" $? 3

# The program has what gputap was given: the signal's disposition is its own.
for given in - ''; do
	# shellcheck disable=SC2064      # now
	bare=$(trap "$given" XFSZ; exec grep SigIgn /proc/self/status)
	# shellcheck disable=SC2064
	ok "SIGXFSZ of the program, trap '$given'" "$(trap "$given" XFSZ; exec "$gputap" run -q -o sig grep SigIgn /proc/self/status 2>/dev/null)" "$bare"
done
limited 1 /dev/null "$gputap" run -q -o sig -- sh -c 'head -c 5000 /dev/zero >grown; echo $? >status'
ok "SIGXFSZ ends what the program starts as ever" "$(cat status)" 153
finish
