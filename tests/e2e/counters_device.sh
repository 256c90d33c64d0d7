#!/usr/bin/env bash
# tests/e2e/counters_device.sh - counters of the whole device, which are in no image with others: alone, and in a run of their own
#
# On the stand-in machine, which refuses to plan them with others, as CUPTI does. A value there is of the metric's name and
# the launch's threads.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
cupti=$gpu/lib/libcupti.so.13
export GPUTAP_DEPLOY=false
context=sm__cycles_active.sum device=pcie__read_bytes.sum
many=$(printf 'ctc__part_%02d.sum,' {1..20} | sed 's/,$//')        # three passes
counted() { traced --summary=none --cupti "$cupti" "$@"; }
report() { timeout 60 "$tap" report --cupti "$cupti" --page raw --launch-count 0 "$@" t.gputap 2>said; }
answer() { python3 -c 'import sys; print(sum(map(ord, sys.argv[1])) + int(sys.argv[2]))' "$@"; }
# has METRIC THREADS: every launch has its value
has() { report --csv >rows; python3 - "$1" "$(answer "$1" "$2")" <<'END'
import csv, sys
have = {r.get(sys.argv[1], "").replace(",", "") for r in csv.DictReader(open("rows", encoding="utf-8")) if r["ID"]}
sys.exit(0 if have == {sys.argv[2]} else f"{have}")
END
}
na_because() { report --metrics "$1" | grep -q "$1.*N/A.*$2"; }
complete() { grep -q 'complete: yes' t.err; }
plan() { "$tap" plan --cupti "$cupti" --chip GH100 --metrics "$1" "${@:2}" --format csv >out 2>err; }
planned() { grep -q "^hardware counters$1" out && grep -q "runs of the program: $2\$" err; }

# Alone: in the program's own run, as any counter
plan "$device"
check "alone they take no run of their own" planned ' of the device,1,0,1,1,[0-9]*,kernel replay' 1
counted --metrics "$device" -- "$examples/vector_add"
check "the program runs as ever" status 0
check "what is counted is told" said 'GH100: 1 metric is counted in 1 pass of each kernel'
check "nothing is lost" complete
check "they have values" has "$device" 1024
counted --metrics "$many" -- "$examples/vector_add"
check "in several passes too" has ctc__part_20.sum 1024
counted --replay-mode=application --reruns --metrics "$many" -- "$examples/vector_add"
check "and in several runs" has ctc__part_20.sum 1024
counted --replay-mode=range --metrics "$device" -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges" profiler
check "ranges of the program have them" eval '[ "$("$tap" dump t.gputap | grep -c "^cuda counters")" -gt 0 ] && complete'
counted --metrics "$device" --reruns -- touch started
check "alone there is nothing to run again for" eval 'status 125 && [ ! -e started ]'

# Beside others
plan "$context,$device"
check "beside others they take a run more" planned ' of the device,1,0,1,1,[0-9]*,a run of its own' 2
counted --metrics "$context,$device" -- "$examples/vector_add"
check "without --reruns they are not counted, and it is said" said 'the whole device is not counted: it takes a run of the program of its own (--reruns): its metrics will be N/A'
check "the others are" has "$context" 1024
check "they are N/A" na_because "$device" 'needs hardware counters'
cat >again <<'END'
#!/bin/sh
echo "$$" >>runs
exec "$@"
END
chmod +x again
counted --reruns --metrics "$context,$device" -- ./again "$examples/vector_add"
check "with it a second run counts them" [ "$(wc -l <runs)" = 2 ]
check "which is told" said 'the whole device is counted in a run of its own'
check "the others have values" has "$context" 1024
check "and so have they" has "$device" 1024
check "nothing is lost there either" complete
"$tap" info t.gputap >out 2>&1
check "info names the run" grep -qx 'run 2     counters of the whole device of 1 launch' out
"$tap" export -q -f -e ncu-rep --cupti "$cupti" -o v t.gputap 2>said
check "a report file holds both" eval 'grep -qa "$context" v.ncu-rep && grep -qa "$device" v.ncu-rep'
counted --reruns -e csv --metrics "$context,$device" -- "$examples/vector_add"
check "and the .csv file" eval 'grep -q "$context" t.csv && grep -q "$device" t.csv'
counted --reruns --launch-count 0 --metrics "$context,$many" -- "$examples/storm" 3 20
check "each of sixty launches of three threads has both" eval 'has ctc__part_20.sum 128 && has "$context" 128'
check "and none is lost" eval '[ "$(grep -c storm rows)" = 60 ] && complete'
rm -f runs
counted --reruns --replay-mode=application --metrics "$(printf 'sm__part_%02d.sum,' {1..20})$device" -- ./again "$examples/vector_add"
check "behind the runs of several passes comes one" [ "$(wc -l <runs)" = 4 ]
check "for their values" has "$device" 1024
check "beside those" has sm__part_20.sum 1024
counted --reruns --metrics "$context,$device" -- "$examples/graphs"
report --csv >rows
check "graphs have them too" grep -qE '"graph",.*"[0-9,]+","[0-9,]+"$' rows
counted --replay-mode=app-range --reruns --metrics "$context,$device" -- "$GPUTAP_BUILD/tests/e2e/cuda_ranges" profiler
check "ranges beside others have none, and it is said" said 'the whole device is not counted: a range is counted into one image, and it takes its own'

# What goes wrong
cat >once <<'END'
#!/bin/sh
[ -e first ] || { touch first; exec "$@"; }
END
chmod +x once
counted --reruns --metrics "$context,$device" -- ./once "$examples/vector_add"
check "a launch that the later run did not make has none" na_because "$device" 'run 2 of the program, which counts the whole device, had no such launch'
check "the others are there" has "$context" 1024
check "a note says so" grep -q 'run 2 of the program did not make launch 1 .*: the counters of the whole device of that launch have no values' <("$tap" info t.gputap)
check "and the ledger" eval '! complete'
counted --reruns --metrics "$context,$device" -- "$examples/vector_add"
python3 - <<'END'
data = bytearray(open("t.gputap/passes", "rb").read())
data[-8] ^= 1
open("t.gputap/passes", "wb").write(data)
END
check "an image that was altered gives no value" na_because "$device" 'damaged'
finish
