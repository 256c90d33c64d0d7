#!/usr/bin/env bash
# tests/e2e/nvtx_schemas.sh - long schemas and enumerations of NVTX are whole, or what is cut of them is counted
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap

said() {
	"$gputap" run -f -t nvtx -o t -- "$GPUTAP_BUILD/tests/e2e/nvtx_schemas" "$1" "$2" >out 2>err
	grep -q "$3" err
}
check "long schemas: 900 entries, names of 1000 bytes" said 900 1000 'complete: yes'
check "long schemas: 1025 entries are too many" said 1025 10 'complete: no (2 arguments cut'
check "long schemas: a name of 1024 bytes is too long" said 2 1024 'complete: no (2 arguments cut'
check "long schemas: the program" [ "$(cat out)" = "two definitions" ]
finish
