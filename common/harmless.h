/*
 * common/harmless.h - text that came from a program, as it may stand on a terminal or in a file of lines
 *
 * Names, paths, arguments and texts of ranges hold whatever the traced program put there: a terminal would obey escape
 * sequences in them, and a line end would make a second line of one. Every output that people or line readers see takes
 * such texts through here (JSON and SQLite have rules of their own). scripts/check-trust looks at each text that printf
 * gets: it comes from here, or is known there as gputap's own.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_HARMLESS_H
#define GPUTAP_COMMON_HARMLESS_H

#include "common/text.h"

/*
 * Appends the text: line ends, returns and tabs as \n, \r, \t; other control characters (below 0x20, 0x7f, those that
 * UTF-8 writes as c2 80 to c2 9f, marks that turn the direction of writing) and bytes that are no UTF-8 as \xNN,
 * byte by byte. All else as it is.
 */
void gt_text_harmless(struct gt_text *t, const char *s, size_t n);

/* Is the character at s one of those? *bytes: how many it has (1 where there is no UTF-8). */
int gt_is_harmful(const char *s, size_t left, size_t *bytes);

/*
 * For printf: the text itself when nothing in it needs it, else a copy that lives until the eighth call from now. From
 * one thread; NULL stays NULL.
 */
const char *gt_harmless(const char *s);
/* Of text without a zero behind it. */
const char *gt_harmless_n(const char *s, size_t n);

#endif
