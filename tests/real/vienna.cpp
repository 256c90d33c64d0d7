/*
 * tests/real/vienna.cpp - vectors and a matrix by ViennaCL's OpenCL kernels
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define VIENNACL_WITH_OPENCL
#include <cstdio>
#include <vector>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

int main()
{
	const std::size_t n = 256;
	std::vector<float> host(n, 2.0f);
	viennacl::vector<float> x(n), y(n);
	viennacl::matrix<float> a = viennacl::identity_matrix<float>(n);

	viennacl::copy(host, x);
	y = x + 3.0f * x;
	x = viennacl::linalg::prod(a, y);
	std::printf("%g\n", static_cast<double>(viennacl::linalg::inner_prod(x, y)));
	return 0;
}
