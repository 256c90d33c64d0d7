/*
 * tests/fuzz/fuzz_reader.c - read mutated traces: nothing may crash, hang or read outside its memory
 *
 *	fuzz_reader [-g] [-s SECONDS] [-n EXECUTIONS] [-r SEED] CORPUS [TRACE...]  random mutations of the corpus
 *	  -g: one thing of a valid trace is wrong, within 1 GiB of memory and STEPS_MOST steps
 *	  TRACE: traces that are broken too, as the builder of the golden tests makes them
 *	fuzz_reader -m FILE             write the first corpus (from built traces) into a folder
 *
 * A corpus file holds the files of one trace, one behind the other (struct part). Each execution copies one, cuts,
 * flips, overwrites or splices a few places, and reads it in memory through everything that trace/read offers, the
 * model's calls, objects, contents, ranges and payloads, CUDA and the timeline; every 16th is the packed file of one,
 * with damage in its header, its tables or anywhere. With clang's -fsanitize=fuzzer, -DGPUTAP_LIBFUZZER and
 * -Wl,--wrap=gt_block_next the same reading is driven by libFuzzer. A crash is the failure; it tells the number of its
 * execution, so that -r SEED -n NUMBER repeats it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/nvtx/payload.h"
#include "model/stacks/stacks.h"
#include "model/timeline.h"
#include "tests/tracecuda.h"
#include "trace/read/internal.h"
#include "trace/read/merge.h"
#include "trace/read/pack.h"
#include "trace/read/pack_format.h"
#include "writers/payload_json.h"

#define PARTS 16
#define FILES 64
#define LARGEST (1u << 20)

/* In a corpus file, before the bytes of each file of the trace. */
struct part { char name[GT_STORE_NAME_MAX]; uint64_t bytes; };

static volatile uint64_t sum;             /* keeps reads from being optimised away */

/*
 * What reads is compiled for this program with a call at every branch (tests/tests.mk, READER_STEPS): work that does
 * not follow the input ends here, whatever the machine's speed. The largest sound trace takes half a million.
 */
#define STEPS_MOST 20000000ull

static uint64_t steps, most_steps;

/* Ends the program with the line of the promise that was broken: the compiler joins calls of abort, and a debugger
 * then names another one. */
#define BROKEN() broken(__LINE__)
static volatile int broken_line;

_Noreturn static void broken(int line)
{
	broken_line = line;
	abort();
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	if (++steps == STEPS_MOST)
		BROKEN();
}

/* ---- the end of a record ---- */

/*
 * Who takes a record has its arguments at the end of a page, and nothing lies behind: a read beyond them ends this
 * program. In a block the next record lies there, and nobody would notice. The linker puts this in place of the
 * reader's own (tests/tests.mk). The last RECORDS of them stay, which is more than the model looks at.
 */
int __real_gt_block_next(struct gt_block *b, struct gt_rec *rec);
int __wrap_gt_block_next(struct gt_block *b, struct gt_rec *rec);

enum { RECORDS = 1024, RECORD_ROOM = 1 << 16, RECORD_STEP = 2 * RECORD_ROOM };
_Static_assert(RECORD_ROOM >= GT_BLOCK_WORDS * 8, "room for any record");

static uint8_t *record_rooms(void)
{
	/* shared: no data by MEMORY_LIMIT */
	uint8_t *rooms = mmap(NULL, (size_t)RECORDS * RECORD_STEP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);

	for (size_t i = 0; rooms != MAP_FAILED && i < RECORDS; i++)
		if (mprotect(rooms + i * RECORD_STEP + RECORD_ROOM, RECORD_ROOM, PROT_NONE))
			BROKEN();
	if (rooms == MAP_FAILED)
		BROKEN();
	return rooms;
}

int __wrap_gt_block_next(struct gt_block *b, struct gt_rec *rec)
{
	static uint8_t *rooms;
	static size_t next;

	if (!__real_gt_block_next(b, rec))
		return 0;
	if (!rooms)
		rooms = record_rooms();
	rec->args = memcpy(rooms + next++ % RECORDS * RECORD_STEP + RECORD_ROOM - rec->n_args * 8ull, rec->args,
		rec->n_args * 8ull);
	return 1;
}

/* ---- reading one ---- */

static void touch(const void *data, size_t bytes)
{
	const unsigned char *p = data;
	uint64_t s = 0;

	for (size_t i = 0; i < bytes; i++)
		s += p[i];
	sum += s;
}

static void walk_cursor(struct gt_reader *r)
{
	struct gt_err err;
	struct gt_cursor *c;
	struct gt_rec rec, found;
	const void *data;
	uint64_t total;
	size_t bytes;
	unsigned n = 0;

	if (gt_cursor_open(r, -1, &c, &err) < 0)
		return;
	while (gt_cursor_next(c, &rec, &err) == 1) {
		const char *text;
		uint32_t length;

		touch(rec.words, rec.n_words * 8ull);
		sum += (uint64_t)gt_reader_tick_ns(r, rec.process, rec.start_tick);
		if (rec.id == REC_BLOB_REF && rec.n_args >= 4 &&
			gt_reader_blob(r, rec.args + 2, &data, &bytes, &total) == 1)
			touch(data, bytes);
		if ((rec.id == REC_THREAD || rec.id == REC_NOTE || rec.id == REC_EXEC) &&
			gt_rec_text(&rec, 2, &text, &length))
			touch(text, length);
		if (n++ % 8 == 0 && rec.n_args)
			gt_reader_fetch(r, rec.process, rec.args[0], &found, &err);
		if (n % 8 == 4 && gt_reader_fetch(r, rec.process, rec_link(rec.stream, rec.offset), &found, &err) != 1)
			BROKEN();                  /* what the cursor gave, its link must find */
	}
	gt_cursor_close(c);
}

static void walk_merge(struct gt_reader *r, int64_t from, int64_t to, size_t limit)
{
	struct gt_err err;
	struct gt_merge *m;
	struct gt_rec rec;
	int64_t last = INT64_MIN;

	if (gt_merge_open(r, -1, from, to, &m, &err) < 0)
		return;
	gt_merge_limit(m, limit);
	while (gt_merge_next(m, &rec, &err) == 1) {
		int64_t start = gt_reader_tick_ns(r, rec.process, rec.start_tick);

		if (start < last)
			BROKEN();                  /* the order is promised whatever the input */
		last = start;
		touch(rec.args, rec.n_args * 8ull);
	}
	sum += (uint64_t)(gt_merge_done(m) * 100);
	gt_merge_close(m);
}

/* CUPTI's activities, all of them: in order, and each with what belongs to it. */
static void walk_cuda(struct gt_model *m)
{
	struct gt_cuda_place work[4];
	struct gt_cuda_event e, call;
	struct gt_err err;
	struct gt_cuda *c = gt_model_cuda(m, &err);

	for (int kind = 0; c && kind < GT_CUDA_KINDS; kind++) {
		uint64_t n = gt_cuda_count(c, (enum gt_cuda_kind)kind);
		int64_t last = INT64_MIN;

		for (uint64_t i = 0; i < n; i++) {
			if (gt_cuda_get(c, (enum gt_cuda_kind)kind, i, &e, &err))
				BROKEN();          /* it lies in memory: nothing can have changed */
			if (e.start_ns < last || (e.timed && e.end_ns < e.start_ns))
				BROKEN();
			last = e.start_ns;
			if (kind == GT_CUDA_KERNEL && e.kernel.has_name) {
				touch(e.kernel.demangled.text, e.kernel.demangled.bytes);
				touch(e.kernel.short_name.text, e.kernel.short_name.bytes);
			}
			if (kind == GT_CUDA_CALL) {
				touch(e.call.name.text, e.call.name.bytes);
				/* None is known of a call that only its own record tells of, with arguments or bare. */
				if (e.thread >= gt_model_thread_count(m) &&
					!(e.call.args_link && e.thread == GT_CUDA_NONE))
					BROKEN();
			}
			sum += gt_cuda_call_of(c, e.process, e.correlation, e.start_ns, &call);
			sum += gt_cuda_work_of(c, e.process, e.correlation, e.start_ns, work, 4);
		}
	}
}

/* The timeline, whole or of a window: what it promises holds however the trace is damaged. */
static void walk_timeline(struct gt_model *m, int64_t from, int64_t to)
{
	const struct gt_timeline_options opt = {
		.process = -1, .from_ns = from, .to_ns = to, .cuda_nested = true, .counters = true
	};
	const struct gt_item *item;
	struct gt_timeline *t;
	struct gt_err err;
	int64_t last = INT64_MIN;

	if (gt_timeline_open(m, &opt, &t, &err) < 0)
		return;
	while (gt_timeline_next(t, &item, &err) == 1) {
		const struct gt_track *track = gt_timeline_track(t, item->track);

		if (item->at_ns < last || !track || (track->parent != GT_NO_TRACK && track->parent >= track->index))
			BROKEN();
		if (item->timed && !item->never_ended && item->end_ns < item->start_ns)
			BROKEN();
		last = item->at_ns;
		touch(item->name.text, item->name.bytes);
		touch(track->name.text, track->name.bytes);
	}
	gt_timeline_close(t);
}

static void touch_text(struct gt_string s) { touch(s.text, s.text ? s.bytes : 0); }

/* Calls with their arguments and commands, then every object that they made, with names, logs and sources. */
static void walk_calls(struct gt_model *m)
{
	const struct gt_walk_options opt = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	const struct gt_call *call;
	struct gt_string content;
	struct gt_walk *w;
	struct gt_err err;
	uint64_t total;

	if (gt_walk_open(m, &opt, &w, &err) < 0)
		return;
	while (gt_walk_next(w, &call, &err) == 1) {
		struct gt_arg arg;

		for (unsigned i = 0; i < call->fn->n_params && gt_call_arg(call, i, &arg); i++)
			if (arg.has_data)
				touch(arg.data, arg.bytes);
		if (call->command)
			touch_text(call->command->name);
		sum += gt_call_return(call) + (uint64_t)gt_call_tid(call);
	}
	for (uint32_t i = 0; i < gt_model_object_count(m); i++) {
		const struct gt_object *o = gt_model_object(m, i);

		touch_text(o->name);
		touch_text(o->build_options);
		for (uint32_t k = 0; k < o->n_attrs; k++)
			touch(o->attrs[k].value, o->attrs[k].bytes);
		for (uint32_t k = 0; k < o->n_contents; k++)
			if (gt_model_blob(m, o->contents[k].id, &content, &total))
				touch_text(content);
	}
	gt_walk_close(w);
}

static void walk_ranges(struct gt_model *m)
{
	struct gt_text json = { 0 };

	for (uint32_t i = 0; i < gt_model_payload_schema_count(m); i++) {
		const struct gt_payload_schema *s = gt_model_payload_schema(m, i);

		touch_text(s->name);
		for (uint32_t k = 0; k < s->n_entries; k++)
			touch_text(s->entries[k].name), touch_text(s->entries[k].description);
	}
	for (uint64_t i = 0; i < gt_model_range_count(m); i++) {
		const struct gt_range *g = gt_model_range(m, i);

		touch_text(g->domain_name);
		touch_text(g->text);
		json.used = 0;
		sum += gt_payload_json(&json, m, g);
	}
	for (uint32_t i = 0; i < gt_model_range_name_count(m); i++)
		touch_text(gt_model_range_name(m, i)->text);
	gt_text_free(&json);
}

/* Call stacks, of calls and samples, with what they lead through. */
static void walk_stacks(struct gt_model *m)
{
	for (uint32_t i = 1; i <= gt_model_stack_count(m); i++) {
		const struct gt_stack *k = gt_model_stack(m, i);

		touch(k->address, k->n * sizeof *k->address);
		touch(k->module, k->n * sizeof *k->module);
		touch(k->python, k->n_python * sizeof *k->python);
	}
	for (uint32_t i = 0; i < gt_model_module_count(m); i++) {
		const struct gt_module *o = gt_model_module(m, i);

		touch(o->path, strlen(o->path));
		touch(o->id, o->id_bytes);
	}
	for (uint32_t i = 0; gt_model_python_code(m, i); i++) {
		const struct gt_python_code *c = gt_model_python_code(m, i);

		sum += strlen(c->name) + strlen(c->file);
		touch(c->lines, c->lines_bytes);
	}
}

/* Takes the reader over. */
static void read_model(struct gt_reader *r)
{
	struct gt_model *m;
	struct gt_err err;
	char text[4096];

	if (gt_model_open_reader(r, "fuzz", NULL, &m, &err) < 0) {
		if (strstr(err.why, "out of memory"))
			BROKEN();                  /* of no more than the limit, for a small trace */
		return;
	}
	walk_calls(m);
	walk_ranges(m);
	walk_stacks(m);
	walk_cuda(m);
	walk_timeline(m, GT_NO_TIME, GT_NO_TIME);
	walk_timeline(m, 1000, 100000);
	sum += strlen(gt_model_complete_text(m, text, sizeof text));
	gt_model_close(m);
}

static void read_store(struct gt_store *store)
{
	uint64_t before = steps;
	struct gt_reader *r;
	struct gt_err err;
	const char *text;
	size_t bytes;

	if (gt_reader_open_store(store, &r, &err) < 0)
		return;
	if (gt_reader_table(r, &text, &bytes, &err) == 0)
		touch(text, bytes);
	for (uint32_t i = 0; i < gt_reader_process_count(r); i++) {
		const char *image = gt_reader_fact(r, (int)i, "image", 0);

		touch(image, image ? strlen(image) : 0);
		for (uint32_t k = 0; k < gt_reader_stream_count(r, i) && k < 8; k++)
			touch(gt_reader_control(r, i, k), sizeof(struct rec_control));
	}
	walk_cursor(r);
	walk_merge(r, GT_NO_TIME, GT_NO_TIME, GT_MERGE_LOADED_MAX);
	walk_merge(r, 500, 3000, 1);
	read_model(r);
	if (steps - before > most_steps)
		most_steps = steps - before;
}

static void read_trace(const struct gt_memory_file *files, size_t n)
{
	struct gt_store *store;
	struct gt_err err;

	if (gt_store_open_memory(files, n, &store, &err) == 0)
		read_store(store);
}

/* ---- corpus files ---- */

/* Parts lie in `data`; a damaged list ends early. Returns their number. */
static size_t split(const uint8_t *data, size_t bytes, struct gt_memory_file *files, size_t most)
{
	size_t n = 0, at = 0;

	while (n < most && bytes - at >= sizeof(struct part)) {
		const struct part *p = (const struct part *)(data + at);
		uint64_t have;

		at += sizeof(*p);
		memcpy(&have, &p->bytes, sizeof(have));
		if (!memchr(p->name, 0, sizeof(p->name)))
			break;
		if (have > bytes - at)
			have = bytes - at;
		files[n++] = (struct gt_memory_file){ .name = p->name, .data = data + at, .bytes = (size_t)have };
		at += (size_t)((have + 7) / 8 * 8);
		if (at > bytes)
			break;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct gt_memory_file files[PARTS];

	read_trace(files, split(data, bytes, files, PARTS));
	return 0;
}

#ifndef GPUTAP_LIBFUZZER

static volatile uint64_t now;             /* the execution at hand */

static uint64_t seed = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : 0;
}

static struct kept { uint8_t *data; size_t bytes; } corpus[FILES];
static size_t n_corpus;

static void keep(const char *path)
{
	FILE *in = fopen(path, "r");
	struct kept *k = &corpus[n_corpus];

	if (!in || n_corpus == FILES)
		return;
	k->data = malloc(LARGEST);
	k->bytes = k->data ? fread(k->data, 1, LARGEST, in) : 0;
	fclose(in);
	n_corpus += k->bytes > 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_corpus(const char *folder)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, NULL, by_name);

	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			keep(path);
		free(names[i]);
	}
	free(names);
}

/* ---- mutations, of one file of the trace ---- */

static uint64_t odd_word(void)
{
	static const uint64_t odd[] = { 0, 1, 2, 3, 255, 256, 8191, 8192, 65535, 65536, INT32_MAX, UINT32_MAX,
		1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX, REC_CONTROL_MAGIC, REC_CHUNK_MAGIC };

	return random_below(3) ? odd[random_below(sizeof(odd) / sizeof(*odd))] : random_below(UINT64_MAX);
}

/* Where something is: places with bytes in them, mostly. */
static size_t busy_place(const uint8_t *data, size_t bytes)
{
	size_t at = 0;

	for (unsigned i = 0; i < 8; i++) {
		at = (size_t)random_below(bytes);
		if (data[at])
			break;
	}
	return at;
}

static void mutate(uint8_t *data, size_t *bytes)
{
	const struct kept *other = &corpus[random_below(n_corpus)];
	size_t at, n, from;
	uint64_t word;

	if (!*bytes)
		return;
	at = busy_place(data, *bytes);
	switch (random_below(7)) {
	case 0:
		data[at] ^= (uint8_t)(1u << random_below(8));
		return;
	case 1:
		data[at] = (uint8_t)random_below(256);
		return;
	case 2:
		*bytes = random_below(2) ? at : (size_t)random_below(*bytes + 1);
		return;
	case 3:                                   /* a whole word, in its place */
		at -= at % 8;
		word = odd_word();
		n = *bytes - at < 8 ? *bytes - at : 8;
		memcpy(data + at, &word, n);
		return;
	case 4:                                   /* a piece of itself elsewhere */
		n = (size_t)random_below(256);
		from = (size_t)random_below(*bytes);
		break;
	case 5:                                   /* a piece of another trace */
		n = (size_t)random_below(512);
		from = (size_t)random_below(other->bytes) / 8 * 8;
		at -= at % 8;
		if (n > other->bytes - from)
			n = other->bytes - from;
		if (n > *bytes - at)
			n = *bytes - at;
		memcpy(data + at, other->data + from, n);
		return;
	default:
		n = (size_t)random_below(64);
		memset(data + at, random_below(2) ? 0 : 0xff, n > *bytes - at ? *bytes - at : n);
		return;
	}
	if (n > *bytes - at)
		n = *bytes - at;
	if (n > *bytes - from)
		n = *bytes - from;
	memmove(data + at, data + from, n);
}

static uint8_t scratch[LARGEST];

/*
 * The files of one corpus trace, each in its own malloc'ed memory of exact size (for sanitizers), some of them mutated.
 */
static void execute_once(void)
{
	const struct kept *k = &corpus[random_below(n_corpus)];
	struct gt_memory_file files[PARTS];
	size_t n = split(k->data, k->bytes, files, PARTS), victim = (size_t)random_below(n);

	for (size_t i = 0; i < n; i++) {
		size_t bytes = files[i].bytes;

		if (i != victim && random_below(8))
			continue;
		memcpy(scratch, files[i].data, bytes);
		for (uint64_t times = 1 + random_below(5); times; times--)
			mutate(scratch, &bytes);
		files[i].data = memcpy(malloc(bytes + 1), scratch, bytes);
		files[i].bytes = bytes;
	}
	read_trace(files, n);
	for (size_t i = 0; i < n; i++)
		if ((const uint8_t *)files[i].data < k->data || (const uint8_t *)files[i].data >= k->data + k->bytes)
			free((void *)(uintptr_t)files[i].data);
}

/* ---- by structure: one word or one text of one record, everything around it as it was ---- */

#define MEMORY_LIMIT (1ull << 30)         /* bytes of data: the corpus' traces are of 100 KiB */

struct spot { uint32_t file, stream; uint64_t at; uint32_t id, words; };        /* a record's arguments in its file */
static struct spot spots[FILES][4096];
static uint32_t n_spots[FILES];

/* The name of stream `number` of a process among the files; n: none. */
static uint32_t file_of(struct gt_reader *r, const struct gt_rec *rec, const struct gt_memory_file *files, size_t n)
{
	char name[GT_STORE_NAME_MAX];
	int pid, instance;
	uint32_t i = 0;

	gt_reader_process_id(r, rec->process, &pid, &instance);
	snprintf(name, sizeof name, "%d.%d/%u.str", pid, instance, rec->stream);
	while (i < n && strcmp(files[i].name, name))
		i++;
	return i;
}

static void find_spots(size_t trace)
{
	struct gt_memory_file files[PARTS];
	size_t n = split(corpus[trace].data, corpus[trace].bytes, files, PARTS);
	struct gt_store *store;
	struct gt_cursor *c;
	struct gt_reader *r;
	struct gt_err err;
	struct gt_rec rec;

	if (gt_store_open_memory(files, n, &store, &err) < 0 || gt_reader_open_store(store, &r, &err) < 0)
		return;
	if (gt_cursor_open(r, -1, &c, &err) == 0) {
		while (n_spots[trace] < 4096 && gt_cursor_next(c, &rec, &err) == 1) {
			uint32_t file = file_of(r, &rec, files, n);

			/* where rings and windows put a record elsewhere, its words are not there: left out */
			if (file < n && rec.offset + rec.n_words * 8ull <= files[file].bytes && rec.n_words > 1 &&
				!memcmp((const char *)files[file].data + rec.offset, rec.words, rec.n_words * 8ull))
				spots[trace][n_spots[trace]++] =
					(struct spot){ file, rec.stream, rec.offset + 8, rec.id, rec.n_words - 1 };
		}
		gt_cursor_close(c);
	}
	gt_reader_close(r);
}

/* Whether there is a record of each type to break; says which have none. */
static bool names_all(uint32_t found)
{
	static const char *const names[REC_TYPE_COUNT] = {
#define RECORD(name, number, words, text, texts, tick, ring) [number] = #name,
#include "trace/format/records.def"
	};
	uint32_t n[REC_TYPE_COUNT] = { 0 };
	bool all = true;

	for (size_t i = 0; i < n_corpus; i++)
		for (uint32_t k = 0; k < n_spots[i]; k++)
			if (spots[i][k].id < REC_TYPE_COUNT)
				n[spots[i][k].id]++;
	for (uint32_t i = 0; i < REC_TYPE_COUNT; i++)
		if (names[i] && !n[i] && i != REC_PAD) {         /* that has no arguments */
			fprintf(stderr, "fuzz_reader: no %s to break\n", names[i]);
			all = false;
		}
	printf("%u records to break\n", found);
	return all;
}

/* Whether a word beyond a record ends the process that reads it: else no missing check of a length would be found. */
static bool records_end(void)
{
	struct gt_memory_file files[PARTS];
	size_t n = split(corpus[0].data, corpus[0].bytes, files, PARTS);
	struct gt_cursor *c;
	struct gt_reader *r;
	struct gt_store *store;
	struct gt_err err;
	struct gt_rec rec;
	int status;

	if (gt_store_open_memory(files, n, &store, &err) || gt_reader_open_store(store, &r, &err) ||
		gt_cursor_open(r, -1, &c, &err) || gt_cursor_next(c, &rec, &err) != 1)
		return false;
	pid_t child = fork();

	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		touch(rec.args + rec.n_args, 8);
		_exit(0);
	}
	gt_cursor_close(c);
	gt_reader_close(r);
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/* A letter of a mangled name, of a format or of a terminal. */
static uint8_t odd_letter(void)
{
	static const char odd[] = "_ZNKILEJTSDXv0123456789PRO.$%\n\033\177\200\377<>|[](=\"";

	return (uint8_t)odd[random_below(sizeof(odd))];
}

/* One thing of a valid trace is wrong: a number, a length, a text, or the arguments of a record of another kind. */
static void execute_structured(void)
{
	size_t trace = (size_t)random_below(n_corpus);
	const struct kept *k = &corpus[trace];
	struct gt_memory_file files[PARTS];
	size_t n = split(k->data, k->bytes, files, PARTS), words;
	const struct spot *s, *other;
	uint64_t word = odd_word();
	uint8_t *copy, *args;

	if (!n_spots[trace])
		return;
	s = &spots[trace][random_below(n_spots[trace])];
	other = &spots[trace][random_below(n_spots[trace])];
	copy = memcpy(malloc(files[s->file].bytes + 1), files[s->file].data, files[s->file].bytes);
	args = copy + s->at;
	words = s->words < other->words ? s->words : other->words;
	switch (random_below(4)) {
	case 0:
		memcpy(args + random_below(s->words) * 8, &word, 8);
		break;
	case 1:                                   /* half a word: lengths, kinds and counts stand there */
		memcpy(args + random_below(s->words * 2ull) * 4, &word, 4);
		break;
	case 2:
		for (uint64_t times = 1 + random_below(8); times; times--)
			args[random_below(s->words * 8ull)] = odd_letter();
		break;
	default:
		memcpy(args, (const char *)files[other->file].data + other->at, words * 8);
	}
	files[s->file].data = copy;
	read_trace(files, n);
	free(copy);
}

/* A packed block of any bytes. */
static void execute_pack(struct pack_coder *coder)
{
	static uint8_t block[REC_BLOCK], packed[REC_BLOCK * 2];
	const struct kept *k = &corpus[random_below(n_corpus)];
	size_t n = k->bytes < REC_BLOCK ? k->bytes : REC_BLOCK, bytes,
	       from = (size_t)random_below(k->bytes - n + 1) / 8 * 8;
	enum pack_method method;
	const void *out;

	pack_encode(coder, k->data + from, n, random_below(3), &method, &out, &bytes);
	memcpy(packed, out, bytes);
	mutate(packed, &bytes);
	sum += pack_decode(coder, method, packed, bytes, block, n);
}

/* ---- the packed file: its header and tables, as the tables are what its reader trusts ---- */

static struct kept packs[FILES];
static size_t n_packs;
static int pack_fd;                       /* a file in memory, written anew for each execution */

/* Packs one trace of the corpus, by way of files on disk. */
static void pack_one(const struct kept *k, const char *folder)
{
	struct gt_memory_file files[PARTS];
	size_t n = split(k->data, k->bytes, files, PARTS);
	char root[200], path[400], out[300];
	struct gt_err err;
	FILE *f;

	snprintf(root, sizeof(root), "%s/t.gputap", folder);
	snprintf(out, sizeof(out), "%s/packed", folder);
	mkdir(root, 0700);
	for (size_t i = 0; i < n; i++) {
		const char *slash = strchr(files[i].name, '/');

		if (slash) {
			snprintf(path, sizeof(path), "%s/%.*s", root, (int)(slash - files[i].name), files[i].name);
			mkdir(path, 0700);
		}
		snprintf(path, sizeof(path), "%s/%s", root, files[i].name);
		f = fopen(path, "w");
		if (!f || fwrite(files[i].data, 1, files[i].bytes, f) != files[i].bytes || fclose(f))
			return;
	}
	if (gt_pack(root, out, &err) == 0 && (f = fopen(out, "r"))) {
		struct kept *p = &packs[n_packs];

		p->data = malloc(LARGEST);
		p->bytes = p->data ? fread(p->data, 1, LARGEST, f) : 0;
		n_packs += p->bytes > sizeof(struct pack_header);
		fclose(f);
	}
	tb_remove(root);
	unlink(out);
}

static bool make_packs(void)
{
	char folder[] = "/tmp/gputap-fuzz-XXXXXX";

	pack_fd = memfd_create("packed", MFD_CLOEXEC);
	if (pack_fd < 0 || !mkdtemp(folder))
		return false;
	for (size_t i = 0; i < n_corpus; i++)
		pack_one(&corpus[i], folder);
	rmdir(folder);
	return n_packs == n_corpus;
}

static void read_packed(const uint8_t *data, size_t bytes)
{
	struct gt_store *store;
	struct gt_err err;
	char path[64];

	if (ftruncate(pack_fd, 0) || pwrite(pack_fd, data, bytes, 0) != (ssize_t)bytes)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pack_fd);
	if (gt_store_open(path, &store, &err) == 0)
		read_store(store);
}

/* Half of the damaged ones get sums that fit, or the reader would look no further: as far as there are tables. */
static void sum_again(uint8_t *data, size_t bytes)
{
	static struct pack_file files[FILES];
	static struct pack_block blocks[1024];
	struct pack_header h;

	if (bytes < sizeof(h))
		return;
	memcpy(&h, data, sizeof(h));
	if (h.files_offset > bytes || h.n_files > (bytes - h.files_offset) / sizeof(*files) || h.n_files > FILES ||
		h.blocks_offset > bytes || h.n_blocks > (bytes - h.blocks_offset) / sizeof(*blocks) ||
		h.n_blocks > 1024)
		return;
	memcpy(files, data + h.files_offset, h.n_files * sizeof(*files));
	memcpy(blocks, data + h.blocks_offset, h.n_blocks * sizeof(*blocks));
	for (uint64_t i = 0; i < h.n_blocks; i++)
		if (blocks[i].offset <= bytes && blocks[i].bytes <= bytes - blocks[i].offset)
			blocks[i].sum = pack_sum(data + blocks[i].offset, blocks[i].bytes);
	memcpy(data + h.blocks_offset, blocks, h.n_blocks * sizeof(*blocks));
	h.sum = pack_tables_sum(&h, files, blocks);
	memcpy(data, &h, sizeof(h));
}

/* A packed trace with a damaged header, damaged tables, or damage anywhere. */
static void execute_packed(void)
{
	const struct kept *k = &packs[random_below(n_packs)];
	const struct pack_header *h = (const struct pack_header *)k->data;
	size_t from = 0, n = k->bytes, all;

	memcpy(scratch, k->data, k->bytes);
	switch (random_below(4)) {
	case 0:
		n = sizeof(*h);
		break;
	case 1:
	case 2:
		from = (size_t)(h->files_offset < h->blocks_offset ? h->files_offset : h->blocks_offset);
		n = k->bytes - from;
		break;
	}
	all = n;
	for (uint64_t times = 1 + random_below(3); times; times--)
		mutate(scratch + from, &n);
	n = n == all ? k->bytes : from + n;
	if (random_below(2))
		sum_again(scratch, n);
	read_packed(scratch, n);
}

static void say(int signal)
{
	char text[128];
	int n = broken_line
		? snprintf(text, sizeof(text), "fuzz_reader: execution %llu breaks the promise of line %d\n",
			(unsigned long long)now, broken_line)
		: snprintf(text, sizeof(text), "fuzz_reader: signal %d in execution %llu\n", signal,
			(unsigned long long)now);

	if (write(2, text, (size_t)n) < 0)
		_exit(3);
	_exit(1);
}

static bool by_structure;                 /* -g */

static void keep_trace(const char *root);

static int fuzz(char *const *traces, double seconds, uint64_t executions)
{
	const struct rlimit most = { MEMORY_LIMIT, MEMORY_LIMIT };
	struct pack_coder *coder = pack_coder_new();
	struct rusage used;
	struct timespec t;
	double start, end;
	uint64_t first_seed;
	uint32_t found = 0;

	const char *folder = *traces++;

	load_corpus(folder);
	for (; *traces; traces++)
		keep_trace(*traces);
	if (!n_corpus || !coder) {
		fprintf(stderr, "fuzz_reader: no corpus in %s\n", folder);
		return 2;
	}
	if (!make_packs()) {
		fprintf(stderr, "fuzz_reader: the corpus cannot be packed in /tmp\n");
		return 2;
	}
	for (size_t i = 0; i < n_corpus; i++) {
		LLVMFuzzerTestOneInput(corpus[i].data, corpus[i].bytes);
		read_packed(packs[i].data, packs[i].bytes);
	}
	for (size_t i = 0; by_structure && i < n_corpus; i++) {
		find_spots(i);
		found += n_spots[i];
	}
	if (by_structure && !names_all(found))
		return 2;
	if (!records_end()) {
		fprintf(stderr, "fuzz_reader: what lies beyond a record can be read\n");
		return 2;
	}
	if (by_structure && setrlimit(RLIMIT_DATA, &most) < 0)
		return 2;
	first_seed = seed;
	clock_gettime(CLOCK_MONOTONIC, &t);
	start = end = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	for (now = 0; (!executions || now < executions) && (seconds <= 0 || end - start < seconds); now++) {
		/* Own start for each execution: number N can be repeated without those before it. */
		seed = first_seed + (now + 1) * 0x9e3779b97f4a7c15u;
		seed = seed ? seed : 1;
		random_below(1), random_below(1);
		steps = 0;
		if (now % 64 == 63)
			execute_pack(coder);
		else if (now % 16 == 7)
			execute_packed();
		else if (by_structure)
			execute_structured();
		else
			execute_once();
		if (now % 256 == 0) {
			clock_gettime(CLOCK_MONOTONIC, &t);
			end = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
		}
	}
	pack_coder_free(coder);
	for (size_t i = 0; i < n_corpus; i++)
		free(corpus[i].data), free(packs[i].data);
	close(pack_fd);
	getrusage(RUSAGE_SELF, &used);
	printf("%llu executions in %.1f s, no crash, at most %llu steps and %ld MiB\n", (unsigned long long)now,
		end - start, (unsigned long long)most_steps, used.ru_maxrss / 1024);
	return 0;
}

/* ---- the first corpus ---- */

static void put_part(FILE *out, const char *root, const char *name)
{
	struct part p = { .bytes = 0 };
	char path[4096];
	FILE *in;

	snprintf(p.name, sizeof(p.name), "%s", name);
	snprintf(path, sizeof(path), "%s/%s", root, name);
	in = fopen(path, "r");
	if (!in)
		return;
	p.bytes = fread(scratch, 1, LARGEST - 8, in);
	fclose(in);
	memset(scratch + p.bytes, 0, 8);
	fwrite(&p, sizeof(p), 1, out);
	fwrite(scratch, 1, (p.bytes + 7) / 8 * 8, out);
}

static bool put_trace(FILE *out, const char *root)
{
	struct gt_store *store;
	struct gt_err err;

	if (gt_store_open(root, &store, &err) < 0)
		return false;
	for (size_t i = 0; i < store->n_files; i++)
		put_part(out, root, store->files[i].name);
	gt_store_close(store);
	return true;
}

static void save(const char *folder, const char *name, const char *root)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	if (!out || !put_trace(out, root)) {
		fprintf(stderr, "fuzz_reader: %s: cannot be written\n", path);
		exit(1);
	}
	fclose(out);
	tb_remove(root);
}

/* A trace in a folder, as one of the corpus. */
static void keep_trace(const char *root)
{
	struct kept *k = &corpus[n_corpus];
	FILE *out = n_corpus < FILES && (k->data = malloc(LARGEST)) ? fmemopen(k->data, LARGEST, "w") : NULL;

	if (!out || !put_trace(out, root) || fflush(out) || ftell(out) <= 0) {
		fprintf(stderr, "fuzz_reader: %s: no trace, or too large\n", root);
		exit(2);
	}
	k->bytes = (size_t)ftell(out);
	fclose(out);
	n_corpus++;
}

/* Every record type once. */
static void one_of_each(struct tb_stream *s)
{
	const uint64_t id[2] = { 7, 8 };
	uint64_t link;

	tb_thread(s, 1000, 10, 1, "main");
	tb_clock(s, 1000, 1000);
	tb_clock(s, 2001000, 2001000);
	tb_object(s, REC_OBJECT_DEVICE, 0x5500);
	tb_attr_text(s, 0x102b, "device");
	tb_attr_u64(s, REC_ATTR_PLATFORM, 0x5400);
	tb_object_end(s);
	link = tb_call_u32(s, 0x45c, 2000, 300, 0, 1, W(0x10, 0x20, 0, 0x30, 0, 0, 0, 64));
	tb_command(s, link, 2100, 2200, 2300, 2900, 2900);
	tb_command(s, link, 2100, 2000, 2300, 2900, 0);
	tb_untimed(s, link, REC_LOSS_NOT_FINISHED, 1);
	tb_local_size(s, link, 1, REC_LOCAL_SUGGESTED, 64, 1, 1);
	tb_note(s, 2500, 1, "a note");
	tb_blob_ref(s, 2500, 0x40, id, REC_BLOB_SOURCE, 18);
	tb_calibration(s, 2600, 0x5500, 900, 30, 1);
	tb_record(s, 12, 0, 0, W(2700, 11));           /* FORK, which version 2 left out */
	tb_record(s, REC_EXEC, 0, 0, W(2750, 1, 2 | 0x6162ull << 32));
	tb_record(s, REC_WINDOW, 0, 0, W(2800, 1));
	tb_hsa_kernel(s, 2850, 10, 2, 0x77, 100, 200, 0x88, 0, 0, 0x99, 5, "k", "agent", "a, b");
	tb_incomplete(s, 6);
	tb_call(s, 0x433, 2000, 6ull << 32, -5, W(1, 2, 3));
	tb_call_bare(s, 0x434, 3000, 5, 0);
	tb_record(s, REC_EXIT, 0, 0, W(3900, 1));
	tb_thread_end(s, 4000, 10);
}

/* A window whose chunk is not in its own place yet. */
static void put_window(const char *root)
{
	struct {
		struct rec_chunk window;
		uint8_t gap[REC_STAGE_IMAGE - sizeof(struct rec_chunk)];
		struct rec_chunk chunk;
		uint64_t call[4], rest[40];
	} w = { .window = { .magic = REC_CHUNK_MAGIC,
			.kind = REC_CHUNK_STAGE,
			.version = REC_VERSION,
			.bytes = REC_STAGE_IMAGE + 416,
			.rec_stage_target = 2 * REC_BLOCK },
		.chunk = { .magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_CALLS, .version = REC_VERSION, .bytes = 416 },
		.call = { rec_head(0x433, 4, REC_COMPLETE, 0), 1700, 5, 2 } };
	char path[4200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/10.1/0.str", root);
	out = fopen(path, "r+");
	if (!out || fseek(out, REC_BLOCK, SEEK_SET) < 0 || fwrite(&w, sizeof(w), 1, out) != 1 || fclose(out) ||
		truncate(path, 2 * REC_BLOCK + 416) < 0)
		exit(1);
}

/* A record of each kind beside a call and a kernel, in a buffer that came back and one that did not. */
static void put_cuda(struct tb_stream *s, struct tb_stream *buffers)
{
	const uint64_t params[2] = { 0x10, 64 };
	struct tb_acts *a = tb_acts(130001);

	tb_thread(s, 1000, 10, 1, "main");
	tb_clock(s, 1000, 1000);
	tb_cupti_library(s, 1000, 130001, 13000, 0, "libcupti.so");
	tb_cupti_clock(s, 1000, 5000, 10, 0);
	tb_cupti_clock(s, 2000000, 2004000, 10, 0);
	tb_cupti_name(s, 1000, 2, 211, "cudaLaunchKernel_v7000");
	tb_cupti_string(s, 1100, 0x7000, "_ZN1a1bIfLi4EE1cEPT_");
	tb_cupti_string(s, 1200, 0x7000, "_Z1fv");
	tb_cupti_dropped(s, 1300, 2);
	tb_cupti_event(s, 1400, REC_CUPTI_NODE_CLONED, 0, 1, 1, 0x200000001, 0x100000001, 2, 1);
	tb_cupti_event(s, 1500, REC_CUPTI_CONTEXT_CREATED, 0, 1, 0, 0, 0, 0, 0);
	tb_cuda_call(s, REC_FN_CUDA_RUNTIME + 20, 6010, 80, 0, 1, params, sizeof params, 0, NULL, 0);
	tb_cuda_call(s, REC_FN_CUDA_RUNTIME + 20, 6210, 80, 0, 2, params, sizeof params, 0, NULL, 0);
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t kind = 1; kind < 64; kind++) {
			if (!tb_act_bytes(a->version, kind))
				continue;
			tb_act(a, kind, NULL, 0);
			memset(a->data + a->last + 4, (int)kind, 12);
			ACT(a, 10, F(CONCURRENT_KERNEL, start, 7000 + kind * 100),
				F(CONCURRENT_KERNEL, end, 7050 + kind * 100), F(CONCURRENT_KERNEL, name, 0x7000),
				F(CONCURRENT_KERNEL, correlationId, kind / 2), F(CONCURRENT_KERNEL, graphNodeId, kind));
			ACT(a, 4 + kind % 2, F(RUNTIME, cbid, 211), F(RUNTIME, start, 6900 + kind * 100),
				F(RUNTIME, end, 6950 + kind * 100), F(RUNTIME, threadId, 10 + kind % 3),
				F(RUNTIME, correlationId, kind / 2));
		}
		tb_cupti_buffer_sized(buffers, a,
			&(struct rec_cupti_buffer){ .number = i + 1, .completed_tick = i ? 0 : 1150 }, 12288);
	}
	tb_acts_free(a);
}

/* Appends to words[..]; returns how many there are. */
static uint32_t put(uint64_t *to, const uint64_t *words, uint32_t n)
{
	memcpy(to, words, n * sizeof *words);
	return n;
}

/* Who called: an object, a function of Python, a stack of four frames through both, a sample that names it. */
static void put_stack(struct tb_stream *s, uint32_t i)
{
	uint64_t w[64], link;
	uint32_t at = put(w, W(1000 + i, PAIR(i, 20), 0x10000 * i, 0x10000 * i, 0x10000 * i + 0x8000, 1, 2, 3, 4));

	at = tb_put_text(w, at, "/usr/lib/a.so", 13);
	tb_record(s, REC_MODULE, 0, 0, w, at);
	at = put(w, W(1100 + i, PAIR(i, 7), PAIR(0x30b, 8 * i)));
	at = tb_put_text(w, at, "function", 8);
	at = tb_put_text(w, at, "/home/a.py", 10);
	for (uint32_t k = 0; k < i; k++)
		w[at++] = 0x8202028002040280;
	tb_record(s, REC_PYTHON_CODE, 0, 0, w, at);
	at = put(w, W(PAIR(4, i % 2 ? REC_STACK_PYTHON : REC_STACK_CUT), 0x10010, 0x20020, 0x30030, 0x40040 + i,
			1 | 2ull << 16 | 3ull << 32 | 4ull << 48, 2, PAIR(i, 4), PAIR(1, 6)));
	link = tb_record(s, REC_STACK, 0, 0, w, i % 2 ? at : 6);
	tb_record(s, REC_SAMPLE, 0, REC_SAMPLE_CLOCK, W(1200 + 10 * i, PAIR(10, 1), 1000, link));
}

/* What the kernel told of threads, one of them with its name. */
static void put_switches(struct tb_stream *s, uint32_t i)
{
	uint64_t w[16];
	uint32_t at = put(w, W(1500 + i, PAIR(10 + i, 10)));

	tb_record(s, REC_SWITCH, 0, REC_SWITCH_OUT, W(1300 + 10 * i, PAIR(10, 1)));
	tb_record(s, REC_WAKING, 0, 0, W(1302 + 10 * i, PAIR(10, 1), PAIR(11, 10)));
	tb_record(s, REC_SWITCH, 0, REC_SWITCH_IN, W(1304 + 10 * i, PAIR(10, 1)));
	tb_record(s, REC_RUN_DELAY, 0, 0, W(1400 + i, 10, 1000 * i, 10 * i, i));
	at = tb_put_text(w, at, "worker", 6);
	tb_record(s, REC_TASK, 0, i % 2 ? REC_TASK_BEGINS : REC_TASK_ENDS, w, at);
	at = put(w, W(1600 + i, PAIR(10 + i, 20)));
	at = tb_put_text(w, at, "named", 5);
	tb_record(s, REC_THREAD_NAME, 0, 0, w, at);
}

/* An event of a tracepoint with a text, whose place it tells, and what such events look like. */
static void put_tracepoint(struct tb_stream *s, uint32_t i)
{
	uint64_t w[64];
	uint32_t at = put(w, W(1700 + i, PAIR(i, 1)));

	at = tb_put_text(w, at, "irq:irq", 7);
	at = tb_put_text(w, at, "\"%s\", REC->name", 15);
	at += put(w + at, W(PAIR(8, 4), PAIR(REC_FIELD_TEXT | REC_FIELD_PLACE, 1)));
	at = tb_put_text(w, at, "name", 4);
	at = tb_put_text(w, at, "__data_loc char[]", 17);
	at = tb_put_text(w, at, "", 0);
	tb_record(s, REC_TRACEPOINT_TYPE, 0, 0, w, at);
	tb_record(s, REC_TRACEPOINT, 0, 0,
		W(1800 + i, PAIR(10, 1), PAIR(i, 16), PAIR(0, 10), PAIR(12 | 4u << 16, 0x636261)));
}

/* What was counted of a launch, by a device's profiler and on the host's processors. */
static void put_counts(struct tb_stream *s, uint32_t i)
{
	uint64_t w[64], link = tb_call_u32(s, 0x45c, 2000 + 100 * i, 30, 0, 1, W(0x10, 0x20, 0, 0x30, 0, 0, 0, 64));
	uint32_t at = put(w, W(2900 + i, PAIR(i, 1), 0, 7, 8, 18, 1, PAIR(1, 1), PAIR(1, 64), PAIR(1, 1)));

	tb_record(s, REC_CPU_COUNTERS, 0, 0, W(link, 2, REC_CPU_CYCLES, 1000 * i, REC_CPU_PAGE_FAULTS, i));
	at = tb_put_text(w, at, "_Z1fv", 5);
	at += put(w + at, W(PAIR(i, REC_COUNTED_LAUNCH), UINT32_MAX));
	tb_record(s, REC_COUNTERS, 0, 0, w, at);
	tb_record(s, REC_COST, 0, 0, W(3000 + i, 3000 + 2 * i, PAIR(10, REC_COST_CHUNK)));
}

/* Several of each, with lengths that differ. */
static void put_host(struct tb_stream *s)
{
	tb_thread(s, 1000, 10, 1, "main");
	tb_clock(s, 1000, 1000);
	tb_clock(s, 2001000, 2001000);
	for (uint32_t i = 1; i <= 4; i++) {
		put_stack(s, i);
		put_switches(s, i);
		put_tracepoint(s, i);
		put_counts(s, i);
	}
	tb_thread_end(s, 4000, 10);
}

static int make_corpus(const char *folder)
{
	static uint64_t words[600];
	const uint64_t id[2] = { 7, 8 };
	char root[4096];
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *s;

	snprintf(root, sizeof(root), "%s/build.gputap", folder);
	tb = tb_open(root);
	tb_run_fact(tb, "clock", "1000 1000 1000 1000000 1000 40");
	tb_table(tb, "T\t1\nF\t1075\tclFinish\n", 20);
	p = tb_process(tb, 10);
	tb_fact(p, "start_tick", "1000");
	tb_fact(p, "image", "/bin/x%41");
	s = tb_stream(p);
	tb_chunk(s, 4096);
	one_of_each(s);
	tb_call(s, 0x433, 3500, 5, 0, words, 300);
	tb_close(tb);
	save(folder, "each_type", root);

	tb = tb_open(root);
	p = tb_process(tb, 10);
	for (unsigned i = 0; i < 3; i++) {
		s = tb_stream(p);
		tb_chunk(s, 2048);
		tb_thread(s, 1000, 10 + i, 0, "t");
		tb_clock(s, 1000 + i, 1000);
		for (uint32_t k = 0; k < 40; k++)
			tb_call(s, 0x433, 1500 + 10 * k + 3 * i, k % 7 * 20, 0, W(k));
	}
	tb_close(tb);
	save(folder, "three_streams", root);

	tb = tb_open(root);
	for (int pid = 10; pid < 12; pid++) {
		p = tb_process(tb, pid);
		tb_fact(p, "boot_id", pid == 10 ? "a" : "b");
		s = tb_stream(p);
		tb_chunk(s, 1024);
		tb_clock(s, 1000, 1000);
		tb_clock_full(s, 5001000, 5001000, 5, 1000000000000 + 5001000, 99001000, 40);
		tb_call(s, 0x433, 1500, 20, 0, W(1));
	}
	tb_close(tb);
	save(folder, "two_boots", root);

	tb = tb_open(root);
	p = tb_process(tb, 10);
	s = tb_stream(p);
	tb_chunk(s, 512);
	tb_call(s, 0x433, 1500, 20, 0, W(1));
	tb_blob(s, REC_BLOB_SOURCE, id, "kernel void k() {}", 18, 18);
	tb_chunk(s, 1024);
	tb_blob_ref(s, 2500, 0x40, id, REC_BLOB_SOURCE, 18);
	tb_call(s, 0x433, 2600, 20, 0, W(2));
	tb_close(tb);
	save(folder, "content", root);

	tb = tb_open(root);
	p = tb_process(tb, 10);
	s = tb_stream(p);
	tb_chunk(s, 512);
	tb_call(s, 0x433, 1500, 20, 0, W(1));
	tb_close(tb);
	put_window(root);
	save(folder, "staged", root);

	tb = tb_open(root);
	tb_table(tb, "T\t1\n", 4);
	p = tb_process(tb, 10);
	tb_fact(p, "start_tick", "1000");
	s = tb_stream(p);
	tb_chunk(s, 8192);
	put_cuda(s, tb_stream(p));
	tb_close(tb);
	save(folder, "cuda", root);

	tb = tb_open(root);
	p = tb_process(tb, 10);
	tb_fact(p, "start_tick", "1000");
	s = tb_stream(p);
	tb_chunk(s, 8192);
	put_host(s);
	tb_close(tb);
	save(folder, "host", root);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = 0;
	uint64_t executions = 0;
	int c;

	while ((c = getopt(argc, argv, "gs:n:r:m:")) != -1) {
		if (c == 'g')
			by_structure = true;
		else if (c == 's')
			seconds = strtod(optarg, NULL);
		else if (c == 'n')
			executions = strtoull(optarg, NULL, 10);
		else if (c == 'r')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'm')
			return make_corpus(optarg);
	}
	if (optind >= argc) {
		fprintf(stderr, "usage: fuzz_reader [-g] [-s SECONDS] [-n EXECUTIONS] [-r SEED] CORPUS [TRACE...]\n");
		return 2;
	}
	if (seconds <= 0 && !executions)
		seconds = 60;
	mallopt(M_MMAP_THRESHOLD, 64 << 20);      /* blocks come and go: no system calls for them */
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	signal(SIGABRT, say);
#ifndef __SANITIZE_ADDRESS__
	signal(SIGSEGV, say);
	signal(SIGBUS, say);
#endif
	signal(SIGALRM, say);                     /* for a caller's alarm: a hang */
	return fuzz(argv + optind, seconds, executions);
}
#endif
