#!/usr/bin/env bash
# tests/e2e/cl_callbacks.sh - application callbacks come as without the tool, and each is a record
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"

# PoCL's basic device locks itself up in clSetUserEventStatus.
export POCL_DEVICES=pthread
both cl_callbacks
all_timed cl_callbacks
check "event callbacks are recorded" [ "$(count clSetEventCallback.pfn_notify)" = 3005 ]
check "destructors are recorded" [ "$(count clSetMemObjectDestructorCallback.pfn_notify)" = 3 ]
check "builds are recorded" [ "$(count clBuildProgram.pfn_notify)" = 2 ]
check "native kernels are recorded" [ "$(count clEnqueueNativeKernel.user_func)" = "$(grep -c '^  native' traced.out)" ]
check "SVM frees are recorded" [ "$(count clEnqueueSVMFree.pfn_free_func)" = "$(grep -c '^  svm' traced.out)" ]
check "no callback goes unwrapped" [ "$(count lost.CALLBACK_UNWRAPPED)" = 0 ]
finish
