#!/usr/bin/env python3
"""check_layouts.py RECORDS.def - compare the stand-in's record table with the CUPTI headers and libraries that are installed

Headers: each field's offset and size, and each record's size, as the compiler sees them. Libraries: the step of cuptiActivityGetNextRecord,
which needs no driver; skipped where neither is there. The reader's own table (trace/format/cupti.def) in any case.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../trace/format/cupti.def')
NESTED = {('MEMORY2', 'memoryPoolType'): 'memoryPoolConfig.memoryPoolType', ('MEMORY2', 'poolAddress'): 'memoryPoolConfig.address',
          ('MEMORY2', 'utilizedSize'): 'memoryPoolConfig.utilizedSize', ('MEMORY2', 'releaseThreshold'): 'memoryPoolConfig.releaseThreshold',
          ('MEMORY2', 'poolSize'): 'memoryPoolConfig.pool.size', ('DEVICE', 'uuidLow'): 'uuid.bytes[0]', ('DEVICE', 'uuidHigh'): 'uuid.bytes[8]',
          ('DEVICE', 'migUuidLow'): 'migUuid.bytes[0]', ('DEVICE', 'migUuidHigh'): 'migUuid.bytes[8]',
          ('OVERHEAD', 'objectThread'): 'objectId.pt.threadId'}
NO_SIZE = {('OVERHEAD', 'objectId'), ('SYNCHRONIZATION', 'type'), ('DEVICE', 'uuidLow'), ('DEVICE', 'uuidHigh'),
           ('DEVICE', 'migUuidLow'), ('DEVICE', 'migUuidHigh')}       # a union of several; filled in part


def read_table(path):
    text = re.sub(r'/\*.*?\*/', '', open(path, encoding='ascii').read(), flags=re.S)
    sizes = [(k, int(n), int(b), int(s)) for k, n, b, s in re.findall(r'^SIZE\((\w+), (\d+), (\d+), (\d+)\)', text, re.M)]
    fields = [(k, f, int(o), int(b), int(s)) for k, f, o, b, s in re.findall(r'^FIELD\((\w+), (\w+), (\d+), (\d+), (\d+)\)', text, re.M)]
    return sizes, fields


def read_reader():
    """trace/format/cupti.def, without comments: how the reader sees the records."""
    return re.sub(r'/\*.*?\*/', '', open(READER, encoding='ascii').read(), flags=re.S)


def families(sizes, fields):
    """{the stand-in's name of a kind whose fields it fills: the structure in the headers, without CUpti_Activity and number}"""
    text = read_reader()
    structures = dict(re.findall(r'^LAYOUT\((\w+), (\w+)\)', text, re.M))
    layouts = {int(n): structures[layout] for n, layout in re.findall(r'^KIND\(\w+, (\d+), (\w+), ', text, re.M)}
    filled = {kind for kind, *_ in fields}
    return {kind: layouts[n] for kind, n, _, _ in sizes if kind in filled and n in layouts}


def size_at(sizes, kind, version):
    found = 0
    for k, _, b, since in sizes:
        if k == kind and since <= version:
            found = b
    return found


def header_version(include, text):
    version = int(re.search(r'define CUPTI_API_VERSION\s+(\d+)', open(os.path.join(include, 'cupti_version.h'), encoding='utf-8').read()).group(1))
    return 19 if version == 18 and 'CUpti_ActivityKernel9;' in text else version       # CUDA 12.0 and 12.1 call themselves 18, as 11.8 does


def members(text, struct):
    """Names declared in the struct, nested ones too."""
    end = text.index('} %s;' % struct)
    at, depth = end, 1
    while depth:
        at -= 1
        depth += (text[at] == '}') - (text[at] == '{')
    return set(re.findall(r'(\w+)\s*(?:\[\w+\])?;', text[at:end]))


def check_headers(include, sizes, fields, extra=(), at_least=False):
    """at_least: a version that is newer than the table; its records may be longer."""
    head = '#include <stddef.h>\n#include <cuda.h>\n#include <cupti_activity.h>\n'
    where = ['-I' + d for d in (include, *extra)]
    text = subprocess.run(['cc', '-w', '-E', '-P', *where, '-x', 'c', '-'], input=head, capture_output=True, text=True, check=True).stdout
    version = header_version(include, text)
    lines, wrong = [head], []
    names = {}
    for kind, family in families(sizes, fields).items():
        numbers = [int(n or 1) for n in re.findall(r'\}\s*CUpti_Activity%s(\d*)\s*;' % family, text)]
        if not numbers:
            continue
        names[kind] = 'CUpti_Activity%s%s' % (family, max(numbers) if max(numbers) > 1 else '')
        lines.append('_Static_assert(sizeof(%s) %s %d, "size of %s");' % (names[kind], '>=' if at_least else '==', size_at(sizes, kind, version), kind))
    for kind, name, offset, length, since in fields:
        path = NESTED.get((kind, name), name)
        if kind not in names or offset + length > size_at(sizes, kind, version):
            continue
        if since > version:
            if path.rpartition('.')[2] in members(text, names[kind]):
                wrong.append('%s.%s is there before version %d' % (kind, name, since))
            continue
        lines.append('_Static_assert(offsetof(%s, %s) == %d, "offset of %s.%s");' % (names[kind], path, offset, kind, name))
        if (kind, name) not in NO_SIZE:
            lines.append('_Static_assert(sizeof(((%s *)0)->%s) == %d, "bytes of %s.%s");' % (names[kind], path, length, kind, name))
    with tempfile.NamedTemporaryFile('w', suffix='.c') as f:
        f.write('\n'.join(lines) + '\n')
        f.flush()
        done = subprocess.run(['cc', '-w', '-std=gnu11', '-fsyntax-only', *where, f.name], capture_output=True, text=True, check=False)
    wrong += re.findall(r'error: (.*)', done.stderr)
    print('headers of version %d: %d facts, %d differ' % (version, len(lines) - 1, len(wrong)))
    for line in wrong:
        print('  ' + line)
    return not wrong and len(lines) > 50


TYPES = {'uint8_t': 1, 'uint16_t': 2, 'uint32_t': 4, 'int32_t': 4, 'uint64_t': 8, 'int64_t': 8}


def check_reader(sizes, fields):
    """The reader's table has the same places, no field where a version has padding, no kind refused that some version has."""
    text = read_reader()
    kinds = {name: (int(n), int(least)) for name, n, least in re.findall(r'^KIND\((\w+), (\d+), \w+, (\d+), ', text, re.M)}
    numbers = {n: k for k, n, _, _ in sizes}
    versions = sorted({s for _, _, _, s in sizes if s >= 18} | {18})
    places = {(k, o, b): s for k, _, o, b, s in fields}
    places['OVERHEAD', 20, 4] = 0                       # the third of a union's three numbers
    places['NAME', 24, 8] = 0                           # of a kind that the stand-in does not make
    wrong = ['%s: %d bytes asked for, version %d has %d' % (name, least, v, size_at(sizes, numbers[n], v)) for name, (n, least) in kinds.items() for v in versions
             if 0 < size_at(sizes, numbers[n], v) < least]
    found = re.findall(r'^(?:FIELD|TEXT|ROLE)\((?:[A-Z_]+, )?(\w+), (\w+), (\d+), (\w+), (\d+)\)', text, re.M)
    for kind, name, offset, kind_of, since in found:
        ours = {'API': 'RUNTIME', 'KERNEL': 'CONCURRENT_KERNEL'}.get(kind) or numbers[kinds[kind][0]]
        place = (ours, int(offset), TYPES[kind_of])
        if place not in places:
            wrong.append('%s.%s: no field of %d bytes at %s' % (kind, name, place[2], offset))
            continue
        wrong += ['%s.%s: padding in version %d' % (kind, name, v) for v in versions if int(since) <= v < places[place] and place[1] + place[2] <= size_at(sizes, ours, v)]
    print('reader\'s table: %d fields, %d kinds, %d differ' % (len(found), len(kinds), len(wrong)))
    for line in wrong:
        print('  ' + line)
    return not wrong and len(found) > 100


def check_callback_ids(include, api):
    numbers = {}
    for domain, name in (('D', 'cupti_driver_cbid.h'), ('R', 'cupti_runtime_cbid.h')):
        text = open(os.path.join(include, name), encoding='utf-8').read()
        numbers.update({(domain, n): int(v) for n, v in re.findall(r'\bCUPTI_(?:DRIVER|RUNTIME)_TRACE_CBID_(\w+)\s*=\s*(\d+)', text)})
    calls = re.findall(r'^([DR]) (\d+) +(\w+)\(', open(api, encoding='ascii').read(), re.M)
    wrong = [name for domain, cbid, name in calls if numbers.get((domain, name), int(cbid)) != int(cbid)]
    known = sum((domain, name) in numbers for domain, _, name in calls)
    print('callback ids: %d of %d are in the headers, %d differ %s' % (known, len(calls), len(wrong), ' '.join(wrong)))
    return not wrong and known > 50


def step(lib, kind):
    buffer = (ctypes.c_uint32 * 1024)(*([kind] * 1024))
    record = ctypes.c_void_p()
    if lib.cuptiActivityGetNextRecord(buffer, ctypes.c_size_t(4096), ctypes.byref(record)):
        return 0
    first = record.value
    return 0 if lib.cuptiActivityGetNextRecord(buffer, ctypes.c_size_t(4096), ctypes.byref(record)) else record.value - first


def check_library(path, sizes, at_least=False):
    lib = ctypes.CDLL(path)
    version = ctypes.c_uint32()
    if lib.cuptiGetVersion(ctypes.byref(version)):
        print('library: says nothing without a driver')
        return None
    number = 19 if version.value == 18 and '.so.12' in os.path.basename(path) else version.value
    wrong = 0
    for kind, code in sorted({(k, n) for k, n, _, _ in sizes}, key=lambda x: x[1]):
        real, ours = step(lib, code), size_at(sizes, kind, number)
        if real < ours if at_least else real != ours:
            print('  kind %d %s: %d bytes, the table says %d' % (code, kind, real, ours))
            wrong += 1
    print('library of version %d: %d kinds differ' % (version.value, wrong))
    return wrong == 0


def main():
    sizes, fields = read_table(sys.argv[1])
    if len(sys.argv) > 2:
        good = check_library(sys.argv[2], sizes, '--at-least' in sys.argv)
        sys.exit(77 if good is None else 0 if good else 1)
    roots = sorted({os.path.realpath(r) for r in [os.environ.get('CUDA_HOME', '')] + glob.glob('/usr/local/cuda*') + ['/usr'] if r})
    includes = [d for r in roots for d in (r + '/include', r + '/extras/CUPTI/include') if os.path.exists(d + '/cupti_activity.h')]
    libs = {os.path.realpath(p) for r in roots for d in ('lib', 'lib64', 'extras/CUPTI/lib64', 'lib/x86_64-linux-gnu')
            for p in glob.glob(os.path.join(r, d, 'libcupti.so*'))}
    good = [check_reader(sizes, fields)]
    good += [check_headers(i, sizes, fields) for i in includes]
    good += [check_callback_ids(i, os.path.join(os.path.dirname(sys.argv[1]), 'calls.api')) for i in includes]
    for path in sorted(libs):                   # each in a process of its own: two CUPTIs in one disturb each other
        done = subprocess.run([sys.executable, __file__, sys.argv[1], path], check=False)
        good += [done.returncode == 0] if done.returncode != 77 else []
    if not includes and not libs:
        print('skipped: no CUPTI headers or libraries here')
    print('%d passed, %d failed, %d skipped' % (sum(good), len(good) - sum(good), not includes and not libs))
    sys.exit(0 if all(good) else 1)


if __name__ == '__main__':
    main()
