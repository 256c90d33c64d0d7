/*
 * bench/record.c - what one recorded call costs beside two clock reads, in the same run
 *
 * Linked with the shim's objects, so that nothing but the recording is measured: begin, stop, arguments, commit, page
 * preparation and chunk switches included. Prints one line each:  name  value  unit  ratio-to-floor
 * Times are the best of some rounds: other work on the machine only ever adds.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace/write/call/call.h"
#include "trace/write/tls.h"

#define FN 0x400
#define CALLS 200000
#define ROUNDS 7

static double ticks_per_ns;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void floor_call(void)
{
	uint64_t a = tap_tick();

	__asm__ volatile("" : : "r"(a) : "memory");
	uint64_t b = tap_tick();

	__asm__ volatile("" : : "r"(b) : "memory");
}

static __attribute__((noinline)) void recorded_call(uint32_t words)
{
	struct tap_call call;

	if (!tap_call_begin(&call, FN, REC_DOMAIN_OPENCL, words, 1, 2, 3))
		return;
	__asm__ volatile("" : : : "memory");    /* the real function */
	tap_call_stop(&call, 0);
	uint64_t *out = tap_call_reserve(&call, 0, words);

	for (uint32_t i = 0; out && i < words; i++)
		out[i] = i;
	tap_call_finish(&call);
}

static void run(uint32_t words)
{
	for (int i = 0; i < CALLS; i++)
		if (words == UINT32_MAX)
			floor_call();
		else
			recorded_call(words);
}

static double best_ns(uint32_t words)
{
	double best = 1e9;

	for (int r = 0; r < ROUNDS; r++) {
		uint64_t start = now_ns();

		run(words);
		double ns = (double)(now_ns() - start) / CALLS;

		best = ns < best ? ns : best;
	}
	return best;
}

struct work { pthread_barrier_t *barrier; uint32_t words; double best; };

static void *thread(void *arg)
{
	struct work *w = arg;

	recorded_call(1);
	pthread_barrier_wait(w->barrier);
	w->best = best_ns(w->words);
	return NULL;
}

/* The slower of two threads that record at the same time. */
static double two_threads_ns(uint32_t words)
{
	pthread_barrier_t barrier;
	struct work w[2] = { { &barrier, words, 0 }, { &barrier, words, 0 } };
	pthread_t t[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, thread, &w[i]))
			exit(1);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return w[0].best > w[1].best ? w[0].best : w[1].best;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void tails(uint32_t words, double floor_ns)
{
	static uint64_t took[CALLS];

	double p999 = 1e18, worst = 1e18;

	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < CALLS; i++) {
			uint64_t start = tap_tick();

			recorded_call(words);
			took[i] = tap_tick() - start;
		}
		qsort(took, CALLS, sizeof *took, by_value);
		double p = (double)took[CALLS / 1000 * 999] / ticks_per_ns, w = (double)took[CALLS - 1] / ticks_per_ns;

		p999 = p < p999 ? p : p999;
		worst = w < worst ? w : worst;
	}
	printf("record_%u_p999 %.0f ns %.1f\n", words * 8 + 24, p999, p999 / floor_ns);
	printf("record_%u_worst %.0f ns %.1f\n", words * 8 + 24, worst, worst / floor_ns);
}

int main(void)
{
	static const uint32_t words[] = { 1, 4, 5 };    /* 32, 56 and 64 bytes */
	uint64_t tick = tap_tick(), ns = now_ns();

	recorded_call(1);
	if (!tap_tls.stream) {
		fprintf(stderr, "bench/record: nothing is recorded: is GPUTAP_OUTPUT writable?\n");
		return 1;
	}
	double floor_ns = best_ns(UINT32_MAX);

	ticks_per_ns = (double)(tap_tick() - tick) / (double)(now_ns() - ns);
	printf("floor %.1f ns 1.0\n", floor_ns);
	for (unsigned i = 0; i < 3; i++) {
		double one = best_ns(words[i]);

		printf("record_%u %.1f ns %.2f\n", words[i] * 8 + 24, one, one / floor_ns);
	}
	for (unsigned i = 0; i < 3; i++) {
		double two = two_threads_ns(words[i]);

		printf("record_%u_2_threads %.1f ns %.2f\n", words[i] * 8 + 24, two, two / floor_ns);
	}
	tails(5, floor_ns);
	tap_off = TAP_OFF_OPTION;
	tap_gate->until_tick = 0;
	double off = best_ns(1);

	printf("record_off %.1f ns %.2f\n", off, off / floor_ns);
	return 0;
}
