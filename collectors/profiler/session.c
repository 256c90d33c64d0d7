/*
 * collectors/profiler/session.c - CUPTI's range profiler in one context: each counted launch is a range of its own
 *
 * Runs      on the program's threads, in the callback of a launch, by the holder of the gate.
 * May       call CUPTI's profiler; it calls the driver.
 * Must not  call it before cuInit is over, or behind the end of the driver: some of its functions crash then.
 *
 * PROFILER1  A session is started at the entry of a counted launch and stopped at its exit: no other kernel is in it.
 * PROFILER2  One context at a time has the profiler; with kernel replay the launch is complete when it comes back.
 * PROFILER3  Whatever is refused ends the collection in this process, is said once, and the launch goes on uncounted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/profiler/internal.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "collectors/collector.h"
#include "collectors/futex.h"
#include "trace/write/run/run.h"

/* ------------------------------------------------------ what CUPTI's calls take */

#define BEGIN size_t size; void *none
struct initialize { BEGIN; };
struct supported { BEGIN; int device, all, architecture, sli, vgpu, confidential, cmp, wsl, api; };
struct chip_name { BEGIN; size_t device; const char *name; };
struct enable { BEGIN; void *context, *object; };
struct of_object { BEGIN; void *object; };
struct data_size { BEGIN; void *object; const char **names; size_t n, ranges; uint32_t nodes; size_t bytes; };
struct data_initialize { BEGIN; void *object; size_t bytes; uint8_t *data; };
struct set_config {
	BEGIN;
	void *object;
	size_t config_bytes;
	const uint8_t *config;
	size_t data_bytes;
	uint8_t *data;
	int range, replay;
	size_t most;
	uint16_t levels, least_level;
	size_t pass;
	uint16_t level;
};
struct stop { BEGIN; void *object; size_t pass, level; uint8_t all; };
struct push { BEGIN; void *object; const char *name; };
struct decode { BEGIN; void *object; size_t dropped; };
struct data_info { BEGIN; const uint8_t *data; size_t bytes, ranges; };
#undef BEGIN

enum { AUTO_RANGE = 1, USER_RANGE = 2, APPLICATION_REPLAY = 1, KERNEL_REPLAY = 2, USER_REPLAY = 3, SUPPORTED = 3 };
enum { GRAPH_ROOM = 64 };               /* ranges in the image of a graph: the profiler may tell its kernels apart */
enum { NOT_READY = 600 };               /* a result of the driver */

/* The size counts to the end of the last member. */
#define PARAMS(type, last, ...) \
	struct type p = { .size = offsetof(struct type, last) + sizeof ((struct type *)0)->last, __VA_ARGS__ }

enum {
	INITIALIZE = TAP_CUPTI_cuptiProfilerInitialize,
	DEVICE_SUPPORTED = TAP_CUPTI_cuptiProfilerDeviceSupported,
	CHIP_NAME = TAP_CUPTI_cuptiDeviceGetChipName,
	ENABLE = TAP_CUPTI_cuptiRangeProfilerEnable,
	DISABLE = TAP_CUPTI_cuptiRangeProfilerDisable,
	DATA_SIZE = TAP_CUPTI_cuptiRangeProfilerGetCounterDataSize,
	DATA_INITIALIZE = TAP_CUPTI_cuptiRangeProfilerCounterDataImageInitialize,
	SET_CONFIG = TAP_CUPTI_cuptiRangeProfilerSetConfig,
	START = TAP_CUPTI_cuptiRangeProfilerStart,
	STOP = TAP_CUPTI_cuptiRangeProfilerStop,
	PUSH = TAP_CUPTI_cuptiRangeProfilerPushRange,
	POP = TAP_CUPTI_cuptiRangeProfilerPopRange,
	DECODE = TAP_CUPTI_cuptiRangeProfilerDecodeData,
	DATA_INFO = TAP_CUPTI_cuptiRangeProfilerGetCounterDataInfo,
};
static const uint8_t functions[] = { INITIALIZE, DEVICE_SUPPORTED, CHIP_NAME, ENABLE, DISABLE, DATA_SIZE,
	DATA_INITIALIZE, SET_CONFIG, START, STOP, PUSH, POP, DECODE, DATA_INFO };

/* ------------------------------------------------------------------- state */

static struct {
	const struct rec_counters *plan;        /* the file, in memory of our own */
	int (*is_capturing)(void *stream, int *status), (*current)(void **context);
	int (*ask)(void *stream);
	bool initialised;
	uint32_t given_up;                      /* by the time limit */
} library;

static struct {
	void *context, *object;                 /* NULL: none is open */
	const struct rec_counters_image *image;
	uint32_t number;                        /* of it, in the plan */
	uint8_t *data; size_t data_bytes, room; /* room: ranges in it */
	bool started;                           /* atomic: the time limit takes it */
} session;

static int (*calls[TAP_CUPTI_FUNCTIONS])(void *params);
static struct { unsigned f; int result; } refusal;        /* the last one */

int tap_profiler_call(unsigned f, void *params)
{
	int err;

	tap_tls.own_calls++;
	err = tap_cupti_answer(f, calls[f](params));
	tap_tls.own_calls--;
	if (err) {
		refusal.f = f;
		refusal.result = err;
	}
	return err;
}

void tap_profiler_say_lost(const char *lost)
{
	static bool said[TAP_CUPTI_FUNCTIONS];

	if (!said[refusal.f])
		tap_cupti_note(refusal.f, refusal.result, lost);
	said[refusal.f] = true;
}

/* NULL: ranges are counted */
static const struct tap_profiler_way *way(void)
{
	static const struct tap_profiler_way *const ways[REC_APARTS] = {
		[REC_APART_SAMPLES] = &tap_profiler_samples, [REC_APART_SASS] = &tap_profiler_sass,
		[REC_APART_PM] = &tap_profiler_pm_sampling };
	uint32_t class = library.plan ? library.plan->replay - REC_REPLAY_APART : REC_APARTS;

	return class < REC_APARTS ? ways[rec_apart_kind((enum rec_apart)class)] : NULL;
}

/* A later run counts the whole device, as the first one counted contexts. */
static bool of_device(void)
{
	return library.plan && library.plan->replay == (uint32_t)REC_REPLAY_APART + REC_APART_DEVICE;
}
enum rec_apart tap_profiler_class(void) { return (enum rec_apart)(library.plan->replay - REC_REPLAY_APART); }

static const char *counted_things(void) { return way() ? way()->things : "counters"; }

bool tap_profiler_refuse(unsigned f, int err)
{
	tap_lost(REC_LOSS_COUNTERS_REFUSED, 1);
	if (err == TAP_CUPTI_PRIVILEGES || err == TAP_CUPTI_VIRTUAL_PRIVILEGES)
		tap_note(TAP_PART_CUPTI,
			"no %s: the driver allows them to administrators only (%s); the rest is traced; run as "
			"root or with CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0",
			counted_things(), tap_cupti_result_text(err));
	else if (err == TAP_CUPTI_HARDWARE_BUSY)
		tap_note(TAP_PART_CUPTI,
			"no %s: another tool holds the device's counters (DCGM, another profiler); the rest is "
			"traced; end it to count", counted_things());
	else
		tap_note(TAP_PART_CUPTI, "no %s: %s: %s%s; the rest is traced", counted_things(), tap_cupti_name(f),
			tap_cupti_result_text(err), tap_cupti_cause(err));
	return false;
}

bool tap_profiler_refuse_because(const char *why)
{
	tap_lost(REC_LOSS_COUNTERS_REFUSED, 1);
	tap_note(TAP_PART_CUPTI, "no %s: %s; the rest is traced", counted_things(), why);
	return false;
}

/* -------------------------------------------------------------------- plan */

static const void *read_plan(void)
{
	char *path = tap_scratch_take();
	uint8_t *to = NULL;
	uint64_t bytes = 0;
	long got = 1;
	int fd;

	tap_run_path(path, tap_run_dir(), "/" REC_COUNTERS_FILE);
	fd = tap_sys_open(path, O_RDONLY, 0);
	tap_scratch_give(path);
	if (fd >= 0)
		to = tap_sys_mmap(NULL, REC_COUNTERS_LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	while (to && got > 0 && bytes < REC_COUNTERS_LARGEST)
		if ((got = tap_sys_read(fd, to + bytes, REC_COUNTERS_LARGEST - bytes)) > 0)
			bytes += (uint64_t)got;
	if (fd >= 0)
		tap_sys_close(fd);
	if (to && rec_counters_sound(to, bytes))
		return to;
	if (to)
		tap_sys_munmap(to, REC_COUNTERS_LARGEST);
	return NULL;
}

static void take_function(void *to, void *from, const char *name)
{
	void *f = tap_way_in.dlsym(from, name);

	memcpy(to, &f, sizeof f);
}

const char *tap_profiler_find(void *handle, const uint8_t *functions, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const char *name = tap_cupti_name(functions[i]);

		take_function(&calls[functions[i]], handle, name);
		if (!calls[functions[i]])
			return name;
	}
	return NULL;
}

uint32_t tap_profiler_function(
	struct rec_samples_function *all, uint32_t most, uint32_t *n, uint64_t crc, uint32_t index)
{
	uint32_t i = *n;

	while (i && (all[i - 1].crc != crc || all[i - 1].index != index))
		i--;
	if (i)
		return i - 1;
	if (*n == most)
		return most;
	all[*n] = (struct rec_samples_function){ crc, index, 0 };
	return (*n)++;
}

uint32_t tap_profiler_add_text(char *texts, uint32_t room, uint32_t *used, const char *text)
{
	uint32_t at = *used, n = (uint32_t)strnlen(text, REC_SYMBOL_LARGEST);

	if (n + 1 > room - at)
		return 0;
	memcpy(texts + at, text, n);
	texts[at + n] = 0;
	*used += n + 1;
	return at;
}

bool tap_profiler_counts_ranges(void)
{
	return library.plan &&
		(library.plan->replay == REC_REPLAY_RANGE || library.plan->replay == REC_REPLAY_APP_RANGE);
}

bool tap_profiler_here(struct tap_counting_launch *l)
{
	bool known;

	tap_tls.own_calls++;
	known = library.current && !library.current(&l->context) && l->context &&
		!tap_cupti_asked.device(l->context, &l->device);
	if (known && tap_cupti_asked.context(l->context, &l->context_id))
		l->context_id = 0;
	tap_tls.own_calls--;
	return known;
}

static bool is_needed(int call)
{
	return !way() || call == DEVICE_SUPPORTED ||
		(way()->needs_profiler && (call == INITIALIZE || call == CHIP_NAME));
}

bool tap_profiler_library(void *handle, uint32_t version)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	const char *lacks = NULL;

	library.plan = read_plan();
	if (!library.plan)
		return tap_profiler_refuse_because("the plan that gputap run made is not in the trace");
	if (library.plan->pass && !tap_profiler_passes_open())
		return tap_profiler_refuse_because("what earlier runs of the program counted is not in the trace");
	if (library.plan->replay >= REC_REPLAY_APART && !way() && !of_device())
		return tap_profiler_refuse_because("the plan is of another version of gputap");
	for (unsigned i = 0; i < sizeof functions && !lacks; i++)
		if (is_needed(functions[i]))
			lacks = tap_profiler_find(handle, &functions[i], 1);
	if (driver)                             /* its handle is kept: the functions stay */
		take_function(&library.ask, driver, "cuStreamQuery");
	if (way() && !lacks)
		lacks = library.ask ? way()->library(handle, driver) : "cuStreamQuery";
	if (lacks) {
		tap_lost(REC_LOSS_COUNTERS_REFUSED, 1);
		tap_note(TAP_PART_CUPTI,
			"no %s: this CUPTI (version %u) has no %s, CUDA %s has; the rest is traced",
			counted_things(), version, lacks, way() && way()->since ? way()->since : "12.6's");
		return false;
	}
	if (driver) {
		take_function(&library.is_capturing, driver, "cuStreamIsCapturing");
		take_function(&library.current, driver, "cuCtxGetCurrent");
	}
	if (library.plan->cupti && library.plan->cupti != version)
		tap_note(TAP_PART_CUPTI,
			"counters were planned by CUPTI %u and are collected by %u: --cupti names one for both",
			library.plan->cupti, version);
	return true;
}

/* ----------------------------------------------------------------- session */

bool tap_profiler_device_can(uint32_t device, enum tap_profiler_use use)
{
	PARAMS(supported, api, .device = (int)device, .api = (int)use);
	int err = tap_profiler_call(DEVICE_SUPPORTED, &p);

	if (err)
		return tap_profiler_refuse(DEVICE_SUPPORTED, err);
	if (p.all == SUPPORTED)
		return true;
	return tap_profiler_refuse_because(
		p.architecture != SUPPORTED ? "CUPTI cannot count on a device of this architecture" :
		p.sli != SUPPORTED ? "CUPTI cannot count while SLI is on" :
		p.vgpu != SUPPORTED ? "the virtual GPU does not allow it, or it is not enabled for it" :
		p.confidential != SUPPORTED ? "confidential computing is on" :
		p.cmp != SUPPORTED ? "CUPTI cannot count on a mining processor" :
		p.wsl != SUPPORTED ? "CUPTI cannot count under this WSL" : "CUPTI says that this device cannot");
}

static const char *chip_of(uint32_t device)
{
	PARAMS(chip_name, name, .device = device);
	int err = tap_profiler_call(CHIP_NAME, &p);

	if (err)
		tap_profiler_refuse(CHIP_NAME, err);
	else if (!p.name)
		tap_profiler_refuse_because("CUPTI does not name the device's chip");
	return err ? NULL : p.name;
}

static bool find_image(uint32_t device)
{
	const struct rec_counters_image *im = (const void *)(library.plan + 1);
	const char *chip = chip_of(device);

	if (!chip)
		return false;
	for (uint32_t i = 0; i < library.plan->n + library.plan->more; i++)
		if (tap_text_equal(im[i].chip, chip) && (of_device() ? i >= library.plan->n &&
			im[i].apart == REC_APART_DEVICE : i < library.plan->n)) {
			session.image = &im[i];
			session.number = of_device() ? rec_apart_image(REC_APART_DEVICE) : i;
			return true;
		}
	tap_lost(REC_LOSS_COUNTERS_REFUSED, 1);
	tap_note(TAP_PART_CUPTI, "no counters: the device is a %s, and none was planned for it (gputap run --chip %s)",
		chip, chip);
	return false;
}

const struct rec_counters_image *tap_profiler_planned(enum rec_apart class, const char *chip,
	const struct rec_counters **plan)
{
	const struct rec_counters_image *im = (const void *)(library.plan + 1);

	*plan = library.plan;
	for (uint32_t i = library.plan->n; i < library.plan->n + library.plan->more; i++)
		if (im[i].apart == class && (!*im[i].chip || tap_text_equal(im[i].chip, chip)))
			return &im[i];
	return NULL;
}

static bool new_data(void)
{
	PARAMS(data_initialize, data, .object = session.object, .bytes = session.data_bytes, .data = session.data);
	int err = tap_profiler_call(DATA_INITIALIZE, &p);

	return !err || tap_profiler_refuse(DATA_INITIALIZE, err);
}

const char **tap_profiler_list(const char *names, uint32_t n)
{
	const char **list =
		tap_sys_mmap(NULL, (n + 1u) * sizeof *list, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (uint32_t i = 0; list && i < n; i++, names += strlen(names) + 1)
		list[i] = names;
	return list;
}

void tap_profiler_list_free(const char **list, size_t n) { tap_sys_munmap(list, (n + 1) * sizeof *list); }

static bool make_room(size_t ranges)
{
	const char **list = tap_profiler_list((const char *)library.plan + session.image->names,
		session.image->metrics);
	PARAMS(data_size, bytes, .object = session.object, .names = list, .ranges = ranges,
		.n = session.image->metrics, .nodes = (uint32_t)ranges);
	int err;

	if (!list)
		return tap_profiler_refuse_because("no memory for the list of metrics");
	err = tap_profiler_call(DATA_SIZE, &p);
	tap_profiler_list_free(list, p.n);
	if (err)
		return tap_profiler_refuse(DATA_SIZE, err);
	if (session.data)
		tap_sys_munmap(session.data, session.data_bytes);
	session.room = ranges;
	session.data_bytes = p.bytes;
	session.data = tap_sys_mmap(NULL, p.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return session.data || tap_profiler_refuse_because("no memory for an image of counters");
}

static void close_session(void);

/* With application replay this run counts one pass, into the image that the runs before it have left. */
static bool configure(void)
{
	static const int modes[] = { [REC_REPLAY_KERNEL] = KERNEL_REPLAY,
		[REC_REPLAY_APPLICATION] = APPLICATION_REPLAY, [REC_REPLAY_RANGE] = USER_REPLAY,
		[REC_REPLAY_APP_RANGE] = APPLICATION_REPLAY };
	bool ranges = tap_profiler_counts_ranges();
	PARAMS(set_config, level, .object = session.object, .config_bytes = session.image->config_bytes,
		.config = (const uint8_t *)library.plan + session.image->config, .data_bytes = session.data_bytes,
		.data = session.data, .range = ranges ? USER_RANGE : AUTO_RANGE,
		.replay = of_device() ? KERNEL_REPLAY : modes[library.plan->replay % 4], .most = session.room,
		.levels = 1, .least_level = 1, .pass = of_device() ? 0 : library.plan->pass, .level = 1);
	int err = tap_profiler_call(SET_CONFIG, &p);

	return !err || tap_profiler_refuse(SET_CONFIG, err);
}

/* The image that this launch is counted into; false: it is not counted. */
static bool make_ready(size_t room, uint32_t entry, bool *gone)
{
	if (session.room != room && !make_room(room)) {
		close_session();
		*gone = true;
		return false;
	}
	if (of_device())                        /* goes on with no image of another run */
		entry = UINT32_MAX;
	if (entry != UINT32_MAX && !tap_profiler_pass_load(entry, session.data, session.data_bytes)) {
		tap_lost(REC_LOSS_COUNTERS_LOST, 1);
		TAP_DEGRADE(TAP_PART_CUPTI, "counters of some launches are missing: what earlier runs of the program "
					    "counted of them cannot be read, or is of another size");
		return false;
	}
	if ((entry == UINT32_MAX && !new_data()) || !configure()) {
		close_session();
		*gone = true;
		return false;
	}
	return true;
}

static bool enable(void *context)
{
	PARAMS(enable, object, .context = context);
	int err = tap_profiler_call(ENABLE, &p);

	if (err)
		return tap_profiler_refuse(ENABLE, err);
	session.context = context;
	session.object = p.object;
	return true;
}

static void close_session(void)
{
	PARAMS(of_object, object, .object = session.object);

	if (session.object)
		tap_profiler_call(DISABLE, &p);
	if (session.data)
		tap_sys_munmap(session.data, session.data_bytes);
	memset(&session, 0, sizeof session);
}

static bool initialise(void)
{
	PARAMS(initialize, none, 0);
	int err = library.initialised ? 0 : tap_profiler_call(INITIALIZE, &p);

	if (err)
		return tap_profiler_refuse(INITIALIZE, err);
	library.initialised = true;
	return true;
}

const char *tap_profiler_chip(uint32_t device) { return initialise() ? chip_of(device) : NULL; }

static bool open_session(const struct tap_counting_launch *l)
{
	return initialise() && tap_profiler_device_can(l->device, TAP_PROFILER_RANGES) && find_image(l->device) &&
		enable(l->context);
}

/* Nothing may wait for a stream that is captured: such a launch is no work yet. */
static bool captured(void *stream)
{
	int status = 0, err = 0;

	if (!library.is_capturing)
		return false;
	tap_tls.own_calls++;
	err = library.is_capturing(stream, &status);
	tap_tls.own_calls--;
	return err || status;
}

static int stop_session(void)
{
	PARAMS(stop, all, .object = session.object);

	return __atomic_exchange_n(&session.started, false, __ATOMIC_ACQ_REL) ? tap_profiler_call(STOP, &p) : 0;
}

static int push(const char *name)
{
	PARAMS(push, name, .object = session.object, .name = name);

	return tap_profiler_call(PUSH, &p);
}

static void close_apart(const struct tap_profiler_way *w)
{
	w->close();
	if (w->session->room)
		tap_sys_munmap(w->session->room, w->room_bytes);
	memset(w->session, 0, w->session_bytes);
}

/* The common part is filled in before CUPTI is asked, so what was opened can be closed wherever open ends. */
static bool open_apart(const struct tap_profiler_way *w, const struct tap_counting_launch *l)
{
	struct tap_profiler_session *s = w->session;

	s->room = tap_sys_mmap(NULL, w->room_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!s->room)
		return tap_profiler_refuse_because("no memory for them");
	s->context = l->context;
	s->device = l->device;
	return w->open(l);
}

static bool begin_apart(const struct tap_profiler_way *w, const struct tap_counting_launch *l)
{
	const struct tap_profiler_session *s = w->session;
	bool same = w->of_device ? s->context && s->device == l->device : s->context == l->context;

	if (!same)
		close_apart(w);
	if ((same || open_apart(w, l)) && w->start())
		return true;
	close_apart(w);
	return false;
}

bool tap_profiler_begin(const struct tap_counting_launch *l, uint32_t entry, bool *gone)
{
	int err;

	if (l->kind != REC_COUNTED_RANGE && captured(l->stream))
		return false;
	if (way()) {
		*gone = !begin_apart(way(), l);
		return !*gone;
	}
	if (session.context != l->context) {
		close_session();
		if (!open_session(l)) {
			close_session();
			*gone = true;
			return false;
		}
	}
	if (!make_ready(l->kind == REC_COUNTED_GRAPH ? GRAPH_ROOM : 1, entry, gone))
		return false;
	PARAMS(of_object, object, .object = session.object);
	err = tap_profiler_call(START, &p);
	if (err) {
		*gone = !tap_profiler_refuse(START, err);
		return false;
	}
	__atomic_store_n(&session.started, true, __ATOMIC_RELEASE);
	if (l->kind == REC_COUNTED_RANGE && (err = push(l->symbol))) {
		stop_session();
		*gone = !tap_profiler_refuse(PUSH, err);
		return false;
	}
	return true;
}

void tap_profiler_stop(void)
{
	__atomic_store_n(&library.given_up, 1, __ATOMIC_RELEASE);
	tap_futex_wake(&library.given_up);
	int err = stop_session();

	if (err)
		tap_cupti_note(STOP, err, "the launch that was counted may never come back");
}

/* A short kernel is not waited for longer than it takes, a long one costs few questions. */
bool tap_profiler_wait(void *stream, bool (*meanwhile)(void))
{
	uint64_t pause_ns = 20000;

	for (;;) {
		int err;

		tap_tls.own_calls++;
		err = library.ask(stream);
		tap_tls.own_calls--;
		if (err != NOT_READY)
			return !TAP_READ_ONCE(library.given_up);
		if (TAP_READ_ONCE(library.given_up))
			return false;
		if (meanwhile && meanwhile())
			continue;
		tap_futex_wait(&library.given_up, 0, pause_ns);
		pause_ns = pause_ns < 1000000 ? 2 * pause_ns : pause_ns;
	}
}

/*
 * tick; {correlation, context}; {device, image of the plan}; 2 words content id; bytes; {ranges, ranges dropped}; grid
 * and block; text symbol; {order, kind}; {entry}
 */
void tap_profiler_record(const struct tap_counting_launch *l, const struct tap_profiler_choice *c,
	const struct tap_profiler_found *found)
{
	enum { FIXED = 10, SYMBOL = REC_SYMBOL_LARGEST, BEHIND = 2 };
	const uint64_t fixed[FIXED] = { tap_tick(),
		l->correlation | (uint64_t)l->context_id << 32,
		l->device | (uint64_t)found->image << 32, found->id[0], found->id[1], found->bytes,
		found->ranges | (uint64_t)found->dropped << 32, l->grid[0] | (uint64_t)l->grid[1] << 32,
		l->grid[2] | (uint64_t)l->block[0] << 32, l->block[1] | (uint64_t)l->block[2] << 32 };
	uint32_t n = l->symbol ? (uint32_t)strnlen(l->symbol, SYMBOL) : 0, at = FIXED + (n + 4 + 7) / 8;
	uint64_t *words = tap_scratch_take();

	_Static_assert((FIXED + BEHIND + 1) * 8 + SYMBOL + 4 <= TAP_SCRATCH_BYTES, "one record");
	if (!words) {
		tap_lost(REC_LOSS_COUNTERS_LOST, 1);
		return;
	}
	memcpy(words, fixed, sizeof fixed);
	words[at - 1] = 0;
	memcpy(&words[FIXED], &n, 4);
	if (n)
		memcpy((char *)&words[FIXED] + 4, l->symbol, n);
	words[at] = c->order | (uint64_t)l->kind << 32;
	words[at + 1] = c->entry;
	tap_record(REC_COUNTERS, 0, words, at + BEHIND);
	tap_scratch_give(words);
}

static void lose_counters(const char *why)
{
	static const char lost[] = "counters of some launches are missing";

	tap_lost(REC_LOSS_COUNTERS_LOST, 1);
	if (why)
		TAP_DEGRADE(TAP_PART_CUPTI, "%s: %s", lost, why);
	else
		tap_profiler_say_lost(lost);
}

static void keep_counters(const struct tap_counting_launch *l, const struct tap_profiler_choice *c)
{
	PARAMS(decode, dropped, .object = session.object);
	struct data_info info = { .size = offsetof(struct data_info, ranges) + sizeof info.ranges, .data = session.data,
		.bytes = session.data_bytes };
	const void *part = session.data;
	struct tap_profiler_found found = { .image = session.number, .bytes = session.data_bytes };
	uint64_t total;
	int err = tap_profiler_call(DECODE, &p);

	if (!err)
		err = tap_profiler_call(DATA_INFO, &info);
	if (err || p.dropped || !info.ranges || (info.ranges > 1 && l->kind != REC_COUNTED_GRAPH)) {
		lose_counters(err ? NULL : p.dropped ? "their image had no room for them" :
			"CUPTI told of none, or of several kernels in one launch");
		return;
	}
	tap_blob_store(REC_BLOB_COUNTERS, &part, &session.data_bytes, 1, true, found.id, &total);
	found.ranges = (uint32_t)info.ranges;
	tap_profiler_record(l, c, &found);
}

void tap_profiler_end(const struct tap_counting_launch *l, const struct tap_profiler_choice *c, bool keep)
{
	bool mine = TAP_READ_ONCE(session.started);
	int err = 0;
	PARAMS(of_object, object, .object = session.object);

	if (way()) {
		way()->end(l, c, keep);
		return;
	}
	if (mine && l->kind == REC_COUNTED_RANGE)
		err = tap_profiler_call(POP, &p);
	if (stop_session() || err)
		lose_counters(NULL);
	else if (keep && mine)                  /* else the time limit was faster */
		keep_counters(l, c);
}

void tap_profiler_leave_context(void *context)
{
	if (way() && way()->session->context && (!context || way()->session->context == context))
		close_apart(way());
	if (session.context && (!context || session.context == context))
		close_session();
}
