/*
 * writers/perfetto/annotate.c - what an event says beside its name: arguments, sizes, objects
 *
 * Numbers as numbers, handles and addresses as pointers, enumerations and flags by name. Texts that are likely to come
 * again are written once.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/symbols/symbols.h"
#include "writers/payload_json.h"
#include "model/threads/host_state.h"
#include "model/threads/waits.h"
#include "writers/perfetto/internal.h"
#include "writers/render.h"

#define ELEMENTS_MAX 16u /* of an array that are shown */
#define TEXT_MAX 1024u   /* bytes of a text that are shown */
#define STACK_MAX 8192u  /* ... of a call stack */

/* ---- one annotation ---- */

static size_t begin(struct pf *p, const char *name)
{
	size_t at = gt_proto_begin(p->to, PF_TrackEvent_debug_annotations);

	gt_proto_u64(p->to, PF_DebugAnnotation_name_iid,
		gt_intern_fixed(&p->intern, GT_INTERN_ANNOTATION, name, strlen(name)));
	return at;
}

void pf_note_u64(struct pf *p, const char *name, uint64_t v)
{
	size_t at = begin(p, name);

	gt_proto_u64(p->to, PF_DebugAnnotation_uint_value, v);
	gt_proto_end(p->to, at);
}

void pf_note_i64(struct pf *p, const char *name, int64_t v)
{
	size_t at = begin(p, name);

	gt_proto_i64(p->to, PF_DebugAnnotation_int_value, v);
	gt_proto_end(p->to, at);
}

static void note_pointer(struct pf *p, const char *name, uint64_t v)
{
	size_t at = begin(p, name);

	gt_proto_u64(p->to, PF_DebugAnnotation_pointer_value, v);
	gt_proto_end(p->to, at);
}

static void note_bool(struct pf *p, const char *name, bool v)
{
	size_t at = begin(p, name);

	gt_proto_u64(p->to, PF_DebugAnnotation_bool_value, v);
	gt_proto_end(p->to, at);
}

static void note_double(struct pf *p, const char *name, double v)
{
	size_t at = begin(p, name);

	gt_proto_double(p->to, PF_DebugAnnotation_double_value, v);
	gt_proto_end(p->to, at);
}

static void note_iid(struct pf *p, const char *name, uint32_t iid)
{
	size_t at = begin(p, name);

	gt_proto_u64(p->to, PF_DebugAnnotation_string_value_iid, iid);
	gt_proto_end(p->to, at);
}

/* Lives as long as the model. */
static void note_fixed(struct pf *p, const char *name, const char *text)
{
	note_iid(p, name, gt_intern_fixed(&p->intern, GT_INTERN_VALUE, text, strlen(text)));
}

void pf_note_text(struct pf *p, const char *name, const char *text, size_t bytes)
{
	size_t at = begin(p, name);

	gt_proto_string(p->to, PF_DebugAnnotation_string_value, text, bytes < TEXT_MAX ? bytes : TEXT_MAX);
	gt_proto_end(p->to, at);
}

void pf_note_value(struct pf *p, const char *name, const char *text, size_t bytes)
{
	if (bytes > 64)
		pf_note_text(p, name, text, bytes);
	else
		note_iid(p, name, gt_intern_text(&p->intern, GT_INTERN_VALUE, text, bytes));
}

static void note_string(struct pf *p, const char *name, struct gt_string s)
{
	if (s.bytes)
		pf_note_value(p, name, s.text, s.bytes);
}

static void note_known(struct pf *p, const char *name, int64_t v)
{
	if (v >= 0)
		pf_note_i64(p, name, v);
}

static void note_flags(struct pf *p, const char *name, const struct gt_enum *symbols, uint64_t bits)
{
	const char *flag;

	p->scratch.used = 0;
	while (symbols && (flag = gt_enum_next_flag(symbols, &bits))) {
		if (p->scratch.used)
			gt_text_char(&p->scratch, '|');
		gt_text_str(&p->scratch, flag);
	}
	if (!p->scratch.used) {
		pf_note_u64(p, name, bits);
		return;
	}
	if (bits) {
		gt_text_lit(&p->scratch, "|0x");
		gt_text_hex(&p->scratch, bits, 1, false);
	}
	pf_note_value(p, name, p->scratch.data, p->scratch.used);
}

static void note_sizes(struct pf *p, const char *name, const uint64_t *v, uint32_t n)
{
	p->scratch.used = 0;
	gt_text_char(&p->scratch, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			gt_text_lit(&p->scratch, ", ");
		gt_text_u64(&p->scratch, v[i]);
	}
	gt_text_char(&p->scratch, ']');
	pf_note_value(p, name, p->scratch.data, p->scratch.used);
}

static void note_dim3(struct pf *p, const char *name, const uint32_t v[3])
{
	note_sizes(p, name, (const uint64_t[3]){ v[0], v[1], v[2] }, 3);
}

/* ---- arguments of calls ---- */

static void note_scalar(struct pf *p, const char *name, const struct gt_param *param, uint64_t bits)
{
	const char *symbol;
	double d;
	float f;
	uint32_t low = (uint32_t)bits;

	switch (param->value) {
	case GT_I8:
	case GT_I16:
	case GT_I32:
	case GT_I64:
		pf_note_i64(p, name, gt_sign_extend(bits, param->value, param->bytes));
		return;
	case GT_F32:
		memcpy(&f, &low, sizeof f);
		note_double(p, name, (double)f);
		return;
	case GT_F64:
		memcpy(&d, &bits, sizeof d);
		note_double(p, name, d);
		return;
	case GT_BOOL:
		note_bool(p, name, bits != 0);
		return;
	case GT_ENUM:
	case GT_ERROR:
		symbol = param->symbols ? gt_enum_name(param->symbols, gt_sign_extend(bits, param->value, param->bytes))
					: NULL;
		if (symbol)
			note_fixed(p, name, symbol);
		else
			pf_note_i64(p, name, gt_sign_extend(bits, param->value, param->bytes));
		return;
	case GT_FLAGS:
		note_flags(p, name, param->symbols, bits);
		return;
	case GT_HANDLE:
	case GT_POINTER:
	case GT_CALLBACK:
	case GT_STRUCT:
	case GT_VOID:
		note_pointer(p, name, bits);
		return;
	default:
		pf_note_u64(p, name, bits);
	}
}

static void put_element(struct gt_text *t, const struct gt_param *param, uint64_t bits)
{
	switch (param->elem) {
	case GT_I8:
	case GT_I16:
	case GT_I32:
	case GT_I64:
	case GT_ERROR:
	case GT_ENUM:
		gt_text_i64(t, gt_sign_extend(bits, param->elem, param->elem_bytes));
		break;
	case GT_F32:
	case GT_F64:
		gt_render_float(t, param->elem, bits);
		break;
	case GT_HANDLE:
	case GT_POINTER:
	case GT_CALLBACK:
		gt_text_lit(t, "0x");
		gt_text_hex(t, bits, 1, false);
		break;
	default:
		gt_text_u64(t, bits);
	}
}

/* What the pointer led to: numbers and handles; other things are not shown. */
static bool note_elements(struct pf *p, const char *name, const struct gt_arg *a)
{
	uint32_t bytes = a->param->elem_bytes;
	uint64_t n;

	if (a->param->copy != GT_COPY_ARRAY || !bytes || bytes > 8 || a->param->elem == GT_BYTE ||
		a->param->elem == GT_STRUCT)
		return false;
	n = gt_elements_here(a, bytes);
	p->scratch.used = 0;
	gt_text_char(&p->scratch, '[');
	for (uint64_t i = 0; i < n && i < ELEMENTS_MAX; i++) {
		if (i)
			gt_text_lit(&p->scratch, ", ");
		put_element(&p->scratch, a->param, gt_element(a, i, bytes));
	}
	if (n > ELEMENTS_MAX || a->cut)
		gt_text_str(&p->scratch, n ? ", ..." : "...");
	gt_text_char(&p->scratch, ']');
	pf_note_value(p, name, p->scratch.data, p->scratch.used);
	return true;
}

static bool is_text(const struct gt_param *param)
{
	return param->copy == GT_COPY_STRING || (param->copy == GT_COPY_ARRAY && param->elem == GT_CHAR);
}

static void note_text(struct pf *p, const char *name, const struct gt_arg *a)
{
	size_t n = a->has_data ? strnlen(a->data, a->bytes) : 0;

	if (!a->cut) {
		pf_note_value(p, name, a->data, n);
		return;
	}
	p->scratch.used = 0;
	gt_text_bytes(&p->scratch, a->data, n);
	gt_text_lit(&p->scratch, "...");
	pf_note_value(p, name, p->scratch.data, p->scratch.used);
}

static void note_argument(struct pf *p, const struct gt_call *call, const struct gt_arg *a)
{
	const struct gt_param *param = a->param;
	bool read = a->value && (a->has_data || a->cut) && (param->dir == GT_IN || !call->result);

	if (read && is_text(param)) {
		note_text(p, param->name, a);
		return;
	}
	if (!read || !note_elements(p, param->name, a))
		note_scalar(p, param->name, param, a->value);
}

static void note_result(struct pf *p, const struct gt_call *call)
{
	const struct gt_fn *fn = call->fn;
	const char *symbol;

	if (call->result) {
		symbol = fn->errors ? gt_enum_name(fn->errors, call->result) : NULL;
		if (symbol)
			note_fixed(p, "result", symbol);
		else
			pf_note_i64(p, "result", call->result);
	} else if (fn->ret == GT_HANDLE || fn->ret == GT_POINTER) {
		note_pointer(p, "result", gt_call_return(call));
	} else if (fn->ret_position >= 0) {
		pf_note_i64(p, "result", (int64_t)gt_call_return(call));
	}
}

static void annotate_cuda_call(struct pf *p, const struct gt_cuda_event *e)
{
	struct gt_cuda_arg_text shown;
	struct gt_cuda_arg arg;
	char text[64];

	for (unsigned i = 0; e->call.has_args && gt_cuda_arg(p->cuda, e, i, &arg); i++) {
		const char *value = shown.value;

		gt_render_cuda_arg(&arg, &shown);
		if (shown.target[0])
			value = shown.target;
		if (arg.name && *value)
			pf_note_value(p, arg.name, value, strlen(value));
	}
	if (e->call.has_result && e->call.result) {
		gt_cuda_result_text(e, text, sizeof text);
		pf_note_value(p, "result", text, strlen(text));
	}
}

/* From the function that made the call outwards, a line each. */
static struct gt_string stack_text(struct pf *p, uint32_t stack)
{
	uint32_t n;
	const struct gt_frame *frames = gt_stack_frames(p->m, stack, &n);
	char *kept;

	p->scratch.used = 0;
	for (uint32_t i = 0; i < n && p->scratch.used < STACK_MAX; i++) {
		if (i)
			gt_text_char(&p->scratch, '\n');
		gt_frame_text(&frames[i], &p->scratch);
	}
	if (p->scratch.used > STACK_MAX)
		p->scratch.used = STACK_MAX;
	kept = p->scratch.used ? gt_arena_copy(&p->stack_texts, p->scratch.data, p->scratch.used) : NULL;
	return kept ? (struct gt_string){ kept, p->scratch.used } : (struct gt_string){ "", 0 };
}

/* Few different ones serve many calls: each is put together once. */
static void note_stack(struct pf *p, uint32_t stack)
{
	struct gt_string *s;

	if (!stack)
		return;
	if (!p->stacks && !(p->stacks = calloc(gt_model_stack_count(p->m) + 1, sizeof *p->stacks)))
		return;
	s = &p->stacks[stack];
	if (!s->text)
		*s = stack_text(p, stack);
	if (s->bytes)
		note_iid(p, "stack", gt_intern_fixed(&p->intern, GT_INTERN_VALUE, s->text, s->bytes));
}

/* Who ended a wait, by what the calls say, or the kernel. */
static void note_waker(struct pf *p, const struct gt_call *call)
{
	const struct gt_wait *wait = gt_wait_list_find(p->waits, call->process, call->id);
	char text[160];
	const char *name;
	int n;

	if (!wait)
		return;
	name = wait->other != UINT32_MAX ? gt_model_thread(p->m, wait->other)->name : "";
	n = snprintf(text, sizeof text, "%s %d%s%s%s%s%s", wait->what == GT_WAIT_PROCESS ? "process" : "thread",
		wait->other_tid, *name ? " (" : "", name, *name ? ")" : "", wait->by ? ", " : "",
		wait->by ? wait->by->name : "");
	if (n > 0)
		pf_note_text(p, "ended by", text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void annotate_call(struct pf *p, const struct gt_item *item)
{
	const struct gt_call *call = item->call;
	struct gt_arg arg;

	if (item->correlation)
		pf_note_u64(p, "correlation", item->correlation);
	if (call && item->kind == GT_ITEM_CALL)
		note_stack(p, gt_call_stack(call));
	if (call && p->waits && item->kind == GT_ITEM_CALL && gt_is_os_runtime(call->fn))
		note_waker(p, call);
	if (item->cuda) {
		annotate_cuda_call(p, item->cuda);
		return;
	}
	if (!call)
		return; /* its thread died in it */
	for (unsigned i = 0; call->has_args && i < call->fn->n_params; i++)
		if (!call->fn->params[i].is_errcode && gt_call_arg(call, i, &arg))
			note_argument(p, call, &arg);
	note_result(p, call);
}

/* ---- device work ---- */

static void annotate_command(struct pf *p, const struct gt_command *c)
{
	if (c->demangled.text != c->name.text)
		note_iid(p, "mangled name",
			gt_intern_fixed(&p->intern, GT_INTERN_VALUE, c->name.text, c->name.bytes));
	if (c->has_bytes)
		pf_note_u64(p, "bytes", c->bytes);
	if (c->work_dim) {
		if (c->has_global)
			note_sizes(p, "global size", c->global_size, c->work_dim);
		if (c->local_source != REC_LOCAL_UNKNOWN)
			note_sizes(p, "local size", c->local_size, c->work_dim);
		if (c->has_offset)
			note_sizes(p, "offset", c->global_offset, c->work_dim);
	}
	if (c->local_arg_bytes)
		pf_note_u64(p, "local memory", c->local_arg_bytes);
	if (c->kernel)
		note_pointer(p, "kernel", c->kernel->handle);
	if (c->src)
		note_pointer(p, "from", c->src->handle);
	if (c->dst)
		note_pointer(p, "to", c->dst->handle);
	if (c->n_waits)
		pf_note_u64(p, "waits for", c->n_waits);
	if (c->status)
		pf_note_i64(p, "status", c->status);
	if (c->queued_ns != GT_NO_TIME && c->submit_ns != GT_NO_TIME)
		pf_note_i64(p, "ns queued", c->submit_ns - c->queued_ns);
	if (c->submit_ns != GT_NO_TIME)
		pf_note_i64(p, "ns submitted", c->start_ns - c->submit_ns);
}

static void annotate_kernel(struct pf *p, const struct gt_cuda_event *e)
{
	if (e->kernel.has_name && e->kernel.demangled.bytes != e->kernel.short_name.bytes)
		note_iid(p, "function",
			gt_intern_fixed(
				&p->intern, GT_INTERN_VALUE, e->kernel.demangled.text, e->kernel.demangled.bytes));
	note_dim3(p, "grid", e->kernel.grid);
	note_dim3(p, "block", e->kernel.block);
	if (e->kernel.has_cluster && e->kernel.cluster[0])
		note_dim3(p, "cluster", e->kernel.cluster);
	note_known(p, "registers", e->kernel.registers);
	note_known(p, "static shared memory", e->kernel.static_shared);
	note_known(p, "dynamic shared memory", e->kernel.dynamic_shared);
	note_known(p, "local memory per thread", e->kernel.local_per_thread);
}

static void note_memory_kind(struct pf *p, const char *name, int kind)
{
	const char *text = gt_cuda_mem_text(kind);

	if (text)
		note_fixed(p, name, text);
}

static void annotate_memory(struct pf *p, const struct gt_cuda_event *e)
{
	note_pointer(p, "address", e->memory.address);
	pf_note_u64(p, "bytes", e->memory.bytes);
	note_memory_kind(p, "memory", e->memory.mem_kind);
	note_string(p, "name", e->memory.name);
}

static void annotate_managed(struct pf *p, const struct gt_cuda_event *e)
{
	bool moved = e->managed.counter == 1 || e->managed.counter == 2 || e->managed.counter == 8;

	if (moved)
		pf_note_u64(p, "bytes", e->managed.value);
	note_pointer(p, "address", e->managed.address);
}

static void annotate_cuda(struct pf *p, const struct gt_item *item)
{
	const struct gt_cuda_event *e = item->cuda;

	if (item->correlation)
		pf_note_u64(p, "correlation", item->correlation);
	switch (e->kind) {
	case GT_CUDA_KERNEL:
		annotate_kernel(p, e);
		break;
	case GT_CUDA_COPY:
		pf_note_u64(p, "bytes", e->copy.bytes);
		note_memory_kind(p, "from", e->copy.src_kind);
		note_memory_kind(p, "to", e->copy.dst_kind);
		break;
	case GT_CUDA_FILL:
		pf_note_u64(p, "bytes", e->fill.bytes);
		pf_note_u64(p, "value", e->fill.value);
		note_memory_kind(p, "to", e->fill.mem_kind);
		break;
	case GT_CUDA_DECOMPRESS:
		pf_note_u64(p, "bytes", e->decompress.bytes);
		break;
	case GT_CUDA_SYNC:
		note_known(p, "event", e->sync.event);
		if (e->stream != GT_CUDA_NONE)
			pf_note_u64(p, "stream", e->stream);
		break;
	case GT_CUDA_MEMORY:
		annotate_memory(p, e);
		break;
	case GT_CUDA_POOL:
		note_pointer(p, "address", e->pool.address);
		pf_note_u64(p, "bytes", e->pool.size);
		break;
	case GT_CUDA_MANAGED:
		annotate_managed(p, e);
		break;
	case GT_CUDA_GRAPH_EVENT:
	case GT_CUDA_NODE_EVENT:
		pf_note_u64(p, "id", e->graph_event.id);
		return;
	case GT_CUDA_EVENT_RECORD:
		note_known(p, "event", e->event_record.event);
		break;
	case GT_CUDA_OVERHEAD:
		pf_note_i64(p, "kind", e->overhead.type);
		note_known(p, "channel", e->overhead.channel);
		note_known(p, "channel type", e->overhead.channel_type);
		break;
	default:
		break;
	}
	if (e->graph != GT_CUDA_NONE)
		pf_note_u64(p, "graph", e->graph);
	if (e->graph_node)
		pf_note_u64(p, "graph node", e->graph_node);
}

/* ---- the rest ---- */

static void annotate_payload(struct pf *p, const struct gt_range *r)
{
	uint32_t low = (uint32_t)r->payload;
	double d;
	float f;

	switch (r->payload_type) {
	case 1:
	case 4:
		pf_note_u64(p, "payload", r->payload);
		break;
	case 2:
		pf_note_i64(p, "payload", (int64_t)r->payload);
		break;
	case 5:
		pf_note_i64(p, "payload", (int32_t)r->payload);
		break;
	case 3:
		memcpy(&d, &r->payload, sizeof d);
		note_double(p, "payload", d);
		break;
	case 6:
		memcpy(&f, &low, sizeof f);
		note_double(p, "payload", (double)f);
		break;
	case REC_NVTX_SCHEMA_DATA:
		p->scratch.used = 0;
		if (gt_payload_json(&p->scratch, p->m, r))
			pf_note_text(p, "payload", p->scratch.data, p->scratch.used);
		break;
	}
}

static void annotate_range(struct pf *p, const struct gt_range *r)
{
	char text[16];

	note_stack(p, gt_range_stack(p->m, r));
	if (r->category)
		pf_note_u64(p, "category", r->category);
	if (r->has_color) {
		snprintf(text, sizeof text, "#%08x", r->color);
		pf_note_value(p, "color", text, strlen(text));
	}
	annotate_payload(p, r);
	if (r->kind == REC_NVTX_START && r->thread < gt_model_thread_count(p->m)) {
		pf_note_i64(p, "thread", gt_model_thread(p->m, r->thread)->tid);
		if (r->end_ns != GT_NO_TIME && r->end_thread != r->thread &&
			r->end_thread < gt_model_thread_count(p->m))
			pf_note_i64(p, "ended by thread", gt_model_thread(p->m, r->end_thread)->tid);
	}
}

static void annotate_tracepoint(struct pf *p, const struct gt_tracepoint *e)
{
	const struct gt_tracepoint_type *type = gt_model_tracepoint_type(p->m, e->type);

	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct gt_tracepoint_field *f = &type->fields[i];
		bool number = f->element == f->bytes && gt_tracepoint_numbers(p->m, e, f) == 1;

		if (gt_tracepoint_is_common(f))
			continue;
		p->scratch.used = 0;
		if (number && f->flags & REC_FIELD_SIGNED)
			pf_note_i64(p, f->name.text, (int64_t)gt_tracepoint_number(p->m, e, f, 0));
		else if (number)
			pf_note_u64(p, f->name.text, gt_tracepoint_number(p->m, e, f, 0));
		else if (gt_tracepoint_value(p->m, e, f, &p->scratch))
			pf_note_value(p, f->name.text, p->scratch.data, p->scratch.used);
	}
}

void pf_annotate(struct pf *p, const struct gt_item *item)
{
	if (item->kind == GT_ITEM_CALL || item->kind == GT_ITEM_CALLBACK) {
		annotate_call(p, item);
	} else if (item->command) {
		pf_note_u64(p, "correlation", item->correlation);
		annotate_command(p, item->command);
	} else if (item->cuda) {
		annotate_cuda(p, item);
	} else if (item->range) {
		annotate_range(p, item->range);
	} else if (item->hsa) {
		note_string(p, "dispatch", item->hsa->packet_fields);
	} else if (item->tracepoint) {
		annotate_tracepoint(p, item->tracepoint);
	} else if (item->note) {
		pf_note_text(p, "text", item->note->text, strlen(item->note->text));
	} else if (item->kind == GT_ITEM_OTHER) {
		pf_note_u64(p, "record", item->type);
	}
}
