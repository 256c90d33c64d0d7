/*
 * tests/witness/layer.c - an OpenCL layer that only counts calls per function
 *
 * Named in OPENCL_LAYERS it stands between a loader and its drivers, beside whatever else does. Each function of
 * the loader's table has a stub in its place. A second loader's table goes back as it came: what is not seen here
 * (extension functions by address, further loaders) the stand-in runtime counts (tests/fakecl).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "../opencl_layer.h"
#include "witness.h"

static const char *const names[] = {
#define NAME(function) #function,
#include "names.h"
#undef NAME
};
#define KNOWN (sizeof names / sizeof *names)
#define MOST 1024
_Static_assert(KNOWN == sizeof(struct _cl_icd_dispatch) / sizeof(void *), "a name for each place of the table");
_Static_assert(KNOWN <= (size_t)WITNESS_FUNCTIONS, "a stub for each place");

static void *table[MOST];

/*
 * ocl-icd 2.3.1 cuts the variable at its first colon where it stands, in the program's environment: what the program
 * execs would get the first layer alone.
 */
static void mend_environment(void)
{
	const char *layers = getenv("WITNESS_LAYERS");

	if (layers)
		setenv("OPENCL_LAYERS", layers, 1);
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
	cl_uint *entries_out, const struct _cl_icd_dispatch **layer_out)
{
	static int taken;
	struct witness_page *page = witness_open("WITNESS");

	mend_environment();
	*entries_out = entries;
	*layer_out = target;
	if (__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST) || entries > MOST) {
		page->passed_by++;
		return CL_SUCCESS;
	}
	for (cl_uint i = 0; i < entries; i++) {
		void *function = ((void *const *)target)[i];

		table[i] = function && i < KNOWN ? witness_stub(witness_place(names[i], function)) : function;
	}
	*layer_out = (const struct _cl_icd_dispatch *)table;
	return CL_SUCCESS;
}
