/*
 * tests/e2e/stacks/replaced.c - calls from ./plug.so, before and behind its replacement by ./plug2.so, and opened anew
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdio.h>

static void *open_and_call(void (**entry)(void))
{
	void *plug = dlopen("./plug.so", RTLD_NOW);

	*entry = plug ? (void (*)(void))dlsym(plug, "entry") : NULL;
	if (*entry)
		(*entry)();
	return plug;
}

int main(void)
{
	void (*entry)(void);
	void *plug = open_and_call(&entry);

	if (!entry || rename("plug2.so", "plug.so"))
		return 1;
	entry();
	dlclose(plug);
	open_and_call(&entry);
	return entry ? 0 : 1;
}
