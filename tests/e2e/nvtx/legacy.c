/*
 * tests/e2e/nvtx/legacy.c - a program on the library of NVTX version 2: legacy FILE
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include "tests/e2e/nvtx_event.h"

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!library) {
		printf("%s\n", argc > 1 ? dlerror() : "legacy FILE");
		return 1;
	}
	int (*push)(const char *) = (int (*)(const char *))dlsym(library, "nvtxRangePushA");
	int (*push_wide)(const wchar_t *) = (int (*)(const wchar_t *))dlsym(library, "nvtxRangePushW");
	int (*push_ex)(const struct event *) = (int (*)(const struct event *))dlsym(library, "nvtxRangePushEx");
	int (*pop)(void) = (int (*)(void))dlsym(library, "nvtxRangePop");
	uint64_t (*start)(const char *) = (uint64_t (*)(const char *))dlsym(library, "nvtxRangeStartA");
	void (*end)(uint64_t) = (void (*)(uint64_t))dlsym(library, "nvtxRangeEnd");
	void *(*create)(const char *) = (void *(*)(const char *))dlsym(library, "nvtxDomainCreateA");
	void (*mark)(void *, const struct event *) =
		(void (*)(void *, const struct event *))dlsym(library, "nvtxDomainMarkEx");
	struct event e = { .version = 2,
		.size = sizeof e,
		.color_type = 1,
		.color = 0xff00ff00,
		.payload_type = 1,
		.payload = 42,
		.message_type = 1,
		.message = "described" };
	uint64_t id;

	printf("%d\n", push("legacy"));
	push_wide(L"wide");
	push_ex(&e);
	pop();
	pop();
	printf("%d\n", pop());
	id = start("started");
	mark(create("old.domain"), &e);
	end(id);
	return 0;
}
