/*
 * tests/tracebuild.c - build trace directories from C calls
 *
 * A stream keeps the 64 KiB block it fills in memory and writes it when the next one begins, so that long traces can
 * be built too. Chunks grow as the writer's do: 12 KiB behind the control page, 64 KiB, 256 KiB, 1 MiB.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/tracebuild.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define PATH_BYTES 4096
#define OBJECT_WORDS 4096
#define TB_TEXT(number) TB_TEXT_OF(number)
#define TB_TEXT_OF(number) #number
#define TB_FORMAT TB_TEXT(REC_VERSION)

struct fact { char *key, *value; };
struct facts { struct fact *at; size_t n; };

struct tb_stream {
	struct tb_stream *next;
	struct tb_process *process;
	uint32_t number;
	int fd;
	struct rec_control control;
	uint64_t block[REC_BLOCK / 8];
	uint64_t base;                    /* of block in the file */
	uint64_t at;                      /* next free byte of the file */
	uint64_t chunk_end, usable_end;   /* of the present chunk */
	uint64_t want;                    /* bytes of the next chunk, 0 = by growth */
	unsigned chunks;
	uint64_t last_tick;
	uint64_t object[OBJECT_WORDS]; uint32_t n_object;
};

struct tb_process {
	struct tb_process *next;
	struct tb *tb;
	int pid, instance;
	uint32_t n_streams;
	struct facts meta;
	struct tb_stream *streams;
};

struct tb {
	char path[PATH_BYTES / 2];
	char hash[32];
	struct facts run;
	struct tb_process *processes;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *zalloc(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		die("calloc");
	return p;
}

/* ---- facts ---- */

static void facts_set(struct facts *f, const char *key, const char *value, bool replace)
{
	for (size_t i = 0; replace && i < f->n; i++) {
		if (strcmp(f->at[i].key, key))
			continue;
		free(f->at[i].value);
		f->at[i].value = strdup(value);
		return;
	}
	f->at = realloc(f->at, (f->n + 1) * sizeof(*f->at));
	if (!f->at)
		die("realloc");
	f->at[f->n++] = (struct fact){ strdup(key), strdup(value) };
}

static void facts_write(struct facts *f, const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		die(path);
	for (size_t i = 0; i < f->n; i++) {
		fprintf(out, "%s=", f->at[i].key);
		for (const unsigned char *p = (const unsigned char *)f->at[i].value; *p; p++)
			fprintf(out, *p < 0x20 || *p == '%' ? "%%%02X" : "%c", *p);
		fputc('\n', out);
		free(f->at[i].key);
		free(f->at[i].value);
	}
	free(f->at);
	if (fclose(out))
		die(path);
}

/* ---- directory ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void tb_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct tb *tb_open(const char *path)
{
	struct tb *tb = zalloc(sizeof(*tb));

	tb_remove(path);
	if (mkdir(path, 0777) < 0)
		die(path);
	snprintf(tb->path, sizeof(tb->path), "%s", path);
	facts_set(&tb->run, "format", TB_FORMAT, true);
	return tb;
}

void tb_run_fact(struct tb *tb, const char *key, const char *value)
{
	facts_set(&tb->run, key, value, false);
}

void tb_table(struct tb *tb, const char *text, size_t bytes)
{
	size_t room = ZSTD_compressBound(bytes), packed;
	char path[PATH_BYTES];
	void *to = zalloc(room);
	uint64_t hash = 0xcbf29ce484222325u;
	FILE *out;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	snprintf(tb->hash, sizeof(tb->hash), "%016llx", (unsigned long long)hash);
	snprintf(path, sizeof(path), "%s/table.%s.zst", tb->path, tb->hash);
	packed = ZSTD_compress(to, room, text, bytes, 3);
	out = fopen(path, "w");
	if (ZSTD_isError(packed) || !out || fwrite(to, 1, packed, out) != packed || fclose(out))
		die(path);
	free(to);
}

struct tb_process *tb_process(struct tb *tb, int pid)
{
	struct tb_process *p = zalloc(sizeof(*p)), **last = &tb->processes;
	char path[PATH_BYTES], text[32];

	p->tb = tb;
	p->pid = pid;
	p->instance = 1;
	for (; *last; last = &(*last)->next)
		if ((*last)->pid == pid)
			p->instance++;
	*last = p;
	snprintf(path, sizeof(path), "%s/%d.%d", tb->path, pid, p->instance);
	if (mkdir(path, 0777) < 0)
		die(path);
	snprintf(text, sizeof(text), "%d", pid);
	facts_set(&p->meta, "format", TB_FORMAT, true);
	facts_set(&p->meta, "byte_order", __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big", true);
	facts_set(&p->meta, "pid", text, true);
	facts_set(&p->meta, "clock_source", "tsc", true);
	if (*tb->hash)
		facts_set(&p->meta, "table", tb->hash, true);
	return p;
}

void tb_fact(struct tb_process *p, const char *key, const char *value)
{
	bool repeats = !strcmp(key, "arg") || !strcmp(key, "option") || !strcmp(key, "env");

	facts_set(&p->meta, key, value, !repeats);
}

/* ---- streams ---- */

struct tb_stream *tb_stream(struct tb_process *p)
{
	struct tb_stream *s = zalloc(sizeof(*s)), **last = &p->streams;
	char path[PATH_BYTES];

	while (*last)
		last = &(*last)->next;
	*last = s;
	s->process = p;
	s->number = p->n_streams++;
	snprintf(path, sizeof(path), "%s/%d.%d/%u.str", p->tb->path, p->pid, p->instance, s->number);
	s->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (s->fd < 0)
		die(path);
	s->control.magic = REC_CONTROL_MAGIC;
	s->control.version = REC_VERSION;
	s->control.stream = s->number;
	s->control.pid = (uint32_t)p->pid;
	s->at = s->chunk_end = s->usable_end = REC_CONTROL_BYTES;
	return s;
}

static void flush(struct tb_stream *s)
{
	uint64_t skip = s->base ? 0 : REC_CONTROL_BYTES;
	uint64_t end = s->chunk_end < s->base + REC_BLOCK ? s->chunk_end : s->base + REC_BLOCK;

	if (end <= s->base + skip)
		return;
	if (pwrite(s->fd, (char *)s->block + skip, end - s->base - skip, (off_t)(s->base + skip)) !=
		(ssize_t)(end - s->base - skip))
		die("pwrite");
}

static void move_to(struct tb_stream *s, uint64_t at)
{
	if (at - at % REC_BLOCK != s->base) {
		flush(s);
		memset(s->block, 0, sizeof(s->block));
		s->base = at - at % REC_BLOCK;
	}
	s->at = at;
}

static uint64_t *place(struct tb_stream *s)
{
	return s->block + (s->at - s->base) / 8;
}

static void put_chunk_header(struct tb_stream *s, const struct rec_chunk *chunk)
{
	uint64_t at = s->chunk_end + (REC_BLOCK - s->chunk_end % REC_BLOCK) % REC_BLOCK;

	if (s->chunks++ == 0)
		at = REC_CONTROL_BYTES;
	move_to(s, at);
	s->chunk_end = at + chunk->bytes;
	if (ftruncate(s->fd, (off_t)s->chunk_end) < 0)
		die("ftruncate");
	memcpy(place(s), chunk, sizeof(*chunk));
	s->at += sizeof(*chunk);
}

static void open_chunk(struct tb_stream *s)
{
	static const uint64_t growth[] = { 16384 - REC_CONTROL_BYTES, 65536, 262144, 1048576 };
	struct rec_chunk chunk = {
		.magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_CALLS, .version = REC_VERSION, .start_tick = s->last_tick
	};

	chunk.bytes = s->want ? s->want : growth[s->chunks < 3 ? s->chunks : 3];
	s->want = 0;
	put_chunk_header(s, &chunk);
	s->usable_end = s->chunk_end;
}

void tb_chunk(struct tb_stream *s, uint64_t bytes)
{
	s->want = bytes;
	s->usable_end = s->at;
}

void tb_pad(struct tb_stream *s)
{
	uint64_t end = s->base + REC_BLOCK, words;

	if (end > s->usable_end)
		end = s->usable_end;
	words = (end - s->at) / 8;
	if (!words)
		return;
	if (words < 256) {
		place(s)[0] = rec_head(REC_PAD, (uint32_t)words, REC_COMPLETE, 0);
	} else {
		place(s)[0] = rec_head(REC_PAD, 0, REC_COMPLETE | REC_LONG, 0);
		place(s)[1] = words;
	}
	if (end < s->usable_end)
		move_to(s, end);
	else
		s->at = end;
}

/* Until n words fit in the block that `at` stands in. */
static void make_room(struct tb_stream *s, uint32_t n)
{
	if ((uint64_t)n * 8 > REC_BLOCK - REC_CONTROL_BYTES - sizeof(struct rec_chunk)) {
		fprintf(stderr, "tracebuild: a record of %u words does not fit a block\n", n);
		exit(1);
	}
	while ((uint64_t)n * 8 > s->usable_end - s->at || (uint64_t)n * 8 > s->base + REC_BLOCK - s->at) {
		if (s->usable_end > s->at)
			tb_pad(s);
		if (s->usable_end == s->at)
			open_chunk(s);
	}
}

static uint64_t emit(struct tb_stream *s, const uint64_t *words, uint32_t n)
{
	uint64_t at;

	make_room(s, n);
	at = s->at;
	memcpy(place(s), words, (size_t)n * 8);
	s->at += (uint64_t)n * 8;
	if (s->at == s->base + REC_BLOCK && s->at < s->usable_end)
		move_to(s, s->at);
	return rec_link(s->number, at);
}

void tb_raw(struct tb_stream *s, const uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		emit(s, words + i, 1);
}

/* ---- records ---- */

uint64_t tb_record(struct tb_stream *s, uint32_t id, uint32_t flags, int32_t result, const uint64_t *words, uint32_t n)
{
	uint64_t rec[REC_BLOCK / 8];
	uint32_t size = n + 1, head = 1;

	if (size > 255) {
		flags |= REC_LONG;
		size++;
		rec[head++] = size;
	}
	if (size > REC_BLOCK / 8)
		make_room(s, size);               /* says so and ends */
	rec[0] = rec_head(id, flags & REC_LONG ? 0 : size, flags | REC_COMPLETE, result);
	if (n)
		memcpy(rec + head, words, (size_t)n * 8);
	return emit(s, rec, size);
}

static uint64_t call(struct tb_stream *s, uint32_t fn, uint32_t flags, uint64_t start, uint64_t duration,
	int32_t result, uint32_t bound, uint32_t first_u32, const uint64_t *args, uint32_t n)
{
	uint64_t words[REC_BLOCK / 8];
	uint32_t at = 0;

	words[at++] = start;
	words[at++] = PAIR(duration, first_u32);
	if (duration >> 32) {
		flags |= REC_SLOW;
		words[at++] = duration >> 32;
	}
	if (bound) {
		flags |= REC_STACK_WORD;
		words[at++] = (uint64_t)rec_more_words(REC_MORE_BOUND) << 24;
		words[at++] = PAIR(REC_MORE_BOUND, bound);
	}
	if (n)
		memcpy(words + at, args, (size_t)n * 8);
	s->last_tick = start;
	return tb_record(s, fn, flags, result, words, at + n);
}

uint64_t tb_call_u32(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result,
	uint32_t first_u32, const uint64_t *args, uint32_t n)
{
	return call(s, fn, 0, start, duration, result, 0, first_u32, args, n);
}

uint64_t tb_call(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result,
	const uint64_t *args, uint32_t n)
{
	return call(s, fn, 0, start, duration, result, 0, 0, args, n);
}

uint64_t tb_call_cut(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, uint32_t bound,
	uint32_t first_u32, const uint64_t *args, uint32_t n)
{
	return call(s, fn, REC_CUT, start, duration, 0, bound, first_u32, args, n);
}

uint64_t tb_call_bare(struct tb_stream *s, uint32_t fn, uint64_t start, uint64_t duration, int32_t result)
{
	return call(s, fn, REC_BARE, start, duration, result, 0, 0, W0);
}

uint32_t tb_put_text(uint64_t *words, uint32_t n, const char *text, uint32_t bytes)
{
	uint32_t size = (bytes + 4 + 7) / 8;

	memset(words + n, 0, (size_t)size * 8);
	memcpy(words + n, &bytes, 4);
	memcpy((char *)(words + n) + 4, text, bytes);
	return n + size;
}

uint64_t tb_thread(struct tb_stream *s, uint64_t tick, uint32_t tid, uint32_t flags, const char *name)
{
	uint64_t words[64] = { tick, PAIR(tid, flags) };

	tb_holder(s, tid);
	s->last_tick = tick;
	return tb_record(s, REC_THREAD, 0, 0, words, tb_put_text(words, 2, name, (uint32_t)strnlen(name, 400)));
}

uint64_t tb_thread_end(struct tb_stream *s, uint64_t tick, uint32_t tid)
{
	tb_holder(s, 0);
	return tb_record(s, REC_THREAD_END, 0, 0, W(tick, tid));
}

uint64_t tb_clock_full(
	struct tb_stream *s, uint64_t tick, int64_t mono, int64_t raw, int64_t real, int64_t boot, uint64_t bracket)
{
	return tb_record(
		s, REC_CLOCK, 0, 0, W(tick, (uint64_t)mono, (uint64_t)raw, (uint64_t)real, (uint64_t)boot, bracket));
}

uint64_t tb_clock(struct tb_stream *s, uint64_t tick, int64_t mono_ns)
{
	return tb_clock_full(s, tick, mono_ns, mono_ns, 1000000000000000000 + mono_ns, mono_ns, 40);
}

static bool fits(uint64_t later, uint64_t earlier)
{
	return later >= earlier && later - earlier <= UINT32_MAX;
}

uint64_t tb_command(struct tb_stream *s, uint64_t link, uint64_t queued, uint64_t submit, uint64_t start, uint64_t end,
	uint64_t complete)
{
	if (fits(submit, queued) && fits(start, submit) && fits(end, start) && fits(complete, end))
		return tb_record(s, REC_COMMAND, 0, 0,
			W(link, queued, PAIR(submit - queued, start - submit), PAIR(end - start, complete - end)));
	return tb_record(s, REC_COMMAND, REC_WIDE, 0, W(link, queued, submit, start, end, complete));
}

uint64_t tb_untimed(struct tb_stream *s, uint64_t link, enum rec_loss reason, int32_t status)
{
	return tb_record(s, REC_COMMAND_UNTIMED, 0, status, W(link, PAIR(reason, 0)));
}

uint64_t tb_local_size(struct tb_stream *s, uint64_t link, uint32_t dims, enum rec_local_source source, uint64_t x,
	uint64_t y, uint64_t z)
{
	return tb_record(s, REC_LOCAL_SIZE, 0, 0, W(link, PAIR(dims, source), x, y, z));
}

void tb_object(struct tb_stream *s, enum rec_object kind, uint64_t handle)
{
	s->object[0] = s->last_tick;
	s->object[1] = kind;
	s->object[2] = handle;
	s->n_object = 3;
}

void tb_attr(struct tb_stream *s, uint32_t key, const void *value, uint32_t bytes)
{
	uint32_t words = (bytes + 7) / 8;

	if (s->n_object + 1 + words > OBJECT_WORDS)
		die("an object has too many attributes");
	s->object[1] += 1ull << 32;
	s->object[s->n_object++] = PAIR(key, bytes);
	memset(s->object + s->n_object, 0, (size_t)words * 8);
	memcpy(s->object + s->n_object, value, bytes);
	s->n_object += words;
}

void tb_attr_text(struct tb_stream *s, uint32_t key, const char *text)
{
	tb_attr(s, key, text, (uint32_t)strlen(text) + 1);
}

void tb_attr_u32(struct tb_stream *s, uint32_t key, uint32_t value)
{
	tb_attr(s, key, &value, sizeof(value));
}

void tb_attr_u64(struct tb_stream *s, uint32_t key, uint64_t value)
{
	tb_attr(s, key, &value, sizeof(value));
}

uint64_t tb_object_end(struct tb_stream *s)
{
	return tb_record(s, REC_OBJECT, 0, 0, s->object, s->n_object);
}

uint64_t tb_note(struct tb_stream *s, uint64_t tick, uint32_t part, const char *text)
{
	uint64_t words[160] = { tick, part };

	return tb_record(s, REC_NOTE, 0, 0, words, tb_put_text(words, 2, text, (uint32_t)strnlen(text, 1200)));
}

uint64_t tb_blob_ref(struct tb_stream *s, uint64_t tick, uint64_t handle, const uint64_t id[2], enum rec_blob_kind kind,
	uint64_t total)
{
	return tb_record(s, REC_BLOB_REF, 0, 0, W(tick, handle, id[0], id[1], kind, total));
}

uint64_t tb_calibration(
	struct tb_stream *s, uint64_t tick, uint64_t device, uint64_t device_ns, uint64_t bracket, uint32_t method)
{
	return tb_record(s, REC_CALIBRATION, 0, 0, W(tick, device, device_ns, bracket, method));
}

uint64_t tb_hsa_kernel(struct tb_stream *s, uint64_t tick, uint32_t tid, uint32_t packet_type, uint64_t kernel,
	uint64_t start, uint64_t end, uint64_t agent, uint32_t queue_index, uint32_t device_index, uint64_t queue,
	uint64_t packet_id, const char *name, const char *agent_name, const char *fields)
{
	uint64_t words[1024] = { tick, PAIR(tid, packet_type), kernel, start, end, agent,
		PAIR(queue_index, device_index), queue, packet_id };
	uint32_t n = 9;

	n = tb_put_text(words, n, name, (uint32_t)strnlen(name, 2000));
	n = tb_put_text(words, n, agent_name, (uint32_t)strnlen(agent_name, 2000));
	n = tb_put_text(words, n, fields, (uint32_t)strnlen(fields, 2000));
	return tb_record(s, REC_HSA_KERNEL, 0, 0, words, n);
}

/* ---- contents, control page, odd shapes ---- */

/* A chunk whose content is not records: written at once, behind what is there. */
static void put_content(struct tb_stream *s, const struct rec_chunk *chunk, const void *data, size_t bytes)
{
	put_chunk_header(s, chunk);
	flush(s);
	if (pwrite(s->fd, data, bytes, (off_t)s->at) != (ssize_t)bytes)
		die("pwrite");
	/* The block in memory is on disk; a fresh one is begun with the next chunk. */
	memset(s->block, 0, sizeof(s->block));
	s->base = (s->chunk_end - 1) / REC_BLOCK * REC_BLOCK;
	s->at = s->usable_end = s->chunk_end;
	if (pread(s->fd, s->block, REC_BLOCK, (off_t)s->base) < 0)
		die("pread");
}

void tb_blob(struct tb_stream *s, enum rec_blob_kind kind, const uint64_t id[2], const void *data, size_t bytes,
	uint64_t total)
{
	struct rec_chunk chunk = { .magic = REC_CHUNK_MAGIC,
		.kind = REC_CHUNK_BLOB,
		.version = REC_VERSION,
		.start_tick = s->last_tick,
		.blob_id = { id[0], id[1] },
		.blob_bytes = bytes,
		.blob_total = total,
		.blob_kind = kind };

	chunk.bytes = (sizeof(chunk) + bytes + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;
	if (!s->chunks)
		open_chunk(s);                    /* the first chunk holds records */
	put_content(s, &chunk, data, bytes);
}

void tb_cupti_chunk(struct tb_stream *s, const void *image, size_t bytes, size_t room)
{
	struct rec_chunk chunk = { .magic = REC_CHUNK_MAGIC,
		.kind = REC_CHUNK_CUPTI,
		.version = REC_VERSION,
		.start_tick = s->last_tick,
		.bytes = bytes,
		.blob_bytes = room };

	put_content(s, &chunk, image, bytes - sizeof(chunk));
}

void tb_slot(struct tb_stream *s, unsigned i, uint32_t fn, enum rec_domain domain, uint64_t start_tick,
	const uint64_t arg[4])
{
	s->control.slot[i] = (struct rec_slot){ .fn = fn,
		.domain = domain,
		.start_tick = start_tick,
		.frame = 0x7ffff000 - 0x100 * i,
		.arg = { arg[0], arg[1], arg[2], arg[3] } };
}

void tb_lost(struct tb_stream *s, enum rec_loss reason, uint64_t n)
{
	s->control.lost[reason] += n;
}

void tb_holder(struct tb_stream *s, uint32_t tid)
{
	s->control.tid = tid;
}

void tb_incomplete(struct tb_stream *s, uint32_t words)
{
	uint64_t rec[REC_BLOCK / 8] = { rec_claim(words) };

	emit(s, rec, words);
}

/* ---- the end ---- */

static void close_stream(struct tb_stream *s)
{
	flush(s);
	if (pwrite(s->fd, &s->control, sizeof(s->control), 0) != (ssize_t)sizeof(s->control))
		die("pwrite");
	if (s->chunk_end == REC_CONTROL_BYTES && ftruncate(s->fd, REC_CONTROL_BYTES) < 0)
		die("ftruncate");
	close(s->fd);
	free(s);
}

static void close_process(struct tb_process *p)
{
	char path[PATH_BYTES];

	for (struct tb_stream *s = p->streams, *next; s; s = next) {
		next = s->next;
		close_stream(s);
	}
	snprintf(path, sizeof(path), "%s/%d.%d/meta", p->tb->path, p->pid, p->instance);
	facts_write(&p->meta, path);
	free(p);
}

void tb_close(struct tb *tb)
{
	char path[PATH_BYTES];

	for (struct tb_process *p = tb->processes, *next; p; p = next) {
		next = p->next;
		close_process(p);
	}
	snprintf(path, sizeof(path), "%s/run", tb->path);
	facts_write(&tb->run, path);
	free(tb);
}
