/*
 * tests/witness/count.c - the counting behind the stubs: whose call is it, and one more in the mapped file
 *
 * A tracer between program and loader forwards the program's calls and makes calls of its own. Both come from its
 * library, but the forwarded ones from a function that is named for what it forwards (tap_layer_clFinish, far_clFinish,
 * tap_cl_do_clFinish). So the function that holds the return address is looked up in the library's own symbol table,
 * read from its file. A loader mostly goes on by a jump; where it calls, the frame above it is asked for.
 *
 * Runs      in any thread of the program, in signal handlers, at the start of every OpenCL call.
 * Must not  change errno. What it allocates, it does so on the first call from a place in the program.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "witness.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

enum { STUB = 16, MOST_OBJECTS = 256, REMEMBERED = 8192 };

extern char witness_stubs[] __attribute__((visibility("hidden")));
static struct witness_page nowhere, *page = &nowhere;
static void *next[WITNESS_FUNCTIONS];
static int places;

/* ---------------------------------------------------------------- objects */

enum kind { OTHER, TRACER, LOADER, DRIVER };

/* A loaded object, its file mapped for its symbols. Never removed: what is unloaded is not asked about again. */
struct object {
	uintptr_t base;
	enum kind kind;
	const char *file;
	size_t bytes;
};
static struct object objects[MOST_OBJECTS];
static _Atomic unsigned n_objects;

static const Elf64_Shdr *section(const struct object *o, unsigned i)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)o->file;

	return (const Elf64_Shdr *)(o->file + e->e_shoff) + i;
}

/* Calls `found` for each defined function of one symbol table, until it says so. */
typedef bool symbol_fn(const Elf64_Sym *s, const char *name, void *arg);
static bool each_symbol(const struct object *o, unsigned type, symbol_fn *found, void *arg)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)o->file;

	for (unsigned i = 0; o->file && i < e->e_shnum; i++) {
		const Elf64_Shdr *s = section(o, i);
		const char *strings;

		if (s->sh_type != type)
			continue;
		strings = o->file + section(o, s->sh_link)->sh_offset;
		for (size_t k = 0; k < s->sh_size / sizeof(Elf64_Sym); k++) {
			const Elf64_Sym *symbol = (const Elf64_Sym *)(o->file + s->sh_offset) + k;

			if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
				found(symbol, strings + symbol->st_name, arg))
				return true;
		}
	}
	return false;
}

static bool is_named(const Elf64_Sym *s, const char *name, void *arg)
{
	(void)s;
	return !strcmp(name, arg);
}

static void map_file(struct object *o, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && (size_t)st.st_size > sizeof(Elf64_Ehdr)) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (at != MAP_FAILED && !memcmp(at, ELFMAG, SELFMAG)) {
			o->file = at;
			o->bytes = (size_t)st.st_size;
		}
	}
	close(fd);
}

static enum kind kind_of(const struct object *o, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	if (!strncmp(base, "libgputap", 9))
		return TRACER;
	if (each_symbol(o, SHT_DYNSYM, is_named, "clIcdGetPlatformIDsKHR"))
		return DRIVER;
	return each_symbol(o, SHT_DYNSYM, is_named, "clGetPlatformIDs") ? LOADER : OTHER;
}

static const struct object *object_at(const void *address)
{
	static struct object unknown;
	Dl_info info;
	unsigned n = n_objects;

	if (!dladdr(address, &info))
		return &unknown;
	for (unsigned i = 0; i < n; i++)
		if (objects[i].base == (uintptr_t)info.dli_fbase)
			return &objects[i];
	if (n == MOST_OBJECTS)
		return &unknown;
	struct object *o = &objects[n];

	o->base = (uintptr_t)info.dli_fbase;
	map_file(o, info.dli_fname);
	o->kind = kind_of(o, info.dli_fname);
	n_objects = n + 1;
	return o;
}

/* -------------------------------------------------------------- who called */

struct asked { uintptr_t at; const char *name; };

static bool holds(const Elf64_Sym *s, const char *name, void *arg)
{
	struct asked *a = arg;

	if (a->at < s->st_value || a->at >= s->st_value + s->st_size)
		return false;
	a->name = name;
	return true;
}

/*
 * The name's part from "cl" on is the function that is forwarded: "tap_layer_clFinish", "clFinish.cold". Two helpers
 * forward for functions of several versions.
 */
static bool forwards(const char *name, const char *function)
{
	static const char *const helpers[][2] = {
		{ "create_with_list", "clCreateCommandQueueWithProperties" },
		{ "properties_array", "clGetCommandQueueInfo" },
	};
	size_t n = strcspn(name, ".");

	for (unsigned i = 0; i < sizeof helpers / sizeof *helpers; i++)
		if (!strncmp(name, helpers[i][0], strlen(helpers[i][0])) &&
			!strncmp(function, helpers[i][1], strlen(helpers[i][1])))
			return true;
	for (const char *at = name; (at = strstr(at, "cl")); at++)
		if (isupper((unsigned char)at[2]) && (at == name || at[-1] == '_'))
			return (size_t)(name + n - at) == strlen(function) && !strncmp(at, function, strlen(function));
	return false;
}

struct frames { const void *at; bool from_loader; };

static _Unwind_Reason_Code next_frame(struct _Unwind_Context *context, void *arg)
{
	struct frames *f = arg;
	const void *at = (const void *)_Unwind_GetIP(context);

	if (object_at(at)->kind == LOADER) {
		f->from_loader = true;
	} else if (f->from_loader) {
		f->at = at;
		return _URC_END_OF_STACK;
	}
	return _URC_NO_REASON;
}

static enum witness_caller judge(const void *from, const char *function)
{
	const struct object *o = object_at(from);
	struct asked a = { 0, NULL };

	if (o->kind == DRIVER)
		return WITNESS_DRIVER;
	if (o->kind != TRACER)
		return WITNESS_PROGRAM;
	a.at = (uintptr_t)from - 1 - o->base;
	if (!each_symbol(o, SHT_SYMTAB, holds, &a))
		each_symbol(o, SHT_DYNSYM, holds, &a);
	return a.name && forwards(a.name, function) ? WITNESS_PROGRAM : WITNESS_OWN;
}

/*
 * Verdicts by place and return address: (address, place, verdict + 1) in one word, 0 is free. LOADED: the loader itself
 * called, so the frame above decides each time.
 */
enum { LOADED = WITNESS_CALLERS };
static _Atomic uint64_t remembered[REMEMBERED];

static unsigned recall(int place, const void *from)
{
	uint64_t key = (uint64_t)(uintptr_t)from << 12 | (uint64_t)place << 4;
	_Atomic uint64_t *slot = &remembered[((uintptr_t)from ^ (uintptr_t)place * 977) % REMEMBERED];
	uint64_t word = *slot;

	if ((word & ~(uint64_t)15) == key && word & 15)
		return (unsigned)(word & 15) - 1;
	unsigned verdict = object_at(from)->kind == LOADER ? LOADED : judge(from, page->name[place]);

	*slot = key | (verdict + 1);
	return verdict;
}

void *witness_count(int place, const void *from) __attribute__((visibility("hidden")));
void *witness_count(int place, const void *from)
{
	int saved = errno;
	unsigned who = recall(place, from);

	if (who == LOADED) {
		struct frames f = { from, false };

		_Unwind_Backtrace(next_frame, &f);
		who = object_at(f.at)->kind == LOADER ? WITNESS_PROGRAM : judge(f.at, page->name[place]);
	}
	__atomic_fetch_add(&page->calls[who][place], 1, __ATOMIC_RELAXED);
	errno = saved;
	return next[place];
}

/* ------------------------------------------------------------------ set up */

struct witness_page *witness_open(const char *variable)
{
	const char *folder = getenv(variable);
	char path[4096];
	int fd = -1;

	if (page != &nowhere || !folder)
		return page;
	for (int n = 0; n < 1000 && fd < 0; n++) {
		snprintf(path, sizeof path, "%s/%d.%d", folder, (int)getpid(), n);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	if (fd < 0)
		return page;
	void *at = ftruncate(fd, sizeof *page) ? MAP_FAILED :
		mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (at == MAP_FAILED)
		return page;
	page = at;
	memcpy(page->magic, "witness:", sizeof page->magic);
	memcpy(page->name, nowhere.name, sizeof page->name);
	return page;
}

int witness_place(const char *name, void *target)
{
	int n = places++;

	if (n >= WITNESS_FUNCTIONS)
		abort();
	snprintf(page->name[n], WITNESS_NAME, "%s", name);
	next[n] = target;
	return n;
}

void *witness_stub(int place) { return witness_stubs + place * STUB; }
