/*
 * trace/write/thread_memory.h - memory for what an object beside libgputap.so keeps of each thread
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_THREAD_MEMORY_H
#define GPUTAP_TRACE_WRITE_THREAD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Gives *at, a thread-local pointer that is NULL, `bytes` of zeroed memory of the calling thread's, and returns it; if
 * a signal handler has given it some meanwhile, that. NULL: there is none. When the thread ends, behind the destructors
 * of other libraries, *at is NULL again. Any thread, in signal handlers; makes system calls.
 */
void *tap_thread_memory(void **at, size_t bytes);

/* Of the destructor of tap_thread_key: whether its value is a piece of such memory, and then the end of the thread. */
bool tap_thread_memory_is(const void *value);
void tap_thread_memory_end(void *value);

#endif
