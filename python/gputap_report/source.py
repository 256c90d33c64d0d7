"""The module that a kernel came from: its source files, and lines and instructions by address.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
from . import cubin


class Module:
    """A decoded SourceData."""

    def __init__(self, message):
        self._message, self._cubin = message, None
        self.reference = message.get("reference")

    def files(self):
        """{name: content}"""
        return {f.get("name", ""): f.get("content", "") for f in self._message.get("files", {}).get("files", [])}

    def binary(self):
        """The module's bytes; b'' without one."""
        binary = self._message.get("binary")
        return binary.bytes() if binary is not None else b""

    def build_options(self):
        """What the program was built with; ''. (gputap's own)"""
        return self._message.get("build_options", "")

    def build_log(self):
        """What its compiler said; ''. (gputap's own)"""
        return self._message.get("build_log", "")

    def _code(self):
        if self._cubin is None:
            functions = self._message.get("relocation", {}).get("functions", [])
            self._cubin = cubin.Cubin(self.binary(), [(f.get("address", 0), f.get("index"), f.get("name", "")) for f in functions],
                                      8 if 0 < self._message.get("sass_level", 7) < 7 else 16)
        return self._cubin

    def instructions(self, function):
        """Addresses of the instructions of a function by its mangled name, in order; [] where they are not known."""
        return self._code().instructions(function)

    def line_of(self, address):
        """(file, line) of an instruction, or None."""
        return self._code().line_of(address)

    def sass(self, address):
        """The instruction as text, or ''."""
        return self._code().sass(address)

    def ptx(self, address):
        """The PTX of an instruction, or ''."""
        return self._code().ptx(address)

    def ptx_lines(self):
        """The module's PTX, line by line; []."""
        lines = self._code().ptx_lines()
        if not lines and self._message.get("intermediate") is not None:
            lines = self._message["intermediate"].text().rstrip("\0\n").split("\n")
        return lines

    def ptx_line_of(self, address):
        """The line of that, from 1, which an instruction was made of, or None."""
        return self._code().ptx_line_of(address)
