/*
 * analysis/sections/module.c - the code of a trace's CUDA modules as a report holds it
 *
 * Records of kernels do not name their module: the name of the kernel and the time of its launch lead to it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/module.h"

#include <stdlib.h>

static struct gt_module *content_of(struct gt_modules *all, struct gt_model *m, const struct gt_cuda_module *from)
{
	struct gt_module *one, **place;
	uint64_t total;

	for (uint32_t i = 0; i < all->v.n; i++)
		if (all->v.v[i]->content[0] == from->content[0] && all->v.v[i]->content[1] == from->content[1])
			return all->v.v[i];
	one = calloc(1, sizeof *one);
	place = one ? GT_LIST_ADD(&all->v) : NULL;
	if (!place) {
		free(one);
		all->failed = true;
		return NULL;
	}
	*place = one;
	memcpy(one->content, from->content, sizeof one->content);
	if (!gt_model_blob(m, from->content, &one->code, &total) || one->code.bytes != total)
		one->code = (struct gt_string){ "", 0 };
	all->failed |= !gt_cubin_read(&one->cubin, one->code.text, one->code.bytes);
	return one;
}

/* Most traces hold no code, and then a kernel costs nothing. False: there is none with functions, or no memory. */
static bool look_at_all(struct gt_modules *all, struct gt_model *m, struct gt_cuda *c)
{
	uint32_t n = gt_cuda_module_count(c);

	if (all->asked || all->failed)
		return all->any && !all->failed;
	all->asked = true;
	all->of = calloc(n + 1ull, sizeof(struct gt_module *));
	all->failed |= !all->of;
	for (uint32_t i = 0; i < n && !all->failed; i++) {
		const struct gt_cuda_module *one = gt_cuda_module(c, i);
		struct gt_module *module = one->content[0] || one->content[1] ? content_of(all, m, one) : NULL;

		all->of[i] = module && module->cubin.n ? module : NULL;
		all->any |= all->of[i] != NULL;
	}
	return all->any && !all->failed;
}

/* Of instrumented code CUPTI tells the lower half. */
static bool is_crc(uint64_t of, uint64_t told) { return of == told || (!(told >> 32) && (uint32_t)of == told); }

static bool is_there(const struct gt_cuda_module *m, int64_t ns)
{
	return ns == GT_NO_TIME || (m->loaded_ns <= ns && (m->unloaded_ns == GT_NO_TIME || ns < m->unloaded_ns));
}

const struct gt_module *gt_module_of(struct gt_modules *all, struct gt_model *m, uint32_t process, uint64_t crc,
	uint32_t context, struct gt_string name, int64_t ns)
{
	struct gt_err ignored = { 0 };
	struct gt_cuda *c = gt_model_cuda(m, &ignored);
	const struct gt_module *other = NULL;

	if (!c || !look_at_all(all, m, c))
		return NULL;
	for (uint32_t i = gt_cuda_module_count(c); i--;) {
		const struct gt_cuda_module *one = gt_cuda_module(c, i);
		const struct gt_module *module = all->of[i];

		if (!module || (!crc && (one->process != process || !is_there(one, ns))) ||
			(crc && !is_crc(one->crc, crc)) || !gt_cubin_find(&module->cubin, name))
			continue;
		if (crc || one->context == context)
			return module;
		other = other ? other : module;
	}
	return other;
}

/* ------------------------------------------------------------------ in a report */

static const struct gt_message *describe(struct gt_actions *as, const struct gt_module *module, uint64_t reference,
	uint32_t capability)
{
	struct gt_message *data = gt_message_new(&as->arena, &gt_type_SourceData), *places;

	if (!data || !gt_message_add_integer(&as->arena, data, "Reference", reference) ||
		!gt_message_add_text(&as->arena, data, "Binary", module->code.text, module->code.bytes) ||
		!gt_message_add_integer(&as->arena, data, "SassLevel", capability / 10) ||
		!gt_message_add_integer(&as->arena, data, "SMRevision", capability / 10 << 16 | capability % 10) ||
		!(places = gt_message_add_part(&as->arena, data, "RelocationData")))
		return NULL;
	for (uint32_t i = 0; i < module->cubin.n; i++) {
		const struct gt_cubin_function *f = &module->cubin.functions[i];
		struct gt_message *one = gt_message_add_part(&as->arena, places, "Functions");

		if (!one ||
			!gt_message_add_text(&as->arena, one, "SymbolName", f->name.text, f->name.bytes) ||
			!gt_message_add_integer(&as->arena, one, "Address", f->at) ||
			!gt_message_add_integer(&as->arena, one, "SymbolIndex", f->index))
			return NULL;
	}
	return data;
}

uint64_t gt_module_add(struct gt_actions *as, const struct gt_module *module, uint32_t capability)
{
	struct gt_module *own = (struct gt_module *)module;
	const struct gt_message **place, *data;

	if (own->reference)
		return own->reference;
	data = describe(as, module, as->sources.n + 1ull, capability);
	place = data ? GT_LIST_ADD(&as->sources) : NULL;
	if (!place)
		return 0;
	*place = data;
	own->reference = as->sources.n;
	return own->reference;
}

const struct gt_opcodes *gt_module_opcodes(const struct gt_module *module)
{
	struct gt_module *own = (struct gt_module *)module;

	gt_opcodes_ask(&own->opcodes, &own->cubin, own->code);
	return &own->opcodes;
}

void gt_modules_close(struct gt_modules *all)
{
	for (uint32_t i = 0; i < all->v.n; i++) {
		gt_cubin_free(&all->v.v[i]->cubin);
		gt_opcodes_free(&all->v.v[i]->opcodes);
		free(all->v.v[i]);
	}
	free(all->v.v);
	free(all->of);
	*all = (struct gt_modules){ .failed = false };
}
