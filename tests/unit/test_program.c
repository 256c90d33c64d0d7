/*
 * tests/unit/test_program.c - common/plain/program, preloads: what an executable is, and the lists that follow from it
 *
 * The executables are made here, byte by byte: no compiler for another machine is needed, and nothing of them runs.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "common/plain/preloads.h"
#include "common/plain/program.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define OTHER_MACHINE EM_AARCH64
#else
#define MACHINE EM_AARCH64
#define OTHER_MACHINE EM_X86_64
#endif

/* ------------------------------------------------------------ made programs */

/* What a program is made of. linker, soname: or NULL; needed, names: up to NULL; names are symbols that it imports. */
struct made {
	const char *linker, *soname, *needed[4], *name, *exported;
	int class, machine;
	bool big;
};

enum { IMAGE = 4096, STRINGS = 1024, HASH = 2048, SYMBOLS = 2304, LINKER = 2560, DYNAMIC = 3072 };

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

static uint64_t add_string(char *image, uint64_t *used, const char *text)
{
	uint64_t at = *used;

	strcpy(image + STRINGS + at, text);
	*used += strlen(text) + 1;
	return at;
}

/* A hash with one bucket, of one symbol with number 1. */
static void add_export(char *image, uint64_t name, const char *text)
{
	uint32_t h = hash_of(text), head[4] = { 1, 1, 1, 6 }, bucket = 1, chain = h | 1;
	uint64_t bloom = UINT64_C(1) << h % 64 | UINT64_C(1) << (h >> 6) % 64;
	Elf64_Sym s = { .st_name = (uint32_t)name, .st_shndx = 1 };

	memcpy(image + HASH, head, sizeof head);
	memcpy(image + HASH + 16, &bloom, 8);
	memcpy(image + HASH + 24, &bucket, 4);
	memcpy(image + HASH + 28, &chain, 4);
	memcpy(image + SYMBOLS + sizeof s, &s, sizeof s);
}

static void make_64(const struct made *m, char *image)
{
	Elf64_Ehdr *head = (void *)image;
	Elf64_Phdr *p = (void *)(image + sizeof *head);
	Elf64_Dyn *d = (void *)(image + DYNAMIC);
	uint64_t used = 1;

	*head = (Elf64_Ehdr){ .e_machine = (uint16_t)m->machine, .e_phoff = sizeof *head, .e_phentsize = sizeof *p };
	p[head->e_phnum++] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = IMAGE };
	if (m->linker) {
		strcpy(image + LINKER, m->linker);
		p[head->e_phnum++] =
			(Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = LINKER, .p_filesz = strlen(m->linker) + 1 };
	}
	for (int i = 0; m->needed[i]; i++)      /* the names are told of before their place, as linkers do it */
		*d++ = (Elf64_Dyn){ DT_NEEDED, { add_string(image, &used, m->needed[i]) } };
	if (m->soname)
		*d++ = (Elf64_Dyn){ DT_SONAME, { add_string(image, &used, m->soname) } };
	if (m->name)
		add_string(image, &used, m->name);
	if (m->exported) {
		add_export(image, add_string(image, &used, m->exported), m->exported);
		*d++ = (Elf64_Dyn){ DT_GNU_HASH, { 0x10000 + HASH } };
		*d++ = (Elf64_Dyn){ DT_SYMTAB, { 0x10000 + SYMBOLS } };
	}
	*d++ = (Elf64_Dyn){ DT_STRTAB, { 0x10000 + STRINGS } };
	*d++ = (Elf64_Dyn){ DT_STRSZ, { used } };
	*d++ = (Elf64_Dyn){ DT_NULL, { 0 } };
	if (m->linker || m->soname)
		p[head->e_phnum++] = (Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_offset = DYNAMIC,
			.p_filesz = (uint64_t)((char *)d - (image + DYNAMIC)) };
}

static void make_32(const struct made *m, char *image)
{
	Elf32_Ehdr *head = (void *)image;
	Elf32_Phdr *p = (void *)(image + sizeof *head);

	*head = (Elf32_Ehdr){ .e_machine = (uint16_t)m->machine, .e_phoff = sizeof *head, .e_phentsize = sizeof *p };
	if (m->linker)
		p[head->e_phnum++] = (Elf32_Phdr){ .p_type = PT_INTERP, .p_offset = LINKER, .p_filesz = 20 };
	strcpy(image + LINKER, m->linker ? m->linker : "");
}

static void write_file(const char *path, const void *bytes, size_t n, int mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(fchmod(fd, (mode_t)mode), 0);
	close(fd);
}

static void make(const char *path, const struct made *made)
{
	char image[IMAGE] = "";
	struct made m = *made;

	m.machine = m.machine ? m.machine : MACHINE;
	if (m.class == ELFCLASS32)
		make_32(&m, image);
	else
		make_64(&m, image);
	memcpy(image, ELFMAG, SELFMAG);
	image[EI_CLASS] = (char)(m.class ? m.class : ELFCLASS64);
	image[EI_DATA] = m.big ? ELFDATA2MSB : ELFDATA2LSB;
	write_file(path, image, sizeof image, 0700);
}

#define GLIBC "/lib64/ld-linux-x86-64.so.2"

static int in_own_folder(void **state)
{
	static char folder[] = "/tmp/gputap-program-XXXXXX";

	*state = mkdtemp(folder);
	return *state ? chdir(*state) : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
	return chdir("/") || system(command);
}

/* -------------------------------------------------------------------- look */

static void each_kind_is_told_by_the_file(void **state)
{
	static const struct { struct made made; enum gc_program_kind kind; bool is_static, lost, misled; } all[] = {
		{ { .linker = GLIBC }, GC_PROGRAM_FOLLOWED, false, false, false },
		{ { .linker = "/nix/x-glibc/lib/ld-linux-aarch64.so.1" }, GC_PROGRAM_FOLLOWED, false, false, false },
		{ { .soname = "ld-linux-x86-64.so.2" }, GC_PROGRAM_FOLLOWED, false, false, false },
		{ { .linker = NULL }, GC_PROGRAM_STATIC, true, false, false },
		{ { .soname = "libprogram.so" }, GC_PROGRAM_STATIC, true, false, false },
		{ { .linker = "/lib/ld-musl-x86_64.so.1" }, GC_PROGRAM_OTHER_LIBRARY, false, true, true },
		{ { .soname = "libc.musl-x86_64.so.1" }, GC_PROGRAM_OTHER_LIBRARY, false, true, true },
		{ { .linker = "/system/bin/linker64" }, GC_PROGRAM_OTHER_LIBRARY, false, true, true },
		{ { .class = ELFCLASS32, .machine = EM_386, .linker = "/lib/ld-linux.so.2" }, GC_PROGRAM_32_BIT,
			false, true, true },
		{ { .class = ELFCLASS32, .machine = EM_386 }, GC_PROGRAM_32_BIT, true, false, false },
		{ { .machine = OTHER_MACHINE, .linker = GLIBC }, GC_PROGRAM_OTHER_PROCESSOR, false, true, true },
		{ { .machine = OTHER_MACHINE }, GC_PROGRAM_OTHER_PROCESSOR, true, false, false },
		{ { .big = true, .linker = GLIBC }, GC_PROGRAM_OTHER_PROCESSOR, false, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct gc_program p;

		make("program", &all[i].made);
		gc_program_look(AT_FDCWD, "program", &p);
		assert_int_equal(p.kind, all[i].kind);
		assert_int_equal(p.is_static, all[i].is_static);
		assert_int_equal(gc_program_is_lost(&p), all[i].lost);
		assert_int_equal(gc_program_is_misled(&p), all[i].misled);
		assert_true(!gc_program_why_not(p.kind) == (p.kind == GC_PROGRAM_FOLLOWED));
		assert_int_equal(gc_program_of_word(gc_program_word(&p), strlen(gc_program_word(&p))),
			p.is_static ? GC_PROGRAM_STATIC : p.kind);
	}
}

static void a_sanitizers_runtime_is_named(void **state)
{
	static const struct { const char *needed[4], *runtime; } all[] = {
		{ { "libasan.so.8", "libc.so.6" }, "libasan.so.8" },
		{ { "libc.so.6", "libclang_rt.asan-x86_64.so" }, "libclang_rt.asan-x86_64.so" },
		{ { "libc.so.6", "libtsan.so.2", "libubsan.so.1" }, "" },
		{ { NULL }, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct made m = { .linker = GLIBC };
		struct gc_program p;

		memcpy(m.needed, all[i].needed, sizeof m.needed);
		make("sanitized", &m);
		gc_program_look(AT_FDCWD, "sanitized", &p);
		assert_string_equal(p.runtime, all[i].runtime);
	}
}

/* A Python by whatever name, and whoever makes a namespace of its own; a comment in a script is no such thing. */
static void who_opens_plugins_needs_the_audit_module(void **state)
{
	static const struct { const char *path; struct made made; bool opens; } all[] = {
		{ "python3.11", { .linker = GLIBC }, true },
		{ "pypy3", { .linker = GLIBC }, true },
		{ "renamed", { .linker = GLIBC, .exported = "Py_BytesMain" }, true },
		{ "embeds", { .linker = GLIBC, .needed = { "libpython3.11.so.1.0" } }, true },
		{ "spaces", { .linker = GLIBC, .name = "dlmopen" }, true },
		{ "other", { .linker = GLIBC, .name = "my_dlmopen_like", .exported = "Py_Other" }, false },
		{ "text", { .linker = GLIBC, .name = "LD_PRELOAD" }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct gc_program p;

		make(all[i].path, &all[i].made);
		gc_program_look(AT_FDCWD, all[i].path, &p);
		assert_int_equal(gc_preloads_audit(&p), all[i].opens);
	}
}

static void what_is_in_the_way_of_the_audit_module_is_seen(void **state)
{
#if defined(__x86_64__)
	static const char usual[] = GLIBC;
#else
	static const char usual[] = "/lib/ld-linux-aarch64.so.1";
#endif
	static const struct { struct made made; bool other, tsan; } all[] = {
		{ { .linker = usual }, false, false },
		{ { .linker = "/nix/store/x-glibc/lib/ld-linux-x86-64.so.2" }, true, false },
		{ { .linker = usual, .exported = "__tsan_init" }, false, true },
		{ { .linker = usual, .exported = "__asan_init" }, false, false },
		{ { .linker = usual, .needed = { "libtsan.so.2" } }, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct gc_program p;

		make("program", &all[i].made);
		gc_program_look(AT_FDCWD, "program", &p);
		assert_int_equal(p.other_linker, all[i].other);
		assert_int_equal(p.has_tsan, all[i].tsan);
	}
}

static void a_script_is_what_runs_it(void **state)
{
	char line[128], folder[64];
	struct gc_program p;

	(void)state;
	assert_non_null(getcwd(folder, sizeof folder));
	make("python3", &(struct made){ .linker = GLIBC });
	make("small", &(struct made){ .class = ELFCLASS32, .machine = EM_386, .linker = "/lib/ld-linux.so.2" });
	snprintf(line, sizeof line, "#! \t%s/python3 -E\n# LD_PRELOAD\n", folder);
	write_file("script", line, strlen(line), 0700);
	snprintf(line, sizeof line, "#!%s/script", folder);
	write_file("over", line, strlen(line), 0700);
	snprintf(line, sizeof line, "#!%s/small\n", folder);
	write_file("of_small", line, strlen(line), 0700);
	write_file("plain", "echo\n", 5, 0700);

	gc_program_look(AT_FDCWD, "over", &p);
	assert_int_equal(p.kind, GC_PROGRAM_FOLLOWED);
	assert_true(p.opens_plugins);
	snprintf(line, sizeof line, "%s/python3", folder);
	assert_string_equal(p.interpreter, line);
	gc_program_look(AT_FDCWD, "of_small", &p);
	assert_true(gc_program_is_lost(&p));
	gc_program_look(AT_FDCWD, "plain", &p);
	assert_int_equal(p.kind, GC_PROGRAM_UNKNOWN);
	assert_false(p.refused);
}

/* Scripts that name each other, what is cut anywhere, what is no file at all: UNKNOWN, and nothing hangs. */
static void what_cannot_be_read_is_unknown(void **state)
{
	char line[128], folder[64], image[IMAGE];
	struct gc_program p;

	(void)state;
	assert_non_null(getcwd(folder, sizeof folder));
	snprintf(line, sizeof line, "#!%s/circle\n", folder);
	write_file("circle", line, strlen(line), 0700);
	assert_int_equal(mkfifo("fifo", 0700), 0);
	static const char *const none[] = { "circle", "fifo", "missing", ".", "/dev/null", "", NULL };

	for (const char *const *path = none; *path; path++) {
		gc_program_look(AT_FDCWD, *path, &p);
		assert_int_equal(p.kind, GC_PROGRAM_UNKNOWN);
		assert_false(gc_program_is_lost(&p));
	}
	gc_program_look(AT_FDCWD, (const char *)8, &p);
	assert_int_equal(p.kind, GC_PROGRAM_UNKNOWN);

	make("whole", &(struct made){ .linker = GLIBC, .needed = { "libasan.so.8" }, .exported = "Py_Main" });
	int fd = open("whole", O_RDONLY);

	assert_int_equal(read(fd, image, sizeof image), sizeof image);
	close(fd);
	for (size_t n = 0; n < sizeof image; n += 7) {
		write_file("cut", image, n, 0700);
		gc_program_look(AT_FDCWD, "cut", &p);
		assert_true(p.kind <= GC_PROGRAM_STATIC);
	}
	srandom(1);
	for (int i = 0; i < 2000; i++) {        /* wherever a number of it leads */
		char copy[IMAGE];

		memcpy(copy, image, sizeof copy);
		for (int k = 0; k < 3; k++)
			copy[20 + random() % (random() % 2 ? 300 : IMAGE - 20)] = (char)random();
		write_file("damaged", copy, sizeof copy, 0700);
		gc_program_look(AT_FDCWD, "damaged", &p);
		assert_true(p.kind <= GC_PROGRAM_STATIC);
		assert_true(strlen(p.runtime) < sizeof p.runtime);
	}
}

/* By descriptor, as fexecve has it; also one that is open for its place alone. Neither is closed nor moved. */
static void a_descriptor_is_looked_at_as_a_path(void **state)
{
	(void)state;
	make("program", &(struct made){ .linker = GLIBC, .needed = { "libasan.so.8" } });
	for (int flags = 0; flags < 2; flags++) {
		int fd = open("program", flags ? O_PATH : O_RDONLY);
		struct gc_program p;

		gc_program_look(fd, "", &p);
		assert_string_equal(p.runtime, "libasan.so.8");
		assert_int_equal(lseek(fd, 0, SEEK_CUR), flags ? -1 : 0);
		assert_int_equal(fcntl(fd, F_GETFD), 0);
		close(fd);
	}
}

static void errno_stays(void **state)
{
	struct gc_program p;

	(void)state;
	errno = 77;
	gc_program_look(AT_FDCWD, "missing", &p);
	assert_int_equal(errno, 77);
}

static void path_is_searched_as_execvp_does(void **state)
{
	char path[64], small[8];

	(void)state;
	mkdir("a", 0700), mkdir("b", 0700), mkdir("a/tool", 0700);
	make("b/tool", &(struct made){ .linker = GLIBC });
	make("here", &(struct made){ .linker = GLIBC });
	gc_program_find("tool", "a:b", path, sizeof path);
	assert_string_equal(path, "b/tool");            /* a/tool is a folder */
	assert_int_equal(chmod("b/tool", 0600), 0);
	gc_program_find("tool", "a:b", path, sizeof path);
	assert_string_equal(path, "");
	gc_program_find("here", "a:", path, sizeof path);
	assert_string_equal(path, "here");
	gc_program_find("b/tool", "a", path, sizeof path);
	assert_string_equal(path, "b/tool");
	gc_program_find("sh", NULL, path, sizeof path);
	assert_string_equal(path, "/bin/sh");
	gc_program_find("here", "much/too/long:.", small, sizeof small);
	assert_string_equal(small, "");
	gc_program_find("", "a:b", path, sizeof path);
	assert_string_equal(path, "");
}

/* Of a file that cannot be read the mode tells all the same that it brings rights. */
static void rights_are_told_by_the_mode(void **state)
{
	struct gc_program p;

	(void)state;
	if (getuid())
		skip();
	make("rights", &(struct made){ .linker = GLIBC });
	assert_int_equal(chown("rights", 1, 0), 0);
	assert_int_equal(chmod("rights", 04755), 0);
	gc_program_look(AT_FDCWD, "rights", &p);
	if (p.kind == GC_PROGRAM_FOLLOWED)
		skip();                                 /* a place, or a process, without such rights */
	assert_int_equal(p.kind, GC_PROGRAM_OTHER_USER);
	assert_true(gc_program_is_lost(&p));
	assert_false(gc_program_is_misled(&p));
}

/* ------------------------------------------------------------------- lists */

#define OURS "/g/libgputap.so"

static void preloads_become_what_the_program_needs(void **state)
{
	static const struct { const char *old; enum gc_ours ours; const char *runtime, *list; } all[] = {
		{ OURS, GC_OURS_FIRST, "", OURS },
		{ OURS, GC_OURS_FIRST, "libasan.so.8", "libasan.so.8::" OURS },
		/* for one program: the next one has another, or none; a child of it the same */
		{ "libasan.so.8::" OURS, GC_OURS_FIRST, "", OURS },
		{ "libasan.so.8::" OURS, GC_OURS_FIRST, "libasan.so.8", "libasan.so.8::" OURS },
		{ "libasan.so.8::" OURS ":/x/a.so", GC_OURS_STAY, "libasan.so.6", "libasan.so.6::" OURS ":/x/a.so" },
		{ "libasan.so.8::" OURS, GC_OURS_OUT, "", "" },
		/* the user's own stays, and is first */
		{ OURS ":/u/libasan.so.8", GC_OURS_FIRST, "", "/u/libasan.so.8:" OURS },
		{ OURS ":/u/libasan.so.8:/x/a.so", GC_OURS_STAY, "libasan.so.8", "/u/libasan.so.8:" OURS ":/x/a.so" },
		{ "/u/libasan.so.8:" OURS, GC_OURS_OUT, "", "/u/libasan.so.8" },
		/* others keep their order, and ours theirs */
		{ "/x/a.so /g/libgputap-osrt.so:" OURS ":/x/b.so", GC_OURS_FIRST, "",
			"/g/libgputap-osrt.so:" OURS ":/x/a.so:/x/b.so" },
		{ "/x/a.so:" OURS ":/x/b.so", GC_OURS_STAY, "", "/x/a.so:" OURS ":/x/b.so" },
		{ "/x/a.so:" OURS ":/x/b.so", GC_OURS_OUT, "", "/x/a.so:/x/b.so" },
		{ NULL, GC_OURS_FIRST, "", "" },
		{ "/x/notlibgputap.so:/libgputap/a.so", GC_OURS_OUT, "", "/x/notlibgputap.so:/libgputap/a.so" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char list[128];
		bool same;
		size_t n = gc_preloads_write(list, sizeof list, all[i].old, all[i].ours, all[i].runtime, &same);

		assert_string_equal(list, all[i].list);
		assert_int_equal(n, strlen(list));
		assert_int_equal(same, !strcmp(all[i].old ? all[i].old : "", all[i].list));
		assert_int_equal(gc_preloads_write(NULL, 0, all[i].old, all[i].ours, all[i].runtime, &same), n);
		gc_preloads_write(list, 5, all[i].old, all[i].ours, all[i].runtime, &same);
		assert_true(strlen(list) < 5);
	}
}

static void audit_keeps_the_modules_of_others(void **state)
{
	static const char ours[] = "/g/libgputap-audit.so";
	static const struct { const char *old, *ours, *list; } all[] = {
		{ NULL, ours, "/g/libgputap-audit.so" },
		{ "/u/audit.so", ours, "/g/libgputap-audit.so:/u/audit.so" },
		{ "/g/libgputap-audit.so:/u/audit.so", NULL, "/u/audit.so" },
		{ "/g/libgputap-audit.so", NULL, "" },
		{ NULL, NULL, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char list[64];
		bool same;

		gc_audit_write(list, sizeof list, all[i].old, all[i].ours, &same);
		assert_string_equal(list, all[i].list);
		assert_int_equal(same, !strcmp(all[i].old ? all[i].old : "", all[i].list));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_told_by_the_file),
		cmocka_unit_test(a_sanitizers_runtime_is_named),
		cmocka_unit_test(who_opens_plugins_needs_the_audit_module),
		cmocka_unit_test(what_is_in_the_way_of_the_audit_module_is_seen),
		cmocka_unit_test(a_script_is_what_runs_it),
		cmocka_unit_test(what_cannot_be_read_is_unknown),
		cmocka_unit_test(a_descriptor_is_looked_at_as_a_path),
		cmocka_unit_test(errno_stays),
		cmocka_unit_test(path_is_searched_as_execvp_does),
		cmocka_unit_test(rights_are_told_by_the_mode),
		cmocka_unit_test(preloads_become_what_the_program_needs),
		cmocka_unit_test(audit_keeps_the_modules_of_others),
	};

	return cmocka_run_group_tests(tests, in_own_folder, remove_folder);
}
