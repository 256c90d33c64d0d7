/*
 * collectors/cupti/filter.c - which API calls are recorded, and with what: --cuda-api, --cuda-filter, --cuda-args
 *
 * Runs      inside cuInit and on the collector's thread. Asking (tap_cupti_choice): anywhere.
 * Must not  allocate.
 *
 * Names come from the library itself, so a filter knows the functions of a CUDA that is newer than this program.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/counting.h"
#include "collectors/cupti/internal.h"
#include "common/plain/glob.h"
#include "common/plain/without.h"
#include "trace/format/cupti.h"

#define LAST_CBID TAP_CUPTI_LAST_CBID

uint8_t tap_cupti_choices[3][LAST_CBID + 1];
static bool filtered;                                   /* some call does not pass */

/* ----------------------------------------------------------------- patterns */

/* Length without the suffixes that tell version and stream semantics: cudaMemcpyAsync_ptsz_v7000. */
static size_t base_length(const char *name)
{
	size_t n = strlen(name), at = n;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at < n && at > 2 && name[at - 1] == 'v' && name[at - 2] == '_')
		n = at - 2;
	if (n > 5 && (!memcmp(name + n - 5, "_ptsz", 5) || !memcmp(name + n - 5, "_ptds", 5)))
		n -= 5;
	return n;
}

static bool passes(const char *list, const char *name)
{
	bool any_positive = false, hit = false;
	size_t base = base_length(name), full = strlen(name);

	while (*list) {
		size_t n = strcspn(list, ", "), not = n && *list == '!';

		if (n > not) {
			bool match =
				gc_glob(list + not, n - not, name, base) || gc_glob(list + not, n - not, name, full);

			if (not && match)
				return false;
			any_positive |= !not;
			hit |= match && !not;
		}
		list += n + (list[n] != 0);
	}
	return hit || !any_positive;
}

/* The calls that create graphs and nodes; launches of a graph create none and are frequent. */
static bool makes_graphs(const char *name)
{
	if (strstr(name, "StreamBeginCapture") || strstr(name, "StreamEndCapture"))
		return true;
	return strstr(name, "Graph") && !strstr(name, "GraphLaunch");
}

static bool ends_context(const char *name)
{
	static const char *const names[] = { "cudaDeviceReset", "cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease",
		"cuCtxDestroy" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (base_length(name) == strlen(names[i]) && !strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Those with a list of attributes: their callback is the only one that a launch ever costs (but --cuda-args). */
static bool launches_with_attributes(const char *name)
{
	static const char *const names[] = { "cudaLaunchKernelExC", "cuLaunchKernelEx" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (base_length(name) == strlen(names[i]) && !strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* A kernel or a graph by the driver, which is what the runtime's calls come to, and ranges; for who counts. */
static bool is_counted(const char *name)
{
	static const char *const names[] = { "cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel",
		"cuGraphLaunch", "cuProfilerStart", "cuProfilerStop" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (base_length(name) == strlen(names[i]) && !strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* ------------------------------------------------------------------ choosing */

static const char *name_of(uint32_t domain, uint32_t cbid, struct tap_cupti_refusals *refusals)
{
	const char *name = NULL;

	int err = TAP_CUPTI(cuptiGetCallbackName, (int)domain, cbid, &name);

	if (refusals)
		tap_cupti_count_refusal(refusals, err);
	return err ? NULL : name;
}

static bool domain_wanted(uint32_t domain)
{
	const char *which = tap_option("cuda-api");

	if (!strcmp(which, "none"))
		return false;
	return strcmp(which, domain == TAP_CUPTI_RUNTIME ? "driver" : "runtime");
}

void tap_cupti_filter_init(void)
{
	const char *list = tap_option("cuda-filter");
	struct tap_cupti_refusals refusals = { 0, 0, 0 };

	for (uint32_t domain = TAP_CUPTI_DRIVER; domain <= TAP_CUPTI_RUNTIME; domain++)
		for (uint32_t cbid = 1; cbid <= LAST_CBID; cbid++) {
			const char *name = name_of(domain, cbid, &refusals);

			if (!name)
				continue;
			if (makes_graphs(name))
				tap_cupti_choices[domain][cbid] |= TAP_CUPTI_GRAPHS;
			if (ends_context(name))
				tap_cupti_choices[domain][cbid] |= TAP_CUPTI_ENDS;
			if (launches_with_attributes(name))
				tap_cupti_choices[domain][cbid] |= TAP_CUPTI_LAUNCHES;
			if (tap_counting && domain == TAP_CUPTI_DRIVER && is_counted(name))
				tap_cupti_choices[domain][cbid] |= TAP_CUPTI_COUNTED;
			if (!domain_wanted(domain)) {
				tap_cupti.flags |= REC_CUPTI_SOME_CALLS;
				continue;
			}
			if (passes(list, name))
				tap_cupti_choices[domain][cbid] |= TAP_CUPTI_CHOSEN;
			else
				filtered = true;
		}
	if (tap_cupti_refusal(&refusals))
		tap_cupti_lost(TAP_CUPTI_cuptiGetCallbackName, tap_cupti_refusal(&refusals),
			"functions of CUDA have no names: what is chosen by them is missing");
	if (gc_without("some-calls"))
		tap_cupti.flags &= ~(uint32_t)REC_CUPTI_SOME_CALLS;
	else if (filtered)
		tap_cupti.flags |= REC_CUPTI_SOME_CALLS;
}

/* ------------------------------------------------------------------- records */

static bool too_early[2];               /* driver, runtime: refused inside cuInit */

static void record_kind(uint32_t kind, bool on)
{
	int err = on ? tap_cupti_enable(kind) : tap_cupti_disable(kind);

	if (!on)
		return;
	tap_record(REC_CUPTI_KIND, err, (uint64_t[]){ tap_tick(), kind | 1ull << 32 }, 2);
	if (!err)
		return;
	if (tap_cupti_may_change_mind(err)) {
		too_early[kind == REC_CUPTI_KIND_RUNTIME] = true;
		return;
	}
	tap_lost(REC_LOSS_CUPTI_REFUSED, 1);
	TAP_DEGRADE(TAP_PART_CUPTI,
		"no records of CUDA API calls: CUPTI refused kind %u: %s%s (cuptiActivityEnable); kernels and copies "
		"are recorded",
		kind, tap_cupti_result_text(err), tap_cupti_cause(err));
}

static int choose_call(bool runtime, uint32_t cbid, bool on)
{
	return runtime ? TAP_CUPTI(cuptiActivityEnableRuntimeApi, cbid, on) :
		TAP_CUPTI(cuptiActivityEnableDriverApi, cbid, on);
}

static void say_chosen(unsigned f, int err, bool on)
{
	if (err && on)
		tap_cupti_lost(f, err, "--cuda-filter: not all calls that it chooses are recorded");
	else if (err && !TAP_READ_ONCE(tap_cupti.closed))
		tap_cupti_note(f, err, "CUDA calls stay switched on, which costs time");
}

/*
 * Which calls CUPTI records can be told one by one since 12.5, with the kind itself left off. Each is named, few or
 * many: turning the kind on would reset what was told.
 */
static void record_chosen(uint32_t domain, bool on)
{
	bool runtime = domain == TAP_CUPTI_RUNTIME;
	uint32_t kind = runtime ? REC_CUPTI_KIND_RUNTIME : REC_CUPTI_KIND_DRIVER;
	struct tap_cupti_refusals refusals = { 0, 0, 0 };

	for (uint32_t cbid = 1; cbid <= LAST_CBID; cbid++)
		if (tap_cupti_choice(domain, cbid) & TAP_CUPTI_CHOSEN)
			tap_cupti_count_refusal(&refusals, choose_call(runtime, cbid, on));
	if (on)
		tap_record(REC_CUPTI_KIND, tap_cupti_refusal(&refusals), (uint64_t[]){ tap_tick(), kind | 1ull << 32 },
			2);
	say_chosen(runtime ? TAP_CUPTI_cuptiActivityEnableRuntimeApi : TAP_CUPTI_cuptiActivityEnableDriverApi,
		tap_cupti_refusal(&refusals), on);
}

void tap_cupti_filter_records(bool on)
{
	bool one_by_one = TAP_CUPTI_HAS(cuptiActivityEnableRuntimeApi) &&
		TAP_CUPTI_HAS(cuptiActivityEnableDriverApi);

	if (filtered && !one_by_one && on)
		TAP_DEGRADE(TAP_PART_CUPTI,
			"--cuda-filter: this CUPTI (version %u) records all API calls or none: all are recorded; "
			"CUDA 12.5's can filter",
			tap_cupti.version);
	for (uint32_t domain = TAP_CUPTI_DRIVER; domain <= TAP_CUPTI_RUNTIME; domain++) {
		if (!domain_wanted(domain))
			continue;
		if (filtered && one_by_one)
			record_chosen(domain, on);
		else
			record_kind(domain == TAP_CUPTI_RUNTIME ? REC_CUPTI_KIND_RUNTIME : REC_CUPTI_KIND_DRIVER, on);
	}
}

void tap_cupti_filter_again(void)
{
	static const uint32_t kind[2] = { REC_CUPTI_KIND_DRIVER, REC_CUPTI_KIND_RUNTIME };

	for (int i = 0; i < 2; i++)
		if (too_early[i] && TAP_READ_ONCE(tap_cupti.recording))
			record_kind(kind[i], true);
}

/* ----------------------------------------------------------------- callbacks */

void tap_cupti_filter_callbacks(bool on)
{
	const uint32_t wanted = TAP_CUPTI_GRAPHS | TAP_CUPTI_ENDS | TAP_CUPTI_LAUNCHES | TAP_CUPTI_COUNTED;
	bool args = tap_cupti.args || tap_cupti.stacks;
	struct tap_cupti_refusals refusals = { 0, 0, 0 };

	for (uint32_t domain = TAP_CUPTI_DRIVER; domain <= TAP_CUPTI_RUNTIME; domain++)
		for (uint32_t cbid = 1; cbid <= LAST_CBID; cbid++)
			if (tap_cupti_choice(domain, cbid) & (wanted | (args ? TAP_CUPTI_CHOSEN : 0)))
				tap_cupti_count_refusal(&refusals, TAP_CUPTI(cuptiEnableCallback, on,
					tap_cupti.subscriber, (int)domain, cbid));
	tap_cupti_say_callbacks(&refusals, on,
		"CUDA calls are not all seen: graphs, arguments, call stacks and counters of some may be missing");
}

void tap_cupti_write_names(void)
{
	for (uint32_t domain = TAP_CUPTI_DRIVER; domain <= TAP_CUPTI_RUNTIME; domain++)
		for (uint32_t cbid = 1; cbid <= LAST_CBID; cbid++) {
			const char *name = name_of(domain, cbid, NULL);

			if (name)
				tap_record_text(REC_CUPTI_NAME, domain | (uint64_t)cbid << 32, name, strlen(name));
		}
}
