/*
 * interpose/osrt/osrt.h - calls of the C library that wait: what the wrappers of libgputap-osrt.so are made of
 *
 * api/osrt.api lists the functions, api/osrt.py makes the wrappers; one is
 *
 *	OSRT_CALL(call, OSRT_read, fd, buf, count);             // start stamp and slot, if somebody records
 *	ret = real(fd, buf, count);
 *	osrt_end(&call, OSRT_FAILS_ERRNO, false, ret);          // end stamp; a record, if it took long enough
 *
 * Runs      on any thread of the traced program, in signal handlers, before main and while it ends.
 * Must not  allocate, lock, change errno, call a function that it wraps itself.
 *
 * OSRT1  A call that is left by cancellation or an exception ends its record too (OSRT_CALL's clean-up, -fexceptions).
 *        One that longjmp leaves is found by the next call of the thread, as everywhere (write/call/call_inline.h:
 *        FRAME1).
 * OSRT2  Parameters that come behind "..." are taken from the registers in which named ones would come: the conventions
 *        of both machines put up to six integers there alike. One that the program did not give is what the register
 *        held; it is handed on, and not stored.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_OSRT_OSRT_H
#define GPUTAP_INTERPOSE_OSRT_OSRT_H

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "osrt_functions.h"
#include "trace/write/core.h"

#define OSRT_EXPORT __attribute__((visibility("default")))
#define OSRT_APART static __attribute__((noinline))
#define OSRT_FN(index) (OSRT_FIRST_FN + (uint32_t)(index)) /* as the trace numbers it */
#ifdef __x86_64__
#define OSRT_VERSIONS 1 /* some names have two, whose structures differ; on aarch64 none has */
#else
#define OSRT_VERSIONS 0
#endif

enum { OSRT_ARGS = 6 };

/* How a failure shows: -1 or NULL with errno, the error as what comes back, or not at all. */
enum osrt_fails { OSRT_FAILS_ERRNO, OSRT_FAILS_NULL, OSRT_FAILS_CODE, OSRT_FAILS_NEVER };

/* Of a function that is recorded: where its arguments lie, in halves behind the duration word (api/README.md). */
struct osrt_function {
	uint8_t fails;    /* enum osrt_fails */
	bool always;      /* whatever its duration */
	uint8_t n, words; /* arguments; words for them and what comes back, copies apart */
	int8_t ret_at;    /* -1: only the result */
	struct {
		int8_t at;
		uint8_t bytes;
		bool text;
	} arg[OSRT_ARGS];
};
struct osrt_symbol {
	const char *name, *version;
};

/* build/gen/osrt_table.c */
extern const struct osrt_function osrt_functions[OSRT_RECORDED];
extern const struct osrt_symbol osrt_symbols[OSRT_COUNT];
extern struct gputap_thin osrt_thin;
int osrt_index_of_syscall(long number); /* -1: none that is traced */

struct osrt_call {
	struct gputap_call call;
	const struct gputap_core *core; /* NULL: only forwarded, or over */
	enum osrt_index index;
	uint64_t *arg; /* as many as the function has, 4 at least: what a slot holds */
};

extern void *osrt_real[OSRT_COUNT]; /* NULL: not looked up yet */
extern const char *osrt_one_thread; /* glibc's word for it, 2.32 and later; of an older one a 0 */
extern uint64_t osrt_least_ticks;   /* what --osrt-threshold says; 0 also while it is not known */
void *osrt_resolve(enum osrt_index index);
void osrt_finish(struct osrt_call *call, bool always, long ret, int error);
void osrt_cancelled(struct osrt_call *call);
void osrt_cancellation_point(void);

static inline void *osrt_real_of(enum osrt_index index)
{
	void *real = __atomic_load_n(&osrt_real[index], __ATOMIC_RELAXED);

	return __builtin_expect(real != NULL, 1) ? real : osrt_resolve(index);
}

static inline __attribute__((always_inline)) void osrt_begin(struct osrt_call *call, enum osrt_index index)
{
	const struct gputap_core *core = gputap_core_get(&osrt_thin);

	if (core && core->call_begin(&call->call, OSRT_FN(index), REC_DOMAIN_OSRT, call->arg))
		call->core = core;
}

/* The error a call ended with, 0 = none. */
static inline int osrt_error(enum osrt_fails fails, long ret)
{
	switch (fails) {
	case OSRT_FAILS_ERRNO:
		return ret == -1 ? errno : 0;
	case OSRT_FAILS_NULL:
		return ret == 0 ? errno : 0;
	case OSRT_FAILS_CODE:
		return (int)ret;
	default:
		return 0;
	}
}

/* Of a function that is not recorded always most calls end with the first test. */
static inline void osrt_end(struct osrt_call *call, enum osrt_fails fails, bool always, long ret)
{
	if (!call->core)
		return;
	int error = osrt_error(fails, ret);
	uint64_t least = always ? 0 : __atomic_load_n(&osrt_least_ticks, __ATOMIC_RELAXED);

	if (!call->core->call_stop_short(&call->call, error, least))
		osrt_finish(call, always, ret, error);
	call->core = NULL;
}

/* OSRT1 */
static inline void osrt_left(struct osrt_call *call)
{
	if (__builtin_expect(call->core != NULL, 0))
		osrt_cancelled(call);
}

#define OSRT_CALL(name, number, ...) \
	uint64_t name##_arg[] = { __VA_ARGS__ }; /* where they stay: a copy waits for the stores before it */ \
	struct osrt_call name __attribute__((cleanup(osrt_left))); \
\
	name.core = NULL; \
	name.index = number; \
	name.arg = name##_arg; \
	osrt_begin(&name, number)

/* The mode of an open, or 0 where none is given. */
static inline uint64_t osrt_mode(int flags, unsigned int mode) { return flags & (O_CREAT | __O_TMPFILE) ? mode : 0; }

/* A lock that is free is taken without a record; EBUSY: somebody holds it. */
static inline int osrt_try_code(void *real, void *object) { return ((int (*)(void *))real)(object); }

static inline int osrt_try_errno(void *real, void *object)
{
	int saved = errno;

	if (!((int (*)(void *))real)(object))
		return 0;
	errno = saved;
	return EBUSY;
}

/* glibc: what a stdio macro of any age reads of a FILE is where it always was. Read without its lock: a hint alone. */
struct osrt_file {
	int flags;
	const char *read_at, *read_end, *read_base, *write_base, *write_at, *write_end;
};

static inline bool osrt_file_reads(const void *file)
{
	const struct osrt_file *f = (const struct osrt_file *)file;

	return __atomic_load_n(&f->read_at, __ATOMIC_RELAXED) < __atomic_load_n(&f->read_end, __ATOMIC_RELAXED);
}

static inline bool osrt_file_writes(const void *file)
{
	const struct osrt_file *f = (const struct osrt_file *)file;

	return __atomic_load_n(&f->write_at, __ATOMIC_RELAXED) < __atomic_load_n(&f->write_end, __ATOMIC_RELAXED);
}

/*
 * Does the lock's own word say that somebody may wait? glibc: 2 = locked with waiters; of locks that inherit priority
 * or survive their holder the kernel's FUTEX_WAITERS bit. A hint: a wake that is not recorded loses an edge, no time.
 */
static inline bool osrt_mutex_contended(const void *mutex)
{
	uint32_t word = __atomic_load_n((const uint32_t *)mutex, __ATOMIC_RELAXED);

	return word == 2 || word & 0x80000000u;
}

/*
 * A free lock that nobody else can take before us: there is one thread, and no other process shares the lock. The C
 * library takes such a one without an atomic operation; a try always makes one, which costs as much as all the rest.
 */
static inline bool osrt_mutex_alone(const void *mutex)
{
	enum { WORD = 0, KIND = 4, SHARED = 0x80 };
	const uint32_t *word = (const uint32_t *)mutex;

	return *osrt_one_thread && !__atomic_load_n(&word[WORD], __ATOMIC_RELAXED) && !(word[KIND] & SHARED);
}

static inline bool osrt_rwlock_contended(const void *lock)
{
	enum { READERS = 0, PHASE_FUTEX = 2, WRITERS_FUTEX = 3, READER_WAITS = 4, FUTEX_USED = 2 };
	const uint32_t *word = (const uint32_t *)lock;

	return __atomic_load_n(&word[READERS], __ATOMIC_RELAXED) & READER_WAITS ||
		(__atomic_load_n(&word[PHASE_FUTEX], __ATOMIC_RELAXED) |
			__atomic_load_n(&word[WRITERS_FUTEX], __ATOMIC_RELAXED)) &
		FUTEX_USED;
}

#endif
