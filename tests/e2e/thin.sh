#!/usr/bin/env bash
# tests/e2e/thin.sh - a thin object records through gputap_core, in any order of loading, or leaves the program alone
#
# Preloaded before the core, behind it, without it, with a core that comes later (calls before are counted), not asked
# for, and built for another version of the table. Programs: tests/e2e/thin/.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUTAP_BUILD:-$here/../../build}" && pwd)
shim=$build/libgputap.so gputap=$build/gputap
cc=${CC:-cc}
passed=0 failed=0
unset LD_PRELOAD LD_AUDIT

command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
if nm -D --undefined-only "$shim" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
opts="-std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -I$here/../.."
thin="-fPIC -shared -fvisibility=hidden -Wl,-z,nodelete"
$cc $opts -fPIC -shared -o "$d/libwork.so" "$here/thin/work.c" &&
	$cc $opts $thin -o "$d/libthin.so" "$here/thin/thin.c" &&
	$cc $opts $thin -DGPUTAP_CORE_VERSION=2u -o "$d/libthin2.so" "$here/thin/thin.c" &&
	$cc $opts -o "$d/host" "$here/thin/host.c" "-L$d" -lwork "-Wl,-rpath,$d" -ldl || exit 1

check() { # NAME EXPECTED GOT
	if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL: %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"; fi
}

check "a thin object imports nothing that is not on the list" "" "$("$here/../../scripts/check-symbols" "$d/libthin.so" "$d/libthin2.so" 2>&1)"

# traced NAME DOMAINS PRELOADS ARGUMENT...: output of the program, its status behind it
traced() {
	local name=$1 domains=$2 preload=$3
	shift 3
	GPUTAP_OUTPUT=$d/$name GPUTAP_TRACE=$domains LD_PRELOAD=$preload "$d/host" "$@" 2>&1
	echo "status $?"
}

# calls and their arguments, "N name a..b": how many records of work_add with b = 1000 and result = a + b, least and greatest a
calls() {
	"$gputap" dump --json "$d/$1.gputap" 2>/dev/null | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
a = [r["args"]["a"] for r in rows if r.get("name") == "work_add" and r["args"]["b"] == 1000 and r["args"]["a"] + 1000 == r["result"]]
print(len(a), *([min(a), max(a)] if a else []))'
}
lost() { "$gputap" info --json "$d/$1.gputap" 2>/dev/null | python3 -c '
import json, sys
def walk(x):
    if isinstance(x, dict):
        for k, v in x.items():
            if k == sys.argv[1]: yield v
            yield from walk(v)
    elif isinstance(x, list):
        for v in x: yield from walk(v)
print(*walk([json.loads(l) for l in sys.stdin]))' "$2"; }

same='100 calls, 0 wrong
status 0'
check "before the core: the program" "$same" "$(traced before osrt "$d/libthin.so $shim" 100)"
check "before the core: all calls" "100 0 99" "$(calls before)"
check "behind the core: the program" "$same" "$(traced behind opencl,osrt "$shim $d/libthin.so" 100)"
check "behind the core: all calls" "100 0 99" "$(calls behind)"
check "without a core: the program" "$same" "$(traced without osrt "$d/libthin.so" 100)"
check "without a core: nothing is written" "no" "$([ -e "$d/without.gputap" ] && echo yes || echo no)"
check "not asked for: the program" "$same" "$(traced unasked opencl "$d/libthin.so $shim" 100)"
check "not asked for: nothing is written" "no" "$([ -e "$d/unasked.gputap" ] && echo yes || echo no)"

# The core comes after 50 calls; look-ups at the first 16, then rarer: the one of the 65th finds it.
check "a core that comes later: the program" "$same" "$(traced later osrt "$d/libthin.so" 100 "$shim")"
check "a core that comes later: the calls since then" "36 64 99" "$(calls later)"
check "a core that comes later: the others are counted" "64" "$(lost later CORE_LATE)"

check "another version: the program" "$same" "$(traced version osrt "$d/libthin2.so $shim" 100)"
check "another version: no call" "0" "$(calls version)"
check "another version: it is counted" "1" "$(lost version CORE_VERSION)"
check "another version: one note says why" "1" "$("$gputap" dump "$d/version.gputap" 2>&1 | grep -c 'libthin.so records nothing: it was built for version 2 of gputap_core .*libgputap.so has version 1')"

# By the launcher, which takes the word, and packed: the names are there too.
LD_PRELOAD=$d/libthin.so "$gputap" run -q --pack -t osrt -o "$d/packed" "$d/host" 100 >"$d/out" 2>&1
check "by the launcher: the program" "100 calls, 0 wrong" "$(grep calls "$d/out")"
check "by the launcher, packed: all calls" "100 0 99" "$(calls packed)"
check "the names stand once in the trace" "1" "$(find "$d/before.gputap" -name 'functions.*' | wc -l)"
printf 'F\tx\n' >>"$(echo "$d"/behind.gputap/functions.*)"
check "damaged names: the rest is read, and it is said" "1" "$(lost behind DAMAGED)"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
