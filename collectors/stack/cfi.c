/*
 * collectors/stack/cfi.c - how the caller of an instruction is found: the unwind tables that compilers write
 *
 * Every object has them for exceptions (.eh_frame with a sorted index, .eh_frame_hdr). A table is a small program that
 * says, instruction by instruction, where the caller's stack pointer (CFA), frame pointer and return address stand. We
 * follow the three that a walk needs; a function whose CFA comes from another register, or from an expression that no
 * compiler is known to write, is left to the frame pointer.
 *
 * Runs      in the calling thread of the traced program, in signal handlers too; over tables of an object that has code
 *           on this thread's stack, and so is loaded.
 * Must not  allocate, lock, make a system call, change errno.
 *
 * Format: DWARF 5 section 6.4 and the Linux Standard Base's .eh_frame and .eh_frame_hdr.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "collectors/stack/internal.h"

#if defined(__x86_64__)
enum { REG_FP = 6, REG_SP = 7, REG_RA = 16 };
#else
enum { REG_FP = 29, REG_SP = 31, REG_RA = 30 };
#endif

/* ------------------------------------------------------------------ encodings */

struct bytes { const uint8_t *at, *end; };

static uint64_t fixed(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->at) < n) {
		b->at = b->end;
		return 0;
	}
	memcpy(&v, b->at, n);
	b->at += n;
	return v;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; b->at < b->end; shift += 7) {
		uint8_t byte = *b->at++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

static int64_t sleb(struct bytes *b)
{
	uint64_t v = 0;
	uint8_t byte = 0;
	unsigned shift = 0;

	while (b->at < b->end) {
		byte = *b->at++;
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	if (shift < 64 && byte & 0x40)
		v |= ~0ull << shift;
	return (int64_t)v;
}

/* DW_EH_PE_: the low half byte is the form, the next three bits what it counts from. */
static uint64_t pointer(struct bytes *b, uint8_t encoding, uintptr_t data)
{
	uintptr_t here = (uintptr_t)b->at;
	uint64_t v;

	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x0c: v = fixed(b, 8); break;
	case 0x01: v = uleb(b); break;
	case 0x02: v = fixed(b, 2); break;
	case 0x03: v = fixed(b, 4); break;
	case 0x09: v = (uint64_t)sleb(b); break;
	case 0x0a: v = (uint64_t)(int64_t)(int16_t)fixed(b, 2); break;
	case 0x0b: v = (uint64_t)(int64_t)(int32_t)fixed(b, 4); break;
	default: b->at = b->end; return 0;
	}
	switch (encoding & 0x70) {
	case 0x10: return v + here;
	case 0x30: return v + data;
	}
	return v;
}

/* ---------------------------------------------------------------- the entries */

struct entry {                                  /* one function's, with what it shares with others */
	uintptr_t start;                        /* first instruction */
	uint64_t code_step;
	int64_t data_step;
	uint8_t encoding;                       /* of addresses */
	bool signal;                            /* a handler returns here */
	bool sized;                             /* what is not a program says how long it is */
	struct bytes shared, own;               /* programs */
};

/*
 * CFI1  Tables may be damaged, or none at all (what packs and patches programs leaves such): no byte is read outside of
 *       a loaded segment, and for an object whose program headers are not where they are expected, outside of it.
 */
static struct bytes segment_of(const struct tap_object *o, uintptr_t address)
{
	const ElfW(Ehdr) *h = (const void *)o->start;
	const ElfW(Phdr) *p;
	struct bytes whole = { (const uint8_t *)o->start, (const uint8_t *)o->end };

	if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_phentsize != sizeof *p || h->e_phoff % sizeof(uintptr_t) ||
		h->e_phoff > 4096 || h->e_phnum > (4096 - h->e_phoff) / sizeof *p)
		return whole;
	p = (const void *)(o->start + h->e_phoff);
	for (unsigned i = 0; i < h->e_phnum; i++) {
		uintptr_t at = o->bias + p[i].p_vaddr;

		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_R && address - at < p[i].p_memsz)
			return (struct bytes){ (const uint8_t *)at, (const uint8_t *)(at + p[i].p_memsz) };
	}
	return (struct bytes){ NULL, NULL };
}

static bool is_in(const struct bytes *all, uintptr_t at, uint64_t n)
{
	return at >= (uintptr_t)all->at && at <= (uintptr_t)all->end && n <= (uintptr_t)all->end - at;
}

/* The last function that begins at or before pc. The index is sorted and counts from its own beginning. */
static uintptr_t search(uintptr_t pc, const uint8_t *tables, const struct bytes *all)
{
	struct bytes b = { tables + 4, all->end };
	int64_t key = (int64_t)(pc - (uintptr_t)tables);
	uint64_t n, low = 0, high;
	const int32_t *index;

	/* 0x3b: sdata4, counted from the tables */
	if (!is_in(all, (uintptr_t)tables, 12) || tables[0] != 1 || tables[3] != 0x3b)
		return 0;
	pointer(&b, tables[1], (uintptr_t)tables);
	n = high = pointer(&b, tables[2], (uintptr_t)tables);
	index = (const int32_t *)(const void *)b.at;
	if (!n || (uintptr_t)index % sizeof *index || n > (uint64_t)(b.end - b.at) / 8 || index[0] > key)
		return 0;
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;

		if (index[2 * middle] <= key)
			low = middle;
		else
			high = middle;
	}
	return (uintptr_t)tables + (uintptr_t)(intptr_t)index[2 * low + 1];
}

/* CFI1: empty where it does not lie in `all`. */
static struct bytes body(uintptr_t at, const struct bytes *all)
{
	const uint8_t *begin = (const uint8_t *)at + 4;
	uint32_t bytes;

	if (!is_in(all, at, 4))
		return (struct bytes){ all->at, all->at };
	memcpy(&bytes, begin - 4, 4);
	/* 0xffffffff: the 64-bit form, which .eh_frame does not have in practice */
	return (struct bytes){ begin, is_in(all, at + 4, bytes) ? begin + bytes : begin };
}

/* Behind so many bytes more. */
static const uint8_t *behind(const struct bytes *b, uint64_t bytes)
{
	return bytes < (uint64_t)(b->end - b->at) ? b->at + bytes : b->end;
}

static bool read_shared(struct entry *e, uintptr_t at, const struct bytes *all)
{
	struct bytes b = body(at, all);
	const char *letter;
	uint8_t version;

	fixed(&b, 4);
	version = (uint8_t)fixed(&b, 1);
	letter = (const char *)b.at;
	b.at += strnlen(letter, (size_t)(b.end - b.at)) + 1;
	if (b.at >= b.end || (version != 1 && version != 3))
		return false;
	e->code_step = uleb(&b);
	e->data_step = sleb(&b);
	if (version == 1)
		fixed(&b, 1);
	else
		uleb(&b);
	for (uint64_t bytes; *letter; letter++)
		switch (*letter) {
		case 'z': bytes = uleb(&b), e->sized = true, e->shared.at = behind(&b, bytes); break;
		case 'R': e->encoding = (uint8_t)fixed(&b, 1); break;
		case 'P': pointer(&b, (uint8_t)fixed(&b, 1), 0); break;
		case 'L': fixed(&b, 1); break;
		case 'S': e->signal = true; break;
		case 'B': break;                        /* return addresses signed with the second key */
		default: return false;
		}
	if (!e->sized)
		e->shared.at = b.at;
	e->shared.end = b.end;
	return true;
}

/* False: pc is not in the function. */
static bool read_entry(struct entry *e, uintptr_t at, uintptr_t pc, const struct bytes *all)
{
	struct bytes b = body(at, all);
	uint64_t back = fixed(&b, 4), bytes;

	if (!back || !read_shared(e, at + 4 - back, all))
		return false;
	e->start = pointer(&b, e->encoding, 0);
	bytes = pointer(&b, e->encoding & 0x0f, 0);
	if (pc < e->start || pc - e->start >= bytes)
		return false;
	bytes = e->sized ? uleb(&b) : 0;
	e->own = (struct bytes){ behind(&b, bytes), b.end };
	return true;
}

/* ---------------------------------------------------------------- the programs */

struct place { uint8_t how; bool undefined, unknown; int64_t at; };
struct row {                                    /* what holds at one instruction */
	uint8_t cfa_kind;                       /* enum tap_cfa, SP for any register */
	uint64_t cfa_register;
	int64_t cfa_at;
	struct place fp, ra;
};

#define REMEMBERED 8

struct machine {
	const struct entry *e;
	uintptr_t pc, location;
	struct row row, first, kept[REMEMBERED];
	struct place other;                     /* of a register that no walk needs */
	unsigned n_kept;
	bool failed;
};

static struct place *place_of(struct machine *m, uint64_t reg)
{
	return reg == REG_FP ? &m->row.fp : reg == REG_RA ? &m->row.ra : &m->other;
}

static void set(struct machine *m, uint64_t reg, struct place p) { *place_of(m, reg) = p; }

static void restore(struct machine *m, uint64_t reg)
{
	set(m, reg, reg == REG_FP ? m->first.fp : m->first.ra);
}

/* What gcc writes where it aligns the stack: the register itself, or what stands at it. */
static void cfa_expression(struct machine *m, struct bytes x)
{
	uint8_t op = (uint8_t)fixed(&x, 1);
	int64_t at = sleb(&x);

	if (op == 0x77 && x.end - x.at == 9 && x.at[0] == 0x80 && !x.at[1] && !memcmp(x.at + 2, "\x3f\x1a", 2) &&
		!memcmp(x.at + 5, "\x2a\x33\x24\x22", 4)) {
		/* an entry of the procedure linkage table: 8 bytes more from its push on */
		m->row.cfa_kind = TAP_CFA_SP;
		m->row.cfa_register = REG_SP;
		m->row.cfa_at = at + ((m->pc & 15) >= (uintptr_t)(x.at[4] - 0x30) ? 8 : 0);
		return;
	}
	m->row.cfa_register = (uint64_t)op - 0x70;
	m->row.cfa_at = at;
	m->row.cfa_kind = x.at == x.end ? TAP_CFA_SP : TAP_CFA_NONE;
	if (x.end - x.at == 1 && *x.at == 0x06 /* deref */ && m->row.cfa_register == REG_FP)
		m->row.cfa_kind = TAP_CFA_FP_LOAD;
}

static void register_expression(struct machine *m, uint64_t reg, struct bytes x)
{
	uint8_t op = (uint8_t)fixed(&x, 1);
	int64_t at = sleb(&x);

	if (op == 0x70 + REG_FP && x.at == x.end)
		set(m, reg, (struct place){ .how = TAP_AT_FP, .at = at });
	else
		set(m, reg, (struct place){ .unknown = true });
}

static struct bytes block(struct bytes *b)
{
	uint64_t n = uleb(b), left = (uint64_t)(b->end - b->at);
	struct bytes x = { b->at, b->at + (n < left ? n : left) };

	b->at = x.end;
	return x;
}

static void remember(struct machine *m)
{
	if (m->n_kept < REMEMBERED)
		m->kept[m->n_kept++] = m->row;
	else
		m->failed = true;
}

static void define(struct machine *m, uint64_t reg, int64_t at)
{
	m->row.cfa_kind = TAP_CFA_SP;
	m->row.cfa_register = reg;
	m->row.cfa_at = at;
}

/* DW_CFA_ operations that stand in a whole byte. */
static void operation(struct machine *m, uint8_t op, struct bytes *b)
{
	const struct entry *e = m->e;
	uint64_t reg;

	switch (op) {
	case 0x00: break;
	case 0x01: m->location = pointer(b, e->encoding, 0); break;
	case 0x02: m->location += fixed(b, 1) * e->code_step; break;
	case 0x03: m->location += fixed(b, 2) * e->code_step; break;
	case 0x04: m->location += fixed(b, 4) * e->code_step; break;
	case 0x05: reg = uleb(b);
		set(m, reg, (struct place){ .how = TAP_AT_CFA, .at = (int64_t)uleb(b) * e->data_step }); break;
	case 0x06: restore(m, uleb(b)); break;
	case 0x07: set(m, uleb(b), (struct place){ .undefined = true }); break;
	case 0x08: set(m, uleb(b), (struct place){ .how = TAP_KEPT }); break;
	case 0x09: reg = uleb(b), uleb(b);
		set(m, reg, (struct place){ .unknown = true }); break;
	case 0x0a: remember(m); break;
	case 0x0b:
		if (m->n_kept)
			m->row = m->kept[--m->n_kept];
		break;
	case 0x0c: reg = uleb(b), define(m, reg, (int64_t)uleb(b)); break;
	case 0x0d: define(m, uleb(b), m->row.cfa_at); break;
	case 0x0e: m->row.cfa_at = (int64_t)uleb(b); break;
	case 0x0f: cfa_expression(m, block(b)); break;
	case 0x10: reg = uleb(b), register_expression(m, reg, block(b)); break;
	case 0x11: reg = uleb(b);
		set(m, reg, (struct place){ .how = TAP_AT_CFA, .at = sleb(b) * e->data_step }); break;
	case 0x12: reg = uleb(b), define(m, reg, sleb(b) * e->data_step); break;
	case 0x13: m->row.cfa_at = sleb(b) * e->data_step; break;
	case 0x14: case 0x15: reg = uleb(b), uleb(b);   /* the value itself, not where it stands */
		set(m, reg, (struct place){ .unknown = true }); break;
	case 0x16: reg = uleb(b), block(b);
		set(m, reg, (struct place){ .unknown = true }); break;
	case 0x2d: break;                               /* return address signed from here on, or not */
	case 0x2e: uleb(b); break;                      /* bytes of arguments on the stack */
	default: m->failed = true;
	}
}

/* Up to the row of pc. */
static void run(struct machine *m, struct bytes b)
{
	m->location = m->e->start;
	while (b.at < b.end && !m->failed) {
		uint8_t op = *b.at++;
		uint64_t low = op & 0x3f;

		switch (op >> 6) {
		case 1: m->location += low * m->e->code_step; break;
		case 2:
			set(m, low, (struct place){ .how = TAP_AT_CFA, .at = (int64_t)uleb(&b) * m->e->data_step });
			break;
		case 3: restore(m, low); break;
		default: operation(m, op, &b);
		}
		if (m->location > m->pc)
			return;
	}
}

static bool small(int64_t v) { return v == (int32_t)v; }

static void make_rule(const struct machine *m, struct tap_rule *rule)
{
	const struct row *r = &m->row;

	if (r->ra.undefined) {
		rule->cfa = TAP_CFA_END;
		return;
	}
	if (m->failed || r->fp.unknown || r->ra.unknown || !small(r->cfa_at) || !small(r->fp.at) || !small(r->ra.at))
		return;
	if (r->cfa_kind == TAP_CFA_SP && r->cfa_register != REG_SP && r->cfa_register != REG_FP)
		return;
	rule->cfa = r->cfa_kind == TAP_CFA_SP && r->cfa_register == REG_FP ? TAP_CFA_FP : r->cfa_kind;
	rule->cfa_at = (int32_t)r->cfa_at;
	rule->fp_saved = r->fp.how;
	rule->fp_at = (int32_t)r->fp.at;
	rule->ra_saved = r->ra.how;
	rule->ra_at = (int32_t)r->ra.at;
}

void tap_cfi_rule(uintptr_t pc, const struct tap_object *o, struct tap_rule *rule)
{
	struct bytes all = { NULL, NULL };
	uintptr_t at = 0;
	struct entry e = { .encoding = 0 };
	struct machine m;

	*rule = (struct tap_rule){ .cfa = TAP_CFA_NONE };
	if (o->tables) {
		all = segment_of(o, (uintptr_t)o->tables);
		at = search(pc, o->tables, &all);
		all = segment_of(o, at);
	}
	if (!at || !read_entry(&e, at, pc, &all))
		return;
	if (e.signal) {
		rule->cfa = TAP_CFA_SIGNAL;
		return;
	}
	m.e = &e;
	m.pc = pc;
	m.n_kept = 0;
	m.failed = false;
	m.row = (struct row){ .cfa_kind = TAP_CFA_NONE };
	run(&m, e.shared);
	m.first = m.row;
	run(&m, e.own);
	make_rule(&m, rule);
}
