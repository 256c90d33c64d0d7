/*
 * tests/e2e/ways/early_main.c - a program whose library calls OpenCL before main and after it (early.c)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
void early_work(void);

int main(void)
{
	early_work();
	return 0;
}
