/*
 * tests/unit/test_module.c - model/cuda/cubin.c: functions of a CUDA module's code; nothing in it is trusted
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include <elf.h>

#include "model/cuda/cubin.h"

enum {
	CODE = 0x100, SYMBOLS = 0x200, TEXTS = 0x280, INFO = 0x2c0, OWN = 0x2e0, NAMES = 0x300, HEADS = 0x380,
	BYTES = 0x600
};

/* Two kernels in one section of code, `one` behind `two`, and a name that is no function. */
static void make(uint8_t file[BYTES])
{
	static const char texts[] = "\0one\0two\0data", names[] = "\0.nv.info\0.nv.info.one\0.text";
	static const uint32_t registers[] = { 0x00082f04, 2, 24, 0x00082f04, 1, 40, 0x00014c02 };
	static const uint32_t own[] = { 0x00041904, 7, 0x00034c02 };
	const Elf64_Sym symbols[] = { { 0 },
		{ .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x80, .st_size = 0x40 },
		{ .st_name = 5, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0, .st_size = 0x80 },
		{ .st_name = 9, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = 0, .st_size = 4 } };
	const Elf64_Shdr heads[] = { { 0 },
		{ .sh_name = 24, .sh_type = SHT_PROGBITS, .sh_offset = CODE, .sh_size = 0xc0 },
		{ .sh_type = SHT_SYMTAB, .sh_offset = SYMBOLS, .sh_size = sizeof symbols, .sh_link = 3 },
		{ .sh_type = SHT_STRTAB, .sh_offset = TEXTS, .sh_size = sizeof texts },
		{ .sh_name = 1, .sh_type = 0x70000000, .sh_offset = INFO, .sh_size = sizeof registers },
		{ .sh_name = 10, .sh_type = 0x70000000, .sh_offset = OWN, .sh_size = sizeof own },
		{ .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof names } };
	const Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_machine = 190, .e_shoff = HEADS, .e_shentsize = sizeof *heads,
		.e_shnum = sizeof heads / sizeof *heads, .e_shstrndx = 6 };

	memset(file, 0, BYTES);
	memcpy(file, &head, sizeof head);
	memcpy(file + SYMBOLS, symbols, sizeof symbols);
	memcpy(file + TEXTS, texts, sizeof texts);
	memcpy(file + INFO, registers, sizeof registers);
	memcpy(file + OWN, own, sizeof own);
	memcpy(file + NAMES, names, sizeof names);
	memcpy(file + HEADS, heads, sizeof heads);
}

static const struct gt_cubin_function *find(const struct gt_cubin *c, const char *name)
{
	return gt_cubin_find(c, (struct gt_string){ name, strlen(name) });
}

static void functions_are_found_by_name(void **state)
{
	uint8_t file[BYTES];
	struct gt_cubin c;
	const struct gt_cubin_function *f;

	(void)state;
	make(file);
	assert_true(gt_cubin_read(&c, file, BYTES));
	assert_int_equal(c.n, 2);
	f = find(&c, "one");
	assert_non_null(f);
	assert_int_equal(f->index, 1);
	assert_int_equal(f->at, CODE + 0x80);
	assert_int_equal(f->bytes, 0x40);
	assert_int_equal(f->registers, 40);
	assert_int_equal(f->barriers, 3);
	f = find(&c, "two");
	assert_non_null(f);
	assert_int_equal(f->at, CODE);
	assert_int_equal(f->registers, 24);
	assert_int_equal(f->barriers, -1);
	assert_null(find(&c, "data"));
	assert_null(find(&c, "on"));
	assert_null(find(&c, ""));
	gt_cubin_free(&c);
}

/* Of each length and of mutations: in memory that ends where the file does, which AddressSanitizer and valgrind see. */
static void damage_has_no_functions(void **state)
{
	static const uint64_t values[] = { 0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff, INT64_MAX,
		UINT64_MAX, BYTES };
	uint8_t good[BYTES];
	uint64_t random = 20261124, found = 0;

	(void)state;
	make(good);
	for (uint32_t i = 0; i < 40000; i++) {
		size_t bytes = i < BYTES ? i : BYTES;
		uint8_t *file = malloc(bytes + !bytes);
		struct gt_cubin c;

		assert_non_null(file);
		memcpy(file, good, bytes);
		for (uint32_t k = 0; i >= BYTES && k < 1 + i % 4; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			uint64_t value = values[(random >> 33) % (sizeof values / sizeof *values)];
			size_t n = (size_t)1 << (random >> 45) % 4, at = (random >> 48) % (BYTES - 8);

			memcpy(file + at, &value, n);
		}
		assert_true(gt_cubin_read(&c, file, bytes));
		for (uint32_t k = 0; k < c.n; k++) {
			assert_true(c.functions[k].at <= bytes && c.functions[k].bytes <= bytes - c.functions[k].at);
			assert_non_null(gt_cubin_find(&c, c.functions[k].name));
		}
		found += c.n;
		gt_cubin_free(&c);
		free(file);
	}
	assert_true(found > 30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_name),
		cmocka_unit_test(damage_has_no_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
