/*
 * tests/fakegpu/core.c - faults, counters, clock, injection, and what happens around every call: callbacks, ids, API
 * records
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct fg_state fg_state;
/* so that a client need not ask for a device's name to know */
FG_EXPORT const char gputap_stand_in[] = "gputap stand-in";

static struct { char name[32]; long value; atomic_ulong asked; } faults[24];
static int n_faults;
static atomic_long counters[FG_COUNTERS];
static atomic_uint next_correlation, next_id;
static __thread int depth;                      /* of our own calls, runtime over driver */
static __thread uint32_t outer_correlation;
__thread bool fg_in_resource_callback, fg_at_entry;
static __thread struct { uint64_t id[16]; int n; } external[6];

__attribute__((constructor)) static void read_environment(void)
{
	const char *text = getenv("FAKEGPU_FAULTS"), *driver = getenv("FAKEGPU_DRIVER"),
		   *version = getenv("FAKEGPU_CUPTI_VERSION");
	static char copy[512];
	char *save = NULL;

	fg_state.driver_version = driver ? atoi(driver) : 13000;
	fg_state.cupti_version = version ? (uint32_t)atoi(version) : 0;
	fg_state.attribute[0] = 3200000;
	fg_state.attribute[2] = 250;
	fg_state.attribute[6] = 3;
	snprintf(copy, sizeof copy, "%s", text ? text : "");
	for (char *part = strtok_r(copy, ",", &save); part && n_faults < 24; part = strtok_r(NULL, ",", &save)) {
		char *equal = strchr(part, '=');

		faults[n_faults].value = equal ? atol(equal + 1) : 1;
		snprintf(faults[n_faults++].name, sizeof faults->name, "%.*s",
			equal ? (int)(equal - part) : (int)strlen(part), part);
	}
}

__attribute__((destructor)) static void write_report(void)
{
	static const char *const names[] = { "driver-calls", "runtime-calls", "callbacks", "records", "dropped",
		"buffers-requested", "buffers-declined", "buffers-completed", "flushes", "forced-flushes", "kernels",
		"copies", "sets", "graph-launches", "injections", "injections-refused", "live-memory", "live-streams",
		"live-events", "live-graphs", "live-modules" };
	const char *path = getenv("FAKEGPU_REPORT");
	unsigned long long on = 0;
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "gputap stand-in\n");
	for (int i = 0; i < FG_COUNTERS; i++)
		fprintf(f, "%s %ld\n", names[i], atomic_load(&counters[i]));
	fprintf(f, "pre-allocated %ld\nhost-pinned %ld\nper-thread-buffers %ld\n", (long)fg_state.attribute[6],
		(long)fg_state.attribute[8], (long)fg_state.attribute[9]);
	for (int i = 0; i < FG_KINDS; i++)
		on |= (unsigned long long)(fg_state.kind_on[i] != 0) << i;
	fprintf(f, "still-on %llu\n", on);
	fclose(f);
}

void fg_count(enum fg_counter c, long n) { atomic_fetch_add_explicit(&counters[c], n, memory_order_relaxed); }
uint32_t fg_next_id(void) { return atomic_fetch_add(&next_id, 1) + 1; }

static int find_fault(const char *name)
{
	for (int i = 0; i < n_faults; i++)
		if (!strcmp(faults[i].name, name))
			return i;
	return -1;
}

bool fg_fault(const char *name, long *value)
{
	int i = n_faults ? find_fault(name) : -1;

	if (i >= 0 && value)
		*value = faults[i].value;
	return i >= 0;
}

bool fg_fault_due(const char *name)
{
	int i = n_faults ? find_fault(name) : -1;

	return i >= 0 && faults[i].value > 0 &&
		(atomic_fetch_add(&faults[i].asked, 1) + 1) % (unsigned long)faults[i].value == 0;
}

uint64_t fg_now(void)
{
	static _Atomic int64_t first;
	int64_t ns, none = 0;
	struct timespec t;
	long ppm;

	if (fg_state.timestamp)
		return fg_state.timestamp();
	clock_gettime(CLOCK_REALTIME, &t);
	ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + fg_state.clock_shift;
	if (fg_fault("clock-rate", &ppm)) {
		atomic_compare_exchange_strong(&first, &none, ns);
		ns += (ns - first) * ppm / 1000000;
	}
	return (uint64_t)ns;
}

uint32_t fg_thread_id(void)
{
	static __thread uint32_t cached;

	if (fg_state.thread_id_type != 1)
		return (uint32_t)(uintptr_t)pthread_self();
	if (!cached)
		cached = (uint32_t)syscall(SYS_gettid);
	return cached;
}

/*
 * $CUDA_INJECTION64_PATH, in cuInit, on its thread, before devices are found. Refused (0): closed at once, tried again
 * at the next cuInit. Seen with real drivers: a missing file is ignored, a colon list is not split.
 */
void fg_inject(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool accepted;
	const char *path = getenv("CUDA_INJECTION64_PATH");

	if (!path || !*path || (fg_state.pid && fg_state.pid != getpid()))
		return;
	pthread_mutex_lock(&lock);
	if (!accepted) {
		void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		int (*entry)(void) = lib ? (int (*)(void))dlsym(lib, "InitializeInjection") : NULL;

		if (entry) {
			fg_count(FG_C_INJECTIONS, 1);
			accepted = entry() != 0;
		}
		if (lib && !accepted) {
			fg_count(FG_C_INJECTION_REFUSED, 1);
			dlclose(lib);
		}
	}
	pthread_mutex_unlock(&lock);
}

const char *fg_callback_name_of(int domain, uint32_t cbid)
{
	if (fg_state.replay_name)
		return fg_state.replay_name(domain, cbid);
	for (const struct fg_callback_name *n = fg_callback_names; n->name; n++)
		if (n->domain == domain && n->cbid == cbid)
			return n->name;
	return NULL;
}

static bool callback_wanted(int domain, uint32_t cbid)
{
	return fg_state.callback && !fg_state.finalized && fg_state.callback_on[domain][cbid];
}

/* A callback of the client: its own CUDA calls inside are calls of their own, not nested in ours. */
static void call_client(int domain, uint32_t cbid, const void *data)
{
	int outer = depth;
	uint32_t correlation = outer_correlation;
	fg_callback f = fg_state.callback;

	if (!f)
		return;
	fg_count(FG_C_CALLBACKS, 1);
	depth = 0;
	f(fg_state.user, domain, cbid, data);
	depth = outer;
	outer_correlation = correlation;
}

/* The kernel of a launch by the driver is told at its entry already. */
static const char *launched(const struct fg_call *c)
{
	bool is = c->domain == FG_DRIVER && c->args && !strncmp(c->name, "cuLaunch", 8) && strstr(c->name, "Kernel");
	const struct fg_function *const *args = c->args;
	const struct fg_function *f = is ? args[strstr(c->name, "KernelEx") != NULL] : NULL;

	return f && f->magic == FG_FUNCTION_ ? f->name : NULL;
}

static void call_site(struct fg_call *c, int site)
{
	struct fg_context *ctx = fg_current();
	struct fg_callback_data d = { .site = site,
		.name = c->name,
		.args = c->args,
		.result = site ? &c->result : NULL,
		.symbol = c->symbol ? c->symbol : launched(c),
		.context = ctx,
		.context_id = ctx ? ctx->id : 0,
		.correlation_data = &c->data,
		.correlation = c->correlation };

	fg_at_entry = !site;
	call_client(c->domain, c->cbid, &d);
	fg_at_entry = false;
}

static bool api_recorded(int domain, uint32_t cbid)
{
	return (fg_kind_on(domain == FG_DRIVER ? FG_DRIVER_API : FG_RUNTIME_API) && !fg_state.api_off[domain][cbid]) ||
		fg_state.api_on[domain][cbid];
}

static void record_external(const struct fg_call *c)
{
	for (unsigned k = 0; k < 6; k++)
		if (external[k].n > 0) {
			struct fg_rec r = { { 0 } };

			PUT(&r, EXTERNAL_CORRELATION, externalKind, k);
			PUT(&r, EXTERNAL_CORRELATION, externalId, external[k].id[external[k].n - 1]);
			PUT(&r, EXTERNAL_CORRELATION, correlationId, c->correlation);
			fg_emit(FG_EXTERNAL_CORRELATION, &r);
		}
}

/* Real ones wrap at 2^32. */
static uint32_t new_correlation(void)
{
	long most;
	uint32_t id = atomic_fetch_add(&next_correlation, 1);

	return fg_fault("wrapping-ids", &most) && most > 0 ? id % (uint32_t)most + 1 : id + 1;
}

/* A driver call inside a runtime call has its correlation id, as in real traces. */
void fg_enter(struct fg_call *c)
{
	if (fg_state.replaying)
		return;
	c->outermost = depth++ == 0;
	if (c->outermost)
		outer_correlation = new_correlation();
	c->correlation = outer_correlation;
	fg_count(c->domain == FG_DRIVER ? FG_C_DRIVER_CALLS : FG_C_RUNTIME_CALLS, 1);
	fg_counts_call(c);
	if (c->outermost && fg_kind_on(FG_EXTERNAL_CORRELATION) &&
		(api_recorded(FG_DRIVER, c->cbid) || api_recorded(FG_RUNTIME, c->cbid)))
		record_external(c);
	if (callback_wanted(c->domain, c->cbid)) {
		c->called = true;
		call_site(c, 0);
	}
	c->start = fg_now();
}

int fg_leave(struct fg_call *c, int result)
{
	uint64_t end = fg_now();

	if (fg_state.replaying)
		return result;
	c->result = result;
	if (api_recorded(c->domain, c->cbid)) {
		struct fg_rec r = { { 0 } };

		PUT(&r, RUNTIME, cbid, c->cbid);        /* driver and runtime records are one layout */
		PUT(&r, RUNTIME, start, c->start);
		PUT(&r, RUNTIME, end, end);
		PUT(&r, RUNTIME, processId, getpid());
		PUT(&r, RUNTIME, threadId, fg_thread_id());
		PUT(&r, RUNTIME, correlationId, c->correlation);
		PUT(&r, RUNTIME, returnValue, result);
		fg_emit(c->domain == FG_DRIVER ? FG_DRIVER_API : FG_RUNTIME_API, &r);
	} else {
		fg_counts_unrecorded(c);
	}
	if (c->called && callback_wanted(c->domain, c->cbid))
		call_site(c, 1);
	depth--;
	return result;
}

void fg_resource(uint32_t cbid, struct fg_context *ctx, void *stream, void *descriptor)
{
	struct fg_resource_data d = { ctx, stream, descriptor };

	if (!callback_wanted(FG_RESOURCE, cbid) || fg_fault("no-resource-callbacks", NULL))
		return;
	fg_in_resource_callback = true;
	call_client(FG_RESOURCE, cbid, &d);
	fg_in_resource_callback = false;
}

struct state_data { int result; const char *message; };

/* CUPTI tells of its own state: 1 fatal, 2 error, 3 warning. After a fatal error it is finalised. */
void fg_tell_state(uint32_t cbid)
{
	struct state_data d = { CUPTI_UNKNOWN, "the stand-in was told to fail" };

	if (cbid == 1)
		fg_state.failed = true;
	if (callback_wanted(FG_STATE, cbid))
		call_client(FG_STATE, cbid, &d);
	if (cbid == 1)
		fg_state.finalized = true;
}

void fg_synchronized(uint32_t cbid, struct fg_context *ctx, struct fg_stream *s)
{
	void *d[2] = { ctx, s };

	if (callback_wanted(FG_SYNCHRONIZE, cbid))
		call_client(FG_SYNCHRONIZE, cbid, d);
}

int fg_push_external(unsigned kind, uint64_t id)
{
	if (kind < 1 || kind > 5 || external[kind].n == 16)
		return CUPTI_INVALID_PARAMETER;
	external[kind].id[external[kind].n++] = id;
	return CUPTI_OK;
}

int fg_pop_external(unsigned kind, uint64_t *id)
{
	if (kind < 1 || kind > 5)
		return CUPTI_INVALID_PARAMETER;
	if (!external[kind].n)
		return CUPTI_QUEUE_EMPTY;
	external[kind].n--;
	if (id)
		*id = external[kind].id[external[kind].n];
	return CUPTI_OK;
}
