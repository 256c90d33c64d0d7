/*
 * collectors/nvtx/watch.c - which ranges are open, where a collector chooses by them
 *
 * The functions here stand in the program's slots before those that record, and only then (tap_ranges_wanted).
 *
 * Runs      in the calling thread of the traced program, also in its signal handlers.
 * Must not  allocate from the C library, lock, change errno.
 *
 * WATCH1  A thread's pushed ranges lie in memory of its own, one behind the other, of all domains; a pop takes the last
 *         one of its domain. The memory is taken over from a thread that is gone.
 * WATCH2  A started range has a slot that any thread may fill and empty. Its id is written last and taken away first,
 *         and no id comes twice: who reads the same id before and behind a copy has copied that range.
 * WATCH3  Names of domains and registered strings stay for ever, as they do in NVTX.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/nvtx/watch.h"

#include <string.h>

#include "collectors/collector.h"
#include "collectors/nvtx/record.h"
#include "collectors/ranges.h"
#include "trace/write/scratch.h"
#include "trace/write/sys.h"

/* ------------------------------------------------------------------ names */

enum { NAMES = 8192, NAMES_BYTES = 1 << 20, TEXT_MOST = 1024 };
enum kind { DOMAIN_NAME = 1, STRING_NAME };

/* WATCH3: key is kind and number, 0 while the entry is free; text behind its length. */
static struct { uint64_t key; const char *text; } names[NAMES];
static char *names_memory;
static uint32_t names_used;

static void no_room(void)
{
	TAP_DEGRADE(TAP_PART_CORE, "more NVTX ranges and names than --nvtx-include and --nvtx-exclude look at: "
				   "launches may be taken for others");
}

static void *memory(size_t bytes)
{
	return tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The program's text of a message, in UTF-8 and cut to TEXT_MOST bytes. */
static size_t text_of(struct tap_nvtx_message m, char to[TEXT_MOST + 4])
{
	const uint32_t *wide = m.at;
	size_t n = 0;

	if (m.type == REC_NVTX_TEXT) {
		n = strnlen(m.at, TEXT_MOST);
		memcpy(to, m.at, n);
	}
	for (; m.type == REC_NVTX_WIDE && *wide && n < TEXT_MOST; wide++) {
		uint32_t c = *wide;

		if (c >= 0x10000)
			to[n++] = (char)(0xf0 | (c >> 18 & 7));
		else if (c >= 0x800)
			to[n++] = (char)(0xe0 | c >> 12);
		else if (c >= 0x80)
			to[n++] = (char)(0xc0 | c >> 6);
		else
			to[n++] = (char)c;
		if (c >= 0x10000)
			to[n++] = (char)(0x80 | (c >> 12 & 63));
		if (c >= 0x800)
			to[n++] = (char)(0x80 | (c >> 6 & 63));
		if (c >= 0x80)
			to[n++] = (char)(0x80 | (c & 63));
	}
	if (n >= TEXT_MOST)
		TAP_DEGRADE(TAP_PART_CORE, "a name of NVTX is longer than 1024 bytes: --nvtx-include and "
					   "--nvtx-exclude look at the first 1024 of it");
	return n;
}

static void keep_name_by(char *text, enum kind kind, uint64_t id, struct tap_nvtx_message m)
{
	uint64_t key = (uint64_t)kind << 60 | id, free = 0;
	uint32_t at = (uint32_t)(key ^ key >> 60) % NAMES, place;
	char *mine = NULL;
	size_t n;

	if (!text) {
		no_room();
		return;
	}
	n = text_of(m, text);
	if (!TAP_READ_ONCE(names_memory)) {
		mine = memory(NAMES_BYTES);
		if (mine && !__atomic_compare_exchange_n(
				    &names_memory, &(char *){ NULL }, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			tap_sys_munmap(mine, NAMES_BYTES);
	}
	place = __atomic_fetch_add(&names_used, (uint32_t)n + 2, __ATOMIC_RELAXED);
	if (!names_memory || place > NAMES_BYTES - TEXT_MOST - 8) {
		no_room();
		return;
	}
	memcpy(names_memory + place, &(uint16_t){ (uint16_t)n }, 2);
	memcpy(names_memory + place + 2, text, n);
	for (uint32_t i = 0; i < NAMES; i++, at = (at + 1) % NAMES, free = 0)
		if (__atomic_compare_exchange_n(
			    &names[at].key, &free, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&names[at].text, names_memory + place, __ATOMIC_RELEASE);
			return;
		}
	no_room();
}

static void keep_name(enum kind kind, uint64_t id, struct tap_nvtx_message m)
{
	char *text = tap_scratch_take();

	keep_name_by(text, kind, id, m);
	tap_scratch_give(text);
}

static struct gc_word name_of(enum kind kind, uint64_t id)
{
	uint64_t key = (uint64_t)kind << 60 | id;
	uint32_t at = (uint32_t)(key ^ key >> 60) % NAMES;
	const char *text;
	uint16_t n;

	for (uint32_t i = 0; i < NAMES && TAP_READ_ONCE(names[at].key); i++, at = (at + 1) % NAMES) {
		text = __atomic_load_n(&names[at].text, __ATOMIC_ACQUIRE);
		if (names[at].key != key || !text)
			continue;
		memcpy(&n, text, 2);
		return (struct gc_word){ text + 2, n };
	}
	return (struct gc_word){ "", 0 };
}

/* A range's text where it can be kept. */
static size_t range_text(struct tap_nvtx_message m, char to[TEXT_MOST + 4])
{
	struct gc_word name;

	if (m.type != REC_NVTX_REGISTERED)
		return text_of(m, to);
	name = name_of(STRING_NAME, (uintptr_t)m.at);
	memcpy(to, name.at, name.bytes);
	return name.bytes;
}

/* ------------------------------------------------------------------ pushed */

enum { STACK_BYTES = 65536, THREADS = 4096 };

struct pushed { uint64_t domain; uint32_t bytes, before; };      /* before: bytes of the whole entry before it; text */
struct stack {
	uint32_t tid, used, last, lost;         /* last: where the last entry begins; lost: pushes without room */
	char entry[STACK_BYTES - 16];
};
static struct stack *stacks[THREADS];

static uint32_t whole(const struct pushed *p) { return (uint32_t)sizeof *p + (p->bytes + 7) / 8 * 8; }

static bool is_gone(uint32_t tid)
{
	return TAP_SYS(tgkill, tap_sys_getpid(), tid, 0, 0, 0, 0) == -3 /* ESRCH */;
}

/* WATCH1 */
static struct stack *take_over(uint32_t tid, uint16_t *place)
{
	struct stack *fresh = NULL;

	for (uint32_t i = 0; i < THREADS; i++) {
		struct stack *s = __atomic_load_n(&stacks[i], __ATOMIC_ACQUIRE), *none = NULL;
		uint32_t is;

		*place = (uint16_t)(i + 1);
		if (!s) {
			fresh = fresh ? fresh : memory(sizeof *fresh);
			if (!fresh)
				return NULL;
			fresh->tid = tid;
			if (__atomic_compare_exchange_n(
				    &stacks[i], &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return fresh;
			continue;
		}
		is = TAP_READ_ONCE(s->tid);
		if ((is == tid || is_gone(is)) && __atomic_compare_exchange_n(
				    &s->tid, &is, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			s->used = s->last = s->lost = 0;
			if (fresh)
				tap_sys_munmap(fresh, sizeof *fresh);
			return s;
		}
	}
	no_room();
	return NULL;
}

static struct stack *own_stack(bool make)
{
	uint16_t place = tap_tls.ranges;

	if (place)
		return stacks[place - 1];
	if (make && take_over(tap_sys_gettid(), &place))
		tap_tls.ranges = place;
	return tap_tls.ranges ? stacks[tap_tls.ranges - 1] : NULL;
}

static void push(uint64_t domain, struct tap_nvtx_message m)
{
	struct stack *s = own_stack(true);
	struct pushed p = { .domain = domain };
	char *text;

	if (!s)
		return;
	text = tap_scratch_take();
	p.bytes = text ? (uint32_t)range_text(m, text) : 0;
	p.before = s->used ? s->used - s->last : 0;
	if (!text || s->lost || s->used + whole(&p) > sizeof s->entry) {
		s->lost++;
		no_room();
		tap_scratch_give(text);
		return;
	}
	memcpy(s->entry + s->used, &p, sizeof p);
	memcpy(s->entry + s->used + sizeof p, text, p.bytes);
	s->last = s->used;
	s->used += whole(&p);
	tap_scratch_give(text);
}

static void pop(uint64_t domain)
{
	struct stack *s = own_stack(false);
	struct pushed *p, *next;
	uint32_t at, bytes;

	if (!s || !s->used)
		return;
	if (s->lost) {
		s->lost--;
		return;
	}
	for (at = s->last, p = (void *)(s->entry + at); p->domain != domain; p = (void *)(s->entry + at)) {
		if (!at)
			return;
		at -= p->before;
	}
	bytes = whole(p);
	if (at == s->last) {
		s->last = at - (at ? p->before : 0);
	} else {
		next = (void *)(s->entry + at + bytes);
		next->before = p->before;
		memmove(s->entry + at, s->entry + at + bytes, s->used - at - bytes);
		s->last -= bytes;
	}
	s->used -= bytes;
}

/* ------------------------------------------------------------------ started */

enum { STARTED = 256 };
/* WATCH2: id 0 is free, 1 being filled; others are links of records, which are larger. */
static struct { uint64_t id, domain; uint32_t bytes; char text[TEXT_MOST + 4]; } started[STARTED];

static void start(uint64_t domain, uint64_t id, struct tap_nvtx_message m)
{
	for (uint32_t i = 0; id > 1 && i < STARTED; i++) {
		uint64_t free = 0;

		if (!__atomic_compare_exchange_n(&started[i].id, &free, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		started[i].domain = domain;
		started[i].bytes = (uint32_t)range_text(m, started[i].text);
		__atomic_store_n(&started[i].id, id, __ATOMIC_RELEASE);
			return;
	}
	if (id > 1)
		no_room();
}

static void end(uint64_t id)
{
	for (uint32_t i = 0; id > 1 && i < STARTED; i++)
		if (TAP_READ_ONCE(started[i].id) == id) {
			__atomic_store_n(&started[i].id, 0, __ATOMIC_RELEASE);
					return;
		}
}

/* ------------------------------------------------------------------ asked */

enum { DEEP = STACK_BYTES / sizeof(struct pushed) };             /* as many as a stack has room for */
static struct {
	char text[STARTED * 64];
	struct gc_word pushed[DEEP], started[STARTED];
	struct { uint64_t domain; struct gc_word text; } copy[STARTED];
	uint32_t n;
} asked;

static void copy_started(void)
{
	uint32_t used = 0;

	asked.n = 0;
	for (uint32_t i = 0; i < STARTED; i++) {
		uint64_t id = __atomic_load_n(&started[i].id, __ATOMIC_ACQUIRE), domain = started[i].domain;
		uint32_t n = started[i].bytes;

		if (id <= 1)
			continue;
		if (n > sizeof asked.text - used) {
			no_room();
			break;
		}
		memcpy(asked.text + used, started[i].text, n);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (TAP_READ_ONCE(started[i].id) != id)
			continue;
		asked.copy[asked.n].domain = domain;
		asked.copy[asked.n++].text = (struct gc_word){ asked.text + used, n };
		used += n;
	}
}

static bool ask(uint64_t domain, const struct stack *s, bool (*take)(void *, const struct gc_nvtx_open *), void *ctx)
{
	struct gc_word name = domain ? name_of(DOMAIN_NAME, domain) : (struct gc_word){ NULL, 0 };
	struct gc_nvtx_open open = { name.at, name.bytes, asked.pushed, asked.started, 0, 0 };

	for (uint32_t at = 0; s && at < s->used && open.n_pushed < DEEP;) {
		const struct pushed *p = (const void *)(s->entry + at);

		if (p->domain == domain)
			asked.pushed[open.n_pushed++] = (struct gc_word){ (const char *)(p + 1), p->bytes };
		at += whole(p);
	}
	for (uint32_t i = 0; i < asked.n; i++)
		if (asked.copy[i].domain == domain)
			asked.started[open.n_started++] = asked.copy[i].text;
	return take(ctx, &open);
}

void tap_nvtx_ranges_open(bool (*take)(void *ctx, const struct gc_nvtx_open *domain), void *ctx)
{
	const struct stack *s = own_stack(false);
	uint64_t seen[64] = { 0 };              /* the default domain is the first */
	uint32_t n = 1;

	copy_started();
	for (uint32_t at = 0; s && at < s->used; at += whole((const void *)(s->entry + at))) {
		uint64_t domain = ((const struct pushed *)(const void *)(s->entry + at))->domain;
		bool new = true;

		for (uint32_t i = 0; i < n && new; i++)
			new = seen[i] != domain;
		if (new && n < 64)
			seen[n++] = domain;
	}
	for (uint32_t k = 0; k < asked.n; k++) {
		bool new = true;

		for (uint32_t i = 0; i < n && new; i++)
			new = seen[i] != asked.copy[k].domain;
		if (new && n < 64)
			seen[n++] = asked.copy[k].domain;
	}
	for (uint32_t i = 0; i < n && ask(seen[i], s, take, ctx); i++)
		;
}

/* ------------------------------------------------------------------ in the program's slots */

/* What stood there: the same for every client. */
static struct {
	uint64_t (*start_ex)(const struct nvtx_event *);
	uint64_t (*start_a)(const char *);
	uint64_t (*start_w)(const void *);
	void (*end)(uint64_t);
	int (*push_ex)(const struct nvtx_event *);
	int (*push_a)(const char *);
	int (*push_w)(const void *);
	int (*pop)(void);
	uint64_t (*domain_start)(uint64_t, const struct nvtx_event *);
	void (*domain_end)(uint64_t, uint64_t);
	int (*domain_push)(uint64_t, const struct nvtx_event *);
	int (*domain_pop)(uint64_t);
	uint64_t (*register_a)(uint64_t, const char *);
	uint64_t (*register_w)(uint64_t, const void *);
	uint64_t (*create_a)(const char *);
	uint64_t (*create_w)(const void *);
} plain;

static struct tap_nvtx_message ascii(const char *text) { return tap_nvtx_message(NVTX_ABI_ASCII, text); }
static struct tap_nvtx_message wide(const void *text) { return tap_nvtx_message(NVTX_ABI_WIDE, text); }

static struct tap_nvtx_message message_of(const struct nvtx_event *e)
{
	return e && e->size >= offsetof(struct nvtx_event, message) + sizeof e->message
		? tap_nvtx_message(e->message_type, e->message) : (struct tap_nvtx_message){ 0 };
}

static void changed(void)
{
	if (tap_ranges_changed)
		tap_ranges_changed();
}

static void pushed(uint64_t domain, struct tap_nvtx_message m)
{
	push(domain, m);
	changed();
}

static void popped(uint64_t domain)
{
	pop(domain);
	changed();
}

static int push_ex(const struct nvtx_event *e) { pushed(0, message_of(e)); return plain.push_ex(e); }
static int push_a(const char *m) { pushed(0, ascii(m)); return plain.push_a(m); }
static int push_w(const void *m) { pushed(0, wide(m)); return plain.push_w(m); }
static int pop_default(void) { popped(0); return plain.pop(); }
static int domain_push(uint64_t d, const struct nvtx_event *e)
{
	pushed(d, message_of(e));
	return plain.domain_push(d, e);
}
static int domain_pop(uint64_t d) { popped(d); return plain.domain_pop(d); }

static uint64_t started_as(uint64_t domain, uint64_t id, struct tap_nvtx_message m)
{
	start(domain, id, m);
	changed();
	return id;
}
static uint64_t start_ex(const struct nvtx_event *e) { return started_as(0, plain.start_ex(e), message_of(e)); }
static uint64_t start_a(const char *m) { return started_as(0, plain.start_a(m), ascii(m)); }
static uint64_t start_w(const void *m) { return started_as(0, plain.start_w(m), wide(m)); }
static void ended(uint64_t id)
{
	end(id);
	changed();
}
static void end_default(uint64_t id) { ended(id); plain.end(id); }
static void domain_end(uint64_t d, uint64_t id) { ended(id); plain.domain_end(d, id); }
static uint64_t domain_start(uint64_t d, const struct nvtx_event *e)
{
	return started_as(d, plain.domain_start(d, e), message_of(e));
}

static uint64_t named(enum kind kind, uint64_t id, struct tap_nvtx_message m)
{
	keep_name(kind, id, m);
	return id;
}
static uint64_t register_a(uint64_t d, const char *m) { return named(STRING_NAME, plain.register_a(d, m), ascii(m)); }
static uint64_t register_w(uint64_t d, const void *m) { return named(STRING_NAME, plain.register_w(d, m), wide(m)); }
static uint64_t create_a(const char *m) { return named(DOMAIN_NAME, plain.create_a(m), ascii(m)); }
static uint64_t create_w(const void *m) { return named(DOMAIN_NAME, plain.create_w(m), wide(m)); }

/* Numbers of the slots: collectors/nvtx/collector.c. */
static const struct { uint32_t module, slot; nvtx_function mine, *before; } watched[] = {
#define WATCHED(module, slot, name, own) { module, slot, (nvtx_function)own, (nvtx_function *)&plain.name }
	WATCHED(NVTX_ABI_CORE, 4, start_ex, start_ex), WATCHED(NVTX_ABI_CORE, 5, start_a, start_a),
	WATCHED(NVTX_ABI_CORE, 6, start_w, start_w), WATCHED(NVTX_ABI_CORE, 7, end, end_default),
	WATCHED(NVTX_ABI_CORE, 8, push_ex, push_ex), WATCHED(NVTX_ABI_CORE, 9, push_a, push_a),
	WATCHED(NVTX_ABI_CORE, 10, push_w, push_w), WATCHED(NVTX_ABI_CORE, 11, pop, pop_default),
	WATCHED(NVTX_ABI_CORE2, 2, domain_start, domain_start), WATCHED(NVTX_ABI_CORE2, 3, domain_end, domain_end),
	WATCHED(NVTX_ABI_CORE2, 4, domain_push, domain_push), WATCHED(NVTX_ABI_CORE2, 5, domain_pop, domain_pop),
	WATCHED(NVTX_ABI_CORE2, 10, register_a, register_a), WATCHED(NVTX_ABI_CORE2, 11, register_w, register_w),
	WATCHED(NVTX_ABI_CORE2, 12, create_a, create_a), WATCHED(NVTX_ABI_CORE2, 13, create_w, create_w),
#undef WATCHED
};

void tap_nvtx_watch(uint32_t module, nvtx_function **slots, unsigned n)
{
	for (size_t i = 0; tap_ranges_wanted && i < sizeof watched / sizeof *watched; i++) {
		if (watched[i].module != module || watched[i].slot >= n || !slots[watched[i].slot])
			continue;
		*watched[i].before = *slots[watched[i].slot];
		*slots[watched[i].slot] = watched[i].mine;
	}
}

void tap_nvtx_watch_push(uint64_t domain) { pushed(domain, (struct tap_nvtx_message){ 0 }); }
void tap_nvtx_watch_pop(uint64_t domain) { popped(domain); }
