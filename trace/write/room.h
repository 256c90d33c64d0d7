/*
 * trace/write/room.h - work that needs more stack than the program's thread may have
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_ROOM_H
#define GPUTAP_TRACE_WRITE_ROOM_H

/*
 * Runs work(argument) on a stack of ours. On the caller's stack where none can be had: without memory, or behind a
 * seccomp filter. Work inside work stays where it is. A handler of the program's that comes meanwhile runs there too
 * (ROOM2): callers have all signals blocked, or call functions of others that may wait.
 */
void tap_with_room(void (*work)(void *argument), void *argument);

/*
 * The same with all signals blocked that the program has a handler for: for what opens libraries and calls functions of
 * others. What has no handler still ends or stops the program at once.
 */
void tap_set_up(void (*work)(void *argument), void *argument);

#endif
