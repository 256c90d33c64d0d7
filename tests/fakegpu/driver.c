/*
 * tests/fakegpu/driver.c - the driver's calls but those on graphs: start, devices, contexts, modules, memory, streams,
 * events
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include "kernels.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int device_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static struct fg_context *primary[FG_MAX_DEVICES], *all_contexts[64];
static int n_contexts;
static struct fg_pool pools[FG_MAX_DEVICES];
static __thread struct fg_context *stack[16];
static __thread int stack_n;
static struct fg_module *graveyard;              /* names in records stay valid after an unload */

#define IS(p, m) ((p) && (p)->magic == (m))
#define NEED_READY() do { \
	if (fg_state.gone) return CU_DEINITIALIZED; \
	if (!ready) return CU_NOT_INITIALIZED; } while (0)
#define NEED_DEVICE(d) do { NEED_READY(); if ((d) < 0 || (d) >= device_count) return CU_INVALID_DEVICE; } while (0)
#define NEED_CONTEXT() do { NEED_READY(); if (!fg_current()) return CU_INVALID_CONTEXT; } while (0)

struct fg_context *fg_current(void) { return stack_n ? stack[stack_n - 1] : NULL; }

struct fg_stream *fg_stream_of(struct fg_stream *handle)
{
	struct fg_context *ctx = fg_current();

	if ((uintptr_t)handle <= 2)
		return ctx ? ctx->null_stream : NULL;
	return IS(handle, FG_STREAM_) ? handle : NULL;
}

/* ---- start, devices ---- */
static void take_down(void) { fg_state.gone = true; }

int do_cuInit(struct fg_call *c, unsigned flags)
{
	const char *n = getenv("FAKEGPU_DEVICES");
	bool first;

	(void)c;
	if (flags)
		return CU_INVALID_VALUE;
	if (fg_state.pid && fg_state.pid != getpid())
		return CU_OPERATING_SYSTEM;          /* real drivers: a child forked behind cuInit */
	fg_state.pid = getpid();
	if (fg_fault("no-device", NULL))
		return CU_NO_DEVICE;
	pthread_mutex_lock(&lock);
	first = !ready;
	device_count = n ? atoi(n) : 1;
	if (device_count > FG_MAX_DEVICES)
		device_count = FG_MAX_DEVICES;
	for (int i = 0; i < FG_MAX_DEVICES; i++)
		pools[i] = first ? (struct fg_pool){ .magic = FG_POOL, .device = i, .is_default = true } : pools[i];
	ready = device_count > 0;
	pthread_mutex_unlock(&lock);
	if (!ready)
		return CU_NO_DEVICE;
	if (first && fg_fault("deinitialised", NULL))
		atexit(take_down);
	fg_state.initialised = true;
	if (first)
		fg_resource(5, NULL, NULL, NULL);
	return CU_OK;
}

int do_cuDriverGetVersion(struct fg_call *c, int *version)
{
	(void)c;
	if (!version)
		return CU_INVALID_VALUE;
	*version = fg_state.driver_version;
	return CU_OK;
}

int do_cuDeviceGet(struct fg_call *c, int *device, int ordinal)
{
	(void)c;
	NEED_DEVICE(ordinal);
	*device = ordinal;
	return CU_OK;
}
int do_cuDeviceGetCount(struct fg_call *c, int *count) { (void)c; NEED_READY(); *count = device_count; return CU_OK; }

int do_cuDeviceGetName(struct fg_call *c, char *name, int len, int device)
{
	(void)c;
	NEED_DEVICE(device);
	snprintf(name, (size_t)len, "gputap stand-in GPU %d", device);
	return CU_OK;
}

int do_cuDeviceTotalMem_v2(struct fg_call *c, size_t *bytes, int device)
{
	(void)c;
	NEED_DEVICE(device);
	*bytes = (size_t)1 << 34;
	return CU_OK;
}

int do_cuDeviceGetAttribute(struct fg_call *c, int *value, int attribute, int device)
{
	static const int values[][2] = { { 1, 1024 }, { 10, 32 }, { 16, 132 }, { 31, 1 }, { 40, 2 }, { 41, 1 },
		{ 75, 9 }, { 76, 0 }, { 83, 1 }, { 89, 1 }, { 95, 1 }, { 115, 1 } };

	(void)c;
	NEED_DEVICE(device);
	*value = 0;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i][0] == attribute)
			*value = values[i][1];
	return CU_OK;
}

/* uuids are one byte again and again */
enum { MIG_BYTE = 0xa7 };
static const uint64_t EVERY_BYTE = 0x0101010101010101;
static uint64_t uuid_byte(int device) { return 0x11u * (unsigned)(device + 1); }

int do_cuDeviceGetUuid(struct fg_call *c, void *uuid, int device)
{
	(void)c;
	NEED_DEVICE(device);
	memset(uuid, (int)uuid_byte(device), 16);
	return CU_OK;
}

int do_cuDeviceGetUuid_v2(struct fg_call *c, void *uuid, int device)
{
	(void)c;
	NEED_DEVICE(device);
	memset(uuid, fg_fault("mig", NULL) ? MIG_BYTE : (int)uuid_byte(device), 16);
	return CU_OK;
}

int do_cuDeviceGetPCIBusId(struct fg_call *c, char *id, int len, int device)
{
	(void)c;
	NEED_DEVICE(device);
	snprintf(id, (size_t)len, "0000:%02x:00.0", device + 1);
	return CU_OK;
}

/* ---- contexts ---- */
static void device_record(int device)
{
	static const char *const names[] = { "gputap stand-in GPU 0", "gputap stand-in GPU 1", "gputap stand-in GPU 2",
		"gputap stand-in GPU 3" };
	struct fg_rec r = { { 0 } };
	long instance;

	if (!fg_kind_on(FG_DEVICE))
		return;
	PUT(&r, DEVICE, globalMemoryBandwidth, 3000000000u);
	PUT(&r, DEVICE, globalMemorySize, (uint64_t)1 << 34);
	PUT(&r, DEVICE, numThreadsPerWarp, 32);
	PUT(&r, DEVICE, coreClockRate, 1500000);
	PUT(&r, DEVICE, numMultiprocessors, 132);
	PUT(&r, DEVICE, computeCapabilityMajor, 9);
	PUT(&r, DEVICE, id, device);
	PUT(&r, DEVICE, name, (uintptr_t)names[device]);
	PUT(&r, DEVICE, isCudaVisible, 1);
	if (fg_fault("device-ids", NULL)) {
		PUT(&r, DEVICE, uuidLow, uuid_byte(device) * EVERY_BYTE);
		PUT(&r, DEVICE, uuidHigh, uuid_byte(device) * EVERY_BYTE);
	}
	if (fg_fault("mig", &instance)) {
		PUT(&r, DEVICE, isMigEnabled, 1);
		PUT(&r, DEVICE, gpuInstanceId, (uint64_t)instance);
		PUT(&r, DEVICE, computeInstanceId, 0);
		PUT(&r, DEVICE, migUuidLow, MIG_BYTE * EVERY_BYTE);
		PUT(&r, DEVICE, migUuidHigh, MIG_BYTE * EVERY_BYTE);
	}
	fg_emit(FG_DEVICE, &r);
}

void fg_context_records(struct fg_context *ctx)
{
	struct fg_rec r = { { 0 } };

	if (!fg_kind_on(FG_CONTEXT_RECORD))
		return;
	PUT(&r, CONTEXT, contextId, ctx->id);
	PUT(&r, CONTEXT, deviceId, ctx->device);
	PUT(&r, CONTEXT, computeApiKind, 1);
	PUT(&r, CONTEXT, nullStreamId, ctx->null_stream->id);
	PUT(&r, CONTEXT, numMultiprocessors, 132);
	fg_emit(FG_CONTEXT_RECORD, &r);
}

void fg_stream_record(struct fg_stream *s, uint32_t correlation)
{
	struct fg_rec r = { { 0 } };

	if (!fg_kind_on(FG_STREAM))
		return;
	PUT(&r, STREAM, contextId, s->context->id);
	PUT(&r, STREAM, streamId, s->id);
	PUT(&r, STREAM, flag, s == s->context->null_stream ? 3 : s->flags & 1 ? 2 : 1);
	PUT(&r, STREAM, correlationId, correlation);
	fg_emit(FG_STREAM, &r);
}

void fg_enable_dump(unsigned kind)
{
	struct fg_context *seen[64];
	int n;

	pthread_mutex_lock(&lock);
	n = n_contexts;
	memcpy(seen, all_contexts, sizeof seen);
	pthread_mutex_unlock(&lock);
	for (int i = 0; kind == FG_DEVICE && i < device_count; i++)
		device_record(i);
	for (int i = 0; i < n; i++) {
		if (kind == FG_CONTEXT_RECORD)
			fg_context_records(seen[i]);
		for (struct fg_stream *s = seen[i]->streams; kind == FG_STREAM && s; s = s->next)
			fg_stream_record(s, 0);
	}
}

static struct fg_stream *new_stream(struct fg_context *ctx, unsigned flags)
{
	struct fg_stream *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	*s = (struct fg_stream){ .magic = FG_STREAM_, .context = ctx, .id = fg_next_id() + 6, .flags = flags };
	pthread_mutex_lock(&lock);
	s->next = ctx->streams;
	ctx->streams = s;
	pthread_mutex_unlock(&lock);
	return s;
}

static struct fg_context *new_context(int device, bool is_primary)
{
	static atomic_uint ids;
	struct fg_context *ctx = calloc(1, sizeof *ctx);

	if (!ctx)
		return NULL;
	*ctx = (struct fg_context){
		.magic = FG_CONTEXT, .device = device, .id = atomic_fetch_add(&ids, 1) + 1, .primary = is_primary
	};
	ctx->null_stream = new_stream(ctx, 0);
	if (!ctx->null_stream) {
		free(ctx);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	if (n_contexts < 64)
		all_contexts[n_contexts++] = ctx;
	pthread_mutex_unlock(&lock);
	device_record(device);
	fg_context_records(ctx);
	fg_stream_record(ctx->null_stream, 0);
	fg_resource(1, ctx, NULL, NULL);
	return ctx;
}

static void end_context(struct fg_context *ctx)
{
	fg_resource(2, ctx, NULL, NULL);
	fg_device_wait(ctx->device, fg_device_last(ctx->device));
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n_contexts; i++)
		if (all_contexts[i] == ctx)
			all_contexts[i] = all_contexts[--n_contexts];
	pthread_mutex_unlock(&lock);
	for (struct fg_stream *s = ctx->streams, *next; s; s = next) {
		next = s->next;
		s->magic = 0;
		if (s != ctx->null_stream)
			fg_count(FG_C_LIVE_STREAMS, -1);
		free(s);
	}
	for (int i = stack_n; i-- > 0; )
		if (stack[i] == ctx)
			memmove(&stack[i], &stack[i + 1], sizeof *stack * (size_t)(--stack_n - i));
	ctx->magic = 0;
	free(ctx);
}

int do_cuCtxCreate_v2(struct fg_call *c, struct fg_context **context, unsigned flags, int device)
{
	(void)c; (void)flags;
	NEED_DEVICE(device);
	*context = new_context(device, false);
	if (!*context || stack_n == 16)
		return CU_OUT_OF_MEMORY;
	stack[stack_n++] = *context;
	return CU_OK;
}

int do_cuCtxDestroy_v2(struct fg_call *c, struct fg_context *context)
{
	(void)c;
	if (!IS(context, FG_CONTEXT) || context->primary)
		return CU_INVALID_CONTEXT;
	end_context(context);
	return CU_OK;
}

int do_cuCtxGetCurrent(struct fg_call *c, struct fg_context **context)
{
	(void)c;
	NEED_READY();
	*context = fg_current();
	return CU_OK;
}

int do_cuCtxSetCurrent(struct fg_call *c, struct fg_context *context)
{
	(void)c;
	NEED_READY();
	if (context && !IS(context, FG_CONTEXT))
		return CU_INVALID_CONTEXT;
	stack_n = context ? (stack_n ? stack_n : 1) : 0;
	if (context)
		stack[stack_n - 1] = context;
	return CU_OK;
}

int do_cuCtxPushCurrent_v2(struct fg_call *c, struct fg_context *context)
{
	(void)c;
	if (!IS(context, FG_CONTEXT) || stack_n == 16)
		return CU_INVALID_CONTEXT;
	stack[stack_n++] = context;
	return CU_OK;
}

int do_cuCtxPopCurrent_v2(struct fg_call *c, struct fg_context **context)
{
	(void)c;
	NEED_CONTEXT();
	if (context)
		*context = fg_current();
	stack_n--;
	return CU_OK;
}

int do_cuCtxGetDevice(struct fg_call *c, int *device)
{
	(void)c;
	NEED_CONTEXT();
	*device = fg_current()->device;
	return CU_OK;
}

int do_cuDevicePrimaryCtxRetain(struct fg_call *c, struct fg_context **context, int device)
{
	static pthread_mutex_t creating = PTHREAD_MUTEX_INITIALIZER;

	(void)c;
	NEED_DEVICE(device);
	pthread_mutex_lock(&creating);
	if (!primary[device])
		primary[device] = new_context(device, true);
	if (primary[device])
		primary[device]->refs++;
	*context = primary[device];
	pthread_mutex_unlock(&creating);
	return *context ? CU_OK : CU_OUT_OF_MEMORY;
}

static int reset_primary(int device)
{
	struct fg_context *ctx = primary[device];

	primary[device] = NULL;
	if (ctx)
		end_context(ctx);
	return CU_OK;
}

int do_cuDevicePrimaryCtxRelease_v2(struct fg_call *c, int device)
{
	(void)c;
	NEED_DEVICE(device);
	if (!primary[device])
		return CU_INVALID_CONTEXT;
	return --primary[device]->refs > 0 ? CU_OK : reset_primary(device);
}

int do_cuDevicePrimaryCtxReset_v2(struct fg_call *c, int device)
{
	(void)c;
	NEED_DEVICE(device);
	return reset_primary(device);
}

/* ---- waits ---- */
static void sync_record(
	const struct fg_call *c, int type, uint64_t start, struct fg_context *ctx, uint32_t stream, uint32_t event)
{
	struct fg_rec r = { { 0 } };

	if (!fg_kind_on(FG_SYNCHRONIZATION))
		return;
	PUT(&r, SYNCHRONIZATION, type, type);
	PUT(&r, SYNCHRONIZATION, start, start);
	PUT(&r, SYNCHRONIZATION, end, fg_now());
	PUT(&r, SYNCHRONIZATION, correlationId, c->correlation);
	PUT(&r, SYNCHRONIZATION, contextId, ctx->id);
	PUT(&r, SYNCHRONIZATION, streamId, stream);
	PUT(&r, SYNCHRONIZATION, cudaEventId, event);
	fg_emit(FG_SYNCHRONIZATION, &r);
}

static void wait_until(int device, uint64_t ticket, uint64_t end)
{
	fg_device_wait(device, ticket);
	for (uint64_t now = fg_now(); now < end; now = fg_now())
		nanosleep(&(struct timespec){ (time_t)((end - now) / 1000000000), (long)((end - now) % 1000000000) },
			NULL);
}

int do_cuCtxSynchronize(struct fg_call *c)
{
	struct fg_context *ctx = fg_current();
	uint64_t start = fg_now(), end = 0;

	NEED_CONTEXT();
	pthread_mutex_lock(&lock);
	for (struct fg_stream *s = ctx->streams; s; s = s->next)
		end = s->ready > end ? s->ready : end;
	pthread_mutex_unlock(&lock);
	wait_until(ctx->device, fg_device_last(ctx->device), end);
	fg_migrate(ctx, ctx->null_stream->id, false);
	sync_record(c, 4, start, ctx, FG_INVALID_ID, FG_INVALID_ID);
	fg_synchronized(2, ctx, NULL);
	return CU_OK;
}

/* ---- modules ---- */
static void module_loaded(struct fg_context *ctx, struct fg_module *m)
{
	struct fg_module_data d = { m->id, m->cubin_bytes, m->cubin };
	long bytes;

	if (fg_fault("cubin-bad-pointer", NULL))
		d.cubin = (const uint8_t *)64;
	if (fg_fault("cubin-bad-size", &bytes))
		d.bytes = (size_t)bytes;
	fg_resource(6, ctx, NULL, &d);
}

static int load(struct fg_call *c, struct fg_module **out, const char *image)
{
	struct fg_context *ctx = fg_current();
	struct fg_module *m = calloc(1, sizeof *m);
	uint64_t start = fg_now();
	int err = m ? fg_read_ptx(m, image) : CU_OUT_OF_MEMORY;

	if (err) {
		free(m);
		return err;
	}
	m->magic = FG_MODULE_;
	m->id = fg_next_id();
	fg_cubin(m);
	if (fg_kind_on(FG_JIT)) {
		struct fg_rec r = { { 0 } };

		PUT(&r, JIT, jitEntryType, 1);
		PUT(&r, JIT, jitOperationType, 3);
		PUT(&r, JIT, deviceId, ctx ? ctx->device : 0);
		PUT(&r, JIT, start, start);
		PUT(&r, JIT, end, fg_now());
		PUT(&r, JIT, correlationId, c->correlation);
		PUT(&r, JIT, processId, getpid());
		PUT(&r, JIT, threadId, fg_thread_id());
		fg_emit(FG_JIT, &r);
	}
	if (fg_kind_on(FG_OVERHEAD)) {
		struct fg_rec r = { { 0 } };

		PUT(&r, OVERHEAD, overheadKind, 1);
		PUT(&r, OVERHEAD, objectKind, 1);
		PUT(&r, OVERHEAD, objectId, getpid());
		PUT(&r, OVERHEAD, start, start);
		PUT(&r, OVERHEAD, end, fg_now());
		PUT(&r, OVERHEAD, correlationId, c->correlation);
		fg_emit(FG_OVERHEAD, &r);
	}
	fg_count(FG_C_LIVE_MODULES, 1);
	module_loaded(ctx, m);
	*out = m;
	return CU_OK;
}

static int find_function(struct fg_function **out, struct fg_module *m, const char *name)
{
	if (!IS(m, FG_MODULE_))
		return CU_INVALID_HANDLE;
	for (struct fg_function *f = m->functions; f; f = f->next)
		if (!strcmp(f->name, name)) {
			*out = f;
			return CU_OK;
		}
	return CU_NOT_FOUND;
}

static int unload(struct fg_module *m)
{
	if (!IS(m, FG_MODULE_))
		return CU_INVALID_HANDLE;
	fg_resource(7, fg_current(), NULL, &(struct fg_module_data){ m->id, 0, NULL });
	fg_count(FG_C_LIVE_MODULES, -1);
	m->magic = 0;
	fg_cubin_gone(m);
	for (struct fg_function *f = m->functions; f && fg_fault("unload-takes-names", NULL); f = f->next)
		snprintf(f->name, sizeof f->name, "unloaded");
	pthread_mutex_lock(&lock);
	m->image = (const char *)graveyard;
	graveyard = m;
	pthread_mutex_unlock(&lock);
	return CU_OK;
}

int do_cuModuleLoadData(struct fg_call *c, struct fg_module **module, const void *image)
{
	NEED_CONTEXT();
	return load(c, module, image);
}
int do_cuModuleUnload(struct fg_call *c, struct fg_module *module) { (void)c; return unload(module); }
int do_cuLibraryUnload(struct fg_call *c, struct fg_module *library) { (void)c; return unload(library); }

int do_cuModuleGetFunction(struct fg_call *c, struct fg_function **function, struct fg_module *module, const char *name)
{
	(void)c;
	return find_function(function, module, name);
}

int do_cuLibraryLoadData(struct fg_call *c, struct fg_module **library, const void *code, int *options,
	void **option_values, unsigned n_options, int *library_options, void **library_values, unsigned n_library)
{
	(void)options;
	(void)option_values;
	(void)n_options;
	(void)library_options;
	(void)library_values;
	(void)n_library;
	NEED_READY();
	return load(c, library, code);
}

int do_cuLibraryGetKernel(struct fg_call *c, struct fg_function **kernel, struct fg_module *library, const char *name)
{
	(void)c;
	return find_function(kernel, library, name);
}

/* ---- memory ---- */
int do_cuMemAlloc_v2(struct fg_call *c, uint64_t *dptr, size_t bytes)
{
	NEED_READY();
	return fg_allocate(c, dptr, bytes, FG_DEVICE_MEMORY, NULL, NULL);
}
int do_cuMemFree_v2(struct fg_call *c, uint64_t dptr) { NEED_CONTEXT(); return fg_release(c, dptr, NULL); }
int do_cuMemAllocHost_v2(struct fg_call *c, void **pp, size_t bytes)
{
	NEED_READY();
	return fg_allocate(c, (uint64_t *)(void *)pp, bytes, FG_PINNED, NULL, NULL);
}
int do_cuMemFreeHost(struct fg_call *c, void *p) { NEED_CONTEXT(); return fg_release(c, (uintptr_t)p, NULL); }

int do_cuMemAllocManaged(struct fg_call *c, uint64_t *dptr, size_t bytes, unsigned flags)
{
	NEED_READY();
	return flags == 1 || flags == 2 ? fg_allocate(c, dptr, bytes, FG_MANAGED, NULL, NULL) : CU_INVALID_VALUE;
}

static struct fg_pool *pool_of_device(void) { return &pools[fg_current()->device]; }

static int allocate_async(
	struct fg_call *c, uint64_t *dptr, size_t bytes, struct fg_pool *pool, struct fg_stream *stream)
{
	struct fg_stream *s = fg_stream_of(stream);

	if (!s)
		return CU_INVALID_HANDLE;
	return IS(pool, FG_POOL) ? fg_allocate(c, dptr, bytes, FG_DEVICE_MEMORY, pool, s) : CU_INVALID_VALUE;
}

int do_cuMemAllocAsync(struct fg_call *c, uint64_t *dptr, size_t bytes, struct fg_stream *stream)
{
	NEED_CONTEXT();
	return allocate_async(c, dptr, bytes, pool_of_device(), stream);
}

int do_cuMemAllocFromPoolAsync(
	struct fg_call *c, uint64_t *dptr, size_t bytes, struct fg_pool *pool, struct fg_stream *stream)
{
	NEED_CONTEXT();
	return allocate_async(c, dptr, bytes, pool, stream);
}

int do_cuMemFreeAsync(struct fg_call *c, uint64_t dptr, struct fg_stream *stream)
{
	struct fg_stream *s = fg_stream_of(stream);

	NEED_CONTEXT();
	return s ? fg_release(c, dptr, s) : CU_INVALID_HANDLE;
}

static void pool_record(const struct fg_call *c, const struct fg_pool *p, int operation, size_t keep)
{
	struct fg_rec r = { { 0 } };

	if (!fg_kind_on(FG_MEMORY_POOL))
		return;
	PUT(&r, MEMORY_POOL, memoryPoolOperationType, operation);
	PUT(&r, MEMORY_POOL, memoryPoolType, 1);
	PUT(&r, MEMORY_POOL, correlationId, c->correlation);
	PUT(&r, MEMORY_POOL, processId, getpid());
	PUT(&r, MEMORY_POOL, deviceId, p->device);
	PUT(&r, MEMORY_POOL, minBytesToKeep, keep);
	PUT(&r, MEMORY_POOL, address, (uintptr_t)p);
	PUT(&r, MEMORY_POOL, timestamp, fg_now());
	PUT(&r, MEMORY_POOL, utilizedSize, p->used);
	fg_emit(FG_MEMORY_POOL, &r);
}

int do_cuMemPoolCreate(struct fg_call *c, struct fg_pool **pool, const void *props)
{
	struct fg_pool *p;
	int location[4];

	NEED_READY();
	if (!pool || !props)
		return CU_INVALID_VALUE;
	memcpy(location, props, sizeof location);    /* allocation type, handle types, location type, location id */
	if (location[0] != 1 || location[2] != 1 || location[3] < 0 || location[3] >= device_count)
		return CU_INVALID_VALUE;
	p = calloc(1, sizeof *p);
	if (!p)
		return CU_OUT_OF_MEMORY;
	*p = (struct fg_pool){ .magic = FG_POOL, .device = location[3] };
	pool_record(c, p, 1, 0);
	*pool = p;
	return CU_OK;
}

int do_cuMemPoolDestroy(struct fg_call *c, struct fg_pool *pool)
{
	if (!IS(pool, FG_POOL) || pool->is_default)
		return CU_INVALID_VALUE;
	pool_record(c, pool, 2, 0);
	fg_device_wait(pool->device, fg_device_last(pool->device));
	pool->magic = 0;
	free(pool);
	return CU_OK;
}

int do_cuMemPoolTrimTo(struct fg_call *c, struct fg_pool *pool, size_t keep)
{
	if (!IS(pool, FG_POOL))
		return CU_INVALID_VALUE;
	pool_record(c, pool, 3, keep);
	return CU_OK;
}

int do_cuDeviceGetDefaultMemPool(struct fg_call *c, struct fg_pool **pool, int device)
{
	(void)c;
	NEED_DEVICE(device);
	*pool = &pools[device];
	return CU_OK;
}

/* ---- copies, sets, launches ---- */
static const uint8_t copy_kinds[2][2] = { { 9, 1 }, { 2, 8 } };     /* [from device][to device]: HtoH HtoD DtoH DtoD */

static int copy(struct fg_call *c, uint64_t dst, uint64_t src, size_t bytes, struct fg_stream *stream, bool async)
{
	struct fg_stream *s = fg_stream_of(stream);
	int src_kind = fg_memory_kind(src, NULL), dst_kind = fg_memory_kind(dst, NULL);
	struct fg_op op = { .work = FG_WORK_COPY,
		.correlation = c->correlation,
		.dst = dst,
		.src = src,
		.bytes = bytes,
		.src_kind = (uint8_t)src_kind,
		.dst_kind = (uint8_t)dst_kind,
		.copy_kind = copy_kinds[src_kind >= FG_DEVICE_MEMORY][dst_kind >= FG_DEVICE_MEMORY],
		.async = async };

	NEED_CONTEXT();
	if (!s)
		return CU_INVALID_HANDLE;
	if (bytes && (!dst || !src))
		return CU_INVALID_VALUE;
	if (!bytes)
		return CU_OK;
	fg_submit(s, &op);
	if (!s->capture && (!async || src_kind == FG_PAGEABLE || dst_kind == FG_PAGEABLE))
		wait_until(s->context->device, op.ticket, op.end);
	return CU_OK;
}

/* A side that must be device memory and is not is an error of the caller's. */
static bool on_device(uint64_t address) { return fg_memory_kind(address, NULL) >= FG_DEVICE_MEMORY; }

int do_cuMemcpyHtoD_v2(struct fg_call *c, uint64_t dst, const void *src, size_t bytes)
{
	return bytes && !on_device(dst) ? CU_INVALID_VALUE : copy(c, dst, (uintptr_t)src, bytes, NULL, false);
}

int do_cuMemcpyDtoH_v2(struct fg_call *c, void *dst, uint64_t src, size_t bytes)
{
	return bytes && !on_device(src) ? CU_INVALID_VALUE : copy(c, (uintptr_t)dst, src, bytes, NULL, false);
}

int do_cuMemcpyDtoD_v2(struct fg_call *c, uint64_t dst, uint64_t src, size_t bytes)
{
	return copy(c, dst, src, bytes, NULL, false);
}
int do_cuMemcpy(struct fg_call *c, uint64_t dst, uint64_t src, size_t bytes)
{
	return copy(c, dst, src, bytes, NULL, false);
}

int do_cuMemcpyHtoDAsync_v2(struct fg_call *c, uint64_t dst, const void *src, size_t bytes, struct fg_stream *stream)
{
	return bytes && !on_device(dst) ? CU_INVALID_VALUE : copy(c, dst, (uintptr_t)src, bytes, stream, true);
}

int do_cuMemcpyDtoHAsync_v2(struct fg_call *c, void *dst, uint64_t src, size_t bytes, struct fg_stream *stream)
{
	return bytes && !on_device(src) ? CU_INVALID_VALUE : copy(c, (uintptr_t)dst, src, bytes, stream, true);
}

int do_cuMemcpyDtoDAsync_v2(struct fg_call *c, uint64_t dst, uint64_t src, size_t bytes, struct fg_stream *s)
{
	return copy(c, dst, src, bytes, s, true);
}
int do_cuMemcpyAsync(struct fg_call *c, uint64_t dst, uint64_t src, size_t bytes, struct fg_stream *s)
{
	return copy(c, dst, src, bytes, s, true);
}

int do_cuMemcpyPeerAsync(struct fg_call *c, uint64_t dst, struct fg_context *dst_context, uint64_t src,
	struct fg_context *src_context, size_t bytes, struct fg_stream *stream)
{
	struct fg_stream *s = fg_stream_of(stream);
	struct fg_op op = { .work = FG_WORK_COPY,
		.correlation = c->correlation,
		.dst = dst,
		.src = src,
		.bytes = bytes,
		.src_kind = FG_DEVICE_MEMORY,
		.dst_kind = FG_DEVICE_MEMORY,
		.copy_kind = 10,
		.async = true,
		.peer = true,
		.src_context = src_context,
		.dst_context = dst_context };

	NEED_CONTEXT();
	if (!IS(dst_context, FG_CONTEXT) || !IS(src_context, FG_CONTEXT))
		return CU_INVALID_CONTEXT;
	if (!s)
		return CU_INVALID_HANDLE;
	if (bytes && (!on_device(dst) || !on_device(src)))
		return CU_INVALID_VALUE;
	if (bytes)
		fg_submit(s, &op);
	return CU_OK;
}

static int set(struct fg_call *c, uint64_t dst, uint32_t value, unsigned element, size_t n, struct fg_stream *stream,
	bool async)
{
	struct fg_stream *s = fg_stream_of(stream);
	struct fg_op op = { .work = FG_WORK_SET,
		.correlation = c->correlation,
		.dst = dst,
		.bytes = n * element,
		.value = value,
		.element = (uint8_t)element,
		.dst_kind = (uint8_t)fg_memory_kind(dst, NULL),
		.async = async };

	NEED_CONTEXT();
	if (!s)
		return CU_INVALID_HANDLE;
	if (n && !on_device(dst))
		return CU_INVALID_VALUE;
	if (n)
		fg_submit(s, &op);
	return CU_OK;
}

int do_cuMemsetD8_v2(struct fg_call *c, uint64_t dst, unsigned char value, size_t n)
{
	return set(c, dst, value, 1, n, NULL, false);
}
int do_cuMemsetD32_v2(struct fg_call *c, uint64_t dst, unsigned value, size_t n)
{
	return set(c, dst, value, 4, n, NULL, false);
}
int do_cuMemsetD8Async(struct fg_call *c, uint64_t dst, unsigned char value, size_t n, struct fg_stream *s)
{
	return set(c, dst, value, 1, n, s, true);
}
int do_cuMemsetD32Async(struct fg_call *c, uint64_t dst, unsigned value, size_t n, struct fg_stream *s)
{
	return set(c, dst, value, 4, n, s, true);
}

/* command-buffer-full: as CUPTI does, data that nobody but its client frees. */
static void *full_data(long number)
{
	uint32_t words[] = { 0, (uint32_t)number, 1 };
	void *data = fg_fault("overhead-data-gone", NULL) ? NULL : malloc(sizeof words);

	return data ? memcpy(data, words, sizeof words) : (void *)(number * 16);
}

static void wait_for_room(const struct fg_call *c, uint64_t start)
{
	static atomic_long records;
	struct fg_rec r = { { 0 } };

	if (!fg_fault_due("command-buffer-full") || !fg_kind_on(FG_OVERHEAD))
		return;
	PUT(&r, OVERHEAD, overheadKind, 6 << 16);
	PUT(&r, OVERHEAD, objectKind, 2);
	PUT(&r, OVERHEAD, objectId, getpid());
	PUT(&r, OVERHEAD, objectThread, fg_thread_id());
	PUT(&r, OVERHEAD, start, start);
	PUT(&r, OVERHEAD, end, fg_now());
	PUT(&r, OVERHEAD, correlationId, c->correlation);
	PUT(&r, OVERHEAD, overheadData, (uintptr_t)full_data(++records));
	fg_emit(FG_OVERHEAD, &r);
}

static int launch(struct fg_call *c, const struct fg_kernel_params *p, struct fg_stream *stream, bool cooperative)
{
	struct fg_stream *s = fg_stream_of(stream);
	struct fg_op op = { .work = FG_WORK_KERNEL,
		.correlation = c->correlation,
		.f = p->f,
		.grid = { p->gx, p->gy, p->gz },
		.block = { p->bx, p->by, p->bz },
		.shared = p->shared,
		.cooperative = cooperative };
	uint64_t start = fg_now();

	NEED_CONTEXT();
	if (!s || !IS(p->f, FG_FUNCTION_))
		return CU_INVALID_HANDLE;
	c->symbol = p->f->name;
	if (!p->gx || !p->gy || !p->gz || !p->bx || !p->by || !p->bz || (uint64_t)p->bx * p->by * p->bz > 1024 ||
		(p->f->n_args && !p->params))
		return CU_INVALID_VALUE;
	if (fg_fault_due("launch-fails"))
		return CU_LAUNCH_FAILED;
	for (int i = 0; i < p->f->n_args; i++)
		memcpy(&op.args[i], p->params[i], p->f->arg_bytes[i]);
	wait_for_room(c, start);
	if (!s->capture)
		fg_migrate(s->context, s->id, true);
	fg_submit(s, &op);
	if (fg_state.launched && !s->capture)
		fg_state.launched(s->context, &op);
	return CU_OK;
}

int do_cuLaunchKernel(struct fg_call *c, struct fg_function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
	unsigned by, unsigned bz, unsigned shared, struct fg_stream *stream, void **params, void **extra)
{
	return launch(c, &(struct fg_kernel_params){ f, gx, gy, gz, bx, by, bz, shared, params, extra, NULL, NULL },
		stream, false);
}

int do_cuLaunchCooperativeKernel(struct fg_call *c, struct fg_function *f, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, struct fg_stream *stream, void **params)
{
	return launch(c, &(struct fg_kernel_params){ f, gx, gy, gz, bx, by, bz, shared, params, NULL, NULL, NULL },
		stream, true);
}

/* Attributes are for the caller's tracer: here streams keep their order. */
int do_cuLaunchKernelEx(struct fg_call *c, const struct fg_launch_config *config, struct fg_function *f, void **params,
	void **extra)
{
	if (!config || (config->n && !config->attributes))
		return CU_INVALID_VALUE;
	return launch(c,
		&(struct fg_kernel_params){ f, config->gx, config->gy, config->gz, config->bx, config->by, config->bz,
			(unsigned)config->shared, params, extra, NULL, NULL },
		config->stream, false);
}

int do_cuLaunchHostFunc(struct fg_call *c, struct fg_stream *stream, fg_host_fn *fn, void *data)
{
	struct fg_stream *s = fg_stream_of(stream);
	struct fg_op op = { .work = FG_WORK_HOST, .correlation = c->correlation, .host_data = data };

	NEED_CONTEXT();
	if (!s || !fn)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	op.host = fn;
	fg_submit(s, &op);
	return CU_OK;
}

/* ---- streams ---- */
int do_cuStreamCreate(struct fg_call *c, struct fg_stream **stream, unsigned flags)
{
	NEED_CONTEXT();
	if (!stream || flags > 1)
		return CU_INVALID_VALUE;
	*stream = new_stream(fg_current(), flags);
	if (!*stream)
		return CU_OUT_OF_MEMORY;
	fg_count(FG_C_LIVE_STREAMS, 1);
	fg_stream_record(*stream, c->correlation);
	fg_resource(3, fg_current(), *stream, NULL);
	return CU_OK;
}

int do_cuStreamDestroy_v2(struct fg_call *c, struct fg_stream *stream)
{
	struct fg_context *ctx;

	(void)c;
	if (!IS(stream, FG_STREAM_) || stream == stream->context->null_stream)
		return CU_INVALID_HANDLE;
	ctx = stream->context;
	fg_resource(4, ctx, stream, NULL);
	fg_device_wait(ctx->device, stream->last);
	pthread_mutex_lock(&lock);
	for (struct fg_stream **s = &ctx->streams; *s; s = &(*s)->next)
		if (*s == stream) {
			*s = stream->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	fg_count(FG_C_LIVE_STREAMS, -1);
	stream->magic = 0;
	free(stream);
	return CU_OK;
}

int do_cuStreamSynchronize(struct fg_call *c, struct fg_stream *stream)
{
	struct fg_stream *s = fg_stream_of(stream);
	uint64_t start = fg_now();

	NEED_CONTEXT();
	if (!s)
		return CU_INVALID_HANDLE;
	if (s->capture)
		return CU_CAPTURE_UNSUPPORTED;
	wait_until(s->context->device, s->last, s->ready);
	fg_migrate(s->context, s->id, false);
	sync_record(c, 3, start, s->context, s->id, FG_INVALID_ID);
	fg_synchronized(1, s->context, s);
	return CU_OK;
}

int do_cuStreamQuery(struct fg_call *c, struct fg_stream *stream)
{
	struct fg_stream *s = fg_stream_of(stream);

	(void)c;
	NEED_CONTEXT();
	if (!s)
		return CU_INVALID_HANDLE;
	return fg_device_done(s->context->device, s->last) && fg_now() >= s->ready ? CU_OK : CU_NOT_READY;
}

int do_cuStreamWaitEvent(struct fg_call *c, struct fg_stream *stream, struct fg_event *event, unsigned flags)
{
	struct fg_stream *s = fg_stream_of(stream);
	uint64_t start = fg_now();

	(void)flags;
	NEED_CONTEXT();
	if (!s || !IS(event, FG_EVENT))
		return CU_INVALID_HANDLE;
	if (s->capture)
		return CU_NOT_SUPPORTED;             /* captures here follow one stream */
	if (event->ticket) {
		/*
		 * Within one device the queue's order is enough; between two the waiting one stands still.
		 * graph_start: not before this time.
		 */
		struct fg_op op = { .work = FG_WORK_WAIT,
			.correlation = c->correlation,
			.wait_device = event->device,
			.graph_start = event->time,
			.wait_ticket = event->device == s->context->device ? 0 : event->ticket };

		fg_submit(s, &op);
	}
	sync_record(c, 2, start, s->context, s->id, event->id);
	return CU_OK;
}

/* ---- events ---- */
int do_cuEventCreate(struct fg_call *c, struct fg_event **event, unsigned flags)
{
	struct fg_event *e = calloc(1, sizeof *e);

	(void)c;
	NEED_CONTEXT();
	if (!e)
		return CU_OUT_OF_MEMORY;
	*e = (struct fg_event){ .magic = FG_EVENT, .id = fg_next_id(), .flags = flags };
	fg_count(FG_C_LIVE_EVENTS, 1);
	*event = e;
	return CU_OK;
}

int do_cuEventRecord(struct fg_call *c, struct fg_event *event, struct fg_stream *stream)
{
	struct fg_stream *s = fg_stream_of(stream);
	struct fg_op op = { .work = FG_WORK_EVENT, .correlation = c->correlation, .event = event };

	NEED_CONTEXT();
	if (!s || !IS(event, FG_EVENT))
		return CU_INVALID_HANDLE;
	if (s->capture)
		return CU_NOT_SUPPORTED;
	fg_submit(s, &op);
	return CU_OK;
}

int do_cuEventSynchronize(struct fg_call *c, struct fg_event *event)
{
	uint64_t start = fg_now();

	NEED_CONTEXT();
	if (!IS(event, FG_EVENT))
		return CU_INVALID_HANDLE;
	wait_until(event->device, event->ticket, event->time);
	sync_record(c, 1, start, fg_current(), event->stream ? event->stream->id : FG_INVALID_ID, event->id);
	return CU_OK;
}

int do_cuEventQuery(struct fg_call *c, struct fg_event *event)
{
	(void)c;
	if (!IS(event, FG_EVENT))
		return CU_INVALID_HANDLE;
	return fg_device_done(event->device, event->ticket) && fg_now() >= event->time ? CU_OK : CU_NOT_READY;
}

int do_cuEventElapsedTime_v2(struct fg_call *c, float *ms, struct fg_event *start, struct fg_event *end)
{
	(void)c;
	if (!IS(start, FG_EVENT) || !IS(end, FG_EVENT) || !start->ticket || !end->ticket ||
		((start->flags | end->flags) & 2))
		return CU_INVALID_HANDLE;
	*ms = (float)((double)((int64_t)(end->time - start->time)) / 1e6);
	return CU_OK;
}

int do_cuEventDestroy_v2(struct fg_call *c, struct fg_event *event)
{
	(void)c;
	if (!IS(event, FG_EVENT))
		return CU_INVALID_HANDLE;
	fg_device_wait(event->device, event->ticket);
	event->magic = 0;
	free(event);
	fg_count(FG_C_LIVE_EVENTS, -1);
	return CU_OK;
}

/* ---- names, look-ups: without callbacks, as they need no context ---- */
FG_EXPORT int cuGetErrorName(int error, const char **name)
{
	static const struct {
		int code;
		const char *name;
	} names[] = { { CU_OK, "CUDA_SUCCESS" }, { CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE" },
		{ CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY" }, { CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED" },
		{ CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE" }, { CU_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE" },
		{ CU_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE" }, { CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT" },
		{ CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX" }, { CU_OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM" },
		{ CU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE" }, { CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND" },
		{ CU_NOT_READY, "CUDA_ERROR_NOT_READY" }, { CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED" },
		{ CU_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED" },
		{ CU_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" } };

	*name = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].code == error)
			*name = names[i].name;
	return *name ? CU_OK : CU_INVALID_VALUE;
}

FG_EXPORT int cuGetErrorString(int error, const char **text)
{
	int err = cuGetErrorName(error, text);

	if (!err)
		*text = error ? "an error of the gputap stand-in" : "no error";
	return err;
}

FG_EXPORT int cuGetExportTable(const void **table, const void *id)
{
	(void)id;
	*table = NULL;
	return CU_NOT_FOUND;
}

/* A name without its version answers the newest, as the real one does for the newest caller. */
FG_EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, uint64_t flags, int *status)
{
	static const char *const suffix[] = { "_v4", "_v3", "_v2", "" };
	Dl_info self;
	void *lib = dladdr((void *)fg_enter, &self) ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;

	(void)cuda_version; (void)flags;
	*function = NULL;
	for (size_t i = 0; lib && i < 4 && !*function; i++) {
		char name[160];

		snprintf(name, sizeof name, "%s%s", symbol, suffix[i]);
		*function = dlsym(lib, name);
	}
	if (lib)
		dlclose(lib);
	if (status)
		*status = *function ? 0 : 1;
	return *function ? CU_OK : CU_NOT_FOUND;
}

FG_EXPORT int cuGetProcAddress(const char *symbol, void **function, int cuda_version, uint64_t flags)
{
	return cuGetProcAddress_v2(symbol, function, cuda_version, flags, NULL);
}

FG_EXPORT int cuCtxCreate(struct fg_context **context, unsigned flags, int device)
{
	return cuCtxCreate_v2(context, flags, device);
}

int do_cuProfilerStart(struct fg_call *c) { (void)c; return CU_OK; }
int do_cuProfilerStop(struct fg_call *c) { (void)c; return CU_OK; }
