#!/usr/bin/env bash
# tests/e2e/osrt.sh - calls of the C library: programs run as they did, and what they waited in is in the trace
#
# A program with one of each kind (tests/e2e/osrt/kinds.c), against its own output without gputap, against strace's
# counts, with threshold, in every format; then programs by others.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUTAP_BUILD:-$here/../../build}" && pwd)
gputap=$build/gputap
cc=${CC:-cc}
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT

command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
if nm -D --undefined-only "$build/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
cd "$d" || exit 1
$cc -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -o kinds "$here/osrt/kinds.c" -lpthread || exit 1
$cc -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -o waits "$here/osrt/waits.c" -lpthread || exit 1
$cc -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -o counts "$here/osrt/counts.c" -lpthread || exit 1

check() { # NAME EXPECTED GOT
	if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL: %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"; fi
}
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }
# names and numbers of calls, "name N" a line
counts() { "$gputap" dump --json "$1.gputap" 2>/dev/null | python3 -c '
import collections, json, sys
rows = [json.loads(line) for line in sys.stdin]
n = collections.Counter(r["name"] for r in rows if r["type"] == "call")
print("\n".join("%s %d" % i for i in sorted(n.items())))'; }
count() { awk -v n="$2" '$1 == n { print $2; f = 1 } END { if (!f) print 0 }' "$1"; }
query() { sqlite3 "$1.sqlite" "$2" 2>&1; }

# ------------------------------------------------------------ the program itself
./kinds f.txt 1000 >bare.out 2>bare.err; bare=$?
"$gputap" run -q -t osrt --osrt-threshold=0 --osrt-args -e sqlite,perfetto -o all ./kinds f.txt 1000 >all.out 2>all.err
check "status" "$bare" "$?"
check "output" "$(cat bare.out)" "$(cat all.out)"
check "errors" "$(cat bare.err)" "$(cat all.err)"
check "nothing is lost but the sleep that a jump leaves" "complete: no (1 call that did not return: left by a jump, an exception or the end of their thread)" "$("$gputap" info all.gputap 2>&1 | grep complete:)"
"$gputap" run -q -t osrt -o some ./kinds f.txt 1000 >some.out 2>&1
check "output with a threshold" "$(cat bare.out)" "$(cat some.out)"
GPUTAP_TRACE=osrt GPUTAP_OUTPUT=$d/plain LD_PRELOAD="$build/libgputap-osrt.so $build/libgputap.so" ./kinds f.txt 1000 >plain.out 2>&1
check "output under a plain preload" "$(cat bare.out)" "$(cat plain.out)"
GPUTAP_TRACE=osrt GPUTAP_OUTPUT=$d/behind LD_PRELOAD="$build/libgputap.so $build/libgputap-osrt.so" ./kinds f.txt 0 >behind.out 2>&1
check "output with the core in front" "$(cat bare.out)" "$(cat behind.out)"
LD_PRELOAD=$build/libgputap-osrt.so ./kinds f.txt 0 >alone.out 2>&1
check "output without a core" "$(cat bare.out)" "$(cat alone.out)"

# ------------------------------------------------------------------ what is there
counts all >all.n
while read -r name n; do check "calls of $name" "$n" "$(count all.n "$name")"; done <<-'N'
	pthread_create 3
	pthread_join 3
	pthread_cancel 1
	pthread_cond_broadcast 1
	sem_post 4
	open 3
	pread 1
	vfork 2
	fork 1
	posix_spawn 1
	popen 1
	pclose 1
	futex 1
	waitpid 4
N
check "a cancelled wait is over, with its error" 1 "$("$gputap" dump all.gputap 2>/dev/null | grep -c 'sem_wait(.*) = ECANCELED')"
check "the created thread has its number" 3 "$("$gputap" dump --json all.gputap 2>/dev/null | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
tids = {r.get("tid") for r in rows}
print(sum(r["args"]["tid"] in tids for r in rows if r.get("name") == "pthread_create"))')"
check "constructors before main" 1 "$("$gputap" dump all.gputap 2>/dev/null | grep -c 'usleep(microseconds=10)')"
check "destructors behind it" 1 "$("$gputap" dump all.gputap 2>/dev/null | grep -c 'usleep(microseconds=11)')"
check "a forked child's calls" 1 "$("$gputap" dump all.gputap 2>/dev/null | grep -c 'usleep(microseconds=12)')"
check "a missing file's error" 1 "$("$gputap" dump all.gputap 2>/dev/null | grep -c 'open(.* = ENOENT')"
counts some >some.n
check "with a threshold what wakes is there" "4 1" "$(count some.n sem_post) $(count some.n pthread_cond_broadcast)"
check "with a threshold what waits is there" "1" "$("$gputap" dump some.gputap 2>/dev/null | grep -c 'usleep(microseconds=20000)')"
check "with --osrt-args a file is opened by name, and how is no address" 'fopen(path="f.txt", mode="r")' "$("$gputap" dump all.gputap 2>/dev/null | grep -o 'fopen(path="f.txt", [^)]*)' | sort -u)"
check "without --osrt-args no file name" 0 "$(grep -alr 'f\.txt' some.gputap --include='*.str' | wc -l)"
check "with it" 1 "$("$gputap" dump all.gputap 2>/dev/null | grep -c ' open(path="f.txt"')"

# ------------------------------------------------------------------------ outputs
"$gputap" stats --format csv -r osrt_sum all.gputap >sum.csv 2>/dev/null
check "statistics have every call" "$(awk '{ n += $2 } END { print n }' all.n)" "$(tail -n +2 sum.csv | awk -F, 'NF > 8 { n += $3 } END { print n }')"
check "no report of OpenCL shows them" 0 "$("$gputap" stats -r opencl_api_sum all.gputap 2>/dev/null | grep -c usleep)"
check "OSRT_API has every call" "$(awk '{ n += $2 } END { print n }' all.n)" "$(query all 'SELECT count(*) FROM OSRT_API')"
check "return values" "7" "$(query all "SELECT count(DISTINCT returnValue > 0) + 6 FROM OSRT_API JOIN StringIds ON nameId = id WHERE value = 'vfork' GROUP BY 1 > 0")"
check "a file's bytes" "12" "$(query all "SELECT sum(bytesProcessed) FROM OSRT_FILE_ACCESS_EVENTS e JOIN OSRT_FILE_ACCESS_DESCRIPTORS d USING (fileAccessId) WHERE filePath = 'f.txt' AND eventType = 4")"
check "what the program asked by syscall() is a system call" "futex 107" "$(query all "SELECT value || ' ' || eventClass FROM SYSCALL JOIN StringIds ON nameId = id")"
"$gputap" run -q -t osrt --osrt-threshold=0 --osrt-backtrace-threshold=0 --callstacks=osrt --osrt-args -e sqlite -o chain ./kinds f.txt 10 >chain.out 2>&1
check "... with who asked" "processes" "$(query chain "SELECT value FROM SYSCALL c JOIN SYSCALL_CALLCHAINS f ON f.id = callchainId AND stackDepth = 0 JOIN StringIds s ON s.id = symbol")"
"$gputap" run -q -t osrt --osrt-threshold=0 -e sqlite --lazy=false -o noargs ./kinds f.txt 10 >noargs.out 2>&1
check "... which needs --osrt-args" 0 "$(query noargs 'SELECT count(*) FROM SYSCALL')"
check "a contended lock, its wait and its unlock" "yes yes" "$([ "$(count all.n pthread_mutex_lock)" -ge 1 ] && echo yes) $([ "$(count all.n pthread_mutex_unlock)" -ge 1 ] && echo yes)"
check "the database is sound" "ok" "$(query all 'PRAGMA integrity_check')"
check "a signal handler's call" 1 "$("$gputap" dump all.gputap 2>/dev/null | grep -c 'write(fd=-1.* = EBADF')"
check "arguments" "0" "$(query all "SELECT count(*) FROM OSRT_API JOIN StringIds s ON nameId = s.id WHERE argumentsId NOT IN (SELECT id FROM OSRT_ARGUMENTS) AND s.value NOT IN ('fork', 'vfork')")"
check "the edition of 2021" "$(query all 'SELECT count(*) FROM OSRT_API')" "$("$gputap" export -q -f -e sqlite --sqlite-schema=2021 -o old all.gputap && query old 'SELECT count(*) FROM OSRT_API WHERE callchainId = 0')"

# --------------------------------------------- who ended a wait (model/threads/waits.c)
"$gputap" run -q -t osrt --osrt-threshold=0 -o waits ./waits >waits.out
"$gputap" stats -q --format csv -r osrt_wait_trace waits.gputap >waits.csv
while read -r name waiter waker _; do
	[ "$name" = read ] && continue # the kernel alone can tell, below
	got=$(awk -F, -v n="$name" -v t="$waiter" -v by="$waker" '$6 == n && $5 == t { seen = $9 == "" ? 0 : $9; if (seen == by) hit = 1 } END { print hit ? by : seen }' waits.csv)
	check "who ended $name" "$waker" "$got"
done <waits.out
# A line for each object: the function that waited, the object; and that object's address in the call that let it go.
check "... and the object of each lock, condition, semaphore and barrier" "$(awk '$4 != 0 { print $1, $4 }' waits.out | sort)" \
	"$(awk -F, 'NR == FNR { split($0, w, " "); who[w[1] " " w[2]] = w[4] != "0"; next } who[$6 " " $5] { print $6, $8 }' waits.out waits.csv | sort)"
check "... which both sides name" "8 of 8" "$("$gputap" dump --json waits.gputap 2>/dev/null | python3 -c '
import json, sys
calls = {}
for line in sys.stdin:
    r = json.loads(line)
    if r["type"] == "call":
        calls.setdefault((r["tid"], r["name"]), []).append(r["args"])
gives = {"pthread_mutex_lock": "pthread_mutex_unlock", "pthread_rwlock_rdlock": "pthread_rwlock_unlock", "pthread_rwlock_wrlock": "pthread_rwlock_unlock",
         "pthread_cond_wait": "pthread_cond_signal", "sem_wait": "sem_post", "pthread_barrier_wait": "pthread_barrier_wait", "futex": "futex"}
waits = [line.split() for line in open("waits.out")]
of = lambda tid, name, address: any(address in map(str, args.values()) for args in calls.get((int(tid), name), []))
waits = [w for w in waits if w[3] != "0"]
print(sum(of(w[1], w[0], w[3]) and (w[2] == "0" or of(w[2], gives[w[0]], w[3])) for w in waits), "of", len(waits))')"
check "without switches the states of threads are estimated" "estimated" "$("$gputap" stats -q --format csv -r sched_sum waits.gputap | tail -n +2 | cut -d, -f11 | sort -u)"
check "... who sleeps 20 ms and no longer than it lived" yes "$("$gputap" stats -q --format csv -r sched_sum waits.gputap | awk -F, -v t="$(awk '$1 == "pthread_join" { print $3 }' waits.out)" '$2 == t && $5 >= 20000000 && $4 == "" { print "yes" }')"
"$gputap" export -q -f -e sqlite,perfetto -o waits waits.gputap
sums() { query waits "SELECT globalTid & 0xffffff, coalesce(sum(CASE WHEN threadState = 1 THEN end - start END), 0), coalesce(sum(CASE WHEN threadState = 7 THEN end - start END), 0) FROM OSRT_ESTIMATED_STATES GROUP BY 1 ORDER BY 1" | tr '|' ','; }
check "... which SQLite has as rows, with the same sums" "$("$gputap" stats -q --format csv -r sched_sum waits.gputap | tail -n +2 | cut -d, -f2,3,5 | sort -n)" "$(sums)"
check "... none beside another, and a name where it waits" "0 0" "$(query waits "SELECT count(*) FROM OSRT_ESTIMATED_STATES a JOIN OSRT_ESTIMATED_STATES b ON a.globalTid = b.globalTid AND a.rowid < b.rowid AND a.start < b.end AND b.start < a.end") $(query waits "SELECT count(*) FROM OSRT_ESTIMATED_STATES LEFT JOIN StringIds ON nameId = id WHERE (threadState = 7) != (value IS NOT NULL)")"
check "... and no rows that say more than is known" 0 "$(query waits "SELECT count(*) FROM sqlite_master WHERE name = 'SCHED_EVENTS'")"
check "... and Perfetto on tracks that say so" yes "$(grep -aq 'scheduling (estimated)' waits.pftrace && echo yes)"
check "waits of each kind were made" 12 "$(wc -l <waits.out)"
check "the sum of waits names them too" "yes" "$("$gputap" stats -q --format csv -r osrt_wait_sum waits.gputap | grep -q "sem_wait,$(awk '$1 == "sem_wait" { print $2 ".*," $3 }' waits.out)" && echo yes)"

check "SQLite has the same waits" "$(tail -n +2 waits.csv | cut -d, -f9 | sort | tr '\n' ' ')" "$(query waits 'SELECT endedByTid FROM OSRT_WAITS' | sort | tr '\n' ' ')"
check "... with the thread and the call that ended them" "$(awk '$1 == "sem_wait" { print $3 }' waits.out) sem_post" "$(query waits "SELECT endedByGlobalTid & 0xffffff, c.value FROM OSRT_WAITS JOIN StringIds n ON nameId = n.id JOIN StringIds c ON endedByNameId = c.id WHERE n.value = 'sem_wait'" | tr '|' ' ')"
check "Perfetto says it on the calls" yes "$(grep -aq "thread $(awk '$1 == "sem_wait" { print $3 }' waits.out)[^,]*, sem_post" waits.pftrace && echo yes)"
"$gputap" run -q -t osrt -o child sh -c 'sleep 0.02; :'
check "a child that a process waited for has the name of what it became" yes "$("$gputap" stats -q --format csv -r osrt_wait_sum child.gputap | grep -q ' (sh),[0-9]* (sleep)$' && echo yes)"
"$gputap" export -q -f -e sqlite -o child child.gputap
check "... and SQLite leads to its main thread" "1 1" "$(query child "SELECT count(*), sum(endedByGlobalTid & 0xffffff = endedByTid) FROM OSRT_WAITS JOIN StringIds ON nameId = id WHERE value LIKE 'wait%' AND endedByTid NOT NULL" | tr '|' ' ')"
if unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing' 2>/dev/null; then
	unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing && exec "$@"' - "$gputap" run -q -f -t osrt,sched -o woken ./waits >woken.out
	if grep -q ^no_wakings woken.gputap/run; then
		skip "who brought data: $(sed -n 's/^no_wakings=//p' woken.gputap/run)"
	else
		check "who brought data, as the kernel says" "$(awk '$1 == "read" { print $3 }' woken.out)" "$("$gputap" stats -q --format csv -r osrt_wait_trace woken.gputap | awk -F, -v t="$(awk '$1 == "read" { print $2 }' woken.out)" '$6 == "read" && $5 == t && $7 == "anything" { print $9 }')"
	fi
else
	skip "who brought data: no tracefs can be mounted here"
fi

# ------------------------------------------------------- the kernel's own count
if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
	strace -f -qq -e trace=write,pread64,wait4 -o st ./kinds f.txt 1000 >/dev/null
	# stdio writes by itself, and sh is no program of ours: what the program wrote itself has one byte or twelve.
	check "writes as the kernel counts them" "$(grep -cE 'write\([0-9]+, "(\\0", 1|twelve bytes", 12)\) += (1|12)$' st)" "$(($(count all.n write) - 1))"
	check "reads as the kernel counts them" "$(grep -c 'pread64(.*, 64, 0)' st)" "$(count all.n pread)"
	# Every call that is one system call, of three threads, a child and a program that a child became.
	strace -f -qq -c -U calls,name -o st.counts ./counts 50 >/dev/null
	"$gputap" run -q -t osrt --osrt-threshold=0 -o counts ./counts 50
	counts counts >counts.n
	for name in ftruncate flock pwrite64:pwrite sched_yield kill msync socketpair epoll_ctl shutdown fdatasync fcntl; do
		check "${name#*:}: as many as the kernel counts" "$(awk -v n="${name%:*}" '$2 == n { print $1 }' st.counts)" "$(count counts.n "${name#*:}")"
	done
	# With large files the same calls have other names.
	$cc -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -o large "$here/osrt/counts.c" -lpthread || exit 1
	"$gputap" run -q -t osrt --osrt-threshold=0 -o large ./large 50
	counts large >large.n
	for name in ftruncate:ftruncate64 pwrite64:pwrite64 fcntl:fcntl64; do
		check "${name#*:}: as many as the kernel counts" "$(awk -v n="${name%:*}" '$2 == n { print $1 }' st.counts)" "$(count large.n "${name#*:}")"
	done
	check "none is lost" "complete: yes" "$("$gputap" info counts.gputap 2>&1 | grep complete:)"
else skip "counts against strace: strace is not installed, or may not trace here"; fi

# ------------------------------------------------------------- programs by others
same() { # NAME COMMAND...
	local name=$1 want got
	shift
	want=$({ "$@" 2>&1; echo "status $?"; } | md5sum)
	got=$({ "$gputap" run -q -f -t osrt --osrt-threshold=0 -o other "$@" 2>&1; echo "status $?"; } | md5sum)
	check "$name runs as it did" "$want" "$got"
	check "$name is in the trace" "yes" "$([ "$("$gputap" info other.gputap 2>/dev/null | grep -c calls)" -gt 0 ] && echo yes || echo no)"
}
mkdir tree && for i in $(seq 50); do echo "file $i" >"tree/$i"; done
same "Python" python3 -c 'import threading, subprocess, queue
q = queue.Queue()
t = [threading.Thread(target=lambda: q.put(1)) for _ in range(8)]
[x.start() for x in t]; [x.join() for x in t]
print(q.qsize(), subprocess.run(["sh", "-c", "exit 3"]).returncode)'
same "tar" tar cf - --sort=name --mtime=@0 tree
same "a shell script that forks" sh -c 'for i in 1 2 3 4 5 6 7 8 9; do (echo $i | cat) ; done; ls tree | wc -l'
same "sort in threads" sort --parallel=4 -S 1M /etc/services
if command -v git >/dev/null; then same "git" sh -c 'rm -rf r && git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --format=%s'
else skip "git: it is not installed"; fi
if command -v java >/dev/null; then same "a Java machine" java -Xshare:auto -XX:+UseSerialGC -version
else skip "a Java machine: it is not installed"; fi
same "a server and its client" python3 -c 'import http.server, threading, urllib.request
class H(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
threading.Thread(target=s.serve_forever, daemon=True).start()
u = "http://127.0.0.1:%d/tree/1" % s.server_port
def get(out): out.append(urllib.request.urlopen(u).read())
out = []; t = [threading.Thread(target=get, args=(out,)) for _ in range(16)]
[x.start() for x in t]; [x.join() for x in t]
print(len(out), set(out)); s.shutdown()'

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
