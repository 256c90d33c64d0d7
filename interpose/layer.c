/*
 * interpose/layer.c - this library as an OpenCL layer (OPENCL_LAYERS)
 *
 * The ICD loader asks for a dispatch table of our own and calls through it. What we get, the target table, may be
 * shorter or longer than the one we know: of a shorter one no more than its entries are read, of a longer one the rest
 * is handed back as it came. Calls are forwarded through the target table alone.
 *
 * A loader that is reached through our exports or look-ups (this library is preloaded too) needs no layer: the table
 * goes back as it came. Else every call would be handled twice: our own questions would be taken for the program's,
 * be refused what is hidden from it, and references be counted down two times.
 *
 * Runs      in the thread that makes the loader's first call. One table: a second loader's calls pass through.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "common/plain/without.h"
#include "interpose/loader.h"

#include "trace/write/stream/stream.h"

#define ENTRIES 1024u   /* the table of the 3.0 headers has 170 */
#define EXPORTED __attribute__((visibility("default")))

struct tap_opencl_api tap_layer_route;
static void *table[ENTRIES];
static _Atomic int taken;
static const void *loader;      /* a place in the loader whose table is ours */
static const void *loader_dynamic;
/* Loaders that asked, by their dynamic sections: the first has our table, the others are counted as missed. */
static const void *_Atomic asked[TAP_ROUTES * 2];

static void fill(void *const *target, cl_uint n)
{
	memcpy(table, target, n * sizeof(void *));
	for (size_t i = 0; i < tap_opencl_entry_count; i++) {
		const struct tap_entry *e = &tap_opencl_entries[i];

		if (e->dispatch_index >= n || !e->layer || !target[e->dispatch_index])
			continue;
		((void **)&tap_layer_route)[e->api_index] = target[e->dispatch_index];
		table[e->dispatch_index] = e->layer;
	}
}

static void remember(const void *place)
{
	struct tap_object o;

	for (size_t i = 0; tap_object_at(place, &o) && i < sizeof asked / sizeof *asked; i++) {
		const void *none = NULL;

		if (__atomic_compare_exchange_n((const void **)&asked[i], &none, o.dynamic, false, __ATOMIC_ACQ_REL,
			    __ATOMIC_ACQUIRE) || none == o.dynamic)
			return;
	}
}

bool tap_layer_was_asked(const struct tap_object *o)
{
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		if (asked[i] == o->dynamic)
			return true;
	return false;
}

EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
					cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret)
{
	if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret)
		return CL_INVALID_VALUE;
	*num_entries_ret = num_entries;
	*layer_dispatch_ret = target_dispatch;
	tap_start();
	if ((tap_second_copy() || tap_loader_is_known(__builtin_return_address(0))) && !gc_without("layer-aside"))
		return CL_SUCCESS;
	remember(__builtin_return_address(0));
	if (num_entries > ENTRIES || __atomic_exchange_n((int *)&taken, 1, __ATOMIC_ACQ_REL)) {
		tap_lost(REC_LOSS_LOADER_MISSED, 1);
		return CL_SUCCESS;
	}
	loader = __builtin_return_address(0);
	loader_dynamic = asked[0];
	fill((void *const *)target_dispatch, num_entries);
	*layer_dispatch_ret = (const cl_icd_dispatch *)table;
	return CL_SUCCESS;
}

/* Below us may be another layer, which stays mapped when the loader goes: its functions tell nothing. */
bool tap_layer_loaded(void)
{
	struct tap_object o;

	return gc_without("layer-loader") || !loader_dynamic ||
		(tap_object_at(loader, &o) && o.dynamic == loader_dynamic);
}

static cl_int answer(const void *from, size_t bytes, size_t room, void *to, size_t *bytes_ret)
{
	if (to && room < bytes)
		return CL_INVALID_VALUE;
	if (to)
		memcpy(to, from, bytes);
	if (bytes_ret)
		*bytes_ret = bytes;
	return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name, size_t param_value_size, void *param_value,
					   size_t *param_value_size_ret)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	static const char name[] = "gputap";

	if (param_name == CL_LAYER_API_VERSION)
		return answer(&version, sizeof(version), param_value_size, param_value, param_value_size_ret);
	if (param_name == CL_LAYER_NAME)
		return answer(name, sizeof(name), param_value_size, param_value, param_value_size_ret);
	return CL_INVALID_VALUE;
}
