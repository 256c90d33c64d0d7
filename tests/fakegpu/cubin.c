/*
 * tests/fakegpu/cubin.c - the code of a module, as CUPTI hands it out: a file of the test's, or a small ELF file that
 * is made here
 *
 * What is made has the parts that readers of a genuine one look at: .symtab, .text.KERNEL (zeros), .nv.info with
 * registers and barriers, and .debug_line, which says of instruction i of kernel k (in the order of the symbols, from
 * 0) that it was made of line 10 x k + 2 + i / 2 of $FAKEGPU_SOURCE.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUDA_MACHINE = 190, MOST_SECTIONS = 256, MOST_BYTES = 64 << 20 };

struct bytes { uint8_t *at; size_t n, room; };

static void put(struct bytes *b, const void *data, size_t n)
{
	if (b->n + n > b->room) {
		uint8_t *more = realloc(b->at, b->room = 2 * (b->n + n) + 256);

		if (!more)
			abort();
		b->at = more;
	}
	if (n)
		memcpy(b->at + b->n, data, n);
	b->n += n;
}
static void put_byte(struct bytes *b, unsigned v) { put(b, &(uint8_t){ (uint8_t)v }, 1); }
static void put_word(struct bytes *b, uint32_t v) { put(b, &v, 4); }
static void put_text(struct bytes *b, const char *s) { put(b, s, strlen(s) + 1); }
static void pad(struct bytes *b, size_t to)
{
	while (b->n % to)
		put_byte(b, 0);
}
static void put_number(struct bytes *b, uint32_t v)
{
	for (; v > 127; v >>= 7)
		put_byte(b, (v & 127) | 128);
	put_byte(b, v);
}

/* ---- sections ---- */
struct elf { struct bytes file, names; Elf64_Shdr head[MOST_SECTIONS]; uint16_t n; };

static uint16_t add(struct elf *e, const char *prefix, const char *name, uint32_t type, const struct bytes *data)
{
	Elf64_Shdr *h = &e->head[e->n];

	if (e->n == MOST_SECTIONS - 1)
		abort();
	pad(&e->file, 128);
	*h = (Elf64_Shdr){ .sh_name = (uint32_t)e->names.n, .sh_type = type, .sh_offset = e->file.n,
		.sh_size = data->n, .sh_addralign = 1 };
	put(&e->names, prefix, strlen(prefix));
	put_text(&e->names, name);
	put(&e->file, data->at, data->n);
	return e->n++;
}

/* Lines of each kernel; what has to be relocated, so that it is the beginning of a kernel. */
static void put_lines(struct bytes *lines, struct bytes *relocations, const struct fg_module *m, uint32_t first)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	const char *source = getenv("FAKEGPU_SOURCE"), *slash;
	uint32_t start, k = 0, header;

	source = source ? source : "/nowhere/kernels.cu";
	slash = strrchr(source, '/');
	put_word(lines, 0);                             /* the size of all */
	put(lines, &(uint16_t){ 2 }, 2);
	start = (uint32_t)lines->n;
	put_word(lines, 0);
	put(lines, (const uint8_t[]){ 1, 1, (uint8_t)-5, 14, 10 }, 5);
	put(lines, operands, sizeof operands);
	put(lines, source, slash ? (size_t)(slash - source) : 0);
	put(lines, "\0", 2);
	put_text(lines, slash ? slash + 1 : source);
	put(lines, (const uint8_t[]){ 1, 0, 0, 0 }, 4); /* in folder 1; no time, no size; no more */
	header = (uint32_t)lines->n - start - 4;
	memcpy(lines->at + start, &header, 4);
	for (const struct fg_function *f = m->functions; f; f = f->next, k++) {
		Elf64_Rela r = { .r_info = ELF64_R_INFO((uint64_t)first + k, 2) };

		put(lines, "\0\x09\x02", 3);
		r.r_offset = lines->n;
		put(relocations, &r, sizeof r);
		put(lines, &(uint64_t){ 0 }, 8);
		put(lines, "\3", 1);
		put_number(lines, (10 * k + 1) & 63);   /* one byte holds up to 63: lines behind that come in steps */
		for (uint32_t left = (10 * k + 1) & ~63u; left; left -= 32)
			put(lines, "\3\x20", 2);
		for (uint32_t i = 0; i < f->instructions; i++) {
			if (i)
				put(lines, "\2\x10", 2);
			put(lines, i && i % 2 == 0 ? "\3\1\1" : "\1", i && i % 2 == 0 ? 3 : 1);
		}
		put(lines, "\2\x10\0\1\1", 5);
	}
	memcpy(lines->at, &(uint32_t){ (uint32_t)lines->n - 4 }, 4);
}

static void make(struct fg_module *m)
{
	struct elf e = { .n = 1 };
	struct bytes none = { 0 }, strings = { 0 }, symbols = { 0 }, lines = { 0 }, relocations = { 0 }, info = { 0 };
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x33, 7 },
		.e_type = ET_EXEC, .e_machine = CUDA_MACHINE, .e_version = 1, .e_flags = 0x5a055a,
		.e_ehsize = sizeof head, .e_shentsize = sizeof(Elf64_Shdr) };
	uint16_t table, line, relocated;
	uint32_t k = 1;

	put_byte(&e.names, 0);
	put_byte(&strings, 0);
	put(&e.file, &head, sizeof head);
	put(&symbols, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	for (struct fg_function *f = m->functions; f; f = f->next, k++) {
		struct bytes code = { calloc(f->instructions, 16), (size_t)f->instructions * 16, 0 }, own = { 0 };
		uint16_t text = add(&e, ".text.", f->name, SHT_PROGBITS, &code);

		f->index = k;
		e.head[text].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
		put(&own, (const uint8_t[]){ 2, 0x4c, 1, 0 }, 4);               /* one barrier */
		e.head[add(&e, ".nv.info.", f->name, 0x70000000, &own)].sh_info = text;
		put(&symbols, &(Elf64_Sym){ (uint32_t)strings.n, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0x10, text, 0,
			code.n }, sizeof(Elf64_Sym));
		put_text(&strings, f->name);
		put(&info, (const uint8_t[]){ 4, 0x2f, 8, 0 }, 4);              /* registers */
		put_word(&info, k);
		put_word(&info, 16);
		free(code.at);
		free(own.at);
	}
	put_lines(&lines, &relocations, m, 1);
	add(&e, "", ".nv.info", 0x70000000, &info);
	line = add(&e, "", ".debug_line", SHT_PROGBITS, &lines);
	table = add(&e, "", ".symtab", SHT_SYMTAB, &symbols);
	e.head[table].sh_entsize = sizeof(Elf64_Sym);
	e.head[table].sh_link = add(&e, "", ".strtab", SHT_STRTAB, &strings);
	relocated = add(&e, "", ".rela.debug_line", SHT_RELA, &relocations);
	e.head[relocated].sh_info = line;
	e.head[relocated].sh_link = table;
	e.head[relocated].sh_entsize = sizeof(Elf64_Rela);
	head.e_shstrndx = add(&e, "", ".shstrtab", SHT_STRTAB, &none);
	e.head[head.e_shstrndx].sh_size = e.names.n;
	put(&e.file, e.names.at, e.names.n);
	pad(&e.file, 8);
	head.e_shoff = e.file.n;
	head.e_shnum = e.n;
	put(&e.file, e.head, e.n * sizeof *e.head);
	memcpy(e.file.at, &head, sizeof head);
	m->cubin = e.file.at;
	m->cubin_bytes = e.file.n;
	free(e.names.at);
	free(strings.at);
	free(symbols.at);
	free(lines.at);
	free(relocations.at);
	free(info.at);
}

/* ---- a file of the test's ---- */
static bool take_file(struct fg_module *m, const char *path)
{
	FILE *f = path ? fopen(path, "rb") : NULL;
	struct bytes b = { 0 };
	char part[4096];

	for (size_t n; f && (n = fread(part, 1, sizeof part, f)) && b.n < MOST_BYTES;)
		put(&b, part, n);
	if (f)
		fclose(f);
	m->cubin = b.at;
	m->cubin_bytes = b.n;
	return b.n;
}

/* The kernel's symbol in the file: its number and so many instructions as it has. The test's ELF files are sound. */
static void find_symbol(const struct fg_module *m, struct fg_function *f)
{
	const Elf64_Ehdr *head = (const void *)m->cubin;
	const Elf64_Shdr *sections = (const void *)(m->cubin + head->e_shoff);

	if (memcmp(head->e_ident, ELFMAG, SELFMAG))
		return;
	for (int i = 0; i < head->e_shnum; i++) {
		const Elf64_Sym *all = (const void *)(m->cubin + sections[i].sh_offset);
		const char *names = (const char *)m->cubin + sections[sections[i].sh_link].sh_offset;

		for (uint32_t k = 0; sections[i].sh_type == SHT_SYMTAB && k < sections[i].sh_size / sizeof *all; k++)
			if (ELF64_ST_TYPE(all[k].st_info) == STT_FUNC && !strcmp(names + all[k].st_name, f->name)) {
				f->index = k;
				f->instructions = (uint32_t)(all[k].st_size / 16);
			}
	}
}

uint64_t fg_cubin_crc(const uint8_t *cubin, size_t bytes)
{
	uint64_t crc = 0;

	while (bytes--)
		crc = crc * 31 + *cubin++;
	return crc;
}

void fg_cubin(struct fg_module *m)
{
	for (struct fg_function *f = m->functions; f; f = f->next) {
		f->module = m;
		f->instructions = 3 + (uint32_t)strlen(f->name) % 7;
	}
	if (take_file(m, getenv("FAKEGPU_CUBIN")))
		for (struct fg_function *f = m->functions; f; f = f->next)
			find_symbol(m, f);
	else
		make(m);
	m->crc = fg_cubin_crc(m->cubin, m->cubin_bytes);
}

/* When the module is gone its code is, too. */
void fg_cubin_gone(struct fg_module *m)
{
	memset(m->cubin, 0xee, m->cubin_bytes);
}
