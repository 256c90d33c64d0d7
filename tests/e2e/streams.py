"""tests/e2e/streams.py - the records of a stream file, by trace/format/rec.h alone

For tests that look at a trace without the project's reader.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import struct

CONTROL, BLOCK, SLOTS = 4096, 65536, 8
MAGIC, RECORDS, STAGE, STAGE_IMAGE = 0x314B4843, 1, 4, 4096
COMPLETE, INCOMPLETE, LONG = 1, 2, 4


def unstaged(data):
    """The stream with every window's image at its place: after a kill it may not have been copied."""
    whole = bytearray(data)
    for chunk in range(0, len(data) - 64, BLOCK):
        magic, kind, _, size, _, target = struct.unpack_from("<IHHQQQ", data, chunk)
        if magic == MAGIC and kind == STAGE and target:
            image = data[chunk + STAGE_IMAGE:chunk + size]
            whole[len(whole):] = bytes(max(0, target + len(image) - len(whole)))
            whole[target:target + len(image)] = image
    return bytes(whole)


def chunks(data):
    """(begin, end) of the records of each chunk of an unstaged stream."""
    chunk = CONTROL
    while chunk + 64 <= len(data):
        magic, kind, _, size = struct.unpack_from("<IHHQ", data, chunk)
        if magic != MAGIC or size < 64:
            return
        if kind == RECORDS:
            yield chunk + 64, min(chunk + size, len(data))
        chunk = (chunk + size + BLOCK - 1) // BLOCK * BLOCK


def records(data):
    """(offset, function or type, words, flags, result) of each record of an unstaged stream."""
    for at, end in chunks(data):
        while at + 8 <= end:
            fn, words, flags, result = struct.unpack_from("<HBBi", data, at)
            words = result if flags & INCOMPLETE else struct.unpack_from("<I", data, at + 8)[0] if flags & LONG else words
            if words <= 0:                      # nothing more in this block
                at = (at // BLOCK + 1) * BLOCK
                continue
            yield at, fn, words, flags, result
            at += words * 8
