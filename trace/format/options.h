/*
 * trace/format/options.h - what the rows of trace/format/options.def are made of, for shim and tool
 *
 * Each makes a table of its own: OPTION_TYPE(type) is two members of a row, enum gc_type and the choices.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_OPTIONS_H
#define GPUTAP_TRACE_FORMAT_OPTIONS_H

#include "common/plain/value.h"

/* Who understands an option: shim, run, export, stats, info, dump, metrics, report, plan. */
enum rec_scope {
	REC_SCOPE_S = 1, REC_SCOPE_R = 2, REC_SCOPE_E = 4, REC_SCOPE_T = 8, REC_SCOPE_I = 16, REC_SCOPE_D = 32,
	REC_SCOPE_M = 64, REC_SCOPE_P = 128, REC_SCOPE_L = 256
};

/* Choices that are lists elsewhere. */
static const char rec_choices_DOMAINS[] =
#define DOMAIN(id, number, word, built, help) "|" word
#include "trace/format/domains.def"
	;
static const char rec_choices_FORMATS[] =
#define FORMAT(id, word) "|" word
#include "trace/format/formats.def"
	;

#define OPTION_TYPE(type) OPTION_TYPE_##type
#define OPTION_TYPE_FLAG GC_FLAG, ""
#define OPTION_TYPE_BOOL GC_BOOL, ""
#define OPTION_TYPE_NUMBER GC_NUMBER, ""
#define OPTION_TYPE_SIZE GC_SIZE, ""
#define OPTION_TYPE_TIME GC_TIME, ""
#define OPTION_TYPE_STRING GC_STRING, ""
#define OPTION_TYPE_LIST GC_LIST, ""
#define OPTION_TYPE_LINES GC_LINES, ""
#define OPTION_TYPE_CHOICE(words) GC_CHOICE, words
#define OPTION_TYPE_WORDS(words) GC_LIST_OF, words
#define OPTION_TYPE_EACH(list) GC_LIST_OF, rec_choices_##list

#endif
