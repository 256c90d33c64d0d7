#!/usr/bin/env bash
# tests/e2e/starts_lib.sh - programs of many kinds, each of which starts traced as it starts bare (starts.sh, long/starts.sh)
#
# build_programs [KIND...]  makes them in this folder; what is not to be had is named with the reason, and counts as skipped
# start KIND HOW DOMAINS [OPTION...]  runs the program KIND, HOW: itself, sh (below a shell), python (below an interpreter);
#                 status, output and messages must be those of the same command without gputap
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${GPUTAP_BUILD:-$here/../../build}" && pwd)
gputap=$build/gputap
unset LD_PRELOAD LD_AUDIT GLIBC_TUNABLES ASAN_OPTIONS
declare -A command=()                   # of each kind; its words are split at blanks
declare -A outer=()                     # what stands in the environment of gputap itself, where anything does
declare -A seen=()                      # status of a command by itself; its output lies in bare.KIND.HOW.*
skip() { skipped=$((skipped + 1)); echo "skipped: $1: $2"; }

# have KIND COMMAND: the kind is there if its command runs by itself
have() {
	if timeout 30 bash -c "$2" >out.have 2>err.have </dev/null; then command[$1]=$2; else skip "$1" "does not run here by itself: $(head -n 1 err.have)"; fi
}
wanted() { [ ${#kinds[@]} -eq 0 ] || [[ " ${kinds[*]} " == *" $1 "* ]]; }

# python MINOR: a version manager's own, else the one of that name
python() {
	local versions path
	versions=$(pyenv root 2>/dev/null)/versions
	for path in "$versions"/3."$1".*/bin/python3."$1" "$(command -v "python3.$1")"; do
		[ -x "$path" ] || continue
		have "python3.$1" "$path $PWD/one.py"
		return
	done
	skip "python3.$1" "is not on this machine"
}

# Libraries and programs with thread-local storage of their own, as sizes in bytes say.
tls_program() { # NAME SIZE
	local name=$1 size=$2
	cat >"$name.c" <<-'C'
		static __thread char room[SIZE] __attribute__((tls_model("initial-exec"))) = { 1 };
		int sum(void);
		int sum(void) { int n = 0; for (int i = 0; i < SIZE; i++) n += room[i] + i % 7; return n; }
	C
	cat >"$name-main.c" <<-'C'
		#include <limits.h>
		#include <pthread.h>
		#include <stdio.h>
		int sum(void);
		static void *thread(void *unused) { (void)unused; return (void *)(long)sum(); }
		int main(void)
		{
			pthread_attr_t small;
			pthread_t one;
			void *n = 0;

			pthread_attr_init(&small);
			if (pthread_attr_setstacksize(&small, 16384) || pthread_create(&one, &small, thread, 0) || pthread_join(one, &n))
				return 1;
			printf("%d %ld\n", sum(), (long)n);
			return 0;
		}
	C
	$cc -O1 -fPIC -shared "-DSIZE=$size" -o "lib$name.so" "$name.c" &&
		$cc -O1 -o "$name" "$name-main.c" -L. "-l$name" "-Wl,-rpath,$PWD" -lpthread && have "$name" "$PWD/$name" &&
		have "$name-instead" "env LD_PRELOAD=$PWD/lib$name.so $PWD/one"
}

sanitized() { # KIND COMPILER FLAG...
	local compiler=$2
	if ! command -v "$2" >/dev/null; then skip "$1" "no $2"
	elif ! "$compiler" -O1 -g "${@:3}" -o "$1" one.c 2>err.have; then skip "$1" "$(tail -n 1 err.have)"
	else have "$1" "$PWD/$1"; fi
}

allocator() { # KIND LIBRARY
	local path
	path=$(ldconfig -p 2>/dev/null | awk -v name="$2" '$1 == name { print $NF; exit }')
	if [ -z "$path" ]; then skip "$1" "no $2"; return; fi
	have "$1-instead" "env LD_PRELOAD=$path $PWD/one"
	have "$1-preloaded" "$PWD/one" && outer[$1-preloaded]=LD_PRELOAD=$path
	have "$1-python" "python3 $PWD/one.py" && outer[$1-python]=LD_PRELOAD=$path
	$cc -O1 -o "$1" one.c -Wl,--no-as-needed "$path" && have "$1" "$PWD/$1"
}

build_programs() { # [KIND...]: those alone
	local kinds=("$@") kind
	cc=${CC:-cc}
	command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
	if nm -D --undefined-only "$build/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
	printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char *p = malloc(10); sprintf(p, "%%d", 1); puts(p); free(p); return 0; }\n' >one.c
	printf 'import threading\nt = threading.Thread(target=lambda: print("thread"))\nt.start()\nt.join()\nprint(1)\n' >one.py
	$cc -O1 -o one one.c || exit 1
	for kind in c python3 python3.9 python3.10 python3.11 python3.12 python3.13 bash sh perl java tls1700 tls3000 jemalloc tcmalloc \
		asan asan-clang tsan tsan-static tsan-clang lsan lsan-clang; do
		wanted $kind && build_program $kind
	done
}

build_program() { # KIND
	case $1 in
	c) have c ./one ;;
	python3) have python3 "python3 $PWD/one.py" ;;
	python3.*) python "${1#python3.}" ;;
	bash) have bash "bash -c 'echo 1'" ;;
	sh) have sh "sh -c 'echo 1; ls -d /'" ;;
	perl) if command -v perl >/dev/null; then have perl "perl -e 'print 1'"; else skip perl "is not on this machine"; fi ;;
	java) java_program ;;
	tls*) tls_program "$1" "${1#tls}" ;;
	jemalloc) allocator jemalloc libjemalloc.so.2 ;;
	tcmalloc) allocator tcmalloc libtcmalloc_minimal.so.4 ;;
	asan) sanitized asan gcc -fsanitize=address ;;
	asan-clang) sanitized asan-clang clang -fsanitize=address ;;
	tsan) sanitized tsan gcc -fsanitize=thread ;;
	tsan-static) sanitized tsan-static gcc -fsanitize=thread -static-libtsan ;;
	tsan-clang) sanitized tsan-clang clang -fsanitize=thread ;;
	lsan) sanitized lsan gcc -fsanitize=leak ;;
	lsan-clang) sanitized lsan-clang clang -fsanitize=leak ;;
	esac
}

java_program() {
	command -v javac >/dev/null || { skip java "no javac on this machine"; return; }
	printf 'class One { public static void main(String[] a) { System.out.println(1); } }\n' >One.java
	javac One.java 2>err.have || { skip java "$(head -n 1 err.have)"; return; }
	have java "java -Xshare:auto -Xmx64m -cp $PWD One"
}

# The words of the kind's command below HOW, in $words.
below() { # HOW COMMAND
	eval "words=($2)"
	case $1 in
	itself) ;;
	sh) words=(sh -c '"$@"; echo "sh $?"' sh "${words[@]}") ;;
	python) words=(python3 -c 'import subprocess, sys; print("python", subprocess.call(sys.argv[1:]), flush=True)' "${words[@]}") ;;
	esac
}

bare() { # KIND HOW: runs it without gputap, once
	[ -z "${seen[$1.$2]-}" ] || return 0
	timeout 60 env ${outer[$1]-} "${words[@]}" >"bare.$1.$2.out" 2>"bare.$1.$2.err" </dev/null
	seen[$1.$2]=$?
}

start() { # KIND HOW DOMAINS [OPTION...]
	local kind=$1 how=$2 domains=$3 words status; shift 3
	[ -n "${command[$kind]-}" ] || return 0
	below "$how" "${command[$kind]}"
	bare "$kind" "$how"
	rm -rf t.gputap
	timeout 60 env ${outer[$kind]-} "$gputap" run -q -f -t "$domains" -o t "$@" -- "${words[@]}" >out 2>err </dev/null; status=$?
	if [ "$status" -eq "${seen[$kind.$how]}" ] && cmp -s "bare.$kind.$how.out" out && cmp -s "bare.$kind.$how.err" err; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL: %s, %s, -t %s %s: status %s, bare %s\n' "$kind" "$how" "$domains" "$*" "$status" "${seen[$kind.$how]}"
		diff "bare.$kind.$how.out" out | head -n 4; diff "bare.$kind.$how.err" err | head -n 4
	fi
}
