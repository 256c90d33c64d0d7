/*
 * model/cuda/cubin.c - functions of a CUDA module's code
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/cuda/cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { CUDA_MACHINE = 190 };
/* Attributes of .nv.info: {format, attribute, value or bytes of one behind}. */
enum { INFO_BYTES = 4, INFO_REGISTERS = 0x2f, INFO_BARRIERS = 0x4c };

struct file { const uint8_t *data; size_t bytes; Elf64_Ehdr head; };

static bool lies_in(const struct file *f, uint64_t at, uint64_t bytes)
{
	return at <= f->bytes && bytes <= f->bytes - at;
}

static bool section_at(const struct file *f, uint32_t i, Elf64_Shdr *s)
{
	if (i >= f->head.e_shnum || !lies_in(f, f->head.e_shoff, (i + 1ull) * sizeof *s))
		return false;
	memcpy(s, f->data + f->head.e_shoff + i * sizeof *s, sizeof *s);
	return s->sh_type == SHT_NOBITS || lies_in(f, s->sh_offset, s->sh_size);
}

/* A text of a section of texts; "" for one that has no end there. */
static struct gt_string text_at(const struct file *f, const Elf64_Shdr *texts, uint64_t at)
{
	const char *from = (const char *)f->data + texts->sh_offset + at;
	const char *end = texts->sh_type == SHT_STRTAB && at < texts->sh_size
		? memchr(from, 0, texts->sh_size - at) : NULL;

	return end ? (struct gt_string){ from, (size_t)(end - from) } : (struct gt_string){ "", 0 };
}

/* ------------------------------------------------------------------ .nv.info */

/* take(ctx, attribute, value): value of a short attribute, else the first two words of what is behind. */
static void each_attribute(const struct file *f, const Elf64_Shdr *s,
	void (*take)(void *ctx, uint32_t attribute, const uint32_t value[2]), void *ctx)
{
	const uint8_t *at = f->data + s->sh_offset, *end = at + s->sh_size;

	while (end - at >= 4) {
		uint32_t n = at[2] | (uint32_t)at[3] << 8, value[2] = { n, 0 };
		bool longer = at[0] == INFO_BYTES;

		if (longer && (size_t)(end - at - 4) < n)
			return;
		if (longer)
			memcpy(value, at + 4, n < sizeof value ? n : sizeof value);
		take(ctx, at[1], value);
		at += 4 + (longer ? n : 0);
	}
}

static void take_registers(void *ctx, uint32_t attribute, const uint32_t value[2])
{
	struct gt_cubin *c = ctx;

	for (uint32_t i = 0; attribute == INFO_REGISTERS && i < c->n; i++)
		if (c->functions[i].index == value[0] && value[1] <= INT32_MAX)
			c->functions[i].registers = (int32_t)value[1];
}

static void take_barriers(void *ctx, uint32_t attribute, const uint32_t value[2])
{
	if (attribute == INFO_BARRIERS)
		((struct gt_cubin_function *)ctx)->barriers = (int32_t)(value[0] & 0xff);
}

static void read_info(const struct file *f, struct gt_cubin *c)
{
	static const char prefix[] = ".nv.info";
	Elf64_Shdr s, names;

	if (!section_at(f, f->head.e_shstrndx, &names))
		return;
	for (uint32_t i = 0; i < f->head.e_shnum; i++) {
		struct gt_string name;

		if (!section_at(f, i, &s) || s.sh_type == SHT_NOBITS)
			continue;
		name = text_at(f, &names, s.sh_name);
		if (name.bytes < sizeof prefix - 1 || memcmp(name.text, prefix, sizeof prefix - 1))
			continue;
		name.text += sizeof prefix - 1;
		name.bytes -= sizeof prefix - 1;
		if (!name.bytes)
			each_attribute(f, &s, take_registers, c);
		else
			for (uint32_t k = 0; k < c->n; k++)
				if (*name.text == '.' && gt_same_text(
					(struct gt_string){ name.text + 1, name.bytes - 1 }, c->functions[k].name))
					each_attribute(f, &s, take_barriers, &c->functions[k]);
	}
}

/* ------------------------------------------------------------------ symbols */

static void add_symbol(const struct file *f, const Elf64_Shdr *texts, uint32_t index, const Elf64_Sym *symbol,
	struct gt_cubin *c)
{
	struct gt_string name = text_at(f, texts, symbol->st_name);
	Elf64_Shdr code;

	if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size && name.bytes &&
		section_at(f, symbol->st_shndx, &code) && code.sh_type != SHT_NOBITS &&
		symbol->st_value <= code.sh_size && symbol->st_size <= code.sh_size - symbol->st_value)
		c->functions[c->n++] = (struct gt_cubin_function){ .name = name, .index = index,
			.at = code.sh_offset + symbol->st_value, .bytes = symbol->st_size,
			.registers = -1, .barriers = -1 };
}

static bool read_symbols(const struct file *f, const Elf64_Shdr *table, struct gt_cubin *c)
{
	uint64_t n = table->sh_size / sizeof(Elf64_Sym);
	Elf64_Shdr texts;

	if (!section_at(f, table->sh_link, &texts) || !n || n > UINT32_MAX)
		return true;
	c->functions = calloc((size_t)n, sizeof *c->functions);
	for (uint32_t i = 0; c->functions && i < n; i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, f->data + table->sh_offset + i * sizeof symbol, sizeof symbol);
		add_symbol(f, &texts, i, &symbol, c);
	}
	return c->functions;
}

static int by_name(const void *l, const void *r)
{
	const struct gt_cubin_function *a = l, *b = r;
	int order = gt_compare_text(a->name, b->name);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

bool gt_cubin_read(struct gt_cubin *c, const void *data, size_t bytes)
{
	struct file f = { .data = data, .bytes = bytes };
	Elf64_Shdr s;

	*c = (struct gt_cubin){ .n = 0 };
	if (bytes < sizeof f.head)
		return true;
	memcpy(&f.head, data, sizeof f.head);
	if (memcmp(f.head.e_ident, ELFMAG, SELFMAG) || f.head.e_ident[EI_CLASS] != ELFCLASS64 ||
		f.head.e_ident[EI_DATA] != ELFDATA2LSB || f.head.e_machine != CUDA_MACHINE ||
		f.head.e_shentsize != sizeof s)
		return true;
	for (uint32_t i = 0; i < f.head.e_shnum && !c->functions; i++)
		if (section_at(&f, i, &s) && s.sh_type == SHT_SYMTAB && !read_symbols(&f, &s, c))
			return false;
	if (c->n) {
		qsort(c->functions, c->n, sizeof *c->functions, by_name);
		read_info(&f, c);
	}
	return true;
}

const struct gt_cubin_function *gt_cubin_find(const struct gt_cubin *c, struct gt_string name)
{
	const struct gt_cubin_function want = { .name = name };
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (by_name(&c->functions[mid], &want) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->n && gt_same_text(c->functions[low].name, name) ? &c->functions[low] : NULL;
}

void gt_cubin_free(struct gt_cubin *c)
{
	free(c->functions);
	*c = (struct gt_cubin){ .n = 0 };
}
