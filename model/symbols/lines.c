/*
 * model/symbols/lines.c - file, line and inlined functions of an address, through libdw of elfutils
 *
 * libdw is loaded when the first object with debug information comes (Debian: libdw1): no build needs it, and without
 * it stacks have functions and no lines. Its interface is stable; what is used of it is declared here.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/symbols/internal.h"
#include "common/search.h"

/* ------------------------------------------------------------------ libdw's own */

typedef struct Dwarf Dwarf;
typedef struct Dwarf_Line_s Dwarf_Line;
typedef struct Dwarf_Files_s Dwarf_Files;
typedef struct { void *addr; void *cu; void *abbrev; long padding; } Dwarf_Die;
typedef struct { unsigned code, form; unsigned char *valp; void *cu; } Dwarf_Attribute;

/* DWARF's numbers. */
enum { TAG_INLINED = 0x1d, TAG_FUNCTION = 0x2e };
enum { AT_FOLDER = 0x1b, AT_LINKAGE_NAME = 0x6e, AT_CALL_FILE = 0x58, AT_CALL_LINE = 0x59 };

#define FUNCTIONS(F) \
	F(Dwarf *, dwarf_begin, (int fd, int command)) \
	F(int, dwarf_end, (Dwarf * d)) \
	F(int, dwarf_nextcu, \
		(Dwarf * d, uint64_t at, uint64_t *next, size_t *head, uint64_t *abbrev, uint8_t *, uint8_t *)) \
	F(Dwarf_Die *, dwarf_offdie, (Dwarf * d, uint64_t at, Dwarf_Die * result)) \
	F(Dwarf_Line *, dwarf_getsrc_die, (Dwarf_Die * cu, uint64_t address)) \
	F(int, dwarf_lineno, (Dwarf_Line * line, int *number)) \
	F(const char *, dwarf_linesrc, (Dwarf_Line * line, uint64_t *mtime, uint64_t *length)) \
	F(ptrdiff_t, dwarf_ranges, (Dwarf_Die * die, ptrdiff_t at, uint64_t *base, uint64_t *start, uint64_t *end)) \
	F(int, dwarf_child, (Dwarf_Die * die, Dwarf_Die * result)) \
	F(int, dwarf_siblingof, (Dwarf_Die * die, Dwarf_Die * result)) \
	F(int, dwarf_tag, (Dwarf_Die * die)) \
	F(const char *, dwarf_diename, (Dwarf_Die * die)) \
	F(Dwarf_Attribute *, dwarf_attr, (Dwarf_Die * die, unsigned name, Dwarf_Attribute *result)) \
	F(Dwarf_Attribute *, dwarf_attr_integrate, (Dwarf_Die * die, unsigned name, Dwarf_Attribute *result)) \
	F(const char *, dwarf_formstring, (Dwarf_Attribute * attribute)) \
	F(int, dwarf_formudata, (Dwarf_Attribute * attribute, uint64_t *value)) \
	F(int, dwarf_getsrcfiles, (Dwarf_Die * cu, Dwarf_Files * *files, size_t *n)) \
	F(void *, dwarf_new_oom_handler, (Dwarf * d, void (*handler)(void))) \
	F(const char *, dwarf_filesrc, (Dwarf_Files * files, size_t i, uint64_t *mtime, uint64_t *length))

static struct {
#define F(type, name, parameters) type(*name) parameters;
	FUNCTIONS(F)
#undef F
} dw;

/* ------------------------------------------------------- what would end the program */

/*
 * Without memory libdw ends the program that it is in: by exit, which its handler (dwarf_new_oom_handler) replaces, by
 * an assertion that fails, or (0.183) by SIGSEGV; so may a damaged file. All come back to who called it (GUARDED). What
 * it was reading then is not touched again: it may be half made, and locked.
 */
static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS };
static _Thread_local sigjmp_buf *guard;
static struct sigaction before[sizeof fatal / sizeof *fatal];

static void out_of_memory(void)
{
	if (guard)
		siglongjmp(*guard, SIGABRT);
}

static void died(int sig)
{
	if (guard)
		siglongjmp(*guard, sig);
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		if (fatal[i] == sig)            /* somebody else's: it goes on when this returns */
			sigaction(sig, &before[i], NULL);
}

static void guard_begin(void)
{
	struct sigaction a = { .sa_handler = died, .sa_flags = SA_NODEFER };

	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		sigaction(fatal[i], &a, &before[i]);
}

/* What a death by this signal tells: a bad address is that of a block which was not to be had, or a damaged file's. */
static int reason(int sig)
{
	void *some = sig == SIGABRT ? NULL : malloc(4096);

	free(some);
	return some ? EBADMSG : ENOMEM;
}

/* Does it; false, and errno: ENOMEM if there was no memory, EBADMSG if the file cannot be read. */
#define GUARDED(what) ({ \
	sigjmp_buf here; \
	int sig = sigsetjmp(here, 0); \
	if (!sig) { \
		guard = &here; \
		what; \
	} \
	guard = NULL; \
	if (sig) \
		errno = reason(sig); \
	!sig; \
})

/* noinline: in the frame of a GUARDED a variable of it could be clobbered by the jump. */
static __attribute__((noinline)) bool load(void)
{
	static bool looked, there;
	void *lib;

	if (looked)
		return there;
	looked = true;
	lib = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
	there = lib != NULL;
#define F(type, name, parameters) \
	if (lib && !(*(void **)&dw.name = dlsym(lib, #name))) \
		there = false;
	FUNCTIONS(F)
#undef F
	if (there)
		guard_begin();
	return there;
}

/* ------------------------------------------------------- addresses to functions */

/*
 * libdw answers "which functions is this address in" by walking through its unit from the beginning. Each unit is
 * walked once here, at its first address, and so are the units.
 *
 * first, n: of a unit, its number; of a function, its part of the unit's list of what is inlined.
 */
struct span { uint64_t start, end; uint32_t first, n, depth; Dwarf_Die die; };
struct spans { GT_LIST(struct span) list; };
struct path { const char *file; char *whole; };  /* libdw's; with the folder in front */
struct unit { Dwarf_Die die; bool walked; struct spans functions, inlined; GT_LIST(struct path) paths; };
struct gt_lines { Dwarf *d; bool walked, broken; GT_LIST(struct unit) units; struct spans of_units; };

#define NESTED_MOST 256 /* blocks and functions within each other; nothing real comes near */

struct gt_lines *gt_lines_open(int fd)
{
	struct gt_lines *l = load() ? calloc(1, sizeof *l) : NULL;

	if (!l)
		return NULL;
	if (!GUARDED(l->d = dw.dwarf_begin(fd, 0 /* read */)) || !l->d) {
		free(l);
		return NULL;
	}
	dw.dwarf_new_oom_handler(l->d, out_of_memory);
	return l;
}

static void free_spans(struct spans *a, struct spans *b)
{
	free(a->list.v);
	free(b ? b->list.v : NULL);
}

static void free_unit(struct unit *u)
{
	free_spans(&u->functions, &u->inlined);
	for (uint32_t i = 0; i < u->paths.n; i++)
		free(u->paths.v[i].whole);
	free(u->paths.v);
}

void gt_lines_close(struct gt_lines *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->units.n; i++)
		free_unit(&l->units.v[i]);
	free(l->units.v);
	free_spans(&l->of_units, NULL);
	if (!l->broken)
		dw.dwarf_end(l->d);
	free(l);
}

static void add_spans(struct spans *to, Dwarf_Die *die, uint32_t first, uint32_t depth)
{
	uint64_t base, start, end;
	ptrdiff_t at = 0;

	while ((at = dw.dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		struct span *s = start < end ? GT_LIST_ADD(&to->list) : NULL;

		if (s)
			*s = (struct span){ start, end, first, 0, depth, *die };
	}
}

static int compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start ? 1 : (x->end < y->end) - (x->end > y->end);
}

static void sort(struct spans *s)
{
	if (s->list.n)
		qsort(s->list.v, s->list.n, sizeof *s->list.v, compare);
}

/* The innermost of those that begin last before it: what linkers dropped may lie across others. */
static struct span *find(const struct spans *s, uint64_t address)
{
	uint32_t low;

	GT_SEARCH(low, s->list.n, s->list.v[low].start <= address);
	for (uint32_t looked = 0; low && looked < 8; looked++)
		if (address < s->list.v[--low].end)
			return &s->list.v[low];
	return NULL;
}

static void walk_units(struct gt_lines *l)
{
	uint64_t at = 0, next;
	size_t head;

	for (l->walked = true; !dw.dwarf_nextcu(l->d, at, &next, &head, NULL, NULL, NULL); at = next) {
		struct unit *u = GT_LIST_ADD(&l->units);

		if (!u) {
			l->of_units.list.n = 0;         /* numbers of units that are gone */
			return;
		}
		if (dw.dwarf_offdie(l->d, at + head, &u->die))
			add_spans(&l->of_units, &u->die, l->units.n - 1, 0);
	}
	sort(&l->of_units);
}

static void walk_functions(struct unit *u, Dwarf_Die *in, uint32_t depth)
{
	Dwarf_Die die;

	if (depth == NESTED_MOST || dw.dwarf_child(in, &die))
		return;
	do {
		uint32_t at = u->functions.list.n, first = u->inlined.list.n, end;
		int tag = dw.dwarf_tag(&die);

		if (tag == TAG_FUNCTION)
			add_spans(&u->functions, &die, first, depth);
		else if (tag == TAG_INLINED)
			add_spans(&u->inlined, &die, 0, depth);
		end = u->functions.list.n;
		walk_functions(u, &die, depth + 1);
		for (; at < end && at < u->functions.list.n; at++)
			u->functions.list.v[at].n = u->inlined.list.n - first;
	} while (!dw.dwarf_siblingof(&die, &die));
}

static struct unit *unit_of(struct gt_lines *l, uint64_t address)
{
	struct span *s;
	struct unit *u;

	if (!l->walked)
		walk_units(l);
	s = find(&l->of_units, address);
	u = s && s->first < l->units.n ? &l->units.v[s->first] : NULL;
	if (u && !u->walked) {
		u->walked = true;
		walk_functions(u, &u->die, 0);
		sort(&u->functions);
	}
	return u;
}

/* ---------------------------------------------------------------------- places */

static void name_of(Dwarf_Die *die, struct gt_place_of *p)
{
	Dwarf_Attribute a;

	p->function = dw.dwarf_diename(die);
	p->linkage = dw.dwarf_attr_integrate(die, AT_LINKAGE_NAME, &a) ? dw.dwarf_formstring(&a) : NULL;
}

static char *joined(const char *folder, const char *file)
{
	const char *between = folder[strlen(folder) - 1] == '/' ? "" : "/";
	char *whole = NULL;

	while (file[0] == '.' && file[1] == '/')
		file += 2;
	return asprintf(&whole, "%s%s%s", folder, between, file) < 0 ? NULL : whole;
}

/*
 * A path that a reader can open from anywhere: libdw leaves one relative that DWARF 5 has relative to the folder of the
 * compilation (libdw 0.188). A folder that is relative itself is one that somebody did not want to be told.
 */
static const char *whole_path(struct unit *u, const char *file)
{
	Dwarf_Attribute a;
	const char *folder;
	struct path *p;

	if (!file || *file == '/')
		return file;
	for (uint32_t i = 0; i < u->paths.n; i++)
		if (u->paths.v[i].file == file)
			return u->paths.v[i].whole ? u->paths.v[i].whole : file;
	folder = dw.dwarf_attr(&u->die, AT_FOLDER, &a) ? dw.dwarf_formstring(&a) : NULL;
	p = folder && *folder == '/' ? GT_LIST_ADD(&u->paths) : NULL;
	if (!p)
		return file;
	*p = (struct path){ file, joined(folder, file) };
	return p->whole ? p->whole : file;
}

/* Where an inlined function was called. */
static void called_at(struct unit *unit, Dwarf_Die *die, struct gt_place_of *p)
{
	Dwarf_Attribute a;
	Dwarf_Files *files;
	uint64_t file = 0, line = 0;
	size_t n;

	if (dw.dwarf_attr(die, AT_CALL_LINE, &a))
		dw.dwarf_formudata(&a, &line);
	if (dw.dwarf_attr(die, AT_CALL_FILE, &a) && !dw.dwarf_formudata(&a, &file) &&
		!dw.dwarf_getsrcfiles(&unit->die, &files, &n) && file < n)
		p->file = whole_path(unit, dw.dwarf_filesrc(files, file, NULL, NULL));
	p->line = (uint32_t)line;
}

/* function: the one with this code. What is inlined there stands in the list from the outermost inwards. */
static uint32_t inlined_places(struct unit *unit, struct span *function, uint64_t address, struct gt_place_of *out)
{
	Dwarf_Die *inlined[NESTED_MOST];
	uint32_t n = 0, found = 1, depth = function->depth, end = function->first + function->n;

	for (uint32_t i = function->first; i < end && i < unit->inlined.list.n; i++) {
		struct span *s = &unit->inlined.list.v[i];

		if (s->start > address || s->end <= address || s->depth <= depth)
			continue;
		depth = s->depth;
		inlined[n++] = &s->die;
	}
	for (; n && found < GT_INLINED_MOST; found++) {
		name_of(inlined[--n], &out[found - 1]);
		out[found] = (struct gt_place_of){ 0 };
		called_at(unit, inlined[n], &out[found]);
	}
	if (!n)
		name_of(&function->die, &out[found - 1]);
	return found;
}

static uint32_t find_places(struct gt_lines *l, uint64_t address, struct gt_place_of *out)
{
	struct unit *unit = unit_of(l, address);
	struct span *function = unit ? find(&unit->functions, address) : NULL;
	Dwarf_Line *line = unit ? dw.dwarf_getsrc_die(&unit->die, address) : NULL;
	int number = 0;

	if (!unit)
		return 0;
	out[0] = (struct gt_place_of){ 0 };
	if (line) {
		out[0].file = whole_path(unit, dw.dwarf_linesrc(line, NULL, NULL));
		if (!dw.dwarf_lineno(line, &number) && number > 0)
			out[0].line = (uint32_t)number;
	}
	return function ? inlined_places(unit, function, address, out) : 1;
}

uint32_t gt_lines_find(struct gt_lines *l, uint64_t address, struct gt_place_of out[GT_INLINED_MOST])
{
	volatile uint32_t n = 0;

	if (l->broken)
		return 0;
	l->broken = !GUARDED(n = find_places(l, address, out));
	return l->broken ? 0 : n;
}
