/*
 * common/plain/library_search.c - where the dynamic linker (glibc's) finds a library by its name
 *
 * Folders for special processors (glibc-hwcaps) below the searched ones are left out: what they hold differs from what
 * stands beside them in its code alone.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/library_search.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/plain/syscall.h"
#include "common/plain/words.h"

/* -------------------------------------------------------------- /etc/ld.so.cache */

/* glibc's own, of which there is one format since 1999: a head, entries by name in falling order, texts. */
struct head { char magic[20]; uint32_t entries, text_bytes, unused[5]; };
struct entry { int32_t flags; uint32_t name, path, unused; uint64_t processor; };
#if defined(__x86_64__)
enum { FLAGS = 0x303 };
#else
enum { FLAGS = 0xa03 };
#endif

void gc_library_cache_open(struct gc_library_cache *c)
{
	long fd = GC_SYSCALL(openat, AT_FDCWD, "/etc/ld.so.cache", O_RDONLY | O_CLOEXEC, 0, 0), at;
	struct stat st;

	*c = (struct gc_library_cache){ 0 };
	if (fd < 0)
		return;
	if (!GC_SYSCALL(newfstatat, fd, "", &st, AT_EMPTY_PATH, 0) && st.st_size > (off_t)sizeof(struct head)) {
		at = gc_syscall6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at > 0)
			*c = (struct gc_library_cache){ (const uint8_t *)at, (size_t)st.st_size };
	}
	GC_SYSCALL(close, fd, 0, 0, 0, 0);
}

void gc_library_cache_close(struct gc_library_cache *c)
{
	if (c->at)
		GC_SYSCALL(munmap, c->at, c->bytes, 0, 0, 0);
	c->at = NULL;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The order of the cache: numbers inside names by their value. */
static int compare(const char *a, const char *b)
{
	while (*a) {
		if (is_digit(*a) != is_digit(*b))
			return is_digit(*a) ? 1 : -1;
		if (!is_digit(*a)) {
			if (*a != *b)
				return (unsigned char)*a - (unsigned char)*b;
			a++, b++;
			continue;
		}
		uint64_t m = 0, n = 0;

		for (; is_digit(*a); a++)
			m = m * 10 + (uint64_t)(*a - '0');
		for (; is_digit(*b); b++)
			n = n * 10 + (uint64_t)(*b - '0');
		if (m != n)
			return m < n ? -1 : 1;
	}
	return -(int)(unsigned char)*b;
}

/* A text that ends inside the file; NULL: it does not. */
static const char *text_at(const struct gc_library_cache *c, uint32_t at)
{
	for (size_t i = at; i < c->bytes; i++)
		if (!c->at[i])
			return (const char *)c->at + at;
	return NULL;
}

/* The head that the texts' places are counted from: older caches have an older one in front. */
static struct gc_library_cache newest_part(const struct gc_library_cache *c)
{
	static const char magic[] = "glibc-ld.so.cache1.1";
	struct { char magic[12]; uint32_t entries; } old;
	size_t at = 0;

	if (c->bytes >= sizeof old + sizeof(struct head)) {
		__builtin_memcpy(&old, c->at, sizeof old);
		if (!__builtin_memcmp(old.magic, "ld.so-1.7.0", 11))
			at = (sizeof old + old.entries * (size_t)12 + 7) / 8 * 8;
	}
	if (!c->at || at > c->bytes - sizeof(struct head) || __builtin_memcmp(c->at + at, magic, sizeof magic - 1))
		return (struct gc_library_cache){ 0 };
	return (struct gc_library_cache){ c->at + at, c->bytes - at };
}

/* Entries of one name stand together, for several processors. */
static const char *path_among(
	const struct gc_library_cache *c, const struct entry *entry, uint32_t n, uint32_t i, const char *name)
{
	const char *text;

	while (i > 0 && (text = text_at(c, entry[i - 1].name)) && !compare(name, text))
		i--;
	for (; i < n && (text = text_at(c, entry[i].name)) && !compare(name, text); i++)
		if (entry[i].flags == FLAGS && !entry[i].processor)
			return text_at(c, entry[i].path);
	return NULL;
}

const char *gc_library_cache_find(const struct gc_library_cache *whole, const char *name)
{
	struct gc_library_cache c = newest_part(whole);
	const struct entry *entry = (const struct entry *)(c.at + sizeof(struct head));
	uint32_t low = 0, high = c.at ? ((const struct head *)c.at)->entries : 0, n = high;

	if (n > (c.bytes - (c.at ? sizeof(struct head) : 0)) / sizeof *entry)
		return NULL;
	while (low < high) {
		uint32_t i = low + (high - low) / 2;
		const char *text = text_at(&c, entry[i].name);
		int order = text ? compare(name, text) : 0;

		if (!text)
			return NULL;
		if (!order)
			return path_among(&c, entry, n, i, name);
		if (order < 0)
			low = i + 1;
		else
			high = i;
	}
	return NULL;
}

/* --------------------------------------------------------------------- folders */

struct out { char *at; size_t used, room; };

static void add(struct out *o, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++, o->used++)
		if (o->used < o->room)
			o->at[o->used] = text[i];
}

/* "$ORIGIN" or "${ORIGIN}" there: its length, else 0. */
static size_t origin_at(const char *text, size_t bytes)
{
	static const char *const forms[] = { "$ORIGIN", "${ORIGIN}" };

	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t n = gc_length(forms[i]);

		if (n <= bytes && !__builtin_memcmp(text, forms[i], n))
			return n;
	}
	return 0;
}

bool gc_library_next_path(const char **list, const char *origin, const char *name, char *path, size_t room)
{
	struct out o = { path, 0, room };
	const char *at = *list;
	size_t n = 0, skip;

	if (!at)
		return false;
	while (at[n] && at[n] != ':' && at[n] != ';')
		n++;
	*list = at[n] ? at + n + 1 : NULL;
	for (size_t i = 0; i < n; i += skip ? skip : 1) {
		skip = origin_at(at + i, n - i);
		if (skip)
			add(&o, origin, gc_length(origin));
		else
			add(&o, at + i, 1);
	}
	add(&o, "/", n != 0);
	add(&o, name, gc_length(name) + 1);
	if (o.used > room && room)
		*path = 0;
	return true;
}

const char *gc_library_usual_folder(unsigned n)
{
	static const char *const folders[] = {
#if defined(__x86_64__)
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
#else
		"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
#endif
		"/lib64", "/usr/lib64", "/lib", "/usr/lib",
	};

	return n < sizeof folders / sizeof *folders ? folders[n] : NULL;
}
