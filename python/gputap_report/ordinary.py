"""A file that somebody else named: read when it is a regular one of a bounded size, never waited for.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import errno
import grp
import os
import pwd
import stat


def _refuse(path, what):
    raise OSError(errno.EINVAL, what, path)


def _is_private_group(uid, gid):
    """A group that has nobody in it but that user."""
    try:
        user, group = pwd.getpwuid(uid), grp.getgrgid(gid)
    except KeyError:
        return False
    return user.pw_gid == gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def why_not(path, most, own):
    """Why a file is not taken, or ''. own: nobody named it, so only we or root may have written it."""
    for st in (os.lstat(path), os.stat(path)):
        if own and st.st_uid not in (0, os.geteuid()):
            return "it belongs to user %d" % st.st_uid
    if not stat.S_ISREG(st.st_mode):
        return "not a regular file"
    if own and (st.st_mode & stat.S_IWOTH or st.st_mode & stat.S_IWGRP and not _is_private_group(st.st_uid, st.st_gid)):
        return "others may write to it"
    return "too large" if st.st_size > most else ""


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
