/*
 * tests/fakegpu/cupti.c - CUPTI's functions; what they switch lives in the driver (fg_state)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HANDLE ((void *)&fg_state.subscriber)
#define REFUSE_OLD_DRIVER() do { int r_ = no_answer(); if (r_ || (r_ = driver_refuses())) return r_; } while (0)

__attribute__((constructor)) static void loaded(void)
{
	if (!fg_state.cupti_version)
		fg_state.cupti_version = FAKEGPU_CUPTI_VERSION;
	if (fg_state.cupti_version >= 130000)
		fg_state.attribute[9] = 1;           /* buffers per thread: the default since 13.0 */
}

int fg_refused(const char *function)
{
	const char *at = getenv("FAKEGPU_REFUSE");
	size_t n = strlen(function);

	for (; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
		if (strncmp(at, function, n) || (at[n] && !strchr(":,", at[n])))
			continue;
		return at[n] == ':' ? atoi(at + n + 1) : CUPTI_HARDWARE;
	}
	return CUPTI_OK;
}

/* A CUPTI newer than the driver: 15, and 999 since 13.0. In a child forked behind cuInit too. */
static int driver_refuses(void)
{
	uint32_t v = fg_state.cupti_version;
	int major = v >= 130000 ? 13 : v >= 19 ? 12 : 11;

	if (fg_state.driver_version / 1000 < major)
		return v >= 130000 ? CUPTI_UNKNOWN : CUPTI_NOT_INITIALIZED;
	if (fg_state.pid && fg_state.pid != getpid())
		return CUPTI_NOT_INITIALIZED;
	return CUPTI_OK;
}

/*
 * From 13.2 on even the questions that need no driver want one. 13.2 itself calls itself for ever in the attempt to
 * tell why it cannot.
 */
static int no_answer(void)
{
	uint32_t v = fg_state.cupti_version;
	int err = v >= 130200 ? driver_refuses() : CUPTI_OK;

	if (err && v < 130300)
		raise(SIGSEGV);
	return err;
}

/* What a driver that took itself down does to its client. */
#define DIE_IF_GONE() do { \
	if (fg_state.gone) { \
		fprintf(stderr, "gputap stand-in: %s behind the driver's end\n", __func__); \
		abort(); \
	} } while (0)

FG_EXPORT int cuptiGetVersion(uint32_t *version)
{
	int err = no_answer();

	if (err)
		return err;
	if (!version)
		return CUPTI_INVALID_PARAMETER;
	/* CUDA 12.0 and 12.1 answer as 11.8 does */
	*version = fg_state.cupti_version == 19 ? 18 : fg_state.cupti_version;
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetTimestamp(uint64_t *t)
{
	DIE_IF_GONE();
	if (!t)
		return CUPTI_INVALID_PARAMETER;
	*t = fg_now();
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetResultString(int result, const char **text)
{
	static const struct { int code; const char *name; } names[] = { { CUPTI_OK, "CUPTI_SUCCESS" },
		{ CUPTI_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER" },
		{ CUPTI_INVALID_OPERATION, "CUPTI_ERROR_INVALID_OPERATION" },
		{ CUPTI_HARDWARE, "CUPTI_ERROR_HARDWARE" },
		{ CUPTI_SIZE, "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT" },
		{ CUPTI_MAX_LIMIT, "CUPTI_ERROR_MAX_LIMIT_REACHED" },
		{ CUPTI_NOT_COMPATIBLE, "CUPTI_ERROR_NOT_COMPATIBLE" },
		{ CUPTI_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED" },
		{ CUPTI_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY" },
		{ CUPTI_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND" },
		{ CUPTI_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED" },
		{ CUPTI_PRIVILEGES, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" },
		{ CUPTI_MULTIPLE, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" },
		{ CUPTI_UNKNOWN, "CUPTI_ERROR_UNKNOWN" } };

	for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
		if (names[i].code == result) {
			*text = names[i].name;
			return CUPTI_OK;
		}
	return CUPTI_INVALID_PARAMETER;
}

FG_EXPORT int cuptiGetErrorMessage(int result, const char **text)
{
	int err = cuptiGetResultString(result, text);

	if (!err && result)
		*text = "an error of the gputap stand-in";
	return err;
}

FG_EXPORT int cuptiGetCallbackName(int domain, uint32_t cbid, const char **name)
{
	const char *found = fg_callback_name_of(domain, cbid);

	if (!found || !name)
		return CUPTI_INVALID_PARAMETER;
	*name = found;
	return CUPTI_OK;
}

/* ---- the slot, callbacks ---- */
static int subscribe(void **handle, fg_callback callback, void *user, const char *name, const char **held_by)
{
	REFUSE_OLD_DRIVER();
	if (!handle)
		return CUPTI_INVALID_PARAMETER;
	if (fg_fault("subscribe-busy", NULL)) {
		*held_by = "other-profiler";
		return CUPTI_MULTIPLE;
	}
	if (fg_state.callback) {
		*held_by = fg_state.subscriber;
		return CUPTI_MULTIPLE;
	}
	fg_state.user = user;
	snprintf(fg_state.subscriber, sizeof fg_state.subscriber, "%s", name);
	fg_state.finalized = false;
	fg_state.callback = callback;
	*handle = HANDLE;
	return CUPTI_OK;
}

FG_EXPORT int cuptiSubscribe(void **handle, fg_callback callback, void *user)
{
	const char *unused;

	return subscribe(handle, callback, user, "", &unused);
}

struct subscriber_params { size_t bytes; const char *name; char *old_name; size_t old_bytes; };

FG_EXPORT int cuptiSubscribe_v2(void **handle, fg_callback callback, void *user, struct subscriber_params *p)
{
	const char *held_by = "";
	int err;

	if (!p || p->bytes < sizeof *p)
		return CUPTI_INVALID_PARAMETER;
	err = subscribe(handle, callback, user, p->name ? p->name : "", &held_by);
	if (err == CUPTI_MULTIPLE && p->old_name && p->old_bytes)
		snprintf(p->old_name, p->old_bytes, "%s", held_by);
	return err;
}

FG_EXPORT int cuptiUnsubscribe(void *handle)
{
	DIE_IF_GONE();
	if (handle != HANDLE || !fg_state.callback)
		return CUPTI_INVALID_PARAMETER;
	fg_state.callback = NULL;
	memset(fg_state.callback_on, 0, sizeof fg_state.callback_on);
	return CUPTI_OK;
}

FG_EXPORT int cuptiEnableCallback(uint32_t enable, void *handle, int domain, uint32_t cbid)
{
	DIE_IF_GONE();
	if (handle != HANDLE || domain < 1 || domain >= FG_DOMAINS || cbid >= 1024)
		return CUPTI_INVALID_PARAMETER;
	fg_state.callback_on[domain][cbid] = enable != 0;
	return CUPTI_OK;
}

FG_EXPORT int cuptiEnableDomain(uint32_t enable, void *handle, int domain)
{
	DIE_IF_GONE();
	if (handle != HANDLE || domain < 1 || domain >= FG_DOMAINS)
		return CUPTI_INVALID_PARAMETER;
	memset(fg_state.callback_on[domain], enable != 0, sizeof fg_state.callback_on[domain]);
	return CUPTI_OK;
}

FG_EXPORT int cuptiEnableAllDomains(uint32_t enable, void *handle)
{
	int err = CUPTI_OK;

	for (int d = 1; !err && d < FG_DOMAINS; d++)
		err = cuptiEnableDomain(enable, handle, d);
	return err;
}

FG_EXPORT int cuptiGetCallbackState(uint32_t *enable, void *handle, int domain, uint32_t cbid)
{
	if (handle != HANDLE || !enable || domain < 1 || domain >= FG_DOMAINS || cbid >= 1024)
		return CUPTI_INVALID_PARAMETER;
	*enable = fg_state.callback_on[domain][cbid];
	return CUPTI_OK;
}

FG_EXPORT int cuptiSupportedDomains(size_t *count, const int **table)
{
	static const int domains[] = { FG_DRIVER, FG_RUNTIME, FG_RESOURCE, FG_SYNCHRONIZE, FG_NVTX, FG_STATE };

	*count = sizeof domains / sizeof *domains;
	*table = domains;
	return CUPTI_OK;
}

/* ---- activity ---- */
FG_EXPORT int cuptiActivityRegisterCallbacks(
	void (*request)(uint8_t **, size_t *, size_t *), void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t))
{
	if (!request || !complete)
		return CUPTI_INVALID_PARAMETER;
	fg_state.complete = complete;
	fg_state.request = request;
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*f)(void))
{
	if (!f)
		return CUPTI_INVALID_PARAMETER;
	fg_state.timestamp = f;
	return CUPTI_OK;
}

static bool of_device(unsigned kind)
{
	return kind == FG_KERNEL || kind == FG_CONCURRENT_KERNEL || kind == FG_MEMCPY || kind == FG_MEMSET ||
		kind == FG_MEMCPY2;
}

FG_EXPORT int cuptiActivityEnable(unsigned kind)
{
	long refused;

	REFUSE_OLD_DRIVER();
	if (kind >= FG_KINDS || !fg_record_bytes(kind))
		return CUPTI_INVALID_KIND;
	if (fg_fault("no-permission", NULL) && of_device(kind))
		return CUPTI_PRIVILEGES;
	if (fg_fault("kind-refused", &refused) && (long)kind == refused)
		return CUPTI_NOT_COMPATIBLE;
	if (fg_fault("kind-early", &refused) && (long)kind == refused && !fg_state.initialised)
		return CUPTI_NOT_INITIALIZED;
	if (kind == FG_UNIFIED_MEMORY_COUNTER && fg_fault("um-late", NULL) && !fg_state.um_configured)
		return CUPTI_NOT_INITIALIZED;
	if ((kind == FG_KERNEL && fg_kind_on(FG_CONCURRENT_KERNEL)) ||
		(kind == FG_CONCURRENT_KERNEL && fg_kind_on(FG_KERNEL)))
		return CUPTI_NOT_COMPATIBLE;
	fg_state.finalized = false;
	fg_state.kind_on[kind] = true;
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityEnableAndDump(unsigned kind)
{
	int err = cuptiActivityEnable(kind);

	if (!err)
		fg_enable_dump(kind);
	return err;
}

FG_EXPORT int cuptiActivityDisable(unsigned kind)
{
	DIE_IF_GONE();
	if (kind >= FG_KINDS || !fg_record_bytes(kind))
		return CUPTI_INVALID_KIND;
	fg_state.kind_on[kind] = false;
	return CUPTI_OK;
}

/* By context: the stand-in keeps one switch for all. */
FG_EXPORT int cuptiActivityEnableContext(void *context, unsigned kind)
{
	return context ? cuptiActivityEnable(kind) : CUPTI_INVALID_PARAMETER;
}
FG_EXPORT int cuptiActivityDisableContext(void *context, unsigned kind)
{
	return context ? cuptiActivityDisable(kind) : CUPTI_INVALID_PARAMETER;
}

static int filter(int domain, uint32_t cbid, uint8_t enable)
{
	DIE_IF_GONE();
	if (cbid >= 1024)
		return CUPTI_INVALID_PARAMETER;
	fg_state.api_on[domain][cbid] = enable != 0;
	fg_state.api_off[domain][cbid] = enable == 0;
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable) { return filter(FG_DRIVER, cbid, enable); }
FG_EXPORT int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable) { return filter(FG_RUNTIME, cbid, enable); }
FG_EXPORT int cuptiActivityFlushAll(uint32_t flags) { DIE_IF_GONE(); return fg_flush(flags); }
FG_EXPORT int cuptiActivityFlush(void *context, uint32_t stream, uint32_t flags)
{
	(void)context;
	(void)stream;
	return fg_flush(flags);
}

FG_EXPORT int cuptiActivityFlushPeriod(uint32_t ms)
{
	fg_state.flush_period_ms = ms;
	fg_period_changed();
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
	static atomic_ulong told;
	long most;

	(void)context; (void)stream;
	DIE_IF_GONE();
	if (!dropped)
		return CUPTI_INVALID_PARAMETER;
	if (fg_fault("dropped-kills", &most) && atomic_load(&told) >= (unsigned long)most)
		kill(getpid(), SIGKILL);
	*dropped = atomic_exchange(&fg_state.dropped, 0);
	atomic_fetch_add(&told, *dropped);
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityGetStructSize(unsigned kind, uint32_t version, size_t *bytes)
{
	int err = no_answer();

	if (err)
		return err;
	if (!bytes)
		return CUPTI_INVALID_PARAMETER;
	if (version && version != fg_state.cupti_version)
		return CUPTI_NOT_SUPPORTED;
	if (kind >= FG_KINDS || !fg_record_bytes(kind))
		return CUPTI_INVALID_KIND;
	*bytes = fg_record_bytes(kind);
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
	uint32_t kind;
	uint8_t *at = buffer;
	int err = no_answer();

	if (err)
		return err;
	if (!buffer || !record)
		return CUPTI_INVALID_PARAMETER;
	if (*record) {
		memcpy(&kind, *record, 4);
		at = *record + fg_record_bytes(kind);
	}
	if (at + 4 > buffer + valid)
		return CUPTI_MAX_LIMIT;
	memcpy(&kind, at, 4);
	if (!fg_record_bytes(kind))
		return CUPTI_INVALID_KIND;
	if (at + fg_record_bytes(kind) > buffer + valid)
		return CUPTI_MAX_LIMIT;
	*record = at;
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityGetNextRecord_v2(void *subscriber, uint8_t *buffer, size_t valid, uint8_t **record)
{
	return subscriber == HANDLE ? cuptiActivityGetNextRecord(buffer, valid, record) : CUPTI_INVALID_PARAMETER;
}

static size_t attribute_bytes(unsigned attribute) { return attribute == 5 || attribute == 8 || attribute == 9 ? 1 : 8; }

FG_EXPORT int cuptiActivityGetAttribute(unsigned attribute, size_t *bytes, void *value)
{
	if (attribute > 10 || !bytes || !value)
		return CUPTI_INVALID_PARAMETER;
	if (*bytes < attribute_bytes(attribute))
		return CUPTI_SIZE;
	*bytes = attribute_bytes(attribute);
	memcpy(value, &fg_state.attribute[attribute], *bytes);
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivitySetAttribute(unsigned attribute, size_t *bytes, const void *value)
{
	if (attribute > 10 || !bytes || !value || (attribute == 9 && fg_state.cupti_version < 21))
		return CUPTI_INVALID_PARAMETER;
	if (*bytes < attribute_bytes(attribute))
		return CUPTI_SIZE;
	if (attribute == 9 && fg_state.request)
		return CUPTI_INVALID_OPERATION;      /* before the callbacks are registered */
	fg_state.attribute[attribute] = 0;
	memcpy(&fg_state.attribute[attribute], value, attribute_bytes(attribute));
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityConfigureUnifiedMemoryCounter(const void *config, uint32_t count)
{
	if (!config || !count)
		return CUPTI_INVALID_PARAMETER;
	if (fg_fault("um-late", NULL) && !fg_state.initialised)
		return CUPTI_NOT_INITIALIZED;
	fg_state.um_configured = true;
	return CUPTI_OK;
}

FG_EXPORT int cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
	fg_state.latency_timestamps = enable;
	return CUPTI_OK;
}
FG_EXPORT int cuptiActivityEnableLaunchAttributes(uint8_t enable) { (void)enable; return CUPTI_OK; }
FG_EXPORT int cuptiActivityEnableDeviceGraph(uint8_t enable) { (void)enable; return CUPTI_OK; }
FG_EXPORT int cuptiActivityEnableAllocationSource(uint8_t enable) { (void)enable; return CUPTI_OK; }
/* Blackwell only */
FG_EXPORT int cuptiActivityEnableHWTrace(uint8_t enable) { return enable ? CUPTI_NOT_SUPPORTED : CUPTI_OK; }
FG_EXPORT int cuptiActivityEnableAllSyncRecords(uint8_t enable) { fg_state.all_sync = enable; return CUPTI_OK; }
FG_EXPORT int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	fg_state.event_timestamps = enable;
	return CUPTI_OK;
}
FG_EXPORT int cuptiActivityPushExternalCorrelationId(unsigned kind, uint64_t id) { return fg_push_external(kind, id); }
FG_EXPORT int cuptiActivityPopExternalCorrelationId(unsigned kind, uint64_t *last)
{
	return fg_pop_external(kind, last);
}

FG_EXPORT int cuptiSetThreadIdType(int type)
{
	if (type != 0 && type != 1)
		return CUPTI_INVALID_PARAMETER;
	fg_state.thread_id_type = type;
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetThreadIdType(int *type) { *type = fg_state.thread_id_type; return CUPTI_OK; }

/* ---- numbers of handles ---- */
FG_EXPORT int cuptiGetContextId(struct fg_context *context, uint32_t *id)
{
	if (!context || !id)
		return CUPTI_INVALID_PARAMETER;
	*id = context->id;
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetDeviceId(struct fg_context *context, uint32_t *id)
{
	if (!context || !id)
		return CUPTI_INVALID_PARAMETER;
	*id = (uint32_t)context->device;
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetStreamIdEx(struct fg_context *context, struct fg_stream *stream, uint8_t per_thread, uint32_t *id)
{
	(void)per_thread;
	if (!context || !id)
		return CUPTI_INVALID_PARAMETER;
	*id = (uintptr_t)stream <= 2 ? context->null_stream->id : stream->id;
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetStreamId(struct fg_context *context, struct fg_stream *stream, uint32_t *id)
{
	return cuptiGetStreamIdEx(context, stream, 0, id);
}

FG_EXPORT int cuptiGetGraphNodeId(struct fg_node *node, uint64_t *id)
{
	if (!node || !id)
		return CUPTI_INVALID_PARAMETER;
	*id = node->id;
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetGraphId(struct fg_graph *graph, uint32_t *id)
{
	if (!graph || !id)
		return CUPTI_INVALID_PARAMETER;
	*id = graph->id;
	return CUPTI_OK;
}

FG_EXPORT int cuptiGetGraphExecId(struct fg_graph *exec, uint32_t *id) { return cuptiGetGraphId(exec, id); }

FG_EXPORT int cuptiFinalize(void)
{
	for (int k = 0; k < FG_KINDS && !fg_fault("late-records", NULL); k++)
		fg_state.kind_on[k] = false;
	fg_state.callback = NULL;
	fg_state.finalized = true;
	return CUPTI_OK;
}
