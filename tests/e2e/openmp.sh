#!/usr/bin/env bash
# tests/e2e/openmp.sh - OpenMP regions of a program in known numbers, through the runtime's tools interface
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUTAP_BUILD:-$here/../../build}" && pwd)
gputap=$build/gputap
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT OMP_TOOL OMP_TOOL_LIBRARIES

if nm -D --undefined-only "$build/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cd "$d" || exit 1
clang=$(command -v clang clang-19 clang-16 clang-15 clang-14 | head -n 1)
[ -n "$clang" ] || { echo "skipped: clang, whose OpenMP runtime has a tools interface, is not installed"; exit 77; }
"$clang" -fopenmp -O1 -Wall -Wextra -o constructs "$here/openmp/constructs.c" 2>err || { echo "skipped: clang has no OpenMP runtime here (libomp-dev)"; exit 77; }
export OMP_CANCELLATION=true LD_LIBRARY_PATH=${LD_LIBRARY_PATH-}
./constructs >bare 2>&1 || { echo "skipped: the OpenMP runtime does not start: $(head -n 1 bare)"; exit 77; }

check() { # NAME EXPECTED GOT
	if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL: %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"; fi
}

"$gputap" run -q -t openmp -e sqlite,perfetto -o t ./constructs >out 2>err
check "the program" "0 $(cat bare)" "$? $(cat out)"
check "nothing is lost" "complete: yes" "$("$gputap" info t.gputap 2>/dev/null | grep complete:)"
python3 "$here/openmp_check.py" t.sqlite >checked
cat checked
passed=$((passed + $(awk '/passed,/ { print $1 }' checked))) failed=$((failed + $(awk '/passed,/ { print $3 }' checked)))
# own_column LIBRARY: what the page calls this version
own_column() { if nm -D "$1" | grep -q omp_in_explicit_task; then echo "LLVM's runtime 19"; else echo "LLVM's runtime 14"; fi; }
"$clang" -fopenmp -O1 -Wall -Wextra -o reductions "$here/openmp/reductions.c" || exit 1
# reductions_of THREADS NAME: into NAME.sqlite; how many parts were added to others, and how many of them inside the region?
reductions_of() {
	[ "$("$gputap" run -q -f -t openmp -e sqlite -o "$2" ./reductions "$1" 2>err)" = "$(./reductions "$1")" ] || { echo "not as bare"; return; }
	sqlite3 "$2.sqlite" "SELECT count(*), sum(r.start >= p.start AND r.end <= p.end)
		FROM OPENMP_EVENT_KIND_REDUCTION r, OPENMP_EVENT_KIND_PARALLEL p" 2>/dev/null || echo none
}
check "a team of eight adds up in a tree: seven parts to others" "7|7" "$(reductions_of 8 tree)"
check "a team of four adds up without telling" "none" "$(reductions_of 4 few)"
said=$(python3 "$here/openmp_table.py" "$(own_column "$(readlink -f "$(ldd constructs | awk '/libomp/ { print $3 }')")")" t.sqlite tree.sqlite)
check "each of the 18 tables is filled or cannot be, as the page says" "yes" "$([[ $said == *" filled, "* ]] && echo yes || echo "$said")"
check "cancellation" "yes" "$([ "$(sqlite3 t.sqlite 'SELECT count(*) FROM OPENMP_EVENT_KIND_CANCEL')" -ge 1 ] && echo yes)"
check "the database is sound" ok "$(sqlite3 t.sqlite 'PRAGMA integrity_check')"
"$gputap" export -q -f -e sqlite --sqlite-schema=2021 -o old t.gputap 2>/dev/null
check "the edition of 2021: kinds of tasks" "1 2 3" "$(sqlite3 old.sqlite 'SELECT DISTINCT kind FROM OPENMP_EVENT_KIND_TASK ORDER BY 1' | xargs)"
check "statistics" "3" "$("$gputap" stats --format csv -r openmp_sum t.gputap 2>/dev/null | awk -F, '$NF == "parallel" { print $3 }')"
check "no API call is made of them" "" "$("$gputap" stats -r opencl_api_sum t.gputap 2>/dev/null | grep omp_)"

# Other versions of the runtime under the same program. Debian's packages exclude each other: OMP_RUNTIMES names folders
# with a libomp.so.5 (dpkg-deb -x libomp5-19_*.deb FOLDER).
own=$(readlink -f "$(ldd constructs | awk '/libomp/ { print $3 }')")
others=0
for lib in ${OMP_RUNTIMES-} /usr/lib/llvm-*/lib; do
	[ -e "$lib/libomp.so.5" ] && [ "$(readlink -f "$lib/libomp.so.5")" != "$own" ] || continue
	others=$((others + 1))
	LD_LIBRARY_PATH=$lib ./constructs >bare.other || { echo "skipped: the runtime of $lib does not start"; skipped=$((skipped + 1)); continue; }
	LD_LIBRARY_PATH=$lib "$gputap" run -q -f -t openmp -e sqlite -o newer ./constructs >out 2>err
	check "the program on $lib" "0 $(cat bare.other)" "$? $(cat out)"
	check "nothing is lost on $lib" "complete: yes" "$("$gputap" info newer.gputap 2>/dev/null | grep complete:)"
	echo "on $lib:"
	python3 "$here/openmp_check.py" newer.sqlite >checked
	cat checked
	passed=$((passed + $(awk '/passed,/ { print $1 }' checked))) failed=$((failed + $(awk '/passed,/ { print $3 }' checked)))
	check "a team of eight adds up in a tree on $lib" "7|7" "$(export LD_LIBRARY_PATH=$lib; reductions_of 8 tree.other)"
	said=$(python3 "$here/openmp_table.py" "$(own_column "$lib/libomp.so.5")" newer.sqlite tree.other.sqlite)
	check "each of the 18 tables is filled or cannot be on $lib, as the page says" "yes" "$([[ $said == *" filled, "* ]] && echo yes || echo "$said")"
	if nm -D "$lib/libomp.so.5" | grep -q omp_in_explicit_task; then
		check "a newer one tells of parts too, and of why threads wait" "10 2 10 6" \
			"$(sqlite3 newer.sqlite "SELECT (SELECT count(*) FROM OPENMP_EVENT_KIND_DISPATCH WHERE kind = 3 OR kind = 1) || ' ' || (SELECT count(*) FROM OPENMP_EVENT_KIND_DISPATCH WHERE kind = 2) || ' ' || (SELECT count(*) FROM OPENMP_EVENT_KIND_SYNC_REGION WHERE kind = 8) || ' ' || (SELECT count(*) FROM OPENMP_EVENT_KIND_SYNC_REGION WHERE kind = 9)")"
	fi
done
[ $others -gt 0 ] || { echo "skipped: another version of LLVM's OpenMP runtime: none is installed, OMP_RUNTIMES names none"; skipped=$((skipped + 1)); }

# Not asked for: the runtime finds no tool and the trace is empty. Without the core the object keeps out.
"$gputap" run -q -t opencl -o none ./constructs >out 2>err
check "not asked for" "0 $(cat bare) no" "$? $(cat out) $([ -d none.gputap ] && [ -n "$(find none.gputap -name '*.str')" ] && echo yes || echo no)"
check "without a core" "$(cat bare)" "$(LD_PRELOAD=$build/libgputap-openmp.so ./constructs)"

# No memory may be had for what is kept of a thread.
"$clang" -fopenmp -O1 -Wall -Wextra -o filtered "$here/openmp/filtered.c" || exit 1
if ./filtered >bare; then
	"$gputap" run -q -t openmp -o filtered ./filtered >out 2>err
	check "behind a filter the program runs, and what is lost is counted" "0 $(cat bare) yes" "$? $(cat out) $("$gputap" info filtered.gputap | grep -q 'seccomp filter' && echo yes)"
else
	skipped=$((skipped + 1)); echo "skipped: no seccomp filter can be installed here"
fi

# Another tool stays the program's.
cat >tool.c <<'C'
#include <stdio.h>
struct result { int (*initialize)(void *, int, void *); void (*finalize)(void *); unsigned long data; };
static int start(void *lookup, int device, void *data) { (void)lookup, (void)device, (void)data; puts("tool"); return 0; }
static void end(void *data) { (void)data; }
struct result *ompt_start_tool(unsigned version, const char *runtime);
struct result *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct result r = { start, end, 0 };
	(void)version, (void)runtime;
	return &r;
}
C
"$clang" -fPIC -shared -o libtool.so tool.c
check "another tool is asked, and it is noted" "1 1" "$(LD_PRELOAD=$d/libtool.so "$gputap" run -q -t openmp,osrt -o other ./constructs 2>err | grep -c '^tool$') $("$gputap" dump other.gputap 2>/dev/null | grep -c 'another tool of OpenMP')"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
