#!/usr/bin/env bash
# tests/e2e/ledger.sh - ways to lose calls (docs/ledger.md): what was not recorded is counted, and the launcher says why
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gputap=$GPUTAP_BUILD/gputap
bin=$GPUTAP_BUILD/tests/ways
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
# shellcheck source=tests/e2e/layers_lib.sh
. "$GPUTAP_TESTS/e2e/layers_lib.sh"
unset FAKECL_FAULTS FAKECL_PLATFORMS LD_PRELOAD LD_AUDIT OPENCL_LAYERS
passed=0 failed=0 skipped=0
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
mkdir -p "$bin"
"${CC:-cc}" -O1 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 -o "$bin/many" "$GPUTAP_TESTS/e2e/ways/many.c" -lOpenCL || exit 1

check() { local name=$1; shift; if "$@"; then passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi; }
# run ARGUMENT...: the launcher; what it says lies in `said`
run() { rm -rf ./*.gputap; "$gputap" run "$@" >out 2>said; echo $? >status; }
says() { grep -q -- "$1" said || { cat said; return 1; }; }
# ledger TRACE REASON: its number
ledger() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(i['ledger'].get('$2', 0))"; }
calls() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(sum(p['calls'] for p in i['processes']))"; }

# ---- no room for a stream: the true count
run --max-size=8k -o t -- "$bin/many" 5000
check "a size limit below one stream: every call is counted" [ "$(ledger t.gputap SIZE_CAP)" = 5000 ]
check "... and what to do is said" grep -q "^  try: a larger --max-size, or --ring" said
check "... by info, too" grep -q "^  try: a larger --max-size, or --ring" <("$gputap" info t.gputap)
run --max-size=8k -o t -- sh -c "$bin/many 5000 & $bin/many 300; wait"
check "... of every process" [ "$(ledger t.gputap SIZE_CAP)" = 5300 ]
run --max-size=8k -o t -- sh -c "$bin/many 5000 'kill -9 \$PPID'; true"
check "... and after a kill" [ "$(ledger t.gputap SIZE_CAP)" -ge 2500 ]

# Commands whose device records find no room: each is counted once, as a command without times, and as no lost call.
if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	full() { env -u OCL_ICD_VENDORS POCL_DEVICES=basic "$gputap" run -q --summary=none "$@" -- "$GPUTAP_BUILD/tests/e2e/cl_full" 3000 >out 2>said; }
	rm -rf ./*.gputap; full -o all; full --max-size=600k -o t
	check "device records without room are no lost calls" [ $(($(calls t.gputap) + $(ledger t.gputap SIZE_CAP))) = "$(calls all.gputap)" ]
	check "... and each command without one is counted" [ "$(ledger t.gputap UNMATCHED_CALL)" -gt 0 ]
	check "... once: as nothing else that is missing" [ "$(ledger t.gputap DETAILS_LOST)" = 0 ]
else
	echo "skipped: device records without room: no OpenCL platform"; skipped=$((skipped + 1))
fi

# A CUDA program where there is no driver: its calls fail, which the launcher says where nothing was recorded.
if ldconfig -p | grep -q 'libcuda\.so\.1' || [ -n "${LD_LIBRARY_PATH-}" ]; then
	echo "skipped: CUDA without a driver: there may be one here"; skipped=$((skipped + 1))
else
	printf 'int cudaGetDeviceCount(int *n) { return *n = 0, 35; }\n' | "${CC:-cc}" -shared -fPIC -Wl,-soname,libcudart.so.12 -x c -o libcudart.so.12 -
	printf 'int cudaGetDeviceCount(int *); int main(void) { int n; return cudaGetDeviceCount(&n); }\n' >runtime.c
	"${CC:-cc}" -o runtime runtime.c ./libcudart.so.12 -Wl,-rpath,"$PWD"
	printf '__attribute__((section(".nvFatBinSegment"), used)) static int code; int main(void) { return 4; }\n' | "${CC:-cc}" -x c -o linked -
	run -o t -- sh -c './runtime; exit 6'
	check "CUDA without a driver: the program's status" [ "$(cat status)" = 6 ]
	check "... the reason" says 'libcudart.so.12 is loaded, and CUDA.s driver is not here: each CUDA call of the program fails (libcuda.so.1'
	run -o t -- ./linked
	check "... of a program that holds the runtime itself" says 'linked has CUDA code, and CUDA.s driver is not here'
	run -o t -- "$bin/many" 5
	check "... nothing of that where calls were recorded" eval '! says "driver is not here" >/dev/null'
fi

# A file system of a few pages: whatever there is room for, calls in the trace and calls in the ledger are all of them.
small() { unshare -rm sh -c 'mount -t tmpfs -o size=$1 none small && shift && "$@" && cp -r small/t.gputap .' sh "$@" >out 2>said; }
mkdir small
if unshare -rm mount -t tmpfs none small 2>/dev/null; then
	for size in 24k 32k 36k 48k 64k 128k; do
		rm -rf t.gputap
		small $size "$gputap" run -o small/t -- "$bin/many" 5000
		check "a file system of $size: recorded and counted calls are 5000" \
			[ $(($(calls t.gputap) + $(ledger t.gputap NO_SPACE) + $(ledger t.gputap NO_STREAM))) = 5000 ]
	done
	# The least of them has room for no stream, the others for some calls.
	for size in 24k 64k; do
		rm -rf t.gputap
		small $size "$gputap" run -o small/t -- "$bin/many" 5000
		check "a file system of $size: what to do is said" grep -q "^  try: -o \(where more files have\|on a file system with more\) room" said
	done
	# ... and of a few files, where also the process is killed.
	few() { unshare -rm sh -c 'mount -t tmpfs -o nr_inodes=$1 none small && shift && "$@"; cp -r small/t.gputap .' sh "$@" >out 2>said; }
	calls_and_lost() { "$gputap" info --json "$1" | python3 -c "import json, sys; i = json.load(sys.stdin); print(sum(p['calls'] for p in i['processes']) + sum(i['ledger'].get(r, 0) for r in ('NO_SPACE', 'NO_STREAM')))"; }
	for files in 6 7 9 11; do
		for steps in "40 kill" "held=5 40 fork=20 thread=7 3 kill"; do
			rm -rf t.gputap
			# shellcheck disable=SC2086
			few $files "$gputap" run -o small/t -- "$GPUTAP_BUILD/tests/e2e/cl_place" $steps
			n=0; for step in $steps; do step=${step#*=}; [ "$step" = kill ] || n=$((n + step)); done
			check "a file system of $files files ($steps): recorded and counted calls are $n" \
				[ "$(calls_and_lost t.gputap)" = $n ]
		done
	done
	# Without a launcher nobody made a page ahead.
	rm -rf t.gputap
	few 6 env LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" GPUTAP_OUTPUT=small/t "$GPUTAP_BUILD/tests/e2e/cl_place" 40 kill
	check "without a launcher: that some are lost" [ "$(ledger t.gputap NO_STREAM)" -ge 1 ]
	rm -rf t.gputap; run -o t -- "$bin/many" 5
	check "the page for that is not left where nobody needed it" eval '[ ! -e t.gputap/lost ] && [ "$(calls t.gputap)" = 5 ]'
else
	echo "skipped: file systems of a few pages: no right to mount one"; skipped=$((skipped + 1))
fi

# A place that comes back while the program runs: what was counted meanwhile is counted once.
mkdir away; rm -rf ./*.gputap
TMPDIR=$PWD/none "$gputap" run -o away/t -- sh -c "mv away gone; exec $bin/many 3000 'mv gone away; sleep 0.05'" >out 2>said
check "a place that was away for a while: recorded and counted calls are 3000" \
	[ $(($(calls away/t.gputap) + $(ledger away/t.gputap NO_STREAM))) = 3000 ]
check "... and some are recorded" [ "$(calls away/t.gputap)" -gt 1000 ]
check "... and some are counted" [ "$(ledger away/t.gputap NO_STREAM)" -gt 1000 ]

# ---- facts of a process that are not there, or not all
for way in missing empty cut; do
	rm -rf t.gputap; run -o t -- "$bin/many" 50
	meta=$(echo t.gputap/*.1/meta)
	case $way in missing) rm "$meta" ;; empty) : >"$meta" ;; cut) truncate -s 150 "$meta" ;; esac
	check "facts that are $way: counted, and the calls can be read" [ "$(calls t.gputap):$(ledger t.gputap FACTS_LOST)" = 50:1 ]
done

# ---- why there is no trace, in one true sentence
run -o t -- true
check "a program without calls" says '^gputap: no traced call was made: no trace$'
run -o t -- env -i "OCL_ICD_VENDORS=$OCL_ICD_VENDORS" "$bin/many" 1000
check "a cleaned environment: its program and the remedy are named" says "before $bin/many was started without gputap in the LD_PRELOAD of its environment"
: | ${CC:-cc} -shared -x c -o other.so - || exit 1
run -o t -- env LD_PRELOAD="$PWD/other.so" "$bin/many" 1000
check "another library in place of ours: the same, as there is an LD_PRELOAD" says "before $bin/many was started without gputap in the LD_PRELOAD of its environment"
run -o t -- sh -c "$bin/many 5; env -i $bin/many 7 >/dev/null; $bin/many 5"
check "... beside images that record: counted" [ "$(ledger t.gputap CHILD_MISSED)" = 1 ]
run -o t -- "$bin/many" 5000 'rm -rf t.gputap'
check "the trace's directory was removed" says 't.gputap was removed while the program ran'
echo 'int main(void) { return 3; }' >static.c
if "${CC:-cc}" -static -o static static.c 2>/dev/null; then
	run -o t -- ./static
	check "a static program" says './static is statically linked'
	check "... keeps its status" [ "$(cat status)" = 3 ]
else
	echo "skipped: a static program: no static C library"; skipped=$((skipped + 1))
fi
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\064\0\0\0\0\0\0\0\0\0\0\0\064\0\040\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\200\4\10\0\200\4\10\140\0\0\0\140\0\0\0\5\0\0\0\0\020\0\0\061\300\100\261\5\211\313\315\200\0\0' >small32
chmod +x small32
if ./small32 2>/dev/null; [ $? = 5 ]; then
	run -o t -- ./small32
	check "a 32-bit program" says './small32 is a 32-bit program'
else
	echo "skipped: a 32-bit program: this kernel runs none"; skipped=$((skipped + 1))
fi

# ---- what is run is looked at before it is started
printf '#!%s\n' "$PWD/static" >script; chmod +x script
if [ -x static ]; then
	run -o t -- ./script
	check "a script that a static program runs" says "$PWD/static is statically linked"
	printf 'int main(int n, char **v) { return execv(v[1], v + 1), n; }' | "${CC:-cc}" -static -include unistd.h -x c -o starts -
	run -o t -- ./starts "$bin/many" 5
	check "a static program that starts another: its calls are there" [ "$(calls t.gputap)" = 5 ]
	check "... and it is said that only they could be" says './starts is statically linked.*: only what it started could be traced'
fi
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\377\0%048d' 0 >other; chmod +x other
run -o t -- ./other
check "a program for another processor" says './other is a program for another kind of processor'
if command -v musl-gcc >/dev/null; then
	printf '#include <stdio.h>\n#include <dlfcn.h>\nint main(void) { printf("%%d\\n", dlsym(0, "printf") != 0); return 3; }\n' >musl.c
	musl-gcc -o musl musl.c
	run -o t -- ./musl
	check "a program with musl: said" says './musl is linked with another C library (musl)'
	check "... it runs" [ "$(cat status) $(cat out)" = "3 1" ]
	run -o t -- sh -c './musl; exec "$1" 5' sh "$bin/many"
	check "a child with musl runs, though the library is preloaded" grep -qx 1 out
	check "... and nobody complains" [ "$(grep -vc '^gputap: ' said)" = 0 ]
	check "... calls beside it are there" [ "$(calls t.gputap)" = 5 ]
else
	echo "skipped: programs with musl: no musl-gcc"; skipped=$((skipped + 1))
fi

# ---- more rights than the user has: nothing is preloaded, and what the environment names is not touched
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	place=$(mktemp -d /tmp/gputap-rights-XXXXXX)
	cp "$bin/many" "$place/suid" && chmod 4755 "$place/suid" && cp "$bin/many" "$place/plain" && cp "$GPUTAP_BUILD/libgputap.so" "$GPUTAP_BUILD/gputap" "$place"
	mkdir -m 1777 "$place/here" "$place/vendors"; cp -r "$GPUTAP_BUILD"/tests/fakecl/*.so "$place"
	for f in "$place"/*.so; do [ "${f##*/}" = libgputap.so ] || echo "$f" >"$place/vendors/fake.icd"; done
	chmod 755 "$place"
	user() { (cd "$place/here" && env "OCL_ICD_VENDORS=$place/vendors" setpriv --reuid=65534 --regid=65534 --clear-groups "$@" >out 2>said); cp "$place"/here/{out,said} .; }
	user "$place/gputap" run -o t -- "$place/suid" 5
	check "a set-user-id program: said" says 'suid is a program that runs with another user.s rights'
	user "$place/gputap" run -o t -- "$place/plain" 5
	check "a plain one of the same user is traced" [ "$(calls "$place/here/t.gputap")" = 5 ]
	rm -rf "$place"/here/*
	if has_layers; then
		user env "OPENCL_LAYERS=$place/libgputap.so" "GPUTAP_OUTPUT=$place/here/layer" "$place/plain" 5
		check "as a layer, a plain program leaves a trace" [ -d "$place/here/layer.gputap" ]
		rm -rf "$place"/here/*
		cp "$(command -v id)" "$place/id" && chmod 4755 "$place/id"
		user "$place/id" -u
		if [ "$(cat out)" = 0 ]; then
			user env "OPENCL_LAYERS=$place/libgputap.so" "GPUTAP_OUTPUT=$place/here/layer" "$place/suid" 5
			check "... one with more rights none: the shim does nothing" [ ! -e "$place/here/layer.gputap" ]
		else
			echo "skipped: a layer in a program with more rights: no program gets another user's here"; skipped=$((skipped + 1))
		fi
	else
		echo "skipped: rights of a program and a layer: $no_layers"; skipped=$((skipped + 1))
	fi
	if command -v setcap >/dev/null && setcap cap_net_raw+ep "$place/plain" 2>/dev/null; then
		user "$place/gputap" run -o t -- "$place/plain" 5
		check "a program with file capabilities: said" says 'plain is a program with rights of its own (file capabilities)'
	fi
	rm -rf "$place"
else
	echo "skipped: programs with more rights: not root, or no setpriv"; skipped=$((skipped + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
