/*
 * tests/e2e/osrt/off.c - 1000 of something inside work(), for a count of instructions; or the objects that are mapped
 *
 *	off locks|waits|writes|regions|maps
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int nowhere;

static void locks(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void waits(void)
{
	pthread_mutex_trylock(&lock);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&lock);
}

static void writes(void)
{
	if (write(nowhere, "", 1) != 1)
		_exit(3);
}

static void regions(void)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(1)
	{
#pragma omp critical
		nowhere++;
	}
#endif
}

void work(void (*once)(void));
__attribute__((noinline)) void work(void (*once)(void))
{
	for (int i = 0; i < 1000; i++)
		once();
}

static int maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];

	while (f && fgets(line, sizeof line, f))
		if (strstr(line, "libgputap"))
			fputs(line, stdout);
	return f ? fclose(f) : 1;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*once)(void); } kinds[] = { { "locks", locks },
		{ "waits", waits }, { "writes", writes }, { "regions", regions } };

	if (argc == 2 && !strcmp(argv[1], "maps"))
		return maps();
	nowhere = open("/dev/null", O_WRONLY);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (argc == 2 && !strcmp(argv[1], kinds[i].name)) {
			kinds[i].once();        /* what is done the first time is not of this */
			work(kinds[i].once);
			return 0;
		}
	return 2;
}
