#!/usr/bin/env bash
# tests/e2e/privacy.sh - docs/privacy.md says of the command line, paths, sources, the environment which outputs hold them
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors GPUTAP_DEPLOY=false PRIVATE_VARIABLE=private_value
[ -d "$OCL_ICD_VENDORS" ] || { echo "skipped: no stand-in runtime"; exit 77; }
mkdir private_folder private_bin
cp "$GPUTAP_BUILD/tests/e2e/cl_well" private_bin/app
(cd private_folder && timeout -k 5 60 "$tap" run -q -f --summary=none --env PRIVATE_VARIABLE -o ../t -- ../private_bin/app private_argument) >out
check "the program ran" grep -qx "done" out
check "every output holds what the page says, and no other output does" python3 "$GPUTAP_TESTS/e2e/privacy_check.py" "$tap" t.gputap \
	"$GPUTAP_TESTS/../docs/privacy.md" "the command line=private_argument" "path of the program=private_bin" "working directory=private_folder" \
	"environment variables=private_value" "sources of OpenCL programs=v * 0.5f + 1.0f" "build options=PRIVATE_OPTION"
(cd private_folder && timeout -k 5 60 "$tap" run -q -f --summary=none --no-args --sources=false -o ../t -- ../private_bin/app private_argument) >out
for format in atp apilog sqlite perfetto callgrind folded occupancy csv ncu-rep; do
	"$tap" export -q -f -e "$format" -o "without-$format" t
done
check "left out, the command line and sources are in none" eval '! grep -raqE "private_argument|v \* 0\.5f" without-* && ! "$tap" dump --json t | grep -q private_argument'
finish
