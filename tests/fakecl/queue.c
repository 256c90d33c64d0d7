/*
 * tests/fakecl/queue.c - commands, events, flushes
 *
 * A command runs only after its queue was flushed up to it and its wait list is complete, in the thread that flushes,
 * waits or sets a user event. A status query flushes nothing: who polls an unflushed event polls for ever, and is
 * counted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakecl.h"

#include <stdlib.h>
#include <unistd.h>
#include <string.h>

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static cl_command_queue queues;         /* with commands, by `next`; each at most once */
static long enqueues, executed;

static void call_event(struct fk_callback *c, void *event, void *unused)
{
	(void)unused;
	((void (*)(cl_event, cl_int, void *))c->fn)(event, c->status, c->user);
}

/* Lock held. Callbacks registered for this or an earlier stage are due. */
void fk_set_status(cl_event e, cl_int status)
{
	struct fk_callback **at = &e->callbacks, *due = NULL, **end = &due;

	e->status = status;
	while (*at) {
		struct fk_callback *c = *at;

		if (status < 0 || status <= c->status) {
			*at = c->next;
			c->next = NULL;
			c->status = status < 0 ? status : c->status;
			*end = c;
			end = &c->next;
		} else {
			at = &c->next;
		}
	}
	pthread_cond_broadcast(&changed);
	fk_run_callbacks(due, call_event, e, NULL);
}

static int waits_state(const struct fk_command *c)
{
	for (cl_uint i = 0; i < c->n_waits; i++)
		if (c->waits[i]->status < 0)
			return -1;
	for (cl_uint i = 0; i < c->n_waits; i++)
		if (c->waits[i]->status != CL_COMPLETE)
			return 0;
	return 1;
}

static void finish_command(struct fk_command *c)
{
	for (cl_uint i = 0; i < c->n_waits; i++)
		fk_unref(c->waits[i]);
	for (int i = 0; i < 2; i++)
		if (c->mem[i])
			fk_unref(c->mem[i]);
	if (c->kernel)
		fk_unref(c->kernel);
	fk_unref(c->event);
	free(c->waits);
	free(c);
}

static void execute(struct fk_command *c, int waits)
{
	cl_event e = c->event;
	long every, us = 0;
	int status = CL_COMPLETE;
	uint64_t begun;

	if (waits < 0 && fk_fault("failed-wait-zero", NULL)) {
		e->time[2] = 0;
		e->time[3] = e->time[4] = fk_device_ns();
		fk_set_status(e, CL_COMPLETE);
		return;
	}
	if (waits < 0) {
		fk_set_status(e, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		return;
	}
	fk_set_status(e, CL_RUNNING);
	begun = fk_host_ns();
	e->time[2] = fk_device_ns();
	if (c->native) {
		UNLOCK();
		c->native(c->native_args);
		LOCK();
	} else if (c->run) {
		status = c->run(c);
	}
	fk_fault("kernel-us", &us);
	for (uint64_t spin = us ? (uint64_t)us * 1000 : c->spin_ns; c->spin_ns && fk_host_ns() < begun + spin;)
		;
	e->time[3] = e->time[4] = fk_device_ns();
	if (fk_fault("command-fails", &every) && ++executed % every == 0)
		status = -9999;
	fk_set_status(e, status);
}

/* Runs what can run, in all queues, until nothing moves. Lock held; callbacks may come back in. */
static void pump(void)
{
	bool moved;

	do {
		moved = false;
		for (cl_command_queue q = queues; q && !moved; q = q->next) {
			struct fk_command **at = &q->first, *before = NULL;

			while (*at && (*at)->event->flushed) {
				struct fk_command *c = *at;
				int waits = waits_state(c);

				if (waits && c->event->status == CL_SUBMITTED && c->due_ns < fk_host_ns()) {
					*at = c->next;
					if (q->last == c)
						q->last = before;
					execute(c, waits);
					finish_command(c);
					moved = true;
					break;          /* the lists may have changed meanwhile */
				}
				if (!(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
					break;
				before = c;
				at = &c->next;
			}
		}
	} while (moved);
}

/* Runs what was waiting for a user event. Lock held. */
void fk_pump(void) { pump(); }

void fk_flush(cl_command_queue q)
{
	for (struct fk_command *c = q->first; c; c = c->next)
		if (!c->event->flushed) {
			c->event->flushed = true;
			c->event->time[1] = fk_device_ns();
			fk_set_status(c->event, CL_SUBMITTED);
		}
	pump();
}

static void list_queue(cl_command_queue q)
{
	for (cl_command_queue p = queues; p; p = p->next)
		if (p == q)
			return;
	q->next = queues;
	queues = q;
}

void fk_unlist(cl_command_queue q)
{
	for (cl_command_queue *at = &queues; *at; at = &(*at)->next)
		if (*at == q) {
			*at = q->next;
			return;
		}
}

cl_int fk_wait(cl_uint n, const cl_event *events)
{
	cl_int rc = CL_SUCCESS;

	LOCK();
	for (cl_uint i = 0; i < n; i++)
		if (events[i]->queue)
			fk_flush(events[i]->queue);
	for (cl_uint i = 0; i < n; i++) {
		pump();
		while (events[i]->status > CL_COMPLETE) {
			if (fk_fault("write-late", NULL)) {
				UNLOCK();
				usleep(100);
				LOCK();
			} else {
				pthread_cond_wait(&changed, &fk_lock);
			}
			pump();
		}
		if (events[i]->status < 0)
			rc = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	UNLOCK();
	return rc;
}

static cl_int check_waits(cl_uint n, const cl_event *waits)
{
	if (!n != !waits)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < n; i++)
		if (!fk_is(waits[i], FK_EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
	return CL_SUCCESS;
}

/* Takes a copy of *c. Lock not held. */
cl_int fk_enqueue(cl_command_queue q, cl_command_type type, cl_uint n, const cl_event *waits, cl_event *out,
	struct fk_command *c, bool blocking)
{
	struct fk_command *command;
	cl_event e;
	bool late = false;
	long every;
	cl_int rc;

	if (!fk_is(q, FK_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if ((rc = check_waits(n, waits)))
		return rc;
	if (fk_fault("enqueue-fails", &every) && __atomic_add_fetch(&enqueues, 1, __ATOMIC_RELAXED) % every == 0)
		return CL_OUT_OF_RESOURCES;
	if (blocking && type == CL_COMMAND_WRITE_BUFFER && fk_fault("write-late", &every)) {
		c->run(c);
		c->run = NULL;
		c->due_ns = fk_host_ns() + (uint64_t)every * 1000000;
		late = true;
	}
	e = fk_new(FK_EVENT, q->device->platform);
	command = malloc(sizeof *command);
	*command = *c;
	LOCK();
	e->context = q->context;
	q->context->o.refs++;
	e->queue = q;
	q->o.refs++;
	e->type = type;
	e->status = CL_QUEUED;
	e->time[0] = fk_device_ns();
	command->event = e;
	command->next = NULL;
	command->n_waits = n;
	command->waits = n ? malloc(n * sizeof *waits) : NULL;
	for (cl_uint i = 0; i < n; i++) {
		command->waits[i] = waits[i];
		waits[i]->o.refs++;
	}
	for (int i = 0; i < 2; i++)
		if (command->mem[i])
			command->mem[i]->o.refs++;
	if (command->kernel)
		command->kernel->o.refs++;
	if (q->last)
		q->last->next = command;
	else
		q->first = command;
	q->last = command;
	list_queue(q);
	e->o.refs++;            /* ours until we are done here, besides the queue's */
	if (out)
		e->o.refs++;
	if (blocking)
		fk_flush(q);
	UNLOCK();
	if (out)
		*out = e;
	rc = blocking && !late ? fk_wait(1, &e) : CL_SUCCESS;
	LOCK();
	fk_unref(e);
	UNLOCK();
	return rc;
}
