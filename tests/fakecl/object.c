/*
 * tests/fakecl/object.c - objects, reference counts, faults, the device clock, the closing report
 *
 * Freed objects are handed out again at once, last in first out, so that handles are reused as early as any runtime
 * could.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakecl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t fk_lock = PTHREAD_MUTEX_INITIALIZER;
struct fk_counts fk_counts;
long fk_live[FK_KINDS];
static struct fk_object *free_list[FK_KINDS];

static const size_t sizes[FK_KINDS] = {
	[FK_PLATFORM] = sizeof(struct _cl_platform_id),
	[FK_DEVICE] = sizeof(struct _cl_device_id),
	[FK_CONTEXT] = sizeof(struct _cl_context),
	[FK_QUEUE] = sizeof(struct _cl_command_queue),
	[FK_MEM] = sizeof(struct _cl_mem),
	[FK_SAMPLER] = sizeof(struct _cl_sampler),
	[FK_PROGRAM] = sizeof(struct _cl_program),
	[FK_KERNEL] = sizeof(struct _cl_kernel),
	[FK_EVENT] = sizeof(struct _cl_event),
	[FK_COMMAND_BUFFER] = sizeof(struct _cl_command_buffer_khr),
};

bool fk_fault(const char *name, long *value)
{
	const char *list = getenv("FAKECL_FAULTS");
	size_t n = strlen(name);

	for (const char *f = list; f && *f; f = strchr(f, ',') ? strchr(f, ',') + 1 : NULL)
		if (!strncmp(f, name, n) && (!f[n] || f[n] == ',' || f[n] == '=')) {
			if (value)
				*value = f[n] == '=' ? atol(f + n + 1) : 1;
			return true;
		}
	return false;
}

void *fk_new(enum fk_kind kind, cl_platform_id platform)
{
	struct fk_object *o;

	LOCK();
	o = free_list[kind];
	if (o)
		free_list[kind] = o->next_free;
	fk_live[kind]++;
	UNLOCK();
	if (!o)
		o = malloc(sizes[kind]);
	memset(o, 0, sizes[kind]);
	o->kind = kind;
	o->refs = 1;
	o->dispatch = platform ? &platform->table : NULL;
	return o;
}

bool fk_is(const void *handle, enum fk_kind kind)
{
	return handle && ((const struct fk_object *)handle)->kind == kind;
}

static void call_destructor(struct fk_callback *c, void *a, void *b)
{
	(void)b;
	((void (*)(void *, void *))c->fn)(a, c->user);
}

static void free_parts(struct fk_object *o)
{
	switch (o->kind) {
	case FK_CONTEXT: fk_run_callbacks(((cl_context)o)->destructors, call_destructor, o, NULL); break;
	case FK_QUEUE: fk_unlist((cl_command_queue)o); fk_unref(((cl_command_queue)o)->context); break;
	case FK_MEM: {
		cl_mem m = (cl_mem)o;

		fk_run_callbacks(m->destructors, call_destructor, m, NULL);
		if (m->parent)
			fk_unref(m->parent);
		else if (!(m->flags & CL_MEM_USE_HOST_PTR))
			free(m->data);
		fk_unref(m->context);
		break;
	}
	case FK_PROGRAM: free(((cl_program)o)->source); fk_unref(((cl_program)o)->context); break;
	case FK_KERNEL: fk_unref(((cl_kernel)o)->program); break;
	case FK_SAMPLER: fk_unref(((cl_sampler)o)->context); break;
	case FK_EVENT:
		if (((cl_event)o)->queue)
			fk_unref(((cl_event)o)->queue);
		fk_unref(((cl_event)o)->context);
		break;
	case FK_COMMAND_BUFFER: fk_unref(((cl_command_buffer_khr)o)->queue); break;
	default: break;
	}
}

void fk_unref(void *object)
{
	struct fk_object *o = object;

	if (--o->refs > 0)
		return;
	free_parts(o);
	fk_live[o->kind]--;
	o->next_free = free_list[o->kind];
	free_list[o->kind] = o;
	o->kind = FK_FREE;
}

uint64_t fk_host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Its own clock: other zero, 40 ppm fast; or as odd as FAKECL_FAULTS has it. */
cl_ulong fk_device_ns(void)
{
	static uint64_t first;
	uint64_t ns = fk_host_ns(), none = 0;
	long rate, step;

	__atomic_compare_exchange_n(&first, &none, ns, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	uint64_t since = ns - first, began = 1000000000000000u + first;
	uint64_t shown = fk_fault("clock-permille", &rate) ? since / 1000 * (uint64_t)rate : since + since / 25000;

	if (fk_fault("clock-step-us", &step) && since > 30000000)
		began += (uint64_t)(step * 1000);
	return began + shown;
}

cl_int fk_answer(size_t room, void *out, size_t *ret, const void *value, size_t bytes)
{
	if (out && room < bytes)
		return CL_INVALID_VALUE;
	if (out && bytes)
		memcpy(out, value, bytes);
	if (ret)
		*ret = bytes;
	return CL_SUCCESS;
}

/* --------------------------------------------------------------- callbacks */

struct late { struct fk_callback *list; void (*call)(struct fk_callback *, void *, void *); void *a, *b; long ms; };

static void run_now(struct fk_callback *list, void (*call)(struct fk_callback *, void *, void *), void *a, void *b)
{
	for (struct fk_callback *c = list, *next; c; c = next) {
		next = c->next;
		call(c, a, b);
		free(c);
	}
}

static void *run_late(void *arg)
{
	struct late *l = arg;

	usleep((useconds_t)l->ms * 1000);
	run_now(l->list, l->call, l->a, l->b);
	free(l);
	return NULL;
}

/* The lock is held by the caller and given back around application code. */
void fk_run_callbacks(struct fk_callback *list, void (*call)(struct fk_callback *, void *, void *), void *a, void *b)
{
	long ms;

	if (!list)
		return;
	if (fk_fault("late-callbacks", &ms)) {
		struct late *l = malloc(sizeof *l);
		pthread_t thread;

		*l = (struct late){ list, call, a, b, ms };
		if (!pthread_create(&thread, NULL, run_late, l))
			pthread_detach(thread);
		return;
	}
	UNLOCK();
	run_now(list, call, a, b);
	LOCK();
}

/* ------------------------------------------------------------------ report */

static const char *const kind_names[FK_KINDS] = { "", "platforms", "devices", "contexts", "queues", "mems", "samplers",
	"programs", "kernels", "events", "command_buffers" };

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("FAKECL_REPORT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "unflushed_queries %ld\nevent_callbacks %ld\nqueues_with_profiling %ld\nprofiling_queries %ld\n",
		fk_counts.unflushed_queries, fk_counts.event_callbacks, fk_counts.queues_with_profiling,
		fk_counts.profiling_queries);
	for (int k = FK_CONTEXT; k < FK_KINDS; k++)
		fprintf(f, "live_%s %ld\n", kind_names[k], fk_live[k]);
	fclose(f);
}
