/*
 * tests/unit/test_cuda_stats.c - what the CUDA reports say of small traces whose numbers are worked out by hand
 *
 * One tick is one ns; a time `ns` is counted from the session's start.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/reports/report.h"
#include "tests/tracecuda.h"

#define TRACE "cuda_stats.gputap"
#define T0 1000000ull
#define REAL 1000000000000000000ull       /* REALTIME - MONOTONIC, as tb_clock says; CUPTI's clock is REALTIME */

enum {
	MEMCPY = 1,
	MEMSET,
	DRIVER = 4,
	RUNTIME,
	KERNEL = 10,
	MANAGED = 25,
	MEMORY2 = 49,
	GRAPH = 51,
	PID = 100,
	MAIN = 100,
	OTHER
};
enum { LAUNCH = 211, COPY = 41, GRAPH_LAUNCH = 311, DRIVER_LAUNCH = 307, S_TEMPLATE = 0x5000, S_PLAIN = 0x5100 };

static struct world {
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *main, *other, *cupti;
	struct tb_acts *a;
	struct gt_model *model;
} w;

static uint64_t at(uint64_t ns) { return REAL + T0 + ns; }

static int begin(void **state)
{
	static const char table[] = "T\t1\n";
	const struct {
		uint32_t domain, cbid;
		const char *name;
	} names[] = { { 2, LAUNCH, "cudaLaunchKernel_v7000" }, { 2, COPY, "cudaMemcpyAsync_v3020" },
		{ 2, GRAPH_LAUNCH, "cudaGraphLaunch_v10000" }, { 1, DRIVER_LAUNCH, "cuLaunchKernel" } };

	(void)state;
	w = (struct world){ .tb = tb_open(TRACE) };
	tb_table(w.tb, table, sizeof table - 1);
	w.p = tb_process(w.tb, PID);
	tb_fact(w.p, "start_tick", "1000000");
	w.main = tb_stream(w.p);
	tb_thread(w.main, T0, MAIN, 1, "main");
	tb_clock(w.main, T0, T0);
	tb_clock(w.main, T0 + 1000000, T0 + 1000000);
	w.other = tb_stream(w.p);
	tb_thread(w.other, T0, OTHER, 0, "other");
	w.cupti = tb_stream(w.p);
	w.a = tb_acts(130001);
	tb_cupti_library(w.main, T0, 130001, 13000, 0, "/usr/lib/libcupti.so.13");
	tb_cupti_clock(w.main, T0, at(0), 60, at(0));
	tb_cupti_clock(w.main, T0 + 900000, at(900000), 60, at(900000));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		tb_cupti_name(w.main, T0, names[i].domain, names[i].cbid, names[i].name);
	tb_cupti_string(w.main, T0, S_TEMPLATE, "_ZN4core5scaleIdEEvPT_S1_");
	tb_cupti_string(w.main, T0, S_PLAIN, "plain");
	return 0;
}

static int end(void **state)
{
	(void)state;
	gt_model_close(w.model);
	tb_acts_free(w.a);
	tb_remove(TRACE);
	return 0;
}

static void call_of(uint32_t kind, uint32_t tid, uint32_t cbid, uint32_t correlation, uint64_t start, uint64_t stop)
{
	ACT(w.a, kind, F(RUNTIME, cbid, cbid), F(RUNTIME, start, at(start)), F(RUNTIME, end, at(stop)),
		F(RUNTIME, processId, PID), F(RUNTIME, threadId, tid), F(RUNTIME, correlationId, correlation));
}
#define CALL(cbid, correlation, start, stop) call_of(RUNTIME, MAIN, cbid, correlation, start, stop)

static void kernel_of(uint64_t name, uint32_t stream, uint32_t correlation, uint64_t start, uint64_t stop,
	uint32_t grid, uint32_t graph, uint64_t node)
{
	ACT(w.a, KERNEL, F(CONCURRENT_KERNEL, start, start ? at(start) : 0),
		F(CONCURRENT_KERNEL, end, stop ? at(stop) : 0), F(CONCURRENT_KERNEL, deviceId, 0),
		F(CONCURRENT_KERNEL, contextId, 1), F(CONCURRENT_KERNEL, streamId, stream),
		F(CONCURRENT_KERNEL, correlationId, correlation), F(CONCURRENT_KERNEL, name, name),
		F(CONCURRENT_KERNEL, gridX, grid), F(CONCURRENT_KERNEL, gridY, 1), F(CONCURRENT_KERNEL, gridZ, 1),
		F(CONCURRENT_KERNEL, blockX, 32), F(CONCURRENT_KERNEL, blockY, 1), F(CONCURRENT_KERNEL, blockZ, 1),
		F(CONCURRENT_KERNEL, graphNodeId, node), F(CONCURRENT_KERNEL, graphId, graph));
}
#define RAN(stream, correlation, start, stop) kernel_of(S_PLAIN, stream, correlation, start, stop, 1, 0, 0)

static void copied(uint32_t stream, uint32_t correlation, uint64_t start, uint64_t stop, uint64_t bytes, uint32_t graph,
	uint64_t node)
{
	ACT(w.a, MEMCPY, F(MEMCPY, copyKind, 1), F(MEMCPY, srcKind, 1), F(MEMCPY, dstKind, 3), F(MEMCPY, bytes, bytes),
		F(MEMCPY, start, at(start)), F(MEMCPY, end, at(stop)), F(MEMCPY, deviceId, 0), F(MEMCPY, contextId, 1),
		F(MEMCPY, streamId, stream), F(MEMCPY, correlationId, correlation), F(MEMCPY, graphNodeId, node),
		F(MEMCPY, graphId, graph));
}

static void memory(uint32_t operation, uint64_t when, uint64_t address, uint64_t bytes)
{
	ACT(w.a, MEMORY2, F(MEMORY2, memoryOperationType, operation), F(MEMORY2, memoryKind, 3),
		F(MEMORY2, address, address), F(MEMORY2, bytes, bytes), F(MEMORY2, timestamp, at(when)),
		F(MEMORY2, processId, PID), F(MEMORY2, deviceId, 0), F(MEMORY2, contextId, 1));
}

static void managed(uint32_t counter, uint64_t start, uint64_t stop, uint64_t address, uint64_t value)
{
	ACT(w.a, MANAGED, F(UNIFIED_MEMORY_COUNTER, counterKind, counter), F(UNIFIED_MEMORY_COUNTER, value, value),
	    F(UNIFIED_MEMORY_COUNTER, start, at(start)), F(UNIFIED_MEMORY_COUNTER, end, stop ? at(stop) : 0),
	    F(UNIFIED_MEMORY_COUNTER, address, address),
	    F(UNIFIED_MEMORY_COUNTER, processId, PID));
}

static uint64_t nvtx(struct tb_stream *s, enum rec_nvtx_kind kind, uint64_t ns, const char *text)
{
	uint64_t words[64] = { T0 + ns, (uint64_t)kind | REC_NVTX_TEXT << 8 };

	return tb_record(s, REC_NVTX_EVENT, 0, 0, words, tb_put_text(words, 2, text, (uint32_t)strlen(text)));
}



static void pop(struct tb_stream *s, uint64_t ns) { tb_record(s, REC_NVTX_POP, 0, 0, W(T0 + ns)); }

/* The trace is complete: from here on reports can be asked. */
static void close_trace(void)
{
	const struct rec_cupti_buffer head = { .number = 1, .completed_tick = T0 + 800000 };
	struct gt_err err = { 0 };

	tb_cupti_buffer_sized(w.cupti, w.a, &head, 4 * REC_BLOCK - REC_CUPTI_BUFFER);
	tb_close(w.tb);
	assert_int_equal(gt_model_open(TRACE, NULL, &w.model, &err), 0);
}

static char *print(const char *name, int64_t from, int64_t to, enum gt_table_format format)
{
	struct gt_report_request q;
	struct gt_err err = { 0 };
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	const struct gt_report_run run = { .model = w.model,
		.reports = &q,
		.n_reports = 1,
		.format = format,
		.out = out,
		.from_ns = from,
		.to_ns = to };

	assert_int_equal(gt_report_parse(name, &q, &err), 0);
	assert_int_equal(gt_reports_run(&run, &err), 0);
	fclose(out);
	return text;
}

/* Rows of a report as CSV, without the headings. */
static void rows_are(const char *name, const char *rows)
{
	char *text = print(name, GT_NO_TIME, GT_NO_TIME, GT_TABLE_CSV);

	assert_string_equal(strchr(text, '\n') + 1, rows);
	free(text);
}

static void says(const char *name, const char *what)
{
	char *text = print(name, GT_NO_TIME, GT_NO_TIME, GT_TABLE_TEXT);

	if (!strstr(text, what))
		fail_msg("%s does not say \"%s\":\n%s", name, what, text);
	free(text);
}

/* --------------------------------------------------------------------- delays */

/* A kernel that starts before its call returns did not wait in a queue; the total goes to what ends last. */
static void queue_time_is_only_what_lies_between_call_and_kernel(void **state)
{
	(void)state;
	CALL(LAUNCH, 1, 1000, 3000);
	RAN(7, 1, 5000, 9000);                    /* api 2000, queue 2000, kernel 4000, total 8000 */
	CALL(LAUNCH, 2, 10000, 16000);
	RAN(7, 2, 12000, 14000);                  /* api 6000, no queue, kernel 2000, total 6000 */
	CALL(LAUNCH, 3, 20000, 21000);
	RAN(7, 3, 21000, 21500);                  /* api 1000, queue 0, kernel 500, total 1500 */
	RAN(7, 99, 30000, 31000);                 /* whose call is not there: no delays */
	close_trace();
	rows_are("cuda_kern_exec_trace",
		"1000,2000,3000,2000,5000,4000,8000,100,100,0,cudaLaunchKernel,   1    1    1,  32    1    1,plain\n"
		"10000,6000,,,12000,2000,6000,100,100,0,cudaLaunchKernel,   1    1    1,  32    1    1,plain\n"
		"20000,1000,21000,0,21000,500,1500,100,100,0,cudaLaunchKernel,   1    1    1,  32    1    1,plain\n");
	/* deviations of {8000, 6000, 1500}, {2000, 6000, 1000}, {2000, 0}, {4000, 2000, 500} */
	rows_are("cuda_kern_exec_sum",
		"3,2,100,100,0,5166.7,6000.0,1500,8000,3329.2,3000.0,2000.0,1000,6000,2645.8,1000.0,1000.0,0,2000,1414."
	        "2,"
		"2166.7,2000.0,500,4000,1755.9,cudaLaunchKernel,plain\n");
}

/* A driver call that the runtime made inside its own is neither counted nor a second launch of the kernel. */
static void nested_driver_calls_are_not_counted(void **state)
{
	(void)state;
	CALL(LAUNCH, 1, 1000, 3000);
	call_of(DRIVER, MAIN, DRIVER_LAUNCH, 1, 1500, 2500);
	RAN(7, 1, 5000, 9000);
	call_of(DRIVER, MAIN, DRIVER_LAUNCH, 2, 4000, 5000); /* one of the program's own */
	RAN(7, 2, 9000, 9500);
	close_trace();
	rows_are("cuda_api_sum",
		"66.7,2000,1,2000.0,2000.0,2000,2000,0.0,cudaLaunchKernel\n33.3,1000,1,1000.0,1000.0,1000,1000,0.0,"
	        "cuLaunchKernel\n");
	rows_are("cuda_kern_exec_trace",
		"1000,2000,3000,2000,5000,4000,8000,100,100,0,cudaLaunchKernel,   1    1    1,  32    1    1,plain\n"
		"4000,1000,5000,4000,9000,500,5500,100,100,0,cuLaunchKernel,   1    1    1,  32    1    1,plain\n");
}

/* -------------------------------------------------------------------- missing */

/*
 * A kernel without device times is in no sum and no average, is told below the table, and in the trace has no times
 * instead of zeros.
 */
static void untimed_kernels_are_told_and_not_counted(void **state)
{
	char *json;

	(void)state;
	CALL(LAUNCH, 1, 1000, 3000);
	RAN(7, 1, 5000, 9000);
	CALL(LAUNCH, 2, 10000, 11000);
	RAN(7, 2, 0, 0);
	CALL(LAUNCH, 3, 20000, 21000);
	RAN(7, 3, 25000, 24000);                  /* ends before it starts */
	close_trace();
	rows_are("cuda_gpu_kern_sum", "100.0,4000,1,4000.0,4000.0,4000,4000,0.0,plain\n");
	says("cuda_gpu_kern_sum", "not counted: 2 kernels without device times\n");
	says("cuda_stream_sum", "not counted: 2 operations without device times\n");
	says("cuda_kern_exec_sum", "not counted: 2 kernels without device times\n");
	rows_are("cuda_gpu_trace",
		"5000,4000,1,1,1,1,32,1,1,0,0.000,0.000,,,,,? (0),1,,7,plain\n"
		",,2,1,1,1,32,1,1,0,0.000,0.000,,,,,? (0),1,,7,plain\n"
		",,3,1,1,1,32,1,1,0,0.000,0.000,,,,,? (0),1,,7,plain\n");
	json = print("cuda_gpu_kern_sum", GT_NO_TIME, GT_NO_TIME, GT_TABLE_JSON);
	assert_non_null(strstr(json, "\n],\"missing\":2}\n"));
	free(json);
}

/* -------------------------------------------------------------------- streams */

/* Overlap counts once, gaps are between operations; kernels, copies and graph launches are all work of their stream. */
static void busy_time_is_the_union_of_a_streams_work(void **state)
{
	(void)state;
	RAN(7, 1, 1000, 2000);
	RAN(7, 2, 1500, 3000);                    /* 500 of it on top of the first */
	RAN(7, 3, 1600, 1700);                    /* inside both */
	copied(7, 4, 4000, 4500, 64, 0, 0);       /* behind a gap of 1000 */
	RAN(7, 5, 4500, 4600);                    /* at once: no gap */
	ACT(w.a, GRAPH, F(GRAPH_TRACE, correlationId, 6), F(GRAPH_TRACE, start, at(7600)),
		F(GRAPH_TRACE, end, at(8600)), F(GRAPH_TRACE, deviceId, 0), F(GRAPH_TRACE, graphId, 3),
		F(GRAPH_TRACE, contextId, 1), F(GRAPH_TRACE, streamId, 7)); /* behind 3000 */
	RAN(13, 7, 1000, 9000);                   /* another stream */
	close_trace();
	/* busy 2000 + 600 + 1000 of 7600 */
	rows_are("cuda_stream_sum",
		"47.4,3600,7600,6,4,2,4000,2000.0,2000.0,3000,100,? (0),1,7\n"
		"100.0,8000,8000,1,1,0,0,0.0,0.0,0,100,? (0),1,13\n");
}

/* --------------------------------------------------------------------- graphs */

/* Traced by nodes, a launch reaches from its first node to the end of its last, whatever the order they ended in. */
static void a_graph_launch_reaches_over_its_nodes(void **state)
{
	(void)state;
	CALL(GRAPH_LAUNCH, 1, 1000, 2000);
	kernel_of(S_PLAIN, 13, 1, 3000, 9000, 1, 5, 0x500000001);
	copied(14, 1, 3500, 4000, 64, 5, 0x500000002);
	CALL(GRAPH_LAUNCH, 2, 10000, 11000);
	copied(14, 2, 12000, 12500, 64, 5, 0x500000002);
	kernel_of(S_PLAIN, 13, 2, 12100, 14000, 1, 5, 0x500000001);
	kernel_of(S_PLAIN, 13, 3, 20000, 21000, 1, 0, 0);    /* of no graph */
	close_trace();
	rows_are("cuda_graph_sum", "100.0,8000,2,4000.0,4000.0,2000,6000,2828.4,2.0,100,5,,nodes\n");
}

/* --------------------------------------------------------------------- memory */

/*
 * The peak is the most that was held at once; what is left is outstanding; a release of what nobody allocated is
 * said, not subtracted.
 */
static void memory_in_use_follows_allocations(void **state)
{
	enum { A = 0x1000, B = 0x2000, C = 0x3000, MB = 1000000 };

	(void)state;
	memory(1, 1000, A, 100 * MB);
	memory(1, 2000, B, 50 * MB);              /* 150 */
	memory(2, 3000, A, 100 * MB);             /* 50 */
	memory(1, 4000, A, 30 * MB);              /* the address again: 80 */
	memory(2, 5000, C, 7 * MB);               /* not ours */
	memory(2, 6000, B, 50 * MB);              /* 30 */
	close_trace();
	rows_are("cuda_mem_usage", "150.000,30.000,180.000,3,3,1,100,? (0),Device\n");
	says("cuda_mem_usage", "not counted: 1 releases of memory whose allocation was not seen");
}

/* Many more addresses come and go than are held at once: none is confused with another. */
static void addresses_that_come_and_go_keep_the_sum(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 400; i++) {
		memory(1, 1000 + 10 * i, 0x100000 + 256 * i, 1000);
		if (i >= 2)
			memory(2, 1005 + 10 * i, 0x100000 + 256 * (i - 2), 1000);
	}
	close_trace();
	rows_are("cuda_mem_usage", "0.003,0.002,0.400,400,398,2,100,? (0),Device\n");
}

/*
 * Unified memory by address: bytes each way, faults of each side, bytes per second while it migrated; most bytes first.
 */
static void unified_memory_is_summed_by_address(void **state)
{
	(void)state;
	managed(1, 1000, 3000, 0xA000, 4000000);   /* 2000 ns */
	managed(2, 5000, 6000, 0xA000, 2000000);
	managed(1, 5000, 6000, 0xB000, 9000000);
	managed(3, 7000, 0, 0xA000, 0x401000);     /* CPU fault at an instruction */
	managed(3, 7500, 0, 0xB000, 0x401000);
	managed(3, 7600, 0, 0xB000, 0x402000);
	managed(4, 8000, 8100, 0xA000, 12);        /* 12 GPU fault groups */
	managed(4, 8200, 8300, 0xA000, 3);
	managed(5, 8400, 0, 0xC000, 4096);         /* thrashing is neither */
	close_trace();
	rows_are("um_sum", "0xB000,9.000,0.000,2,0,9000000.000\n0xA000,4.000,2.000,1,15,2000000.000\n");
	rows_are("um_sum:rows=1", "0xB000,9.000,0.000,2,0,9000000.000\n");
	rows_are("um_total_sum", "13.000,2.000,3,15,0xA000,0xB000\n");
	rows_are("um_cpu_page_faults_sum", "2,0x401000\n1,0x402000\n");
	rows_are("cuda_gpu_mem_time_sum",
		"75.0,3000,2,1500.0,1500.0,1000,2000,707.1,[CUDA memcpy Unified Host-to-Device]\n"
		"25.0,1000,1,1000.0,1000.0,1000,1000,0.0,[CUDA memcpy Unified Device-to-Host]\n");
}

/* ----------------------------------------------------------------------- NVTX */

/*
 * An activity counts for every range its call lies inside of, on the same thread; a call across a range's end is not
 * inside.
 */
static void ranges_project_to_what_their_calls_set_going(void **state)
{
	(void)state;
	nvtx(w.main, REC_NVTX_PUSH, 500, "outer");
	nvtx(w.main, REC_NVTX_PUSH, 20000, "inner");
	pop(w.main, 40000);
	pop(w.main, 100000);
	nvtx(w.other, REC_NVTX_PUSH, 500, "elsewhere");      /* the same time, another thread */
	pop(w.other, 100000);
	CALL(LAUNCH, 1, 5000, 6000);                         /* outer */
	RAN(7, 1, 7000, 9000);
	CALL(GRAPH_LAUNCH, 2, 25000, 26000);                 /* inner: two nodes */
	kernel_of(S_TEMPLATE, 7, 2, 30000, 31000, 1, 5, 0x500000001);
	copied(7, 2, 50000, 52000, 64, 5, 0x500000002);
	CALL(LAUNCH, 3, 39000, 41000);                       /* across inner's end: outer */
	RAN(7, 3, 60000, 61000);
	CALL(LAUNCH, 4, 120000, 121000);                     /* behind all */
	RAN(7, 4, 125000, 126000);
	close_trace();
	rows_are("nvtx_gpu_proj_trace",
		":outer,7000,54000,500,99500,PushPop,100,100,4,0,1,1,,:1\n"
		":inner,30000,22000,20000,20000,PushPop,100,100,2,1,0,3,1,:1:3\n");
	rows_are("nvtx_gpu_proj_sum",
		":outer,PushPop,54000,99500,1,54000.0,54000.0,54000,54000,0.0,4,4.0,0.0,1.0\n"
		":inner,PushPop,22000,20000,1,22000.0,22000.0,22000,22000,0.0,2,2.0,1.0,0.0\n");
	rows_are("nvtx_kern_sum:base",
		":outer,PushPop,100,100,1,2,3000,1500.0,1500.0,1000,2000,707.1,plain\n"
		":inner,PushPop,100,100,1,1,1000,1000.0,1000.0,1000,1000,0.0,scale\n"
		":outer,PushPop,100,100,1,1,1000,1000.0,1000.0,1000,1000,0.0,scale\n");
}

/* A start/end range has the work of its own thread too; one that ended on another thread has none. */
static void start_end_ranges_project_on_their_thread(void **state)
{
	uint64_t whole, crossing;

	(void)state;
	whole = nvtx(w.main, REC_NVTX_START, 1000, "whole");
	crossing = nvtx(w.main, REC_NVTX_START, 1100, "crossing");
	CALL(LAUNCH, 1, 5000, 6000);
	RAN(7, 1, 7000, 9000);
	call_of(RUNTIME, OTHER, LAUNCH, 2, 5000, 6000);
	RAN(7, 2, 9000, 9500);
	tb_record(w.main, REC_NVTX_END, 0, 0, W(T0 + 50000, whole));
	tb_record(w.other, REC_NVTX_END, 0, 0, W(T0 + 50000, crossing));
	close_trace();
	rows_are("nvtx_gpu_proj_trace", ":whole,7000,2000,1000,49000,StartEnd,100,100,1,0,0,1,,:1\n");
	rows_are("nvtx_kern_sum", ":whole,StartEnd,100,100,1,1,2000,2000.0,2000.0,2000,2000,0.0,plain\n");
}

/* ---------------------------------------------------------------------- names */

/*
 * Kernels go by the name that is asked for; launches of one name and different shapes are apart in the grid report
 * only.
 */
static void kernels_go_by_the_name_that_is_asked_for(void **state)
{
	struct gt_report_request q;
	struct gt_err err;

	(void)state;
	kernel_of(S_TEMPLATE, 7, 1, 1000, 2000, 4, 0, 0);
	kernel_of(S_TEMPLATE, 7, 2, 3000, 5000, 8, 0, 0);
	kernel_of(S_TEMPLATE, 7, 3, 6000, 7000, 4, 0, 0);
	close_trace();
	rows_are("cuda_gpu_kern_sum:base", "100.0,4000,3,1333.3,1000.0,1000,2000,577.4,scale\n");
	rows_are("gpukernsum:mangled", "100.0,4000,3,1333.3,1000.0,1000,2000,577.4,_ZN4core5scaleIdEEvPT_S1_\n");
	rows_are("cuda_gpu_kern_sum",
		"100.0,4000,3,1333.3,1000.0,1000,2000,577.4,\"void core::scale<double>(double*, double)\"\n");
	rows_are("cuda_gpu_kern_gb_sum:base",
		"50.0,2000,2,1000.0,1000.0,1000,1000,0.0,   4    1    1,  32    1    1,scale\n"
		"50.0,2000,1,2000.0,2000.0,2000,2000,0.0,   8    1    1,  32    1    1,scale\n");
	assert_int_equal(gt_report_parse("cuda_gpu_kern_sum:base:mangled", &q, &err), -1);
	assert_int_equal(gt_report_parse("cuda_api_sum:base", &q, &err), -1);
	assert_int_equal(gt_report_parse("um_sum:rows=", &q, &err), -1);
	assert_int_equal(gt_report_parse("", &q, &err), -1);
	assert_int_equal(gt_report_parse("cuda_gpu_kernel_sum", &q, &err), -1);
	assert_non_null(strstr(err.what, "known: opencl_api_sum"));
	assert_non_null(strstr(err.what, "nvtx_gpu_proj_trace"));       /* the last: nothing is cut */
}

/* --------------------------------------------------------------------- window */

/* What overlaps the window is kept, wherever it began; what ended before or begins behind it is not. */
static void a_window_keeps_what_overlaps_it(void **state)
{
	char *text;

	(void)state;
	RAN(7, 1, 1000, 2000);
	RAN(7, 2, 2500, 9000);                    /* over the whole window and more */
	RAN(13, 3, 3500, 3600);
	copied(13, 4, 4000, 4100, 64, 0, 0);      /* begins where the window ends */
	RAN(13, 5, 4001, 4002);
	close_trace();
	text = print("cuda_stream_sum", 3000, 4000, GT_TABLE_CSV);
	assert_string_equal(strchr(text, '\n') + 1,
		"100.0,6500,6500,1,1,0,0,0.0,0.0,0,100,? (0),1,7\n33.3,200,600,2,1,1,400,400.0,400.0,400,100,? "
	        "(0),1,13\n");
	free(text);
	text = print("cuda_gpu_kern_sum", 2000, 2000, GT_TABLE_CSV);
	assert_string_equal(strchr(text, '\n') + 1, "100.0,1000,1,1000.0,1000.0,1000,1000,0.0,plain\n");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(queue_time_is_only_what_lies_between_call_and_kernel),
		TEST(nested_driver_calls_are_not_counted),
		TEST(untimed_kernels_are_told_and_not_counted),
		TEST(busy_time_is_the_union_of_a_streams_work),
		TEST(a_graph_launch_reaches_over_its_nodes),
		TEST(memory_in_use_follows_allocations),
		TEST(addresses_that_come_and_go_keep_the_sum),
		TEST(unified_memory_is_summed_by_address),
		TEST(ranges_project_to_what_their_calls_set_going),
		TEST(start_end_ranges_project_on_their_thread),
		TEST(kernels_go_by_the_name_that_is_asked_for),
		TEST(a_window_keeps_what_overlaps_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
