/*
 * analysis/metrics/host.c - CUPTI's host library: what a chip can count, and in how many passes; no GPU is needed
 *
 * Runs in the tool. Only calls that work without a driver are made.
 *
 * HOST1  libcupti opens libnvperf_host.so by its bare name, not beside itself: it is loaded by its path first.
 * HOST2  A batch of metrics that is refused leaves the library's object unusable: names are looked up before, and each
 *        image has an object of its own.
 * HOST3  CUDA 13.2's library calls itself without end where there is no driver: a process of its own asks it first.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/host.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the library's calls */

/* Each structure says its size first and has a pointer that nobody uses. */
#define BEGIN size_t size; void *none
struct initialize { BEGIN; int use; const char *chip; const uint8_t *availability; void *object; };
struct deinitialize { BEGIN; void *object; };
struct chips { BEGIN; size_t n; const char *const *names; };
struct base_metrics { BEGIN; void *object; int type; const char **names; size_t n; };
struct properties { BEGIN; void *object; const char *name, *description, *hardware_unit, *unit; int type; };
struct add_metrics { BEGIN; void *object; const char **names; size_t n; };
struct image_size { BEGIN; void *object; size_t bytes; };
struct image { BEGIN; void *object; size_t bytes; uint8_t *data; };
struct passes { BEGIN; size_t bytes; uint8_t *data; size_t n; };
struct evaluate {
	BEGIN;
	void *object;
	const uint8_t *image;
	size_t bytes, range;
	const char **names;
	size_t n;
	double *values;
};
struct chip_name { BEGIN; size_t device; const char *name; };
#undef BEGIN

/* The size counts to the end of the last member. */
#define PARAMS(type, last, ...) \
	struct type p = { .size = offsetof(struct type, last) + sizeof ((struct type *)0)->last, __VA_ARGS__ }

enum { INITIALIZE, DEINITIALIZE, CHIPS, BASE_METRICS, PROPERTIES, ADD_METRICS, IMAGE_SIZE, IMAGE, PASSES, NEEDED,
	EVALUATE = NEEDED, CHIP_NAME, CALLS };
static const char *const names[CALLS] = {
	[INITIALIZE] = "cuptiProfilerHostInitialize", [DEINITIALIZE] = "cuptiProfilerHostDeinitialize",
	[CHIPS] = "cuptiProfilerHostGetSupportedChips", [BASE_METRICS] = "cuptiProfilerHostGetBaseMetrics",
	[PROPERTIES] = "cuptiProfilerHostGetMetricProperties", [ADD_METRICS] = "cuptiProfilerHostConfigAddMetrics",
	[IMAGE_SIZE] = "cuptiProfilerHostGetConfigImageSize", [IMAGE] = "cuptiProfilerHostGetConfigImage",
	[PASSES] = "cuptiProfilerHostGetNumOfPasses",
	[EVALUATE] = "cuptiProfilerHostEvaluateToGpuValues", [CHIP_NAME] = "cuptiDeviceGetChipName",
};

enum { NOT_SUPPORTED = 27, INVALID_CHIP_NAME = 46 };    /* results of CUPTI */

enum { PATIENCE_MS = 30000 };                     /* for the answer to one image: it takes milliseconds */

struct gt_host {
	int (*call[CALLS])(void *params);
	char path[PATH_MAX];
	uint32_t version;
	size_t n_chips;
	const char *const *chips;
	void *helper;                     /* libnvperf_host.so; NULL */
};
static struct gt_host host;                       /* the library cannot be unloaded safely */

const char *const gt_host_types[GT_HOST_TYPES] = { "counter", "ratio", "throughput" };

/* ------------------------------------------------------------------ found and loaded */

/* The newest libcupti.so.N of a folder. */
static bool newest_in(const char *folder, char path[PATH_MAX])
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	int best = -1;

	if (!d)
		return false;
	while ((e = readdir(d))) {
		int major = 0;
		char *end = NULL;

		if (strncmp(e->d_name, "libcupti.so", 11))
			continue;
		if (e->d_name[11] == '.')
			major = (int)strtol(e->d_name + 12, &end, 10);
		if ((end && *end) || major <= best)
			continue;
		if (snprintf(path, PATH_MAX, "%s/%s", folder, e->d_name) < PATH_MAX)
			best = major;
	}
	closedir(d);
	return best >= 0;
}

static bool of_toolkit(const char *root, char path[PATH_MAX])
{
	static const char *const places[] = { "extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib",
		"targets/sbsa-linux/lib" };
	char folder[PATH_MAX];

	for (size_t i = 0; root && *root && i < sizeof places / sizeof *places; i++)
		if (snprintf(folder, sizeof folder, "%s/%s", root, places[i]) < PATH_MAX && newest_in(folder, path))
			return true;
	return false;
}

static int wanted(const struct dirent *e) { return !strncmp(e->d_name, "cuda", 4); }

/* $CUDA_HOME, $CUDA_PATH, then /usr/local/cuda* from the last on; else what the dynamic linker finds. */
static void find(char path[PATH_MAX])
{
	struct dirent **list;
	char root[PATH_MAX];
	bool found = of_toolkit(getenv("CUDA_HOME"), path) || of_toolkit(getenv("CUDA_PATH"), path);
	int n = found ? 0 : scandir("/usr/local", &list, wanted, versionsort);

	for (int i = n - 1; i >= 0; i--) {
		snprintf(root, sizeof root, "/usr/local/%s", list[i]->d_name);
		found = found || of_toolkit(root, path);
		free(list[i]);
	}
	if (!found)
		snprintf(path, PATH_MAX, "libcupti.so.13");
	if (n > 0)
		free(list);
}

static int missing(struct gt_err *err, const char *what, const char *why)
{
	return gt_fail(err, GT_EXIT_MISSING, why, "--cupti PATH of a libcupti.so of CUDA 12.6 to 13.1", "%s", what);
}

/* HOST1: from the folder in which libcupti lies. */
static void load_helper(void *cupti)
{
	char path[PATH_MAX + 32];
	struct link_map *map;
	char *slash;

	if (dlinfo(cupti, RTLD_DI_LINKMAP, &map) || !map->l_name || !realpath(map->l_name, host.path))
		return;
	snprintf(path, sizeof path, "%s", host.path);
	slash = strrchr(path, '/');
	snprintf(slash + 1, sizeof path - (size_t)(slash + 1 - path), "libnvperf_host.so");
	host.helper = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

static int list_chips(struct gt_err *err)
{
	PARAMS(chips, names, 0);

	if (host.call[CHIPS](&p))
		return missing(err, "CUPTI's host library names no chips",
			dlopen("libcuda.so.1", RTLD_LAZY)
				? "it needs libnvperf_host.so beside it"
				: "there is no CUDA driver here, which this library wants, as CUDA 13.3's does; "
			          "or libnvperf_host.so does not lie beside it");
	host.n_chips = p.n;
	host.chips = p.names;
	return 0;
}

/* HOST3 */
static bool ends_who_asks(int (*version)(uint32_t *))
{
	uint32_t number;
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		alarm(PATIENCE_MS / 1000);
		version(&number);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status != 0;
}

int gt_host_open(const char *path, struct gt_host **out, struct gt_err *err)
{
	char found[PATH_MAX] = "";
	int (*version)(uint32_t *);
	struct stat st;
	void *lib;

	*out = &host;
	if (host.n_chips)
		return 0;
	if (!*path)
		find(found);
	else if (stat(path, &st) || !S_ISDIR(st.st_mode) || !newest_in(path, found))
		snprintf(found, sizeof found, "%s", path);
	lib = dlopen(found, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return missing(err, "CUPTI's library cannot be loaded", dlerror());
	load_helper(lib);
	for (int i = 0; i < CALLS; i++) {
		*(void **)&host.call[i] = dlsym(lib, names[i]);
		if (!host.call[i] && i < NEEDED)
			return missing(err, "this CUPTI has no host library: it is older than CUDA 12.6", host.path);
	}
	*(void **)&version = dlsym(lib, "cuptiGetVersion");
	if (version && ends_who_asks(version))
		return missing(err, "this CUPTI ends the process that asks it",
			"CUDA 13.2's calls itself without end where there is no CUDA driver");
	if (version && version(&host.version))
		host.version = 0;               /* not known: the plan is not compared with what collects it */
	return list_chips(err);
}

const char *gt_host_path(const struct gt_host *h) { return h->path; }
void *gt_host_helper(const struct gt_host *h) { return h->helper; }
uint32_t gt_host_version(const struct gt_host *h) { return h->version; }
const char *gt_host_chip(const struct gt_host *h, size_t i) { return i < h->n_chips ? h->chips[i] : NULL; }

uint32_t gt_host_capability(const char *chip)
{
	static const struct { const char *chip; uint32_t capability; } all[] = {
		{ "GV100", 70 }, { "GV11B", 72 }, { "TU102", 75 }, { "TU104", 75 }, { "TU106", 75 }, { "TU116", 75 },
		{ "TU117", 75 }, { "GA100", 80 }, { "GA102", 86 }, { "GA103", 86 }, { "GA104", 86 }, { "GA106", 86 },
		{ "GA107", 86 }, { "GA10B", 87 }, { "AD102", 89 }, { "AD103", 89 }, { "AD104", 89 }, { "AD106", 89 },
		{ "AD107", 89 }, { "GH100", 90 }, { "GB100", 100 }, { "GB202", 120 }, { "GB203", 120 },
		{ "GB205", 120 },
		{ "GB206", 120 }, { "GB207", 120 },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].chip, chip))
			return all[i].capability;
	return 0;
}

/* ------------------------------------------------------------------ one chip */

struct gt_host_chip { const struct gt_host *host; void *object; };

int gt_host_begin(
	struct gt_host *h, const char *chip, enum gt_host_use use, struct gt_host_chip **out, struct gt_err *err)
{
	PARAMS(initialize, object, .use = (int)use, .chip = chip);
	bool known = false;
	int result = 0;

	for (size_t i = 0; i < h->n_chips && !known; i++)
		known = !strcmp(h->chips[i], chip);
	if (known)                              /* CUDA 12's says of others that the call is wrong */
		result = h->call[INITIALIZE](&p);
	if (!known || result == INVALID_CHIP_NAME)
		return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap metrics --query-metrics", "there is no chip %s",
			chip);
	if (result || !p.object)
		return gt_fail(err, GT_EXIT_NO, NULL, NULL, "%s: %s (CUPTI's error %d)", chip,
			result == NOT_SUPPORTED ? "this chip cannot do it" : "the library refuses the chip", result);
	*out = malloc(sizeof **out);
	if (!*out)
		return gt_no_memory(err);
	**out = (struct gt_host_chip){ h, p.object };
	return 0;
}

void gt_host_end(struct gt_host_chip *c)
{
	PARAMS(deinitialize, object, 0);

	if (!c)
		return;
	p.object = c->object;
	c->host->call[DEINITIALIZE](&p);
	free(c);
}

/* The library's array is used anew by the next call: it is copied. */
bool gt_host_metrics(
	struct gt_host_chip *c, enum gt_host_type type, bool (*take)(void *ctx, const char *name), void *ctx)
{
	PARAMS(base_metrics, n, .object = c->object, .type = (int)type);
	const char **copy;
	bool whole = true;

	if (c->host->call[BASE_METRICS](&p))
		return false;
	copy = malloc((p.n + 1) * sizeof *copy);
	if (!copy)
		return false;
	memcpy(copy, p.names, p.n * sizeof *copy);
	for (size_t i = 0; i < p.n; i++)
		copy[i] = strdup(copy[i]);
	for (size_t i = 0; i < p.n; i++) {
		whole = whole && copy[i] && take(ctx, copy[i]);
		free((char *)copy[i]);
	}
	free(copy);
	return whole;
}

bool gt_host_find(struct gt_host_chip *c, const char *name, struct gt_host_metric *out)
{
	PARAMS(properties, type, .object = c->object, .name = name);

	if (c->host->call[PROPERTIES](&p))
		return false;
	*out = (struct gt_host_metric){ p.description ? p.description : "", p.unit ? p.unit : "",
		p.type >= 0 && p.type < GT_HOST_TYPES ? (enum gt_host_type)p.type : GT_HOST_COUNTER };
	return true;
}

static int add_all(struct gt_host_chip *c, const char *const *list, size_t n)
{
	PARAMS(add_metrics, n, .object = c->object, .names = (const char **)list, .n = n);

	return c->host->call[ADD_METRICS](&p);
}

static int size_of(struct gt_host_chip *c, size_t *bytes)
{
	PARAMS(image_size, bytes, .object = c->object);
	int result = c->host->call[IMAGE_SIZE](&p);

	*bytes = p.bytes;
	return result;
}

static int fill(struct gt_host_chip *c, uint8_t *data, size_t bytes)
{
	PARAMS(image, data, .object = c->object, .bytes = bytes, .data = data);

	return c->host->call[IMAGE](&p);
}

static int count(struct gt_host_chip *c, uint8_t *data, size_t bytes, size_t *out)
{
	PARAMS(passes, n, .bytes = bytes, .data = data);
	int result = c->host->call[PASSES](&p);

	*out = p.n;
	return result;
}

int gt_host_image(struct gt_host_chip *c, const char *const *list, size_t n, uint8_t **data, size_t *bytes,
	size_t *passes, struct gt_err *err)
{
	int result = add_all(c, list, n);

	*data = NULL;
	*passes = *bytes = 0;
	if (!result)
		result = size_of(c, bytes);
	if (!result) {
		*data = calloc(1, *bytes + 1);
		if (!*data)
			return gt_no_memory(err);
		result = fill(c, *data, *bytes);
	}
	if (!result)
		result = count(c, *data, *bytes, passes);
	if (!result)
		return 0;
	free(*data);
	*data = NULL;
	return gt_fail(err, GT_EXIT_NO, NULL, NULL, "%s (CUPTI's error %d)",
		n == 1 ? "this metric cannot be collected" : "these metrics cannot be collected together", result);
}

int gt_host_passes(
	struct gt_host_chip *c, const char *const *list, size_t n, size_t *passes, size_t *bytes, struct gt_err *err)
{
	uint8_t *data;
	int rc = gt_host_image(c, list, n, &data, bytes, passes, err);

	free(data);
	return rc;
}

bool gt_host_evaluate(struct gt_host_chip *c, const void *image, size_t bytes, size_t range, const char *const *list,
	size_t n, double *values)
{
	PARAMS(evaluate, values, .object = c->object, .image = image, .bytes = bytes, .range = range,
		.names = (const char **)list, .n = n, .values = values);

	return c->host->call[EVALUATE] && !c->host->call[EVALUATE](&p);
}

const char *gt_host_device_chip(const struct gt_host *h, size_t device, int *result)
{
	PARAMS(chip_name, name, .device = device);

	*result = h->call[CHIP_NAME] ? h->call[CHIP_NAME](&p) : 0;
	return *result ? NULL : p.name;
}

int gt_host_fork(pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fflush(NULL);
	*pid = fork();
	close(ends[!*pid ? 0 : 1]);
	if (*pid >= 0)
		return ends[!*pid ? 1 : 0];
	close(ends[0]);
	return -1;
}

bool gt_host_write(int fd, const void *from, size_t n)
{
	const char *at = from;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno != EINTR)
			return false;
		at += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

bool gt_host_read(int fd, void *to, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char *at = to;

	while (n) {
		int ready = poll(&p, 1, PATIENCE_MS);
		ssize_t done;

		if (!ready || (ready < 0 && errno != EINTR))
			return false;
		if (ready < 0)
			continue;
		done = read(fd, at, n);

		if (!done || (done < 0 && errno != EINTR))
			return false;
		at += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}
