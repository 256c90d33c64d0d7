/*
 * tests/gpu/gpu.h - what the programs for a real GPU share: each checks its own results and says what it did
 *
 * The last line of a program is "counts kernels=N copies=N sets=N graphs=N failed=N": launches outside of graphs that
 * succeeded, copies and sets outside of graphs, graph launches, calls that were meant to fail. tests/gpu/check.py
 * holds the trace against it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_GPU_H
#define GPUTAP_TESTS_GPU_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>
#include <cuda_runtime.h>

#define MUST(call) do { \
	cudaError_t err_ = (call); \
	if (err_ != cudaSuccess) { \
		std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(err_), #call); \
		std::exit(1); \
	} \
} while (0)

static std::atomic<long> kernels, copies, sets, graphs, failed;

/* Counts what a successful call put on the device. */
#define LAUNCHED() do { MUST(cudaGetLastError()); kernels++; } while (0)
#define COPY(call) do { MUST(call); copies++; } while (0)
#define SET(call) do { MUST(call); sets++; } while (0)
#define LAUNCH_GRAPH(call) do { MUST(call); graphs++; } while (0)
#define FAILS(call, expected) do { \
	cudaError_t err_ = (call); \
	if (err_ != (expected)) { \
		std::fprintf(stderr, "%s:%d: %s, not %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(err_), #expected, \
		             #call); \
		std::exit(1); \
	} \
	failed++; \
} while (0)

static inline int done(const char *name, bool right)
{
	std::printf("%s: %s\n", name, right ? "right" : "WRONG");
	std::printf("counts kernels=%ld copies=%ld sets=%ld graphs=%ld failed=%ld\n", kernels.load(), copies.load(),
	            sets.load(), graphs.load(), failed.load());
	return right ? 0 : 1;
}

static inline double now_ns()
{
	return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static __global__ void add_one(unsigned *x, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i]++;
}

static inline void launch_add_one(unsigned *x, unsigned n, cudaStream_t stream)
{
	add_one<<<(n + 255) / 256, 256, 0, stream>>>(x, n);
	LAUNCHED();
}

static inline bool all_are(const unsigned *x, size_t n, unsigned value)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] != value)
			return false;
	return true;
}

#endif
