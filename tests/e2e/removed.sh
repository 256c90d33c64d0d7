#!/usr/bin/env bash
# tests/e2e/removed.sh - files of a trace that are removed, cut or wiped, whenever and by whomever: the ledger never says yes
#
# REMOVED_ROUNDS=N: how many runs of each program meet a loss at a random moment (default 12).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap e2e=$GPUTAP_BUILD/tests/e2e
rounds=${REMOVED_ROUNDS:-12} seed=${REMOVED_SEED:-$((RANDOM))}
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS CUDA_INJECTION64_PATH "${!FAKECL_@}" "${!FAKEGPU_@}"
passed=0 failed=0
check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }
run() { rm -rf t.gputap; (timeout 60 "$gputap" run -q -f -o t --summary=none "$@" >out 2>said </dev/null) 2>/dev/null; }
json() { "$gputap" info --json t.gputap | python3 -c "import json, sys; i = json.load(sys.stdin); print($1)"; }
ledger() { json "i['ledger'].get('$1', 0)"; }
calls() { json "sum(p['calls'] for p in i['processes'])"; }
look() { python3 "$GPUTAP_TESTS/e2e/removed_check.py" "$@"; }

# ---- behind everybody's last look
run -- "$e2e/cl_place" 100 thread=200
rm t.gputap/*/0.str
check "a stream's file is removed when all is over" [ "$(ledger REMOVED):$(calls)" = 1:200 ]
run -- "$e2e/cl_place" 100 thread=200
: >"$(echo t.gputap/*/0.str)"
check "... emptied" [ "$(ledger REMOVED):$(calls)" = 1:200 ]
run -- "$e2e/cl_place" 100 thread=200 'run=rm t.gputap/*/1.str; kill -9 $PPID'
check "... while the process is killed" [ "$(ledger REMOVED):$(calls)" = 1:100 ]
run -- "$e2e/cl_place" 100 thread=200 'run=rm t.gputap/*/1.str'
check "... and where the process itself tells of it, it counts once" [ "$(ledger REMOVED):$(calls)" = 1:100 ]
run -- "$e2e/cl_place" 100 thread=10 'run=rm t.gputap/*/0.str' 100000
rm t.gputap/*/2.str
check "... and the one in which it went on: two" [ "$(ledger REMOVED):$(calls)" = 2:10 ]
run --pack -- "$e2e/cl_place" 100 thread=200 'run=rm t.gputap/*/1.str; kill -9 $PPID'
check "... in a packed trace as well" [ "$(ledger REMOVED):$(calls)" = 1:100 ]
run -- "$e2e/cl_place" 100 thread=200; rm t.gputap/run
check "the run's own file" [ "$(ledger REMOVED):$(calls)" = 1:300 ]

# ---- moved as a whole: what lies in its place is another's
for other in : 'mkdir t.gputap' 'cp -r u.gputap t.gputap'; do
	rm -rf t.gputap u.gputap
	timeout 60 "$gputap" run -f -o t --summary=none -- sh -c "$e2e/cl_place 100; mv t.gputap u.gputap; $other; exit 3" >out 2>said </dev/null
	check "the trace is moved ($other): the status is the program's" [ $? = 3 ]
	check "... it is said, and not that it is complete" eval 'grep -q "t.gputap was moved while the program ran" said && ! grep -Eq "complete|no traced call" said'
	check "... what was moved is whole" [ "$("$gputap" info --json u.gputap | python3 -c 'import json, sys; i = json.load(sys.stdin); print(i["complete"], sum(p["calls"] for p in i["processes"]))')" = "$(echo True 100)" ]
	check "... and what lies there is left as it is" [ "$(ls t.gputap 2>/dev/null | wc -l)" = "$(case $other in cp*) ls u.gputap | wc -l ;; *) echo 0 ;; esac)" ]
done
rm -rf u.gputap

# ---- of a trace whose launcher has ended: what a killed child recorded goes, and another child has its first call then
ended() { for ((i = 0; i < 600; i++)); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.1; done; return 1; }
# outlived LOSS: the trace is t.gputap, or t-2.gputap where something else has the name
outlived() {
	rm -rf t*.gputap u.gputap
	timeout 60 "$gputap" run -q -o t --summary=none -- sh -c "
		$e2e/cl_place 30 await=go1 kill 2>/dev/null & echo \$! >first
		$e2e/cl_place await=go2 300 & echo \$! >second
		i=0; until [ -e t.gputap/*/0.str ] || [ \$i = 3000 ]; do i=\$((i + 1)); sleep 0.01; done" >out 2>said </dev/null
	touch go1; ended "$(cat first)" || return
	eval "$1"
	touch go2; ended "$(cat second)" || return
	rm go1 go2
}
for loss in 'rm -r t.gputap' 'mv t.gputap u.gputap' 'rm -r t.gputap/run t.gputap/*.1' ': >t.gputap/run; rm -r t.gputap/*.1'; do
	outlived "$loss"
	[ ! -e t-2.gputap ] || { rm -rf t.gputap; mv t-2.gputap t.gputap; }
	check "behind the launcher's end ($loss): it is told" [ "$(ledger REMOVED):$(calls)" = 1:300 ]
done
# Nobody saw how long it was: whose it is, and how long it is at least, stand in its first lines.
run -- sh -c "$e2e/cl_place 30; rm -r t.gputap/*.1; truncate -s 80 t.gputap/run; $e2e/cl_place 300"
check "\`run\` is cut behind the run's number, and others record then: DAMAGED" eval '[ "$(ledger DAMAGED)" -gt 0 ] && [ "$(calls)" = 300 ]'
GPUTAP_OUTPUT=$PWD/t LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_FORCE=1 "$e2e/cl_place" 30 'run=rm -r t.gputap/*.1; truncate -s 80 t.gputap/run' fork=300 kill 2>/dev/null
check "... without a launcher" [ "$(ledger DAMAGED):$(calls)" = 1:300 ]
run -- sh -c "$e2e/cl_place 30; rm -r t.gputap/*.1; truncate -s 80 t.gputap/run; i=0; while [ \$i -lt 100 ]; do i=\$((i + 1)); echo made=1.\$i; echo removed=1; done >>t.gputap/run; $e2e/cl_place 300"
check "... also where it has got longer again" [ "$(ledger DAMAGED):$(calls)" = 1:300 ]
# The launcher knows what it has written: the program waits for its next line, behind what the process told.
told() { echo "i=0; until [ \$(grep -c ^clock= t.gputap/run) -gt 1 ] || [ \$i = 600 ]; do i=\$((i + 1)); sleep 0.1; done; size=\$(stat -c %s t.gputap/run)"; }
cut="truncate -s \$((10#\$(sed -n 's/^begin=\([0-9]*\) .*/\1/p' t.gputap/run))) t.gputap/run"
run -- bash -c "$e2e/cl_place 30; $(told); rm -r t.gputap/*.1; $cut; $e2e/cl_place 300"
check "\`run\` is cut behind its first lines" [ "$(ledger DAMAGED):$(calls)" = 1:300 ]
run -- bash -c "$e2e/cl_place 30; $(told); rm -r t.gputap/*.1; $cut; until [ \$(stat -c %s t.gputap/run) -gt \$size ]; do echo arg=1; done >>t.gputap/run; $e2e/cl_place 300"
check "... also where it has got longer again" [ "$(ledger DAMAGED):$(calls)" = 1:300 ]
run --pack -- bash -c "$e2e/cl_place 30; $(told); rm -r t.gputap/*.1; $cut; $e2e/cl_place 300"
check "... in a packed trace" [ "$(ledger DAMAGED):$(calls)" = 1:300 ]
timeout 60 "$gputap" run -f -o t --summary=none -- bash -c "$e2e/cl_place 30; $(told); rm -r t.gputap/*.1; $cut" >out 2>said </dev/null
check "... and where nothing else is left, the launcher says so" grep -q "t.gputap/run was cut while the program ran: if calls were made, they are lost" said
run -- bash -c "$e2e/cl_place 30; env -i true; $cut"
check "... what a process without calls told in it since the launcher last looked" [ "$(ledger DAMAGED):$(calls)" = 1:30 ]
run -- bash -c "$e2e/cl_place 30; rm -r t.gputap/*.1; $cut; $e2e/cl_place 300"
check "... of a process' folder, which went too" [ "$(ledger DAMAGED):$(calls)" = 1:300 ]
outlived 'truncate -s 80 t.gputap/run; rm -r t.gputap/*.1'
check "... behind the launcher's end" [ "$(ledger DAMAGED):$(calls)" = 1:300 ]
outlived 'rm t.gputap/run'
check "... and of \`run\` alone" [ "$(ledger REMOVED):$(calls)" = 1:330 ]
outlived "mv t.gputap u.gputap; : >t.gputap"
check "... and a trace beside a file, as --pack leaves one, lacks nothing of its own" eval '"$gputap" info t-2.gputap | grep -q "^complete: yes"'
rm -rf t*.gputap u.gputap
GPUTAP_OUTPUT=$PWD/t LD_PRELOAD=$GPUTAP_BUILD/libgputap.so "$e2e/cl_place" 30 'run=rm -r t.gputap' fork=300 kill 2>/dev/null
check "without a launcher: a child does not find its parent's trace" [ "$(ledger REMOVED):$(calls)" = 1:300 ]

# ---- cut while the process has it mapped: the program ends at its next store there, or all calls are recorded
for bytes in 0 4096 8192 100000 1000000; do
	for first in 100 5000; do
		(ulimit -c 0; run -- "$e2e/cl_place" $first thread=50 "run=truncate -s $bytes t.gputap/*/0.str" 100000) 2>/dev/null
		check "a stream is cut to $bytes bytes behind call $first, while it is mapped" [ "$(json "i['complete']")" = "$([ "$(calls)" = $((first + 100050)) ] && echo True || echo False)" ]
	done
done

# ---- the launcher's own streams
run -t sample,sched -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; /bin/true'
streams=(t.gputap/*/2097152.str)
if [ ! -e "${streams[0]}" ]; then
	echo "skipped: a stream of samples: $(sed -n 's/^note=//p' t.gputap/run)"
else
	check "a stream of samples is there" [ "$(json "i['complete']")" = True ]
	cp -r t.gputap kept
	again() { rm -rf t.gputap; cp -r kept t.gputap; }
	rm "${streams[0]}"
	check "a stream of samples is removed" [ "$(ledger REMOVED)" = 1 ]
	again; : >"${streams[0]}"
	check "... emptied" [ "$(ledger REMOVED)" = 1 ]
	for bytes in 4096 4160; do
		again; truncate -s $bytes "${streams[0]}"
		check "... cut to $bytes bytes" [ "$(ledger TRUNCATED)" = 1 ]
	done
	again
	check "... its last records are zeros" python3 - "${streams[0]}" <<-'PY'
		import sys
		data = open(sys.argv[1], "rb").read()
		end = len(data.rstrip(b"\0")) // 8 * 8 + 8
		with open(sys.argv[1], "r+b") as f:
		    f.seek(end - 400)
		    f.write(bytes(400))
	PY
	check "... and the ledger says so" [ "$(json "i['complete']"):$(ledger DAMAGED)" = False:1 ]
	again; rm "${streams[@]}"
	check "... all of them" [ "$(ledger REMOVED)" = ${#streams[@]} ]
	again; rm -r "${streams[0]%/*}"
	check "... with their image's folder" [ "$(ledger REMOVED)" -ge 1 ]
	rm -rf kept
fi

# ---- each file of a trace, in each way
run -- "$e2e/cl_place" 30000 thread=3000 thread=500
check "OpenCL, a long stream" look every "$gputap" t.gputap
run -- "$e2e/cl_commands"
check "OpenCL, commands and contents" look every "$gputap" t.gputap
run -- sh -c "$e2e/cl_place 10; $e2e/cl_place 10 & wait"
check "OpenCL, two processes" look every "$gputap" t.gputap
run -- "$e2e/cuda_ends" return
check "CUDA" look every "$gputap" t.gputap

# ---- zeros over the end of what a killed program wrote
for calls in 10 700 30000; do
	run -- "$e2e/cl_place" thread=$calls $calls kill
	check "zeros over the last of $calls calls of a killed program" look tail "$gputap" t.gputap
done

run -- "$e2e/nvtx_byhand" killed
check "zeros over the last marks of a killed program" look tail "$gputap" t.gputap
run -- "$e2e/cl_names" kill
check "zeros over the last words on threads" look tail "$gputap" t.gputap

# ---- a random file at a random moment
check "CUDA at random" look random "$gputap" "$seed" "$rounds" 27 "$e2e/cuda_ends" return
check "OpenCL at random" look random "$gputap" "$seed" "$rounds" 63000 "$e2e/cl_place" 60000 thread=3000
check "OpenCL at random, two processes" look random "$gputap" "$seed" "$rounds" 20000 sh -c "$e2e/cl_place 10000 & $e2e/cl_place 10000; wait"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
