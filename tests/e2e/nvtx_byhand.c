/*
 * tests/e2e/nvtx_byhand.c - a client of NVTX without NVTX: does by hand what its header does at the first call
 *
 * Loads the library named by NVTX_INJECTION64_PATH, offers slots of two modules, and calls what it finds in them. The
 * slots of a client of an older version are fewer: "nvtx_byhand old" offers ten of the core module and none of the
 * other. "nvtx_byhand opencl" runs kernels inside ranges: one in "first", two and a copy in "inner" within "outer", one
 * outside. "nvtx_byhand many" makes so many ranges that a ring loses the first ones. "nvtx_byhand libraries" speaks in
 * the domains of three libraries, in one of its own and in the default one, like a program with cuBLAS. "nvtx_byhand
 * late" marks once, and three times more in a static destructor. "nvtx_byhand jumps" is left by a handler in the middle
 * of marks, and prints how many it began and how many came back. "nvtx_byhand killed" marks 700 times and dies by
 * SIGKILL.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "cl_common.h"
#include "nvtx_hand.h"

static int fail(const char *what)
{
	printf("%s\n", what);
	return 1;
}

static int use_core(void)
{
	int (*push)(const char *) = (int (*)(const char *))core[9];
	int (*push_wide)(const void *) = (int (*)(const void *))core[10];
	int (*pop)(void) = (int (*)(void))core[11];
	static char longer[30001];

	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	errno = 77;
	if (push("by hand") != -2)
		return fail("push does not answer that levels are not tracked");
	push_wide(L"wide");
	pop();
	push(longer);
	pop();
	push(NULL);
	pop();
	pop();
	pop();                          /* one too many */
	return errno == 77 ? 0 : fail("errno was changed");
}

static int use_domains(void)
{
	void *(*create)(const char *) = (void *(*)(const char *))core2[12];
	void *(*string)(void *, const char *) = (void *(*)(void *, const char *))core2[10];
	uint64_t (*start)(void *, const struct event *) = (uint64_t(*)(void *, const struct event *))core2[2];
	void (*end)(void *, uint64_t) = (void (*)(void *, uint64_t))core2[3];
	void *a = create("one"), *b = create("two");
	struct event e = { .version = 3, .size = sizeof e, .message_type = 3, .message = string(a, "kept") };
	uint64_t first, second;

	if (!a || !b || a == b || !e.message)
		return fail("handles are not told apart");
	first = start(a, &e);
	e.size = 16;                    /* of a version that had no message yet */
	second = start(b, &e);
	if (!first || !second || first == second)
		return fail("ranges are not told apart");
	end(a, first);
	end(b, second);
	end(b, 12345);                  /* nobody started it */
	return 0;
}

static int use_libraries(void)
{
	static const char *const names[] = { "cuBLAS", "cuDNN", "CUSPARSE", "mine" };
	void *(*create)(const char *) = (void *(*)(const char *))core2[12];
	void *(*string)(void *, const char *) = (void *(*)(void *, const char *))core2[10];
	void (*category)(void *, uint32_t, const char *) = (void (*)(void *, uint32_t, const char *))core2[8];
	void (*mark)(void *, const struct event *) = (void (*)(void *, const struct event *))core2[1];
	uint64_t (*start)(void *, const struct event *) = (uint64_t(*)(void *, const struct event *))core2[2];
	void (*end)(void *, uint64_t) = (void (*)(void *, uint64_t))core2[3];
	int (*push)(void *, const struct event *) = (int (*)(void *, const struct event *))core2[4],
					       (*pop)(void *) = (int (*)(void *))core2[5];

	for (int i = 0; i < 4; i++) {
		void *domain = create(names[i]);
		struct event e = { .version = 3,
			.size = sizeof e,
			.message_type = 3,
			.message = domain ? string(domain, names[i]) : NULL };

		if (!domain || !e.message)
			return fail("a handle is missing");
		category(domain, 5, "kind");
		if (push(domain, &e) != -2)
			return fail("push does not answer that levels are not tracked");
		mark(domain, &e);
		end(domain, start(domain, &e));
		if (pop(domain) != -2)
			return fail("pop does not answer that levels are not tracked");
	}
	if (core[9]) {
		((int (*)(const char *))core[9])("default");
		((int (*)(void))core[11])();
	}
	return 0;
}

/* Names given in the middle of many ranges: a ring has long taken their place again when the last range ends. */
static int use_many(void)
{
	void *(*create)(const char *) = (void *(*)(const char *))core2[12];
	void *(*string)(void *, const char *) = (void *(*)(void *, const char *))core2[10];
	void (*category)(void *, uint32_t, const char *) = (void (*)(void *, uint32_t, const char *))core2[8];
	void (*mark)(const char *) = (void (*)(const char *))core[2];
	int (*push)(void *, const struct event *) = (int (*)(void *, const struct event *))core2[4],
					       (*pop)(void *) = (int (*)(void *))core2[5];

	for (int i = 0; i < 30000; i++)
		mark("before");
	void *domain = create("mine");
	struct event e = {
		.version = 3, .size = sizeof e, .category = 5, .message_type = 3, .message = string(domain, "kept")
	};

	category(domain, 5, "kind");
	for (int i = 0; i < 200000; i++) {
		push(domain, &e);
		pop(domain);
	}
	return 0;
}

static void in_range(const char *name, int kernels, int copies, cl_command_queue queue)
{
	int data[4];

	((int (*)(const char *))core[9])(name);
	for (int i = 0; i < kernels; i++)
		CHECK(run_kernel(queue, 0, NULL, NULL));
	for (int i = 0; i < copies; i++)
		CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
	CHECK(clFinish(queue));
}

static int use_opencl(void)
{
	int (*pop)(void) = (int (*)(void))core[11];
	cl_command_queue queue;

	open_context();
	open_kernel();
	queue = open_queue(0);
	in_range("first", 1, 0, queue);
	pop();
	CHECK(run_kernel(queue, 0, NULL, NULL));
	in_range("outer", 0, 0, queue);
	in_range("inner", 2, 1, queue);
	pop();
	pop();
	return 0;
}

static sigjmp_buf out;
static void leave(int number) { siglongjmp(out, number); }

static int use_jumps(void)
{
	void (*mark)(const char *) = (void (*)(const char *))core[2];
	struct itimerval soon = { { 0, 0 }, { 0, 100 } };       /* once: a slow machine must get on between two */
	volatile unsigned begun = 0, back = 0;

	signal(SIGALRM, leave);
	for (volatile int jumps = 0; jumps < 100;) {
		if (sigsetjmp(out, 1)) {
			jumps++;
			continue;
		}
		setitimer(ITIMER_REAL, &soon, NULL);
		for (;;) {
			begun++;
			mark("in time");
			back++;
		}
	}
	printf("%u %u\n", begun, back);
	return 0;
}

static bool speaks_late;

/* Behind every exit handler. */
__attribute__((destructor)) static void late(void)
{
	for (int i = 0; speaks_late && i < 3; i++)
		((void (*)(const char *))core[2])("late");
}

int main(int argc, char **argv)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t)) =
		library ? (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2") : NULL;

	for (int i = 0; i < 16; i++) {
		core_slots[i] = &core[i];
		core2_slots[i] = &core2[i];
	}
	if (argc > 1 && !strcmp(argv[1], "old"))
		offered = 10;
	if (!init || !init(table)) {
		puts("no tool");
		return 0;
	}
	if (offered < 16) {
		((int (*)(const char *))core[9])("old client");
		return core[10] || core2[5] ? fail("a slot that was not offered was written") : 0;
	}
	if (argc > 1 && !strcmp(argv[1], "late")) {
		((void (*)(const char *))core[2])("in time");
		speaks_late = true;
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "killed")) {
		for (int i = 0; i < 700; i++)
			((void (*)(const char *))core[2])("before the end");
		raise(SIGKILL);
	}
	if (argc > 1 && !strcmp(argv[1], "jumps"))
		return use_jumps();
	if (argc > 1 && !strcmp(argv[1], "many"))
		return use_many();
	if (argc > 1)
		return strcmp(argv[1], "libraries") ? use_opencl() : use_libraries();
	return use_core() || use_domains();
}
