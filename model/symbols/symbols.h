/*
 * model/symbols/symbols.h - what the addresses of call stacks mean: function, file, line
 *
 * Runs in the tool, on any thread; one at a time gets in. Nothing is looked for before somebody asks, and each address
 * of an object once. Names come from the symbol tables of the object's file, or of its separate debug file (by build
 * id, or by the name that the file gives), files and lines from its debug information through libdw, names of code that
 * was made at run time from /tmp/perf-PID.map; functions of Python stand in the place of the interpreter's C functions
 * that ran them. A file that is not the one that ran (another build id, none where one
 * was recorded) is not used: its names would be wrong.
 *
 * How to walk the frames of a call:
 *
 *	uint32_t n, id = gt_call_stack(call);             // model/stacks/stacks.h; 0: the call has no stack
 *	const struct gt_frame *f = gt_stack_frames(m, id, &n);
 *
 *	for (uint32_t i = 0; i < n; i++)                  // from the function that called the API outwards
 *		use(f[i].function, f[i].file, f[i].line, f[i].module, f[i].file_address);
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_SYMBOLS_SYMBOLS_H
#define GPUTAP_MODEL_SYMBOLS_SYMBOLS_H

#include "model/stacks/stacks.h"

/* Strings live as long as the model. */
struct gt_frame {
	struct gt_string function;        /* as people write it (C++: demangled); "" where no name is known */
	struct gt_string label;           /* the same, or "module+0x12ab" where no name is known; never empty */
	/*
	 * The same for all addresses of one function: where no name is known "module+0x" and where it begins, as the
	 * unwind tables have it; where they have nothing either, the label.
	 */
	struct gt_string group;
	const char *file;                 /* of the call in it, as the debug information names it; NULL: not known */
	uint32_t line;                    /* 0: not known */
	const struct gt_module *module;   /* NULL: in no object */
	uint64_t address;                 /* as recorded: behind the call */
	uint64_t file_address;            /* of the call, as objdump shows it; in no object: the address itself */
	uint64_t displacement;            /* address - beginning of the function; 0 without one */
	bool inlined;                     /* compiled into the function of the next frame: same address */
	bool resolved;                    /* the function is known */
	bool python;                      /* a function of Python; address: of the C function that ran it */
};

/*
 * Frames of a stack, innermost first, those of inlined functions among them. They live as long as the model. *n = 0 and
 * NULL for id 0, or without memory.
 */
const struct gt_frame *gt_stack_frames(struct gt_model *m, uint32_t id, uint32_t *n);
/* To be asked when all is written: -1 if a stack lacks its frames because there was no memory. */
int gt_symbols_check(const struct gt_model *m, struct gt_err *err);

/*
 * The frame of the program that called the API: behind those of the API's own libraries, and of a runtime that is
 * linked into the program, whose function is called as the call is (api; may be NULL). n: there is none.
 */
uint32_t gt_stack_caller(const struct gt_frame *frames, uint32_t n, const char *api);

/*
 * Who of the program asked for it, for a line that names one: the caller, but in a program of Python the function of
 * its own behind the bindings (modules that were installed); where all are installed, the innermost of Python.
 */
uint32_t gt_stack_asker(const struct gt_frame *frames, uint32_t n, const char *api);

/* "function (file:line)" with what is known of it; without a name "module+0x12ab". */
void gt_frame_text(const struct gt_frame *f, struct gt_text *out);
/* "file:line" with the file's last part; without debug information "module+0x12ab". */
void gt_frame_place(const struct gt_frame *f, struct gt_text *out);
/* The last part of the module's path; "" in no object. */
const char *gt_frame_module(const struct gt_frame *f);

/*
 * How much was found, of all that was asked so far: addresses, those with a name, with a line; objects, those whose
 * file is not here as it ran, and the first of them.
 */
#define GT_SYMBOLS_TOLD 3
struct gt_symbols_found {
	uint64_t addresses, named, lined;
	uint32_t modules, missing;
	const char *first[GT_SYMBOLS_TOLD];
};
struct gt_symbols_found gt_symbols_found(const struct gt_model *m);

#endif
