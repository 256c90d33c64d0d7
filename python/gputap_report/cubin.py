"""Modules as ELF files: functions, lines of sources and of PTX by address, instructions through nvdisasm.

A module that is damaged or holds no lines is no error: it has no answers.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import bisect
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

REL, RELA, SYMTAB = 9, 4, 2
INLINED = 0x90       # extended opcode of NVIDIA's: rows that follow are of an inlined function; 0: no longer
MOST_BYTES = 16 << 20        # of a function
DAMAGE = (struct.error, IndexError, ValueError, UnicodeDecodeError, OverflowError)


class Section:
    def __init__(self, name, kind, offset, size, link, info, data):
        self.name, self.kind, self.offset, self.size, self.link, self.info, self.data = name, kind, offset, size, link, info, data


def _text(data, at):
    return bytes(data[at:data.index(0, at)]).decode("utf-8", "replace")


class Elf:
    """Sections and symbols of a 64-bit little-endian file; ValueError and the like for anything else."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("no 64-bit ELF file")
        at, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        if size < 64:
            raise ValueError("sections of %d bytes" % size)
        heads = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
        strings = self._bytes(data, heads[names])
        self.sections = [Section(_text(strings, h[0]), h[1], h[4], h[5], h[6], h[7],
                                 self._bytes(data, h) if h[1] != 8 else b"") for h in heads]
        self.symbols = self._symbols()

    @staticmethod
    def _bytes(data, head):
        if head[4] + head[5] > len(data) and head[1] != 8:
            raise ValueError("a section is cut off")
        return data[head[4]:head[4] + head[5]]

    def _symbols(self):
        """[(name, section, value, size)] by index"""
        table = next((s for s in self.sections if s.kind == SYMTAB), None)
        if table is None:
            return []
        strings = self.sections[table.link].data
        out = []
        for at in range(0, len(table.data) - 23, 24):
            name, _, _, section, value, size = struct.unpack_from("<IBBHQQ", table.data, at)
            out.append((_text(strings, name), section, value, size))
        return out

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def relocations(self, name):
        """{place in the section: (symbol, addend)}"""
        out = {}
        for s in self.sections:
            if s.kind in (REL, RELA) and self.sections[s.info].name == name:
                step = 24 if s.kind == RELA else 16
                for at in range(0, len(s.data) - step + 1, step):
                    place, info = struct.unpack_from("<QQ", s.data, at)
                    out[place] = (info >> 32, struct.unpack_from("<q", s.data, at + 16)[0] if step == 24 else 0)
        return out


class _Reader:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, form):
        value, = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def uleb(self, signed=False):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value
            if shift > 70:
                raise ValueError("a number without an end")

    def text(self):
        out = _text(self.data, self.at)
        self.at = self.data.index(0, self.at) + 1
        return out


class Lines:
    """DWARF's line programs (versions 2 to 5): {section: sorted [(address, file or None, line)]}; file None ends a run."""

    def __init__(self, elf, name):
        self.rows = {}
        section = elf.section(name)
        self._elf, self._relocations = elf, elf.relocations(name)
        at = 0
        while section is not None and at + 4 < len(section.data):
            at = self._unit(section.data, at)
        for rows in self.rows.values():
            rows.sort(key=lambda r: (r[0], r[1] is not None))

    def find(self, section, address):
        """(file, line) or None"""
        rows = self.rows.get(section, [])
        i = bisect.bisect_right(rows, address, key=lambda r: r[0]) if sys.version_info >= (3, 10) else \
            bisect.bisect_right([r[0] for r in rows], address)
        return rows[i - 1][1:] if i and rows[i - 1][1] is not None else None

    def _unit(self, data, at):
        """Reads one unit; returns the place behind it."""
        r = _Reader(data, at)
        size = r.take("I")
        if size >= 0xfffffff0:
            raise ValueError("a unit of more than 4 GiB")
        end = r.at + size
        version = r.take("H")
        if end > len(data) or not 2 <= version <= 5:
            raise ValueError("line program of version %d" % version)
        if version == 5:
            r.take("B"), r.take("B")             # sizes of addresses and segments
        begin = r.take("I") + r.at
        step = r.take("B")
        if version >= 4:
            r.take("B")
        r.take("B")
        base, span, opcodes = r.take("b"), r.take("B"), r.take("B")
        lengths = [r.take("B") for _ in range(opcodes - 1)]
        files = self._names5(r) if version == 5 else self._names(r)
        self._run(_Reader(data, begin), end, step, base, max(span, 1), opcodes, lengths, files)
        return end

    @staticmethod
    def _names(r):
        folders, files = [""], {}
        while r.data[r.at]:
            folders.append(r.text())
        r.at += 1
        while r.data[r.at]:
            name, folder = r.text(), r.uleb()
            r.uleb(), r.uleb()
            files[len(files) + 1] = os.path.join(folders[folder], name)
        return files

    def _names5(self, r):
        folders = [e.get(1, "") for e in self._entries(r)]
        return {i: os.path.join(folders[e.get(2, 0)], e.get(1, "")) for i, e in enumerate(self._entries(r))}

    def _entries(self, r):
        formats = [(r.uleb(), r.uleb()) for _ in range(r.take("B"))]
        count = r.uleb()
        if count > len(r.data):
            raise ValueError("%d names" % count)
        return [{what: self._form(r, form) for what, form in formats} for _ in range(count)]

    def _form(self, r, form):
        if form == 0x08:
            return r.text()
        if form in (0x0e, 0x1f):                 # a place in .debug_str, .debug_line_str
            place = r.at
            value = r.take("I")
            symbol = self._relocations.get(place)
            if symbol is not None:
                value = self._elf.symbols[symbol[0]][2] + symbol[1]
            return _text(self._elf.section(".debug_str" if form == 0x0e else ".debug_line_str").data, value)
        if form == 0x0f:
            return r.uleb()
        if form in (0x0b, 0x05, 0x06, 0x07):
            return r.take({0x0b: "B", 0x05: "H", 0x06: "I", 0x07: "Q"}[form])
        if form not in (0x1e, 0x09):
            raise ValueError("form %#x" % form)
        r.at += 16 if form == 0x1e else r.uleb()
        return None

    def _run(self, r, end, step, base, span, opcodes, lengths, files):
        section, address, file, line, inlined = None, 0, 1, 1, 0

        def row(name):
            rows = self.rows.setdefault(section, []) if section is not None else []
            # Where a cubin gives the line of a call and that inside of what was inlined there, the call's holds.
            if not (inlined and name is not None and rows and rows[-1][0] == address):
                rows.append((address, name, line))

        while r.at < end:
            op = r.take("B")
            if op >= opcodes:
                address += (op - opcodes) // span * step
                line += base + (op - opcodes) % span
                row(files.get(file, ""))
            elif op == 0:
                size = r.uleb()
                begin, kind = r.at, r.take("B")
                if kind == 1:
                    row(None)
                    section, address, file, line, inlined = None, 0, 1, 1, 0
                elif kind == 2:
                    section, address = self._place(r.at, r.take("Q"))
                elif kind == INLINED:
                    inlined = r.uleb()
                r.at = begin + size
            elif op == 1:
                row(files.get(file, ""))
            elif op == 2:
                address += r.uleb() * step
            elif op == 3:
                line += r.uleb(True)
            elif op == 4:
                file = r.uleb()
            elif op == 8:
                address += (255 - opcodes) // span * step
            elif op == 9:
                address += r.take("H")
            else:
                for _ in range(lengths[op - 1]):
                    r.uleb()

    def _place(self, at, address):
        """(section, address in it) of an address that the program sets"""
        symbol = self._relocations.get(at)
        if symbol is None:
            return 0, address
        _, section, value, _ = self._elf.symbols[symbol[0]]
        # In a module as it lay in memory the address is already there.
        return section, value if address == value else address + value + symbol[1]


class Cubin:
    """What an embedded module tells of its functions. ``places``: [(address in the report, symbol's index or None, name)]

    step: bytes of an instruction.
    """

    def __init__(self, data, places, step=16):
        self._data, self._places, self._step = data, sorted(places, key=lambda p: p[0]), step
        self._starts = [p[0] for p in self._places]
        self._elf = self._tables = self._code = None

    def _open(self):
        if self._elf is None:
            try:
                self._elf = Elf(self._data)
            except DAMAGE:
                self._elf = False
            # Nsight Compute 2022 lists no functions and embeds modules as they lay in the device's memory: symbols have addresses.
            if self._elf and not self._places:
                self._places = sorted((s[2], i, s[0]) for i, s in enumerate(self._elf.symbols) if s[3])
                self._starts = [p[0] for p in self._places]
        return self._elf

    def _lines(self, name):
        if self._tables is None:
            self._tables = {}
        if name not in self._tables:
            try:
                self._tables[name] = Lines(self._elf, name)
            except DAMAGE:
                self._tables[name] = None
        return self._tables[name]

    def _where(self, address):
        """(section, address in it, name of the section) of an address in the report, or None"""
        i = bisect.bisect_right(self._starts, address) - 1 if self._open() else -1
        if i < 0:
            return None
        start, index, name = self._places[i]
        symbols = self._elf.symbols
        if index is None or index >= len(symbols) or symbols[index][0] != name:
            index = next((j for j, s in enumerate(symbols) if s[0] == name and s[1]), index)
        if index is None or index >= len(symbols):
            return None
        _, section, value, size = symbols[index]
        if not 0 < section < len(self._elf.sections) or address - start >= max(size, 1):
            return None
        return section, value + address - start, self._elf.sections[section].name

    def line_of(self, address):
        place = self._where(address)
        lines = self._lines(".debug_line") if place else None
        return lines.find(place[0], place[1]) if lines else None

    def instructions(self, name):
        """Addresses of a function's instructions, in order; [] where it is not there."""
        start = next((p[0] for p in self._places if p[2] == name), None) if self._open() else None
        place = self._where(start) if start is not None else None
        if place is None:
            return []
        size = max((s[3] for s in self._elf.symbols if s[0] == name and s[1] == place[0]), default=0)
        told = sorted(a for s, a in self._disassembly() if s == place[2] and place[1] <= a < place[1] + size)
        if not told:
            told = range(place[1], place[1] + min(size, MOST_BYTES), self._step)
        return [start + a - place[1] for a in told]

    def ptx_lines(self):
        """The PTX that the module holds, line by line; []."""
        text = self._elf.section(".nv_debug_ptx_txt") if self._open() else None
        rows = bytes(text.data).split(b"\0") if text is not None else []
        return [r.decode("utf-8", "replace") for r in rows[:-1] + ([] if rows and not rows[-1] else rows[-1:])]

    def ptx_line_of(self, address):
        """The line of PTX, from 1, that an instruction was made of, or None."""
        place = self._where(address)
        lines = self._lines(".nv_debug_line_sass") if place else None
        found = lines.find(place[0], place[1]) if lines else None
        return found[1] if found else None

    def ptx(self, address):
        line, rows = self.ptx_line_of(address), self.ptx_lines()
        return rows[line - 1].strip() if line and 0 < line <= len(rows) else ""

    def sass(self, address):
        place = self._where(address)
        if place is None:
            return ""
        return self._disassembly().get((place[2], place[1]), "")

    def _disassembly(self):
        if self._code is None:
            self._code = disassemble(self._data)
        return self._code


def find_nvdisasm():
    """nvdisasm of the path, of a toolkit or of the wheel nvidia-cuda-nvdisasm; None without any."""
    found = shutil.which("nvdisasm") or shutil.which("/usr/local/cuda/bin/nvdisasm")
    for folder in sys.path if not found else ():
        found = next((p for p in glob.glob(os.path.join(glob.escape(folder or "."), "nvidia", "*", "bin", "nvdisasm"))
                      if os.access(p, os.X_OK)), None)
        if found:
            break
    return found


def disassemble(data, program=None):
    """{(section, address): instruction}; {} without nvdisasm or when it cannot."""
    program = program or find_nvdisasm()
    if not program:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.cubin")
        with open(path, "wb") as f:
            f.write(data)
        try:
            out = subprocess.run([program, "-c", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 timeout=60).stdout
        except (OSError, subprocess.SubprocessError):
            return {}
    code, section = {}, None
    for line in out.decode("utf-8", "replace").splitlines():
        head = re.match(r"(\.text\.\S+):$", line)
        instruction = re.match(r"\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;", line)
        if head:
            section = head.group(1)
        elif instruction and section:
            code[section, int(instruction.group(1), 16)] = instruction.group(2)
    return code
