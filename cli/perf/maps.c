/*
 * cli/perf/maps.c - what is mapped where in a process, and how addresses of it become addresses of a file
 *
 * The kernel tells of executable mappings alone. A file is looked at once, when the first frame leads through it; one
 * that was replaced since shows by its build id, where the kernel told one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/perf/internal.h"
#include "common/hash.h"
#include "common/plain/object_id.h"
#include "common/search.h"
#include "trace/read/store.h"

enum { HEADERS_MOST = 128, NOTES_MOST = 4096, SEGMENT_MOST = 256 << 20 };

/* -------------------------------------------------------------------------- files */

struct file_key { const char *path; const uint8_t *id; uint32_t id_bytes; };

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_perf_file *f = *(struct gt_perf_file *const *)element;
	const struct file_key *k = key;

	(void)ctx;
	return f->id_bytes == k->id_bytes && !memcmp(f->id, k->id, k->id_bytes) && !strcmp(f->path, k->path);
}

const struct gt_perf_file *gt_perf_file_of(struct gt_perf_files *f, const struct gt_perf_event *e)
{
	static const uint8_t none[1];
	struct file_key key = { e->text, e->id ? e->id : none, e->id_bytes };
	struct gt_perf_file **at, **listed, *file;
	bool fresh;

	at = gt_map_add(&f->map, sizeof *at, gt_hash_text(e->text, strlen(e->text)), &key, same, NULL, &fresh);
	if (!at)
		return NULL;
	if (!fresh)
		return *at;
	file = calloc(1, sizeof *file);
	if (!file || !(file->path = strdup(e->text)) || !(listed = GT_LIST_ADD(&f->all))) {
		if (file)
			free((char *)file->path);
		free(file);
		gt_map_remove(&f->map, sizeof *at, at);
		return NULL;
	}
	*listed = *at = file;
	file->id_bytes = e->id_bytes;
	memcpy(file->id, key.id, e->id_bytes);
	return file;
}

void gt_perf_files_free(struct gt_perf_files *f)
{
	for (uint32_t i = 0; i < f->all.n; i++) {
		free((char *)f->all.v[i]->path);
		for (uint32_t k = 0; k < f->all.v[i]->segments.n; k++)
			free(f->all.v[i]->segments.v[k].content);
		free(f->all.v[i]->segments.v);
		free(f->all.v[i]);
	}
	free(f->all.v);
	gt_map_free(&f->map, sizeof(struct gt_perf_file *));
}

static void take_notes(struct gt_perf_file *f, int fd, const Elf64_Phdr *p)
{
	char notes[NOTES_MOST];
	int64_t n = gt_store_pread(fd, notes, p->p_filesz < sizeof notes ? p->p_filesz : sizeof notes, p->p_offset);

	if (n > 0 && !f->own_bytes)
		f->own_bytes = gc_build_id(notes, (size_t)n, f->own_id, sizeof f->own_id);
}

static void read_headers(struct gt_perf_file *f, int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr p;
	uint64_t mark = GC_MARK_BEGIN;

	if (gt_store_pread(fd, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
		head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof p || head.e_phnum > HEADERS_MOST)
		return;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		struct gt_perf_segment *s;

		if (gt_store_pread(fd, &p, sizeof p, head.e_phoff + i * sizeof p) != sizeof p)
			return;
		mark = gc_mark(mark, &p, sizeof p);
		if (p.p_type == PT_NOTE)
			take_notes(f, fd, &p);
		if (p.p_type == PT_GNU_EH_FRAME)
			f->table = p.p_vaddr;
		if (p.p_type != PT_LOAD || !(s = GT_LIST_ADD(&f->segments)))
			continue;
		*s = (struct gt_perf_segment){ p.p_offset, p.p_filesz, p.p_vaddr, p.p_flags & PF_X, NULL };
	}
	if (!f->own_bytes) {
		memcpy(f->own_id, &mark, sizeof mark);
		f->own_bytes = GC_MARK_BYTES;
	}
}

/* The kernel gives every program the same object with its clocks: ours stands for all. */
static int open_vdso(void)
{
	const char *at = (const char *)getauxval(AT_SYSINFO_EHDR);
	int fd = at ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	Elf64_Ehdr head;

	if (fd < 0)
		return -1;
	memcpy(&head, at, sizeof head);
	if (write(fd, at, head.e_shoff + (size_t)head.e_shnum * head.e_shentsize) > 0)
		return fd;
	close(fd);
	return -1;
}

static int open_file(const struct gt_perf_file *f)
{
	struct stat st;
	int fd;

	if (!strcmp(f->path, "[vdso]"))
		return open_vdso();
	fd = f->path[0] == '/' ? open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	return -1;
}

static void look(struct gt_perf_file *f)
{
	int fd = f->looked ? -1 : open_file(f);

	f->looked = true;
	if (fd < 0)
		return;
	read_headers(f, fd);
	close(fd);
	if (f->id_bytes && f->own_bytes && memcmp(f->id, f->own_id, f->id_bytes) != 0)
		f->table = 0;                   /* another one lies there now */
}

/* Of the segment that the unwind tables are in all is read at once. */
static char *content_of(struct gt_perf_file *f, struct gt_perf_segment *s)
{
	int fd = s->content || s->bytes > SEGMENT_MOST ? -1 : open_file(f);

	if (fd < 0)
		return s->content;
	s->content = malloc(s->bytes);
	if (s->content && gt_store_pread(fd, s->content, s->bytes, s->offset) != (int64_t)s->bytes) {
		free(s->content);
		s->content = NULL;
	}
	close(fd);
	return s->content;
}

bool gt_perf_file_read(const struct gt_perf_file *file, uint64_t address, void *to, size_t bytes)
{
	struct gt_perf_file *f = (struct gt_perf_file *)file;

	look(f);
	for (uint32_t i = 0; i < f->segments.n; i++) {
		struct gt_perf_segment *s = &f->segments.v[i];
		uint64_t at = address - s->address;
		size_t n = at < s->bytes && s->bytes - at < bytes ? (size_t)(s->bytes - at) : bytes;

		if (at >= s->bytes)
			continue;
		if (f->table - s->address >= s->bytes || !content_of(f, s))
			return false;
		memset(to, 0, bytes);
		memcpy(to, s->content + at, n);
		return true;
	}
	return false;
}

bool gt_perf_table_of(const struct gt_perf_map *m, struct gt_perf_table *t)
{
	struct gt_perf_file *f = (struct gt_perf_file *)m->file;
	uint8_t head[12];
	uint32_t count;

	look(f);
	if (!f->table || !gt_perf_file_read(f, f->table, head, sizeof head))
		return false;
	/* version 1; any 4-byte pointer; 4-byte count; a sorted table of 4-byte offsets: what linkers write */
	if (head[0] != 1 || ((head[1] & 0xf) != 0xb && (head[1] & 0xf) != 3) || head[2] != 3 || head[3] != 0x3b)
		return false;
	memcpy(&count, head + 8, sizeof count);
	*t = (struct gt_perf_table){ f->table, f->table + sizeof head, count };
	return count;
}

/* --------------------------------------------------------------------------- maps */

/* Index of the first map that ends behind the address. */
static uint32_t place(const struct gt_perf_maps *m, uint64_t address)
{
	uint32_t at;

	GT_SEARCH(at, m->at.n, m->at.v[at].end <= address);
	return at;
}

static bool insert(struct gt_perf_maps *m, uint32_t at, const struct gt_perf_map *map)
{
	if (!GT_LIST_ADD(&m->at))
		return false;
	memmove(&m->at.v[at + 1], &m->at.v[at], (m->at.n - 1 - at) * sizeof *m->at.v);
	m->at.v[at] = *map;
	return true;
}

/* What was there gives way: what is left of it before and behind stays. */
static bool make_room(struct gt_perf_maps *m, uint64_t start, uint64_t end)
{
	uint32_t i = place(m, start);

	while (i < m->at.n && m->at.v[i].start < end) {
		struct gt_perf_map old = m->at.v[i], rest = old;

		rest.offset += end - old.start;
		rest.start = end;
		memmove(&m->at.v[i], &m->at.v[i + 1], (m->at.n - 1 - i) * sizeof *m->at.v);
		m->at.n--;
		if (old.end > end && !insert(m, i, &rest))
			return false;
		if (old.start >= start)
			continue;
		old.end = start;
		if (!insert(m, i++, &old))
			return false;
	}
	return true;
}

bool gt_perf_maps_add(struct gt_perf_maps *m, const struct gt_perf_event *e, const struct gt_perf_file *file)
{
	const struct gt_perf_map map = { e->start, e->end, e->offset, file, 0 };

	return file && make_room(m, e->start, e->end) && insert(m, place(m, e->start), &map);
}

bool gt_perf_maps_copy(struct gt_perf_maps *to, const struct gt_perf_maps *from)
{
	for (uint32_t i = 0; i < from->at.n; i++) {
		struct gt_perf_map *map = GT_LIST_ADD(&to->at);

		if (!map)
			return false;
		*map = from->at.v[i];
		map->module = 0;                /* numbers are of one image */
	}
	return true;
}

struct gt_perf_map *gt_perf_maps_find(struct gt_perf_maps *m, uint64_t address)
{
	uint32_t i = place(m, address);

	return i < m->at.n && m->at.v[i].start <= address ? &m->at.v[i] : NULL;
}

void gt_perf_maps_free(struct gt_perf_maps *m)
{
	free(m->at.v);
	*m = (struct gt_perf_maps){ 0 };
}

uint64_t gt_perf_bias(const struct gt_perf_map *m)
{
	struct gt_perf_file *f = (struct gt_perf_file *)m->file;

	look(f);
	for (uint32_t i = 0; i < f->segments.n; i++) {
		const struct gt_perf_segment *s = &f->segments.v[i];

		/* the mapping begins at a page, the segment perhaps inside of it */
		if (s->executable && m->offset < s->offset + s->bytes && m->offset + (m->end - m->start) > s->offset)
			return m->start - m->offset - (s->address - s->offset);
	}
	return m->start - m->offset;
}

const uint8_t *gt_perf_id(const struct gt_perf_map *m, uint32_t *bytes)
{
	struct gt_perf_file *f = (struct gt_perf_file *)m->file;

	look(f);
	*bytes = f->id_bytes ? f->id_bytes : f->own_bytes;
	return f->id_bytes ? f->id : f->own_id;
}
