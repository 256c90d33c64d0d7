#!/usr/bin/env bash
# tests/witness/calls.sh - calls per function, counted by somebody else: equal to the trace's, or the ledger says the difference
#
# By itself a few programs on the stand-in runtime, in a few ways in. With WITNESS_MATRIX=1 (scripts/test --long witness) every
# end-to-end program, in every way in and every pair of ways, on the stand-in runtime and on PoCL. WAYS: only these.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/witness/witness_lib.sh
. "$GPUTAP_TESTS/witness/witness_lib.sh"
standin=$GPUTAP_BUILD/tests/fakecl/vendors
cc=${CC:-cc} from=$GPUTAP_TESTS/e2e/ways opts="-O1 -w -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300"
real=$(ldconfig -p | awk '/libOpenCL\.so\.1 .*x86-64|libOpenCL\.so\.1 .*AArch64/ {print $NF; exit}')
[ -n "$real" ] || { echo "skipped: no libOpenCL.so.1 here"; exit 77; }
# A loader renamed as wheels do it: it knows layers too, and asks for the table of its own.
python3 -c 'import sys; d = open(sys.argv[1], "rb").read(); open(sys.argv[2], "wb").write(d.replace(b"libOpenCL.so.1\0", b"libOpenCL1a.so\0"))' \
	"$real" "$PWD/libOpenCL1a.so" || exit 1

# on VENDORS "PROGRAM..." [WHAT...] [-- OPTION...]: in all the ways of $in. WHAT: same (bare it makes the same calls), driver (the
# stand-in's counters too), all (... of everything).
on() {
	local vendors=$1 words what checks=() options=() name same=0
	read -ra words <<<"$2"
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		case $1 in
		same) same=1 checks+=(--bare bare.counts) ;;
		driver) checks+=(--driver driver) ;;
		all) checks+=(--driver driver --driver-all) ;;
		esac
		shift
	done
	[ $# = 0 ] || { shift; options=("$@"); }
	[ -d $vendors ] || { skip "${words[0]##*/}: no $vendors"; return; }
	export OCL_ICD_VENDORS=$vendors
	name="${words[*]##*/}${options[*]:+ ${options[*]}} on ${vendors##*/}"
	[ $vendors = "$standin" ] || name="$name${POCL_DEVICES:+ $POCL_DEVICES}"
	if [ $same = 1 ]; then bare "${words[@]}"; fi
	for way in $in; do
		what="$name, $way"
		under "$way" "${options[@]}" -- "${words[@]}"
		if [ "$way" = audit ]; then     # it binds to a library that is there: by itself it does nothing
			if [ ! -e t.gputap ]; then ok; else bad "$what: there is a trace"; fi
		else
			agree "$what" "${checks[@]}"
		fi
		if [ $same = 1 ]; then
			if cmp -s out bare.out && cmp -s status bare.status; then ok; else bad "$what: prints or returns something else"; fi
		fi
	done
}

quick() {
	in="preload layer run preload+layer audit audit+layer-above audit+copy"
	on "$standin" "$e2e/cl_commands" same driver
	on "$standin" "$e2e/cl_shared fork" driver
	in="preload+audit+layer preload+audit+layer-above preload+audit+copy preload+audit+run audit+layer+copy audit+layer+run audit+copy+run"
	on "$standin" "$e2e/cl_commands" same driver
	in="preload run"
	FAKECL_PLATFORMS=4 on "$standin" "$e2e/standin" same driver
	on "$standin" "$GPUTAP_BUILD/tests/witness/several $real $PWD/libOpenCL1a.so" all
	on "$standin" "$e2e/cl_leave exec" same -- --max-size=8k
	command -v "$cc" >/dev/null || { skip "no C compiler"; return; }
	$cc $opts -o ways-unload "$from/unload.c" -lOpenCL -ldl || { bad "ways/unload.c does not compile"; return; }
	ways_programs || bad "programs of tests/e2e/ways do not compile"
	audit_alone
	in="layer"
	on "$standin" "$PWD/ways-unload twice" same
	on "$standin" "$GPUTAP_BUILD/tests/witness/several $real $PWD/libOpenCL1a.so" all
}

# Programs of tests/e2e/ways.sh, which reach the library each in a way of its own.
ways_programs() {
	local name
	for name in linked pending processes extension timed many unload opener host; do
		$cc $opts -o "ways-$name" "$from/$name.c" -lOpenCL -ldl || return
	done
	$cc $opts -fPIC -shared -o plugin.so "$from/plugin.c" -lOpenCL || return
	for name in "" -DAT_EXIT -DFIRST_IN_MAIN; do
		$cc $opts $name -fPIC -shared -o "libearly$name.so" "$from/early.c" -lOpenCL || return
		$cc $opts -o "ways-early$name" "$from/early_main.c" "$PWD/libearly$name.so" || return
	done
}

# Calls that nothing but the audit module brings to the library: what is preloaded stands where these do not look.
audit_alone() {
	local program in="preload+audit audit+run"
	for program in "host d $PWD/plugin.so" "host dz $PWD/plugin.so" "host n $PWD/plugin.so"; do
		on "$standin" "$PWD/ways-$program" same driver
	done
}

whole() {
	in=${WAYS-$(ways | cut -d' ' -f1)}
	ways_programs || { bad "programs of tests/e2e/ways do not compile"; return; }
	local way program
	for way in exit _exit _Exit quick_exit execl execle execv fexecve failing fork fork-exec vfork-exec vfork-exit; do
		on "$standin" "$PWD/ways-processes $way"
	done
	for program in linked pending "opener s libOpenCL.so.1" "opener v libOpenCL.so.1" "host l $PWD/plugin.so" "host g $PWD/plugin.so" early early-DAT_EXIT \
		early-DFIRST_IN_MAIN timed "unload twice" "many 3000"; do
		on "$standin" "$PWD/ways-$program" same driver
	done
	FAKECL_PLATFORMS=4 on "$standin" "$e2e/standin" same driver
	FAKECL_PLATFORMS=4 FAKECL_FAULTS=map-fails,command-fails=3,enqueue-fails=5 on "$standin" "$e2e/standin" same driver
	on "$standin" "$GPUTAP_BUILD/tests/witness/several $real $PWD/libOpenCL1a.so" all
	for program in cl_commands "cl_commands 4" cl_queue_view "cl_queues writes 20" "cl_queues released 20" "cl_queues device 5" \
		"cl_leave return" "cl_leave exit" "cl_leave _exit" "cl_leave quick_exit" "cl_leave abort" "cl_leave exec"; do
		on "$standin" "$e2e/$program" same driver
	done
	for program in "cl_shared threads 300" "cl_shared reuse 300" "cl_shared fork" "cl_many blocked 300" "cl_many failed 300" "cl_leave late"; do
		on "$standin" "$e2e/$program" driver
	done
	audit_alone
	# What is lost is in the ledger, call by call.
	for way in --max-size=8k --max-size=300k "--ring --max-size=2M" --trace=opencl --device-times=false; do
		# shellcheck disable=SC2086
		on "$standin" "$PWD/ways-many 20000" -- $way
	done
	on "$standin" "$PWD/ways-processes filter-prctl"
	on "$standin" "$PWD/ways-processes filter-syscall"

	[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { skip "no OpenCL platform but the stand-in"; return; }
	local polls=("cl_many poll 300")
	timeout -k 5 20 "$e2e/cl_many" poll 1 >/dev/null 2>&1 ||
		{ polls=(); skip "a program that polls and never flushes: the runtime here begins nothing for it"; }
	for POCL_DEVICES in basic pthread; do
		export POCL_DEVICES
		for program in cl_commands cl_queue_view "cl_ring 20000" "cl_leave return" "cl_leave exec" "cl_many failed 2000" "${polls[@]}"; do
			on /etc/OpenCL/vendors "$e2e/$program"
		done
	done
	# PoCL's basic device locks itself up in clSetUserEventStatus.
	for program in cl_callbacks cl_references "cl_shared threads 300" "cl_shared fork" "cl_many blocked 2000" "cl_many disorder 500" cl_jump; do
		on /etc/OpenCL/vendors "$e2e/$program"
	done
}

if [ -n "${WITNESS_MATRIX-}" ]; then whole; else quick; fi
finish
