/*
 * interpose/child_environment.c - what a program that this one starts is, and the environment by which it is followed
 *
 * Runs      in the calling thread, between fork or vfork and exec too; CHILD1, CHILD2 (child_environment.h).
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpose/child_environment.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <unistd.h>

#include "common/plain/static_tls.h"
#include "common/plain/without.h"
#include "trace/write/options.h"
#include "trace/write/sys.h"
#include "trace/write/text.h"
#include "trace/write/tls.h"

#define AUDIT_MODULE "libgputap-audit.so"

enum { NAME_MAX_BYTES = sizeof "GLIBC_TUNABLES=" };
static const char *const variables[TAP_LISTS] = { "LD_PRELOAD=", "LD_AUDIT=", "GLIBC_TUNABLES=",
	"GPUTAP_AWAITED=" };

static bool preloaded;                          /* by environment, so that children are expected to be followed */
static bool launched;                           /* by gputap run: the lists are ours to arrange */
static char auditor[TAP_PATH_MAX];              /* where the audit module lies, beside the library; "": not known */

/* The value behind "NAME=" in env, or NULL. */
static const char *value_in(char *const *env, const char *variable)
{
	size_t n = strlen(variable);

	for (; env && *env; env++)
		if (!strncmp(*env, variable, n))
			return *env + n;
	return NULL;
}

static bool loads_us(char *const *env)
{
	const char *layers = value_in(env, "OPENCL_LAYERS=");

	return gc_preloads_has_ours(value_in(env, variables[TAP_PRELOAD])) || (layers && strstr(layers, GC_OURS));
}

bool tap_exec_cleans(char *const *env) { return preloaded && !loads_us(env); }

/* ------------------------------------------------------------ this process */

/* The launcher names us by an absolute path, and the audit module lies beside us. */
static void find_auditor(const char *list)
{
	const char *at = list, *end;

	while ((at = strstr(at, "/libgputap.so")) && at[13] && at[13] != ':' && at[13] != ' ')
		at++;
	if (!at)
		return;
	for (end = at; at > list && at[-1] != ':' && at[-1] != ' '; at--)
		;
	size_t bytes = (size_t)(end - at) + 1;

	if (bytes + sizeof AUDIT_MODULE > sizeof auditor)
		return;
	memcpy(auditor, at, bytes);
	memcpy(auditor + bytes, AUDIT_MODULE, sizeof AUDIT_MODULE);
}

/* `line` in place of the variable's own, or nothing (NULL). The array is the C library's or the kernel's: writable. */
static void exchange(const char *variable, char *line)
{
	size_t n = strlen(variable), to = 0;

	for (size_t i = 0; environ[i]; i++) {
		bool is = !strncmp(environ[i], variable, n);

		if (!is || line)
			environ[to++] = is ? line : environ[i];
	}
	environ[to] = NULL;
}

static bool audits_by_itself(void) { return launched && !strcmp(tap_option("audit"), "auto"); }

static size_t write_awaited(const struct tap_child *c, char *to, size_t room, bool *same)
{
	char text[TAP_AWAITED_BYTES];

	tap_awaited_write(c->awaited, text);
	*same = false;
	if (room > strlen(text))
		memcpy(to, text, strlen(text) + 1);
	return strlen(text);
}

/* CHILD3. The program has not asked for it. */
static void take_awaited(void)
{
	static char text[TAP_AWAITED_BYTES];
	const char *value = value_in(environ, variables[TAP_AWAITED]);

	if (!value)
		return;
	if (strlen(value) < sizeof text)
		tap_awaited_as = memcpy(text, value, strlen(value) + 1);
	exchange(variables[TAP_AWAITED], NULL);
	tap_process_heard();
}

/* What one of the lists becomes for the program, as gc_preloads_write has it. */
static size_t write_list(const struct tap_child *c, enum tap_list list, char *to, size_t room, bool *same)
{
	const char *old = c->value[list];

	switch (list) {
	case TAP_PRELOAD: return gc_preloads_write(to, room, old, c->ours, c->program.runtime, same);
	case TAP_AUDIT: return gc_audit_write(to, room, old, c->auditor, same);
	case TAP_AWAITED: return write_awaited(c, to, room, same);
	default: return gc_static_tls_tunables(to, room, old, c->tls_bytes, same);
	}
}

void tap_child_init(void)
{
	static char line[TAP_LISTS][TAP_PATH_MAX];
	struct tap_child none = { .ours = GC_OURS_STAY };

	take_awaited();
	preloaded = loads_us(environ);
	launched = tap_environ("GPUTAP_LAUNCHER") != NULL;
	for (int i = 0; i < TAP_LINKER_LISTS; i++)
		none.value[i] = value_in(environ, variables[i]);
	if (!preloaded || !none.value[TAP_PRELOAD] || gc_without("child-environment"))
		return;
	find_auditor(none.value[TAP_PRELOAD]);
	for (int i = 0; i < (audits_by_itself() ? TAP_LINKER_LISTS : TAP_AUDIT); i++) {
		size_t name = strlen(variables[i]), room = sizeof line[i] - name, bytes;
		bool same;

		if (!none.value[i])
			continue;
		memcpy(line[i], variables[i], name);
		bytes = write_list(&none, (enum tap_list)i, line[i] + name, room, &same);
		if (!same && bytes < room)
			exchange(variables[i], bytes ? line[i] : NULL);
	}
}

/* -------------------------------------------------------------- the program */

static bool wants_auditor(const struct tap_child *c)
{
	const char *word = tap_option("audit");

	if (!launched || c->program.kind != GC_PROGRAM_FOLLOWED || !strcmp(word, "off"))
		return false;
	return !strcmp(word, "on") || gc_preloads_audit(&c->program);
}

/* LD_AUDIT, where it is ours to arrange, and the room that the module costs. */
static void settle_audit(struct tap_child *c, int dir, const char *path)
{
	struct gc_audit_where where = { .dir = dir,
		.path = path,
		.library_path = value_in(c->env, "LD_LIBRARY_PATH="),
		.preload = c->value[TAP_PRELOAD],
		.audit = c->value[TAP_AUDIT],
		.glibc = gnu_get_libc_version() };

	c->arranges_audit = gc_program_is_misled(&c->program) ||
		(launched && c->program.kind == GC_PROGRAM_FOLLOWED && strcmp(tap_option("audit"), "off"));
	if (!wants_auditor(c) || !*auditor || TAP_SYS(faccessat, AT_FDCWD, auditor, 4 /* R_OK */, 0, 0, 0))
		return;
	if (!gc_without("audit-room"))
		c->audit = gc_audit_plan(&c->program, &where, &c->tls_bytes);
	c->auditor = c->audit == GC_AUDIT_GOES ? auditor : NULL;
}

/* The lists from this one on. */
static void settle_lists(struct tap_child *c, enum tap_list first)
{
	size_t bytes = 0;

	for (int i = first; i < TAP_LINKER_LISTS; i++) {
		bool same;
		size_t n = write_list(c, (enum tap_list)i, NULL, 0, &same);

		c->sets[i] = !same && (i == TAP_PRELOAD || c->arranges_audit);
		bytes += c->sets[i] ? NAME_MAX_BYTES + n + 1 : 0;
	}
	if (!bytes)
		return;
	while (c->env[c->lines])
		c->lines++;
	c->bytes = (c->lines + TAP_LISTS + 1) * sizeof(char *) + bytes;
}

static void settle_environment(struct tap_child *c, int dir, const char *path)
{
	c->ours = gc_preloads_ours(&c->program, launched);
	settle_audit(c, dir, path);
	settle_lists(c, TAP_PRELOAD);
}

/* Nothing loads us there: the audit module has nothing to bind to. */
static void settle_cleaned(struct tap_child *c)
{
	c->arranges_audit = launched;
	settle_lists(c, TAP_AUDIT);
}

static void settle_fate(struct tap_child *c, const char *name)
{
	const struct gc_program *p = &c->program;

	c->started = (struct tap_started){ .path = name, .program = p->interpreter[0] ? p->interpreter : name,
		.word = gc_program_word(p), .why = gc_program_why_not(p->is_static ? GC_PROGRAM_STATIC : p->kind) };
	c->started.fate = gc_program_is_lost(p) ? TAP_UNREACHABLE
		: p->is_static                  ? TAP_STATIC
		: p->refused                    ? TAP_UNSEEN
		: c->audit                      ? TAP_UNAUDITED
						: TAP_FOLLOWED;
	if (c->started.fate == TAP_UNAUDITED) {
		c->started.word = gc_audit_word(c->audit);
		c->started.why = gc_audit_why_not(c->audit);
	}
}

static bool begins_look(struct tap_child *c, const char *name, char *const *env)
{
	*c = (struct tap_child){ .env = env };
	for (int i = 0; i < TAP_LINKER_LISTS; i++)
		c->value[i] = value_in(env, variables[i]);
	c->started = (struct tap_started){ .path = name, .program = name,
		.fate = tap_exec_cleans(env) ? TAP_CLEANED : TAP_FOLLOWED };
	if (!name || !preloaded || gc_without("child-environment"))
		return false;
	if (c->started.fate == TAP_CLEANED)
		settle_cleaned(c);
	if (!gc_preloads_has_ours(c->value[TAP_PRELOAD]))
		return false;
	if (tap_seccomp)                        /* what the filter forbids is not known */
		c->started.fate = TAP_UNSEEN;
	return !tap_seccomp;
}

/* CHILD3 */
static void settle_awaited(struct tap_child *c)
{
	enum tap_fate fate = c->started.fate;

	if (fate == TAP_FOLLOWED || fate == TAP_UNAUDITED || fate == TAP_UNSEEN)
		c->awaited = tap_process_await();
	if (!c->awaited.mark)
		return;
	c->sets[TAP_AWAITED] = true;
	if (!c->bytes) {
		while (c->env[c->lines])
			c->lines++;
		c->bytes = (c->lines + TAP_LISTS + 1) * sizeof(char *);
	}
	c->bytes += NAME_MAX_BYTES + TAP_AWAITED_BYTES;
}

void tap_child_not_started(struct tap_child *c)
{
	tap_process_no_longer_await(c->awaited);
	c->awaited = (struct tap_awaited){ 0 };
}

void tap_child_look(struct tap_child *c, int dir, const char *path, char *const *env)
{
	if (!begins_look(c, path, env))
		return;
	gc_program_look(dir, path, &c->program);
	settle_environment(c, dir, path);
	settle_fate(c, path);
	settle_awaited(c);
}

void tap_child_search(struct tap_child *c, const char *file, char *const *env)
{
	char path[512];

	if (!begins_look(c, file, env))
		return;
	gc_program_find(file, value_in(environ, "PATH="), path, sizeof path);
	gc_program_look(AT_FDCWD, path, &c->program);
	settle_environment(c, AT_FDCWD, path);
	settle_fate(c, file);
	settle_awaited(c);
}

/* ------------------------------------------------------------------ its copy */

/*
 * CHILD1. Mappings of threads that started a program: `by` is the thread, by an address of its own. A child of vfork
 * has the same one, and its parent waits for it.
 */
static struct { uintptr_t by; void *at; size_t bytes; } mappings[32];
enum { MAPPINGS = sizeof mappings / sizeof *mappings };

static int mapping_of_thread(void)
{
	uintptr_t self = (uintptr_t)&tap_tls;

	for (int i = 0; i < MAPPINGS; i++)
		if (__atomic_load_n(&mappings[i].by, __ATOMIC_ACQUIRE) == self)
			return i;
	for (int i = 0; i < MAPPINGS; i++) {
		uintptr_t nobody = 0;

		if (__atomic_compare_exchange_n(
			    &mappings[i].by, &nobody, self, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return i;
	}
	return -1;
}

static void unmap(int i)
{
	if (mappings[i].at)
		tap_sys_munmap(mappings[i].at, mappings[i].bytes);
	mappings[i].at = NULL;
}

static void *map_room(struct tap_child *c)
{
	int i = mapping_of_thread();

	if (i < 0)
		return NULL;
	unmap(i);
	c->mapped = mappings[i].at =
		tap_sys_mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mappings[i].bytes = c->bytes;
	return c->mapped;
}

void tap_child_forget(struct tap_child *c)
{
	if (!c->mapped)
		return;
	int i = mapping_of_thread();

	if (i < 0)
		return;
	unmap(i);
	__atomic_store_n(&mappings[i].by, 0, __ATOMIC_RELEASE);
}

static bool is_set(const struct tap_child *c, const char *line)
{
	for (int i = 0; i < TAP_LISTS; i++)
		if (c->sets[i] && !strncmp(line, variables[i], strlen(variables[i])))
			return true;
	return false;
}

/* The lines that are set stand behind all others, their text behind the array; an empty list leaves none. */
char *const *tap_child_environment(struct tap_child *c)
{
	char **copy = c->bytes ? map_room(c) : NULL, **line = copy;

	if (!copy) {
		tap_child_not_started(c);       /* or it is, and does not know that it is awaited */
		return c->env;
	}
	char *text = (char *)(copy + c->lines + TAP_LISTS + 1);

	for (size_t i = 0; i < c->lines; i++)
		if (!is_set(c, c->env[i]))
			*line++ = c->env[i];
	for (int i = 0; i < TAP_LISTS; i++) {
		size_t name = strlen(variables[i]), n;
		bool same;

		if (!c->sets[i])
			continue;
		memcpy(text, variables[i], name);
		n = write_list(c, (enum tap_list)i, text + name, c->bytes, &same);
		if (n)
			*line++ = text;
		text += name + n + 1;
	}
	*line = NULL;
	return copy;
}
