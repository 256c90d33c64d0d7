/*
 * tests/unit/test_sqlite.c - writers/sqlite*.c: a built trace, exported, judged row by row
 *
 * The trace: pid 100 with two threads on one device, two queues, kernels with and without device times, every kind of
 * transfer the mapping names, a callback; a second image of pid 100; pid 200 with one call.
 *
 * `test_sqlite --keep DIR` only makes the trace there (for test_sqlite_doc.py).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include <CL/cl.h>
#include <sqlite3.h>

#include "cli/options.h"
#include "model/model.h"
#include "tests/tracebuild.h"
#include "tests/unit/sqlitequery.h"
#include "writers/sqlite/db.h"
#include "writers/sqlite/pages.h"
#include "writers/writer.h"

/* ------------------------------------------------------------ making the trace */

enum {
	PLATFORM = 0x1000,
	DEVICE = 0x2000,
	DEVICE2 = 0x2100,
	CONTEXT = 0x3000,
	QUEUE = 0x4000,
	QUEUE2 = 0x4100,
	BUFFER = 0x5000,
	BUFFER2 = 0x5100,
	PROGRAM = 0x6000,
	KERNEL = 0x7000,
	EVENT = 0x9000
};
#define CAPTURED 1024u                  /* bytes of a string that a call's record keeps: --max-args */
#define T0 1000000ull                   /* tick and device ns of the first call; 1 tick = 1 ns */

static struct gt_fntable *table;
static struct tb_stream *stream;        /* where call() writes */

struct arg { const char *name; uint64_t value; const void *data; uint32_t bytes; }; /* a NULL name ends a list */
#define V(name, value) { name, value, NULL, 0 }
#define ARGS(...) (const struct arg[]){ __VA_ARGS__, { 0, 0, 0, 0 } }

static const struct arg *find_arg(const struct arg *args, const char *name)
{
	for (; args->name; args++)
		if (!strcmp(args->name, name))
			return args;
	return NULL;
}

/* A call as the shim would write it: fixed arguments and copies where the table says. returned: of creating calls. */
static uint64_t call(
	const char *name, uint64_t start, uint64_t duration, int32_t result, uint64_t returned, const struct arg *args)
{
	const struct gt_fn *fn = gt_fntable_find_name(table, name);
	uint64_t words[512] = { 0 };
	uint32_t first = 0, n;
	bool cut = false;

	assert_non_null(fn);
	n = fn->fixed_words;
	for (uint32_t i = 0; i < fn->n_params; i++) {
		const struct gt_param *p = &fn->params[i];
		const struct arg *a = find_arg(args, p->name);
		uint64_t value = a ? a->value : 0;

		if (a && a->data && p->copy == GT_COPY_STRING) {
			cut |= a->bytes > CAPTURED;
			n = tb_put_text(words, n, a->data, a->bytes > CAPTURED ? CAPTURED : a->bytes);
		}
		else if (a && a->data && result == 0) {
			memcpy(words + n, a->data, a->bytes);
			n += (a->bytes + 7) / 8;
		}
		if (a && a->data && !value)
			value = 0x77777000 + i;
		if (p->position == 1)
			first = (uint32_t)value;
		else if (p->position >= 2)
			words[(p->position - 2) / 2] |= p->bytes == 4 && p->position % 2 ? value << 32 : value;
	}
	if (fn->ret_position >= 2)
		words[(fn->ret_position - 2) / 2] = returned;
	return cut ? tb_call_cut(stream, fn->id, start, duration, CAPTURED, first, words, n)
		   : tb_call_u32(stream, fn->id, start, duration, result, first, words, n);
}

static void make_objects(void)
{
	tb_object(stream, REC_OBJECT_PLATFORM, PLATFORM);
	tb_attr_text(stream, CL_PLATFORM_NAME, "Test platform");
	tb_object_end(stream);
	tb_object(stream, REC_OBJECT_DEVICE, DEVICE);
	tb_attr_u64(stream, REC_ATTR_PLATFORM, PLATFORM);
	tb_attr_text(stream, CL_DEVICE_NAME, "Test device");
	tb_attr_u64(stream, CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU);
	tb_attr_u32(stream, CL_DEVICE_MAX_COMPUTE_UNITS, 8);
	tb_attr_u64(stream, CL_DEVICE_GLOBAL_MEM_SIZE, 1 << 30);
	tb_attr_u32(stream, CL_DEVICE_MAX_CLOCK_FREQUENCY, 1500);
	tb_object_end(stream);
}

static void create(const char *name, uint64_t start, uint64_t returned, const struct arg *args)
{
	call(name, start, 100, 0, returned, args);
}

static void make_setup(void)
{
	const uint64_t device = DEVICE, plist[] = { 3, CL_CONTEXT_PLATFORM, PLATFORM, 0 };

	create("clCreateContext", T0, CONTEXT,
		ARGS({ "properties", 0, plist, sizeof plist }, V("num_devices", 1), { "devices", 0, &device, 8 }));
	create("clCreateCommandQueue", T0 + 1000, QUEUE, ARGS(V("context", CONTEXT), V("device", DEVICE)));
	create("clCreateCommandQueue", T0 + 2000, QUEUE2, ARGS(V("context", CONTEXT), V("device", DEVICE)));
	create("clCreateBuffer", T0 + 3000, BUFFER,
		ARGS(V("context", CONTEXT), V("flags", CL_MEM_READ_WRITE), V("size", 4096)));
	create("clCreateBuffer", T0 + 4000, BUFFER2,
	       ARGS(V("context", CONTEXT), V("flags", CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR), V("size", 8192)));
	create("clCreateProgramWithSource", T0 + 5000, PROGRAM, ARGS(V("context", CONTEXT), V("count", 0)));
	call("clBuildProgram", T0 + 6000, 900, 0, 0, ARGS(V("program", PROGRAM), { "options", 0, "-DN=4", 5 }));
	tb_blob(stream, REC_BLOB_LOG, (const uint64_t[]){ 3, 4 }, "1 warning", 9, 9);
	tb_blob_ref(stream, T0 + 6950, PROGRAM, (const uint64_t[]){ 3, 4 }, REC_BLOB_LOG, 9);
	create("clCreateKernel", T0 + 7000, KERNEL, ARGS(V("program", PROGRAM), { "kernel_name", 0, "scale", 5 }));
	call("clSetKernelArg", T0 + 8000, 20, 0, 0, ARGS(V("kernel", KERNEL), V("arg_index", 0), V("arg_size", 256)));
}

static uint64_t launch(uint64_t start, int32_t result, uint64_t queue, uint64_t event, const uint64_t *wait)
{
	static const uint64_t global = 1000, local = 64;

	return call("clEnqueueNDRangeKernel", start, 100, result, 0,
		ARGS(V("command_queue", queue), V("kernel", KERNEL), V("work_dim", 1),
			{ "global_work_size", 0, &global, 8 }, { "local_work_size", 0, &local, 8 },
			V("num_events_in_wait_list", wait ? 1 : 0), { "event_wait_list", 0, wait, wait ? 8 : 0 },
			{ "event", 0, &event, 8 }));
}

static void timed(uint64_t link, uint64_t start, uint64_t ns)
{
	tb_command(stream, link, start - 200, start - 100, start, start + ns, 0);
}

static void make_commands(void)
{
	const uint64_t e1 = EVENT, e2 = EVENT + 16, pattern = 0xddccbbaa;
	uint64_t link;

	link = call("clEnqueueWriteBuffer", T0 + 10000, 100, 0, 0,
		ARGS(V("command_queue", QUEUE), V("buffer", BUFFER), V("size", 4096), V("ptr", 0x123000),
			{ "event", 0, &e1, 8 }));
	timed(link, T0 + 10500, 1000);
	link = launch(T0 + 12000, 0, QUEUE, e2, &e1);
	timed(link, T0 + 12500, 2000);
	tb_untimed(stream, launch(T0 + 15000, 0, QUEUE2, EVENT + 32, NULL), REC_LOSS_NOT_FINISHED, 1);
	launch(T0 + 16000, CL_INVALID_WORK_GROUP_SIZE, QUEUE, 0, NULL);
	link = call("clEnqueueFillBuffer", T0 + 17000, 100, 0, 0,
		ARGS(V("command_queue", QUEUE), V("buffer", BUFFER), { "pattern", 0, &pattern, 4 },
			V("pattern_size", 4), V("size", 512), { "event", 0, (const uint64_t[]){ EVENT + 48 }, 8 }));
	timed(link, T0 + 17500, 300);
	link = call("clEnqueueMapBuffer", T0 + 19000, 500, 0, 0x500000,
		ARGS(V("command_queue", QUEUE), V("buffer", BUFFER2), V("map_flags", CL_MAP_READ | CL_MAP_WRITE),
			V("size", 8192), { "event", 0, (const uint64_t[]){ EVENT + 64 }, 8 }));
	timed(link, T0 + 19100, 200);
	link = call("clEnqueueReadBuffer", T0 + 20000, 100, 0, 0,
	            ARGS(V("command_queue", QUEUE), V("buffer", BUFFER), V("size", 1024), V("ptr", 0x500100),
	                 { "event", 0, (const uint64_t[]){ EVENT + 80 }, 8 }));
	timed(link, T0 + 20500, 100);
	link = call("clEnqueueUnmapMemObject", T0 + 21000, 100, 0, 0,
	            ARGS(V("command_queue", QUEUE), V("memobj", BUFFER2), V("mapped_ptr", 0x500000),
	                 { "event", 0, (const uint64_t[]){ EVENT + 96 }, 8 }));
	timed(link, T0 + 21500, 150);
	call("clWaitForEvents", T0 + 22000, 700, 0, 0, ARGS(V("num_events", 1), { "event_list", 0, &e2, 8 }));
	call("clReleaseEvent", T0 + 23000, 20, 0, 0, ARGS(V("event", e2)));
	call("clFinish", T0 + 24000, 500, 0, 0, ARGS(V("command_queue", QUEUE)));
	/* A device clock that runs ahead: the kernel seems to start before its call. */
	timed(launch(T0 + 26000, 0, QUEUE, EVENT + 112, NULL), T0 + 25990, 100);
	tb_note(stream, T0 + 27000, 0, "the \xff part was switched off");
}

static struct tb_stream *make_thread(struct tb_process *p, uint32_t tid, const char *name)
{
	struct tb_stream *s = tb_stream(p);

	tb_thread(s, T0 - 1000, tid, tid % 100 == 0, name);
	tb_clock(s, T0 - 900, (int64_t)T0 - 900);
	tb_clock(s, T0 + 5000000, (int64_t)T0 + 5000000);
	return s;
}

static struct tb_process *make_process(struct tb *tb, int pid, const char *image)
{
	struct tb_process *p = tb_process(tb, pid);

	tb_fact(p, "start_tick", "999000");
	tb_fact(p, "image", image);
	tb_fact(p, "arch", "x86_64");
	return p;
}

/* Two buffers, each written on a device of its own, and a copy from one to the other. */
static void make_two_devices(void)
{
	static const uint64_t devices[] = { DEVICE, DEVICE2 };
	uint64_t start = T0 + 60000, link;

	make_objects();
	tb_object(stream, REC_OBJECT_DEVICE, DEVICE2);
	tb_attr_u64(stream, REC_ATTR_PLATFORM, PLATFORM);
	tb_attr_text(stream, CL_DEVICE_NAME, "Second device");
	tb_object_end(stream);
	create("clCreateContext", start, CONTEXT, ARGS(V("num_devices", 2), { "devices", 0, devices, sizeof devices }));
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t event = EVENT + 16 * i;

		create("clCreateCommandQueue", start + 1000 + 200 * i, QUEUE + 0x100 * i,
			ARGS(V("context", CONTEXT), V("device", devices[i])));
		create("clCreateBuffer", start + 2000 + 200 * i, BUFFER + 0x100 * i,
			ARGS(V("context", CONTEXT), V("size", 4096)));
		link = call("clEnqueueWriteBuffer", start + 3000 + 200 * i, 100, 0, 0,
			ARGS(V("command_queue", QUEUE + 0x100 * i), V("buffer", BUFFER + 0x100 * i), V("size", 64),
				V("ptr", 0x123000), { "event", 0, &event, 8 }));
		timed(link, start + 4000 + 200 * i, 100);
	}
	for (unsigned i = 0; i < 2; i++) {      /* the second time both live on the second device */
		const uint64_t event = EVENT + 32 + 16 * i;

		link = call("clEnqueueCopyBuffer", start + 5000 + 1000 * i, 100, 0, 0,
			ARGS(V("command_queue", QUEUE2), V("src_buffer", BUFFER2), V("dst_buffer", BUFFER),
				V("size", 64), { "event", 0, &event, 8 }));
		timed(link, start + 5500 + 1000 * i, 100);
	}
}

static void load_table(char **text, size_t *bytes)
{
	const char *build = getenv("GPUTAP_BUILD");
	struct gt_err err = { 0 };
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/gen/table.txt", build ? build : "build");
	f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "%s: not built\n", path);
		exit(1);
	}
	*text = malloc(1 << 20);
	*bytes = fread(*text, 1, 1 << 20, f);
	fclose(f);
	if (!table && gt_fntable_parse(*text, *bytes, &table, &err)) {
		fprintf(stderr, "%s\n", err.what);
		exit(1);
	}
}

static struct tb *open_trace(const char *path)
{
	struct tb *tb = tb_open(path);
	char *text;
	size_t bytes;

	load_table(&text, &bytes);
	tb_run_fact(tb, "run_id", "test-run");
	tb_run_fact(tb, "host", "testhost");
	tb_run_fact(tb, "cwd", "/home/test");
	tb_run_fact(tb, "arg", "app");
	tb_run_fact(tb, "arg", "--fast");
	tb_run_fact(tb, "clock", "999000 999000 999000 1000000000000999000 999000 40");
	tb_table(tb, text, bytes);
	free(text);
	return tb;
}

static void make_trace(const char *path)
{
	struct tb *tb = open_trace(path);
	struct tb_process *p = make_process(tb, 100, "/bin/app");

	stream = make_thread(p, 100, "app");
	make_objects();
	make_setup();
	make_commands();
	stream = make_thread(p, 101, "worker");
	call("clSetEventCallback.pfn_notify", T0 + 14600, 50, 0, 0, ARGS(V("event", EVENT + 16)));
	call("clFinish", T0 + 24100, 300, 0, 0, ARGS(V("command_queue", QUEUE2)));
	p = make_process(tb, 100, "/bin/app2");
	stream = make_thread(p, 100, "app2");
	make_objects();
	create("clCreateContext", T0 + 40000, CONTEXT,
		ARGS(V("num_devices", 1), { "devices", 0, (const uint64_t[]){ DEVICE }, 8 }));
	create("clCreateCommandQueue", T0 + 41000, QUEUE, ARGS(V("context", CONTEXT), V("device", DEVICE)));
	p = make_process(tb, 200, "/bin/child");
	stream = make_thread(p, 200, "child");
	call("clFinish", T0 + 50000, 300, CL_INVALID_COMMAND_QUEUE, 0, ARGS(V("command_queue", 0)));
	tb_close(tb);
}

/* Options and names that are longer than a call's record keeps. Nothing else in the trace has the second kernel's. */
static void make_long_trace(const char *path)
{
	struct tb *tb = open_trace(path);
	char text[3000];

	memset(text, 'x', sizeof text);
	memcpy(text, "-DA=", 4);
	stream = make_thread(make_process(tb, 400, "/bin/long"), 400, "long");
	make_objects();
	tb_blob(stream, REC_BLOB_OPTIONS, (const uint64_t[]){ 5, 6 }, text, 2500, 2500);
	tb_blob(stream, REC_BLOB_OPTIONS, (const uint64_t[]){ 7, 8 }, "-DA=other", 9, 9);
	create("clCreateProgramWithSource", T0 + 5000, PROGRAM, ARGS(V("context", CONTEXT), V("count", 0)));
	call("clBuildProgram", T0 + 6000, 900, 0, 0, ARGS(V("program", PROGRAM), { "options", 0, text, 2500 }));
	tb_blob_ref(stream, T0 + 6950, PROGRAM, (const uint64_t[]){ 5, 6 }, REC_BLOB_OPTIONS, 2500);
	tb_blob_ref(stream, T0 + 6960, PROGRAM, (const uint64_t[]){ 7, 8 }, REC_BLOB_OPTIONS, 9);
	for (unsigned i = 0; i < 2; i++) {
		create("clCreateKernel", T0 + 7000 + 100 * i, KERNEL + i,
			ARGS(V("program", PROGRAM), { "kernel_name", 0, text, 2000 }));
		tb_object(stream, REC_OBJECT_KERNEL, KERNEL + i);
		if (!i)
			tb_attr(stream, CL_KERNEL_FUNCTION_NAME, text, 2000);
		tb_attr_u64(stream, CL_KERNEL_LOCAL_MEM_SIZE, 16);
		tb_object_end(stream);
	}
	tb_close(tb);
}

/* What is not known: the sizes of a launch that failed, and of one that had none; the place of a call without queue. */
static void make_nowhere_trace(const char *path)
{
	struct tb *tb = open_trace(path);

	stream = make_thread(make_process(tb, 500, "/bin/nowhere"), 500, "nowhere");
	make_objects();
	make_setup();
	launch(T0 + 10000, CL_INVALID_WORK_GROUP_SIZE, QUEUE, 0, NULL);
	call("clEnqueueNDRangeKernel", T0 + 11000, 100, 0, 0,
		ARGS(V("command_queue", QUEUE), V("kernel", KERNEL), V("work_dim", 2)));
	launch(T0 + 12000, CL_INVALID_COMMAND_QUEUE, 0, 0, NULL);
	tb_close(tb);
}

static void make_peer_trace(const char *path)
{
	struct tb *tb = open_trace(path);

	stream = make_thread(make_process(tb, 300, "/bin/two_devices"), 300, "two");
	make_two_devices();
	tb_close(tb);
}

/* --------------------------------------------------------------------- exporting */

struct fixture { char dir[64], trace[96], out[96]; int64_t from_ns, to_ns; sqlite3 *db; };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	if (!f)
		return -1;
	snprintf(f->dir, sizeof f->dir, "/tmp/gputap-sqlite-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->trace, sizeof f->trace, "%s/t.gputap", f->dir);
	snprintf(f->out, sizeof f->out, "%s/t.sqlite", f->dir);
	f->from_ns = f->to_ns = GT_NO_TIME;
	make_trace(f->trace);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sqlite3_close(f->db);
	tb_remove(f->dir);
	free(f);
	return 0;
}

/* Exports with the options "name=value" (NULL ends the list) and opens the result. */
static void export(struct fixture *f, const char *const *options)
{
	struct gt_err err = { 0 };
	struct gt_options o;
	const struct gt_writer *w = gt_writer_find("sqlite");
	struct gt_export x = {
		.from_ns = f->from_ns, .to_ns = f->to_ns, .path = f->out, .final_path = "t.sqlite", .options = &o
	};

	assert_non_null(w);
	assert_int_equal(gt_options_init(&o, &gt_option_list, REC_SCOPE_E, &err), 0);
	for (; options && *options; options++) {
		char name[64];

		snprintf(name, sizeof name, "%.*s", (int)strcspn(*options, "="), *options);
		gt_option_set(&o, name, *options + strcspn(*options, "=") + 1);
	}
	if (gt_model_open(f->trace, NULL, &x.model, &err) || w->write(&x, &err))
		fail_msg("%s (%s)", err.what, err.why);
	gt_model_close(x.model);
	gt_options_free(&o);
	sqlite3_close(f->db);
	assert_int_equal(sqlite3_open_v2(f->out, &f->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}
#define OPTIONS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* ------------------------------------------------------------------------ tests */

/* Every call has one RUNTIME and one OPENCL_API row with the same ids; callbacks have none in RUNTIME. */
static void every_call_has_its_rows(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f, "PRAGMA integrity_check", "ok\n");
	expect_rows(f,
		"SELECT count(*), count(DISTINCT (globalTid & ~0xffffff) || '.' || correlationId) FROM "
	        "CUPTI_ACTIVITY_KIND_RUNTIME",
		"25|25\n");
	expect_rows(f,
		"SELECT r.start, r.end - r.start, r.eventClass, r.globalTid - (1 << 48), r.correlationId, s.value, "
	        "r.returnValue, r.callchainId "
		"FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId WHERE r.correlationId IN (1, "
	        "14, 26) ORDER BY 1",
		"1000|100|98|1677721700|1|clCreateContext|0|NULL\n"
		"17000|100|98|1677721700|14|clEnqueueNDRangeKernel|-54|NULL\n"
		"51000|300|98|3355443400|26|clFinish|-36|NULL\n");
	expect_rows(f,
		"SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN OPENCL_API a USING (start, end, globalTid, "
	        "correlationId, nameId)",
		"25\n");
	expect_rows(f,
		"SELECT h.start, h.end - h.start, s.value, h.globalTid & 0xffffff FROM CUDA_HOST_CALLBACK h JOIN "
	        "StringIds s ON s.id = h.nameId",
		"15600|50|clSetEventCallback.pfn_notify|101\n");
	expect_rows(f, "SELECT count(*) FROM OPENCL_API", "26\n");
}

static void api_rows_name_their_objects(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f,
		"SELECT s.value, a.platformId, a.deviceId, a.contextId, a.queueId, a.objectId FROM OPENCL_API a JOIN "
	        "StringIds s ON s.id = a.nameId "
		"WHERE a.globalTid & 0xffffff = 100 ORDER BY a.id",
		"clCreateContext|1|0|1|NULL|NULL\n"
		"clCreateCommandQueue|1|0|1|13|NULL\n"
		"clCreateCommandQueue|1|0|1|14|NULL\n"
		"clCreateBuffer|1|0|1|NULL|1\n"
		"clCreateBuffer|1|0|1|NULL|2\n"
		"clCreateProgramWithSource|1|0|1|NULL|1\n"
		"clBuildProgram|1|0|1|NULL|1\n"
		"clCreateKernel|1|0|1|NULL|1\n"
		"clSetKernelArg|1|0|1|NULL|1\n"
		"clEnqueueWriteBuffer|1|0|1|13|1\n"
		"clEnqueueNDRangeKernel|1|0|1|13|1\n"
		"clEnqueueNDRangeKernel|1|0|1|14|1\n"
		"clEnqueueNDRangeKernel|1|0|1|13|1\n"
		"clEnqueueFillBuffer|1|0|1|13|1\n"
		"clEnqueueMapBuffer|1|0|1|13|2\n"
		"clEnqueueReadBuffer|1|0|1|13|1\n"
		"clEnqueueUnmapMemObject|1|0|1|13|2\n"
		"clWaitForEvents|NULL|NULL|NULL|NULL|NULL\n"
		"clReleaseEvent|NULL|NULL|NULL|NULL|NULL\n"
		"clFinish|1|0|1|13|NULL\n"
		"clEnqueueNDRangeKernel|1|0|1|13|1\n"
		"clCreateContext|2|0|2|NULL|NULL\n"
		"clCreateCommandQueue|2|0|2|15|NULL\n");
}

/* spec: nsys SQLite CUPTI_ACTIVITY_KIND_KERNEL */
static void kernels_have_grid_block_and_memory(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f,
		"SELECT k.start, k.end, deviceId, contextId, streamId, correlationId, globalPid - (1 << 48), d.value, "
	        "s.value, m.value, launchType, "
		"gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, gridId, "
	        "tensorSizeMinusOneElements, graphId "
		"FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds d ON d.id = demangledName JOIN StringIds s ON s.id = "
	        "shortName "
		"JOIN StringIds m ON m.id = mangledName ORDER BY 1",
		"13500|15500|0|1|13|11|1677721600|scale|scale|scale|1|16|1|1|64|1|1|0|256|11|[]|NULL\n"
		"27000|27090|0|1|13|23|1677721600|scale|scale|scale|1|16|1|1|64|1|1|0|256|23|[]|NULL\n");
}

/* The kernel that seems to start before its call is moved in the CUPTI_ table alone, and the ledger counts it. */
static void times_are_moved_only_where_readers_need_an_order(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f, "SELECT start, end FROM OPENCL_WORKLOAD WHERE correlationId = 23", "26990|27090\n");
	expect_rows(f, "SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '%moved%' AND text NOT LIKE 'complete%'",
	            "1 time moved in an output that needs an order\n");
	expect_rows(f,
		"SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING "
	        "(correlationId) WHERE k.start < r.start",
		"0\n");
}

/*
 * spec: nsys SQLite CUPTI_ACTIVITY_KIND_MEMCPY, _MEMSET; a pointer inside a mapping of an ALLOC_HOST_PTR buffer is
 * pinned.
 */
static void transfers_have_direction_and_memory_kinds(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f,
		"SELECT c.start, c.end, bytes, o.label, s.label, d.label, streamId FROM CUPTI_ACTIVITY_KIND_MEMCPY c "
		"JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = copyKind JOIN ENUM_CUDA_MEM_KIND s ON s.id = srcKind "
		"JOIN ENUM_CUDA_MEM_KIND d ON d.id = dstKind ORDER BY 1",
		"11500|12500|4096|Host-to-Device|Pageable|Device|13\n"
		"20100|20300|8192|Device-to-Host|Device|Pinned|13\n"
		"21500|21600|1024|Device-to-Host|Device|Pinned|13\n"
		"22500|22650|8192|Host-to-Device|Pinned|Device|13\n");
	expect_rows(f, "SELECT start, end, value, bytes, memKind FROM CUPTI_ACTIVITY_KIND_MEMSET",
		"18500|18800|3721182122|512|2\n");
	expect_rows(f, "SELECT patternHex FROM OPENCL_WORKLOAD WHERE patternHex IS NOT NULL", "aabbccdd\n");
}

/* spec: nsys SQLite copyKind 10. A buffer lives on the device that wrote it last. */
static void what_is_not_known_is_null(void **state)
{
	struct fixture *f = *state;

	make_nowhere_trace(f->trace);
	export(f, NULL);
	expect_rows(f,
		"SELECT workDim, globalSizeX, globalSizeY, deviceId, contextId, queueId, gpu FROM OPENCL_WORKLOAD",
		"1|NULL|NULL|0|1|13|0\n2|NULL|NULL|0|1|13|0\n1|NULL|NULL|NULL|NULL|NULL|NULL\n");
	expect_rows(f, "SELECT id FROM TARGET_INFO_GPU", "0\n");
}

/* Whole where the trace has them whole; dots where it has not. */
static void long_options_and_names_are_not_cut_without_a_word(void **state)
{
	struct fixture *f = *state;

	make_long_trace(f->trace);
	export(f, OPTIONS("sqlite-arguments=true"));
	expect_rows(f,
		"SELECT length(value), substr(value, 1, 6), substr(value, -4) FROM OPENCL_PROGRAM JOIN StringIds s "
		"ON s.id = buildOptionsId",
		"2500|-DA=xx|xxxx\n");
	expect_rows(f,
		"SELECT length(value), substr(value, -4) FROM OPENCL_KERNEL JOIN StringIds s ON s.id = nameId",
		"2000|xxxx\n1027|x...\n");
	expect_rows(f,
		"SELECT arguments LIKE '%xxx\"..., pfn_notify%' FROM OPENCL_API JOIN StringIds s ON s.id = nameId "
		"WHERE value = 'clBuildProgram'",
		"1\n");
}

static void a_copy_between_devices_is_one_between_peers(void **state)
{
	struct fixture *f = *state;

	make_peer_trace(f->trace);
	export(f, NULL);
	expect_rows(f,
		"SELECT o.label, srcDeviceId IS NULL, srcDeviceId != dstDeviceId, deviceId = srcDeviceId FROM "
	        "CUPTI_ACTIVITY_KIND_MEMCPY "
		"JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = copyKind ORDER BY start",
		"Host-to-Device|1|NULL|NULL\n"
		"Host-to-Device|1|NULL|NULL\n"
		"Peer-to-Peer|0|1|1\n"
		"Device-to-Device|1|NULL|NULL\n");
}

static void commands_without_times_have_no_device_row(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f,
		"SELECT w.correlationId, w.start, w.end, w.queued, w.executionStatus, r.name, w.timeSource, t.name "
	        "FROM OPENCL_WORKLOAD w "
		"LEFT JOIN ENUM_OPENCL_REASON r ON r.id = w.reason JOIN ENUM_OPENCL_COMMAND_TYPE t ON t.id = "
	        "w.commandType "
		"WHERE w.start IS NULL ORDER BY 1",
		"13|NULL|NULL|NULL|NULL|NOT_FINISHED|NULL|CL_COMMAND_NDRANGE_KERNEL\n"
		"14|NULL|NULL|NULL|-54|FAILED_COMMAND|NULL|CL_COMMAND_NDRANGE_KERNEL\n");
	expect_rows(f, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId IN (13, 14)", "0\n");
	expect_rows(f, "SELECT count(*) FROM OPENCL_WORKLOAD", "9\n");
}

static void synchronisation_says_what_was_waited_for(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f,
		"SELECT y.start, y.end - y.start, t.label, y.deviceId, y.contextId, y.streamId, y.eventId FROM "
	        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y "
		"JOIN ENUM_CUPTI_SYNC_TYPE t ON t.id = y.syncType ORDER BY 1",
		"23000|700|Event sync|0|1|13|11\n"
		"25000|500|Stream sync|0|1|13|4294967295\n"
		"25100|300|Stream sync|0|1|14|4294967295\n");
	expect_rows(
		f, "SELECT correlationId, waitsForCorrelationId FROM OPENCL_WAIT_LIST ORDER BY 1", "11|10\n19|11\n");
}

static void processes_threads_and_targets_are_described(void **state)
{
	struct fixture *f = *state;

	export(f, NULL);
	expect_rows(f,
		"SELECT s.value, t.priority, t.globalTid FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId ORDER "
	        "BY 3",
		"app2|20|281476654432356\n"
		"worker|20|281476654432357\n"
		"child|20|281478332154056\n");
	expect_rows(f, "SELECT globalPid, pid, name FROM PROCESSES ORDER BY 2",
		"281476654432256|100|/bin/app\n281478332153856|200|/bin/child\n");
	expect_rows(f, "SELECT id, name, totalMemory, clockRate, smCount, isDiscrete FROM TARGET_INFO_GPU",
		"0|Test device|1073741824|1500000000|8|NULL\n");
	expect_rows(f, "SELECT processId, contextId, deviceId FROM TARGET_INFO_CUDA_CONTEXT_INFO ORDER BY 2",
		"100|1|0\n100|2|0\n");
	expect_rows(f, "SELECT processId, streamId, contextId, flag FROM TARGET_INFO_CUDA_STREAM ORDER BY 2",
		"100|13|1|2\n100|14|1|2\n100|15|2|2\n");
	expect_rows(f,
		"SELECT p.id, k.id, s.value, b.value, l.value FROM OPENCL_KERNEL k JOIN OPENCL_PROGRAM p ON p.id = "
	        "k.programId "
		"JOIN StringIds s ON s.id = k.nameId "
		"JOIN StringIds b ON b.id = p.buildOptionsId JOIN StringIds l ON l.id = p.buildLogId",
		"1|1|scale|-DN=4|1 warning\n");
	expect_rows(f, "SELECT name, value FROM META_DATA_CAPTURE ORDER BY rowid",
		"CAPTURE_EVENT_TYPE|OpenCL\n"
		"PROCESS_0:COMMAND|app\n"
		"PROCESS_0:ARGUMENT_0|--fast\n"
		"PROCESS_0:WORKING_DIR|/home/test\n"
		"PROFILING_SESSION_UUID|test-run\n");
	expect_rows(f,
		"SELECT value FROM META_DATA_EXPORT WHERE name IN ('EXPORT_PRODUCT_NAME', 'EXPORT_SCHEMA_VERSION', "
	        "'OPENCL_COMPAT_ROWS') ORDER BY name",
		"gputap\n3.28.1\ntrue\n");
	expect_rows(f, "SELECT text FROM DIAGNOSTIC_EVENT WHERE source = 1", "the \\xff part was switched off\n");
}

/* Readers INNER JOIN: no row may be lost to a missing enumeration value, string or target. */
static void inner_joins_lose_no_row(void **state)
{
	struct fixture *f = *state;
	static const struct { const char *table, *joins;
	} cases[] = {
		{ "CUPTI_ACTIVITY_KIND_RUNTIME",
			"JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = t.eventClass JOIN ThreadNames n USING (globalTid) "
			"JOIN StringIds s ON s.id = t.nameId JOIN PROCESSES p ON p.globalPid = t.globalTid & "
		        "~0xffffff" },
		{ "CUPTI_ACTIVITY_KIND_KERNEL",
			"JOIN ENUM_CUDA_KERNEL_LAUNCH_TYPE l ON l.id = t.launchType JOIN TARGET_INFO_GPU g ON g.id = "
		        "t.deviceId "
			"JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = t.correlationId "
			"AND r.globalTid & ~0xffffff = t.globalPid" },
		{ "CUPTI_ACTIVITY_KIND_MEMCPY",
			"JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = t.copyKind JOIN ENUM_CUDA_MEM_KIND a ON a.id = "
		        "t.srcKind "
			"JOIN ENUM_CUDA_MEM_KIND b ON b.id = t.dstKind JOIN TARGET_INFO_GPU g ON g.id = t.deviceId" },
		{ "CUPTI_ACTIVITY_KIND_MEMSET",
			"JOIN ENUM_CUDA_MEM_KIND a ON a.id = t.memKind JOIN TARGET_INFO_CUDA_STREAM x ON x.streamId = "
		        "t.streamId" },
		{ "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
			"JOIN ENUM_CUPTI_SYNC_TYPE y ON y.id = t.syncType JOIN TARGET_INFO_GPU g ON g.id = "
		        "t.deviceId" },
		{ "OPENCL_WORKLOAD",
			"JOIN ENUM_OPENCL_COMMAND_TYPE y ON y.id = t.commandType JOIN StringIds s ON s.id = t.nameId "
		        "JOIN OPENCL_QUEUE q ON q.id = t.queueId "
			"JOIN OPENCL_API a ON a.correlationId = t.correlationId AND a.globalTid & ~0xffffff = "
		        "t.globalPid" },
		{ "OPENCL_API", "JOIN ThreadNames n USING (globalTid) JOIN StringIds s ON s.id = t.nameId" },
		{ "DIAGNOSTIC_EVENT",
			"JOIN ENUM_DIAGNOSTIC_SEVERITY_LEVEL v ON v.id = t.severity JOIN ENUM_DIAGNOSTIC_SOURCE_TYPE o "
		        "ON o.id = t.source "
			"JOIN ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE m ON m.id = t.timestampType" },
	};

	export(f, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char sql[1024], all[64];

		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", cases[i].table);
		snprintf(all, sizeof all, "%s", query_rows(f->db, sql));
		assert_string_not_equal(all, "0\n");
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s t %s", cases[i].table, cases[i].joins);
		expect_rows(f, sql, all);
	}
}

static void kernel_counts_agree_with_the_model(void **state)
{
	struct fixture *f = *state;
	struct gt_err err = { 0 };
	struct gt_model *m;
	uint64_t kernels = 0;
	char text[32];

	export(f, NULL);
	assert_int_equal(gt_model_open(f->trace, NULL, &m, &err), 0);
	for (uint32_t i = 0; i < gt_model_process_count(m); i++)
		kernels += gt_model_process(m, i)->kernels;
	gt_model_close(m);
	snprintf(text, sizeof text, "%d\n", (int)kernels);
	expect_rows(f, "SELECT count(*) FROM OPENCL_WORKLOAD WHERE kernelId IS NOT NULL AND executionStatus IS NOT -54",
		text);
}

static void without_compat_rows_only_our_tables_are_filled(void **state)
{
	struct fixture *f = *state;

	export(f, OPTIONS("opencl-compat=off"));
	expect_rows(f,
		"SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME UNION ALL SELECT count(*) FROM "
	        "CUPTI_ACTIVITY_KIND_KERNEL UNION ALL "
		"SELECT count(*) FROM OPENCL_API UNION ALL SELECT count(*) FROM OPENCL_WORKLOAD",
		"0\n0\n26\n9\n");
	expect_rows(f, "SELECT value FROM META_DATA_EXPORT WHERE name = 'OPENCL_COMPAT_ROWS'", "false\n");
}

static void lazy_chooses_the_tables(void **state)
{
	struct fixture *f = *state;
	const char *sql = "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master WHERE name IN "
	                  "('ProcessStreams', 'NVTX_EVENTS', "
			  "'DX12_API', 'CUPTI_ACTIVITY_KIND_MEMCPY', 'ENUM_NET_VENDOR_ID', 'OPENCL_API') ORDER BY 1)";

	export(f, NULL);
	expect_rows(f, sql, "CUPTI_ACTIVITY_KIND_MEMCPY ENUM_NET_VENDOR_ID NVTX_EVENTS OPENCL_API ProcessStreams\n");
	export(f, OPTIONS("lazy=true"));
	expect_rows(f, sql, "CUPTI_ACTIVITY_KIND_MEMCPY OPENCL_API\n");
	export(f, OPTIONS("lazy=false"));
	expect_rows(f, sql,
		"CUPTI_ACTIVITY_KIND_MEMCPY DX12_API ENUM_NET_VENDOR_ID NVTX_EVENTS OPENCL_API ProcessStreams\n");
}

static void arguments_stand_in_the_api_row(void **state)
{
	struct fixture *f = *state;

	export(f, OPTIONS("sqlite-arguments=true"));
	expect_rows(f,
		"SELECT arguments FROM OPENCL_API WHERE correlationId IN (5, 8, 11) AND globalTid & 0xffffff = 100 "
	        "ORDER BY id LIMIT 3",
		"context=0x3000, flags=CL_MEM_READ_WRITE|CL_MEM_ALLOC_HOST_PTR, size=8192, host_ptr=NULL, "
	        "errcode_ret=NULL\n"
		"program=0x6000, kernel_name=\"scale\", errcode_ret=NULL\n"
		"command_queue=0x4000, kernel=0x7000, work_dim=1, global_work_offset=NULL, "
	        "global_work_size=0x77777004{1000}, "
		"local_work_size=0x77777005{64}, num_events_in_wait_list=1, event_wait_list=0x77777007{0x9000}, "
	        "event=0x77777008{0x9010}\n");
	expect_rows(f, "SELECT count(*) FROM StringIds WHERE value LIKE '%work_dim%'", "0\n");
}

static void indices_bear_our_prefix(void **state)
{
	struct fixture *f = *state;

	export(f, OPTIONS("sqlite-index=true"));
	expect_rows(f, "SELECT count(*), sum(name LIKE 'gpt\\_%' ESCAPE '\\') FROM sqlite_master WHERE type = 'index'",
		"12|12\n");
	expect_rows(f, "PRAGMA integrity_check", "ok\n");
}

/* Missing NOT NULL values are 0, the rows are those of the default edition. */
static void edition_2021_has_the_same_rows_in_its_columns(void **state)
{
	struct fixture *f = *state;

	export(f, OPTIONS("sqlite-schema=2021"));
	expect_rows(f, "PRAGMA integrity_check", "ok\n");
	expect_rows(f, "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master ORDER BY 1)",
		"CUDA_MEMCPY_KIND CUDA_SHARED_MEM_LIMIT_CONFIG CUPTI_ACTIVITY_KIND_KERNEL CUPTI_ACTIVITY_KIND_MEMCPY "
	        "CUPTI_ACTIVITY_KIND_MEMSET "
		"CUPTI_ACTIVITY_KIND_RUNTIME CUPTI_ACTIVITY_KIND_SYNCHRONIZATION StringIds ThreadNames ThreadState "
	        "UnwindMethodType\n");
	expect_rows(f, "SELECT * FROM CUPTI_ACTIVITY_KIND_MEMSET",
		"18500|18800|0|1|13|15|281476654432256|3721182122|512|NULL|2\n");
	expect_rows(f, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME", "25\n");
	expect_rows(f,
		"SELECT value FROM StringIds WHERE value LIKE 'gputap: complete:%' AND id NOT IN (SELECT nameId FROM "
	        "CUPTI_ACTIVITY_KIND_RUNTIME)",
		query_rows(f->db, "SELECT value FROM StringIds WHERE value LIKE 'gputap: complete: no (%'"));
	assert_string_not_equal(
		query_rows(f->db, "SELECT value FROM StringIds WHERE value LIKE 'gputap: complete:%'"), "");
}

/* -------------------------------------------------------------- pages and strings */

static void varints_are_those_of_the_file_format(void **state)
{
	static const struct { uint64_t v; unsigned n; uint8_t bytes[9]; } cases[] = {
		{ 0, 1, { 0 } }, { 127, 1, { 0x7f } }, { 128, 2, { 0x81, 0 } }, { 16383, 2, { 0xff, 0x7f } },
		{ 16384, 3, { 0x81, 0x80, 0 } },
		{ (1ull << 56) - 1, 8, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f } },
		{ 1ull << 56, 9, { 0x80, 0xc0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 } },
		{ UINT64_MAX, 9, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
	};
	uint8_t out[9];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(gt_varint(out, cases[i].v), cases[i].n);
		assert_memory_equal(out, cases[i].bytes, cases[i].n);
	}
}

#define LONGEST 60000

static const char *long_text(void)
{
	static char text[LONGEST + 1];

	memset(text, 'x', LONGEST);
	return text;
}

/* text: LONGEST bytes */
static void fill_values(struct gt_sql *db, int64_t rows, const char *text)
{
	static const int64_t values[] = { 0, 1, -1, 127, 128, -128, -129, 32767, 32768, 8388607, 8388608, 2147483647,
		2147483648, -2147483649ll, 140737488355327, 140737488355328, INT64_MAX, INT64_MIN };
	struct gt_sql_table *t = gt_sql_feed(db, "PROCESSES", (const char *const[]){ "globalPid", "pid", "name" }, 3);

	for (int64_t i = 0; i < rows; i++) {
		struct gt_sql_row *r = gt_sql_add(t);

		gt_put(r, 0, values[i % 18]);
		gt_put(r, 1, i);
		if (i % 3)
			gt_put_text(t, r, 2, text, (size_t)(i % 3 == 1 ? i % 50 : i * 37 % LONGEST));
	}
}

/* Three levels of pages and records of every size, overflow chains too, read back by SQLite as they were put in. */
static void pages_hold_every_value_and_size(void **state)
{
	struct fixture *f = *state;
	struct gt_sql_options opt = { .lazy = GT_SQL_LAZY_TRUE };
	struct gt_err err = { 0 };
	struct gt_sql *db;

	assert_int_equal(gt_sql_open(f->out, &opt, &db, &err), 0);
	fill_values(db, 20000, long_text());
	if (gt_sql_close(db, true, &err))
		fail_msg("%s", err.what);
	assert_int_equal(sqlite3_open_v2(f->out, &f->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	expect_rows(f, "PRAGMA integrity_check", "ok\n");
	expect_rows(f,
		"SELECT count(*), sum(pid = rowid - 1), sum(name IS NULL) = (count(*) + 2) / 3, "
		"sum(CASE pid % 3 WHEN 1 THEN length(name) = pid % 50 WHEN 2 THEN length(name) = pid * 37 % 60000 ELSE "
	        "1 END) FROM PROCESSES",
		"20000|20000|1|20000\n");
	expect_rows(f,
		"SELECT group_concat(globalPid, ' ') FROM (SELECT globalPid FROM PROCESSES ORDER BY pid LIMIT 18)",
		"0 1 -1 127 128 -128 -129 32767 32768 8388607 8388608 2147483647 2147483648 -2147483649 "
	        "140737488355327 140737488355328 "
		"9223372036854775807 -9223372036854775808\n");
}

static void one_row_and_no_row_are_right_too(void **state)
{
	struct fixture *f = *state;

	for (int rows = 0; rows < 3; rows++) {
		struct gt_sql_options opt = { .lazy = GT_SQL_LAZY_FALSE };
		struct gt_err err = { 0 };
		struct gt_sql *db;
		char expected[16];

		assert_int_equal(gt_sql_open(f->out, &opt, &db, &err), 0);
		fill_values(db, rows, long_text());
		assert_int_equal(gt_sql_close(db, true, &err), 0);
		sqlite3_close(f->db);
		assert_int_equal(sqlite3_open_v2(f->out, &f->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
		snprintf(expected, sizeof expected, "%d\n", rows);
		expect_rows(f, "SELECT count(*) FROM PROCESSES", expected);
		expect_rows(f, "PRAGMA integrity_check", "ok\n");
	}
}

/* A row each of numbers, texts and doubles in all columns; false: this writer cannot feed the table. */
static bool fill_each_kind(struct gt_sql *db, enum gt_schema_edition edition, const struct gt_schema_table *table,
	struct gt_schema_column *c, unsigned *n)
{
	const char *constraint, *cells[GT_SCHEMA_COLUMNS];
	struct gt_sql_table *t;
	struct gt_sql_row *r;

	*n = gt_schema_columns(edition, table->columns, c, &constraint);
	for (unsigned i = 0; i < *n; i++) {
		cells[i] = c[i].name;
		if (!strncmp(c[i].type, "INT PRIMARY KEY", 15))
			return false;
	}
	if (constraint || !strcmp(table->name, "StringIds"))
		return false;
	t = gt_sql_feed(db, table->name, cells, *n);
	r = gt_sql_add(t);
	for (unsigned i = 0; i < *n; i++)
		gt_put(r, i, 1);
	r = gt_sql_add(t);
	for (unsigned i = 0; i < *n; i++)
		gt_put_str(t, r, i, "text");
	r = gt_sql_add(t);
	for (unsigned i = 0; i < *n; i++)
		gt_put_real(r, i, 1.5);
	for (unsigned i = 0; i < *n; i++)
		assert_int_equal(gt_sql_takes_text(t, i), c[i].text);
	return true;
}

/* Column by column: its own kind is there, of the others nothing but NULL, or what NOT NULL asks for. */
static void check_each_kind(struct fixture *f, const char *table, const struct gt_schema_column *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const char *own = c[i].text ? "2 text\n" : c[i].real ? "3 1.5\n" : "1 1\n";
		bool key = strstr(c[i].type, "PRIMARY KEY");
		char *sql = sqlite3_mprintf(
			"SELECT rowid || ' ' || %s FROM %s WHERE %s NOT IN (0, '')", c[i].name, table, c[i].name);

		expect_rows(f, sql, key ? "1 1\n2 2\n3 3\n" : own);
		sqlite3_free(sql);
	}
}

/* A column of one name has another type in another edition: what is no value of it must not get in as one. */
static void a_column_takes_values_of_its_kind_alone(void **state)
{
	struct fixture *f = *state;

	for (int edition = GT_SCHEMA_DEFAULT; edition <= GT_SCHEMA_2021; edition++) {
		struct gt_sql_options opt = { .lazy = GT_SQL_LAZY_TRUE, .edition = (enum gt_schema_edition)edition };
		struct gt_schema_column c[GT_SCHEMA_COLUMNS];
		size_t n_tables;
		const struct gt_schema_table *t = gt_schema_tables(opt.edition, &n_tables);

		for (size_t i = 0; i < n_tables; i++) {
			struct gt_err err = { 0 };
			struct gt_sql *db;
			unsigned n;

			assert_int_equal(gt_sql_open(f->out, &opt, &db, &err), 0);
			bool fed = fill_each_kind(db, opt.edition, &t[i], c, &n);

			if (gt_sql_close(db, true, &err))
				fail_msg("%s", err.what);
			sqlite3_close(f->db);
			assert_int_equal(sqlite3_open_v2(f->out, &f->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
			if (fed)
				check_each_kind(f, t[i].name, c, n);
		}
	}
}

/* As long as the system allows, not as one of our buffers. */
static void a_long_path_is_no_error(void **state)
{
	struct fixture *f = *state;
	struct gt_sql_options opt = { .lazy = GT_SQL_LAZY_TRUE };
	struct gt_err err = { 0 };
	char path[1024], part[201];
	struct gt_sql *db;
	size_t n = (size_t)snprintf(path, sizeof path, "%s", f->dir);

	memset(part, 'd', 200);
	part[200] = 0;
	for (int i = 0; i < 4; i++) {
		n += (size_t)snprintf(path + n, sizeof path - n, "/%s", part);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path + n, sizeof path - n, "/t.sqlite");
	if (gt_sql_open(path, &opt, &db, &err))
		fail_msg("%s: %s", err.what, err.why);
	fill_values(db, 3, long_text());
	if (gt_sql_close(db, true, &err))
		fail_msg("%s: %s", err.what, err.why);
}

/* A file that may not grow is an error, not a shorter database. */
static void a_full_disk_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct gt_sql_options opt = { .lazy = GT_SQL_LAZY_TRUE };
	struct rlimit old, small;
	struct gt_err err = { 0 };
	struct gt_sql *db;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 2 << 20, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(gt_sql_open(f->out, &opt, &db, &err), 0);
	fill_values(db, 2000, long_text());
	assert_int_equal(gt_sql_close(db, true, &err), -1);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(err.kind, GT_EXIT_OUTPUT);
	assert_non_null(strstr(err.what, "cannot write the database"));
}

static void a_window_keeps_what_overlaps_it(void **state)
{
	struct fixture *f = *state;

	f->from_ns = 13000, f->to_ns = 13200;   /* one launch; the write before it ended on the device earlier */
	export(f, NULL);
	expect_rows(f, "SELECT correlationId, start FROM CUPTI_ACTIVITY_KIND_RUNTIME", "11|13000\n");
	expect_rows(f, "SELECT correlationId, start, contextId, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL",
		"11|13500|1|13\n");
	f->from_ns = f->to_ns = GT_NO_TIME;
}

/* Names of members are the program's: some are no names, some are another column's, some could end a statement. */
static void members_of_any_name_become_columns(void **state)
{
	static const char *const names[] = { "'x'", "'X'", "'eventid'", "NULL", "'a\"b'",
		"'it''s; DROP TABLE NVTX_EVENTS'", "'x'", "'member9'", "'x'", "'eventid'" };
	struct fixture *f = *state;
	char sql[256];

	assert_int_equal(sqlite3_open(":memory:", &f->db), SQLITE_OK);
	sqlite3_exec(f->db,
		"CREATE TABLE NVTX_EVENTS (eventId, jsonText); CREATE TABLE NVTX_EVENTS_PAYLOAD_SCHEMAS (eventId, "
	        "globalPid, domainId, "
		"payloadSchemaID); CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, name); "
		"INSERT INTO NVTX_EVENTS VALUES (7, '{\"x\":1,\"X\":2,\"eventid\":3,\"it''s; DROP TABLE "
	        "NVTX_EVENTS\":4,\"x\":5,\"member9\":6,\"x\":7,\"eventid\":8}'); "
		"INSERT INTO NVTX_EVENTS_PAYLOAD_SCHEMAS VALUES (7, 10, 2, 30)",
		NULL, NULL, NULL);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(sql, sizeof sql, "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (2, 30, %zu, %s)", i,
			names[i]);
		assert_int_equal(sqlite3_exec(f->db, sql, NULL, NULL, NULL), SQLITE_OK);
	}
	assert_true(gt_sql_dynamic_tables(f->db));
	expect_rows(f,
		"SELECT eventId, x, member1, member2, member3, member4, \"it's; DROP TABLE NVTX_EVENTS\" FROM "
	        "DYNAMIC_NVTXPAYLOAD_DATATYPE_10_2_30",
		"7|1|2|3|NULL|NULL|4\n");
	/* members with one name, and one that is called as another's number would be */
	expect_rows(f, "SELECT member6, member9, member8, member9_ FROM DYNAMIC_NVTXPAYLOAD_DATATYPE_10_2_30",
		"5|6|7|8\n");
}

static void an_unwritable_place_is_an_error_with_a_reason(void **state)
{
	struct gt_sql_options opt = { 0 };
	struct gt_err err = { 0 };
	struct gt_sql *db;

	(void)state;
	assert_int_equal(gt_sql_open("no-such-folder/t.sqlite", &opt, &db, &err), -1);
	assert_int_equal(err.kind, GT_EXIT_OUTPUT);
	assert_non_null(strstr(err.what, "no-such-folder/t.sqlite"));
}

static void a_string_has_one_id_and_wrong_bytes_are_escaped(void **state)
{
	struct gt_strings *s = gt_strings_new();
	char text[32], out[64];

	(void)state;
	assert_non_null(s);
	assert_string_equal(gt_strings_at(s, 0), "[Unknown]");
	for (int i = 0; i < 5000; i++) {
		int n = snprintf(text, sizeof text, "name %d", i);

		assert_int_equal(gt_strings_intern(s, text, (size_t)n), i + 1);
	}
	assert_int_equal(gt_strings_intern(s, "name 77", 7), 78);
	assert_int_equal(gt_strings_count(s), 5001);
	gt_strings_free(s);
	assert_int_equal(
		gt_utf8("a\xc3\xa9\xff\0\xe0\x80\x80", 8, out), (int)strlen("a\xc3\xa9\\xff\\x00\\xe0\\x80\\x80"));
	assert_string_equal(out, "a\xc3\xa9\\xff\\x00\\xe0\\x80\\x80");
	assert_false(gt_utf8_valid("\xed\xa0\x80", 3)); /* a surrogate */
	assert_true(gt_utf8_valid("\xf0\x9f\x98\x80", 4));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(every_call_has_its_rows),
		TEST(api_rows_name_their_objects),
		TEST(kernels_have_grid_block_and_memory),
		TEST(times_are_moved_only_where_readers_need_an_order),
		TEST(transfers_have_direction_and_memory_kinds),
		TEST(commands_without_times_have_no_device_row),
		TEST(synchronisation_says_what_was_waited_for),
		TEST(processes_threads_and_targets_are_described),
		TEST(inner_joins_lose_no_row),
		TEST(kernel_counts_agree_with_the_model),
		TEST(without_compat_rows_only_our_tables_are_filled),
		TEST(lazy_chooses_the_tables),
		TEST(arguments_stand_in_the_api_row),
		TEST(indices_bear_our_prefix),
		TEST(edition_2021_has_the_same_rows_in_its_columns),
		TEST(a_long_path_is_no_error),
		TEST(a_column_takes_values_of_its_kind_alone),
		TEST(pages_hold_every_value_and_size),
		TEST(one_row_and_no_row_are_right_too),
		TEST(what_is_not_known_is_null),
		TEST(long_options_and_names_are_not_cut_without_a_word),
		TEST(a_copy_between_devices_is_one_between_peers),
		TEST(a_full_disk_is_an_error),
		TEST(a_window_keeps_what_overlaps_it),
		TEST(members_of_any_name_become_columns),
		cmocka_unit_test(varints_are_those_of_the_file_format),
		cmocka_unit_test(an_unwritable_place_is_an_error_with_a_reason),
		cmocka_unit_test(a_string_has_one_id_and_wrong_bytes_are_escaped),
	};

	if (argc == 3 && !strcmp(argv[1], "--keep")) {
		make_trace(argv[2]);
		return 0;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	gt_fntable_free(table);
	return failed;
}
