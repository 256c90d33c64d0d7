/*
 * interpose/start.c - the constructor: the trace, then the collectors of the table, each at its time
 *
 * Runs      before main, or in the dlopen that brings this library into a running program.
 * Must not  open anything, or cost more than a few system calls, in an image that makes no traced call.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <string.h>

#include "collectors/collector.h"
#include "interpose/loader.h"
#include "trace/write/asked.h"
#include "trace/write/options.h"
#include "trace/write/process.h"

/* Each collector of which something is asked for. */
#define EACH_ASKED(c) \
	for (const struct tap_collector *const *at_ = tap_collectors, *c = NULL; (c = *at_); at_++) \
		if (c->domains & tap_asked_set)

static void at_exit(int kind)
{
	EACH_ASKED(c)
		if (c->at_exit)
			c->at_exit(kind);
}

static void fork_child(void)
{
	EACH_ASKED(c)
		if (c->fork_child)
			c->fork_child();
}

/* Loaded before main, with the program: the loader has been told to. */
static bool preloaded(void)
{
	const char *list = tap_environ("LD_PRELOAD");

	return list && strstr(list, "libgputap.so");
}

static void start_recording(void)
{
	bool late = !preloaded();

	tap_calls_off = !tap_asked(REC_ASK_OPENCL);
	tap_on_exit(at_exit);
	tap_on_fork_child = fork_child;
	EACH_ASKED(c)
		if (c->prepare)
			c->prepare();
	tap_process_ready();
	EACH_ASKED(c)
		if (c->start)
			c->start(late);
}

__attribute__((constructor(101))) static void start(void)
{
	int saved = errno;

	tap_way_in_fill(&tap_way_in);
	if (tap_process_start())
		start_recording();
	tap_core_started();
	errno = saved;
}
