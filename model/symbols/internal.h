/*
 * model/symbols/internal.h - what the files of the symbol look-up share
 *
 *   symbols.c  frames of stacks, and what was found once
 *   elf.c      a file's sections and its functions, sorted
 *   files.c    the file of an object, and its separate debug file
 *   opened.c   ... each read once for all processes that loaded it
 *   lines.c    file, line and inlined functions, through libdw
 *   jit.c      names of code that was made at run time
 *   python.c   functions of Python
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_SYMBOLS_INTERNAL_H
#define GPUTAP_MODEL_SYMBOLS_INTERNAL_H

#include <sys/types.h>

#include "common/map.h"
#include "common/memory.h"
#include "model/symbols/symbols.h"

/* ---- elf.c ---- */

struct gt_elf_function { uint64_t start, bytes; const char *name; };    /* bytes 0: not told */
struct gt_elf {
	int fd;                           /* -1: none */
	uint64_t file_bytes;
	uint32_t id_bytes; uint8_t id[64];
	bool marked;                      /* it has no build id: id stands for one, and its debug file has another */
	char link[256];                   /* name of its debug file; "" */
	uint32_t link_crc;
	bool has_debug;                   /* .debug_info is in it */
	GT_LIST(struct gt_elf_function) functions;       /* sorted */
	char *names;                      /* of the functions */
	/* .eh_frame_hdr, once it was asked for: pairs of {beginning, entry}, from its own address on; NULL: none */
	bool unwind_read;
	char *unwind;
	uint32_t unwind_n;
	uint64_t unwind_at;               /* address of the section */
	uint64_t entries_at, entries_offset, entries_bytes; /* .eh_frame: address, place in the file, size */
};
/* False: no ELF file of this machine's word size and byte order. What is damaged in it is left out. */
bool gt_elf_open(struct gt_elf *e, const char *path);
void gt_elf_close(struct gt_elf *e);
/* Fills functions. False: no memory. */
bool gt_elf_functions(struct gt_elf *e);
const struct gt_elf_function *gt_elf_find(const struct gt_elf *e, uint64_t address);
/* Where the function, or the part of one, begins that the unwind tables have around the address. False: none. */
bool gt_elf_begin(struct gt_elf *e, uint64_t address, uint64_t *begin);

/* ---- files.c ---- */

/*
 * Opens what belongs to the object; both may be none (fd -1). debug: where names and lines are, if not in the first.
 * cwd: of its process; its path may count from there.
 */
void gt_files_of(const struct gt_module *o, const char *cwd, struct gt_elf *file, struct gt_elf *debug);

/* ---- lines.c ---- */

struct gt_lines;
/*
 * NULL: no debug information, no libdw, or no memory, which errno tells (ENOMEM) here and below. The descriptor stays
 * the caller's.
 */
struct gt_lines *gt_lines_open(int fd);
void gt_lines_close(struct gt_lines *l);
/* A place in the source, and the function that it stands in. Strings live as long as the lines. */
struct gt_place_of { const char *function, *linkage, *file; uint32_t line; };
#define GT_INLINED_MOST 32
/* The place of an address and those that it is inlined into, innermost first: how many; 0: nothing is known. */
uint32_t gt_lines_find(struct gt_lines *l, uint64_t address, struct gt_place_of out[GT_INLINED_MOST]);

/* ---- opened.c ---- */

/* An object's file, its debug file (fd -1: none), and the lines of one of them. */
struct gt_opened { struct gt_elf file, debug; struct gt_lines *lines; };
struct gt_opened_files { struct gt_map map; struct gt_opened none; };    /* all zero: empty */
/* What there is of an object, opened at its first use; without a file, or memory, one that has nothing. */
struct gt_opened *gt_opened_of(struct gt_opened_files *f, const struct gt_module *module, const char *cwd);
void gt_opened_free(struct gt_opened_files *f);

/* ---- jit.c ---- */

struct gt_jit;
/*
 * Of a process, by its number; NULL: none. owner: of the process, as far as it is known. A map that was written before
 * the process began is another's. *left: lines that may still be kept, of all maps.
 */
#define GT_JIT_LINES (4u << 20)
struct gt_jit *gt_jit_open(int pid, uid_t owner, int64_t started_utc_ns, uint32_t *left);
void gt_jit_close(struct gt_jit *j);
/* *start: where it begins. Until the next call. */
const char *gt_jit_find(struct gt_jit *j, uint64_t address, uint64_t *start);

/* ---- python.c ---- */

/* C functions that stand for those of Python: the interpreter's, and what it makes for profilers at run time. */
bool gt_python_evaluates(const struct gt_frame *f);
bool gt_python_trampoline(const struct gt_frame *f);
/* in: the interpreter's C frame that runs it; NULL: none is known. */
void gt_python_frame(const struct gt_model *m, const struct gt_python_place *place, const struct gt_frame *in,
	struct gt_frame *out);

#endif
