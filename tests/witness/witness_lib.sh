# tests/witness/witness_lib.sh - run a program under a witness in a way in, and compare: sourced by the tests of this folder
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
set -u
here=$GPUTAP_TESTS/witness
gputap=$GPUTAP_BUILD/gputap shim=$GPUTAP_BUILD/libgputap.so audit=$GPUTAP_BUILD/libgputap-audit.so
layer=$GPUTAP_BUILD/tests/witness/libwitness.so e2e=$GPUTAP_BUILD/tests/e2e ids=$GPUTAP_BUILD/gen/ids.h
passed=0 failed=0 skipped=0
unset LD_PRELOAD LD_AUDIT OPENCL_LAYERS WITNESS FAKECL_COUNTS FAKECL_FAULTS FAKECL_PLATFORMS "${!GPUTAP_OUTPUT@}"
[ -e "$layer" ] || { echo "skipped: the OpenCL headers here have no layers"; exit 77; }
copy=$PWD/libgputap-copy.so
cp "$shim" "$copy"
case $(nm -D --undefined-only "$shim") in *__asan*) echo "skipped: a library with sanitizers cannot be a layer or be preloaded"; exit 77 ;; esac

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ "$failed" -eq 0 ]; }

# Every way in by itself, then every pair of them, and three at once. NAME of a way, then its words for `env`; "run" is the launcher.
# The first of OPENCL_LAYERS is the nearest to the driver: the witness sees what the tracer asks for itself, but in "layer-above".
ways() {
	cat <<-END
		preload         LD_PRELOAD=$shim OPENCL_LAYERS=$layer
		layer           OPENCL_LAYERS=$layer:$shim
		layer-above     OPENCL_LAYERS=$shim:$layer
		run             OPENCL_LAYERS=$layer run
		audit           LD_AUDIT=$audit OPENCL_LAYERS=$layer
		preload+audit   LD_PRELOAD=$shim LD_AUDIT=$audit OPENCL_LAYERS=$layer
		preload+layer   LD_PRELOAD=$shim OPENCL_LAYERS=$layer:$shim
		preload+copy    LD_PRELOAD=$shim:$copy OPENCL_LAYERS=$layer
		preload+run     LD_PRELOAD=$shim OPENCL_LAYERS=$layer run
		audit+layer     LD_AUDIT=$audit OPENCL_LAYERS=$layer:$shim
		audit+layer-above LD_AUDIT=$audit OPENCL_LAYERS=$shim:$layer
		audit+copy      LD_AUDIT=$audit OPENCL_LAYERS=$layer:$copy
		audit+run       LD_AUDIT=$audit OPENCL_LAYERS=$layer run
		layer+copy      OPENCL_LAYERS=$layer:$shim:$copy
		layer+run       OPENCL_LAYERS=$layer:$shim run
		preload+otherlayer LD_PRELOAD=$shim OPENCL_LAYERS=$layer:$copy
		run+otherlayer  OPENCL_LAYERS=$layer:$copy run
		preload+audit+layer LD_PRELOAD=$shim LD_AUDIT=$audit OPENCL_LAYERS=$layer:$shim
		preload+audit+layer-above LD_PRELOAD=$shim LD_AUDIT=$audit OPENCL_LAYERS=$shim:$layer
		preload+audit+copy LD_PRELOAD=$shim:$copy LD_AUDIT=$audit OPENCL_LAYERS=$layer
		preload+audit+run LD_PRELOAD=$shim LD_AUDIT=$audit OPENCL_LAYERS=$layer run
		audit+layer+copy LD_AUDIT=$audit OPENCL_LAYERS=$layer:$shim:$copy
		audit+layer+run LD_AUDIT=$audit OPENCL_LAYERS=$layer:$shim run
		audit+copy+run  LD_AUDIT=$audit OPENCL_LAYERS=$layer:$copy run
		preload+copy+layer LD_PRELOAD=$shim:$copy OPENCL_LAYERS=$layer:$shim
	END
}

# under WAY OPTION... -- PROGRAM...: into t.gputap, counts into counts/ and driver/, its words into out, status into status
under() {
	local way=$1 words options=() run=() keep=()
	read -ra words <<<"$(ways | awk -v w="$way" '$1 == w {$1 = ""; print}')"
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	rm -rf t.gputap counts driver; mkdir counts driver
	local variables=()
	for word in "${words[@]}"; do
		if [ "$word" = run ]; then run=("$gputap" run -q -f -o "$PWD/t" --summary=none "${options[@]}" --); else variables+=("$word"); fi
		case $word in OPENCL_LAYERS=*) variables+=("WITNESS_LAYERS=${word#*=}") ;; esac
	done
	# Options as the library reads them where no launcher does.
	for word in "${options[@]}"; do
		[ ${#run[@]} = 0 ] || break
		word=${word#--}
		local name=${word%%=*} value=1
		case $word in *=*) value=${word#*=} ;; esac
		variables+=("GPUTAP_$(tr a-z- A-Z_ <<<"$name")=$value")
	done
	[ ${#run[@]} -gt 0 ] || variables+=("GPUTAP_OUTPUT=$PWD/t")
	# In a shell of its own, which says of a program that aborts that it did.
	(timeout -k 5 "${limit:-60}" env WITNESS="$PWD/counts" FAKECL_COUNTS="$PWD/driver" "${variables[@]}" "${run[@]}" "$@" >out 2>err </dev/null
		echo $? >status) 2>/dev/null
}

# bare PROGRAM...: into bare.counts, bare.out, bare.status
bare() {
	rm -rf bare.counts; mkdir bare.counts
	(timeout -k 5 "${limit:-60}" env WITNESS="$PWD/bare.counts" OPENCL_LAYERS="$layer" "$@" >bare.out 2>bare.err </dev/null
		echo $? >bare.status) 2>/dev/null
}

# agree NAME [OPTION]: of the last run
agree() {
	local said
	if said=$(python3 "$here/check.py" "${@:2}" counts t.gputap "$ids" 2>&1); then ok; [ -z "${SAY-}" ] || echo "ok: $1: $said"
	else bad "$1: $said"; fi
}
