/*
 * collectors/cupti_answer.c - what CUPTI answers, looked at in one place: ANSWER1
 *
 * Runs      on any thread of the program, in CUPTI's callbacks.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/cupti_answer.h"

#include <stddef.h>
#include <stdint.h>

#include "trace/write/process.h"
#include "trace/write/stream/stream.h"

enum refusal { SAID, TOLD, ANSWER };

#define REC_LOSS_NOTHING REC_LOSS_COUNT
static const struct row { const char *name, *lost; uint8_t refusal, loss; } rows[TAP_CUPTI_FUNCTIONS] = {
#define FUNCTION(name, need, refusal, loss, lost, arguments) { #name, lost, refusal, REC_LOSS_##loss },
#define PROFILER(name, refusal, loss, lost) { #name, lost, refusal, REC_LOSS_##loss },
#include "collectors/cupti_functions.def"
};

/* What CUPTI's headers say of the results that tell a cause. */
static const struct { int result; const char *cause; } causes[] = {
	{ 8, ": it found no memory" },
	{ TAP_CUPTI_HARDWARE_BUSY, ": another tool holds the device's counters" },
	{ 33, ": it cannot on this virtual GPU" },
	{ 34, ": it cannot for code of this compiler" },
	{ TAP_CUPTI_PRIVILEGES, ": the driver allows it to administrators only" },
	{ TAP_CUPTI_BUSY, ": another profiler or debugger holds CUPTI" },
	{ TAP_CUPTI_VIRTUAL_PRIVILEGES, ": this virtual GPU is not allowed to" },
	{ 41, ": confidential computing is on" },
	{ 42, ": it cannot on a mining processor" },
	{ 43, ": it cannot on a slice of a device (MIG)" },
	{ 44, ": it cannot while SLI is on" },
	{ 45, ": it cannot under this WSL" },
};

struct tap_cupti_asked tap_cupti_asked;

const char *tap_cupti_name(unsigned f) { return rows[f].name; }

const char *tap_cupti_result_text(int result)
{
	const char *text = NULL;

	if (!tap_cupti_asked.text || tap_cupti_asked.text(result, &text) || !text)
		return "an error that it has no name for";
	return text;
}

const char *tap_cupti_cause(int result)
{
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		if (causes[i].result == result)
			return causes[i].cause;
	return "";
}

void tap_cupti_note(unsigned f, int result, const char *lost)
{
	tap_note(TAP_PART_CUPTI, "%s: %s answered %s (%d)%s", lost, rows[f].name, tap_cupti_result_text(result), result,
		tap_cupti_cause(result));
}

void tap_cupti_lost(unsigned f, int result, const char *lost)
{
	tap_lost((enum rec_loss)rows[f].loss, 1);
	tap_cupti_note(f, result, lost);
}

/* Behind a fatal error, or when CUPTI is another client's, every answer is a refusal: that was said. */
int tap_cupti_refused(unsigned f, int result)
{
	static uint8_t said[TAP_CUPTI_FUNCTIONS];
	const struct row *r = &rows[f];

	if (r->refusal != SAID || (tap_cupti_asked.closed && TAP_READ_ONCE(*tap_cupti_asked.closed)) ||
		__atomic_exchange_n(&said[f], 1, __ATOMIC_RELAXED))
		return result;
	if (r->loss == REC_LOSS_NOTHING)
		tap_cupti_note(f, result, r->lost);
	else
		tap_cupti_lost(f, result, r->lost);
	return result;
}
