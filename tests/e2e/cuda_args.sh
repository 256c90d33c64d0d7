#!/usr/bin/env bash
# tests/e2e/cuda_args.sh - arguments of CUDA calls (--cuda-args), from the stand-in CUDA machine to the outputs, with and without a toolkit
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
skipped=0
export XDG_CACHE_HOME=$PWD/cache

judge() { "$tap" dump --json t.gputap 2>/dev/null | python3 "$GPUTAP_TESTS/e2e/cuda_args_check.py" "$@"; }
said() { grep -q "$1" "${2-t.err}"; }
silent() { ! said "$1"; }
log_has() { "$tap" export -q -f -o t -e apilog t.gputap && grep -q "$1" t.apilog; }
status() { local want=$1; shift; "$@" >x.out 2>x.err; [ $? -eq "$want" ]; }
names_of() { "$tap" dump --json t.gputap 2>/dev/null | grep '"cuMemAlloc_v2"' | head -n 1 | grep -o '"args":{[^}]*}'; }

# ---- with the built-in table alone
export GPUTAP_CUDA_TOOLKIT=$PWD/nowhere
for program in vector_add streams graphs errors "storm 4 300"; do
	read -ra words <<<"$program"
	timeout 60 "$examples/${words[0]}" "${words[@]:1}" >bare.out
	traced --cuda-args -- "$examples/${words[0]}" "${words[@]:1}"
	check "${words[0]}: the program's own words are the same" cmp -s bare.out t.out
	check "${words[0]}: arguments are what the program passed" judge "${words[0]}" everywhere
	check "${words[0]}: nothing is missing" said "complete: yes"
done
check "a run says once why it has names for the common calls only" said "names for the common calls only.*no CUDA toolkit"
traced --cuda-args -- "$examples/vector_add"
check "the API log shows names, values and what was written" log_has 'cuMemAlloc_v2(CUdeviceptr\* dptr = [0-9A-F]*, size_t bytes = 4000) = CUDA_SUCCESS, \*dptr = [0-9A-F]*$'
check "... and texts" log_has 'name = "vector_add") = CUDA_SUCCESS'
cp t.gputap/cuda-args.zst whole.zst
lost() { "$tap" info t.gputap >info 2>&1; grep -q '^complete: no' info && grep -q "the table of CUDA's arguments is $1" info; }
rm t.gputap/cuda-args.zst
check "a trace whose table was lost is read by the reader's own" judge vector_add everywhere
check "... and says so" lost missing
echo damaged >t.gputap/cuda-args.zst
check "one whose table is damaged is read in the same way" judge vector_add everywhere
check "... and says so" lost damaged
python3 - <<'EOF'
data = bytearray(open("whole.zst", "rb").read())
data[len(data) // 2] ^= 4
open("t.gputap/cuda-args.zst", "wb").write(data)
EOF
check "... also where a single bit of it was changed" lost damaged
cp whole.zst t.gputap/cuda-args.zst
check "with its table it is complete" grep -q '^complete: yes' <("$tap" info t.gputap 2>&1)

# ---- asked for, or not
traced -- "$examples/vector_add"
check "without --cuda-args there are none" judge none
check "... and no table in the trace" test ! -e t.gputap/cuda-args.zst
traced --cuda-args --cuda-filter='*Memcpy*' -- "$examples/streams"
check "--cuda-filter leaves the others alone" judge only_copies
traced --cuda-args --start-after=3600s -- "$examples/vector_add"
check "before the window there are no calls, and nothing lost" said "complete: yes"
rm -rf t.gputap
GPUTAP_CUDA_ARGS=1 GPUTAP_OUTPUT=$PWD/t GPUTAP_TRACE=cuda LD_PRELOAD=$GPUTAP_BUILD/libgputap.so "$examples/vector_add" >t.out
check "a plain preload records arguments too" judge vector_add everywhere
traced --cuda-args -t cuda -- /bin/true
check "a program without CUDA leaves nothing" test ! -e t.gputap

# ---- killed inside a call
rm -rf t.gputap
FAKEGPU_FAULTS=slow-kernels=20000 timeout 60 "$tap" run --cuda-args -f -o t "$examples/streams" >t.out 2>t.err &
launcher=$!
for _ in $(seq 100); do
	"$tap" info t.gputap 2>/dev/null | grep -q "last inside cudaStreamSynchronize" && break
	sleep 0.1
done
kill -9 "$(basename t.gputap/*.1 .1)"
wait "$launcher" 2>/dev/null
waited_for=$("$tap" export -q -f -o t -e apilog t.gputap && grep -o 'cudaLaunchKernel(.*stream = [0-9A-F]*' t.apilog | tail -n 1 | grep -o '[0-9A-F]*$')
"$tap" info t.gputap >t.info
check "a thread that was killed inside a call tells the call and what it was given" said "last inside cudaStreamSynchronize(stream=$waited_for)" t.info
check "... and the driver's inside it" said "last inside cuStreamSynchronize(stream=$waited_for)" t.info

# ---- what the generator needs is missing
timeout=$(command -v timeout)
PATH=$PWD/nowhere "$timeout" 60 "$tap" run --cuda-args -f -o t "$examples/vector_add" >t.out 2>t.err
check "without python3 the built-in table serves, and the run says so" said "common calls only.*no python3"
check "... with the arguments there" judge vector_add everywhere
echo text >file
XDG_CACHE_HOME=$PWD/file/cache traced --cuda-args -- "$examples/vector_add"
check "without a folder for the cache too" judge vector_add everywhere

# ---- a table of the user's
check "--cuda-table must be one" status 125 "$tap" run -o x --cuda-args --cuda-table=file "$examples/vector_add"
check "... and says what is wrong" said "file is not a table of CUDA's arguments" x.err
check "... for export too" status 2 "$tap" export -f -o t -e apilog --cuda-table=file t.gputap
printf 'gputap-cuda-args\t1\nC\tD\t23\tcuModuleGetFunction\t24\t1\n' >small
printf 'P\tfn\tCUfunction*\tp\t0\t8\t-\th:8:-\t4\t1\nP\tmod\tCUmodule\th\t8\t8\t-\t-\t0\t1\nP\tname\tconst char*\ts\t16\t8\t-\t-\t3\t1\n' >>small
python3 - >small.capture <<'END'
import struct, sys
calls = b"\0" * 8 + b"".join(struct.pack("=HHHH", *((25, 0, 2, 0) if i == 23 else (0, 0, 0, 0))) for i in range(24))
copies = struct.pack("=HHHH", 0, 8, 4, 0) + struct.pack("=HHHH", 16, 0, 3, 0)
sys.stdout.buffer.write(struct.pack("=QIIIIII", 0x3143504143505447, 1, 32 + len(calls + copies), 1, 24, 2, 0) + calls + copies)
END
traced --cuda-args --cuda-table="$PWD/small" -- "$examples/vector_add"
check "--cuda-table replaces the built-in one: what it knows is recorded and named by it" log_has 'CUmodule mod = [0-9A-F]*, const char\* name = "vector_add"'
check "... and of the others the first words, which a table that knows them reads" judge first_words

# ---- with a toolkit
unset GPUTAP_CUDA_TOOLKIT
if traced --cuda-args -- "$examples/vector_add"; silent "common calls only"; then
	check "the toolkit's table is made once and kept" test "$(find cache -name 'cuda-args-*.capture' | wc -l)" = 1
	before=$(find cache -type f -printf '%p %T@\n' | sort)
	traced --cuda-args -- "$examples/vector_add"
	check "... the second run takes it" test "$before" = "$(find cache -type f -printf '%p %T@\n' | sort)"
	check "vector_add: the same values under the toolkit's names" judge vector_add everywhere
	check "... which are others" test "$(names_of | grep -c '"bytes"')" = 0
	for program in streams graphs errors "storm 4 300"; do
		read -ra words <<<"$program"
		traced --cuda-args -- "$examples/${words[0]}" "${words[@]:1}"
		check "${words[0]}: the same values under the toolkit's names" judge "${words[0]}" everywhere
	done
	traced --cuda-args -- "$examples/vector_add"
	mv cache away
	check "the trace has them: a machine without the toolkit reads them" test "$(GPUTAP_CUDA_TOOLKIT=$PWD/nowhere names_of | grep -c '"bytesize":"4000"')" = 1
	traced --cuda-args --pack -- "$examples/vector_add"
	check "... packed too" test "$(GPUTAP_CUDA_TOOLKIT=$PWD/nowhere names_of | grep -c '"bytesize":"4000"')" = 1
else
	echo "skipped: $(grep -o 'common calls only.*' t.err)"
	skipped=1
fi

[ "$skipped" -eq 0 ] || echo "skipped: the toolkit's table: no CUDA toolkit, or what its headers are read with"
finish
