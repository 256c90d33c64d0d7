#!/usr/bin/env python3
"""Signals to gputap run: signals_check.py GPUTAP PROGRAM, where PROGRAM is tests/e2e/signals.

Every signal but KILL and STOP, to the pid that was started and to its group, for a program in the foreground, in the
background of a script, and below a script. What the program says it got is compared with what was sent.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import pty
import select
import signal
import subprocess
import sys
import time

GPUTAP, PROGRAM = sys.argv[1:3]
KILL, STOP, LAST = signal.SIGKILL, signal.SIGSTOP, 64
OF_LIBRARY = (32, 33)                   # glibc keeps these: a program has no handler for them
ALL = [n for n in range(1, LAST) if n not in (KILL, STOP) + OF_LIBRARY]
SI_USER, SI_QUEUE, SI_TKILL = 0, -1, -6
PATIENCE = 60                           # seconds: a hang is a failure, and nothing else depends on time
count = {"passed": 0, "failed": 0, "skipped": 0}
libc = ctypes.CDLL(None, use_errno=True)


def ok(name, got, want):
    if got == want:
        count["passed"] += 1
    else:
        count["failed"] += 1
        print("FAILED: %s: got %r, want %r" % (name, got, want), flush=True)


def launched(*words, options=()):
    return [GPUTAP, "run", "-q", "-f", "-o", "t%d" % os.getpid(), *options, "--", PROGRAM, *words]


class Lines:
    """What a process writes, line by line, with patience."""

    def __init__(self, fd):
        self.fd, self.rest = fd, b""

    def next(self):
        while b"\n" not in self.rest:
            if not select.select([self.fd], [], [], PATIENCE)[0]:
                return "nothing came"
            try:
                piece = os.read(self.fd, 4096)
            except OSError:             # the last writer left the terminal
                piece = b""
            if not piece:
                return "the end"
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode().strip()

    def after(self, wanted):
        """The line that contains this; what stands before it is left out."""
        line = self.next()
        while wanted not in line and line not in ("the end", "nothing came"):
            line = self.next()
        return line


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(word) for word in f.read().split()]


class Foreground:
    """Leads a session and a group of its own."""
    name = "foreground"

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.lines, self.pid = Lines(self.process.stdout.fileno()), self.process.pid
        self.ready = self.lines.after("ready")

    def status(self):
        return self.process.wait(PATIENCE)

    def group(self):
        return self.process.pid

    def end(self):
        try:
            os.killpg(self.group(), KILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdout.close()


class Background(Foreground):
    """A background job of a script: the shell has it ignore INT and QUIT, and shares its group with it."""
    name = "background"

    def __init__(self, command):
        self.process = subprocess.Popen(["sh", "-c", '"$@" & echo "job $!"; wait $!; exit $?', "sh", *command], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.lines = Lines(self.process.stdout.fileno())
        words = {}
        while not {"job", "ready"} <= set(words):
            line = self.lines.next().split()
            if line[0] in ("the", "nothing"):
                break
            words[line[0]] = int(line[-1])
        self.pid = words.get("job", 0)

    def group(self):
        return self.process.pid         # it leads its session: the shell may be gone, the group stays


class Script(Foreground):
    """The command of a script that goes on behind it."""
    name = "script"

    def __init__(self, command):
        super().__init__(["sh", "-c", '"$@"; exit $?', "sh", *command])
        self.pid = children(self.process.pid)[0]


PLACES = (Foreground, Background, Script)


def queue(pid, number, value):
    libc.sigqueue(pid, number, ctypes.c_void_p(value))


def each_signal_arrives_once(place, to_group):
    """One after the other, each awaited. The last is in order behind all that the launcher would send twice."""
    job = place(launched("report"))
    wrong = []
    for n in ALL:
        (os.killpg if to_group else os.kill)(job.group() if to_group else job.pid, n)
        got = job.lines.next()
        if got != "%d %d 0 0" % (n, SI_USER):
            wrong.append("sent %d, got %s" % (n, got))
            if got in ("the end", "nothing came"):
                break
    queue(job.pid, LAST, 5)
    if not wrong:
        wrong += [line for line in [job.lines.next()] if line != "%d %d 5 %d" % (LAST, SI_QUEUE, os.getpid())]
    ok("%s, to the %s" % (place.name, "group" if to_group else "pid"), wrong, [])
    if place is Foreground and not wrong:
        ok("%s: status" % place.name, job.status(), 7)
    job.end()


def values_keep_their_order():
    job = Foreground(launched("report"))
    sent = [(40, i) for i in range(50)] + [(35, 1000 + i) for i in range(50)] + [(50, -1)]
    os.kill(job.pid, STOP)              # so that all of them are pending at once
    os.waitid(os.P_PID, job.pid, os.WSTOPPED)
    for number, value in sent:
        queue(job.pid, number, value)
    os.killpg(job.group(), 45)
    os.kill(job.pid, signal.SIGCONT)
    queue(job.pid, LAST, 0)
    got, line = [], job.lines.next()
    while line and not line.startswith("%d " % LAST) and line not in ("the end", "nothing came"):
        got.append(line)
        line = job.lines.next()
    me = os.getpid()
    want = sorted(["%d %d %d %d" % (n, SI_QUEUE, v, me) for n, v in sent], key=lambda l: int(l.split()[0]))
    ok("values of sigqueue, in order", [l for l in got if l.split()[1] == str(SI_QUEUE)], want)
    ok("with them one to the group, and CONT", sorted(l for l in got if l.split()[1] != str(SI_QUEUE)), ["18 0 0 0", "45 0 0 0"])
    job.end()


def one_thread_is_meant():
    job = Foreground(launched("report"))
    libc.syscall(ctypes.c_long({"x86_64": 234, "aarch64": 131}[os.uname().machine]), job.pid, job.pid, int(signal.SIGUSR1))
    ok("tgkill", job.lines.next(), "%d %d 0 0" % (signal.SIGUSR1, SI_TKILL))
    job.end()


def the_same_end(signals):
    """A program without handlers: killed or unmoved by each as without gputap. Who leads a group that no shell looks after
    is not stopped by TSTP, TTIN and TTOU: those are tried with job control."""
    for n in signals:
        ends = []
        for command in ([PROGRAM, "wait"], launched("wait")):
            job = Foreground(command)
            os.kill(job.pid, n)
            if n not in (signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH):
                how = os.waitid(os.P_PID, job.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                ends.append((os.CLD_KILLED if how.si_code == os.CLD_DUMPED else how.si_code, how.si_status))
            else:
                os.kill(job.pid, signal.SIGTERM)
                ends.append(job.status())
            job.end()
        ok("signal %d ends the launcher as the program" % n, ends[1], ends[0])


def state_is_inherited():
    """Dispositions and mask that gputap was given, whatever they are."""
    def given(ignored, blocked):
        def prepare():
            for n in ignored:
                signal.signal(n, signal.SIG_IGN)
            for n in (signal.SIGPIPE, signal.SIGXFSZ):      # Python's own
                if n not in ignored:
                    signal.signal(n, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return prepare
    cases = ((), ()), ((2, 3), ()), ((13, 25), (10,)), ((17,), (17, 2)), ([n for n in ALL if n != 17], ()), ((), ALL), ((20, 21, 22, 28), (34, 63))
    for ignored, blocked in cases:
        said = [subprocess.run(c, stdout=subprocess.PIPE, preexec_fn=given(ignored, blocked), restore_signals=False)
                for c in ([PROGRAM, "state"], launched("state"))]
        ok("ignored %s, blocked %s" % (ignored, blocked), said[1].stdout, said[0].stdout)
        ok("ignored %s, blocked %s: status" % (ignored, blocked), said[1].returncode, 7)


def the_parent_is_the_launchers():
    """A server tells its parent that it is ready: that is not the launcher, nor the server itself."""
    got = []
    signal.signal(signal.SIGUSR1, lambda n, frame: got.append(n))
    job = subprocess.Popen(launched("parent", str(int(signal.SIGUSR1))), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while not got and job.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    job.stdin.close()
    ok("a signal to the parent", (got, job.wait(PATIENCE)), ([signal.SIGUSR1], 7))
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def a_stopped_group_is_told_apart():
    """SIGSTOP stops all of the group, and what continues the launcher alone continues the program, which gets the rest."""
    job = Foreground(launched("report"))
    os.killpg(job.group(), STOP)
    os.waitid(os.P_PID, job.pid, os.WSTOPPED)
    os.kill(job.pid, signal.SIGCONT)
    ok("CONT to the pid of a stopped group", job.lines.next(), "18 0 0 0")
    os.kill(job.pid, signal.SIGUSR1)
    ok("... and USR1", job.lines.next(), "10 0 0 0")
    os.killpg(job.group(), signal.SIGUSR2)
    ok("... and USR2 to the group", job.lines.next(), "12 0 0 0")
    queue(job.pid, LAST, 0)
    ok("... once", job.lines.next().split()[0], str(LAST))
    ok("... status", job.status(), 7)
    job.end()


def many_at_once():
    """Signals to the pid and to the group by turns, none awaited: those that are queued all arrive, once each."""
    job = Foreground(launched("report"))
    sent = []
    for i in range(300):
        n = 34 + i % 29
        sent.append(n)
        (os.killpg if i % 3 else os.kill)(job.pid, n)
    queue(job.pid, LAST, 0)
    got, line = [], job.lines.next()
    while not line.startswith("%d " % LAST) and line not in ("the end", "nothing came"):
        got.append(int(line.split()[0]))
        line = job.lines.next()
    ok("300 by turns", sorted(got), sorted(sent))
    job.end()


class Shell:
    """An interactive shell with job control on a terminal."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ["PS1"] = ""
            os.execvp("bash", ["bash", "--norc", "--noediting", "-i"])
        self.lines = Lines(self.fd)
        self.n = 0
        self.say("stty -echo; bind 'set enable-bracketed-paste off' 2>/dev/null")

    def type(self, text):
        os.write(self.fd, text.encode())

    def say(self, command):
        """Waits until the shell has done it."""
        self.n += 1
        self.type("%s; echo done-''%d $?\n" % (command, self.n))
        return self.lines.after("done-%d " % self.n).split()[-1]

    def end(self):
        os.kill(self.pid, signal.SIGHUP)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def state_of(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def reaches(pid, state):
    until = time.monotonic() + PATIENCE
    now = state_of(pid)
    while now != state and time.monotonic() < until:
        time.sleep(0.01)
        now = state_of(pid)
    return now


def job_control(mode):
    """Ctrl-Z, fg, kill -STOP of the job, bg, Ctrl-C, as at a shell's prompt."""
    shell = Shell()
    shell.type(" ".join(launched(mode)) + "\n")
    program = int(shell.lines.after("ready").split()[-1])
    with open("/proc/%d/stat" % program) as f:
        launcher = int(f.read().rsplit(")", 1)[1].split()[1])
    name = "job control, %s: " % mode
    for how in ("Ctrl-Z", "Ctrl-Z again", "TSTP to the launcher", "TSTP to the job"):
        if how.startswith("Ctrl-Z"):
            shell.type("\x1a")
        elif how == "TSTP to the launcher":
            os.kill(launcher, signal.SIGTSTP)
        else:
            os.killpg(os.getpgid(launcher), signal.SIGTSTP)
        ok(name + how, shell.lines.after("Stopped") != "the end", True)
        ok(name + how + ": both stand", (reaches(launcher, "T"), reaches(program, "T")), ("T", "T"))
        shell.say(":")
        shell.type("fg\n")
        ok(name + how + ": both go on", (reaches(program, "S"), reaches(launcher, "S")), ("S", "S"))
    shell.type("\x1a")
    shell.lines.after("Stopped")
    shell.say(":")
    os.kill(launcher, signal.SIGCONT)
    ok(name + "CONT to the launcher alone", (reaches(program, "S"), reaches(launcher, "S")), ("S", "S"))
    shell.say("bg")
    shell.say("kill -STOP %1")
    ok(name + "STOP to the job", (reaches(launcher, "T"), reaches(program, "T")), ("T", "T"))
    shell.say("bg")
    ok(name + "bg", (reaches(program, "S"), reaches(launcher, "S")), ("S", "S"))
    shell.type("fg\n")
    until = time.monotonic() + PATIENCE
    while os.tcgetpgrp(shell.fd) != os.getpgid(launcher) and time.monotonic() < until:
        time.sleep(0.01)
    shell.type("\x03")
    ok(name + "Ctrl-C", shell.say("echo status=$?"), "0")
    ok(name + "nobody is left", os.path.exists("/proc/%d" % launcher), False)
    shell.end()


def begin_as_a_shell_would():
    """Nothing ignored or blocked, whatever started the test: nohup ignores HUP, and glibc's posix_spawn (make) 32 and 33,
    which no function of the C library or of Python lets one change."""
    number = ctypes.c_long({"x86_64": 13, "aarch64": 134}[os.uname().machine])      # rt_sigaction
    default = ctypes.create_string_buffer(32)
    for n in range(1, LAST + 1):
        if n in OF_LIBRARY:
            libc.syscall(number, n, default, None, ctypes.c_long(8))
        elif n not in (KILL, STOP) and signal.getsignal(n) == signal.SIG_IGN:
            signal.signal(n, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def main():
    begin_as_a_shell_would()
    for place in PLACES:
        for to_group in False, True:
            each_signal_arrives_once(place, to_group)
    values_keep_their_order()
    one_thread_is_meant()
    stops = KILL, STOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU
    the_same_end([n for n in range(1, LAST + 1) if n not in stops] if os.environ.get("SIGNALS_ALL") else
                 [1, 2, 5, 6, 11, 13, 14, 17, 18, 23, 24, 26, 27, 28, 30, 33, 34, 63])
    state_is_inherited()
    the_parent_is_the_launchers()
    a_stopped_group_is_told_apart()
    many_at_once()
    try:
        pty.openpty()
    except OSError:
        print("skipped: job control: no pseudo terminal can be opened here")
        count["skipped"] += 1
    else:
        job_control("wait")
        job_control("stop")
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % count)
    return count["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
