/*
 * collectors/cupti/client.c - another client of CUPTI in the process: who came first keeps what is theirs
 *
 * CUPTI has one subscriber, one pair of buffer callbacks and one set of switches for a process; who registers buffers
 * or finalises takes them from whoever was there. A program that profiles itself must find CUPTI as it would without
 * us. So each of its calls that takes something is seen before CUPTI gets it (interpose/cupti.c):
 *
 * CLIENT2  What was there before us is left alone: with a subscriber or buffers of another's, CUDA is not traced.
 * CLIENT3  Who comes behind us gets all of it: first what is on a device is waited for, what only we switched on is
 *          switched off, our buffers come back by a flush, what we had set is set back, the subscription is given up;
 *          then the call is passed on. From there on CUPTI is not called any more. It is said once, and counted.
 * CLIENT4  A buffer of ours that CUPTI gives back to the client all the same never reaches it: its callbacks are
 *          registered behind ours.
 * CLIENT5  A client's flush and ours are never under way at once (FLUSH1).
 *
 * Runs      on the program's threads, in its calls of CUPTI.
 * Must not  hold a lock while CUPTI works, wait without a limit.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/cupti/client.h"

#include <errno.h>

#include "collectors/collector.h"
#include "collectors/counting.h"
#include "collectors/cupti/internal.h"
#include "collectors/futex.h"

#define START_NS 500000000ull           /* that our start may take */

enum tap_cupti_does {
	SUBSCRIBES, LEAVES, USES_HANDLE, GIVES_BUFFERS, TAKES_ALL, NAMES_THREADS, SETS, SWITCHES_ON, SWITCHES_OFF,
	FILTERS, FLUSHES, FINALIZES, COUNTS
};

static const struct { const char *name; enum tap_cupti_does does; unsigned argument; } entries[] = {
#define ENTRY(name, does, argument) { #name, does, argument },
#include "collectors/cupti/client.def"
};

/* What clients have, as far as they have said; bits of kinds and attributes by their numbers. */
static struct {
	uint64_t kinds, attributes;
	uint32_t subscribed, buffers, threads;
	tap_cupti_request *request;
	tap_cupti_complete *complete;
	char who[TAP_PATH_MAX];         /* came first; empty: the program itself */
} client;

bool tap_cupti_client_has_kind(uint32_t kind)
{
	return kind < TAP_CUPTI_KINDS && __atomic_load_n(&client.kinds, __ATOMIC_RELAXED) >> kind & 1;
}

bool tap_cupti_client_has_set(uint32_t attribute)
{
	return __atomic_load_n(&client.attributes, __ATOMIC_RELAXED) >> (attribute & 63) & 1;
}

bool tap_cupti_client_names_threads(void) { return TAP_READ_ONCE(client.threads); }

/* CLIENT2 */
const char *tap_cupti_client_first(void)
{
	if (!TAP_READ_ONCE(client.subscribed) && !TAP_READ_ONCE(client.buffers))
		return NULL;
	return client.who[0] ? client.who : "the program";
}

static void note(uint64_t *bits, uintptr_t number, bool on)
{
	if (number >= 64)
		return;
	if (on)
		__atomic_or_fetch(bits, 1ull << number, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(bits, ~(1ull << number), __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------ what is ours */

/* Is CUPTI ours, and in this process? */
static bool is_ours(void)
{
	return tap_cupti_alive() && TAP_READ_ONCE(tap_cupti.ready) && !TAP_READ_ONCE(tap_cupti.closed) &&
		tap_cupti.pid == tap_sys_getpid();
}

static bool is_our_library(const struct tap_cupti_call *c)
{
	return c->library == TAP_CUPTI_ADDRESS(cuptiGetVersion);
}

/* For a note that is made once: by whom. */
static const char *caller_of(const struct tap_cupti_call *c, char path[TAP_PATH_MAX])
{
	path[0] = 0;
	tap_way_in.path_of(c->caller, path, TAP_PATH_MAX);
	return path[0] ? path : "the program";
}

/* Another thread is inside cuInit, and we in there: what is ours is not settled yet. */
static void wait_for_start(void)
{
	uint32_t starter = TAP_READ_ONCE(tap_cupti.starter);
	uint64_t until = tap_now_ns() + START_NS;

	while (starter && starter != tap_sys_gettid() && TAP_READ_ONCE(tap_cupti.starter) == starter &&
		tap_now_ns() < until)
		tap_futex_wait(&tap_cupti.starter, starter, START_NS);
}

/* CLIENT3. Once; who comes meanwhile waits for it. */
static void give_way(const struct tap_cupti_call *c)
{
	static uint32_t taken;
	static char path[TAP_PATH_MAX];

	if (!is_ours())
		return;
	if (!__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL)) {
		tap_lost(REC_LOSS_CUPTI_TAKEN, 1);
		tap_note(TAP_PART_CUPTI,
			"CUDA is traced up to a call of %s: %s uses CUPTI%s itself, and has it to itself from then on; "
			"the rest is traced",
			entries[c->entry].name, caller_of(c, path), is_our_library(c) ? "" : " (another copy of it)");
		if (tap_counting)
			tap_counting->give_way(path[0] ? path : "the program", entries[c->entry].name);
	}
	tap_cupti_give_way();
}

/* A kind that only we had switched on goes off: the rest goes on. */
static void lose_kind(const struct tap_cupti_call *c, uint32_t kind)
{
	static uint32_t told;
	static char path[TAP_PATH_MAX];

	if (!is_ours() || !is_our_library(c) || kind >= TAP_CUPTI_KINDS || tap_cupti_client_has_kind(kind) ||
		!tap_cupti_has_kind(kind) || __atomic_exchange_n(&told, 1, __ATOMIC_ACQ_REL))
		return;
	tap_lost(REC_LOSS_CUPTI_TAKEN, 1);
	tap_note(TAP_PART_CUPTI,
		"CUDA is traced in part: %s switched off activities of kind %u, by %s; the rest is traced",
		caller_of(c, path), kind, entries[c->entry].name);
}

/* ------------------------------------------------------------------ buffers */

static void request_for_client(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	__atomic_load_n(&client.request, __ATOMIC_ACQUIRE)(buffer, bytes, max_records);
}

/* CLIENT4 */
static void complete_for_client(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	if (tap_cupti_is_buffer(buffer))
		tap_cupti_complete_buffer(context, stream, buffer, bytes, valid);
	else
		__atomic_load_n(&client.complete, __ATOMIC_ACQUIRE)(context, stream, buffer, bytes, valid);
}

static void flush_waste(void)
{
	int err = TAP_CUPTI(cuptiActivityFlushAll, 1);

	if (err)
		tap_cupti_note(TAP_CUPTI_cuptiActivityFlushAll, err, "CUPTI keeps buffers of gputap's for a while");
}

static void give_buffers(struct tap_cupti_call *c)
{
	TAP_WRITE_ONCE(client.buffers, 1);
	give_way(c);
	if (!tap_cupti_alive() || !is_our_library(c) || !c->argument[0] || !c->argument[1])
		return;
	if (!client.request && tap_cupti_waste_is_out())        /* of kinds that the client had on before */
		flush_waste();
	__atomic_store_n(&client.request, (tap_cupti_request *)c->argument[0], __ATOMIC_RELEASE);
	__atomic_store_n(&client.complete, (tap_cupti_complete *)c->argument[1], __ATOMIC_RELEASE);
	c->argument[0] = (uintptr_t)request_for_client;
	c->argument[1] = (uintptr_t)complete_for_client;
}

/* -------------------------------------------------------------------- calls */

/* Whether the call is a client's first of those that make it one; who it was is told when we come behind it. */
static void comes_first(const struct tap_cupti_call *c)
{
	if (!tap_cupti_client_first() && !tap_cupti_alive())
		tap_way_in.path_of(c->caller, client.who, sizeof client.who);
}

static void finalizes(const struct tap_cupti_call *c)
{
	give_way(c);
	__atomic_store_n(&client.kinds, 0, __ATOMIC_RELAXED);
	TAP_WRITE_ONCE(client.subscribed, 0);
	TAP_WRITE_ONCE(client.buffers, 0);
}

static void counts(const struct tap_cupti_call *c)
{
	static uint32_t told;
	static char path[TAP_PATH_MAX];

	if (tap_counting && is_ours() && !__atomic_exchange_n(&told, 1, __ATOMIC_ACQ_REL))
		tap_counting->give_way(caller_of(c, path), entries[c->entry].name);
}

/* Before CUPTI gets it. */
static void before(struct tap_cupti_call *c)
{
	uintptr_t told = c->argument[entries[c->entry].argument];

	switch (entries[c->entry].does) {
	case SUBSCRIBES:
		comes_first(c);
		TAP_WRITE_ONCE(client.subscribed, 1);
		return give_way(c);
	case LEAVES:
		TAP_WRITE_ONCE(client.subscribed, 0);
		/* fall through */
	case USES_HANDLE:
		if (is_our_library(c) && told && told == (uintptr_t)tap_cupti.subscriber)
			give_way(c);
		return;
	case GIVES_BUFFERS:
		comes_first(c);
		return give_buffers(c);
	case NAMES_THREADS:
		TAP_WRITE_ONCE(client.threads, 1);
		return give_way(c);
	case SETS:
		return note(&client.attributes, told, true);
	case SWITCHES_ON:
		note(&client.kinds, (uint32_t)told, true);
		return give_way(c);
	case SWITCHES_OFF:
		lose_kind(c, (uint32_t)told);
		return note(&client.kinds, (uint32_t)told, false);
	case FILTERS:
		return give_way(c);
	case TAKES_ALL:
		return give_way(c);
	case FINALIZES:
		return finalizes(c);
	case COUNTS:
		return counts(c);
	case FLUSHES:
		return;
	}
}

/* What CUPTI refused a client is not that client's: we do not come behind it. */
struct had { uint64_t kinds, attributes; uint32_t subscribed, buffers, threads; };

static void refused(const struct tap_cupti_call *c, const struct had *had)
{
	uintptr_t told = (uint32_t)c->argument[entries[c->entry].argument];

	switch (entries[c->entry].does) {
	case SUBSCRIBES:
	case LEAVES:
		TAP_WRITE_ONCE(client.subscribed, had->subscribed);
		return;
	case GIVES_BUFFERS:
		TAP_WRITE_ONCE(client.buffers, had->buffers);
		return;
	case SWITCHES_ON:
		return note(&client.kinds, told, told < 64 && had->kinds >> told & 1);
	case SETS:
		return note(&client.attributes, told, told < 64 && had->attributes >> told & 1);
	case NAMES_THREADS:
		TAP_WRITE_ONCE(client.threads, had->threads);
		return;
	default:
		return;
	}
}

int tap_cupti_client_call(struct tap_cupti_call *c)
{
	int saved = errno, result;
	const uintptr_t *a = c->argument;
	struct had had;
	bool flushes;

	wait_for_start();
	had.subscribed = TAP_READ_ONCE(client.subscribed);
	had.buffers = TAP_READ_ONCE(client.buffers);
	had.threads = TAP_READ_ONCE(client.threads);
	had.kinds = __atomic_load_n(&client.kinds, __ATOMIC_RELAXED);
	had.attributes = __atomic_load_n(&client.attributes, __ATOMIC_RELAXED);
	before(c);
	flushes = entries[c->entry].does == FLUSHES && is_ours() && is_our_library(c);
	if (flushes)
		tap_cupti_client_flush_begin();
	errno = saved;
	result = c->real(a[0], a[1], a[2], a[3], a[4], a[5]);
	if (result)
		refused(c, &had);
	if (flushes)
		tap_cupti_client_flush_end();
	return result;
}
