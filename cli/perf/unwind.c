/*
 * cli/perf/unwind.c - callers from a copy of the registers and of the stack's top: --sample-stacks=copy
 *
 * Done by libunwind, which is looked for when it is asked for; its headers are not needed, for of its structures only
 * what its callers fill in is named here. It asks for memory (the copy, or unwind tables, which are read from the
 * object's file once), for registers, and for the table that an address belongs to.
 *
 * Code made at run time has no table. Such as only calls on keeps one word besides the return address, which then leads
 * to code of an object (Python's trampolines for profilers are so); other such code may have a frame pointer. Both is a
 * guess, and said to be one.
 *
 * SAMPLES1  Nothing here runs in the traced program: there libunwind takes locks that a signal handler may hold.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/perf/unwind.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define LIBRARY "libunwind-x86_64.so.8"
#define NAME(what) "_Ux86_64_" what

/* As libunwind numbers them (DWARF's order), the place among the kernel's (x86's asm/perf_regs.h). */
static const int place_of_register[] = { 0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8 };
enum { REGISTERS = sizeof place_of_register / sizeof *place_of_register };
enum { REGISTER_FP = 6, REGISTER_SP, REGISTER_IP = 16 };
enum { PLACE_IP = 8, PLACE_SP = 7 };
const uint64_t gt_perf_registers = 0xff01ff;      /* ax to ip, r8 to r15 */
#else
#define LIBRARY NULL
#define NAME(what) what
static const int place_of_register[] = { 0 };
enum { REGISTERS = 1, REGISTER_FP = 0, REGISTER_SP = 0, REGISTER_IP = 0 };
enum { PLACE_IP = 0, PLACE_SP = 0 };
const uint64_t gt_perf_registers;
#endif

typedef uint64_t word_t;
enum { NO_INFO = -10, BAD_REGISTER = -3, INVALID = -8 };  /* libunwind's errors */
enum { FORMAT_REMOTE_TABLE = 2, CACHE_GLOBAL = 1 };

/*
 * unw_dyn_info_t of a table in another process. What stands behind `pad` is {name, base, words, data}, since version
 * 1.6 with another word in front of it, and the name of the library does not tell which.
 */
struct table { void *next, *prev; word_t start, end, gp; int32_t format, pad; word_t rest[24]; };
/* unw_accessors_t; newer versions have more members, which may be NULL */
struct accessors {
	int (*find_proc_info)(void *space, word_t ip, void *info, int need, void *arg);
	void (*put_unwind_info)(void *space, void *info, void *arg);
	int (*list_address)(void *space, word_t *address, void *arg);
	int (*memory)(void *space, word_t at, word_t *value, int write, void *arg);
	int (*registers)(void *space, int number, word_t *value, int write, void *arg);
	int (*float_registers)(void *space, int number, void *value, int write, void *arg);
	int (*resume)(void *space, void *cursor, void *arg);
	int (*name)(void *space, word_t ip, char *to, size_t room, word_t *offset, void *arg);
	void *more[8];
};

static struct {
	void *(*create)(struct accessors *a, int byte_order);
	void (*destroy)(void *space);
	int (*begin)(void *cursor, void *space, void *arg);
	int (*step)(void *cursor);
	int (*get)(void *cursor, int number, word_t *value);
	int (*search)(void *space, word_t ip, struct table *t, void *info, int need, void *arg);
	int (*cache)(void *space, int policy);
	void (*flush)(void *space, word_t from, word_t to);
} lib;

/* What one unwinding looks at. */
struct look {
	struct gt_perf_maps *maps;
	const struct gt_perf_event *e;
	const struct gt_perf_file *file;  /* of the function that is unwound */
	uint64_t bias;
	word_t registers[REGISTERS];      /* where libunwind begins: of the sample, or behind a step of our own */
};

bool gt_perf_unwind_ready(void)
{
	static bool tried, good;
	void *handle = NULL;

	if (tried)
		return good;
	tried = true;
#if defined(__x86_64__)
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#endif
	if (!handle)
		return false;
	lib.create = (__typeof__(lib.create))dlsym(handle, NAME("create_addr_space"));
	lib.destroy = (__typeof__(lib.destroy))dlsym(handle, NAME("destroy_addr_space"));
	lib.begin = (__typeof__(lib.begin))dlsym(handle, NAME("init_remote"));
	lib.step = (__typeof__(lib.step))dlsym(handle, NAME("step"));
	lib.get = (__typeof__(lib.get))dlsym(handle, NAME("get_reg"));
	lib.search = (__typeof__(lib.search))dlsym(handle, NAME("dwarf_search_unwind_table"));
	lib.cache = (__typeof__(lib.cache))dlsym(handle, NAME("set_caching_policy"));
	lib.flush = (__typeof__(lib.flush))dlsym(handle, NAME("flush_cache"));
	good = lib.create && lib.destroy && lib.begin && lib.step && lib.get && lib.search && lib.cache && lib.flush;
	return good;
}

/* ------------------------------------------------------------------------ callbacks */

static int find_proc_info(void *space, word_t ip, void *info, int need, void *arg)
{
	struct look *l = arg;
	struct gt_perf_map *map = gt_perf_maps_find(l->maps, ip);
	struct gt_perf_table t;
	struct table di = { .format = FORMAT_REMOTE_TABLE };
	static bool newer = true, sure;
	int rc = NO_INFO;

	if (!map || !gt_perf_table_of(map, &t))
		return NO_INFO;
	l->file = map->file;
	l->bias = gt_perf_bias(map);
	di.start = map->start;
	di.end = map->end;
	for (int tries = 0; tries < 2; tries++) {
		memset(di.rest, 0, sizeof di.rest);
		di.rest[newer + 1] = t.header + l->bias;
		di.rest[newer + 2] = t.count * 8 / sizeof(word_t);      /* an entry is two numbers of 4 bytes */
		di.rest[newer + 3] = t.entries + l->bias;
		rc = lib.search(space, ip, &di, info, need, arg);
		if (!rc || sure)
			break;
		newer = !newer;
	}
	sure |= !rc;
	return rc;
}

static void put_unwind_info(void *space, void *info, void *arg) { (void)space; (void)info; (void)arg; }

static int list_address(void *space, word_t *address, void *arg)
{
	(void)space; (void)address; (void)arg;
	return NO_INFO;
}

static int memory(void *space, word_t at, word_t *value, int write, void *arg)
{
	const struct look *l = arg;
	uint64_t sp = l->e->registers[PLACE_SP];

	(void)space;
	if (write)
		return INVALID;
	if (at >= sp && at - sp <= l->e->stack_bytes && l->e->stack_bytes - (at - sp) >= sizeof *value) {
		memcpy(value, l->e->stack + (at - sp), sizeof *value);
		return 0;
	}
	return l->file && gt_perf_file_read(l->file, at - l->bias, value, sizeof *value) ? 0 : INVALID;
}

static int registers(void *space, int number, word_t *value, int write, void *arg)
{
	const struct look *l = arg;

	(void)space;
	if (write || number < 0 || number >= REGISTERS)
		return BAD_REGISTER;
	*value = l->registers[number];
	return 0;
}

static int float_registers(void *space, int number, void *value, int write, void *arg)
{
	(void)space; (void)number; (void)value; (void)write; (void)arg;
	return BAD_REGISTER;
}

static int resume(void *space, void *cursor, void *arg)
{
	(void)space; (void)cursor; (void)arg;
	return INVALID;
}

static int name(void *space, word_t ip, char *to, size_t room, word_t *offset, void *arg)
{
	(void)space; (void)ip; (void)to; (void)room; (void)offset; (void)arg;
	return INVALID;
}

/* ------------------------------------------------------------- code made at run time */

static bool has_table(const struct look *l, word_t ip)
{
	const struct gt_perf_map *map = gt_perf_maps_find(l->maps, ip);
	struct gt_perf_table t;

	return map && gt_perf_table_of(map, &t);
}

static bool on_stack(struct look *l, word_t at, word_t *value)
{
	l->file = NULL;
	return !memory(NULL, at, value, 0, l);
}

/*
 * The caller of code without a table, into l->registers: by the return address above the stack pointer, if it leads to
 * code with one, else by the frame pointer. interrupted: it was about to do anything, and may have pushed nothing.
 */
static bool step_unknown(struct look *l, bool interrupted)
{
	word_t sp = l->registers[REGISTER_SP], fp = l->registers[REGISTER_FP], saved, back;

	for (word_t at = sp + (interrupted ? 0 : sizeof back); at <= sp + sizeof back; at += sizeof back)
		if (on_stack(l, at, &back) && has_table(l, back - 1)) {
			l->registers[REGISTER_SP] = at + sizeof back;
			l->registers[REGISTER_IP] = back;
			return true;
		}
	if (fp < sp || fp % sizeof saved || !on_stack(l, fp, &saved) || !on_stack(l, fp + sizeof saved, &back) ||
		!gt_perf_maps_find(l->maps, back - 1))
		return false;
	l->registers[REGISTER_SP] = fp + 2 * sizeof saved;
	l->registers[REGISTER_FP] = saved;
	l->registers[REGISTER_IP] = back;
	return true;
}

/* From where the cursor is; false: nobody knows the caller, and the cursor is as it was. */
static bool step_over(void *cursor, void *space, struct look *l, bool interrupted)
{
	word_t ip;

	for (int i = 0; i < REGISTERS; i++)
		if (lib.get(cursor, i, &l->registers[i]))
			l->registers[i] = 0;
	if (!step_unknown(l, interrupted))
		return false;
	/* The next step looks at the call, not behind it: there may be another function. */
	ip = l->registers[REGISTER_IP]--;
	if (lib.begin(cursor, space, l))
		return false;
	l->registers[REGISTER_IP] = ip;
	return true;
}

/* -------------------------------------------------------------------------- a stack */

void gt_perf_space_free(void *space)
{
	if (space)
		lib.destroy(space);
}

void gt_perf_space_changed(void *space)
{
	if (space)
		lib.flush(space, 0, 0);
}

/* Above 0: there is a caller. */
static int step_one(void *cursor, void *space, struct look *l, uint32_t n, word_t *ip, bool *guessed)
{
	int step;

	if (!has_table(l, *ip - (n > 1)) && step_over(cursor, space, l, n == 1)) {
		*guessed = true;
		*ip = l->registers[REGISTER_IP];
		return 1;
	}
	step = lib.step(cursor);
	return step <= 0 ? step : !lib.get(cursor, REGISTER_IP, ip) && *ip;
}

uint32_t gt_perf_unwind(
	void **space, struct gt_perf_maps *maps, const struct gt_perf_event *e, uint64_t frames[GT_PERF_FRAMES],
	bool *whole, bool *guessed)
{
	static struct accessors accessors = { find_proc_info, put_unwind_info, list_address, memory, registers,
		float_registers, resume, name, { NULL } };
	static uint64_t cursor[4096];   /* unw_cursor_t: 127 words today */
	struct look l = { .maps = maps, .e = e };
	uint32_t n = 0;
	int step = 0;
	word_t ip;

	*whole = *guessed = false;
	for (int i = 0; i < REGISTERS; i++)
		l.registers[i] = e->registers[place_of_register[i]];
	if (!*space) {
		*space = lib.create(&accessors, 0);
		if (!*space)
			return 0;
		lib.cache(*space, CACHE_GLOBAL);
	}
	if (lib.begin(cursor, *space, &l))
		return 0;
	frames[n++] = ip = e->registers[PLACE_IP];
	while (n < GT_PERF_FRAMES && (step = step_one(cursor, *space, &l, n, &ip, guessed)) > 0)
		frames[n++] = ip;
	*whole = step >= 0;             /* below 0: a function without a table, or the copy was too short */
	return n;
}
