/*
 * common/trusted.h - files of this machine that the tool opens by a name, and how far their owner is believed
 *
 * Runs in the tool. Whoever may be root, and is given a HOME, a trace or a process number of somebody else, opens files
 * through here (scripts/check-trust looks after that).
 *
 * TRUST1  Nothing is opened but a regular file of a bounded size: a FIFO would make us wait, and opening a device may
 *         already do something.
 * TRUST2  What steers or feeds the tool without the user having named it is trusted: it and every folder and link on
 *         the way to it belongs to us or to root, and nobody else may write there (a folder like /tmp, in which only
 *         an owner may rename, is no danger to what is ours).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_TRUSTED_H
#define GPUTAP_COMMON_TRUSTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* TRUST1. A descriptor to read, and *st of it; -1 with errno: EINVAL no regular file, EFBIG more than `most` bytes. */
int gt_open_regular(const char *path, uint64_t most, struct stat *st);
/* TRUST1, TRUST2. The same; EPERM: somebody else could have written it. also: believed beside us and root, or us. */
int gt_open_trusted(const char *path, uint64_t most, uid_t also, struct stat *st);

enum gt_trust { GT_TRUST_YES, GT_TRUST_MISSING /* as far as it is there, yes */, GT_TRUST_NO };
#define GT_TRUST_WHY 256
/* TRUST2 of a folder. GT_TRUST_NO with the reason in `why`: "/home/eve belongs to user 1001". */
enum gt_trust gt_trust_folder(const char *path, char why[GT_TRUST_WHY]);
/* Whether what programs read below $HOME, Python its modules say, is ours: true where there is none. */
bool gt_trust_home(void);

/* All of it, with a zero behind it; to be freed. NULL with errno. Takes the descriptor over. */
char *gt_read_opened(int fd, uint64_t most, size_t *bytes);

#endif
