/*
 * trace/write/sys.h - raw system calls, so that the shim's own work never enters an interposed C function
 *
 * Runs      anywhere in the traced program. errno is never touched: results are -code on failure.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_SYS_H
#define GPUTAP_TRACE_WRITE_SYS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "common/plain/syscall.h"

#ifndef SYS_close_range
#define SYS_close_range 436               /* on both machines; headers older than Linux 5.9 do not know it */
#endif

#define TAP_SYS(nr, a, b, c, d, e, f) \
	gc_syscall6(SYS_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline int tap_sys_open(const char *path, int flags, int mode)
{
	return (int)TAP_SYS(openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY, mode, 0, 0);
}
static inline void tap_sys_close(int fd) { TAP_SYS(close, fd, 0, 0, 0, 0, 0); }
static inline long tap_sys_read(int fd, void *to, size_t n) { return TAP_SYS(read, fd, to, n, 0, 0, 0); }
/*
 * A write beyond RLIMIT_FSIZE raises SIGXFSZ at the thread: the caller has all signals blocked, and it goes before it
 * is delivered.
 */
static inline long tap_sys_written(long n)
{
	uint64_t file_size = 1ull << (25 /* SIGXFSZ */ - 1);
	int64_t now[2] = { 0, 0 };

	if (n == -27 /* EFBIG */)
		TAP_SYS(rt_sigtimedwait, &file_size, NULL, now, 8, 0, 0);
	return n;
}
static inline long tap_sys_write(int fd, const void *from, size_t n)
{
	return tap_sys_written(TAP_SYS(write, fd, from, n, 0, 0, 0));
}
static inline long tap_sys_pwrite(int fd, const void *from, size_t n, uint64_t at)
{
	return tap_sys_written(TAP_SYS(pwrite64, fd, from, n, at, 0, 0));
}
static inline long tap_sys_fallocate(int fd, uint64_t at, uint64_t n) { return TAP_SYS(fallocate, fd, 0, at, n, 0, 0); }
static inline int tap_sys_mkdir(const char *path, int mode)
{
	return (int)TAP_SYS(mkdirat, AT_FDCWD, path, mode, 0, 0, 0);
}
/*
 * Directories and files of a trace are their maker's alone, whatever the umask is: command lines, program sources and
 * texts of ranges stand in them. What is there already, or a link, is never taken for them.
 */
static inline int tap_sys_mkdir_own(const char *path)
{
	int err = tap_sys_mkdir(path, 0700);

	if (err == 0)
		TAP_SYS(fchmodat, AT_FDCWD, path, 0700, 0, 0, 0);
	return err;
}
static inline int tap_sys_create_own(const char *path, int flags)
{
	int fd = tap_sys_open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

	if (fd >= 0)
		TAP_SYS(fchmod, fd, 0600, 0, 0, 0, 0);
	return fd;
}
static inline int tap_sys_unlink(const char *path, int flags)
{
	return (int)TAP_SYS(unlinkat, AT_FDCWD, path, flags, 0, 0, 0);
}
/* Fails with -EEXIST when `to` exists (old kernels: replaces an empty directory only). */
static inline int tap_sys_rename_new(const char *from, const char *to)
{
	long ret = TAP_SYS(renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */, 0);

	if (ret == -22 || ret == -38) /* EINVAL, ENOSYS: file system or kernel without the flag */
		ret = TAP_SYS(renameat2, AT_FDCWD, from, AT_FDCWD, to, 0, 0);
	return (int)ret;
}
static inline long tap_sys_readlink(const char *path, char *to, size_t n)
{
	return TAP_SYS(readlinkat, AT_FDCWD, path, to, n, 0, 0);
}

/* NULL on failure. */
static inline void *tap_sys_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t offset)
{
	long ret = TAP_SYS(mmap, at, n, prot, flags, fd, offset);

	return (unsigned long)ret > -4096ul ? NULL : (void *)ret;
}
static inline void tap_sys_munmap(void *at, size_t n) { TAP_SYS(munmap, at, n, 0, 0, 0, 0); }
static inline int tap_sys_madvise(void *at, size_t n, int advice)
{
	return (int)TAP_SYS(madvise, at, n, advice, 0, 0, 0);
}
static inline uint32_t tap_sys_getpid(void) { return (uint32_t)TAP_SYS(getpid, 0, 0, 0, 0, 0, 0); }
static inline uint32_t tap_sys_gettid(void) { return (uint32_t)TAP_SYS(gettid, 0, 0, 0, 0, 0, 0); }

/*
 * All signals off for this thread, the C library's own included; the old mask comes back for tap_sys_signals_restore.
 */
static inline uint64_t tap_sys_signals_block(void)
{
	uint64_t all = ~0ull, old = 0;

	TAP_SYS(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, &old, 8, 0, 0);
	return old;
}
static inline void tap_sys_signals_restore(uint64_t old) { TAP_SYS(rt_sigprocmask, 2, &old, NULL, 8, 0, 0); }

#endif
