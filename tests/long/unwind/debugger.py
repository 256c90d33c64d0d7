"""tests/long/unwind/debugger.py - for gdb: at each call of the API a line with the addresses of all frames, innermost first

Where SAMPLES says how many: at each sample of a timer instead, with the thread's number before the addresses; the program is
killed behind the last. Frames of inlined functions, and those that a tail call replaced, are left out: they are not on the stack.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os

import gdb


def is_ours(name):
    return name and os.path.basename(name) in ("libgputap.so", "libOpenCL.so.1", "libgputap-audit.so")


class Stop(gdb.Breakpoint):
    def __init__(self, out):
        super().__init__("stopped_here", internal=True)
        self.silent = True
        self.out = out
        self.ours = {}

    def stop(self):
        frame, stack, inside = gdb.newest_frame(), [], True
        while frame is not None:
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                pc = frame.pc()
                if inside and pc not in self.ours:
                    self.ours[pc] = is_ours(gdb.solib_name(pc))
                if not inside or not self.ours[pc]:
                    inside = False
                    stack.append("%x" % pc)
            frame = frame.older()
        self.out.write(" ".join(stack) + "\n")
        return False


class Sample(gdb.Breakpoint):
    """Where the unwinder begins, within the signal's handler: what is behind the handler was interrupted."""

    def __init__(self, out, wanted):
        super().__init__("take_interrupted", internal=True)
        self.silent = True
        self.out = out
        self.wanted = wanted

    def stop(self):
        frame, stack, inside = gdb.newest_frame(), [], True
        while frame is not None:
            if not inside and frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                stack.append("%x" % frame.pc())
            inside = inside and frame.type() != gdb.SIGTRAMP_FRAME
            frame = frame.older()
        self.out.write("%d %s\n" % (gdb.selected_thread().ptid[1], " ".join(stack)))
        self.wanted -= 1
        return self.wanted == 0


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set startup-with-shell off")
gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
gdb.execute("set backtrace limit unlimited")
gdb.execute("set breakpoint pending on")
gdb.execute("set print thread-events off")
gdb.execute("handle SIGUSR1 nostop noprint pass")
for setting in os.environ["INFERIOR"].split("|"):
    gdb.execute("set environment " + setting.replace("=", " ", 1))
with open(os.environ["FRAMES"], "w", encoding="ascii") as out:
    if "SAMPLES" in os.environ:
        gdb.execute("handle SIG32 nostop noprint pass")
        stop = Sample(out, int(os.environ["SAMPLES"]))
    else:
        stop = Stop(out)
    gdb.execute("run")
    if gdb.selected_inferior().pid:
        gdb.execute("kill")
