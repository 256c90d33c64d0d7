#!/usr/bin/env python3
"""Interrupt an export twice: second_signal.py FIRST SECOND OUTPUT COMMAND...

Its standard error is a pipe that nobody reads and that has no room, so that what the first signal set going cannot come to its end.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import signal
import subprocess
import sys
import time

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def full_pipe():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        pass
    try:
        while True:
            os.write(writer, b"x")
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    return reader, writer


def wait_for(what):
    for _ in range(6000):
        if what():
            return True
        time.sleep(0.01)
    return False


def main():
    first, second = (getattr(signal, "SIG" + name) for name in sys.argv[1:3])
    output, command = sys.argv[3], sys.argv[4:]
    _reader, writer = full_pipe()
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)
    export = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writer)
    try:
        if not wait_for(lambda: glob.glob(output + "?*")):
            return "no file was begun"
        export.send_signal(first)
        if not wait_for(lambda: not glob.glob(output + "?*")):
            return "what was half-written stays"
        if os.path.exists(output):
            return "it was done before the signal came"
        if export.poll() is not None:
            return "the first signal ended it although nobody reads its word"
        export.send_signal(second)
        export.wait(20)
    except subprocess.TimeoutExpired:
        return "it goes on after the second one"
    finally:
        export.kill()
        export.wait()
    return "" if export.returncode == -second else "status %d" % export.returncode


if __name__ == "__main__":
    sys.exit(main() or 0)
