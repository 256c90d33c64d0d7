"""Work in a process of its own: whatever it does, the caller gets its answers or one line that says what was wrong.

It is a fence against mistakes - endless loops, crashes, floods of output, missing memory -, not a prison: the child has
its user's rights.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
import traceback

SECONDS = 30                 # for each answer
OUTPUT_BYTES = 1 << 20       # what may be printed
ANSWER_BYTES = 64 << 20
MEMORY_BYTES = 2 << 30       # beyond what the caller has
KEPT_OUTPUT = 4096
STATM = "/proc/self/statm"


class Outcome:
    """``answers``: objects; ``output``: the begin of what was printed; ``failure``: a line, or None when all is well."""

    def __init__(self):
        self.answers, self.output, self.failure = [], "", None


def one_line(error):
    """An exception as one line: what, and where in whose file."""
    if isinstance(error, SystemExit):
        what = "it left by sys.exit(%s)" % ("" if error.code is None else error.code)
    elif isinstance(error, SyntaxError):
        return "%s:%s: %s: %s" % (os.path.abspath(error.filename or "?"), error.lineno, type(error).__name__, error.msg)
    else:
        what = ("%s: %s" % (type(error).__name__, error)).replace("\n", " ").rstrip(": ")
    own = os.path.dirname(os.path.abspath(__file__))
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<")
              and not os.path.abspath(f.filename).startswith((own + os.sep, os.path.join(os.path.dirname(own), "NvRules.py")))]
    place = "%s:%d: " % (os.path.abspath(frames[-1].filename), frames[-1].lineno) if frames else ""
    return (place + what)[:2000]


def _limit_memory(more):
    try:
        with open(STATM, encoding="ascii") as f:
            now = int(f.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):            # no /proc: what is resident, and as much again as is mapped only
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + (1 << 30)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = now + more if hard == resource.RLIM_INFINITY else min(now + more, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _become_child(answers, output, parent):
    os.setsid()
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)          # PR_SET_PDEATHSIG: not to outlive the caller
    except (OSError, AttributeError):
        pass
    if os.getppid() != parent:
        os._exit(1)
    nothing, writer = os.pipe()                          # its end is read at once, and it needs no /dev
    os.close(writer)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.set_inheritable(answers, False)
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(s, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _child(task, answers, output, parent, memory, end):
    """Never returns. end: the mark behind all answers, which nobody else can know."""
    def emit(answer):
        data = (json.dumps(answer) + "\n").encode()
        while data:
            data = data[os.write(answers, data):]

    try:
        try:
            _become_child(answers, output, parent)
            _limit_memory(memory)
            # the caller's buffers are not this process' to write
            sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
        except BaseException as e:
            emit({"error": "no process for it: %s" % one_line(e)})
            os._exit(1)
        try:
            task(emit)
        except BaseException as e:           # a rule may raise anything
            emit({"error": one_line(e)})
        sys.stdout.flush()
        sys.stderr.flush()
        emit({"done": end})
    except BaseException:
        os._exit(1)
    finally:
        os._exit(0)


class _Watch:
    """Reads what a child writes until it is done, dead, or over a limit."""

    def __init__(self, pid, answers, output, seconds, end=True):
        self.pid, self.fds, self.seconds, self.end_mark = pid, {answers: b"", output: b""}, seconds, {"done": end}
        self.answers_fd, self.output_fd = answers, output
        self.outcome, self.done, self.status = Outcome(), False, None
        self.printed = self.answered = 0
        for fd in self.fds:
            os.set_blocking(fd, False)

    def _take_answers(self, data):
        self.answered += len(data)
        *lines, self.fds[self.answers_fd] = (self.fds[self.answers_fd] + data).split(b"\n")
        for line in lines:
            try:
                answer = json.loads(line)
            except (ValueError, RecursionError):
                answer = None
            if not isinstance(answer, dict) or ("done" in answer and answer != self.end_mark):
                self.outcome.failure = "it wrote into the pipe of its answers"
                return
            if answer == self.end_mark:
                self.done = True
            elif "error" in answer and len(answer) == 1:
                self.outcome.failure = str(answer["error"])[:2000]
            else:
                self.outcome.answers.append(answer)
        if self.answered > ANSWER_BYTES:
            self.outcome.failure = "its results are more than %d MiB" % (ANSWER_BYTES >> 20)

    def _take_output(self, data):
        self.printed += len(data)
        self.fds[self.output_fd] = (self.fds[self.output_fd] + data)[:KEPT_OUTPUT]
        if self.printed > OUTPUT_BYTES:
            self.outcome.failure = "it printed more than %d MiB" % (OUTPUT_BYTES >> 20)

    def _read(self, fds, wait):
        """Whether something came."""
        ready = select.select(fds, [], [], wait)[0]
        for fd in ready:
            try:
                data = os.read(fd, 65536)
            except BlockingIOError:
                continue
            if not data:
                fds.remove(fd)
            elif fd == self.answers_fd:
                self._take_answers(data)
            else:
                self._take_output(data)
        return bool(ready)

    def _ended(self):
        """Whether the child is gone; what it had started may still hold the pipes."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self.status = status
        return bool(pid)

    def run(self):
        open_fds = list(self.fds)
        deadline = time.monotonic() + self.seconds
        while open_fds and not self.done and not self.outcome.failure:
            answers = len(self.outcome.answers)
            came = self._read(open_fds, 0.1)
            if len(self.outcome.answers) > answers:          # each answer has its own time
                deadline = time.monotonic() + self.seconds
            if not came and self._ended():
                break
            if time.monotonic() > deadline and not self.done:
                self.outcome.failure = "it took more than %g s" % self.seconds
        while open_fds and not self.outcome.failure and self._read(open_fds, 0):     # what is still in the pipes
            pass

    def end(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL) if not self.done else None
            except ProcessLookupError:
                pass
            self.status = os.waitpid(self.pid, 0)[1]
        if not self.done and not self.outcome.failure:
            self.outcome.failure = _how_it_died(self.status)
        self.outcome.output = self.fds[self.output_fd].decode("utf-8", "replace")
        return self.outcome


def _how_it_died(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "it died by signal %d (%s)" % (number, signal.strsignal(number) if hasattr(signal, "strsignal") else number)
    return "it ended its process with status %d" % os.WEXITSTATUS(status)


def run(task, seconds=SECONDS, memory=MEMORY_BYTES):
    """Calls task(emit) in a child; emit takes what JSON can hold. Returns an Outcome."""
    parent, end = os.getpid(), os.urandom(16).hex()
    answers, answers_in = os.pipe()
    output, output_in = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(answers)
        os.close(output)
        _child(task, answers_in, output_in, parent, memory, end)
    os.close(answers_in)
    os.close(output_in)
    watch = _Watch(pid, answers, output, seconds, end)
    try:
        watch.run()
    finally:
        outcome = watch.end()
        os.close(answers)
        os.close(output)
    return outcome
