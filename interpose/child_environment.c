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
#include <string.h>
#include <unistd.h>

#include "common/plain/without.h"
#include "trace/write/options.h"
#include "trace/write/sys.h"
#include "trace/write/text.h"
#include "trace/write/tls.h"

#define PRELOAD "LD_PRELOAD="
#define AUDIT "LD_AUDIT="
#define AUDIT_MODULE "libgputap-audit.so"

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

	return gc_preloads_has_ours(value_in(env, PRELOAD)) || (layers && strstr(layers, GC_OURS));
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

void tap_child_init(void)
{
	static char preload_line[TAP_PATH_MAX] = PRELOAD, audit_line[TAP_PATH_MAX] = AUDIT;
	const char *preload = value_in(environ, PRELOAD), *audit = value_in(environ, AUDIT);
	size_t bytes, name = sizeof PRELOAD - 1;
	bool same;

	preloaded = loads_us(environ);
	launched = tap_environ("GPUTAP_LAUNCHER") != NULL;
	if (!preloaded || !preload || gc_without("child-environment"))
		return;
	find_auditor(preload);
	bytes = gc_preloads_write(preload_line + name, sizeof preload_line - name, preload, GC_OURS_STAY, "", &same);
	if (!same && bytes < sizeof preload_line - name)
		exchange(PRELOAD, preload_line);
	name = sizeof AUDIT - 1;
	if (!audit || !audits_by_itself())
		return;
	bytes = gc_audit_write(audit_line + name, sizeof audit_line - name, audit, NULL, &same);
	if (!same && bytes < sizeof audit_line - name)
		exchange(AUDIT, bytes ? audit_line : NULL);
}

/* -------------------------------------------------------------- the program */

/* Whether LD_AUDIT is ours to arrange for it, and if so whether with our module. */
static bool arranges_audit(struct tap_child *c)
{
	const char *word = tap_option("audit");

	if (gc_program_is_misled(&c->program))
		return true;
	if (!launched || c->program.kind != GC_PROGRAM_FOLLOWED || !strcmp(word, "off"))
		return false;
	if (!strcmp(word, "on") || gc_preloads_audit(&c->program))
		c->auditor = auditor;
	if (c->auditor && (!*auditor || TAP_SYS(faccessat, AT_FDCWD, auditor, 4 /* R_OK */, 0, 0, 0)))
		c->auditor = NULL;
	return true;
}

static void settle_environment(struct tap_child *c)
{
	bool same_preload, same_audit = true;
	size_t audit = 0;

	c->ours = gc_preloads_ours(&c->program, launched);
	size_t preload = gc_preloads_write(NULL, 0, c->preload, c->ours, c->program.runtime, &same_preload);

	if (arranges_audit(c))
		audit = gc_audit_write(NULL, 0, c->audit, c->auditor, &same_audit);
	c->sets_preload = !same_preload;
	c->sets_audit = !same_audit;
	if (!c->sets_preload && !c->sets_audit)
		return;
	while (c->env[c->lines])
		c->lines++;
	c->bytes = (c->lines + 3) * sizeof(char *) + sizeof PRELOAD + preload + sizeof AUDIT + audit;
}

static void settle_fate(struct tap_child *c, const char *name)
{
	const struct gc_program *p = &c->program;

	c->started = (struct tap_started){ .path = name, .program = p->interpreter[0] ? p->interpreter : name,
		.word = gc_program_word(p), .why = gc_program_why_not(p->is_static ? GC_PROGRAM_STATIC : p->kind) };
	c->started.fate = gc_program_is_lost(p) ? TAP_UNREACHABLE
		: p->is_static                  ? TAP_STATIC
		: p->refused                    ? TAP_UNSEEN
						: TAP_FOLLOWED;
}

static bool begins_look(struct tap_child *c, const char *name, char *const *env)
{
	*c = (struct tap_child){ .env = env, .preload = value_in(env, PRELOAD), .audit = value_in(env, AUDIT) };
	c->started = (struct tap_started){ .path = name, .program = name,
		.fate = tap_exec_cleans(env) ? TAP_CLEANED : TAP_FOLLOWED };
	if (!name || !preloaded || !gc_preloads_has_ours(c->preload) || gc_without("child-environment"))
		return false;
	if (tap_seccomp)                        /* what the filter forbids is not known */
		c->started.fate = TAP_UNSEEN;
	return !tap_seccomp;
}

void tap_child_look(struct tap_child *c, int dir, const char *path, char *const *env)
{
	if (!begins_look(c, path, env))
		return;
	gc_program_look(dir, path, &c->program);
	settle_environment(c);
	settle_fate(c, path);
}

void tap_child_search(struct tap_child *c, const char *file, char *const *env)
{
	char path[512];

	if (!begins_look(c, file, env))
		return;
	gc_program_find(file, value_in(environ, "PATH="), path, sizeof path);
	gc_program_look(AT_FDCWD, path, &c->program);
	settle_environment(c);
	settle_fate(c, file);
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

static bool is_line_of(const char *line, const char *variable) { return !strncmp(line, variable, strlen(variable)); }

/* "NAME=" and the list, at `text`; an empty list leaves no line. Returns where the next one goes. */
static char *put_preload(struct tap_child *c, char *text, char ***line)
{
	size_t n, name = sizeof PRELOAD - 1;
	bool same;

	memcpy(text, PRELOAD, name);
	n = gc_preloads_write(text + name, c->bytes, c->preload, c->ours, c->program.runtime, &same);
	if (n)
		*(*line)++ = text;
	return text + name + n + 1;
}

static void put_audit(struct tap_child *c, char *text, char ***line)
{
	size_t name = sizeof AUDIT - 1;
	bool same;

	memcpy(text, AUDIT, name);
	if (gc_audit_write(text + name, c->bytes, c->audit, c->auditor, &same))
		*(*line)++ = text;
}

char *const *tap_child_environment(struct tap_child *c)
{
	char **copy = c->bytes ? map_room(c) : NULL, **line = copy;

	if (!copy)
		return c->env;
	char *text = (char *)(copy + c->lines + 3);

	for (size_t i = 0; i < c->lines; i++) {
		bool set = (c->sets_preload && is_line_of(c->env[i], PRELOAD)) ||
			(c->sets_audit && is_line_of(c->env[i], AUDIT));

		if (!set)
			*line++ = c->env[i];
	}
	if (c->sets_preload)
		text = put_preload(c, text, &line);
	if (c->sets_audit)
		put_audit(c, text, &line);
	*line = NULL;
	return copy;
}
