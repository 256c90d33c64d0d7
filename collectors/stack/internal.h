/*
 * collectors/stack/internal.h - what the files of the unwinder share
 *
 *   collector.c  options; takes a stack, stores each different one once a stream
 *   unwind.c     from frame to frame, and the cache of rules
 *   cfi.c        how the caller of an instruction is found, from the unwind tables of its object
 *   objects.c    which loaded object an instruction lies in
 *   modules.c    numbers of objects, and their MODULE records
 *   bounds.c     how far a stack may be read
 *   exports.c    where an object has a symbol
 *   python*.c    functions of a Python interpreter (python.h)
 *
 * Runs      in the calling thread of the traced program, in signal handlers too.
 * Must not  allocate, lock, change errno, fault; make a system call but where a file says so.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_STACK_INTERNAL_H
#define GPUTAP_COLLECTORS_STACK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/write/scratch.h"
#include "trace/write/tls.h"

#define TAP_STACK_DEPTH_MAX 256u

/* ---- objects.c ---- */

struct tap_object {
	uintptr_t start, end;           /* of its mappings */
	uintptr_t bias;                 /* address = address in the file + bias */
	const uint8_t *tables;          /* .eh_frame_hdr, or NULL */
	const char *path;               /* "": the executable */
	const void *identity;           /* the dynamic linker's own entry; may be used again after an unload */
};
/* The object that the address lies in. False: none is known. */
bool tap_object_find(uintptr_t address, struct tap_object *out) TAP_HIDDEN;
/*
 * Where the C library has no look-up that is safe everywhere (before 2.35), objects are listed ahead. Takes the dynamic
 * linker's lock: the constructor, and behind a look-up of a symbol, not in a handler's reach. Nothing elsewhere.
 */
void tap_objects_list(void) TAP_HIDDEN;          /* the first time; tap_objects_renew: collectors/collector.h */
extern bool tap_objects_listed TAP_HIDDEN;      /* by that list, whatever the C library has; tests set it */

/* ---- cfi.c ---- */

/* Where the caller's stack pointer comes from. */
enum tap_cfa {
	TAP_CFA_NONE,                   /* no table covers the instruction, or it says what we do not understand */
	TAP_CFA_END,                    /* nobody called this function */
	TAP_CFA_SIGNAL,                 /* the kernel called a handler: registers stand on the stack */
	TAP_CFA_SP, TAP_CFA_FP,         /* register + cfa_at */
	TAP_CFA_FP_LOAD,                /* what stands at the frame pointer + cfa_at */
};
enum tap_saved { TAP_KEPT, TAP_AT_CFA, TAP_AT_FP };     /* in its register; in memory at CFA, frame pointer + offset */
struct tap_rule {
	uint8_t cfa;                    /* enum tap_cfa */
	uint8_t fp_saved, ra_saved;     /* enum tap_saved */
	int32_t cfa_at, fp_at, ra_at;   /* bytes */
};
/* The rule for the instruction at pc of an object. */
void tap_cfi_rule(uintptr_t pc, const struct tap_object *o, struct tap_rule *rule) TAP_HIDDEN;

/* ---- bounds.c ---- */

/* What is known of the stack that a thread runs on; part of a stream, used by its holder alone. */
struct tap_bounds {
	uint64_t holder_tick;
	uintptr_t thread;               /* the thread pointer; 0: nothing is known yet */
	uintptr_t low, high;            /* may be read in between */
};
/*
 * End of what may be read from sp on, sp itself being in use. known: may be NULL. Makes system calls the first time a
 * thread comes by and where it has grown since; on a stack of the program's own making each time.
 */
uintptr_t tap_bounds_end(struct tap_bounds *known, uint64_t holder_tick, uintptr_t sp) TAP_HIDDEN;

/* ---- unwind.c ---- */

/* link: aarch64, of a function that a signal interrupted; 0 elsewhere, where the return address is in memory. */
struct tap_frame { uintptr_t pc, sp, fp, link; };
/* The register values of the function that this stands in. */
#if defined(__x86_64__)
#define TAP_FRAME_HERE(f) \
	__asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" \
			 : "=r"((f)->pc), "=r"((f)->sp), "=r"((f)->fp))
#else
#define TAP_FRAME_HERE(f) \
	__asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=r"((f)->pc), "=r"((f)->sp), "=r"((f)->fp))
#endif

struct tap_walk {
	struct tap_frame frame;         /* where to begin; the present one afterwards */
	struct tap_bounds *bounds;      /* may be NULL */
	uint64_t holder_tick;
	bool only_fp;                   /* by frame pointers alone: for measurements */
	uint32_t flags;                 /* enum rec_stack_flag, but for CUT */
	/* what the walk keeps */
	uintptr_t end;                  /* of what may be read */
	bool exact;                     /* pc is the instruction itself, not one behind a call */
	uint8_t signals;                /* frames of handlers so far */
};
/* Its first frame is the one that a signal interrupted; context: ucontext_t of its handler. */
void tap_walk_from(struct tap_walk *w, const void *context) TAP_HIDDEN;
/* Looks at the first frame. */
void tap_walk_begin(struct tap_walk *w) TAP_HIDDEN;
/* Goes to the caller. False: there is none, or it cannot be found (flags say so). */
bool tap_walk_next(struct tap_walk *w) TAP_HIDDEN;
/* An object was loaded where another one had been: no rule holds any more. */
void tap_rules_forget(void) TAP_HIDDEN;

/* ---- modules.c ---- */

/*
 * Number of the object that the address lies in, its record written before; 0: none, or too many. *changed is set when
 * another object had been there.
 */
uint32_t tap_module_at(uintptr_t address, bool *changed) TAP_HIDDEN;
void tap_modules_forget(void) TAP_HIDDEN;        /* the trace of a forked child holds none yet */

/* ---- exports.c ---- */

/* The address of what a loaded object exports under the name; 0: nothing. */
uintptr_t tap_export(const struct tap_object *o, const char *name) TAP_HIDDEN;

/* ---- python.c ---- */

#define TAP_PYTHON_MOST 128u            /* functions of Python in a stack */
/* Where the interpreter's own code is; length 0: there is none, or one that we cannot read. */
struct tap_python_range { uintptr_t start, length; };
extern struct tap_python_range tap_python_range TAP_HIDDEN;
static inline bool tap_python_runs(uintptr_t pc)
{
	return pc - __atomic_load_n(&tap_python_range.start, __ATOMIC_RELAXED) <
		__atomic_load_n(&tap_python_range.length, __ATOMIC_RELAXED);
}
/* An object was seen for the first time: is it an interpreter? */
void tap_python_object(const struct tap_object *o) TAP_HIDDEN;

/* A function of Python that runs. at: bytes into its instructions, or REC_PYTHON_NOWHERE. entered: C called it. */
struct tap_python_frame { uintptr_t code; uint64_t check; uint32_t at; bool entered; };
struct tap_python_walk { uintptr_t frame; bool guarded; };
/*
 * The calling thread's, innermost first. known: of the stream, used by its holder alone. in_handler: PYTHON1. False:
 * the thread runs none.
 */
bool tap_python_begin(struct tap_python_walk *w, uintptr_t *known, bool in_handler) TAP_HIDDEN;
bool tap_python_next(struct tap_python_walk *w, struct tap_python_frame *f) TAP_HIDDEN;
/* Writes what the code object is. Its number, or 0: it could not be read, or there is no room. */
uint32_t tap_python_write_code(uintptr_t code) TAP_HIDDEN;

#endif
