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

    def _code(self):
        if self._cubin is None:
            binary = self._message.get("binary")
            functions = self._message.get("relocation", {}).get("functions", [])
            self._cubin = cubin.Cubin(binary.bytes() if binary is not None else b"",
                                      [(f.get("address", 0), f.get("index"), f.get("name", "")) for f in functions])
        return self._cubin

    def line_of(self, address):
        """(file, line) of an instruction, or None."""
        return self._code().line_of(address)

    def sass(self, address):
        """The instruction as text, or ''."""
        return self._code().sass(address)

    def ptx(self, address):
        """The PTX of an instruction, or ''."""
        return self._code().ptx(address)
