/*
 * tests/fuzz/each.h - what the fuzzers of files share: random numbers, limits, and an execution after the other
 *
 * Within 1 GiB of memory and STEPS_MOST branches of what is compiled with a call at each. A crash is the failure; its
 * number is told on standard error, so that -r SEED -n NUMBER repeats it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_FUZZ_EACH_H
#define GPUTAP_TESTS_FUZZ_EACH_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEMORY_LIMIT (1ull << 30)
#define STEPS_MOST 50000000ull

static uint64_t each_steps, each_most_steps, each_now, each_state;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	if (++each_steps == STEPS_MOST)
		abort();
}

static uint64_t below(uint64_t n)
{
	each_state ^= each_state << 13;
	each_state ^= each_state >> 7;
	each_state ^= each_state << 17;
	return n ? each_state * 0x9e3779b97f4a7c15ull % n : 0;
}

/* Only what may be called in a signal handler. */
static void each_tell(int signal)
{
	char line[] = "the end in execution 00000000000000000000\n", *at = line + sizeof line - 2;
	uint64_t n = each_now;

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	if (write(2, line, sizeof line - 1) < 0)
		_exit(2);
	raise(signal);
}

struct each_options { uint64_t n, seed; };

/* -n EXECUTIONS, -r SEED; other arguments are behind optind. */
static struct each_options each_begin(int argc, char **argv)
{
	struct each_options o = { 20000, 1 };
	int c;

	while ((c = getopt(argc, argv, "n:r:")) != -1)
		*(c == 'n' ? &o.n : &o.seed) = strtoull(optarg, NULL, 10);
	return o;
}

static void each_run(struct each_options o, void (*once)(void))
{
	const struct rlimit memory = { MEMORY_LIMIT, MEMORY_LIMIT };

	setrlimit(RLIMIT_DATA, &memory);
	sigaction(SIGSEGV, &(struct sigaction){ .sa_handler = each_tell, .sa_flags = (int)SA_RESETHAND }, NULL);
	sigaction(SIGABRT, &(struct sigaction){ .sa_handler = each_tell, .sa_flags = (int)SA_RESETHAND }, NULL);
	for (each_now = 0; each_now < o.n; each_now++) {
		each_steps = 0;
		each_state = (o.seed << 32 ^ each_now) * 0x2545f4914f6cdd1dull + 88172645463325252ull;
		below(2);
		once();
		if (each_steps > each_most_steps)
			each_most_steps = each_steps;
	}
}

#endif
