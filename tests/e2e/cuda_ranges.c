/*
 * tests/e2e/cuda_ranges.c - a CUDA program with NVTX ranges; its launches have a grid of their own each
 *
 * 1 in no range, 2 in "outer", 3 in "inner" within it, 4 by another thread while "outer" is open, 5 while the started
 * range "phase" is open, 6 in "step", a registered string, in the domain "Dom", 7 in no range again, but between
 * cuProfilerStart and cuProfilerStop; with a word, 8 in a range of that name that nobody ends, behind a
 * number of others if there is one. NVTX is done by hand as in nvtx_byhand.c; driver and NVTX are loaded by name.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdint.h>

#include "cuda_driver.h"
#include "nvtx_hand.h"

/* What a program without a tool calls. */
static uint64_t nothing(void) { return 0; }

static void inject(void)
{
	const char *name = getenv("NVTX_INJECTION64_PATH");
	void *library = name ? dlopen(name, RTLD_NOW) : NULL;
	int (*start)(const void *(*)(uint32_t)) = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;

	for (int i = 0; i < 16; i++) {
		core[i] = core2[i] = (function)nothing;
		core_slots[i] = &core[i];
		core2_slots[i] = &core2[i];
	}
	if (start)
		start(table);
}

static void launch(unsigned grid)
{
	unsigned zero = 0;
	void *args[] = { &zero };

	MUST(launch_function(kernel, grid, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	MUST(F(cuCtxSynchronize, void)());
}

static void *other_thread(void *unused)
{
	(void)unused;
	MUST(F(cuCtxSetCurrent, void *)(context));
	launch(4);
	return NULL;
}

int main(int n, char **argument)
{
	struct event e = { .version = 3, .size = sizeof e, .message_type = 3 };
	int (*push)(const char *), (*pop)(void), (*domain_pop)(void *), (*domain_push)(void *, const struct event *);
	uint64_t (*start)(const char *), id;
	void (*end)(uint64_t), *(*create)(const char *), *(*text)(void *, const char *), *domain;
	pthread_t thread;

	inject();
	start = (uint64_t (*)(const char *))core[5];
	end = (void (*)(uint64_t))core[7];
	push = (int (*)(const char *))core[9];
	pop = (int (*)(void))core[11];
	domain_push = (int (*)(void *, const struct event *))core2[4];
	domain_pop = (int (*)(void *))core2[5];
	text = (void *(*)(void *, const char *))core2[10];
	create = (void *(*)(const char *))core2[12];
	open_driver();
	load_kernel();
	launch(1);
	push("outer");
	launch(2);
	push("inner");
	launch(3);
	pop();
	MUST(pthread_create(&thread, NULL, other_thread, NULL));
	pthread_join(thread, NULL);
	pop();
	id = start("phase");
	launch(5);
	end(id);
	domain = create("Dom");
	e.message = text(domain, "step");
	domain_push(domain, &e);
	launch(6);
	domain_pop(domain);
	MUST(F(cuProfilerStart, void)());
	launch(7);
	MUST(F(cuProfilerStop, void)());
	if (n > 1) {
		for (int i = n > 2 ? atoi(argument[2]) : 0; i > 0; i--)
			push("level");
		push(argument[1]);
		launch(8);
	}
	printf("seven launches\n");
	return 0;
}
