/*
 * collectors/opencl/queue.c - queues: made with profiling behind the application's back, found again by their handle
 *
 * Runs      in application threads, inside wrappers; tap_cl_queue_find also on the hot path of every enqueue.
 * Must not  malloc, lock, hold anything across a driver call, write to the caller's property list.
 *
 * QUEUE1  A creating call that fails with what we added is made again as the application asked, and that answer
 *         counts.
 * QUEUE2  The table maps a handle to its state; an entry's key is written last and cleared first. Keys that are gone
 *         become tombstones that later queues reuse, so a look-up may stop at the first empty entry.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"
#include "common/plain/without.h"
#include "trace/write/debug.h"

#define ENTRIES 65536u                            /* 1 MiB of address space, touched as used */
#define PROBES 64u                                /* a queue that finds no place so near is not timed */
#define GONE ((cl_command_queue)1)
#define LIST_PAIRS 64u

struct entry { _Atomic(cl_command_queue) handle; _Atomic(struct tap_cl_queue *) queue; };

static struct entry *_Atomic table;
static struct tap_cl_pool queues = { .cell_bytes = (sizeof(struct tap_cl_queue) + 63u) & ~63u, .per_slab = 16 };

/* ------------------------------------------------------------------ the table */

static struct entry *table_open(void)
{
	struct entry *t = atomic_load_explicit(&table, memory_order_acquire), *none = NULL;

	if (t)
		return t;
	t = tap_cl_pages(ENTRIES * sizeof *t);
	if (t && !atomic_compare_exchange_strong(&table, &none, t)) {
		tap_cl_pages_free(t, ENTRIES * sizeof *t);
		t = none;
	}
	return t;
}

static uint32_t hash(cl_command_queue handle)
{
	return (uint32_t)((uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15ull >> 48) % ENTRIES;
}

static struct entry *find_entry(cl_command_queue handle)
{
	struct entry *t = atomic_load_explicit(&table, memory_order_acquire);
	uint32_t at = hash(handle);

	if (!t || (uintptr_t)handle <= 1)
		return NULL;
	for (uint32_t i = 0; i < PROBES; i++, at = (at + 1) % ENTRIES) {
		cl_command_queue key = atomic_load_explicit(&t[at].handle, memory_order_acquire);

		if (key == handle)
			return &t[at];
		if (!key)
			return NULL;
	}
	return NULL;
}

struct tap_cl_queue *tap_cl_queue_find(cl_command_queue handle)
{
	struct entry *e = find_entry(handle);
	struct tap_cl_queue *q = e ? atomic_load_explicit(&e->queue, memory_order_acquire) : NULL;

	/* The entry may have been taken over in between: the state knows whom it serves (SLOT1). */
	return q && atomic_load_explicit(&q->handle, memory_order_acquire) == handle ? q : NULL;
}

struct tap_cl_queue *tap_cl_queue_at(uint32_t index)
{
	return tap_cl_pool_at(&queues, index);
}

void tap_cl_queue_forget(struct tap_cl_queue *q)
{
	cl_command_queue handle = atomic_exchange(&q->handle, NULL);
	struct entry *e = find_entry(handle);

	if (e && atomic_load(&e->queue) == q)
		atomic_compare_exchange_strong(&e->handle, &handle, GONE);
}

/* QUEUE2. A claimed entry shows GONE's value of the key only to look-ups that step over it. */
static bool insert(struct tap_cl_queue *q, cl_command_queue handle)
{
	struct entry *t = table_open();
	uint32_t at = hash(handle);

	for (uint32_t i = 0; t && i < PROBES; i++, at = (at + 1) % ENTRIES) {
		cl_command_queue key = atomic_load(&t[at].handle);
		struct tap_cl_queue *old = atomic_load(&t[at].queue), *mine = q;

		if (key && key != GONE)
			continue;
		if (!atomic_compare_exchange_strong(&t[at].queue, &old, q))
			continue;
		if (atomic_compare_exchange_strong(&t[at].handle, &key, handle))
			return true;
		/* Another thread's queue took the place between the two: its state must stand there. */
		atomic_compare_exchange_strong(&t[at].queue, &mine, old);
	}
	return false;
}

void tap_cl_queue_reclaim(struct tap_cl_queue *q)
{
	uint32_t used = 1;

	if (!atomic_load(&q->handle) && !tap_cl_pending(q) && atomic_compare_exchange_strong(&q->used, &used, 0))
		tap_cl_pool_give(&queues, q);
}

struct tap_cl_queue *tap_cl_queue_of(const struct tap_opencl_api *real, cl_event event)
{
	cl_command_queue handle = NULL;

	if (!tap_cl_queue_at(0) ||
		real->clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(handle), &handle, NULL) != CL_SUCCESS)
		return NULL;
	return tap_cl_queue_find(handle);
}

/* ------------------------------------------------------------------ creation */

/* What a creating call was asked for, and what we asked for instead. */
struct asked {
	cl_queue_properties properties;             /* the value of CL_QUEUE_PROPERTIES */
	const cl_queue_properties *list;            /* the application's, NULL for the old entry point or none */
	uint32_t list_words;                        /* its 0 included */
	bool with_list;                             /* made by a ...WithProperties function */
};

static uint8_t profiled(const struct asked *a, bool forced)
{
	if (a->properties & CL_QUEUE_PROFILING_ENABLE)
		return 2;
	return forced ? 1 : 0;
}

static void remember(const struct tap_opencl_api *real, cl_command_queue handle, cl_context context,
	cl_device_id device, const struct asked *a, bool forced)
{
	struct tap_cl_queue *old = tap_cl_queue_find(handle), *q;
	struct tap_cl_device *device_state;

	if (old)                                        /* released, and the handle given out again */
		tap_cl_queue_forget(old);
	device_state = tap_cl_device_get(real, device);
	tap_cl_life_open(!atomic_exchange(&device_state->has_queue, 1));
	q = tap_cl_pool_take(&queues);
	if (!q)
		return;
	q->real = real;
	q->context = context;
	q->device = device_state;
	q->profiled = profiled(a, forced);
	q->app_profiles = a->properties & CL_QUEUE_PROFILING_ENABLE;
	q->out_of_order = a->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	q->list_known = a->with_list;
	q->on_device = a->properties & CL_QUEUE_ON_DEVICE;
	atomic_store(&q->unknown, false);
	q->list_words = (uint8_t)a->list_words;
	for (uint32_t i = 0; i < a->list_words; i++)
		q->list[i] = a->list[i];
	atomic_store(&q->references, 1);
	atomic_store(&q->skip, 0);
	atomic_store(&q->miss, 0);
	atomic_store(&q->used, 1);
	atomic_store_explicit(&q->handle, handle, memory_order_release);
	TAP_DEBUG(queue, "queue %lx: %s", (unsigned long)(uintptr_t)handle,
		q->profiled == 2      ? "profiled by the application"
			: q->profiled ? "profiled for the trace"
				      : "not profiled");
	if (!insert(q, handle)) {
		atomic_store(&q->handle, NULL);
		tap_cl_queue_reclaim(q);
		TAP_DEGRADE(TAP_PART_OPENCL, "too many queues: the commands of some have no device times");
	}
}

/* The application's error slot is written as the driver would have. */
static cl_command_queue answer(cl_command_queue queue, cl_int err, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = err;
	return queue;
}

/*
 * Device-side queues take no commands of the host: there is nothing to time, and some drivers refuse the bit for them.
 */
static bool want_profiling(cl_queue_properties properties)
{
	return tap_options.device_times && !atomic_load(&tap_cl_closed) &&
	       !(properties & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE));
}

cl_command_queue tap_cl_do_clCreateCommandQueue(const struct tap_opencl_api *real, cl_context context,
	cl_device_id device, cl_command_queue_properties properties, cl_int *errcode_ret)
{
	const struct asked a = { .properties = properties };
	cl_command_queue queue = NULL;
	cl_int err = CL_SUCCESS;
	bool forced = false;

	if (want_profiling(properties)) {
		queue = real->clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE, &err);
		forced = queue;
	}
	if (!queue)                                     /* QUEUE1 */
		queue = real->clCreateCommandQueue(context, device, properties, &err);
	if (queue)
		remember(real, queue, context, device, &a, forced);
	return answer(queue, err, errcode_ret);
}

/*
 * Reads the application's list. False: it is longer than we copy, or says a key twice, and so stays untouched.
 * A list that ends nowhere would be read beyond its end by the driver too.
 */
static bool read_list(const cl_queue_properties *list, struct asked *a, uint32_t *at)
{
	uint32_t n = 0;

	*at = UINT32_MAX;
	a->with_list = true;
	a->list = list;
	if (!list)
		return true;
	for (; list[n]; n += 2) {
		if (n == 2 * LIST_PAIRS)
			return false;
		if (list[n] != CL_QUEUE_PROPERTIES)
			continue;
		if (*at != UINT32_MAX)
			return false;
		*at = n;
		a->properties = list[n + 1];
	}
	a->list_words = n + 1;
	return true;
}

/*
 * The caller's list may be read-only: a copy, unknown pairs kept in order, the bit added where the pair is, else the
 * pair at the end.
 */
static void write_list(const struct asked *a, uint32_t at, cl_queue_properties own[2 * LIST_PAIRS + 3])
{
	uint32_t n = a->list_words ? a->list_words - 1 : 0;

	for (uint32_t i = 0; i < n; i++)
		own[i] = a->list[i];
	if (at == UINT32_MAX) {
		own[n++] = CL_QUEUE_PROPERTIES;
		own[n++] = CL_QUEUE_PROFILING_ENABLE;
	} else {
		own[at + 1] |= CL_QUEUE_PROFILING_ENABLE;
	}
	own[n] = 0;
}

typedef cl_command_queue (CL_API_CALL *create_fn)(cl_context, cl_device_id, const cl_queue_properties *, cl_int *);

static cl_command_queue create_with_list(const struct tap_opencl_api *real, create_fn create, cl_context context,
	cl_device_id device, const cl_queue_properties *list, cl_int *errcode_ret)
{
	cl_queue_properties *own = tap_scratch_take();
	cl_command_queue queue = NULL;
	cl_int err = CL_SUCCESS;
	struct asked a = { 0 };
	bool readable, forced = false;
	uint32_t at;

	_Static_assert((2 * LIST_PAIRS + 3) * sizeof *own <= TAP_SCRATCH_BYTES, "a list of them");
	/* Without these two no runtime reads the list: a bad pointer must not crash here. */
	readable = context && device && read_list(list, &a, &at);
	if (own && readable && want_profiling(a.properties)) {
		write_list(&a, at, own);
		queue = create(context, device, own, &err);
		forced = queue;
	}
	tap_scratch_give(own);
	if (!queue)                                     /* QUEUE1 */
		queue = create(context, device, list, &err);
	if (!readable)
		a.list_words = 0;
	if (queue)
		remember(real, queue, context, device, &a, forced);
	return answer(queue, err, errcode_ret);
}

cl_command_queue tap_cl_do_clCreateCommandQueueWithProperties(const struct tap_opencl_api *real, cl_context context,
	cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret)
{
	return create_with_list(
		real, real->clCreateCommandQueueWithProperties, context, device, properties, errcode_ret);
}

cl_command_queue tap_cl_do_clCreateCommandQueueWithPropertiesKHR(const struct tap_opencl_api *real, cl_context context,
	cl_device_id device, const cl_queue_properties_khr *properties, cl_int *errcode_ret)
{
	_Static_assert(sizeof(cl_queue_properties_khr) == sizeof(cl_queue_properties), "one list format");
	return create_with_list(real, (create_fn)real->clCreateCommandQueueWithPropertiesKHR, context, device,
		(const cl_queue_properties *)properties, errcode_ret);
}

/* A queue with profiling refused stays without times: said once, counted per command. */
static void created(cl_command_queue handle)
{
	struct tap_cl_queue *q = tap_cl_queue_find(handle);

	if (!q)
		return;
	if (!q->profiled && (!q->on_device || gc_without("device-queue")) && tap_options.device_times)
		TAP_DEGRADE(TAP_PART_OPENCL, "a queue refused profiling: its commands have no device times");
	tap_cl_queue_define(q);
}

void tap_cl_post_clCreateCommandQueue(const struct tap_opencl_api *real, const struct tap_call *call,
	cl_command_queue ret, cl_context context, cl_device_id device, cl_command_queue_properties properties,
	cl_int *errcode_ret)
{
	(void)real, (void)call, (void)context, (void)device, (void)properties, (void)errcode_ret;
	created(ret);
}

void tap_cl_post_clCreateCommandQueueWithProperties(const struct tap_opencl_api *real, const struct tap_call *call,
	cl_command_queue ret, cl_context context, cl_device_id device, const cl_queue_properties *properties,
	cl_int *errcode_ret)
{
	(void)real, (void)call, (void)context, (void)device, (void)properties, (void)errcode_ret;
	created(ret);
}

void tap_cl_post_clCreateCommandQueueWithPropertiesKHR(const struct tap_opencl_api *real, const struct tap_call *call,
	cl_command_queue ret, cl_context context, cl_device_id device, const cl_queue_properties_khr *properties,
	cl_int *errcode_ret)
{
	(void)real, (void)call, (void)context, (void)device, (void)properties, (void)errcode_ret;
	created(ret);
}

/* ------------------------------------------------------------------ life */

void tap_cl_post_clRetainCommandQueue(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret, cl_command_queue command_queue)
{
	struct tap_cl_queue *q = ret == CL_SUCCESS ? tap_cl_queue_find(command_queue) : NULL;

	(void)real, (void)call;
	if (q)
		atomic_fetch_add(&q->references, 1);
}

/*
 * The last release: what is complete is read before, the rest when the runtime has flushed it, which this call implies.
 * Our events keep the queue alive in the driver until then; the handle is forgotten before the call, for another thread
 * may get the same one from the driver the moment it returns.
 */
void tap_cl_pre_clReleaseCommandQueue(const struct tap_opencl_api *real, cl_command_queue command_queue)
{
	struct tap_cl_queue *q = tap_cl_queue_find(command_queue);

	(void)real;
	tap_tls.releasing = NULL;
	if (!q)
		return;
	tap_cl_check_fork();
	if (atomic_fetch_sub(&q->references, 1) != 1)
		return;
	tap_cl_harvest(q, TAP_CL_ALL);
	tap_cl_wait_for_blocking(q);
	tap_cl_queue_forget(q);
	tap_tls.releasing = q;
}

void tap_cl_post_clReleaseCommandQueue(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret, cl_command_queue command_queue)
{
	struct tap_cl_queue *q = tap_tls.releasing;

	(void)real, (void)call, (void)ret, (void)command_queue;
	tap_tls.releasing = NULL;
	if (!q)
		return;
	tap_cl_mark_flushed(q);
	/* what is complete goes now, times or not: our events would keep the queue alive */
	tap_cl_harvest(q, TAP_CL_DEEP);
	tap_cl_queue_reclaim(q);
}

/* ------------------------------------------------------------------ the deprecated switch */

/*
 * Profiling that the application switches off is switched on again; what it reads as the old value is its own.
 */
cl_int tap_cl_do_clSetCommandQueueProperty(const struct tap_opencl_api *real, cl_command_queue command_queue,
	cl_command_queue_properties properties, cl_bool enable, cl_command_queue_properties *old_properties)
{
	struct tap_cl_queue *q = tap_cl_queue_find(command_queue);
	cl_int ret = real->clSetCommandQueueProperty(command_queue, properties, enable, old_properties);

	if (!q || ret != CL_SUCCESS)
		return ret;
	if (old_properties && !q->app_profiles)
		*old_properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
	if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
		q->out_of_order = enable;
	if (!(properties & CL_QUEUE_PROFILING_ENABLE))
		return ret;
	q->app_profiles = enable;
	if (enable)
		q->profiled = 2;
	else if (tap_options.device_times &&
		real->clSetCommandQueueProperty(command_queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL) == CL_SUCCESS)
		q->profiled = 1;
	else
		q->profiled = 0;
	return ret;
}

/* ------------------------------------------------------------------ the same where the call is not recorded */

/* A queue we do not follow; its handle may have been another's. */
static cl_command_queue not_ours(cl_command_queue handle)
{
	struct tap_cl_queue *q = tap_cl_queue_find(handle);

	if (q)
		tap_cl_queue_forget(q);
	return handle;
}

/* Recording has not begun (--start-after), and the queue may serve when it does: it must be able to tell times then. */
static bool for_later(void)
{
	return TAP_READ_ONCE(tap_off) == TAP_OFF_EARLY && !tap_calls_off && !tap_tls.own_calls &&
		!gc_without("queue-for-later");
}

static cl_command_queue tell_later(cl_command_queue handle)
{
	struct tap_cl_queue *q = tap_cl_queue_find(handle);

	if (q)
		atomic_store(&q->unknown, true);
	return handle;
}

void tap_cl_queue_told(struct tap_cl_queue *q)
{
	int saved = errno;

	if (!atomic_exchange(&q->unknown, false))
		return;
	tap_own_calls_begin();
	created(atomic_load(&q->handle));
	tap_own_calls_end();
	errno = saved;
}

cl_command_queue tap_cl_unseen_clCreateCommandQueue(const struct tap_opencl_api *real, cl_context context,
	cl_device_id device, cl_command_queue_properties properties, cl_int *errcode_ret)
{
	if (for_later())
		return tell_later(tap_cl_do_clCreateCommandQueue(real, context, device, properties, errcode_ret));
	return not_ours(real->clCreateCommandQueue(context, device, properties, errcode_ret));
}

cl_command_queue tap_cl_unseen_clCreateCommandQueueWithProperties(const struct tap_opencl_api *real, cl_context context,
	cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret)
{
	if (for_later())
		return tell_later(tap_cl_do_clCreateCommandQueueWithProperties(
			real, context, device, properties, errcode_ret));
	return not_ours(real->clCreateCommandQueueWithProperties(context, device, properties, errcode_ret));
}

cl_command_queue tap_cl_unseen_clCreateCommandQueueWithPropertiesKHR(const struct tap_opencl_api *real,
	cl_context context, cl_device_id device, const cl_queue_properties_khr *properties, cl_int *errcode_ret)
{
	if (for_later())
		return tell_later(tap_cl_do_clCreateCommandQueueWithPropertiesKHR(
			real, context, device, properties, errcode_ret));
	return not_ours(real->clCreateCommandQueueWithPropertiesKHR(context, device, properties, errcode_ret));
}

cl_int tap_cl_unseen_clRetainCommandQueue(const struct tap_opencl_api *real, cl_command_queue command_queue)
{
	cl_int ret = real->clRetainCommandQueue(command_queue);

	tap_cl_post_clRetainCommandQueue(real, NULL, ret, command_queue);
	return ret;
}

cl_int tap_cl_unseen_clReleaseCommandQueue(const struct tap_opencl_api *real, cl_command_queue command_queue)
{
	cl_int ret;

	tap_cl_pre_clReleaseCommandQueue(real, command_queue);
	ret = real->clReleaseCommandQueue(command_queue);
	tap_cl_post_clReleaseCommandQueue(real, NULL, ret, command_queue);
	return ret;
}

cl_int tap_cl_unseen_clSetCommandQueueProperty(const struct tap_opencl_api *real, cl_command_queue command_queue,
	cl_command_queue_properties properties, cl_bool enable, cl_command_queue_properties *old_properties)
{
	return tap_cl_do_clSetCommandQueueProperty(real, command_queue, properties, enable, old_properties);
}
