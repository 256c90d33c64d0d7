/*
 * tests/unit/shim_options.c - trace/write/options.c: GPUTAP_* is read as the launcher reads the same words
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/unit/optioncases.h"
#include "trace/write/debug.h"
#include "trace/write/internal.h"

static void set(const char *name, const char *text)
{
	char variable[64] = "GPUTAP_";
	size_t n = 7;

	for (; *name; name++)
		variable[n++] = *name == '-' ? '_' : (char)(*name - 'a' + 'A');
	variable[n] = 0;
	setenv(variable, text, 1);
}

/* Options are read once in a process: each case has one of its own. */
static int in_child(void (*body)(const void *), const void *with)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		body(with);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void one_case(const void *with)
{
	const struct option_case *c = with;
	const char *before = tap_option(c->name);

	set(c->name, c->text);
	tap_options_parse();
	if (strcmp(tap_option(c->name), c->normal ? c->normal : before) || tap_option_given(c->name) != !!c->normal) {
		fprintf(stderr, "%s='%s': '%s', want '%s'\n", c->name, c->text, tap_option(c->name),
			c->normal ? c->normal : before);
		_exit(1);
	}
}

static void values_are_read_as_the_launcher_reads_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < OPTION_CASES; i++)
		assert_int_equal(in_child(one_case, &option_cases[i]), 0);
}

static void numbers(const void *with)
{
	(void)with;
	set("max-size", "1T");
	set("max-pending", "12");
	set("start-after", "1.5ms");
	set("ring", "yes");
	set("device-times", "off");
	tap_options_parse();
	if (tap_options.max_size != 1ull << 40 || tap_options.max_pending != 12 || tap_options.start_after != 1500000 ||
		!tap_options.ring || tap_options.device_times || !tap_options.sources)
		_exit(1);
}

static void what_is_read_often_is_a_number(void **state)
{
	(void)state;
	assert_int_equal(in_child(numbers, NULL), 0);
}

/* An empty variable says nothing, except where a value may be none. */
static void empty(const void *with)
{
	(void)with;
	set("max-size", "");
	set("ring", "");
	set("device-times", "");
	set("cuda-api", "");
	set("trace", "");
	tap_options_parse();
	if (tap_option_given("max-size") || tap_option_given("ring") || !tap_options.device_times ||
		strcmp(tap_option("cuda-api"), "all") || *tap_option("trace"))
		_exit(1);
}

static void an_empty_variable_says_nothing(void **state)
{
	(void)state;
	assert_int_equal(in_child(empty, NULL), 0);
}

/* The choices of --debug are the parts that there are, and `all`. */
static void debug_knows_its_parts(void **state)
{
	static const char *const parts[] = {
#define PART(name) #name,
		TAP_DEBUG_PARTS(PART)
#undef PART
	};
	struct option_case c = { .name = "debug" };

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		c.text = c.normal = parts[i];
		assert_int_equal(in_child(one_case, &c), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_as_the_launcher_reads_them),
		cmocka_unit_test(what_is_read_often_is_a_number),
		cmocka_unit_test(an_empty_variable_says_nothing),
		cmocka_unit_test(debug_knows_its_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
