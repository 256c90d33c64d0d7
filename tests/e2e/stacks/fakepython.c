/*
 * tests/e2e/stacks/fakepython.c - a library that says to be CPython FAKE_VERSION, and runs functions like that
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sites.h"

char _PyRuntime[4096];
const unsigned long Py_Version = FAKE_VERSION;

void _PyEval_EvalFrameDefault(void (*call)(void));
void _PyEval_EvalFrameDefault(void (*call)(void))
{
	call();
	_PyRuntime[0]++;
}
