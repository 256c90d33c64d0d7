/*
 * collectors/stack/unwind.c - from a function to its caller, and a cache of how that is done
 *
 * Runs      in the calling thread of the traced program, in signal handlers too.
 * May       read the thread's stack between the stack pointer and an end that bounds.c knows; make a system call where
 *           code was made at run time.
 * Must not  allocate, lock, fault, change errno.
 *
 * UNWIND1  The stack pointer only grows from caller to caller, but where a signal was handled on a stack of its own;
 *          few such frames are followed. So every walk ends.
 * UNWIND2  A place of the cache is two words, rule and rule ^ address. Whoever finds the address in them has a rule
 *          that was stored as one, whatever other threads or handlers store meanwhile. Nobody waits.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <ucontext.h>

#include "collectors/stack/internal.h"
#include "trace/write/call/frame.h"
#include "trace/write/process.h"
#include "trace/write/sys.h"

#define PLACES 4096u                    /* of the cache: 64 KiB, which the whole process shares */
#define SIGNALS_MAX 16                  /* handlers inside each other */

/* ---------------------------------------------------------------------- cache */

struct place { uint64_t rule, check; };
static struct place cache[PLACES];

static struct place *place_of(uintptr_t pc) { return &cache[(pc ^ pc >> 12) % PLACES]; }

#define AT_LIMIT (1 << 13)              /* of offsets / 8 of registers */
#define CFA_LIMIT (1 << 27)

static uint64_t field(int64_t v, unsigned bits, unsigned shift)
{
	return ((uint64_t)v & ((1ull << bits) - 1)) << shift;
}

static int32_t signed_field(uint64_t w, unsigned bits, unsigned shift)
{
	return (int32_t)((int64_t)(w << (64 - bits - shift)) >> (64 - bits));
}
static bool fits(int32_t at) { return at % 8 == 0 && at / 8 < AT_LIMIT && at / 8 >= -AT_LIMIT; }

/* 0: it needs more room than most. Kinds are never all 0 in what is cached: bit 63. */
static uint64_t packed(const struct tap_rule *r)
{
	if (!fits(r->fp_at) || !fits(r->ra_at) || r->cfa_at >= CFA_LIMIT || r->cfa_at < -CFA_LIMIT)
		return 0;
	return 1ull << 63 | field(r->cfa, 3, 60) | field(r->fp_saved, 2, 58) | field(r->ra_saved, 2, 56) |
		field(r->cfa_at, 28, 28) | field(r->fp_at / 8, 14, 14) | field(r->ra_at / 8, 14, 0);
}

static void unpack(uint64_t w, struct tap_rule *r)
{
	*r = (struct tap_rule){
		.cfa = w >> 60 & 7,
		.fp_saved = w >> 58 & 3,
		.ra_saved = w >> 56 & 3,
		.cfa_at = signed_field(w, 28, 28),
		.fp_at = signed_field(w, 14, 14) * 8,
		.ra_at = signed_field(w, 14, 0) * 8,
	};
}

#if defined(__aarch64__)
/*
 * The kernel's own code behind a handler is without tables since Linux 5.8: unwinders are to know it by its two
 * instructions, `mov x8, #139` and `svc #0`. pc may lie in the instruction before them.
 */
static bool ends_handler(uintptr_t pc)
{
	uintptr_t at = (pc + 3) & ~(uintptr_t)3;
	uint64_t code;

	if (tap_seccomp || !tap_frame_readable(at) || !tap_frame_readable(at + sizeof code - 1))
		return false;
	tap_copy_past(&code, (const void *)at, sizeof code);
	return code == 0xd4000001d2801168;
}
#else
static bool ends_handler(uintptr_t pc) { return (void)pc, false; }      /* the C library's has tables */
#endif

/*
 * Code made at run time has no tables. Such as only calls on gives its frame back right behind the call, and these
 * instructions say how large it is: Python's trampolines for profilers are so. at: behind the call.
 */
static void read_trampoline(uintptr_t at, struct tap_rule *rule)
{
#if defined(__x86_64__)
	uint8_t code[5];                                        /* add $n, %rsp; ret; from 3.14 on pop %rbp; ret */

	if (tap_seccomp || tap_copy_standing(tap_sys_getpid(), at, code, sizeof code) != sizeof code)
		return;
	if (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xc4 && code[3] < 0x80 && code[4] == 0xc3)
		*rule = (struct tap_rule){ TAP_CFA_SP, TAP_KEPT, TAP_AT_CFA, code[3] + 8, 0, -8 };
	else if (code[0] == 0x5d && code[1] == 0xc3)
		*rule = (struct tap_rule){ TAP_CFA_SP, TAP_AT_CFA, TAP_AT_CFA, 16, -16, -8 };
#else
	(void)at, (void)rule;
#endif
}

static TAP_COLD void make_rule(uintptr_t pc, bool exact, struct tap_rule *rule)
{
	struct place *p = place_of(pc);
	struct tap_object o;
	uint64_t w;

	*rule = (struct tap_rule){ .cfa = TAP_CFA_NONE };
	if (!tap_object_find(pc, &o)) {
		if (ends_handler(pc))
			rule->cfa = TAP_CFA_SIGNAL;
		else if (!exact)
			read_trampoline(pc + 1, rule);
		return;                         /* other code may lie there next time */
	}
	tap_cfi_rule(pc, &o, rule);
	if (rule->cfa == TAP_CFA_NONE && ends_handler(pc))
		rule->cfa = TAP_CFA_SIGNAL;
	w = packed(rule);
	if (!w)
		return;
	__atomic_store_n(&p->check, w ^ pc, __ATOMIC_RELAXED);  /* UNWIND2 */
	__atomic_store_n(&p->rule, w, __ATOMIC_RELAXED);
}

static inline void rule_of(uintptr_t pc, bool exact, struct tap_rule *rule)
{
	struct place *p = place_of(pc);
	uint64_t w = __atomic_load_n(&p->rule, __ATOMIC_RELAXED);

	if (TAP_LIKELY(w && (__atomic_load_n(&p->check, __ATOMIC_RELAXED) ^ w) == pc))
		unpack(w, rule);
	else
		make_rule(pc, exact, rule);
}

void tap_rules_forget(void)
{
	for (uint32_t i = 0; i < PLACES; i++)
		__atomic_store_n(&cache[i].rule, 0, __ATOMIC_RELAXED);
}

/* ----------------------------------------------------------------------- steps */

/* A sanitizer guards bytes of frames that a walk has to look at. */
__attribute__((no_sanitize("address", "thread"))) static bool load(
	const struct tap_walk *w, uintptr_t at, uintptr_t *out)
{
	if (TAP_UNLIKELY(at < w->frame.sp || at > w->end - sizeof *out || at % sizeof *out))
		return false;
	*out = *(const volatile uintptr_t *)at;
	return true;
}

#if defined(__x86_64__)
static uintptr_t plain_address(uintptr_t pc) { return pc; }

static void from_context(const ucontext_t *u, struct tap_frame *f)
{
	f->pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	f->sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
	f->fp = (uintptr_t)u->uc_mcontext.gregs[REG_RBP];
}
#define CONTEXT_AT 0u                   /* from the stack pointer of the frame that the kernel made */
#define CONTEXT_BYTES offsetof(ucontext_t, uc_sigmask)
#else
/* Without the signature that a processor may keep in the upper bits. */
static uintptr_t plain_address(uintptr_t pc)
{
	register uintptr_t x30 __asm__("x30") = pc;

	__asm__("hint 7" : "+r"(x30));  /* xpaclri; does nothing where there are no signatures */
	return x30;
}

static void from_context(const ucontext_t *u, struct tap_frame *f)
{
	f->pc = u->uc_mcontext.pc;
	f->sp = u->uc_mcontext.sp;
	f->fp = u->uc_mcontext.regs[29];
	f->link = u->uc_mcontext.regs[30];
}
#define CONTEXT_AT sizeof(siginfo_t)
#define CONTEXT_BYTES (offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, pstate))
#endif

static TAP_COLD __attribute__((no_sanitize("address", "thread"))) bool step_signal(struct tap_walk *w)
{
	uintptr_t at = w->frame.sp + CONTEXT_AT;

	if (w->signals++ >= SIGNALS_MAX || at + CONTEXT_BYTES > w->end)
		return false;
	from_context((const ucontext_t *)at, &w->frame);
	w->frame.pc = plain_address(w->frame.pc);
	w->exact = true;
	w->end = tap_bounds_end(w->bounds, w->holder_tick, w->frame.sp);
	return w->frame.pc != 0;
}

#if defined(__x86_64__)
/*
 * Two signals that come at once: the kernel enters the handler of one and, before its first instruction, that of the
 * other. So handlers are met there far more often than other functions.
 */
static bool enters_handler(const struct tap_walk *w)
{
	struct tap_rule r = { .cfa = TAP_CFA_NONE };
	struct tap_object o;
	uintptr_t back;

	if (load(w, w->frame.sp, &back) && tap_object_find(back - 1, &o))
		tap_cfi_rule(back - 1, &o, &r);
	return r.cfa == TAP_CFA_SIGNAL;
}

/*
 * Before a function has put its frame pointer in place, and behind where it gave it back, the return address is what
 * the stack pointer leads to: 0 words above it; 1 where the caller's frame pointer was pushed; -1: it is in place.
 */
static int words_to_return(const struct tap_walk *w)
{
	uint8_t code[5] = { 0 };                /* the byte before it first */
	uintptr_t pc = w->frame.pc, before = pc % 4096 ? 1 : 0;
	bool back;

	/* a program that jumped to where nothing is has no code there */
	if (tap_seccomp || tap_copy_standing(tap_sys_getpid(), pc - before, code + 1 - before, 4 + before) <= before)
		return -1;
	back = code[0] == 0x5d || code[0] == 0xc9;                      /* pop %rbp, leave */
	if (code[1] == 0x55 || code[1] == 0xc3 || (back && (code[1] == 0xe9 || code[1] == 0xeb)))
		return 0;                       /* push %rbp; ret; jmp */
	if (!__builtin_memcmp(code + 1, "\xf3\x0f\x1e\xfa", 4))
		return 0;                       /* endbr64 */
	if (!__builtin_memcmp(code, "\x55\x48\x89\xe5", 4))
		return 1;                       /* behind push %rbp: mov %rsp, %rbp */
	return enters_handler(w) ? 0 : -1;
}
#else
static int words_to_return(const struct tap_walk *w) { return (void)w, -1; }
#endif

/* What compilers build with a frame pointer: the caller's, and behind it the return address. */
static TAP_COLD bool step_frame_pointer(struct tap_walk *w)
{
	int words = w->exact ? words_to_return(w) : -1;
	uintptr_t at = words < 0 ? w->frame.fp : w->frame.sp, fp = w->frame.fp, pc;

	w->flags |= REC_STACK_GUESSED;
	if (words && !load(w, at, &fp))
		return false;
	at += words ? sizeof fp : 0;
	if (!load(w, at, &pc) || !pc)
		return false;
	w->frame = (struct tap_frame){ plain_address(pc), at + sizeof pc, fp, 0 };
	w->exact = false;
	return true;
}

/*
 * Tables do not say that a register was popped again: in the instructions between that and the function's end its place
 * lies below the stack pointer, and the register has what stood there.
 */
static bool saved(const struct tap_walk *w, uint8_t how, uintptr_t cfa, int32_t at, uintptr_t *out)
{
	if (TAP_UNLIKELY(w->exact) && how == TAP_AT_CFA && cfa + (intptr_t)at < w->frame.sp)
		return true;
	return how == TAP_KEPT || load(w, (how == TAP_AT_CFA ? cfa : w->frame.fp) + (intptr_t)at, out);
}

static inline bool find_cfa(const struct tap_walk *w, const struct tap_rule *r, uintptr_t *cfa)
{
	*cfa = (r->cfa == TAP_CFA_SP ? w->frame.sp : w->frame.fp) + (intptr_t)r->cfa_at;
	if (r->cfa == TAP_CFA_FP_LOAD && !load(w, *cfa, cfa))
		return false;
	/* UNWIND1. A leaf of aarch64 has no frame, and is the innermost. */
	return *cfa <= w->end && *cfa % 8 == 0 && (*cfa > w->frame.sp || (*cfa == w->frame.sp && w->exact));
}

static inline bool step_rule(struct tap_walk *w, const struct tap_rule *r)
{
	uintptr_t cfa, pc = 0, fp = w->frame.fp;

	if (!find_cfa(w, r, &cfa) || !saved(w, r->fp_saved, cfa, r->fp_at, &fp))
		return false;
	if (r->ra_saved == TAP_KEPT ? !(pc = w->frame.link) : !saved(w, r->ra_saved, cfa, r->ra_at, &pc))
		return false;
	w->frame = (struct tap_frame){ plain_address(pc), cfa, fp, 0 };
	w->exact = false;
	return true;
}

void tap_walk_from(struct tap_walk *w, const void *context)
{
	from_context(context, &w->frame);
	w->frame.pc = plain_address(w->frame.pc);
}

void tap_walk_begin(struct tap_walk *w)
{
	w->flags = 0;
	w->exact = true;
	w->signals = 0;
	w->end = tap_bounds_end(w->bounds, w->holder_tick, w->frame.sp);
}

bool tap_walk_next(struct tap_walk *w)
{
	struct tap_rule r = { .cfa = TAP_CFA_NONE };
	bool found;

	if (!w->only_fp)
		rule_of(w->frame.pc - !w->exact, w->exact, &r);
	if (r.cfa == TAP_CFA_END)
		return false;
	if (TAP_LIKELY(r.cfa >= TAP_CFA_SP))
		found = step_rule(w, &r);
	else
		found = r.cfa == TAP_CFA_SIGNAL ? step_signal(w) : step_frame_pointer(w);
	if (found && !w->frame.pc)
		return false;                   /* the first function of a thread says so too */
	if (!found)
		w->flags |= REC_STACK_STOPPED;
	return found;
}
