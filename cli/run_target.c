/*
 * cli/run_target.c - what the program to be traced is: whether a preloaded library can reach it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* As execvp finds it. */
static int open_program(const char *program)
{
	const char *dirs = strchr(program, '/') ? NULL : getenv("PATH");
	char path[PATH_MAX];

	if (!dirs)
		return open(program, O_RDONLY | O_CLOEXEC);
	for (const char *end; *dirs; dirs = *end ? end + 1 : end) {
		end = dirs + strcspn(dirs, ":");
		snprintf(path, sizeof path, "%.*s/%s", (int)(end - dirs), dirs, program);
		if (!access(path, X_OK))
			return open(path, O_RDONLY | O_CLOEXEC);
	}
	return -1;
}

/* A dynamic linker is named, or (a static program that can be loaded anywhere has neither) libraries are needed. */
static bool has_interpreter(int fd, const Elf64_Ehdr *head)
{
	Elf64_Phdr p;

	for (unsigned i = 0; i < head->e_phnum; i++) {
		off_t at = (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize);

		if (pread(fd, &p, sizeof p, at) != sizeof p)
			return true;    /* unreadable: nothing is claimed */
		if (p.p_type == PT_INTERP)
			return true;
	}
	return false;
}

const char *gt_run_out_of_reach(const char *program)
{
	int fd = open_program(program);
	const char *why = NULL;
	Elf64_Ehdr head;

	if (fd < 0)
		return NULL;
	if (pread(fd, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG))
		why = NULL;             /* a script: its interpreter is another program */
	else if (head.e_ident[EI_CLASS] != ELFCLASS64)
		why = "a 32-bit program, and this gputap is for 64-bit ones";
	else if (head.e_machine != MACHINE)
		why = "a program for another kind of processor";
	else if (!has_interpreter(fd, &head))
		why = "statically linked, and a preloaded library reaches only dynamically linked programs";
	close(fd);
	return why;
}
