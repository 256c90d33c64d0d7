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
#include <stdlib.h>
#include <string.h>

#include "model/symbols/internal.h"

/* ------------------------------------------------------------------ libdw's own */

typedef struct Dwarf Dwarf;
typedef struct Dwarf_Line_s Dwarf_Line;
typedef struct Dwarf_Files_s Dwarf_Files;
typedef struct { void *addr; void *cu; void *abbrev; long padding; } Dwarf_Die;
typedef struct { unsigned code, form; unsigned char *valp; void *cu; } Dwarf_Attribute;

/* DWARF's numbers. */
enum { TAG_INLINED = 0x1d, TAG_FUNCTION = 0x2e, AT_LINKAGE_NAME = 0x6e, AT_CALL_FILE = 0x58, AT_CALL_LINE = 0x59 };

#define FUNCTIONS(F) \
	F(Dwarf *, dwarf_begin, (int fd, int command)) \
	F(int, dwarf_end, (Dwarf * d)) \
	F(Dwarf_Die *, dwarf_addrdie, (Dwarf * d, uint64_t address, Dwarf_Die * result)) \
	F(int, dwarf_nextcu, \
		(Dwarf * d, uint64_t at, uint64_t *next, size_t *head, uint64_t *abbrev, uint8_t *, uint8_t *)) \
	F(Dwarf_Die *, dwarf_offdie, (Dwarf * d, uint64_t at, Dwarf_Die * result)) \
	F(int, dwarf_haspc, (Dwarf_Die * die, uint64_t pc)) \
	F(Dwarf_Line *, dwarf_getsrc_die, (Dwarf_Die * cu, uint64_t address)) \
	F(int, dwarf_lineno, (Dwarf_Line * line, int *number)) \
	F(const char *, dwarf_linesrc, (Dwarf_Line * line, uint64_t *mtime, uint64_t *length)) \
	F(int, dwarf_getscopes, (Dwarf_Die * cu, uint64_t pc, Dwarf_Die * *scopes)) \
	F(int, dwarf_getscopes_die, (Dwarf_Die * die, Dwarf_Die * *scopes)) \
	F(int, dwarf_tag, (Dwarf_Die * die)) \
	F(const char *, dwarf_diename, (Dwarf_Die * die)) \
	F(Dwarf_Attribute *, dwarf_attr, (Dwarf_Die * die, unsigned name, Dwarf_Attribute *result)) \
	F(Dwarf_Attribute *, dwarf_attr_integrate, (Dwarf_Die * die, unsigned name, Dwarf_Attribute *result)) \
	F(const char *, dwarf_formstring, (Dwarf_Attribute * attribute)) \
	F(int, dwarf_formudata, (Dwarf_Attribute * attribute, uint64_t *value)) \
	F(int, dwarf_getsrcfiles, (Dwarf_Die * cu, Dwarf_Files * *files, size_t *n)) \
	F(const char *, dwarf_filesrc, (Dwarf_Files * files, size_t i, uint64_t *mtime, uint64_t *length))

static struct {
#define F(type, name, parameters) type(*name) parameters;
	FUNCTIONS(F)
#undef F
} dw;

static bool load(void)
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
	return there;
}

/* ---------------------------------------------------------------------- places */

struct gt_lines { Dwarf *d; Dwarf_Die last; bool has_last; };

struct gt_lines *gt_lines_open(int fd)
{
	struct gt_lines *l = load() ? calloc(1, sizeof *l) : NULL;

	if (l && !(l->d = dw.dwarf_begin(fd, 0 /* read */))) {
		free(l);
		l = NULL;
	}
	return l;
}

void gt_lines_close(struct gt_lines *l)
{
	if (l)
		dw.dwarf_end(l->d);
	free(l);
}

/* Compilers that write no table of addresses (clang) leave it to us to ask each unit. */
static bool ask_units(struct gt_lines *l, uint64_t address, Dwarf_Die *unit)
{
	uint64_t at = 0, next;
	size_t head;

	while (!dw.dwarf_nextcu(l->d, at, &next, &head, NULL, NULL, NULL)) {
		if (dw.dwarf_offdie(l->d, at + head, unit) && dw.dwarf_haspc(unit, address) > 0)
			return true;
		at = next;
	}
	return false;
}

static bool unit_of(struct gt_lines *l, uint64_t address, Dwarf_Die *unit)
{
	if (l->has_last && dw.dwarf_haspc(&l->last, address) > 0) {
		*unit = l->last;
		return true;
	}
	if (!dw.dwarf_addrdie(l->d, address, unit) && !ask_units(l, address, unit))
		return false;
	l->last = *unit;
	l->has_last = true;
	return true;
}

static void name_of(Dwarf_Die *die, struct gt_place_of *p)
{
	Dwarf_Attribute a;

	p->function = dw.dwarf_diename(die);
	p->linkage = dw.dwarf_attr_integrate(die, AT_LINKAGE_NAME, &a) ? dw.dwarf_formstring(&a) : NULL;
}

/* Where an inlined function was called. */
static void called_at(Dwarf_Die *unit, Dwarf_Die *die, struct gt_place_of *p)
{
	Dwarf_Attribute a;
	Dwarf_Files *files;
	uint64_t file = 0, line = 0;
	size_t n;

	if (dw.dwarf_attr(die, AT_CALL_LINE, &a))
		dw.dwarf_formudata(&a, &line);
	if (dw.dwarf_attr(die, AT_CALL_FILE, &a) && !dw.dwarf_formudata(&a, &file) &&
		!dw.dwarf_getsrcfiles(unit, &files, &n) && file < n)
		p->file = dw.dwarf_filesrc(files, file, NULL, NULL);
	p->line = (uint32_t)line;
}

static uint32_t inlined_places(Dwarf_Die *unit, uint64_t address, struct gt_place_of *out)
{
	Dwarf_Die *scopes = NULL, *outer = NULL;
	int n = dw.dwarf_getscopes(unit, address, &scopes);
	uint32_t found = 1;

	/* the first list follows an inlined function to where it was written, the second to where it was inlined */
	n = n > 0 ? dw.dwarf_getscopes_die(&scopes[0], &outer) : 0;
	for (int i = 0; i < n && found < GT_INLINED_MOST; i++) {
		int tag = dw.dwarf_tag(&outer[i]);

		if (tag != TAG_INLINED && tag != TAG_FUNCTION)
			continue;
		name_of(&outer[i], &out[found - 1]);
		if (tag == TAG_FUNCTION)
			break;
		out[found] = (struct gt_place_of){ 0 };
		called_at(unit, &outer[i], &out[found++]);
	}
	free(scopes);
	free(outer);
	return found;
}

uint32_t gt_lines_find(struct gt_lines *l, uint64_t address, struct gt_place_of out[GT_INLINED_MOST])
{
	Dwarf_Line *line;
	Dwarf_Die unit;
	int number = 0;

	if (!unit_of(l, address, &unit))
		return 0;
	out[0] = (struct gt_place_of){ 0 };
	line = dw.dwarf_getsrc_die(&unit, address);
	if (line) {
		out[0].file = dw.dwarf_linesrc(line, NULL, NULL);
		if (!dw.dwarf_lineno(line, &number) && number > 0)
			out[0].line = (uint32_t)number;
	}
	return inlined_places(&unit, address, out);
}
