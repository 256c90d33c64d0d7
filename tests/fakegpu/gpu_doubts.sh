#!/usr/bin/env bash
# tests/fakegpu/gpu_doubts.sh - scripts/test-gpu answers its questions, goes on, compiles: on the stand-in machine
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/fakegpu/gpu_lib.sh
. "$GPUTAP_TESTS/fakegpu/gpu_lib.sh"
make_build
export GPU_ENDS=4 GPU_CONTEXTS=20 GPU_PACE=2 GPU_KILL_AFTER=1

# CUPTI is not on this machine, but in the bundle.
mkdir lib build/gpu/lib
for f in "$stand_in"/lib/*; do case $f in *libcupti*) cp "$f" build/gpu/lib/ ;; *) ln -s "$f" lib/ ;; esac; done
ln -s "$stand_in/lib/libcuda.so.1" build/gpu/lib/       # of which the stand-in's CUPTI is a client
GPU_STEPS=0 libraries=$PWD/lib gpu bundle.log -o bundle --part 1
check "CUPTI of the bundle is used where there is none, and told" \
	has '^CUPTI used: CUPTI 13.0.1 \(/.*/lib/libcupti.so.13\)' bundle.log
check "... it is the bundle's" hasnt "^CUPTI used: .*\($stand_in" bundle.log
python3 -m venv --without-pip env 2>/dev/null
site=$(env/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir -p "$site/nvidia/cu13/lib"
cp build/gpu/lib/* "$site/nvidia/cu13/lib/"
GPU_STEPS=0 PATH=$PWD/env/bin:$PATH libraries=$PWD/lib gpu env.log -o env.out --part 4
check "... after that of the Python environment" \
	has "^CUPTI used: CUPTI 13.0.1 \($site/nvidia/cu13/lib/libcupti.so.13\)" env.log
rm -r build/gpu/lib env

GPU_STEPS=1 gpu cut.log -o out --part 1         # no seconds: a busy machine needs more of them for its first answer
check "what a part has no time for is skipped, and counted" has '^skipped: D10: no time left' cut.log
check "... the first results are there" has '^ok    versions: CUPTI 13.0.1 ' cut.log
gpu script.log -o out --part 1 --seconds 600
status=$?
check "the next run goes on" has '^ok    versions \(before\)' script.log
check "... and does what was not done" has '^ok    D10: ' script.log
check "nothing fails" test -z "$(grep -E '^FAIL' script.log)"
check "the script's status says so" test "$status" = 0
grep -E '^FAIL' -A 3 script.log
answer() { check "D$1: $2" has "^(ok|FAIL)  *D$1(: $3| \(before\)$)" script.log; }
answer 1 "kinds that are refused" "no kind was refused before cuInit; seen: calls [0-9]+, kernels [0-9]+"
answer 2 "ends that lose kernels" "exit, 4 runs: 4 launches, 0 kernels missing, .*; _exit, 4 runs: .*; reset, 4 runs: "
answer 3 "contexts that go" "contexts 80 in [0-9]+ s, no hang; 80 contexts in the trace, 800 of 800 kernels"
answer 4 "an end after a forced flush" "1 rows of the long kernel, [01] of them with its whole time; 3 kernels"
answer 5 "the end after the driver's" "1000 of 1000 kernels with times, 1 mark before them; nothing lost"
answer 6 "a child that calls" \
	"0 of the child's calls are in the parent's buffers; [0-9]+ of 5100 kernels with times"
answer 7 "open buffers" \
	"of [0-9]+ buffers [0-9]+ were open, [0-9]+ of them empty; .* 0 with something behind the first kind 0"
answer 8 "the error of times" "[0-9]+ kernels: after the start of the call least -?[0-9]+, .*; after its end least "
answer 9 "numbers of nested calls" "[1-9][0-9]* of [1-9][0-9]* driver calls inside a runtime call have its number"
answer 10 "modules" "[0-9.]+ s bare, [0-9.]+ s traced, [0-9.]+ s traced without modules"
answer 11 "flush periods" "ns per launch, mean \(99 %\): --cuda-flush=0 1100 \(5000\), --cuda-flush=50 1100"
answer 13 "names behind an unload" "400 of 400 kernels are in the trace, 400 of them with their name; nothing lost"
answer 14 "a second client" "session: subscribe: 0 .*; [0-9]+ of 40 kernels in the trace, which is not complete"
answer 15 "what identifies devices" "1 of 1 devices in records; no management library"
answer 12 "a second window" "CUPTI 130001, second window: .* 0 with a number that no call has; graph id stays"
check "each answer is one line of the results" \
	test "$(grep -cE '^\{"step":"D[0-9]+","status":"(ok|FAIL)"' out/part1.jsonl)" = 15

# A program that hangs: only that step is done again.
sed -i '/"step":"D3"/d' out/part1.jsonl
rm build/gpu/bin/doubt_contexts
printf '#!/bin/sh\nsleep 30\n' >build/gpu/bin/doubt_contexts
chmod +x build/gpu/bin/doubt_contexts
GPU_HANG=2 gpu hangs.log -o out --part 1 --step D3 --seconds 600
check "a hang fails, and tells where" has '^FAIL  D3: it hangs after 2 s: +1 doubt_contexts in [a-z_0]+ call [0-9]+' hangs.log

# What they are for: they can see it.
export GPUTAP_BUILD
ask() { python3 "$GPUTAP_TESTS/gpu/doubts.py" "$@"; }
trace_of() {
	LD_LIBRARY_PATH=$stand_in/lib "$GPUTAP_BUILD/gputap" run -q -f -o t "${@:2}" -- "$GPUTAP_BUILD/gpu/bin/$1" \
		>t.out 2>t.err
}
FAKEGPU_FAULTS=slow-kernels=200 trace_of doubt_late
check "a long kernel that is handed out without an end, and comes again, is told" \
	has '^[12] rows of the long kernel, [01] of' <(ask late t.gputap)
FAKEGPU_FAULTS=kind-refused=36 trace_of doubt_late --cuda-events
check "a kind that is refused fails" \
	test "$(ask kinds t.gputap >t.said; echo $?):$(grep -c '^no records of events: CUPTI refused' t.said)" = 1:2
FAKEGPU_FAULTS=drop=10 trace_of doubt_contexts
check "contexts that lose kernels fail" test "$(ask contexts t.gputap t.out >t.said; echo $?)" = 1
FAKEGPU_FAULTS=unload-takes-names trace_of doubt_unload
check "names that go with their module fail" \
	test "$(ask unload t.gputap t.out >t.said; echo $?):$(grep -c '400 kernels are in the trace, 0 of them with' t.said)" = 1:1
client_of() { ask client session t.gputap words >t.said; echo $?; }
LD_LIBRARY_PATH=$stand_in/lib "$GPUTAP_BUILD/gputap" run -q -f -o t -- "$GPUTAP_BUILD/tests/e2e/cuda_client" \
	open libcupti.so.13 cuda launch >t.out 2>t.err
check "a complete trace with half of the kernels fails" test "$(client_of)" = 1
devices_of() {
	LD_LIBRARY_PATH=$stand_in/lib FAKEGPU_FAULTS=$2 ask devices "$("$GPUTAP_BUILD/gpu/raw" devices t.gputap)" >"$1"
	echo $?
}
FAKEGPU_FAULTS=device-ids FAKEGPU_DEVICES=2 trace_of doubt_late
check "a device is identified by the driver's uuid" \
	test "$(FAKEGPU_DEVICES=2 devices_of t.said ''):$(grep -c "record's uuid is the driver's.*; not divided; " t.said)" = 0:1
check "... and what it is stays untold" hasnt '1111|2222' t.said
FAKEGPU_FAULTS=device-ids,mig=3 trace_of doubt_late
check "a slice by its own, and its number" test "$(devices_of t.said mig=3):$(grep -c \
	'slice 3/0 of a divided GPU, its uuid is that of cuDeviceGetUuid_v2, which is its own' t.said)" = 0:1
check "another uuid than the driver's fails" test "$(devices_of t.said '')" = 1
"$GPUTAP_BUILD/gpu/scrub" t.gputap scrubbed.gputap
check "a recording has neither" has 'uuid 010{30} slice-uuid 0{32}$' <("$GPUTAP_BUILD/gpu/raw" devices scrubbed.gputap)
LD_LIBRARY_PATH='' "$GPUTAP_BUILD/gpu/bin/doubt_windows" >t.said 2>&1
check "without the vendor's libraries a program does not start: 127" test $? = 127

# Compiling: side by side, what it was made of beside it, and not again. The first waits until another has begun.
cat >nvcc <<'X'
#!/bin/sh
while [ $# -gt 1 ]; do case $1 in -o) to=$2 ;; esac; shift; done
echo "begin" >>calls
for _ in $(seq 300); do
	[ ! -e alone ] && [ "$(grep -c begin <calls)" -lt 2 ] || break
	sleep 0.1
done
echo "end" >>calls
case $to in *dnn*) echo "x.cu:8: fatal error: cudnn.h: No such file or directory"; exit 1 ;; esac
echo '#!/bin/sh' >"$to"; chmod +x "$to"
X
chmod +x nvcc
mkdir -p fresh
sed -i "s|\([<>]\)calls|\1$PWD/calls|g; s|-e alone|-e $PWD/alone|" nvcc
[ "$(nproc)" -gt 1 ] || touch alone
NVCC=$PWD/nvcc GPUTAP_BUILD=$PWD/fresh "$root/scripts/test-gpu" --compile >compile.log 2>&1
check "all programs are compiled but one whose library is missing" test "$?:$(tail -n 1 compile.log)" = \
	"0:$(($(ls "$root"/tests/gpu/*.cu | wc -l) - 1)) passed, 0 failed, 1 skipped"
check "... which is skipped" has '^skipped: compile dnn: fatal error: cudnn.h' compile.log
if [ "$(nproc)" -gt 1 ]; then check "... side by side" test "$(sed -n 2p calls)" = begin; fi
find fresh -type f -exec touch -d 2001-01-01 {} +
: >calls
touch alone
NVCC=$PWD/nvcc GPUTAP_BUILD=$PWD/fresh "$root/scripts/test-gpu" --compile >compile.log 2>&1
check "what lost its time in a copy is not compiled again" \
	test "$(grep -c begin calls):$(grep -c 'was there' compile.log)" = \
	"1:$(($(ls "$root"/tests/gpu/*.cu | wc -l) - 1))"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
