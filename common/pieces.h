/*
 * common/pieces.h - work in numbered pieces, shared by several threads
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PIECES_H
#define GPUTAP_COMMON_PIECES_H

#include <stddef.h>

struct gt_pieces {
	unsigned workers;                 /* threads at most, the caller's among them */
	size_t n;
	void *ctx;
	/* One piece, beside others of other workers. What it fails with is kept until the piece's turn. May be NULL. */
	int (*work)(void *ctx, unsigned worker, size_t piece);
	/* Behind its work, by the same worker; one at a time, in the order of the pieces. rc: of its work. */
	int (*turn)(void *ctx, unsigned worker, size_t piece, int rc);
};

/* All pieces. 0, or what the first turn (in the order of pieces) returned that did not return 0: it ends the rest. */
int gt_pieces_do(const struct gt_pieces *p);

#endif
