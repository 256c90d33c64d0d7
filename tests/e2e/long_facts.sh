#!/usr/bin/env bash
# tests/e2e/long_facts.sh - long command lines, environment variables, and paths of the C library's calls are whole
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap
program=$GPUTAP_BUILD/tests/e2e/cl_sources
long=$(head -c 100000 /dev/zero | tr '\0' y)
words=(1 "$long" '' $'a\nb%' end)

# The words of a file's lines NAME=..., each followed by a zero.
words_of() {
	python3 -c 'import re, sys
name, path = sys.argv[1:]
for line in open(path, "rb").read().split(b"\n"):
    if line.startswith(name.encode() + b"="):
        sys.stdout.buffer.write(re.sub(rb"%(..)", lambda m: bytes.fromhex(m[1].decode()), line[len(name) + 1:]) + b"\0")' "$@"
}
same_words() { cmp -s <(words_of arg "$1") <(printf '%s\0' "$program" "${words[@]}"); }

"$gputap" run -q -f -o t --env=LONG_VARIABLE -- env LONG_VARIABLE="e${long:0:60000}" "$program" "${words[@]}" >/dev/null 2>&1
check "a long command line is whole" same_words "$(ls -d t.gputap/*/meta | tail -n 1)"
check "... and a long variable" [ "$(words_of env "$(ls -d t.gputap/*/meta | tail -n 1)" | wc -c)" = 60016 ]
check "... and nothing else is missing" grep -q '^complete: yes' <("$gputap" info t.gputap 2>&1)
rm -rf t.gputap
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=$PWD/t "$program" "${words[@]}" >/dev/null 2>&1
check "without a launcher too" same_words t.gputap/run
rm -rf t.gputap
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_NO_ARGS=1 GPUTAP_OUTPUT=$PWD/t "$program" "${words[@]}" >/dev/null 2>&1
check "--no-args: the first word alone" [ "$(words_of arg t.gputap/run | tr '\0' ';')" = "$program;" ]

# A path as long as the kernel takes, which exists: its folder, again and again.
path=$(printf './%.0s' {1..1900})long_file
touch long_file
"$gputap" run -q -f -t osrt --osrt-args --osrt-threshold=0 -o t -- cat "$path" >/dev/null 2>&1
"$gputap" dump --json t.gputap >dump.json 2>/dev/null
check "a path of ${#path} bytes is whole" grep -qF "\"$path\"" dump.json
check "... and nothing is cut" [ "$(grep -c '"cut":\[' dump.json)" = 0 ]
finish
