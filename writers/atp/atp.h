/*
 * writers/atp/atp.h - pieces of the .atp writer
 *
 * Layout and rules of the file: docs/atp.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_ATP_ATP_H
#define GPUTAP_WRITERS_ATP_ATP_H

#include "model/cuda/cuda.h"
#include "writers/output.h"
#include "writers/render.h"
#include "writers/writer.h"

/*
 * What a function that is not in the enumeration gets: the enumeration's own word for it, and for HSA a number that
 * readers use for no function of theirs.
 */
#define GT_ATP_OPENCL_UNKNOWN 146u
#define GT_ATP_HSA_UNKNOWN 1000u
#define GT_ATP_HSA_ASYNC_COPY 128u
#define GT_ATP_HSA_ASYNC_COPY_RECT 197u

/*
 * A text of one line: control characters and bytes that are no UTF-8 are escaped (common/harmless.h), those of `blanks`
 * replaced, and so are tabs and line ends where a blank is.
 */
void gt_atp_replaced(struct gt_text *t, const char *s, size_t n, const char *blanks, const char *by);

/* Columns: a number, an object's address; at least one blank behind them. */
static inline void gt_atp_number(struct gt_text *t, uint64_t v, size_t width)
{
	size_t from = t->used;

	gt_text_u64(t, v);
	gt_text_pad(t, from, width, 1);
}

static inline void gt_atp_handle(struct gt_text *t, uint64_t v, size_t width)
{
	size_t from = t->used;

	gt_render_atp_pointer(t, v);
	gt_text_pad(t, from, width, 1);
}

/*
 * The same where readers take a number and nothing else: they refuse a file with "NULL" there.
 * spec: ATP "HSA sections"
 */
static inline void gt_atp_address(struct gt_text *t, uint64_t v, size_t width)
{
	size_t from = t->used;

	gt_text_lit(t, "0x");
	gt_text_hex(t, v, 1, true);
	gt_text_pad(t, from, width, 1);
}

/* A name as one word: readers split at blanks and undo nothing. */
static inline void gt_atp_word(struct gt_text *t, const char *s, size_t n)
{
	gt_atp_replaced(t, s, n, " ", "_");
}

/* Readers want times in their order: one that is not is moved, and counted. */
static inline uint64_t gt_atp_at_least(int64_t v, int64_t least, unsigned *moved)
{
	if (v >= least)
		return (uint64_t)v;
	++*moved;
	return (uint64_t)least;
}

unsigned gt_atp_opencl_id(const char *name);
unsigned gt_atp_hsa_id(const char *name);

/* One line of the Timestamp section, without its end of line. Returns the number of times that had to be moved. */
unsigned gt_atp_host_part(struct gt_text *t, const struct gt_call *call, unsigned api_id);
/* The device part of an enqueue's line. Nothing when the command has no device times. */
unsigned gt_atp_device_part(struct gt_text *t, const struct gt_render_plan *plan, const struct gt_call *call);
/* Device start and end of an HSA copy. */
unsigned gt_atp_copy_part(struct gt_text *t, const struct gt_call *call);

/* Header lines, up to the first section. moved: times that were moved in this file. */
void gt_atp_header(struct gt_text *t, const struct gt_export *x, bool opencl, bool hsa, const struct gt_cuda *cuda,
	uint64_t moved);
/* Dispatches to write; adds the number of times that have to be moved. */
uint32_t gt_atp_hsa_count(const struct gt_export *x, uint64_t *moved);
/* Their lines in the HSA kernel section. */
void gt_atp_hsa_kernels(struct gt_output *o, const struct gt_export *x);
/* A kernel's name in that section, which readers turn back. */
void gt_atp_hsa_symbol(struct gt_text *t, const struct gt_string *s);

/* CUDA: the device parts of what a call set going, in order of start. 0, or -1 with *err. */
int gt_atp_cuda_parts(struct gt_text *t, const struct gt_export *x, struct gt_cuda *c, const struct gt_call *call,
	unsigned *moved, struct gt_err *err);
/* A section that is a list of lines. wrote: so many bytes were appended to text. */
struct gt_atp_cuda_list {
	const struct gt_export *x;
	struct gt_text *text;
	uint64_t lines, moved;
	void (*wrote)(void *ctx, size_t bytes);
	void *ctx;
};
/* Work of the process whose call is not in the trace: a device part a line. */
int gt_atp_cuda_without_call(struct gt_atp_cuda_list *l, struct gt_cuda *c, struct gt_err *err);
/* All kernels of the process as lines of the HSA kernel section. */
int gt_atp_cuda_kernels(struct gt_atp_cuda_list *l, struct gt_cuda *c, struct gt_err *err);

/*
 * Source Code section (docs/atp.md): its line of a call, without the end of line; whether the file has one:
 * --atp-source, by default where the trace has call stacks.
 */
void gt_atp_source(struct gt_text *t, const struct gt_call *call);
bool gt_atp_wants_sources(const struct gt_export *x);

/* The Perfmarker section: lines of the process' marks and pushes, by thread. */
struct gt_atp_open;
struct gt_atp_markers {
	const struct gt_export *x;
	/* where lines of a thread go; false: no memory */
	bool (*block)(void *ctx, uint32_t thread, struct gt_text **text, uint64_t **lines);
	void (*wrote)(void *ctx, size_t bytes);
	void *ctx;
	uint64_t moved;
	struct gt_atp_open *open;         /* by thread; its own */
};
int gt_atp_add_markers(struct gt_atp_markers *m); /* -1: no memory */
bool gt_atp_has_markers(const struct gt_model *model, const struct gt_process *p);

#endif
