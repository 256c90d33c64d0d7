"""Reads an .occupancy file as the format's old readers do, and refuses what they refuse

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import sys

COLUMNS = """Thread ID|Kernel Name|Device Name|Number of compute units|Max. number of wavefronts per CU|Max. number of work-group per CU|\
Max. number of VGPR|Max. number of SGPR|Max. amount of LDS|Number of VGPR used|Number of SGPR used|Amount of LDS used|Size of wavefront|\
Work-group size|Wavefronts per work-group|Max work-group size|Max wavefronts per work-group|Global work size|Maximum global work size|\
Nbr VGPR-limited waves|Nbr SGPR-limited waves|Nbr LDS-limited waves|Nbr of WG-limited waves|Kernel occupancy|Graphics IP Version|\
Number of SIMDs per CU""".split('|')


def main(path):
    with open(path, 'rb') as f:
        data = f.read()
    assert data.endswith(b'\n'), 'the last line has no end: it would be dropped'
    lines = data.decode().split('\n')[:-1]
    assert all(len(line.encode()) < 2048 for line in lines), 'a line of 2048 bytes'
    head = [line for line in lines if line.startswith('#')]
    version = [line for line in head if 'ProfilerVersion' in line]
    assert len(version) == 1 and '.' in version[0], 'no version'
    facts = dict(line[2:].split('=', 1) for line in head)
    assert lines[:len(head)] == head and all(line[:2] == '# ' for line in head)
    separator = facts['ListSeparator']
    names = lines[len(head)].split(separator)
    assert names == COLUMNS, names
    rows = [line.split(separator) for line in lines[len(head) + 1:]]
    assert len(rows) == int(facts['KernelCount']), 'KernelCount'
    for row in rows:
        assert len(row) == len(COLUMNS), row
        cells = dict(zip(COLUMNS, row))
        for name, text in cells.items():
            if name not in ('Kernel Name', 'Device Name'):
                value = float(text) if name == 'Kernel occupancy' else int(text)
                assert value >= -1, (name, text)
                assert value >= 0 or not name.lower().endswith('size'), (name, text)


main(sys.argv[1])
