# tests/e2e/without_lib.sh - what is true with a mend of docs/ledger.md is not true without it: sourced
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
set -u
product=$GPUTAP_BUILD
export GPUTAP_BUILD=$product/switch
[ -e "$GPUTAP_BUILD/libgputap.so" ] || { echo "skipped: $GPUTAP_BUILD is not built"; exit 77; }
nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan && { echo "skipped: a library with sanitizers cannot be preloaded"; exit 77; }
gputap=$GPUTAP_BUILD/gputap shim=$GPUTAP_BUILD/libgputap.so audit=$GPUTAP_BUILD/libgputap-audit.so gpu=$GPUTAP_BUILD/tests/fakegpu
e2e=$GPUTAP_BUILD/tests/e2e ends=$e2e/cuda_ends
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS GPUTAP_WITHOUT CUDA_INJECTION64_PATH "${!FAKECL_@}" "${!FAKEGPU_@}"
ulimit -c 0
passed=0 failed=0 skipped=0

# needed SWITCH "what the mend makes true" COMMAND...
needed() {
	local switch=$1 what=$2 lack='' no_filters="no filter of system calls can be set here"
	shift 2
	case " ${ONLY-$switch} " in *" $switch "*) ;; *) return ;; esac
	case $switch in
	parents-page) [ "$(id -u)" = 0 ] || lack="not root" ;;
	other-folder) other_user || lack="not root, or no setpriv" ;;
	in-place) unit shim_places a_trace_is_made_where_nothing_can_be_renamed && ! grep -q '^skipped' out || lack=$no_filters ;;
	page-ahead) mkdir -p few; unshare -rm mount -t tmpfs none few 2>/dev/null || lack="no right to mount a file system" ;;
	facts | lost-page | says-no-samples | seccomp | shared-counts) filters || lack=$no_filters ;;
	counter-forbidden) "$e2e/cl_place" 10 counter 10 2>/dev/null || lack="the counter cannot be forbidden here" ;;
	audit-tls | layer-aside | second-copy | layer-loader) has_layers || lack="the OpenCL loader here takes no layers" ;;
	fork-word) wipes || lack="no memory is wiped in a forked child here" ;;
	who-calls) [ "$(uname -m)" = x86_64 ] || lack="what that jump leaves looks like a call in frames of x86-64 alone" ;;
	small-stack | samples-page | spawn-ahead | spawn-mark) [ -z "${EMULATED-}" ] || lack="an emulator's timers and spawns are others" ;;
	esac
	if [ -n "$lack" ]; then skipped=$((skipped + 1)); echo "skipped: $switch: $lack"; return; fi
	# beside: another mend, which does the same here and is out in both
	export GPUTAP_WITHOUT=${beside-}
	if ("$@") 2>/dev/null; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $switch: $what"; unset GPUTAP_WITHOUT; return; fi
	export GPUTAP_WITHOUT=$switch${beside:+,$beside}
	if ("$@") 2>/dev/null; then failed=$((failed + 1)); echo "FAILED: $switch: without it as well: $what"; else passed=$((passed + 1)); fi
	unset GPUTAP_WITHOUT
}

holds() { if ("${@:2}"); then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi; }

other_user() { [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups true 2>/dev/null; }
filters() { "$e2e/cl_place" filter 2>/dev/null; }
# MADV_WIPEONFORK, which an emulator may accept and not do
wipes() {
	python3 -c 'import mmap, os
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
page.madvise(18)
page[0] = 1
child = os.fork()
if not child: os._exit(page[0])
raise SystemExit(os.waitpid(child, 0)[1] != 0)'
}
# unit PROGRAM TEST: one test of it
unit() { "$GPUTAP_BUILD/$1" >out 2>&1; grep -q "OK \] $2\$" out; }

# under VARIABLE=VALUE... -- PROGRAM...: into t.gputap, its words into out; its status
under() {
	local vars=()
	while [ "$1" != -- ]; do vars+=("$1"); shift; done
	shift
	rm -rf t.gputap
	(timeout -k 1 100 env "GPUTAP_OUTPUT=$PWD/t" "${vars[@]}" "$@" >out 2>err </dev/null) 2>/dev/null
}
run() { rm -rf t.gputap; timeout -k 1 100 "$gputap" run -f -o t --summary=none "$@" >out 2>err </dev/null; }
count() { python3 "$GPUTAP_TESTS/e2e/count_records.py" t.gputap "$GPUTAP_BUILD/gen/ids.h" | awk -v n="$1" '$1 == n {c = $2} END {print c + 0}'; }
status() { [ $? = "$1" ]; }
complete() { "$gputap" info t.gputap 2>/dev/null | grep -q '^complete: yes'; }
lost() { "$gputap" info --json t.gputap 2>/dev/null | python3 -c "import json, sys; print(json.load(sys.stdin)['ledger'].get('$1', 0))"; }
recorded() { "$gputap" info --json t.gputap 2>/dev/null | python3 -c "import json, sys; print(sum(p['calls'] for p in json.load(sys.stdin)['processes']))"; }
timed() { "$gputap" dump --json t.gputap 2>/dev/null | grep '"name":"cl' | grep -c '"command":{.*"start'; }
calls() { [ "$(count clGetPlatformIDs)" = "$1" ]; }
