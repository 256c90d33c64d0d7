/*
 * tests/unit/api_table_stub.c - what generated wrappers call, kept in memory: test_api_table.py looks at it
 *
 * Linked with the generated wrappers into a library of its own. One call at a time.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "opencl_entries.h"
#include "opencl_hooks.h"
#include "trace/write/call/copy.h"

#define VISIBLE __attribute__((visibility("default")))

struct tap_opencl_api tap_route[TAP_ROUTES], tap_ext_route[TAP_PLATFORMS], tap_layer_route;
struct tap_first_caller tap_first_caller;       /* nobody: all take the long way */

/* The last record. */
#define WORDS 65536
VISIBLE uint64_t stub_words[WORDS];
VISIBLE uint32_t stub_word_count, stub_first, stub_fn, stub_commits, stub_cut, stub_left, stub_large, stub_bare;
VISIBLE uint32_t stub_max_args = 65536, stub_contents_kept = 1;
VISIBLE int32_t stub_result;
VISIBLE uint64_t stub_slot[4];
VISIBLE int stub_off;                   /* tap_call_begin says no */

bool tap_call_begin(
	struct tap_call *call, uint32_t fn, enum rec_domain domain, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
	*call = (struct tap_call){ .fn = (uint16_t)fn, .domain = (uint8_t)domain };
	if (stub_off)
		return false;
	stub_fn = fn;
	stub_word_count = stub_first = stub_cut = stub_left = stub_large = stub_bare = 0;
	memcpy(stub_slot, (uint64_t[]){ a0, a1, a2, a3 }, sizeof(stub_slot));
	memset(stub_words, 0xa5, sizeof(stub_words));   /* a word that nobody writes shows */
	return true;
}

void tap_call_stop(struct tap_call *call, int32_t result)
{
	call->result = stub_result = result;
}

uint64_t *tap_call_reserve(struct tap_call *call, uint32_t first_u32, uint32_t words)
{
	(void)call;
	stub_first = first_u32;
	stub_cut = (words & TAP_ARGS_CUT) != 0;
	stub_left = (words & TAP_ARGS_LEFT) != 0;
	stub_word_count = words & ~(TAP_ARGS_CUT | TAP_ARGS_LEFT);
	return stub_word_count < WORDS ? stub_words : NULL;
}

void tap_call_keep_large(struct tap_call *call)
{
	(void)call;
	stub_large++;
}

void tap_call_reserve_bare(struct tap_call *call)
{
	(void)call;
	stub_bare = 1;
}

void tap_call_finish(struct tap_call *call)
{
	(void)call;
	stub_commits++;
}

uint32_t tap_put_bytes(uint64_t *out, const void *from, uint32_t bytes)
{
	uint32_t words = TAP_BYTES_WORDS(bytes);

	memset(out, 0, (size_t)words * 8);
	memcpy(out, from, bytes);
	return words;
}

uint32_t tap_string_words(uint32_t bytes) { return TAP_BYTES_WORDS(4 + bytes); }

uint32_t tap_put_string(uint64_t *out, const char *text, uint32_t bytes)
{
	memset(out, 0, (size_t)tap_string_words(bytes) * 8);
	memcpy(out, &bytes, 4);
	memcpy((char *)out + 4, text, bytes);
	return tap_string_words(bytes);
}

/* As trace/write/call/copy.c measures what is long. */
static uint64_t answer(bool cut, uint64_t n) { return n | (cut ? (uint64_t)TAP_ARGS_CUT << 32 : 0); }

uint64_t tap_long_array(uint64_t count, uint32_t element)
{
	uint64_t most = stub_max_args / element;

	return answer(count > most, TAP_MIN(count, most) * element);
}

uint64_t tap_long_text(const char *text)
{
	uint64_t n = strlen(text);

	return answer(n > stub_max_args, TAP_MIN(n, stub_max_args));
}

uint64_t tap_long_list(const void *list, bool pairs)
{
	const uint64_t *element = list;
	uint64_t n = 0, most = stub_max_args / 8;

	while (n < most && element[n])
		n += pairs ? 2 : 1;
	return answer(n >= most, TAP_MIN(n + 1, most));
}

bool tap_answer_is_kept(uint32_t query)
{
	(void)query;
	return stub_contents_kept;
}

/* Guarded in the shim: here address 16 stands for one where nothing is. */
uint64_t tap_failed_text(const char *text) { return (uintptr_t)text == 16 ? TAP_UNREADABLE : tap_long_text(text); }

uint32_t tap_put_failed_text(uint64_t *out, const char *text, uint32_t bytes)
{
	if (bytes != TAP_UNREADABLE)
		return tap_put_string(out, text, bytes);
	out[0] = bytes;
	return 1;
}

void tap_lost(enum rec_loss reason, uint64_t n) { (void)reason; (void)n; }
const struct tap_opencl_api *tap_opencl_real(void *caller) { (void)caller; return &tap_route[0]; }

/* Instances of a function's wrapper, and the tables that they lead to. */
VISIBLE const struct tap_entry *stub_entry(const char *name) { return tap_opencl_entry(name); }
VISIBLE void **stub_route(void) { return (void **)&tap_route[0]; }
VISIBLE void **stub_ext_route(void) { return (void **)&tap_ext_route[0]; }
VISIBLE uint32_t stub_api_count(void) { return TAP_OPENCL_COUNT; }
