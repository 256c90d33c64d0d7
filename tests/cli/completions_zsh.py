"""tests/cli/completions_zsh.py FOLDER <lines - what zsh makes of each line at a tab, with the completion functions of FOLDER

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import pty
import select
import sys
import time

FOLDER, OUT = os.path.abspath(sys.argv[1]), os.path.abspath("zsh.lines")
SETUP = r"""
PS1='' RPS1='' LISTMAX=0 HISTFILE=; stty -echo
fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D
show() { print -r -- "$BUFFER" >>%s; BUFFER= }; zle -N show; bindkey '^Xs' show; bindkey '^I' complete-word; unsetopt beep
print -r -- ready >>%s
""" % (FOLDER, OUT, OUT)

lines = [line.rstrip("\n") for line in sys.stdin]
open(OUT, "w").close()
pid, terminal = pty.fork()
if not pid:
    os.environ["TERM"] = "dumb"
    os.execvp("zsh", ["zsh", "-f", "-i", "+o", "prompt_sp"])


def said():
    return open(OUT, encoding="utf-8").read().splitlines()


END = time.monotonic() + 60


def until(count):
    """The terminal is read all the time: a shell that cannot print would wait."""
    while len(said()) < count and time.monotonic() < END:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                os.read(terminal, 65536)
            except OSError:
                break


os.write(terminal, SETUP.encode())
until(1)
for at, line in enumerate(lines):
    os.write(terminal, line.encode() + b"\t\x18s")
    until(at + 2)
os.write(terminal, b"exit\n")
print("\n".join(said()[1:]))
os.close(terminal)
os.waitpid(pid, 0)
