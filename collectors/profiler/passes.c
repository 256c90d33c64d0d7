/*
 * collectors/profiler/passes.c - what earlier runs of the program counted of the same launches
 *
 * Runs      on the program's threads, by the holder of the gate; open: inside cuInit.
 * Must not  allocate from the C library, lock, call CUDA.
 *
 * PASSES1  A process plays the part of one process of the first run: of the first whose launch it makes and that no
 *          other has taken. The launcher's file says who has which, in memory that all processes of the run share.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/profiler/internal.h"
#include "trace/write/run/run.h"

static struct { struct rec_passes *file; uint32_t group; bool *taken; } passes = { .group = UINT32_MAX };

static int open_file(void)
{
	char *path = tap_scratch_take();
	int fd;

	tap_run_path(path, tap_run_dir(), "/" REC_PASSES_FILE);
	fd = tap_sys_open(path, O_RDWR, 0);
	tap_scratch_give(path);
	return fd;
}

bool tap_profiler_passes_open(void)
{
	struct rec_passes head;
	int fd = open_file();
	void *at = NULL;

	if (fd >= 0 && tap_sys_read(fd, &head, sizeof head) == sizeof head && head.bytes >= sizeof head &&
		head.bytes <= REC_PASSES_MOST)
		at = tap_sys_mmap(NULL, head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		tap_sys_close(fd);
	if (!at || !rec_passes_sound(at, head.bytes, UINT64_MAX))
		return false;
	passes.taken = tap_sys_mmap(NULL, ((const struct rec_passes *)at)->n + 1u, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	passes.file = passes.taken ? at : NULL;
	return passes.file;
}

bool tap_profiler_passes_are_open(void) { return passes.file; }

static bool is_it(const struct rec_pass *p, const struct tap_counting_launch *l, uint32_t order)
{
	const char *symbol = (const char *)passes.file + p->symbol;
	size_t n = l->symbol ? strnlen(l->symbol, REC_SYMBOL_LARGEST) : 0;

	return p->order == order && p->kind == l->kind && p->device == l->device && !p->missing &&
		!memcmp(p->grid, l->grid, sizeof p->grid) && !memcmp(p->block, l->block, sizeof p->block) &&
		rec_symbol_is(symbol, p->symbol_bytes, l->symbol, n);
}

/* PASSES1 */
static bool take_part(uint32_t group)
{
	uint32_t none = 0;

	if (passes.group != UINT32_MAX || group >= REC_PASSES_GROUPS)
		return passes.group == group;
	if (!__atomic_compare_exchange_n(&passes.file->owner[group], &none, (uint32_t)tap_sys_getpid(), false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	passes.group = group;
	return true;
}

uint32_t tap_profiler_pass_find(const struct tap_counting_launch *l, uint32_t order)
{
	const struct rec_pass *all = (const void *)(passes.file + 1);

	for (uint32_t i = 0; i < passes.file->n; i++)
		if (!passes.taken[i] && is_it(&all[i], l, order) && take_part(all[i].group)) {
			passes.taken[i] = true;
			return i;
		}
	return UINT32_MAX;
}

bool tap_profiler_pass_load(uint32_t entry, void *to, size_t bytes)
{
	const struct rec_pass *p = (const struct rec_pass *)(const void *)(passes.file + 1) + entry;
	uint64_t done = 0;
	long got = 1;
	int fd;

	if (p->data_bytes != bytes || (fd = open_file()) < 0)
		return false;
	while (done < bytes && got > 0)
		if ((got = TAP_SYS(pread64, fd, (char *)to + done, bytes - done, p->data + done, 0, 0)) > 0)
			done += (uint64_t)got;
	tap_sys_close(fd);
	return done == bytes;
}
