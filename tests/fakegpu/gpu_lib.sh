# tests/fakegpu/gpu_lib.sh - what the tests of scripts/test-gpu share: a build folder for the stand-in machine: sourced
#
# Its CUDA programs are examples. Says nothing about GPUs: what is tested is the script, the comparison of traces with
# what programs say, recordings and results.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
set -u
root=${GPUTAP_TESTS%/*}
passed=0 failed=0
stand_in=$GPUTAP_BUILD/tests/fakegpu
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION CUDA_HOME CUDA_PATH \
	CONDA_PREFIX "${!GPUTAP_CUDA@}" "${!GPU_@}"

# check NAME COMMAND...: one sentence that must be true
check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1))
	else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi
}
has() { grep -qE "$1" "$2"; }
hasnt() { ! grep -qE "$1" "$2"; }

# as NAME EXAMPLE WORDS...: a program of that name in $programs, of the sources that are here; it says what the machine
# counted. Builtins of a shell alone: it may have to run where nothing else is.
as() {
	local unknown=
	[ "$2" != graphs ] || unknown=-1
	cat >"$programs/$1" <<X
#!/bin/sh
kernels=0 copies=0 sets=0 graphs=0
export LD_LIBRARY_PATH=$there_lib FAKEGPU_REPORT=\${TMPDIR:-/tmp}/report.\$\$
$there_examples/${*:2} || exit
while read -r name n; do
	case \$name in
	kernels) kernels=\$n ;; copies) copies=\$n ;; sets) sets=\$n ;; graph-launches) graphs=\$n ;;
	esac
done <"\$FAKEGPU_REPORT"
echo "counts kernels=${unknown:-\$kernels} copies=${unknown:-\$copies} sets=${unknown:-\$sets} graphs=\$graphs failed=0"
X
	trusted "$1"
}
trusted() {
	chmod +x "$programs/$1"
	(cd "$root" && sha256sum "tests/gpu/$1.cu" tests/gpu/gpu.h) >"$programs/$1.sha256"
}

# What nvcc would compile: in $programs, of examples in $there_examples that run with libraries in $there_lib.
stand_in_programs() {
	as vector_add vector_add; as copies managed; as streams streams; as graphs graphs; as cooperative managed
	as pools pools; as errors errors; as leave vector_add; as blas streams
	# shellcheck disable=SC2016
	as storm 'storm $1 $(($2 / 20))'
	printf '#!/bin/sh\necho ns best=900.0 median=1000.0 mean=1100.0 p99=5000.0\n' >"$programs/cost"
	cat >"$programs/dnn" <<'X'
#!/bin/sh
echo "$0: error while loading shared libraries: libcudnn.so.9: cannot open shared object file" >&2
exit 127
X
	trusted cost
	trusted dnn
}

make_build() {
	local f programs=build/gpu/bin there_lib=$stand_in/lib there_examples=$GPUTAP_BUILD/examples/cuda
	mkdir -p build/gpu/bin
	for f in gputap libgputap.so libgputap-audit.so sections; do ln -s "$GPUTAP_BUILD/$f" build/; done
	for f in scrub raw libnomodules.so; do ln -s "$GPUTAP_BUILD/gpu/$f" build/gpu/; done
	ln -s "$GPUTAP_BUILD"/gpu/bin/doubt_* "$GPUTAP_BUILD"/tests/{fault/cuda_kill,e2e/cl_commands,e2e/cuda_client} build/gpu/bin/
	rm -f build/gpu/bin/*.d
	stand_in_programs
}

# gpu LOG OPTIONS...: scripts/test-gpu on the stand-in machine, without a compiler
gpu() {
	local log=$1
	shift
	NVCC='' LD_LIBRARY_PATH=${libraries-$stand_in/lib} GPUTAP_BUILD=$PWD/build \
		timeout 110 "$root/scripts/test-gpu" "$@" >"$log" 2>&1
}
