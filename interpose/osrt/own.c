/*
 * interpose/osrt/own.c - wrappers that are more than a call between two stamps: threads, vfork, syscall
 *
 * Runs      on any thread of the traced program, in signal handlers.
 * Must not  allocate, lock, change errno.
 *
 * OSRT4  vfork returns twice into its caller's frame, which the child may have changed by then: the return address is
 *        kept in a register over the system call (vfork.S), and what must be remembered in a variable of the thread.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <string.h>

#include "interpose/osrt/osrt.h"
#include "trace/write/sys.h"

/* -------------------------------------------------------------------- threads */

/*
 * Where glibc's descriptor of a thread, whose address pthread_t is, holds the kernel's number of it: looked for in our
 * own. 0: not looked for; negative: it is not there.
 */
static int tid_at;

static int find_tid(const struct gputap_core *core)
{
	enum { BYTES = 2304, PIECE = 256, USUAL = 720 }; /* bytes: glibc 2.17 to 2.41 on x86-64 */
	uint32_t words[PIECE / 4], tid = tap_sys_gettid();
	const char *self = (const char *)(uintptr_t)pthread_self();

	if (core->peek(self + USUAL, words, sizeof *words) && *words == tid)
		return USUAL;
	for (int at = 0; at < BYTES; at += PIECE)
		for (int i = 0; i < PIECE / 4 && (i || core->peek(self + at, words, PIECE)); i++)
			if (words[i] == tid)
				return at + i * 4;
	return -1;
}

static int tid_of(const struct gputap_core *core, pthread_t thread)
{
	int tid = 0;

	if (!tid_at)
		tid_at = find_tid(core);
	return tid_at > 0 && core->peek((const char *)(uintptr_t)thread + tid_at, &tid, sizeof tid) ? tid : 0;
}

OSRT_EXPORT int osrt_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
	void *argument) __asm__("pthread_create");
int osrt_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	OSRT_CALL(call, OSRT_pthread_create, (uintptr_t)thread, (uintptr_t)attributes, (uintptr_t)start,
		(uintptr_t)argument, 0, 0);
	int ret = ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))osrt_real_of(
		OSRT_pthread_create))(thread, attributes, start, argument);

	if (call.core && !ret) {
		pthread_t created = *thread; /* it may be over, and its descriptor gone */

		call.arg[4] = created;
		call.arg[5] = (uint64_t)tid_of(call.core, created);
	}
	osrt_end(&call, OSRT_FAILS_CODE, true, ret);
	return ret;
}

/* ------------------------------------------------------------------ processes */

static __thread uint64_t vfork_tick __attribute__((tls_model("initial-exec")));

/* vfork.S */
__attribute__((visibility("hidden"))) void osrt_vfork_enter(void);
__attribute__((visibility("hidden"))) void osrt_vfork_leave(long ret);

void osrt_vfork_enter(void)
{
	const struct gputap_core *core = gputap_core_get(&osrt_thin);

	vfork_tick = core ? core->tick() : 0;
}

/* In the parent, when the child has made its exec or its end. */
void osrt_vfork_leave(long ret)
{
	const struct gputap_core *core = gputap_core_get(&osrt_thin);
	uint64_t end, link, start = vfork_tick;
	struct tap_stream *stream = core && start ? core->stream(&end) : NULL;
	int saved = errno;

	vfork_tick = 0;
	if (!stream)
		return;
	bool slow = (end - start) >> 32;
	uint32_t words = 3u + slow + 1;
	uint64_t *rec = core->reserve(stream, words, &link);

	if (rec) {
		rec[1] = start;
		rec[2] = (uint32_t)(end - start);
		if (slow)
			rec[3] = (end - start) >> 32;
		rec[words - 1] = (uint64_t)ret;
		core->commit(rec,
			rec_head((uint16_t)OSRT_FN(OSRT_vfork), words, slow ? REC_SLOW : 0, ret < 0 ? saved : 0));
	}
	errno = saved;
}

/* ---------------------------------------------------------------- system calls */

/* OSRT2. Those that the C library has no function for are reached here alone. */
OSRT_EXPORT long osrt_syscall(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
long osrt_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	static long (*real)(long, long, long, long, long, long, long);
	int index = osrt_index_of_syscall(number);

	if (!real) {
		int saved = errno;

		real = (long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall");
		errno = saved;
	}
	if (index < 0)
		return real(number, a, b, c, d, e, f);
	OSRT_CALL(call, (enum osrt_index)index, (uint64_t)a, (uint64_t)b, (uint64_t)c, (uint64_t)d, (uint64_t)e,
		(uint64_t)f);
	long ret = real(number, a, b, c, d, e, f);

	const struct osrt_function *function = &osrt_functions[index];

	osrt_end(&call, function->fails, function->always, ret);
	return ret;
}
