/*
 * trace/write/run/run.c - which run this image belongs to
 *
 * Runs      in the constructor.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * The root image of a run chooses the run id and a name and hands both on in the environment (GPUTAP_RUN_ID,
 * GPUTAP_OUTPUT, GPUTAP_ROOT_PID); a launcher does the same before the start. Where the trace stands: dir.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/run/run.h"

extern char **environ;

struct tap_run tap_run;

/* Puts three lines in front of the environment's own, without the allocator: programs may bring their own. */
static void hand_on(void)
{
	static char id_line[32], output_line[TAP_PATH_MAX + 16], root_line[32];
	size_t n = 0;
	struct tap_text t;

	while (environ && environ[n])
		n++;
	char **fresh =
		tap_sys_mmap(NULL, (n + 4) * sizeof *fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!fresh)
		return;
	tap_text_init(&t, id_line, sizeof id_line);
	tap_text_str(&t, "GPUTAP_RUN_ID=");
	tap_text_str(&t, tap_run.id);
	tap_text_init(&t, output_line, sizeof output_line);
	tap_text_str(&t, "GPUTAP_OUTPUT=");
	tap_text_str(&t, tap_run_name());
	tap_text_init(&t, root_line, sizeof root_line);
	tap_text_str(&t, "GPUTAP_ROOT_PID=");
	tap_text_u64(&t, tap_run.root_pid);
	size_t to = 0;

	fresh[to++] = id_line;
	fresh[to++] = output_line;
	fresh[to++] = root_line;
	for (size_t i = 0; i < n; i++)
		if (__builtin_strncmp(environ[i], "GPUTAP_OUTPUT=", 14) != 0)
			fresh[to++] = environ[i];
	environ = fresh;
}

static void make_run_id(void)
{
	uint64_t id = 0;
	struct tap_text t;

	if (TAP_SYS(getrandom, &id, sizeof id, 1 /* GRND_NONBLOCK */, 0, 0, 0) != sizeof id)
		id = tap_tick() * 0x9e3779b97f4a7c15ull ^ (uint64_t)tap_run.start_pid << 32;
	tap_text_init(&t, tap_run.id, sizeof tap_run.id);
	tap_text_hex(&t, id, 16);
}

void tap_run_init(void)
{
	const char *id = tap_environ("GPUTAP_RUN_ID"), *root = tap_environ("GPUTAP_ROOT_PID");
	struct tap_text t;

	tap_run.start_pid = tap_run.root_pid = tap_sys_getpid();
	tap_run.launched = tap_environ("GPUTAP_LAUNCHER") != NULL;
	if (id && tap_text_length(id) == 16) {
		tap_text_init(&t, tap_run.id, sizeof tap_run.id);
		tap_text_str(&t, id);
		for (tap_run.root_pid = 0; root && *root >= '0' && *root <= '9'; root++)
			tap_run.root_pid = tap_run.root_pid * 10 + (uint32_t)(*root - '0');
		tap_run_name_init(tap_option("output"), true);
		return;
	}
	make_run_id();
	tap_run_name_init(tap_option("output"), false);
	hand_on();
}

bool tap_run_is_launched(void) { return tap_run.launched; }

bool tap_run_is_root(void) { return !tap_run.launched && tap_run.root_pid == tap_sys_getpid(); }

const char *tap_run_dir(void) { return tap_run.dir; }
