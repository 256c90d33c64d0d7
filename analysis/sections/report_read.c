/*
 * analysis/sections/report_read.c - the actions of a report file, whoever wrote it
 *
 * REPORT1  Names of metrics may stand in a later block: every header is read before the first result.
 *
 * What the file claims is compared with what is left of it before anything is read; sources (cubins) are stepped over.
 *
 * spec: NCU "Report File Format"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "analysis/metrics/class.h"
#include "analysis/sections/report_file.h"

#define MAGIC "NVR"                               /* and the zero behind it */
#define OLDEST 7
#define FILE_MOST (1ull << 30)                    /* bytes */
#define ENTRIES 5                                 /* kinds of entries of a block, in their order */

struct span { const unsigned char *at, *end; };

struct block {
	uint64_t count[ENTRIES];
	struct span payload;
	const struct gt_message *header;
};

struct reading {
	struct gt_actions *as;
	const char *path;
	const unsigned char *begin;
	GT_LIST(struct block) blocks;
	GT_LIST(struct gt_string) strings;
	struct gt_ncurep_facts *facts;
	struct gt_err *err;
};

static int damaged(struct reading *r, const unsigned char *at, const char *what, uint64_t claims, uint64_t left)
{
	return gt_fail(r->err, GT_EXIT_INPUT, "the file was cut or changed", NULL,
		"%s: damaged at byte %" PRIu64 ": %s claims %" PRIu64 " bytes, %" PRIu64 " are left", r->path,
		(uint64_t)(at - r->begin), what, claims, left);
}

static int no_memory(struct reading *r)
{
	return gt_fail(r->err, GT_EXIT_OUTPUT, "out of memory", NULL, "%s: could not be read", r->path);
}

/* The message behind its size. */
static int take_sized(struct reading *r, struct span *s, const char *what, struct span *out)
{
	uint64_t left = (uint64_t)(s->end - s->at), n = 0;

	if (left < 4)
		return damaged(r, s->at, what, 4, left);
	for (int i = 0; i < 4; i++)
		n |= (uint64_t)s->at[i] << 8 * i;
	if (n > left - 4)
		return damaged(r, s->at, what, n, left - 4);
	*out = (struct span){ s->at + 4, s->at + 4 + n };
	s->at = out->end;
	return 0;
}

static int decode(struct reading *r, const struct gt_message_type *type, struct span s, struct gt_message **out)
{
	return gt_message_decode(&r->as->arena, type, r->path, (uint64_t)(s.at - r->begin), s.at,
		(size_t)(s.end - s.at), out, r->err);
}

/* ------------------------------------------------------------------ values */

static struct gt_metric_value value_of(struct reading *r, const struct gt_message *m, bool *failed)
{
	const struct gt_message_value *v = m ? m->first : NULL;
	char *copy;

	if (!v)
		return gt_metric_none("");
	switch (v->field->number) {
	case 1:
		copy = gt_arena_copy(&r->as->arena, v->text.text, v->text.bytes);
		*failed |= !copy;
		return (struct gt_metric_value){ .type = GT_METRIC_TEXT, .text = copy ? copy : "" };
	case 2: case 3: return gt_metric_double(v->real);
	default: return gt_metric_integer(v->integer);
	}
}

/* Writers give launch metrics as numbers with a fraction: those that we know to be whole are again. */
static void settle(struct gt_action_metric *m)
{
	char name[100];
	const struct gt_metric *known;
	double v = m->value.regular.real;

	if (m->value.regular.type != GT_METRIC_DOUBLE || !(v >= 0 && v < 9007199254740992.0) || v != floor(v) ||
		gt_metric_class(m->name) != GT_CLASS_LAUNCH || m->name.bytes >= sizeof name)
		return;
	memcpy(name, m->name.text, m->name.bytes);
	name[m->name.bytes] = 0;
	known = gt_metric_find(name);
	if (known && known->type == GT_METRIC_INTEGER)
		m->value.regular = gt_metric_integer((uint64_t)v);
}

static int take_metric(struct reading *r, struct gt_action *a, const struct gt_message *m)
{
	const struct gt_message_value *v = gt_message_next(m, "MetricValueList", NULL);
	uint64_t id = gt_message_integer(m, "NameId", UINT64_MAX);
	struct gt_action_metric *metric;
	bool failed = false;
	uint32_t n = 0;

	if (id >= r->strings.n)
		return gt_fail(r->err, GT_EXIT_INPUT, "the file was cut or changed", NULL,
			"%s: a metric's name is text %" PRIu64 " of %u", r->path, id, r->strings.n);
	metric = GT_LIST_ADD(&a->metrics);
	if (!metric)
		return no_memory(r);
	*metric = (struct gt_action_metric){ .name = r->strings.v[id], .unit = gt_message_text(m, "Unit"),
		.description = gt_message_text(m, "Description"), .why = gt_message_text(m, "Why") };
	metric->value.regular = value_of(r, gt_message_part(m, "MetricValue"), &failed);
	for (; v; v = gt_message_next(NULL, "MetricValueList", v))
		n++;
	if (n) {
		metric->value.instances = gt_arena_alloc(&r->as->arena, n * sizeof *metric->value.instances);
		if (!metric->value.instances)
			return no_memory(r);
	}
	for (v = gt_message_next(m, "MetricValueList", NULL); v; v = gt_message_next(NULL, "MetricValueList", v)) {
		struct gt_instance *one = &metric->value.instances[metric->value.n++];

		one->id = value_of(r, gt_message_part(v->part, "CorrelationId"), &failed);
		one->value = value_of(r, gt_message_part(v->part, "ElementValue"), &failed);
	}
	settle(metric);
	return failed ? no_memory(r) : 0;
}

/* ------------------------------------------------------------------ results */

static const struct gt_metric_value *metric_value(const struct gt_action *a, const char *name)
{
	const struct gt_action_metric *m = gt_action_metric(a, (struct gt_string){ name, strlen(name) });

	return m ? &m->value.regular : NULL;
}

/* What the device says of itself stands among the metrics. */
static void take_device(struct gt_action *a)
{
	const struct gt_metric_value *major = metric_value(a, "device__attribute_compute_capability_major"),
				     *minor = metric_value(a, "device__attribute_compute_capability_minor"),
				     *index = metric_value(a, "device__attribute_device_index"),
				     *name = metric_value(a, "device__attribute_display_name");

	if (major && major->type == GT_METRIC_INTEGER && major->integer < 1000)
		a->capability = (uint32_t)(10 * major->integer +
			(minor && minor->type == GT_METRIC_INTEGER && minor->integer < 10 ? minor->integer : 0));
	a->has_device = index && index->type == GT_METRIC_INTEGER;
	a->device = a->has_device ? (uint32_t)index->integer : 0;
	if (name && name->type == GT_METRIC_TEXT)
		a->device_name = (struct gt_string){ name->text, strlen(name->text) };
	for (uint32_t i = 0; i < a->metrics.n && !a->opencl; i++)
		a->opencl = gt_metric_class(a->metrics.v[i].name) == GT_CLASS_OPENCL &&
			gt_action_available(&a->metrics.v[i]);
}

static void take_sizes(const struct gt_message *m, const char *field, uint64_t out[3])
{
	const struct gt_message *p = gt_message_part(m, field);

	out[0] = gt_message_integer(p, "X", 0);
	out[1] = gt_message_integer(p, "Y", 0);
	out[2] = gt_message_integer(p, "Z", 0);
}

static void take_facts(struct gt_action *a, const struct gt_message *m, const struct gt_message *header)
{
	const struct gt_message *process = gt_message_part(header, "Process");

	a->pid = (uint32_t)gt_message_integer(process, "ProcessID", 0);
	a->process = gt_message_text(process, "ProcessName");
	a->host = gt_message_text(process, "Hostname");
	a->thread = (uint32_t)gt_message_integer(m, "ThreadID", 0);
	a->call = gt_message_integer(m, "APICallID", 0);
	a->mangled = gt_message_text(m, "KernelMangledName");
	a->function = gt_message_text(m, "KernelFunctionName");
	a->demangled = gt_message_text(m, "KernelDemangledName");
	if (a->workload == GT_WORK_COMMAND_LIST)
		a->function = gt_message_text(m, "DisplayName");
	a->dims = (uint32_t)gt_message_integer(m, "WorkDimensions", 0);
	take_sizes(m, "GridSize", a->grid);
	take_sizes(m, "BlockSize", a->block);
	a->has_context = gt_message_next(m, "ContextID", NULL);
	a->context = (uint32_t)gt_message_integer(m, "ContextID", 0);
	a->has_stream = gt_message_next(m, "StreamID", NULL);
	a->stream = (uint32_t)gt_message_integer(m, "StreamID", 0);
	a->stream_name = gt_message_text(m, "StreamName");
	a->created_s = gt_message_integer(m, "CreationTime", 0);
	a->nvtx = gt_message_part(m, "Nvtx");
	a->trace = gt_message_part(m, "Trace");
}

static int take_result(struct reading *r, enum gt_workload kind, struct span s, const struct gt_message *header)
{
	static const struct gt_message_type *const types[] = { [GT_WORK_KERNEL] = &gt_type_ProfileResult,
		[GT_WORK_RANGE] = &gt_type_RangeResult, [GT_WORK_COMMAND_LIST] = &gt_type_CmdlistResult,
		[GT_WORK_GRAPH] = &gt_type_GraphResult };
	const struct gt_message_value *v;
	const struct gt_message **place;
	struct gt_message *m;
	struct gt_action *a;

	if (decode(r, types[kind], s, &m))
		return -1;
	a = GT_LIST_ADD(&r->as->all);
	if (!a)
		return no_memory(r);
	a->workload = kind;
	take_facts(a, m, header);
	for (v = gt_message_next(m, "MetricResults", NULL); v; v = gt_message_next(NULL, "MetricResults", v))
		if (take_metric(r, a, v->part))
			return -1;
	for (v = gt_message_next(m, "Sections", NULL); v; v = gt_message_next(NULL, "Sections", v)) {
		place = GT_LIST_ADD(&a->sections);
		if (!place)
			return no_memory(r);
		*place = v->part;
	}
	for (v = gt_message_next(m, "RuleResults", NULL); v; v = gt_message_next(NULL, "RuleResults", v)) {
		place = GT_LIST_ADD(&a->rules);
		if (!place)
			return no_memory(r);
		*place = v->part;
	}
	take_device(a);
	return 0;
}

/* ------------------------------------------------------------------ blocks */

static int take_header(struct reading *r, struct span *file)
{
	static const char *const counts[ENTRIES] = { "NumSources", "NumResults", "NumRangeResults",
		"NumCmdlistResults", "NumGraphResults" };
	const unsigned char *at = file->at;
	const struct gt_message_value *v;
	struct gt_message *header;
	struct gt_string *string;
	struct block *b;
	struct span s;
	uint64_t n;

	if (take_sized(r, file, "a block's header", &s) || decode(r, &gt_type_BlockHeader, s, &header))
		return -1;
	n = gt_message_integer(header, "PayloadSize", 0);
	if (n > (uint64_t)(file->end - file->at))
		return damaged(r, at, "a block", n, (uint64_t)(file->end - file->at));
	b = GT_LIST_ADD(&r->blocks);
	if (!b)
		return no_memory(r);
	*b = (struct block){ .header = header, .payload = { file->at, file->at + n } };
	for (int i = 0; i < ENTRIES; i++)
		b->count[i] = gt_message_integer(header, counts[i], 0);
	file->at += n;
	v = gt_message_next(gt_message_part(header, "StringTable"), "Strings", NULL);
	for (; v; v = gt_message_next(NULL, "Strings", v)) {
		string = GT_LIST_ADD(&r->strings);
		if (!string)
			return no_memory(r);
		*string = v->text;
	}
	return 0;
}

static int take_entries(struct reading *r, const struct block *b)
{
	struct span left = b->payload, s;

	for (int kind = 0; kind < ENTRIES; kind++)
		for (uint64_t i = 0; i < b->count[kind]; i++) {
			if (take_sized(r, &left, "an entry of a block", &s))
				return -1;
			if (kind && take_result(r, (enum gt_workload)(kind - 1), s, b->header))
				return -1;
		}
	return 0;
}

/* "gputap 0.1, Nsight Compute Target 2024.2": once each. */
static int add_versions(struct reading *r, struct gt_text *t, const struct block *b)
{
	const struct gt_message_value *v =
		gt_message_next(gt_message_part(b->header, "SessionDetails"), "VersionInfo", NULL);

	for (; v; v = gt_message_next(NULL, "VersionInfo", v)) {
		struct gt_string provider = gt_message_text(v->part, "Provider"),
				 version = gt_message_text(v->part, "Version");

		if (!provider.bytes || t->used > 500)
			continue;
		if (t->used)
			gt_text_lit(t, ", ");
		gt_text_bytes(t, provider.text, provider.bytes);
		gt_text_char(t, ' ');
		gt_text_bytes(t, version.text, version.bytes);
	}
	return t->failed ? no_memory(r) : 0;
}

static int add_facts(struct reading *r)
{
	struct gt_text t = { 0 };
	char *copy;
	int rc = 0;

	r->facts->blocks = r->blocks.n;
	r->facts->strings = r->strings.n;
	for (uint32_t i = 0; i < r->blocks.n && !rc; i++) {
		r->facts->sources += r->blocks.v[i].count[0];
		rc = add_versions(r, &t, &r->blocks.v[i]);
	}
	for (uint32_t i = 0; i < r->as->all.n; i++)
		r->facts->results[r->as->all.v[i].workload]++;
	copy = rc ? NULL : gt_arena_copy(&r->as->arena, t.data ? t.data : "", t.used);
	r->facts->made_by = (struct gt_string){ copy ? copy : "", copy ? t.used : 0 };
	gt_text_free(&t);
	return rc || copy ? rc : no_memory(r);
}

static int take_file(struct reading *r, struct span file)
{
	struct gt_message *head;
	uint64_t version;
	struct span s;

	if (file.end - file.at < 4 || memcmp(file.at, MAGIC, 4))
		return gt_fail(r->err, GT_EXIT_INPUT, NULL, NULL, "%s: no report: it does not begin with NVR", r->path);
	file.at += 4;
	if (take_sized(r, &file, "the file's header", &s) || decode(r, &gt_type_FileHeader, s, &head))
		return -1;
	version = gt_message_integer(head, "Version", 0);
	if (version < OLDEST)
		return gt_fail(r->err, GT_EXIT_INPUT, NULL, NULL,
			"%s: a report of version %" PRIu64 "; %d is the oldest that is read", r->path, version, OLDEST);
	r->facts->version = version;
	while (file.at < file.end)
		if (take_header(r, &file))
			return -1;
	for (uint32_t i = 0; i < r->blocks.n; i++)        /* REPORT1 */
		if (take_entries(r, &r->blocks.v[i]))
			return -1;
	return add_facts(r);
}

int gt_ncurep_parse(struct gt_actions *as, const char *path, const void *data, size_t bytes,
	struct gt_ncurep_facts *facts, struct gt_err *err)
{
	struct gt_ncurep_facts own;
	struct reading r = { .as = as, .path = path, .begin = data, .facts = facts ? facts : &own, .err = err };
	const struct span file = { data, (const unsigned char *)data + bytes };
	int rc;

	*r.facts = (struct gt_ncurep_facts){ .bytes = bytes };
	rc = take_file(&r, file);
	free(r.blocks.v);
	free(r.strings.v);
	return rc;
}

/* ------------------------------------------------------------------ the file */

static const unsigned char packed_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

bool gt_is_ncurep(const char *path)
{
	unsigned char begin[4] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool is;

	if (fd < 0)
		return false;
	is = !fstat(fd, &st) && S_ISREG(st.st_mode) && read(fd, begin, 4) == 4 &&
		(!memcmp(begin, MAGIC, 4) || !memcmp(begin, packed_magic, 4));
	close(fd);
	return is;
}

static int read_whole(struct gt_actions *as, const char *path, unsigned char **data, size_t *bytes, struct gt_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = 1;

	*bytes = 0;
	*data = NULL;
	if (fd < 0 || fstat(fd, &st)) {
		gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > FILE_MOST) {
		gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: %s", path,
			S_ISREG(st.st_mode) ? "larger than 1 GiB" : "not a regular file");
	} else if (!(*data = gt_arena_alloc(&as->arena, (size_t)st.st_size + 1))) {
		gt_no_memory(err);
	} else {
		while (*bytes < (size_t)st.st_size &&
			(n = read(fd, *data + *bytes, (size_t)st.st_size - *bytes)) > 0)
			*bytes += (size_t)n;
		if (n < 0) {
			gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: %s", path, strerror(errno));
			*data = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return *data ? 0 : -1;
}

/* A .ncu-repz is the same file, packed. */
static int unpack(struct gt_actions *as, const char *path, unsigned char **data, size_t *bytes, struct gt_err *err)
{
	unsigned long long n = ZSTD_getFrameContentSize(*data, *bytes);
	unsigned char *plain;
	size_t got;

	if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN || n > FILE_MOST)
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL,
			"%s: packed, and its size is not told or over 1 GiB", path);
	plain = gt_arena_alloc(&as->arena, (size_t)n + 1);
	if (!plain)
		return gt_no_memory(err);
	got = ZSTD_decompress(plain, (size_t)n, *data, *bytes);
	if (ZSTD_isError(got))
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: cannot be unpacked: %s", path,
			ZSTD_getErrorName(got));
	*data = plain;
	*bytes = got;
	return 0;
}

int gt_ncurep_read(struct gt_actions *as, const char *path, struct gt_ncurep_facts *facts, struct gt_err *err)
{
	unsigned char *data;
	size_t bytes;

	if (read_whole(as, path, &data, &bytes, err))
		return -1;
	if (bytes >= 4 && !memcmp(data, packed_magic, 4) && unpack(as, path, &data, &bytes, err))
		return -1;
	return gt_ncurep_parse(as, path, data, bytes, facts, err);
}
