/*
 * tests/fakegpu/counts.c - a witness: calls by function and activities by kind, in a mapped file
 *
 * $FAKEGPU_COUNTS/PID.N, one for each process that calls. A kill does not lose it. Calls of the tracer, which asks the
 * driver this and that, are apart: they come from its library. tests/witness/cuda_check.py reads it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CALLS = 1024 };

struct page {
	char magic[8];                          /* "standin:" */
	uint64_t pid;
	atomic_ulong calls[2][CALLS];           /* of the program, by domain (driver, runtime) and callback id */
	atomic_ulong unrecorded[2][CALLS];      /* of these: nobody had asked for a record of it when it ended */
	atomic_ulong own[2][CALLS];             /* of the tracer */
	atomic_ulong made[FG_KINDS];            /* records, by kind; dropped ones too */
	atomic_ulong dropped;
};
static struct page *_Atomic page;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static struct page *map_file(const char *folder)
{
	char path[4096];
	int fd = -1;

	for (int n = 0; n < 1000 && fd < 0; n++) {
		snprintf(path, sizeof path, "%s/%d.%d", folder, (int)getpid(), n);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	if (fd < 0 || ftruncate(fd, sizeof(struct page)))
		return NULL;
	struct page *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	memcpy(p->magic, "standin:", sizeof p->magic);
	p->pid = (uint64_t)getpid();
	return p;
}

/* A forked child has a file of its own. */
static struct page *here(void)
{
	const char *folder = getenv("FAKEGPU_COUNTS");
	struct page *p = page;
	int saved = errno;

	if (!folder || (p && p->pid == (uint64_t)getpid()))
		return p;
	pthread_mutex_lock(&opening);
	p = page;
	if (!p || p->pid != (uint64_t)getpid())
		page = p = map_file(folder);
	pthread_mutex_unlock(&opening);
	errno = saved;
	return p;
}

static bool from_tracer(const void *address)
{
	static _Atomic uintptr_t start;         /* of its library, once it was seen */
	static _Atomic uintptr_t known;         /* the last place that is elsewhere */
	Dl_info info;

	if ((uintptr_t)address == known || !dladdr(address, &info))
		return false;
	if ((uintptr_t)info.dli_fbase == start)
		return true;
	const char *base = strrchr(info.dli_fname, '/');

	if (strncmp(base ? base + 1 : info.dli_fname, "libgputap", 9)) {
		known = (uintptr_t)address;
		return false;
	}
	start = (uintptr_t)info.dli_fbase;
	return true;
}

void fg_counts_call(struct fg_call *c)
{
	struct page *p = here();

	c->of_tracer = p && from_tracer(c->from);
	if (p && c->cbid < CALLS)
		atomic_fetch_add(c->of_tracer ? &p->own[c->domain - 1][c->cbid] : &p->calls[c->domain - 1][c->cbid], 1);
}

void fg_counts_unrecorded(const struct fg_call *c)
{
	struct page *p = here();

	if (p && c->cbid < CALLS && !c->of_tracer)
		atomic_fetch_add(&p->unrecorded[c->domain - 1][c->cbid], 1);
}

void fg_counts_record(unsigned kind)
{
	struct page *p = here();

	if (p)
		atomic_fetch_add(&p->made[kind], 1);
}

void fg_counts_drop(void)
{
	struct page *p = here();

	if (p)
		atomic_fetch_add(&p->dropped, 1);
}
