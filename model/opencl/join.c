/*
 * model/opencl/join.c - device records by the call they belong to
 *
 * Harvesting writes a command's times later, maybe in another thread's stream, with a link to the call's record. The
 * opening pass sorts them by that link: 32 bytes a command, in an unlinked file once there are many (model/bulk.h). The
 * walk meets a stream's calls nearly in file order, so a cursor a stream finds each in a step or two.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/pieces.h"
#include "common/search.h"
#include "model/internal.h"
#include "common/plain/without.h"
#include "trace/format/device_time.h"

/* gt_join_entry.delta[0] >= OTHER: not in short form, queued tells where or why. */
#define OTHER 0xfffffff0u
#define WIDE 0xfffffffdu
#define UNTIMED 0xfffffffeu

struct gt_join {
	struct gt_bulk entries;           /* struct gt_join_entry */
	struct gt_bulk calls;             /* uint32_t offset / 8 of enqueue calls */
	uint32_t last_entry, last_call;   /* added */
	bool mixed_entries, mixed_calls;  /* one was not behind the last; else all are in order, each once */
	size_t cursor;
};

static struct gt_join *join_of(struct gt_model *m, uint32_t process, uint32_t stream)
{
	uint32_t place = gt_reader_stream_place(m->reader, process, stream);

	return place == UINT32_MAX ? NULL : &m->processes[process].joins[place];
}

struct gt_join *gt_join_new(uint32_t n_streams)
{
	return calloc(n_streams + 1, sizeof(struct gt_join));
}

void gt_join_free(struct gt_join *j, uint32_t n_streams)
{
	for (uint32_t i = 0; j && i < n_streams; i++) {
		gt_bulk_free(&j[i].entries);
		gt_bulk_free(&j[i].calls);
	}
	free(j);
}

/* ---------------------------------------------------------------- collecting */

/* In-order queues give records in call order already: another look at each would be most of the opening pass. */
static void added_entry(struct gt_join *j, size_t i, uint32_t at)
{
	j->mixed_entries |= i && at <= j->last_entry;
	j->last_entry = at;
}

static void added_call(struct gt_join *j, size_t i, uint32_t at)
{
	j->mixed_calls |= i && at <= j->last_call;
	j->last_call = at;
}

static int add_wide(struct gt_model *m, struct gt_join_entry *e, const struct gt_times *t)
{
	struct gt_times *w = gt_bulk_add(&m->wide, sizeof *w, &m->budget);

	if (!w)
		return -1;
	*w = *t;
	e->queued = m->wide.n - 1;
	e->delta[0] = WIDE;
	return 0;
}

static void read_narrow(struct gt_join_entry *e, const uint64_t *w)
{
	e->queued = w[1];
	e->delta[0] = (uint32_t)w[2];
	e->delta[1] = (uint32_t)(w[2] >> 32);
	e->delta[2] = (uint32_t)w[3];
	e->delta[3] = (uint32_t)(w[3] >> 32);
}

static int add_narrow(struct gt_model *m, struct gt_join_entry *e, const uint64_t *w)
{
	struct gt_times t;

	read_narrow(e, w);
	if (e->delta[0] < OTHER)
		return 0;
	t = (struct gt_times){ .queued = w[1], .submit = w[1] + e->delta[0] };
	t.start = t.submit + e->delta[1];
	t.end = t.start + e->delta[2];
	t.complete = e->delta[3] ? t.end + e->delta[3] : 0;
	return add_wide(m, e, &t);
}

static int damaged(struct gt_model *m)
{
	gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
	return 0;
}

int gt_join_add_command(struct gt_model *m, const struct gt_rec *rec)
{
	const uint64_t *w = rec->args;
	bool timed = rec->id == REC_COMMAND, wide = rec->flags & REC_WIDE;
	struct gt_join *j;
	struct gt_join_entry *e;

	if (rec->n_args < (!timed ? 2u : wide ? 6u : 4u))
		return damaged(m);
	j = w[0] ? join_of(m, rec->process, rec_link_stream(w[0])) : NULL;
	if (!j) {
		gt_check_failed(m, GT_CHECK_CALLS, 1, NULL);
		return 0;
	}
	added_entry(j, j->entries.n, (uint32_t)(w[0] >> 32));
	e = gt_bulk_add(&j->entries, sizeof *e, &m->budget);
	if (!e)
		return -1;
	*e = (struct gt_join_entry){ .at = (uint32_t)(w[0] >> 32), .status = rec->result };
	if (!timed) {
		e->queued = (uint32_t)w[1];
		e->delta[0] = UNTIMED;
		return 0;
	}
	if (wide)
		return add_wide(m, e,
			&(struct gt_times){
				.queued = w[1], .submit = w[2], .start = w[3], .end = w[4], .complete = w[5] });
	return add_narrow(m, e, w);
}

bool gt_join_short(const struct gt_rec *rec, uint32_t *stream, struct gt_join_entry *e)
{
	const uint64_t *w = rec->args;
	bool timed = rec->id == REC_COMMAND;

	if (rec->n_args < (timed ? 4u : 2u) || (timed && rec->flags & REC_WIDE) || !w[0])
		return false;
	*stream = rec_link_stream(w[0]);
	e->at = (uint32_t)(w[0] >> 32);
	e->status = rec->result;
	if (timed)
		read_narrow(e, w);
	else
		*e = (struct gt_join_entry){
			.at = e->at, .status = e->status, .queued = (uint32_t)w[1], .delta = { UNTIMED } };
	return !timed || e->delta[0] < OTHER;
}

int gt_join_add_short(struct gt_model *m, uint32_t process, uint32_t stream, const struct gt_join_entry *e, size_t n)
{
	struct gt_join *j = join_of(m, process, stream);

	if (!j) {
		gt_check_failed(m, GT_CHECK_CALLS, n, NULL);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		added_entry(j, j->entries.n + i, e[i].at);
	return gt_bulk_append(&j->entries, sizeof *e, e, n, &m->budget) ? 0 : -1;
}

int gt_join_add_calls(struct gt_model *m, uint32_t process, uint32_t stream, const uint32_t *at, size_t n)
{
	struct gt_join *j = join_of(m, process, stream);

	for (size_t i = 0; j && i < n; i++)
		added_call(j, j->calls.n + i, at[i]);
	return j && gt_bulk_append(&j->calls, sizeof *at, at, n, &m->budget) ? 0 : -1;
}

int gt_join_add_call(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_join *j = join_of(m, rec->process, rec->stream);
	uint32_t *at;

	if (j)
		added_call(j, j->calls.n, (uint32_t)(rec->offset / 8));
	at = j ? gt_bulk_add(&j->calls, sizeof *at, &m->budget) : NULL;

	if (!at)
		return -1;
	*at = (uint32_t)(rec->offset / 8);
	return 0;
}

int gt_join_add_local_size(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_local_size *s;

	if (rec->n_args < 5)
		return damaged(m);
	s = GT_LIST_ADD(&m->local_sizes);
	if (!s)
		return -1;
	*s = (struct gt_local_size){ .link = rec->args[0],
		.process = rec->process,
		.dims = (uint32_t)rec->args[1],
		.source = (uint32_t)(rec->args[1] >> 32),
		.size = { rec->args[2], rec->args[3], rec->args[4] } };
	if (s->dims < 1 || s->dims > 3 || s->source > REC_LOCAL_SUGGESTED) {
		m->local_sizes.n--;
		return damaged(m);
	}
	return 0;
}

/* ------------------------------------------------------------------ sorting */

/* A pass over an array has come to element i: what is behind leaves memory as it goes, where a file holds it. */
static void pass(const struct gt_bulk *b, size_t size, size_t i)
{
	if (b->fd && i && !(i % (GT_BULK_FORGET / size)))
		gt_bulk_forget(b, 0, i * size);
}

/* Timed before untimed, so that of two records of one command the one with times counts. */
static int compare_entries(const void *a, const void *b)
{
	const struct gt_join_entry *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->delta[0] == UNTIMED) - (y->delta[0] == UNTIMED);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_local(const void *a, const void *b)
{
	const struct gt_local_size *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->link < y->link ? -1 : x->link > y->link;
}

/* Keeps the first of several records of one command. */
static void drop_doubles(struct gt_bulk *b)
{
	struct gt_join_entry *v = b->data;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		pass(b, sizeof *v, i);
		if (!n || v[i].at != v[n - 1].at)
			v[n++] = v[i];
	}
	b->n = n;
}

/* all_*: those that were looked at. */
struct alone { uint64_t commands, calls, all_commands, all_calls; };

/* A command whose call the ring took is nobody's fault. */
static struct alone count_alone(const struct gt_model *m, const struct gt_join *j, uint32_t process, uint32_t stream)
{
	const struct gt_join_entry *e = j->entries.data;
	const uint32_t *c = j->calls.data;
	struct alone alone = { .all_commands = j->entries.n, .all_calls = j->calls.n };
	size_t i = 0, k = 0;

	while (i < j->entries.n || k < j->calls.n) {
		bool have_e = i < j->entries.n, have_c = k < j->calls.n;

		pass(&j->entries, sizeof *e, i);
		if (have_e && (!have_c || e[i].at < c[k])) {
			alone.commands +=
				!gt_reader_overwritten(m->reader, process, rec_link(stream, (uint64_t)e[i].at * 8));
			i++;
		} else if (have_c && (!have_e || c[k] < e[i].at)) {
			alone.calls++;
			k++;
		} else {
			i++;
			k++;
		}
	}
	return alone;
}

/* Streams are sorted beside each other; what has no partner is counted in their order. */
struct finish {
	struct gt_model *m;
	struct place { uint32_t process, stream; } *places;
	struct alone *alone;              /* of each worker's stream */
};

static int finish_stream(void *ctx, unsigned worker, size_t piece)
{
	const struct finish *f = ctx;
	const struct place *at = &f->places[piece];
	struct gt_join *j = &f->m->processes[at->process].joins[at->stream];

	if (j->mixed_entries) {
		qsort(j->entries.data, j->entries.n, sizeof(struct gt_join_entry), compare_entries);
		drop_doubles(&j->entries);
	}
	if (j->mixed_calls)
		qsort(j->calls.data, j->calls.n, sizeof(uint32_t), compare_u32);
	f->alone[worker] = count_alone(f->m, j, at->process,
		gt_reader_stream_number(f->m->reader, at->process, at->stream));
	gt_bulk_free(&j->calls);
	gt_bulk_forget(&j->entries, 0, j->entries.capacity);
	return 0;
}

static int count_losses(void *ctx, unsigned worker, size_t piece, int rc)
{
	const struct finish *f = ctx;
	const struct alone *alone = &f->alone[worker];

	gt_check_looked(f->m, GT_CHECK_CALLS, alone->all_commands);
	if (alone->commands)
		gt_check_failed(f->m, GT_CHECK_CALLS, alone->commands, NULL);
	if (!f->m->processes[f->places[piece].process].device_times)
		return rc;
	gt_check_looked(f->m, GT_CHECK_WORK, alone->all_calls);
	if (alone->calls)
		gt_check_failed(f->m, GT_CHECK_WORK, alone->calls, NULL);
	return rc;
}

int gt_join_finish(struct gt_model *m)
{
	struct finish f = { .m = m, .alone = calloc(m->jobs, sizeof *f.alone) };
	size_t n = 0;

	for (uint32_t p = 0; p < m->n_processes; p++)
		n += m->processes[p].n_streams;
	f.places = malloc((n + 1) * sizeof *f.places);
	n = 0;
	for (uint32_t p = 0; f.places && p < m->n_processes; p++)
		for (uint32_t s = 0; s < m->processes[p].n_streams; s++)
			f.places[n++] = (struct place){ p, s };
	if (f.places && f.alone)
		gt_pieces_do(&(struct gt_pieces){
			.workers = m->jobs, .n = n, .ctx = &f, .work = finish_stream, .turn = count_losses });
	if (f.places && f.alone && m->local_sizes.n)
		qsort(m->local_sizes.v, m->local_sizes.n, sizeof *m->local_sizes.v, compare_local);
	gt_cpu_finish(m);
	n = f.places && f.alone;
	free(f.places);
	free(f.alone);
	return n ? 0 : -1;
}

/* ------------------------------------------------------------------ looking up */

/* From the cursor on in doubling steps, then by halves: a step or two for calls in file order. */
static const struct gt_join_entry *find_entry(struct gt_join *j, uint32_t at)
{
	const struct gt_join_entry *v = j->entries.data;
	size_t n = j->entries.n, low = j->cursor, step = 1, high;

	if (low >= n || v[low].at > at)
		low = 0;
	for (high = low; high < n && v[high].at < at; step *= 2) {
		low = high + 1;
		high = n - high > step ? high + step : n;
	}
	GT_SEARCH_FROM(low, low, high, v[low].at < at);
	if (j->entries.fd && low / (GT_BULK_FORGET / sizeof *v) != j->cursor / (GT_BULK_FORGET / sizeof *v))
		gt_bulk_forget(&j->entries, 0, low * sizeof *v);
	j->cursor = low;
	return low < n && v[low].at == at ? &v[low] : NULL;
}

static void read_short(const struct gt_join_entry *e, struct gt_times *out)
{
	*out = (struct gt_times){ .timed = true, .status = e->status, .reason = -1, .queued = e->queued };
	out->submit = e->queued + e->delta[0];
	out->start = out->submit + e->delta[1];
	out->end = out->start + e->delta[2];
	out->complete = e->delta[3] ? out->end + e->delta[3] : 0; /* 0: not asked */
}

/*
 * A command that failed has a record with its code and no times worth the name; in an older trace there may be times
 * that cannot be.
 */
static void judge(struct gt_times *t)
{
	int none = t->timed && !gc_without("no-time") ? rec_no_time(t->start, t->end, 0) : -1;

	if (none >= 0) {
		t->timed = false;
		t->reason = none;
	}
	if ((t->timed || none >= 0) && t->status < 0) {
		t->timed = false;
		t->reason = REC_LOSS_FAILED_COMMAND;
	}
}

bool gt_join_times(struct gt_model *m, uint32_t process, uint32_t stream, uint64_t offset, struct gt_times *out)
{
	struct gt_join *j = join_of(m, process, stream);
	const struct gt_join_entry *e = j && j->entries.n ? find_entry(j, (uint32_t)(offset / 8)) : NULL;

	if (!e)
		return false;
	if (e->delta[0] == UNTIMED) {
		*out = (struct gt_times){ .status = e->status,
			.reason = e->queued < REC_LOSS_COUNT ? (int)e->queued : -1 };
	} else if (e->delta[0] == WIDE) {
		*out = ((const struct gt_times *)m->wide.data)[e->queued];
		out->timed = true;
		out->status = e->status;
		out->reason = -1;
	} else {
		read_short(e, out);
	}
	judge(out);
	return true;
}

const struct gt_local_size *gt_join_local_size(struct gt_model *m, uint32_t process, uint32_t stream, uint64_t offset)
{
	struct gt_local_size key = { .link = rec_link(stream, offset), .process = process };

	return m->local_sizes.n ? bsearch(&key, m->local_sizes.v, m->local_sizes.n, sizeof key, compare_local) : NULL;
}
