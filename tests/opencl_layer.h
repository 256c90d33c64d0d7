/*
 * tests/opencl_layer.h - what every OpenCL layer of the tests says of itself: it is one of interface version 1.0.0
 *
 * Included once by a layer, which has its own clInitLayer. spec: cl_loader_layers "clGetLayerInfo"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_OPENCL_LAYER_H
#define GPUTAP_TESTS_OPENCL_LAYER_H

#include <CL/cl_layer.h>

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *bytes)
{
	if (what != CL_LAYER_API_VERSION)
		return CL_INVALID_VALUE;
	if (value && room >= sizeof(cl_layer_api_version))
		*(cl_layer_api_version *)value = CL_LAYER_API_VERSION_100;
	if (bytes)
		*bytes = sizeof(cl_layer_api_version);
	return CL_SUCCESS;
}

#endif
