/*
 * model/symbols/demangle.c - C++ names are read with __cxa_demangle of the C++ runtime
 *
 * It is loaded when the first mangled name comes: no build needs it, and without it names stay as they are, with a
 * short name from the mangled form.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/symbols/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *mangled, char *to, size_t *bytes, int *status);

static demangler *found;

static void look(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1", "libc++.so.1" };

	for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
		void *lib = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);

		if (lib)
			*(void **)&found = dlsym(lib, "__cxa_demangle");
	}
}

static demangler *find_demangler(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look);
	return found;
}

char *gt_demangle(const char *mangled)
{
	demangler *demangle = mangled[0] == '_' && mangled[1] == 'Z' ? find_demangler() : NULL;
	int status = 0;

	return demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
}

/* ------------------------------------------------------------------- short names */

/* "_ZN4core4blas4gemmIfLi4EEEvPT_PKS2_m" -> "gemm": the last of the nested names, each behind its length. 0: not of
 * that form. */
static size_t last_part(const char *mangled, size_t bytes, const char **at)
{
	size_t i = 2, n = 0, found = 0;
	bool nested;

	if (bytes < 4 || mangled[0] != '_' || mangled[1] != 'Z')
		return 0;
	nested = mangled[i] == 'N';
	for (i += nested; i < bytes && mangled[i] >= '1' && mangled[i] <= '9'; i += n) {
		for (n = 0; i < bytes && mangled[i] >= '0' && mangled[i] <= '9' && n < bytes; i++)
			n = n * 10 + (size_t)(mangled[i] - '0');
		if (n > bytes - i)
			return 0;
		*at = mangled + i;
		found = n;
		if (!nested)
			break;
	}
	return found;
}

static bool word(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' ||
		ch == '$' || (unsigned char)ch >= 0x80;
}

/* "operator" as a word of its own: what is behind it belongs to the name. */
static bool is_operator(const char *s, size_t i, size_t bytes)
{
	return i + 8 <= bytes && !memcmp(s + i, "operator", 8) && (i == 0 || !word(s[i - 1])) &&
		(i + 8 == bytes || !word(s[i + 8]));
}

#define NESTING 128u                      /* brackets in brackets of a name; deeper ones are not told apart */

/* Brackets that are open. Comparisons in template arguments stand in parentheses, between parentheses: "<(4)<(8),
 * ((a)>(b))>". */
struct brackets { char open[NESTING]; uint32_t n; };

static bool opens(const char *s, size_t i)
{
	return s[i] == '(' || s[i] == '{' || s[i] == '[' || (s[i] == '<' && !(i && s[i - 1] == ')'));
}

static bool closes(const struct brackets *b, char ch)
{
	char open = b->n && b->n <= NESTING ? b->open[b->n - 1] : 0;

	return b->n && (ch == ')' || ch == '}' || ch == ']' || (ch == '>' && (open == '<' || !open)));
}

static void push(struct brackets *b, char ch)
{
	if (b->n < NESTING)
		b->open[b->n] = ch;
	b->n++;
}

/* "operator()(int)" with all that belongs to it, from "operator" on. */
static size_t operator_name(const char *s, size_t bytes)
{
	const char *open = memchr(s + 8, '(', bytes - 8);

	if (open == s + 8 && bytes > 10 && open[1] == ')')
		open = memchr(s + 10, '(', bytes - 10);
	return open ? (size_t)(open - s) : bytes;
}

/* Parameters begin at the "(" outside of all brackets; "(anonymous namespace)" is part of a name. */
size_t gt_short_name(const char *s, size_t bytes, const char **at)
{
	struct brackets b = { .n = 0 };
	size_t from = 0, end = bytes;
	bool ended = false;

	for (size_t i = 0; i < bytes; i++) {
		if (!b.n && is_operator(s, i, bytes)) {
			*at = s + i;
			return operator_name(s + i, bytes - i);
		}
		if (opens(s, i)) {
			bool unnamed = s[i] == '(' && bytes - i > 21 && !memcmp(s + i, "(anonymous namespace)", 21);

			if (!b.n && !ended && !unnamed && s[i] != '{' && s[i] != '[') {
				end = i;              /* of the name, unless "::" goes on behind it */
				ended = true;
			}
			if (!b.n && s[i] == '(' && !unnamed && i > from)
				break;
			push(&b, s[i]);
		} else if (closes(&b, s[i])) {
			b.n--;
		} else if (!b.n && (s[i] == ' ' || s[i] == ':' || s[i] == '*' || s[i] == '&')) {
			from = i + 1;
			end = bytes;
			ended = false;
		}
	}
	*at = s + from;
	return end > from ? end - from : 0;
}

/* ------------------------------------------------------------------- three names */

/*
 * SYCL names a kernel by the type that it is called with, and the linker's name of that is "_ZTS" and the type. A type
 * has no name shorter than itself: what a lambda's type ends in is the same for all of them.
 */
static const char *without_what_it_is(const char *text)
{
	static const char type[] = "typeinfo name for ";

	return strncmp(text, type, sizeof type - 1) ? text : text + sizeof type - 1;
}

static struct gt_string kept(struct gt_arena *a, const char *text, size_t bytes, struct gt_string otherwise)
{
	const char *copy = bytes ? gt_arena_copy(a, text, bytes) : NULL;

	return copy ? (struct gt_string){ copy, bytes } : otherwise;
}

void gt_demangle_names(
	struct gt_arena *a, struct gt_string mangled, struct gt_string *demangled, struct gt_string *short_name)
{
	const char *at = "", *plain;
	char *text;
	size_t n;

	*demangled = *short_name = mangled;
	if (mangled.bytes < 3 || memcmp(mangled.text, "_Z", 2) != 0)
		return;
	text = gt_demangle(mangled.text);
	if (!text) {
		n = last_part(mangled.text, mangled.bytes, &at);
		*short_name = kept(a, at, n, mangled);
		return;
	}
	plain = without_what_it_is(text);
	*demangled = kept(a, plain, strlen(plain), mangled);
	n = plain == text ? gt_short_name(demangled->text, demangled->bytes, &at) : 0;
	*short_name = kept(a, at, n, *demangled);
	free(text);
}
