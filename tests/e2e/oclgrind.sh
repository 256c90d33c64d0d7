#!/usr/bin/env bash
# tests/e2e/oclgrind.sh - the simulator: another implementation, loaded as another preloaded library
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
here=$GPUTAP_TESTS/e2e
command -v oclgrind >/dev/null || { echo "skipped: no oclgrind"; exit 77; }
nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan && { echo "skipped: oclgrind and a sanitizer's build"; exit 77; }
timeout 20 oclgrind "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1 || { echo "skipped: oclgrind runs no program here"; exit 77; }

program=cl_commands
timeout 20 oclgrind "$GPUTAP_BUILD/tests/e2e/$program" >bare.out 2>bare.err; bare=$?
shim=$GPUTAP_BUILD/libgputap.so out=$PWD/t timeout 20 oclgrind sh -c 'LD_PRELOAD=$shim:$LD_PRELOAD GPUTAP_OUTPUT=$out exec "$@"' \
	run "$GPUTAP_BUILD/tests/e2e/$program" >traced.out 2>traced.err
check "$program: the same status" [ $? = $bare ]
check "$program: the same output" diff bare.out traced.out
check "$program: the same messages" diff bare.err traced.err
python3 "$here/cl_records.py" t.gputap "$GPUTAP_BUILD/gen/table.txt" >counts || fail "$program: $(tail -n 1 counts)"
check "$program: commands were seen" [ "$(count accepted)" -gt 0 ]
check "$program: each is timed or has a reason" [ $(($(count COMMAND) + $(count UNTIMED))) = "$(count accepted)" ]
timeout 60 "$GPUTAP_BUILD/gputap" run -o auto -- oclgrind "$GPUTAP_BUILD/tests/e2e/$program" >traced.out 2>traced.err
check "gputap run is before the simulator" [ -d auto.gputap ]
check "... the same output" diff bare.out traced.out
python3 "$here/cl_records.py" auto.gputap "$GPUTAP_BUILD/gen/table.txt" >counts || fail "audit: $(tail -n 1 counts)"
check "... commands were seen" [ "$(count accepted)" -gt 0 ]
finish
