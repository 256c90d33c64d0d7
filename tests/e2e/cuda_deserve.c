/*
 * tests/e2e/cuda_deserve.c - for each rule on the shape of a CUDA launch a kernel that deserves it (bad_RULE) and its
 * mended twin (good_RULE); prints the rules
 *
 * With an argument: for each rule on counters two kernels of one plain shape. What they count is not theirs: on the
 * stand-in machine the test says it (tests/e2e/cuda_deserve.values).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_driver.h"

enum { THREADS = 128, PARTIAL = 100, SHARED = 40 << 10 };
enum { WAVES = 840 };            /* as many full ones, whether 1 or 8 blocks fit on a multiprocessor */
enum { MULTIPROCESSORS = 16, THREADS_OF_ONE = 39 };             /* attributes of a device */
enum { USUAL_THREADS = 2048 };                                  /* of a device that does not tell: the stand-in */

struct shape { unsigned blocks, threads, shared; };

static void *module;

static unsigned attribute(int which)
{
	int value = 0;

	MUST(F(cuDeviceGetAttribute, int *, int, int)(&value, which, device));
	return (unsigned)value;
}

static void launch(const char *word, const char *rule, struct shape s)
{
	unsigned zero = 0;
	void *args[] = { &zero }, *function;
	char name[100];

	snprintf(name, sizeof name, "%s_%s", word, rule);
	MUST(F(cuModuleGetFunction, void **, void *, const char *)(&function, module, name));
	MUST(launch_function(function, s.blocks, 1, 1, s.threads, 1, 1, s.shared, NULL, args, NULL));
	MUST(F(cuCtxSynchronize, void)());
}

static void both(const char *rule, struct shape bad, struct shape good)
{
	launch("bad", rule, bad);
	launch("good", rule, good);
	puts(rule);
}

#define KERNEL(name) ".visible .entry " name "(.param .u32 n)\n{\n\tret;\n}\n"
#define PAIR(rule) KERNEL("bad_" rule) KERNEL("good_" rule)

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
	PAIR("LaunchGrid") PAIR("LaunchTail") PAIR("LaunchBlockSize") PAIR("OccupancyLimit")
	PAIR("Bottleneck") PAIR("Divergence") PAIR("GlobalAccess") PAIR("HotSpots") PAIR("IssueSlots")
	PAIR("OccupancyAchieved") PAIR("SharedConflicts") PAIR("UncoalescedLines") PAIR("WarpStalls");
static const char *const counted[] = { "Bottleneck", "Divergence", "GlobalAccess", "HotSpots", "IssueSlots",
	"OccupancyAchieved", "SharedConflicts", "UncoalescedLines", "WarpStalls" };

static void shapes(unsigned units, struct shape plain)
{
	unsigned threads = attribute(THREADS_OF_ONE);
	unsigned fit = units * ((threads ? threads : USUAL_THREADS) / THREADS);

	both("LaunchGrid", (struct shape){ units / 2, THREADS, 0 }, plain);
	both("LaunchTail", (struct shape){ fit + units / 4, THREADS, 0 }, (struct shape){ 2 * fit, THREADS, 0 });
	both("LaunchBlockSize", (struct shape){ units, PARTIAL, 0 }, plain);
	both("OccupancyLimit", (struct shape){ WAVES * units, THREADS, SHARED }, plain);
}

int main(int argc, char **argv)
{
	(void)argv;
	open_driver();
	load_kernel();
	MUST(F(cuModuleLoadData, void **, const void *)(&module, ptx));
	unsigned units = attribute(MULTIPROCESSORS);
	struct shape plain = { units, THREADS, 0 };

	if (argc == 1)
		shapes(units, plain);
	for (size_t i = 0; argc > 1 && i < sizeof counted / sizeof *counted; i++)
		both(counted[i], plain, plain);
	return 0;
}
