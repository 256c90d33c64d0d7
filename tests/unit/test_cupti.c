/*
 * tests/unit/test_cupti.c - trace/read/cupti.c and model/cuda/decode.c: records of every CUPTI version, and buffers
 * that nobody wrote
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/cudafixture.h"
#include "trace/read/pack.h"

#define NAME 0x7000

/* ------------------------------------------------------------------- versions */

static const uint32_t versions[] = { 17, 18, 19, 20, 21, 22, 23, 24, 26, 27, 28, 130000, 130001, 130100, 130200, 130300,
	130400, 139900 };
#define VERSIONS (sizeof versions / sizeof *versions)

/* Every record is stepped over rightly: what stands behind each of them is still found. */
static void records_of_every_version_are_stepped_over(void **state)
{
	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		struct fixture f;
		struct gt_model *m;
		struct gt_cuda *c;
		uint64_t n = 0;

		fixture_begin(&f, versions[v]);
		tb_cupti_string(f.s, START, NAME, "k");
		for (uint32_t kind = 1; kind < 64; kind++) {
			if (!tb_act_bytes(versions[v], kind))
				continue;
			tb_act(f.a, kind, NULL, 0);
			add_kernel(&f, 0, 1000 + n * 100, 1050 + n * 100, NAME);
			n++;
		}
		fixture_buffer(&f, 50000);
		m = fixture_open(&f);
		c = cuda_of(m);
		assert_int_equal(gt_cuda_library(c, 0)->records, 2 * n);
		assert_int_equal(gt_cuda_library(c, 0)->cupti_version, versions[v]);
		/* and one of each kind of kernels without times */
		assert_int_equal(gt_cuda_count(c, GT_CUDA_KERNEL), n + 2);
		for (uint64_t i = 0; i < n; i++)
			assert_int_equal(event_at(c, GT_CUDA_KERNEL, i + 2).start_ns, 1000 + i * 100);
		assert_int_equal(gt_model_lost(m, REC_LOSS_CUPTI_UNREAD), 0);
		for (int kind = 0; kind < GT_CUDA_KINDS; kind++)
			for (uint64_t i = 0; i < gt_cuda_count(c, (enum gt_cuda_kind)kind); i++)
				event_at(c, (enum gt_cuda_kind)kind, i);
		fixture_close(&f, m);
	}
}

/* What a version did not have is absent; padding bytes of old versions mean nothing. */
static void fields_that_a_version_lacks_are_absent(void **state)
{
	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		uint32_t version = versions[v];
		struct gt_cuda_event e;
		struct fixture f;
		struct gt_model *m;
		struct gt_cuda *c;

		fixture_begin(&f, version);
		ACT(f.a, 10, F(CONCURRENT_KERNEL, start, at(1000)), F(CONCURRENT_KERNEL, end, at(2000)),
			F(CONCURRENT_KERNEL, clusterX, 4), F(CONCURRENT_KERNEL, clusterY, 2),
			F(CONCURRENT_KERNEL, clusterZ, 1), F(CONCURRENT_KERNEL, maxPotentialClusterSize, 8),
			F(CONCURRENT_KERNEL, maxActiveClusters, 66), F(CONCURRENT_KERNEL, isDeviceLaunched, 1),
			F(CONCURRENT_KERNEL, localMemoryTotal, 5),
			F(CONCURRENT_KERNEL, localMemoryTotal_v2, 1ull << 33),
			F(CONCURRENT_KERNEL, registersPerThread, 32));
		ACT(f.a, 1, F(MEMCPY, start, at(1000)), F(MEMCPY, end, at(2000)), F(MEMCPY, copyCount, 3));
		ACT(f.a, 38, F(SYNCHRONIZATION, start, at(1000)), F(SYNCHRONIZATION, end, at(2000)),
			F(SYNCHRONIZATION, cudaEventId, 5), F(SYNCHRONIZATION, cudaEventSyncId, 6),
			F(SYNCHRONIZATION, returnValue, 7));
		ACT(f.a, 9, F(CONTEXT, contextId, 1), F(CONTEXT, numMultiprocessors, 132));
		fixture_buffer(&f, 50000);
		m = fixture_open(&f);
		c = cuda_of(m);
		e = event_at(c, GT_CUDA_KERNEL, 0);
		assert_int_equal(e.kernel.registers, 32);
		assert_int_equal(e.kernel.has_cluster, version >= 18);
		assert_int_equal(e.kernel.cluster[0], version >= 18 ? 4 : 0);
		assert_true(e.kernel.local_total == (version >= 18 ? 1ll << 33 : 5));
		assert_int_equal(e.kernel.max_cluster, version >= 19 ? 8 : -1);
		assert_int_equal(e.kernel.max_active_clusters, version >= 19 ? 66 : -1);
		assert_int_equal(e.kernel.device_launched, version >= 130000);
		assert_int_equal(event_at(c, GT_CUDA_COPY, 0).copy.count, version >= 26 ? 3 : -1);
		e = event_at(c, GT_CUDA_SYNC, 0);
		assert_int_equal(e.sync.event, 5);
		assert_int_equal(e.sync.event_sync, version >= 26 ? 6 : -1);
		assert_int_equal(e.sync.result, version >= 26 ? 7 : -1);
		assert_int_equal(gt_cuda_context_of(c, 0, 1)->sms, version >= 23 ? 132 : -1);
		fixture_close(&f, m);
	}
}

/* ---------------------------------------------------------------- bad buffers */

/* Opens what was built: `kernels` are found, and `unread` is counted. */
static void expect(struct fixture *f, uint64_t kernels, uint64_t unread)
{
	struct gt_model *m = fixture_open(f);
	struct gt_cuda *c = cuda_of(m);

	assert_int_equal(gt_cuda_count(c, GT_CUDA_KERNEL), kernels);
	for (uint64_t i = 0; i < kernels; i++)
		event_at(c, GT_CUDA_KERNEL, i);
	assert_int_equal(gt_model_lost(m, REC_LOSS_CUPTI_UNREAD), unread);
	fixture_close(f, m);
}

static void an_unknown_kind_ends_its_buffer_alone(void **state)
{
	const uint32_t kinds[] = { 63, 255, 256, 4096, 0xffffffffu };

	(void)state;
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct fixture f;

		fixture_begin(&f, 130001);
		add_kernel(&f, 1, 1000, 2000, NAME);
		tb_act_raw(f.a, (const uint32_t[]){ kinds[i], 0, 0, 0 }, 16);
		add_kernel(&f, 2, 3000, 4000, NAME);
		fixture_buffer(&f, 5000);
		add_kernel(&f, 3, 5000, 6000, NAME);
		fixture_buffer(&f, 5000);
		expect(&f, 2, 1);
	}
}

static void a_record_beyond_the_valid_bytes_is_not_read(void **state)
{
	struct rec_cupti_buffer head = { .number = 1, .completed_tick = START + 5000 };

	(void)state;
	for (uint64_t valid = 216; valid <= 432; valid += 24) {         /* of two kernels of 216 bytes */
		struct fixture f;

		fixture_begin(&f, 130001);
		add_kernel(&f, 1, 1000, 2000, NAME);
		add_kernel(&f, 2, 3000, 4000, NAME);
		head.valid = valid;
		tb_cupti_buffer(f.c, f.a, &head);
		expect(&f, valid == 432 ? 2 : 1, valid != 216 && valid != 432);
	}
}

/* Of a buffer that CUPTI filled while the image ended, the file may keep a part: that there was more is told. */
static void records_behind_what_was_kept_are_one_loss(void **state)
{
	struct rec_cupti_buffer head = { .number = 1 };

	(void)state;
	for (uint64_t kept = 216; kept <= 648; kept += 24) {            /* of two kernels of 216 bytes */
		for (int completed = 0; completed < 2; completed++) {
			struct fixture f;

			fixture_begin(&f, 130001);
			add_kernel(&f, 1, 1000, 2000, NAME);
			add_kernel(&f, 2, 3000, 4000, NAME);
			head.kept = REC_CUPTI_BUFFER + kept;
			head.completed_tick = completed ? START + 5000 : 0;
			tb_cupti_buffer(f.c, f.a, &head);
			expect(&f, kept < 432 ? 1 : 2, completed ? kept < 432 : kept <= 432);
		}
	}
	head.kept = REC_CUPTI_BUFFER - 8;                               /* nobody writes that: as if all were there */
	struct fixture f;

	fixture_begin(&f, 130001);
	add_kernel(&f, 1, 1000, 2000, NAME);
	tb_cupti_buffer(f.c, f.a, &head);
	expect(&f, 1, 0);
}

/* More than there is room for: as many as there are. */
static void a_boastful_count_of_bytes_is_not_believed(void **state)
{
	const uint64_t boasts[] = { 61441, 1 << 20, UINT64_MAX, UINT64_MAX - 4095, 1ull << 63 };

	(void)state;
	for (unsigned i = 0; i < sizeof boasts / sizeof *boasts; i++) {
		struct rec_cupti_buffer head = { .number = 1, .valid = boasts[i], .completed_tick = START + 5000 };
		struct fixture f;

		fixture_begin(&f, 130001);
		add_kernel(&f, 1, 1000, 2000, NAME);
		tb_cupti_buffer(f.c, f.a, &head);
		add_kernel(&f, 2, 1000, 2000, NAME);
		fixture_buffer(&f, 5000);
		expect(&f, 2, 0);
	}
}

/*
 * A buffer that never came back is read up to its first zero; a record in the making at its very end is no loss that
 * could be counted.
 */
static void an_unfinished_buffer_is_read_to_its_first_zero(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, 130001);
	add_kernel(&f, 1, 1000, 2000, NAME);
	add_kernel(&f, 2, 3000, 4000, NAME);
	fixture_buffer(&f, 0);
	while (f.a->used + 216 <= TB_CUPTI_ROOM)
		add_kernel(&f, 3, 1000, 2000, NAME);
	tb_act_raw(f.a, (const uint32_t[]){ 10, 0 }, 8);
	fixture_buffer(&f, 0);
	expect(&f, 2 + TB_CUPTI_ROOM / 216, 0);
}

/* Sizes that cannot be, and libraries that say nothing, make their records unreadable, not dangerous. */
static void absurd_sizes_are_not_taken(void **state)
{
	const uint32_t sizes[] = { 0, 4, 12, 8192, 0x80000000u, 0xfffffff8u };

	(void)state;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct fixture f;

		fixture_begin(&f, 0);
		free(f.a->data);
		*f.a = (struct tb_acts){ .version = 130001 };
		tb_record(
			f.s, REC_CUPTI_LIBRARY, 0, 0, W(START, PAIR(130001, 13000), PAIR(1, 0), PAIR(10, sizes[i]), 0));
		add_kernel(&f, 1, 1000, 2000, NAME);
		fixture_buffer(&f, 5000);
		expect(&f, 0, 1);
	}
}

/* A table that claims more kinds than the record holds. */
static void a_cut_table_of_sizes_is_read_as_far_as_it_goes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, 0);
	f.a->version = 130001;
	tb_record(f.s, REC_CUPTI_LIBRARY, 0, 0, W(START, PAIR(130001, 13000), PAIR(0xffffffffu, 0), PAIR(10, 216)));
	add_kernel(&f, 1, 1000, 2000, NAME);
	fixture_buffer(&f, 5000);
	expect(&f, 1, 0);
}

/* A library whose kernels are shorter than any version's: each is counted, none is shown. */
static void records_shorter_than_any_version_are_refused(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, 0);
	tb_record(f.s, REC_CUPTI_LIBRARY, 0, 0, W(START, PAIR(130001, 13000), PAIR(1, 0), PAIR(10, 96), 0));
	for (int i = 0; i < 3; i++)
		tb_act_raw(f.a, (const uint64_t[12]){ 10, 1, 1, 1 }, 96);
	fixture_buffer(&f, 5000);
	expect(&f, 0, 3);
}

/* Records may lie across the blocks that the reader takes, in places of any size, one behind the other. */
static void large_buffers_are_read_whole(void **state)
{
	enum { N = 4000 };
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	for (uint32_t b = 0; b < 3; b++) {
		struct rec_cupti_buffer head = { .number = b + 1, .completed_tick = START + 5000 };

		for (uint32_t i = 0; i < N; i++)
			add_kernel(&f, b * N + i + 1, 1000 + (b * N + i) * 10, 1005 + (b * N + i) * 10, NAME);
		tb_cupti_buffer_sized(f.c, f.a, &head, (1 << 20) - REC_CUPTI_BUFFER);
	}
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_cuda_count(c, GT_CUDA_KERNEL), 3 * N);
	for (uint32_t i = 0; i < 3 * N; i++) {
		uint32_t k = i * 1237 % (3 * N);              /* there and back through all blocks */
		struct gt_cuda_event e = event_at(c, GT_CUDA_KERNEL, k);

		assert_int_equal(e.correlation, k + 1);
		assert_int_equal(e.start_ns, 1000 + k * 10);
	}
	fixture_close(&f, m);
}

/* ----------------------------------------------------------------------- files */

static void overwrite(const struct fixture *f, long where, const void *data, size_t bytes)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof path, "%s/%d.1/1.str", f->path, PID);
	out = fopen(path, "r+");
	assert_non_null(out);
	assert_int_equal(fseek(out, where, SEEK_SET), 0);
	assert_int_equal(fwrite(data, 1, bytes, out), bytes);
	fclose(out);
}

static struct gt_model *open_again(const struct fixture *f)
{
	struct gt_model *m = NULL;
	struct gt_err err;

	assert_int_equal(gt_model_open(f->path, NULL, &m, &err), 0);
	return m;
}

/* A thread that was killed while it made its place hides nobody else's: first, in the middle, or both. */
static void a_place_without_a_header_hides_none_behind_it(void **state)
{
	static const uint8_t zero[64];
	struct fixture f;
	struct gt_model *m;

	(void)state;
	fixture_begin(&f, 130001);
	for (uint32_t i = 0; i < 4; i++) {
		add_kernel(&f, i + 1, 1000 + i, 2000, NAME);
		tb_cupti_buffer_sized(f.c, f.a, &(struct rec_cupti_buffer){ .number = i + 1, .completed_tick = 5000 },
			3 * REC_BLOCK - REC_CUPTI_BUFFER);
	}
	gt_model_close(fixture_open(&f));
	overwrite(&f, REC_BLOCK * 4 + 3 * REC_BLOCK, zero, sizeof zero);        /* the third */
	m = open_again(&f);
	assert_int_equal(gt_cuda_count(cuda_of(m), GT_CUDA_KERNEL), 3);
	assert_int_equal(gt_model_lost(m, REC_LOSS_DAMAGED), 0);
	gt_model_close(m);
	overwrite(&f, REC_CONTROL_BYTES, zero, sizeof zero);                    /* and the first */
	m = open_again(&f);
	assert_int_equal(gt_cuda_count(cuda_of(m), GT_CUDA_KERNEL), 2);
	fixture_close(&f, m);
}

/* A header that says a chunk is smaller than its own headers, or has more room than bytes, is damage. */
static void a_chunk_that_cannot_be_is_damage(void **state)
{
	struct rec_chunk bad[] = { { .bytes = 128, .blob_bytes = 0 }, { .bytes = REC_BLOCK, .blob_bytes = REC_BLOCK } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fixture f;
		struct gt_model *m;

		bad[i].magic = REC_CHUNK_MAGIC;
		bad[i].kind = REC_CHUNK_CUPTI;
		bad[i].version = REC_VERSION;
		fixture_begin(&f, 130001);
		add_kernel(&f, 1, 1000, 2000, NAME);
		fixture_buffer(&f, 5000);
		gt_model_close(fixture_open(&f));
		overwrite(&f, REC_CONTROL_BYTES, &bad[i], sizeof bad[i]);
		m = open_again(&f);
		assert_int_equal(gt_cuda_count(cuda_of(m), GT_CUDA_KERNEL), 0);
		assert_int_equal(gt_model_lost(m, REC_LOSS_DAMAGED), 1);
		fixture_close(&f, m);
	}
}

static void a_packed_trace_has_the_same_activities(void **state)
{
	enum { N = 2000 };
	struct fixture f;
	struct gt_model *m, *packed = NULL;
	struct gt_err err;
	char out[96];

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_string(f.s, START, NAME, "k");
	for (uint32_t i = 0; i < N; i++)
		add_kernel(&f, i + 1, 1000 + i * 10, 1005 + i * 10, NAME);
	tb_cupti_buffer_sized(f.c, f.a, &(struct rec_cupti_buffer){ .number = 1, .completed_tick = START + 90000 },
		(2 << 20) - REC_CUPTI_BUFFER);
	m = fixture_open(&f);
	snprintf(out, sizeof out, "%s.packed", f.path);
	if (gt_pack(f.path, out, &err) || gt_model_open(out, NULL, &packed, &err))
		fail_msg("%s", err.what);
	assert_int_equal(gt_cuda_count(cuda_of(packed), GT_CUDA_KERNEL), N);
	for (uint32_t i = 0; i < N; i++) {
		struct gt_cuda_event a = event_at(cuda_of(m), GT_CUDA_KERNEL, i),
				     b = event_at(cuda_of(packed), GT_CUDA_KERNEL, i);

		assert_string_equal(a.kernel.mangled.text, b.kernel.mangled.text);
		assert_int_equal(a.start_ns, b.start_ns);
		assert_int_equal(a.correlation, b.correlation);
	}
	gt_model_close(packed);
	unlink(out);
	fixture_close(&f, m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_every_version_are_stepped_over),
		cmocka_unit_test(fields_that_a_version_lacks_are_absent),
		cmocka_unit_test(an_unknown_kind_ends_its_buffer_alone),
		cmocka_unit_test(a_record_beyond_the_valid_bytes_is_not_read),
		cmocka_unit_test(records_behind_what_was_kept_are_one_loss),
		cmocka_unit_test(a_boastful_count_of_bytes_is_not_believed),
		cmocka_unit_test(an_unfinished_buffer_is_read_to_its_first_zero),
		cmocka_unit_test(absurd_sizes_are_not_taken),
		cmocka_unit_test(a_cut_table_of_sizes_is_read_as_far_as_it_goes),
		cmocka_unit_test(records_shorter_than_any_version_are_refused),
		cmocka_unit_test(large_buffers_are_read_whole),
		cmocka_unit_test(a_place_without_a_header_hides_none_behind_it),
		cmocka_unit_test(a_chunk_that_cannot_be_is_damage),
		cmocka_unit_test(a_packed_trace_has_the_same_activities),
	};

	return cmocka_run_group_tests_name("cupti", tests, NULL, NULL);
}
