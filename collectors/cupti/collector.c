/*
 * collectors/cupti/collector.c - CUDA through CUPTI: the way in, what is switched on, and when
 *
 * The driver loads the library that CUDA_INJECTION64_PATH names inside cuInit and calls InitializeInjection there. So a
 * process without CUDA never comes here, and one with CUDA is seen from its first call, whatever it links.
 *
 * Runs      the way in: on the thread that calls cuInit. Callbacks: on the program's threads, inside its CUDA calls.
 * Must not  call CUDA, lock, end a thing that the program does not end; the process keeps CUPTI as it is (no
 *           cuptiFinalize).
 *
 * CUPTI1  Whatever is missing or refused is said once in the trace, and the program runs on as if nothing had been
 *         tried.
 * CUPTI2  What defines (devices, contexts, streams, graphs) is on from the beginning, what tells times only inside
 *         the window.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/cupti/internal.h"
#include "common/plain/without.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/collector.h"
#include "collectors/counting.h"
#include "collectors/futex.h"
#include "trace/format/cupti.h"
#include "trace/write/asked.h"
#include "trace/write/debug.h"

#define MOST_STATES 16u                 /* errors and warnings of CUPTI that are kept as notes */
#define PRE_ALLOCATED 32u               /* device buffers; CUPTI's own number is 3 */

struct tap_cupti tap_cupti;

enum {
	ATTRIBUTE_ZEROED_BUFFER = 5,
	ATTRIBUTE_PRE_ALLOCATED = 6,
	ATTRIBUTE_HOST_PINNED = 8,
	ATTRIBUTE_PER_THREAD_BUFFER = 9
};
/* As cuptiGetVersion tells them: 12.0 and 12.1 answer as 11.8 does, 12.6 and its updates alike. */
enum {
	VERSION_11_8 = 18,
	VERSION_12_5 = 23,              /* a launch with copies or fills in it is traced as a whole without a crash */
	VERSION_12_8 = 26,              /* buffers per thread can be flushed by any thread (12.6 update 2 on) */
	VERSION_13_0 = 130000,
	VERSION_13_4_1 = 130401         /* latency timestamps do not stop a launch that allocates a device buffer */
};
enum { SYSTEM_THREAD_IDS = 1 };

/* Of a flag or a BOOL; auto: somebody asks what the host waited for. */
static bool asked(const char *name)
{
	return tap_option_true(name) ||
		(tap_text_equal(tap_option(name), "auto") &&
			(tap_asked(REC_ASK_OSRT) || tap_option_true("critical-path")));
}
uint64_t tap_cupti_option_number(const char *name) { return tap_option_number(name); }

static bool wanted(void)
{
	return tap_off != TAP_OFF_OPTION && tap_off != TAP_OFF_WINDOW && tap_asked(REC_ASK_CUDA);
}

/* -------------------------------------------------------------------- kinds */

/* When a kind is switched on: the words of trace/format/cupti.def. API calls: filter.c. */
struct condition { enum { ON_NEVER, ON_ALWAYS, ON_IF_THERE, ON_OPTION, ON_UNLESS } on; const char *option, *value; };
#define NEVER { ON_NEVER, NULL, NULL }
#define BY_CALL NEVER
#define ALWAYS { ON_ALWAYS, NULL, NULL }
#define IF_THERE { ON_IF_THERE, NULL, NULL }
#define OPTION(name) { ON_OPTION, name, NULL }
#define UNLESS(name, value) { ON_UNLESS, name, value }

/* minimum: bytes up to the end of what the trace's reader needs of a record. */
static const struct { uint8_t number; bool defines; uint16_t minimum; struct condition when; const char *name; }
kinds[] = {
#define KIND(id, number, layout, least, minimum, sort, on, text) \
	{ number, REC_CUPTI_##sort == REC_CUPTI_DEFINES, minimum, on, text },
#include "trace/format/cupti.def"
};
#define KINDS (sizeof kinds / sizeof *kinds)
_Static_assert(KINDS <= 64, "a bit for each in `refused`");

static uint64_t refused;                /* a bit for each of them: not asked for again */
static uint64_t too_early;              /* ... refused inside cuInit: asked for once more behind it */
static bool init_over;                  /* cuInit is, as far as is known */

/* Before 12.5 a graph with copies or fills at its top crashes a CUPTI that traces it as a whole. */
static bool graphs_by_node(void) { return tap_cupti.version < VERSION_12_5; }

void tap_cupti_say_by_node(void)
{
	if (graphs_by_node() && !tap_text_equal(tap_option("cuda-graph-trace"), "node"))
		TAP_DEGRADE(TAP_PART_CUPTI,
			"graphs are traced node by node: tracing them as a whole may crash this CUPTI (version %u); "
			"CUDA 12.5's can do it",
			tap_cupti.version);
}

static bool by_option(size_t i)
{
	const struct condition *when = &kinds[i].when;

	switch (when->on) {
	case ON_NEVER:
		return false;
	case ON_ALWAYS:
		return true;
	case ON_IF_THERE:
		return tap_cupti.record_bytes[kinds[i].number] != 0;
	case ON_OPTION:
		return asked(when->option);
	case ON_UNLESS:
		return !(kinds[i].number == REC_CUPTI_KIND_GRAPH_TRACE && graphs_by_node()) &&
			!tap_text_equal(tap_option(when->option), when->value);
	}
	return false;
}

/* What a device need not have (a decompression engine, say) is no loss where it is not. */
static void refuse(size_t i, int err)
{
	uint32_t bytes = tap_cupti.record_bytes[kinds[i].number];

	refused |= 1ull << i;
	if (kinds[i].when.on != ON_IF_THERE)
		tap_lost(REC_LOSS_CUPTI_REFUSED, 1);
	if (err == TAP_CUPTI_PRIVILEGES)
		TAP_DEGRADE(TAP_PART_CUPTI,
			"no %s and other device times: the driver allows them to administrators only "
			"(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES); API calls are traced; run as root, or load the driver "
		        "with "
			"NVreg_RestrictProfilingToAdminUsers=0",
			kinds[i].name);
	else if (err < 0 && !bytes)
		tap_note(TAP_PART_CUPTI, "no records of %s: this CUPTI (version %u) has none", kinds[i].name,
			tap_cupti.version);
	else if (err < 0)
		tap_note(TAP_PART_CUPTI, "no records of %s: this CUPTI's are %u bytes long, at least %u were expected",
			kinds[i].name, bytes, kinds[i].minimum);
	else
		tap_note(TAP_PART_CUPTI, "no records of %s: CUPTI refused: %s%s (cuptiActivityEnable)", kinds[i].name,
			tap_cupti_result_text(err), tap_cupti_cause(err));
}

/* What CUPTI answered to the request for a kind; which of them are on because of us. */
static int answered(uint32_t kind, int err)
{
	if (!err)
		__atomic_or_fetch(&tap_cupti.kinds, 1ull << kind, __ATOMIC_RELAXED);
	return err;
}

int tap_cupti_enable(uint32_t kind) { return answered(kind, TAP_CUPTI(cuptiActivityEnable, kind)); }

static int enable(uint32_t kind)
{
	if (tap_cupti.flags & REC_CUPTI_LATE && TAP_CUPTI_HAS(cuptiActivityEnableAndDump))
		return answered(kind, TAP_CUPTI(cuptiActivityEnableAndDump, kind));
	return tap_cupti_enable(kind);
}

int tap_cupti_disable(uint32_t kind)
{
	if (tap_cupti_client_has_kind(kind))
		return 0;
	__atomic_and_fetch(&tap_cupti.kinds, ~(1ull << kind), __ATOMIC_RELAXED);
	return TAP_CUPTI(cuptiActivityDisable, kind);
}

bool tap_cupti_may_change_mind(int err)
{
	return !TAP_READ_ONCE(init_over) && err > 0 && err != TAP_CUPTI_PRIVILEGES;
}

static void enable_one(size_t i)
{
	uint32_t kind = kinds[i].number;
	int err = tap_cupti.record_bytes[kind] < kinds[i].minimum ? -1 : enable(kind);

	tap_record(REC_CUPTI_KIND, err, (uint64_t[]){ tap_tick(), kind | 1ull << 32 }, 2);
	if (err && tap_cupti_may_change_mind(err))
		too_early |= 1ull << i;
	else if (err)
		refuse(i, err);
}

/* What was refused inside cuInit, behind it. */
static void enable_again(void)
{
	if (gc_without("ask-again"))
		return;
	for (size_t i = 0; i < KINDS; i++)
		if (too_early >> i & 1 && (kinds[i].defines || TAP_READ_ONCE(tap_cupti.recording)))
			enable_one(i);
	too_early = 0;
	tap_cupti_filter_again();
}

/* Unified memory is configured first, and that when the driver is initialised. */
static uint32_t um_ready;

static void enable_kinds(bool defining)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].defines == defining && by_option(i) && !(refused >> i & 1) &&
			(kinds[i].number != REC_CUPTI_KIND_MANAGED || TAP_READ_ONCE(um_ready)))
			enable_one(i);
}

/* CUPTI of CUDA 13.0 may not come back from switching kernels off: there they stay on behind the window. */
static bool stays_on(size_t i)
{
	return tap_cupti.version == VERSION_13_0 && kinds[i].number == REC_CUPTI_KIND_KERNEL;
}

static void disable_kinds(bool defining)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].defines == defining && by_option(i) && !(refused >> i & 1) && !stays_on(i))
			tap_cupti_disable(kinds[i].number);
}

/* ------------------------------------------------------------------ the window */

static bool stopped;                    /* for good */

/* By the thread inside cuInit before others know of it, from then on by the collector's own alone. */
void tap_cupti_set_recording(bool on)
{
	if (tap_cupti.recording == on || (on && stopped))
		return;
	TAP_WRITE_ONCE(tap_cupti.recording, on);
	if (on) {
		enable_kinds(false);
		tap_cupti_filter_records(true);
		tap_cupti_filter_callbacks(true);
	} else {
		tap_cupti_filter_callbacks(false);
		tap_cupti_filter_records(false);
		disable_kinds(false);
	}
	if (tap_options.start_after || tap_options.stop_after)
		tap_cupti_event(on ? REC_CUPTI_RESUMED : REC_CUPTI_PAUSED, 0, 0, (uint64_t[4]){ 0 });
}

static void unsubscribe(void)
{
	if (tap_cupti.subscriber)
		TAP_CUPTI(cuptiUnsubscribe, tap_cupti.subscriber);
	tap_cupti.subscriber = NULL;
}

/*
 * What remains is the library in memory; its slot is free for another client. What still runs on a device is told by
 * the last flush.
 */
void tap_cupti_stop(void)
{
	if (stopped)
		return;
	tap_cupti_flush(0);
	tap_cupti_switch_off();
	tap_cupti_flush(0);
	unsubscribe();
}

void tap_cupti_switch_off(void)
{
	stopped = true;
	tap_cupti_set_recording(false);
	if (!tap_cupti.subscriber)
		return;
	tap_cupti_resource_callbacks(false);
	disable_kinds(true);
}

/*
 * The process ends: other threads may go on, so calls and kinds of the device stay on. What the flush that follows
 * costs is of no interest.
 */
void tap_cupti_quiet(void)
{
	if (stopped || !tap_cupti.recording)
		return;
	stopped = true;
	if (gc_without("calls-to-the-end")) {
		tap_cupti_filter_callbacks(false);
		tap_cupti_filter_records(false);
	}
	tap_cupti_disable(REC_CUPTI_KIND_OVERHEAD);
}

void tap_cupti_flush_failed(int err)
{
	tap_lost(REC_LOSS_CUPTI_FLUSH_FAILED, 1);
	TAP_DEGRADE(TAP_PART_CUPTI, "a flush of CUPTI failed: %s: activities may be missing",
		tap_cupti_result_text(err));
}

/* --------------------------------------------------------------- callbacks */

static void on_api_call(uint32_t domain, uint32_t cbid, const struct tap_cupti_callback *c)
{
	uint32_t choice = tap_cupti_choice(domain, cbid);
	bool outermost = false;

	if (c->site == TAP_CUPTI_ENTER)
		outermost = tap_cupti_enter(c->correlation);
	if (TAP_READ_ONCE(tap_cupti.recording) && (tap_cupti.args || tap_cupti.stacks) &&
		choice & TAP_CUPTI_CHOSEN)
		tap_cupti_call(domain, cbid, c);
	if (c->site == TAP_CUPTI_EXIT && choice & TAP_CUPTI_LAUNCHES && TAP_READ_ONCE(tap_cupti.recording))
		tap_cupti_launch_order(cbid, c);
	if (choice & TAP_CUPTI_COUNTED)
		tap_cupti_count(c);
	if (tap_counting && outermost && choice & TAP_CUPTI_ENDS)
		tap_counting->context_ends(NULL);
	if (c->site == TAP_CUPTI_EXIT)
		tap_cupti_leave(c->correlation);
	else if (outermost && choice & TAP_CUPTI_ENDS)
		tap_cupti_collect();
}

/* What CUPTI tells of itself. After a fatal error it has finalised itself: what follows on the device is not told. */
static void on_state(uint32_t cbid, const struct tap_cupti_state *s)
{
	static const char *const of[TAP_CUPTI_STATES + 1] = { "", "a fatal error", "an error", "a warning" };
	static uint32_t told;

	if (cbid < 1 || cbid > TAP_CUPTI_STATES)
		return;
	if (cbid == 1 && !__atomic_exchange_n(&tap_cupti.closed, true, __ATOMIC_RELAXED))
		tap_lost(REC_LOSS_CUPTI_FATAL, 1);
	if (cbid == 1 || __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED) < MOST_STATES)
		tap_note(TAP_PART_CUPTI, "CUPTI tells of %s: %s%s%s%s", of[cbid], tap_cupti_result_text(s->result),
			s->message ? ": " : "", s->message ? s->message : "",
			cbid == 1 ? "; CUDA activities from then on are missing" : "");
}

static void on_callback(void *user, int domain, uint32_t cbid, const void *data)
{
	int saved = errno;

	(void)user;
	if (!tap_cupti_alive() || tap_tls.own_calls)
		return;
	if (domain == TAP_CUPTI_DRIVER || domain == TAP_CUPTI_RUNTIME)
		on_api_call((uint32_t)domain, cbid, data);
	else if (domain == TAP_CUPTI_RESOURCE)
		tap_cupti_resource_event(cbid, data);
	else if (domain == TAP_CUPTI_STATE)
		on_state(cbid, data);
	errno = saved;
}

/* ------------------------------------------------------------------- driver */

enum { NOT_INITIALIZED = 3, DEINITIALIZED = 4 };

/* What the driver answers to the simplest question; NOT_INITIALIZED without one. */
static int driver_answers(void)
{
	static int (*count)(int *);     /* kept: at the end of a process the loader may be busy, and CUPTI holds it */
	void *driver = count ? NULL : tap_cupti_driver();
	int n = 0, err;

	if (driver) {
		count = (int (*)(int *))tap_way_in.dlsym(driver, "cuDeviceGetCount");
		tap_way_in.dlclose(driver);
	}
	err = count ? count(&n) : NOT_INITIALIZED;
	return err;
}

bool tap_cupti_driver_is_up(void)
{
	int err = driver_answers();

	return err != NOT_INITIALIZED && err != DEINITIALIZED;
}

/* -------------------------------------------------------------------- start */

static void say_busy(const char *who)
{
	tap_lost(REC_LOSS_CUPTI_BUSY, 1);
	tap_note(TAP_PART_CUPTI,
		"CUDA is not traced: another profiler or debugger%s%s%s holds CUPTI, and keeps it; the rest is traced; "
		"end it to trace CUDA",
		who[0] ? " (" : "", who, who[0] ? ")" : "");
}

static bool subscribe(void)
{
	char other[128] = "";
	struct tap_cupti_subscriber params = { sizeof params, "gputap", other, sizeof other };
	bool named = TAP_CUPTI_HAS(cuptiSubscribe_v2);
	int err = named ? TAP_CUPTI(cuptiSubscribe_v2, &tap_cupti.subscriber, on_callback, NULL, &params) :
		TAP_CUPTI(cuptiSubscribe, &tap_cupti.subscriber, on_callback, NULL);

	if (!err)
		return true;
	other[sizeof other - 1] = 0;
	if (err == TAP_CUPTI_BUSY)
		say_busy(other);
	else
		tap_cupti_say_refused(named ? TAP_CUPTI_cuptiSubscribe_v2 : TAP_CUPTI_cuptiSubscribe, err);
	return false;
}

/* What we have set, and what it was before: for the client that comes behind us. */
static struct { uint32_t attribute; size_t bytes; uint64_t before; } changed[8];
static unsigned n_changed;
static bool latency_set, source_set, event_times_set;
static int thread_ids_before = -1;

/* Of `bytes` bytes: 1 for those that switch, 8 for numbers. */
static bool set_attribute(uint32_t attribute, size_t bytes, uint64_t value)
{
	uint64_t before = 0;
	size_t length = bytes;
	bool known;

	if (tap_cupti_client_has_set(attribute))
		return false;
	known = !TAP_CUPTI_IF_ANY(cuptiActivityGetAttribute, attribute, &length, &before);
	if (known && before == value)           /* a client that was here has set it, or it is the default */
		return true;
	if (TAP_CUPTI_IF_ANY(cuptiActivitySetAttribute, attribute, &bytes, &value))
		return false;
	if (known && n_changed < sizeof changed / sizeof *changed) {
		changed[n_changed].attribute = attribute;
		changed[n_changed].bytes = length;
		changed[n_changed++].before = before;
	}
	return true;
}

static bool is_set(unsigned f, int err, const char *lost)
{
	if (err && err != TAP_CUPTI_ABSENT)
		tap_cupti_note(f, err, lost);
	return !err;
}
/* Whether the setting is so now; where it is refused, what that means is said. */
#define SET(name, value, lost) is_set(TAP_CUPTI_##name, TAP_CUPTI_IF_ANY(name, value), lost)

static void set_back(void)
{
	static const char stays[] = "what gputap had set in CUPTI stays set for the client that comes";

	for (unsigned i = 0; i < n_changed; i++)
		if (!tap_cupti_client_has_set(changed[i].attribute))
			TAP_CUPTI(cuptiActivitySetAttribute, changed[i].attribute, &changed[i].bytes,
				&changed[i].before);
	if (thread_ids_before >= 0 && !tap_cupti_client_names_threads())
		SET(cuptiSetThreadIdType, thread_ids_before, stays);
	if (latency_set)
		SET(cuptiActivityEnableLatencyTimestamps, 0, stays);
	if (source_set)
		SET(cuptiActivityEnableAllocationSource, 0, stays);
	if (event_times_set)
		SET(cuptiActivityEnableCudaEventDeviceTimestamps, 0, stays);
}

void tap_cupti_hand_over(void)
{
	set_back();
	unsubscribe();
}

/* Before the buffer callbacks are registered, and before CUDA is initialised: that is when CUPTI takes them. */
static void set_attributes(void)
{
	if (TAP_CUPTI_IF_ANY(cuptiGetThreadIdType, &thread_ids_before))
		thread_ids_before = -1;
	if (!SET(cuptiSetThreadIdType, SYSTEM_THREAD_IDS, "threads of CUDA activities are not the system's"))
		tap_lost(REC_LOSS_CUPTI_REFUSED, TAP_CUPTI_HAS(cuptiSetThreadIdType));
	set_attribute(ATTRIBUTE_ZEROED_BUFFER, 1, 1);
	if (tap_cupti.version >= VERSION_12_8 && set_attribute(ATTRIBUTE_PER_THREAD_BUFFER, 1, 1))
		tap_cupti.flags |= REC_CUPTI_PER_THREAD_BUFFERS;
	/* These crash when they initialise a device buffer in long runs with graphs, but not with pinned ones. */
	if (tap_cupti.version >= VERSION_11_8 && tap_cupti.version <= VERSION_13_0)
		set_attribute(ATTRIBUTE_HOST_PINNED, 1, 1);
	bool latency = asked("cuda-latency") && SET(cuptiActivityEnableLatencyTimestamps, 1,
		"--cuda-latency: when kernels were queued and submitted is not told");

	latency_set = latency;
	if (asked("cuda-latency") && !TAP_CUPTI_HAS(cuptiActivityEnableLatencyTimestamps))
		tap_note(TAP_PART_CUPTI,
			"--cuda-latency: this CUPTI (version %u) does not tell when kernels were queued and submitted",
			tap_cupti.version);
	if (latency && tap_cupti.version < VERSION_13_4_1) {
		set_attribute(ATTRIBUTE_PRE_ALLOCATED, 8, PRE_ALLOCATED);
		tap_note(TAP_PART_CUPTI,
			"--cuda-latency: this CUPTI (version %u) may stop the program when some 300 000 kernels are "
			"outstanding; CUDA 13.4.1's does not",
			tap_cupti.version);
	}
	source_set = asked("cuda-memory-usage") && SET(cuptiActivityEnableAllocationSource, 1,
		"--cuda-memory-usage: which library allocated is not told");
	event_times_set = asked("cuda-events") && SET(cuptiActivityEnableCudaEventDeviceTimestamps, 1,
		"--cuda-events: times of events on the device are not told");
}

static int configure_um(void)
{
	enum { ALL_DEVICES = 2, KINDS_UP_TO = 8 };
	int err = -1;

	for (uint32_t kind = 1; kind <= KINDS_UP_TO && TAP_CUPTI_HAS(cuptiActivityConfigureUnifiedMemoryCounter);
		kind++) {
		struct tap_cupti_um_config config = { ALL_DEVICES, kind, 0, 1 };
		int one = TAP_CUPTI(cuptiActivityConfigureUnifiedMemoryCounter, &config, 1);

		err = one && err < 0 ? one : one ? err : 0;     /* a device need not have all of them */
	}
	return err;
}

static void enable_um(void)
{
	int err = configure_um();

	TAP_WRITE_ONCE(um_ready, 1);
	for (size_t i = 0; i < KINDS && TAP_READ_ONCE(tap_cupti.recording); i++)
		if (kinds[i].number == REC_CUPTI_KIND_MANAGED)
			enable_one(i);
	if (err > 0)
		tap_cupti_note(TAP_CUPTI_cuptiActivityConfigureUnifiedMemoryCounter, err,
			"--cuda-um: CUPTI counts no unified memory here");
	else if (err)
		tap_note(TAP_PART_CUPTI, "--cuda-um: this CUPTI (version %u) counts no unified memory",
			tap_cupti.version);
}

void tap_cupti_configure_late(void)
{
	static uint32_t tried;

	if (__atomic_exchange_n(&tried, 1, __ATOMIC_RELAXED))
		return;
	TAP_WRITE_ONCE(init_over, true);
	enable_again();
	if (asked("cuda-um"))
		enable_um();
}

/* tick; {version, driver}; {n, flags}; n x {kind, bytes}; text path */
static void record_library(void)
{
	uint64_t *words = tap_scratch_take();
	uint32_t n = 3, length = (uint32_t)strlen(tap_cupti.path);

	_Static_assert((4 + TAP_CUPTI_KINDS) * 8 + TAP_PATH_MAX <= TAP_SCRATCH_BYTES, "one record");
	if (!words) {
		tap_lost(REC_LOSS_DETAILS_LOST, 1);
		return;
	}
	for (uint32_t kind = 1; kind < TAP_CUPTI_KINDS; kind++)
		if (tap_cupti.record_bytes[kind])
			words[n++] = kind | (uint64_t)tap_cupti.record_bytes[kind] << 32;
	words[0] = tap_tick();
	words[1] = tap_cupti.version | (uint64_t)tap_cupti.driver << 32;
	words[2] = (n - 3) | (uint64_t)tap_cupti.flags << 32;
	words[n + (length + 4 + 7) / 8 - 1] = 0;
	memcpy(&words[n], &length, 4);
	memcpy((char *)&words[n] + 4, tap_cupti.path, length);
	tap_record(REC_CUPTI_LIBRARY, 0, words, n + (length + 4 + 7) / 8);
	tap_scratch_give(words);
}

static bool claim_process(void)
{
	uint64_t *word = tap_fork_word();

	if (!word)
		return false;
	*word = 1;
	tap_cupti.pid = tap_sys_getpid();
	__atomic_store_n(&tap_cupti.alive, word, __ATOMIC_RELEASE);
	return gc_without("fork-buffers") || tap_at_fork_child(tap_cupti_peek_forked);
}

/* CLIENT2. True: somebody came first. */
static bool is_taken(void)
{
	const char *who = tap_cupti_client_first();

	if (who)
		say_busy(who);
	return who;
}

static bool register_buffers(void)
{
	int err = TAP_CUPTI(cuptiActivityRegisterCallbacks, tap_cupti_request_buffer, tap_cupti_complete_buffer);

	if (!err)
		return true;
	tap_cupti_lost(TAP_CUPTI_cuptiActivityRegisterCallbacks, err, "CUDA is not traced: CUPTI takes no buffers");
	tap_cupti_hand_over();
	return false;
}

/* Order matters: the slot first, what is set before buffers, buffers before kinds. */
static void set_up(void *is_late)
{
	uint64_t begin = tap_tick();
	bool late = *(const bool *)is_late;

	tap_cupti.flags = late ? REC_CUPTI_LATE : 0;
	if (!tap_stream_get() || is_taken() || !tap_cupti_load() || !subscribe())
		return;
	if (!tap_cupti_ask_library()) {
		tap_cupti_hand_over();
		return;
	}
	if (tap_counting)
		tap_counting->library(tap_cupti.handle, tap_cupti.version);
	set_attributes();
	if (!claim_process() || !tap_cupti_buffers_open()) {
		tap_lost(REC_LOSS_CUPTI_NO_BUFFER, 1);
		tap_note(TAP_PART_CUPTI, "CUDA is not traced: no room for its buffers");
		tap_cupti_hand_over();
		return;
	}
	tap_cupti_filter_init();
	record_library();
	tap_cupti.args = asked("cuda-args");
	tap_cupti.stacks = tap_stack_wanted(REC_DOMAIN_CUDA_RUNTIME);
	if (tap_cupti.args)
		tap_cupti_args_start();
	if (tap_cupti.stacks)           /* its frames stand between the call and us */
		tap_unwinder->skip(TAP_CUPTI_ADDRESS(cuptiSubscribe));
	if (!register_buffers())
		return;
	if (late)
		tap_cupti_configure_late();
	tap_cupti_event(REC_CUPTI_SUBSCRIBED, 0, 0, (uint64_t[4]){ 1 });
	tap_cupti_resource_callbacks(true);
	enable_kinds(true);
	if (!tap_options.start_after || tap_clock_elapsed_ns() >= tap_options.start_after)
		tap_cupti_set_recording(true);
	TAP_WRITE_ONCE(tap_cupti.ready, true);
	tap_cupti_event(REC_CUPTI_ATTACHED, 0, 0, (uint64_t[4]){ begin });
}

/* The thread is made with the program's own signal mask, which it puts back when it is the last one. */
static void make_start(bool late)
{
	tap_set_up(set_up, &late);
	if (!TAP_READ_ONCE(tap_cupti.ready))
		return;
	if (late)
		tap_cupti_thread_start(true);
	else if (tap_cupti_peek_any())
		tap_cupti_thread_start(false);
}

static void start(bool late)
{
	TAP_WRITE_ONCE(tap_cupti.starter, tap_sys_gettid());
	make_start(late);
	__atomic_store_n(&tap_cupti.starter, 0, __ATOMIC_RELEASE);
	tap_futex_wake(&tap_cupti.starter);
}

/* ------------------------------------------------------------------- way in */

static const char chain_variable[] = "GPUTAP_CUDA_CHAIN";       /* what CUDA_INJECTION64_PATH named before us */

/* This library or another copy of it: two in one process would be in each other's way. */
static bool is_us(const char *path)
{
	const char *name = strrchr(path, '/');

	return tap_text_equal(name ? name + 1 : path, "libgputap.so");
}

/* Another tool's library goes first: its needs are served before ours. */
static void chain(void *unused)
{
	const char *path = tap_environ(chain_variable);
	void *lib = path && path[0] && !is_us(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*entry)(void) = lib ? (int (*)(void))tap_way_in.dlsym(lib, "InitializeInjection") : NULL;

	(void)unused;
	if (path && path[0])
		TAP_DEBUG(loader, "CUDA_INJECTION64_PATH named %s before: %s", path,
			entry ? "called" : "no such library or entry");
	if (entry && entry()) {
		tap_note(TAP_PART_CUPTI, "CUDA_INJECTION64_PATH named %s: it was loaded too, and goes first", path);
		return;
	}
	if (lib)
		tap_way_in.dlclose(lib);                   /* as the driver would */
}

static uint32_t entered;

/* Not 0: the driver keeps this library and does not ask again. */
int tap_cupti_injection(void)
{
	int saved = errno;

	if (!__atomic_exchange_n(&entered, 1, __ATOMIC_ACQ_REL)) {
		tap_set_up(chain, NULL);
		if (wanted())
			start(false);
	}
	errno = saved;
	return 1;
}

/* ----------------------------------------------------------------- not seen */

/*
 * The process ends with a driver that was initialised and never called us: the program removed the variable, or
 * named another library in it, before its first CUDA call. What was called cannot be counted.
 */
static void tell_unseen(void)
{
	static bool told;
	int saved = errno;

	if (!told && wanted() && !TAP_READ_ONCE(entered) && !tap_seccomp && driver_answers() != NOT_INITIALIZED &&
		tap_stream_get()) {
		told = true;
		tap_lost(REC_LOSS_CUDA_UNSEEN, 1);
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: the driver was not told of gputap: CUDA_INJECTION64_PATH, which names its "
			"library, was removed or changed before the first CUDA call; the rest is traced");
	}
	errno = saved;
}

static const char *loaded_runtime(void)
{
	static const char *const names[] = { "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (tap_way_in.loaded(names[i]))
			return names[i];
	return NULL;
}

/* The runtime looks for the driver at the first call; the launcher of a run without records, whether there is one. */
static void tell_of_runtime(void)
{
	const char *runtime;

	if (!wanted() || TAP_READ_ONCE(entered) || tap_seccomp || TAP_READ_ONCE(tap_gate->alive) ||
		tap_way_in.loaded("libcuda.so.1"))
		return;
	runtime = loaded_runtime();
	if (runtime)
		tap_run_say_cuda_runtime(runtime);
}

/* Of a process that has recorded nothing else: nobody else looks at its end. */
static void tell_of_unrecorded(void *unused)
{
	(void)unused;
	tell_unseen();
	tell_of_runtime();
}

/* Most programs have nothing of CUDA's, and end as soon as without us. */
static void at_unrecorded_exit(void)
{
	if (tap_way_in.loaded("libcuda.so.1") || loaded_runtime())
		tap_set_up(tell_of_unrecorded, NULL);
}

static void end(int kind)
{
	if (kind == REC_EXIT_NORMAL)                    /* elsewhere the loader may be busy for ever */
		tell_unseen();
	tap_cupti_exit(kind);
}

/* --------------------------------------------------------------- environment */

/* Lets the CUDA driver find this library. */
static void prepare(void)
{
	static const char name[] = "CUDA_INJECTION64_PATH";
	const char *old = tap_environ(name), *self = tap_own_path();

	if (!wanted() || !self[0])
		return;
	tap_process_at_exit(at_unrecorded_exit);
	if (old && tap_text_equal(old, self))
		return;
	if (old && old[0] && !is_us(old))
		tap_environ_set(chain_variable, old);
	tap_environ_set(name, self);
}

/* A driver that is initialised already is attached to. */
static void attach(bool late)
{
	if (late && wanted() && tap_cupti_driver_is_up() && !__atomic_exchange_n(&entered, 1, __ATOMIC_ACQ_REL))
		start(true);
}

const struct tap_collector tap_collector_cupti = {
	.name = "cupti",
	.domains = REC_ASK_BIT(CUDA),
	.prepare = prepare,
	.start = attach,
	.at_exit = end,
};
