#!/usr/bin/env bash
# tests/e2e/cl_ring.sh - --ring keeps the newest calls in the size it was given, and knows what they name
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap program=$GPUTAP_BUILD/tests/e2e/cl_ring
export POCL_DEVICES=basic

"$gputap" run -q --summary=none --ring --max-size=4M -o t -- "$program" 1000000 >traced.out 2>traced.err
check "the program ends well" [ "$?:$(tail -n 1 traced.out)" = "0:500 kernels" ]
check "nothing is said" [ ! -s traced.err ]
kb=$(du -s --block-size=1024 t.gputap | cut -f1)
check "the trace takes 4 MB and little more ($kb KB)" [ "$kb" -ge 2000 ] && check "... not much" [ "$kb" -le 5600 ]
"$gputap" info t.gputap >info
check "the ledger says what went" grep -Eq 'complete: no \(.*overwritten' info
calls() { grep -Eo '^  [0-9]+ calls,' "$1" | tr -dc 0-9; }
over=$(grep -Eo '[0-9]+ *calls overwritten' info | head -n 1 | tr -dc 0-9)
"$gputap" run -q --summary=none -o all -- "$program" 1000000 >traced.out 2>&1
"$gputap" info all.gputap >info.all
check "each call is there or counted" [ $((${over:-0} + $(calls info))) = "$(calls info.all)" ]
check "what is there is a good part of the size ($(calls info) calls)" [ "$(calls info)" -gt 30000 ]
check "no device record is called lost" sh -c '! grep -q "device record" info'
"$gputap" stats t.gputap >stats
# Where the driver gives times that cannot be, as rusticl, there are no sums: then the commands say it.
named() { grep -Eq '\badd\b' stats || "$gputap" dump "$1" | grep -q '^    command add .*no times: TIME_IMPOSSIBLE'; }
check "kernels have their name" named t.gputap
"$gputap" dump t.gputap >dump
check "the newest call is there" [ "$(grep -c 'clFinish' dump)" = 1 ]
# As the runtime calls it: PoCL up to 3 names its driver ("basic-..."), later ones and others do not.
device=$("$gputap" dump --json all.gputap 2>/dev/null | sed -n 's/.*"kind":"device".*"name":"\([^"]*\)".*/\1/p' | head -n 1)
check "the device is named ($device)" grep -qF "$device" <(grep '^device 0 ' info)
check "... by the runtime" [ -n "$device" ]
"$gputap" export -e atp,apilog,sqlite -o out t.gputap >out 2>&1
check "all formats can be made of it" [ $? = 0 ]

# Killed in the middle: what is there can be read.
rm -rf k.gputap half
GPUTAP_RING=1 GPUTAP_MAX_SIZE=2M GPUTAP_OUTPUT=$PWD/k LD_PRELOAD=$GPUTAP_BUILD/libgputap.so "$program" 300000 forever >half 2>&1 &
pid=$!
for _ in $(seq 200); do grep -q half half && break; sleep 0.05; done
sleep 0.3
kill -KILL "$pid"; wait "$pid" 2>/dev/null
"$gputap" info k.gputap >info
check "a killed ring can be read" grep -Eq 'complete: no \(.*overwritten' info
"$gputap" stats k.gputap >stats
check "its kernels have their name" named k.gputap
finish
