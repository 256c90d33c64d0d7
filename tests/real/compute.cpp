/*
 * tests/real/compute.cpp - sorts and sums by Boost.Compute
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <boost/compute.hpp>
#include <cstdio>
#include <vector>

namespace compute = boost::compute;

int main()
{
	compute::context context(compute::system::default_device());
	compute::command_queue queue(context, context.get_device());
	std::vector<int> host;
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		host.push_back((i * 7919) % 1000);
	compute::vector<int> there(host.size(), context);
	compute::copy(host.begin(), host.end(), there.begin(), queue);
	compute::sort(there.begin(), there.end(), queue);
	compute::reduce(there.begin(), there.end(), &sum, compute::plus<int>(), queue);
	compute::copy(there.begin(), there.end(), host.begin(), queue);
	std::printf("%d %d %d\n", host.front(), host.back(), sum);
	return 0;
}
