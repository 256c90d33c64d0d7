#!/usr/bin/env bash
# tests/e2e/openmp_gcc.sh - OpenMP regions of programs made by GCC, through libgomp's entry points, in known numbers
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUTAP_BUILD:-$here/../../build}" && pwd)
gputap=$build/gputap
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT OMP_TOOL OMP_TOOL_LIBRARIES OMP_SCHEDULE OMP_NUM_THREADS

if nm -D --undefined-only "$build/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cd "$d" || exit 1
gcc=$(command -v gcc gcc-14 gcc-13 gcc-12 | head -n 1)
[ -n "$gcc" ] || { echo "skipped: gcc, whose OpenMP runtime this is about, is not installed"; exit 77; }
for p in constructs more; do
	"$gcc" -fopenmp -O2 -Wall -Wextra -o $p "$here/openmp/$p.c" 2>err || { echo "skipped: gcc has no OpenMP runtime here (libgomp)"; exit 77; }
done
"$gcc" -fopenmp -O1 -DPLUGIN -fPIC -shared -o plugin.so "$here/openmp/more.c" || exit 1
"$gcc" -o plain -x c - -ldl <<-'C' || exit 1
	#include <dlfcn.h>
	int main(void)
	{
		void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
		int (*more)(void) = plugin ? (int (*)(void))dlsym(plugin, "more") : 0;

		return more ? more() : 1;
	}
C
export OMP_CANCELLATION=true
# before GCC 11 the number of levels alone allowed no nested regions
[ "$("$gcc" -dumpversion)" -ge 11 ] || export OMP_NESTED=true

check() { # NAME EXPECTED GOT
	if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL: %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"; fi
}
# rows of a table: "KIND COUNT" a line, by kind
kinds() { sqlite3 -separator ' ' "$1.sqlite" "SELECT kind, count(*) FROM OPENMP_EVENT_KIND_$2 GROUP BY 1 ORDER BY 1" | paste -sd, ; }
rows() { sqlite3 "$1.sqlite" "SELECT count(*) FROM OPENMP_EVENT_KIND_$2 WHERE ${3:-1}" 2>/dev/null || echo none; }
traced() { # PROGRAM
	./"$1" >bare; local status=$?
	"$gputap" run -q -f -t openmp -e sqlite,perfetto -o "$1" ./"$1" >out 2>err
	check "$1: status and output" "$status $(cat bare)" "$? $(cat out)"
	check "$1: nothing is lost" "complete: yes" "$("$gputap" info "$1.gputap" 2>/dev/null | grep complete:)"
	check "$1: the database is sound" ok "$(sqlite3 "$1.sqlite" 'PRAGMA integrity_check')"
	check "$1: rows say whose word they are" 0 "$(sqlite3 "$1.sqlite" "SELECT count(*) FROM OPENMP_EVENT_KIND_PARALLEL JOIN StringIds s ON nameId = s.id WHERE s.value <> 'Parallel (libgomp)'")"
	check "$1: tasks lie in their regions" 0 "$(rows "$1" TASK "parallelId NOT IN (SELECT parallelId FROM OPENMP_EVENT_KIND_PARALLEL) AND kind <> 8")"
	check "$1: every created task ran, by its number" 0 "$(rows "$1" TASK_CREATE "newTaskId NOT IN (SELECT taskId FROM OPENMP_EVENT_KIND_TASK WHERE kind = 4)")"
	check "$1: what cannot be told has no table" "none none none none none" "$(for t in THREAD SYNC_REGION_WAIT MASTER REDUCTION FLUSH; do rows "$1" $t; done | xargs)"
	check "$1: spans of a thread nest" 0 "$(python3 "$here/openmp_nesting.py" "$1.sqlite")"
}

# No memory may be had for what is kept of a thread.
"$gcc" -fopenmp -O1 -Wall -Wextra -o filtered "$here/openmp/filtered.c" || exit 1
if ./filtered >bare; then
	"$gputap" run -q -t openmp -o filtered ./filtered >out 2>err
	check "behind a filter the program runs, and what is lost is counted" "0 $(cat bare) yes" "$? $(cat out) $("$gputap" info filtered.gputap | grep -q 'seccomp filter' && echo yes)"
else
	skipped=$((skipped + 1)); echo "skipped: no seccomp filter can be installed here"
fi

traced constructs
check "parallel regions" 3 "$(rows constructs PARALLEL)"
check "tasks: implicit, explicit" "2 6,4 10" "$(kinds constructs TASK)"
check "... created, begun and ended" "10 20" "$(rows constructs TASK_CREATE) $(rows constructs TASK_SCHEDULE)"
check "work: sections, single by one and by the other, a dynamic loop; the static ones are plain code" "2 2,3 1,4 1,11 2" "$(kinds constructs WORKSHARE)"
check "... with their counts" "6" "$(rows constructs WORKSHARE "kind IN (2, 3, 4) AND count IN (1, 2) OR kind = 11 AND count = 6")"
check "their parts" "1 6,2 2" "$(kinds constructs DISPATCH)"
check "waits: taskwait, taskgroup, of work, of regions" "5 1,6 1,8 4,9 3" "$(kinds constructs SYNC_REGION | sed 's/^1 [0-9]*,//')"
check "barriers, written or implied: at least the written one of each thread" yes "$([ "$(rows constructs SYNC_REGION "kind = 1")" -ge 4 ] && echo yes)"
check "mutexes: a lock, critical, ordered" "1 2,5 2,7 6" "$(kinds constructs CRITICAL_SECTION)"
check "... waits and releases are as many" "10 10" "$(rows constructs MUTEX_WAIT) $(rows constructs MUTEX_RELEASED)"
check "a lock's life" "1 1" "$(rows constructs LOCK_INIT) $(rows constructs LOCK_DESTROY)"
check "cancellation" yes "$([ "$(rows constructs CANCEL)" -ge 1 ] && echo yes)"
check "statistics" 3 "$("$gputap" stats --format csv -r openmp_sum constructs.gputap 2>/dev/null | awk -F, '$NF == "libgomp: parallel" { print $3 }')"

more() { # NAME
	check "$1: parallel regions, nested ones too" 9 "$(rows "$1" PARALLEL)"
	check "$1: tasks: implicit, explicit with large arguments, at once, of task loops, in order" "2 18,4 12" "$(kinds "$1" TASK)"
	check "$1: work: single, task loops, dynamic, guided, by the environment" "3 2,4 2,7 2,11 4,12 2,13 2" "$(kinds "$1" WORKSHARE)"
	check "$1: counts of loops up, down, and of the last unsigned numbers" "7 9,7 20,11 7,11 100,12 34,13 50" "$(sqlite3 -separator ' ' "$1.sqlite" 'SELECT DISTINCT kind, count FROM OPENMP_EVENT_KIND_WORKSHARE WHERE kind > 4 ORDER BY 1, 2' | paste -sd,)"
	check "$1: mutexes: nested locks, one of them tested; named critical" "3 8,4 1,5 2" "$(kinds "$1" MUTEX_WAIT)"
}
traced more
more more
traced plain
more plain
"$gcc" -fopenmp -O1 -Wall -Wextra -foffload=disable -o league "$here/openmp/league.c" || exit 1
traced league
check "leagues, and the regions in their teams" "2 7" "$(sqlite3 league.sqlite "SELECT count(DISTINCT parallelId) FROM OPENMP_EVENT_KIND_TASK WHERE kind = 1 UNION ALL SELECT count(*) - 2 FROM OPENMP_EVENT_KIND_PARALLEL" | xargs)"
check "a task for each team, for each target region, and for each thread" "1 5,2 11,4 1,8 2" "$(kinds league TASK)"
if "$gcc" -fopenmp -O1 -Wall -Wextra -foffload=disable -o inner "$here/openmp/inner.c" && nm -D --undefined-only inner | grep -q GOMP_teams4; then
	traced inner
	check "teams inside a target region: a league, its teams, the target" "1 3,2 1,4 1,8 1 2" "$(kinds inner TASK) $(rows inner PARALLEL)"
else
	echo "skipped: teams inside target regions: GCC before 12"
	skipped=$((skipped + 1))
fi
said=$(python3 "$here/openmp_table.py" libgomp constructs.sqlite more.sqlite league.sqlite)
check "each of the 18 tables is filled or cannot be, as the page says" yes "$([[ $said == *" filled, "* ]] && echo yes || echo "$said")"
check "a league lasts longer than what its teams run" 0 "$(sqlite3 league.sqlite "SELECT count(*) FROM OPENMP_EVENT_KIND_TASK t JOIN OPENMP_EVENT_KIND_PARALLEL p USING (parallelId) WHERE t.kind = 1 AND (t.start < p.start OR t.end > p.end)")"
check "a library opened for itself alone finds its own runtime" yes "$([ "$(rows plain PARALLEL)" = 9 ] && echo yes)"
"$gputap" run -q -f -t opencl -o none ./more >out
check "not asked for" "$(./more) no" "$(cat out) $([ -d none.gputap ] && echo yes || echo no)"
check "without a core" "$(./more)" "$(LD_PRELOAD=$build/libgputap-libgomp.so ./more)"

# LLVM's runtime under a program of GCC's tells of itself: each region once.
# A machine may have it for another kind of processor too (bytes 18 and 19 of an ELF file).
llvm=$(find /usr/lib/llvm-*/lib /usr/lib/*/ -maxdepth 1 -name 'libomp.so.5' 2>/dev/null | while read -r one; do
	if cmp -s -i 18 -n 2 "$one" more; then echo "$one"; break; fi
done)
if [ -n "$llvm" ]; then
	mkdir -p lib && ln -sf "$llvm" lib/libgomp.so.1
	LD_LIBRARY_PATH=$d/lib "$gputap" run -q -f -t openmp -e sqlite -o onllvm ./more >out 2>&1
	check "on LLVM's runtime each region is told once" "$(./more | cut -d' ' -f1) 9 0" "$(cut -d' ' -f1 out) $(rows onllvm PARALLEL) $(sqlite3 onllvm.sqlite "SELECT count(*) FROM StringIds WHERE value LIKE '%(libgomp)'")"
	# Both in one process, as a program with libraries of both compilers has them.
	clang=$(command -v clang clang-19 clang-16 clang-15 clang-14 | head -n 1)
	if [ -n "$clang" ] && "$clang" -fopenmp -DPLUGIN -fPIC -shared -o other.so "$here/openmp/more.c" 2>err; then
		"$gcc" -fopenmp -o both -x c - -ldl <<-'C'
			#include <dlfcn.h>
			#include <stdio.h>
			int main(void)
			{
				void *other = dlopen("./other.so", RTLD_NOW | RTLD_LOCAL);
				int (*more)(void) = other ? (int (*)(void))dlsym(other, "more") : 0, n = 0;

			#pragma omp parallel num_threads(3) reduction(+ : n)
				n++;
				printf("%d\n", n);
				return more ? more() : 1;
			}
		C
		./both >bare
		"$gputap" run -q -f -t openmp -e sqlite -o both ./both >out 2>err
		check "both runtimes in one process" "$(cat bare) ok 1 9" "$(cat out) $(sqlite3 both.sqlite 'PRAGMA integrity_check') $(sqlite3 both.sqlite "SELECT count(*) FROM OPENMP_EVENT_KIND_PARALLEL JOIN StringIds s ON nameId = s.id WHERE s.value LIKE '%(libgomp)'") $(sqlite3 both.sqlite "SELECT count(*) FROM OPENMP_EVENT_KIND_PARALLEL JOIN StringIds s ON nameId = s.id WHERE s.value = 'Parallel'")"
	else
		skipped=$((skipped + 1)); echo "skipped: clang with its OpenMP runtime is not installed"
	fi
else
	skipped=$((skipped + 1)); echo "skipped: LLVM's OpenMP runtime is not installed (libomp-dev)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
