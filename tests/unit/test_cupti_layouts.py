"""trace/format/cupti.def: where gputap looks for CUPTI's fields, compared with installed headers and with the stand-in's own table

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import re
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATHS = {('KERNEL', 'cacheConfig'): 'cacheConfig.both', ('DEVICE', 'uuidLow'): 'uuid.bytes[0]', ('DEVICE', 'uuidHigh'): 'uuid.bytes[8]',
         ('OVERHEAD', 'objectProcess'): 'objectId.pt.processId', ('OVERHEAD', 'objectThread'): 'objectId.pt.threadId',
         ('OVERHEAD', 'objectStream'): 'objectId.dcs.streamId', ('MEMORY2', 'poolType'): 'memoryPoolConfig.memoryPoolType',
         ('MEMORY2', 'poolAddress'): 'memoryPoolConfig.address', ('MEMORY2', 'poolThreshold'): 'memoryPoolConfig.releaseThreshold',
         ('MEMORY2', 'poolSize'): 'memoryPoolConfig.pool.size', ('MEMORY2', 'poolUsed'): 'memoryPoolConfig.utilizedSize'}
PART = {('DEVICE', 'uuidLow'), ('DEVICE', 'uuidHigh')}          # of an array of bytes
NAMES = {('OVERHEAD', 'objectProcess'): 'objectId', ('MEMORY2', 'poolType'): 'memoryPoolType', ('MEMORY2', 'poolThreshold'): 'releaseThreshold',
         ('MEMORY2', 'poolUsed'): 'utilizedSize'}
BYTES = {'uint8_t': 1, 'uint16_t': 2, 'uint32_t': 4, 'uint64_t': 8}


def text_of(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def read(path, pattern):
    return re.findall(pattern, re.sub(r'/\*.*?\*/', '', text_of(os.path.join(TOP, path)), flags=re.S), re.M)


KINDS = [(k, int(n), int(b)) for k, n, b in read('trace/format/cupti.def', r'^KIND\((\w+), (\d+), \w+, (\d+), ')]
SIZES = read('tests/fakegpu/records.def', r'^SIZE\((\w+), (\d+), (\d+), (\d+)\)')
THEIRS = read('tests/fakegpu/records.def', r'^FIELD\((\w+), (\w+), (\d+), (\d+), (\d+)\)')
FIELDS = [(k, f, int(o), BYTES[t], int(s)) for k, f, o, t, s in
          read('trace/format/cupti.def', r'^(?:FIELD|TEXT|DATA|ROLE)\((?:[A-Z_]+, )?(\w+), (\w+), (\d+), (\w+), (\d+)[,)]')]

# of a layout: the structure in the headers without its number, and the stand-in's name of the kind that has its fields
STRUCTURES = dict(read('trace/format/cupti.def', r'^LAYOUT\((\w+), (\w+)\)'))
STAND_INS = {layout: kind for number, layout in read('trace/format/cupti.def', r'^KIND\(\w+, (\d+), (\w+),')
             for kind, n, _, _ in SIZES if n == number and kind in {t[0] for t in THEIRS}}


class Layouts(unittest.TestCase):
    def test_fields_lie_where_the_stand_in_puts_them(self):
        theirs = {(k, f): (int(o), int(b), int(s)) for k, f, o, b, s in THEIRS}
        compared = 0
        for kind, name, offset, length, since in FIELDS:
            key = (STAND_INS.get(kind), NAMES.get((kind, name), name))
            if key in theirs:
                self.assertEqual((offset, length), theirs[key][:2], f'{kind}.{name}')
                if since:
                    self.assertLessEqual(theirs[key][2], since, f'{kind}.{name}')
                compared += 1
        self.assertGreater(compared, 0.95 * len(FIELDS))

    def test_no_version_has_shorter_records_than_are_read(self):
        sizes = {}
        for _, number, length, _ in SIZES:
            sizes.setdefault(int(number), []).append(int(length))
        for kind, number, least in KINDS:
            self.assertIn(number, sizes, kind)
            self.assertLessEqual(least, min(sizes[number]), kind)

    def test_fields_lie_where_installed_headers_say(self):
        roots = sorted({os.path.realpath(r) for r in [os.environ.get('CUDA_HOME', '')] + glob.glob('/usr/local/cuda*') + ['/usr'] if r})
        includes = [d for r in roots for d in (r + '/include', r + '/extras/CUPTI/include') if os.path.exists(d + '/cupti_activity.h')]
        if not includes:
            self.skipTest('no CUPTI headers here')
        for include in includes:
            with self.subTest(include):
                self.check_headers(include)

    def check_headers(self, include):
        head = '#include <stddef.h>\n#include <cuda.h>\n#include <cupti.h>\n'
        text = subprocess.run(['cc', '-w', '-E', '-P', '-I' + include, '-x', 'c', '-'], input=head, capture_output=True, text=True, check=True).stdout
        version = int(re.search(r'define CUPTI_API_VERSION\s+(\d+)', text_of(include + '/cupti_version.h')).group(1))
        lines, structs = [head], {}
        for kind, family in STRUCTURES.items():
            numbers = [int(n or 1) for n in re.findall(r'\}\s*CUpti_Activity%s(\d*)\s*;' % family, text)]
            if numbers:
                structs[kind] = 'CUpti_Activity%s%s' % (family, max(numbers) if max(numbers) > 1 else '')
        for kind, name, offset, length, since in FIELDS:
            if kind not in structs or since > version:
                continue
            path = PATHS.get((kind, name), name)
            if version < 130000 and not re.search(r'\b%s\b' % re.split(r'[.\[]', path)[-1 if '.' in path and '[' not in path else 0], text):
                continue                # of a later version
            lines.append('_Static_assert(offsetof(%s, %s) == %d, "%s.%s");' % (structs[kind], path, offset, kind, name))
            if (kind, name) not in PART:
                lines.append('_Static_assert(sizeof(((%s *)0)->%s) == %d, "bytes of %s.%s");' % (structs[kind], path, length, kind, name))
        full = 'CUpti_ActivityOverheadCommandBufferFullData'       # REC_CUPTI_FULL_... of trace/format/cupti.h
        if re.search(r'\b%s\b' % full, text):
            lines += ['_Static_assert(offsetof(%s, %s) == %d && sizeof(%s) == 12, "%s");' % (full, name, 4 * i, full, name)
                      for i, name in enumerate(('commandBufferLength', 'channelID', 'channelType'))]
            lines.append('_Static_assert(CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL == 6 << 16, "the kind that points to it");')
        with tempfile.NamedTemporaryFile('w', suffix='.c') as f:
            f.write('\n'.join(lines) + '\n')
            f.flush()
            done = subprocess.run(['cc', '-w', '-std=gnu11', '-fsyntax-only', '-I' + include, f.name], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(lines), 300)


if __name__ == '__main__':
    unittest.main()
