/*
 * model/opencl/image.h - sizes of images from what they were created with
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_OPENCL_IMAGE_H
#define GPUTAP_MODEL_OPENCL_IMAGE_H

#include <stdint.h>

/* Bytes of one pixel; 0 for an order or type that is not known. */
uint32_t gt_image_pixel_bytes(uint32_t channel_order, uint32_t channel_type);

#endif
