#!/usr/bin/env bash
# tests/e2e/library_ranges.sh - -t cublas,cudnn,... records what NVIDIA's libraries say of themselves, and nothing else
#
# With the real libraries where a toolkit or wheels are installed: they can be called without a device, and answer with their errors.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
byhand=$GPUTAP_BUILD/tests/e2e/nvtx_byhand
. "$GPUTAP_TESTS/check_lib.sh"

verify() { python3 "$GPUTAP_TESTS/e2e/nvtx_check.py" "$@"; }
absent() { ! ls -d "$1"* >/dev/null 2>&1; }
unset NVTX_INJECTION64_PATH "${!CUBLAS@}" "${!CUDNN@}" "${!CUSPARSE@}" "${!CUSOLVER@}" "${!NCCL@}"

by_hand() { "$tap" run -q -f -t "$1" -o hand -- "$byhand" libraries >hand.out 2>hand.err && [ ! -s hand.out ]; }
check "a client with several domains runs under one library's name" by_hand cublas
check "... and only that library is in the trace" verify libraries hand.gputap cuBLAS
by_hand cudnn,cusparse
check "two libraries are two domains" verify libraries hand.gputap cuDNN CUSPARSE
by_hand nvtx,cublas
check "with nvtx every domain is recorded" verify libraries hand.gputap cuBLAS cuDNN CUSPARSE mine default
by_hand nvtx
check "... by itself too" verify libraries hand.gputap cuBLAS cuDNN CUSPARSE mine default
by_hand nccl
check "a library that says nothing leaves no image" absent hand.gputap/[0-9]
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_TRACE=cudnn GPUTAP_OUTPUT=preload "$byhand" libraries >/dev/null 2>&1
check "a plain preload does the same" verify libraries preload.gputap cuDNN

# shellcheck disable=SC2016
show='echo "$CUBLAS_NVTX_LEVEL $CUBLASLT_NVTX_LEVEL $CUBLASXT_NVTX_LEVEL $CUDNN_NVTX_LEVEL $CUSPARSE_NVTX_LEVEL $CUSOLVERDN_NVTX_LEVEL $NCCL_NVTX_DISABLE"'
levels() { "$tap" run -q -f -o levels "$@" -- sh -c "$show" 2>/dev/null; }
check "by default no library is asked for anything" test "$(levels)" = "      "
check "each name sets its own library's variables" test "$(levels -t cublas,cusolver)" = "2 2 2   2 "
check "... with other domains beside it" test "$(levels -t opencl,cudnn,cusparse,nccl)" = "   2 2  "
check "what the user set stays" test "$(CUBLAS_NVTX_LEVEL=0 CUDNN_NVTX_LEVEL=7 NCCL_NVTX_DISABLE=1 levels -t cublas,cudnn,nccl)" = "0 2 2 7   1"
check "none is none" test "$(levels -t none,cublas)" = "      "
preloaded() { LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_TRACE=$1 GPUTAP_OUTPUT=none sh -c "$show"; }
check "a plain preload sets them in the program's own environment" test "$(preloaded cusparse,cublas)" = "2 2 2  2  "
check "... not what the user set" test "$(CUBLASXT_NVTX_LEVEL=1 preloaded cublas)" = "2 2 1    "
check "... and nothing by default" test "$(preloaded opencl,cuda,nvtx)" = "      "

# The real libraries: of a toolkit, else of wheels.
places=(/usr/local/cuda*/lib64 /usr/lib/x86_64-linux-gnu)
while read -r dir; do places+=("$dir"/nvidia/*/lib); done < <(python3 -c 'import site; print(*site.getsitepackages(), sep="\n")' 2>/dev/null)
find_library() {
	local dir file
	for dir in "${places[@]}"; do
		for file in "$dir/$1".so.*[0-9]; do [ -e "$file" ] && { echo "$file"; return; }; done
	done
}
ranges() { "$tap" dump --json "$1" 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    r = json.loads(line)
    if r["type"] == "range":
        assert r["end_ns"] is not None and r["end_ns"] >= r["start_ns"], r
        print("%s:%s" % (r["domain_name"], r["text"]))'; }

real() {                                        # NAME LIBRARY RANGE...: under -t NAME the calls of the library have their ranges
	local name=$1 file range missing="" first status
	file=$(find_library "$2")
	if [ -z "$file" ]; then
		skip "no $2 here" 2
		return
	fi
	timeout 60 ./libraries "$file" >bare.out 2>bare.err
	first=$?
	timeout 60 "$tap" run -q -f -t "$name" -e sqlite -o real -- ./libraries "$file" >real.out 2>real.err
	status=$?
	check "$2 answers as without us" test "$first $(cat bare.out)" = "$status $(cat real.out)"
	ranges real.gputap >real.ranges
	for range in "${@:3}"; do grep -qx "$range" real.ranges || missing+=" $range"; done
	[ -z "$missing" ] || cat real.ranges
	check "... and its ranges are there" test -z "$missing"
}
rows() {                                        # TABLE LIBRARY: of the run before
	if [ -z "$(find_library "$2")" ]; then skipped=$((skipped + 1)); return; fi
	check "... as rows of $1" test "$(sqlite3 real.sqlite "SELECT count(*) > 0 AND min(end >= start) FROM $1")" = 1
}
if ${CC:-cc} -O1 -w -o libraries "$GPUTAP_TESTS/e2e/nvtx/libraries.c" -ldl; then
	real cublas libcublas cuBLAS:cublasCreate_v2 cuBLAS:cublasSgemm_v2
	rows CUBLAS_EVENTS libcublas
	real cublas libcublasLt cuBLAS:cublasLtCreate
	real cudnn libcudnn cuDNN:cudnnCreate
	rows CUDNN_EVENTS libcudnn
	real cusparse libcusparse CUSPARSE:cusparseCreate CUSPARSE:cusparseCreateMatDescr
	real cusolver libcusolver cusolverDn:cusolverDnCreate
	file=$(find_library libcublas)
	if [ -n "$file" ]; then
		timeout 60 "$tap" run -q -f -t cuda,nvtx -o off -- ./libraries "$file" >/dev/null 2>&1
		check "unasked, cuBLAS says nothing" test -z "$(ranges off.gputap 2>/dev/null | grep cuBLAS)"
	else
		skipped=$((skipped + 1))
	fi
fi
finish
