// tests/e2e/stacks/sites.cpp - calls from C++: namespaces, templates, inlined functions, lambdas, through an exception
#include <functional>
#include <stdexcept>
#include <string>

#include "sites.h"

static volatile int sink;

namespace work {
template <typename T> struct box {
	T value;
	__attribute__((noinline)) void open()
	{
		CALL; /* stack: work::box<double>::open < work::run < main */
		sink = sink + 1;
	}
};

inline __attribute__((always_inline)) void quick()
{
	CALL; /* stack: work::quick < work::run < main */
	sink = sink + 1;
}

__attribute__((noinline)) void run()
{
	box<double> b{ 1.0 };

	b.open();
	quick();
}
}

__attribute__((noinline)) static void throws() { throw std::runtime_error("x"); }

__attribute__((noinline)) static void catches()
{
	try {
		throws();
	} catch (const std::exception &) {
		CALL; /* stack: catches < main */
		sink = sink + 1;
	}
}

int main()
{
	std::function<void()> f = [] {
		CALL; /* stack: main::{lambda < * < main */
		sink = sink + 1;
	};

	work::run();
	catches();
	f();
	return 0;
}
