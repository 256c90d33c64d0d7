/*
 * tests/unit/shim_unwind.c - the unwinder finds what the C library's finds, and libunwind, wherever it is asked, and
 * stops where a stack is damaged
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "collectors/collector.h"
#include "collectors/stack/internal.h"

#define DEEP 400

struct taken {
	uintptr_t own[DEEP];
	void *theirs[DEEP + 2], *third[DEEP + 2];
	int n_own, n_theirs, n_third;
	uint32_t flags;
};
static struct taken taken;
static int (*libunwind)(void **, int);          /* NULL: it is not installed */
static bool only_fp;

static int walk_all(const struct tap_frame *from, uintptr_t *out, int most, uint32_t *flags)
{
	struct tap_walk w = { .frame = *from, .only_fp = only_fp };
	int n = 0;

	tap_walk_begin(&w);
	while (n < most && tap_walk_next(&w))
		out[n++] = w.frame.pc;
	*flags = w.flags;
	return n;
}

static __attribute__((noinline)) void take(struct taken *t)
{
	struct tap_frame here = { 0 };

	TAP_FRAME_HERE(&here);
	t->n_theirs = backtrace(t->theirs, DEEP + 2);
	t->n_third = libunwind ? libunwind(t->third, DEEP + 2) : 0;
	t->n_own = walk_all(&here, t->own, DEEP, &t->flags);
}

/* Both begin in take itself; theirs tells it, ours tells its callers. */
static void equal_to_theirs(const struct taken *t)
{
	bool less;

	assert_true(t->n_own > 2);
	assert_int_equal(t->n_own, t->n_theirs - 1);
	for (int i = 0; i < t->n_own; i++)
		assert_ptr_equal((void *)t->own[i], t->theirs[i + 1]);
	if (!libunwind)
		return;
	assert_int_equal(t->n_own, t->n_third - 1);
	/* libunwind before 1.6 may tell the byte before a return address; then it does so of the first frame too. */
	less = t->own[0] - 1 == (uintptr_t)t->third[1];
	for (int i = 0; i < t->n_own; i++)
		if (!less || t->own[i] - 1 != (uintptr_t)t->third[i + 1])
			assert_ptr_equal((void *)t->own[i], t->third[i + 1]);
}

/* A frame of its own, which the compiler may not make a loop of. */
static __attribute__((noinline)) int recurse(int n, void (*then)(void))
{
	volatile int one = 1;

	if (n == 0)
		then();
	else
		recurse(n - 1, then);
	return one;
}

static void take_here(void) { take(&taken); }

/* Every comparison above and below is with it too, where it is installed. */
static void libunwind_is_asked_too(void **state)
{
	(void)state;
	if (!libunwind) {
		print_message("skipped: libunwind.so.8 is not installed (libunwind8)\n");
		skip();
	}
	recurse(100, take_here);
	assert_true(taken.n_third > 100);
	equal_to_theirs(&taken);
}

/* From main to here, and from any depth. */
static void equals_backtrace(void **state)
{
	(void)state;
	for (int depth = 0; depth < 300; depth += 37) {
		recurse(depth, take_here);
		equal_to_theirs(&taken);
		assert_false(taken.flags & (REC_STACK_STOPPED | REC_STACK_GUESSED));
	}
}

static int compare(const void *a, const void *b)
{
	if (!taken.n_own)
		take(&taken);
	return *(const int *)a - *(const int *)b;
}

/* Through a function of the C library, which has no frame pointers. */
static void through_the_library(void **state)
{
	int v[2] = { 2, 1 };

	(void)state;
	taken.n_own = 0;
	qsort(v, 2, sizeof *v, compare);
	equal_to_theirs(&taken);
}

/* gcc addresses such a frame by an expression: its stack is aligned anew, and its size is known at run time only. */
static __attribute__((noinline)) void aligned(int n)
{
	volatile char room[n] __attribute__((aligned(64)));

	room[0] = 1;
	take(&taken);
	room[n - 1] = room[0];
}

static void aligned_frames(void **state)
{
	(void)state;
	aligned(1000);
	equal_to_theirs(&taken);
}

static void *on_thread(void *arg)
{
	(void)arg;
	recurse(20, take_here);
	return NULL;
}

/* A thread's stack ends in the function that begins it. */
static void a_thread(void **state)
{
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, on_thread, NULL), 0);
	pthread_join(t, NULL);
	equal_to_theirs(&taken);
	assert_false(taken.flags & REC_STACK_STOPPED);
}

static void on_signal(int sig)
{
	(void)sig;
	take(&taken);
}

static void raise_it(void) { raise(SIGUSR1); }

/* From a handler to what it interrupted, on the same stack and from one of its own. */
static void from_a_handler(void **state)
{
	static char room[1 << 16];
	stack_t own = { .ss_sp = room, .ss_size = sizeof room };
	struct sigaction a = { .sa_handler = on_signal };

	(void)state;
	for (int alternate = 0; alternate < 2; alternate++) {
		a.sa_flags = alternate ? SA_ONSTACK : 0;
		assert_int_equal(sigaltstack(&own, NULL), 0);
		sigaction(SIGUSR1, &a, NULL);
		recurse(5, raise_it);
		equal_to_theirs(&taken);
	}
	own.ss_flags = SS_DISABLE;
	sigaltstack(&own, NULL);
}

/* The same by the list of objects that older C libraries need. */
static void by_the_list(void **state)
{
	(void)state;
	tap_objects_listed = true;
	tap_rules_forget();
	tap_objects_list();
	recurse(10, take_here);
	tap_objects_listed = false;
	equal_to_theirs(&taken);
}

/* ------------------------------------------------------------------ other stacks */

static ucontext_t home, fiber;

static void on_fiber(void)
{
	take(&taken);
	swapcontext(&fiber, &home);
}

/* A stack that the program made: nobody knows where it ends, and behind it there is no memory. */
static void a_fiber(void **state)
{
	size_t bytes = 1 << 16;
	char *room = mmap(NULL, bytes + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(room, MAP_FAILED);
	mprotect(room, bytes, PROT_READ | PROT_WRITE);
	getcontext(&fiber);
	fiber.uc_stack.ss_sp = room;
	fiber.uc_stack.ss_size = bytes;
	makecontext(&fiber, on_fiber, 0);
	swapcontext(&home, &fiber);
	assert_true(taken.n_own >= 1);
	assert_ptr_equal((void *)taken.own[0], taken.theirs[1]);
	munmap(room, bytes + 4096);
}

/*
 * Whatever a frame says, nothing outside the stack is read: a copy of a stack is damaged word by word, in every way a
 * walk could follow.
 */
static void damaged_stacks(void **state)
{
	static const uintptr_t wrong[] = { 0, 1, 8, UINTPTR_MAX, UINTPTR_MAX - 7, 0x1000, 1ull << 47,
		(uintptr_t)damaged_stacks };
	size_t bytes = 1 << 14;
	uintptr_t *room = mmap(NULL, bytes + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct tap_frame here = { 0 };
	uintptr_t out[64];
	uint32_t flags;
	size_t words = bytes / sizeof *room;

	(void)state;
	mprotect(room, bytes, PROT_READ | PROT_WRITE);
	TAP_FRAME_HERE(&here);
	for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
		for (size_t at = 0; at < 256; at++) {
			struct tap_frame f = { here.pc, (uintptr_t)(room + words - 256), 0, 0 };

			f.fp = f.sp + at * 8;
			for (size_t i = words - 256; i < words; i++)
				room[i] = i % 3 ? here.pc : (uintptr_t)(room + i + 2);
			room[words - 256 + at] = wrong[w];
			assert_true(walk_all(&f, out, 64, &flags) <= 64);
			f.fp = wrong[w];
			assert_true(walk_all(&f, out, 64, &flags) <= 64);
			f.sp = (uintptr_t)(room + words - 2);
			assert_true(walk_all(&f, out, 64, &flags) <= 64);
		}
	munmap(room, bytes + 4096);
}

/* What a frame pointer leads to is marked as a guess; it stops at the end of the stack. */
static void frame_pointers_alone(void **state)
{
	uintptr_t room[8] = { 0 };
	struct tap_frame f = { 0x1000, (uintptr_t)room, (uintptr_t)room, 0 };
	uintptr_t out[8];
	uint32_t flags;

	(void)state;
	room[0] = (uintptr_t)(room + 2);
	room[1] = 0x2000;
	room[2] = 0x10;
	room[3] = 0x3000;
	assert_int_equal(walk_all(&f, out, 8, &flags), 2);
	assert_int_equal(out[0], 0x2000);
	assert_int_equal(out[1], 0x3000);
	assert_int_equal(flags, REC_STACK_GUESSED | REC_STACK_STOPPED);
}

#ifdef __x86_64__
/* With unwind tables, as compilers write them: that rbp is back stands nowhere. Without: by the frame pointer. */
__asm__(".text\n"
	"with_tables:\n\t.cfi_startproc\n\tpush %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 6, -16\n"
	"\tpush %rbx\n"
	"\t.cfi_def_cfa_offset 24\n\tnop\n\tpop %rbx\n\t.cfi_def_cfa_offset 16\n\tpop %rbp\n\t.cfi_def_cfa_offset 8\n"
	"\tret\n\t.cfi_endproc\n"
	"without_tables:\n\tendbr64\n\tpush %rbp\n\tmov %rsp, %rbp\n\tpush %rbx\n\tnop\n\tpop %rbx\n\tpop %rbp\n\tret\n"
	"without_end:\n");
void with_tables(void), without_tables(void), without_end(void);

static struct { uintptr_t low, high, back; int right, wrong; } stepped;

/* Behind each instruction, with the next one to come. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	uintptr_t pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	struct tap_walk w = { .signals = 0 };

	(void)sig, (void)info;
	if (pc < stepped.low || pc >= stepped.high)
		return;
	tap_walk_from(&w, context);
	tap_walk_begin(&w);
	if (tap_walk_next(&w) && w.frame.pc == stepped.back)
		stepped.right++;
	else
		stepped.wrong++;
}

static __attribute__((noinline)) void step_through(void (*function)(void))
{
	/* below the red zone, of which the compiler does not know that it is used */
	__asm__ volatile("lea 1f(%%rip), %%rax\n\tmov %%rax, %0\n\tlea -128(%%rsp), %%rsp\n"
			 "\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tcall *%1\n"
			 "1:\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
			 : "=m"(stepped.back)
			 : "r"(function)
			 : "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}

/* A sample may interrupt any instruction, before a function has made its frame and behind where it gave it back. */
static void at_every_instruction(void **state)
{
	struct sigaction a = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK }, old;
	static char room[1 << 16];
	stack_t own = { .ss_sp = room, .ss_size = sizeof room };

	(void)state;
	sigaltstack(&own, NULL);        /* the red zone is not ours */
	sigaction(SIGTRAP, &a, &old);
	for (int tables = 0; tables < 2; tables++) {
		stepped.low = tables ? (uintptr_t)with_tables : (uintptr_t)without_tables;
		stepped.high = tables ? (uintptr_t)without_tables : (uintptr_t)without_end;
		stepped.right = stepped.wrong = 0;
		step_through(tables ? with_tables : without_tables);
		assert_int_equal(stepped.wrong, 0);
		assert_int_equal(stepped.right, tables ? 6 : 8);
	}
	sigaction(SIGTRAP, &old, NULL);
	own.ss_flags = SS_DISABLE;
	sigaltstack(&own, NULL);
}

/* Nor has code that is not there a beginning. */
static void no_code(void **state)
{
	uintptr_t room[4] = { 0, 0, 0, 0 }, out[4];
	struct tap_frame f = { 0x10, (uintptr_t)room, (uintptr_t)room, 0 };
	uint32_t flags;

	(void)state;
	assert_int_equal(walk_all(&f, out, 4, &flags), 0);
	assert_int_equal(flags, REC_STACK_GUESSED | REC_STACK_STOPPED);
}
#define STEPS cmocka_unit_test(at_every_instruction), cmocka_unit_test(no_code),
#else
#define STEPS
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libunwind_is_asked_too), cmocka_unit_test(equals_backtrace),
		cmocka_unit_test(through_the_library),
		cmocka_unit_test(aligned_frames), cmocka_unit_test(a_thread), cmocka_unit_test(from_a_handler),
		cmocka_unit_test(by_the_list), cmocka_unit_test(a_fiber), cmocka_unit_test(damaged_stacks),
		cmocka_unit_test(frame_pointers_alone), STEPS
	};

#ifdef __SANITIZE_ADDRESS__
	puts("skipped: a sanitizer puts a frame of its own between backtrace() and what it is compared with");
	return 77;
#endif
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	if (library)
		*(void **)&libunwind = dlsym(library, "unw_backtrace");
	tap_way_in.dlsym = dlsym;               /* as the constructor fills it: so the C library is asked */
	tap_objects_list();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
