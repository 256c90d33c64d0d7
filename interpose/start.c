/*
 * interpose/start.c - the start: the trace, then the collectors of the table, each at its time
 *
 * Constructors of libraries that the program is linked with run before ours. So the start is made by whatever comes
 * first: the first call or look-up of an OpenCL function, an injection by CUDA or NVTX, or our constructor.
 *
 * Runs      before main, or in the dlopen that brings this library into a running program; once.
 * Must not  open anything, or cost more than a few system calls, in an image that makes no traced call.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "common/plain/without.h"
#include "interpose/loader.h"
#include "interpose/side.h"
#include "trace/write/asked.h"
#include "trace/write/call/call.h"
#include "trace/write/options.h"
#include "trace/write/process.h"
#include "trace/write/room.h"
#include "trace/write/sys.h"

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

static void start(void *unused)
{
	(void)unused;
	tap_way_in_fill(&tap_way_in);
	tap_side_is_opencl = tap_side_of_opencl;
	if (tap_process_start())
		start_recording();
	tap_second_copy_steps_aside();
	tap_core_started();
}

/*
 * With an audit module glibc (2.36; no more 2.41) sets an object's thread-local memory anew, once, when the object is
 * opened before its constructors have run. A loader opens us so that is told to take us as its layer: in the middle
 * of a call, and what the thread knew of its stream would be gone. So it happens here, while nothing stands in it.
 */
static void settle_tls(void)
{
	Dl_info own;

	if (tap_environ("LD_AUDIT") && dladdr((const void *)settle_tls, &own) && own.dli_fname)
		dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}

static bool constructed;                        /* our own constructor makes the start, or has */
static uint32_t starter;                        /* thread that makes the start; 0 = nobody yet */
static bool started;

/* Another thread's start takes milliseconds. One that was cut off by a fork never ends: then nothing is recorded. */
static void wait_for_start(void)
{
	for (int i = 0; i < 100000 && !__atomic_load_n(&started, __ATOMIC_ACQUIRE); i++)
		TAP_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
}

TAP_COLD static void start_once(void)
{
	uint32_t self = tap_sys_gettid(), other = 0;
	int saved = errno;

	/*
	 * A sanitizer's runtime starts before the C library has the environment, without which nothing of ours is
	 * known; what it calls is its own.
	 */
	if ((gc_without("first-call-start") || !environ) && !constructed)
		return;
	if (__atomic_compare_exchange_n(&starter, &other, self, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (!constructed && !gc_without("audit-tls"))
			settle_tls();
		/* Before main there is a whole stack; whoever calls before that, or opens us, may have 16 KiB. */
		if (constructed && preloaded())
			start(NULL);
		else
			tap_set_up(start, NULL);
		__atomic_store_n(&started, true, __ATOMIC_RELEASE);
	} else if (other != self) {             /* else a call that the start itself causes: it is not recorded */
		wait_for_start();
	}
	errno = saved;
}

void tap_start(void)
{
	if (TAP_UNLIKELY(!__atomic_load_n(&started, __ATOMIC_ACQUIRE)))
		start_once();
}

/* For thin objects (trace/write/core.h), whose functions constructors of libraries call too. */
__attribute__((visibility("default"))) void gputap_start(void);
void gputap_start(void) { tap_start(); }

__attribute__((constructor(101))) static void at_load(void)
{
	constructed = true;
	tap_start();
}
