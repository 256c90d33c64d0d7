/*
 * tests/e2e/ways/wiped.c - does this C library set a preloaded object's thread-local memory anew when it is opened?
 *
 * Three objects of one source: KEEPER is preloaded and has the memory. EARLY is a library of the program, whose
 * constructor runs before KEEPER's: it writes there and opens KEEPER once more. Status 1: what it wrote is gone. 0: it
 * stands.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(KEEPER)
static __thread int kept __attribute__((tls_model("initial-exec")));

int *keep(void);
int *keep(void) { return &kept; }

#elif defined(EARLY)
extern int *keep(void) __attribute__((weak));

__attribute__((constructor)) static void early(void)
{
	if (!keep)
		_exit(2);
	*keep() = 7;
	dlopen(getenv("KEEPER"), RTLD_NOW | RTLD_NOLOAD);
	_exit(*keep() != 7);
}

#else
int main(void) { return 3; }
#endif
