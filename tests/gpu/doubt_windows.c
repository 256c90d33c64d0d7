/*
 * tests/gpu/doubt_windows.c - CUPTI switched off and on again: are graph launches right in the second window?
 *
 * A client of CUPTI of its own, without gputap: the library is opened by name, records are stepped through with its
 * own iterator and read at the offsets of trace/format/cupti.def. Prints one line. Status 77: no CUPTI here; 1: the
 * second window is wrong.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <string.h>

#include "doubt.h"
#include "trace/format/cupti.h"

enum { BUFFER = 1 << 20, LAUNCHES = 20, WINDOWS = 2, MOST = 4096, FORCED = 1 };
static const uint32_t kinds[] = { REC_CUPTI_KIND_RUNTIME, REC_CUPTI_KIND_GRAPH_TRACE };

static struct {
	int (*cuptiActivityEnable)(uint32_t), (*cuptiActivityDisable)(uint32_t), (*cuptiActivityFlushAll)(uint32_t);
	int (*cuptiActivityRegisterCallbacks)(void *, void *);
	int (*cuptiActivityGetNextRecord)(uint8_t *, size_t, void **);
	int (*cuptiGetVersion)(uint32_t *);
} api;
struct seen { uint32_t calls[MOST], n_calls, ids[MOST], graphs[MOST], n_graphs; };
static struct seen seen[WINDOWS];
static int window;

static void request(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = aligned_alloc(8, BUFFER);
	*bytes = *buffer ? BUFFER : 0;
	*most = 0;
}

static uint32_t word(const void *record, size_t at)
{
	uint32_t value;

	memcpy(&value, (const char *)record + at, sizeof value);
	return value;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	struct seen *s = &seen[window];
	void *r = NULL;

	(void)context; (void)stream; (void)bytes;
	while (valid && !api.cuptiActivityGetNextRecord(buffer, valid, &r)) {
		if (word(r, 0) == REC_CUPTI_KIND_RUNTIME && s->n_calls < MOST)
			s->calls[s->n_calls++] = word(r, rec_at_API_correlationId);
		if (word(r, 0) == REC_CUPTI_KIND_GRAPH_TRACE && s->n_graphs < MOST) {
			s->graphs[s->n_graphs] = word(r, rec_at_GRAPH_TRACE_graphId);
			s->ids[s->n_graphs++] = word(r, rec_at_GRAPH_TRACE_correlationId);
		}
	}
	free(buffer);
}

static int open_cupti(void)
{
	static const char *const names[] = { "libcupti.so.13", "libcupti.so.12", "libcupti.so" };
	void *library = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	if (!library)
		return 0;
#define F(name) (api.name = (__typeof__(api.name))dlsym(library, #name))
	return F(cuptiActivityEnable) && F(cuptiActivityDisable) && F(cuptiActivityFlushAll) &&
	       F(cuptiActivityRegisterCallbacks) && F(cuptiActivityGetNextRecord) && F(cuptiGetVersion);
}

static void *make_graph(void)
{
	void *kernel = doubt_kernel("nothing"), *stream, *graph, *exec;

	MUST(cudaStreamCreateWithFlags(&stream, 1));
	MUST(cudaStreamBeginCapture(stream, 0));
	for (int i = 0; i < 3; i++)
		doubt_launch(kernel, 0, stream);
	MUST(cudaStreamEndCapture(stream, &graph));
	MUST(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

/* Launches whose number no call of the same window has. */
static uint32_t strangers(const struct seen *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_graphs; i++) {
		uint32_t k = 0;

		while (k < s->n_calls && s->calls[k] != s->ids[i])
			k++;
		n += k == s->n_calls;
	}
	return n;
}

int main(void)
{
	uint32_t version = 0, wrong = 0;
	void *exec;

	if (!open_cupti()) {
		printf("skipped: no libcupti was found\n");
		return 77;
	}
	MUST(api.cuptiGetVersion(&version));
	MUST(cuInit(0));
	exec = make_graph();
	MUST(api.cuptiActivityRegisterCallbacks((void *)request, (void *)complete));
	for (window = 0; window < WINDOWS; window++) {
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			MUST(api.cuptiActivityEnable(kinds[i]));
		for (int i = 0; i < LAUNCHES; i++)
			MUST(cudaGraphLaunch(exec, NULL));
		MUST(cudaDeviceSynchronize());
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			MUST(api.cuptiActivityDisable(kinds[i]));
		MUST(api.cuptiActivityFlushAll(FORCED));
		MUST(cudaGraphLaunch(exec, NULL));      /* between the windows: in none */
		MUST(cudaDeviceSynchronize());
	}
	printf("CUPTI %u, second window:", version);
	for (int w = 0; w < WINDOWS; w++) {
		wrong += strangers(&seen[w]) + (seen[w].n_graphs != LAUNCHES);
		printf(" window %d has %u of %d graph launches, %u with a number that no call has;", w + 1,
		       seen[w].n_graphs, LAUNCHES, strangers(&seen[w]));
	}
	uint32_t same = seen[0].n_graphs && seen[1].n_graphs && seen[0].graphs[0] == seen[1].graphs[0];

	printf(" graph id %s\n", same ? "stays" : "changes");
	return wrong || !same;
}
