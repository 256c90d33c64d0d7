#!/usr/bin/env bash
# tests/e2e/demo.sh - scripts/demo does what README.md says of it, and the commands that README.md shows work on its trace
#
# The demo runs with what is built, in a folder where nothing is to be set up. DEMO=whole: in a copy of the sources, where it
# sets up and builds first (scripts/test --long demo).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
top=$(cd "$GPUTAP_TESTS/.." && pwd)
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
is() { if [ "$2" = "$3" ]; then ok; else bad "$1: '$2', not '$3'"; fi; }
has() { if grep -qE -- "$3" "$2"; then ok; else bad "$1: no '$3' in $2"; head -n 20 "$2"; fi; }

[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
for tool in gcc sqlite3; do command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }; done
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
# The program compares what the device computes. Where it does not build, setting up comes first.
if gcc -O2 -o alone "$top/examples/blur.c" -lOpenCL -lm 2>/dev/null && ! ./alone >said && grep -q 'TOO LARGE' said; then echo "skipped: the device here does not compute: $(cat said)"; exit 77; fi

if [ "${DEMO-}" = whole ]; then
	mkdir tree && git -C "$top" ls-files -z | tar -C "$top" --null -T - -cf - | tar -C tree -xf - || exit 1
else
	mkdir -p tree/scripts tree/examples tree/build
	cp "$top/scripts/demo" tree/scripts/
	cp "$top/examples/blur.c" tree/examples/
	ln -s "$GPUTAP_BUILD"/* tree/build/
	rm -f tree/build/demo
	printf '#!/bin/sh\n[ "$*" = --demo ]\n' >tree/scripts/setup && chmod +x tree/scripts/setup
	printf 'all:\n' >tree/Makefile
fi
cd tree || exit 1
scripts/demo >../out 2>../err
is "the demo's status" $? 0
cd build/demo || exit 1
out=../../../out err=../../../err

# Each command that it shows is the command behind it, and none is a word that no shell knows.
is "commands shown" "$(sed -nE 's/^echo "\\\$ (gputap .*)"$/\1/p' ../../scripts/demo)" "$(sed -nE 's,^\.\./(gputap .*)$,\1,p' ../../scripts/demo)"
is "words of the shell, not of the tool" "$(grep -E 'scripts/demo: |Traceback' $err | head -n 3)" ""

# A real program, on the CPU.
has "the program's own line" $out '^.+: 20 passes over 512x384, largest difference under 0\.01$'
has "the summary" <(cat $out $err) '\(opencl_kern_sum\)'
has "kernels in the summary" <(cat $out $err) ' 20 .* blur_rows$'
has "info" $out '67 calls, 0 callbacks, 42 commands \(40 kernels\)'
has "nothing is missing" $out '^complete: yes$'
has "the API log's line" $out 'clEnqueueNDRangeKernel ?\('
# Every format.
formats=$(sed -nE 's/^FORMAT\([a-z_]+, "([^"]+)"\)$/\1/p' "$top/trace/format/formats.def")
is "formats that it writes" "$(sed -nE 's,^\.\./gputap run .* -e ([^ ]+) .*,\1,p' ../../scripts/demo | tr , '\n')" "$formats"
is "files that it writes" "$(grep -c '^gputap: wrote ' $err)" "$(wc -w <<<"$formats")"
while read -r file; do
	if [ -s "$file" ]; then ok; else bad "$file is empty"; fi
	if grep -qx "${file##*/}" $out; then ok; else bad "$file is not in the demo's list"; fi
done < <(sed -n 's/^gputap: wrote //p' $err)
# The database and the statistics tell the same of each kernel.
"../gputap" stats -q -r opencl_kern_sum --format csv blur.gputap | awk -F, 'NR > 1 && NF {print $NF, $3, $2}' | sort >stats.said
awk '$1 ~ /^blur_/ && NF == 3 {print $1, $2, $3}' $out | sort >sql.said
is "kernels by SQL" "$(cat sql.said)" "$(cat stats.said)"
is "their number" "$(wc -l <sql.said)" 2

# What README.md shows under "Use": each command, in its order, with the demo's program as ./app.
cp blur app
sed -nE '/^## Use/,/^```$/ s/^(gputap [^#]*[^# ]) *(#.*)?$/\1/p' "$top/README.md" >commands
is "README's commands, some" "$([ "$(wc -l <commands)" -ge 10 ] && echo yes)" yes
while read -r command; do
	if PATH=$GPUTAP_BUILD:$PATH bash -c "${command/ arg.../}" >said 2>&1 </dev/null; then ok; else bad "README: $command"; head -n 5 said; fi
done <commands
for file in run1.atp run1.apilog run1.sqlite part.sqlite run1.pftrace run1.callgrind run1.csv run1.occupancy run1.folded; do
	if [ -s $file ]; then ok; else bad "README: no $file"; fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
