/*
 * trace/write/call/frame.c - reads what a call left on a stack that may be gone
 *
 * Runs      in the calling thread of the traced program, where one call begins while another is marked as running.
 * May       make a system call where the memory is not known to be there.
 * Must not  allocate, lock, fault, change errno.
 *
 * A call that a jump left stood on a stack of the program's own making as often as on the thread's: a fiber's, which
 * may be unmapped by now. Only two things are known to be mapped without asking: the page of a frame that runs now, and
 * everything between such a frame and the top of the first thread's stack, when it runs on that. Nested calls lie
 * near each other, so nearly all are of the first kind.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/call/frame.h"
#include "common/plain/without.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>

#include "trace/write/internal.h"

#define PAGE 4096u                      /* the smallest there is */
#define MAIN_STACK (8ull << 20)         /* bytes below the top that can only be the first thread's stack */

struct piece { void *base; size_t bytes; };

/*
 * Whether a page can be read: a signal mask is, before the call's other argument is found wrong. An address of 0 would
 * mean that there is no mask.
 */
bool tap_frame_readable(uintptr_t address)
{
	uint64_t old;

	return address > 7 && TAP_SYS(rt_sigprocmask, ~0l, address & ~7ull, &old, 8, 0, 0) != -14 /* EFAULT */;
}

__attribute__((no_sanitize("address"))) void tap_copy_past(void *to, const void *from, size_t bytes)
{
	const volatile uint8_t *source = from;

	for (size_t i = 0; i < bytes; i++)                      /* volatile: or the compiler makes it a memcpy */
		((uint8_t *)to)[i] = source[i];
}

/* The bytes that the kernel could copy; below 0: it was forbidden to, by a container's filter. */
static long copy_by_kernel(uint32_t pid, uint64_t address, void *to, size_t n)
{
	struct piece own = { to, n }, there = { (void *)(uintptr_t)address, n };
	static int forbidden;

	if (TAP_READ_ONCE(forbidden))
		return -1;
	long got = TAP_SYS(process_vm_readv, pid, &own, 1, &there, 1, 0);

	if (got == -3 /* ESRCH: main left its thread, which the process' number stands for */)
		got = TAP_SYS(process_vm_readv, tap_sys_gettid(), &own, 1, &there, 1, 0);
	if (got >= 0 || got == -14 /* EFAULT */)
		return got > 0 ? got : 0;
	TAP_WRITE_ONCE(forbidden, 1);
	return -1;
}

/* How many of the bytes can be read now. */
static size_t readable(uint64_t address, size_t n)
{
	uint64_t at = address;

	while (at < address + n && tap_frame_readable(at))
		at = (at / PAGE + 1) * PAGE;
	return at < address + n ? (size_t)(at - address) : n;
}

/* Only ever read from: a program that closes descriptors which are not its own may put another file in its place. */
static long copy_by_file(uint64_t address, void *to, size_t n)
{
	int fd = tap_sys_open("/proc/thread-self/mem", O_RDONLY, 0);

	if (fd < 0)
		return -1;
	long got = TAP_SYS(pread64, fd, to, n, address, 0, 0);

	tap_sys_close(fd);
	return got;
}

size_t tap_copy_guarded(uint32_t pid, uint64_t address, void *to, size_t n)
{
	long got = copy_by_kernel(pid, address, to, n);

	/* the file also has what may not be read */
	if (got < 0 && (n = readable(address, n)))
		got = copy_by_file(address, to, n);
	return got > 0 ? (size_t)got : 0;
}

/* A piece lies in one page: of one that does not, nothing might be told though it begins where memory is. */
long tap_copy_text(uint32_t pid, uint64_t address, char *to, size_t room, bool *cut)
{
	enum { USUAL = 256 };                                   /* most names are short */
	char measured[USUAL];
	size_t used = 0;

	*cut = false;
	while (used < room) {
		char *piece = to ? to + used : measured;
		size_t n = PAGE - (address + used) % PAGE;

		n = n < USUAL ? n : USUAL;
		n = n < room - used ? n : room - used;
		size_t got = tap_copy_guarded(pid, address + used, piece, n);
		char *end = memchr(piece, 0, got);

		if (end)
			return (long)used + (end - piece);
		if (got < n)
			return -1;
		used += got;
	}
	*cut = true;
	return (long)used;
}

size_t tap_copy_standing(uint32_t pid, uint64_t address, void *to, size_t n)
{
	long got = copy_by_kernel(pid, address, to, n);

	if (got >= 0)
		return (size_t)got;
	if (readable(address, n) < n)
		return 0;
	tap_copy_past(to, (const void *)(uintptr_t)address, n);
	return n;
}

/* The random bytes that the kernel gave lie above all frames of the first thread. */
static bool on_first_stack(uintptr_t at, uintptr_t present)
{
	static uintptr_t top;

	if (!TAP_READ_ONCE(top))
		TAP_WRITE_ONCE(top, getauxval(AT_RANDOM));
	return at < TAP_READ_ONCE(top) && TAP_READ_ONCE(top) - present < MAIN_STACK;
}

bool tap_frame_read(uintptr_t at, void *to, size_t bytes, const void *present)
{
	uintptr_t here = (uintptr_t)present;

	if (TAP_LIKELY((at + bytes - 1) / PAGE == here / PAGE) || gc_without("frame-guard") ||
		(here <= at && on_first_stack(at + bytes - 1, here))) {
		tap_copy_past(to, (const void *)at, bytes);
		return true;
	}
	return !tap_seccomp && tap_copy_guarded(tap_sys_getpid(), at, to, bytes) == bytes;
}
