/*
 * collectors/opencl/times.c - the device times of one command: asked of the driver, checked, written
 *
 * Runs      in whatever application thread harvests; the caller owns the slot (SLOT2 in internal.h), nothing is held.
 * Must not  malloc, lock, assert. Writes what the driver said, never a time of its own.
 *
 * The end time is asked first: a status query flushes batches on some runtimes, a profiling query does not.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"
#include "common/plain/without.h"
#include "trace/format/device_time.h"

/* Some drivers return success and write nothing: what is still this was not written. */
#define UNTOUCHED 0xa55aa55aa55aa55aull

#define WORTH_A_CLOCK_NS 1000000000u
#define CLOCK_SLACK 1.01                /* two clocks of one machine do not differ more */

struct times { uint64_t queued, submit, start, end, complete; };

static uint64_t ask(const struct tap_opencl_api *real, cl_event event, cl_profiling_info what)
{
	cl_ulong ns = UNTOUCHED;

	return real->clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL) == CL_SUCCESS ? ns : UNTOUCHED;
}

/* words: link, reason, ... A reason that finds no room is none: a reader counts a command without a record. */
static void write_untimed(const uint64_t *words, uint32_t n, int32_t result)
{
	struct tap_stream *s = tap_stream_get();
	uint64_t place, *rec = s ? tap_stream_reserve_device(s, n + 1, &place) : NULL;

	if (!rec)
		return;
	__builtin_memcpy(rec + 1, words, n * sizeof *words);
	tap_stream_commit(rec, rec_head(REC_COMMAND_UNTIMED, n + 1, REC_COMPLETE, result));
	tap_lost((enum rec_loss)words[1], 1);
}

void tap_cl_untimed(uint64_t link, enum rec_loss reason, int32_t result)
{
	write_untimed((const uint64_t[]){ link, (uint64_t)reason }, 2, result);
}

static bool in_order(const struct times *t)
{
	return t->queued <= t->submit && t->submit <= t->start && t->start <= t->end &&
		(!t->complete || t->end <= t->complete);
}

static bool fits_narrow(const struct times *t)
{
	return in_order(t) && t->submit - t->queued <= UINT32_MAX && t->start - t->submit <= UINT32_MAX &&
	       t->end - t->start <= UINT32_MAX && (!t->complete || t->complete - t->end <= UINT32_MAX);
}

static void write_narrow(uint64_t link, const struct times *t)
{
	struct tap_stream *s = tap_stream_get();
	uint64_t place, *rec = s ? tap_stream_reserve_device(s, 5, &place) : NULL;

	if (!rec)
		return;
	rec[1] = link;
	rec[2] = t->queued;
	rec[3] = (t->submit - t->queued) | (t->start - t->submit) << 32;
	rec[4] = (t->end - t->start) | (t->complete ? t->complete - t->end : 0) << 32;
	tap_stream_commit(rec, rec_head(REC_COMMAND, 5, REC_COMPLETE, CL_COMPLETE));
}

static void write_wide(uint64_t link, const struct times *t)
{
	struct tap_stream *s = tap_stream_get();
	uint64_t place, *rec = s ? tap_stream_reserve_device(s, 7, &place) : NULL;

	if (!rec)
		return;
	rec[1] = link;
	rec[2] = t->queued;
	rec[3] = t->submit;
	rec[4] = t->start;
	rec[5] = t->end;
	rec[6] = t->complete;
	tap_stream_commit(rec, rec_head(REC_COMMAND, 7, REC_COMPLETE | REC_WIDE, CL_COMPLETE));
}

/* No times after all: what the driver gave is kept behind the reason. */
static void write_refused(uint64_t link, int reason, const struct times *t)
{
	const uint64_t words[] = { link, (uint64_t)reason, t->queued, t->submit, t->start, t->end };

	write_untimed(words, sizeof words / sizeof *words, CL_COMPLETE);
}

/* No command runs for longer than from its call until now. Most are short: the clock is read for long ones alone. */
static uint64_t longest(const struct tap_cl_slot *s, const struct times *t)
{
	double rate;

	if (t->end - t->start < WORTH_A_CLOCK_NS)
		return 0;
	rate = tap_clock_ticks_per_ns();
	return rate > 0 ? (uint64_t)((double)(tap_tick() - s->start_tick) / rate * CLOCK_SLACK) + 1 : 0;
}

/* What the driver gave, unless it cannot be. A queued time of 0 pins no clock. */
static void write_times(struct tap_cl_queue *q, const struct tap_cl_slot *s, const struct times *t)
{
	int reason = gc_without("no-time") ? -1 : rec_no_time(t->start, t->end, longest(s, t));

	if (unlikely(reason >= 0))
		return write_refused(s->link, reason, t);
	if (unlikely(!t->queued || !t->submit || !in_order(t)) && !gc_without("unordered")) {
		tap_lost(REC_LOSS_TIME_UNORDERED, 1);
	} else {
		tap_cl_clock_bracket(q->device, t->queued, s->start_tick, s->span.bracket);
		tap_cl_clock_seen(q->device, t->queued, t->end, s->start_tick);
	}
	if (likely(fits_narrow(t)))
		write_narrow(s->link, t);
	else
		write_wide(s->link, t);
}

/* No end time: failed, not finished, or finished and the driver needs a moment (or never tells). */
static enum tap_cl_look without_end(const struct tap_opencl_api *real, const struct tap_cl_slot *s, bool may_ask_status)
{
	cl_int status = CL_QUEUED;

	if (!may_ask_status)
		return TAP_CL_NOT_YET;
	if (real->clGetEventInfo(s->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) !=
		CL_SUCCESS)
		status = CL_COMPLETE;                   /* it cannot tell: as if it had no times */
	if (status < 0) {
		tap_cl_untimed(s->link, REC_LOSS_FAILED_COMMAND, status);
		return TAP_CL_TIMED;
	}
	return status > CL_COMPLETE ? TAP_CL_NOT_YET : TAP_CL_NO_TIMES_YET;
}

static bool ask_end(const struct tap_opencl_api *real, cl_event event, cl_ulong *end)
{
	return real->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *end, end, NULL) == CL_SUCCESS;
}

/*
 * Success, but not one time that could be true: untouched or all zero. It may be a failed command or one that still
 * runs.
 */
static enum tap_cl_look without_times(
	struct tap_cl_queue *q, const struct tap_cl_slot *s, const struct times *t, bool may_ask_status, bool last)
{
	enum tap_cl_look look = without_end(q->real, s, may_ask_status);

	if (look != TAP_CL_NO_TIMES_YET)
		return look;
	if (!last && t->end == UNTOUCHED)
		return look;
	if (t->end == UNTOUCHED)
		tap_cl_untimed(s->link, REC_LOSS_TIME_UNTOUCHED, CL_COMPLETE);
	else
		write_times(q, s, t);
	return TAP_CL_TIMED;
}

enum tap_cl_look tap_cl_times(struct tap_cl_queue *q, const struct tap_cl_slot *s, bool may_ask_status, bool last)
{
	const struct tap_opencl_api *real = q->real;
	struct times t = { .end = UNTOUCHED };

	if (!ask_end(real, s->event, &t.end)) {
		enum tap_cl_look look = without_end(real, s, may_ask_status);

		if (look != TAP_CL_NO_TIMES_YET)
			return look;
		/* It may have completed between the two questions. */
		if (!ask_end(real, s->event, &t.end)) {
			if (!last)
				return look;
			tap_cl_untimed(s->link, REC_LOSS_NO_PROFILING_INFO, CL_COMPLETE);
			return TAP_CL_TIMED;
		}
	}
	t.queued = ask(real, s->event, CL_PROFILING_COMMAND_QUEUED);
	t.submit = ask(real, s->event, CL_PROFILING_COMMAND_SUBMIT);
	t.start = ask(real, s->event, CL_PROFILING_COMMAND_START);
	if (unlikely(q->device->asks_complete)) {
		t.complete = ask(real, s->event, CL_PROFILING_COMMAND_COMPLETE);
		if (t.complete == UNTOUCHED)
			t.complete = 0;
	}
	if (unlikely(t.end == UNTOUCHED || !t.end))
		return without_times(q, s, &t, may_ask_status, last);
	if (unlikely(t.queued == UNTOUCHED || t.submit == UNTOUCHED || t.start == UNTOUCHED)) {
		tap_cl_untimed(s->link, REC_LOSS_TIME_UNTOUCHED, CL_COMPLETE);
		return TAP_CL_TIMED;
	}
	write_times(q, s, &t);
	return TAP_CL_TIMED;
}
