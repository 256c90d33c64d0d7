/*
 * collectors/nvtx/collector.c - the injected library of NVTX: entry points, marks, ranges, domains
 *
 * NVTX is a header: every shared object that uses it has a copy of its own, which at its first call loads the library
 * named by NVTX_INJECTION64_PATH and calls InitializeInjectionNvtx2 there; so this is called once for each such object,
 * maybe by several threads at once. Nothing here keeps a state of the caller.
 *
 * Runs      in the calling thread of the traced program.
 * Must not  allocate, lock, change errno.
 *
 * Handles that the program gets (domains, strings, resources) are numbers, not addresses: nothing is allocated for
 * them, and they hold in children of fork too.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/collector.h"
#include "collectors/nvtx/record.h"
#include "collectors/nvtx/watch.h"
#include "trace/write/asked.h"
#include "trace/write/options.h"

static uint64_t domains, strings, resources;    /* numbers given out */

/* Libraries that annotate themselves, and the variables that switch it on: trace/format/domains.def. */
static const struct {
	enum rec_ask ask;
	const char *domain;
} libraries[] = {
#define RANGES_OF(ask, domain) { REC_ASK_##ask, domain },
#include "trace/format/domains.def"
};
static const struct {
	enum rec_ask ask;
	const char *variable;
} levels[] = {
#define LEVEL_OF(ask, variable) { REC_ASK_##ask, variable },
#include "trace/format/domains.def"
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool skipped(uint64_t domain) { return TAP_UNLIKELY(domain & TAP_NVTX_UNWANTED); }

/*
 * Only for the libraries whose names are given: the program's own domains, and other libraries', are none of ours then.
 */
static bool domain_wanted(struct tap_nvtx_message m)
{
	if (tap_asked(REC_ASK_NVTX))
		return true;
	for (size_t i = 0; m.type == REC_NVTX_TEXT && i < COUNT(libraries); i++)
		if (tap_asked(libraries[i].ask) && tap_text_equal(m.at, libraries[i].domain))
			return true;
	return false;
}

static uint64_t next(uint64_t *counter) { return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED); }
static struct tap_nvtx_message ascii(const char *text) { return tap_nvtx_message(NVTX_ABI_ASCII, text); }
static struct tap_nvtx_message wide(const void *text) { return tap_nvtx_message(NVTX_ABI_WIDE, text); }

/* -------------------------------------------------------------------- core */

static void mark_ex(const struct nvtx_event *e) { tap_nvtx_event(0, REC_NVTX_MARK, e); }
static void mark_a(const char *m) { tap_nvtx_text(0, REC_NVTX_MARK, REC_NVTX_TEXT, m); }
static void mark_w(const void *m) { tap_nvtx_text(0, REC_NVTX_MARK, REC_NVTX_WIDE, m); }
static uint64_t start_ex(const struct nvtx_event *e) { return tap_nvtx_event(0, REC_NVTX_START, e); }
static uint64_t start_a(const char *m) { return tap_nvtx_text(0, REC_NVTX_START, REC_NVTX_TEXT, m); }
static uint64_t start_w(const void *m) { return tap_nvtx_text(0, REC_NVTX_START, REC_NVTX_WIDE, m); }
static void end(uint64_t id) { tap_nvtx_end(0, id, NULL, 0); }

static int push_ex(const struct nvtx_event *e)
{
	tap_nvtx_event(0, REC_NVTX_PUSH, e);
	return NVTX_ABI_NO_TRACKING;
}

static int push_a(const char *m)
{
	tap_nvtx_text(0, REC_NVTX_PUSH, REC_NVTX_TEXT, m);
	return NVTX_ABI_NO_TRACKING;
}

static int push_w(const void *m)
{
	tap_nvtx_text(0, REC_NVTX_PUSH, REC_NVTX_WIDE, m);
	return NVTX_ABI_NO_TRACKING;
}

static int pop(void)
{
	tap_nvtx_pop(0, NULL, 0);
	return NVTX_ABI_NO_TRACKING;
}

static void category_a(uint32_t id, const char *m) { tap_nvtx_name(0, REC_NVTX_CATEGORY, 0, id, ascii(m)); }
static void category_w(uint32_t id, const void *m) { tap_nvtx_name(0, REC_NVTX_CATEGORY, 0, id, wide(m)); }
static void thread_a(uint32_t tid, const char *m) { tap_nvtx_name(0, REC_NVTX_THREAD, 0, tid, ascii(m)); }
static void thread_w(uint32_t tid, const void *m) { tap_nvtx_name(0, REC_NVTX_THREAD, 0, tid, wide(m)); }

static const nvtx_function core[] = {
	NULL,
	(nvtx_function)mark_ex,
	(nvtx_function)mark_a,
	(nvtx_function)mark_w,
	(nvtx_function)start_ex,
	(nvtx_function)start_a,
	(nvtx_function)start_w,
	(nvtx_function)end,
	(nvtx_function)push_ex,
	(nvtx_function)push_a,
	(nvtx_function)push_w,
	(nvtx_function)pop,
	(nvtx_function)category_a,
	(nvtx_function)category_w,
	(nvtx_function)thread_a,
	(nvtx_function)thread_w,
};

/* ------------------------------------------------------------------- domains */

static void domain_mark(uint64_t d, const struct nvtx_event *e)
{
	if (!skipped(d))
		tap_nvtx_event(d, REC_NVTX_MARK, e);
}

static uint64_t domain_start(uint64_t d, const struct nvtx_event *e)
{
	return skipped(d) ? 0 : tap_nvtx_event(d, REC_NVTX_START, e);
}
/* 0: a start that was not recorded */
static void domain_end(uint64_t d, uint64_t id) { tap_nvtx_end(d, id, NULL, 0); }

static int domain_push(uint64_t d, const struct nvtx_event *e)
{
	if (!skipped(d))
		tap_nvtx_event(d, REC_NVTX_PUSH, e);
	return NVTX_ABI_NO_TRACKING;
}

static int domain_pop(uint64_t d)
{
	if (!skipped(d))
		tap_nvtx_pop(d, NULL, 0);
	return NVTX_ABI_NO_TRACKING;
}

static void domain_name(
	uint64_t d, enum rec_nvtx_name what, uint32_t resource_type, uint64_t id, struct tap_nvtx_message m)
{
	if (!skipped(d))
		tap_nvtx_name(d, what, resource_type, id, m);
}

static uint64_t resource_create(uint64_t d, const struct nvtx_resource *r)
{
	uint64_t handle = next(&resources);

	if (r)
		domain_name(d, REC_NVTX_RESOURCE, (uint32_t)r->type, r->identifier,
			tap_nvtx_message(r->message_type, r->message));
	return handle;
}

static void resource_destroy(uint64_t handle) { (void)handle; }  /* a name holds until another is given */

static void domain_category_a(uint64_t d, uint32_t id, const char *m)
{
	domain_name(d, REC_NVTX_CATEGORY, 0, id, ascii(m));
}
static void domain_category_w(uint64_t d, uint32_t id, const void *m)
{
	domain_name(d, REC_NVTX_CATEGORY, 0, id, wide(m));
}

static uint64_t register_string(uint64_t d, struct tap_nvtx_message m)
{
	uint64_t id = next(&strings);

	domain_name(d, REC_NVTX_STRING, 0, id, m);
	return id;
}
static uint64_t register_a(uint64_t d, const char *m) { return register_string(d, ascii(m)); }
static uint64_t register_w(uint64_t d, const void *m) { return register_string(d, wide(m)); }

static uint64_t create(struct tap_nvtx_message m)
{
	uint64_t id = next(&domains);

	if (!domain_wanted(m))
		return id | TAP_NVTX_UNWANTED;
	tap_nvtx_name(id, REC_NVTX_DOMAIN, 0, id, m);
	return id;
}
static uint64_t create_a(const char *m) { return create(ascii(m)); }
static uint64_t create_w(const void *m) { return create(wide(m)); }

static void destroy(uint64_t d) { domain_name(d, REC_NVTX_DOMAIN_END, 0, d, (struct tap_nvtx_message){ 0 }); }
static void initialize(const void *reserved) { (void)reserved; }

static const nvtx_function core2[] = {
	NULL,
	(nvtx_function)domain_mark,
	(nvtx_function)domain_start,
	(nvtx_function)domain_end,
	(nvtx_function)domain_push,
	(nvtx_function)domain_pop,
	(nvtx_function)resource_create,
	(nvtx_function)resource_destroy,
	(nvtx_function)domain_category_a,
	(nvtx_function)domain_category_w,
	(nvtx_function)register_a,
	(nvtx_function)register_w,
	(nvtx_function)create_a,
	(nvtx_function)create_w,
	(nvtx_function)destroy,
	(nvtx_function)initialize,
};

/* ----------------------------------------------------------------- injection */

static void fill(nvtx_function **slots, unsigned n, const nvtx_function *from, unsigned n_from)
{
	for (unsigned i = 1; i < n && i < n_from; i++)
		if (slots[i])
			*slots[i] = from[i];
}

static bool wanted(void)
{
	return tap_off != TAP_OFF_OPTION && tap_asked_set & (REC_ASK_BIT(NVTX) | rec_ask_libraries);
}

/* Not 0: the caller's slots are ours. A client of an older version has fewer slots; those it has mean the same. */
int tap_nvtx_injection(const void *(*get_table)(uint32_t))
{
	const struct nvtx_callbacks *c = wanted() && get_table ? get_table(NVTX_ABI_CALLBACKS) : NULL;

	if (!c || c->bytes < sizeof *c || !c->module)
		return 0;
	for (uint32_t module = NVTX_ABI_CORE; module <= NVTX_ABI_SYNC; module++) {
		nvtx_function **slots = NULL;
		unsigned n = 0;

		if (!c->module(module, &slots, &n) || !slots)
			continue;
		if (module != NVTX_ABI_CORE2 && !tap_asked(REC_ASK_NVTX))
			continue;               /* the default domain, names of objects: no library's */
		if (module == NVTX_ABI_CORE)
			fill(slots, n, core, sizeof core / sizeof *core);
		else if (module == NVTX_ABI_CORE2)
			fill(slots, n, core2, sizeof core2 / sizeof *core2);
		else
			tap_nvtx_fill_names(module, slots, n);
		tap_nvtx_watch(module, slots, n);
	}
	return 1;
}

/* --------------------------------------------------------------- environment */

/*
 * Lets copies of NVTX in this process and its children find us, unless another tool is named already, and switches on
 * the annotations of the libraries that -t names, unless the user set their level.
 */
static void prepare(void)
{
	const char *self = tap_own_path();

	tap_ranges_open = tap_nvtx_ranges_open;
	for (size_t i = 0; i < COUNT(levels); i++)
		if (tap_asked(levels[i].ask) && !tap_environ(levels[i].variable))
			tap_environ_set(levels[i].variable, "2");
	if (!tap_environ("NVTX_INJECTION64_PATH") && self[0])
		tap_environ_set("NVTX_INJECTION64_PATH", self);
}

#define RANGES_OF(ask, domain) | REC_ASK_BIT(ask)
const struct tap_collector tap_collector_nvtx = {
	.name = "nvtx",
	.domains = REC_ASK_BIT(NVTX)
#include "trace/format/domains.def"
	,
	.prepare = prepare,
};
