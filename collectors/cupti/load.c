/*
 * collectors/cupti/load.c - which CUPTI library, its functions, and how long its records are
 *
 * Runs      once, inside cuInit.
 * May       open libraries: the driver does so there too.
 * Must not  bring a second CUPTI into a process that has one.
 *
 * Records of one kind only ever grow at their end, and a library tells how long its own are: fed a buffer that is
 * nothing but one kind's number it steps from record to record. So no table of versions is needed; a version nobody has
 * seen yet is read as far as its fields are known.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "collectors/collector.h"
#include "collectors/cupti/internal.h"
#include "trace/write/debug.h"

#define OLDEST_MAJOR 11u                /* 11.8; before that records were laid out otherwise */

enum { CUDA_13_2 = 13020 };

static uint32_t refused_major;          /* a library that is there but newer than the driver */
static const char *harmful;             /* why one that is there was left alone */
static bool stand_in;                   /* the driver is the tests' stand-in */

static bool copy_path(char to[TAP_PATH_MAX], const char *path)
{
	size_t n = strlen(path) + 1;

	if (n > TAP_PATH_MAX)
		return false;
	memcpy(to, path, n);
	return true;
}

/* -------------------------------------------------------------- driver */

void *tap_cupti_driver(void)
{
	static const char name[] = "libcuda.so.1";

	return tap_way_in.loaded(name) ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static uint32_t driver_version(void)
{
	void *driver = tap_cupti_driver();
	int (*get)(int *) = driver ? (int (*)(int *))tap_way_in.dlsym(driver, "cuDriverGetVersion") : NULL;
	int version = 0;

	if (get && get(&version))
		version = 0;
	stand_in = driver && tap_way_in.dlsym(driver, "gputap_stand_in");
	if (driver)
		tap_way_in.dlclose(driver);
	return version > 0 ? (uint32_t)version : 0;
}

/* --------------------------------------------------------------- search */

static bool any_device(void)
{
	static const char *const nodes[] = { "/dev/nvidiactl", "/dev/dxg", "/dev/nvmap", "/dev/nvgpu" };
	const char *visible = tap_environ("CUDA_VISIBLE_DEVICES");

	if (visible && (!visible[0] || tap_text_equal(visible, "-1") || tap_text_equal(visible, "NoDevFiles")))
		return false;
	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
		if (!TAP_SYS(faccessat, AT_FDCWD, nodes[i], 0, 0, 0, 0))
			return true;
	return stand_in;
}

/*
 * CUPTI of CUDA 13.2 ends a process without a driver that it accepts, whatever function is called first: its search for
 * words to say so calls itself for ever. Later ones answer with an error. Both are known by a function that none before
 * had.
 */
static bool may_do_harm(void *library)
{
	if (!tap_way_in.dlsym(library, "cuptiActivityGetStructSize"))
		return false;
	if (tap_cupti.driver && tap_cupti.driver < CUDA_13_2)
		harmful = "it is for CUDA 13.2 or newer, and the driver is older";
	else if (!any_device())
		harmful = "there is no device here, and CUPTI of CUDA 13.2 would end the program then";
	else
		return false;
	return true;
}

static bool opened(const char *path)
{
	void *library = path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	TAP_DEBUG(loader, "CUPTI: %s %s", path, library ? "loaded" : "is not there");
	if (!library)
		return false;
	if (may_do_harm(library)) {
		tap_way_in.dlclose(library);
		return false;
	}
	tap_cupti.handle = library;
	return true;
}

/* DIR/libcupti.so.MAJOR; of 11 the last release's name. */
static bool opened_in(const char *dir, size_t bytes, const char *below, uint32_t major)
{
	char *path = tap_scratch_take();
	struct tap_text t;
	bool is_open;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_bytes(&t, dir, bytes);
	tap_text_str(&t, below);
	tap_text_str(&t, "libcupti.so.");
	tap_text_u64(&t, major);
	if (major == 11)
		tap_text_str(&t, ".8");
	is_open = path && opened(path);
	tap_scratch_give(path);
	return is_open;
}

struct beside { size_t found; char dir[16][TAP_PATH_MAX / 4]; };
static struct beside found_beside;      /* one search, inside cuInit */

static bool is_file(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');

	return base && !strncmp(base + 1, name, strlen(name));
}

/* The loader's lock is held: paths are only noted. */
static int note_mapped(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct beside *b = arg;
	const char *path = info->dlpi_name;
	size_t n;

	(void)bytes;
	if (!path || path[0] != '/' || b->found == sizeof b->dir / sizeof *b->dir)
		return 0;
	if (!is_file(path, "libcudart.so") && !strstr(path, "/nvidia/") && !is_file(path, "libtorch_cuda.so"))
		return 0;
	n = (size_t)(strrchr(path, '/') + 1 - path);
	if (n >= sizeof b->dir[0] || (b->found && !strncmp(b->dir[b->found - 1], path, n) && !b->dir[b->found - 1][n]))
		return 0;
	memcpy(b->dir[b->found], path, n);
	b->dir[b->found++][n] = 0;
	return 0;
}

/* Where a CUPTI lies beside a runtime: in the same folder, in a toolkit's, in the packages of Python wheels. */
static bool beside(const struct beside *b, uint32_t major)
{
	static const char *const below[] = { "", "../extras/CUPTI/lib64/", "../../../extras/CUPTI/lib64/",
		"../../cuda_cupti/lib/", "../../nvidia/cuda_cupti/lib/" };

	for (size_t i = 0; i < b->found; i++)
		for (size_t k = 0; k < sizeof below / sizeof *below; k++)
			if (opened_in(b->dir[i], strlen(b->dir[i]), below[k], major))
				return true;
	return false;
}

static bool in_toolkit(const char *root, uint32_t major)
{
#if defined(__aarch64__)
	static const char *const below[] = { "/extras/CUPTI/lib64/", "/lib64/", "/targets/sbsa-linux/lib/", "/lib/" };
#else
	static const char *const below[] = { "/extras/CUPTI/lib64/", "/lib64/", "/targets/x86_64-linux/lib/", "/lib/" };
#endif

	for (size_t k = 0; root && root[0] == '/' && k < sizeof below / sizeof *below; k++)
		if (opened_in(root, strlen(root), below[k], major))
			return true;
	return false;
}

/* By the dynamic linker's own search (LD_LIBRARY_PATH, cache), then where toolkits are installed. */
static bool in_usual_places(uint32_t major)
{
	static const char *const roots[] = { "/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda",
		"/usr/lib/nvidia-cuda-toolkit" };
	char root[64];

	if (opened_in("", 0, "", major) || in_toolkit(tap_environ("CUDA_HOME"), major) ||
		in_toolkit(tap_environ("CUDA_PATH"), major) || in_toolkit(tap_environ("CONDA_PREFIX"), major))
		return true;
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (in_toolkit(roots[i], major))
			return true;
	for (int minor = 9; minor >= 0; minor--) {
		struct tap_text t;

		tap_text_init(&t, root, sizeof root);
		tap_text_str(&t, "/usr/local/cuda-");
		tap_text_u64(&t, major);
		tap_text_char(&t, '.');
		tap_text_u64(&t, (uint64_t)minor);
		if (in_toolkit(root, major))
			return true;
	}
	return false;
}

/*
 * A program that profiles itself has one already, by whatever name (a Python wheel's has a hash in it), and two in one
 * process do not get along: it is that one or none.
 */
static char programs_own[TAP_PATH_MAX]; /* its path; empty: linked into the program */
static bool program_has_one;

static bool is_loaded(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

	if (library)
		tap_way_in.dlclose(library);
	return library;
}

static bool open_programs_own(void)
{
	const char *option = tap_option("cupti");

	if (option[0] && !is_loaded(option))
		tap_note(TAP_PART_CUPTI,
			"--cupti=%s is not used: the program has a CUPTI already (%s), and two in one process do not "
			"get along",
			option, programs_own[0] ? programs_own : "linked into it");
	return opened(programs_own);
}

/* The driver's own major version is best, else the newest below: a CUPTI newer than its driver does not work. */
static bool search(void)
{
	uint32_t newest = tap_cupti.driver ? tap_cupti.driver / 1000 : 13;
	struct beside *b = &found_beside;

	program_has_one = tap_way_in.exporter("cuptiGetVersion", programs_own, sizeof programs_own);
	if (program_has_one)
		return open_programs_own();
	if (tap_option("cupti")[0])
		return opened(tap_option("cupti"));
	dl_iterate_phdr(note_mapped, b);
	for (uint32_t major = newest; major >= OLDEST_MAJOR; major--)
		if (beside(b, major) || in_usual_places(major))
			return true;
	for (uint32_t major = newest + 1; major <= newest + 2 && !refused_major; major++)
		if (beside(b, major) || in_usual_places(major)) {
			refused_major = major;
			tap_way_in.dlclose(tap_cupti.handle);
			tap_cupti.handle = NULL;
		}
	return false;
}

static void say_missing(void)
{
	uint32_t major = tap_cupti.driver / 1000, minor = tap_cupti.driver % 1000 / 10;

	tap_lost(REC_LOSS_CUPTI_MISSING, 1);
	if (program_has_one)
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: the program has a CUPTI already (%s), which is left alone: %s; a second "
			"one is not loaded; the rest is traced",
			programs_own[0] ? programs_own : "linked into it",
			harmful ? harmful : "its functions cannot be reached");
	else if (harmful)
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: the CUPTI that is installed is left alone: %s (CUDA %u.%u); the rest is "
		        "traced; "
			"name another with --cupti",
			harmful, major, minor);
	else if (tap_option("cupti")[0])
		tap_note(TAP_PART_CUPTI, "CUDA is not traced: --cupti=%s cannot be loaded; the rest is traced",
			tap_option("cupti"));
	else if (refused_major)
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: the CUPTI that is installed is for CUDA %u, this driver is for %u.%u; the "
		        "rest is traced; "
			"install CUPTI %u or name one with --cupti",
			refused_major, major, minor, major);
	else
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: no libcupti.so.%u was found; the rest is traced; install CUDA's CUPTI (or "
		        "the Python wheel "
			"nvidia-cuda-cupti) or name the library with --cupti",
			major ? major : 13);
}

/* --------------------------------------------------------------- refused */

static uint32_t cuda_of(uint32_t version) { return version >= 130000 ? version / 10000 : version >= 19 ? 12 : 11; }

/*
 * CUPTI answers alike where it is newer than the driver, where there is no device and where it knows no better: what is
 * known here decides, else nothing is said of the cause.
 */
void tap_cupti_say_refused(unsigned f, int result)
{
	uint32_t major = tap_cupti.driver / 1000, minor = tap_cupti.driver % 1000 / 10;
	const char *cause = tap_cupti_cause(result);

	if (TAP_CUPTI(cuptiGetVersion, &tap_cupti.version))
		tap_cupti.version = 0;
	tap_lost(REC_LOSS_CUPTI_MISSING, 1);
	if (*cause)
		tap_note(TAP_PART_CUPTI, "CUDA is not traced: %s refuses (%s answered %s)%s; the rest is traced",
			tap_cupti.path, tap_cupti_name(f), tap_cupti_result_text(result), cause);
	else if (tap_cupti.version && major && cuda_of(tap_cupti.version) > major)
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: %s is for CUDA %u, the driver for %u.%u (%s answered %s); the rest is "
			"traced; install CUPTI %u or name one with --cupti",
			tap_cupti.path, cuda_of(tap_cupti.version), major, minor, tap_cupti_name(f),
			tap_cupti_result_text(result), major);
	else if (!any_device())
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: there is no device here, and %s does not work without one (%s answered "
			"%s); the rest is traced",
			tap_cupti.path, tap_cupti_name(f), tap_cupti_result_text(result));
	else
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: %s (version %u) refuses and does not say why: %s answered %s (%d), with a "
			"driver for CUDA %u.%u; the rest is traced; --cupti names another",
			tap_cupti.path, tap_cupti.version, tap_cupti_name(f), tap_cupti_result_text(result), result,
			major, minor);
}

/* ------------------------------------------------------------- functions */

static void note_path(void)
{
	Dl_info info;

	if (dladdr(TAP_CUPTI_ADDRESS(cuptiGetVersion), &info) && info.dli_fname)
		copy_path(tap_cupti.path, info.dli_fname);
}

static bool all_functions(void)
{
	enum { WANTED, NEEDED };
	static const struct { const char *name; size_t at; bool required; } functions[] = {
#define FUNCTION(name, need, refusal, loss, lost, arguments) { #name, offsetof(struct tap_cupti_raw, name), need },
#include "collectors/cupti_functions.def"
	};

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *f = tap_way_in.dlsym(tap_cupti.handle, functions[i].name);

		memcpy((char *)&tap_cupti.raw + functions[i].at, &f, sizeof f);
		if (functions[i].at == offsetof(struct tap_cupti_raw, cuptiGetVersion) && f)
			note_path();
		if (f || !functions[i].required)
			continue;
		tap_lost(REC_LOSS_CUPTI_MISSING, 1);
		tap_note(TAP_PART_CUPTI,
			"CUDA is not traced: %s has no %s: it is no CUPTI of CUDA 11.8 or newer; the rest is traced; "
			"name another with --cupti",
			tap_cupti.path, functions[i].name);
		return false;
	}
	return true;
}

static int ask_text(int result, const char **text) { return TAP_CUPTI(cuptiGetResultString, result, text); }
static int ask_time(uint64_t *ns) { return TAP_CUPTI(cuptiGetTimestamp, ns); }
static int ask_context(void *context, uint32_t *id) { return TAP_CUPTI_IF_ANY(cuptiGetContextId, context, id); }
static int ask_device(void *context, uint32_t *id) { return TAP_CUPTI_IF_ANY(cuptiGetDeviceId, context, id); }

static bool is_stand_in(void)
{
	const char *text = NULL;

	return !TAP_CUPTI_IF_ANY(cuptiGetErrorMessage, 1, &text) && text &&
		strstr(text, "gputap stand-in");
}

/* ----------------------------------------------------------------- sizes */

#define PROBE_BYTES 8192u

/* What it answers for a kind that it has not is not the answer to every kind. */
static uint32_t probe(uint8_t *buffer, uint32_t kind, int *err)
{
	void *first = NULL, *second;

	for (uint32_t i = 0; i < PROBE_BYTES; i += 4)
		memcpy(buffer + i, &kind, 4);
	*err = TAP_CUPTI(cuptiActivityGetNextRecord, buffer, PROBE_BYTES, &first);
	if (*err || !first)
		return 0;
	second = first;
	if (TAP_CUPTI(cuptiActivityGetNextRecord, buffer, PROBE_BYTES, &second) ||
		(uint8_t *)second <= (uint8_t *)first)
		return 0;
	size_t step = (size_t)((uint8_t *)second - (uint8_t *)first);

	return step % 4 || step > PROBE_BYTES / 2 ? 0 : (uint32_t)step;
}

/* By the iterator's step, else by what the library says of its newest structures. */
static uint32_t bytes_of(uint8_t *buffer, uint32_t kind, int *err)
{
	uint32_t step = probe(buffer, kind, err);
	size_t bytes = 0;

	if (step || TAP_CUPTI_IF_ANY(cuptiActivityGetStructSize, kind, 0, &bytes))
		return step;
	return bytes % 4 || bytes > PROBE_BYTES / 2 ? 0 : (uint32_t)bytes;
}

/* Fresh memory: what a library remembers of a buffer it does by address. */
static bool probe_sizes(void)
{
	uint8_t *buffer = tap_sys_mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	int err = TAP_CUPTI_OK, one;
	bool any = false;

	if (!buffer) {
		tap_lost(REC_LOSS_CUPTI_MISSING, 1);
		tap_note(TAP_PART_CUPTI, "CUDA is not traced: no memory to ask CUPTI how long its records are");
		return false;
	}
	for (uint32_t kind = 1; kind < TAP_CUPTI_KINDS; kind++) {
		tap_cupti.record_bytes[kind] = (uint16_t)bytes_of(buffer, kind, &one);
		any |= tap_cupti.record_bytes[kind] != 0;
		err = one && one != TAP_CUPTI_INVALID_KIND ? one : err;
	}
	tap_sys_munmap(buffer, PROBE_BYTES);
	if (!any)
		tap_cupti_lost(TAP_CUPTI_cuptiActivityGetNextRecord, err,
			"CUDA is not traced: CUPTI does not tell how long its records are");
	return any;
}

bool tap_cupti_load(void)
{
	tap_cupti.driver = driver_version();
	if (!search()) {
		say_missing();
		return false;
	}
	copy_path(tap_cupti.path,
		tap_option("cupti")[0] && !program_has_one ? tap_option("cupti") : "the CUPTI library");
	if (!all_functions())
		return false;
	tap_cupti_asked = (struct tap_cupti_asked){ ask_text, ask_time, ask_context, ask_device, &tap_cupti.closed };
	return true;
}

/* Later libraries answer nothing before they have found the driver, so this follows the subscription. */
bool tap_cupti_ask_library(void)
{
	if (TAP_CUPTI(cuptiGetVersion, &tap_cupti.version))
		tap_cupti.version = 0;
	if (is_stand_in())
		tap_cupti.flags |= REC_CUPTI_STAND_IN;
	TAP_DEBUG(loader, "CUPTI %u of %s, driver for CUDA %u", tap_cupti.version, tap_cupti.path, tap_cupti.driver);
	return probe_sizes();
}
