#!/usr/bin/env bash
# tests/e2e/without.sh - each mend of docs/ledger.md is needed: what is true with it is not true without it
#
# Runs in build/switch, where GPUTAP_WITHOUT takes a mend out (common/plain/without.h). The switches named here are those in the code and
# those of the page: tests/unit/test_ledger.py. CUDA's are in without_cuda.sh.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/without_lib.sh
. "$GPUTAP_TESTS/e2e/without_lib.sh"

cc=${CC:-cc} ways=$GPUTAP_TESTS/e2e/ways opts="-O1 -w -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -Wl,--as-needed"
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
$cc $opts -o deny "$ways/deny.c" || exit 1
for name in processes many unload timed maps ends; do $cc $opts -o $name "$ways/$name.c" -lOpenCL -ldl -lpthread || exit 1; done
# Not optimized: how far a jump reaches over frames, and so whether the mend is needed, is the compiler's otherwise.
$cc $opts -O0 -fPIC -shared -o libjumper.so "$ways/jumper.c" -lOpenCL && $cc $opts -O0 -o jumps "$ways/jumps.c" "$PWD/libjumper.so" -lOpenCL -lpthread || exit 1
for name in "" -DFIRST_IN_MAIN; do
	$cc $opts $name -fPIC -shared -o "libearly$name.so" "$ways/early.c" -lOpenCL && $cc $opts -o "early$name" "$ways/early_main.c" "$PWD/libearly$name.so" || exit 1
done
cp "$shim" libgputap-copy.so
layer=$GPUTAP_BUILD/tests/witness/libwitness.so
P="LD_PRELOAD=$shim" L="OPENCL_LAYERS=$shim"
# shellcheck source=tests/e2e/layers_lib.sh
. "$GPUTAP_TESTS/e2e/layers_lib.sh"

# ------------------------------------------------- before and after the program's own code
early() { under "$P" -- ./early && calls 6; }
needed first-call-start "calls before our constructor are recorded" early
early_counted() { under "$P" GPUTAP_WITHOUT=first-call-start -- ./early && [ "$(count clGetPlatformIDs):$(count lost.EARLY_CALL)" = 4:2 ]; }
holds "what comes before the start is counted" early_counted
three_ways() { under "$P" "LD_AUDIT=$audit" "$L" -- ./early && calls 6; }
# glibc 2.36 does what the mend is for, 2.41 does not: a program without gputap says it of the one here.
if $cc $opts -DKEEPER -fPIC -shared -o libkeeper.so "$ways/wiped.c" && $cc $opts -DEARLY -fPIC -shared -o libwiped.so "$ways/wiped.c" &&
	$cc $opts -Wl,--no-as-needed -o wiped "$ways/wiped.c" "$PWD/libwiped.so" -ldl; then
	LD_PRELOAD=$PWD/libkeeper.so KEEPER=$PWD/libkeeper.so LD_AUDIT=$audit ./wiped; wiped=$?
else wiped=none; fi
if [ "$wiped" = 1 ]; then
needed audit-tls "calls before our constructor, with the audit module and as a layer: the program lives" three_ways
elif [ "$wiped" = 0 ]; then
	holds "calls before our constructor, with the audit module and as a layer: the program lives" three_ways
	skipped=$((skipped + 1)); echo "skipped: audit-tls: $(getconf GNU_LIBC_VERSION) leaves thread-local memory as it is"
else
	failed=$((failed + 1)); echo "FAILED: audit-tls: ways/wiped.c does not tell: $wiped"
fi
late() { under "$P" -- ./early-DFIRST_IN_MAIN && calls 4; }
needed late-calls "calls in static destructors are recorded" late
# ------------------------------------------------- calls that do not return
jumped() { under "$P" -- ./jumps jump && [ "$(count clGetPlatformInfo)" = 3 ]; }
needed who-calls "a call left by a jump hides no later one" jumped
# not_back WAY N: calls that are counted as left, or that a slot shows
not_back() { under "$P" -- ./jumps "$1" && [ $(($(count lost.LEFT_CALL) + $(count slot.clWaitForEvents))) = "$2" ]; }
needed left-calls "a call left by a jump is counted" not_back jump-higher 1
needed comes-back "a call that a handler leaves for another stack and comes back to is not counted" not_back fiber-below 0
in_destructor() { under "$P" -- "$e2e/cl_shared" destructor 7 && calls 8; }
needed callback-in-release "calls in a destructor that a release of ours calls are recorded" in_destructor
$cc $opts -I "$GPUTAP_TESTS/.." -o asked "$ways/asked.c" -lOpenCL -ldl || exit 1
asked() { under "$P" FAKECL_FAULTS=info-signals -- ./asked; [ $(($(recorded) + $(lost HANDLER_CALL))) = "$(cat err)" ]; }
needed among-ours "calls of a handler that comes while gputap asks are counted" asked
asked_marks() {
	under "$P" "NVTX_INJECTION64_PATH=$shim" FAKECL_FAULTS=info-signals -- ./asked marks
	[ $(($(count REC_NVTX_EVENT) + $(lost HANDLER_CALL))) = "$(cat err)" ]
}
needed marks-among-ours "marks of a handler that comes while gputap asks are counted" asked_marks
# ------------------------------------------------- no room in the trace
killed_without_place() { run -- ./many 3000 'rm -r t.gputap/[0-9]*; kill -9 $PPID'; [ "$(lost REMOVED)" = 1 ]; }
needed made-mark "a process whose folder is removed, and that is killed, is told of" killed_without_place
goes_on() { run -- "$e2e/cl_place" 1000 'run=rm t.gputap/*/0.str' 100000; [ "$(lost REMOVED)" = 1 ] && [ "$(recorded)" -gt 80000 ]; }
needed another-file "what comes behind a file that was removed is recorded in a new one" goes_on
without_trace() { run -- ./many 50 'rm -rf t.gputap'; grep -q 't.gputap was removed while the program ran' err; }
needed says-removed "a trace that was removed whole is told of" without_trace
few_files() {
	rm -rf t.gputap
	unshare -rm sh -c 'mount -t tmpfs -o nr_inodes=7 none few && "$@"; cp -r few/t.gputap .' sh "$gputap" run -o few/t --summary=none -- "$e2e/cl_place" 40 kill >out 2>err </dev/null
	[ $(($(lost NO_SPACE) + $(lost NO_STREAM))) = 40 ]
}
needed page-ahead "where no file can be made the number is right also of a process that is killed" few_files
moved_away() { rm -rf u.gputap; run -- ./many 50 'mv t.gputap u.gputap; mkdir t.gputap'; grep -q 't.gputap was moved while the program ran' err; }
needed says-moved "a trace that was moved is told of" moved_away
# the first process goes with the trace, or with `run`, and another one has its first call then, without and with a launcher
made_again() { under "$P" -- "$e2e/cl_place" 30 'run=rm -r t.gputap' fork=300 kill; [ "$(lost REMOVED):$(recorded)" = 1:300 ]; }
needed made-again "a trace that went and is made again lacks what it held" made_again
without_run() { under "$P" -- "$e2e/cl_place" 30 'run=rm -r t.gputap/run t.gputap/[0-9]*' fork=300 kill; [ "$(lost REMOVED):$(recorded)" = 1:300 ]; }
needed no-run "a trace without its own file lacks what that told" without_run
# A launcher would see it, too.
cut_run() { under "$P" -- "$e2e/cl_place" 30 'run=rm -r t.gputap/[0-9]*; truncate -s 80 t.gputap/run' fork=300 kill; [ "$(lost DAMAGED):$(recorded)" = 1:300 ]; }
needed run-begin "a trace whose own file was cut, so that it is still the run's, lacks what that told" cut_run
cut_behind() {
	run -- bash -c "$e2e/cl_place 30; rm -r t.gputap/*.1; until [ \$(grep -c ^clock= t.gputap/run) -gt 1 ]; do sleep 0.1; done
		truncate -s \$((10#\$(sed -n 's/^begin=\([0-9]*\) .*/\1/p' t.gputap/run))) t.gputap/run; $e2e/cl_place 300"
	! complete && [ "$(recorded)" = 300 ]
}
needed run-cut "a trace whose own file was cut behind its first lines lacks what that told" cut_behind
cut_at_once() {
	# shellcheck disable=SC2016      # what is cut is found when it is there
	run -- bash -c "$e2e/cl_place 30; rm -r t.gputap/*.1
		truncate -s \$((10#\$(sed -n 's/^begin=\([0-9]*\) .*/\1/p' t.gputap/run))) t.gputap/run; $e2e/cl_place 300"
	! complete && [ "$(recorded)" = 300 ]
}
needed told-in-page "... also before the launcher had looked at what that told" cut_at_once
drops_rights() { # where any user can reach it
	local place; place=$(mktemp -d /tmp/gputap-without-XXXXXX) && chmod 755 "$place" || return
	(cd "$place" && TMPDIR=$place/none run -- "$e2e/cl_place" uid=65534 100 && [ "$(recorded)" = 100 ]); local answer=$?
	rm -rf "$place"; return $answer
}
needed other-folder "a process that drops its privileges records in root's trace" drops_rights
needed in-place "a trace is made where nothing can be renamed" unit shim_places a_trace_is_made_where_nothing_can_be_renamed
no_samples() { rm -rf t.gputap; timeout 100 ./deny perf_event_open 1 "$gputap" run -f -o t -t sample,opencl --summary=none -- ./many 5 >out 2>err; grep -q 'no samples' err; }
needed says-no-samples "samples that are not permitted are told of" no_samples
$cc $opts -o small "$GPUTAP_TESTS/e2e/samples/small.c" || exit 1
small_stack() { run --sample=timer --sample-rate=1000 -t sample -- ./small; status 3; }
needed small-stack "a sample in a handler on a small stack ends no program" small_stack
killed_small() { run --sample=timer --sample-rate=1000 -t sample -- ./small now kill; [ "$(lost SAMPLES_LOST)" -gt 20 ]; }
needed samples-page "samples without room are counted in a process that records nothing else and is killed" killed_small
behind_all() { run -- "$e2e/cl_place" 100 thread=100 && rm t.gputap/*/1.str && ! complete; }
needed tally "a file of a stream that is removed behind everybody's last look is missed" behind_all
wiped_tail() { run -- "$e2e/cl_place" 700 kill; python3 "$GPUTAP_TESTS/e2e/removed_check.py" tail "$gputap" t.gputap >/dev/null; }
needed last-call "zeros over the last calls of a killed program are seen" wiped_tail
wiped_marks() { run -- "$e2e/nvtx_byhand" killed; python3 "$GPUTAP_TESTS/e2e/removed_check.py" tail "$gputap" t.gputap >/dev/null; }
needed last-record "zeros over the last marks of a killed program are seen" wiped_marks
mkdir away
came_back() {
	rm -rf away/t.gputap
	TMPDIR=$PWD/none timeout 60 "$gputap" run -o away/t -- sh -c 'mv away gone; exec ./many 3000 "mv gone away; sleep 0.05"' >out 2>err
	rm -rf t.gputap; mv away/t.gputap . && [ $(($(recorded) + $(lost NO_STREAM))) = 3000 ]
}
needed retried-mark "a place that was away for a while: each call is recorded or counted once" came_back
# With frames of at most 1 KiB that holds without the room, too: how much a first call takes is what tells.
least_stack() { run -- "$e2e/cl_place" small=500 && [ "$(recorded)" = 500 ]; }
if [ "$(getconf PTHREAD_STACK_MIN)" -le 16384 ]; then
	holds "the first call of a process in a thread with the least stack ends no program" least_stack
else
	skipped=$((skipped + 1)); echo "skipped: the least stack is a large one here"
fi
childs_first_call() {   # a process' stream is opened by it; the runtime's own first call, which takes more, is its parent's
	local bare traced
	bare=$("$e2e/stack_use" cl.platform cl.platform.child | sed -n 's/cl.platform.child //p') && run -- "$e2e/stack_use" cl.platform cl.platform.child || return
	traced=$(sed -n 's/cl.platform.child //p' out) && [ $((traced - bare)) -le 1024 ]
}
needed room "the first call of a process takes no more than 1 KiB of its thread's stack" childs_first_call
limited() { run -- bash -c 'ulimit -f 16; exec ./many 5000'; }
needed file-limit "a file limit ends no program" limited
no_descriptor() { run -- "$e2e/cl_place" files=3 300 && [ "$(lost NO_STREAM)" = 300 ]; }
needed mark-names "calls of a process that can open nothing are counted" no_descriptor
killed_unrecorded() { run -- "$e2e/cl_place" files=3 300 kill; [ "$(lost NO_STREAM)" = 300 ]; }
needed mark-counts "... also where it is killed" killed_unrecorded
gets_stream() {
	rm -f go
	run -- sh -c "$e2e/cl_place files=3 300 await=go files=64 50 & echo \$! >child; i=0; until [ -e t.gputap/mark.*.300 ] || [ \$i = 3000 ]; do i=\$((i + 1)); sleep 0.01; done"
	touch go
	for ((i = 0; i < 600; i++)); do kill -0 "$(cat child)" 2>/dev/null || break; sleep 0.1; done
	[ "$(recorded):$(($(lost NO_STREAM) + $(lost NO_SPACE)))" = 50:300 ]
}
needed taken-marks "calls of a child that gets a stream when the run is over count once" gets_stream
filtered_first() { run -- "$e2e/cl_place" filter 300 && [ "$(lost SECCOMP)" = 300 ]; }
needed lost-page "calls behind a filter that came before them are counted" filtered_first
mapfile -t threads < <(yes thread=3 | head -n 100)
no_call() { run --max-size=20k -- "$e2e/cl_place" thread=2000 "${threads[@]}"; [ $(($(recorded) + $(lost SIZE_CAP) + $(lost NO_SPACE))) = 2300 ]; }
needed details "records of threads without room are not counted as calls" no_call
plain_child() { mkdir -p jail; under "$P" -- "$e2e/cl_place" 10 "root=$PWD/jail" fork=200; [ $(($(lost NO_SPACE) + $(lost NO_STREAM))) = 200 ]; }
needed parents-page "calls of a forked child that can open nothing are counted without a launcher too" plain_child
shut_in() { mkdir -p jail; run -- "$e2e/cl_place" 10 "root=$PWD/jail" files=3 fork=200; [ $(($(lost NO_SPACE) + $(lost NO_STREAM))) = 200 ]; }
needed parents-page "... and with one, where the child can send it no message" shut_in
by_name() { under "$P" -- sh -c "$e2e/cl_place 7; $e2e/cl_place files=3 200"; [ "$(lost NO_STREAM)" = 200 ]; }
needed mark-names "a later process without a descriptor counts its calls, without a launcher" by_name
by_name_alone() { rm -rf t.gputap; setpriv --reuid=65534 --clear-groups true 2>/dev/null || setpriv() { shift 2; "$@"; }
	local at; at=$(mktemp -d /tmp/gputap-named-XXXXXX); chmod 777 "$at"
	env GPUTAP_OUTPUT="$at/t" "$P" setpriv --reuid=65534 --clear-groups sh -c "$e2e/cl_place 7; $e2e/cl_place files=3 200" >out 2>err
	mv "$at/t.gputap" . 2>/dev/null; rm -rf "$at"
	[ "$(lost NO_STREAM)" = 200 ]; }
needed run-by-name "... and finds the run's directory, which is no root's" by_name_alone
filtered_thread() { run -- "$e2e/cl_place" 5 filter thread=300 kill; [ "$(lost SECCOMP)" = 300 ]; }
needed shared-counts "calls of a thread without a stream are counted, whatever kills the program" filtered_thread
no_stream() { run --max-size=8k -- ./many 3000 'kill -9 $PPID'; [ "$(lost SIZE_CAP)" -ge 1500 ]; }
needed counts-page "calls without a stream are counted, whatever kills the program" no_stream
counter() { run -- "$e2e/cl_place" 50 counter 200 && [ "$(recorded)" = 250 ] && complete; }
needed counter-forbidden "a program that forbids the processor's counter lives, and its calls are recorded" counter
filtered() { under "$P" -- ./processes filter-prctl; }
needed seccomp "a seccomp filter does not end the program" filtered
# ------------------------------------------------- ways in
once() { under "$@" -- ./timed && [ "$(count REC_COMMAND):$(count clGetCommandQueueInfo):$(count clGetDeviceInfo)" = 3:1:0 ]; }
needed layer-aside "preloaded and as a layer: recorded once, with times" once "$P" "$L"
needed second-copy "another copy as a layer: recorded once, with times" once "$P" "OPENCL_LAYERS=$PWD/libgputap-copy.so"
closed_layer() { under "OPENCL_LAYERS=$layer:$shim" -- ./unload twice; }
needed layer-loader "a layer above another one, the loader closed: the program ends well" closed_layer
mapped() { under "$P" -- ./maps l libOpenCL.so.1 && [ ! -e t.gputap ]; }
needed never-called "a loader that is mapped and never called is no loss" mapped
$cc $opts -o host "$ways/host.c" -ldl && $cc $opts -fPIC -shared -o plugin.so "$ways/plugin.c" -lOpenCL || exit 1
killed_past_us() { under "$P" -- ./host "$1" "$PWD/plugin.so"; [ "$(count lost.LOADER_MISSED)" = 1 ]; }
needed early-look "a loader that is called past us, in a process that is killed, is counted" killed_past_us dk
needed early-look "... and one that was closed" killed_past_us dc
past_us() { under "$P" -- ./host d "$PWD/plugin.so"; [ "$(count lost.LOADER_MISSED)" = 1 ]; }
needed missed-loaders "a loader that is called past us is counted" past_us
if command -v oclgrind >/dev/null; then
	simulated() { rm -rf t.gputap; timeout 100 "$gputap" run -f -o t --summary=none -- oclgrind "$e2e/cl_commands" >out 2>err; [ "$(recorded)" -gt 0 ]; }
	needed child-environment "calls behind a library that the program preloads itself are recorded" simulated
else
	skipped=$((skipped + 1)); echo "skipped: child-environment: calls behind a library that the program preloads itself: no oclgrind"
fi
cleaned() { run -- sh -c "./many 5; env -i ./many 7 >/dev/null; ./many 5" && [ "$(lost CHILD_MISSED)" = 1 ]; }
needed unfollowed "an exec without LD_PRELOAD by an image that has recorded nothing is counted" cleaned
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\377\0%048d' 0 >other; chmod +x other
unreachable() { run -- ./other; grep -q 'other is a program for another kind of processor' err; }
needed look-at-target "a program that nothing can be preloaded into is named" unreachable
printf '.globl _start\n_start: nop\n' >elsewhere.s && $cc -nostdlib -pie -Wl,-dynamic-linker=/lib/ld-musl-other.so.1 -o elsewhere elsewhere.s || exit 1
unreachable_child() { run -- sh -c "./many 5; ./elsewhere; ./many 5" && [ "$(lost CHILD_UNREACHABLE)" = 1 ]; }
needed child-environment "a child that nothing can be preloaded into is counted" unreachable_child
plugged() { run -- env python3 -c "import ctypes, os; ctypes.CDLL('$PWD/plugin.so', mode=os.RTLD_DEEPBIND | os.RTLD_NOW).run()"; [ "$(recorded)" = 2 ]; }
if ldd --version 2>/dev/null | head -n 1 | awk '{exit !($NF >= 2.35)}'; then
	needed child-environment "a plug-in with RTLD_DEEPBIND in a Python below another program is recorded" plugged
fi
printf '__thread char room[3000] __attribute__((tls_model("initial-exec"))) = { 1 };\nint one(void); int one(void) { return room[1]; }\n' >room.c
printf 'int one(void); int main(void) { return one(); }\n' >roomy.c
$cc -fPIC -shared -o libroom.so room.c && $cc -o roomy roomy.c -L. -lroom "-Wl,-rpath,$PWD" || exit 1
roomy() { timeout 20 "$gputap" run -q -f -o t --audit=on -- ./roomy 2>err && timeout 20 "$gputap" run -q -f -o t --audit=on -- sh -c ./roomy 2>err; }
needed audit-room "a program whose libraries take 3000 bytes of static thread-local storage starts with the audit module" roomy
outlives() { # COMMAND...: asked while a child of the run has still calls to make
	rm -f go
	run -- sh -c "$e2e/cl_place 7 await=go 3 & echo \$! >child; i=0; until [ -e t.gputap/*/0.str ] || [ \$i = 3000 ]; do i=\$((i + 1)); sleep 0.01; done"
	"$@"; local answer=$?
	touch go
	for ((i = 0; i < 600; i++)); do kill -0 "$(cat child)" 2>/dev/null || break; sleep 0.1; done
	return $answer
}
packed_beside() {
	rm -rf t*.gputap hidden
	timeout 60 "$gputap" run -q --pack -o t -- sh -c "$e2e/cl_place hide 'run=touch hidden' 'run=i=0; until ls t.gputap.*.part >/dev/null 2>&1 || [ \$i = 2000 ]; do i=\$((i + 1)); done' 7 & echo \$! >child; exec $e2e/cl_place await=hidden 1000000" >out 2>err
	for ((i = 0; i < 600; i++)); do kill -0 "$(cat child)" 2>/dev/null || break; sleep 0.1; done
	[ "$(for t in t*.gputap; do "$gputap" info --json "$t"; done | python3 -c "import json, sys; print(sum(p['calls'] for line in sys.stdin for p in json.loads(line)['processes']))")" = 1000007 ]
	local answer=$?; rm -rf t*.gputap; return $answer
}
needed packed-beside "calls of a child that comes while the trace is packed are kept" packed_beside
$cc -O1 -fPIC -shared -D_GNU_SOURCE -o libmoment.so "$GPUTAP_TESTS/e2e/live/moment.c" -ldl || exit 1
packed_at_once() {
	rm -rf t*.gputap* moved "done" hidden
	LD_PRELOAD=$PWD/libmoment.so timeout 60 "$gputap" run -q --pack -o t -- sh -c "$e2e/cl_place hide 'run=touch hidden' await=moved 7 'run=touch done' & exec $e2e/cl_place await=hidden 100" >out 2>err
	[ -f t.gputap ]; local answer=$?; rm -rf t*.gputap; return $answer
}
needed packed-at-once "a child finds no name free that the trace is to have" packed_at_once
# A program that loads no library of ours, whatever its environment says: its dynamic linker does not find one of its own.
printf 'int one(void); int one(void) { return 1; }\n' >one.c; printf 'int one(void); int main(void) { return one(); }\n' >uses_one.c
$cc -fPIC -shared -o libone.so one.c && $cc -o uses_one uses_one.c -L. -lone && $cc $opts -o starter "$GPUTAP_TESTS/e2e/children/starter.c" -lOpenCL || exit 1
unheard() { run -- env STARTER_CALLS=1 ./starter s ./uses_one; [ "$(lost CHILD_MISSED)" = 1 ]; }
needed awaits "a program that does not get as far as our start is counted" unheard
# A child that has made no call when its program ends: its trace is the run's.
comes_later() {
	rm -rf t*.gputap; rm -f go
	timeout 60 "$gputap" run -q -o t -- sh -c "$e2e/cl_place await=go 7 & echo \$! >child" >out 2>err
	touch go
	for ((i = 0; i < 600; i++)); do kill -0 "$(cat child)" 2>/dev/null || break; sleep 0.1; done
	[ "$("$gputap" info --json t.gputap | python3 -c "import json, sys; i = json.load(sys.stdin); print(i['complete'], i['ledger'])")" = "True {}" ]
}
needed holders "a trace is not removed under a child that has still to make its first call" comes_later
still() { ! complete; }
gathered() { run --capture-output -- sh -c 'kill -9 $PPID'; [ "$(lost NOT_GATHERED)" = 2 ]; }
needed gathers "what a killed launcher did not come to store is counted" gathered
needed still-running "a trace that a child still writes is not complete" outlives still
# ends WAY COUNTER N: that many of the counter, whatever the status is
ends() { under "$P" -- ./ends "$1"; [ "$(count "$2")" = "$3" ]; }
needed spawn-cleans "a child by posix_spawn with a cleaned environment is counted" ends posix_spawn-clean lost.CHILD_MISSED 1
needed spawn-ahead "a child whose parent is killed while it is made is counted" ends posix_spawn-killed lost.CHILD_MISSED 1
spawned_uncalled() { run -- sh -c "./ends called; ./ends posix_spawn-killed uncalled"; [ "$(lost CHILD_MISSED)" = 1 ]; }
needed spawn-mark "... whose parent has recorded nothing" spawned_uncalled
cloned() { under "$P" -- ./ends clone; [ "$(echo t.gputap/[0-9]*.[0-9]* | wc -w)" = 2 ]; }
needed fork-word "a child that the C library does not tell of records as itself" cloned
needed leaves-by-syscall "an exec by syscall with a cleaned environment is counted" ends execve-syscall-clean lost.CHILD_MISSED 1
needed quick-end "what _exit ends is written to its end" ends _exit REC_EXIT 1
# ------------------------------------------------- device times of OpenCL
times() { FAKECL_FAULTS=$1 run -- "$e2e/cl_commands"; }
zero() { times profiling-zero && [ "$(lost TIME_ZERO)" -gt 0 ]; }
needed no-time "a driver's zeros are no times" zero
unordered() { times profiling-glued && [ "$(lost TIME_UNORDERED)" -gt 0 ]; }
needed unordered "times behind each other set no clock, and are counted" unordered
blocking() { FAKECL_FAULTS=write-late=5 run -- "$e2e/cl_queues" writes 20 && complete; }
needed wait-for-blocking "blocking writes that end behind their call have times" blocking
before_window() { run --start-after=100ms -- "$e2e/cl_queues" late 2000 && [ "$(timed)" -gt 1000 ]; }
needed queue-for-later "a queue made before the window: its commands have times" before_window
on_device() { run -- "$e2e/cl_queues" device 5 && ! "$gputap" info t.gputap | grep -q 'refused profiling'; }
needed device-queue "a queue of the device's own refused nothing" on_device
unloaded() { under "$P" FAKECL_FAULTS=write-late=10 -- ./unload flushed && [ "$(count REC_COMMAND)" = 1 ]; }
needed before-unload "commands complete before a dlclose have times" unloaded
left() { under "$P" FAKECL_FAULTS=write-late=10 -- ./unload left && [ "$(count REC_COMMAND)" = 1 ]; }
needed last-harvest "commands complete at the end have times" left
needed frame-guard "a call left on a stack that is unmapped since: the program lives" \
	unit shim_stream a_call_left_on_a_stack_that_went_harms_nothing
needed long-stream "a stream beyond what links tell goes on in another file" unit shim_places a_long_stream_goes_on_in_another_file
needed size-of-child "a child that is forked when the trace has its size records" unit shim_places a_child_of_a_full_parent_records
needed facts "facts that find no room are counted" unit shim_places facts_without_room_are_counted
needed elsewhere "a deleted working directory: recorded elsewhere" unit shim_places a_deleted_folder_s_trace_is_no_root_s

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
