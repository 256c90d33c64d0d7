/*
 * model/model.c - open a trace; answers about the whole of it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/counted.h"
#include "common/paged.h"
#include "common/text.h"
#include "model/cuda/table.h"
#include "model/cuda/take.h"
#include "model/internal.h"

static void lose_table(struct gt_model *m, const char *what)
{
	struct gt_note *n;

	gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
	if ((n = GT_LIST_ADD(&m->notes)))
		*n = (struct gt_note){ .text = what };
	else
		m->no_memory = true;
}

/*
 * What objects beside the shim's library brought of their functions, each behind what came before. Items that cannot be
 * read are left out, and counted: calls of theirs have no names then.
 */
static bool add_functions(struct gt_model *m, struct gt_text *all)
{
	struct gt_err ignored = { 0 };
	char *items;
	size_t bytes;
	int got;

	for (unsigned i = 0; (got = gt_reader_functions(m->reader, i, &items, &bytes, &ignored)); i++) {
		struct gt_fntable *with = NULL;
		size_t before = all->used;

		if (got > 0) {
			gt_text_bytes(all, items, bytes);
			free(items);
		}
		if (got > 0 && !all->failed && !gt_fntable_parse(all->data, all->used, &with, &ignored)) {
			gt_fntable_free(m->table);
			m->table = with;
			continue;
		}
		lose_table(m, "a table of functions (of the C library, of OpenMP or the like) is damaged: their calls "
			      "have no names");
		all->used = before;
	}
	return !all->failed;
}

/* Without it names come from the reader's own table, which knows fewer calls: nobody should have to guess that. */
static void check_cuda_table(struct gt_model *m)
{
	struct gt_cuda_table *table = NULL;
	const char *text;
	size_t bytes;

	if (gt_reader_cuda_table(m->reader, &text, &bytes))
		table = gt_cuda_table_parse(text, bytes);
	if (!table && gt_reader_cuda_table_there(m->reader))
		lose_table(m, "the table of CUDA's arguments is damaged: names come from the reader's own, as far as "
			      "it knows the calls");
	else if (!table && gt_reader_fact(m->reader, -1, "launcher_pid", 0) && /* who alone stores it */
		gt_model_option_is(m, -1, GT_TAKEN_CUDA_ARGS, "true"))
		lose_table(m, "the table of CUDA's arguments is missing: names come from the reader's own, as far as "
			      "it knows the calls");
	gt_cuda_table_free(table);
}

static int open_table(struct gt_model *m, struct gt_err *err)
{
	struct gt_text all = { 0 };
	const char *text;
	size_t bytes;
	bool whole;

	if (gt_reader_table(m->reader, &text, &bytes, err) || gt_fntable_parse(text, bytes, &m->table, err))
		return -1;
	gt_text_bytes(&all, text, bytes);
	whole = add_functions(m, &all);
	gt_text_free(&all);
	if (!whole)
		return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
	m->fn_info = gt_fn_infos(m->table);
	return m->fn_info
		? 0
		: gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
}

int gt_model_open_reader(struct gt_reader *r, const char *path, const struct gt_model_options *opt,
	struct gt_model **out, struct gt_err *err)
{
	struct gt_model *m = calloc(1, sizeof *m);

	*out = NULL;
	if (!m) {
		gt_reader_close(r);
		return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", path);
	}
	m->reader = r;
	m->cuda_table = opt ? opt->cuda_table : NULL;
	m->peaks = opt ? opt->peaks : NULL;
	m->cupti = opt ? opt->cupti : NULL;
	m->jobs = opt && opt->jobs ? opt->jobs : 1;
	m->session.path = gt_arena_copy(&m->arena, path, strlen(path));
	if (!m->session.path || open_table(m, err) || gt_model_read_all(m, opt, err)) {
		gt_model_close(m);
		return err->what[0] ? -1 : gt_no_memory(err);
	}
	if (m->n_processes)
		check_cuda_table(m);
	*out = m;
	return 0;
}

int gt_model_open(const char *path, const struct gt_model_options *opt, struct gt_model **out, struct gt_err *err)
{
	struct gt_reader *r;

	*out = NULL;
	return gt_reader_open_jobs(path, opt && opt->jobs ? opt->jobs : 1, &r, err)
		? -1
		: gt_model_open_reader(r, path, opt, out, err);
}

void gt_model_close(struct gt_model *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->processes && i < m->n_processes; i++) {
		struct gt_process_state *p = &m->processes[i];

		for (uint32_t s = 0; p->streams && s < p->n_streams; s++)
			free(p->streams[s].holder);
		free(p->streams);
		gt_join_free(p->joins, p->n_streams);
	}
	gt_objects_reset(m);
	gt_texts_free(m);
	gt_cuda_free(m->cuda);
	free(m->processes);
	free(m->threads.v);
	free(m->thread_start.v);
	free(m->numbered);
	free(m->other_threads.v);
	free(m->outputs.v);
	gt_map_free(&m->thread_map, sizeof(struct gt_known_thread));
	free(m->notes.v);
	free(m->image_records.v);
	free(m->counters.v);
	free(m->hsa.v);
	gt_facts_forget_answers(m);
	gt_bulk_free(&m->facts);
	gt_bulk_free(&m->creations);
	free(m->calibrations.v);
	free(m->raw_clock.v);
	gt_map_free(&m->clocks, sizeof(struct gt_clock_slot));
	free(m->local_sizes.v);
	free(m->cpu_counted.v);
	gt_map_free(&m->devices, sizeof(struct gt_device_number));
	gt_bulk_free(&m->wide);
	gt_ranges_free(m);
	gt_unknowns_free(m);
	gt_symbols_free(m);
	gt_stacks_free(m);
	gt_python_free(m);
	gt_threads_free(m);
	gt_payloads_free(m);
	free(m->fn_info);
	gt_fntable_free(m->table);
	if (m->reader)
		gt_reader_close(m->reader);
	gt_arena_free(&m->arena);
	free(m);
}

const struct gt_session *gt_model_session(const struct gt_model *m) { return &m->session; }
const struct gt_fntable *gt_model_table(const struct gt_model *m) { return m->table; }
int64_t gt_model_mono_ns(const struct gt_model *m, uint32_t process, int64_t session_ns)
{
	return session_ns + m->processes[process].to_mono_ns;
}
uint32_t gt_model_process_count(const struct gt_model *m) { return m->n_processes; }
const struct gt_process *gt_model_process(const struct gt_model *m, uint32_t i)
{
	return i < m->n_processes ? &m->processes[i].pub : NULL;
}
uint32_t gt_model_thread_count(const struct gt_model *m) { return m->threads.n; }
const struct gt_thread *gt_model_thread(const struct gt_model *m, uint32_t i)
{
	return i < m->threads.n ? &m->threads.v[i] : NULL;
}
uint32_t gt_model_object_count(const struct gt_model *m) { return (uint32_t)m->objects.n; }
struct gt_object *gt_model_object(struct gt_model *m, uint32_t i)
{
	gt_paged_tick();
	return i < m->objects.n ? &((struct gt_entity **)m->objects.data)[i]->pub : NULL;
}
uint32_t gt_model_note_count(const struct gt_model *m) { return m->notes.n; }
const struct gt_note *gt_model_note(const struct gt_model *m, uint32_t i)
{
	return i < m->notes.n ? &m->notes.v[i] : NULL;
}
uint32_t gt_model_hsa_kernel_count(const struct gt_model *m) { return m->hsa.n; }
const struct gt_hsa_kernel *gt_model_hsa_kernel(const struct gt_model *m, uint32_t i)
{
	return i < m->hsa.n ? &m->hsa.v[i] : NULL;
}

int gt_call_tid(const struct gt_call *call)
{
	const struct gt_thread *t = gt_model_thread(call->model, call->thread);

	return t ? t->tid : call->cuda ? call->cuda->tid : -1;
}

bool gt_model_blob(struct gt_model *m, const uint64_t id[2], struct gt_string *out, uint64_t *total_bytes)
{
	const void *data;
	int found = gt_reader_blob(m->reader, id, &data, &out->bytes, total_bytes);

	if (found < 0)
		m->no_memory = true;
	if (found != 1)
		return false;
	out->text = data;
	return true;
}

bool gt_model_words(struct gt_model *m, const uint64_t id[2], uint64_t **to, size_t *room, size_t *words)
{
	int found = gt_reader_blob_words(m->reader, id, to, room, words);

	if (found < 0)
		m->no_memory = true;
	return found == 1;
}

bool gt_model_blob_total(struct gt_model *m, const uint64_t id[2], uint64_t *total_bytes)
{
	return gt_reader_blob_total(m->reader, id, total_bytes);
}

void gt_model_blob_forget(struct gt_model *m, const uint64_t id[2]) { gt_reader_blob_forget(m->reader, id); }

bool gt_model_no_memory(const struct gt_model *m) { return m->no_memory; }

/* ------------------------------------------------------------------- ledger */

static const char *const loss_texts[] = {
#define X(id, text) text,
	REC_REASONS(X)
#undef X
};

uint64_t gt_model_lost(const struct gt_model *m, enum rec_loss reason)
{
	if ((unsigned)reason >= REC_LOSS_END)
		return 0;
	return m->lost[reason] + (reason < REC_LOSS_COUNT ? m->lost_writer[reason] : 0) +
		gt_reader_lost(m->reader, reason);
}

void gt_model_count_loss(struct gt_model *m, enum rec_loss reason, uint64_t n)
{
	if ((unsigned)reason < REC_LOSS_END && (reason == REC_LOSS_CLAMPED || !m->quiet))
		m->lost[reason] += n;
}

/* Reasons that tell of something the reader of a report should know but that leave nothing out. */
static bool only_tells(enum rec_loss reason)
{
	return reason == REC_LOSS_CLAMPED || reason == REC_LOSS_FAILED_COMMAND || reason == REC_LOSS_CLOCK_BREAK ||
		reason == REC_LOSS_TIME_UNORDERED || reason == REC_LOSS_OTHER_FOREIGN ||
		reason == REC_LOSS_TIME_OVERLAP;
}

const char *gt_model_not_gathered(const struct gt_model *m, unsigned n) { return gt_reader_not_gathered(m->reader, n); }

static uint32_t count_live(const struct gt_model *m, enum gt_live live)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_processes; i++)
		n += m->processes[i].pub.live == live;
	return n;
}

bool gt_model_live(const struct gt_model *m) { return count_live(m, GT_LIVE_YES) || gt_reader_left(m->reader)->n; }

const struct gt_holders *gt_model_left(const struct gt_model *m) { return gt_reader_left(m->reader); }

bool gt_model_complete(const struct gt_model *m)
{
	if (gt_model_live(m) || gt_reader_gatherer(m->reader))
		return false;
	for (int i = 0; i < REC_LOSS_END; i++)
		if (!only_tells((enum rec_loss)i) && gt_model_lost(m, (enum rec_loss)i))
			return false;
	return true;
}

/* Appends, cutting at the end of the buffer. */
static size_t append(char *buf, size_t bytes, size_t at, const char *before, uint64_t n, const char *text)
{
	int wrote;

	if (at >= bytes)
		return at;
	wrote = snprintf(buf + at, bytes - at, "%s%s", before, gt_counted(n, text).text);
	return wrote < 0 ? at : at + (size_t)wrote;
}

static size_t append_losses(
	const struct gt_model *m, char *buf, size_t bytes, size_t at, bool telling, const char *first)
{
	for (int i = 0; i < REC_LOSS_END; i++) {
		uint64_t n = gt_model_lost(m, (enum rec_loss)i);

		if (!n || only_tells((enum rec_loss)i) != telling)
			continue;
		at = append(buf, bytes, at, first, n, loss_texts[i]);
		first = "; ";
	}
	return at;
}

/* "still recording: process 17 (make), 18 (cc1)"; the first few by name. */
static size_t append_live(
	const struct gt_model *m, char *buf, size_t bytes, size_t at, enum gt_live live, const char *first)
{
	uint32_t n = count_live(m, live), said = 0;

	for (uint32_t i = 0; i < m->n_processes && said < n && said < 8 && at < bytes; i++) {
		const struct gt_process *p = &m->processes[i].pub;
		const char *slash = strrchr(p->image, '/');

		if (p->live == live)
			at += (size_t)snprintf(buf + at, bytes - at, "%s%d (%.32s)", said++ ? ", " : first, p->pid,
				slash ? slash + 1 : p->image);
	}
	if (n > said && at < bytes)
		at += (size_t)snprintf(buf + at, bytes - at, " and %u more", n - said);
	return at;
}

/* "still running, and may record: process 19 (sleep)": of the run, and not seen in the trace so far. */
static size_t append_left(const struct gt_model *m, char *buf, size_t bytes, size_t at, const char *first)
{
	const struct gt_holders *left = gt_reader_left(m->reader);
	char text[512];

	if (left->n && at < bytes)
		at += (size_t)snprintf(buf + at, bytes - at, "%sstill running, and may record: process %s", first,
			gt_holders_text(left, text, sizeof text));
	return at;
}

const char *gt_model_complete_text(const struct gt_model *m, char *buf, size_t bytes)
{
	bool complete = gt_model_complete(m);
	int gatherer = gt_reader_gatherer(m->reader);
	size_t at;

	if (!bytes)
		return buf;
	at = (size_t)snprintf(buf, bytes, "complete: %s", complete ? "yes" : "no (");
	at = append_live(m, buf, bytes, at, GT_LIVE_YES, "still recording: process ");
	at = append_left(m, buf, bytes, at, count_live(m, GT_LIVE_YES) ? "; " : "");
	if (gatherer && at < bytes)
		at += (size_t)snprintf(buf + at, bytes - at, "%sstill being written: by gputap run, process %d",
			gt_model_live(m) ? "; " : "", gatherer);
	at = append_losses(m, buf, bytes, at, false, gt_model_live(m) || gatherer ? "; " : "");
	if (!complete && at < bytes)
		at += (size_t)snprintf(buf + at, bytes - at, ")");
	at = append_losses(m, buf, bytes, at, true, "; also ");
	append_live(m, buf, bytes, at, GT_LIVE_UNSEEN,
		"; not known whether still recording, on another machine or in another container: process ");
	return buf;
}
