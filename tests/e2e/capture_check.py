"""tests/e2e/capture_check.py - gputap run --capture-output on terminals, pipes and files

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import termios
import time
import unittest

BUILD = os.environ["GPUTAP_BUILD"]
TAP, SAYS = BUILD + "/gputap", BUILD + "/tests/e2e/cl_says"
# A shell that runs us in the background, or nohup, has these ignored, and programs keep that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
RUN = [TAP, "run", "-q", "-f", "--summary=none", "-o", "t", "--capture-output"]


def pattern(n):
    out = bytearray()
    while n > 0:
        some = min(n, 5000)
        out += bytes((n - i) * 31 % 256 for i in range(some))
        n -= some
    return bytes(out)


def outputs():
    return {o["of"]: o for o in json.loads(subprocess.check_output([TAP, "info", "--json", "t.gputap"])).get("outputs", [])}


def stored(n):
    with open(f"t.gputap/output.{n}", "rb") as f:
        return f.read()


class Terminal:
    """A program with a terminal of its own, which we sit at."""

    def __init__(self, command, rows=33, columns=77):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execv(command[0], command)
        self.seen, self.status = b"", None

    def until(self, text, prompt=None):
        """prompt: and then that, with nothing behind it: a shell that is not yet there takes no line as it is typed."""
        while text not in self.seen or (prompt and not self.seen.endswith(prompt)):
            if not select.select([self.fd], [], [], 60)[0]:
                raise AssertionError(f"{text!r} does not come: {self.seen!r}")
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                raise AssertionError(f"{text!r} did not come: {self.seen!r}")
            self.seen += more

    def type(self, text):
        os.write(self.fd, text)

    def end(self):
        while True:
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                break
            self.seen += more
        self.status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return self.seen


class Capture(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        os.chdir(self.dir)

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.dir)

    def fifo(self):
        os.mkfifo("fifo")

    def let_go(self):
        with open("fifo", "wb"):
            pass

    # ---- terminals

    def test_a_program_at_a_terminal_has_one(self):
        bare = Terminal([SAYS, "tty"]).end()
        self.assertEqual(bare, b"1 1 1\r\n33x77\r\n")
        self.assertEqual(Terminal(RUN + ["--", SAYS, "tty"]).end(), bare)
        self.assertEqual(stored(1), b"1 1 1\n33x77\n")
        self.assertEqual(outputs()["stdout_stderr"]["kind"], "terminal")

    def test_output_and_error_of_one_terminal_keep_their_order(self):
        bare = Terminal([SAYS, "lines", "2000"]).end()
        self.assertEqual(Terminal(RUN + ["--", SAYS, "lines", "2000"]).end(), bare)
        self.assertEqual(stored(1).replace(b"\n", b"\r\n"), bare)

    def test_only_what_had_a_terminal_has_one(self):
        t = Terminal(["/bin/sh", "-c", "exec \"$@\" | cat", "sh"] + RUN + ["--", SAYS, "tty"])
        self.assertEqual(t.end(), b"1 0 1\r\n0x0\r\n")
        self.assertEqual([outputs()[of]["kind"] for of in ("stdout", "stderr")], ["pipe", "terminal"])

    def test_a_new_size_reaches_the_program(self):
        t = Terminal(RUN + ["--", SAYS, "winch"])
        t.until(b"ready")
        fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 111, 0, 0))
        t.until(b"40x111")
        t.end()
        self.assertEqual(t.status, 0)

    def test_control_c_reaches_the_program_once(self):
        t = Terminal(RUN + ["--", SAYS, "int"])
        t.until(b"ready")
        t.type(b"\x03")
        t.until(b"^C")
        t.type(b"\n")
        t.until(b"1 interrupts")
        t.end()
        self.assertEqual(t.status, 0)

    def test_a_program_that_dies_of_control_c_dies_of_it(self):
        t = Terminal(RUN + ["--", "/bin/sh", "-c", SAYS + " ids; echo ready; exec sleep 100"])
        t.until(b"ready")
        t.type(b"\x03")
        t.end()
        self.assertTrue(os.WIFSIGNALED(t.status) and os.WTERMSIG(t.status) == signal.SIGINT, t.status)

    def test_a_stopped_program_goes_on(self):
        t = Terminal(["/bin/bash", "-i"])
        t.type(b"PS1='% '; PROMPT_COMMAND=; set +o history\n")
        t.type(" ".join(RUN + ["--", SAYS, "stop"]).encode() + b"\n")
        t.until(b"ready\r\n")
        t.type(b"\x1a")
        t.until(b"Stopped", b"% ")
        t.type(b"echo between=$((1 + 1))\n")
        t.until(b"between=2", b"% ")
        t.type(b"fg\n")
        t.until(b"fg\r\n")
        t.type(b"\n")
        t.until(b"0 interrupts", b"% ")
        t.type(b"echo status=$?\n")
        t.until(b"status=0")
        t.type(b"exit\n")
        t.end()
        self.assertEqual(stored(1), b"ready\n0 interrupts\n")

    def test_a_program_that_ignores_a_stop_keeps_the_terminal(self):
        t = Terminal(["/bin/bash", "-i"])
        t.type(b"set +o history\n")
        t.type(" ".join(RUN + ["--", "/bin/sh", "-c", "'trap \"\" TSTP; exec %s stop'" % SAYS]).encode() + b"\n")
        t.until(b"ready\r\n")
        t.type(b"\x1a")
        t.until(b"^Z")
        t.type(b"\n")
        t.until(b"0 interrupts")
        t.type(b"exit\n")
        t.end()
        self.assertNotIn(b"Stopped", t.seen)

    def test_the_mode_that_a_program_sets_is_the_terminals(self):
        for command in ([SAYS, "raw"], RUN + ["--", SAYS, "raw"]):
            t = Terminal(command)
            t.until(b"ready")
            deadline = time.monotonic() + 60
            while termios.tcgetattr(t.fd)[3] & (termios.ICANON | termios.ECHO) and time.monotonic() < deadline:
                time.sleep(0.01)
            t.type(b"q")                # no line's end, and nothing is echoed
            seen = t.end()
            self.assertEqual(seen, b"ready\r\n0 interrupts\r\n")

    # ---- pipes

    def test_all_bytes_pass_a_pipe_and_are_stored(self):
        done = subprocess.run(RUN + ["--", SAYS, "bytes", "300000"], stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, pattern(300000))
        self.assertEqual(stored(1), pattern(300000))
        self.assertEqual([outputs()["stdout"][k] for k in ("kind", "bytes", "kept")], ["pipe", 300000, 300000])

    def test_output_and_error_of_one_pipe_keep_their_order(self):
        done = subprocess.run(RUN + ["--", SAYS, "lines", "2000"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        self.assertEqual(done.stdout, b"".join(b"line %d\n" % i for i in range(2000)))
        self.assertEqual(stored(1), done.stdout)
        self.assertFalse(os.path.exists("t.gputap/output.2"))

    def test_two_pipes_are_two(self):
        done = subprocess.run(RUN + ["--", SAYS, "lines", "10"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, b"".join(b"line %d\n" % i for i in range(0, 10, 2)))
        self.assertEqual(done.stderr, b"".join(b"line %d\n" % i for i in range(1, 10, 2)))
        self.assertEqual((stored(1), stored(2)), (done.stdout, done.stderr))

    def test_a_gigabyte_passes_and_its_beginning_is_kept(self):
        n = 1 << 30
        run = subprocess.Popen(RUN + ["--capture-limit=1M", "--", "/bin/sh", "-c", f"{SAYS} ids; head -c {n} /dev/zero"],
                               stdout=subprocess.PIPE)
        first, seen = run.stdout.readline(), 0
        while True:
            piece = run.stdout.read(1 << 20)
            if not piece:
                break
            seen += len(piece)
        self.assertEqual((run.wait(), seen), (0, n))
        run.stdout.close()
        self.assertEqual([outputs()["stdout"][k] for k in ("bytes", "kept")], [n + len(first), 1 << 20])

    def test_a_full_pipe_holds_the_program_and_loses_nothing(self):
        run = subprocess.Popen(RUN + ["--", SAYS, "bytes", "1000000"], stdout=subprocess.PIPE)
        time.sleep(0.3)                 # long enough for the pipes to be full; if not, the test shows less
        self.assertIsNone(run.poll())
        self.assertEqual(run.stdout.read(), pattern(1000000))
        run.stdout.close()
        self.assertEqual(run.wait(), 0)

    def test_a_reader_that_leaves_ends_the_program_as_ever(self):
        line = 'set -o pipefail; "$@" | head -n 1 >first; echo ${PIPESTATUS[0]} >status'
        for command in (["yes"], RUN + ["--", "yes"]):
            subprocess.run(["/bin/bash", "-c", line, "bash"] + command, check=True)
            with open("status", encoding="ascii") as f, open("first", encoding="ascii") as first:
                self.assertEqual((f.read(), first.read()), ("141\n", "y\n"))

    def test_a_closed_output_stays_closed(self):
        for command in ([SAYS], RUN + ["--", SAYS]):
            done = subprocess.run(["/bin/sh", "-c", '"$@" bytes 1 >&-', "sh"] + command, check=False)
            self.assertEqual(done.returncode, 9)        # EBADF

    def test_the_status_is_the_programs(self):
        for script, status in (("exit 3", 3), ("kill -TERM $$", -signal.SIGTERM)):
            done = subprocess.run(RUN + ["--", "/bin/sh", "-c", f"{SAYS} ids; {script}"], stdout=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, status)

    def test_nothing_there_to_start(self):
        done = subprocess.run(RUN + ["--", "./nothing"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, os.listdir(".")), (127, []))

    # ---- who goes, and who stays

    def test_children_left_behind_go_on_writing(self):
        self.fifo()
        run = subprocess.Popen(RUN + ["--", SAYS, "leave", "fifo", "200000"], stdout=subprocess.PIPE)
        self.assertEqual(run.wait(), 0)         # while the child still waits
        self.let_go()
        self.assertEqual(run.stdout.read(), b"left\n" + pattern(200000))
        run.stdout.close()
        deadline = time.monotonic() + 60        # whoever keeps it closes our pipe first
        while len(stored(1)) < 200005 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(stored(1), b"left\n" + pattern(200000))

    def killed(self, victim):
        """Runs `cl_says wait`, kills the launcher or the forwarder, and lets the program go on."""
        self.fifo()
        run = subprocess.Popen(RUN + ["--", "/bin/sh", "-c", f"echo on; {SAYS} wait fifo 300000; echo $? >status.new; mv status.new status"],
                               stdout=subprocess.PIPE)
        self.assertEqual(run.stdout.readline(), b"on\n")
        os.kill(victim(run), signal.SIGKILL)
        if victim(run) == run.pid:
            run.wait()
        self.let_go()
        rest = run.stdout.read()
        run.stdout.close()
        run.wait()
        deadline = time.monotonic() + 60
        while not os.path.exists("status") and time.monotonic() < deadline:
            time.sleep(0.01)
        with open("status", encoding="ascii") as f:
            return rest, int(f.read())

    def test_a_killed_launcher_costs_the_program_nothing(self):
        rest, status = self.killed(lambda run: run.pid)
        self.assertEqual((rest, status), (pattern(300000), 0))

    def test_without_its_forwarder_the_program_finds_a_broken_pipe(self):
        found = []

        def forwarder(run):
            if not found:
                with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as f:
                    children = f.read().split()
                for child in children:
                    with open(f"/proc/{child}/comm", encoding="ascii") as f:
                        name = f.read()
                    if name == "gputap-output\n" and os.readlink(f"/proc/{child}/fd/1") == os.readlink(
                            f"/proc/{run.pid}/fd/1"):
                        found.append(int(child))
            return found[0]
        rest, status = self.killed(forwarder)
        self.assertEqual((rest, status), (b"", 32))     # EPIPE

    # ---- files

    def test_a_file_is_not_piped_and_read_afterwards(self):
        with open("there", "wb") as f:
            f.write(b"before\n")
        with open("there", "ab") as f:
            subprocess.run(RUN + ["--", SAYS, "bytes", "70000"], stdout=f, check=True)
        with open("there", "rb") as f:
            self.assertEqual(f.read(), b"before\n" + pattern(70000))
        self.assertEqual(stored(1), pattern(70000))
        self.assertEqual(outputs()["stdout"]["kind"], "file")

    def test_output_and_error_of_one_file(self):
        with open("both", "wb") as f:
            subprocess.run(RUN + ["--", SAYS, "lines", "10"], stdout=f, stderr=f, check=True)
        self.assertEqual(stored(1), b"".join(b"line %d\n" % i for i in range(10)))
        self.assertEqual(list(outputs()), ["stdout_stderr"])

    def test_the_file_is_the_programs_own(self):
        with open("own", "wb") as f:
            subprocess.run(RUN + ["--", SAYS, "ids"], stdout=f, check=True)
        st = os.stat("own")
        self.assertEqual(stored(1), b"%d:%d\n" % (st.st_dev, st.st_ino))

    def test_nothing_is_kept_or_between_unless_asked(self):
        plain = [a for a in RUN if a != "--capture-output"]
        run = subprocess.Popen(plain + ["--", SAYS, "ids"], stdout=subprocess.PIPE)
        st = os.fstat(run.stdout.fileno())
        self.assertEqual(run.stdout.read(), b"%d:%d\n" % (st.st_dev, st.st_ino))
        run.stdout.close()
        run.wait()
        self.assertEqual((outputs(), [n for n in os.listdir("t.gputap") if n.startswith("output")]), ({}, []))

    # ---- what is made of it

    def test_process_streams(self):
        run = subprocess.Popen(RUN + ["--", "/bin/sh", "-c", f"{SAYS} ids >/dev/null; printf 'a\\377b'; echo oh >&2"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.communicate()
        pid = next(iter(outputs().values()))["pid"]
        for schema in ("default", "2021"):
            subprocess.run([TAP, "export", "-q", "-f", "-e", "sqlite", f"--sqlite-schema={schema}", "-o", "t", "t.gputap"], check=True)
            db = sqlite3.connect("t.sqlite")
            rows = db.execute("SELECT globalPid >> 24 & 0xffffff, f.value, c.value FROM ProcessStreams"
                              " JOIN StringIds AS f ON f.id = filenameId JOIN StringIds AS c ON c.id = contentId ORDER BY 2 DESC").fetchall()
            self.assertEqual(rows, [(pid, f"pid_{pid}_stdout.log", "a\\xffb"), (pid, f"pid_{pid}_stderr.log", "oh\n")])
            if schema == "default":         # the shell made no call, but wrote
                self.assertEqual(db.execute("SELECT name FROM PROCESSES WHERE globalPid IN (SELECT globalPid FROM ProcessStreams)").fetchall(),
                                 [("/bin/sh",)])
            db.close()

    def test_a_packed_trace_has_it_too(self):
        subprocess.run(RUN + ["--pack", "--", SAYS, "bytes", "70000"], stdout=subprocess.PIPE, check=True)
        self.assertEqual(outputs()["stdout"]["kept"], 70000)
        lines = subprocess.check_output([TAP, "dump", "t.gputap"], stderr=subprocess.DEVNULL).splitlines()
        self.assertEqual(sum(line.startswith(b"output ") and b"stdout to a pipe, 70000 bytes" in line for line in lines), 1)


unittest.main(verbosity=0)
