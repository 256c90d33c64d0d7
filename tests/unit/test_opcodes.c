/*
 * tests/unit/test_opcodes.c - what nvdisasm prints of a module, taken apart: which opcode lies at which place
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/sections/opcodes.h"

static struct gt_cubin_function functions[] = {
	{ .name = { "_Z1kPf", 6 }, .at = 0x400, .bytes = 0x100 },
	{ .name = { "work", 4 }, .at = 0x100, .bytes = 0x80 },
};
static const struct gt_cubin cubin = { functions, 2 };

static struct gt_opcodes parsed(const char *text)
{
	struct gt_opcodes o = { .asked = true };

	gt_opcodes_parse(&o, &cubin, strdup(text));
	assert_false(o.failed);
	return o;
}

/* whole and base: of the opcode there; NULL: none */
static void is_at(const struct gt_opcodes *o, uint64_t at, const char *whole, const char *base)
{
	const struct gt_opcode *one = gt_opcode_at(o, at);
	char text[64];

	if (!whole) {
		assert_null(one);
		return;
	}
	assert_non_null(one);
	snprintf(text, sizeof text, "%.*s", (int)one->bytes, one->name);
	assert_string_equal(text, whole);
	snprintf(text, sizeof text, "%.*s", (int)one->base, one->name);
	assert_string_equal(text, base);
}

static void instructions_are_found_by_their_place_in_the_file(void **state)
{
	struct gt_opcodes o = parsed("\t.target\tsm_90\n"
		"//--------------------- .text.work                --------------------------\n"
		"        .size           work,(.L_x_3 - work)\n"
		"work:\n.text.work:\n"
		"        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
		"        /*0010*/                   IMAD.MOV.U32 R5, RZ, RZ, R0 ;\n"
		".L_x_1:\n"
		"        /*0020*/              @!P0 EXIT ;\n"
		"        /*0030*/               @UP1 BRA `(.L_x_0);\n"
		"        /*0040*/                   NOP;\n"
		".text._Z1kPf:\n"
		"        /*0008*/ {         FFMA.FTZ R0, R0, R0, 1 ;\n"
		"        /*0010*/           LDG.E.64.CONSTANT R2, [R2] }\n"
		".text.unknown:\n"
		"        /*0000*/                   MUFU.SIN R1, R1 ;\n");

	(void)state;
	assert_int_equal(o.n, 7);
	assert_null(o.why);
	is_at(&o, 0x100, "LDC", "LDC");
	is_at(&o, 0x110, "IMAD.MOV.U32", "IMAD");
	is_at(&o, 0x120, "EXIT", "EXIT");
	is_at(&o, 0x130, "BRA", "BRA");
	is_at(&o, 0x140, "NOP", "NOP");
	is_at(&o, 0x408, "FFMA.FTZ", "FFMA");
	is_at(&o, 0x410, "LDG.E.64.CONSTANT", "LDG");
	is_at(&o, 0x150, NULL, NULL);
	is_at(&o, 0, NULL, NULL);
	gt_opcodes_free(&o);
}

static void what_is_no_disassembly_has_no_opcodes(void **state)
{
#define IN_WORK ".text.work:\n"
	static const char *const texts[] = { "", "\n", "\n\n", ".text.", ".text.:", ".text.work:", IN_WORK "/*",
		"/*0000*/ NOP ;", IN_WORK "/**/ NOP ;", IN_WORK "/*zz*/ NOP ;", IN_WORK "/*0000 NOP ;",
		IN_WORK "/*0000*/", IN_WORK "/*0000*/ {", IN_WORK "/*0000*/ @P0", IN_WORK "/*0000*/ @P0   ",
		IN_WORK "/*0000*/ .E ;", IN_WORK "/*0000*/ \x80\xff ;" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct gt_opcodes o = parsed(texts[i]);

		assert_int_equal(o.n, 0);
		assert_string_equal(o.why, "nvdisasm does not know this code");
		is_at(&o, 0x100, NULL, NULL);
		gt_opcodes_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_found_by_their_place_in_the_file),
		cmocka_unit_test(what_is_no_disassembly_has_no_opcodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
