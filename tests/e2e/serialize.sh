#!/usr/bin/env bash
# tests/e2e/serialize.sh - --serialize: a command is over when its call returns, but for one that the program holds back itself
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
tap=$GPUTAP_BUILD/gputap programs=$GPUTAP_BUILD/tests/e2e
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset GPUTAP_SERIALIZE
# gated OPTION...: kernels behind a user event that the same thread sets later
gated() {
	"$programs/cl_gate" >bare.out 2>bare.err
	timeout -k 5 60 "$tap" run -q -f -o gate --summary=none --serialize "$@" -- "$programs/cl_gate" >traced.out 2>traced.err
	check "${*:-with times}: a program whose kernels wait for its own event ends" [ $? -eq 0 ]
	check "... and prints the same" cmp -s bare.out traced.out
	check "... and it is said that it was not waited for" grep -q 'a command waits for what the program does later' <("$tap" info gate.gputap)
}
gated
check "each of its kernels has its times" [ "$("$tap" info --json gate.gputap | python3 -c 'import json, sys; print(json.load(sys.stdin)["complete"])')" = True ]
gated --device-times=false

# What stands behind an event that is not set, through other commands and queues too, is not waited for; everything else is.
cat >held.want <<-END
	before it, in the same queue over
	behind it later
	next in that queue later
	in another queue, behind what is behind it later
	next in the other queue later
	in a third queue, behind two of these later
	in the same queue when it is set over
	behind one that is set, another one is not over
	behind the other later
	beside it over
	out of order: behind it later
	out of order: beside it over
	out of order: marker behind all later
	out of order: beside the marker over
	out of order: barrier later
	out of order: behind the barrier later
	out of order: behind clEnqueueWaitForEvents later
	out of order: when it is set over
END
held() { # NAME OPTION...
	local name=$1
	shift
	timeout -k 5 60 "$tap" run -q -f -o t --summary=none "$@" -- "$programs/cl_held" >held.out 2>held.err
	check "$name: what stands behind an event that is not set, and nothing else, is not waited for" diff held.want held.out
}
held "--serialize" --serialize
held "--serialize without times" --serialize --device-times=false
# A second for each would be more than these have.
for option in serialize cpu-counters; do
	timeout -k 5 60 "$tap" run -q -f -o t --summary=none "--$option" -- "$programs/cl_held" many >many.out 2>many.err
	check "--$option: a hundred commands behind events of the program's own cost no second each" [ $? -eq 0 ]
	check "--$option: ... a line says so" grep -q -- "--$option: a command waits for what the program does later" <("$tap" info t.gputap)
done

# late OPTION...: has it commands; do some end behind the start of their thread's next call?
late() {
	"$tap" run -q -f -o t --summary=none "$@" -- "$programs/cl_commands" >/dev/null 2>&1
	"$tap" export -q -f -e sqlite -o s t.gputap && python3 - <<-'X'
		import sqlite3
		db = sqlite3.connect("s.sqlite")
		calls = list(db.execute("SELECT globalTid, start, correlationId FROM OPENCL_API WHERE eventClass != -1 ORDER BY globalTid, start"))
		then = {a[2]: b[1] for a, b in zip(calls, calls[1:]) if a[0] == b[0]}
		work = list(db.execute("SELECT correlationId, end FROM OPENCL_WORKLOAD WHERE end IS NOT NULL"))
		print(len(work) > 10, any(c in then and end > then[c] for c, end in work))
	X
}
check "without the option commands end behind the next call's start" [ "$(late)" = "True True" ]
check "with it none does" [ "$(late --serialize)" = "True False" ]
finish
