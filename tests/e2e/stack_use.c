/*
 * tests/e2e/stack_use.c - how many bytes of the caller's stack each call takes: STEP BYTES
 *
 *	stack_use [small=KiB] STEP...
 *
 * What lies below the caller is painted before the call; what is no more as it was afterwards was used. A step is what
 * stands behind its name in the table; the first call of an interface is the first step that is named. small: all in a
 * thread with so much stack, and nothing is painted. Steps are of CUDA (on the stand-in, found by name, so that this
 * program needs no CUDA), OpenCL and the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAINTED = 256 << 10, PAINT = 0x5a };
#define MUST(x) do { if (x) { fprintf(stderr, "stack_use: %s\n", #x); _exit(3); } } while (0)

static int small;                       /* KiB, 0: painted */

/* ------------------------------------------------------------------- OpenCL */

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem memory;

static void cl_platform(void) { MUST(clGetPlatformIDs(1, &platform, NULL)); }
static void cl_device(void) { MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)); }
static void cl_context_(void) { MUST(!(context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL))); }
static void cl_queue(void)
{
	MUST(!(queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL)));
}
static void cl_program_(void)
{
	const char *source = "__kernel void a(__global int *p) { *p = 1; }";

	MUST(!(program = clCreateProgramWithSource(context, 1, &source, NULL, NULL)));
	MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
}
static void cl_kernel_(void)
{
	MUST(!(kernel = clCreateKernel(program, "a", NULL)));
	MUST(!(memory = clCreateBuffer(context, 0, 64, NULL, NULL)));
	MUST(clSetKernelArg(kernel, 0, sizeof memory, &memory));
}
static void cl_enqueue(void)
{
	size_t n = 16;

	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
}
static void cl_read(void)
{
	char to[64];

	MUST(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof to, to, 0, NULL, NULL));
}
static void cl_many(void)
{
	for (int i = 0; i < 20000; i++)
		clRetainMemObject(memory), clReleaseMemObject(memory);
}
static void cl_free(void)
{
	clReleaseMemObject(memory), clReleaseKernel(kernel), clReleaseProgram(program);
	clReleaseCommandQueue(queue), clReleaseContext(context);
}

/* --------------------------------------------------------------------- CUDA */

static const char ptx[] =
	".version 7.0\n.target sm_52\n.address_size 64\n"
	".visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) { ret; }\n";
static void *cuda, *cu_module, *cu_function, *cu_context;
static uint64_t cu_a;

/* The name is looked up ahead: the dynamic linker's own way is no call's. */
static void *of_cuda(const char *name)
{
	void *f = dlsym(cuda, name);

	MUST(!f);
	return f;
}
#define CU(name, ...) ((int (*)())of_cuda(#name))(__VA_ARGS__)

static void cu_init(void) { MUST(CU(cuInit, 0)); }
static void cu_context_(void)
{
	MUST(CU(cuDevicePrimaryCtxRetain, &cu_context, 0));
	MUST(CU(cuCtxSetCurrent, cu_context));
}
static void cu_module_(void)
{
	MUST(CU(cuModuleLoadData, &cu_module, ptx));
	MUST(CU(cuModuleGetFunction, &cu_function, cu_module, "vector_add"));
}
static void cu_alloc(void) { MUST(CU(cuMemAlloc_v2, &cu_a, (size_t)4000)); }
static void cu_launch(void)
{
	unsigned n = 0;
	void *args[] = { &cu_a, &cu_a, &cu_a, &n };

	MUST(CU(cuLaunchKernel, cu_function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
}
static void cu_copy(void)
{
	char to[64];

	MUST(CU(cuMemcpyDtoH_v2, to, cu_a, sizeof to));
}
static void cu_sync(void) { MUST(CU(cuCtxSynchronize)); }
static void cu_many(void)
{
	for (int i = 0; i < 3000; i++)
		MUST(CU(cuMemsetD8_v2, cu_a, 0, (size_t)64));
}
static void cu_in_thread(void)
{
	MUST(CU(cuCtxSetCurrent, cu_context));
	MUST(CU(cuCtxSynchronize));
}
static void cu_free(void) { MUST(CU(cuMemFree_v2, cu_a)); }

/* --------------------------------------------------------------- C library */

static void os_write(void) { MUST(write(STDERR_FILENO, "", 0) < 0); }
static void os_sleep(void) { MUST(usleep(1500)); }
static void *nothing(void *unused) { return unused; }
static void os_thread(void)
{
	pthread_t t;
	pthread_attr_t a;

	MUST(pthread_attr_init(&a));
	MUST(pthread_attr_setstacksize(&a, 65536));
	MUST(pthread_create(&t, &a, nothing, NULL));
	MUST(pthread_join(t, NULL));
}

/* ------------------------------------------------------------------ painted */

static size_t measure(void (*step)(void));

/* A child's first call; the parent's own part of a fork is not looked at. */
static size_t in_child(void (*step)(void))
{
	size_t used;
	int end[2];
	pid_t child;

	MUST(pipe(end));
	child = fork();
	if (!child) {
		used = measure(step);
		MUST(write(end[1], &used, sizeof used) != sizeof used);
		exit(0);
	}
	MUST(read(end[0], &used, sizeof used) != sizeof used);
	MUST(waitpid(child, NULL, 0) != child);
	close(end[0]), close(end[1]);
	return used;
}
static void no_step(void) { }

/* On a stack for handlers of its own. */
static void (*in_handler)(void);
static void handler(int s) { (void)s; in_handler(); }
static size_t on_handlers_stack(void (*step)(void))
{
	unsigned char *at = mmap(NULL, PAINTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t mine = { .ss_sp = at, .ss_size = PAINTED }, before;
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	size_t i = 0;

	memset(at, PAINT, PAINTED);
	in_handler = step;
	MUST(sigaltstack(&mine, &before) || sigaction(SIGUSR1, &a, NULL) || raise(SIGUSR1));
	while (i < PAINTED && at[i] == PAINT)
		i++;
	MUST(sigaltstack(&before, NULL));
	return PAINTED - i;
}

/* The whole of a thread: what it takes to begin, the step, its end. */
static void *thread(void *step) { ((void (*)(void))step)(); return NULL; }
static size_t whole_thread(void (*step)(void))
{
	unsigned char *at = mmap(NULL, PAINTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t a;
	pthread_t t;
	size_t i = 0;

	memset(at, PAINT, PAINTED);
	MUST(pthread_attr_init(&a) || pthread_attr_setstack(&a, at, PAINTED));
	MUST(pthread_create(&t, &a, thread, (void *)step) || pthread_join(t, NULL));
	while (i < PAINTED && at[i] == PAINT)
		i++;
	return PAINTED - i;
}

static const struct { const char *name; void (*step)(void); size_t (*way)(void (*step)(void)); } steps[] = {
	{ "cl.platform", cl_platform, NULL }, { "cl.device", cl_device, NULL }, { "cl.context", cl_context_, NULL },
	{ "cl.queue", cl_queue, NULL }, { "cl.program", cl_program_, NULL }, { "cl.kernel", cl_kernel_, NULL },
	{ "cl.enqueue", cl_enqueue, NULL }, { "cl.read", cl_read, NULL }, { "cl.many", cl_many, NULL },
	{ "cl.handler", cl_enqueue, on_handlers_stack }, { "cl.thread", cl_enqueue, whole_thread },
	{ "cl.platform.child", cl_platform, in_child }, { "cl.free", cl_free, NULL },
	{ "cu.init", cu_init, NULL }, { "cu.context", cu_context_, NULL }, { "cu.module", cu_module_, NULL },
	{ "cu.alloc", cu_alloc, NULL }, { "cu.launch", cu_launch, NULL }, { "cu.copy", cu_copy, NULL },
	{ "cu.sync", cu_sync, NULL }, { "cu.many", cu_many, NULL }, { "cu.handler", cu_copy, on_handlers_stack },
	{ "cu.thread", cu_in_thread, whole_thread }, { "cu.free", cu_free, NULL },
	{ "os.write", os_write, NULL }, { "os.sleep", os_sleep, NULL }, { "os.thread", os_thread, NULL },
	{ "os.handler", os_write, on_handlers_stack }, { "os.child", os_write, in_child },
	{ "nothing", no_step, NULL }, { "nothing.thread", no_step, whole_thread },
	{ "nothing.handler", no_step, on_handlers_stack },
};

/* Volatile, and called through a pointer: so that what is painted is what lies below the step's own frame. */
static void (*volatile now)(void);
static unsigned char *volatile below;

/* Not shown to the compiler, which warns of what is meant here: the frame is gone when it is looked at. */
static uintptr_t address_of(const volatile void *at)
{
	__asm__("" : "+r"(at));
	return (uintptr_t)at;
}

static __attribute__((noinline)) void paint(void)
{
	volatile unsigned char area[PAINTED];

	for (size_t i = 0; i < sizeof area; i++)
		area[i] = PAINT;
	below = (unsigned char *)(uintptr_t)address_of(area);
}

static __attribute__((noinline, no_sanitize("address"))) size_t measure(void (*step)(void))
{
	unsigned char *top = __builtin_frame_address(0), *at;

	now = step;
	paint();
	now();
	at = below;
	while (*at == PAINT)
		at++;
	return (size_t)(top - at);
}

static void *take_steps(void *names)
{
	for (char **name = names; *name; name++)
		for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
			if (strcmp(*name, steps[i].name))
				continue;
			if (small)
				steps[i].step();
			else
				printf("%s %zu\n", *name, (steps[i].way ? steps[i].way : measure)(steps[i].step));
		}
	return NULL;
}

/* exit: behind all steps; the handler that was registered first runs last, and looks. */
static void look_at_the_end(void)
{
	unsigned char *top = __builtin_frame_address(0), *at = below;

	while (*at == PAINT)
		at++;
	printf("exit %zu\n", (size_t)(top - at));
}

static void *take_steps_and_exit(void *names)
{
	take_steps(names);
	if (!small)
		paint();
	exit(0);
}

int main(int c, char **v)
{
	char **names = v + 1;
	pthread_attr_t a;
	pthread_t t;
	bool ends = c > 1 && !strcmp(v[c - 1], "exit");

	if (*names && sscanf(*names, "small=%d", &small) == 1)
		names++;
	setvbuf(stdout, NULL, _IONBF, 0);
	cuda = dlopen("libcuda.so.1", RTLD_NOW);
	if (ends && !small)
		atexit(look_at_the_end);
	MUST(pthread_attr_init(&a) || pthread_attr_setstacksize(&a, small ? (size_t)small << 10 : 4u << 20));
	MUST(pthread_create(&t, &a, ends ? take_steps_and_exit : take_steps, names) || pthread_join(t, NULL));
	if (small)
		puts("done");
	return 0;
}
