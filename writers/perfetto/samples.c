/*
 * writers/perfetto/samples.c - samples of the processors as PerfSample packets, their call stacks by number
 *
 * A stack, its frames and the objects that they lie in are interned like texts, by keys of their own: the number of the
 * stack or object in the model, the content of the frame. Every frame has a mapping, for readers ask for one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "model/symbols/symbols.h"
#include "model/threads/threads.h"
#include "writers/perfetto/internal.h"

enum { FRAMES_MOST = 512, MODE_USER = 2, COUNTER_CPU_CLOCK = 1, COUNTER_CPU_CYCLES = 10 };

static uint32_t text(struct pf *p, enum gt_intern_kind kind, const char *s, size_t bytes)
{
	return gt_intern_text(&p->intern, kind, s, bytes);
}

/* "/usr/lib/x.so": its parts, one by one, as the format has it. */
static void put_path(struct pf *p, const uint32_t *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		gt_proto_u64(&p->intern.fresh, PF_Mapping_path_string_ids, parts[i]);
}

static uint32_t split(struct pf *p, const char *path, uint32_t *parts, uint32_t most)
{
	uint32_t n = 0;

	for (path += strspn(path, "/"); *path && n < most; path += strspn(path, "/")) {
		size_t bytes = strcspn(path, "/");

		parts[n++] = text(p, GT_INTERN_PATH, path, bytes);
		path += bytes;
	}
	return n;
}

/* NULL: what lies in no object. */
static uint32_t mapping_of(struct pf *p, const struct gt_module *module)
{
	uint32_t key = module ? module->index + 1 : 0, parts[64], n, iid, id = 0;
	const char *path = module ? module->path : "[unknown]";
	bool fresh;
	size_t at;

	if (module && !*path)
		path = gt_model_process(p->m, module->process)->image;
	iid = gt_intern_key(&p->intern, GT_INTERN_MAPPING, &key, sizeof key, &fresh);
	if (!fresh)
		return iid;
	n = split(p, path ? path : "", parts, 64);
	if (module && module->id_bytes)
		id = text(p, GT_INTERN_BUILD_ID, (const char *)module->id, module->id_bytes);
	at = gt_proto_begin(&p->intern.fresh, PF_InternedData_mappings);
	gt_proto_u64(&p->intern.fresh, PF_Mapping_iid, iid);
	if (id)
		gt_proto_u64(&p->intern.fresh, PF_Mapping_build_id, id);
	if (module) {
		gt_proto_u64(&p->intern.fresh, PF_Mapping_start, module->start);
		gt_proto_u64(&p->intern.fresh, PF_Mapping_end, module->end);
		gt_proto_u64(&p->intern.fresh, PF_Mapping_load_bias, module->bias);
	}
	put_path(p, parts, n);
	gt_proto_end(&p->intern.fresh, at);
	return iid;
}

static uint32_t frame_of(struct pf *p, const struct gt_frame *f)
{
	struct { uint64_t address; uint32_t function, mapping, source, line; } key = { .address = f->file_address,
		.function = text(p, GT_INTERN_FUNCTION, f->group.text, f->group.bytes),
		.mapping = mapping_of(p, f->module),
		.source = f->file ? text(p, GT_INTERN_SOURCE, f->file, strlen(f->file)) : 0,
		.line = f->line };
	bool fresh;
	uint32_t iid = gt_intern_key(&p->intern, GT_INTERN_FRAME, &key, sizeof key, &fresh);
	size_t at;

	if (!fresh)
		return iid;
	at = gt_proto_begin(&p->intern.fresh, PF_InternedData_frames);
	gt_proto_u64(&p->intern.fresh, PF_Frame_iid, iid);
	gt_proto_u64(&p->intern.fresh, PF_Frame_function_name_id, key.function);
	gt_proto_u64(&p->intern.fresh, PF_Frame_mapping_id, key.mapping);
	gt_proto_u64(&p->intern.fresh, PF_Frame_rel_pc, key.address);
	if (key.source)
		gt_proto_u64(&p->intern.fresh, PF_Frame_source_path_iid, key.source);
	if (key.line)
		gt_proto_u64(&p->intern.fresh, PF_Frame_line_number, key.line);
	gt_proto_end(&p->intern.fresh, at);
	return iid;
}

/* The stack's number in the file. In it the outermost function comes first. */
static uint32_t callstack_of(struct pf *p, uint32_t stack)
{
	bool fresh;
	uint32_t iid = gt_intern_key(&p->intern, GT_INTERN_CALLSTACK, &stack, sizeof stack, &fresh), n;
	uint32_t frames[FRAMES_MOST];
	const struct gt_frame *f;
	size_t at;

	if (!fresh)
		return iid;
	f = gt_stack_frames(p->m, stack, &n);
	n = n < FRAMES_MOST ? n : FRAMES_MOST;
	for (uint32_t i = 0; i < n; i++)
		frames[i] = frame_of(p, &f[i]);
	at = gt_proto_begin(&p->intern.fresh, PF_InternedData_callstacks);
	gt_proto_u64(&p->intern.fresh, PF_Callstack_iid, iid);
	for (uint32_t i = n; i--;)
		gt_proto_u64(&p->intern.fresh, PF_Callstack_frame_ids, frames[i]);
	gt_proto_end(&p->intern.fresh, at);
	return iid;
}

void pf_sample(struct pf *p, const struct gt_item *item)
{
	const struct gt_sample *s = item->sample;
	uint32_t stack;
	size_t packet, at;

	if (!pf_lane_first(p, item->track, item->start_ns)) {    /* the thread is told by its track */
		p->failed = true;
		return;
	}
	pf_make_room(p);
	stack = s->stack ? callstack_of(p, (uint32_t)s->stack) : 0;
	packet = pf_packet_begin(p);
	gt_proto_u64(p->to, PF_TracePacket_timestamp, item->start_ns > 0 ? (uint64_t)item->start_ns : 0);
	at = gt_proto_begin(p->to, PF_TracePacket_perf_sample);
	gt_proto_u64(p->to, PF_PerfSample_cpu, s->cpu);
	gt_proto_u64(p->to, PF_PerfSample_pid, (uint64_t)gt_model_process(p->m, s->process)->pid);
	gt_proto_u64(p->to, PF_PerfSample_tid, (uint64_t)gt_model_thread(p->m, s->thread)->tid);
	if (stack)
		gt_proto_u64(p->to, PF_PerfSample_callstack_iid, stack);
	gt_proto_u64(p->to, PF_PerfSample_cpu_mode, MODE_USER);
	gt_proto_end(p->to, at);
	pf_packet_end_named(p, packet);
}

/* What the samples were taken by: of the first, for all are alike. */
void pf_sample_defaults(struct pf *p)
{
	const struct gt_sample *s = gt_model_sample(p->m, 0);
	size_t at, timebase;

	if (!s)
		return;
	at = gt_proto_begin(p->to, PF_TracePacketDefaults_perf_sample_defaults);
	timebase = gt_proto_begin(p->to, PF_PerfSampleDefaults_timebase);
	if (s->by != REC_SAMPLE_CYCLES)
		gt_proto_u64(p->to, PF_Timebase_period, s->period);
	gt_proto_u64(p->to, PF_Timebase_counter, s->by == REC_SAMPLE_CYCLES ? COUNTER_CPU_CYCLES : COUNTER_CPU_CLOCK);
	gt_proto_end(p->to, timebase);
	gt_proto_end(p->to, at);
}
