/*
 * tests/golden/cases_hsa.c - golden traces with HSA calls and kernel records
 *
 * Nothing records HSA yet: the records exist, and the table of these traces describes two functions in full.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/golden/case.h"

#define T0 1000000000ull

static const char table[] =
	"E\thsa_status_t\tenum\nV\t0\tHSA_STATUS_SUCCESS\nV\t4097\tHSA_STATUS_ERROR_INVALID_ARGUMENT\n"
	"F\t3967\thsa_golden_unknown\t5\thsa\thsa_status_t\tenum\t-1\t0\t-\t0\t3\t0\t0\n"
	"P\thsa_agent_t\tagent\thandle\t-\t2\t8\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\thsa_signal_t\tsignal\thandle\t-\t4\t8\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\tuint32_t *\tsize\tpointer\t-\t6\t8\tarray\tout\tu32\t4\t0\t-\t-\t4\t0\t-\n";

static void hsa(struct golden *g)
{
	golden_call(g, "hsa_init", g->now += 1000, 400, 0, NULL, 0);
	OP(g, "hsa_golden_unknown", 0, V(21), V(140000), D32(0x7FE0, 64));
	OP(g, "hsa_golden_unknown", 4097, V(22), V(0), V(0));
	tb_hsa_kernel(g->stream, g->now + 100, 4711, 2, 0x7F0000004000, g->now + 2000 + MONO, g->now + 2500 + MONO, 21,
		0, 1, 0x7F0000005000, 7, "vecadd", "gfx900", "header=1,setup=1,workgroup_size_x=64");
	tb_hsa_kernel(g->stream, g->now + 200, 4711, 2, 0x7F0000004040, g->now + 3000 + MONO, g->now + 2900 + MONO, 21,
		1, 1, 0x7F0000005100, 8, "void scale<float, 4>(float const*, unsigned long)", "gfx 900",
		"header=1, setup=1");
	golden_call(g, "hsa_shut_down", g->now += 10000, 400, 0, NULL, 0);
}

const struct golden_case golden_hsa[] = {
	{ "hsa", T0, hsa, table },
	{ NULL, 0, NULL, NULL },
};
