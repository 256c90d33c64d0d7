#!/usr/bin/env bash
# tests/cli/broken_libdw.sh - a libdw that reads a bad address costs the lines of that file, and not the tool's life
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
passed=0 failed=0
check() { local what=$1; shift; if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what ($*)"; fi; }
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
nm -D --undefined-only "$gputap" | grep -qE '__[at]san' && { echo "skipped: a sanitizer has handlers of its own"; exit 77; }
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
"$gputap" run -q -o t --callstacks --summary=none -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1
"$gputap" dump t >before

# Every function that the tool asks for; the first that reads a file dies as it is told.
awk -F'[(,]' '/^\tF\(/ { gsub(/ /, "", $3); print $3 }' "$GPUTAP_TESTS/../model/symbols/lines.c" >names
{
	echo '#include <signal.h>'
	echo '#include <stdlib.h>'
	echo 'void *dwarf_begin(int fd, int command) { (void)fd; (void)command; return "a file"; }'
	echo 'int dwarf_nextcu(void) { raise(atoi(getenv("DIES_BY"))); return 1; }'
	grep -vxE 'dwarf_begin|dwarf_nextcu' names | sed 's/.*/long &(void) { return 0; }/'
} >libdw.c
mkdir -p libs && "${CC:-cc}" -fPIC -shared -o libs/libdw.so.1 libdw.c || exit 1
check "the stand-in has what the tool asks for" [ "$(wc -l <names)" -ge 15 ]
for signal in SEGV BUS; do
	DIES_BY=$(kill -l $signal) LD_LIBRARY_PATH=$PWD/libs "$gputap" dump t >after 2>err
	check "$signal: the dump is made" [ $? = 0 ]
	check "$signal: its functions have names" eval '[ "$(grep -c "main" after)" -ge 1 ]'
	check "$signal: ... and no lines" eval 'grep -q "main (cl_commands.c:" before && ! grep -q "(cl_commands.c:" after'
	check "$signal: the rest is as before" eval 'cmp -s <(grep -v "^ *\"0x" before) <(grep -v "^ *\"0x" after)'
done
DIES_BY=$(kill -l ABRT) LD_LIBRARY_PATH=$PWD/libs "$gputap" dump t >after 2>err
check "a failed assertion is taken for want of memory" [ $? = 3 ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
