/*
 * trace/write/room.h - work that needs more stack than the program's thread may have
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_ROOM_H
#define GPUTAP_TRACE_WRITE_ROOM_H

/*
 * Runs work(argument) on a stack of its own. With signals blocked: a handler of the program's would run there too. On
 * the caller's stack where none can be had: without memory, or behind a seccomp filter.
 */
void tap_with_room(void (*work)(void *argument), void *argument);

#endif
