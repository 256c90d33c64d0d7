/*
 * interpose/dlsym.c - what dlsym and dlvsym answer when they are asked for a function of OpenCL or CUPTI; dlclose
 *
 * The answer is a wrapper that leads to the very function the real look-up found. What the real library lacks stays
 * NULL, with the real look-up's own error message.
 *
 * Runs      inside the application's dlsym, dlvsym, dlclose; also before our constructor.
 * Must not  allocate, change errno, leave a dlerror message that the real look-up would not have left.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "collectors/collector.h"
#include "collectors/opencl/hooks.h"
#include "interpose/cupti.h"
#include "interpose/elf.h"
#include "interpose/leave.h"
#include "interpose/loader.h"
#include "trace/write/process.h"

#define HIDDEN __attribute__((visibility("hidden")))

/*
 * Real functions of the C library, or of another preloaded tool behind us. Read by dlsym.S; set once, always to the
 * same.
 */
HIDDEN void *(*tap_real_dlsym)(void *handle, const char *name);
HIDDEN void *(*tap_real_dlvsym)(void *handle, const char *name, const char *version);
static int (*real_dlclose)(void *handle);

HIDDEN void tap_dlsym_init(void)
{
	static const struct tap_wanted wanted[] = {
		{ "dlsym", NULL, &tap_real_dlsym },
		{ "dlvsym", NULL, &tap_real_dlvsym },
		{ "dlclose", NULL, &real_dlclose },
	};

	tap_next_symbols(wanted, sizeof wanted / sizeof *wanted);
}

static void *find_nothing(void *handle, const char *name)
{
	(void)handle, (void)name;
	return NULL;
}

static int close_nothing(void *handle)
{
	(void)handle;
	return 0;
}

static bool is_named(const struct tap_object *o, void *name) { return tap_object_is_named(o, name); }
static bool loaded(const char *name) { return tap_objects_walk(is_named, (void *)name); }

static void copy_path(char *to, size_t bytes, const char *path)
{
	size_t n = strlen(path);

	memcpy(to, path, n < bytes ? n + 1 : 0);
}

static void path_of(const void *address, char *path, size_t bytes)
{
	struct tap_object o;

	path[0] = 0;
	if (tap_object_at(address, &o))
		copy_path(path, bytes, o.path);
}

struct exporter { const char *function; char *path; size_t bytes; };

static bool defines(const struct tap_object *o, void *arg)
{
	const struct exporter *e = arg;

	if (tap_object_is_shim(o) || !tap_object_symbol(o, e->function))
		return false;
	copy_path(e->path, e->bytes, o->path);
	return true;
}

static bool exporter(const char *function, char *path, size_t bytes)
{
	struct exporter e = { function, path, bytes };

	path[0] = 0;
	return tap_objects_walk(defines, &e);
}

void tap_way_in_fill(struct tap_way_in *way)
{
	tap_dlsym_init();
	way->dlsym = tap_real_dlsym ? tap_real_dlsym : find_nothing;
	way->dlclose = real_dlclose ? real_dlclose : close_nothing;
	way->opencl_loaded = tap_opencl_loaded;
	way->loaded = loaded;
	way->path_of = path_of;
	way->exporter = exporter;
}

/* In two registers. answered 0: jump to the real function. */
struct tap_answer { void *address; uint64_t answered; };

static void *look_up(void *handle, const char *name, const char *version)
{
	return version ? tap_real_dlvsym(handle, name, version) : tap_real_dlsym(handle, name);
}

/*
 * RTLD_DEFAULT, or a handle whose scope holds us (the program's own): the real look-up finds our export, which is there
 * even when no library has the function. Ask for what lies behind us; then in what the caller itself was loaded with.
 */
static void *behind_us(const struct tap_entry *e, const char *version, const void *caller)
{
	void *real = look_up(RTLD_NEXT, e->name, version);

	if (real && !tap_own_address(real))
		return real;
	real = tap_loader_in_scope(e, caller);
	if (real)
		tap_real_dlsym(RTLD_DEFAULT, "dlsym");  /* success: the message of the failure above goes */
	return real;
}

/*
 * RTLD_NEXT is never substituted: interposers need what lies behind them. But when nothing but our own export does, and
 * the caller's libraries have none, there is none.
 */
static struct tap_answer next_answer(const struct tap_entry *e, const char *version, const void *caller)
{
	bool missing = !look_up(RTLD_NEXT, e->name, version) && !tap_loader_in_scope(e, caller);

	return (struct tap_answer){ NULL, missing };
}

/* A function that the C library lacks: as if we did not have it either. Else no business of ours. */
static struct tap_answer newer_answer(void *handle, const char *name, const char *version)
{
	void *none = NULL;
	const struct tap_wanted wanted = { name, NULL, &none };

	if (handle == RTLD_NEXT || !tap_is_newer_function(name))
		return (struct tap_answer){ NULL, 0 };
	tap_next_symbols(&wanted, 1);
	if (none || !tap_own_address(look_up(handle, name, version)))
		return (struct tap_answer){ NULL, 0 };
	return (struct tap_answer){ look_up(RTLD_NEXT, name, version), 1 };
}

/* A function of CUPTI: one library's, like those of OpenCL. */
static struct tap_answer cupti_answer(
	int entry, void *handle, const char *name, const char *version, const void *caller)
{
	void *real;

	if (handle == RTLD_NEXT)                /* as next_answer does */
		return (struct tap_answer){ NULL,
			!look_up(RTLD_NEXT, name, version) && !tap_cupti_in_scope(entry, caller) };
	real = look_up(handle, name, version);
	if (real ? tap_own_address(real) : handle == RTLD_DEFAULT) {
		real = look_up(RTLD_NEXT, name, version);
		if (!real && (real = tap_cupti_in_scope(entry, caller)))
			tap_real_dlsym(RTLD_DEFAULT, "dlsym");  /* the message of the failure above goes */
	}
	return (struct tap_answer){ real ? tap_cupti_wrapper(entry, real, caller) : NULL, 1 };
}

HIDDEN struct tap_answer tap_dlsym_answer(void *handle, const char *name, const char *version, const void *caller)
{
	/*
	 * clock_gettime and the like: a sanitizer's start asks for them, when none of its replacements (strcmp) works
	 * yet.
	 */
	const struct tap_entry *e = name[2] >= 'A' && name[2] <= 'Z' ? tap_opencl_entry(name) : NULL;

	int cupti = name[0] == 'c' && name[1] == 'u' ? tap_cupti_entry(name) : -1;

	tap_objects_renew();
	if (!e && name[0] == 'c' && cupti < 0)
		return (struct tap_answer){ NULL, 0 };
	if (!tap_real_dlsym || !tap_real_dlvsym)
		tap_dlsym_init();
	if (!tap_real_dlsym || !tap_real_dlvsym)
		return (struct tap_answer){ NULL, 1 };
	if (cupti >= 0)
		return cupti_answer(cupti, handle, name, version, caller);
	if (!e)
		return newer_answer(handle, name, version);
	if (handle == RTLD_NEXT)
		return next_answer(e, version, caller);
	void *real = look_up(handle, name, version);

	if (real ? tap_own_address(real) : handle == RTLD_DEFAULT)
		real = behind_us(e, version, caller);
	return (struct tap_answer){ real ? tap_loader_wrapper(e, real, caller) : NULL, 1 };
}

/* ------------------------------------------------- handles that were asked */

HIDDEN const void *tap_seen_handle;             /* the last one; read by dlsym.S */
static const void *seen[64];                    /* some of those before it */

/*
 * What a program opened it asks for functions, and calls them then: the last moment to see that it leads to a loader
 * that we do not stand before, for a process that is killed cannot look at its end.
 */
HIDDEN void tap_dlsym_seen(const void *handle)
{
	unsigned at = (unsigned)((uintptr_t)handle >> 5 ^ (uintptr_t)handle >> 11) % (sizeof seen / sizeof *seen);
	int saved = errno;

	if (!tap_ready)
		return;
	tap_objects_renew();                    /* what is called next may lie in what was just opened */
	tap_seen_handle = handle;
	if (seen[at] == handle)
		return;
	seen[at] = handle;
	tap_loaders_look();
	errno = saved;
}

static void forget_handles(void)
{
	tap_seen_handle = NULL;
	memset(seen, 0, sizeof seen);
}

/*
 * An unloaded caller's or loader's addresses may be used again by something else: what was remembered about addresses
 * is looked at again after each dlclose. (A plug-in unloaded and loaded again finds its OpenCL library at another
 * place.) Commands whose library goes are read before, or never.
 */
__attribute__((visibility("default"))) int dlclose(void *handle)
{
	if (!real_dlclose)
		tap_dlsym_init();
	if (tap_ready)
		tap_loaders_look();
	if (tap_loader_is_handle(handle))
		tap_cl_before_unload();
	int ret = real_dlclose ? real_dlclose(handle) : 0;

	forget_handles();
	tap_loaders_suspect();
	tap_cupti_suspect();
	tap_cl_drop_unloaded();
	return ret;
}
