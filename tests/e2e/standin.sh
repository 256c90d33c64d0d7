#!/usr/bin/env bash
# tests/e2e/standin.sh - every fault of the stand-in runtime: a program sees no difference, the ledger says what happened
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap
here=$GPUTAP_TESTS/e2e
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset FAKECL_FAULTS FAKECL_PLATFORMS FAKECL_DEVICES

counter() { awk -v n="$2" '$1 == n {print $2}' "$1"; }
ledger() { python3 -c 'import json, sys; print(json.load(open("info.json"))["ledger"].get(sys.argv[1], 0))' "$1"; }
# What the runtime counted that an application, or the next user of the device, could notice.
visible() { grep -vE '^(queues_with_profiling|profiling_queries) ' "$1"; }

# same FAULTS PLATFORMS [ARG]: runs bare and traced
same() {
	local name="${1:-no fault}, $2 platforms"
	FAKECL_REPORT=bare.report FAKECL_FAULTS=$1 FAKECL_PLATFORMS=$2 bare standin "${@:3}"
	rm -rf t.gputap
	FAKECL_REPORT=traced.report FAKECL_FAULTS=$1 FAKECL_PLATFORMS=$2 LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=$PWD/t \
		"$GPUTAP_BUILD/tests/e2e/standin" "${@:3}" >traced.out 2>traced.err
	echo $? >traced.status
	# Late callbacks come from threads of their own: their order is nobody's.
	case $1 in late-callbacks*) sort -o bare.out bare.out; sort -o traced.out traced.out ;; esac
	check "$name: the program ran" grep -q '^end$' bare.out
	check "$name: the same output" diff bare.out traced.out
	check "$name: the same exit status" cmp -s bare.status traced.status
	check "$name: the runtime was left alike" diff <(visible bare.report) <(visible traced.report)
	check "$name: nothing unflushed was asked" [ "$(counter traced.report unflushed_queries)" = 0 ]
	"$gputap" info --json t.gputap >info.json 2>err || fail "$name: info: $(cat err)"
}
lost() { check "$1: the ledger says $2" [ "$(ledger "$2")" -gt 0 ]; }

same "" 7
lost "seven platforms" EXT_PLATFORMS
lost "an older command buffer" EXT_PROVISIONAL
"$gputap" dump --json t.gputap 2>/dev/null | grep '"type":"object"' >devices.json
python3 - <<'PY' || fail "one physical device is not one device"
import json

roots = [json.loads(line) for line in open("devices.json")]
roots = [d for d in roots if d["kind"] == "device" and d.get("name") and "parent" not in d]
places = {name: {d["device_index"] for d in roots if d["name"] == name} for name in {d["name"] for d in roots}}
assert len(roots) == 7 and len(places) == 2 and all(len(p) == 1 for p in places.values()), places
PY
pass "a device of several platforms, by its UUID, is one device"
same "" 1
for fault in profiling-refused profiling-late=2 profiling-late=100 profiling-zero profiling-untouched profiling-reversed profiling-glued \
	profiling-counts marker-queued-zero no-timers \
	map-fails enqueue-fails=3 command-fails=3 command-fails=2,enqueue-fails=5 no-function=clHostMemAllocINTEL no-function=clGetKernelSuggestedLocalWorkSizeKHR; do
	same "$fault" 7
	case $fault in
	profiling-refused) lost "$fault" QUEUE_UNPROFILED ;;
	profiling-late=100) lost "$fault" NO_PROFILING_INFO ;;
	profiling-zero) lost "$fault" TIME_ZERO ;;
	profiling-untouched) lost "$fault" TIME_UNTOUCHED ;;
	profiling-reversed) lost "$fault" TIME_REVERSED ;;
	profiling-glued | marker-queued-zero) lost "$fault" TIME_UNORDERED ;;
	profiling-counts) lost "$fault" TIME_IMPOSSIBLE ;;
	command-fails*) lost "$fault" FAILED_COMMAND ;;
	esac
done
same late-callbacks=20 1 late

# What is no time makes no row of device work: the call and the reason stay, and the ledger counts what has none.
no_times() {
	FAKECL_FAULTS=$1 "$gputap" run -q -f -o none -e sqlite -- "$GPUTAP_BUILD/tests/e2e/$2" "${@:4}" >/dev/null 2>&1
	"$gputap" info --json none.gputap >info.json 2>/dev/null
	check "$1: the ledger counts $3" [ "$(ledger "$3")" -gt 0 ]
	check "$1: the trace is not called complete" grep -q '^complete: no' <("$gputap" info none.gputap 2>/dev/null)
	check "$1: no device row, the work's rows have the reason" python3 "$here/no_times.py" none.sqlite "$(ledger "$3")" "$3"
}
no_times profiling-counts cl_commands TIME_IMPOSSIBLE
no_times profiling-zero cl_commands TIME_ZERO
no_times profiling-reversed cl_commands TIME_REVERSED
no_times failed-wait-zero cl_many TIME_ZERO failed 20
# Complete at the second question and not at the first: queues that are released at once lose no times for it.
FAKECL_FAULTS=profiling-late=3 FAKECL_PLATFORMS=1 "$gputap" run -q -f -o soon -- "$GPUTAP_BUILD/tests/e2e/cl_shared" reuse 20 >/dev/null 2>err
check "times that come a moment after completion are not given up" grep -q '^complete: yes' <("$gputap" info soon.gputap 2>/dev/null)

# Nothing is forced where nothing may be.
GPUTAP_DEVICE_TIMES=false same "" 7
check "without device times no queue gets profiling" [ "$(counter traced.report queues_with_profiling)" = "$(counter bare.report queues_with_profiling)" ]
bare standin
rm -rf t.gputap
GPUTAP_TRACE=none GPUTAP_OUTPUT=$PWD/t LD_PRELOAD=$GPUTAP_BUILD/libgputap.so "$GPUTAP_BUILD/tests/e2e/standin" >traced.out
check "-t none: the same output" diff bare.out traced.out
check "-t none leaves no trace" [ ! -e t.gputap ]

# Sizes that the program did not give: the suggested and the required one.
FAKECL_PLATFORMS=1 "$gputap" run -q -f -o sizes -e apilog -- "$GPUTAP_BUILD/tests/e2e/standin" >/dev/null 2>err
check "the suggested local size is written" grep -q 'Internally calculated.*(64,1)' sizes.apilog
FAKECL_PLATFORMS=1 "$gputap" run -q -f --ring --max-size=8M -o ring -e apilog -- "$GPUTAP_BUILD/tests/e2e/standin" >/dev/null 2>&1
said() { grep '^Internally' "$1" | sed 's/ID [0-9]*//'; }
check "... for each call ($(said sizes.apilog | wc -l))" [ "$(said sizes.apilog | wc -l)" -ge 10 ] && check "... alike" diff <(said sizes.apilog) <(said ring.apilog)
count_sizes() { python3 "$here/cl_records.py" "$1" "$GPUTAP_BUILD/gen/table.txt" | sed -n 's/^LOCAL_SIZE //p'; }
check "... and stands once in the trace, but in a ring with each call" [ $(($(count_sizes ring.gputap) - $(count_sizes sizes.gputap))) -ge 4 ]
check "the required local size is written" grep -q 'Internally calculated.*(8,4)' sizes.apilog

# Device times lie where the commands were, by the device's timer and by brackets alone.
for fault in "" no-timers; do
	export FAKECL_FAULTS=$fault
	"$gputap" run -q -f -o clocks -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >/dev/null 2>&1
	"$gputap" dump --json clocks.gputap >clocks.json 2>err
	"$gputap" info --json clocks.gputap >clocks.info
	check "device times are in place${fault:+, $fault}" python3 "$here/dump_check.py" clocks.json clocks.info
	clock=$([ "$fault" ] && echo calibrated || echo 'host timer')
	echo "clock: $(grep -o '"clock":"[^"]*","clock_error_ns":[0-9-]*' clocks.info) ($clock)"
done
# Commands that were queued behind their start say nothing of the device's clock.
FAKECL_FAULTS=profiling-glued,no-timers "$gputap" run -q -f -o clocks -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 1 >/dev/null 2>&1
check "queued times that cannot be calibrate no clock" grep -q '"clock":"pinned to the first call"' <("$gputap" info --json clocks.gputap)
finish
