/*
 * tests/e2e/ways/host.c - opens plug-ins: host FLAGS FILE... with flags of l(ocal) g(lobal) d(eepbind) n(ew namespace)
 * z(lazy) 2 (twice, unloaded between) c(losed at the end) k(illed at the end)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void *open_plugin(const char *flags, const char *path)
{
	int how = strchr(flags, 'z') ? RTLD_LAZY : RTLD_NOW;

	if (strchr(flags, 'n'))
		return dlmopen(LM_ID_NEWLM, path, how);
	if (strchr(flags, 'd'))
		how |= RTLD_DEEPBIND;
	return dlopen(path, how | (strchr(flags, 'g') ? RTLD_GLOBAL : RTLD_LOCAL));
}

static int run(const char *flags, const char *path, void **handle)
{
	*handle = open_plugin(flags, path);
	if (!*handle)
		return puts(dlerror()), 1;
	int (*fn)(void) = (int (*)(void))dlsym(*handle, "run");

	return fn ? fn() : (puts(dlerror()), 1);
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		void *handle;

		if (run(argv[1], argv[i], &handle))
			return 1;
		if (strchr(argv[1], '2')) {
			dlclose(handle);
			/* Take the place, so that the library comes back elsewhere. */
			void *other = dlopen("libm.so.6", RTLD_NOW), *more = dlopen("libz.so.1", RTLD_NOW);

			printf("%d\n", other && more);
			if (run(argv[1], argv[i], &handle))
				return 1;
		}
		if (strchr(argv[1], 'c'))
			dlclose(handle);
	}
	if (strchr(argv[1], 'k'))
		raise(SIGKILL);
	return 0;
}
