"""The module that a kernel came from: its source files, and lines and instructions by address.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""


class Module:
    """A decoded SourceData."""

    def __init__(self, message):
        self._message = message
        self.reference = message.get("reference")

    def files(self):
        """{name: content}"""
        return {f.get("name", ""): f.get("content", "") for f in self._message.get("files", {}).get("files", [])}

    def line_of(self, address):
        """(file, line) of an instruction, or None."""
        return None

    def sass(self, address):
        """The instruction as text, or ''."""
        return ""

    def ptx(self, address):
        """The PTX of an instruction, or ''."""
        return ""
