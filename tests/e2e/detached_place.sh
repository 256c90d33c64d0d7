#!/usr/bin/env bash
# tests/e2e/detached_place.sh - the converter at exit is our own, wherever the program went, and can be waited for
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
live=$GPUTAP_BUILD/tests/e2e/cl_live
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/here/lib" "$dir/there/lib"
for file in libgputap.so gputap; do ln "$GPUTAP_BUILD/$file" "$dir/here/lib/" 2>/dev/null || cp "$GPUTAP_BUILD/$file" "$dir/here/lib/"; done
printf '#!/bin/sh\ntouch "%s/foreign"\n' "$dir" >"$dir/there/lib/gputap"
chmod +x "$dir/there/lib/gputap"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
passed=0 failed=0 skipped=0
check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); echo "ok: $name"; else failed=$((failed + 1)); echo "FAILED: $name"; fi; }
cd "$dir/here" || exit 1
touch "$dir/go"

# An emulator makes none of the processes that the conversion runs in, whatever the limit is, and needs threads of its own.
few=(prlimit --nproc=1) silent=yes
"$GPUTAP_BUILD/tests/e2e/silent_clone" 2>why || few=() silent=

# Without a process for it there is no conversion, which is told where it would have told of itself.
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	place=$(mktemp -d /tmp/gputap-none-XXXXXX)
	mkdir -m 1777 "$place/here"
	cp "$GPUTAP_BUILD"/{libgputap.so,gputap} "$GPUTAP_BUILD"/tests/fakecl/libfakecl.so "$live" "$place"
	echo "$place/libfakecl.so" >"$place/fake.icd"
	chmod 755 "$place"
	(cd "$place/here" && touch go && OCL_ICD_VENDORS=$place setpriv --reuid=65534 --regid=65534 --clear-groups "${few[@]}" \
		env GPUTAP_OUTPUT=t GPUTAP_EXPORT=apilog LD_PRELOAD="$place/libgputap.so" "$place/cl_live" ready go)
	check "no process can be made for it: the program ends as ever" [ $? = 0 ]
	"$GPUTAP_BUILD/gputap" wait "$place/here/t.gputap" 2>none.err
	check "... and gputap wait tells" grep -qx 'gputap: no conversion at exit: no process can be made for it' none.err
	rm -rf "$place"
else
	echo "skipped: no process can be made: not root, or no setpriv"; skipped=$((skipped + 1))
fi
# What the converter makes, where there can be one.
made() { if [ "$silent" ]; then check "$@"; else skipped=$((skipped + 1)); echo "skipped: $1: $(cat "$dir/here/why")"; fi; }

# The library is named relative to a folder that the program leaves, for one with a program of the tool's name.
GPUTAP_OUTPUT=$dir/t GPUTAP_EXPORT=apilog LD_PRELOAD=lib/libgputap.so "$live" ready "$dir/go" "cd=$dir/there"
timeout 60 flock "$dir/t.gputap/export.lock" true
check "a program of the tool's name where the program went is not run" [ ! -e "$dir/foreign" ]
made "the trace is converted all the same" [ -s "$dir/t.apilog" ]

# What the program puts into its environment does not reach the tool.
GPUTAP_OUTPUT=$dir/e GPUTAP_EXPORT=apilog LD_PRELOAD=$GPUTAP_BUILD/libgputap.so "$live" ready "$dir/go" "env=LD_LIBRARY_PATH=$dir/none" env=GPUTAP_FROM=nonsense
timeout 60 flock "$dir/e.gputap/export.lock" true
made "the tool's environment is what it was at the start" [ -s "$dir/e.apilog" ]

# Asked for, the files are there before the process is gone.
for i in 1 2 3 4 5; do
	GPUTAP_OUTPUT=$dir/w$i GPUTAP_EXPORT=apilog,sqlite GPUTAP_EXPORT_WAIT=1 LD_PRELOAD=$GPUTAP_BUILD/libgputap.so timeout 60 "$live" ready "$dir/go"
	check "GPUTAP_EXPORT_WAIT: the same status, run $i" [ $? = 0 ]
	made "GPUTAP_EXPORT_WAIT: the files, run $i" [ -s "$dir/w$i.apilog" -a -s "$dir/w$i.sqlite" ]
done

# Or they are waited for: until the program has ended, and its files are there.
rm -f "$dir/go" ready
(GPUTAP_OUTPUT=$dir/x GPUTAP_EXPORT=apilog,sqlite LD_PRELOAD=$GPUTAP_BUILD/libgputap.so exec "$live" ready "$dir/go") &
for _ in $(seq 600); do [ -e ready ] && break; sleep 0.05; done
timeout 60 "$GPUTAP_BUILD/gputap" wait "$dir/x" >wait.out 2>&1 & waiter=$!
sleep 0.2
check "wait waits for a program that runs" kill -0 "$waiter"
touch "$dir/go"
wait "$waiter"
made "wait: status 0, without a word" [ $? = 0 -a ! -s wait.out ]
made "wait: the files" [ -s "$dir/x.apilog" -a -s "$dir/x.sqlite" ]
wait
GPUTAP_OUTPUT=$dir/x2 GPUTAP_EXPORT=apilog LD_PRELOAD=$GPUTAP_BUILD/libgputap.so timeout 60 "$live" ready "$dir/go"
rm -f "$dir/x2.gputap/export.log"; echo "gputap: it failed" >"$dir/x2.gputap/export.log"
timeout 60 "$GPUTAP_BUILD/gputap" wait "$dir/x2.gputap" >wait.out 2>&1
check "wait: a conversion that failed" [ $? != 0 ]

# Pid 1 takes its whole namespace with it, converters too.
if unshare -r -p -f --mount-proc true 2>/dev/null; then
	GPUTAP_OUTPUT=$dir/p GPUTAP_EXPORT=apilog timeout 60 unshare -r -p -f --mount-proc env LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" "$live" ready "$dir/go"
	made "as pid 1 of a namespace: the file" [ -s "$dir/p.apilog" ]
else
	echo "skipped: no right to make a pid namespace"; skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
