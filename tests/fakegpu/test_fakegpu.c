/*
 * tests/fakegpu/test_fakegpu.c - test_fakegpu CASE: a small CUPTI client that checks that the stand-in behaves as CUPTI
 * is known to
 *
 * One case a process, as the faults come by environment (test_fakegpu.sh). Record offsets and sizes are written here as
 * numbers again, so that an error in records.def is seen.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(x) do { \
	if (!(x)) { fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #x); exit(1); } } while (0)
#define IS(a, b) do { \
	long long a_ = (long long)(a), b_ = (long long)(b); \
	if (a_ != b_) { \
		fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #a, a_, b_); \
		exit(1); } } while (0)
#define FN(name) ((__typeof__(&name))cupti(#name))

/* What is asked of the stand-in by name; nothing links with it. This client needs void * alone for its handles. */
int cuptiActivityConfigureUnifiedMemoryCounter(void *config, uint32_t n);
int cuptiActivityEnable(int kind);
int cuptiActivityEnableAndDump(int kind);
int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t on);
int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t on);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityFlushPeriod(uint32_t ms);
int cuptiActivityGetAttribute(int attribute, size_t *bytes, void *value);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void *record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
int cuptiActivityGetStructSize(int kind, int version, size_t *bytes);
int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *last);
int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id);
int cuptiActivityRegisterCallbacks(void *request, void *complete);
int cuptiActivityRegisterTimestampCallback(void *clock);
int cuptiActivitySetAttribute(int attribute, size_t *bytes, void *value);
int cuptiEnableCallback(uint32_t on, void *subscriber, int domain, uint32_t cbid);
int cuptiEnableDomain(uint32_t on, void *subscriber, int domain);
int cuptiFinalize(void);
int cuptiGetCallbackName(int domain, uint32_t cbid, const char **name);
int cuptiGetGraphNodeId(void *node, uint64_t *id);
int cuptiGetResultString(int result, const char **text);
int cuptiGetTimestamp(uint64_t *ns);
int cuptiGetVersion(uint32_t *version);
int cuptiSetThreadIdType(int type);
int cuptiSubscribe(void *subscriber, void *callback, void *user);
int cuptiSubscribe_v2(void *subscriber, void *callback, void *user, void *parameters);
int cuptiUnsubscribe(void *subscriber);

enum { DRIVER = 4, RUNTIME = 5, KERNEL = 10, MEMCPY = 1, MEMSET = 2 };
struct record { uint8_t b[320]; uint32_t kind, bytes; };
struct data {
	int site;
	const char *name;
	const void *args;
	const int *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *slot; uint32_t correlation;
};

static void *lib, *handle;
static struct record *records;
static int n_records, n_buffers, n_requests, foreign_completions, declined_from = 1 << 30;
static size_t buffer_bytes = 1 << 16, max_records, largest_valid;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;

static void *cupti(const char *name)
{
	void *f = dlsym(lib, name);

	if (!f) {
		fprintf(stderr, "no %s\n", name);
		exit(1);
	}
	return f;
}

static uint64_t word(const struct record *r, int at, int bytes)
{
	uint64_t v = 0;

	memcpy(&v, r->b + at, (size_t)bytes);
	return v;
}

static void request(uint8_t **buffer, size_t *bytes, size_t *most)
{
	pthread_mutex_lock(&lock);
	*most = max_records;
	*bytes = buffer_bytes;
	*buffer = ++n_requests >= declined_from ? NULL : aligned_alloc(64, buffer_bytes);
	pthread_mutex_unlock(&lock);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	uint8_t *r = NULL, *before;

	(void)context; (void)stream;
	pthread_mutex_lock(&lock);
	CHECK(bytes == buffer_bytes && valid <= bytes);
	n_buffers++;
	foreign_completions += !pthread_equal(pthread_self(), main_thread);
	largest_valid = valid > largest_valid ? valid : largest_valid;
	for (before = buffer; valid && FN(cuptiActivityGetNextRecord)(buffer, valid, &r) == 0; before = r) {
		records = realloc(records, sizeof *records * (size_t)(n_records + 1));
		CHECK(records && (r == buffer || r > before));
		struct record *out = &records[n_records++];
		size_t left = (size_t)(buffer + valid - r);

		memset(out, 0, sizeof *out);
		memcpy(out->b, r, left < sizeof out->b ? left : sizeof out->b);
		memcpy(&out->kind, r, 4);
	}
	free(buffer);
	pthread_mutex_unlock(&lock);
}

static void collect(const int *kinds)
{
	IS(FN(cuptiActivityRegisterCallbacks)(request, complete), 0);
	for (; *kinds; kinds++)
		IS(FN(cuptiActivityEnable)(*kinds), 0);
}

static void flush(int flags) { IS(FN(cuptiActivityFlushAll)(flags), 0); }

static int count(uint32_t kind)
{
	int n = 0;

	for (int i = 0; i < n_records; i++)
		n += records[i].kind == kind;
	return n;
}

static struct record *find(uint32_t kind, int at, uint64_t value)
{
	for (int i = 0; i < n_records; i++)
		if (records[i].kind == kind && (at < 0 || word(&records[i], at, 4) == value))
			return &records[i];
	return NULL;
}

static const int basic[] = { MEMCPY, MEMSET, DRIVER, RUNTIME, KERNEL, 0 };

/* n launches by the runtime, one copy each way, one set */
static void work(int n)
{
	static uint32_t out[64];
	void *kernel = load_kernel("add_one"), *x;

	MUST(cudaMalloc(&x, sizeof out));
	MUST(cudaMemset(x, 0, sizeof out));
	MUST(cudaMemcpy(x, out, sizeof out, HOST_TO_DEVICE));
	for (int i = 0; i < n; i++)
		launch_add_one(kernel, x, 64, NULL);
	MUST(cudaDeviceSynchronize());
	MUST(cudaMemcpy(out, x, sizeof out, DEVICE_TO_HOST));
	MUST(cudaFree(x));
	memset(out, 0, sizeof out);
}

/*
 * Each launch has one kernel with its correlation id, its name and times behind the call's start; runtime and driver
 * records share the id.
 */
static void launches_have_kernels(void)
{
	int launches = 0, nested = 0;

	IS(FN(cuptiSetThreadIdType)(1), 0);
	collect(basic);
	work(20);
	flush(0);
	IS(count(KERNEL), 20);
	IS(count(MEMCPY), 2);
	IS(count(MEMSET), 1);
	for (int i = 0; i < n_records; i++) {
		struct record *r = &records[i], *k;

		if (r->kind != RUNTIME || word(r, 4, 4) != 211)
			continue;
		launches++;
		IS(word(r, 24, 4), getpid());
		IS(word(r, 28, 4), syscall(SYS_gettid));
		IS(word(r, 36, 4), 0);
		CHECK(word(r, 16, 8) >= word(r, 8, 8));
		k = find(KERNEL, 92, word(r, 32, 4));
		CHECK(k && word(k, 16, 8) >= word(r, 8, 8) && word(k, 24, 8) > word(k, 16, 8));
		CHECK(!strcmp((const char *)(uintptr_t)word(k, 104, 8), "add_one"));
		IS(word(k, 52, 4), 1);
		IS(word(k, 64, 4), 128);
		IS(word(k, 172, 4), 1);
		for (int j = 0; j < n_records; j++)
			nested += records[j].kind == DRIVER && word(&records[j], 4, 4) == 307 &&
				word(&records[j], 32, 4) == word(r, 32, 4);
	}
	IS(launches, 20);
	IS(nested, 20);
	CHECK(find(MEMCPY, 8, 256) && (word(find(MEMCPY, 8, 256), 4, 1) == 1 || word(find(MEMCPY, 8, 256), 4, 1) == 2));
	IS(word(find(MEMSET, -1, 0), 50, 2), 3);
}

/* In order of the device's clock no two pieces of work of one stream overlap. */
static void one_stream_never_overlaps(void)
{
	uint64_t end = 0;

	collect(basic);
	work(50);
	flush(0);
	for (int i = 0; i < n_records; i++)
		if (records[i].kind == KERNEL) {
			CHECK(word(&records[i], 16, 8) > end);
			end = word(&records[i], 24, 8);
		}
	CHECK(end);
}

static void all_kinds_come(void)
{
	static const int kinds[] = { 8, 9, 37, 38, 49, 50, 52, 36, 17, 25, 0 };
	struct { int scope, kind; uint32_t device, enable; } um[] = { { 1, 1, 0, 1 }, { 1, 2, 0, 1 } };
	struct pool_props props = { .allocation_type = 1, .location_type = 1 };
	void *pool, *x, *event, *stream;
	uint32_t *managed;

	IS(FN(cuptiActivityConfigureUnifiedMemoryCounter)(um, 2), 0);
	collect(basic);
	collect(kinds);
	work(1);
	MUST(cudaStreamCreateWithFlags(&stream, 1));
	MUST(cudaEventCreate(&event));
	MUST(cudaEventRecord(event, stream));
	MUST(cudaStreamWaitEvent(NULL, event, 0));
	MUST(cudaEventSynchronize(event));
	MUST(cudaStreamSynchronize(stream));
	MUST(cudaMemPoolCreate(&pool, &props));
	MUST(cudaMallocFromPoolAsync(&x, 4096, pool, stream));
	MUST(cudaFreeAsync(x, stream));
	MUST(cudaStreamSynchronize(stream));
	MUST(cudaMemPoolDestroy(pool));
	MUST(cudaMallocManaged((void **)&managed, 4096, 1));
	launch_add_one(load_kernel("add_one"), managed, 64, NULL);
	MUST(cudaDeviceSynchronize());
	flush(1);
	flush(1);
	IS(count(8), 1);
	CHECK(strstr((const char *)(uintptr_t)word(find(8, -1, 0), 136, 8), "gputap stand-in"));
	IS(count(9), 1);
	IS(count(37), 2);
	CHECK(find(38, 4, 1) && find(38, 4, 2) && find(38, 4, 3) && find(38, 4, 4));
	IS(count(49), 5);                       /* three allocations, two releases */
	IS(count(50), 2);
	CHECK(find(50, 4, 1) && find(50, 4, 2));
	IS(count(52), 1);
	IS(count(36), 1);
	CHECK(find(17, 4, 1) && find(17, 4, 1 << 16));
	IS(count(25), 2);
	IS(word(find(25, 4, 1), 8, 8), 4096);
	IS(word(find(25, 4, 2), 40, 4), 0);
}

static void external_ids_are_told(void)
{
	static const int kinds[] = { RUNTIME, 39, 0 };
	uint64_t last = 0;

	collect(kinds);
	work(1);
	IS(FN(cuptiActivityPushExternalCorrelationId)(3, (uint64_t)77), 0);
	MUST(cudaDeviceSynchronize());
	IS(FN(cuptiActivityPopExternalCorrelationId)(3, &last), 0);
	IS(last, 77);
	IS(FN(cuptiActivityPopExternalCorrelationId)(3, &last), 18);
	flush(0);
	IS(count(39), 1);
	IS(word(find(39, -1, 0), 4, 4), 3);
	IS(word(find(39, -1, 0), 8, 8), 77);
	IS(word(find(RUNTIME, 32, word(find(39, -1, 0), 16, 4)), 4, 4), 165);
}

/* ---- callbacks ---- */
static struct {
	int enters, exits, nested, symbols, open, resource[32], synchronized;
	uint32_t launch_correlation;
	size_t malloc_bytes;
	int last_result;
} seen;

static void callback(void *user, int domain, uint32_t cbid, const struct data *d)
{
	CHECK(user == &seen);
	if (domain == 3) {
		seen.resource[cbid]++;
		return;
	}
	if (domain == 4) {
		seen.synchronized++;
		return;
	}
	if (d->site == 0) {
		seen.enters++;
		seen.open++;
		*d->slot = 1000 + d->correlation;
		CHECK(!d->result);
		if (domain == 2 && cbid == 20)
			seen.malloc_bytes = ((const struct { void **p; size_t n; } *)d->args)->n;
		if (domain == 2 && cbid == 211)
			seen.launch_correlation = d->correlation;
		if (domain == 1 && cbid == 307)
			seen.nested += d->correlation == seen.launch_correlation;
	} else {
		seen.exits++;
		seen.open--;
		IS(*d->slot, 1000 + d->correlation);
		seen.last_result = *d->result;
		if (cbid == 307 && domain == 1)
			seen.symbols += d->symbol && !strcmp(d->symbol, "add_one");
	}
}

static void calls_enter_and_leave(void)
{
	const char *name = NULL;
	void *p;

	IS(FN(cuptiSubscribe)(&handle, callback, &seen), 0);
	for (int d = 1; d <= 4; d++)
		IS(FN(cuptiEnableDomain)(1, handle, d), 0);
	work(3);
	CHECK(seen.enters > 20);
	IS(seen.enters, seen.exits);
	IS(seen.open, 0);
	IS(seen.nested, 3);
	IS(seen.symbols, 3);
	IS(seen.malloc_bytes, 256);
	IS(seen.last_result, 0);
	IS(seen.resource[1], 1);
	IS(seen.resource[5], 1);
	IS(seen.resource[6], 1);
	IS(seen.synchronized, 1);
	IS(cudaMalloc(&p, (size_t)1 << 50), 2);
	IS(seen.last_result, 2);
	IS(FN(cuptiGetCallbackName)(2, 211, &name), 0);
	CHECK(!strcmp(name, "cudaLaunchKernel_v7000"));
	int before = seen.enters;

	IS(FN(cuptiEnableDomain)(0, handle, 1), 0);
	IS(FN(cuptiEnableDomain)(0, handle, 2), 0);
	IS(FN(cuptiEnableCallback)(1, handle, 2, 165), 0);
	work(1);
	IS(seen.enters, before + 1);
	IS(FN(cuptiUnsubscribe)(handle), 0);
	MUST(cudaDeviceSynchronize());
	IS(seen.enters, before + 1);
}

static void second_subscriber_is_refused(void)
{
	struct { size_t bytes; const char *name; char *old; size_t old_bytes; } p;
	char old[64] = "";
	void *other;

	p.bytes = sizeof p;
	p.name = "first";
	p.old = old;
	p.old_bytes = sizeof old;
	IS(FN(cuptiSubscribe_v2)(&handle, callback, &seen, &p), 0);
	p.name = "second";
	IS(FN(cuptiSubscribe_v2)(&other, callback, &seen, &p), 39);
	CHECK(!strcmp(old, "first"));
	IS(FN(cuptiSubscribe)(&other, callback, &seen), 39);
	IS(FN(cuptiUnsubscribe)(handle), 0);
	IS(FN(cuptiSubscribe)(&other, callback, &seen), 0);
}

static void busy_slot_is_named(void)
{
	struct { size_t bytes; const char *name; char *old; size_t old_bytes; } p;
	char old[64] = "";

	p.bytes = sizeof p;
	p.name = "us";
	p.old = old;
	p.old_bytes = sizeof old;
	IS(FN(cuptiSubscribe_v2)(&handle, callback, &seen, &p), 39);
	CHECK(!strcmp(old, "other-profiler"));
}

/* ---- sizes: every word of the buffer is the kind, so the iterator's step is the record's size ---- */
static size_t probe(int kind)
{
	static uint32_t b[1024];
	uint8_t *r = NULL, *first;

	for (int i = 0; i < 1024; i++)
		b[i] = (uint32_t)kind;
	if (FN(cuptiActivityGetNextRecord)((uint8_t *)b, sizeof b, &r))
		return 0;
	first = r;
	return FN(cuptiActivityGetNextRecord)((uint8_t *)b, sizeof b, &r) ? 0 : (size_t)(r - first);
}

static void sizes_are_the_versions(void)
{
	static const int kinds[] = { 1, 2, 10, 4, 5, 8, 9, 17, 22, 25, 36, 37, 38, 39, 49, 50, 51, 52, 53 };
	static const struct { uint32_t version; size_t bytes[19]; } expected[] = {
		{ 18, { 88, 88, 200, 40, 40, 176, 16, 40, 96, 64, 24, 24, 40, 24, 120, 72, 48, 64, 0 } },
		{ 22, { 88, 88, 208, 40, 40, 184, 24, 56, 96, 64, 24, 24, 40, 24, 120, 72, 56, 72, 0 } },
		{ 23, { 88, 88, 208, 40, 40, 184, 32, 56, 96, 64, 24, 24, 40, 24, 120, 72, 56, 72, 0 } },
		{ 130001, { 96, 88, 216, 40, 40, 184, 32, 56, 96, 104, 56, 24, 56, 24, 128, 80, 56, 72, 56 } },
		{ 130101, { 96, 88, 224, 40, 40, 184, 40, 56, 96, 104, 56, 24, 56, 24, 128, 80, 56, 72, 56 } },
		{ 130500, { 112, 104, 248, 40, 40, 192, 40, 56, 96, 104, 80, 24, 56, 24, 128, 80, 56, 72, 56 } },
		{ 139900, { 136, 128, 272, 40, 40, 216, 64, 56, 120, 104, 104, 24, 80, 24, 152, 80, 80, 72, 56 } } };
	uint32_t version = 0;
	bool known = false;

	IS(FN(cuptiGetVersion)(&version), 0);
	for (size_t v = 0; v < sizeof expected / sizeof *expected; v++)
		for (int i = 0; expected[v].version == version && i < 19; i++) {
			known = true;
			if (probe(kinds[i]) != expected[v].bytes[i])
				fprintf(stderr, "version %u, kind %d: ", version, kinds[i]);
			IS(probe(kinds[i]), expected[v].bytes[i]);
		}
	CHECK(known);
	IS(probe(63), 0);
}

/* From 13.3 on nothing is told while no driver is new enough. */
static void newer_versions_answer_nothing(void)
{
	uint32_t version = 7;
	size_t bytes = 7;

	IS(FN(cuptiGetVersion)(&version), 999);
	IS(FN(cuptiActivityGetStructSize)(10, 0, &bytes), 999);
	IS(probe(10), 0);
	IS(version + bytes, 14);
}

/*
 * Every version: records of the size it has can be walked and mean the same; functions that it has not are not there.
 */
static void version_is_consistent(void)
{
	uint32_t version = 0;
	int expected = atoi(getenv("EXPECT_VERSION"));

	IS(FN(cuptiGetVersion)(&version), 0);
	IS(version, expected);
	IS(dlsym(lib, "cuptiSubscribe_v2") != NULL, version >= 130000);
	IS(dlsym(lib, "cuptiActivityEnableRuntimeApi") != NULL, version >= 23);
	IS(dlsym(lib, "cuptiActivityEnableHWTrace") != NULL, version >= 26);
	collect(basic);
	work(10);
	flush(0);
	IS(count(KERNEL), 10);
	IS(count(MEMCPY), 2);
	IS(count(MEMSET), 1);
	for (int i = 0; i < n_records; i++)
		if (records[i].kind == KERNEL) {
			CHECK(word(&records[i], 24, 8) > word(&records[i], 16, 8) && word(&records[i], 92, 4));
			if (version == 139900)
				IS(word(&records[i], 248, 8), 0xa5a5a5a5a5a5a5a5u);
		}
}

/* ---- buffers ---- */
static void full_buffers_come_by_themselves(void)
{
	buffer_bytes = 1024;
	collect(basic);
	work(40);
	for (int i = 0; i < 200 && !foreign_completions; i++)
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	CHECK(foreign_completions > 0);
	flush(0);
	IS(count(KERNEL), 40);
	CHECK(n_buffers > 10 && largest_valid <= 1024);
}

static void record_limit_is_kept(void)
{
	max_records = 3;
	collect(basic);
	work(10);
	flush(0);
	IS(count(KERNEL), 10);
	CHECK(n_buffers >= n_records / 3);
}

static void *one_launch(void *x)
{
	MUST(cudaSetDevice(0));
	launch_add_one(load_kernel("add_one"), x, 64, NULL);
	return NULL;
}

static int buffers_of_two_threads(uint8_t per_thread)
{
	static const int kinds[] = { RUNTIME, 0 };
	size_t bytes = 1;
	pthread_t t;
	void *x;

	IS(FN(cuptiActivitySetAttribute)(9, &bytes, &per_thread), 0);
	collect(kinds);
	MUST(cudaMalloc(&x, 256));
	load_kernel("add_one");
	for (int i = 0; i < 2; i++) {
		pthread_create(&t, NULL, one_launch, x);
		pthread_join(t, NULL);
	}
	flush(0);
	return n_buffers;
}

static void buffers_are_per_thread(void) { IS(buffers_of_two_threads(1), 3); }
static void one_buffer_for_all(void) { IS(buffers_of_two_threads(0), 1); }

static void per_thread_is_the_default_since_13(void)
{
	uint8_t value = 9;
	size_t bytes = 1;

	IS(FN(cuptiActivityGetAttribute)(9, &bytes, &value), 0);
	IS(value, atoi(getenv("EXPECT_PER_THREAD")));
	bytes = 0;
	IS(FN(cuptiActivityGetAttribute)(9, &bytes, &value), 10);
	IS(FN(cuptiActivityRegisterCallbacks)(request, complete), 0);
	bytes = 1;
	IS(FN(cuptiActivitySetAttribute)(9, &bytes, &value), 7);
}

static void declined_buffers_are_counted(void)
{
	size_t dropped = 0;

	declined_from = 1;
	collect(basic);
	work(5);
	flush(0);
	IS(n_records, 0);
	IS(FN(cuptiActivityGetNumDroppedRecords)(NULL, 0, &dropped), 0);
	CHECK(dropped >= 5 + 3);
	IS(FN(cuptiActivityGetNumDroppedRecords)(NULL, 0, &dropped), 0);
	IS(dropped, 0);
}

/* ---- what faults do ---- */
static void every_third_record_is_dropped(void)
{
	static const int kinds[] = { KERNEL, 0 };
	size_t dropped = 0;

	collect(kinds);
	work(30);
	flush(0);
	IS(FN(cuptiActivityGetNumDroppedRecords)(NULL, 0, &dropped), 0);
	IS(dropped, 10);
	IS(count(KERNEL), 20);
}

static void kernels_with(int *zero, int *reversed)
{
	static const int kinds[] = { KERNEL, 0 };

	*zero = *reversed = 0;
	collect(kinds);
	work(30);
	flush(0);
	IS(count(KERNEL), 30);
	for (int i = 0; i < n_records; i++) {
		*zero += !word(&records[i], 16, 8) && !word(&records[i], 24, 8);
		*reversed += word(&records[i], 24, 8) < word(&records[i], 16, 8);
	}
}

static void some_times_are_zero(void) { int z, r; kernels_with(&z, &r); CHECK(z >= 5 && z <= 8); IS(r, 0); }
static void some_times_are_reversed(void) { int z, r; kernels_with(&z, &r); CHECK(r >= 5 && r <= 8); IS(z, 0); }
static void exhausted_times_are_zero(void) { int z, r; kernels_with(&z, &r); IS(z, 30 + 2 - 12); IS(r, 0); }
static void times_are_good_without_faults(void) { int z, r; kernels_with(&z, &r); IS(z, 0); IS(r, 0); }

static void pairs_are_swapped(void)
{
	static const int kinds[] = { KERNEL, 0 };
	int back = 0;

	collect(kinds);
	work(31);
	flush(0);
	IS(count(KERNEL), 31);
	for (int i = 1; i < n_records; i++)
		back += word(&records[i], 16, 8) < word(&records[i - 1], 16, 8);
	CHECK(back >= 15);                      /* the odd one comes at the flush, from another buffer */
}

static void no_permission_for_device_kinds(void)
{
	IS(FN(cuptiActivityEnable)(KERNEL), 35);
	IS(FN(cuptiActivityEnable)(MEMCPY), 35);
	IS(FN(cuptiActivityEnable)(RUNTIME), 0);
	work(1);
}

static void one_kind_is_refused(void)
{
	IS(FN(cuptiActivityEnable)(17), 14);
	IS(FN(cuptiActivityEnable)(KERNEL), 0);
	IS(FN(cuptiActivityEnable)(62), 21);
}

static void old_driver_is_refused(void)
{
	int expected = atoi(getenv("EXPECT_ERROR"));
	const char *text;

	IS(FN(cuptiSubscribe)(&handle, callback, &seen), expected);
	IS(FN(cuptiActivityEnable)(KERNEL), expected);
	IS(FN(cuptiGetResultString)(expected, &text), 0);
	IS(probe(KERNEL) > 0, 1);
	work(1);
}

static void full_buffers_wait_for_the_flush(void)
{
	buffer_bytes = 1024;
	collect(basic);
	work(40);
	nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
	IS(n_buffers, 0);
	flush(0);
	IS(count(KERNEL), 40);
}

static void the_period_brings_full_buffers(void)
{
	buffer_bytes = 1024;
	IS(FN(cuptiActivityFlushPeriod)(20), 0);
	collect(basic);
	work(40);
	for (int i = 0; i < 300 && !__atomic_load_n(&n_buffers, __ATOMIC_SEQ_CST); i++)
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	CHECK(__atomic_load_n(&n_buffers, __ATOMIC_SEQ_CST) > 0);
}

/* A kernel that runs at a forced flush comes with end 0, and never again. */
static void forced_flush_leaves_kernels_open(void)
{
	static const int kinds[] = { KERNEL, 0 };
	void *x;

	collect(kinds);
	MUST(cudaMalloc(&x, 256));
	launch_add_one(load_kernel("add_one"), x, 64, NULL);
	flush(0);
	IS(count(KERNEL), 0);
	flush(1);
	IS(count(KERNEL), 1);
	IS(word(&records[0], 24, 8), 0);
	MUST(cudaDeviceSynchronize());
	flush(1);
	IS(count(KERNEL), 1);
}

static void graph_nodes_have_rows(bool whole)
{
	static const int nodes[] = { KERNEL, MEMCPY, MEMSET, RUNTIME, 0 }, trace[] = { 51, 0 };
	void *graph, *exec, *node, *x, *kernel = load_kernel("add_one"), *stream;
	unsigned n = 64;
	uint64_t id[2];

	collect(nodes);
	if (whole)
		collect(trace);
	IS(FN(cuptiSubscribe)(&handle, callback, &seen), 0);
	IS(FN(cuptiEnableDomain)(1, handle, 3), 0);
	MUST(cudaMalloc(&x, 256));
	MUST(cudaStreamCreate(&stream));
	void *args[] = { &x, &n };
	struct kernel_node add = { kernel, { 1, 1, 1 }, { 64, 1, 1 }, 0, args, NULL };

	MUST(cudaGraphCreate(&graph, 0));
	MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &add));
	MUST(cudaGraphAddKernelNode(&node, graph, &node, 1, &add));
	MUST(cudaGraphInstantiate(&exec, graph, 0));
	IS(FN(cuptiGetGraphNodeId)(node, &id[0]), 0);
	MUST(cudaGraphLaunch(exec, stream));
	MUST(cudaStreamSynchronize(stream));
	flush(0);
	IS(seen.resource[9], 1);
	IS(seen.resource[13], 2);
	IS(seen.resource[15], 1);
	IS(seen.resource[18], 1);
	IS(seen.resource[20], 2);
	IS(count(KERNEL), whole ? 0 : 2);
	IS(count(51), whole ? 1 : 0);
	if (whole) {
		CHECK(word(find(51, -1, 0), 16, 8) > word(find(51, -1, 0), 8, 8));
		IS(word(find(RUNTIME, 32, word(find(51, -1, 0), 4, 4)), 4, 4), 311);
		return;
	}
	for (int i = 0, k = 0; i < n_records; i++)
		if (records[i].kind == KERNEL) {
			id[k++] = word(&records[i], 144, 8);
			IS(word(find(RUNTIME, 32, word(&records[i], 92, 4)), 4, 4), 311);
		}
	CHECK(id[0] && id[1] && id[0] != id[1]);
}

static void graph_launch_has_its_nodes(void) { graph_nodes_have_rows(false); }
static void graph_trace_stands_for_the_nodes(void) { graph_nodes_have_rows(true); }

static void late_attach_tells_what_exists(void)
{
	static const int none[] = { 0 };

	work(1);
	collect(none);
	IS(FN(cuptiActivityEnableAndDump)(8), 0);
	IS(FN(cuptiActivityEnableAndDump)(9), 0);
	IS(FN(cuptiActivityEnableAndDump)(37), 0);
	flush(0);
	IS(count(8), 1);
	IS(count(9), 1);
	IS(count(37), 1);
}

static void filters_choose_calls(void)
{
	static const int kinds[] = { RUNTIME, 0 };

	collect(kinds);
	IS(FN(cuptiActivityEnableRuntimeApi)(211, 0), 0);
	IS(FN(cuptiActivityEnableDriverApi)(17, 1), 0);
	work(3);
	flush(0);
	CHECK(!find(RUNTIME, 4, 211));
	CHECK(find(RUNTIME, 4, 165));
	IS(count(DRIVER), 1);
	IS(word(find(DRIVER, -1, 0), 4, 4), 17);
}

static uint64_t own_clock_calls;
static uint64_t own_clock(void) { return __atomic_add_fetch(&own_clock_calls, 1, __ATOMIC_SEQ_CST) * 100; }

static void clock_of_the_client_is_used(void)
{
	uint64_t t;

	IS(FN(cuptiActivityRegisterTimestampCallback)(own_clock), 0);
	IS(FN(cuptiGetTimestamp)(&t), 0);
	IS(t, 100);
}

static void clock_is_the_realtime_one(void)
{
	struct timespec a, b;
	uint64_t t;

	clock_gettime(CLOCK_REALTIME, &a);
	IS(FN(cuptiGetTimestamp)(&t), 0);
	clock_gettime(CLOCK_REALTIME, &b);
	CHECK(t >= (uint64_t)a.tv_sec * 1000000000 + (uint64_t)a.tv_nsec &&
		t <= (uint64_t)b.tv_sec * 1000000000 + (uint64_t)b.tv_nsec);
}

static void finalize_ends_it(int after)
{
	collect(basic);
	work(1);
	flush(0);
	int before = n_records;

	IS(FN(cuptiFinalize)(), 0);
	work(1);
	FN(cuptiActivityFlushAll)(1);
	IS(n_records > before, after);
}

static void nothing_comes_behind_finalize(void) { finalize_ends_it(0); }
static void late_records_come_behind_finalize(void) { finalize_ends_it(1); }

static void a_child_cannot_use_it(void)
{
	int status;
	pid_t child;

	collect(basic);
	work(1);
	child = fork();
	if (!child) {
		_exit(cuInit(0) == 304 && FN(cuptiSubscribe)(&handle, callback, &seen) == 15 &&
					FN(cuptiActivityFlushAll)(1) == 15
				? 0
				: 1);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void launches_fail_in_turn(void)
{
	static const int kinds[] = { RUNTIME, KERNEL, 0 };
	void *kernel = load_kernel("add_one"), *x;
	unsigned n = 64;
	int failed = 0;

	collect(kinds);
	MUST(cudaMalloc(&x, 256));
	void *args[] = { &x, &n };

	for (int i = 0; i < 9; i++)
		failed += cudaLaunchKernel(kernel, (struct dim){ 1, 1, 1 }, (struct dim){ 64, 1, 1 }, args, 0, NULL) ==
			719;
	MUST(cudaDeviceSynchronize());
	flush(0);
	IS(failed, 3);
	IS(count(KERNEL), 6);
	IS(cudaGetLastError(), 719);
	for (int i = failed = 0; i < n_records; i++)
		failed += records[i].kind == RUNTIME && word(&records[i], 36, 4) == 719;
	IS(failed, 3);
}

static void allocations_fail_in_turn(void)
{
	void *x;
	int failed = 0;

	for (int i = 0; i < 8; i++)
		failed += cudaMalloc(&x, 64) == 2;
	IS(failed, 2);
}

static void peers_copy(void)
{
	static const int kinds[] = { MEMCPY, 22, 0 };
	extern int cudaMemcpyPeerAsync(
		void *dst, int dst_device, const void *src, int src_device, size_t bytes, void *stream);
	void *a, *b;

	collect(kinds);
	MUST(cudaSetDevice(0));
	MUST(cudaMalloc(&a, 128));
	MUST(cudaSetDevice(1));
	MUST(cudaMalloc(&b, 128));
	MUST(cudaMemcpyPeerAsync(b, 1, a, 0, 128, NULL));
	MUST(cudaDeviceSynchronize());
	flush(0);
	IS(count(22), 1);
	IS(count(MEMCPY), 0);
	IS(word(&records[0], 44, 4), 0);
	IS(word(&records[0], 52, 4), 1);
	CHECK(word(&records[0], 48, 4) != word(&records[0], 56, 4));
}

static void *storm_thread(void *kernel)
{
	void *x, *stream;

	MUST(cudaSetDevice(0));
	MUST(cudaStreamCreateWithFlags(&stream, 1));
	MUST(cudaMalloc(&x, 256));
	for (int i = 0; i < 2000; i++)
		launch_add_one(kernel, x, 64, stream);
	MUST(cudaStreamSynchronize(stream));
	return NULL;
}

static void a_storm_loses_nothing(void)
{
	static const int kinds[] = { RUNTIME, KERNEL, 0 };
	pthread_t t[8];
	void *kernel;
	int launches = 0;
	static uint8_t hit[100000];

	collect(kinds);
	kernel = load_kernel("add_one");
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, storm_thread, kernel);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	MUST(cudaDeviceSynchronize());
	flush(1);
	IS(count(KERNEL), 16000);
	for (int i = 0; i < n_records; i++) {
		bool kernel_record = records[i].kind == KERNEL;

		if (kernel_record || word(&records[i], 4, 4) == 211)
			hit[word(&records[i], kernel_record ? 92 : 32, 4) % sizeof hit] += kernel_record ? 1 : 16;
	}
	for (size_t i = 0; i < sizeof hit; i++) {
		CHECK(hit[i] == 0 || hit[i] == 17);
		launches += hit[i] == 17;
	}
	IS(launches, 16000);
}

static void a_flush_may_take_long(void)
{
	struct timespec a, b;

	collect(basic);
	work(1);
	clock_gettime(CLOCK_MONOTONIC, &a);
	flush(0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	CHECK((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 >= 100);   /* at least; no upper bound */
}

#define CASE(name) { #name, name }
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = { CASE(launches_have_kernels), CASE(one_stream_never_overlaps), CASE(all_kinds_come),
	CASE(external_ids_are_told), CASE(calls_enter_and_leave), CASE(second_subscriber_is_refused),
	CASE(busy_slot_is_named), CASE(sizes_are_the_versions), CASE(version_is_consistent),
	CASE(newer_versions_answer_nothing), CASE(full_buffers_come_by_themselves), CASE(record_limit_is_kept),
	CASE(buffers_are_per_thread), CASE(one_buffer_for_all), CASE(per_thread_is_the_default_since_13),
	CASE(declined_buffers_are_counted), CASE(every_third_record_is_dropped), CASE(some_times_are_zero),
	CASE(some_times_are_reversed), CASE(exhausted_times_are_zero), CASE(times_are_good_without_faults),
	CASE(pairs_are_swapped), CASE(no_permission_for_device_kinds), CASE(one_kind_is_refused),
	CASE(old_driver_is_refused), CASE(full_buffers_wait_for_the_flush), CASE(the_period_brings_full_buffers),
	CASE(forced_flush_leaves_kernels_open), CASE(graph_launch_has_its_nodes),
	CASE(graph_trace_stands_for_the_nodes), CASE(late_attach_tells_what_exists), CASE(filters_choose_calls),
	CASE(clock_of_the_client_is_used), CASE(clock_is_the_realtime_one), CASE(nothing_comes_behind_finalize),
	CASE(late_records_come_behind_finalize), CASE(a_child_cannot_use_it), CASE(launches_fail_in_turn),
	CASE(allocations_fail_in_turn), CASE(peers_copy), CASE(a_storm_loses_nothing), CASE(a_flush_may_take_long) };

int main(int argc, char **argv)
{
	const char *name = getenv("CUPTI_LIBRARY");

	main_thread = pthread_self();
	lib = dlopen(name ? name : "libcupti.so.13", RTLD_NOW);
	if (!lib || argc != 2) {
		fprintf(stderr, "test_fakegpu CASE: %s\n", lib ? "one case" : dlerror());
		return 2;
	}
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(cases[i].name, argv[1])) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "no case %s\n", argv[1]);
	return 2;
}
