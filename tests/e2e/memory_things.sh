#!/usr/bin/env bash
# tests/e2e/memory_things.sh - what a trace takes in memory when it is read does not grow with what the program made and gave up
#
# Two traces of each kind of thing (tests/e2e/many_things.c), the second of four times as many: the difference of what a
# reader held at most, by thing. Every reader is to stay within 256 MiB whatever the number; with THINGS=N, each of one
# trace of N things of each kind (scripts/test --long).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
# shellcheck source=tests/check_lib.sh
. "$GPUTAP_TESTS/check_lib.sh"
gputap=$GPUTAP_BUILD/gputap
if nm "$gputap" 2>/dev/null | grep -q __asan_init || nm "$gputap" 2>/dev/null | grep -q __tsan_init; then
	echo "skipped: a sanitizer's own memory grows"; exit 77
fi
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS FAKECL_DEVICES
most=$((256 << 10))                # KiB

# peak COMMAND...: KiB that it held at most
peak() {
	python3 - "$@" <<-'EOF'
		import os, subprocess, sys
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
		_, status, used = os.wait4(p.pid, 0)
		print(used.ru_maxrss)
		sys.exit(status != 0)
	EOF
}

# record KIND N NAME: a trace of N things, with options...
record() {
	local kind=$1 n=$2 name=$3; shift 3
	rm -rf "$name.gputap"
	"$gputap" run -q -f -o "$name" -t opencl,nvtx --summary=none "$@" -- "$GPUTAP_BUILD/tests/e2e/many_things" "$kind" "$n" >/dev/null
}

# read_by READER TRACE: peak of one reader: info, stats, a report or a format
read_by() {
	case $1 in
	info) peak "$gputap" info "$2" ;;
	stats) peak "$gputap" stats -q -j 1 "$2" ;;
	*_*) peak "$gputap" stats -q -j 1 -r "$1" "$2" ;;
	*) peak "$gputap" export -q -f -j 1 -e "$1" -o out "$2" ;;
	esac
}

# within BYTES N READER: more things, N of them, take no more than so many bytes each
within() {
	local few many
	few=$(read_by "$3" few.gputap) && many=$(read_by "$3" many.gputap) || return 1
	echo "$few KiB, then $many KiB"
	[ $(((many - few) * 1024)) -le $(($1 * $2)) ]
}

# below READER: than the most that a reader may take
below() {
	local now
	now=$(read_by "$1" many.gputap) || return 1
	echo "$now KiB"
	[ "$now" -le "$most" ]
}

# things KIND N BYTES "READER..." [OPTION...]: growth by thing, or with THINGS all of it
things() {
	local kind=$1 n=$2 bytes=$3 readers=$4 reader; shift 4
	if [ -n "${THINGS-}" ]; then
		n=$THINGS
		[ "$kind" != process ] || n=1000
		record "$kind" "$n" many "$@" || { check "a trace of $n x $kind" false; return; }
		for reader in $readers; do check "$n x $kind: $reader" below "$reader"; rm -rf out*; done
	else
		{ record "$kind" "$n" few "$@" && record "$kind" $((4 * n)) many "$@"; } || { check "a trace of $n x $kind" false; return; }
		for reader in $readers; do check "$kind: $reader" within "$bytes" $((3 * n)) "$reader"; rm -rf out*; done
	fi
	rm -rf few.gputap many.gputap
}

# Functions and lines of libraries are read once, not for each process that loaded them.
things process 25 65536 "sqlite atp callgrind folded perfetto call_sites" --callstacks
finish
