#!/usr/bin/env python3
"""tests/e2e/stacks/python.py - calls of OpenCL from functions of Python of many kinds; at each it says which ones run

Prints a line of JSON for each call: [[function, file, line], ...], innermost first, as the interpreter itself knows them.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import asyncio
import ctypes
import functools
import json
import os
import signal
import sys
import threading

cl = ctypes.CDLL("libOpenCL.so.1")          # releases the interpreter's lock
locked = ctypes.PyDLL("libOpenCL.so.1")     # keeps it
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


def tell():
    frame, stack = sys._getframe(1), []
    while frame:
        code = frame.f_code
        stack.append([getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno])
        frame = frame.f_back
    os.write(out, (json.dumps(stack) + "\n").encode())


def call(library=cl):
    tell(); library.clGetPlatformIDs(0, None, ctypes.byref(ctypes.c_uint()))  # noqa: E702 (on one line, so that both have it)


class Thing:
    def again(self, n):
        if n:
            return self.again(n - 1)
        return [call() for _ in range(2)]

    @property
    def value(self):
        return call()

    @staticmethod
    def apart():
        (lambda: call(
            locked))()

    def __del__(self):
        call()


def generate(n):
    for _ in range(n):
        yield call()


def größe():
    call()


def 大きさ():
    größe()


async def sleeper():
    await asyncio.sleep(0)
    call()


async def gather():
    await asyncio.gather(sleeper(), sleeper())


def handler(number, frame):
    call()


COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def through_c():
    array = (ctypes.c_int * 2)(2, 1)
    ctypes.CDLL(None).qsort(array, 2, 4, COMPARE(lambda a, b: call() or 0))


def reused():
    """Code objects that are gone, and others in their place."""
    for i in range(20):
        exec(compile("\n" * i + "def f%c():\n  call()\nf%c()" % (97 + i, 97 + i), "<cell %d>" % i, "exec"), globals())


def long_function(n, name):
    text = "def long_one():\n" + "".join(" x = [%d,\n\n%d]\n" % (i, i) for i in range(n)) + " call()\n"
    exec(compile(text, name, "exec"), globals())
    long_one()  # noqa: F821


def deep(n):
    return deep(n - 1) if n else call()


call()
call(locked)
thing = Thing()
thing.again(5)
thing.value
Thing.apart()
del thing
list(generate(2))
sorted([2, 1], key=lambda x: call() or x)
functools.partial(call, cl)()
functools.reduce(lambda a, b: call(), [1, 2])
大きさ()
asyncio.run(gather())
signal.signal(signal.SIGUSR1, handler)
os.kill(os.getpid(), signal.SIGUSR1)
through_c()
reused()
long_function(1000, "long.py")
long_function(9000, "too_long.py")
deep(30)
for name in ("one", "two"):
    thread = threading.Thread(target=call, name=name)
    thread.start()
    thread.join()
