/*
 * tests/unit/test_cuda_names.c - model/cuda/names.c, model/symbols/demangle.c: names of functions and kernels;
 * model/sort.h: the order of many things
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/cudafixture.h"

#include "model/cuda/internal.h"
#include "model/symbols/demangle.h"
#include "model/sort.h"

static void short_names_have_no_types_namespaces_templates_or_parameters(void **state)
{
	static const struct { const char *demangled, *name;
	} cases[] = {
		{ "vecadd(float const*, float const*, float*, int)", "vecadd" },
		{ "reduce", "reduce" },
		{ "void core::blas::gemm<float, 4>(float*, float const*, unsigned long)", "gemm" },
		{ "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
		  "at::detail::Array<char*, 1> >(int, float)",
			"vectorized_elementwise_kernel" },
		{ "void (anonymous namespace)::softmax<float, (int)8>(float*)", "softmax" },
		{ "(anonymous namespace)::softmax(float*)", "softmax" },
		{ "void app::(anonymous namespace)::inner<int>((anonymous namespace)::T*)", "inner" },
		{ "std::enable_if<(4)<(8), void>::type pick<4>(int*)", "pick" },
		{ "void run<app::{lambda(int)#1}>(app::{lambda(int)#1})", "run" },
		{ "main::{lambda(int)#1}::operator()(int) const", "operator()" },
		{ "void app::operator<< <int>(int)", "operator<< <int>" },
		{ "void cub::CUB_101702_500_NS::DeviceReduceKernel<cub::Policy<int>::Policy600, int*, int>(int*, int)",
			"DeviceReduceKernel" },
		{ "work(int) [clone .isra.0]", "work" },
		{ "unsigned int hash(unsigned int)", "hash" },
		{ "char const* text()", "text" },
		{ "f<g<h<1> > >(int)", "f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *at_text = NULL;
		size_t n = gt_short_name(cases[i].demangled, strlen(cases[i].demangled), &at_text);
		char name[128];

		assert_true(n < sizeof name);
		memcpy(name, at_text, n);
		name[n] = 0;
		assert_string_equal(name, cases[i].name);
	}
}

/* Nothing that a program may call a kernel leads outside of its text. */
static void odd_names_stay_inside_their_text(void **state)
{
	static const char pieces[] = "<>(){}[]:* &operator()_Z1aNESt";
	uint32_t seed = 12345;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		size_t n = 0, bytes = seed % 24;
		char *text = malloc(bytes + 1);           /* its own block: a sanitizer sees what is read behind it */
		const char *from = NULL;

		for (; n < bytes; n++) {
			seed = seed * 1664525u + 1013904223u;
			text[n] = pieces[(seed >> 16) % (sizeof pieces - 1)];
		}
		seed = seed * 1664525u + 1013904223u;
		n = gt_short_name(text, bytes, &from);
		assert_true(from >= text && from <= text + bytes && n <= bytes && from + n <= text + bytes);
		free(text);
	}
}

/* As the model gives them: mangled, demangled by the C++ runtime, short. */
static void kernels_are_named_in_three_ways(void **state)
{
	static const char *const mangled[] = { "_ZN4core4blas4gemmIfLi4EEEvPT_PKS2_m", "plain_c", "_Zbroken", "_ZN",
		"_Z", "" };
	static const char *const short_names[] = { "gemm", "plain_c", "_Zbroken", "_ZN", "_Z", "" };
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	for (unsigned i = 0; i < 6; i++) {
		tb_cupti_string(f.s, START, 0x1000 + i, mangled[i]);
		add_kernel(&f, i + 1, 1000 + i * 10, 1005 + i * 10, 0x1000 + i);
	}
	fixture_buffer(&f, 5000);
	m = fixture_open(&f);
	c = cuda_of(m);
	for (unsigned i = 0; i < 6; i++) {
		struct gt_cuda_event e = event_at(c, GT_CUDA_KERNEL, i);

		assert_string_equal(e.kernel.mangled.text, mangled[i]);
		assert_string_equal(e.kernel.short_name.text, short_names[i]);
	}
	assert_string_equal(event_at(c, GT_CUDA_KERNEL, 0).kernel.demangled.text,
		"void core::blas::gemm<float, 4>(float*, float const*, unsigned long)");
	fixture_close(&f, m);
}

static void versions_of_runtime_functions_are_cut_off(void **state)
{
	static const struct { uint32_t domain; const char *name, *base; } cases[] = {
		{ 2, "cudaLaunchKernel_v7000", "cudaLaunchKernel" }, { 2, "cudaMemcpy_ptds_v7000", "cudaMemcpy_ptds" },
		{ 2, "cudaMemcpy2DToArray_v3020", "cudaMemcpy2DToArray" },
		{ 2, "cudaProfilerStart_v4000", "cudaProfilerStart" },
		{ 2, "cudaOdd_v", "cudaOdd_v" }, { 2, "_v7", "_v7" }, { 1, "cuMemAlloc_v2", "cuMemAlloc_v2" },
		{ 1, "cuLaunchKernel", "cuLaunchKernel" },
	};
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		tb_cupti_name(f.s, START, cases[i].domain, 100 + i, cases[i].name);
		add_call(&f, cases[i].domain == 2 ? 5 : 4, 100 + i, PID, i + 1, 1000 + i * 100, 1050 + i * 100);
	}
	add_call(&f, 5, 77, PID, 99, 5000, 5001);         /* its name was never told */
	fixture_buffer(&f, 9000);
	m = fixture_open(&f);
	c = cuda_of(m);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_string_equal(event_at(c, GT_CUDA_CALL, i).call.name.text, cases[i].name);
		assert_string_equal(event_at(c, GT_CUDA_CALL, i).call.base.text, cases[i].base);
	}
	assert_string_equal(event_at(c, GT_CUDA_CALL, sizeof cases / sizeof *cases).call.base.text, "cudaRuntime_77");
	fixture_close(&f, m);
}

/* -------------------------------------------------------------------- sorting */

struct item { uint32_t key, order; uint64_t other; };

static int by_key(const void *a, const void *b, const void *ctx)
{
	const struct item *x = a, *y = b;

	(void)ctx;
	return (x->key > y->key) - (x->key < y->key);
}

/*
 * Orders of all kinds, in memory and in a file that is forgotten as it is gone through: in order, and equal ones as
 * they came.
 */
static void sorting_is_stable_in_memory_and_in_files(void **state)
{
	static const uint32_t counts[] = { 0, 1, 2, 23, 24, 25, 1000, 3000000 };

	(void)state;
	for (unsigned shape = 0; shape < 5; shape++) {
		for (unsigned k = 0; k < sizeof counts / sizeof *counts; k++) {
			/* no room in memory: 48 MB go to a file */
			struct gt_bulk_budget budget = { .used = counts[k] > 100000 ? GT_BULK_IN_MEMORY : 0 };
			struct gt_bulk b = { 0 };
			uint32_t seed = 1;

			if (counts[k] > 100000 && shape == 1)
				continue;         /* backwards one by one is slow, and shows nothing that 1000 do not */
			for (uint32_t i = 0; i < counts[k]; i++) {
				struct item *v = gt_bulk_add(&b, sizeof *v, &budget);
				seed = seed * 1664525u + 1013904223u;
				uint32_t keys[] = { i, counts[k] - i, seed >> 8, i / 50 * 50 + seed % 50,
					i % 8 * 1000000 + i / 8 };

				assert_non_null(v);
				*v = (struct item){ keys[shape], i, (uint64_t)i * 0x9e3779b97f4a7c15u };
			}
			assert_int_equal(b.fd != 0, counts[k] > 100000);
			assert_int_equal(gt_bulk_sort(&b, sizeof(struct item), by_key, NULL, &budget), 0);
			for (uint32_t i = 0; i < counts[k]; i++) {
				const struct item *v = (const struct item *)b.data + i;

				assert_true(v->other == (uint64_t)v->order * 0x9e3779b97f4a7c15u);
				if (i && (v[-1].key > v->key || (v[-1].key == v->key && v[-1].order >= v->order)))
					fail_msg("shape %u, %u items: wrong at %u", shape, counts[k], i);
			}
			gt_bulk_free(&b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_names_have_no_types_namespaces_templates_or_parameters),
		cmocka_unit_test(odd_names_stay_inside_their_text),
		cmocka_unit_test(kernels_are_named_in_three_ways),
		cmocka_unit_test(versions_of_runtime_functions_are_cut_off),
		cmocka_unit_test(sorting_is_stable_in_memory_and_in_files),
	};

	return cmocka_run_group_tests_name("cuda_names", tests, NULL, NULL);
}
