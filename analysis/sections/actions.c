/*
 * analysis/sections/actions.c - the kernels of a trace as a report's actions
 *
 * Runs in the tool. One walk gathers what ran on each queue (surroundings.c), a second one the launches (shapes.c), a
 * third one makes actions of those that are shown.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/actions.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/metrics/class.h"
#include "analysis/metrics/counted.h"
#include "analysis/metrics/metrics.h"
#include "analysis/metrics/monitored.h"
#include "analysis/metrics/sampled.h"
#include "analysis/metrics/source.h"
#include "analysis/sections/module.h"
#include "analysis/sections/nvtx_choice.h"
#include "analysis/sections/program.h"
#include "analysis/sections/surroundings.h"
#include "common/hash.h"
#include "common/map.h"
#include "trace/format/counters.h"

#define RANGES_MOST 4096

/* What all launches of a kernel come to. */
struct kernel {
	uint64_t process, key, device;
	uint64_t launches, total_ns;
	uint32_t shown;
};

/* What an action is of. number: of the launch, in the order of gt_dispatches. */
struct origin { uint32_t kernel; uint64_t number; bool counted; };

enum { BY_INSTRUCTION = 2 };               /* of enum rec_apart those whose values are of instructions */

struct making {
	struct gt_actions *as;
	struct gt_model *model;
	const struct gt_sections *sections;
	const struct gt_options *options;
	int64_t most;                             /* launches of a kernel that are shown; 0: all */
	/* ... without --launch-count the typical launch of each shape, and of one that was counted, all that were */
	bool typical;
	struct gt_nvtx_choice *ranges;            /* NULL: launches are not chosen by them */
	enum gt_derived_mode mode;
	struct gt_surroundings around;
	struct gt_programs programs;
	struct gt_modules modules;
	struct gt_counted *counted;               /* NULL: no counters in the trace */
	struct gt_monitored *monitored;           /* NULL: no samples of performance monitors */
	int64_t launch; uint32_t range;           /* what was counted of the dispatch at hand; -1: nothing */
	const char *lacks[BY_INSTRUCTION];        /* why it has none of these, though it should; NULL */
	const char *not_monitored;                /* the same of samples of performance monitors */
	GT_LIST(uint32_t) seen;                   /* kernels of each counted graph launch, by its number in `counted` */
	struct gt_map kernels;
	GT_LIST(struct kernel) launched;          /* in order: the map holds their numbers */
	struct gt_shapes shapes;
	uint64_t number;                          /* of the launch at hand */
	GT_LIST(struct origin) origin;            /* of each action */
	bool failed;
};

/* ------------------------------------------------------------------ texts and values */

static struct gt_string keep(struct making *k, struct gt_string s)
{
	char *copy = s.bytes ? gt_arena_copy(&k->as->arena, s.text, s.bytes) : NULL;

	k->failed |= s.bytes && !copy;
	return copy ? (struct gt_string){ copy, s.bytes } : (struct gt_string){ "", 0 };
}

static struct gt_string keep_str(struct making *k, const char *s)
{
	return keep(k, (struct gt_string){ s ? s : "", s ? strlen(s) : 0 });
}

static void add(struct making *k, struct gt_action *a, const char *name, const char *unit, const char *description,
	struct gt_metric_value v)
{
	struct gt_action_metric *m = gt_action_add(a, gt_string_of(name));

	k->failed |= !m;
	if (!m)
		return;
	m->unit = gt_string_of(unit);
	m->description = gt_string_of(description);
	m->value.regular = v;
	if (v.type == GT_METRIC_NONE)
		m->why = gt_string_of(v.why);
}

static void add_launch_metrics(struct making *k, struct gt_action *a, const struct gt_dispatch *d)
{
	for (size_t t = 0; t < GT_METRIC_TABLES; t++)
		for (size_t i = 0; gt_metrics_fit(t, d) && i < gt_metric_tables[t]->n; i++) {
			const struct gt_metric *m = &gt_metric_tables[t]->metrics[i];

			add(k, a, m->name, m->unit, m->description, m->of(d));
		}
}

/*
 * Readers find a chip's units by its family and number, which only follow from the compute capability where one chip
 * has it.
 */
static void add_chip(struct making *k, struct gt_action *a)
{
	static const struct { uint32_t capability; uint64_t family, chip; } chips[] = {
		{ 70, 0x140, 0x140 }, { 80, 0x170, 0x170 }, { 87, 0x170, 0x17b }, { 90, 0x180, 0x180 },
	};

	for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
		if (chips[i].capability == a->capability) {
			add(k, a, "device__attribute_architecture", "", "", gt_metric_integer(chips[i].family));
			add(k, a, "device__attribute_implementation", "", "", gt_metric_integer(chips[i].chip));
		}
}

static void add_number(struct making *k, struct gt_action *a, const char *name, int64_t v)
{
	if (v >= 0)
		add(k, a, name, "", "", gt_metric_integer((uint64_t)v));
}

static void add_device(struct making *k, struct gt_action *a, const struct gt_dispatch *d)
{
	const struct gt_cuda_device *device = d->cuda_device;

	if (a->device_name.bytes)
		add(k, a, "device__attribute_display_name", "", "name of the device",
			(struct gt_metric_value){ .type = GT_METRIC_TEXT, .text = a->device_name.text });
	if (a->has_device)
		add_number(k, a, "device__attribute_device_index", a->device);
	if (!device)
		return;
	add_number(k, a, "device__attribute_compute_capability_major", device->compute_major);
	add_number(k, a, "device__attribute_compute_capability_minor", device->compute_minor);
	add_number(k, a, "device__attribute_multiprocessor_count", device->sms);
	add_number(k, a, "device__attribute_warp_size", device->warp);
	add_number(k, a, "device__attribute_l2_cache_size", device->l2_bytes);
	add_number(k, a, "device__attribute_max_registers_per_multiprocessor", device->max_registers_per_sm);
	add_number(k, a, "device__attribute_max_shared_memory_per_multiprocessor", device->max_shared_per_sm);
	add_chip(k, a);
}

/* ------------------------------------------------------------------ one launch */

static void name_cuda(struct making *k, struct gt_action *a, const struct gt_cuda_event *e)
{
	char name[40];

	if (e->kernel.has_name) {
		a->demangled = keep(k, e->kernel.demangled);
		a->function = keep(k, e->kernel.short_name);
		a->mangled = keep(k, e->kernel.mangled);
	}
	a->has_context = e->context != GT_CUDA_NONE;
	a->context = a->has_context ? e->context : 0;
	a->has_stream = e->stream != GT_CUDA_NONE;
	a->stream = a->has_stream ? e->stream : 0;
	snprintf(name, sizeof name, "Stream %u", a->stream);
	a->stream_name = a->has_stream ? keep_str(k, name) : gt_string_of("");
	a->has_device = e->device != GT_CUDA_NONE;
	a->device = a->has_device ? e->device : 0;
	for (int i = 0; i < 3; i++) {
		a->grid[i] = e->kernel.grid[i];
		a->block[i] = e->kernel.block[i];
	}
}

static void name_opencl(struct making *k, struct gt_action *a, const struct gt_dispatch *d)
{
	const struct gt_command *c = d->opencl;
	char name[40];

	a->opencl = true;
	a->mangled = keep(k, d->kernel);
	a->demangled = c->kernel && c->kernel->demangled.bytes ? keep(k, c->kernel->demangled) : a->mangled;
	a->function = c->kernel && c->kernel->short_name.bytes ? keep(k, c->kernel->short_name) : a->mangled;
	a->has_context = c->context;
	a->context = c->context ? c->context->id : 0;
	a->has_stream = c->queue;
	a->stream = c->queue ? c->queue->id : 0;
	snprintf(name, sizeof name, "Queue %u", a->stream);
	a->stream_name = a->has_stream ? keep_str(k, name) : gt_string_of("");
	a->has_device = c->device;
	a->device = c->device ? c->device->device_index : 0;
	for (int i = 0; i < 3; i++) {
		bool known = d->has_group && d->has_global && d->group[i];

		a->block[i] = d->has_group ? d->group[i] : 0;
		a->grid[i] = known ? (d->global[i] + d->group[i] - 1) / d->group[i] : 0;
	}
}

/* What was counted of it. */
static void add_counted(struct making *k, struct gt_action *a, int64_t launch, uint32_t range)
{
	struct gt_counted_metric m;

	for (uint32_t i = 0; launch >= 0 && gt_counted_metric(k->counted, launch, range, i, &m) && !k->failed; i++) {
		struct gt_action_metric *one = gt_action_add(a, keep_str(k, m.name));

		k->failed |= !one;
		if (!one)
			return;
		one->unit = keep_str(k, m.unit);
		one->description = keep_str(k, m.description);
		if (m.has)
			one->value.regular = gt_metric_double(m.value);
		else
			one->why = keep_str(k, m.why);
	}
}

/* Where the instruction lies in its module's file; without the module it is what it was. */
static uint64_t place_in_module(const struct gt_sampled *s, const struct gt_module *module, uint64_t address)
{
	uint64_t rank = address >> 32;
	const char *name = rank < s->n_functions && s->functions[rank].crc == s->functions[0].crc
		? s->functions[rank].name : NULL;
	const struct gt_cubin_function *f = module && name ? gt_cubin_find(&module->cubin, gt_string_of(name)) : NULL;

	return f ? f->at + (uint32_t)address : address;
}

/* The module of a kernel's code; its samples, when it has any, name it. NULL: it is not in the trace. */
static const struct gt_module *add_module(struct making *k, struct gt_action *a, const struct gt_dispatch *d,
	const struct gt_sampled *s)
{
	const struct gt_cubin_function *f;
	const struct gt_module *module = NULL;

	if (s && s->n_functions && s->functions[0].crc)
		module = gt_module_of(&k->modules, k->model, (uint32_t)d->process, s->functions[0].crc, a->context,
			a->mangled, GT_NO_TIME);
	if (!module && a->mangled.bytes)
		module = gt_module_of(&k->modules, k->model, (uint32_t)d->process, 0, a->context, a->mangled,
			d->call_ns);
	k->failed |= k->modules.failed;
	if (!module || k->failed)
		return NULL;
	a->source = gt_module_add(k->as, module, a->capability);
	k->failed |= !a->source;
	f = gt_cubin_find(&module->cubin, a->mangled);
	if (f)
		add(k, a, "launch__function_pcs", "", "place of the kernel's first instruction in its module's file",
			gt_metric_integer(f->at));
	return module;
}

static void add_sampled_metric(struct making *k, struct gt_action *a, const struct gt_sampled *s,
	const struct gt_module *module, const struct gt_sampled_metric *m, const char *unit)
{
	struct gt_action_metric *one = gt_action_add(a, keep_str(k, m->name));

	k->failed |= !one;
	if (!one)
		return;
	one->unit = gt_string_of(unit);
	if (m->why) {
		one->why = gt_string_of(m->why);
		return;
	}
	one->value.regular = gt_metric_integer(m->samples);
	one->value.instances = gt_arena_alloc(&k->as->arena, (m->n + 1ull) * sizeof *one->value.instances);
	k->failed |= !one->value.instances;
	for (; one->value.instances && one->value.n < m->n; one->value.n++)
		one->value.instances[one->value.n] =
			(struct gt_instance){ gt_metric_integer(
						     place_in_module(s, module, m->at[one->value.n].address)),
				gt_metric_integer(m->at[one->value.n].samples) };
}

static void add_samples(struct making *k, struct gt_action *a, const struct gt_sampled *s,
	const struct gt_module *module)
{
	for (uint32_t i = 0; i < s->n && !k->failed; i++)
		add_sampled_metric(k, a, s, module, &s->metrics[i], "sample");
	if (s->cycles)
		add(k, a, "smsp__pcsamp_interval_cycles", "cycle", "", gt_metric_integer(s->cycles));
}

/* The value that instructions of that name share; it is added when there is none. */
static struct gt_metric_value *value_of_name(struct making *k, struct gt_instanced *all, struct gt_string name)
{
	struct gt_instance *one = all->instances;

	for (; one < all->instances + all->n; one++)
		if (!strncmp(one->id.text, name.text, name.bytes) && !one->id.text[name.bytes])
			return &one->value;
	one->id = (struct gt_metric_value){ .type = GT_METRIC_TEXT, .text = keep(k, name).text };
	one->value = gt_metric_integer(0);
	all->n++;
	return &one->value;
}

static int by_name(const void *l, const void *r)
{
	return strcmp(((const struct gt_instance *)l)->id.text, ((const struct gt_instance *)r)->id.text);
}

/* Its instances: the sum of each opcode. NULL, or why there are none. */
static const char *sum_opcodes(struct making *k, struct gt_instanced *to, const struct gt_sampled *s,
	const struct gt_module *module, const struct gt_sampled_metric *m)
{
	const struct gt_opcodes *opcodes = module ? gt_module_opcodes(module) : NULL;
	bool modifiers = gt_source_by(m->name) == GT_BY_OPCODE_WITH_MODIFIERS;

	if (!opcodes)
		return "the code of the kernel's module, which tells opcodes, is not in the trace";
	k->failed |= opcodes->failed;
	if (opcodes->why)
		return opcodes->why;
	to->instances = gt_arena_alloc(&k->as->arena, (m->n + 1ull) * sizeof *to->instances);
	k->failed |= !to->instances;
	for (uint32_t i = 0; i < m->n && !k->failed; i++) {
		const struct gt_opcode *o = gt_opcode_at(opcodes, place_in_module(s, module, m->at[i].address));

		if (!o)
			return "nvdisasm does not show all instructions that were counted";
		value_of_name(k, to, (struct gt_string){ o->name, modifiers ? o->bytes : o->base })->integer +=
			m->at[i].samples;
	}
	if (!k->failed)
		qsort(to->instances, to->n, sizeof *to->instances, by_name);
	return NULL;
}

static void add_by_opcode(struct making *k, struct gt_action *a, const struct gt_sampled *s,
	const struct gt_module *module, const struct gt_sampled_metric *m)
{
	struct gt_action_metric *one = gt_action_add(a, keep_str(k, m->name));
	struct gt_instanced sums = { .n = 0 };
	const char *why = m->why ? m->why : sum_opcodes(k, &sums, s, module, m);

	k->failed |= !one;
	if (!one)
		return;
	one->unit = gt_string_of(gt_source_unit(m->name));
	if (why) {
		one->why = gt_string_of(why);
		return;
	}
	sums.regular = gt_metric_integer(m->samples);
	one->value = sums;
}

static void add_source(struct making *k, struct gt_action *a, const struct gt_sampled *s,
	const struct gt_module *module)
{
	for (uint32_t i = 0; i < s->n && !k->failed; i++)
		if (gt_source_by(s->metrics[i].name))
			add_by_opcode(k, a, s, module, &s->metrics[i]);
		else
			add_sampled_metric(k, a, s, module, &s->metrics[i], gt_source_unit(s->metrics[i].name));
}

/* What has values by instruction; of: how it is had of a launch, and added. */
static const struct by_instruction {
	int (*of)(struct gt_model *m, const struct gt_counters *c, struct gt_sampled *out, const char **why);
	void (*add)(struct making *k, struct gt_action *a, const struct gt_sampled *s, const struct gt_module *module);
	enum gt_metric_class class;
	const char *of_graph;             /* why kernels of a graph that are told apart have none */
} by_instruction[BY_INSTRUCTION] = {
	[REC_APART_SAMPLES] = { gt_sampled_of, add_samples, GT_CLASS_PC_SAMPLING,
		"its graph was sampled as a whole: CUPTI does not tell which of its kernels a sample is of" },
	[REC_APART_SASS] = { gt_source_counts, add_source, GT_CLASS_SOURCE,
		"its graph was instrumented as a whole: its kernels are not told apart" },
};

/*
 * Of this run or of a later one; with them the module of a kernel, NULL: no kernel. k->lacks: they should be there, and
 * are not.
 */
static void add_by_instruction(struct making *k, struct gt_action *a, int64_t launch, const struct gt_dispatch *kernel)
{
	const struct gt_counters *c = launch >= 0 ? gt_counted_at(k->counted, (uint32_t)launch) : NULL;
	const struct gt_module *module = NULL;
	struct gt_sampled s[BY_INSTRUCTION];
	int there[BY_INSTRUCTION];

	for (uint32_t i = 0; i < BY_INSTRUCTION; i++) {
		k->lacks[i] = NULL;
		there[i] = c && c->ranges < 2 ? by_instruction[i].of(k->model, c, &s[i], &k->lacks[i]) : 0;
		if (c && c->ranges > 1 && c->apart[i].run)
			k->lacks[i] = by_instruction[i].of_graph;
		k->failed |= there[i] < 0;
	}
	if (kernel)
		module = add_module(k, a, kernel, there[0] > 0 ? &s[0] : there[1] > 0 ? &s[1] : NULL);
	for (uint32_t i = 0; i < BY_INSTRUCTION; i++)
		if (there[i] > 0) {
			by_instruction[i].add(k, a, &s[i], module);
			gt_sampled_free(&s[i]);
		}
}

/* Told once a launch, with the first metric: how it was sampled. */
static void add_interval(struct making *k, struct gt_action *a, const struct rec_pm *h)
{
	if (h->trigger == REC_PM_TIME)
		add(k, a, "profiler__pmsampler_interval_time", "ns", "", gt_metric_integer(h->interval));
	else
		add(k, a, "profiler__pmsampler_interval_cycles", "cycle", "", gt_metric_integer(h->interval));
	add(k, a, "profiler__pmsampler_buffer_size_bytes", "byte", "", gt_metric_integer(h->buffer_bytes));
}

static void add_monitored_metric(struct making *k, struct gt_action *a, const struct gt_monitored_metric *m)
{
	struct gt_action_metric *one = gt_action_add(a, keep_str(k, m->name));

	k->failed |= !one;
	if (!one)
		return;
	one->unit = keep_str(k, m->unit);
	one->description = keep_str(k, m->description);
	if (m->why) {                           /* none of its samples has a value */
		one->why = keep_str(k, m->why);
		return;
	}
	one->value.regular = gt_metric_double(m->value);
	if (m->n)
		one->value.instances =
			gt_arena_alloc(&k->as->arena, (m->n + 1ull) * sizeof *one->value.instances);
	k->failed |= m->n && !one->value.instances;
	for (uint32_t i = 0; one->value.instances && i < m->n; i++)
		one->value.instances[one->value.n++] = (struct gt_instance){ gt_metric_integer(m->times[i].begin_ns),
			gt_metric_double(m->values[(size_t)i * m->step]) };
}

/* Samples of performance monitors, of its own run or of later ones. */
static void add_monitored(struct making *k, struct gt_action *a, int64_t launch)
{
	const struct gt_counters *c = launch >= 0 ? gt_counted_at(k->counted, (uint32_t)launch) : NULL;
	struct gt_monitored_metric m;

	if (!c)
		return;
	k->not_monitored = c->ranges > 1 ? "its graph was sampled as a whole"
					 : gt_monitored_nothing(k->monitored, (uint32_t)launch);
	for (uint32_t i = 0; c->ranges < 2 && gt_monitored_metric(k->monitored, (uint32_t)launch, i, &m) && !k->failed;
		i++) {
		add_monitored_metric(k, a, &m);
		if (!i && m.head)
			add_interval(k, a, m.head);
	}
}

/* A launch of its own, or the next kernel of a graph whose kernels the profiler told apart. */
static void find_counted(struct making *k, const struct gt_dispatch *d)
{
	int64_t graph = d->cuda ? gt_counted_find(k->counted, d->process, REC_COUNTED_GRAPH, d->cuda->correlation) : -1;

	k->range = 0;
	k->launch = d->cuda
		? gt_counted_find(k->counted, d->process, REC_COUNTED_LAUNCH, d->cuda->correlation) : -1;
	if (graph < 0 || gt_counted_at(k->counted, (uint32_t)graph)->ranges < 2)
		return;
	while (k->seen.n <= graph) {
		uint32_t *n = GT_LIST_ADD(&k->seen);

		k->failed |= !n;
		if (!n)
			return;
		*n = 0;
	}
	k->range = k->seen.v[graph]++;
	k->launch = k->range < gt_counted_at(k->counted, (uint32_t)graph)->ranges ? graph : -1;
}

/* Of a kernel that was counted the launches that were; of another its first ones. */
static bool passed_over(const struct making *k, const struct gt_dispatch *d)
{
	return k->counted && d->cuda && d->cuda->kernel.has_name &&
		gt_counted_kernel(k->counted, d->process, d->cuda->kernel.mangled) && k->launch < 0;
}

static void fill(struct making *k, struct gt_action *a, const struct gt_dispatch *d)
{
	const struct gt_process *p = gt_model_process(k->model, (uint32_t)d->process);
	const struct gt_session *s = gt_model_session(k->model);
	const char *slash = p->image ? strrchr(p->image, '/') : NULL;

	a->pid = (uint32_t)p->pid;
	a->thread = d->tid >= 0 ? (uint32_t)d->tid : 0;
	a->process = keep_str(k, slash ? slash + 1 : p->image);
	a->host = keep_str(k, s->host);
	a->call = d->call_index == GT_NO_CALL ? 0 : d->call_index;
	a->dims = d->dims;
	a->device_name = keep(k, d->device);
	if (s->utc_ns > 0 && d->call_ns != GT_NO_TIME)
		a->created_s = (uint64_t)((s->utc_ns + d->call_ns) / 1000000000);
	if (d->cuda)
		name_cuda(k, a, d->cuda);
	else
		name_opencl(k, a, d);
	if (d->opencl)
		k->failed |= !gt_programs_add(&k->programs, k->as, k->model, d->opencl->program, &a->source);
	if (d->cuda_device && d->cuda_device->compute_major > 0)
		a->capability =
			(uint32_t)(10 * d->cuda_device->compute_major + d->cuda_device->compute_minor);
	add_launch_metrics(k, a, d);
	add_counted(k, a, k->launch, k->range);
	add_by_instruction(k, a, k->launch, d->cuda ? d : NULL);
	add_monitored(k, a, k->launch);
	add_device(k, a, d);
	a->trace = gt_surroundings_place(&k->around, a, d);
	a->nvtx = gt_surroundings_nvtx(&k->around, d);
}

static void add_sections(struct making *k, struct gt_action *a)
{
	for (uint32_t i = 0; i < k->sections->n && !k->failed; i++)
		if (k->sections->v[i].message && gt_section_chosen(k->options, &k->sections->v[i], a->opencl))
			k->failed |= !gt_action_add_section(k->as, a, &k->sections->v[i], k->sections, k->mode);
}

/* Those of --metrics that are nowhere yet get their reason. */
static void add_asked(struct making *k, struct gt_action *a)
{
	const char *at = gt_option(k->options, "metrics");

	while (*at && !k->failed) {
		size_t n = strcspn(at, ",");
		struct gt_string name = keep(k, (struct gt_string){ at, n });
		struct gt_action_metric *m = gt_action_add(a, name);

		k->failed |= !m;
		if (m && !gt_action_available(m) && !m->why.bytes)
			m->why = gt_action_why(a, name);
		at += n + (at[n] == ',');
	}
}

/* What was counted and cannot be told any more was not left out. */
static void tell_why(struct making *k, struct gt_action *a, enum gt_metric_class class, const char *why)
{
	for (uint32_t i = 0; why && i < a->metrics.n; i++) {
		struct gt_action_metric *m = &a->metrics.v[i];

		if (!gt_action_available(m) && gt_metric_class(m->name) == class)
			m->why = keep_str(k, why);
	}
}

static void tell_what_is_lost(struct making *k, struct gt_action *a, int64_t launch)
{
	tell_why(k, a, GT_CLASS_HARDWARE, launch >= 0 ? gt_counted_nothing(k->counted) : NULL);
	for (uint32_t i = 0; i < BY_INSTRUCTION; i++)
		tell_why(k, a, by_instruction[i].class, k->lacks[i]);
	tell_why(k, a, GT_CLASS_PM_SAMPLING, k->not_monitored);
}

/* ------------------------------------------------------------------ all */

struct slot { struct kernel key; uint32_t number; };

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct kernel *a = &((const struct slot *)element)->key, *b = key;

	(void)ctx;
	return a->process == b->process && a->key == b->key && a->device == b->device;
}

/* Number of the dispatch's kernel; UINT32_MAX: no memory. */
static uint32_t count(struct making *k, const struct gt_dispatch *d)
{
	const struct kernel key = { .process = d->process, .key = gt_kernel_key(d), .device = d->device_key };
	struct kernel *one;
	struct slot *s;
	bool fresh;

	s = gt_map_add(
		&k->kernels, sizeof *s, gt_hash(gt_hash(GT_HASH, key.key), key.device), &key, same, NULL, &fresh);
	if (!s)
		return UINT32_MAX;
	if (fresh) {
		*s = (struct slot){ key, k->launched.n };
		one = GT_LIST_ADD(&k->launched);
		if (!one)
			return UINT32_MAX;
		*one = key;
	}
	one = &k->launched.v[s->number];
	one->launches++;
	if (d->timed && d->end_ns > d->start_ns)
		one->total_ns += (uint64_t)(d->end_ns - d->start_ns);
	return s->number;
}

/* --nvtx-include, --nvtx-exclude */
static bool chosen_by_ranges(void *ctx, const struct gt_dispatch *d)
{
	struct making *k = ctx;

	return gt_nvtx_choice_fits(k->ranges, gt_surroundings_nvtx(&k->around, d));
}

/* Whether the launch at hand becomes an action. */
static bool is_shown(const struct making *k, const struct gt_dispatch *d, uint32_t kernel)
{
	const struct gt_launch *launch = &k->shapes.launch.v[k->number];
	const struct gt_shape *shape = &k->shapes.v.v[launch->shape];

	if (!launch->chosen || passed_over(k, d))
		return false;
	if (!k->typical)
		return !k->most || k->launched.v[kernel].shown < k->most;
	return k->launch >= 0 || (shape->shown && shape->typical == k->number);
}

static int take(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	struct making *k = ctx;
	uint32_t number = count(k, d);
	struct origin *of;
	struct gt_action *a;

	find_counted(k, d);
	k->not_monitored = NULL;
	if (number == UINT32_MAX)
		return gt_no_memory(err);
	if (!is_shown(k, d, number)) {
		k->number++;
		return 0;
	}
	k->launched.v[number].shown++;
	a = GT_LIST_ADD(&k->as->all);
	of = GT_LIST_ADD(&k->origin);
	if (!a || !of)
		return gt_no_memory(err);
	*of = (struct origin){ number, k->number++, k->launch >= 0 };
	fill(k, a, d);
	add_sections(k, a);
	add_asked(k, a);
	tell_what_is_lost(k, a, k->launch);
	return k->failed ? gt_no_memory(err) : 0;
}

/* A range of the program, a graph whose kernels were counted as one, or one of these that the trace does not have. */
static void add_whole(struct making *k, int64_t launch, uint32_t range, const struct gt_counters *c)
{
	struct gt_err ignored = { 0 };
	struct gt_cuda *cuda = gt_model_cuda(k->model, &ignored);
	const struct gt_process *p = gt_model_process(k->model, c->process);
	const struct gt_cuda_device *device = cuda ? gt_cuda_device_of(cuda, c->process, c->device) : NULL;
	const struct gt_dispatch d = { .cuda_device = device };
	const char *slash = p->image ? strrchr(p->image, '/') : NULL;
	struct gt_action *a = GT_LIST_ADD(&k->as->all);
	struct origin *of = GT_LIST_ADD(&k->origin);

	k->failed |= !a || !of;
	if (k->failed)
		return;
	of->kernel = UINT32_MAX;
	a->workload = c->kind == REC_COUNTED_GRAPH ? GT_WORK_GRAPH : GT_WORK_RANGE;
	a->pid = (uint32_t)p->pid;
	a->process = keep_str(k, slash ? slash + 1 : p->image);
	a->host = keep_str(k, gt_model_session(k->model)->host);
	a->function = a->demangled = a->mangled = keep(k, c->symbol);
	a->has_context = a->has_device = true;
	a->context = c->context;
	a->device = c->device;
	if (device) {
		a->device_name = keep(k, device->name);
		a->capability = device->compute_major > 0
			? (uint32_t)(10 * device->compute_major + device->compute_minor) : 0;
	}
	add_counted(k, a, launch, range);
	k->not_monitored = NULL;
	add_by_instruction(k, a, launch, NULL);
	add_monitored(k, a, launch);
	add_device(k, a, &d);
	add_sections(k, a);
	add_asked(k, a);
	tell_what_is_lost(k, a, launch);
}

static void add_wholes(struct making *k, const struct gt_walk_options *walk)
{
	const struct gt_counters *c;

	for (uint32_t i = 0; (c = gt_counted_at(k->counted, i)) && !k->failed; i++) {
		uint32_t n = c->kind == REC_COUNTED_GRAPH && c->ranges < RANGES_MOST ? c->ranges : 1;

		if (c->kind == REC_COUNTED_LAUNCH ||
			(walk->process >= 0 && (uint32_t)walk->process != c->process))
			continue;
		for (uint32_t r = i < k->seen.n ? k->seen.v[i] : 0; r < n; r++)
			add_whole(k, i, r, c);
	}
}

/* How far a launch is from the typical one of its shape; no first launch, and none without times, is near. */
static uint64_t distance(const struct gt_launch *l, const struct gt_shape *shape)
{
	int64_t ns = l->end_ns - l->start_ns;

	if (!l->timed || shape->typical_ns == GT_NO_TIME || (l->first && shape->launches > 1))
		return UINT64_MAX;
	return (uint64_t)(ns > shape->typical_ns ? ns - shape->typical_ns : shape->typical_ns - ns);
}

/* Of two actions of a shape rules judge the one that has more to be judged by, and then the more typical one. */
static bool judged_rather(const struct making *k, uint32_t action, uint32_t than)
{
	const struct origin *a = &k->origin.v[action], *b = &k->origin.v[than];
	const struct gt_launch *l = k->shapes.launch.v;
	const struct gt_shape *shape = &k->shapes.v.v[l[a->number].shape];

	if (a->counted != b->counted)
		return a->counted;
	if (distance(&l[a->number], shape) != distance(&l[b->number], shape))
		return distance(&l[a->number], shape) < distance(&l[b->number], shape);
	return a->number == shape->typical;
}

/* One action of each shape, by number of the shape; UINT32_MAX: none is shown. NULL: no memory. */
static uint32_t *choose_judged(const struct making *k)
{
	uint32_t *judged = malloc((k->shapes.v.n + 1ull) * sizeof *judged);

	for (uint32_t i = 0; judged && i < k->shapes.v.n; i++)
		judged[i] = UINT32_MAX;
	for (uint32_t i = 0; judged && i < k->as->all.n; i++) {
		uint32_t *of;

		if (k->origin.v[i].kernel == UINT32_MAX)
			continue;
		of = &judged[k->shapes.launch.v[k->origin.v[i].number].shape];
		if (*of == UINT32_MAX || judged_rather(k, i, *of))
			*of = i;
	}
	return judged;
}

/* How often each kernel ran is known at the end. */
static void add_totals(struct making *k)
{
	uint32_t *judged = choose_judged(k);

	k->failed |= !judged;
	for (uint32_t i = 0; judged && i < k->as->all.n; i++) {
		struct gt_message *m = (struct gt_message *)k->as->all.v[i].trace;
		const struct kernel *one;
		uint32_t shape;

		if (!m || k->origin.v[i].kernel == UINT32_MAX)
			continue;
		one = &k->launched.v[k->origin.v[i].kernel];
		shape = k->shapes.launch.v[k->origin.v[i].number].shape;
		k->failed |= !gt_message_add_integer(&k->as->arena, m, "Launches", one->launches) ||
			!gt_message_add_integer(&k->as->arena, m, "TotalNs", one->total_ns);
		gt_surroundings_add_shape(&k->around, m, &k->shapes, &k->shapes.v.v[shape], judged[shape] == i);
	}
	free(judged);
}

int gt_actions_of_trace(struct gt_actions *as, struct gt_model *m, const struct gt_walk_options *walk,
	const struct gt_sections *sections, const struct gt_options *options, struct gt_err *err)
{
	struct making k = { .as = as, .model = m, .sections = sections, .options = options,
		.most = gt_option_number(options, "launch-count", 1),
		.typical = !gt_option_given(options, "launch-count"),
		.mode = gt_option_is(options, "derived", "ncu") ? GT_DERIVED_NCU : GT_DERIVED_GUIDE };
	int rc = gt_nvtx_choice_open(options, &k.ranges, err);

	if (!rc)
		rc = gt_surroundings_open(&k.around, &as->arena, m, err);
	if (!rc)
		rc = gt_shapes_open(&k.shapes, m, walk, &k.around.places, k.ranges ? chosen_by_ranges : NULL, &k, err);
	if (!rc)
		rc = gt_counted_open(m, gt_option(options, "cupti"), &k.counted, err);
	if (!rc)
		rc = gt_monitored_open(m, gt_option(options, "cupti"), &k.monitored, err);
	if (!rc)
		rc = gt_dispatches(m, walk, take, &k, err);
	if (!rc) {
		add_wholes(&k, walk);
		add_totals(&k);
		rc = k.failed || k.around.failed ? gt_no_memory(err) : 0;
	}
	gt_nvtx_choice_close(k.ranges);
	gt_surroundings_close(&k.around);
	gt_programs_close(&k.programs);
	gt_modules_close(&k.modules);
	gt_counted_close(k.counted);
	gt_monitored_close(k.monitored);
	gt_map_free(&k.kernels, sizeof(struct slot));
	free(k.launched.v);
	gt_shapes_close(&k.shapes);
	free(k.origin.v);
	free(k.seen.v);
	return rc;
}
