#!/usr/bin/env bash
# tests/e2e/cuda_modules.sh - the code of CUDA modules: recorded when it is asked for, whole, once, and never trusted
#
# The stand-in machine hands out a file of the test's (FAKEGPU_CUBIN) or an ELF file that it makes, spoils the code when its
# module is unloaded, and lies about place and size when it is told to.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
recorded() { traced --summary=none "$@" -- "$examples/vector_add"; "$tap" dump t.gputap >dump 2>/dev/null; }
complete() { grep -q 'complete: yes' t.err; }
modules() { [ "$(grep -c '^cuda module ' dump)" = "$1" ]; }
stored() { [ "$(grep -c '^module [0-9a-f]* [0-9]* bytes$' dump)" = "$1" ]; }
# code_is FILE: the stored code is this file; crc_of FILE: as the stand-in computes it
code_is() {
	"$tap" dump --json t.gputap 2>/dev/null | python3 -c '
import json, sys
codes = [bytes.fromhex(r["hex"]) for r in map(json.loads, sys.stdin) if r["type"] == "content" and r["kind"] == "module"]
sys.exit(codes != [open(sys.argv[1], "rb").read()])' "$1"
}
crc_of() {
	python3 -c '
import sys
crc = 0
for byte in open(sys.argv[1], "rb").read():
    crc = (crc * 31 + byte) % (1 << 64)
print("%#x" % crc)' "$1"
}

recorded
check "without --binaries a module is told" modules 1
check "... with its size and a hash" grep -qE '^cuda module [0-9]+ id=[0-9]+ context=1 loaded_ns=[0-9]+ bytes=[0-9]{4} content=[0-9a-f]*[1-9a-f][0-9a-f]*$' dump
check "... and its code is not stored" stored 0
check "nothing is lost" complete

recorded --binaries
check "with --binaries its code is stored, once" stored 1
check "nothing is lost then" complete
"$tap" dump --json t.gputap 2>/dev/null | python3 -c '
import json, sys
open("own", "wb").write(next(bytes.fromhex(r["hex"]) for r in map(json.loads, sys.stdin) if r["type"] == "content" and r["kind"] == "module"))'
check "it is the code as it was loaded, an ELF file for CUDA" grep -q 'NVIDIA CUDA\|<unknown>: 0xbe' <(readelf -h own 2>/dev/null)
check "... with the kernels" grep -q ' vector_add$' <(readelf -sW own 2>/dev/null)
check "its CRC is CUPTI's" grep -q "^cuda module .* cubin_crc=$(crc_of own)\$" dump
FAKEGPU_CUPTI_VERSION=28 recorded --binaries
check "a second run stores the same" code_is own
export FAKEGPU_CUBIN=$PWD/large
{ cat own; head -c 3000000 /dev/urandom; } >large
recorded --binaries
check "code of several MiB is stored whole" code_is large
unset FAKEGPU_CUBIN
"$tap" run -q -f -o u --pack --summary=none --binaries -- "$examples/vector_add" >/dev/null 2>&1
check "a packed trace holds it too" grep -q '^module ' <("$tap" dump u.gputap 2>/dev/null)
traced --summary=none --binaries -- "$examples/storm" 3 20
"$tap" dump t.gputap >dump 2>/dev/null
check "code that is loaded several times is stored once for each content" \
	[ "$(grep -c '^module ' dump)" = "$(grep '^cuda module' dump | sed 's/.*content=\([0-9a-f]*\).*/\1/' | sort -u | grep -c .)" ]
LD_LIBRARY_PATH=$gpu/v18:$gpu/lib recorded --binaries
check "a CUPTI of another version: the code is there" stored 1

# What cannot be had
FAKEGPU_FAULTS=cubin-bad-pointer recorded --binaries
check "code that lies where nothing is: the program runs on" status 0
check "... the module is told" modules 1
check "... that its code is missing is counted" said 'complete: no (1 content .* or modules left out'
check "... and a note says why" said 'the code of some modules is not in the trace: it cannot be read'
FAKEGPU_FAULTS=cubin-bad-pointer recorded
check "without --binaries that is no loss" complete
check "... and the program runs on" status 0
FAKEGPU_FAULTS=cubin-bad-size=1000000 recorded --binaries
check "code that ends before its size: the program runs on" status 0
check "... counted" said 'complete: no (1 content'
FAKEGPU_FAULTS=cubin-bad-size=-1 recorded --binaries
check "a size that cannot be: the program runs on" status 0
check "... a note says what is stored" said 'it is longer than 64 MiB'
FAKEGPU_FAULTS=cubin-bad-size=-1 recorded
check "... without --binaries too" status 0
recorded --binaries --max-contents=1K
check "code that --max-contents has no room for is counted" said 'complete: no (1 content .*--max-contents reached)'
check "... and the rest is there" modules 1

# Samples of the program counter are of instructions in it
traced --summary=none --cupti "$cupti" --metrics smsp__pcsamp_sample_count -- "$examples/vector_add"
"$tap" dump t.gputap >dump 2>/dev/null
check "where the program counter is sampled the code is stored" stored 1
check "samples name it by its CRC" grep -q "^cuda sample .* cubin_crc=$(crc_of own) " dump
traced --summary=none --cupti "$cupti" --reruns --metrics sm__cycles_active.avg,smsp__pcsamp_sample_count -- "$examples/vector_add"
"$tap" dump t.gputap >dump 2>/dev/null
check "... in a run of its own too" stored 1
traced --summary=none --cupti "$cupti" --binaries=false --metrics smsp__pcsamp_sample_count -- "$examples/vector_add"
"$tap" dump t.gputap >dump 2>/dev/null
check "--binaries=false leaves it out" stored 0
check "... and samples are there" grep -q '^cuda sample ' dump
finish
