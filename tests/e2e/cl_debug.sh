#!/usr/bin/env bash
# tests/e2e/cl_debug.sh - --debug writes what the shim does to a file of its own, and nothing without it
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
export POCL_DEVICES=basic
both cl_ring 20000
check "no log without --debug" [ -z "$(find t.gputap -name debug.log)" ]
export GPUTAP_DEBUG=all
both cl_ring 20000
check "nothing on stderr" [ ! -s traced.err ]
log=$(find t.gputap -name debug.log)
for line in 'loader: caller [0-9a-f]* in the program: library .*OpenCL' 'process: image opened: .*/t.gputap/' 'stream: stream 0 taken' \
	'queue: queue [0-9a-f]*: profiled for the trace' 'chunk: stream 0: chunk 2 opened' 'process: exit 0: exit handlers'; do
	check "a line '$line'" grep -Eq "^[0-9]+\.[0-9]{6} [0-9]+ $line" "$log"
done
check "each line is whole" [ "$(grep -Evc '^[0-9]+\.[0-9]{6} [0-9]+ (loader|process|stream|queue|chunk): ' "$log")" = 0 ]
check "the trace is read as ever" "$GPUTAP_BUILD/gputap" info t.gputap >/dev/null
export GPUTAP_DEBUG=queue
both cl_ring 20000
check "only what was asked for" [ "$(cut -d' ' -f3 t.gputap/*/debug.log | sort -u)" = queue: ]
finish
