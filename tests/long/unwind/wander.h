/*
 * tests/long/unwind/wander.h - what the functions of a walk at random share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef __cplusplus
extern "C" {
#endif
/* Calls one of all functions, or at depth 0 the API. */
int wander(int depth);
void wander_add(int (*function)(int depth));
unsigned wander_random(void);
#ifdef __cplusplus
}
#endif
