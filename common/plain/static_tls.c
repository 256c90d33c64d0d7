/*
 * common/plain/static_tls.c - the static thread-local storage that a program's libraries take from glibc's reserve
 *
 * Goes through the program and what it needs as the dynamic linker does, breadth first, and reads of each file its
 * headers and what it needs: open, three reads, close. What a file says is believed as far as reads succeed. To touch a
 * page costs as much as to open a file, so all that is kept lies close together.
 *
 * Runs      anywhere; what it keeps lies in memory that is mapped for the time. System calls are those that the dynamic
 *           linker makes (PROGRAM1, program.h), and readlinkat where it makes that too: a path with $ORIGIN.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/static_tls.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "common/plain/gnu_hash.h"
#include "common/plain/library_search.h"
#include "common/plain/number.h"
#include "common/plain/preloads.h"
#include "common/plain/rewrite.h"
#include "common/plain/syscall.h"
#include "common/plain/words.h"

enum { KEPT = 192 << 10, WINDOW = 1024, PATH = 1024 };
#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

/* One that is loaded; texts are offsets in `kept`, 0: none. */
struct file {
	struct file *next;
	const struct file *loader;      /* the file that needs it; NULL: the program itself */
	uint32_t path, rpath, runpath;
	uint32_t name, soname;          /* by which it was first needed, and its own */
	uint32_t name_hash, soname_hash;
	uint32_t n_needed, needed[];    /* names */
};

struct window { uint64_t at; uint32_t bytes; uint8_t data[WINDOW]; };

struct walk {
	const char *library_path;
	struct gc_library_cache cache;
	uint64_t bytes;
	bool unknown;                   /* a library is not found, or there are too many */
	int program;                    /* its descriptor */
	struct file *program_file, *last;
	/* of the file that is read */
	int fd;
	uint32_t headers, entries;
	uint64_t header_at, dynamic, strings;   /* offsets; 0: none */
	struct window first, other;
	char path[PATH], origin[PATH];
	uint32_t used;
	_Alignas(8) char kept[KEPT];
};

/* ------------------------------------------------------------------------ texts */

static const char *text_of(const struct walk *w, uint32_t text) { return w->kept + text; }

/* Room for so many bytes behind all others, which is one's own; its offset, 0: there is none. */
static uint32_t take_room(struct walk *w, size_t bytes)
{
	uint32_t at = w->used;

	if (bytes > KEPT - at) {
		w->unknown = true;
		return 0;
	}
	w->used += (uint32_t)bytes;
	return at;
}

static uint32_t keep(struct walk *w, const char *text, size_t bytes)
{
	uint32_t at = take_room(w, bytes + 1);

	if (at)
		__builtin_memcpy(w->kept + at, text, bytes);
	return at;                      /* the zero is there: memory is new */
}

/* -------------------------------------------------------------- what a file says */

/* `bytes` of the file, until another place is looked at; NULL: they are not there. */
static const uint8_t *view(struct walk *w, uint64_t at, uint32_t bytes)
{
	struct window *v = at < w->first.bytes && bytes <= w->first.bytes - at ? &w->first : &w->other;

	if (at < v->at || at - v->at > v->bytes || bytes > v->bytes - (at - v->at)) {
		long n = at > INT64_MAX - WINDOW ? -1 : GC_SYSCALL(pread64, w->fd, v->data, WINDOW, at, 0);

		v->at = at;
		v->bytes = n > 0 ? (uint32_t)n : 0;
	}
	return bytes <= v->bytes - (at - v->at) ? v->data + (at - v->at) : NULL;
}

/* Takes the head of w->fd. False: it is no library for this processor. */
static bool take_head(struct walk *w)
{
	Elf64_Ehdr head;
	long n = GC_SYSCALL(pread64, w->fd, w->first.data, WINDOW, 0, 0);

	w->first.at = 0;
	w->first.bytes = n > 0 ? (uint32_t)n : 0;
	w->other.bytes = 0;
	if (w->first.bytes < sizeof head)
		return false;
	__builtin_memcpy(&head, w->first.data, sizeof head);
	w->header_at = head.e_phoff;
	w->headers = head.e_phentsize == sizeof(Elf64_Phdr) ? head.e_phnum : 0;
	return !__builtin_memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
		head.e_machine == MACHINE;
}

static bool header_of(struct walk *w, uint32_t i, Elf64_Phdr *p)
{
	const uint8_t *at = view(w, w->header_at + i * sizeof *p, sizeof *p);

	if (at)
		__builtin_memcpy(p, at, sizeof *p);
	return at != NULL;
}

/* Where in the file lies what is mapped at this address; 0: nowhere. */
static uint64_t place_of(struct walk *w, uint64_t address)
{
	Elf64_Phdr p;

	for (uint32_t i = 0; i < w->headers && header_of(w, i, &p); i++)
		if (p.p_type == PT_LOAD && address - p.p_vaddr < p.p_filesz)
			return address - p.p_vaddr + p.p_offset;
	return 0;
}

/* The room that its thread-local storage takes where the dynamic linker places it behind others. */
static uint64_t take_headers(struct walk *w)
{
	uint64_t room = 0;
	Elf64_Phdr p;

	w->dynamic = w->entries = 0;
	for (uint32_t i = 0; i < w->headers && header_of(w, i, &p); i++) {
		if (p.p_type == PT_TLS && p.p_memsz)
			room = p.p_memsz + (p.p_align > 1 ? p.p_align - 1 : 0);
		if (p.p_type == PT_DYNAMIC) {
			w->dynamic = p.p_offset;
			w->entries = (uint32_t)((p.p_filesz < INT32_MAX ? p.p_filesz : 0) / sizeof(Elf64_Dyn));
		}
	}
	return room;
}

/* What the window holds from there on. Texts that are wanted stand together: some before it are read with it. */
static const uint8_t *view_text(struct walk *w, uint64_t at, size_t *bytes)
{
	enum { BEFORE = 256 };
	struct window *v = at < w->first.bytes ? &w->first : &w->other;
	const uint8_t *text;

	if (at - v->at >= v->bytes && at >= BEFORE)
		view(w, at - BEFORE, WINDOW);
	text = view(w, at, 1);
	v = text >= w->first.data && text < w->first.data + WINDOW ? &w->first : &w->other;
	*bytes = text ? (size_t)(v->data + v->bytes - text) : 0;
	return text;
}

/* A text of the file's, kept; 0: there is none. */
static uint32_t keep_text(struct walk *w, uint64_t offset)
{
	uint64_t at = w->strings + offset;
	uint32_t begin = w->used;
	size_t bytes, n;

	if (!w->strings || offset > INT32_MAX)
		return 0;
	for (const uint8_t *text; (text = view_text(w, at, &bytes)); at += n) {
		for (n = 0; n < bytes && text[n];)
			n++;
		if (!keep(w, (const char *)text, n))
			return 0;
		if (n < bytes)
			return begin;
		w->used--;              /* goes on in place of the zero */
	}
	return 0;
}

/* Its dynamic entries: first where texts lie, of which some are kept afterwards. */
static void take_dynamic(struct walk *w, struct file *f)
{
	uint64_t rpath = 0, runpath = 0, soname = 0, strings = 0;
	const uint8_t *at;
	Elf64_Dyn d;

	for (uint32_t i = 0; i < w->entries && (at = view(w, w->dynamic + i * sizeof d, sizeof d)); i++) {
		__builtin_memcpy(&d, at, sizeof d);
		switch (d.d_tag) {
		case DT_NULL: i = w->entries; break;
		case DT_STRTAB: strings = d.d_un.d_val; break;
		case DT_RPATH: rpath = d.d_un.d_val; break;
		case DT_RUNPATH: runpath = d.d_un.d_val; break;
		case DT_SONAME: soname = d.d_un.d_val; break;
		case DT_NEEDED:
			if (take_room(w, sizeof *f->needed))
				f->needed[f->n_needed++] = (uint32_t)d.d_un.d_val;
			break;
		}
	}
	w->strings = strings ? place_of(w, strings) : 0;
	f->rpath = rpath ? keep_text(w, rpath) : 0;
	f->runpath = runpath ? keep_text(w, runpath) : 0;
	f->soname = soname ? keep_text(w, soname) : 0;
	for (uint32_t i = 0; i < f->n_needed; i++)
		f->needed[i] = keep_text(w, f->needed[i]);
}

/* ------------------------------------------------------------------------ files */

static void close_file(int fd) { GC_SYSCALL(close, fd, 0, 0, 0, 0); }

/* Opens w->path, if a library for this processor is there. */
static bool open_file(struct walk *w, int dir)
{
	w->fd = (int)GC_SYSCALL(openat, dir, w->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0, 0);
	if (w->fd < 0)
		return false;
	if (take_head(w))
		return true;
	close_file(w->fd);
	return false;
}

/* Somebody needed one by that name: it is not searched again. */
static bool is_named(const struct walk *w, const char *name)
{
	uint32_t h = gc_gnu_hash(name);

	for (const struct file *f = w->program_file; f; f = f->next)
		if ((f->name_hash == h && gc_equal(text_of(w, f->name), name)) ||
			(f->soname_hash == h && gc_equal(text_of(w, f->soname), name)))
			return true;
	return false;
}

/* A file that is loaded by two names is counted twice, if none of them is its own: there is room too much then. */
static bool is_known(const struct walk *w, const char *path)
{
	for (const struct file *f = w->program_file; f; f = f->next)
		if (gc_equal(text_of(w, f->path), path))
			return true;
	return false;
}

/* Memory for one more, with nothing behind it yet; NULL: there is none. */
static struct file *new_file(struct walk *w)
{
	uint32_t at = take_room(w, -w->used & 7) ? take_room(w, sizeof(struct file)) : 0;

	return at ? (struct file *)(w->kept + at) : NULL;
}

/* The open one is one more, unless it is there already. The program's own storage is set up before the reserve. */
static void add_file(struct walk *w, uint32_t name, const struct file *loader)
{
	uint32_t path = is_known(w, w->path) ? 0 : keep(w, w->path, gc_length(w->path));
	struct file *f = path ? new_file(w) : NULL;
	uint64_t room = take_headers(w);

	if (!f)
		return;
	f->loader = loader;
	f->path = path;
	f->name = name;
	f->name_hash = gc_gnu_hash(text_of(w, name));
	w->bytes += loader ? room : 0;
	if (!gc_begins(text_of(w, name), "libc.so.6"))     /* needs the dynamic linker alone */
		take_dynamic(w, f);
	f->soname_hash = gc_gnu_hash(text_of(w, f->soname));
	*(w->last ? &w->last->next : &w->program_file) = f;
	w->last = f;
}

/* --------------------------------------------------------------------- searching */

/* The folder that a file lies in: of a program, whatever link it was started by. */
static const char *origin_of(struct walk *w, const struct file *file)
{
	static const char by_descriptor[] = "/proc/self/fd/";
	const char *path = text_of(w, file->path);
	char link[sizeof by_descriptor + GC_DIGITS_MAX];
	long n = (long)gc_length(path);

	if (file != w->program_file)
		__builtin_memcpy(w->origin, path, (size_t)n);
	else {
		__builtin_memcpy(link, by_descriptor, sizeof by_descriptor - 1);
		gc_put_number(link + sizeof by_descriptor - 1, (uint64_t)w->program);
		n = GC_SYSCALL(readlinkat, AT_FDCWD, link, w->origin, PATH - 1, 0);
	}
	while (n > 1 && w->origin[n - 1] != '/')
		n--;
	if (n <= 0 || w->origin[n - 1] != '/') {
		w->origin[0] = '.';
		n = 1;
	}
	w->origin[n > 1 ? n - 1 : n] = 0;
	return w->origin;
}

/* In the folders of a list that belongs to that file. */
static bool find_in(struct walk *w, const char *list, const struct file *file, const char *name)
{
	const char *at = list, *origin = "";

	while (*at && *at != '$')
		at++;
	if (*at)
		origin = origin_of(w, file);
	while (gc_library_next_path(&list, origin, name, w->path, PATH))
		if (*w->path && open_file(w, AT_FDCWD))
			return true;
	return false;
}

static bool find_at(struct walk *w, const char *path)
{
	size_t n = gc_length(path);

	if (n >= PATH)
		return false;
	__builtin_memcpy(w->path, path, n + 1);
	return open_file(w, AT_FDCWD);
}

static bool find_by_rpath(struct walk *w, const struct file *file, const char *name)
{
	if (file->runpath)
		return false;
	for (; file; file = file->loader)
		if (file->rpath && !file->runpath && find_in(w, text_of(w, file->rpath), file, name))
			return true;
	return false;
}

/* Opens what the dynamic linker would for that file, in its order. */
static bool find_library(struct walk *w, const struct file *file, const char *name)
{
	const char *folder, *found;

	if (*gc_last_part(name) && gc_last_part(name) != name)
		return find_at(w, name);
	if (find_by_rpath(w, file, name))
		return true;
	if (w->library_path && find_in(w, w->library_path, w->program_file, name))
		return true;
	if (file->runpath && find_in(w, text_of(w, file->runpath), file, name))
		return true;
	found = gc_library_cache_find(&w->cache, name);
	if (found && find_at(w, found))
		return true;
	for (unsigned i = 0; (folder = gc_library_usual_folder(i)); i++)
		if (find_in(w, folder, file, name))
			return true;
	return false;
}

/* ------------------------------------------------------------------------- walk */

static void add_needed(struct walk *w, const struct file *file)
{
	for (uint32_t i = 0; i < file->n_needed; i++) {
		const char *name = text_of(w, file->needed[i]);

		if (gc_begins(name, "ld-linux") || (*name && is_named(w, name)))
			continue;               /* the dynamic linker itself is there, and takes nothing */
		if (!*name || !find_library(w, file, name)) {
			w->unknown = true;
			continue;
		}
		add_file(w, file->needed[i], file);
		close_file(w->fd);
	}
}

static bool is_separator(char c) { return c == ':' || c == ' ' || c == '\n' || c == '\t'; }

/* What is not there of these does no harm: the dynamic linker goes on without it. */
static void add_preloads(struct walk *w, const char *list)
{
	for (size_t n; list && *list; list += n + (list[n] != 0)) {
		for (n = 0; list[n] && !is_separator(list[n]);)
			n++;
		uint32_t text = n ? keep(w, list, n) : 0;
		const char *name = text_of(w, text);

		/* Ours are counted by GC_STATIC_TLS_OURS, and need nothing that takes any. */
		if (text && !gc_begins(gc_last_part(name), GC_OURS) && !is_named(w, name) &&
			find_library(w, w->program_file, name)) {
			add_file(w, text, w->program_file);
			close_file(w->fd);
		}
	}
}

/* What the machine preloads into every program. */
static void add_preloads_of_all(struct walk *w)
{
	int fd = (int)GC_SYSCALL(openat, AT_FDCWD, "/etc/ld.so.preload", O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0);
	char list[512];

	if (fd < 0)
		return;
	long n = GC_SYSCALL(pread64, fd, list, sizeof list - 1, 0, 0);

	close_file(fd);
	list[n > 0 ? n : 0] = 0;
	w->unknown |= n == sizeof list - 1;
	add_preloads(w, list);
}

static void walk(struct walk *w, const char *preload)
{
	gc_library_cache_open(&w->cache);
	add_file(w, 0, NULL);
	if (w->program_file) {
		add_preloads(w, preload);
		add_preloads_of_all(w);
	}
	for (const struct file *f = w->program_file; f; f = f->next)
		add_needed(w, f);
	gc_library_cache_close(&w->cache);
}

/* path: as execveat takes it. */
static bool open_program(struct walk *w, int dir, const char *path)
{
	static const char by_descriptor[] = "/proc/self/fd/";
	size_t n = gc_length(path);

	if (!n) {
		__builtin_memcpy(w->path, by_descriptor, sizeof by_descriptor);
		gc_put_number(w->path + sizeof by_descriptor - 1, (uint64_t)dir);
	} else if (n < PATH) {
		__builtin_memcpy(w->path, path, n + 1);
	}
	return n < PATH && open_file(w, dir);
}

bool gc_static_tls_of(
	int dir, const char *program, const char *library_path, const char *preload, uint64_t *bytes)
{
	enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS };
	long at = gc_syscall6(SYS_mmap, 0, sizeof(struct walk), PROT_READ | PROT_WRITE, FLAGS, -1, 0);
	struct walk *w = (struct walk *)at;
	bool known = false;

	*bytes = 0;
	if (at <= 0)
		return false;
	w->library_path = library_path && *library_path ? library_path : NULL;
	w->used = 1;
	if (open_program(w, dir, program)) {
		w->program = w->fd;
		walk(w, preload);
		*bytes = w->bytes;
		known = !w->unknown;
		close_file(w->program);
	}
	GC_SYSCALL(munmap, w, sizeof *w, 0, 0, 0);
	return known;
}

/* --------------------------------------------------------------------- tunables */

static const char growing[] = "glibc.rtld.optional_static_tls=";
static const char ours[] = "glibc.rtld.optional_static_tls=0x0000";
enum { OURS = sizeof ours - 1 + 8 };    /* with the number's eight digits: nobody else writes it so */

/* What an audit module adds to the reserve by itself, in glibc 2.33 and later. */
enum { BY_MODULE = 288, BY_ITSELF = 512 };

static bool is_decimal(char c) { return c >= '0' && c <= '9'; }
static bool is_hexadecimal(char c) { return is_decimal(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }

static bool is_ours(const char *text)
{
	size_t n = sizeof ours - 1;

	if (!gc_begins(text, ours))
		return false;
	while (n < OURS && is_hexadecimal(text[n]))
		n++;
	return n == OURS;
}

/* As glibc reads it: decimal, or hexadecimal behind 0x; octal behind 0. */
static uint64_t number_at(const char *text)
{
	unsigned base = 10;
	uint64_t n = 0;

	if (*text == '0')
		base = (text[1] | 32) == 'x' ? 16 : 8;
	text += base == 16 ? 2 : 0;
	for (; is_hexadecimal(*text) && n < UINT32_MAX; text++)
		n = n * base + (unsigned)(is_decimal(*text) ? *text - '0' : (*text | 32) - 'a' + 10);
	return n;
}

/* The last one counts. */
static uint64_t set_by_others(const char *list, size_t bytes)
{
	uint64_t n = BY_ITSELF;

	for (size_t i = 0; i < bytes; i++)
		if ((!i || list[i - 1] == ':') && gc_begins(list + i, growing))
			n = number_at(list + i + sizeof growing - 1);
	return n;
}

static void put_ours(struct gc_rewrite *r, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";

	gc_rewrite_put(r, ":", r->bytes != 0);
	gc_rewrite_put(r, ours, sizeof ours - 1);
	for (int shift = 28; shift >= 0; shift -= 4)
		gc_rewrite_put(r, &digits[value >> shift & 15], 1);
}

size_t gc_static_tls_tunables(char *to, size_t room, const char *old, uint64_t bytes, bool *same)
{
	struct gc_rewrite r = gc_rewrite_begin(to, room, old);
	size_t all = old ? gc_length(old) : 0, kept = all;
	uint64_t value;

	if (all >= OURS && (all == OURS || old[all - OURS - 1] == ':') && is_ours(old + all - OURS))
		kept = all - OURS - (all > OURS);
	value = set_by_others(old, kept) + (bytes > BY_MODULE ? bytes - BY_MODULE : 0);
	gc_rewrite_put(&r, old, kept);
	if (bytes > BY_MODULE && value <= UINT32_MAX)
		put_ours(&r, value);
	return gc_rewrite_end(&r, same);
}

bool gc_static_tls_may_grow(const char *version)
{
	uint64_t major = number_at(version), minor = 0;

	for (; *version; version++)
		if (*version == '.') {
			minor = number_at(version + 1);
			break;
		}
	return major > 2 || (major == 2 && minor >= 33);
}
