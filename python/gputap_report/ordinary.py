"""A file that somebody else named: read when it is a regular one of a bounded size, never waited for.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import errno
import os
import stat


def _refuse(path, what):
    raise OSError(errno.EINVAL, what, path)


def read(path, most):
    """Its bytes. A device or FIFO is not even opened: that alone may do something. OSError when it is none, or larger than most."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            _refuse(path, "not a regular file")
        try:
            fd = os.open("/proc/self/fd/%d" % place, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:            # no /proc
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    finally:
        os.close(place)
    with open(fd, "rb") as f:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            _refuse(path, "not a regular file")
        data = f.read(most + 1)
    if len(data) > most:
        _refuse(path, "too large")
    return data
