/*
 * collectors/profiler/choose.c - which launches are counted: --kernel-name, --kernel-id, --nvtx-include and their kin
 *
 * Runs      prepare: in the constructor. The rest on the program's threads, in the callback of a launch, by the holder
 *           of the gate.
 * Must not  allocate, lock, call CUDA.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/profiler/internal.h"

#include <string.h>

#include "collectors/ranges.h"
#include "common/plain/glob.h"
#include "common/plain/nvtx_filter.h"

#define KERNELS 8192u                   /* a power of two; further ones share their counts */

/* launches: all of the kernel; chosen: those that the other options let pass */
static struct kernel { uint64_t key; uint32_t launches, chosen; } seen[KERNELS];
static struct shape { uint64_t key; uint32_t launches; } shapes[KERNELS];       /* of kernel, grid and block */

/* ------------------------------------------------------------------ what was asked for */

enum { LINES = 32, STEPS = 8192 };
static const char REGEX[] = "regex:";

/* A line of --kernel-name, and the NAME of --kernel-id. */
struct name { struct gc_word globs; struct gc_regex regex; bool is_regex; };
struct id { struct gc_word context, stream, number; struct name name; };

static struct {
	struct name name[LINES];
	struct id id[LINES];
	struct gc_nvtx_filter include[LINES], exclude[LINES];
	uint32_t names, ids, includes, excludes;
	struct gc_regex_op steps[STEPS];
	size_t used;
} asked;

static struct gc_word part(struct gc_word of, size_t from, size_t to)
{
	return (struct gc_word){ of.at + from, to - from };
}

/* The lines of an option, one after another; false: there is none left. The tool has checked what they say. */
static bool next_line(const char **at, struct gc_word *line)
{
	while (**at == '\n')
		++*at;
	*line = (struct gc_word){ *at, strcspn(*at, "\n") };
	*at += line->bytes;
	return line->bytes;
}

static struct name name_of(struct gc_word text)
{
	struct name n = { .globs = text };

	n.is_regex = text.bytes >= sizeof REGEX - 1 && !memcmp(text.at, REGEX, sizeof REGEX - 1);
	if (n.is_regex) {
		gc_regex_make(&n.regex, text.at + sizeof REGEX - 1, text.bytes - (sizeof REGEX - 1),
			asked.steps + asked.used, STEPS - asked.used);
		asked.used += n.regex.n;
	}
	return n;
}

/* CONTEXT:STREAM:NAME:NUMBER; an expression may hold colons. */
static struct id id_of(struct gc_word line)
{
	size_t at[3] = { line.bytes, line.bytes, line.bytes }, n = 0;

	for (size_t i = 0; i < line.bytes && n < 2; i++)
		if (line.at[i] == ':')
			at[n++] = i;
	for (size_t i = line.bytes; n == 2 && i > at[1] + 1; i--)
		if (line.at[i - 1] == ':') {
			at[2] = i - 1;
			break;
		}
	struct id id = { .context = part(line, 0, at[0]) };

	if (n == 2) {
		id.stream = part(line, at[0] + 1, at[1]);
		id.name = name_of(part(line, at[1] + 1, at[2]));
		if (at[2] < line.bytes)
			id.number = part(line, at[2] + 1, line.bytes);
	}
	return id;
}

static uint32_t read_filters(const char *option, struct gc_nvtx_filter to[LINES])
{
	const char *at = tap_option(option);
	struct gc_word line;
	uint32_t n = 0;

	while (n < LINES && next_line(&at, &line))
		gc_nvtx_filter_make(&to[n++], line.at, line.bytes, asked.steps, STEPS, &asked.used);
	return n;
}

void tap_profiler_choose_prepare(void)
{
	const char *at = tap_option("kernel-name");
	struct gc_word line;

	while (asked.names < LINES && next_line(&at, &line))
		asked.name[asked.names++] = name_of(line);
	at = tap_option("kernel-id");
	while (asked.ids < LINES && next_line(&at, &line))
		asked.id[asked.ids++] = id_of(line);
	asked.includes = read_filters("nvtx-include", asked.include);
	asked.excludes = read_filters("nvtx-exclude", asked.exclude);
	tap_ranges_wanted |= asked.includes || asked.excludes;
}

/* ------------------------------------------------------------------ names */

/*
 * The last name of a mangled one, as the source has it: _Z3addPf, _ZN2ns3addIfEEvPT_. Names of other languages are
 * taken as they are.
 */
static struct gc_word source_name(const char *symbol)
{
	const char *at = symbol;
	struct gc_word found = { symbol, strlen(symbol) };

	if (at[0] != '_' || at[1] != 'Z')
		return found;
	at += 2;
	at += *at == 'N';
	while (*at == 'K' || *at == 'V' || *at == 'r')
		at++;
	while (*at >= '0' && *at <= '9') {
		size_t n = 0;

		while (*at >= '0' && *at <= '9' && n < 4096)
			n = n * 10 + (size_t)(*at++ - '0');
		if (n > strnlen(at, n))
			break;
		found = (struct gc_word){ at, n };
		at += n;
	}
	return found;
}

static bool globs_fit(struct gc_word list, struct gc_word name)
{
	for (size_t at = 0, n; at < list.bytes; at += n + 1) {
		for (n = 0; at + n < list.bytes && list.at[at + n] != ','; n++)
			;
		if (n && gc_glob(list.at + at, n, name.at, name.bytes))
			return true;
	}
	return false;
}

static bool name_fits(const struct name *n, const char *symbol)
{
	struct gc_word source = source_name(symbol), linker = { symbol, strlen(symbol) };

	if (n->is_regex)
		return gc_regex_fits(&n->regex, source.at, source.bytes, false);
	return globs_fit(n->globs, source) || globs_fit(n->globs, linker);
}

static bool is_named(const char *symbol)
{
	for (uint32_t i = 0; i < asked.names && symbol; i++)
		if (name_fits(&asked.name[i], symbol))
			return true;
	return !asked.names;
}

/* ------------------------------------------------------------------ numbers */

static bool number_fits(struct gc_word text, uint64_t number)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.bytes; i++) {
		if (text.at[i] < '0' || text.at[i] > '9' || n > UINT32_MAX)
			return false;
		n = n * 10 + (uint64_t)(text.at[i] - '0');
	}
	return !text.bytes || n == number;
}

static bool has_id(const struct tap_counting_launch *l, uint32_t number)
{
	for (uint32_t i = 0; i < asked.ids; i++) {
		const struct id *id = &asked.id[i];

		if (number_fits(id->context, l->context_id) && number_fits(id->stream, l->stream_id) &&
			number_fits(id->number, number) &&
			(!id->name.globs.bytes || (l->symbol && name_fits(&id->name, l->symbol))))
			return true;
	}
	return !asked.ids;
}

/* ------------------------------------------------------------------ ranges */

struct look { const struct gc_nvtx_filter *of; uint32_t n; bool found, shared; struct gc_word name; };

static bool look_at(void *ctx, const struct gc_nvtx_open *domain)
{
	struct look *look = ctx;

	for (uint32_t i = 0; i < look->n && !look->found; i++) {
		look->found = gc_nvtx_filter_fits(&look->of[i], domain);
		look->shared = !look->of[i].pushed;
		if (look->found && look->of[i].pushed)
			look->name = domain->n_pushed ? domain->pushed[domain->n_pushed - 1] : look->name;
		else if (look->found)
			look->name = look->of[i].part[0].text;
	}
	return !look->found;
}

static bool any_fits(const struct gc_nvtx_filter *of, uint32_t n)
{
	struct look look = { .of = of, .n = n };

	if (n && tap_ranges_open)
		tap_ranges_open(look_at, &look);
	return look.found;
}

static bool in_ranges(void)
{
	return (!asked.includes || any_fits(asked.include, asked.includes)) && !any_fits(asked.exclude, asked.excludes);
}

bool tap_profiler_range_by_nvtx(void) { return asked.includes; }

bool tap_profiler_range_fits(const char **name, size_t *bytes, bool *shared)
{
	struct look look = { .of = asked.include, .n = asked.includes };

	if (tap_ranges_open && look.n)
		tap_ranges_open(look_at, &look);
	*name = look.name.at ? look.name.at : "";
	*bytes = look.name.bytes;
	*shared = look.shared;
	return look.found && !any_fits(asked.exclude, asked.excludes);
}

/* ------------------------------------------------------------------ launches */

/* By name and device. */
static uint64_t key_of(const struct tap_counting_launch *l)
{
	uint64_t h = 1469598103934665603u ^ l->device;

	for (const char *c = l->symbol; c && *c; c++)
		h = (h ^ (unsigned char)*c) * 1099511628211u;
	return h | 1;
}

/* How often a launch of that kernel, grid and block was seen, with this one. */
static uint32_t order_of(const struct tap_counting_launch *l)
{
	uint64_t key = key_of(l);
	uint32_t at;

	for (int i = 0; i < 3; i++)
		key = ((key ^ l->grid[i]) * 1099511628211u ^ l->block[i]) * 1099511628211u;
	key |= 1;
	at = (uint32_t)(key >> 20) % KERNELS;
	for (uint32_t i = 0; i < 64 && shapes[at].key && shapes[at].key != key; i++)
		at = (at + 1) % KERNELS;
	if (!shapes[at].key)
		shapes[at].key = key;
	return ++shapes[at].launches;
}

static struct kernel *kernel_of(const struct tap_counting_launch *l)
{
	uint64_t key = key_of(l);
	uint32_t at = (uint32_t)(key >> 20) % KERNELS;

	for (uint32_t i = 0; i < 64 && seen[at].key && seen[at].key != key; i++)
		at = (at + 1) % KERNELS;
	if (!seen[at].key)
		seen[at].key = key;
	return &seen[at];
}

/* --launch-skip and --launch-count, of a kernel or of a range's name */
static bool is_in_turn(struct kernel *k)
{
	uint64_t skip = tap_option_number("launch-skip"), most = tap_option_number("launch-count");
	uint32_t before = k->chosen++;

	return before >= skip && (!most || before - skip < most);
}

/* Whether the first run, where this is not it, chose the launch; *chosen: it did. */
static bool is_chosen_before(const struct tap_counting_launch *l, struct tap_profiler_choice *c, bool *chosen)
{
	*c = (struct tap_profiler_choice){ order_of(l), UINT32_MAX };
	if (!tap_profiler_passes_are_open())
		return false;
	c->entry = tap_profiler_pass_find(l, c->order);
	*chosen = c->entry != UINT32_MAX;
	return true;
}

bool tap_profiler_range_chosen(const struct tap_counting_launch *l, struct tap_profiler_choice *c)
{
	bool chosen;

	return is_chosen_before(l, c, &chosen) ? chosen : is_in_turn(kernel_of(l));
}

bool tap_profiler_chosen(const struct tap_counting_launch *l, struct tap_profiler_choice *c)
{
	struct kernel *k = kernel_of(l);
	bool chosen;

	if (is_chosen_before(l, c, &chosen))
		return chosen;
	k->launches++;
	return is_named(l->symbol) && has_id(l, k->launches) && in_ranges() && is_in_turn(k);
}
