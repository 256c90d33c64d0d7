/*
 * tests/e2e/cuda_client.c - a CUDA program that is a client of CUPTI itself, in the order that its arguments tell
 *
 * cuda_client WORD...: each does a thing and prints what CUPTI answered. cuda: the driver is initialised, a kernel
 * loaded; launch: 20 kernels, which are waited for. open PATH: the CUPTI that follows is this one (there is none
 * before). subscribe unsubscribe buffers enable disable flush finalize times threads counts: one call. zeroed: whether
 * CUPTI takes buffers for zero. copies: how many CUPTIs are mapped. session: subscribes, gives buffers, has 20 kernels
 * launched, prints how many were told, and leaves. gather: the same without a subscription. flushes: 300 flushes while
 * kernels are launched. told: how many kernels its buffers have told of so far. Buffers are of malloc, and freed when
 * they come back. pause: 0.6 s. kill: by SIGKILL, half a second later. Ends with status 3.
 *
 * With CLIENT_LINKED the functions of CUPTI are those that the dynamic linker binds, else those that dlsym finds.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cuda_driver.h"

enum { STATUS = 3, LAUNCHES = 20, KERNEL = 10, BUFFER = 1 << 16, FLUSHES = 300 };

typedef void request_function(uint8_t **, size_t *, size_t *);
typedef void complete_function(void *, uint32_t, uint8_t *, size_t, size_t);
typedef void callback_function(void *, int, uint32_t, const void *);

#define FUNCTIONS(X) \
	X(cuptiSubscribe, void **, callback_function *, void *) X(cuptiUnsubscribe, void *) \
	X(cuptiEnableDomain, uint32_t, void *, int) \
	X(cuptiActivityRegisterCallbacks, request_function *, complete_function *) \
	X(cuptiActivityEnable, uint32_t) X(cuptiActivityDisable, uint32_t) X(cuptiActivityFlushAll, uint32_t) \
	X(cuptiFinalize, void) X(cuptiActivityGetNextRecord, uint8_t *, size_t, uint8_t **) \
	X(cuptiActivityRegisterTimestampCallback, uint64_t (*)(void)) X(cuptiSetThreadIdType, int) \
	X(cuptiActivityGetAttribute, uint32_t, size_t *, void *) X(cuptiRangeProfilerEnable, void *)

#ifdef CLIENT_LINKED
#define X(name, ...) extern int name(__VA_ARGS__);
FUNCTIONS(X)
#undef X
#define C(name, ...) name
#else
static void *cupti;
#define C(name, ...) ({ \
	int (*f_)(__VA_ARGS__) = (int (*)(__VA_ARGS__))dlsym(cupti, #name); \
	if (!f_) exit(92); \
	f_; })
#endif
#define CALL(name, types, ...) C(name, TYPES types) (__VA_ARGS__)
#define TYPES(...) __VA_ARGS__

static unsigned kernels;

static void give(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = malloc(BUFFER);
	*bytes = BUFFER;
	*most = 0;
}

static void get_back(void *context_, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	uint8_t *record = NULL;
	uint32_t kind;

	(void)context_, (void)stream, (void)bytes;
	while (!CALL(cuptiActivityGetNextRecord, (uint8_t *, size_t, uint8_t **), buffer, valid, &record)) {
		memcpy(&kind, record, 4);
		kernels += kind == KERNEL;
	}
	free(buffer);
}

static void *handle;
static unsigned calls;

static void on_callback(void *user, int domain, uint32_t cbid, const void *data)
{
	(void)user, (void)cbid, (void)data;
	calls += domain == 1;
}

static uint64_t own_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void say(const char *what, int answer) { printf("%s: %d\n", what, answer); }

static int subscribe(void)
{
	return CALL(cuptiSubscribe, (void **, callback_function *, void *), &handle, on_callback, NULL);
}

static int buffers(void)
{
	return CALL(cuptiActivityRegisterCallbacks, (request_function *, complete_function *), give, get_back);
}

static void launch(void)
{
	for (int i = 0; i < LAUNCHES; i++)
		MUST(launch_kernel(NULL));
	MUST(F(cuCtxSynchronize, void)());
}

static void gather(void)
{
	say("buffers", buffers());
	say("enable", CALL(cuptiActivityEnable, (uint32_t), KERNEL));
	kernels = 0;
	launch();
	say("flush", CALL(cuptiActivityFlushAll, (uint32_t), 1));
	printf("told: %u\n", kernels);
	say("disable", CALL(cuptiActivityDisable, (uint32_t), KERNEL));
}

static void session(void)
{
	say("subscribe", subscribe());
	say("domain", CALL(cuptiEnableDomain, (uint32_t, void *, int), 1, handle, 1));
	calls = 0;
	gather();
	printf("calls: %u\n", calls);
	say("unsubscribe", CALL(cuptiUnsubscribe, (void *), handle));
}

static void *flushes(void *unused)
{
	for (int i = 0; i < FLUSHES; i++)
		CALL(cuptiActivityFlushAll, (uint32_t), 0);
	return unused;
}

static void flush_beside_launches(void)
{
	pthread_t thread;

	MUST(pthread_create(&thread, NULL, flushes, NULL));
	for (int i = 0; i < LAUNCHES; i++)
		launch();
	MUST(pthread_join(thread, NULL));
}

static void count(void)
{
	struct { size_t size; void *priv, *context, *object; } p = { sizeof p, NULL, context, NULL };

	say("counts", CALL(cuptiRangeProfilerEnable, (void *), &p));
}

static void zeroed(void)
{
	uint8_t value = 9;
	size_t bytes = 1;
	int err = CALL(cuptiActivityGetAttribute, (uint32_t, size_t *, void *), 5, &bytes, &value);

	printf("zeroed: %d, %u\n", err, value);
}

/* How many copies of CUPTI are mapped. */
static void copies(void)
{
	char line[4096], last[4096] = "", *path;
	FILE *maps = fopen("/proc/self/maps", "r");
	int n = 0;

	while (maps && fgets(line, sizeof line, maps)) {
		path = strchr(line, '/');
		if (!path || !strstr(path, "/libcupti") || !strcmp(path, last))
			continue;
		strcpy(last, path);
		n++;
	}
	say("copies", n);
}

static void die(void)
{
	usleep(500000);
	raise(SIGKILL);
}

static void rest(void) { usleep(600000); }

static void begin(void)
{
	open_driver();
	load_kernel();
}

static const struct { const char *word; void (*act)(void); } acts[] = { { "cuda", begin }, { "launch", launch },
	{ "session", session }, { "gather", gather }, { "flushes", flush_beside_launches }, { "counts", count },
	{ "zeroed", zeroed }, { "copies", copies }, { "pause", rest },
	{ "kill", die } };

static int one_call(const char *word)
{
	if (!strcmp(word, "subscribe"))
		return subscribe();
	if (!strcmp(word, "unsubscribe"))
		return CALL(cuptiUnsubscribe, (void *), handle);
	if (!strcmp(word, "buffers"))
		return buffers();
	if (!strcmp(word, "enable"))
		return CALL(cuptiActivityEnable, (uint32_t), KERNEL);
	if (!strcmp(word, "disable"))
		return CALL(cuptiActivityDisable, (uint32_t), KERNEL);
	if (!strcmp(word, "flush"))
		return CALL(cuptiActivityFlushAll, (uint32_t), 1);
	if (!strcmp(word, "finalize"))
		return CALL(cuptiFinalize, (void));
	if (!strcmp(word, "times"))
		return CALL(cuptiActivityRegisterTimestampCallback, (uint64_t (*)(void)), own_clock);
	if (!strcmp(word, "threads"))
		return CALL(cuptiSetThreadIdType, (int), 0);
	return -1;
}

static void act(const char *word)
{
	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (!strcmp(acts[i].word, word)) {
			acts[i].act();
			return;
		}
	if (!strcmp(word, "told"))
		printf("told: %u\n", kernels);
	else
		say(word, one_call(word));
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
#ifndef CLIENT_LINKED
		if (!strcmp(argv[i], "open")) {
			cupti = dlopen(argv[++i], RTLD_NOW);
			if (!cupti) {
				puts(dlerror());
				return 77;
			}
			continue;
		}
#endif
		act(argv[i]);
	}
	return STATUS;
}
