/*
 * trace/read/reader.c - open a trace: facts, processes, streams, table, clocks
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/paged.h"
#include "common/plain/without.h"
#include "common/search.h"
#include "trace/format/begin.h"
#include "trace/format/counters.h"
#include "trace/format/passes.h"
#include "trace/read/internal.h"

#define FACTS_LIMIT (16u << 20)           /* bytes of a text file */
#define TABLE_LIMIT (64u << 20)           /* bytes of the unpacked table */
#define OUTPUT_LIMIT (256u << 20)         /* bytes */

/* ---- opening ---- */

static int load_facts(struct gt_reader *r, uint32_t file, struct gt_facts *out, uint64_t *n, bool *wiped,
	struct gt_err *err)
{
	char *text;
	size_t bytes;

	if (gt_store_slurp(r->store, file, FACTS_LIMIT, &text, &bytes, err) < 0)
		return -1;
	*n = bytes;
	*wiped = memchr(text, 0, bytes) != NULL;
	return gt_facts_parse(text, bytes, out) < 0 ? gt_no_memory(err) : 0;
}

/* Whether `run` begins as its maker wrote it; one that does not tell how does. */
static bool begins_whole(const char *text, size_t bytes)
{
	const char *line = memmem(text, bytes, "\nbegin=", 7);
	unsigned long long length, sum;
	size_t rest;

	if (!line || gc_without("run-begin"))
		return true;
	rest = (size_t)(line + 7 - text) + sizeof REC_BEGIN_NONE;
	return sscanf(line + 7, "%8llu %16llx\n", &length, &sum) == 2 && rest <= length && length <= bytes &&
		rec_begin_sum(text + rest, length - rest) == sum;
}

/* Lines of `run` that who could open nothing made files of instead: behind its own. */
static int load_run(struct gt_reader *r, uint32_t run, struct gt_err *err)
{
	char *text = calloc(1, 1), *longer, key[32], value[32];
	size_t bytes = 0;

	if (run != GT_STORE_NONE) {
		free(text);
		if (gt_store_slurp(r->store, run, FACTS_LIMIT, &text, &bytes, err) < 0)
			return -1;
		r->run_wiped = memchr(text, 0, bytes) != NULL;
		r->run_bytes = bytes;
		r->run_cut = !begins_whole(text, bytes);
	}
	for (size_t i = 0; i < r->store->n_files; i++) {
		if (!gt_store_name_mark(r->store->files[i].name, key, value))
			continue;
		longer = realloc(text, bytes + sizeof key + sizeof value + 4);
		if (!longer) {
			free(text);
			return gt_no_memory(err);
		}
		text = longer;
		bytes += (size_t)sprintf(text + bytes, "%s%s=%s\n", bytes && text[bytes - 1] != '\n' ? "\n" : "", key,
			value);
	}
	if (!text || gt_facts_parse(text, bytes, &r->run) < 0)
		return gt_no_memory(err);
	r->run_cut |= gt_facts_find(&r->run, "cut", 0) != NULL;
	return 0;
}

/* "format" says which layout everything behind it has. */
static int check_format(const struct gt_reader *r, const struct gt_facts *facts, const char *file, struct gt_err *err)
{
	const char *format = gt_facts_find(facts, "format", 0), *order = gt_facts_find(facts, "byte_order", 0);
	const char *mine = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big";

	if (format && !rec_version_known(strtoul(format, NULL, 10)))
		return gt_fail(err, GT_EXIT_INPUT, GT_FORMATS_READ,
			"use the gputap that recorded it", "%s/%s: trace format version %.40s", r->store->path, file,
			format);
	if (order && strcmp(order, mine))
		return gt_fail(err, GT_EXIT_INPUT, "the trace was recorded on a machine with the other byte order",
			"read it on a machine like the one it was recorded on", "%s/%s: byte order %.40s",
			r->store->path, file, order);
	return 0;
}

static int by_image_and_number(const void *a, const void *b)
{
	const struct gt_stream *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static struct gt_image *find_image(struct gt_reader *r, int pid, int instance)
{
	/* The store's names are sorted: files of one image follow each other. */
	for (uint32_t i = r->n_images; i-- > 0;)
		if (r->images[i].pid == pid && r->images[i].instance == instance)
			return &r->images[i];
	return NULL;
}

static int add_file(struct gt_reader *r, uint32_t file, size_t *cap_images, size_t *cap_streams, struct gt_err *err)
{
	struct gt_store_name name;
	struct gt_image *image;

	if (!gt_store_name_parse(r->store->files[file].name, &name) || !name.in_image)
		return 0;
	image = r->n_images ? &r->images[r->n_images - 1] : NULL;
	if (!image || image->pid != name.pid || image->instance != name.instance)
		image = find_image(r, name.pid, name.instance);
	if (!image) {
		if (!gt_grow((void **)&r->images, r->n_images, cap_images, sizeof(*image)))
			return gt_no_memory(err);
		image = &r->images[r->n_images++];
		memset(image, 0, sizeof(*image));
		image->pid = name.pid;
		image->instance = name.instance;
		image->owner = r->store->files[file].owner;
		image->added_by = GT_NO_USER;
	}
	if (!name.is_stream) {
		if (load_facts(r, file, &image->meta, &image->meta_bytes, &image->meta_wiped, err) < 0)
			return -1;
		image->live = gt_live_by_facts(&image->meta, "pid", "start_time");
		return check_format(r, &image->meta, r->store->files[file].name, err);
	}
	if (!gt_grow((void **)&r->streams, r->n_streams, cap_streams, sizeof(*r->streams)))
		return gt_no_memory(err);
	memset(&r->streams[r->n_streams], 0, sizeof(*r->streams));
	r->streams[r->n_streams].process = (uint32_t)(image - r->images);
	r->streams[r->n_streams].number = name.stream;
	r->streams[r->n_streams++].file = file;
	return 0;
}

/* store_dir.c STOREDIR2 */
static void take_added(struct gt_reader *r)
{
	unsigned pid, instance, user;
	struct gt_image *image;

	for (size_t i = 0; i < r->store->n_files; i++)
		if (sscanf(r->store->files[i].name, GT_MARK_FILE "%8x%8x." GT_ADDED_MARK ".%u", &pid, &instance,
			    &user) == 3 && (image = find_image(r, (int)pid, (int)instance)))
			image->added_by = user;
}

/* Streams of an image stand together, by number. */
static void place_streams(struct gt_reader *r)
{
	if (r->n_streams)
		qsort(r->streams, r->n_streams, sizeof(*r->streams), by_image_and_number);
	for (uint32_t i = r->n_streams; i-- > 0;) {
		r->images[r->streams[i].process].first_stream = i;
		r->images[r->streams[i].process].n_streams++;
	}
}

static int list_files(struct gt_reader *r, struct gt_err *err)
{
	size_t cap_images = 0, cap_streams = 0;
	uint32_t run = gt_store_find(r->store, "run");

	if (load_run(r, run, err) < 0 || check_format(r, &r->run, "run", err) < 0)
		return -1;
	r->launcher = gt_live_by_facts(&r->run, "launcher_pid", "launcher_start");
	for (size_t i = 0; i < r->store->n_files; i++)
		if (add_file(r, (uint32_t)i, &cap_images, &cap_streams, err) < 0)
			return -1;
	if (run == GT_STORE_NONE && !r->n_images)
		return gt_fail(err, GT_EXIT_INPUT, "it holds neither a `run` file nor a process' records",
			"name the directory NAME.gputap that gputap run made", "%s: not a gputap trace",
			r->store->path);
	take_added(r);
	place_streams(r);
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct gt_image *x = a, *y = b;
	int64_t xs = x->start_mono_ns + x->mono_to_session_ns, ys = y->start_mono_ns + y->mono_to_session_ns;

	if (xs != ys)
		return xs < ys ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* An image that had a folder, which is gone, and that was killed before it could say so itself. */
static bool is_gone(struct gt_reader *r, const char *image)
{
	unsigned pid, instance;
	const char *told;

	if (sscanf(image, "%u.%u", &pid, &instance) != 2 || find_image(r, pid, instance))
		return false;
	for (unsigned n = 0; (told = gt_facts_find(&r->run, "removed", n)); n++)
		if (strtoul(told, NULL, 10) == pid)
			return false;
	return true;
}

/* Of an image with records, without its facts, and the image itself did not live to count that. */
static bool lacks_facts(const struct gt_reader *r, uint32_t image)
{
	uint64_t counted = 0;

	for (uint32_t k = 0; k < r->images[image].n_streams; k++)
		counted += r->streams[r->images[image].first_stream + k].control.lost[REC_LOSS_FACTS_LOST];
	return !counted && !gt_facts_find(&r->images[image].meta, "table", 0);
}

/*
 * Images that had calls to record and could not: nothing of them is here but this. Without a launcher the first of
 * them made `run`. Each counts as one call, or as many as it told; one that told may have left nothing else.
 */
static void count_unrecorded(struct gt_reader *r)
{
	uint64_t images = 0, told = 0;
	bool by_image = !r->n_images && gt_facts_find(&r->run, "run_id", 0) &&
		!gt_facts_find(&r->run, "launcher_pid", 0) && !gt_facts_find(&r->run, "failed", 0) &&
		!gt_facts_find(&r->run, "made", 0);

	images += by_image;
	for (size_t i = 0; i < r->run.n; i++) {
		const struct gt_fact *f = &r->run.facts[i];
		uint64_t calls = strcmp(f->key, "unrecorded") ? 0 : strtoull(f->value, NULL, 10);

		images += !strcmp(f->key, "failed");
		images -= !strcmp(f->key, "retried") && images;
		r->found.lost[REC_LOSS_CHILD_MISSED] += !strcmp(f->key, "unfollowed");
		r->found.lost[REC_LOSS_CHILD_UNREACHABLE] += !strcmp(f->key, "unreachable");
		r->found.lost[REC_LOSS_ELSEWHERE] += !strcmp(f->key, "elsewhere");
		r->found.lost[REC_LOSS_REMOVED] += !strcmp(f->key, "removed");
		r->found.lost[REC_LOSS_OTHER_FOREIGN] +=
			strcmp(f->key, GT_FOREIGN_MARK) ? 0 : strtoull(f->value, NULL, 10);
		r->found.lost[REC_LOSS_REMOVED] += !strcmp(f->key, "made") && is_gone(r, f->value);
		r->found.lost[REC_LOSS_REMOVED] +=
			strcmp(f->key, "removed_files") ? 0 : strtoull(f->value, NULL, 10);
		r->found.lost[REC_LOSS_NO_STREAM] += strcmp(f->key, "lost") ? 0 : strtoull(f->value, NULL, 10);
		r->found.lost[REC_LOSS_NO_STREAM] += calls;
		told += calls != 0;
	}
	for (uint32_t i = 0; i < r->n_images; i++) {
		bool any = false;

		for (uint32_t k = 0; k < r->images[i].n_streams; k++)
			any |= r->streams[r->images[i].first_stream + k].control.magic != 0;
		images += !any && !gt_facts_find(&r->run, "removed_files", 0);
		r->found.lost[REC_LOSS_FACTS_LOST] += any && lacks_facts(r, i);
	}
	r->found.lost[REC_LOSS_NO_STREAM] += images > told ? images - told : 0;
	/* Who made the directory again cannot say how much the one before it held. */
	if (gt_facts_find(&r->run, "made_again", 0) && !r->found.lost[REC_LOSS_REMOVED])
		r->found.lost[REC_LOSS_REMOVED] = 1;
}

/* Calls of who had no stream, and could make no file. */
static void count_lost(struct gt_reader *r)
{
	uint32_t file = gt_store_find(r->store, GT_LOST_FILE);
	struct rec_control page;

	if (file == GT_STORE_NONE || r->store->read(r->store, file, 0, &page, sizeof page) < (int64_t)sizeof page ||
		page.magic != REC_CONTROL_MAGIC)
		return;
	for (int i = 0; i < REC_LOSS_COUNT; i++)
		r->found.lost[i] += page.lost_by_others[i];
}

static void sort_images(struct gt_reader *r)
{
	if (r->n_images)
		qsort(r->images, r->n_images, sizeof(*r->images), by_start);
	for (uint32_t i = 0; i < r->n_images; i++)
		for (uint32_t k = 0; k < r->images[i].n_streams; k++)
			r->streams[r->images[i].first_stream + k].process = i;
}

/*
 * What the store knows to be damaged, wherever it stands: contents, facts, CUPTI's buffers. The pass over the headers
 * counted those of its own, so this is the least number.
 */
static int count_damaged(struct gt_reader *r, struct gt_err *err)
{
	int64_t damaged = r->store->damaged ? r->store->damaged(r->store) : 0;

	if (damaged < 0)
		return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s: cannot be read", r->store->path);
	if (r->found.lost[REC_LOSS_DAMAGED] < (uint64_t)damaged)
		r->found.lost[REC_LOSS_DAMAGED] = (uint64_t)damaged;
	return 0;
}

static int open_store(struct gt_store *store, unsigned jobs, struct gt_reader **out, struct gt_err *err)
{
	struct gt_reader *r = calloc(1, sizeof(*r));

	if (!r) {
		gt_store_close(store);
		return gt_no_memory(err);
	}
	r->store = store;
	r->jobs = jobs;
	if (list_files(r, err) < 0 || gt_index_build(r, err) < 0 || count_damaged(r, err) < 0 ||
		gt_clocks_build(r, err) < 0) {
		gt_reader_close(r);
		return -1;
	}
	r->found.lost[REC_LOSS_OTHER_REFUSED] += store->refused;
	count_unrecorded(r);
	count_lost(r);
	gt_gathered_look(r);
	gt_left_look(r);
	sort_images(r);
	*out = r;
	return 0;
}

int gt_reader_open_store(struct gt_store *store, struct gt_reader **out, struct gt_err *err)
{
	return open_store(store, 1, out, err);
}

int gt_reader_open_jobs(const char *path, unsigned jobs, struct gt_reader **out, struct gt_err *err)
{
	struct gt_store *store;

	return gt_store_open(path, &store, err) < 0 ? -1 : open_store(store, jobs, out, err);
}

int gt_reader_open(const char *path, struct gt_reader **out, struct gt_err *err)
{
	return gt_reader_open_jobs(path, 1, out, err);
}

void gt_reader_close(struct gt_reader *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->n_images; i++) {
		gt_facts_free(&r->images[i].meta);
		free(r->images[i].sets);
	}
	for (uint32_t i = 0; i < r->n_clocks; i++)
		gt_clock_free(&r->clocks[i]);
	for (size_t i = 0; i < r->n_blobs; i++) {
		gt_paged_tick();
		free(r->blobs[i].data);
	}
	gt_facts_free(&r->run);
	gt_fetch_cache_free(r->cache);
	free(r->clocks);
	free(r->images);
	free(r->streams);
	free(r->blocks);
	gt_paged_free(r->blobs, r->cap_blobs, sizeof(*r->blobs));
	free(r->cupti);
	free(r->table);
	free(r->cuda_table);
	free(r->counters);
	free(r->passes);
	gt_store_close(r->store);
	free(r);
}

/* ---- asking ---- */

const char *gt_reader_fact(const struct gt_reader *r, int process, const char *key, unsigned n)
{
	if (process < 0)
		return gt_facts_find(&r->run, key, n);
	return (uint32_t)process < r->n_images ? gt_facts_find(&r->images[process].meta, key, n) : NULL;
}

/* A pid means the same process to the launcher and to this one. */
static bool same_namespace(const struct gt_reader *r, uint32_t process)
{
	const char *launcher = gt_reader_fact(r, -1, "ns_pid", 0), *own = gt_reader_fact(r, (int)process, "ns_pid", 0);

	return !launcher || !own || !strcmp(launcher, own);
}

/* What the launcher started and saw the end of is over, wherever this is read. */
enum gt_live gt_reader_live(const struct gt_reader *r, uint32_t process)
{
	const char *launcher = gt_reader_fact(r, -1, "launcher_pid", 0),
		   *parent = gt_reader_fact(r, (int)process, "ppid", 0);

	if (launcher && parent && !strcmp(launcher, parent) && gt_reader_fact(r, -1, "end_realtime_ns", 0) &&
		same_namespace(r, process))
		return GT_LIVE_NO;
	return r->images[process].live;
}

bool gt_reader_cut_off(const struct gt_reader *r)
{
	return gt_reader_fact(r, -1, "launcher_start", 0) && !gt_reader_fact(r, -1, "end_realtime_ns", 0) &&
		r->launcher == GT_LIVE_NO;
}

uint32_t gt_reader_process_count(const struct gt_reader *r)
{
	return r->n_images;
}

uint32_t gt_reader_owner(const struct gt_reader *r, uint32_t process)
{
	return process < r->n_images ? r->images[process].owner : GT_NO_USER;
}

uint32_t gt_reader_added_by(const struct gt_reader *r, uint32_t process)
{
	return process < r->n_images ? r->images[process].added_by : GT_NO_USER;
}

bool gt_reader_open_to_others(const struct gt_reader *r) { return r->store->open; }

void gt_reader_process_id(const struct gt_reader *r, uint32_t process, int *pid, int *instance)
{
	*pid = process < r->n_images ? r->images[process].pid : 0;
	*instance = process < r->n_images ? r->images[process].instance : 0;
}

uint32_t gt_reader_stream_count(const struct gt_reader *r, uint32_t process)
{
	return r->images[process].n_streams;
}

uint32_t gt_reader_stream_number(const struct gt_reader *r, uint32_t process, uint32_t place)
{
	return r->streams[r->images[process].first_stream + place].number;
}

uint32_t gt_reader_stream_place(const struct gt_reader *r, uint32_t process, uint32_t number)
{
	const struct gt_image *image = process < r->n_images ? &r->images[process] : NULL;
	const struct gt_stream *streams = image ? r->streams + image->first_stream : NULL;
	uint32_t n = image ? image->n_streams : 0, at;

	if (number < n && streams[number].number == number)
		return number;            /* the writer counts up from 0 */
	GT_SEARCH(at, n, streams[at].number < number);
	return at < n && streams[at].number == number ? at : UINT32_MAX;
}

const struct gt_stream *gt_stream_find(const struct gt_reader *r, uint32_t process, uint32_t number)
{
	uint32_t place = gt_reader_stream_place(r, process, number);

	return place == UINT32_MAX ? NULL : &r->streams[r->images[process].first_stream + place];
}

const struct rec_control *gt_reader_control(const struct gt_reader *r, uint32_t process, uint32_t stream)
{
	static const struct rec_control none;
	const struct gt_stream *s = gt_stream_find(r, process, stream);

	return s ? &s->control : &none;
}

uint64_t gt_reader_lost(const struct gt_reader *r, enum rec_loss reason)
{
	return r->found.lost[reason];
}

bool gt_reader_overwritten(const struct gt_reader *r, uint32_t process, uint64_t link)
{
	const struct gt_stream *s = gt_stream_find(r, process, rec_link_stream(link));
	uint64_t offset = rec_link_offset(link);

	return s && s->gone && gt_block_find(r, s, &offset) == r->n_blocks;
}

/* ---- table ---- */

/* The table that this build's shim writes: the very same bytes wherever the hash is the same. */
extern const unsigned char tap_table[];
extern const size_t tap_table_bytes;
extern const char tap_table_hash[];

/* No frame holds more: each block has a header of 3 bytes and at least one behind it, and gives at most 128 KiB. */
static bool can_hold(size_t bytes, unsigned long long size) { return size <= bytes / 4 * (128ull << 10); }

static int unpack(const struct gt_reader *r, const void *packed, size_t bytes, const char *name, char **text, size_t *n,
	struct gt_err *err)
{
	unsigned long long size = ZSTD_getFrameContentSize(packed, bytes);
	size_t got;

	*text = NULL;
	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > TABLE_LIMIT ||
		!can_hold(bytes, size) || !(*text = malloc(size + 1)))
		return gt_fail(err, GT_EXIT_INPUT, "the file was cut or changed after the run", NULL,
			"%s/%s: not a function table", r->store->path, name);
	got = ZSTD_decompress(*text, size, packed, bytes);
	if (ZSTD_isError(got)) {
		free(*text);
		*text = NULL;
		return gt_fail(err, GT_EXIT_INPUT, ZSTD_getErrorName(got), NULL,
			"%s/%s: the function table cannot be unpacked", r->store->path, name);
	}
	(*text)[got] = 0;
	*n = got;
	return 0;
}

static int unpack_file(struct gt_reader *r, uint32_t file, char **text, size_t *n, struct gt_err *err)
{
	char *packed;
	size_t bytes;
	int rc;

	if (gt_store_slurp(r->store, file, TABLE_LIMIT, &packed, &bytes, err) < 0)
		return -1;
	rc = unpack(r, packed, bytes, r->store->files[file].name, text, n, err);
	free(packed);
	return rc;
}

int gt_reader_functions(struct gt_reader *r, unsigned n, char **text, size_t *bytes, struct gt_err *err)
{
	for (uint32_t i = 0; i < r->store->n_files; i++)
		if (!strncmp(r->store->files[i].name, GT_FUNCTIONS_FILE, strlen(GT_FUNCTIONS_FILE)) && n-- == 0)
			return gt_store_slurp(r->store, i, TABLE_LIMIT, text, bytes, err) < 0 ? -1 : 1;
	return 0;
}

bool gt_reader_cuda_table(struct gt_reader *r, const char **text, size_t *bytes)
{
	uint32_t file = gt_store_find(r->store, GT_CUDA_TABLE_FILE);
	struct gt_err err = { 0 };

	if (!r->cuda_table &&
		(file == GT_STORE_NONE || unpack_file(r, file, &r->cuda_table, &r->cuda_table_bytes, &err) < 0))
		return false;
	*text = r->cuda_table;
	*bytes = r->cuda_table_bytes;
	return true;
}

bool gt_reader_cuda_table_there(const struct gt_reader *r)
{
	return gt_store_find(r->store, GT_CUDA_TABLE_FILE) != GT_STORE_NONE;
}

const struct rec_counters *gt_reader_counters(struct gt_reader *r)
{
	uint32_t file = gt_store_find(r->store, REC_COUNTERS_FILE);
	struct gt_err err = { 0 };

	if (!r->counters && file != GT_STORE_NONE &&
		gt_store_slurp(r->store, file, REC_COUNTERS_LARGEST, &r->counters, &r->counters_bytes, &err) < 0)
		r->counters = NULL;
	return r->counters && rec_counters_sound(r->counters, r->counters_bytes) ? (const void *)r->counters : NULL;
}

const struct rec_passes *gt_reader_passes(struct gt_reader *r)
{
	uint32_t file = gt_store_find(r->store, REC_PASSES_FILE);
	struct gt_err err = { 0 };

	if (!r->passes && file != GT_STORE_NONE &&
		gt_store_slurp(r->store, file, REC_PASSES_LARGEST, &r->passes, &r->passes_bytes, &err) < 0)
		r->passes = NULL;
	return r->passes && rec_passes_sound(r->passes, r->passes_bytes, r->passes_bytes) ? (const void *)r->passes
											   : NULL;
}

bool gt_reader_counters_there(const struct gt_reader *r)
{
	return gt_store_find(r->store, REC_COUNTERS_FILE) != GT_STORE_NONE;
}

static uint32_t output_file(const struct gt_reader *r, unsigned number)
{
	char name[GT_STORE_NAME_MAX];

	snprintf(name, sizeof(name), GT_OUTPUT_FILE "%u", number);
	return gt_store_find(r->store, name);
}

uint64_t gt_reader_output_bytes(const struct gt_reader *r, unsigned number)
{
	uint32_t file = output_file(r, number);

	return file == GT_STORE_NONE ? 0 : r->store->files[file].size;
}

char *gt_reader_output(struct gt_reader *r, unsigned number, size_t *bytes)
{
	uint32_t file = output_file(r, number);

	return file == GT_STORE_NONE ? NULL : gt_store_first(r->store, file, OUTPUT_LIMIT, bytes);
}

/*
 * For a run that had no room for its table, when it was recorded with this build, as far as its images tell; and for
 * one without any stream.
 */
static bool own_table_serves(const struct gt_reader *r)
{
	bool serves = true;

	for (uint32_t i = 0; i < r->n_images; i++) {
		const char *hash = gt_facts_find(&r->images[i].meta, "table", 0);

		serves &= !r->images[i].n_streams || !hash || !strcmp(hash, tap_table_hash);
	}
	return serves;
}

int gt_reader_table(struct gt_reader *r, const char **text, size_t *bytes, struct gt_err *err)
{
	char name[GT_STORE_NAME_MAX];
	uint32_t file = GT_STORE_NONE;

	for (uint32_t i = 0; i < r->n_images && !r->table && file == GT_STORE_NONE; i++) {
		const char *hash = gt_facts_find(&r->images[i].meta, "table", 0);

		if (!hash || (size_t)snprintf(name, sizeof(name), "table.%s.zst", hash) >= sizeof(name))
			continue;
		file = gt_store_find(r->store, name); /* only names without '/' are in the store */
	}
	for (uint32_t i = 0; i < r->store->n_files && !r->table && file == GT_STORE_NONE; i++)
		if (!strncmp(r->store->files[i].name, "table.", 6))
			file = i;                 /* no image says which: one run has one build, as a rule */
	if (!r->table && file == GT_STORE_NONE && own_table_serves(r) &&
	    unpack(r, tap_table, tap_table_bytes, "(own table)", &r->table, &r->table_bytes, err) < 0)
		return -1;
	if (!r->table && file == GT_STORE_NONE)
		return gt_fail(err, GT_EXIT_INPUT,
			"without it the records have no names; it is written once at the start of a run", NULL,
			"%s: the function table is missing", r->store->path);
	if (!r->table && unpack_file(r, file, &r->table, &r->table_bytes, err) < 0)
		return -1;
	*text = r->table;
	*bytes = r->table_bytes;
	return 0;
}
