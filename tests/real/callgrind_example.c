/*
 * tests/real/callgrind_example.c - a program for valgrind: recursion, a callback, two threads, conditional jumps
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>

enum { NUMBERS = 40 };

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

__attribute__((noinline)) static void *work(void *result)
{
	int numbers[NUMBERS];

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = i % 2 ? NUMBERS - i : fibonacci(i % 8);
	qsort(numbers, NUMBERS, sizeof *numbers, compare);
	*(int *)result = numbers[0];
	return result;
}

int main(void)
{
	pthread_t thread[2];
	int result[3] = { 0 };

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, &result[i]))
			return 1;
	work(&result[2]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return result[0] | result[1] | result[2];
}
