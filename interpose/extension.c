/*
 * interpose/extension.c - functions that the application gets by name from a platform
 *
 * The driver's own functions differ from platform to platform, so each platform has a table (tap_ext_route) and each
 * extension function one wrapper instance for each table. A name we do not know, a fifth platform, and a pointer that
 * differs from the one that the platform gave before pass through untouched.
 *
 * Provisional extensions change their signatures between versions (PoCL 3.1 answers to command-buffer names with an
 * older one than any header has; recording calls took one parameter more in 2024): the version that the platform
 * reports decides which of our prototypes it is. Where it is none of them, the application gets an instance that
 * records the name and jumps to the driver without looking at the arguments.
 *
 * Runs      in the calling thread, inside the wrappers of clGetExtensionFunctionAddress(ForPlatform): never hot.
 * Must not  allocate with malloc, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <string.h>

#include "collectors/opencl/hooks.h"
#include "interpose/loader.h"
#include "opencl_hooks.h"
#include "trace/write/sys.h"

struct tap_opencl_api tap_ext_route[TAP_PLATFORMS];
/* Owner of each table; the look-up that names no platform is an owner of its own. */
static _Atomic uintptr_t owner[TAP_PLATFORMS];
#define NO_PLATFORM ((uintptr_t)-1)

/* --------------------------------------------- versions of provisional extensions */

enum verdict { SILENT, AGREES, DIFFERS };

/* What a list of extensions says about this one. */
static enum verdict list_says(const cl_name_version *list, size_t n, const struct tap_entry *e)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(list[i].name, e->provisional, CL_NAME_VERSION_MAX_NAME_SIZE) == 0)
			return list[i].version >= e->version_least && list[i].version <= e->version_most ? AGREES
													 : DIFFERS;
	return SILENT;
}

/*
 * Asks a platform (device NULL) or a device for its list. Pages of our own: the list is long and the stack may be
 * small.
 */
static enum verdict ask(
	const struct tap_opencl_api *real, cl_platform_id platform, cl_device_id device, const struct tap_entry *e)
{
#define QUERY(bytes, to, got) (device ? \
	real->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes, to, got) : \
	real->clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, bytes, to, got))
	enum verdict says = SILENT;
	size_t bytes = 0;

	if (QUERY(0, NULL, &bytes) != CL_SUCCESS || !bytes)
		return SILENT;
	cl_name_version *list = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!list)
		return DIFFERS;
	if (QUERY(bytes, list, NULL) == CL_SUCCESS)
		says = list_says(list, bytes / sizeof(*list), e);
	tap_sys_munmap(list, bytes);
	return says;
#undef QUERY
}

/*
 * The platform lists what all its devices have, in one version; an extension of some devices stands in their own
 * lists alone.
 */
static bool platform_agrees(const struct tap_opencl_api *real, cl_platform_id platform, const struct tap_entry *e)
{
	cl_device_id device[16];
	cl_uint n = 0;

	if (!real->clGetPlatformInfo || !real->clGetDeviceIDs || !real->clGetDeviceInfo ||
		(uintptr_t)platform == NO_PLATFORM)
		return false;
	enum verdict says = ask(real, platform, NULL, e);

	if (says != SILENT || real->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, device, &n) != CL_SUCCESS ||
		n > 16)
		return says == AGREES;
	for (cl_uint i = 0; i < n && says != DIFFERS; i++) {
		enum verdict one = ask(real, platform, device[i], e);

		says = one == SILENT ? says : one;
	}
	return says == AGREES;
}

/* The entry whose prototype is the platform's; NULL when none of ours is. */
static const struct tap_entry *with_signature(
	const struct tap_opencl_api *real, cl_platform_id platform, const struct tap_entry *e)
{
	if (!e->provisional[0])
		return e;
	tap_own_calls_begin();
	while (e && !platform_agrees(real, platform, e))
		e = e->revised;
	tap_own_calls_end();
	return e;
}

/* ------------------------------------------------------------------ tables */

/* A look-up that names no platform gets the same pointer as the one that did, if the driver answers so. */
static unsigned table_with(const struct tap_entry *e, const void *real)
{
	unsigned n = 0;

	while (n < TAP_PLATFORMS &&
		__atomic_load_n((void **)&tap_ext_route[n] + e->api_index, __ATOMIC_ACQUIRE) != real)
		n++;
	return n;
}

/* Number of the platform's table; TAP_PLATFORMS when all are taken. */
static unsigned table_of(uintptr_t platform)
{
	for (unsigned n = 0; n < TAP_PLATFORMS; n++) {
		uintptr_t none = 0;

		if (atomic_compare_exchange_strong(&owner[n], &none, platform) || none == platform)
			return n;
	}
	tap_lost(REC_LOSS_EXT_PLATFORMS, 1);
	return TAP_PLATFORMS;
}

/* False when the table has another function under this name. */
static bool put(unsigned n, const struct tap_entry *e, void *real)
{
	void **slot = (void **)&tap_ext_route[n] + e->api_index, *none = NULL;

	return __atomic_compare_exchange_n(slot, &none, real, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED) ||
		none == real;
}

static void *wrapper_for(const struct tap_opencl_api *api, uintptr_t platform, const char *name, void *real)
{
	const struct tap_entry *e = real && name ? tap_opencl_entry(name) : NULL;

	if (!e || tap_own_address(real))
		return real;
	void *wrapper = tap_loader_exported(e, real);

	if (wrapper)                                    /* the driver's answer is what the loader exports */
		return wrapper;
	const struct tap_entry *known = with_signature(api, (cl_platform_id)platform, e);
	unsigned n;

	e = known ? known : e;
	n = platform == NO_PLATFORM ? table_with(e, real) : TAP_PLATFORMS;

	if (n == TAP_PLATFORMS)
		n = table_of(platform);
	if (n == TAP_PLATFORMS || !put(n, e, real))
		return real;
	wrapper = known ? e->ext[n] : e->bare[n];
	return wrapper ? wrapper : real;
}

/* ------------------------------------------------------------------- hooks */

void *tap_cl_do_clGetExtensionFunctionAddress(const struct tap_opencl_api *real, const char *func_name)
{
	void *found = real->clGetExtensionFunctionAddress(func_name);

	return wrapper_for(real, NO_PLATFORM, func_name, found);
}

void *tap_cl_do_clGetExtensionFunctionAddressForPlatform(const struct tap_opencl_api *real, cl_platform_id platform,
							 const char *func_name)
{
	void *found = real->clGetExtensionFunctionAddressForPlatform(platform, func_name);

	return wrapper_for(real, (uintptr_t)platform, func_name, found);
}
