/*
 * collectors/stack/python.h - what stands where in a CPython of one version, and the frames of its functions
 *
 *   python.c         finds the interpreter and the thread's state, walks its frames
 *   python_layout.c  the tables of offsets
 *   python_code.c    the records that say what a code object is
 *
 * Runs      in the calling thread of the traced program, at the end of a call, in signal handlers too.
 * Must not  allocate, lock, change errno, fault; call the interpreter or take its lock.
 *
 * PYTHON1  Frames are read by the thread that runs them, so nobody changes them meanwhile, whether it holds the
 *          interpreter's lock or not: they are what stands on its stack. What they lead to (code objects) lives as long
 *          as they do. In a signal handler a frame may be half made: there every read is guarded by the kernel.
 * PYTHON2  A table of offsets is used when what it leads to is what it must be: the state is the thread's own, and the
 *          first code object's type says that it is one. Until then, and where code objects are copied, reads are
 *          guarded.
 * PYTHON3  An address is used again for another code object when one is gone (a notebook's cells). So a code object is
 *          known by its address and by what it holds: its name, file, line, and the beginning of its line table.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_STACK_PYTHON_H
#define GPUTAP_COLLECTORS_STACK_PYTHON_H

#include "collectors/stack/internal.h"

/* Bytes from the beginning of each structure. */
struct tap_python_layout {
	uint16_t thread_id;             /* of the thread's state: pthread_self() */
	uint16_t frame_of_thread;       /* ... where the present frame stands, */
	uint16_t frame_of_cframe;       /* ... through_cframe: in what stands there */
	uint16_t previous, code, at;    /* of a frame: its caller, its code object, where it is */
	uint16_t boundary;              /* ... the byte that says where a C frame begins (enum tap_python_boundary) */
	uint16_t file, name, first_line, lines; /* of a code object; lines: bytes */
	uint16_t instructions;          /* ... where they begin, for `at` that points to them; 0: elsewhere */
	uint16_t type;                  /* of any object */
	uint16_t type_name;             /* of a type */
	uint16_t bytes_n, bytes;        /* of bytes: how many, and where they begin */
	uint16_t text_n, text_state;    /* of a text: how many characters; a word of bits: kind, compact, ascii */
	uint16_t ascii, compact;        /* ... where its characters begin */
	uint8_t text_shift;             /* ... bits in front of them in that word */
	bool through_cframe;
	uint8_t at_unit;                /* bytes of one step of `at`; 0: it points into the instructions */
	uint8_t boundaries;             /* enum tap_python_boundary */
};
enum tap_python_boundary {
	TAP_PYTHON_EACH,                /* every frame has a C frame of its own */
	TAP_PYTHON_ENTRY,               /* a byte that is not 0: the frame that C entered by */
	TAP_PYTHON_OWNER,               /* a byte of 3 or more: no function, but where C entered */
};

struct tap_python {
	struct tap_python_layout layout;
	uint32_t version;               /* 0x030b: 3.11 */
};
/* What the object's interpreter is like. False: it is none. version is set and layout not: it is not known. */
bool tap_python_look(const struct tap_object *o, struct tap_python *out) TAP_HIDDEN;

/* As tap_copy_guarded, of this process, all or nothing. */
bool tap_python_read(uintptr_t from, void *to, size_t bytes) TAP_HIDDEN;

/* ---- python.c ---- */

extern struct tap_python tap_python TAP_HIDDEN;         /* the process'; version 0: none was found */
extern uintptr_t tap_python_code_type TAP_HIDDEN;       /* type of code objects; 0: no frame was read yet */

#endif
