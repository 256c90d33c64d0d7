/*
 * trace/write/environ.c - one variable more in the environment, without the C library's lock and allocation; and what
 * stands there for drivers: where this library lies
 *
 * Runs      in the constructor, before any other thread of the program reads its environment.
 * Must not  allocate with malloc, change errno.
 *
 * The array and the line are memory of our own; the C library copies the array should the program change a variable.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <unistd.h>

#include "trace/write/internal.h"

static bool is_line_of(const char *line, const char *name)
{
	while (*name && *line == *name)
		line++, name++;
	return !*name && *line == '=';
}

bool tap_environ_set(const char *name, const char *value)
{
	size_t n = 0, name_bytes = tap_text_length(name), value_bytes = tap_text_length(value) + 1, kept = 0;

	while (environ && environ[n])
		n++;
	size_t array = (n + 2) * sizeof(char *);
	char *memory = tap_sys_mmap(
		NULL, array + name_bytes + 1 + value_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char **copy = (char **)memory, *line = memory ? memory + array : NULL;

	if (!memory)
		return false;
	__builtin_memcpy(line, name, name_bytes);
	line[name_bytes] = '=';
	__builtin_memcpy(line + name_bytes + 1, value, value_bytes);
	for (size_t i = 0; i < n; i++)
		if (!is_line_of(environ[i], name))
			copy[kept++] = environ[i];
	copy[kept] = line;
	environ = copy;
	return true;
}

const char *tap_own_path(void)
{
	static char path[TAP_PATH_MAX];
	struct tap_text t;
	Dl_info self;

	if (path[0] || !dladdr((void *)tap_own_path, &self) || !self.dli_fname || !self.dli_fname[0])
		return path;
	tap_text_init(&t, path, sizeof path);
	if (self.dli_fname[0] != '/') {                 /* LD_PRELOAD=./libgputap.so */
		long n = TAP_SYS(getcwd, path, sizeof path, 0, 0, 0, 0);

		if (n <= 1 || path[0] != '/') {         /* "(unreachable)..." lies in no folder that can be named */
			path[0] = 0;
			return path;
		}
		t.used = (size_t)n - 1;                 /* n counts the zero */
		tap_text_char(&t, '/');
	}
	tap_text_str(&t, self.dli_fname);
	return path;
}
