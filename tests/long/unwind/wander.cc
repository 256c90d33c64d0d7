/*
 * tests/long/unwind/wander.cc - the same for C++: templates, virtual functions, lambdas, exceptions that pass through
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "wander.h"

namespace {
volatile int sink;

struct Guard {
	std::string text;
	~Guard() { sink = sink + static_cast<int>(text.size()); }
};

template <typename T> struct Walker {
	T step;
	__attribute__((noinline)) int go(int n) const
	{
		Guard guard{ "a text that is too long for the object itself" };
		return step(n) + sink;
	}
};

struct Base {
	virtual ~Base() = default;
	virtual int go(int n) = 0;
};
struct Derived : Base {
	__attribute__((noinline)) int go(int n) override { return wander(n - 1) + 1; }
};

int by_lambda(int n)
{
	auto step = [](int m) { return wander(m - 1) + 1; };
	return Walker<decltype(step)>{ step }.go(n);
}

int by_function(int n)
{
	std::function<int(int)> step = [n](int m) { return wander(m - 1) + n; };
	return Walker<std::function<int(int)>>{ step }.go(n);
}

int by_virtual(int n)
{
	Derived derived;
	Base *base = &derived;
	return base->go(n) + 1;
}

int by_sort(int n)
{
	std::vector<int> v{ 3, 1, 2 };
	bool once = true;
	std::sort(v.begin(), v.end(), [&](int a, int b) {
		if (once) {
			once = false;
			wander(n - 1);
		}
		return a < b;
	});
	return v[0];
}

int by_catch(int n)
{
	try {
		wander(n - 1);
		throw std::runtime_error("on the way");
	} catch (const std::exception &e) {
		return wander(n - 9) + e.what()[0];
	}
}

__attribute__((constructor)) void add_all()
{
	for (int (*function)(int) : { by_lambda, by_function, by_virtual, by_sort, by_catch })
		wander_add(function);
}
}
