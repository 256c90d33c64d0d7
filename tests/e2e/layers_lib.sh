# tests/e2e/layers_lib.sh - sourced: whether the OpenCL loader here takes layers
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# ocl-icd does since 2.3 (Debian 12), Khronos's loader since 2021.
has_layers() { grep -q OPENCL_LAYERS "$(ldconfig -p | awk '/libOpenCL\.so\.1 / {print $NF; exit}')"; }
# shellcheck disable=SC2034      # for those who source this
no_layers="the OpenCL loader here takes no layers"
