# tests/gpu/part4_torch.sh - PyTorch: the same losses, costs beside its own profiler: sourced by scripts/test-gpu
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154

with_torch() {
	if torch_is_here; then "$@"; else skip "PyTorch is not installed, or does not see the GPU"; fi
}

step torch with_torch try torch "-t cuda,nvtx,cublas,cudnn" "" python3 "$root/tests/gpu/torch_step.py"
step "torch arguments" with_torch try torch_arguments "-t cuda --cuda-args" "" python3 "$root/tests/gpu/torch_step.py"
step "torch costs" with_torch costs torch
