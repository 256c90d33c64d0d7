/*
 * writers/sqlite/pages.h - tables of a SQLite file written page by page, in order of rowid
 *
 * SQLite makes the file and its schema; the rows of large tables go in behind, as finished pages: five to eight times
 * the speed of its fastest insert. The file format is public and fixed (https://sqlite.org/fileformat2.html, sections
 * 1.6 and 2); what is written here passes PRAGMA integrity_check, and a test says so.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_SQLITE_PAGES_H
#define GPUTAP_WRITERS_SQLITE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GT_PAGE 4096u                   /* bytes of a page of our databases */

/* ---- pages behind those that SQLite wrote. Failures stick; errno of the first is kept. ---- */
struct gt_pages;

/* path: a database of GT_PAGE pages that nobody has open. NULL: errno says why. */
struct gt_pages *gt_pages_open(const char *path);
/* Everything appended is in the file and the file's header counts it. 0 or an errno. */
int gt_pages_finish(struct gt_pages *p);
int gt_pages_error(const struct gt_pages *p);
void gt_pages_close(struct gt_pages *p);

/* ---- one table ---- */
struct gt_btree;

struct gt_btree *gt_btree_new(struct gt_pages *p);  /* NULL: no memory */
void gt_btree_free(struct gt_btree *t);
/* Adds a row; rowids must ascend. record: SQLite's record format. False: no memory. */
bool gt_btree_add(struct gt_btree *t, int64_t rowid, const void *record, size_t bytes);
/* Appends what is left but the root page. False: no memory. */
bool gt_btree_finish(struct gt_btree *t);
/* Puts the root where the schema says it is: the page of the empty table. */
void gt_btree_write_root(struct gt_btree *t, uint32_t root);

/* Writes v as a SQLite varint, at most 9 bytes; returns how many. */
unsigned gt_varint(uint8_t *to, uint64_t v);

#endif
