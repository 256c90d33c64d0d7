/*
 * tests/unit/test_static_tls.c - the libraries of a program are those that the dynamic linker lists, and what they take
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/plain/audit.h"
#include "common/plain/library_search.h"
#include "common/plain/static_tls.h"

/* ------------------------------------------------------------- as the linker has it */

static uint64_t room_of(const char *path)
{
	FILE *f = fopen(path, "r");
	Elf64_Ehdr head;
	Elf64_Phdr p;
	uint64_t bytes = 0;

	if (!f || fread(&head, sizeof head, 1, f) != 1)
		fail();
	for (unsigned i = 0; i < head.e_phnum; i++) {
		fseek(f, (long)(head.e_phoff + i * sizeof p), SEEK_SET);
		if (fread(&p, sizeof p, 1, f) == 1 && p.p_type == PT_TLS && p.p_memsz)
			bytes += p.p_memsz + (p.p_align ? p.p_align - 1 : 0);
	}
	fclose(f);
	return bytes;
}

/* The sum over what the dynamic linker lists, as for ldd; *n: how many those are; 0: it says nothing. */
static uint64_t room_by_linker(const char *environment, const char *program, unsigned *n)
{
	char line[4 * PATH_MAX], *path;
	uint64_t bytes = 0;
	FILE *out;

	snprintf(line, sizeof line, "%s LD_TRACE_LOADED_OBJECTS=1 '%s' 2>/dev/null", environment, program);
	out = popen(line, "r");
	for (*n = 0; out && fgets(line, sizeof line, out);) {
		path = strchr(line, '/');
		if (!path)
			continue;
		path[strcspn(path, " \n")] = 0;
		bytes += room_of(path);
		++*n;
	}
	if (out)
		pclose(out);
	return bytes;
}

static void compare(const char *program, const char *library_path, const char *preload)
{
	char environment[3 * PATH_MAX];
	uint64_t bytes, expected;
	unsigned n;

	if (access(program, R_OK))
		return;
	snprintf(environment, sizeof environment, "LD_LIBRARY_PATH='%s' LD_PRELOAD='%s'", library_path, preload);
	expected = room_by_linker(environment, program, &n);
	if (!n)
		return;
	assert_true(gc_static_tls_of(AT_FDCWD, program, library_path, preload, &bytes));
	if (bytes != expected)
		print_message("%s (%u libraries): %llu, by the linker %llu\n", program, n, (unsigned long long)bytes,
			(unsigned long long)expected);
	assert_int_equal(bytes, expected);
}

static void libraries_are_those_that_the_linker_lists(void **state)
{
	static const char *const programs[] = { "/proc/self/exe", "/bin/sh", "/bin/ls", "/usr/bin/python3",
		"/usr/bin/perl", "/usr/bin/gdb", "/usr/bin/clang", "/usr/bin/java", "/usr/bin/openssl", "/usr/bin/git",
		"/usr/bin/ffmpeg",
		"/usr/bin/kcachegrind", "/usr/bin/clinfo" };
	char own[PATH_MAX];

	(void)state;
	for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
		assert_non_null(realpath("/proc/self/exe", own));
		compare(i ? programs[i] : own, "", "");
	}
}

/* ------------------------------------------------------------- libraries of our own */

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool compile(const char *command)
{
	char line[2000];

	snprintf(line, sizeof line, "${CC:-cc} -O1 -fPIC %s 2>err", command);
	return !system(line);
}

/* a/libouter.so needs libinner.so, which lies where each case has it. */
static void libraries_are_found_as_the_linker_finds_them(void **state)
{
	static const char *const cases[] = { "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/b'",
		"-Wl,--disable-new-dtags,-rpath,'$ORIGIN/b'",
		"-Wl,--enable-new-dtags,-rpath,'${ORIGIN}/nowhere:$ORIGIN/b'",
		"" };
	char command[500], place[PATH_MAX], program[PATH_MAX + 40], path[2 * PATH_MAX + 40];

	(void)state;
	mkdir("static_tls", 0700);
	assert_int_equal(chdir("static_tls"), 0);
	mkdir("a", 0700);
	mkdir("a/b", 0700);
	assert_non_null(getcwd(place, sizeof place));
	write_text("inner.c", "__thread char inner[700] = { 1 }; int one(void); int one(void) { return inner[0]; }\n");
	write_text("outer.c", "__thread long outer[40]; int one(void), two(void);\n"
			      "int two(void) { return one() + (int)outer[1]; }\n");
	write_text("main.c", "int two(void); __thread char mine[5000]; int main(void) { return mine[0] + two(); }\n");
	if (!compile("-shared -Wl,-soname,libinner.so -o a/b/libinner.so inner.c"))
		skip();
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(command, sizeof command, "-shared -o a/libouter.so outer.c -La/b -linner %s", cases[i]);
		assert_true(compile(command));
		assert_true(compile("-o main main.c -La -louter -Wl,-rpath-link,a/b -Wl,-rpath,'$ORIGIN/a'"));
		snprintf(program, sizeof program, "%s/main", place);
		snprintf(path, sizeof path, "%s/nowhere:%s/a/b", place, place);
		compare(program, *cases[i] ? "" : path, "");
		compare("/bin/ls", "", program + strlen(program));
		snprintf(program, sizeof program, "%s/a/libouter.so libnone.so", place);
		compare("/bin/ls", path, program);
	}
	/* A link elsewhere to the program: its $ORIGIN is where the file is. */
	assert_true(!symlink("../main", "a/link"));
	assert_true(compile("-shared -o a/libouter.so outer.c -La/b -linner -Wl,-rpath,'$ORIGIN/b'"));
	snprintf(program, sizeof program, "%s/a/link", place);
	compare(program, "", "");
	assert_int_equal(chdir(".."), 0);
}

/* A program with a library that takes 3000 bytes: it gets them, or goes without the module, and so do its likes. */
static void a_program_starts_with_the_module_or_without_it(void **state)
{
	static const struct {
		const char *size, *glibc, *audit;
		struct gc_program program;
		enum gc_audit expected;
		uint64_t least, most;
	} cases[] = {
		{ "3000", "2.36", NULL, { 0 }, GC_AUDIT_GOES, 3000 + 144, 3000 + 144 + 600 },
		{ "3000", "2.31", NULL, { 0 }, GC_AUDIT_NO_ROOM, 0, 0 },
		{ "300", "2.31", NULL, { 0 }, GC_AUDIT_GOES, 0, 0 },
		{ "3000", "2.36", NULL, { .other_linker = true }, GC_AUDIT_NO_ROOM, 0, 0 },
		{ "300", "2.36", NULL, { .other_linker = true }, GC_AUDIT_GOES, 0, 0 },
		{ "300", "2.36", NULL, { .has_tsan = true }, GC_AUDIT_RUNTIME, 0, 0 },
		{ "3000", "2.36", "/x/another.so", { 0 }, GC_AUDIT_GOES, 144, 144 },
		{ "3000", "2.36", "/x/libgputap-audit.so", { 0 }, GC_AUDIT_GOES, 3000 + 144, 3000 + 144 + 600 },
		{ NULL, "2.36", NULL, { 0 }, GC_AUDIT_UNKNOWN, 0, 0 },
	};
	char command[200];

	(void)state;
	write_text("taker.c", "__thread char taker[SIZE] = { 1 };\nint take(void);\n"
			      "int take(void) { return taker[0]; }\n");
	write_text("takes.c", "int take(void); int main(void) { return take(); }\n");
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gc_audit_where where = {
			.dir = AT_FDCWD, .path = "takes", .audit = cases[i].audit, .glibc = cases[i].glibc };
		const char *size = cases[i].size;
		uint64_t bytes = 1;
		enum gc_audit fate;

		snprintf(command, sizeof command, "-shared -DSIZE=%s -o libtaker.so taker.c", size ? size : "1");
		if (!compile(command) || !compile("-o takes takes.c -L. -ltaker -Wl,-rpath,'$ORIGIN'"))
			skip();
		if (!size)
			unlink("libtaker.so");
		fate = gc_audit_plan(&cases[i].program, &where, &bytes);
		assert_int_equal(fate, cases[i].expected);
		assert_in_range(bytes, cases[i].least, cases[i].most);
		assert_int_equal(!gc_audit_why_not(fate), fate == GC_AUDIT_GOES);
		assert_int_equal(gc_audit_of_word(gc_audit_word(fate), strlen(gc_audit_word(fate))), fate);
	}
	assert_int_equal(gc_audit_of_word("audit", 5), GC_AUDIT_GOES);
}

/* Nothing crashes on, or waits for, what it is given. */
static void of_what_is_no_program_nothing_is_known(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_false(gc_static_tls_of(AT_FDCWD, "/nowhere", "", "/nowhere also", &bytes));
	assert_int_equal(bytes, 0);
	assert_false(gc_static_tls_of(AT_FDCWD, "/etc/passwd", NULL, NULL, &bytes));
	assert_int_equal(bytes, 0);
	mkfifo("static_tls_fifo", 0600);
	assert_false(gc_static_tls_of(AT_FDCWD, "static_tls_fifo", NULL, NULL, &bytes));
	assert_int_equal(bytes, 0);
}

static void a_damaged_cache_names_nothing(void **state)
{
	uint8_t bytes[400] = "glibc-ld.so.cache1.1";
	struct gc_library_cache c = { bytes, sizeof bytes };

	(void)state;
	for (unsigned n = 0; n < 256; n++) {
		memset(bytes + 20, (int)n, sizeof bytes - 20);
		assert_null(gc_library_cache_find(&c, "libc.so.6"));
		bytes[20] = 10, bytes[21] = bytes[22] = bytes[23] = 0;
		gc_library_cache_find(&c, "libc.so.6");
	}
	for (c.bytes = 0; c.bytes < 80; c.bytes++)
		assert_null(gc_library_cache_find(&c, "libc.so.6"));
}

/* ------------------------------------------------------------- tunables */

static void check(const char *old, uint64_t bytes, const char *expected)
{
	char to[200] = "";
	bool same;

	assert_int_equal(gc_static_tls_tunables(to, sizeof to, old, bytes, &same), strlen(expected));
	assert_string_equal(to, expected);
	assert_int_equal(same, !strcmp(old ? old : "", expected));
	assert_int_equal(gc_static_tls_tunables(NULL, 0, old, bytes, &same), strlen(expected));
	assert_int_equal(same, !strcmp(old ? old : "", expected));
}

#define GROWING "glibc.rtld.optional_static_tls="

static void tunables_of_others_stay(void **state)
{
	(void)state;
	check(NULL, 0, "");
	check(NULL, 200, "");
	check("", 288, "");
	check(NULL, 289, GROWING "0x000000000201");
	check("glibc.malloc.check=3", 289, "glibc.malloc.check=3:" GROWING "0x000000000201");
	check("glibc.malloc.check=3", 0, "glibc.malloc.check=3");
	check(GROWING "4096:a=b", 288 + 16, GROWING "4096:a=b:" GROWING "0x000000001010");
	check(GROWING "0x1000", 288 + 16, GROWING "0x1000:" GROWING "0x000000001010");
	check(GROWING "4096", 0, GROWING "4096");
}

/* What a traced program's child inherits is not counted twice, and goes where there is no module. */
static void ours_are_written_anew(void **state)
{
	(void)state;
	check(GROWING "0x000000000201", 290, GROWING "0x000000000202");
	check(GROWING "0x000000000201", 289, GROWING "0x000000000201");
	check(GROWING "0x000000000201", 0, "");
	check("a=b:" GROWING "0x000000000201", 0, "a=b");
	check(GROWING "1000:" GROWING "0x000000000201", 290, GROWING "1000:" GROWING "0x0000000003ea");
	check("a=" GROWING "0x000000000201", 0, "a=" GROWING "0x000000000201");
}

static void no_room_writes_nothing_beyond(void **state)
{
	char to[32];
	bool same;

	(void)state;
	memset(to, 'x', sizeof to);
	assert_int_equal(gc_static_tls_tunables(to, 8, "a=b", 400, &same), strlen("a=b:" GROWING) + 14);
	assert_int_equal(to[8], 'x');
}

static void versions_that_have_the_tunable(void **state)
{
	(void)state;
	assert_false(gc_static_tls_may_grow("2.31"));
	assert_false(gc_static_tls_may_grow("2.32.9000"));
	assert_true(gc_static_tls_may_grow("2.33"));
	assert_true(gc_static_tls_may_grow("2.41"));
	assert_true(gc_static_tls_may_grow("3.0"));
	assert_false(gc_static_tls_may_grow(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_are_those_that_the_linker_lists),
		cmocka_unit_test(libraries_are_found_as_the_linker_finds_them),
		cmocka_unit_test(a_program_starts_with_the_module_or_without_it),
		cmocka_unit_test(of_what_is_no_program_nothing_is_known),
		cmocka_unit_test(a_damaged_cache_names_nothing),
		cmocka_unit_test(tunables_of_others_stay),
		cmocka_unit_test(ours_are_written_anew),
		cmocka_unit_test(no_room_writes_nothing_beyond),
		cmocka_unit_test(versions_that_have_the_tunable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
