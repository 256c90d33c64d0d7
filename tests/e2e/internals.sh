#!/usr/bin/env bash
# tests/e2e/internals.sh - the functions that docs/internals.md names are on the stack of recording and of export
#
# Programs run under a debugger: an OpenCL one on the machine's OpenCL, a CUDA one on the stand-in machine, one that marks
# ranges by hand. Each table with a "stack" mark must be found, outermost function first.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
command -v gdb >/dev/null || { echo "skipped: gdb is not installed"; exit 77; }
tap=$GPUTAP_BUILD/gputap
shim=$GPUTAP_BUILD/libgputap.so
top=$GPUTAP_TESTS/..
gpu=$GPUTAP_BUILD/tests/fakegpu
passed=0 failed=0
gdb -nx -batch -ex 'python print(6 * 7)' 2>&1 | grep -qx 42 || { echo "skipped: gdb without Python"; exit 77; }
readelf -S "$shim" 2>/dev/null | grep -q debug_info || { echo "skipped: a build without debug information"; exit 77; }
if readelf -p .comment "$shim" 2>/dev/null | grep -q clang; then
	echo "skipped: clang inlines and jumps elsewhere; the documented stacks are those of gcc's build"
	exit 77
fi
unset NVTX_INJECTION64_PATH CUDA_INJECTION64_PATH LD_PRELOAD GPUTAP_OUTPUT
export DEBUGINFOD_URLS=
gcc -O1 -g -o blur "$top/examples/blur.c" -lOpenCL -lm || exit 1

# below NAME FILE FUNCTIONS -- VARIABLE=VALUE... PROGRAM ARGUMENT...: the functions, of which the last is FILE's, are on one stack
below() {
	local name=$1 file=$2 want="" set=()
	shift 2
	while [ "$1" != -- ]; do want="$want'$1', "; shift; done
	shift
	while [[ $1 == *=* ]]; do set+=(-iex "set environment ${1%%=*} ${1#*=}"); shift; done
	if timeout 120 gdb -nx --readnow -batch "${set[@]}" -iex 'set auto-load safe-path /' -ex "python want, file = [$want], '$file'" \
		-ex "source $GPUTAP_TESTS/e2e/internals.py" --args "$@" >"$name.log" 2>&1; grep -q '^FOUND' "$name.log"; then
		echo "ok: $name: the documented functions are on the stack"
		passed=$((passed + 1))
	else
		echo "FAILED: $name:"
		tail -n 5 "$name.log"
		failed=$((failed + 1))
	fi
}

"$tap" run -q -f -o opencl -- ./blur >/dev/null 2>&1 || exit 1
LD_LIBRARY_PATH=$gpu/lib "$tap" run -q -f -o cuda -- "$GPUTAP_BUILD/examples/cuda/streams" >/dev/null 2>&1 || exit 1
"$tap" run -q -f -o nvtx -- "$GPUTAP_BUILD/tests/e2e/nvtx_byhand" >/dev/null 2>&1 || exit 1

while read -r -u 9 name functions; do
	# shellcheck disable=SC2086
	case $name in
	record-opencl*) below "$name" $functions -- LD_PRELOAD="$shim" GPUTAP_OUTPUT="$PWD/$name" ./blur ;;
	record-cuda*) below "$name" $functions -- LD_PRELOAD="$shim" LD_LIBRARY_PATH="$gpu/lib" GPUTAP_OUTPUT="$PWD/$name" \
		CUDA_INJECTION64_PATH="$shim" "$GPUTAP_BUILD/examples/cuda/streams" ;;
	record-nvtx*) below "$name" $functions -- LD_PRELOAD="$shim" GPUTAP_OUTPUT="$PWD/$name" "$GPUTAP_BUILD/tests/e2e/nvtx_byhand" ;;
	export-*)
		IFS=- read -r _ format family _ <<<"$name"
		below "$name" $functions -- "$tap" export -f --jobs=1 -e "$format" -o out "$family.gputap" ;;
	*) echo "FAILED: no run for the stack $name"; failed=$((failed + 1)) ;;
	esac
done 9< <(python3 "$GPUTAP_TESTS/e2e/internals.py" stacks "$top/docs/internals.md")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 12 ]
