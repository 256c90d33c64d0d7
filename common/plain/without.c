/*
 * common/plain/without.c - which mends a test wants to do without; empty but in build/switch
 *
 * Runs      anywhere: the variable is looked at once, without the C library's help.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/without.h"

#ifdef GPUTAP_SWITCHES
#include <stddef.h>
#include <string.h>

static const char variable[] = "GPUTAP_WITHOUT=";

static const char *read_once(void)
{
	extern char **environ;
	static const char *_Atomic list;
	const char *found = list;

	if (found)
		return found;
	found = "";
	for (char **at = environ; at && *at; at++)
		if (!strncmp(*at, variable, strlen(variable)))
			found = *at + strlen(variable);
	list = found;
	return found;
}

int gc_without(const char *name)
{
	size_t n = strlen(name);

	for (const char *at = read_once(); *at; at++) {
		if (!strncmp(at, name, n) && (at[n] == ',' || !at[n]))
			return 1;
		while (*at && *at != ',')
			at++;
		if (!*at)
			break;
	}
	return 0;
}
#endif
