/*
 * tests/e2e/thin/work.c - the library whose function the thin object records; it leaves an errno of its own
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>

int work_add(int a, int b);
int work_add(int a, int b)
{
	errno = a;
	return a + b;
}
