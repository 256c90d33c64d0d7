/*
 * common/plain/object_id.c - what tells an object (executable, library) from another one under its name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/object_id.h"

#include <elf.h>
#include <stdbool.h>

/* Name and value of a note begin at multiples of four bytes. */
static size_t padded(uint32_t bytes) { return (bytes + (size_t)3) & ~(size_t)3; }

static bool is_build_id(const Elf64_Nhdr *note, const uint8_t *name)
{
	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && name[0] == 'G' && name[1] == 'N' &&
		name[2] == 'U' && !name[3];
}

uint32_t gc_build_id(const void *notes, size_t bytes, void *out, uint32_t most)
{
	const uint8_t *at = notes;

	for (size_t used; bytes >= sizeof(Elf64_Nhdr); at += used, bytes -= used) {
		Elf64_Nhdr note;                        /* of 32-bit objects the same */
		uint8_t *to = out;

		__builtin_memcpy(&note, at, sizeof note);
		used = sizeof note + padded(note.n_namesz);
		if (used > bytes || note.n_descsz > bytes - used)
			return 0;
		if (is_build_id(&note, at + sizeof note)) {
			uint32_t n = note.n_descsz < most ? note.n_descsz : most;

			for (uint32_t i = 0; i < n; i++)
				to[i] = at[used + i];
			return n;
		}
		used += padded(note.n_descsz);
		if (used > bytes)
			return 0;
	}
	return 0;
}

/* FNV-1a: the few hundred bytes are read once for each object. */
uint64_t gc_mark(uint64_t mark, const void *headers, size_t bytes)
{
	const uint8_t *at = headers;

	for (size_t i = 0; i < bytes; i++)
		mark = (mark ^ at[i]) * 0x100000001b3ull;
	return mark;
}
