/*
 * tests/e2e/ways/maps.c - opens libraries and calls nothing: as importing a module does that is linked with OpenCL
 *
 *	maps MODE LIBRARY...    MODE: l RTLD_LOCAL, d RTLD_DEEPBIND with lazy binding, n a namespace of its own, lazy
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		int mode = argv[1][0] == 'd' ? RTLD_LAZY | RTLD_DEEPBIND : RTLD_NOW;
		void *library = argv[1][0] == 'n' ? dlmopen(LM_ID_NEWLM, argv[i], RTLD_LAZY) : dlopen(argv[i], mode);

		printf("%s\n", library ? "opened" : dlerror());
	}
	return 0;
}
