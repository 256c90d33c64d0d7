#!/usr/bin/env bash
# tests/cli/no_memory_lib.sh - what tests without memory need: an allocator that can refuse (libnone.so), a trace (t), exports of it
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034        # whoever reads this file in uses them
set -u
gputap=$GPUTAP_BUILD/gputap
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
nm -D --undefined-only "$gputap" | grep -qE '__[at]san' && { echo "skipped: a sanitizer has an allocator of its own"; exit 77; }
"${CC:-cc}" -O1 -fPIC -shared -D_GNU_SOURCE -o libnone.so "$GPUTAP_TESTS/cli/no_memory.c" || exit 1
"$gputap" run -q -o t --summary=none -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1
passed=0 failed=0
# With no memory from one request on, and where one request alone finds none: the first of each chain of callers.
sweep_export() { # PLACES FORMAT SUFFIX
	local places=$1 format=$2 suffix=$3 n status what
	rm -f part.*
	LD_PRELOAD=$PWD/libnone.so "$gputap" export -q -j 1 -e "$format" -o part t 2>err 9>asked && mv "part.$suffix" "all.$suffix" &&
		CHAINS=1 LD_PRELOAD=$PWD/libnone.so "$gputap" export -q -j 1 -e "$format" -o part t 2>err 9>firsts || { failed=$((failed + 1)); echo "FAILED: $format"; cat err; return; }
	n=$(cat asked)
	while read -r at once; do
		rm -f part.*
		LD_PRELOAD=$PWD/libnone.so FAIL_AT=$at FAIL_ONCE=$once "$gputap" export -q -j 1 -e "$format" -o part t 2>err; status=$?
		what="$format, ${once:+only at }request $at of $n"
		if [ "$status" = 0 ] && ! same "all.$suffix" "part.$suffix"; then echo "FAILED: $what: status 0, and something is left out"
		elif [ "$status" -ge 128 ]; then echo "FAILED: $what: status $status"
		elif [ "$status" != 0 ] && ! grep -q '^gputap: .' err; then echo "FAILED: $what: no word"
		elif [ "$status" != 0 ] && compgen -G 'part.*' >/dev/null; then echo "FAILED: $what: half-written: $(compgen -G 'part.*')"
		else passed=$((passed + 1)); continue; fi
		failed=$((failed + 1))
	done < <(seq 1 $((n / places + 1)) "$n"; sed 's/$/ once/' firsts)
}
# Two databases of one trace differ in what they tell of themselves: when they were made, and under which name.
same() {
	case $1 in
	*.sqlite) python3 - "$1" "$2" <<'END' ;;
import sqlite3, sys
def rows(path):
    return [line for line in sqlite3.connect(path).iterdump() if "VALUES('EXPORT_" not in line]
sys.exit(rows(sys.argv[1]) != rows(sys.argv[2]))
END
	*) cmp -s "$1" "$2" ;;
	esac
}
