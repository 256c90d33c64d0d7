/*
 * model/children.h - what became of the programs that processes of a trace started
 *
 * Before an image that records starts a program that is to be followed, it makes a mark, which the program's first word
 * takes away (interpose/child_environment.h CHILD3). A mark that is still there when the run is over is of a program
 * that said nothing: it did not get as far as its constructors, or was not followed after all. Programs that were not
 * to be followed are counted otherwise (CHILD_MISSED, CHILD_UNREACHABLE, notes), and one that makes no traced call
 * leaves nothing, but has taken its mark away.
 *
 * Runs in the tool, on an open model, before or behind any walk.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CHILDREN_H
#define GPUTAP_MODEL_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

struct gt_model;

/* A program of which nothing was heard. */
struct gt_unheard {
	int pid;                        /* of the process that started it, by exec or as a child */
	uint32_t process;               /* that one's image, if it recorded; UINT32_MAX */
	const char *path;               /* where it was its own exec; lives as long as the model; NULL, "": not known */
	int64_t at_ns;                  /* of that exec; GT_NO_TIME */
};
enum { GT_UNHEARD_SHOWN = 3 };
struct gt_children {
	bool known;                     /* the recorder made marks; else all others are 0 */
	bool open;                      /* processes of the run are there: marks may still go, and none is counted */
	uint64_t looked;                /* programs that images turned into by exec, images that were started, marks */
	uint64_t unheard;
	unsigned n_shown;
	struct gt_unheard shown[GT_UNHEARD_SHOWN];
};

void gt_model_children(const struct gt_model *m, struct gt_children *out);

#endif
