/*
 * model/bulk.h - arrays that may outgrow memory: in an unlinked file once all of them together are large
 *
 * A trace of any length must be readable in bounded memory. Pages of a shared file mapping can be written back and
 * dropped by the kernel; those of the heap cannot.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_BULK_H
#define GPUTAP_MODEL_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GT_BULK_IN_MEMORY (4u << 20)
/* Bytes of all bulks that share it. */
struct gt_bulk_budget {
	size_t used;
	size_t most;                      /* in memory; 0: GT_BULK_IN_MEMORY */
};

struct gt_bulk {
	void *data;
	size_t n;                         /* elements */
	size_t capacity;                  /* bytes */
	int fd;                           /* file behind it; 0 while in memory */
};

/* Room for one more element of `size` bytes, or NULL. */
void *gt_bulk_add(struct gt_bulk *b, size_t size, struct gt_bulk_budget *budget);
/* n elements more, copied: into a file without a page of it mapped. False: no room. */
bool gt_bulk_append(struct gt_bulk *b, size_t size, const void *from, size_t n, struct gt_bulk_budget *budget);
void gt_bulk_free(struct gt_bulk *b);
/* Bytes [from, to) will not be needed soon: their pages, if they are a file's, need not stay in this process. */
void gt_bulk_forget(const struct gt_bulk *b, size_t from, size_t to);
#define GT_BULK_FORGET (1u << 20)       /* bytes gone through that make it worth while */

#endif
