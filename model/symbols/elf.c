/*
 * model/symbols/elf.c - an ELF file: build id, name of its debug file, functions by address
 *
 * Trusts nothing in the file: every offset is checked against its size, and what does not fit is left out. Read by
 * pread, since a file may shrink while it is looked at.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/plain/object_id.h"
#include "common/search.h"
#include "common/trusted.h"
#include "model/symbols/internal.h"

#define SECTION_MOST (1ull << 31) /* bytes of one that is read */

struct sections {
	Elf64_Ehdr head;
	Elf64_Shdr *v;
	uint32_t n;
	char *names;
	uint64_t names_bytes;
};

/* `bytes` bytes at an offset, with a zero behind them; to be freed. NULL: they are not there. */
static char *part(const struct gt_elf *e, uint64_t at, uint64_t bytes)
{
	char *to;
	uint64_t got = 0;

	if (at > e->file_bytes || bytes > e->file_bytes - at || bytes > SECTION_MOST || !(to = malloc(bytes + 1)))
		return NULL;
	while (got < bytes) {
		ssize_t n = pread(e->fd, to + got, bytes - got, (off_t)(at + got));

		if (n <= 0) {
			free(to);
			return NULL;
		}
		got += (uint64_t)n;
	}
	to[bytes] = 0;
	return to;
}

static char *content(const struct gt_elf *e, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED ? NULL : part(e, s->sh_offset, s->sh_size);
}

static bool read_sections(const struct gt_elf *e, struct sections *s)
{
	const Elf64_Shdr *names;
	char *head = part(e, 0, sizeof s->head);

	*s = (struct sections){ .n = 0 };
	if (!head)
		return false;
	memcpy(&s->head, head, sizeof s->head);
	free(head);
	s->n = s->head.e_shnum;
	if (s->head.e_shentsize != sizeof *s->v || !s->n || s->head.e_shstrndx >= s->n)
		return false;
	s->v = (Elf64_Shdr *)part(e, s->head.e_shoff, (uint64_t)s->n * sizeof *s->v);
	if (!s->v)
		return false;
	names = &s->v[s->head.e_shstrndx];
	s->names = content(e, names);
	s->names_bytes = names->sh_size;
	return s->names != NULL;
}

static void free_sections(struct sections *s)
{
	free(s->v);
	free(s->names);
}

static bool is_called(const struct sections *s, uint32_t i, const char *name)
{
	return s->v[i].sh_name < s->names_bytes && !strcmp(s->names + s->v[i].sh_name, name);
}

/* ---------------------------------------------------------------------- opening */

/* A name with a zero, padded to four bytes, and a checksum of the file. */
static void take_link(struct gt_elf *e, const char *at, uint64_t bytes)
{
	uint64_t n = strnlen(at, bytes), crc = (n + 4) & ~3ull;

	if (n == bytes || n >= sizeof e->link || crc + 4 > bytes)
		return;
	memcpy(e->link, at, n + 1);
	memcpy(&e->link_crc, at + crc, 4);
}

static void take_section(struct gt_elf *e, const struct sections *s, uint32_t i)
{
	char *text = NULL;

	if (is_called(s, i, ".debug_info") || is_called(s, i, ".zdebug_info"))
		e->has_debug = s->v[i].sh_type != SHT_NOBITS;
	else if (s->v[i].sh_type == SHT_NOTE && !e->id_bytes && (text = content(e, &s->v[i])))
		e->id_bytes = gc_build_id(text, s->v[i].sh_size, e->id, sizeof e->id);
	else if (is_called(s, i, ".gnu_debuglink") && (text = content(e, &s->v[i])))
		take_link(e, text, s->v[i].sh_size);
	free(text);
}

/* Of an object without a build id: as the shim does in memory. */
static void take_mark(struct gt_elf *e, const Elf64_Ehdr *head)
{
	uint64_t bytes = (uint64_t)head->e_phnum * sizeof(Elf64_Phdr), mark;
	char *headers = head->e_phentsize == sizeof(Elf64_Phdr) ? part(e, head->e_phoff, bytes) : NULL;

	if (!headers)
		return;
	mark = gc_mark(GC_MARK_BEGIN, headers, bytes);
	memcpy(e->id, &mark, sizeof mark);
	e->id_bytes = GC_MARK_BYTES;
	e->marked = true;
	free(headers);
}

bool gt_elf_open(struct gt_elf *e, const char *path)
{
	struct sections s = { .n = 0 };
	struct stat st;
	bool known;

	*e = (struct gt_elf){ .fd = gt_open_regular(path, UINT64_MAX, &st) };    /* a trace names it */
	if (e->fd < 0)
		return false;
	e->file_bytes = (uint64_t)st.st_size;
	known = e->file_bytes && read_sections(e, &s) && !memcmp(s.head.e_ident, ELFMAG, SELFMAG) &&
		s.head.e_ident[EI_CLASS] == ELFCLASS64 && s.head.e_ident[EI_DATA] == ELFDATA2LSB;
	for (uint32_t i = 0; known && i < s.n; i++)
		take_section(e, &s, i);
	if (known && !e->id_bytes)
		take_mark(e, &s.head);
	free_sections(&s);
	if (!known)
		gt_elf_close(e);
	return known;
}

void gt_elf_close(struct gt_elf *e)
{
	if (e->fd >= 0)
		close(e->fd);
	free(e->functions.v);
	free(e->names);
	free(e->unwind);
	*e = (struct gt_elf){ .fd = -1 };
}

/* -------------------------------------------------------------------- functions */

static bool is_function(const Elf64_Sym *y)
{
	unsigned type = ELF64_ST_TYPE(y->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && y->st_shndx != SHN_UNDEF && y->st_value;
}

/* Of symbols at one address the one that people call it by: with a size, global, without underscores. */
static int rank(const struct gt_elf_function *f)
{
	return (f->bytes ? 0 : 4) + (f->name[0] == '_' && f->name[1] == '_' ? 2 : f->name[0] == '_' ? 1 : 0);
}

static int compare(const void *a, const void *b)
{
	const struct gt_elf_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return rank(x) != rank(y) ? rank(x) - rank(y) : strcmp(x->name, y->name);
}

static bool add_symbols(struct gt_elf *e, const char *table, uint64_t bytes, uint64_t names_bytes)
{
	Elf64_Sym y;

	for (uint64_t at = 0; at + sizeof y <= bytes; at += sizeof y) {
		struct gt_elf_function *f;

		memcpy(&y, table + at, sizeof y);
		if (!is_function(&y) || y.st_name >= names_bytes || !e->names[y.st_name])
			continue;
		f = GT_LIST_ADD(&e->functions);
		if (!f)
			return false;
		*f = (struct gt_elf_function){ y.st_value, y.st_size, e->names + y.st_name };
	}
	return true;
}

/* Only the first of those at one address stays. */
static void sort_functions(struct gt_elf *e)
{
	struct gt_elf_function *v = e->functions.v;
	uint32_t kept = 0;

	if (!e->functions.n)
		return;
	qsort(v, e->functions.n, sizeof *v, compare);
	for (uint32_t i = 0; i < e->functions.n; i++)
		if (!kept || v[kept - 1].start != v[i].start)
			v[kept++] = v[i];
	e->functions.n = kept;
}

static bool take_table(struct gt_elf *e, const struct sections *s, uint32_t type)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const Elf64_Shdr *t = &s->v[i];
		char *table;
		bool ok;

		if (t->sh_type != type || t->sh_link >= s->n)
			continue;
		e->names = content(e, &s->v[t->sh_link]);
		table = e->names ? content(e, t) : NULL;
		ok = !table || add_symbols(e, table, t->sh_size, s->v[t->sh_link].sh_size);
		free(table);
		return ok;
	}
	return true;
}

/*
 * The function, or the part of one, that the unwind tables have around the address.
 *
 * spec: LSB .eh_frame_hdr, encoding 0x3b: pairs of {its beginning, its entry}, from the section on, sorted
 */
static bool find_part(const char *table, uint64_t bytes, uint64_t base, uint64_t address, struct gt_elf_function *out)
{
	uint32_t n = 0;
	uint64_t start = 0, end = 0;

	if (bytes < 12 || (uint8_t)table[0] != 1 || (uint8_t)table[2] != 3 || (uint8_t)table[3] != 0x3b)
		return false;
	memcpy(&n, table + 8, sizeof n);
	for (uint32_t i = 0; i < n && i < (bytes - 12) / 8 && !end; i++) {
		int32_t at;

		memcpy(&at, table + 12 + 8ull * i, sizeof at);
		if (base + (uint64_t)(int64_t)at > address)
			end = base + (uint64_t)(int64_t)at;
		else
			start = base + (uint64_t)(int64_t)at;
	}
	*out = (struct gt_elf_function){ start, end - start, out->name };
	return start && end;
}

/*
 * Compilers move what is seldom run out of a function (CPython 3.14's interpreter as gcc 16 builds it: nearly all of
 * it), and a stripped file has no name for that part. The function jumps into its midst, as nothing else does.
 */
static bool add_moved(
	struct gt_elf *e, const struct sections *s, const Elf64_Shdr *table, const char *unwind, uint32_t f)
{
	struct gt_elf_function of = e->functions.v[f], part_of = of, *added;

	for (uint32_t i = 0; i < s->n; i++) {
		const Elf64_Shdr *t = &s->v[i];
		char *code = t->sh_flags & SHF_EXECINSTR && of.start - t->sh_addr < t->sh_size && of.bytes < 1 << 20
			? part(e, t->sh_offset + (of.start - t->sh_addr), of.bytes)
			: NULL;

		/* x86-64: 0f 8x and a distance, e9 and a distance */
		for (uint64_t at = 0; code && at + 5 < of.bytes; at++) {
			uint64_t behind = (uint8_t)code[at] == 0xe9                                   ? 5
				: (uint8_t)code[at] == 0x0f && ((uint8_t)code[at + 1] & 0xf0) == 0x80 ? 6
												      : 0;
			int32_t far;
			uint64_t to;

			if (!behind)
				continue;
			memcpy(&far, code + at + behind - sizeof far, sizeof far);
			to = of.start + at + behind + (uint64_t)(int64_t)far;
			if (to - of.start < of.bytes || gt_elf_find(e, to) ||
				!find_part(unwind, table->sh_size, table->sh_addr, to, &part_of) || to == part_of.start)
				continue;
			free(code);
			added = GT_LIST_ADD(&e->functions);
			if (added)
				*added = part_of;
			return added != NULL;
		}
		free(code);
	}
	return true;
}

/* Only of the function by which gputap knows where those of Python stand (python.c). */
static bool add_moved_parts(struct gt_elf *e, const struct sections *s)
{
	if (s->head.e_machine != EM_X86_64)
		return true;
	for (uint32_t f = 0; f < e->functions.n; f++) {
		bool ok = true;

		if (strcmp(e->functions.v[f].name, "_PyEval_EvalFrameDefault"))
			continue;
		for (uint32_t i = 0; i < s->n; i++) {
			char *unwind = is_called(s, i, ".eh_frame_hdr") ? content(e, &s->v[i]) : NULL;

			ok = ok && (!unwind || add_moved(e, s, &s->v[i], unwind, f));
			free(unwind);
		}
		sort_functions(e);
		return ok;
	}
	return true;
}

bool gt_elf_functions(struct gt_elf *e)
{
	struct sections s = { .n = 0 };
	bool ok = true;

	if (e->fd < 0 || e->names || !read_sections(e, &s)) {
		free_sections(&s);
		return true;
	}
	ok = take_table(e, &s, SHT_SYMTAB);
	if (ok && !e->functions.n) {
		free(e->names);
		e->names = NULL;
		ok = take_table(e, &s, SHT_DYNSYM);
	}
	sort_functions(e);
	ok = ok && add_moved_parts(e, &s);
	free_sections(&s);
	return ok;
}

const struct gt_elf_function *gt_elf_find(const struct gt_elf *e, uint64_t address)
{
	uint32_t low;

	GT_SEARCH(low, e->functions.n, e->functions.v[low].start <= address);
	for (uint32_t looked = 0; low && looked < 8; looked++) {
		const struct gt_elf_function *f = &e->functions.v[--low];

		/* assembly often does not say how long it is; a part that was moved away may lie inside another */
		if (address - f->start < f->bytes || (!f->bytes && !looked))
			return f;
	}
	return NULL;
}

/* --------------------------------------------------- functions of unwind tables */

/* spec: LSB .eh_frame_hdr, version 1: {its beginning, its entry}, four bytes each from the section on (0x3b), sorted */
static void read_unwind(struct gt_elf *e)
{
	struct sections s = { .n = 0 };
	bool known = read_sections(e, &s);

	e->unwind_read = true;
	for (uint32_t i = 0; known && i < s.n; i++) {
		const Elf64_Shdr *t = &s.v[i];

		if (is_called(&s, i, ".eh_frame") && t->sh_type != SHT_NOBITS) {
			e->entries_at = t->sh_addr;
			e->entries_offset = t->sh_offset;
			e->entries_bytes = t->sh_size;
		} else if (is_called(&s, i, ".eh_frame_hdr") && !e->unwind && t->sh_size >= 12 &&
			(e->unwind = content(e, t))) {
			const uint8_t *head = (const uint8_t *)e->unwind;
			uint32_t n;

			memcpy(&n, e->unwind + 8, sizeof n);
			e->unwind_at = t->sh_addr;
			if (head[0] == 1 && head[2] == 0x03 && head[3] == 0x3b)
				e->unwind_n = n < (t->sh_size - 12) / 8 ? n : (uint32_t)((t->sh_size - 12) / 8);
		}
	}
	free_sections(&s);
}

static uint64_t unwind_word(const struct gt_elf *e, uint32_t i, bool entry)
{
	int32_t v;

	memcpy(&v, e->unwind + 12 + 8ull * i + (entry ? sizeof v : 0), sizeof v);
	return e->unwind_at + (uint64_t)(int64_t)v;
}

/*
 * Its entry says how long it is: {size, place of the common part, beginning from here on, length}. Whether the
 * beginning is told so is the common part's to say; it is when it comes to what the table has.
 */
static bool is_within(const struct gt_elf *e, uint64_t entry, uint64_t begin, uint64_t address)
{
	uint64_t at = entry - e->entries_at;
	struct { uint32_t size, common; int32_t begin; uint32_t bytes; } told;
	char *text = e->entries_bytes >= sizeof told && at <= e->entries_bytes - sizeof told
		? part(e, e->entries_offset + at, sizeof told)
		: NULL;

	if (!text)
		return false;
	memcpy(&told, text, sizeof told);
	free(text);
	return entry + 8 + (uint64_t)(int64_t)told.begin == begin && address - begin < told.bytes;
}

bool gt_elf_begin(struct gt_elf *e, uint64_t address, uint64_t *begin)
{
	uint32_t i;

	if (e->fd >= 0 && !e->unwind_read)
		read_unwind(e);
	if (!e->unwind_n || unwind_word(e, 0, false) > address)
		return false;
	GT_SEARCH_LAST(i, e->unwind_n, unwind_word(e, i, false) <= address);
	*begin = unwind_word(e, i, false);
	return is_within(e, unwind_word(e, i, true), *begin, address);
}
