/*
 * tests/gpu/doubt_unload.c - modules that are unloaded before anybody was told of their kernels, one after the other
 *
 * Do their kernels have their names? CUPTI tells a name as a pointer, and the next module may lie where the last one
 * lay. Two modules in turn: blocks of LAUNCHES kernels "unloaded_first" and "unloaded_second".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doubt.h"

enum { ROUNDS = 20, LAUNCHES = 10, MODULES = 2 };
#define TEXT(name) ".version 7.0\n.target sm_75\n.address_size 64\n" \
	".visible .entry " name "(.param .u32 pn)\n{\n\tret;\n}\n"
static const struct { const char *name, *text; } modules[MODULES] = {
	{ "unloaded_first", TEXT("unloaded_first") },
	{ "unloaded_second", TEXT("unloaded_second") },
};

int main(void)
{
	void *context, *module, *function;
	unsigned argument = 0;
	void *args[] = { &argument };
	int device;

	MUST(cuInit(0));
	MUST(cuDeviceGet(&device, 0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
	for (int i = 0; i < ROUNDS * MODULES; i++) {
		MUST(cuModuleLoadData(&module, modules[i % MODULES].text));
		MUST(cuModuleGetFunction(&function, module, modules[i % MODULES].name));
		for (int k = 0; k < LAUNCHES; k++)
			MUST(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
		MUST(cuCtxSynchronize());
		MUST(cuModuleUnload(module));
	}
	doubt_counts(ROUNDS * MODULES * LAUNCHES, 0);
	return 0;
}
