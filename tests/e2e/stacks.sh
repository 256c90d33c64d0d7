#!/usr/bin/env bash
# tests/e2e/stacks.sh - --callstacks: which calls have their stack, that it is whole, and nothing where it is not asked for
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
tap=$GPUTAP_BUILD/gputap examples=$GPUTAP_BUILD/examples/cuda
if nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan; then echo "skipped: a sanitizer's shim cannot be preloaded"; exit 77; fi

see() { python3 "$GPUTAP_TESTS/e2e/stacks_check.py" "$@"; }
opened() {
	local files
	mapfile -t files < <(awk -F '\t' '/Stack Trace/ { on = 1 } on && NF == 4 { print $4 }' "$1" | sort -u)
	[ -z "${STACK_LINES-}" ] || { [ ${#files[@]} -gt 0 ] && (cd / && ls -- "${files[@]}"); }
}
refused() { "$tap" run "$@" /bin/true >x.out 2>&1; [ $? = 125 ]; }

# What reads debug information is no part of gputap: without it a frame has its module and function alone.
if ldconfig -p 2>/dev/null | grep -q 'libdw\.so\.1'; then export STACK_LINES=1; else echo "not here: libdw (libdw1), for files and lines"; fi

# ---- OpenCL, on the stand-in runtime
cl() { rm -rf t.gputap; "$tap" run -q -f -o t "$@" -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >t.out 2>t.err; }
if [ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ]; then
	export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
	cl --callstacks
	check "each call has a stack, of frames in the modules that it names" see t.gputap calls
	check "... that begins in the program, not in us" see t.gputap inner cl_commands
	check "... and leads to the thread's beginning" see t.gputap ends
	"$tap" export -q -f -o t -e atp,sqlite t.gputap
	check "SQLite has the chain of each call" see t.gputap sqlite t.sqlite
	check "what unwinding took is in the trace and in SQLite, one in 64" see t.gputap costs t.sqlite
	check ".atp says where each call was made, behind the times" see t.gputap atp "$(ls t*.atp)" ocl
	check "... as a strict reader takes it" python3 "$GPUTAP_TESTS/golden/atp_parse.py" t*.atp
	check "... with paths that can be opened from anywhere" opened t*.atp
	"$tap" stats -q -r callers --format csv t.gputap >callers.csv
	check "a report says who asked for device work" see t.gputap callers callers.csv copies
	"$tap" export -q -f -o t -e callgrind t.gputap
	check "a callgrind profile has the program's functions above its calls" grep -q "cfn=([0-9]*) copies" t.callgrind
	"$tap" export -q -f -o t -e perfetto t.gputap && python3 "$GPUTAP_TESTS/golden/perfetto_dump.py" t.pftrace >t.dump
	check "Perfetto shows who made each call" [ "$(grep -c 'begin call cl' t.dump)" = "$(grep -cE "begin call cl.* stack='.*main \\(cl_commands.c:[0-9]+\\)" t.dump)" ]
	"$tap" export -q -f -o off -e atp --atp-source=false t.gputap
	check "... unless it is not wanted" eval '! grep -q "Stack Trace" off*.atp'
	cl --callstacks=opencl --callstack-depth=2
	check "--callstack-depth cuts, and says so" see t.gputap depth 2
	cl --callstacks=opencl --callstack-min=20us
	check "--callstack-min leaves short calls out" see t.gputap long 20000
	cl --callstacks=cuda,nvtx
	check "a domain that is not named has none" see t.gputap none
	cl
	check "without the option there is no record of it" see t.gputap none
	cl --callstacks --ring --max-size=8M
	check "a ring keeps the stacks of its calls" see t.gputap calls
else
	echo "not here: the stand-in runtime"
fi

# ---- CUDA, on the stand-in machine
traced --callstacks=cuda -- "$examples/vector_add"
check "a CUDA call has its stack by a record without arguments" see t.gputap calls cuLaunchKernel
"$tap" export -q -f -o t -e atp,sqlite t.gputap
check "SQLite has the chain of each CUDA call" see t.gputap sqlite t.sqlite
check ".atp has a section for CUDA" see t.gputap atp "$(ls t*.atp)" cuda
"$tap" export -q -f -o h -e atp --atp-cuda=hsa t.gputap
check "... and for CUDA among HSA's" see t.gputap atp "$(ls h*.atp)" hsa
"$tap" stats -q -r callers --format csv t.gputap >callers.csv
check "a report says who launched a kernel, behind CUDA's own libraries" see t.gputap callers callers.csv main
"$tap" stats -q -r cuda_gpu_kern_sum --by=line --format csv t.gputap >lines.csv
"$tap" stats -q -r cuda_gpu_kern_sum --by=stack --format csv t.gputap >stacks.csv
check "sums of kernels by line name the same line" eval 'place=$(grep -v "\[CUDA" callers.csv | sed -nE "s/.*,main,([^,]*)$/main (\1)/p" | head -n 1); grep -qF ",$place," lines.csv && grep -qF "$place" stacks.csv'
check "... and the whole stack" grep -q " < .*main (" stacks.csv
check "... and no arguments" see t.gputap no_args
check "... and nothing is missing" said "complete: yes"
"$tap" export -q -f -o t -e callgrind t.gputap
check "a callgrind profile has the program's functions above CUDA's calls" \
	python3 "$GPUTAP_TESTS/e2e/stacks_check.py" t.gputap profile t.callgrind main cuLaunchKernel
"$tap" export -q -f -o t -e perfetto t.gputap && python3 "$GPUTAP_TESTS/golden/perfetto_dump.py" t.pftrace >t.dump
check "Perfetto shows who made each call of CUDA" [ "$(grep -c 'begin call cu' t.dump)" = "$(grep -c "begin call cu.* stack='" t.dump)" ]
traced --callstacks=cuda --cuda-args -- "$examples/vector_add"
check "with --cuda-args it has both" see t.gputap calls cuLaunchKernel
check "... and arguments" eval "! see t.gputap no_args"
traced --callstacks=opencl -- "$examples/vector_add"
check "not asked for, it has none" see t.gputap none
traced --callstacks=cuda -- "$examples/errors"
check "the call in which the runtime initialises the driver, and so loads gputap, has its stack too" see t.gputap calls cudaSetDevice_v3020
check "... as every other one" see t.gputap calls
traced --callstacks=cuda -- "$examples/storm" 4 300
check "few stacks serve many calls" see t.gputap few 400

# ---- NVTX
"$tap" run -q -f -o n --callstacks=nvtx -- "$GPUTAP_BUILD/tests/e2e/nvtx_byhand" >n.out 2>n.err
check "ranges and marks have the stack of their beginning" see n.gputap ranges
"$tap" stats -q --by=line -r nvtx_pushpop_sum --format csv n.gputap >lines.csv
wide=$(grep -n "wide" "$GPUTAP_TESTS/e2e/nvtx_byhand.c" | sed -n '$s/:.*//p')
check "... so a sum of ranges can be split by line" grep -q "^[^,]*,[^,]*,1,.*,use_core (nvtx_byhand.c:$wide),:wide\$" lines.csv
"$tap" run -q -f -o n --callstacks=opencl -- "$GPUTAP_BUILD/tests/e2e/nvtx_byhand" >n.out 2>n.err
check "... if it is asked for" see n.gputap no_ranges

# ---- the C library
if [ -e "$GPUTAP_BUILD/libgputap-osrt.so" ]; then
	"$tap" run -q -f -o o -t osrt --callstacks=osrt -- sh -c 'sleep 0.05; :' >o.out 2>o.err
	check "a long call of the C library has its stack" see o.gputap calls nanosleep
	"$tap" export -q -f -o o -e sqlite o.gputap
	chains="SELECT count(*) > 0 FROM OSRT_API a JOIN OSRT_CALLCHAINS c ON c.id = a.callchainId WHERE c.stackDepth = 0"
	check "... in OSRT_CALLCHAINS too" [ "$(python3 -c "import sqlite3; print(sqlite3.connect('o.sqlite').execute('$chains').fetchone()[0])")" = 1 ]
	"$tap" run -q -f -o o -t osrt --callstacks=osrt --osrt-backtrace-threshold=1h -- sh -c 'sleep 0.05; :' >o.out 2>o.err
	check "... from --osrt-backtrace-threshold on" see o.gputap none
fi

# ---- the option
check "an unknown domain is refused before the start" refused --callstacks=vulcan
check "a depth that is no number is refused" refused --callstack-depth=many
finish
