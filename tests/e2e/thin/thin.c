/*
 * tests/e2e/thin/thin.c - a thin object: records calls of the test library's work_add through gputap_core
 *
 * The smallest one there can be, and the example to begin with. Built a second time with -DGPUTAP_CORE_VERSION=2u.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/core.h"

enum { FN_work_add = REC_FN_OSRT };

/* "F id name domain kind type class ...", "P type name class group position bytes ...": api/README.md */
static const char functions[] =
	"D\t6\tosrt\n"
	"F\t16384\twork_add\t6\tstate\tint\ti32\t-1\t0\t-\t0\t1\t0\t0\n"
	"P\tint\ta\ti32\t-\t1\t4\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\tint\tb\ti32\t-\t2\t4\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n";

static struct gputap_thin me = GPUTAP_THIN("libthin.so", REC_DOMAIN_OSRT, REC_ASK_OSRT, functions);

__attribute__((visibility("default"))) int work_add(int a, int b)
{
	static int (*real)(int, int);
	const struct gputap_core *core = gputap_core_get(&me);
	struct gputap_call call;

	if (!real)
		real = (int (*)(int, int))dlsym(RTLD_NEXT, "work_add");
	if (!core || !core->call_begin(&call, FN_work_add, REC_DOMAIN_OSRT, (uint64_t[4]){ (uint32_t)a, (uint32_t)b }))
		return real(a, b);
	int sum = real(a, b);

	core->call_stop(&call, sum);
	uint64_t *out = core->call_reserve(&call, (uint32_t)a, 1);

	if (out)
		out[0] = (uint32_t)b;
	core->call_finish(&call);
	return sum;
}
