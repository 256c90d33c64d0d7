/*
 * trace/read/pack_format.h - how a packed trace lies on disk, and one block of it
 *
 *   struct pack_header
 *   blocks, one behind the other; each the packed form of up to 64 KiB of one file
 *   struct pack_file[n_files], sorted by name
 *   struct pack_block[n_blocks]: those of the first file, then those of the second, ...
 *
 * PACKSUM1  Every byte is covered by a sum: a block by that in its struct pack_block, header and tables by the header's
 *           own. The first version has none, and a shorter struct pack_block.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_PACK_FORMAT_H
#define GPUTAP_TRACE_READ_PACK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format/rec.h"
#include "trace/read/store.h"

#define PACK_MAGIC 0x31304b4341505447ull  /* "GTPACK01" */
#define PACK_VERSION 2
#define PACK_VERSION_UNSUMMED 1

struct pack_header {
	uint64_t magic;
	uint32_t version, reserved;
	uint64_t files_offset;            /* of the first struct pack_file */
	uint64_t blocks_offset;           /* of the first struct pack_block */
	uint64_t n_files, n_blocks;
	uint64_t sum;                     /* pack_tables_sum() */
	uint64_t reserved2;
};

struct pack_file {
	char name[GT_STORE_NAME_MAX];     /* zero terminated */
	uint64_t size;                    /* bytes of the original: ceil(size / REC_BLOCK) blocks */
};

enum pack_method {
	PACK_ZERO = 0,                    /* all zeros; nothing stored */
	PACK_STORED = 1,                  /* as it is */
	PACK_ZSTD = 2,                    /* zstd of the bytes */
	PACK_COLUMNS = 3,                 /* zstd of the columns (pack_block.c) */
};

struct pack_block {
	uint64_t offset;                  /* of the packed form in this file */
	uint32_t bytes;                   /* of the packed form */
	uint32_t method;
	uint64_t sum;                     /* pack_sum() of the packed form */
};
#define PACK_BLOCK_UNSUMMED 16u           /* bytes of it in the first version */

uint64_t pack_sum(const void *data, size_t bytes);
/* Of the header, as if its sum were 0, and of both tables. */
uint64_t pack_tables_sum(const struct pack_header *h, const struct pack_file *files, const struct pack_block *blocks);

/* Scratch memory and compression contexts, made once. */
struct pack_coder;
struct pack_coder *pack_coder_new(void);
void pack_coder_free(struct pack_coder *c);
/*
 * Packs n <= REC_BLOCK bytes; *out points into the coder until its next use. file_block: the block's number in a
 * stream file, or UINT64_MAX for other files.
 */
bool pack_encode(struct pack_coder *c, const void *block, size_t n, uint64_t file_block, enum pack_method *method,
	const void **out, size_t *bytes);
/* The inverse: exactly n bytes into block, or false. Any input is safe. */
bool pack_decode(
	struct pack_coder *c, enum pack_method method, const void *packed, size_t bytes, void *block, size_t n);
#endif
