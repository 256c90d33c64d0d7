/*
 * cli/perf/store.c - the kernel's events become records of the images that they are about
 *
 * A process gets a stream once there is a sample of it, or with -t sched anything; folders.c has the place for it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/perf/folders.h"
#include "cli/perf/rings.h"
#include "cli/perf/unwind.h"
#include "common/hash.h"

/* A program that has ended is read once more, a little later. */
#define ENDED_NS UINT64_C(100000000)

#define STACKS_TO_TELL 16u

struct tid { uint32_t tid, pid; };

struct store {
	struct gt_perf *perf;
	const struct gt_run *run;
	struct gt_perf_lives lives;
	struct gt_perf_files files;
	struct gt_map tids;               /* struct tid: which process a thread is of */
	struct gt_perf_folders folders;
	uint64_t lost, lost_tracepoints;  /* events that the kernel had no room for */
	uint64_t unwritten;
	bool some;                        /* a life has a stream */
	uint32_t hidden;                  /* a process with a map of code that no stack leads through; 0: none */
};

static uint64_t tick_of(const struct store *s, const struct gt_perf_life *life, uint64_t ns)
{
	return gt_perf_folders_tick(&s->folders, life, ns);
}

/* ------------------------------------------------------------------------ records */

/* A text as records hold it; words that it takes. */
static uint32_t put_text(uint64_t *to, const char *text)
{
	uint32_t bytes = (uint32_t)strlen(text), words = (4 + bytes + 7) / 8;

	memset(to, 0, words * sizeof *to);
	memcpy(to, &bytes, sizeof bytes);
	memcpy((char *)to + sizeof bytes, text, bytes);
	return words;
}

/* The number of the object that the address lies in, written when it is the first of it; 0: none. */
static uint32_t module_of(struct store *s, struct gt_perf_life *life, uint64_t tick, uint64_t address)
{
	struct gt_perf_map *map = gt_perf_maps_find(&life->maps, address);
	uint64_t words[9 + GT_PERF_PATH / 8 + 2] = { tick };
	uint32_t bytes;
	const uint8_t *id;

	(void)s;
	life->made_code |= map && !strncmp(map->file->path, "//", 2);
	if (!map || map->file->path[0] == '\0' || (map->file->path[0] != '/' && map->file->path[0] != '[') ||
		!strncmp(map->file->path, "//", 2) || !strcmp(map->file->path, "[heap]") ||
		!strncmp(map->file->path, "[stack", 6) || !strncmp(map->file->path, "[anon", 5))
		return 0;
	if (map->module)
		return map->module;
	map->module = gt_perf_out_module(life->out);
	if (map->module >= REC_STACK_INTERRUPTED)
		return map->module = 0;
	id = gt_perf_id(map, &bytes);
	words[1] = map->module | (uint64_t)bytes << 32;
	words[2] = gt_perf_bias(map);
	words[3] = map->start;
	words[4] = map->end;
	memcpy(words + 5, id, bytes);
	gt_perf_out_add(life->out, REC_MODULE, 0, words, 9 + put_text(words + 9, map->file->path));
	return map->module;
}

/*
 * How many of the addresses are a stack: where code keeps no frame pointers the chain ends in anything, and an address
 * where nothing can be executed is no caller.
 */
static uint32_t plausible(struct gt_perf_life *life, const struct gt_perf_event *e)
{
	uint32_t n = 1;

	while (n < e->n_frames && gt_perf_maps_find(&life->maps, e->frames[n] - 1))
		n++;
	return n;
}

/*
 * The link of the sample's stack. The first address is the instruction at which the program was; the chain behind it
 * was found by frame pointers, so it may lack whoever keeps none.
 */
static uint64_t stack_of(struct store *s, struct gt_perf_life *life, uint64_t tick, const struct gt_perf_event *e)
{
	uint64_t words[1 + GT_PERF_FRAMES + (GT_PERF_FRAMES + 3) / 4] = { 0 }, hash, *at;
	uint32_t n = plausible(life, e),
		 flags = n < e->n_frames ? REC_STACK_STOPPED : n >= GT_PERF_FRAMES ? REC_STACK_CUT : 0;
	bool fresh;

	flags |= e->unwound && e->stopped ? REC_STACK_STOPPED : 0u;
	flags |= !e->unwound || e->guessed ? REC_STACK_GUESSED : 0u;
	words[0] = n | (uint64_t)flags << 32;
	life->stacks++;
	for (uint32_t i = 0; i < n; i++) {
		/* a return address may stand behind the last instruction of its object */
		uint64_t module = module_of(s, life, tick, e->frames[i] - (i != 0));

		words[1 + i] = e->frames[i];
		words[1 + n + i / 4] |= (module | (i ? 0 : REC_STACK_INTERRUPTED)) << i % 4 * 16;
	}
	n = 1 + n + (n + 3) / 4;
	hash = gt_hash_text((const char *)words, n * sizeof *words);
	at = gt_perf_out_stack(life->out, hash, &fresh);
	if (!at)
		return 0;
	if (fresh)
		*at = gt_perf_out_add(life->out, REC_STACK, 0, words, n);
	return *at ? rec_link(REC_STREAM_LAUNCHER, *at) : 0;
}

/* By the copies, where they lead further. */
static void unwind(struct gt_perf_life *life, struct gt_perf_event *e)
{
	static uint64_t frames[GT_PERF_FRAMES];
	bool whole = false;
	uint32_t n = e->registers ? gt_perf_unwind(&life->space, &life->maps, e, frames, &whole, &e->guessed) : 0;

	e->unwound = n > 1;
	if (!e->unwound)
		return;
	e->frames = frames;
	e->n_frames = n;
	e->stopped = !whole;
}

static void put_sample(struct store *s, struct gt_perf_life *life, struct gt_perf_event *e)
{
	unwind(life, e);
	uint64_t tick = tick_of(s, life, e->ns), words[4] = { tick, e->tid | (uint64_t)e->cpu << 32, e->period,
		stack_of(s, life, tick, e) };

	s->unwritten += !gt_perf_out_add(
		life->out, REC_SAMPLE, s->perf->cycles ? REC_SAMPLE_CYCLES : REC_SAMPLE_CLOCK, words, 4);
}

static void put_switch(struct store *s, struct gt_perf_life *life, const struct gt_perf_event *e, int32_t what)
{
	uint64_t words[2] = { tick_of(s, life, e->ns), e->tid | (uint64_t)e->cpu << 32 };

	s->unwritten += !gt_perf_out_add(life->out, REC_SWITCH, what, words, 2);
}

/* A thread begins, ends or gets a name. */
static void put_task(struct store *s, struct gt_perf_life *life, const struct gt_perf_event *e, int32_t what)
{
	uint64_t words[8] = { tick_of(s, life, e->ns), e->tid | (uint64_t)e->parent_tid << 32 };
	char name[32];

	snprintf(name, sizeof name, "%s", e->text ? e->text : "");
	gt_perf_out_add(life->out, REC_TASK, what, words, 2 + put_text(words + 2, name));
}

/* What an exec replaces: the thread goes on in another image, without a name from here. */
static void put_end(struct store *s, struct gt_perf_life *life, struct gt_perf_event e)
{
	e.text = NULL;
	put_task(s, life, &e, REC_TASK_ENDS);
}

static void put(struct store *s, struct gt_perf_life *life, struct gt_perf_event *e)
{
	switch (e->kind) {
	case GT_PERF_SAMPLE:
		put_sample(s, life, e);
		break;
	case GT_PERF_SWITCH:
		put_switch(s, life, e, e->in ? REC_SWITCH_IN : e->preempted ? REC_SWITCH_PREEMPTED : REC_SWITCH_OUT);
		break;
	case GT_PERF_FORK:
		put_task(s, life, e, REC_TASK_BEGINS);
		break;
	case GT_PERF_EXIT:
		put_task(s, life, e, REC_TASK_ENDS);
		break;
	case GT_PERF_EXEC:
		put_task(s, life, e, REC_TASK_NAMED);
		if (s->perf->switches)          /* it runs now: the kernel tells of changes alone */
			put_switch(s, life, e, REC_SWITCH_IN);
		break;
	case GT_PERF_NAME:
		put_task(s, life, e, REC_TASK_NAMED);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------ wakings */

static bool same_tid(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct tid *)element)->tid == ((const struct tid *)key)->tid;
}

/* Whose thread it is; what wakes a thread knows its number alone. */
static void learn(struct store *s, const struct gt_perf_event *e)
{
	const struct tid key = { e->tid, e->pid };
	bool fresh;
	struct tid *at;

	if (!s->perf->n_wakings || !e->tid || e->kind == GT_PERF_WAKING)
		return;
	at = gt_map_add(&s->tids, sizeof key, gt_hash(GT_HASH, e->tid), &key, same_tid, NULL, &fresh);
	if (at)
		*at = key;
}

static void put_waking(struct store *s, const struct gt_perf_event *e)
{
	const struct tid key = { e->woken, 0 };
	const struct tid *at =
		gt_map_find(&s->tids, sizeof key, gt_hash(GT_HASH, e->woken), &key, same_tid, NULL);
	struct gt_perf_life *life = at ? gt_perf_lives_of(&s->lives, at->pid) : NULL;

	if (!life || !life->out)
		return;                 /* another program's thread */
	uint64_t words[3] = { tick_of(s, life, e->ns), e->woken | (uint64_t)e->cpu << 32,
		e->interrupted ? 0 : e->tid | (uint64_t)e->pid << 32 };
	s->unwritten += !gt_perf_out_add(life->out, REC_WAKING, 0, words, 3);
}

/* -------------------------------------------------------------------- tracepoints */

/* The description, once in each stream. */
static void put_type(struct store *s, struct gt_perf_life *life, uint32_t i, uint64_t tick)
{
	uint32_t n;
	uint64_t *words = gt_perf_tracepoint_words(&s->perf->types.v[i], tick, &n);

	if (words && gt_perf_out_add(life->out, REC_TRACEPOINT_TYPE, 0, words, n))
		life->types |= UINT64_C(1) << i;
	free(words);
}

/* An event begins with the number of its type. What precedes the program's exec is not the program's. */
static void put_tracepoint(struct store *s, const struct gt_perf_event *e)
{
	enum { MOST = 32768 };          /* the kernel's own limit is lower */
	static uint64_t words[3 + MOST / 8];
	struct gt_perf_life *life = gt_perf_lives_of(&s->lives, e->pid);
	uint16_t id = 0;
	uint32_t i = 0;

	if (e->raw_bytes >= sizeof id)
		memcpy(&id, e->raw, sizeof id);
	while (i < s->perf->types.n && s->perf->types.v[i].id != id)
		i++;
	if (!life || !life->out || i == s->perf->types.n || e->raw_bytes > MOST)
		return;
	words[0] = tick_of(s, life, e->ns);
	if (!(life->types >> i & 1))
		put_type(s, life, i, words[0]);
	words[1] = e->tid | (uint64_t)e->cpu << 32;
	words[2 + (e->raw_bytes + 7) / 8] = 0;
	words[2] = id | (uint64_t)e->raw_bytes << 32;
	memcpy(words + 3, e->raw, e->raw_bytes);
	s->unwritten += !gt_perf_out_add(life->out, REC_TRACEPOINT, 0, words, 3 + (e->raw_bytes + 7) / 8);
}

/*
 * Where the kernel told no events, processes are known by the folders that they made themselves, and by what was read
 * of them. One that has no folder begins for us where it was first read.
 */
static void know_by_readings(struct store *s)
{
	const struct gt_perf_reading *r;

	for (uint32_t i = 0; i < s->folders.images.n; i++) {
		const struct gt_perf_image *image = &s->folders.images.v[i];
		bool again = i && image[-1].pid == image->pid;
		const struct gt_perf_event e = { .pid = image->pid, .tid = image->pid, .ns = (uint64_t)image->start_ns,
			.kind = image->forked ? GT_PERF_FORK : again ? GT_PERF_EXEC : GT_PERF_SAMPLE };

		gt_perf_lives_step(&s->lives, &e);
	}
	for (uint32_t i = 0; (r = gt_perf_delay_reading(s->perf->delay, i)); i++) {
		const struct gt_perf_event e = { .kind = GT_PERF_SAMPLE, .pid = r->pid, .tid = r->pid, .ns = r->ns };
		struct gt_perf_life *life = gt_perf_lives_step(&s->lives, &e);

		if (life && !life->image && life->pid == (uint32_t)s->run->pid)
			life->image = s->run->command[0];
		if (life)
			life->records++;
	}
}

/* How long threads ran and waited, as it was read while they ran. */
static void put_readings(struct store *s)
{
	const struct gt_perf_reading *r;
	struct gt_perf_life *life = NULL;

	for (uint32_t i = 0; (r = gt_perf_delay_reading(s->perf->delay, i)); i++) {
		if (!life || life->pid != r->pid || r->ns < life->from_ns || r->ns > life->to_ns)
			life = gt_perf_lives_at(&s->lives, r->pid, r->ns, ENDED_NS);
		if (!life || !life->out)
			continue;
		uint64_t words[5] = { tick_of(s, life, r->ns), r->tid, r->ran_ns, r->delay_ns, r->turns };
		s->unwritten += !gt_perf_out_add(life->out, REC_RUN_DELAY, 0, words, 5);
	}
}

/* What the launcher did meanwhile, in the program's own image: no thread of it waited. */
static void put_costs(struct store *s)
{
	struct gt_perf_life *life = NULL;

	for (uint32_t i = 0; i < s->lives.all.n && !(life && life->out); i++)
		life = s->lives.all.v[i];
	for (uint32_t i = 0; life && life->out && i < s->perf->costs.n; i++) {
		const struct gt_perf_cost *c = &s->perf->costs.v[i];
		uint64_t words[3] = { tick_of(s, life, c->began_ns), tick_of(s, life, c->ended_ns),
			(uint64_t)REC_COST_RINGS << 32 };

		s->unwritten += !gt_perf_out_add(life->out, REC_COST, 0, words, 3);
	}
}

/* ------------------------------------------------------------------------- passes */

static void look_through(struct store *s)
{
	struct gt_perf_event e;

	while (gt_perf_spool_next(s->perf->spool, &e)) {
		struct gt_perf_life *life = gt_perf_lives_step(&s->lives, &e);

		*(e.of_tracepoints ? &s->lost_tracepoints : &s->lost) += e.lost;
		if (e.kind == GT_PERF_TRACEPOINT && (life = gt_perf_lives_of(&s->lives, e.pid)))
			life->records++;
		if (!life)
			continue;
		/* a short process may never give up its processor: it still had one */
		life->records += e.kind == GT_PERF_SAMPLE || (s->perf->switches && e.kind != GT_PERF_MAP);
		if (e.kind == GT_PERF_MAP && !life->image) {
			const struct gt_perf_file *file = gt_perf_file_of(&s->files, &e);

			life->image = file ? file->path : NULL;
		}
	}
}

static void write_through(struct store *s)
{
	struct gt_perf_event e;

	while (gt_perf_spool_next(s->perf->spool, &e)) {
		struct gt_perf_life *before = e.kind == GT_PERF_EXEC ? gt_perf_lives_of(&s->lives, e.pid) : NULL;
		struct gt_perf_life *life = gt_perf_lives_step(&s->lives, &e);

		if (before && before->out)
			put_end(s, before, e);
		if (e.kind == GT_PERF_WAKING)
			put_waking(s, &e);
		if (e.kind == GT_PERF_TRACEPOINT)
			put_tracepoint(s, &e);
		learn(s, &e);
		if (!life)
			continue;
		if (e.kind == GT_PERF_MAP) {
			gt_perf_maps_add(&life->maps, &e, gt_perf_file_of(&s->files, &e));
			gt_perf_space_changed(life->space);
		} else if (life->out)
			put(s, life, &e);
	}
}

/* Parents first: a folder names its parent's. */
static void open_lives(struct store *s)
{
	for (uint32_t i = 0; i < s->lives.all.n; i++) {
		struct gt_perf_life *life = s->lives.all.v[i];

		if (life->records)
			gt_perf_folders_open(&s->folders, life);
		s->some |= life->out != NULL;
	}
}

/*
 * It made code at run time and named it in a map for perf (an interpreter's trampolines, say), and its samples show
 * none of it: where the functions called from there keep no frame pointers, chains begin behind or beside that code.
 */
static bool hides_code(const struct store *s, const struct gt_perf_life *life)
{
	struct timespec mono, real;
	struct stat st;
	char path[48];

	if (!(s->perf->sample_type & PERF_SAMPLE_CALLCHAIN) || s->perf->sample_type & PERF_SAMPLE_STACK_USER ||
		life->made_code || life->stacks < STACKS_TO_TELL)
		return false;
	snprintf(path, sizeof path, "/tmp/perf-%u.map", life->pid);
	if (stat(path, &st) || clock_gettime(CLOCK_MONOTONIC, &mono) || clock_gettime(CLOCK_REALTIME, &real))
		return false;
	/* not one that another process with this number left */
	return real.tv_sec - st.st_mtim.tv_sec <= mono.tv_sec - (time_t)(life->from_ns / 1000000000u) + 1;
}

static bool close_lives(struct store *s)
{
	bool good = true, told = false;

	for (uint32_t i = 0; i < s->lives.all.n; i++) {
		struct gt_perf_life *life = s->lives.all.v[i];

		if (life->out && !told) {
			gt_perf_out_lost(life->out, REC_LOSS_SAMPLES_LOST, s->lost);
			gt_perf_out_lost(life->out, REC_LOSS_TRACEPOINTS_LOST, s->lost_tracepoints);
			told = true;
		}
		if (!s->hidden && hides_code(s, life))
			s->hidden = life->pid;
		gt_perf_space_free(life->space);
		life->space = NULL;
		bool written = gt_perf_out_close(life->out);

		if (written && life->out)       /* should somebody remove it, nothing else tells of it */
			gt_run_log(s->run, "launcher_stream", life->name);
		good = written && good && (life->out || !life->records);
		life->out = NULL;
	}
	return good;
}

/* The ledger says how many; what there is to be done. */
static void put_lost(const struct store *s, char *to, size_t room)
{
	size_t ring = s->perf->n_rings ? s->perf->rings[0].bytes >> 10 : 0;

	if (s->lost || s->lost_tracepoints)
		snprintf(to, room,
			"the kernel's rings (%zu KiB for each processor) were full at times: what helps is a lower "
			"--sample-rate, -t sample or sched alone, fewer tracepoints, or where an ordinary user's rings "
			"are small (4096 KiB are the most) a larger kernel.perf_event_mlock_kb or ulimit -l\n",
			ring);
}

/* A line for each; NULL: there is nothing to say. */
static char *notes_of(const struct store *s, bool good)
{
	char *text = NULL, hidden[240] = "", lost[400] = "";
	int n;

	put_lost(s, lost, sizeof lost);
	if (s->hidden)
		snprintf(hidden, sizeof hidden,
			"samples of process %u: no stack leads through the code that /tmp/perf-%u.map names, "
			"since what it calls keeps no frame pointers; --sample-stacks=copy needs none\n",
			s->hidden, s->hidden);
	n = asprintf(&text, "%s%s%s%s%s", lost,
		!good || s->perf->full
			? "some samples or context switches could not be written: no room for them\n" : "",
		s->perf->no_unwinder ? "--sample-stacks=copy: libunwind is not installed; "
				       "callers are found by frame pointers\n" : "",
		s->perf->fell_back ? "--sample=cycles: this machine counts none; samples are by the clock\n" : "",
		hidden);

	if (n > 0)
		return text;
	if (n == 0)
		free(text);
	return NULL;
}

void gt_perf_store(struct gt_perf *p, const struct gt_run *run, char **notes)
{
	struct store s = { .perf = p, .run = run };
	bool good = false;

	*notes = NULL;
	if (!p)
		return;
	gt_perf_drain(p);
	if (gt_perf_folders_begin(&s.folders, run, &s.lives) && gt_perf_spool_rewind(p->spool, p->sample_type)) {
		look_through(&s);
		if (!p->n_rings)
			know_by_readings(&s);
		open_lives(&s);
		gt_perf_lives_again(&s.lives);
		if (gt_perf_spool_rewind(p->spool, p->sample_type))
			write_through(&s);
		put_readings(&s);
		put_costs(&s);
		good = close_lives(&s);
		if (s.some)             /* a trace without anything is removed */
			gt_perf_folders_table(&s.folders);
	}
	*notes = notes_of(&s, good);
	gt_perf_lives_free(&s.lives);
	gt_perf_files_free(&s.files);
	gt_map_free(&s.tids, sizeof(struct tid));
	gt_perf_folders_free(&s.folders);
	gt_perf_free(p);
}
