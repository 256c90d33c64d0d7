#!/usr/bin/env bash
# tests/long/host_programs.sh - programs by others under -t osrt,sample,sched: outputs and statuses as bare, and each is in its trace
#
# What is not installed is skipped. A server's output is what its client, a process of its own, was told.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name"; failed=$((failed + 1)); return 1; fi; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }

# same NAME COMMAND...: bare and traced, each in a folder of its own with the files of files/
same() {
	local name=$1 how
	shift
	command -v "$1" >/dev/null || { skip "$name: $1 is not installed"; return; }
	for how in bare traced; do
		rm -rf here && mkdir here && cp -r files/. here/
		if [ $how = bare ]; then with=(); else with=("$tap" run -q -f --summary=none -t "osrt,sample,sched" --sample-rate=1000 --osrt-args -o "$PWD/t" --); fi
		(cd here && timeout -k 5 120 "${with[@]}" "$@" >../$how.out 2>../$how.err; echo "status $?" >>../$how.out)
		find here -type f ! -path '*/.git/*' -exec md5sum {} + | sort -k 2 >>$how.out
	done
	check "$name: output, files and status" cmp bare.out traced.out || diff bare.out traced.out | head -n 5
	check "$name: errors" cmp bare.err traced.err || diff bare.err traced.err | head -n 5
	"$tap" info t.gputap >info 2>&1
	check "$name: its calls are in the trace" grep -q calls info || cat info
	check "$name: nothing is lost" eval '! grep "complete: no" info | grep -qv "did not return"' || grep "complete: no" info
}

mkdir files
for i in $(seq 200); do seq "$i" 5000 >"files/$i.txt"; done
cat >files/server.py <<'P'
import http.server, os, signal, sys

class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *rest):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
signal.signal(signal.SIGTERM, lambda *rest: os._exit(7))
with open("port.new", "w") as f:
    f.write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
P
cat >files/client.py <<'P'
import hashlib, sys, threading, urllib.request

def load(first):
    for i in range(first, 201, 8):
        got[i] = hashlib.md5(urllib.request.urlopen("http://127.0.0.1:%s/%d.txt" % (sys.argv[1], i)).read()).hexdigest()

got = {}
threads = [threading.Thread(target=load, args=(k,)) for k in range(1, 9)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(got), hashlib.md5(repr(sorted(got.items())).encode()).hexdigest())
P
cat >files/forks.sh <<'S'
total=0
for i in $(seq 60); do
	n=$(echo "$i" | cat | (read -r x; expr "$x" + 1))
	total=$((total + n))
done
(sleep 0.05; exit 3) & child=$!
wait $child; echo "$total $?"
trap 'echo end' EXIT
kill -0 $$ && { false || exit 5; }
S
cat >files/Threads.java <<'J'
public class Threads {
	public static void main(String[] args) throws Exception {
		java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(8);
		java.util.List<java.util.concurrent.Future<Long>> all = new java.util.ArrayList<>();
		for (int i = 0; i < 64; i++) {
			final int n = i;
			all.add(pool.submit(() -> { long sum = 0; for (int k = 0; k < 200000; k++) sum += k % (n + 1); Thread.sleep(1); return sum; }));
		}
		long sum = 0;
		for (java.util.concurrent.Future<Long> f : all) sum += f.get();
		pool.shutdown();
		System.out.println(sum);
		System.exit(4);
	}
}
J

printf 'all: $(patsubst %%,%%.sum,$(wildcard *.txt))\n%%.sum: %%\n\tsort -r $< | md5sum >$@\n' >files/Makefile
echo 'int main(void) { return 0; }' >files/program.c

# shellcheck disable=SC2016
serve='python3 server.py & s=$!; while [ ! -e port ]; do sleep 0.01; done; python3 client.py "$(cat port)"; kill $s; wait $s; e=$?; rm port; exit $e'
same "a server of many threads and its load client" sh -c "$serve"
same "git" sh -c 'git init -q -b main . && git add . && git commit -q -m one && rm 1.txt && git commit -qam two && git gc -q && git fsck --no-progress && git log --stat --format=%H && git clone -q . copy && ls copy | wc -l && rm -rf .git copy'
same "tar and gzip" sh -c 'tar --sort=name --mtime=@0 --owner=0 --group=0 --format=ustar -czf all.tar.gz *.txt && tar tzf all.tar.gz | wc -l && mkdir out && tar xzf all.tar.gz -C out && ls out | wc -l'
same "a Java machine that starts" java -Xshare:auto -version
if command -v javac >/dev/null; then same "a Java program of many threads" sh -c 'javac Threads.java && java Threads'; else skip "a Java program of many threads: javac is not installed"; fi
same "a shell script that forks" bash forks.sh
same "find and xargs, four at a time" sh -c 'find . -name "*.txt" -print0 | sort -z | xargs -0 -P 4 -n 7 md5sum | sort'
same "make, four jobs" make -s -j4
same "sqlite3" sqlite3 t.db 'create table t(a); with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) insert into t select i from n; select sum(a), count(*) from t;'
same "perl, signals and alarms" perl -e '$SIG{ALRM} = sub { print "alarm\n"; }; alarm 1; select(undef, undef, undef, 1.5); print "slept\n"; if (my $p = fork) { waitpid $p, 0; print $? >> 8, "\n" } else { exit 9 } kill "TERM", $$; sleep 5'
same "Python, processes and queues" python3 -c 'import multiprocessing as m
if __name__ == "__main__":
    with m.get_context("fork").Pool(4) as p: print(sum(p.map(abs, range(-5000, 0))))'
same "a compiler" "${CC:-cc}" -O1 -o program program.c

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
