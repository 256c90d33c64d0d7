#!/usr/bin/env bash
# tests/fakegpu/gpu_script.sh - scripts/test-gpu does the steps of its parts 2 to 4: here on the stand-in machine
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/fakegpu/gpu_lib.sh
. "$GPUTAP_TESTS/fakegpu/gpu_lib.sh"
make_build
sed -i '1s/^./0/' build/gpu/bin/errors.sha256           # of other sources than those that are here

# A torch that computes nothing and touches the device a little.
mkdir -p torch
cat >torch/__init__.py <<'X'
import ctypes, os, sys
from unittest.mock import MagicMock
with open(os.path.join(os.path.dirname(__file__), 'loaded'), 'a') as f: print(*sys.argv, file=f)
runtime, memory = ctypes.CDLL('libcudart.so.13'), ctypes.c_void_p()
runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(64))
runtime.cudaMemset(memory, 0, ctypes.c_size_t(64))
runtime.cudaDeviceSynchronize()
sys.modules['torch'] = MagicMock()
sys.modules['torch.profiler'] = MagicMock()
X
export GPU_ROUNDS=1 GPU_KILL_AFTER=1 PYTHONPATH=$PWD
export GPU_OPENCL=$GPUTAP_BUILD/tests/fakecl/libfakecl.so
export GPU_CUPTI=$stand_in/lib/libcupti.so.13   # that plans as that collects
gpu script.log -o out --part 2 --part 3 --part 4 --seconds 600
check "the script ends well" test $? = 0
grep -E '^FAIL' -A 3 script.log
for step in vector_add streams graphs graph_nodes all_kinds storm storm_arguments leave_at_once blas costs killed counters counters_again pc_samples pc_samples_again pm_samples pm_samples_again sass_counts sass_counts_again \
	counters_graph \
	torch "torch costs"; do
	check "step $step passes" has "^ok    $step: " script.log
done
check "its last line counts" has '^[0-9]+ passed, 0 failed, [0-9]+ skipped$' <(tail -n 1 script.log)
check "it says which CUPTI is used" has "^CUPTI used: CUPTI 13.0.1 \($stand_in/lib/libcupti.so.13\)" script.log
check "it holds a context meanwhile" has '"held":true' out/part2.jsonl
check "... and lets it go" test -z "$(pgrep -P $$ -f hold.py)"
check "a missing library of the vendor is skipped, with its name" \
	has '^skipped: dnn: libcudnn.so.9: cannot open' script.log
check "a program of other sources is not used" \
	has '^skipped: compile errors: no nvcc, and what is there is of other sources' script.log
check "... and its step is skipped" has '^skipped: errors: errors is not there' script.log
check "carried programs are trusted by what they were made of" has '^ok    compile streams \(was there\)' script.log
check "managed pages are no copies without a call" has '^ok    all_kinds: .* 0 do not hold' script.log
check "the error of the start times is told" \
	has '^ +start after call, ns: least .*; < -50 us: 0, .*from 1 ms: ' script.log
check "OpenCL runs on the driver that is named" has "^ok    opencl: $GPU_OPENCL: [0-9]+ calls" script.log
check "the default is recorded before unified memory" \
	test "$(grep -oE '^ok    record (copies|managed):' script.log | head -n 1)" = "ok    record copies:"
: once bare, in two traced runs, and in each of seven that are measured
check "PyTorch is loaded where it is needed alone" test "$(grep -c . torch/loaded)" = 10
check "losses are told to 3 digits" \
	test "$(LD_LIBRARY_PATH=$stand_in/lib python3 "$root/tests/gpu/torch_step.py" | head -n 1)" = "loss 1.000"

# Results
"$root/scripts/test-gpu-report" --stand-in out >results.md
check "the document has each cost: best, median, mean, 99 %" \
	test "$(grep -c '^| bare | 900 | 1000 | 1100 | 5000 | 0 | 1.00 | 1 |$' results.md)" = 5
check "... PyTorch's, beside its own profiler" \
	test "$(grep -cE '^\| (bare|Kineto, C|with arg).* 1 \|$' results.md)" = 12
check "... the GPU, the driver, the steps" \
	test "$(grep -cE '^gputap stand-in GPU 0, driver .* \(CUDA 13.0\)|^- ok \*\*streams\*\*' results.md)" = 4
check "... and no folder of this machine" hasnt "$stand_in|$GPUTAP_BUILD" results.md
check "... and says which part was not run" has '^Not run\.$' results.md
check "figures of the stand-in are refused otherwise" hasnt . <("$root/scripts/test-gpu-report" out 2>/dev/null)
tar xf out/recordings.tar
check "recordings are small and packed" test "$(find recordings -name '*.gputap' -type f -size -2000k | wc -l)" = 12
said=$("$GPUTAP_BUILD/gputap" info --json recordings/streams.gputap 2>/dev/null)
check "they do not name this machine" \
	test "$(grep -c '"host":"gpu-machine".*"cwd":"/tmp"' <<<"$said"):$(grep -cF "$PWD" <<<"$said")" = 1:0
check "... they can be replayed" has "^10 vector_add|^10 add_one" \
	<(LD_LIBRARY_PATH=$stand_in/lib "$stand_in/replay" --list recordings/streams.gputap)

# What was done is not done again; what is too large is removed, and that is said.
GPU_MOST_BYTES=20000 gpu again.log -o out --part 3 --part 4 --seconds 600
check "a part goes on where it was" test "$(grep -cE '^ok    (costs|torch|torch costs) \(before\)' again.log)" = 3
check "a result that is too large is compressed" has '^compressed: recordings.tar$' again.log
check "... and removed when that is not enough" has '^removed: recordings.tar.gz, [0-9]+ bytes' again.log

# What is missing is named by its name, and nothing else is said to be missing.
without() { NVCC='' timeout 60 "$@" "$root/scripts/test-gpu" -o none >none.log 2>&1; echo "$?"; }
check "without a driver it is skipped, and says so" test "$(without env LD_LIBRARY_PATH=):$(tail -n 1 none.log)" = \
	"77:skipped: no GPU: libcuda.so.1: cannot open shared object file: No such file or directory"
check "... without a device" test "$(without env LD_LIBRARY_PATH="$stand_in/lib" FAKEGPU_FAULTS=no-device):$(tail -n 1 none.log)" = \
	"77:skipped: no GPU: cuInit answers 100"
mkdir -p bin modules/sqlite3
check "... without Python that is what is missing" test "$(without env PATH="$PWD/bin"):$(head -n 1 none.log)" = \
	"5:test-gpu: python3 is not here"
echo 'raise ImportError("libsqlite3.so.0: cannot open shared object file")' >modules/sqlite3/__init__.py
check "... without a module of it the module" \
	test "$(without env PYTHONPATH="$PWD/modules" LD_LIBRARY_PATH="$stand_in/lib"):$(grep -c 'has no module sqlite3: libsqlite3.so.0' none.log)" = 5:1
check "... a gputap that does not start" \
	test "$(mkdir -p broken; printf '#!/bin/sh\necho cannot >&2\nexit 3\n' >broken/gputap; chmod +x broken/gputap
		without env GPUTAP_BUILD=broken LD_LIBRARY_PATH="$stand_in/lib"):$(tail -n 1 none.log)" = \
	"5:test-gpu: $PWD/broken/gputap does not start: cannot"

# A relative folder is one of where it was named.
(GPUTAP_BUILD=build LD_LIBRARY_PATH=$stand_in/lib NVCC='' "$root/scripts/test-gpu" -o relative --part 2 --seconds 600 \
	--step counters --step copies --step 'record copies' >relative.log 2>&1)
check "a relative build folder is found" has '^part 2: 3 passed, 0 failed' relative.log
check "... and results lie where they were asked for" has '"step":"counters","status":"ok"' relative/part2.jsonl
check "a step that is not there is refused, and those that are named" \
	has "^test-gpu: no step of these parts is called D99; there are: .*, torch costs" <(gpu step.log -o none --part 4 --step D99; cat step.log)

# A signal ends it with what there is, and nothing of it runs on.
cp build/gpu/bin/streams streams.kept
printf '#!/bin/sh\necho $$ >%q/begun\nexec sleep 600\n' "$PWD" >build/gpu/bin/streams
LD_LIBRARY_PATH=$stand_in/lib NVCC='' GPUTAP_BUILD=build "$root/scripts/test-gpu" -o signal --part 2 --seconds 600 \
	--step vector_add --step streams >signal.log 2>&1 &
runner=$!
until [ -s begun ] || ! kill -0 $runner 2>/dev/null; do sleep 0.05; done
kill $runner
wait $runner
check "a signal ends it" test "$?:$(tail -n 1 signal.log)" = "143:stopped by SIGTERM; what was done is in $PWD/signal"
check "... with its results" has '"step":"vector_add","status":"ok"' signal/part2.jsonl
while kill -0 "$(cat begun)" 2>/dev/null; do sleep 0.05; done
check "... and the program" test -s begun

# A recording of a program that fails is none.
printf '#!/bin/sh\nexit 9\n' >build/gpu/bin/streams
GPU_STEPS=9 gpu fails.log -o none --part 2 --step streams --step "record streams" --step counters_graph --seconds 600
check "a program that fails is no recording" has '^FAIL  record streams: the program failed: status 9' fails.log
check "... and no counted one" has '^FAIL  streams: fails without the tool \(9\)' fails.log
cp streams.kept build/gpu/bin/streams

check "a part that is not there is refused" test "$("$root/scripts/test-gpu" --part 5 2>&1; echo $?)" = \
	"test-gpu: --part is 1, 2, 3 or 4, not '5'; scripts/test-gpu --help says more
2"

# It can fail: a program that says more than it did; a kill after which something is not there.
sed -i 's/kernels=$kernels/kernels=$((kernels + 1))/' build/gpu/bin/vector_add
LD_LIBRARY_PATH=$stand_in/lib build/gputap run -q -f -o wrong -- build/gpu/bin/vector_add >wrong.out 2>&1
export GPUTAP_BUILD=$PWD/build
python3 "$GPUTAP_TESTS/gpu/check.py" wrong.gputap wrong.out >wrong.log
check "a count that differs fails" test "$?:$(grep -c 'kernels: 1 in the trace, the program made 2' wrong.log)" = 1:1
python3 - "$root/tests/gpu" <<'X'
import sys
sys.path.insert(0, sys.argv[1])
import check, trace
names = ['__cudaLaunchKernel', 'cudaLaunchKernelExC', 'cuLaunchCooperativeKernel', 'cudaLaunchKernel_ptsz']
assert all(check.LAUNCHES.match(name) for name in names)
assert not any(check.LAUNCHES.match(name) for name in ['cudaGraphLaunch', 'cuGraphLaunch', 'cudaMemcpy'])
assert check.may_start(-50000) and not check.may_start(-50001)
said = trace.histogram([-60000, -1, 0, 7, 2000000])
assert said.startswith('< -50 us: 1, from -50 us: 0, from -10 us: 0, from -1 us: 1, from 0 ns: 2,'), said
X
check "launches of each CUDA count, and 50 us are the limit of a start before its call" test $? = 0
python3 - <<'X'
import struct
open('claims', 'wb').write(struct.pack('<3Q', 1, 5, 5))
X
python3 "$GPUTAP_TESTS/gpu/killed.py" wrong.gputap claims claims >killed.log
check "a kill fails that lost what was complete" \
	test "$?:$(grep -c 'of what was complete before, 0 of 5 calls and 0 of 5 kernels' killed.log)" = 1:1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
