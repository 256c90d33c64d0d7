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

/* Where the file holds what will lie at this address; -1: nowhere. */
static off_t place_of(int fd, const Elf64_Ehdr *head, uint64_t address)
{
	Elf64_Phdr p;

	for (unsigned i = 0; i < head->e_phnum; i++)
		if (pread(fd, &p, sizeof p, (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize)) == sizeof p &&
			p.p_type == PT_LOAD && address - p.p_vaddr < p.p_filesz)
			return (off_t)(address - p.p_vaddr + p.p_offset);
	return -1;
}

static bool is_runtime(const char *name)
{
	return !strncmp(name, "libasan.so", 10) || !strncmp(name, "libclang_rt.asan", 16);
}

/* The first library of the dynamic section that is a runtime of AddressSanitizer. */
static bool find_runtime(int fd, const Elf64_Ehdr *head, const Elf64_Phdr *dynamic, char *name, size_t bytes)
{
	uint64_t n = dynamic->p_filesz / sizeof(Elf64_Dyn);
	off_t strings = -1;
	Elf64_Dyn d;

	for (uint64_t i = 0; i < 2 * n && n < 65536; i++) {     /* twice: the texts may be named behind the names */
		if (pread(fd, &d, sizeof d, (off_t)(dynamic->p_offset + i % n * sizeof d)) != sizeof d)
			return false;
		if (d.d_tag == DT_STRTAB)
			strings = place_of(fd, head, d.d_un.d_ptr);
		if (d.d_tag != DT_NEEDED || strings < 0)
			continue;
		ssize_t got = pread(fd, name, bytes - 1, strings + (off_t)d.d_un.d_val);

		name[got > 0 ? got : 0] = 0;
		if (is_runtime(name))
			return true;
	}
	return false;
}

bool gt_run_sanitizer_runtime(const char *program, char *name, size_t bytes)
{
	int fd = open_program(program);
	bool found = false;
	Elf64_Ehdr head;
	Elf64_Phdr p;

	if (fd < 0)
		return false;
	if (pread(fd, &head, sizeof head, 0) == sizeof head && !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
		head.e_ident[EI_CLASS] == ELFCLASS64)
		for (unsigned i = 0; i < head.e_phnum && !found; i++)
			found = pread(fd, &p, sizeof p, (off_t)(head.e_phoff + (uint64_t)i * head.e_phentsize)) ==
					sizeof p &&
				p.p_type == PT_DYNAMIC && find_runtime(fd, &head, &p, name, bytes);
	close(fd);
	return found;
}
