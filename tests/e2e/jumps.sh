#!/usr/bin/env bash
# tests/e2e/jumps.sh - a call that is left by a jump hides no later one, and is counted; one that comes back is recorded
#
# All calls of OpenCL that matter are made by a library. Programs: tests/e2e/ways/jumps.c, jumper.c, built in two ways that lay out
# frames differently; cuda_jumps.c; tests/fault/lib/throws.cc.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
here=$GPUTAP_TESTS/e2e
shim=$GPUTAP_BUILD/libgputap.so
bin=$GPUTAP_BUILD/tests/ways
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
# shellcheck source=tests/e2e/layers_lib.sh
. "$here/layers_lib.sh"
unset FAKECL_FAULTS FAKECL_PLATFORMS LD_PRELOAD LD_AUDIT OPENCL_LAYERS
passed=0 failed=0 skipped=0
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
nm -D --undefined-only "$shim" | grep -q __asan && { echo "skipped: jumps over a sanitizer's frames"; exit 77; }
mkdir -p "$bin"

check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }
slots() { awk '/^slot/ {n += $2} END {print n + 0}' counts; }
calls() { awk '/^cl[A-Z]/ {n += $2} END {print n + 0}' counts; }
count() { awk -v n="$1" '$1 == n {c = $2} END {print c + 0}' counts; }
build() { # NAME OPTION...
	"$cc" -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 "${@:2}" -fPIC -shared -o "$bin/libjumper-$1.so" "$here/ways/jumper.c" -lOpenCL &&
		"$cc" -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 "${@:2}" -o "$bin/jumps-$1" "$here/ways/jumps.c" \
			"$bin/libjumper-$1.so" "-Wl,-rpath,$bin" -lOpenCL -lpthread
}

# left PROGRAM WAY ASKED WAITED LEFT VARIABLE=VALUE...
left() {
	local name="$2, ${1##*-}, ${6%%=*}"
	rm -rf t.gputap
	"$1" "$2" >bare 2>&1; echo "$?" >>bare
	env "${@:6}" "GPUTAP_OUTPUT=$PWD/t" "$1" "$2" >traced 2>&1; echo "$?" >>traced
	python3 "$here/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" >counts
	check "$name: the program sees no difference" diff bare traced
	check "$name: every later call is there" [ "$(count clGetPlatformInfo)" = "$3" ]
	check "$name: the call itself is there if it came back" [ "$(count clWaitForEvents)" = "$4" ]
	check "$name: else it is counted, or its thread's slot shows it" \
		[ $(($(count lost.LEFT_CALL) + $(count slot.clWaitForEvents))) = "$5" ]
}

ways=("LD_PRELOAD=$shim" "OPENCL_LAYERS=$shim")
has_layers || { unset "ways[1]"; echo "skipped: as a layer: $no_layers"; skipped=$((skipped + 1)); }
for options in "-O0" "-O2 -fomit-frame-pointer"; do
	name=jump${options:0:3}
	read -ra words <<<"$options"
	build "$name" "${words[@]}" || exit 1
	for way in "${ways[@]}"; do
		left "$bin/jumps-$name" jump 3 0 1 "$way"
		left "$bin/jumps-$name" jump-higher 3 0 1 "$way"
		left "$bin/jumps-$name" cancel 3 0 1 "$way"
		left "$bin/jumps-$name" end 3 0 1 "$way"
		left "$bin/jumps-$name" fiber-above 5 1 0 "$way"
		left "$bin/jumps-$name" fiber-below 5 1 0 "$way"
	done
done

# An exception thrown by a callback of the program, through the driver and the wrapper: 20 calls, and 20 callbacks, that do not return.
if command -v "${CXX:-c++}" >/dev/null && "${CXX:-c++}" -DCL_TARGET_OPENCL_VERSION=300 -o throws "$GPUTAP_TESTS/fault/lib/throws.cc" -lOpenCL 2>err; then
	for way in "${ways[@]}"; do
		rm -rf t.gputap
		./throws >bare 2>&1; echo "$?" >>bare
		env "$way" "GPUTAP_OUTPUT=$PWD/t" ./throws >traced 2>&1; echo "$?" >>traced
		python3 "$here/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" >counts
		check "exception, ${way%%=*}: the program sees no difference" diff bare traced
		check "exception, ${way%%=*}: what it left is counted, or a slot shows it" [ $(($(count lost.LEFT_CALL) + $(slots))) = 40 ]
	done
else
	echo "skipped: C++ exceptions: no compiler"; skipped=$((skipped + 1))
fi

# A signal handler that calls while a driver answers: the program's question or one of gputap's. Each call is recorded or counted.
"$cc" -O1 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -w -I "$GPUTAP_TESTS/.." -o "$bin/asked" "$here/ways/asked.c" -lOpenCL -ldl || exit 1
for way in "${ways[@]}"; do
	rm -rf t.gputap
	FAKECL_FAULTS=info-signals "$bin/asked" >bare 2>/dev/null; echo "$?" >>bare
	env FAKECL_FAULTS=info-signals "$way" "GPUTAP_OUTPUT=$PWD/t" "$bin/asked" >traced 2>calls; echo "$?" >>traced
	python3 "$here/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" >counts
	check "a handler while gputap asks, ${way%%=*}: the program sees no difference" diff bare traced
	check "... its calls are counted" [ "$(count lost.HANDLER_CALL)" -gt 10 ]
	check "... each call is recorded or counted, once" [ $(($(calls) + $(count lost.HANDLER_CALL))) = "$(cat calls)" ]
	rm -rf t.gputap
	env "$way" "GPUTAP_OUTPUT=$PWD/t" "$bin/asked" >traced 2>calls
	python3 "$here/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" >counts
	check "... without a handler no question is taken for a call" [ "$(calls):$(count lost.HANDLER_CALL)" = 9:0 ]
	rm -rf t.gputap
	FAKECL_FAULTS=info-signals "$bin/asked" marks >bare 2>/dev/null; echo "$?" >>bare
	env FAKECL_FAULTS=info-signals "NVTX_INJECTION64_PATH=$shim" "$way" "GPUTAP_OUTPUT=$PWD/t" "$bin/asked" marks >traced 2>calls; echo "$?" >>traced
	python3 "$here/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" >counts
	check "marks of a handler while gputap asks: the program sees no difference" diff bare traced
	check "... they are counted" [ "$(count lost.HANDLER_CALL)" -gt 10 ]
	check "... each is recorded or counted, once" [ $(($(count REC_NVTX_EVENT) + $(count lost.HANDLER_CALL))) = "$(cat calls)" ]
done

# CUDA: with callbacks for each call (--cuda-args, --callstacks) what was left is counted; without them nobody tells of it.
gpu=$GPUTAP_BUILD/tests/fakegpu
"$cc" -O1 -D_GNU_SOURCE -o "$bin/cuda_jumps" "$here/ways/cuda_jumps.c" -ldl -lpthread || exit 1
export LD_LIBRARY_PATH=$gpu/lib FAKEGPU_FAULTS=slow-kernels=3000
for way in pass jump cancel end; do
	rm -rf t.gputap
	timeout 60 "$bin/cuda_jumps" $way >bare 2>&1; echo "$?" >>bare
	LD_PRELOAD=$shim GPUTAP_CUDA_ARGS=1 GPUTAP_OUTPUT=$PWD/t timeout 60 "$bin/cuda_jumps" $way >traced 2>&1; echo "$?" >>traced
	python3 "$here/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" >counts
	check "CUDA, $way: the program sees no difference" diff bare traced
	wanted=5; [ $way != pass ] || wanted=0
	check "CUDA, $way: each call that was left is counted, or a slot shows it" [ $(($(count lost.LEFT_CALL) + $(slots))) = $wanted ]
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
