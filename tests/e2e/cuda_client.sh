#!/usr/bin/env bash
# tests/e2e/cuda_client.sh - a program that is a client of CUPTI itself, in every order: it finds what it finds bare, and what is not recorded is said
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
client=$GPUTAP_BUILD/tests/e2e/cuda_client
gpu=$GPUTAP_BUILD/tests/fakegpu
linked=$gpu/client_linked
options=() faults=

# alike PROGRAM WORD...: bare and traced, at the same time, it prints and returns the same
alike() {
	{ FAKEGPU_REPORT=bare.report FAKEGPU_FAULTS=$faults timeout 60 "$@" >bare.out 2>bare.err; echo $? >bare.status; } 2>/dev/null &
	FAKEGPU_FAULTS=$faults traced "${options[@]}" -- "$@"
	wait
	check "${*:2}: the program prints and returns what it does bare" test "$(cat bare.status bare.out bare.err)" = "$(cat t.status t.out; grep -v '^gputap: ' t.err)"
}
lines() { test "$(grep -v '^gputap: complete\|stand-in machine' t.err | grep -c '^gputap: .*\(CUDA\|CUPTI\)')" = "$1"; }

# ledger REASON=N...: the ledger is that and nothing else, and all of the trace can be read. (As cuda_whole_check, which takes longer.)
ledger() {
	local info got
	"$tap" dump --json t.gputap >/dev/null 2>&1 || return
	info=$("$tap" info --json t.gputap)
	got=$(grep -o '"ledger":{[^}]*}' <<<"$info" | grep -o '"[A-Z_]*":[0-9]*' | tr -d '"' | tr : = | sort)
	[ "$got" = "$(printf '%s\n' "$@" | sort)" ] && [[ $info == *"\"complete\":$([ -z "$*" ] && echo true || echo false)"* ]]
}

# client WORDS LEDGER KERNELS
program="$client open libcupti.so.13"
client() {
	# shellcheck disable=SC2086
	alike $program $1 2>killed
	# shellcheck disable=SC2086
	check "... the ledger" ledger $2
	[ "$3" = - ] || check "... $3 kernels in the trace" walk kinds "10=$3"
	check "... one line" lines "$(test -z "$2"; echo $?)"
}

# ---- behind us: from its first call on it has CUPTI to itself; what came before is all there
client "cuda launch session launch" CUPTI_TAKEN=1 20
check "... it is named" said "CUDA is traced up to a call of cuptiSubscribe: .* uses CUPTI itself"
client "cuda launch session launch session" CUPTI_TAKEN=1 20
client "cuda launch gather launch told" CUPTI_TAKEN=1 20
client "cuda launch enable launch buffers launch flush told" CUPTI_TAKEN=1 20
client "cuda launch finalize launch session" CUPTI_TAKEN=1 20
client "cuda launch subscribe finalize launch subscribe" CUPTI_TAKEN=1 20
client "cuda launch times launch" CUPTI_TAKEN=1 20
client "cuda launch threads launch" CUPTI_TAKEN=1 20
client "cuda session launch" CUPTI_TAKEN=1 0
client "cuda launch buffers zeroed" CUPTI_TAKEN=1 20

# ... it takes a kind alone: the rest goes on, and launches without work are counted, killed or not
client "cuda launch disable launch" "CUPTI_TAKEN=1 UNMATCHED_CALL=20" 20
check "... all launches are there" whole calls cuLaunchKernel 40
client "cuda launch disable launch kill" "CUPTI_TAKEN=1 UNMATCHED_CALL=20" 20

# ... it only flushes, and unsubscribes what was never subscribed: nothing is lost, and two flushes never meet
faults=flush-in-callback
options=(--cuda-flush=1)
client "cuda launch flushes launch" "" 440
options=() faults=

# ... CUPTI keeps a buffer of ours through our flushes: the client's free never sees it
faults=flush-keeps=3
FAKEGPU_FAULTS=$faults traced -- "$client" open libcupti.so.13 cuda launch gather launch flush
check "a buffer that comes back too late: the client does not get it" status 3
faults=

# ---- before us: it keeps what it has
client "subscribe cuda launch" CUPTI_BUSY=1 -
client "buffers enable cuda launch flush told" CUPTI_BUSY=1 -
client "subscribe buffers enable cuda launch flush told" CUPTI_BUSY=1 -
check "... it is named" said "another profiler or debugger (.*) holds CUPTI, and keeps it"
client "subscribe unsubscribe cuda launch" "" 20
client "buffers finalize cuda launch" "" 20
export FAKEGPU_REFUSE=cuptiSubscribe
client "subscribe cuda launch" "" 20
FAKEGPU_REFUSE=cuptiUnsubscribe
client "subscribe unsubscribe cuda launch" CUPTI_BUSY=1 -
unset FAKEGPU_REFUSE
client "subscribe unsubscribe cuda launch session" CUPTI_TAKEN=1 20

# ---- a client that is linked with CUPTI is seen as one that asks for its functions
program=$linked
client "cuda launch session launch" CUPTI_TAKEN=1 20
client "cuda launch gather launch told" CUPTI_TAKEN=1 20
client "cuda launch finalize launch session" CUPTI_TAKEN=1 20
client "buffers enable cuda launch flush told" CUPTI_BUSY=1 -

# ... a kind that was on before us stays on behind our window
options=(--stop-after=300ms)
still_on() { test $(($(sed -n 's/^still-on //p' report) >> 10 & 1)) = "$1"; }
traced "${options[@]}" --cupti="$gpu/v130101/libcupti.so.13" -- "$client" open "$gpu/v130101/libcupti.so.13" enable cuda launch pause launch
check "a kind that was on before us stays on behind our window" still_on 1
traced "${options[@]}" --cupti="$gpu/v130101/libcupti.so.13" -- "$client" open "$gpu/v130101/libcupti.so.13" cuda launch pause launch
check "... and not one that we alone had on" still_on 0
options=()

# ---- another copy: what the program has is used; what it opens later is another client's
mkdir -p own
cp "$gpu/lib/libcupti.so.13" own/libcupti-1f0e9d2c.so.13
alike "$client" open own/libcupti-1f0e9d2c.so.13 cuda launch copies
check "a CUPTI of the program by a name with a hash in it: no second one is loaded" grep -qx "copies: 1" t.out
check "... all is traced with it" ledger
options=(--cupti="$gpu/v130101/libcupti.so.13")
alike "$client" open own/libcupti-1f0e9d2c.so.13 cuda launch copies
check "... nor the one that --cupti names" said "[-]-cupti=.* is not used: the program has a CUPTI already (.*libcupti-1f0e9d2c.so.13)"
options=()
export FAKEGPU_DRIVER=12080
cp "$gpu/v130500/libcupti.so.13" own/libcupti-newer.so.13
alike "$client" open own/libcupti-newer.so.13 cuda launch copies
check "... nor where it is newer than the driver" grep -qx "copies: 1" t.out
check "... which is said" said "CUDA is not traced: the program has a CUPTI already (.*libcupti-newer.so.13), which is left alone: it is for CUDA 13.2 or newer"
check "... and counted" ledger CUPTI_MISSING=1
unset FAKEGPU_DRIVER
alike "$client" cuda launch open own/libcupti-1f0e9d2c.so.13 session launch
check "a CUPTI that the program opens behind ours: ours is given up" ledger CUPTI_TAKEN=1
check "... it is said" said "uses CUPTI (another copy of it) itself"

# ---- CUPTI's profiler
alike "$client" open libcupti.so.13 cuda launch counts launch
check "a client that counts, where we do not: nothing is lost" ledger
export GPUTAP_DEPLOY=false
options=(--cupti="$gpu/lib/libcupti.so.13" --metrics sm__cycles_active.avg)
alike "$client" open "$gpu/lib/libcupti.so.13" cuda launch counts launch
check "... where we do: our session is closed before" ledger COUNTERS_LOST=1
check "... it is said" said "counting has ended: .* counts itself (cuptiRangeProfilerEnable)"
options=()

# ---- the toolkit's own CUPTI, without a driver: it refuses most, and clients find it as bare in every order
real=$(ls -d /usr/local/cuda/lib64 /usr/local/cuda-1[23]*/lib64 ~/.cache/gputap/cupti/*/nvidia/cu*/lib 2>/dev/null | while read -r at; do ls "$at"/libcupti.so.1[23] 2>/dev/null; done | head -n 1)
if [ -z "$real" ]; then
	skip "no CUPTI of NVIDIA's is installed" 10
elif [ -e /dev/nvidiactl ]; then
	skip "there is a driver here: tests/gpu tries its CUPTI" 10
else
	orders=("subscribe unsubscribe" "buffers enable disable flush threads finalize" "threads times zeroed subscribe buffers finalize"
		"finalize subscribe buffers enable flush unsubscribe finalize" "enable subscribe finalize disable buffers flush")
	# as a Python wheel has it: by a name with a hash in it, in a folder of the package's
	mkdir -p wheel/nvidia/cu13/lib
	cp -L "$real" wheel/nvidia/cu13/lib/libcupti-3f9a1c07.so.13
	unset LD_LIBRARY_PATH
	for library in "$real" "$PWD/wheel/nvidia/cu13/lib/libcupti-3f9a1c07.so.13"; do
		for words in "${orders[@]}"; do
			# shellcheck disable=SC2086
			alike "$client" open "$library" $words copies
		done
	done
	# two copies in one process, and one that the dynamic linker binds
	# shellcheck disable=SC2086
	alike "$client" open "$real" ${orders[1]} open "$PWD/wheel/nvidia/cu13/lib/libcupti-3f9a1c07.so.13" ${orders[2]} copies
	for words in "${orders[@]}"; do
		# shellcheck disable=SC2086
		LD_LIBRARY_PATH=${real%/*} alike "$linked" $words copies
	done
	check "... it was that library, and it refused" grep -qE '^(subscribe|enable): [1-9]' t.out
	check "... and nothing is said of CUDA: there was none" lines 0
fi

finish
