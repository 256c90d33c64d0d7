/*
 * writers/output.c - a text file being written
 *
 * Never a partial file under its final name: written beside it, renamed when whole.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/temporary.h"

static int open_failed(struct gt_output *o, const char *shown, int why, struct gt_err *err)
{
	gt_fail(err, GT_EXIT_OUTPUT, strerror(why), "choose another place with -o", "%s: cannot be written", shown);
	gt_output_discard(o);
	return -1;
}

static int open_file(struct gt_output *o, struct gt_err *err)
{
	if (!o->path || !o->final_path)
		return open_failed(o, "output", ENOMEM, err);
	o->fd = gt_create_own(o->path, O_WRONLY);
	return o->fd < 0 ? open_failed(o, o->final_path, errno, err) : 0;
}

int gt_output_open(struct gt_output *o, const char *path, const char *final_path, struct gt_err *err)
{
	*o = (struct gt_output){ .fd = -1, .path = strdup(path), .final_path = strdup(final_path ? final_path : path) };
	return open_file(o, err);
}

int gt_output_create(struct gt_output *o, const char *final_path, bool replace, struct gt_err *err)
{
	size_t room;

	*o = (struct gt_output){ .fd = -1, .final_path = strdup(final_path) };
	if (!replace && access(final_path, F_OK) == 0) {
		gt_fail(err, GT_EXIT_OUTPUT, NULL, "-f replaces it; -o chooses another name", "%s: exists already",
			final_path);
		gt_output_discard(o);
		return -1;
	}
	room = strlen(final_path) + GT_TEMPORARY_MORE;
	o->path = malloc(room);
	if (o->path && !gt_temporary_name(final_path, o->path, room)) {
		free(o->path);
		o->path = NULL;
	}
	o->renames = true;
	return open_file(o, err);
}

static void write_all(struct gt_output *o, const char *from, size_t n)
{
	while (n && !o->error) {
		ssize_t done = write(o->fd, from, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			o->error = errno;
			return;
		}
		from += done;
		n -= (size_t)done;
	}
}

void gt_output_write_pieces(struct gt_output *o)
{
	size_t whole = o->text.used / GT_OUTPUT_PIECE * GT_OUTPUT_PIECE;

	write_all(o, o->text.data, whole);
	memmove(o->text.data, o->text.data + whole, o->text.used - whole);
	o->text.used -= whole;
}

void gt_output_text(struct gt_output *o, const struct gt_text *t)
{
	size_t first = (GT_OUTPUT_PIECE - o->text.used % GT_OUTPUT_PIECE) % GT_OUTPUT_PIECE, whole;

	if (t->failed && !o->error)
		o->error = ENOMEM;
	if (t->used < first + GT_OUTPUT_PIECE) {
		gt_text_bytes(&o->text, t->data, t->used);
		gt_output_drain(o);
		return;
	}
	gt_text_bytes(&o->text, t->data, first);
	write_all(o, o->text.data, o->text.used); /* whole pieces now */
	whole = (t->used - first) / GT_OUTPUT_PIECE * GT_OUTPUT_PIECE;
	write_all(o, t->data + first, whole);
	o->text.used = 0;
	gt_text_bytes(&o->text, t->data + first + whole, t->used - first - whole);
}

int gt_output_commit(struct gt_output *o, struct gt_err *err)
{
	if (o->text.failed && !o->error)
		o->error = ENOMEM;
	write_all(o, o->text.data, o->text.used);
	o->text.used = 0;
	if (close(o->fd) != 0 && !o->error)
		o->error = errno;
	o->fd = -1;
	if (!o->error && o->renames && rename(o->path, o->final_path) != 0)
		o->error = errno;
	if (o->error) {
		gt_fail(err, GT_EXIT_OUTPUT, strerror(o->error), NULL, "%s: could not be written whole", o->final_path);
		gt_output_discard(o);
		return -1;
	}
	o->renames = false;
	gt_output_discard(o);
	return 0;
}

void gt_output_discard(struct gt_output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->renames && o->path)
		unlink(o->path);
	gt_text_free(&o->text);
	free(o->path);
	free(o->final_path);
	*o = (struct gt_output){ .fd = -1 };
}

struct gt_string gt_output_session_name(const struct gt_export *x)
{
	const char *path = gt_model_session(x->model)->path;
	size_t n = strlen(path), from;

	while (n && path[n - 1] == '/')
		n--;
	for (from = n; from && path[from - 1] != '/'; from--)
		;
	if (n - from > 7 && memcmp(path + n - 7, ".gputap", 7) == 0)
		n -= 7;
	return (struct gt_string){ path + from, n - from };
}

struct gt_walk_options gt_output_walk_options(const struct gt_export *x)
{
	return (struct gt_walk_options){
		.process = x->process ? (int)x->process->index : -1,
		.from_ns = x->from_ns, .to_ns = x->to_ns,
		.progress = x->progress, .ctx = x->ctx,
		.cuda = true, .cuda_nested = gt_option_is(x->options, "cuda-driver-rows", "all"),
	};
}
