/*
 * model/demangle.c - C++ names are read with __cxa_demangle of the C++ runtime
 *
 * It is loaded when the first mangled name comes: no build needs it, and without it names stay as they are.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

typedef char *demangler(const char *mangled, char *to, size_t *bytes, int *status);

static demangler *find_demangler(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1", "libc++.so.1" };
	static demangler *found;
	static bool looked;

	for (size_t i = 0; !looked && !found && i < sizeof libraries / sizeof *libraries; i++) {
		void *lib = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);

		if (lib)
			*(void **)&found = dlsym(lib, "__cxa_demangle");
	}
	looked = true;
	return found;
}

char *gt_demangle(const char *mangled)
{
	demangler *demangle = mangled[0] == '_' && mangled[1] == 'Z' ? find_demangler() : NULL;
	int status = 0;

	return demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
}
