/*
 * trace/read/pack.c - make one compressed file of a trace
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/temporary.h"
#include "trace/read/pack_format.h"
#include "trace/read/stage.h"

struct packer {
	struct gt_store *store;
	struct pack_coder *coder;
	FILE *to;
	const char *out;
	uint64_t at;                      /* bytes written */
	struct pack_block *blocks; size_t n_blocks, cap_blocks;
	uint8_t block[REC_BLOCK];
	struct gt_err *err;
};

/* A file of the trace, as gt_stage_find reads it. */
struct stream { struct gt_store *store; uint32_t file; };

static int write_failed(const struct packer *p)
{
	return gt_fail(p->err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s: cannot be written", p->out);
}

static int put(struct packer *p, const void *data, size_t bytes)
{
	if (bytes && fwrite(data, 1, bytes, p->to) != bytes)
		return write_failed(p);
	p->at += bytes;
	return 0;
}

static int pack_one(struct packer *p, const void *data, size_t n, uint64_t file_block)
{
	enum pack_method method;
	const void *packed;
	size_t bytes;

	if (!gt_grow((void **)&p->blocks, p->n_blocks, &p->cap_blocks, sizeof(*p->blocks)))
		return gt_fail(p->err, GT_EXIT_OUTPUT, NULL, NULL, "%s: out of memory", p->out);
	pack_encode(p->coder, data, n, file_block, &method, &packed, &bytes);
	p->blocks[p->n_blocks++] = (struct pack_block){ .offset = p->at, .bytes = (uint32_t)bytes, .method = method,
		.sum = pack_sum(packed, bytes) };
	return put(p, packed, bytes);
}

static int64_t stream_read(void *self, uint64_t offset, void *to, size_t bytes)
{
	const struct stream *s = self;

	return s->store->read(s->store, s->file, offset, to, bytes);
}

/* What windows hold comes out in its own place: their images and targets would be there twice. */
static void blank_windows(const struct gt_stage *stage, uint64_t at, uint8_t *block, size_t n)
{
	for (unsigned i = 0; i < stage->n; i++) {
		const struct gt_window *w = &stage->window[i];
		uint64_t from = w->at + offsetof(struct rec_chunk, rec_stage_target),
			 to = w->at + REC_STAGE_IMAGE + w->bytes;

		from = from > at ? from : at;
		to = to < at + n ? to : at + n;
		if (from < to)
			memset(block + (from - at), 0, (size_t)(to - from));
	}
}

/*
 * As long as the file was when the trace was opened; what a writer adds meanwhile is left out, what it cuts reads as
 * zeros.
 */
static int pack_file(struct packer *p, uint32_t file)
{
	const struct gt_store_file *f = &p->store->files[file];
	struct stream stream = { p->store, file };
	struct gt_stage stage = { 0 };
	struct gt_store_name name;

	gt_store_name_parse(f->name, &name);
	if (name.is_stream)
		gt_stage_find(&stage, stream_read, &stream);
	for (uint64_t at = 0; at < f->size; at += REC_BLOCK) {
		size_t n = f->size - at < REC_BLOCK ? (size_t)(f->size - at) : REC_BLOCK;
		int64_t got = p->store->read(p->store, file, at, p->block, n);

		if (got < 0)
			return gt_fail(p->err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be read",
				p->store->path, f->name);
		memset(p->block + got, 0, n - (size_t)got);
		blank_windows(&stage, at, p->block, n);
		if (pack_one(p, p->block, n, name.is_stream ? at / REC_BLOCK : UINT64_MAX) < 0)
			return -1;
	}
	return 0;
}

static int write_tables(struct packer *p)
{
	struct pack_header h = {
		.magic = PACK_MAGIC, .version = PACK_VERSION, .n_files = p->store->n_files, .n_blocks = p->n_blocks
	};

	struct pack_file *files = calloc(p->store->n_files + 1, sizeof(*files));
	int rc;

	if (!files)
		return gt_fail(p->err, GT_EXIT_OUTPUT, NULL, NULL, "%s: out of memory", p->out);
	for (size_t i = 0; i < p->store->n_files; i++) {
		files[i].size = p->store->files[i].size;
		memcpy(files[i].name, p->store->files[i].name, sizeof(files[i].name));
	}
	h.files_offset = p->at;
	h.blocks_offset = p->at + p->store->n_files * sizeof(*files);
	h.sum = pack_tables_sum(&h, files, p->blocks);
	rc = put(p, files, p->store->n_files * sizeof(*files));
	if (rc == 0)
		rc = put(p, p->blocks, p->n_blocks * sizeof(*p->blocks));
	/* Last: a file without its header is no packed trace. */
	if (rc == 0 && (fseek(p->to, 0, SEEK_SET) < 0 || fwrite(&h, sizeof(h), 1, p->to) != 1 || fflush(p->to)))
		rc = write_failed(p);
	free(files);
	return rc;
}

static int write_all(struct packer *p)
{
	static const struct pack_header empty;

	if (put(p, &empty, sizeof(empty)) < 0)
		return -1;
	for (size_t i = 0; i < p->store->n_files; i++)
		if (pack_file(p, (uint32_t)i) < 0)
			return -1;
	return write_tables(p);
}

static int pack_beside(struct packer *p, const char *beside)
{
	int fd = gt_create_own(beside, O_WRONLY), rc;

	p->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!p->to) {
		if (fd >= 0)
			close(fd);
		return write_failed(p);
	}
	rc = write_all(p);
	if (fclose(p->to) && rc == 0)
		rc = write_failed(p);
	if (rc == 0 && rename(beside, p->out) < 0)
		rc = write_failed(p);
	if (rc < 0)
		unlink(beside);
	return rc;
}

int gt_pack(const char *path, const char *out, struct gt_err *err)
{
	struct packer *p = calloc(1, sizeof(*p));
	size_t room = strlen(out) + GT_TEMPORARY_MORE;
	char *beside = malloc(room);
	int rc = -1;

	if (!p || !beside || !(p->coder = pack_coder_new())) {
		gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: out of memory", out);
		goto out;
	}
	p->out = out;
	p->err = err;
	if (!gt_temporary_name(out, beside, room)) {
		gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no name for it while it is written", out);
		goto out;
	}
	if (gt_store_open(path, &p->store, err) < 0)
		goto out;
	rc = pack_beside(p, beside);
out:
	if (p) {
		gt_store_close(p->store);
		pack_coder_free(p->coder);
		free(p->blocks);
	}
	free(p);
	free(beside);
	return rc;
}
