#!/usr/bin/env bash
# tests/long/programs.sh - programs by others under the witness: each call that they make is in the trace, by function and way in
#
# What is not installed is skipped (scripts/setup --real installs it; tests/real/run makes the environment of the Python packages). A
# program that makes the same calls twice is also compared with itself without the tracer.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/witness/witness_lib.sh
. "$GPUTAP_TESTS/witness/witness_lib.sh"
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
export OCL_ICD_VENDORS=/etc/OpenCL/vendors POCL_MEMORY_LIMIT=4 HOME=$PWD/home limit=170
mkdir -p home
from=$GPUTAP_TESTS/real venv=$GPUTAP_BUILD/real/venv/bin/python
in=${WAYS-preload layer run preload+layer preload+audit layer+run}

have() { command -v "$1" >/dev/null; }
# of NAME [same] -- COMMAND...: in all the ways of $in
of() {
	local name=$1 checks=() same=0
	shift
	[ "$1" = -- ] || { same=1 checks=(--bare bare.counts); shift; }
	shift
	bare "$@"
	[ $same = 0 ] || bare "$@"              # kernels are compiled in the first run
	if ! grep -qx 0 bare.status; then skip "$name: fails without the tool: status $(cat bare.status)"; return; fi
	for way in $in; do
		under "$way" -- "$@"
		SAY=1 agree "$name, $way" "${checks[@]}"
		if cmp -s status bare.status; then ok; else bad "$name, $way: status $(cat status), bare $(cat bare.status)"; fi
	done
}
compiled() { # NAME SOURCE HEADER LIBRARIES...
	[ -e "/usr/include/$3" ] || { skip "$1: $3 is not installed"; return 1; }
	local compiler=${CC:-cc}
	case $2 in *.cpp) compiler=${CXX:-c++} ;; esac
	"$compiler" -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -DCL_USE_DEPRECATED_OPENCL_1_2_APIS -DCL_USE_DEPRECATED_OPENCL_1_1_APIS \
		-o "$1" "$from/$2" "${@:4}" || { skip "$1: does not compile here"; return 1; }
}

if have clinfo; then of clinfo same -- clinfo; else skip "clinfo is not installed"; fi
if have asl-hardware; then of asl-hardware same -- asl-hardware; else skip "asl-hardware (asl-tools) is not installed"; fi
if have clpeak; then of clpeak -- clpeak --kernel-latency --transfer-bandwidth; else skip "clpeak is not installed"; fi
if have clFFT-client; then of clFFT-client same -- clFFT-client -c -x 64 -y 32 -p 4; else skip "clFFT-client is not installed"; fi
if have hashcat; then
	of hashcat -- hashcat -m 0 -a 3 --force -D 1 --self-test-disable --potfile-disable --session gputap --restore-disable -w 1 -n 64 -u 26 \
		"$(printf zzz1 | md5sum | cut -d' ' -f1)" '?l?l?l?d'
else skip "hashcat is not installed"; fi
if have ffmpeg; then
	of ffmpeg -- ffmpeg -hide_banner -loglevel error -init_hw_device opencl=cl:0.0 -filter_hw_device cl -f lavfi -i testsrc=size=320x240:rate=10:duration=2 \
		-vf "format=rgba,hwupload,avgblur_opencl=sizeX=4,hwdownload,format=rgba" -f framemd5 -
else skip "ffmpeg is not installed"; fi
if compiled clblast blas.c clblast_c.h -lclblast -lOpenCL; then of CLBlast same -- ./clblast; fi
if compiled vienna vienna.cpp viennacl/vector.hpp -lOpenCL; then of ViennaCL same -- ./vienna; fi
if compiled compute compute.cpp boost/compute.hpp -lOpenCL; then of Boost.Compute -- ./compute; fi
if [ -x "$venv" ] && "$venv" -c 'import pyopencl' 2>/dev/null; then of pyopencl -- "$venv" "$from/arrays.py"; else skip "pyopencl: tests/real/run pyopencl makes its environment"; fi
if [ -x "$venv" ] && "$venv" -c 'import cv2' 2>/dev/null; then OPENCV_OPENCL_DEVICE=:CPU: of OpenCV -- "$venv" "$from/opencv_umat.py"
else skip "OpenCV: tests/real/run opencv makes its environment"; fi
finish
