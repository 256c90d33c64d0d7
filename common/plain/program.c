/*
 * common/plain/program.c - what an executable is, seen before it is started
 *
 * A window of the file is read at a time: a frame of a stranger's stack has no room for more. All places and sizes in
 * the file are believed only as far as reads succeed; what does not add up is UNKNOWN, or has no such property.
 *
 * Runs      anywhere; PROGRAM1, PROGRAM2 (program.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/program.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <stdint.h>
#include <sys/stat.h>

#include "common/plain/gnu_hash.h"
#include "common/plain/syscall.h"
#include "common/plain/words.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define LINKER "/lib64/ld-linux-x86-64.so.2"
#else
#define MACHINE EM_AARCH64
#define LINKER "/lib/ld-linux-aarch64.so.1"
#endif

enum { WINDOW = 896, LOADS = 8, NEEDED = 32, SCRIPTS = 5, NAMES_MAX = 8192, CHAIN_MAX = 1024 };

struct load { uint64_t address, offset, bytes; };

struct file {
	int fd;
	uint32_t bytes;                 /* that the window holds */
	uint64_t at;                    /* where in the file it lies */
	struct load load[LOADS];
	uint32_t loads;
	uint64_t headers, dynamic, dynamic_bytes;       /* offsets in the file, as all below */
	uint64_t linker, linker_bytes;  /* 0 bytes: none */
	uint64_t strings, string_bytes, symbols, hash;  /* 0: none */
	uint64_t soname;                /* offset in strings */
	uint32_t n_headers, header_bytes;
	uint8_t *window;                /* in a frame of its own */
};

/* ------------------------------------------------------------------- text */

static bool begins_with_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (gc_begins(name, *list))
			return true;
	return false;
}

bool gc_is_sanitizer_runtime(const char *name)
{
	static const char *const runtimes[] = { "libasan.so", "libclang_rt.asan", NULL };

	return begins_with_one_of(name, runtimes);
}

/* ------------------------------------------------------------------- file */

/* `bytes` (at most WINDOW) of the file, until the next call; NULL: they are not there. */
static const uint8_t *view(struct file *f, uint64_t at, uint32_t bytes)
{
	if (at < f->at || bytes > f->bytes || at - f->at > f->bytes - bytes) {
		long n = at > INT64_MAX - WINDOW ? -1 : GC_SYSCALL(pread64, f->fd, f->window, WINDOW, at, 0);

		f->at = at;
		f->bytes = n > 0 ? (uint32_t)n : 0;
	}
	return bytes <= f->bytes - (uint32_t)(at - f->at) ? f->window + (at - f->at) : NULL;
}

static uint64_t number(const uint8_t *at, unsigned bytes)
{
	uint64_t n = 0;

	while (bytes--)
		n = n << 8 | at[bytes];
	return n;
}

static uint64_t number_at(struct file *f, uint64_t at, unsigned bytes)
{
	const uint8_t *found = view(f, at, bytes);

	return found ? number(found, bytes) : 0;
}

/* The text there, up to its end or the window's; NULL: there is none. */
static const char *text_at(struct file *f, uint64_t at, uint32_t most)
{
	const uint8_t *text = view(f, at, most);

	if (!text) {                            /* near the end of the file: the window begins here now */
		text = view(f, at, 1);
		most = f->bytes;
	}
	for (uint32_t i = 0; text && i < most; i++)
		if (!text[i])
			return (const char *)text;
	return NULL;
}

/* Where in the file lies what is mapped at this address; 0: nowhere. */
static uint64_t place_of(const struct file *f, uint64_t address)
{
	for (uint32_t i = 0; i < f->loads; i++)
		if (address - f->load[i].address < f->load[i].bytes)
			return address - f->load[i].address + f->load[i].offset;
	return 0;
}

/* -------------------------------------------------------------------- ELF */

static void take_header(struct file *f, uint64_t at, bool wide)
{
	uint32_t type = (uint32_t)number_at(f, at, 4);
	uint64_t offset = number_at(f, at + (wide ? 8 : 4), wide ? 8 : 4);
	uint64_t bytes = number_at(f, at + (wide ? 32 : 16), wide ? 8 : 4);

	if (type == PT_INTERP) {
		f->linker = offset;
		f->linker_bytes = bytes;
	} else if (type == PT_DYNAMIC) {
		f->dynamic = offset;
		f->dynamic_bytes = bytes;
	} else if (type == PT_LOAD && f->loads < LOADS) {
		f->load[f->loads++] = (struct load){ number_at(f, at + (wide ? 16 : 8), wide ? 8 : 4), offset, bytes };
	}
}

static void take_headers(struct file *f, bool wide)
{
	f->headers = number_at(f, wide ? 32 : 28, wide ? 8 : 4);
	f->header_bytes = (uint32_t)number_at(f, wide ? 54 : 42, 2);
	f->n_headers = (uint32_t)number_at(f, wide ? 56 : 44, 2);
	for (uint32_t i = 0; i < f->n_headers && i < 256; i++)
		take_header(f, f->headers + (uint64_t)i * f->header_bytes, wide);
}

static uint64_t dynamic_entries(const struct file *f)
{
	uint64_t n = f->dynamic_bytes / sizeof(Elf64_Dyn);

	return n < 4096 ? n : 4096;
}

static void take_dynamic(struct file *f)
{
	for (uint64_t i = 0; i < dynamic_entries(f); i++) {
		uint64_t at = f->dynamic + i * sizeof(Elf64_Dyn), value = number_at(f, at + 8, 8);

		switch (number_at(f, at, 8)) {
		case DT_NULL: return;
		case DT_STRTAB: f->strings = place_of(f, value); break;
		case DT_STRSZ: f->string_bytes = value; break;
		case DT_SYMTAB: f->symbols = place_of(f, value); break;
		case DT_GNU_HASH: f->hash = place_of(f, value); break;
		case DT_SONAME: f->soname = value; break;
		}
	}
}

static bool text_is(struct file *f, uint64_t at, const char *name)
{
	const char *text = text_at(f, at, 32);

	return text && gc_equal(text, name);
}

/* Whether the program exports a symbol of that name (of at most 31 bytes). */
static bool exports(struct file *f, const char *name)
{
	uint32_t h = gc_gnu_hash(name), buckets = (uint32_t)number_at(f, f->hash, 4);
	uint32_t first = (uint32_t)number_at(f, f->hash + 4, 4), words = (uint32_t)number_at(f, f->hash + 8, 4);
	uint32_t shift = (uint32_t)number_at(f, f->hash + 12, 4) & 31;

	if (!f->hash || !f->symbols || !f->strings || !buckets || !words)
		return false;
	uint64_t word = number_at(f, f->hash + 16 + h / 64 % words * UINT64_C(8), 8);
	uint64_t bucket = f->hash + 16 + words * UINT64_C(8), chain = bucket + buckets * UINT64_C(4);

	if (!(word >> h % 64 & word >> (h >> shift) % 64 & 1))
		return false;
	uint32_t i = (uint32_t)number_at(f, bucket + h % buckets * UINT64_C(4), 4);

	for (uint32_t n = 0; i >= first && n < CHAIN_MAX; i++, n++) {
		uint32_t one = (uint32_t)number_at(f, chain + (i - first) * UINT64_C(4), 4);

		if ((one | 1) == (h | 1) &&
			text_is(f, f->strings + number_at(f, f->symbols + i * UINT64_C(24), 4), name))
			return true;
		if (one & 1)
			break;
	}
	return false;
}

/*
 * Whether a name, with the zeros around it, stands among those of its symbols, also of those that it imports. Of many
 * names none is looked at.
 */
static bool mentions(struct file *f, const char *name, uint32_t bytes)
{
	if (f->string_bytes > NAMES_MAX)
		return false;
	for (uint64_t at = 0; at + bytes <= f->string_bytes; at += WINDOW - bytes) {
		uint64_t left = f->string_bytes - at;
		uint32_t n = left < WINDOW ? (uint32_t)left : WINDOW;
		const uint8_t *text = view(f, f->strings + at, n);

		for (uint32_t i = 0; text && i + bytes <= n; i++)
			if (text[i + 1] == (uint8_t)name[1] && !__builtin_memcmp(text + i, name, bytes))
				return true;
	}
	return false;
}

static void copy(char *to, size_t room, const char *from)
{
	size_t n = 0;

	for (; from[n] && n + 1 < room; n++)
		to[n] = from[n];
	to[n] = 0;
}

/* One library that the program is linked with. */
static void take_needed(const char *name, struct gc_program *p)
{
	static const char *const pythons[] = { "libpython", "libpypy", NULL };

	p->opens_plugins |= begins_with_one_of(name, pythons);
	if (!p->runtime[0] && gc_is_sanitizer_runtime(name))
		copy(p->runtime, sizeof p->runtime, name);
}

/* Their names stand elsewhere in the file, so a number of them is noted at a time. */
static void __attribute__((noinline)) look_at_needed(struct file *f, struct gc_program *p)
{
	uint64_t i = 0, n = f->strings ? dynamic_entries(f) : 0;

	while (i < n) {
		uint32_t name[NEEDED], names = 0;

		for (; i < n && names < NEEDED; i++) {
			uint64_t at = f->dynamic + i * sizeof(Elf64_Dyn), tag = number_at(f, at, 8);

			if (tag == DT_NULL)
				n = 0;
			if (tag == DT_NEEDED)
				name[names++] = (uint32_t)number_at(f, at + 8, 8);
		}
		for (uint32_t k = 0; k < names; k++) {
			const char *text = text_at(f, f->strings + name[k], GC_RUNTIME_MAX);

			if (text)
				take_needed(text, p);
		}
	}
}

/*
 * A Python interpreter opens modules that bring loaders of their own; dlmopen makes a namespace that nothing of ours is
 * in.
 */
static void look_at_symbols(struct file *f, const char *name, struct gc_program *p)
{
	static const char *const pythons[] = { "python", "pypy", NULL };

	p->opens_plugins |= begins_with_one_of(name, pythons) || exports(f, "Py_BytesMain") || exports(f, "Py_Main") ||
		(f->strings && mentions(f, "\0dlmopen", 9));
	/* GCC's exports what the C library has as well: of the sanitizers ThreadSanitizer alone watches dup2. */
	p->has_tsan = exports(f, "__tsan_init") || (exports(f, "dup2") && exports(f, "calloc"));
}

static enum gc_program_kind kind_by_linker(const char *name)
{
	static const char *const others[] = { "ld-musl", "libc.musl", "libc.so", "ld-uClibc", "ld64-uClibc", "linker",
		NULL };

	return begins_with_one_of(name, others) ? GC_PROGRAM_OTHER_LIBRARY : GC_PROGRAM_FOLLOWED;
}

/* It names no dynamic linker: it is static, or it is one. */
static void look_without_linker(struct file *f, const char *name, struct gc_program *p)
{
	static const char *const linkers[] = { "ld-linux", "ld64.so", "ld-musl", "libc.musl", "libc.so", NULL };
	const char *soname = f->soname && f->strings ? text_at(f, f->strings + f->soname, 32) : NULL;

	if (soname)
		name = soname;                  /* musl's may have none */
	p->is_static = !begins_with_one_of(name, linkers);
	p->kind = p->is_static ? GC_PROGRAM_STATIC : kind_by_linker(name);
}

static void look_at_elf(struct file *f, const char *name, struct gc_program *p)
{
	const uint8_t *head = view(f, 0, 20);
	bool wide = head[EI_CLASS] == ELFCLASS64, little = head[EI_DATA] == ELFDATA2LSB;
	uint32_t machine = (uint32_t)number(head + 18, 2);

	if (little)
		take_headers(f, wide);
	p->is_static = little && !f->linker_bytes;
	p->kind = !wide ? GC_PROGRAM_32_BIT : GC_PROGRAM_OTHER_PROCESSOR;
	if (!wide || !little || machine != MACHINE)
		return;
	take_dynamic(f);
	if (!f->linker_bytes) {
		look_without_linker(f, name, p);
		return;
	}
	const char *linker = text_at(f, f->linker, GC_INTERPRETER_MAX);

	p->kind = linker ? kind_by_linker(gc_last_part(linker)) : GC_PROGRAM_UNKNOWN;
	p->other_linker = linker && !gc_equal(linker, LINKER);
	if (p->kind != GC_PROGRAM_FOLLOWED)
		return;
	look_at_needed(f, p);
	look_at_symbols(f, name, p);
}

/* ----------------------------------------------------------------- rights */

enum { EMPTY_PATH = 0x1000 /* AT_EMPTY_PATH */, NO_SUID = 2 /* ST_NOSUID */ };

/* What struct statfs is to the kernel, on both machines. */
struct place { long type, block_bytes, n[5]; int id[2]; long name_bytes, fragment_bytes, flags, spare[4]; };

/* Neither where the file lies nor the process itself forbids that an exec brings rights. */
static bool rights_count(int fd)
{
	struct place place = { 0 };

	return (fd < 0 || GC_SYSCALL(fstatfs, fd, &place, 0, 0, 0) || !(place.flags & NO_SUID)) &&
		GC_SYSCALL(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

/* The kernel gives the program rights that we have not: then the dynamic linker preloads nothing from a path. */
static enum gc_program_kind __attribute__((noinline)) kind_by_rights(int fd, const struct stat *st,
	enum gc_program_kind kind)
{
	uint32_t user = (uint32_t)GC_SYSCALL(getuid, 0, 0, 0, 0, 0);
	uint8_t caps[64];

	if ((st->st_mode & S_ISUID && st->st_uid != user) ||
		((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
			st->st_gid != (uint32_t)GC_SYSCALL(getgid, 0, 0, 0, 0, 0)))
		return rights_count(fd) ? GC_PROGRAM_OTHER_USER : kind;
	if (user && fd >= 0 && GC_SYSCALL(fgetxattr, fd, "security.capability", caps, sizeof caps, 0) > 0)
		return rights_count(fd) ? GC_PROGRAM_CAPABLE : kind;
	return kind;
}

/* ------------------------------------------------------------------- look */

static bool is_blank(uint8_t c) { return c == ' ' || c == '\t'; }

/* The program that runs a script, from its first line; false: it is no script. */
static bool read_interpreter(struct file *f, char path[GC_INTERPRETER_MAX])
{
	const uint8_t *line = view(f, 0, 3);
	uint32_t at = 2, n = 0, most = f->bytes < GC_INTERPRETER_MAX ? f->bytes : GC_INTERPRETER_MAX - 1;

	if (!line || line[0] != '#' || line[1] != '!')
		return false;
	while (at < most && is_blank(line[at]))
		at++;
	while (at < most && line[at] && line[at] != '\n' && line[at] != '\r' && !is_blank(line[at]))
		path[n++] = (char)line[at++];
	path[n] = 0;
	return n > 0;
}

/* The file that stands for the descriptor `dir`, which may be open for its place alone (O_PATH). */
static int __attribute__((noinline)) open_again(int dir)
{
	char path[32] = "/proc/self/fd/";
	uint32_t n = 14, digits = 1;

	for (int rest = dir; rest >= 10; rest /= 10)
		digits++;
	for (uint32_t i = digits; i--; dir /= 10)
		path[n + i] = (char)('0' + dir % 10);
	path[n + digits] = 0;
	return (int)GC_SYSCALL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0, 0);
}

static bool is_readable(int fd)
{
	uint8_t first;

	return GC_SYSCALL(pread64, fd, &first, 1, 0, 0) == 1;
}

static int open_program(int dir, const char *path)
{
	if (!*path)
		return is_readable(dir) ? dir : open_again(dir);
	return (int)GC_SYSCALL(openat, dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0, 0);
}

/* One file. True: it is a script, and p->interpreter is the next one to look at. */
static bool __attribute__((noinline)) look_at_file(int dir, const char *path, struct gc_program *p, uint8_t *window)
{
	struct stat st;
	bool script = false;

	/* The kernel reads the path first: a bad pointer is the caller's affair. Only regular files notice no open. */
	if (GC_SYSCALL(newfstatat, dir, path, &st, EMPTY_PATH, 0) || !S_ISREG(st.st_mode))
		return false;
	struct file f = { .fd = open_program(dir, path), .window = window };
	const char *name = gc_last_part(path);
	bool own = f.fd == dir;                 /* the caller's: it stays open */

	p->kind = GC_PROGRAM_UNKNOWN;
	p->refused = f.fd < 0;
	if (f.fd >= 0 && view(&f, 0, 20) && !__builtin_memcmp(f.window, ELFMAG, SELFMAG))
		look_at_elf(&f, name, p);
	else if (f.fd >= 0)
		script = read_interpreter(&f, p->interpreter);
	if (!script && (p->kind == GC_PROGRAM_FOLLOWED || p->refused))
		p->kind = kind_by_rights(f.fd, &st, p->kind);
	if (f.fd >= 0 && !own)
		GC_SYSCALL(close, f.fd, 0, 0, 0, 0);
	return script;
}

void gc_program_look(int dir, const char *path, struct gc_program *p)
{
	uint8_t window[WINDOW];

	p->kind = GC_PROGRAM_UNKNOWN;
	p->is_static = p->opens_plugins = p->refused = p->other_linker = p->has_tsan = false;
	p->runtime[0] = p->interpreter[0] = 0;
	if (!look_at_file(dir, path, p, window))
		return;
	for (int scripts = 1; scripts < SCRIPTS && look_at_file(AT_FDCWD, p->interpreter, p, window); scripts++)
		;                               /* the kernel follows as many */
}

static bool may_run(const char *path)
{
	struct stat st;

	return !GC_SYSCALL(faccessat, AT_FDCWD, path, 1 /* X_OK */, 0, 0) &&
		!GC_SYSCALL(newfstatat, AT_FDCWD, path, &st, 0, 0) && S_ISREG(st.st_mode);
}

void gc_program_find(const char *file, const char *search, char *path, size_t room)
{
	bool has_folder = *gc_last_part(file) == 0 || gc_last_part(file) != file;
	size_t bytes = 0;

	while (file[bytes])
		bytes++;
	path[0] = 0;
	if (has_folder && bytes < room)
		copy(path, room, file);
	if (has_folder || !bytes)
		return;
	for (const char *at = search ? search : "/bin:/usr/bin"; at; ) {
		size_t n = 0;

		while (at[n] && at[n] != ':')
			n++;
		if (n + 1 + bytes + 1 > room) {
			path[0] = 0;            /* execvp may find it there: nothing is known */
			return;
		}
		for (size_t i = 0; i < n; i++)
			path[i] = at[i];
		if (n)
			path[n] = '/';
		copy(path + n + (n > 0), room - n - (n > 0), file);
		if (may_run(path))
			return;
		at = at[n] ? at + n + 1 : NULL;
	}
	path[0] = 0;
}

static const struct { const char *word, *why_not; } kinds[] = {
	[GC_PROGRAM_UNKNOWN] = { "unknown", NULL },
	[GC_PROGRAM_FOLLOWED] = { "followed", NULL },
	[GC_PROGRAM_32_BIT] = { "32-bit", "a 32-bit program, and this gputap is for 64-bit ones" },
	[GC_PROGRAM_OTHER_PROCESSOR] = { "processor", "a program for another kind of processor" },
	[GC_PROGRAM_OTHER_LIBRARY] = { "library",
		"linked with another C library (musl), and gputap's library needs glibc" },
	[GC_PROGRAM_STATIC] = { "static",
		"statically linked, and a preloaded library reaches only dynamically linked programs" },
	[GC_PROGRAM_OTHER_USER] = { "user",
		"a program that runs with another user's rights (set-user-id), in which nothing is preloaded" },
	[GC_PROGRAM_CAPABLE] = { "capabilities",
		"a program with rights of its own (file capabilities), in which nothing is preloaded" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *gc_program_why_not(enum gc_program_kind kind) { return kinds[kind].why_not; }

const char *gc_program_word(const struct gc_program *p)
{
	return kinds[p->is_static ? GC_PROGRAM_STATIC : p->kind].word;
}

enum gc_program_kind gc_program_of_word(const char *word, size_t bytes)
{
	for (int k = GC_PROGRAM_FOLLOWED; k < KINDS; k++)
		if (gc_is_word(word, bytes, kinds[k].word))
			return (enum gc_program_kind)k;
	return GC_PROGRAM_UNKNOWN;
}
