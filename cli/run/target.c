/*
 * cli/run/target.c - what the program to be traced is: whether a preloaded library can reach it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "common/plain/without.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* As execvp finds it. */
static bool find(const char *program, char path[PATH_MAX])
{
	const char *dirs = strchr(program, '/') ? NULL : getenv("PATH");

	snprintf(path, PATH_MAX, "%s", program);
	for (const char *end; dirs && *dirs; dirs = *end ? end + 1 : end) {
		end = dirs + strcspn(dirs, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - dirs), dirs, program);
		if (!access(path, X_OK))
			return true;
	}
	return !dirs;
}

static int open_program(const char *program)
{
	char path[PATH_MAX];

	return find(program, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* The program that runs a script, from its first line; false: it is no script. */
static bool interpreter(int fd, char path[PATH_MAX])
{
	char line[256] = "";
	size_t at;

	if (pread(fd, line, sizeof line - 1, 0) < 3 || line[0] != '#' || line[1] != '!')
		return false;
	at = 2 + strspn(line + 2, " \t");
	line[at + strcspn(line + at, " \t\r\n")] = 0;
	snprintf(path, PATH_MAX, "%s", line + at);
	return line[at] != 0;
}

/* The dynamic linker that the program names; false: none. */
static bool linker_of(int fd, const Elf64_Ehdr *head, char name[PATH_MAX])
{
	Elf64_Phdr p;

	for (unsigned i = 0; i < head->e_phnum; i++) {
		off_t at = (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize);

		*name = 0;
		if (pread(fd, &p, sizeof p, at) != sizeof p)
			return true;    /* unreadable: nothing is claimed */
		if (p.p_type != PT_INTERP)
			continue;
		ssize_t n = pread(fd, name, p.p_filesz < PATH_MAX ? p.p_filesz : PATH_MAX - 1, (off_t)p.p_offset);

		name[n > 0 ? n : 0] = 0;
		return true;
	}
	return false;
}

/* What is run as a program is the dynamic linker itself: it has no other, and preloads. */
static bool is_linker(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strncmp(name ? name + 1 : path, "ld-", 3) || !strncmp(name ? name + 1 : path, "ld.so", 5);
}

static const char *look_at(int fd, struct gt_run_target *t)
{
	char linker[PATH_MAX] = "";
	Elf64_Ehdr head;

	if (pread(fd, &head, sizeof head, 0) < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(head.e_ident, ELFMAG, SELFMAG))
		return NULL;
	t->misled = true;
	if (head.e_ident[EI_CLASS] != ELFCLASS64)
		return "a 32-bit program, and this gputap is for 64-bit ones";
	if (head.e_machine != MACHINE)
		return "a program for another kind of processor";
	t->misled = linker_of(fd, &head, linker) && strstr(linker, "ld-musl");
	if (t->misled)
		return "linked with another C library (musl), and gputap's library needs glibc";
	if (!linker_of(fd, &head, linker) && !is_linker(t->path))
		return "statically linked, and a preloaded library reaches only dynamically linked programs";
	return NULL;
}

/* The kernel gives the program rights that we have not: then the dynamic linker preloads nothing from a path. */
static const char *rights(int fd)
{
	struct statvfs place;
	struct stat st;
	char caps[64];

	if (fstat(fd, &st) || fstatvfs(fd, &place) || place.f_flag & ST_NOSUID ||
		prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0))
		return NULL;
	if ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
		((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid()))
		return "a program that runs with another user's rights (set-user-id), in which nothing is preloaded";
	if (getuid() && fgetxattr(fd, "security.capability", caps, sizeof caps) > 0)
		return "a program with rights of its own (file capabilities), in which nothing is preloaded";
	return NULL;
}

/* A simulator, a script that brings an allocator: what they preload stands before us. The audit module sees it. */
static bool names_preload(int fd)
{
	static char text[4 << 20];
	ssize_t n = pread(fd, text, sizeof text, 0);

	return n > 0 && memmem(text, (size_t)n, "LD_PRELOAD", 10) && !gc_without("names-preload");
}

void gt_run_look_at_target(const char *program, struct gt_run_target *t)
{
	char path[PATH_MAX];

	*t = (struct gt_run_target){ 0 };
	if (gc_without("look-at-target"))
		return;
	snprintf(path, sizeof path, "%s", program);
	for (int scripts = 0; scripts < 5; scripts++) {         /* the kernel follows as many */
		int fd = find(path, t->path) ? open(t->path, O_RDONLY | O_CLOEXEC) : -1;

		if (fd < 0)
			return;
		bool script = interpreter(fd, path);

		t->preloads |= names_preload(fd);
		if (!script && !(t->why = look_at(fd, t)))
			t->why = rights(fd);
		close(fd);
		if (!script)
			return;
	}
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
