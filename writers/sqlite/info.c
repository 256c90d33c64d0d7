/*
 * writers/sqlite/info.c - everything that is not a row per call: who, where, on what, and what is missing
 *
 * Written after the walk, when all objects and threads are known. No environment is written, whatever the trace holds:
 * exports get shared.
 * spec: nsys SQLite metadata and target tables.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/counted.h"
#include "opencl_values.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/output.h"
#include "writers/sqlite/cuda.h"

#define CELLS(...) (const char *const[]){ __VA_ARGS__ }
#define FEED(f, table, ...) gt_sql_feed((f)->db, table, CELLS(__VA_ARGS__), sizeof CELLS(__VA_ARGS__) / sizeof(char *))

/* ------------------------------------------------------------ name and value */

static void add_pair(struct gt_sql_table *t, const char *name, const char *value)
{
	struct gt_sql_row *r = gt_sql_add(t);

	gt_put_str(t, r, 0, name);
	gt_put_str(t, r, 1, value);
}

static void __attribute__((format(printf, 3, 4)))
add_pairf(struct gt_sql_table *t, const char *name, const char *format, ...)
{
	char value[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(value, sizeof value, format, ap);
	va_end(ap);
	add_pair(t, name, value);
}

static void time_text(char *out, size_t bytes, int64_t utc_ns, bool local)
{
	time_t seconds = (time_t)(utc_ns / 1000000000);
	struct tm tm;

	*out = 0;
	if (local ? localtime_r(&seconds, &tm) : gmtime_r(&seconds, &tm))
		strftime(out, bytes, "%Y-%m-%dT%H:%M:%S", &tm);
}

static void export_facts(struct gt_sql_feeder *f)
{
	struct gt_sql_table *t = FEED(f, "META_DATA_EXPORT", "name", "value");
	const struct gt_session *s = gt_model_session(f->m);
	char text[2048];

	add_pair(t, "EXPORT_PRODUCT_NAME", "gputap"); /* never the other tool's: consumers may ask */
	add_pair(t, "EXPORT_PRODUCT_VERSION", s->version);
	add_pair(t, "EXPORT_SCHEMA_VERSION", "3.28.1");
	add_pair(t, "EXPORT_SCHEMA_VERSION_MAJOR", "3");
	add_pair(t, "EXPORT_SCHEMA_VERSION_MINOR", "28");
	add_pair(t, "EXPORT_SCHEMA_VERSION_MICRO", "1");
	add_pair(t, "EXPORT_PLATFORM", "linux-desktop");
#if defined(__aarch64__)
	add_pair(t, "EXPORT_ARCH", "aarch64");
#else
	add_pair(t, "EXPORT_ARCH", "x64");
#endif
	time_text(text, sizeof text, (int64_t)time(NULL) * 1000000000, false);
	add_pair(t, "EXPORT_TIME_UTC", text);
	add_pair(t, "EXPORT_PARAM_EXPORT_TYPE", "SQLite");
	add_pair(t, "EXPORT_PARAM_INPUT_FILE", s->path);
	add_pair(t, "EXPORT_PARAM_OUTPUT_FILE", f->x->final_path);
	add_pair(t, "EXPORT_PARAM_LAZY", gt_option_is(f->x->options, "lazy", "false") ? "false" : "true");
	add_pair(t, "OPENCL_COMPAT_ROWS", f->compat ? "true" : "false");
	add_pair(t, "OPENCL_SCHEMA_VERSION", "1.0");
	add_pair(t, "GPUTAP_COMPLETE", gt_model_complete_text(f->m, text, sizeof text));
}

static void capture_facts(struct gt_sql_feeder *f)
{
	struct gt_sql_table *t = FEED(f, "META_DATA_CAPTURE", "name", "value");
	const struct gt_session *s = gt_model_session(f->m);
	char name[64];

	if (f->opencl_calls)
		add_pair(t, "CAPTURE_EVENT_TYPE", "OpenCL");
	if (f->cuda)
		add_pair(t, "CAPTURE_EVENT_TYPE", "Cuda");
	if (f->range_rows)
		add_pair(t, "CAPTURE_EVENT_TYPE", "NvtxEvents");
	if (f->cuda)
		add_pair(t, "CUDA_SKIP_SOME_API_CALLS", f->driver_rows ? "false" : "true");
	if (s->n_args)
		add_pair(t, "PROCESS_0:COMMAND", s->args[0]);
	for (size_t i = 1; i < s->n_args; i++) {
		snprintf(name, sizeof name, "PROCESS_0:ARGUMENT_%zu", i - 1);
		add_pair(t, name, s->args[i]);
	}
	if (*s->cwd)
		add_pair(t, "PROCESS_0:WORKING_DIR", s->cwd);
	for (size_t i = 0; gt_model_process_count(f->m) && i < gt_model_process(f->m, 0)->n_env; i++)
		add_pair(t, "PROCESS_0:ENVIRONMENT_VARIABLE", gt_model_process(f->m, 0)->env[i]);
	if (*s->run_id)
		add_pair(t, "PROFILING_SESSION_UUID", s->run_id);
	if (s->exit_status >= 0)
		add_pairf(t, "PROCESS_0:EXIT_STATUS", "%d", s->exit_status);
	if (s->exit_signal)
		add_pairf(t, "PROCESS_0:EXIT_SIGNAL", "%d", s->exit_signal);
}

static void session_facts(struct gt_sql_feeder *f)
{
	const struct gt_session *s = gt_model_session(f->m);
	struct gt_sql_table *start =
		FEED(f, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", "utcTime", "localTime", "systemClockNs");
	struct gt_sql_table *details = FEED(f, "ANALYSIS_DETAILS", "globalVid", "duration", "startTime", "stopTime");
	struct gt_sql_row *r = gt_sql_add(start);
	char text[64];

	gt_put(r, 0, s->utc_ns);
	time_text(text, sizeof text, s->utc_ns, false);
	gt_put_str(start, r, 1, text);
	time_text(text, sizeof text, s->utc_ns, true);
	gt_put_str(start, r, 2, text);
	gt_put(r, 3, s->monotonic_ns);
	r = gt_sql_add(details);
	gt_put(r, 0, GT_SQL_VM);
	gt_put(r, 1, s->duration_ns);
	gt_put(r, 2, s->monotonic_ns);          /* on the target's clock, not the session's: as the original does */
	gt_put(r, 3, s->monotonic_ns + s->duration_ns);
}

static void add_environment(struct gt_sql_table *t, const char *name, int number, const char *value)
{
	struct gt_sql_row *r;

	if (!value || !*value)
		return;
	r = gt_sql_add(t);
	gt_put(r, 0, GT_SQL_VM);
	gt_put_str(t, r, 1, "Local (CLI)");
	gt_put_str(t, r, 2, name);
	gt_put(r, 3, number);
	gt_put_str(t, r, 4, value);
}

/* Of CUDA: "13.0" for 13000; NULL when no process had CUDA. */
static const char *driver_version(struct gt_sql_feeder *f, char *out, size_t bytes)
{
	for (uint32_t i = 0; f->cuda && i < gt_model_process_count(f->m); i++) {
		const struct gt_cuda_library *l = gt_cuda_library(gt_sql_cuda_model(f), i);

		if (!l || !l->driver_version)
			continue;
		snprintf(out, bytes, "%u.%u", l->driver_version / 1000, l->driver_version % 1000 / 10);
		return out;
	}
	return NULL;
}

/* Each nameEnum once: consumers use it as a key. */
static void system_facts(struct gt_sql_feeder *f)
{
	char version[32];
	struct gt_sql_table *t =
		FEED(f, "TARGET_INFO_SYSTEM_ENV", "globalVid", "devStateName", "name", "nameEnum", "value");
	const struct gt_process *p = gt_model_process_count(f->m) ? gt_model_process(f->m, 0) : NULL;

	add_environment(t, "Hostname", 619, gt_model_session(f->m)->host);
	add_environment(t, "CpuArchitecture", 3, p ? p->arch : NULL);
	add_environment(t, "OsDescription", 605, p ? p->os : NULL);
	add_environment(t, "CudaDriverVersion", 611, driver_version(f, version, sizeof version));
}

/* ------------------------------------------------------- processes and threads */

static bool same_pid_before(const struct gt_model *m, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (gt_model_process(m, k)->pid == gt_model_process(m, i)->pid)
			return true;
	return false;
}

static void add_process(struct gt_sql_table *t, int64_t global, int pid, const char *name)
{
	struct gt_sql_row *r = gt_sql_add(t);

	gt_put(r, 0, global);
	gt_put(r, 1, pid);
	gt_put_str(t, r, 2, name);
}

static bool has_process(const struct gt_model *m, int pid)
{
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		if (gt_model_process(m, i)->pid == pid)
			return true;
	return false;
}

/* Who was started may have recorded nothing but what it wrote, as a shell does: the command's first word names it. */
static void process_of_output(struct gt_sql_feeder *f, struct gt_sql_table *t)
{
	const struct gt_captured_output *o = gt_model_output(f->m, 0);
	const struct gt_session *session = gt_model_session(f->m);

	if (o && !has_process(f->m, o->pid))
		add_process(t, GT_SQL_VM | (int64_t)o->pid << 24, o->pid, session->n_args ? session->args[0] : NULL);
}

static void processes(struct gt_sql_feeder *f)
{
	struct gt_sql_table *t = FEED(f, "PROCESSES", "globalPid", "pid", "name");

	for (uint32_t i = 0; i < gt_model_process_count(f->m); i++) {
		const struct gt_process *p = gt_model_process(f->m, i);

		if (!same_pid_before(f->m, i))  /* a pid is one process here, whatever images it ran */
			add_process(t, gt_sql_pid(f, i), p->pid, p->image);
	}
	process_of_output(f, t);
}

/* What the program wrote, by the process that was started; it may have recorded nothing itself. */
static void process_streams(struct gt_sql_feeder *f)
{
	struct gt_sql_table *t = FEED(f, "ProcessStreams", "globalPid", "filenameId", "contentId");

	for (uint32_t i = 0; i < gt_model_output_count(f->m); i++) {
		const struct gt_captured_output *o = gt_model_output(f->m, i);
		char name[48], *text;
		struct gt_sql_row *r;
		size_t bytes;

		text = gt_model_output_text(f->m, i, &bytes);
		if (!text)
			continue;
		r = gt_sql_add(t);
		gt_put(r, 0, GT_SQL_VM | (int64_t)o->pid << 24);
		gt_put(r, 1, gt_sql_string(f->db, name,
				     (size_t)snprintf(name, sizeof name, "pid_%d_%s.log", o->pid, o->of)));
		gt_put(r, 2, gt_sql_string(f->db, text, bytes));
		free(text);
	}
}

struct named { int64_t tid; uint32_t process, thread; int priority; const char *name; };

static int by_tid(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Threads that have rows, and those that recorded nothing but are known by name. */
static uint32_t named_threads(const struct gt_sql_feeder *f, struct named *named)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < gt_model_other_thread_count(f->m); i++) {
		const struct gt_other_thread *o = gt_model_other_thread(f->m, i);

		named[n++] = (struct named){ gt_sql_pid(f, o->process) | (o->tid & 0xffffff), o->process, 0,
			o->priority, o->name };
	}
	for (uint32_t i = 0; i < gt_model_thread_count(f->m); i++) {
		const struct gt_thread *t = gt_model_thread(f->m, i);

		if (f->thread_used[i])
			named[n++] = (struct named){ gt_sql_tid(f, t->process, i), t->process, i + 1,
				t->has_priority ? t->priority : GT_USUAL_PRIORITY, t->name };
	}
	return n;
}

/* Exactly one row for each (pid, tid), the last name seen: consumers INNER JOIN calls with it. */
static void thread_names(struct gt_sql_feeder *f)
{
	struct gt_sql_table *t = FEED(f, "ThreadNames", "nameId", "priority", "globalTid");
	struct named *named =
		calloc(gt_model_thread_count(f->m) + gt_model_other_thread_count(f->m) + 1, sizeof *named);
	uint32_t n;

	if (!named) {
		gt_sql_no_memory(f->db);
		return;
	}
	n = named_threads(f, named);
	if (n)
		qsort(named, n, sizeof *named, by_tid);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = named[i].name && *named[i].name ? named[i].name : "[Unknown]";
		struct gt_sql_row *r;

		if (i + 1 < n && named[i + 1].tid == named[i].tid)
			continue;
		r = gt_sql_add(t);
		gt_put(r, 0, gt_sql_string(f->db, name, strlen(name)));
		gt_put(r, 1, named[i].priority);
		gt_put(r, 2, named[i].tid);
	}
	free(named);
}

/* -------------------------------------------------------------------- objects */

/* What is not known is NULL: a number is 0 then, a name empty. */
static void put_set(struct gt_sql_row *r, unsigned cell, int64_t v)
{
	if (v)
		gt_put(r, cell, v);
}

static void put_name(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const struct gt_object *o)
{
	if (o->name.bytes)
		gt_put_text(t, r, cell, o->name.text, o->name.bytes);
}

static void put_attr(struct gt_sql_row *r, unsigned cell, const struct gt_object *o, uint32_t key, int64_t factor)
{
	int64_t v;

	if (gt_sql_attr(o, key, &v))
		gt_put(r, cell, v * factor);
}

static void put_attr_text(
	struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, const struct gt_object *o, uint32_t key)
{
	const struct gt_attr *a = gt_object_attr(o, key);

	if (a && a->bytes)
		gt_put_text(t, r, cell, a->value, strnlen(a->value, a->bytes));
}

void gt_sql_uuid_text(const uint8_t uuid[16], char out[40])
{
	for (unsigned i = 0; i < 16; i++)
		out += sprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static bool uuid_text(const struct gt_object *o, char out[40])
{
	const struct gt_attr *a = gt_object_attr(o, CL_DEVICE_UUID_KHR);

	if (!a || a->bytes != 16)
		return false;
	gt_sql_uuid_text(a->value, out);
	return true;
}

/* cl_device_pci_bus_info_khr: domain, bus, device, function. */
static bool bus_text(const struct gt_object *o, char out[48])
{
	const struct gt_attr *a = gt_object_attr(o, CL_DEVICE_PCI_BUS_INFO_KHR);
	uint32_t v[4];

	if (!a || a->bytes != sizeof v)
		return false;
	memcpy(v, a->value, sizeof v);
	snprintf(out, 48, "%04x:%02x:%02x.%x", v[0], v[1], v[2], v[3]);
	return true;
}

static void add_gpu(struct gt_sql_feeder *f, const struct gt_object *o)
{
	const struct gt_attr *sizes = gt_object_attr(o, CL_DEVICE_MAX_WORK_ITEM_SIZES);
	struct gt_sql_row *r = gt_sql_add(f->gpu);
	int64_t unified;
	char text[48];

	gt_put(r, GPU_vmId, GT_SQL_VM);
	gt_put(r, GPU_id, gt_sql_device_number(f, o));
	put_name(f->gpu, r, GPU_name, o);
	if (bus_text(o, text))
		gt_put_str(f->gpu, r, GPU_busLocation, text);
	if (o->device_type & CL_DEVICE_TYPE_CPU)
		gt_put(r, GPU_isDiscrete, 0);
	else if (gt_sql_attr(o, CL_DEVICE_HOST_UNIFIED_MEMORY, &unified))
		gt_put(r, GPU_isDiscrete, !unified);
	put_attr(r, GPU_l2CacheSize, o, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 1);
	put_attr(r, GPU_totalMemory, o, CL_DEVICE_GLOBAL_MEM_SIZE, 1);
	put_attr(r, GPU_clockRate, o, CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000000);
	put_set(r, GPU_smCount, o->compute_units);
	if (uuid_text(o, text))
		gt_put_str(f->gpu, r, GPU_uuid, text);
	put_attr(r, GPU_constantMemory, o, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 1);
	put_attr(r, GPU_maxRegistersPerBlock, o, CL_DEVICE_REGISTERS_PER_BLOCK_NV, 1);
	put_attr(r, GPU_maxShmemPerBlock, o, CL_DEVICE_LOCAL_MEM_SIZE, 1);
	put_attr(r, GPU_threadsPerWarp, o, CL_DEVICE_WARP_SIZE_NV, 1);
	put_attr(r, GPU_maxThreadsPerBlock, o, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
	for (unsigned d = 0; sizes && d < 3 && (d + 1) * 8 <= sizes->bytes; d++) {
		int64_t v;

		memcpy(&v, (const char *)sizes->value + 8 * d, 8);
		gt_put(r, GPU_maxBlockDimX + d, v);
	}
	put_attr(r, GPU_computeMajor, o, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, 1);
	put_attr(r, GPU_computeMinor, o, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, 1);
}

/* One row a physical device, however many processes and platforms show it; CUDA has described its own. */
static void gpus(struct gt_sql_feeder *f)
{
	uint32_t n = gt_model_object_count(f->m);
	uint64_t cuda = gt_sql_rows(f->gpu);
	bool *done = calloc((size_t)n + 1, sizeof *done);

	if (!done)
		gt_sql_no_memory(f->db);
	for (uint32_t i = 0; done && i < n; i++) {
		const struct gt_object *o = gt_model_object(f->m, i);

		if (o->kind != REC_OBJECT_DEVICE || o->device_index > n || done[o->device_index])
			continue;
		done[o->device_index] = true;
		if (!cuda || !gt_sql_device_is_cuda(f, o))
			add_gpu(f, o);
	}
	free(done);
}

/* So that rows of a device nobody described do not vanish in joins. */
static void unknown_gpu(struct gt_sql_feeder *f)
{
	struct gt_sql_row *r;

	if (!f->unknown_device)
		return;
	r = gt_sql_add(f->gpu);
	gt_put(r, GPU_vmId, GT_SQL_VM);
	gt_put(r, GPU_id, GT_SQL_UNKNOWN_DEVICE);
	gt_put_str(f->gpu, r, GPU_name, "[Unknown]");
}

struct object_tables { struct gt_sql_table *platform, *device, *queue, *program, *kernel; };

static void add_platform(struct gt_sql_feeder *f, struct gt_sql_table *t, const struct gt_object *o)
{
	struct gt_sql_row *r = gt_sql_add(t);

	gt_put(r, 0, gt_sql_pid(f, o->process));
	gt_put(r, 1, gt_sql_object_number(f->objects, o));
	put_name(t, r, 2, o);
	put_attr_text(t, r, 3, o, CL_PLATFORM_VENDOR);
	put_attr_text(t, r, 4, o, CL_PLATFORM_VERSION);
	put_attr_text(t, r, 5, o, REC_ATTR_LOADER);
	put_attr(r, 6, o, REC_ATTR_STAND_IN, 1);
}

static void add_device(struct gt_sql_feeder *f, const struct object_tables *t, const struct gt_object *o)
{
	struct gt_sql_row *r = gt_sql_add(t->device);
	char uuid[40], bus[48];
	bool has_uuid = uuid_text(o, uuid);

	gt_put(r, 0, gt_sql_pid(f, o->process));
	gt_put(r, 1, gt_sql_object_number(f->objects, o));
	gt_put(r, 2, gt_sql_device_number(f, o));
	if (o->platform)
		gt_put(r, 3, gt_sql_object_number(f->objects, o->platform));
	if (o->parent)
		gt_put(r, 4, gt_sql_object_number(f->objects, o->parent));
	put_name(t->device, r, 5, o);
	put_attr_text(t->device, r, 6, o, CL_DEVICE_VENDOR);
	put_attr_text(t->device, r, 7, o, CL_DEVICE_VERSION);
	put_attr_text(t->device, r, 8, o, CL_DRIVER_VERSION);
	put_set(r, 9, o->device_type);
	put_set(r, 10, o->compute_units);
	put_attr(r, 11, o, CL_DEVICE_MAX_CLOCK_FREQUENCY, 1);
	put_attr(r, 12, o, CL_DEVICE_GLOBAL_MEM_SIZE, 1);
	gt_put_str(t->device, r, 13, has_uuid ? uuid : NULL);
	gt_put_str(t->device, r, 14, bus_text(o, bus) ? bus : NULL);
	put_attr(r, 15, o, REC_ATTR_CLOCK, 1);
	if (gt_sql_cuda_describes(f, o->process, gt_sql_device_number(f, o)))   /* it has a row already */
		return;
	r = gt_sql_add(f->cuda_device);
	gt_put(r, DE_gpuId, gt_sql_device_number(f, o));
	gt_put(r, DE_cudaId, gt_sql_device_number(f, o));
	gt_put(r, DE_pid, gt_model_process(f->m, o->process)->pid);
	gt_put_str(f->cuda_device, r, DE_uuid, has_uuid ? uuid : NULL);
	put_set(r, DE_numMultiprocessors, o->compute_units);
}

static void add_context(struct gt_sql_feeder *f, const struct gt_object *o)
{
	struct gt_sql_row *r = gt_sql_add(f->cuda_context);
	const struct gt_object *device = gt_sql_object_device(o);

	gt_put(r, CO_nullStreamId, 7);          /* the original's constant; no queue has it */
	gt_put(r, CO_hwId, 0);
	gt_put(r, CO_vmId, 1);
	gt_put(r, CO_processId, gt_model_process(f->m, o->process)->pid);
	gt_put(r, CO_deviceId, device ? gt_sql_device_number(f, device) : GT_SQL_NONE);
	gt_put(r, CO_contextId, gt_sql_object_number(f->objects, o));
	gt_put(r, CO_parentContextId, 0);
	gt_put(r, CO_isGreenContext, 0);
}

static void add_queue(struct gt_sql_feeder *f, const struct object_tables *t, const struct gt_object *o)
{
	struct gt_sql_row *r = gt_sql_add(t->queue);
	const struct gt_object *device = gt_sql_object_device(o);

	gt_put(r, 0, gt_sql_pid(f, o->process));
	gt_put(r, 1, gt_sql_object_number(f->objects, o));
	put_set(r, 2, gt_sql_object_number(f->objects, o->context));
	if (device)
		gt_put(r, 3, gt_sql_device_number(f, device));
	if (o->has_flags)
		gt_put(r, 4, (int64_t)o->properties);
	gt_put(r, 5, o->profiled);
	if (o->clock_error_ns >= 0)
		gt_put(r, 6, o->clock_error_ns);
	if (o->born_ns != GT_NO_TIME)
		gt_put(r, 7, o->born_ns);
	if (o->died_ns != GT_NO_TIME)
		gt_put(r, 8, o->died_ns);
	r = gt_sql_add(f->cuda_stream);
	gt_put(r, ST_streamId, gt_sql_object_number(f->objects, o));
	gt_put(r, ST_hwId, 0);
	gt_put(r, ST_vmId, 1);
	gt_put(r, ST_processId, gt_model_process(f->m, o->process)->pid);
	gt_put(r, ST_contextId, gt_sql_object_number(f->objects, o->context));
	gt_put(r, ST_priority, 0);
	gt_put(r, ST_flag, 2);                  /* non-blocking: queues do not wait for a null stream */
}

static void add_program(struct gt_sql_feeder *f, struct gt_sql_table *t, const struct gt_object *o)
{
	struct gt_sql_row *r = gt_sql_add(t);
	struct gt_string log;
	uint64_t total;
	char hash[40];

	gt_put(r, 0, gt_sql_pid(f, o->process));
	gt_put(r, 1, gt_sql_object_number(f->objects, o));
	if (o->context)
		gt_put(r, 2, gt_sql_object_number(f->objects, o->context));
	if (o->source_id[0] | o->source_id[1]) {
		snprintf(hash, sizeof hash, "%016" PRIx64 "%016" PRIx64, o->source_id[1], o->source_id[0]);
		gt_put_str(t, r, 3, hash);
		if (gt_model_blob_total(f->m, o->source_id, &total))
			gt_put(r, 4, (int64_t)total);
	}
	if (o->build_options.text)
		gt_put(r, 5, gt_sql_string(f->db, o->build_options.text, o->build_options.bytes));
	if (o->has_log && gt_model_blob(f->m, o->log_id, &log, &total)) {
		gt_put(r, 6, gt_sql_string(f->db, log.text, log.bytes));
		gt_model_blob_forget(f->m, o->log_id);
	}
}

static void add_kernel_object(struct gt_sql_feeder *f, struct gt_sql_table *t, const struct gt_object *o)
{
	struct gt_sql_row *r = gt_sql_add(t);

	gt_put(r, 0, gt_sql_pid(f, o->process));
	gt_put(r, 1, gt_sql_object_number(f->objects, o));
	if (o->parent)
		gt_put(r, 2, gt_sql_object_number(f->objects, o->parent));
	gt_put(r, 3, o->name.bytes ? gt_sql_string(f->db, o->name.text, o->name.bytes) : 0);
	put_attr(r, 4, o, CL_KERNEL_WORK_GROUP_SIZE, 1);
	put_attr(r, 5, o, CL_KERNEL_LOCAL_MEM_SIZE, 1);
	put_attr(r, 6, o, CL_KERNEL_PRIVATE_MEM_SIZE, 1);
}

static void objects(struct gt_sql_feeder *f)
{
	const struct object_tables t = {
		FEED(f, "OPENCL_PLATFORM", "globalPid", "id", "name", "vendor", "version", "loader", "standIn"),
		FEED(f, "OPENCL_DEVICE", "globalPid", "id", "deviceId", "platformId", "parentId", "name", "vendor",
			"version", "driverVersion", "type", "computeUnits", "clockMhz", "globalMemBytes", "uuid",
			"busLocation", "clockSource"),
		FEED(f, "OPENCL_QUEUE", "globalPid", "id", "contextId", "deviceId", "properties", "profiled",
			"clockErrorNs", "created", "released"),
		FEED(f, "OPENCL_PROGRAM", "globalPid", "id", "contextId", "sourceHash", "sourceBytes", "buildOptionsId",
			"buildLogId"),
		FEED(f, "OPENCL_KERNEL", "globalPid", "id", "programId", "nameId", "workGroupSize", "localMemBytes",
			"privateMemBytes"),
	};

	for (uint32_t i = 0; i < gt_model_object_count(f->m); i++) {
		const struct gt_object *o = gt_model_object(f->m, i);

		switch (o->kind) {
		case REC_OBJECT_PLATFORM: add_platform(f, t.platform, o); break;
		case REC_OBJECT_DEVICE: add_device(f, &t, o); break;
		case REC_OBJECT_CONTEXT: add_context(f, o); break;
		case REC_OBJECT_QUEUE: add_queue(f, &t, o); break;
		case REC_OBJECT_PROGRAM: add_program(f, t.program, o); break;
		case REC_OBJECT_KERNEL: add_kernel_object(f, t.kernel, o); break;
		default: break;
		}
	}
}

/* ---------------------------------------------------------------- diagnostics */

enum severity { INFO = 1, WARNING = 2 };
enum source { INJECTION = 1, ANALYSIS = 3 };

static void __attribute__((format(printf, 6, 7))) diagnose(struct gt_sql_table *t, int64_t time_ns, enum source source,
	enum severity severity, int64_t pid, const char *format, ...)
{
	struct gt_sql_row *r = gt_sql_add(t);
	char text[2048];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	gt_put(r, 0, time_ns);
	gt_put(r, 1, 1);                        /* target timestamp */
	gt_put(r, 2, source);
	gt_put(r, 3, severity);
	gt_put_str(t, r, 4, text);
	gt_put(r, 5, pid);
}

/* What told of CUDA, and how much of it. */
static void cuda_diagnostics(struct gt_sql_feeder *f, struct gt_sql_table *t)
{
	int64_t end = gt_model_session(f->m)->duration_ns;

	for (uint32_t i = 0; f->cuda && i < gt_model_process_count(f->m); i++) {
		const struct gt_cuda_library *l = gt_cuda_library(gt_sql_cuda_model(f), i);

		if (!l)
			continue;
		diagnose(t, end, INJECTION, INFO, gt_sql_pid(f, i),
			"CUPTI %u: %s in %s, %" PRIu64 " of these never completed; %s%s", l->cupti_version,
			gt_counted(l->records, "records").text, gt_counted(l->buffers, "buffers").text, l->uncompleted,
			gt_counted(l->dropped, "records dropped").text,
			l->flags & REC_CUPTI_LATE ? "; attached after CUDA was initialised" : "");
		if (l->clock_error_ns >= 0)
			diagnose(t, end, ANALYSIS, INFO, gt_sql_pid(f, i),
				"CUPTI's clock known to within %" PRId64 " ns", l->clock_error_ns);
		if (l->flags & REC_CUPTI_STAND_IN)
			diagnose(t, end, INJECTION, WARNING, gt_sql_pid(f, i),
				"the CUDA records are a test stand-in's, not a real device's");
	}
}

void gt_sql_never_returned(struct gt_sql_feeder *f, const char *name, size_t bytes, int64_t start_ns, int64_t pid)
{
	struct gt_sql_never *n = GT_LIST_ADD(&f->never);

	if (n)
		*n = (struct gt_sql_never){ start_ns, pid, gt_sql_string(f->db, name, bytes) };
}

static void diagnostics(struct gt_sql_feeder *f)
{
	static const char *const texts[] = {
#define X(id, text) text,
		REC_REASONS(X)
#undef X
	};
	struct gt_sql_table *t =
		FEED(f, "DIAGNOSTIC_EVENT", "timestamp", "timestampType", "source", "severity", "text", "globalPid");
	int64_t end = gt_model_session(f->m)->duration_ns, all = GT_SQL_VM;
	char text[2048];

	diagnose(t, end, ANALYSIS, gt_model_complete(f->m) ? INFO : WARNING, all, "%s",
		gt_model_complete_text(f->m, text, sizeof text));
	for (int i = 0; i < REC_LOSS_END; i++) {
		uint64_t n = gt_model_lost(f->m, (enum rec_loss)i);

		if (n)
			diagnose(t, end, ANALYSIS, WARNING, all, "%s", gt_counted(n, texts[i]).text);
	}
	for (uint32_t i = 0; i < gt_model_note_count(f->m); i++) {
		const struct gt_note *n = gt_model_note(f->m, i);

		diagnose(t, n->time_ns, INJECTION, WARNING, gt_sql_pid(f, n->process), "%s", n->text);
	}
	for (uint32_t i = 0; i < gt_model_process_count(f->m); i++)
		if (gt_model_process(f->m, i)->clock_error_ns >= 0)
			diagnose(t, end, ANALYSIS, INFO, gt_sql_pid(f, i), "host clock known to within %" PRId64 " ns",
			         gt_model_process(f->m, i)->clock_error_ns);
	cuda_diagnostics(f, t);
	for (uint32_t i = 0; i < f->never.n; i++)
		diagnose(t, f->never.v[i].start_ns, INJECTION, INFO, f->never.v[i].pid,
			"%s never returned: the process ended inside of it", gt_sql_text(f->db, f->never.v[i].name));
}

/* Edition 2021 has no table for it: a string that no row refers to. */
static void complete_string(struct gt_sql_feeder *f)
{
	char text[2048], line[2100];

	snprintf(line, sizeof line, "gputap: %s", gt_model_complete_text(f->m, text, sizeof text));
	gt_sql_string(f->db, line, strlen(line));
}

void gt_sql_info(struct gt_sql_feeder *f)
{
	gt_sql_cuda_targets(f);
	gpus(f);
	thread_names(f);
	processes(f);
	process_streams(f);
	objects(f);
	unknown_gpu(f);
	session_facts(f);
	system_facts(f);
	capture_facts(f);
	export_facts(f);
	diagnostics(f);
	if (!gt_schema_find(GT_SCHEMA_2021, "META_DATA_EXPORT") && !gt_sql_wanted(f->api))
		complete_string(f);
}
