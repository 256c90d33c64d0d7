/*
 * tests/e2e/cl_names.c - threads that are named in each of the ways there are, all after their first call
 *
 *	cl_names [exec|kill]
 *
 * "ended" names itself and ends; "prctl", "other", "by proc", "by nvtx" and "quiet" are there at the end, the last one
 * without a call; "nicer" has another priority. exec: the image ends by an exec; kill: by SIGKILL, when "busy" has made
 * many calls under its name.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl_common.h"

typedef void (*function)(void);
struct callbacks { size_t bytes; int (*module)(uint32_t, function ***, unsigned *); };

static function core[16], *core_slots[17];
static sem_t ready;

static int module(uint32_t id, function ***slots, unsigned *n)
{
	*slots = core_slots;
	*n = 16;
	return id == 1;
}

static const void *table(uint32_t id)
{
	static const struct callbacks c = { sizeof c, module };

	return id == 1 ? &c : NULL;
}

/* As NVTX's header does at the first call. */
static void name_by_nvtx(uint32_t tid, const char *name)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *tool = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*start)(const void *(*)(uint32_t)) = tool ? (int (*)(const void *(*)(uint32_t)))dlsym(tool,
		"InitializeInjectionNvtx2") : NULL;

	for (int i = 0; i < 16; i++)
		core_slots[i] = &core[i];
	if (start && start(table) && core[14])
		((void (*)(uint32_t, const char *))core[14])(tid, name);
}

static void call(void) { CHECK(clGetPlatformIDs(1, &platform, NULL)); }

struct thread { const char *name; pthread_t id; uint32_t tid; };

static void *run(void *arg)
{
	struct thread *t = arg;

	t->tid = (uint32_t)syscall(SYS_gettid);
	if (strcmp(t->name, "quiet"))
		call();
	if (!strcmp(t->name, "ended") || !strcmp(t->name, "quiet") || !strcmp(t->name, "nicer"))
		pthread_setname_np(pthread_self(), t->name);
	if (!strcmp(t->name, "nicer"))
		setpriority(PRIO_PROCESS, t->tid, getpriority(PRIO_PROCESS, t->tid) + 5);
	if (!strcmp(t->name, "prctl"))
		prctl(PR_SET_NAME, t->name);
	if (!strcmp(t->name, "by nvtx"))
		pthread_setname_np(pthread_self(), "below it");
	if (!strcmp(t->name, "busy")) {
		prctl(PR_SET_NAME, t->name);
		for (int i = 0; i < 20000; i++)
			call();
	}
	sem_post(&ready);
	while (strcmp(t->name, "ended") && strcmp(t->name, "nicer"))
		pause();
	return NULL;
}

static struct thread *begin(const char *name)
{
	struct thread *t = calloc(1, sizeof *t);

	t->name = name;
	if (pthread_create(&t->id, NULL, run, t))
		exit(1);
	sem_wait(&ready);
	if (!strcmp(name, "ended") || !strcmp(name, "nicer"))
		pthread_join(t->id, NULL);
	return t;
}

static void name_by_proc(uint32_t tid, const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
	f = fopen(path, "w");
	if (!f || fputs(name, f) < 0 || fclose(f))
		exit(1);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	sem_init(&ready, 0, 0);
	call();
	if (!strcmp(how, "kill")) {
		begin("busy");
		raise(SIGKILL);
	}
	begin("ended");
	begin("nicer");
	begin("prctl");
	begin("quiet");
	pthread_setname_np(begin("other")->id, "other");
	name_by_proc(begin("by proc")->tid, "by proc");
	name_by_nvtx(begin("by nvtx")->tid, "by nvtx");
	prctl(PR_SET_NAME, "first");
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	return 0;
}
