/*
 * tests/fakegpu/kernels.c - the kernels that the stand-in can compute, by name, and the reading of PTX text for names
 * and parameters
 *
 * A kernel of another name is accepted and computes nothing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include <stdlib.h>
#include <string.h>

#define ARG(type, i) (*(type *)(void *)args[i])

static void vector_add(char *const *args, uint64_t threads)
{
	const float *a = (const float *)ARG(uint64_t, 0), *b = (const float *)ARG(uint64_t, 1);
	float *c = (float *)ARG(uint64_t, 2);

	for (uint64_t i = 0; i < threads && i < ARG(uint32_t, 3); i++)
		c[i] = a[i] + b[i];
}

static void add_one(char *const *args, uint64_t threads)
{
	uint32_t *x = (uint32_t *)ARG(uint64_t, 0);

	for (uint64_t i = 0; i < threads && i < ARG(uint32_t, 1); i++)
		x[i]++;
}

static const struct fg_kernel_code known[] = { { "vector_add", vector_add }, { "add_one", add_one } };

static int parameter_bytes(const char *type)
{
	size_t digits = strcspn(type, "0123456789");

	return atoi(type + digits) == 64 ? 8 : 4;
}

static void read_parameters(struct fg_function *f, const char *at)
{
	const char *close = strchr(at, ')');

	while (close && (at = strstr(at, ".param")) && at < close && f->n_args < 16) {
		at = strchr(at + 1, '.');               /* the type: ".param .u64 name" */
		if (!at)
			break;
		f->arg_bytes[f->n_args++] = (uint8_t)parameter_bytes(at);
	}
}

int fg_read_ptx(struct fg_module *m, const char *text)
{
	static const char mark[] = ".entry ";

	if (!text || !strstr(text, ".version"))
		return text && *text ? CU_INVALID_PTX : CU_INVALID_IMAGE;
	for (const char *at = text; (at = strstr(at, mark)); ) {
		struct fg_function *f = calloc(1, sizeof *f);
		size_t n;

		at += sizeof mark - 1;
		n = strcspn(at, " (\n\t");
		if (!f || n >= sizeof f->name) {
			free(f);
			return CU_INVALID_PTX;
		}
		f->magic = FG_FUNCTION_;
		memcpy(f->name, at, n);
		read_parameters(f, at + n);
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (!strcmp(known[i].name, f->name))
				f->code = &known[i];
		f->next = m->functions;
		m->functions = f;
	}
	return m->functions ? CU_OK : CU_INVALID_PTX;
}
