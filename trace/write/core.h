/*
 * trace/write/core.h - the core for objects outside libgputap.so: one exported, versioned table of functions
 *
 * A thin object (preloaded interposers of the OS runtime, libgomp, OpenGL; the Vulkan layer) includes this header alone
 * and links nothing of ours. It finds the table by the name "gputap_core" in the global scope, whatever the order in
 * which objects were loaded, and calls the program makes before that are counted and handed over as loss.
 *
 *	static struct gputap_thin me = GPUTAP_THIN("osrt", REC_DOMAIN_OSRT, REC_ASK_OSRT, functions);
 *
 *	const struct gputap_core *core = gputap_core_get(&me);
 *	struct gputap_call call;
 *
 *	if (!core || !core->call_begin(&call, FN_x, REC_DOMAIN_OSRT, (uint64_t[4]){ a, b, 0, 0 }))
 *		return real_x(a, b);            // no core, not wanted, or called from inside a call of the same domain
 *	ret = real_x(a, b);
 *	core->call_stop(&call, ret);            // end stamp; keeps the errno the call left
 *	uint64_t *out = core->call_reserve(&call, first_u32, words);
 *	if (out) { out[0] = a; ... }
 *	core->call_finish(&call);               // commit if reserved; slot freed; errno back
 *
 * A thin object is never unloaded (-z nodelete): the core keeps its address.
 *
 * Runs      on any thread of the traced program, around the real function; the rest of a thin object as its file says.
 * Must not  allocate, lock, change errno. dlsym is the only function of the C library that this header uses.
 *
 * THIN1  The first members of both structures, up to refuse and name, are the same in every version, past and to come:
 *        an object and a core of different versions can always tell each other that they are.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_CORE_H
#define GPUTAP_TRACE_WRITE_CORE_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format/rec.h"

/* Raised when a member changes or goes; members that are added at the end leave it. */
#ifndef GPUTAP_CORE_VERSION
#define GPUTAP_CORE_VERSION 1u
#endif

struct tap_stream;

/* A call on the caller's stack; the core's own. */
struct gputap_call {
	uint64_t words[16];
};

/* Of the words of call_reserve: a copy among them was cut (TAP_ARGS_CUT). */
#define GPUTAP_ARGS_CUT 0x80000000u

/* What an object brings. Its fields are never changed once the core has seen them. */
struct gputap_object {
	/* THIN1 */
	uint32_t version, bytes;        /* GPUTAP_CORE_VERSION; of struct gputap_core, both as it was built with */
	const char *name;               /* for notes */

	uint32_t domain;                /* enum rec_domain of its calls */
	uint32_t ask;                   /* enum rec_ask: what -t must name */
	/*
	 * Items of the function table for its functions (api/README.md), without the T line; the ids are of its
	 * domain's range (rec.h). "": it records no calls.
	 */
	const char *functions;
	size_t functions_bytes;
};

enum gputap_join {
	GPUTAP_NOT_YET = 0,             /* the constructor has not run: ask again */
	GPUTAP_JOINED,
	GPUTAP_NOT_WANTED,              /* for good: -t does not name it, or recording is off */
};

/* What the core offers. */
struct gputap_core {
	/* THIN1 */
	uint32_t version, bytes;
	/* For an object of another version: a note and a loss in the trace. False: not yet, ask again. */
	bool (*refuse)(const struct gputap_object *object);

	/* Before anything else. */
	enum gputap_join (*join)(const struct gputap_object *object);

	/* One traced call, with its slot: trace/write/call/call.h says what each does. */
	bool (*call_begin)(struct gputap_call *call, uint32_t fn, uint32_t domain, const uint64_t arg[4]);
	void (*call_stop)(struct gputap_call *call, int32_t result);
	uint64_t *(*call_reserve)(struct gputap_call *call, uint32_t first_u32, uint32_t words);
	void (*call_finish)(struct gputap_call *call);
	bool (*callback_begin)(struct gputap_call *call, uint32_t fn, uint32_t domain, const uint64_t arg[4]);
	/* Calls that the object makes itself between these are not recorded. */
	void (*own_calls_begin)(void);
	void (*own_calls_end)(void);

	/* Records: the thread's stream when one of now is wanted, and the tick; room in it; the end of it. */
	struct tap_stream *(*stream)(uint64_t *tick);
	uint64_t *(*reserve)(struct tap_stream *stream, uint32_t words, uint64_t *link);
	void (*commit)(uint64_t *rec, uint64_t head);
	bool (*record)(uint32_t id, int32_t result, const uint64_t *words, uint32_t n);
	bool (*text)(uint32_t id, uint64_t payload, const char *text, size_t bytes);
	void (*lost)(uint32_t reason, uint64_t n);
	uint64_t (*tick)(void);
	void (*note)(const char *text);

	/* The life of the image: trace/write/process.h. */
	void (*on_exit)(void (*fn)(int kind));
	uint64_t *(*fork_word)(void);

	/* An option's value: of a NUMBER, of a TIME in ns, of a FLAG 0 or 1. Slow: ask once. */
	uint64_t (*option)(const char *name);
	/* ns in ticks of the host clock; 0 while its rate is not known, in the first 0.1 ms. */
	uint64_t (*ticks)(uint64_t ns);
	/* How long a call took, between call_stop and call_finish. */
	uint64_t (*call_ticks)(const struct gputap_call *call);
	/* Copies memory that may not be mapped; false: it is not, or a seccomp filter forbids to ask. A system call. */
	bool (*peek)(const void *from, void *to, size_t bytes);

	/*
	 * Call stacks. stacks_from: calls of the domain that last at least so long get their stack with call_reserve
	 * from now on, if --callstacks names the object's word; false: it does not, or nothing here unwinds. stack: the
	 * calling thread's stack now, as the word of a record (rec_stack_word), 0 where there is none.
	 */
	bool (*stacks_from)(const struct gputap_object *object, uint64_t least_ns);
	uint64_t (*stack)(struct tap_stream *stream);
	/*
	 * call_stop, and of a call that took less than least ticks call_finish too: true, it is over without a record.
	 * False: it goes on as behind call_stop.
	 */
	bool (*call_stop_short)(struct gputap_call *call, int32_t result, uint64_t least);
	/*
	 * Memory for what an object keeps of each thread, behind a thread-local pointer of its own, at: static
	 * thread-local storage is scarce, and dynamic is allocated in handlers. See trace/write/thread_memory.h.
	 */
	void *(*thread_memory)(void **at, size_t bytes);
};

/* ------------------------------------------------------------ in the thin object */

struct gputap_thin {
	const struct gputap_core *core;         /* NULL: none yet, or none for us; set once */
	uint64_t missed;                        /* calls made before */
	uint32_t never;                         /* 1: refused, or not wanted */
	struct gputap_object object;
};

#define GPUTAP_THIN(name_, domain_, ask_, functions_) { .object = { \
	.version = GPUTAP_CORE_VERSION, .bytes = sizeof(struct gputap_core), .name = name_, \
	.domain = domain_, .ask = ask_, \
	.functions = functions_, .functions_bytes = sizeof functions_ - 1 } }

/* A look-up costs about a microsecond: often at first, then at each 1024th call. */
static inline bool gputap_core_look_now(uint64_t missed)
{
	return missed < 16 || missed % 1024 == 0 || (missed & (missed - 1)) == 0;
}

static inline const struct gputap_core *gputap_core_look_up(void)
{
	void *found = dlsym(RTLD_DEFAULT, "gputap_core");

	if (!found)
		dlsym(RTLD_DEFAULT, "dlsym");   /* success: no message of a failure is left for the program's dlerror */
	return (const struct gputap_core *)found;
}

/* Constructors of libraries run before the core's: whoever calls first makes its start. */
static inline void gputap_core_start(void)
{
	void (*start)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "gputap_start");

	if (start)
		start();
}

static __attribute__((noinline, cold, unused)) const struct gputap_core *gputap_core_find(struct gputap_thin *me)
{
	const struct gputap_core *core = NULL;
	enum gputap_join answer = GPUTAP_NOT_YET;
	int saved = errno;

	if (gputap_core_look_now(__atomic_load_n(&me->missed, __ATOMIC_RELAXED)))
		core = gputap_core_look_up();
	if (core)
		gputap_core_start();
	if (core && (core->version != me->object.version || core->bytes < me->object.bytes))
		answer = core->refuse(&me->object) ? GPUTAP_NOT_WANTED : GPUTAP_NOT_YET;
	else if (core)
		answer = core->join(&me->object);
	if (answer == GPUTAP_JOINED)
		__atomic_store_n(&me->core, core, __ATOMIC_SEQ_CST);
	else if (answer == GPUTAP_NOT_WANTED)
		__atomic_store_n(&me->never, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&me->missed, 1, __ATOMIC_SEQ_CST);
	/* Whoever comes last, finder or misser, sees the other's store and hands over what was missed. */
	core = __atomic_load_n(&me->core, __ATOMIC_SEQ_CST);
	if (core)
		core->lost(REC_LOSS_CORE_LATE, __atomic_exchange_n(&me->missed, 0, __ATOMIC_SEQ_CST));
	errno = saved;
	return answer == GPUTAP_JOINED ? core : NULL;
}

/* NULL: the call is only forwarded. */
static inline const struct gputap_core *gputap_core_get(struct gputap_thin *me)
{
	const struct gputap_core *core = __atomic_load_n(&me->core, __ATOMIC_ACQUIRE);

	if (__builtin_expect(core != NULL, 1))
		return core;
	return __atomic_load_n(&me->never, __ATOMIC_RELAXED) ? NULL : gputap_core_find(me);
}

#endif
