/*
 * analysis/sections/report_write.c - a report file from actions
 *
 * As other writers do: a block that holds the session, then a block for each result with the strings that are new in
 * it.
 *
 * spec: NCU "Report File Format"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/class.h"
#include "analysis/sections/report_file.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/utf8.h"

#include <stdlib.h>

#define VERSION 7
#define PLATFORM_LINUX 2

struct writing {
	struct gt_text *out;
	struct gt_arena arena;                    /* of one block */
	GT_LIST(struct gt_string) strings;
	struct gt_map ids;                        /* of uint32_t: place in strings */
	uint32_t written;                         /* strings that stand in blocks already */
	uint32_t sources;                         /* the same of sources: each stands in front of its first kernel */
	const struct gt_ncurep_session *session;
	bool failed;
};

/* ------------------------------------------------------------------ strings */

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct writing *w = ctx;

	return gt_same_text(w->strings.v[*(const uint32_t *)element], *(const struct gt_string *)key);
}

static uint32_t id_of(struct writing *w, struct gt_string s)
{
	struct gt_string *place;
	uint32_t *id;
	bool fresh;

	id = gt_map_add(&w->ids, sizeof *id, gt_hash_text(s.text, s.bytes), &s, same, w, &fresh);
	w->failed |= !id;
	if (!id)
		return 0;
	if (fresh) {
		*id = w->strings.n;
		place = GT_LIST_ADD(&w->strings);
		w->failed |= !place;
		if (!place)
			return 0;
		*place = s;
	}
	return *id;
}

/* ------------------------------------------------------------------ fields; what cannot be had is remembered */

static struct gt_message *part(struct writing *w, struct gt_message *m, const char *field)
{
	struct gt_message *p = m ? gt_message_add_part(&w->arena, m, field) : NULL;

	w->failed |= !p;
	return p;
}

static void number(struct writing *w, struct gt_message *m, const char *field, uint64_t v)
{
	w->failed |= !m || !gt_message_add_integer(&w->arena, m, field, v);
}

/* Readers take texts for UTF-8. */
static void text(struct writing *w, struct gt_message *m, const char *field, struct gt_string s)
{
	struct gt_text valid = { 0 };

	gt_utf8_put_valid(&valid, s.text, s.bytes);
	w->failed |= valid.failed || !m ||
		!gt_message_add_text(&w->arena, m, field, valid.data ? valid.data : "", valid.used);
	gt_text_free(&valid);
}

static void words(struct writing *w, struct gt_message *m, const char *field, const char *s)
{
	if (s && *s)
		text(w, m, field, (struct gt_string){ s, strlen(s) });
}

static void some(struct writing *w, struct gt_message *m, const char *field, struct gt_string s)
{
	if (s.bytes)
		text(w, m, field, s);
}

/* A message that stands elsewhere, as it is. */
static void whole(struct writing *w, struct gt_message *m, const char *field, const struct gt_message *is)
{
	struct gt_message_value *v = is ? gt_message_add(&w->arena, m, field) : NULL;

	w->failed |= is && !v;
	if (v)
		v->part = (struct gt_message *)is;
}

static void sizes(struct writing *w, struct gt_message *m, const char *field, const uint64_t v[3])
{
	struct gt_message *p = part(w, m, field);

	number(w, p, "X", v[0]);
	number(w, p, "Y", v[1]);
	number(w, p, "Z", v[2]);
}

/* ------------------------------------------------------------------ metrics */

/* launch: readers expect numbers with a fraction there, whole ones too. */
static void value(struct writing *w, struct gt_message *m, const char *field, const struct gt_metric_value *v,
	bool launch)
{
	struct gt_message *p = part(w, m, field);

	if (!p)
		return;
	if (v->type == GT_METRIC_TEXT)
		text(w, p, "StringValue", (struct gt_string){ v->text, strlen(v->text) });
	else if (v->type == GT_METRIC_INTEGER && !launch)
		number(w, p, "Uint64Value", v->integer);
	else
		w->failed |= !gt_message_add_real(&w->arena, p, "DoubleValue",
			v->type == GT_METRIC_INTEGER ? (double)v->integer : v->real);
}

static void metric(struct writing *w, struct gt_message *result, const struct gt_action_metric *m)
{
	struct gt_message *p = part(w, result, "MetricResults");
	enum gt_metric_class class = gt_metric_class(m->name);
	bool launch = class == GT_CLASS_LAUNCH;

	if (!p)
		return;
	number(w, p, "NameId", id_of(w, m->name));
	if (m->value.regular.type != GT_METRIC_NONE)
		value(w, p, "MetricValue", &m->value.regular, launch);
	for (uint32_t i = 0; i < m->value.n && !w->failed; i++) {
		const struct gt_instance *one = &m->value.instances[i];
		struct gt_message *e = part(w, p, "MetricValueList");

		if (one->id.type != GT_METRIC_NONE)
			value(w, e, "CorrelationId", &one->id, false);
		value(w, e, "ElementValue", &one->value, launch);
	}
	if (class == GT_CLASS_PM_SAMPLING)
		number(w, p, "Category", 1);
	some(w, p, "Unit", m->unit);
	some(w, p, "Description", m->description);
	if (!gt_action_available(m))
		some(w, p, "Why", m->why);
}

/* ------------------------------------------------------------------ results */

static void name_kernel(struct writing *w, struct gt_message *m, const struct gt_action *a)
{
	static const uint64_t zero[3];
	struct gt_message *source;

	number(w, m, "ProgramHandle", 0);
	number(w, m, "KernelID", 0);
	text(w, m, "KernelMangledName", a->mangled);
	text(w, m, "KernelFunctionName", a->function);
	text(w, m, "KernelDemangledName", a->demangled);
	number(w, m, "WorkDimensions", a->dims);
	sizes(w, m, "GlobalWorkOffset", zero);
	sizes(w, m, "GridSize", a->grid);
	sizes(w, m, "BlockSize", a->block);
	source = part(w, m, "Source");
	if (a->source)
		number(w, source, "Reference", a->source);
}

static const struct gt_message_type *const types[] = { [GT_WORK_KERNEL] = &gt_type_ProfileResult,
	[GT_WORK_RANGE] = &gt_type_RangeResult, [GT_WORK_COMMAND_LIST] = &gt_type_CmdlistResult,
	[GT_WORK_GRAPH] = &gt_type_GraphResult };

static const struct gt_message *result(struct writing *w, const struct gt_action *a)
{
	struct gt_message *m = gt_message_new(&w->arena, types[a->workload]);
	bool kernel = a->workload == GT_WORK_KERNEL;

	w->failed |= !m;
	if (!m)
		return NULL;
	number(w, m, "ThreadID", a->thread);
	number(w, m, "APICallID", a->call);
	if (kernel)
		name_kernel(w, m, a);
	for (uint32_t i = 0; i < a->metrics.n && !w->failed; i++)
		metric(w, m, &a->metrics.v[i]);
	number(w, m, "CreationTime", a->created_s);
	for (uint32_t i = 0; i < a->sections.n; i++)
		whole(w, m, "Sections", a->sections.v[i]);
	for (uint32_t i = 0; i < a->rules.n && gt_field_find(m->type, "RuleResults", 11); i++)
		whole(w, m, "RuleResults", a->rules.v[i]);
	whole(w, m, "Nvtx", a->nvtx);
	if (a->has_context)
		number(w, m, "ContextID", a->context);
	if (a->has_stream && a->workload != GT_WORK_RANGE)
		number(w, m, "StreamID", a->stream);
	if (a->workload != GT_WORK_RANGE)
		some(w, m, "StreamName", a->stream_name);
	if (kernel)
		whole(w, m, "Trace", a->trace);
	return m;
}

/* ------------------------------------------------------------------ blocks */

static void put_size(struct gt_text *t, uint64_t n)
{
	for (int i = 0; i < 4; i++)
		gt_text_char(t, (char)(n >> 8 * i & 0xff));
	t->failed |= n > UINT32_MAX;
}

static void put_sized(struct gt_text *out, const struct gt_message *m)
{
	struct gt_text t = { 0 };

	gt_message_encode(&t, m);
	put_size(out, t.used);
	gt_text_bytes(out, t.data, t.used);
	out->failed |= t.failed;
	gt_text_free(&t);
}

/* Sources up to that of the action. */
static uint32_t put_sources(struct writing *w, struct gt_text *payload, const struct gt_actions *as,
	const struct gt_action *a)
{
	uint32_t n = 0;

	for (; a && w->sources < as->sources.n && w->sources < a->source; n++)
		put_sized(payload, as->sources.v[w->sources++]);
	return n;
}

static void put_block(struct writing *w, const struct gt_actions *as, const struct gt_action *a,
	struct gt_message *session)
{
	static const char *const counts[] = { [GT_WORK_KERNEL] = "NumResults", [GT_WORK_RANGE] = "NumRangeResults",
		[GT_WORK_COMMAND_LIST] = "NumCmdlistResults", [GT_WORK_GRAPH] = "NumGraphResults" };
	struct gt_message *header = gt_message_new(&w->arena, &gt_type_BlockHeader), *table, *process;
	struct gt_text payload = { 0 };
	const struct gt_message *m = a ? result(w, a) : NULL;
	uint32_t sources = put_sources(w, &payload, as, a);

	if (m)
		put_sized(&payload, m);
	number(w, header, "NumSources", sources);
	number(w, header, "NumResults", a && a->workload == GT_WORK_KERNEL);
	if (header)
		whole(w, header, "SessionDetails", session);
	table = part(w, header, "StringTable");
	for (; w->written < w->strings.n && !w->failed; w->written++)
		text(w, table, "Strings", w->strings.v[w->written]);
	number(w, header, "PayloadSize", payload.used);
	process = part(w, header, "Process");
	number(w, process, "ProcessID", a ? a->pid : w->session->pid);
	words(w, process, "Hostname", w->session->host);
	if (a && a->process.bytes)
		text(w, process, "ProcessName", a->process);
	else
		words(w, process, "ProcessName", w->session->process);
	if (a && a->workload != GT_WORK_KERNEL)
		number(w, header, counts[a->workload], 1);
	if (header)
		put_sized(w->out, header);
	gt_text_bytes(w->out, payload.data, payload.used);
	w->out->failed |= payload.failed || payload.used > UINT32_MAX;
	gt_text_free(&payload);
	gt_arena_free(&w->arena);
}

static struct gt_message *session(struct writing *w)
{
	struct gt_message *m = gt_message_new(&w->arena, &gt_type_ReportSessionDetails), *host, *version;

	w->failed |= !m;
	if (!m)
		return NULL;
	number(w, m, "ProcessID", w->session->pid);
	number(w, m, "CreationTime", w->session->created_s);
	host = part(w, m, "HostSystemInfo");
	words(w, host, "OSName", w->session->os);
	words(w, host, "Architecture", w->session->arch);
	words(w, host, "ComputerName", w->session->host);
	number(w, host, "Platform", PLATFORM_LINUX);
	if (w->session->version && *w->session->version) {
		version = part(w, m, "VersionInfo");
		words(w, version, "Provider", "gputap");
		words(w, version, "Version", w->session->version);
	}
	return m;
}

static void put_head(struct writing *w)
{
	struct gt_message *m = gt_message_new(&w->arena, &gt_type_FileHeader);

	gt_text_bytes(w->out, "NVR", 4);
	number(w, m, "Version", VERSION);
	if (m)
		put_sized(w->out, m);
}

void gt_ncurep_put(struct gt_text *out, const struct gt_actions *as, const struct gt_ncurep_session *about)
{
	struct writing w = { .out = out, .session = about };

	put_head(&w);
	put_block(&w, as, NULL, session(&w));
	for (uint32_t i = 0; i < as->all.n && !w.failed && !out->failed; i++)
		put_block(&w, as, &as->all.v[i], NULL);
	out->failed |= w.failed;
	gt_arena_free(&w.arena);
	gt_map_free(&w.ids, sizeof(uint32_t));
	free(w.strings.v);
}
