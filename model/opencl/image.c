/*
 * model/opencl/image.c - sizes of images from what they were created with
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "opencl_values.h"

#include "model/opencl/image.h"

/* spec: OpenCL 3.0 "Image Format Descriptor" */
static uint32_t channels(uint32_t order)
{
	switch (order) {
	case CL_R: case CL_A: case CL_INTENSITY: case CL_LUMINANCE: case CL_DEPTH: case CL_Rx:
		return 1;
	case CL_RG: case CL_RA: case CL_RGx:
		return 2;
	case CL_RGB: case CL_RGBx: case CL_sRGB: case CL_sRGBx:
		return 3;
	case CL_RGBA: case CL_BGRA: case CL_ARGB: case CL_ABGR: case CL_sRGBA: case CL_sBGRA:
		return 4;
	}
	return 0;
}

uint32_t gt_image_pixel_bytes(uint32_t channel_order, uint32_t channel_type)
{
	switch (channel_type) {
	case CL_SNORM_INT8: case CL_UNORM_INT8: case CL_SIGNED_INT8: case CL_UNSIGNED_INT8:
		/* CL_RGBx with 8 bits is only defined packed, but runtimes that allow it use a byte each. */
		return channels(channel_order);
	case CL_SNORM_INT16: case CL_UNORM_INT16: case CL_SIGNED_INT16: case CL_UNSIGNED_INT16: case CL_HALF_FLOAT:
		return 2 * channels(channel_order);
	case CL_SIGNED_INT32: case CL_UNSIGNED_INT32: case CL_FLOAT:
		return 4 * channels(channel_order);
	/* Packed: the type is the whole pixel. */
	case CL_UNORM_SHORT_565: case CL_UNORM_SHORT_555:
		return 2;
	case CL_UNORM_INT_101010: case CL_UNORM_INT_101010_2: case CL_UNORM_INT24:
		return 4;
	}
	return 0;
}
