#!/usr/bin/env bash
# tests/long/osrt_entries.sh - with --osrt-threshold=0 the trace has as many calls as the kernel counts, of programs by others; each system call that is not in it has a reason
#
# strace looks at the stack of each system call, in another run of the same program: which function of the C library made
# it, and whether the program called that one or the C library did (tests/long/osrt_entries_check.py). Threads and children too.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap here=$GPUTAP_TESTS/long api=$GPUTAP_TESTS/../api/osrt.api
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
command -v strace >/dev/null || { echo "skipped: strace is not installed"; exit 77; }
strace -ff -k -o probe true 2>/dev/null && grep -q '^ > ' probe.* || { echo "skipped: strace may not trace here, or shows no stacks (-k)"; exit 77; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }
system_calls=$(python3 "$here/osrt_entries_check.py" names)

# same NAME COMMAND...: once to warm up what is made at a first run, then under strace, then under gputap
same() {
	local name=$1
	shift
	rm -rf s && mkdir s
	"$@" >bare.out 2>&1 </dev/null
	strace -ff -k -qq -s 0 -e "trace=$system_calls" -o s/t "$@" >strace.out 2>&1 </dev/null
	"$tap" run -q -f -t osrt --osrt-threshold=0 -o t -- "$@" >t.out 2>&1 </dev/null
	judged "$name"
}

# judged NAME: what the trace t and strace's files in s say of a program, and what it printed each time
judged() {
	local name=$1
	cat s/t.* >all
	"$tap" stats -q --format csv -r osrt_sum t.gputap 2>/dev/null | tail -n +2 | awk -F, 'NF > 8 { print $9, $3 }' >counts
	if cmp -s bare.out strace.out && cmp -s bare.out t.out && python3 "$here/osrt_entries_check.py" all counts "$api" "$name"; then
		echo "ok: $name: as many calls as the kernel counts, and a reason for every other"
		passed=$((passed + 1))
	else
		echo "FAILED: $name"
		head -n 3 bare.out strace.out t.out
		failed=$((failed + 1))
	fi
}

# same_run NAME COMMAND...: a program that does not call the same twice: strace looks at the traced run itself
same_run() {
	local name=$1
	shift
	rm -rf s && mkdir s
	"$@" >bare.out 2>&1 </dev/null
	strace -ff -k -qq -s 0 -e "trace=$system_calls" -o s/t "$tap" run -q -f -t osrt --osrt-threshold=0 -o t -- "$@" >t.out 2>&1 </dev/null
	cp bare.out strace.out
	judged "$name"
}

mkdir tree && for i in $(seq 50); do echo "file $i" >"tree/$i"; done
cat >threads.py <<'P'
import queue, subprocess, threading
q = queue.Queue()
t = [threading.Thread(target=lambda: q.put(1)) for _ in range(8)]
[x.start() for x in t]
[x.join() for x in t]
print(q.qsize(), subprocess.run(["sh", "-c", "exit 3"]).returncode)
P
# A server with a thread for each client, and its client, which waits for one answer before it asks again.
cat >server.py <<'P'
import socket, threading
def serve(c):
    with c:
        data = c.recv(100)
        with open("tree/" + data.decode(), "rb") as f:
            c.sendall(f.read())
def accept(s):
    for _ in range(16):
        t = threading.Thread(target=serve, args=(s.accept()[0],))
        t.start()
        t.join()
s = socket.create_server(("127.0.0.1", 0))
t = threading.Thread(target=accept, args=(s,))
t.start()
for i in range(16):
    with socket.create_connection(s.getsockname()) as c:
        c.sendall(b"%d" % (i + 1))
        got = c.recv(100)
t.join()
print(got)
P
same tar tar cf out.tar --sort=name --mtime=@0 tree
same "a shell script that forks" sh -c 'for i in 1 2 3 4 5 6 7 8 9; do (echo $i | cat) ; done; ls tree | wc -l'
python=$(python3 -c 'import sys; print(sys.executable)')
same Python "$python" -S threads.py
same "a server with threads, and its client" "$python" -S server.py
if command -v git >/dev/null; then
	same git sh -c 'rm -rf r && git init -q r && cd r && git -c user.name=a -c user.email=a@b -c gc.auto=0 commit -q --allow-empty -m x && git log --format=%s'
else skip "git: it is not installed"; fi
cat >Threads.java <<'J'
public class Threads {
	public static void main(String[] args) throws Exception {
		Thread[] all = new Thread[4];
		for (int i = 0; i < all.length; i++)
			(all[i] = new Thread(() -> new java.io.File("tree").list())).start();
		for (Thread one : all)
			one.join();
		System.out.println(new java.io.File("tree").list().length);
	}
}
J
if ! command -v java >/dev/null; then
	skip "a Java virtual machine: java is not installed"
elif command -v javac >/dev/null && javac Threads.java; then
	same_run "a Java virtual machine, with threads" java -cp . Threads
else
	same_run "a Java virtual machine" java -version
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
