/*
 * collectors/opencl/callback.c - the application's callbacks, wrapped by their user data: timed, recorded as host
 * ranges
 *
 * Runs      registration: in application threads. The callbacks: on whatever thread the driver chooses, with whatever
 *           the driver holds; also after main has returned.
 * Must not  malloc, lock; call the driver from a callback (it may hold locks of its own there); change order or number
 *           of the callbacks.
 *
 * The driver gets a function of ours and, as user data, a cell that says whose function and data it stands for.
 * CALLBACK1  A cell is given back before the application's function runs (it may never return), and only where the
 *            callback comes at most once. Where it may come more than once, or a failed call leaves open whether it
 *            still comes, the cell is kept for good: 32 bytes.
 * CALLBACK2  No cell: the application's own function and data go to the driver, and the callback is counted as not
 *            wrapped.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"
#include "common/plain/without.h"
#include "ids.h"
#include "trace/write/tls.h"

typedef void (*any_fn)(void);
struct wrapped {
	struct tap_cl_cell cell;
	any_fn fn;
	void *user;
	uint64_t extra;                           /* callback function id where one wrapper serves several */
};

static struct tap_cl_pool cells = { .cell_bytes = sizeof(struct wrapped), .per_slab = 2048 };

static struct wrapped *wrap(any_fn fn, void *user, uint64_t extra)
{
	struct wrapped *w = fn && !atomic_load(&tap_cl_closed) ? tap_cl_pool_take(&cells) : NULL;

	if (!w) {
		if (fn)
			tap_lost(REC_LOSS_CALLBACK_UNWRAPPED, 1);  /* CALLBACK2 */
		return NULL;
	}
	w->fn = fn;
	w->user = user;
	w->extra = extra;
	return w;
}

static void unwrap(struct wrapped *w)
{
	if (w)
		tap_cl_pool_give(&cells, w);
}

/* What the callback is to run; the cell goes back at once when it cannot come again (CALLBACK1). */
static struct wrapped open_cell(void *cell, bool once)
{
	struct wrapped copy = *(struct wrapped *)cell;

	if (once)
		tap_cl_pool_give(&cells, cell);
	return copy;
}

/*
 * One run of the application's function `call_`, recorded with the arguments that `put` writes. Where a release of our
 * own is what calls it (a destructor), the calls that it makes are the application's all the same.
 */
#define RUN(id, a0, a1, a2, a3, call_, put) do { \
		uint32_t own = tap_tls.own_calls; \
		struct tap_call call; \
		if (!gc_without("callback-in-release")) \
			TAP_WRITE_ONCE(tap_tls.own_calls, 0); \
		if (tap_callback_begin(&call, id, REC_DOMAIN_OPENCL, (uint64_t)(uintptr_t)(a0), \
				(uint64_t)(a1), (uint64_t)(a2), (uint64_t)(a3))) { \
			call_; \
			tap_call_stop(&call, 0); \
			put; \
			tap_call_finish(&call); \
		} else { \
			call_; \
		} \
		TAP_WRITE_ONCE(tap_tls.own_calls, own); \
	} while (0)

/* ------------------------------------------------------------------ once, of one object */

typedef void (CL_CALLBACK *event_fn)(cl_event, cl_int, void *);
typedef void (CL_CALLBACK *mem_fn)(cl_mem, void *);
typedef void (CL_CALLBACK *context_fn)(cl_context, void *);
typedef void (CL_CALLBACK *program_fn)(cl_program, void *);

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *cell)
{
	struct wrapped w = open_cell(cell, true);

	RUN(FN_clSetEventCallback_pfn_notify, event, status, (uintptr_t)w.user, 0,
		((event_fn)w.fn)(event, status, w.user),
		tap_cl_put_clSetEventCallback_pfn_notify(&call, event, status, w.user));
}

/* CALLED(on_x, type of the object, type of the callback, the function whose callback it is recorded as) */
#define CALLED(on, object, notify, as) \
	static void CL_CALLBACK on(object it, void *cell) \
	{ \
		struct wrapped w = open_cell(cell, true); \
		\
		RUN(FN_##as##_pfn_notify, it, (uintptr_t)w.user, 0, 0, ((notify)w.fn)(it, w.user), \
			tap_cl_put_##as##_pfn_notify(&call, it, w.user)); \
	}
CALLED(on_mem, cl_mem, mem_fn, clSetMemObjectDestructorCallback)
CALLED(on_context, cl_context, context_fn, clSetContextDestructorCallback)
CALLED(on_program_release, cl_program, program_fn, clSetProgramReleaseCallback)
#undef CALLED

/*
 * SET(function, type of the object, type of the callback, on_x, further parameters, further arguments): it is called
 * once when the function succeeded, and never when it failed.
 */
#define SETS \
	SET(clSetEventCallback, cl_event, event_fn, on_event, (cl_int command_exec_callback_type,), \
		(command_exec_callback_type,)) \
	SET(clSetMemObjectDestructorCallback, cl_mem, mem_fn, on_mem, (), ()) \
	SET(clSetMemObjectDestructorAPPLE, cl_mem, mem_fn, on_mem, (), ()) \
	SET(clSetContextDestructorCallback, cl_context, context_fn, on_context, (), ()) \
	SET(clSetProgramReleaseCallback, cl_program, program_fn, on_program_release, (), ())
#define BARE(...) __VA_ARGS__
#define SET(name, object, notify, on, parameters, arguments) \
	cl_int tap_cl_do_##name( \
		const struct tap_opencl_api *real, object it, BARE parameters notify pfn_notify, void *user_data) \
	{ \
		struct wrapped *w = wrap((any_fn)pfn_notify, user_data, 0); \
		cl_int ret = real->name(it, BARE arguments w ? on : pfn_notify, w ? w : user_data); \
		\
		if (ret != CL_SUCCESS) \
			unwrap(w); \
		return ret; \
	}
SETS
#undef SET
#undef BARE

/* -------------------------------------------------- builds: a failed one may have called back already (CALLBACK1) */

static void CL_CALLBACK on_build(cl_program program, void *cell)
{
	struct wrapped w = open_cell(cell, true);

	/* No driver call here, so the log is asked for at the program's first kernel. */
	tap_cl_program_log_later(program);
	RUN((uint32_t)w.extra, program, (uintptr_t)w.user, 0, 0, ((program_fn)w.fn)(program, w.user),
	    tap_cl_put_clBuildProgram_pfn_notify(&call, program, w.user));
}

cl_int tap_cl_do_clBuildProgram(const struct tap_opencl_api *real, cl_program program, cl_uint num_devices,
	const cl_device_id *device_list, const char *options, program_fn pfn_notify, void *user_data)
{
	struct wrapped *w = wrap((any_fn)pfn_notify, user_data, FN_clBuildProgram_pfn_notify);

	return real->clBuildProgram(
		program, num_devices, device_list, options, w ? on_build : pfn_notify, w ? w : user_data);
}

cl_int tap_cl_do_clCompileProgram(const struct tap_opencl_api *real, cl_program program, cl_uint num_devices,
	const cl_device_id *device_list, const char *options, cl_uint num_input_headers,
	const cl_program *input_headers, const char **header_include_names, program_fn pfn_notify, void *user_data)
{
	struct wrapped *w = wrap((any_fn)pfn_notify, user_data, FN_clCompileProgram_pfn_notify);

	return real->clCompileProgram(program, num_devices, device_list, options, num_input_headers, input_headers,
		header_include_names, w ? on_build : pfn_notify, w ? w : user_data);
}

cl_program tap_cl_do_clLinkProgram(const struct tap_opencl_api *real, cl_context context, cl_uint num_devices,
	const cl_device_id *device_list, const char *options, cl_uint num_input_programs,
	const cl_program *input_programs, program_fn pfn_notify, void *user_data, cl_int *errcode_ret)
{
	struct wrapped *w = wrap((any_fn)pfn_notify, user_data, FN_clLinkProgram_pfn_notify);

	return real->clLinkProgram(context, num_devices, device_list, options, num_input_programs, input_programs,
	                           w ? on_build : pfn_notify, w ? w : user_data, errcode_ret);
}

/* ---------------------------------------------------------- contexts: may report any number of errors (CALLBACK1) */

typedef void (CL_CALLBACK *error_fn)(const char *, const void *, size_t, void *);

static void CL_CALLBACK on_error(const char *errinfo, const void *private_info, size_t cb, void *cell)
{
	struct wrapped w = open_cell(cell, false);

	RUN((uint32_t)w.extra, (uintptr_t)errinfo, (uintptr_t)private_info, cb, (uintptr_t)w.user,
	    ((error_fn)w.fn)(errinfo, private_info, cb, w.user),
	    tap_cl_put_clCreateContext_pfn_notify(&call, errinfo, private_info, cb, w.user));
}

cl_context tap_cl_do_clCreateContext(const struct tap_opencl_api *real, const cl_context_properties *properties,
	cl_uint num_devices, const cl_device_id *devices, error_fn pfn_notify, void *user_data, cl_int *errcode_ret)
{
	struct wrapped *w = wrap((any_fn)pfn_notify, user_data, FN_clCreateContext_pfn_notify);

	cl_context context;

	tap_cl_cpu_look(true);
	context = real->clCreateContext(
		properties, num_devices, devices, w ? on_error : pfn_notify, w ? w : user_data, errcode_ret);
	tap_cl_cpu_look(false);
	return context;
}

cl_context tap_cl_do_clCreateContextFromType(const struct tap_opencl_api *real, const cl_context_properties *properties,
	cl_device_type device_type, error_fn pfn_notify, void *user_data, cl_int *errcode_ret)
{
	struct wrapped *w = wrap((any_fn)pfn_notify, user_data, FN_clCreateContextFromType_pfn_notify);

	cl_context context;

	tap_cl_cpu_look(true);
	context = real->clCreateContextFromType(
		properties, device_type, w ? on_error : pfn_notify, w ? w : user_data, errcode_ret);
	tap_cl_cpu_look(false);
	return context;
}

/* ------------------------------------------------------------------ shared virtual memory */

typedef void (CL_CALLBACK *svm_fn)(cl_command_queue, cl_uint, void **, void *);

static void CL_CALLBACK on_svm_free(cl_command_queue queue, cl_uint n, void *pointers[], void *cell)
{
	struct wrapped w = open_cell(cell, true);

	RUN((uint32_t)w.extra, queue, n, (uintptr_t)pointers, (uintptr_t)w.user,
		((svm_fn)w.fn)(queue, n, pointers, w.user),
		tap_cl_put_clEnqueueSVMFree_pfn_free_func(&call, queue, n, pointers, w.user));
}

#define SVM_FREE(function) \
	cl_int tap_cl_do_##function(const struct tap_opencl_api *real, cl_command_queue command_queue, \
		cl_uint num_svm_pointers, void *svm_pointers[], svm_fn pfn_free_func, void *user_data, \
		cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) \
	{ \
		struct wrapped *w = wrap((any_fn)pfn_free_func, user_data, FN_##function##_pfn_free_func); \
		cl_int ret = real->function(command_queue, num_svm_pointers, svm_pointers, \
			w ? on_svm_free : pfn_free_func, w ? w : user_data, num_events_in_wait_list, event_wait_list, \
			event); \
\
		if (ret != CL_SUCCESS) \
			unwrap(w); \
		return ret; \
	}
SVM_FREE(clEnqueueSVMFree)
SVM_FREE(clEnqueueSVMFreeARM)

/* ---------------------------------------------------------- native kernels: no user data, but a block of arguments */

#define NATIVE_ARGS 2048u                         /* bytes copied; the runtime copies them again */
#define NATIVE_MEMS 64u
#define NATIVE_HEAD 16u                           /* in front of the application's arguments; keeps their alignment */
typedef void (CL_CALLBACK *native_fn)(void *);

static void CL_CALLBACK on_native(void *block)
{
	native_fn fn;
	void *args;
	uint64_t has_args;

	__builtin_memcpy(&fn, block, sizeof fn);
	__builtin_memcpy(&has_args, (char *)block + 8, sizeof has_args);
	args = has_args ? (char *)block + NATIVE_HEAD : NULL;
	RUN(FN_clEnqueueNativeKernel_user_func, (uintptr_t)args, 0, 0, 0, fn(args),
		tap_cl_put_clEnqueueNativeKernel_user_func(&call, args));
}

/* Everything the runtime would check must be fine, or the call goes through as it is and fails as it always did. */
static bool native_wrappable(cl_command_queue queue, native_fn fn, void *args, size_t bytes, cl_uint n,
	const cl_mem *mems, const void **places)
{
	if (!fn || !args != !bytes || bytes > NATIVE_ARGS || n > NATIVE_MEMS || !tap_cl_queue_find(queue) ||
		atomic_load(&tap_cl_closed))
		return false;
	if (n ? !mems || !places : mems || places)
		return false;
	for (cl_uint i = 0; i < n; i++) {
		size_t at = (size_t)((const char *)places[i] - (const char *)args);

		if (at > bytes || bytes - at < sizeof(cl_mem))
			return false;
	}
	return true;
}

cl_int tap_cl_do_clEnqueueNativeKernel(const struct tap_opencl_api *real, cl_command_queue command_queue,
	native_fn user_func, void *args, size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
	const void **args_mem_loc, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	bool wrappable = native_wrappable(
		command_queue, user_func, args, cb_args, num_mem_objects, mem_list, args_mem_loc);
	const void **places = wrappable ? tap_scratch_take() : NULL;
	char *block = (char *)(places + NATIVE_MEMS);
	uint64_t has_args = args != NULL;
	cl_int ret;

	_Static_assert(NATIVE_MEMS * sizeof *places + NATIVE_HEAD + NATIVE_ARGS <= TAP_SCRATCH_BYTES, "both");
	if (!places) {
		ret = real->clEnqueueNativeKernel(command_queue, user_func, args, cb_args, num_mem_objects, mem_list,
			args_mem_loc, num_events_in_wait_list, event_wait_list, event);
		if (ret == CL_SUCCESS && !atomic_load(&tap_cl_closed))
			tap_lost(REC_LOSS_CALLBACK_UNWRAPPED, 1);  /* CALLBACK2 */
		return ret;
	}
	__builtin_memcpy(block, &user_func, sizeof user_func);
	__builtin_memcpy(block + 8, &has_args, sizeof has_args);
	if (cb_args)
		__builtin_memcpy(block + NATIVE_HEAD, args, cb_args);
	for (cl_uint i = 0; i < num_mem_objects; i++)
		places[i] = block + NATIVE_HEAD + ((const char *)args_mem_loc[i] - (const char *)args);
	ret = real->clEnqueueNativeKernel(command_queue, on_native, block, cb_args + NATIVE_HEAD, num_mem_objects,
		mem_list, num_mem_objects ? places : NULL, num_events_in_wait_list, event_wait_list, event);
	tap_scratch_give(places);
	return ret;
}
