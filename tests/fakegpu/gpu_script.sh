#!/usr/bin/env bash
# tests/fakegpu/gpu_script.sh - scripts/test-gpu does all its steps: here on the stand-in machine, with its examples in the place of the CUDA programs
#
# Says nothing about GPUs. What is tested is the script, the comparison of traces with what programs say, the recordings and their scrubbing.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
root=$GPUTAP_TESTS/..
passed=0 failed=0
stand_in=$GPUTAP_BUILD/tests/fakegpu
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION CUDA_HOME CUDA_PATH CONDA_PREFIX "${!GPUTAP_CUDA@}"

# check NAME COMMAND...: one sentence that must be true
check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi
}
mkdir -p build/gpu/bin
for f in gputap libgputap.so libgputap-audit.so; do ln -s "$GPUTAP_BUILD/$f" build/; done
ln -s "$GPUTAP_BUILD/gpu/scrub" build/gpu/
as() {                                          # NAME EXAMPLE WORDS...: a program of that name; it says what the machine counted
	cat >"build/gpu/bin/$1" <<X
#!/bin/sh
LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib FAKEGPU_REPORT=\${TMPDIR:-/tmp}/report.\$\$ $GPUTAP_BUILD/examples/cuda/${*:2} || exit
awk -v known=$([ "$2" = graphs ] && echo 0 || echo 1) '{ n[\$1] = \$2 } END { printf "counts kernels=%d copies=%d sets=%d graphs=%d failed=0\n",
	known ? n["kernels"] : -1, known ? n["copies"] : -1, known ? n["sets"] : -1, n["graph-launches"] }' \${TMPDIR:-/tmp}/report.\$\$
rm -f \${TMPDIR:-/tmp}/report.\$\$
X
	chmod +x "build/gpu/bin/$1"
}
# shellcheck disable=SC2016
{
as vector_add vector_add; as copies streams; as streams streams; as graphs graphs; as cooperative managed; as pools pools; as errors errors
as leave vector_add; as blas streams; as dnn streams; as storm 'storm $1 $(($2 / 20))'
}
printf '#!/bin/sh\necho ns 1000.0\n' >build/gpu/bin/cost
chmod +x build/gpu/bin/cost
LD_LIBRARY_PATH=$stand_in/lib GPUTAP_BUILD=$PWD/build GPU_ROUNDS=1 timeout 110 "$root/scripts/test-gpu" -o out >script.log 2>&1
check "the script ends well" test $? = 0
grep -E '^FAIL' script.log
for step in vector_add streams graphs graph_nodes storm storm_arguments leave_at_once blas costs killed; do
	check "step $step passes" grep -q "^ok    $step" script.log
done
check "its last line counts" grep -qE '^[0-9]+ passed, 0 failed, [0-9]+ skipped$' <(tail -n 1 script.log)
check "results name the driver and each cost" test "$(grep -c '^| bare | 1000 | 0 | 1.00 |$' out/results.md):$(grep -c 'CUDA 13.0' out/results.md)" = 5:2
tar xf out/recordings.tar
check "recordings are small and packed" test "$(find recordings -name '*.gputap' -type f -size -2000k | wc -l)" = 12
said=$("$GPUTAP_BUILD/gputap" info --json recordings/streams.gputap 2>/dev/null)
check "they do not name this machine" test "$(grep -c '"host":"gpu-machine".*"cwd":"/tmp"' <<<"$said"):$(grep -cF "$PWD" <<<"$said")" = 1:0
check "... they can be replayed" grep -q "^10 vector_add\|^10 add_one" <(LD_LIBRARY_PATH=$stand_in/lib "$stand_in/replay" --list recordings/streams.gputap)
LD_LIBRARY_PATH='' timeout 60 "$root/scripts/test-gpu" -o none >none.log 2>&1
check "without a GPU it is skipped, and says so" test "$?:$(tail -n 1 none.log)" = "77:skipped: no GPU"
# It can fail: a program that says more than it did.
sed -i 's/known ? n\["kernels"\]/known ? n["kernels"] + 1/' build/gpu/bin/vector_add
LD_LIBRARY_PATH=$stand_in/lib build/gputap run -q -f -o wrong -- build/gpu/bin/vector_add >wrong.out 2>&1
GPUTAP_BUILD=$PWD/build python3 "$GPUTAP_TESTS/gpu/check.py" wrong.gputap wrong.out >wrong.log
check "a count that differs fails" test "$?:$(grep -c 'kernels: 1 in the trace, the program made 2' wrong.log)" = 1:1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
