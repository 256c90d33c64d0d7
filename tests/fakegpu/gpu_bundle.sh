#!/usr/bin/env bash
# tests/fakegpu/gpu_bundle.sh - the bundle of scripts/test-gpu has all that its four parts need where nothing is but Python and a shell
#
# In a bare root, with the stand-in machine as the GPU, by the commands that docs/gpu-tests.md gives. BUNDLE_WHOLE=1: each
# step, else one of each kind.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/fakegpu/gpu_lib.sh
. "$GPUTAP_TESTS/fakegpu/gpu_lib.sh"
# shellcheck source=tests/fakegpu/bare_root_lib.sh
. "$GPUTAP_TESTS/fakegpu/bare_root_lib.sh"
can_have_bare_root || exit 77
export GPU_ENDS=4 GPU_CONTEXTS=20 GPU_PACE=2 GPU_KILL_AFTER=1 GPU_ROUNDS=1

# Whatever CUDA programs were compiled here: none is, and those of the stand-in are in their places.
NVCC='' "$root/scripts/test-gpu" -o made --bundle "$PWD/bundle" >bundle.log 2>&1
check "the bundle is made" test $? = 0
grep -q FAIL bundle.log && cat bundle.log
make -s -C "$root" O="$(realpath --relative-to="$root" "$GPUTAP_BUILD")" DESTDIR="$PWD/install" PREFIX= install >install.log 2>&1
installed() { (cd "$1" && find . -type f ! -path './gpu/*' ! -path './scripts/*' ! -path './tests/*' | sort); }
check "it has all that an install has" test "$(installed install | wc -l):$(diff <(installed install) <(installed bundle))" = \
	"$(installed bundle | wc -l):"
check "a folder that is no bundle stays as it is" test "$(NVCC='' "$root/scripts/test-gpu" -o made --bundle "$PWD/install" 2>&1 |
	tail -n 1; ls install/bin)" = "test-gpu: $PWD/install: it is there, and is no bundle
gputap"
rm -r install

make_bare_root "$PWD/root"
mkdir -p root/opt/gpu root/results
cp -rL "$GPUTAP_BUILD/examples/cuda" root/opt/gpu/
mkdir root/opt/gpu/lib
cp "$stand_in"/lib/{libcuda.so.1,libcudart.so.13,libcupti.so.13} root/opt/gpu/lib/
cp "$GPUTAP_BUILD/tests/fakecl/libfakecl.so" root/opt/gpu/lib/libnvidia-opencl.so.1
cp "$(with_libraries "$GPUTAP_BUILD/tests/fakecl/libfakecl.so" | grep libgcc_s)" root/opt/gpu/lib/
mv bundle root/bundle
programs=$PWD/root/bundle/gpu/bin there_lib=/opt/gpu/lib there_examples=/opt/gpu/cuda stand_in_programs
check "nothing but Python and a shell is there" test "$(cd root/bin && echo *)" = "bash python3 sh"

some=(versions D9 D12 D13 D14 D15 D7 D2 D10 vector_add "record vector_add" killed opencl counters pc_samples sass_counts)
# call N [STEP...]: the N-th command of the plan; of it these steps alone, unless all are to be done
call() {
	local words n=$1 step only=()
	shift
	[ -n "${BUNDLE_WHOLE-}" ] || for step; do only+=(--step "$step"); done
	read -r -a words <<<"$(sed -n 's|^[[:space:]]*DIR/\(scripts/test-gpu --part.*\)|\1|p' "$root/docs/gpu-tests.md" | sed -n "${n}p")"
	LD_LIBRARY_PATH=/opt/gpu/lib in_bare_root "$PWD/root" "/bundle/${words[0]}" -o "/results/$n" "${words[@]:1}" \
		${only[@]+"${only[@]}"} >"call$n.log" 2>&1
}
call 1 "${some[@]}"
status=$?
call 2 costs torch
statuses="$status $?"
check "both calls of the plan end well" test "$statuses" = "0 0"
expected="D10 dnn record dnn torch torch arguments torch costs"
for n in 1 2; do
	check "in call $n no step fails" hasnt '^(FAIL|test-gpu:)' "call$n.log"
	check "... and none lacks anything that could be in a bundle" test -z "$(sed -n 's/^skipped: \([^:]*\):.*/\1/p' "call$n.log" |
		while read -r s; do case " $expected " in *" $s "*) ;; *) echo "$s" ;; esac; done)"
	grep -E '^(FAIL|skipped|test-gpu)' -A 4 "call$n.log"
done
cat call1.log call2.log >calls.log
for part in 1 2 3 4; do
	check "part $part is green" has "^part $part: [0-9]+ passed, 0 failed, [0-9]+ skipped" calls.log
done
check "the stand-in is what ran" has '^CUPTI used: CUPTI 13.0.1 \(/opt/gpu/lib/libcupti.so.13\)' call1.log
check "counters have values" has '^ok    counters: [1-9][0-9]* values' call1.log
check "the results come back" test "$(ls root/results/1 root/results/2 | tr '\n' ' ')" = \
	"root/results/1: log part1.jsonl part2.jsonl recordings.tar  root/results/2: log part3.jsonl part4.jsonl "
# Through a file: a pipe that is closed early makes Python complain, behind the last line here.
"$root/scripts/test-gpu-report" --stand-in root/results/1 root/results/2 >results.md
check "and make a document" has '^- ok \*\*D13\*\*' results.md
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
