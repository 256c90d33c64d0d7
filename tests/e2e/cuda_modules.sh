#!/usr/bin/env bash
# tests/e2e/cuda_modules.sh - the code of CUDA modules: recorded when it is asked for, whole, once, and never trusted
#
# The stand-in machine hands out a file of the test's (FAKEGPU_CUBIN) or an ELF file that it makes, spoils the code when its
# module is unloaded, and lies about place and size when it is told to.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
recorded() { traced --summary=none "$@" -- "$examples/vector_add"; "$tap" dump t.gputap >dump 2>/dev/null; }
complete() { grep -q 'complete: yes' t.err; }
modules() { [ "$(grep -c '^cuda module ' dump)" = "$1" ]; }
stored() { [ "$(grep -c '^module [0-9a-f]* [0-9]* bytes$' dump)" = "$1" ]; }
# code_is FILE: the stored code is this file; crc_of FILE: as the stand-in computes it
code_is() {
	"$tap" dump --json t.gputap 2>/dev/null | python3 -c '
import json, sys
codes = [bytes.fromhex(r["hex"]) for r in map(json.loads, sys.stdin) if r["type"] == "content" and r["kind"] == "module"]
sys.exit(codes != [open(sys.argv[1], "rb").read()])' "$1"
}
crc_of() {
	python3 -c '
import sys
crc = 0
for byte in open(sys.argv[1], "rb").read():
    crc = (crc * 31 + byte) % (1 << 64)
print("%#x" % crc)' "$1"
}

recorded
check "without --binaries a module is told" modules 1
check "... with its size and a hash" grep -qE '^cuda module [0-9]+ id=[0-9]+ context=1 loaded_ns=[0-9]+ unloaded_ns=[0-9]+ bytes=[0-9]{4} content=[0-9a-f]*[1-9a-f][0-9a-f]*$' dump
check "... and when it went" awk -F'[= ]' '/^cuda module / {for (i = 1; i < NF; i++) t[$i] = $(i + 1)} END {exit !(t["unloaded_ns"] > t["loaded_ns"])}' dump
check "... and its code is not stored" stored 0
check "nothing is lost" complete

recorded --binaries
check "with --binaries its code is stored, once" stored 1
check "nothing is lost then" complete
"$tap" dump --json t.gputap 2>/dev/null | python3 -c '
import json, sys
open("own", "wb").write(next(bytes.fromhex(r["hex"]) for r in map(json.loads, sys.stdin) if r["type"] == "content" and r["kind"] == "module"))'
check "it is the code as it was loaded, an ELF file for CUDA" grep -q 'NVIDIA CUDA\|<unknown>: 0xbe' <(readelf -h own 2>/dev/null)
check "... with the kernels" grep -q ' vector_add$' <(readelf -sW own 2>/dev/null)
check "its CRC is CUPTI's" grep -q "^cuda module .* cubin_crc=$(crc_of own)\$" dump
FAKEGPU_CUPTI_VERSION=28 recorded --binaries
check "a second run stores the same" code_is own
export FAKEGPU_CUBIN=$PWD/large
{ cat own; head -c 3000000 /dev/urandom; } >large
recorded --binaries
check "code of several MiB is stored whole" code_is large
unset FAKEGPU_CUBIN
"$tap" run -q -f -o u --pack --summary=none --binaries -- "$examples/vector_add" >/dev/null 2>&1
check "a packed trace holds it too" grep -q '^module ' <("$tap" dump u.gputap 2>/dev/null)
traced --summary=none --binaries -- "$examples/storm" 3 20
"$tap" dump t.gputap >dump 2>/dev/null
check "code that is loaded several times is stored once for each content" \
	[ "$(grep -c '^module ' dump)" = "$(grep '^cuda module' dump | sed 's/.*content=\([0-9a-f]*\).*/\1/' | sort -u | grep -c .)" ]
LD_LIBRARY_PATH=$gpu/v18:$gpu/lib recorded --binaries
check "a CUPTI of another version: the code is there" stored 1

# What cannot be had
FAKEGPU_FAULTS=cubin-bad-pointer recorded --binaries
check "code that lies where nothing is: the program runs on" status 0
check "... the module is told" modules 1
check "... that its code is missing is counted" said 'complete: no (1 content .* or modules left out'
check "... and a note says why" said 'the code of some modules is not in the trace: it cannot be read'
FAKEGPU_FAULTS=cubin-bad-pointer recorded
check "without --binaries that is no loss" complete
check "... and the program runs on" status 0
FAKEGPU_FAULTS=cubin-bad-size=1000000 recorded --binaries
check "code that ends before its size: the program runs on" status 0
check "... counted" said 'complete: no (1 content'
FAKEGPU_FAULTS=cubin-bad-size=-1 recorded --binaries
check "a size that cannot be: the program runs on" status 0
check "... a note says what is stored" said 'it is longer than 256 MiB'
FAKEGPU_FAULTS=cubin-bad-size=-1 recorded
check "... without --binaries too" status 0
recorded --binaries --max-contents=1K
check "code that --max-contents has no room for is counted" said 'complete: no (1 content .*--max-contents reached)'
check "... and the rest is there" modules 1

# Samples of the program counter are of instructions in it
traced --summary=none --cupti "$cupti" --metrics smsp__pcsamp_sample_count -- "$examples/vector_add"
"$tap" dump t.gputap >dump 2>/dev/null
check "where the program counter is sampled the code is stored" stored 1
check "samples name it by its CRC" grep -q "^cuda sample .* cubin_crc=$(crc_of own) " dump
traced --summary=none --cupti "$cupti" --reruns --metrics sm__cycles_active.avg,smsp__pcsamp_sample_count -- "$examples/vector_add"
"$tap" dump t.gputap >dump 2>/dev/null
check "... in a run of its own too" stored 1
traced --summary=none --cupti "$cupti" --binaries=false --metrics smsp__pcsamp_sample_count -- "$examples/vector_add"
"$tap" dump t.gputap >dump 2>/dev/null
check "--binaries=false leaves it out" stored 0
check "... and samples are there" grep -q '^cuda sample ' dump
# ... and by it they have lines
export FAKEGPU_SAMPLES=$PWD/taken FAKEGPU_SOURCE=$PWD/kernels.cu
all=smsp__pcsamp_sample_count
judge() { python3 "$GPUTAP_TESTS/e2e/pc_samples_check.py" "$@"; }
sampled() { rm -f taken; traced --summary=none --cupti "$cupti" --metrics "$all" "$@"; }
page() { timeout 60 "$tap" report --page source --metrics "$all" "$@" 2>said; }
seq -f 'line %g of the source' 40 >kernels.cu
sampled -- "$examples/vector_add"
page --csv --print-source source t.gputap >rows
check "the source page has the samples of each line" judge lines taken rows "$PWD/kernels.cu"
page t.gputap >text
check "... for people, with the lines" grep -qE '^ +13 +[0-9,]+ +line 13 of the source$' text
check "... and each instruction, by its place in the module" grep -qE '^ +0x[0-9a-f]+ +[0-9,]+ +\(kernels.cu:13\)$' text
"$tap" export -q -f -e ncu-rep --metrics "$all" -o v t.gputap
page --csv --print-source source v.ncu-rep >rows
check "a report file has them too, without the trace" judge lines taken rows "$PWD/kernels.cu"
check "... and says that it holds a source" grep -q '^holds .* 1 source$' <("$tap" info v.ncu-rep)
python3 - v.ncu-rep "$GPUTAP_TESTS/../python" own >by_hand 2>&1 <<'END'
import sys
sys.path.insert(0, sys.argv[2])
import ncu_report
action = ncu_report.load_report(sys.argv[1])[0][0]
begin = int(action["launch__function_pcs"].as_double())
place = action.source_info(begin + 64)
print(place.file_name(), place.line(), action.source_info(begin + 96), len(action._source().binary()))
END
check "ncu_report tells lines by address, in the module as it was loaded" \
	[ "$(cat by_hand)" = "$PWD/kernels.cu 14 None $("$tap" dump t.gputap 2>/dev/null | sed -n 's/^cuda module .* bytes=\([0-9]*\).*/\1/p')" ]
sampled --launch-count 0 -- "$examples/storm" 3 20
"$tap" export -q -f -e ncu-rep --launch-count 0 --metrics "$all" -o v t.gputap
check "sixty launches of one module: it is in the file once" grep -q '^holds .* 1 source$' <("$tap" info v.ncu-rep)
traced --summary=none --binaries -- "$examples/vector_add"
check "without samples the page has the kernel's lines" grep -q '(kernels.cu:12)' <(page t.gputap)
sampled --binaries=false -- "$examples/vector_add"
check "without the code instructions are told by their offset" grep -qE '^ +0x10 ' <(page t.gputap)
FAKEGPU_CUBIN=$PWD/kernels.cu
export FAKEGPU_CUBIN
traced --summary=none --binaries -- "$examples/vector_add"
check "code that is no ELF file: a page all the same" grep -q 'the report does not hold its source' <(page t.gputap)

# A module that the vendor's compiler made
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
if [ -n "$nvcc" ]; then
	cat >genuine.cu <<'END'
__device__ __noinline__ float helper(float x)
{
	return x * x + 1.0f;                            // ptx: fma.rn.f32
}

extern "C" __global__ void vector_add(float *a, int n)
{
	__shared__ float s[64];
	int i = blockIdx.x * blockDim.x + threadIdx.x;  // ptx: %ctaid.x
	s[threadIdx.x & 63] = a[i];                     // ptx: st.shared.f32
	__syncthreads();                                // ptx: bar.sync
	if (i < n)                                      // ptx: setp.ge.s32
		a[i] = helper(s[(threadIdx.x + 1) & 63]);   // ptx: ld.shared.f32
}
extern "C" __global__ void add_one(int *b) { *b += 1; }
END
	export FAKEGPU_CUBIN=$PWD/genuine.cubin
	if env -u LD_LIBRARY_PATH "$nvcc" -arch=sm_90 -lineinfo -cubin -o genuine.cubin "$PWD/genuine.cu" >made 2>&1; then
		sampled -- "$examples/vector_add"
		"$tap" dump t.gputap >dump 2>/dev/null
		check "nvcc's code is stored as it was made" code_is genuine.cubin
		"$tap" export -q -f -e ncu-rep --metrics "$all" -o v t.gputap
		check "... and each sample is of the line that its PTX was made of" judge genuine v.ncu-rep "$GPUTAP_TESTS/../python" "$PWD/genuine.cu"
		check "... on the page too" grep -qE '^ +11 +[0-9,]+ +__syncthreads' <(page t.gputap)
		if command -v nvdisasm >/dev/null || [ -x "${nvcc%/*}/nvdisasm" ]; then
			traced --summary=none --cupti "$gpu/lib/libcupti.so.13" --metrics sass__inst_executed_per_opcode -- "$examples/vector_add"
			PATH=${nvcc%/*}:$PATH "$tap" report --section InstructionStats t.gputap >opcodes 2>said
			check "... and the sums by opcode have the barrier, shared memory and the call that it was made to" \
				[ "$(grep -cE '^ +(BAR|LDS|STS|CALL|FFMA|EXIT) +[0-9,]+ \|#' opcodes)" = 6 ]
		else
			skip "nvdisasm is not installed: no opcodes of the vendor's compiler"
		fi
	else
		echo "skipped: nvcc makes nothing here: $(head -1 made)"
	fi
else
	echo "skipped: nvcc is not installed: no module of the vendor's compiler"
fi
finish
