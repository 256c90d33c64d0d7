/*
 * tests/witness/witness.h - counts calls per function, in a mapped file, apart by who made them
 *
 * Used by an OpenCL layer (layer.c) and by the stand-in runtime (tests/fakecl): both hand out the addresses of stubs in
 * place of functions. Shares no code with the tracer.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_WITNESS_H
#define GPUTAP_TESTS_WITNESS_H

#include <stdint.h>

enum { WITNESS_FUNCTIONS = 256, WITNESS_NAME = 64 };

/* Who made a call, judged by the object and function that it came from. */
enum witness_caller {
	WITNESS_PROGRAM,        /* not the tracer; or one of its wrappers, for the function that it wraps */
	WITNESS_OWN,            /* the tracer, for itself */
	WITNESS_DRIVER,         /* a driver that calls through the loader */
	WITNESS_CALLERS,
};

/* The file. One for each process image and those that it forks; tests/witness/check.py reads it. */
struct witness_page {
	char magic[8];          /* "witness:" */
	uint64_t passed_by;     /* tables of further loaders, whose calls are not counted here */
	uint64_t calls[WITNESS_CALLERS][WITNESS_FUNCTIONS];
	char name[WITNESS_FUNCTIONS][WITNESS_NAME];
};

/* Opens the file $VARIABLE/PID.N; without the variable counts go nowhere. Once. */
struct witness_page *witness_open(const char *variable);
int witness_place(const char *name, void *target);
/* What is handed out for a place. */
void *witness_stub(int place);

#endif
