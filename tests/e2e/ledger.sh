#!/usr/bin/env bash
# tests/e2e/ledger.sh - ways to lose calls (docs/ledger.md): what was not recorded is counted, and the launcher says why
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
bin=$GPUTAP_BUILD/tests/ways
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS LD_PRELOAD LD_AUDIT OPENCL_LAYERS
passed=0 failed=0 skipped=0
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
mkdir -p "$bin"
"${CC:-cc}" -O1 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -o "$bin/many" "$GPUTAP_TESTS/e2e/ways/many.c" -lOpenCL || exit 1

check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }
# run ARGUMENT...: the launcher; what it says lies in `said`
run() { rm -rf ./*.gputap; "$gputap" run "$@" >out 2>said; echo $? >status; }
says() { grep -q -- "$1" said || { cat said; return 1; }; }
# ledger TRACE REASON: its number
ledger() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(i['ledger'].get('$2', 0))"; }
calls() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(sum(p['calls'] for p in i['processes']))"; }

# ---- no room for a stream: the true count
run --max-size=8k -o t -- "$bin/many" 5000
check "a size limit below one stream: every call is counted" [ "$(ledger t.gputap SIZE_CAP)" = 5000 ]
run --max-size=8k -o t -- sh -c "$bin/many 5000 & $bin/many 300; wait"
check "... of every process" [ "$(ledger t.gputap SIZE_CAP)" = 5300 ]
run --max-size=8k -o t -- sh -c "$bin/many 5000 'kill -9 \$PPID'; true"
check "... and after a kill" [ "$(ledger t.gputap SIZE_CAP)" -ge 2500 ]

# Commands whose device records find no room: each is counted once, as a command without times, and as no lost call.
if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	full() { env -u OCL_ICD_VENDORS POCL_DEVICES=basic "$gputap" run -q --summary=none "$@" -- "$GPUTAP_BUILD/tests/e2e/cl_full" 3000 >out 2>said; }
	rm -rf ./*.gputap; full -o all; full --max-size=600k -o t
	check "device records without room are no lost calls" [ $(($(calls t.gputap) + $(ledger t.gputap SIZE_CAP))) = "$(calls all.gputap)" ]
	check "... and each command without one is counted" [ "$(ledger t.gputap UNMATCHED_CALL)" -gt 0 ]
else
	echo "skipped: device records without room: no OpenCL platform"; skipped=$((skipped + 1))
fi

# A file system of a few pages: whatever there is room for, calls in the trace and calls in the ledger are all of them.
small() { unshare -rm sh -c 'mount -t tmpfs -o size=$1 none small && shift && "$@" && cp -r small/t.gputap .' sh "$@" >out 2>said; }
mkdir small
if unshare -rm mount -t tmpfs none small 2>/dev/null; then
	for size in 24k 32k 36k 48k 64k 128k; do
		rm -rf t.gputap
		small $size "$gputap" run -o small/t -- "$bin/many" 5000
		check "a file system of $size: recorded and counted calls are 5000" \
			[ $(($(calls t.gputap) + $(ledger t.gputap NO_SPACE) + $(ledger t.gputap NO_STREAM))) = 5000 ]
	done
else
	echo "skipped: file systems of a few pages: no right to mount one"; skipped=$((skipped + 1))
fi

# ---- why there is no trace, in one true sentence
run -o t -- true
check "a program without calls" says '^gputap: no traced call was made: no trace$'
run -o t -- env -i "OCL_ICD_VENDORS=$OCL_ICD_VENDORS" "$bin/many" 1000
check "a cleaned environment: its program and the remedy are named" says "before $bin/many was started with an environment without LD_PRELOAD"
run -o t -- sh -c "$bin/many 5; env -i $bin/many 7 >/dev/null; $bin/many 5"
check "... beside images that record: counted" [ "$(ledger t.gputap CHILD_MISSED)" = 1 ]
run -o t -- "$bin/many" 5000 'rm -rf t.gputap'
check "the trace's directory was removed" says 't.gputap was removed while the program ran'
echo 'int main(void) { return 3; }' >static.c
if "${CC:-cc}" -static -o static static.c 2>/dev/null; then
	run -o t -- ./static
	check "a static program" says './static is statically linked'
	check "... keeps its status" [ "$(cat status)" = 3 ]
else
	echo "skipped: a static program: no static C library"; skipped=$((skipped + 1))
fi
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\064\0\0\0\0\0\0\0\0\0\0\0\064\0\040\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\200\4\10\0\200\4\10\140\0\0\0\140\0\0\0\5\0\0\0\0\020\0\0\061\300\100\261\5\211\313\315\200\0\0' >small32
chmod +x small32
if ./small32 2>/dev/null; [ $? = 5 ]; then
	run -o t -- ./small32
	check "a 32-bit program" says './small32 is a 32-bit program'
else
	echo "skipped: a 32-bit program: this kernel runs none"; skipped=$((skipped + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
