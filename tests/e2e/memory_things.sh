#!/usr/bin/env bash
# tests/e2e/memory_things.sh - what a trace takes in memory when it is read does not grow with what the program made and gave up
#
# Of each kind of thing (tests/e2e/many_things.c) a trace is read with little memory that cannot leave the process: heap
# and other private pages (RLIMIT_DATA). What is kept of things lies in pages of unlinked files and does not count.
# With THINGS=N (scripts/test --long) traces of N things, and the most that a reader held altogether (peak resident
# size, pages of files too), which is to stay within 256 MiB whatever the number.
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

# tight READER: reads with no more private memory than this
private=$((32 << 10))              # KiB
tight() { (ulimit -d "$private" && read_by "$1" many.gputap 2>&1); }

# below READER: than the most that a reader may take
below() {
	local now
	now=$(read_by "$1" many.gputap) || return 1
	echo "$now KiB"
	[ "$now" -le "$most" ]
}

# long KIND "READER..." [OPTION...]: THINGS of a kind
long() {
	local kind=$1 n=$THINGS readers=$2 reader; shift 2
	[ "$kind" != process ] || n=1000
	record "$kind" "$n" many "$@" || { check "a trace of $n x $kind" false; return; }
	for reader in $readers; do check "$n x $kind: $reader" below "$reader"; rm -rf out*; done
	rm -rf many.gputap
}

# things KIND N "READER..."
things() {
	local kind=$1 n=$2 readers=$3 reader
	if [ -n "${THINGS-}" ]; then long "$kind" "$readers"; return; fi
	record "$kind" "$n" many || { check "a trace of $n x $kind" false; return; }
	for reader in $readers; do check "$n x $kind: $reader" tight "$reader"; rm -rf out*; done
	rm -rf many.gputap
}

# Functions and lines of libraries are read once, not for each process that loaded them.
processes() {
	local readers="sqlite atp callgrind folded perfetto call_sites" reader
	if [ -n "${THINGS-}" ]; then long process "$readers" --callstacks; return; fi
	{ record process 25 few --callstacks && record process 100 many --callstacks; } ||
		{ check "a trace of processes" false; return; }
	for reader in $readers; do check "process: $reader" within 65536 75 "$reader"; rm -rf out*; done
	rm -rf few.gputap many.gputap
}
processes

# Numbers at which the tables of before did not fit (350 to 1 000 bytes for a thing). Images and domains: each was
# compared with all that came before it.
objects="stats sqlite perfetto callgrind atp timeline_sum"
things buffer 200000 "$objects"
things image 30000 "stats sqlite"
[ -n "${THINGS-}" ] || things program 200000 sqlite
for kind in part sampler event user program kernel queue context memory; do
	[ -z "${THINGS-}" ] || things "$kind" "$THINGS" "$objects"
done
ranges="nvtx_sum sqlite perfetto callgrind folded nvtx_pushpop_trace nvtx_kern_sum"
things push 100000 "$ranges"
things domain 30000 "nvtx_sum sqlite"
for kind in start mark registered; do
	[ -z "${THINGS-}" ] || things "$kind" "$THINGS" "$ranges"
done
finish
