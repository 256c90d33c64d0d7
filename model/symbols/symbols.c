/*
 * model/symbols/symbols.c - frames of a stack: what is known of each of its addresses
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/symbols/demangle.h"
#include "model/internal.h"
#include "model/symbols/internal.h"

/*
 * Frames of one address of a file: more than one where functions are inlined. All processes that loaded the file share
 * them, so a frame says nothing here of the object or the address in a process; copy_frame adds that.
 *
 * opened, name: file of the object, and what frames without a function are called by (gt_frame_module). opened NULL:
 * in no object, and the address is one of that process.
 */
struct found {
	struct gt_opened *opened;
	const char *name;
	uint64_t at;                      /* in the file, of the call */
	uint32_t back, process;
	uint32_t n;
	struct gt_frame *frames;
};
struct stacked { uint32_t n; struct gt_frame *frames; };
struct process_jit { bool opened; struct gt_jit *map; };

struct gt_symbols {
	pthread_mutex_t lock;
	struct gt_opened **objects; uint32_t n_objects; /* by module; NULL: nobody asked for an address of it */
	struct gt_opened_files files;
	struct process_jit *jit; uint32_t n_jit, jit_lines; /* lines of maps that may still be kept */
	struct stacked *stacks; uint32_t n_stacks;
	struct gt_map map;                /* struct found */
	struct gt_arena arena;
	struct gt_symbols_found count;
};

static struct gt_symbols *symbols_new(const struct gt_model *m)
{
	struct gt_symbols *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	s->n_objects = gt_model_module_count(m);
	s->n_jit = m->n_processes;
	s->jit_lines = GT_JIT_LINES;
	s->n_stacks = gt_model_stack_count(m);
	s->objects = calloc(s->n_objects + 1, sizeof *s->objects);
	s->jit = calloc(s->n_jit + 1, sizeof *s->jit);
	s->stacks = calloc(s->n_stacks + 1, sizeof *s->stacks);
	if (s->objects && s->jit && s->stacks)
		return s;
	free(s->objects);
	free(s->jit);
	free(s->stacks);
	free(s);
	return NULL;
}

/* The model is one; who comes first makes it. */
static struct gt_symbols *symbols_of(struct gt_model *m)
{
	struct gt_symbols *s = __atomic_load_n(&m->symbols, __ATOMIC_ACQUIRE), *fresh;

	if (s || !(fresh = symbols_new(m)))
		return s;
	if (__atomic_compare_exchange_n(&m->symbols, &s, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return fresh;
	free(fresh->objects);
	free(fresh->jit);
	free(fresh->stacks);
	free(fresh);
	return s;
}

void gt_symbols_free(struct gt_model *m)
{
	struct gt_symbols *s = m->symbols;

	if (!s)
		return;
	gt_opened_free(&s->files);
	for (uint32_t i = 0; i < s->n_jit; i++)
		gt_jit_close(s->jit[i].map);
	free(s->objects);
	free(s->jit);
	free(s->stacks);
	gt_map_free(&s->map, sizeof(struct found));
	gt_arena_free(&s->arena);
	pthread_mutex_destroy(&s->lock);
	free(s);
	m->symbols = NULL;
}

/* -------------------------------------------------------------------- one address */

static const char *path_end(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What the kernel maps has no file ("linux-vdso.so.1"). */
static void count_object(struct gt_symbols *s, const struct gt_module *module, bool found)
{
	if (!strchr(module->path, '/'))
		return;
	s->count.modules++;
	if (!found && s->count.missing < GT_SYMBOLS_TOLD)
		s->count.first[s->count.missing] = module->path;
	s->count.missing += !found;
}

static struct gt_opened *opened_of(struct gt_model *m, struct gt_symbols *s, uint32_t index)
{
	const struct gt_module *module = gt_model_module(m, index);
	struct gt_opened **o = &s->objects[index];

	if (*o)
		return *o;
	*o = gt_opened_of(&s->files, module, gt_model_process(m, module->process)->cwd);
	count_object(s, module, (*o)->file.fd >= 0 || (*o)->debug.fd >= 0);
	return *o;
}

static struct gt_string keep_name(struct gt_symbols *s, const char *name)
{
	char *demangled = gt_demangle(name);
	const char *text = demangled ? demangled : name;
	/* "name@@VERSION" */
	size_t bytes = demangled ? strlen(text) : strcspn(text, "@");
	struct gt_string kept = { gt_arena_copy(&s->arena, text, bytes), bytes };

	free(demangled);
	return kept.text ? kept : (struct gt_string){ "", 0 };
}

static bool put_place(struct gt_symbols *s, const struct gt_frame *f, uint64_t address, struct gt_string *out)
{
	char text[256];
	int n = snprintf(text, sizeof text, "%.200s%s0x%llx", gt_frame_module(f), f->module ? "+" : "",
		(unsigned long long)address);

	*out = (struct gt_string){ gt_arena_copy(&s->arena, text, (size_t)n), (size_t)n };
	return out->text != NULL;
}

/* What a frame is called where a name is needed. file: of its object; NULL: in none. */
static bool put_label(struct gt_symbols *s, struct gt_elf *file, struct gt_frame *f)
{
	uint64_t begin;

	f->resolved = f->function.bytes;
	f->label = f->function;
	if (!f->resolved && !put_place(s, f, f->file_address, &f->label))
		return false;
	f->group = f->label;
	if (f->resolved || !file || !gt_elf_begin(file, f->file_address, &begin))
		return true;
	return put_place(s, f, begin, &f->group);
}

/* The outermost: the function that is there, of the symbol table or else of the debug information. */
static void fill_function(struct gt_symbols *s, const struct gt_opened *o, uint64_t at, const struct gt_place_of *place,
	struct gt_frame *f)
{
	const struct gt_elf_function *fn = gt_elf_find(&o->debug, at);

	if (!fn)
		fn = gt_elf_find(&o->file, at);
	if (fn) {
		f->function = keep_name(s, fn->name);
		f->displacement = at - fn->start;
	} else if (place && (place->linkage || place->function)) {
		f->function = keep_name(s, place->linkage ? place->linkage : place->function);
	}
}

static void fill_place(const struct gt_place_of *place, struct gt_frame *f)
{
	f->file = place->file;
	f->line = place->line;
}

/* Frames of an address in an object; module: one of those that are this file. */
static bool find_in_object(struct gt_symbols *s, struct found *found, const struct gt_module *module)
{
	struct gt_opened *o = found->opened;
	uint64_t at = found->at;
	struct gt_place_of place[GT_INLINED_MOST];
	uint32_t n = o->lines ? gt_lines_find(o->lines, at, place) : 0;

	found->n = n ? n : 1;
	found->frames = gt_arena_alloc(&s->arena, found->n * sizeof *found->frames);
	if (!found->frames)
		return false;
	for (uint32_t i = 0; i < found->n; i++) {
		struct gt_frame *f = &found->frames[i];

		*f = (struct gt_frame){
			.function = { "", 0 }, .module = module, .file_address = at, .inlined = i + 1 < found->n
		};
		if (n)
			fill_place(&place[i], f);
		if (f->inlined && (place[i].linkage || place[i].function))
			f->function = keep_name(s, place[i].linkage ? place[i].linkage : place[i].function);
		else if (!f->inlined)
			fill_function(s, o, at, n ? &place[i] : NULL, f);
		f->displacement += !f->inlined && f->displacement ? found->back : 0;
		if (!put_label(s, &o->file, f))
			return false;
	}
	return true;
}

static bool find_in_none(struct gt_model *m, struct gt_symbols *s, struct found *found)
{
	struct process_jit *jit = &s->jit[found->process];
	const struct gt_process *p = gt_model_process(m, found->process);
	uint64_t address = found->at, start = 0;
	const char *name;

	if (!jit->opened) {
		jit->opened = true;
		jit->map = gt_jit_open(p->pid, gt_reader_owner(m->reader, found->process),
			m->session.utc_ns + p->start_ns, &s->jit_lines);
	}
	name = gt_jit_find(jit->map, address, &start);
	found->n = 1;
	found->frames = gt_arena_alloc(&s->arena, sizeof *found->frames);
	if (!found->frames)
		return false;
	*found->frames = (struct gt_frame){ .function = { "", 0 }, .file_address = address };
	if (name) {
		found->frames->function = keep_name(s, name);
		found->frames->displacement = address - start;
	}
	return put_label(s, NULL, found->frames);
}

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct found *x = element, *y = key;

	(void)ctx;
	return x->at == y->at && x->opened == y->opened && x->back == y->back && x->process == y->process &&
		!strcmp(x->name, y->name);
}

static uint64_t hash_of(const struct found *f)
{
	return gt_hash(gt_hash(gt_hash(GT_HASH, f->at), (uintptr_t)f->opened), (uint64_t)f->process << 1 | f->back);
}

/* back: 1 for a return address, which stands behind its call. */
static struct found key_of(struct gt_model *m, struct gt_symbols *s, const struct gt_stack *k, uint32_t i)
{
	const struct gt_module *module = gt_model_module(m, gt_stack_module(k, i));
	uint32_t back = !(k->module[i] & GT_STACK_INTERRUPTED);

	if (!module)
		return (struct found){ .name = "", .at = k->address[i], .process = k->process };
	return (struct found){ .opened = opened_of(m, s, module->index), .name = path_end(module->path),
		.at = k->address[i] - module->bias - back, .back = back };
}

static const struct found *find(struct gt_model *m, struct gt_symbols *s, const struct gt_stack *k, uint32_t i)
{
	struct found key = key_of(m, s, k, i), *at;
	const struct gt_module *module = gt_model_module(m, gt_stack_module(k, i));
	bool fresh;

	at = gt_map_add(&s->map, sizeof *at, hash_of(&key), &key, same, NULL, &fresh);
	if (!at || !fresh)
		return at;
	*at = key;
	/* names and lines have no other way to tell that a part is missing for want of memory */
	errno = 0;
	if (!(module ? find_in_object(s, at, module) : find_in_none(m, s, at)) || errno == ENOMEM) {
		at->n = 0;
		return at;
	}
	s->count.addresses++;
	s->count.named += at->frames[at->n - 1].resolved;
	s->count.lined += at->frames[0].line != 0;
	return at;
}

/* ------------------------------------------------------------------------ stacks */

/* Frames of a stack being put together; where v is NULL they are only counted. */
struct put { struct gt_model *m; const struct gt_stack *k; struct gt_frame *v; uint32_t n, python; };

/* What was found of an address, as the stack's process has it. */
static struct gt_frame copy_frame(const struct put *p, const struct gt_frame *found, uint32_t i)
{
	struct gt_frame f = *found;

	f.address = p->k->address[i];
	f.module = gt_model_module(p->m, gt_stack_module(p->k, i));
	return f;
}

/* The functions of Python that one C function of the interpreter ran. */
static void put_python(struct put *p, const struct gt_frame *in)
{
	bool last = false;

	while (p->python < p->k->n_python && !last) {
		const struct gt_python_place *place = &p->k->python[p->python++];

		last = place->at & REC_PYTHON_ENTERED;
		if (p->v) {
			gt_python_frame(p->m, place, in, &p->v[p->n]);
			p->v[p->n].inlined = in && !last && p->python < p->k->n_python;
		}
		p->n++;
	}
}

static void put_found(struct put *p, const struct found *f, uint32_t i)
{
	const struct gt_frame outer = copy_frame(p, &f->frames[f->n - 1], i);

	if (p->k->n_python && gt_python_trampoline(&outer))
		return;
	if (p->python < p->k->n_python && gt_python_evaluates(&outer)) {
		put_python(p, &outer);
		return;
	}
	for (uint32_t inlined = 0; p->v && inlined < f->n; inlined++)
		p->v[p->n + inlined] = copy_frame(p, &f->frames[inlined], i);
	p->n += f->n;
}

static bool fill_stack(struct gt_model *m, struct gt_symbols *s, const struct gt_stack *k, struct stacked *out)
{
	struct gt_frame *frames = NULL;
	struct put p = { .n = 0 };

	for (int pass = 0; pass < 2; pass++) {
		if (pass && !(frames = gt_arena_alloc(&s->arena, (p.n + 1) * sizeof *frames)))
			return false;
		p = (struct put){ .m = m, .k = k, .v = frames };
		for (uint32_t i = 0; i < k->n; i++) {
			const struct found *f = find(m, s, k, i);

			if (!f || !f->n)
				return false;
			put_found(&p, f, i);
		}
		/* what C functions are missing for: the stack was cut, or the interpreter has no names */
		while (p.python < k->n_python)
			put_python(&p, NULL);
	}
	*out = (struct stacked){ p.n, frames };
	return true;
}

const struct gt_frame *gt_stack_frames(struct gt_model *m, uint32_t id, uint32_t *n)
{
	const struct gt_stack *k = gt_model_stack(m, id);
	struct gt_symbols *s = k ? symbols_of(m) : NULL;
	const struct stacked *found;

	*n = 0;
	if (!s) {
		if (k)
			__atomic_store_n(&m->frames_missing, true, __ATOMIC_RELAXED);
		return NULL;
	}
	pthread_mutex_lock(&s->lock);
	if (!s->stacks[id - 1].frames && !fill_stack(m, s, k, &s->stacks[id - 1]))
		__atomic_store_n(&m->frames_missing, true, __ATOMIC_RELAXED);
	found = &s->stacks[id - 1];
	*n = found->n;
	pthread_mutex_unlock(&s->lock);
	return found->frames;
}

int gt_symbols_check(const struct gt_model *m, struct gt_err *err)
{
	return __atomic_load_n(&m->frames_missing, __ATOMIC_RELAXED)
		? gt_fail(err, GT_EXIT_INPUT, "there was none for the functions of its call stacks", NULL,
			  "%s: out of memory", m->session.path)
		: 0;
}

struct gt_symbols_found gt_symbols_found(const struct gt_model *m)
{
	return m->symbols ? m->symbols->count : (struct gt_symbols_found){ 0 };
}

/* -------------------------------------------------------------------------- text */

const char *gt_frame_module(const struct gt_frame *f)
{
	return f->module ? path_end(f->module->path) : "";
}

void gt_frame_place(const struct gt_frame *f, struct gt_text *out)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL;

	gt_text_str(out, slash ? slash + 1 : f->file ? f->file : gt_frame_module(f));
	if (f->file) {
		gt_text_char(out, ':');
		gt_text_u64(out, f->line);
	} else {
		gt_text_str(out, f->module ? "+0x" : "0x");
		gt_text_hex(out, f->file_address, 1, false);
	}
}

void gt_frame_text(const struct gt_frame *f, struct gt_text *out)
{
	gt_text_bytes(out, f->label.text, f->label.bytes);
	if (!f->file)
		return;
	gt_text_lit(out, " (");
	gt_frame_place(f, out);
	gt_text_char(out, ')');
}

/* ------------------------------------------------------------------------ callers */

#define LINKED_IN 8u                      /* frames of a runtime that is linked into the program */

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Libraries that are the API; what they call each other is not the program's. */
static bool is_api_library(const struct gt_frame *f)
{
	static const char *const names[] = { "libcuda.so", "libcudart.so", "libcudart-", "libcuda-", "libcupti.so",
		"libOpenCL", "libnvToolsExt.so", "libgputap" };
	const char *name = gt_frame_module(f);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (begins(name, names[i]))
			return true;
	return false;
}

uint32_t gt_stack_caller(const struct gt_frame *frames, uint32_t n, const char *api)
{
	uint32_t caller = 0;

	while (caller < n && is_api_library(&frames[caller]))
		caller++;
	for (uint32_t i = caller; api && i < n && i < caller + LINKED_IN; i++)
		if (!strcmp(frames[i].function.text, api))
			caller = i + 1;
	return caller < n ? caller : n;
}

/* A module that comes with the interpreter or was installed: bindings, and what wraps them. */
static bool is_installed(const struct gt_frame *f)
{
	static const char *const places[] = { "/site-packages/", "/dist-packages/", "/lib/python3" };

	if (!f->file || *f->file == '<')
		return true;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (strstr(f->file, places[i]))
			return true;
	return false;
}

uint32_t gt_stack_asker(const struct gt_frame *frames, uint32_t n, const char *api)
{
	uint32_t caller = gt_stack_caller(frames, n, api), first = n;

	for (uint32_t i = caller; i < n; i++) {
		if (!frames[i].python || !frames[i].resolved)
			continue;
		if (!is_installed(&frames[i]))
			return i;
		first = first == n ? i : first;
	}
	return first < n ? first : caller;
}
