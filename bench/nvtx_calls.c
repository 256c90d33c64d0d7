/*
 * bench/nvtx_calls.c - NVTX calls many times, for what recording them costs (bench/README.md)
 *
 * Usage     nvtx_calls KIND [-t THREADS] [-b BLOCKS] [-n CALLS]
 * KIND push-pop: a range with a short text; event: a range with category, colour and registered text in a domain; mark
 * Prints KIND ns N: nanoseconds for one pair (or mark) of the best block, mean of the threads
 *
 * Finds the tool as NVTX does (the library named by NVTX_INJECTION64_PATH) and without one calls nothing, as NVTX does.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdio.h>

#include "bench/rounds.h"
#include "collectors/nvtx/abi.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static nvtx_function core[16], core2[16];
static nvtx_function *core_slots[16], *core2_slots[16];

static int module(uint32_t id, nvtx_function ***slots, unsigned *n)
{
	if (id != NVTX_ABI_CORE && id != NVTX_ABI_CORE2)
		return 0;
	*slots = id == NVTX_ABI_CORE ? core_slots : core2_slots;
	*n = 16;
	return 1;
}

static const void *table(uint32_t id)
{
	static const struct nvtx_callbacks c = { sizeof c, module };

	return id == NVTX_ABI_CALLBACKS ? &c : NULL;
}

static void find_tool(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(const void *(*)(uint32_t)) =
		library ? (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2") : NULL;

	for (unsigned i = 0; i < COUNT(core); i++) {
		core_slots[i] = &core[i];
		core2_slots[i] = &core2[i];
	}
	if (initialize)
		initialize(table);
}

/* ------------------------------------------------------------------- kinds */

/* Volatile, as another library's call would find them. */
static void push_pop(void *own, long i)
{
	int (*push)(const char *) = (int (*)(const char *))*(nvtx_function volatile *)&core[9];
	int (*pop)(void) = (int (*)(void))*(nvtx_function volatile *)&core[11];

	(void)own, (void)i;
	if (push)
		push("forward step");
	if (pop)
		pop();
}

static uint64_t domain, text;

static void event(void *own, long i)
{
	int (*push)(uint64_t, const struct nvtx_event *) =
		(int (*)(uint64_t, const struct nvtx_event *)) * (nvtx_function volatile *)&core2[4];
	int (*pop)(uint64_t) = (int (*)(uint64_t))*(nvtx_function volatile *)&core2[5];
	const struct nvtx_event e = { .version = 3,
		.size = sizeof e,
		.category = 4,
		.color_type = NVTX_ABI_ARGB,
		.color = 0xff00ff00,
		.message_type = NVTX_ABI_REGISTERED,
		.message = (const void *)text };

	(void)own, (void)i;
	if (push)
		push(domain, &e);
	if (pop)
		pop(domain);
}

static void mark(void *own, long i)
{
	void (*put)(const char *) = (void (*)(const char *))*(nvtx_function volatile *)&core[2];

	(void)own, (void)i;
	if (put)
		put("checkpoint");
}

static const struct rounds_kind kinds[] = {
	{ "push-pop", push_pop, 50000 }, { "event", event, 50000 }, { "mark", mark, 50000 }
};

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	for (int i = 2; i < argc; i++)
		rounds_argument(argv, &i);
	rounds_choose(kind, kinds, COUNT(kinds));
	if (!rounds_fit()) {
		fprintf(stderr, "usage: nvtx_calls push-pop|event|mark [-t THREADS] [-b BLOCKS] [-n CALLS]\n");
		return 2;
	}
	find_tool();
	if (core2[12])
		domain = ((uint64_t (*)(const char *))core2[12])("bench");
	if (core2[10])
		text = ((uint64_t (*)(uint64_t, const char *))core2[10])(domain, "forward step");
	printf("%s ns %.3f\n", kind, rounds_measure());
	return 0;
}
