#!/usr/bin/env bash
# tests/e2e/host_off.sh - the OS runtime and OpenMP that are not asked for cost nothing: no byte in the trace, no instruction in the program
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap from=$GPUTAP_TESTS/e2e
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT OMP_TOOL OMP_TOOL_LIBRARIES
[ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ] || { echo "skipped: the stand-in runtime is not built"; exit 77; }
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
cc=${CC:-cc}
check() { local name=$1; shift; if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }

# ---- bytes
for how in off on; do
	domains=opencl
	[ $how = off ] || domains=opencl,osrt,openmp
	"$tap" run -q -f --summary=none -t $domains -o $how -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >$how.out 2>&1
done
check "without them a trace has the bytes that it had before there were any" python3 "$from/host_off_check.py" off.gputap on.gputap "$GPUTAP_BUILD/gen/ids.h"
check "no table of their functions" [ "$(grep -alrE 'pthread_mutex_lock|omp_parallel' off.gputap | wc -l)" = 0 ]

# ---- instructions
command -v "${cc%% *}" >/dev/null && "$cc" -O1 -fopenmp -o host_off "$from/osrt/off.c" -lpthread 2>cc.out || "$cc" -O1 -o host_off "$from/osrt/off.c" -lpthread || { skip "no C compiler"; exit 77; }
"$tap" run -q -f --summary=none -t opencl -o maps -- ./host_off maps >maps.out
check "the objects that would record them are not in the program" eval '! grep -q "libgputap-\(osrt\|openmp\|libgomp\)" maps.out'
check "... the shim is" grep -q "libgputap\.so" maps.out
"$tap" run -q -f --summary=none -t osrt,openmp -o maps -- ./host_off maps >maps.out
check "... and they are where they are asked for" eval 'grep -q libgputap-osrt maps.out && grep -q libgputap-openmp maps.out'

# Debug information of newer compilers is more than some valgrind can read, and it ends there.
shim=$PWD/libgputap.so thin_object=$PWD/libgputap-osrt.so
strip -g -o "$shim" "$GPUTAP_BUILD/libgputap.so" && strip -g -o "$thin_object" "$GPUTAP_BUILD/libgputap-osrt.so" && strip -g host_off || { skip "no strip"; exit 77; }
# instructions KIND NAME=VALUE...: of 1000 of them, as valgrind counts: the same number in each run
instructions() {
	local kind=$1
	shift
	rm -rf count.gputap callgrind.count
	env LD_BIND_NOW=1 GPUTAP_OUTPUT=count "$@" timeout 100 valgrind -q --tool=callgrind --callgrind-out-file=callgrind.count \
		--toggle-collect=work ./host_off "$kind" >valgrind.out 2>&1 || return 1
	sed -n 's/^\(summary\|totals\): *//p' callgrind.count | head -n 1
}
# What happens once in a run may differ by some hundred; one instruction more for each would be 1000.
within() { [ "${1:-0}" -gt 1000 ] && [ "${2:-0}" -gt 1000 ] && [ $(($2 - $1)) -lt "$3" ] && [ $(($1 - $2)) -lt 900 ]; }
if command -v valgrind >/dev/null; then
	for kind in locks waits writes regions; do
		if [ $kind = regions ] && ! ldd host_off | grep -q 'lib[gi]*omp'; then skip "regions: the compiler has no OpenMP"; continue; fi
		bare=$(instructions $kind A=b)
		off=$(instructions $kind LD_PRELOAD="$shim" GPUTAP_TRACE=opencl)
		echo "$kind: instructions of 1000: bare $bare, under -t opencl $off"
		check "$kind: the same instructions as bare" within "$bare" "$off" 900
	done
	# The object preloaded by hand for nothing: less than 30 instructions for each of two calls to see that.
	thin=$(instructions locks LD_PRELOAD="$thin_object $shim" GPUTAP_TRACE=opencl)
	bare=$(instructions locks A=b)
	on=$(instructions locks LD_PRELOAD="$thin_object $shim" GPUTAP_TRACE=osrt)
	echo "a lock and its unlock: $((bare / 1000)) instructions bare, $((thin / 1000)) with the object preloaded for nothing, $((on / 1000)) recorded"
	check "an object that is preloaded for nothing only passes calls on" within "$bare" "$thin" 60000
else
	skip "instructions: valgrind is not installed"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
