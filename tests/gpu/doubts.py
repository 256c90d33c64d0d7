"""doubts.py QUESTION ARGUMENTS... - the answers to what only hardware tells, read from traces; one line each

kinds TRACE              D1  which kinds CUPTI refused
leave NAME TRACE...      D2  what was lost of 1000 launches by programs that end without waiting
contexts TRACE OUTPUT    D3  contexts that came and went
late TRACE               D4  a kernel whose end comes after a forced flush
teardown TRACE OUTPUT    D5  kernels of a program that spoke NVTX first
fork TRACE OUTPUT        D6  records of a parent whose child calls the runtime
killed "PAIRS" TRACE     D7  what open buffers hold after a kill (the line of raw buffers)
times TRACE              D8  start of kernels against start and end of their calls
nested TRACE             D9  numbers of driver calls inside runtime calls
modules "PAIRS" BARE TRACED WITHOUT   D10  seconds of three runs, each a comma-separated list
flush LINE...            D11 lines of costs.py --json
unload TRACE OUTPUT      D13 names of kernels whose modules are unloaded
client NAME TRACE WORDS  D14 what is recorded of a program that is a client of CUPTI itself, and was answered WORDS
devices "PAIRS..."       D15 what identifies devices and slices: the lines of raw devices, against the driver's words

The first line is the answer; more lines are figures behind it. Status 1: not as it should be. 77: it cannot be told.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import json
import re
import statistics
import sys

import trace


def pairs(text):
    return {k: int(v) for k, v in re.findall(r'([\w-]+) (\d+)', text)}


def timed(kernels):
    return [k for k in kernels if k.get('timed', True) and k.get('end_ns', 0) >= k.get('start_ns', 0)]


def ledger(info):
    return ', '.join('%s %d' % item for item in info.get('ledger', {}).items()) or 'nothing lost'


def spread(values):
    return 'least %d, half %d, 99 %% %d, most %d ns' % (
        min(values), trace.percentile(values, 50), trace.percentile(values, 99), max(values))


def kinds(path):
    info = trace.info(path)
    refused = [n['text'] for n in info.get('notes', []) if 'refused' in n['text'] or 'no records of' in n['text']]
    counts = info.get('cuda', {}).get('counts', {})
    if not counts:
        return 77, ['no CUDA in the trace']
    seen = ', '.join('%s %d' % item for item in counts.items())
    first = '; '.join(refused) or 'no kind was refused before cuInit'
    return bool(refused), ['%s; seen: %s' % (first, seen)] + [n['text'] for n in info['notes']]


def leave(name, *paths):
    launched = missing = endless = runs = honest = 0
    for path in paths:
        rows, info = trace.records(path), trace.info(path)
        kernels = trace.of('cuda_kernel', rows)
        launches = sum(bool(re.match(r'(__)?cu(da)?Launch', r['name'])) and not r['nested'] and not r['result']
                       for r in trace.of('cuda_call', rows))
        runs += 1
        launched += launches
        missing += launches - len(kernels)
        endless += len(kernels) - len(timed(kernels))
        whole = launches == len(timed(kernels))
        honest += whole == info.get('complete', False) or not whole and not info.get('complete', True)
    if not launched:
        return 77, ['%s: no launch is in %d traces' % (name, runs)]
    return honest < runs, ['%s, %d runs: %d launches, %d kernels missing, %d without an end, '
                           'the ledger is right in %d of %d' % (name, runs, launched, missing, endless, honest, runs)]


def contexts(path, output):
    counts = trace.counts_of(output)
    rows, info = trace.records(path), trace.info(path)
    kernels, made = trace.of('cuda_kernel', rows), trace.of('cuda_context', rows)
    right = len(timed(kernels)) == counts.get('kernels')
    return not right, ['%d contexts in the trace, %d of %d kernels with times; %s' % (
        len(made), len(timed(kernels)), counts.get('kernels', -1), ledger(info))]


def late(path):
    rows = trace.records(path)
    long = [k for k in trace.of('cuda_kernel', rows) if k['short_name'] == 'spin']
    full = [k for k in long if timed([k]) and k['end_ns'] - k['start_ns'] > 100000000]
    calls = trace.of('cuda_call', rows)
    text = '%d rows of the long kernel, %d of them with its whole time; %d kernels, %d calls; %s' % (
        len(long), len(full), len(trace.of('cuda_kernel', rows)), len(calls), ledger(trace.info(path)))
    stand_in = any(r['stand_in'] for r in trace.of('cuda_library', rows))
    good = len(long) == 1 and (stand_in or len(full) == 1)
    return not good, [text] + ['%d to %d ns' % (k['start_ns'], k['end_ns']) for k in long if 'end_ns' in k]


def teardown(path, output):
    counts = trace.counts_of(output)
    rows, info = trace.records(path), trace.info(path)
    kernels = trace.of('cuda_kernel', rows)
    marks = sum(r.get('kind') == 'mark' for r in trace.of('range', rows))
    good = len(timed(kernels)) == counts.get('kernels') and marks == 1
    return not good, ['%d of %d kernels with times, %d mark before them; %s' % (
        len(timed(kernels)), counts.get('kernels', -1), marks, ledger(info)),
        *(n['text'] for n in info.get('notes', []))]


def fork(path, output):
    counts = trace.counts_of(output)
    parent = int(re.search(r'^parent (\d+)', open(output, encoding='utf-8').read(), re.M).group(1))
    rows, info = trace.records(path), trace.info(path)
    mine = [r for r in rows if r.get('pid') == parent]
    strange = sum(r['name'].startswith('cudaGetLastError') for r in trace.of('cuda_call', mine))
    kernels = trace.of('cuda_kernel', mine)
    good = not strange and len(timed(kernels)) == counts.get('kernels') and info.get('complete')
    return not good, ["%d of the child's calls are in the parent's buffers; %d of %d kernels with times; %s" % (
        strange, len(timed(kernels)), counts.get('kernels', -1), ledger(info))]


def killed(text, path):
    p = pairs(text)
    if not p.get('open'):
        return 77, ['no buffer was open when the program was killed (%d buffers)' % p.get('buffers', 0)]
    words = ('buffers', 'open', 'empty', 'records', 'kernels', 'without-start', 'without-end', 'behind-zero')
    return bool(p['behind-zero'] or p['unknown-kind']), [
        'of %d buffers %d were open, %d of them empty; %d records in them, of %d kernels %d have no start, %d no end; '
        '%d with something behind the first kind 0; ' % tuple(p[w] for w in words) + ledger(trace.info(path))]


def times(path):
    rows = trace.records(path)
    calls = {(c['pid'], c['correlation']): c for c in trace.of('cuda_call', rows) if not c['nested']}
    after_start, after_end, halves = [], [], {}
    for k in timed(trace.of('cuda_kernel', rows)):
        c = calls.get((k['pid'], k['correlation']))
        if c is None:
            continue
        after_start.append(k['start_ns'] - c['start_ns'])
        after_end.append(k['start_ns'] - c['end_ns'])
        halves.setdefault(k['start_ns'] // 10000000000, []).append(after_start[-1])
    if not after_start:
        return 77, ['no kernel with its call']
    early = sum(ns < 0 for ns in after_start)
    middle = [round(statistics.median(v)) for _, v in sorted(halves.items())]
    return min(after_start) < -trace.CLOCK_ERROR_NS, [
        '%d kernels: after the start of the call %s; %d before it; after its end %s' % (
            len(after_start), spread(after_start), early, spread(after_end)),
        'after the start: ' + trace.histogram(after_start), 'after the end: ' + trace.histogram(after_end),
        'half, each 10 s: ' + ' '.join(map(str, middle))]


def nested(path):
    rows = trace.of('cuda_call', trace.records(path))
    threads = {}
    for c in rows:
        threads.setdefault((c['pid'], c['tid']), []).append(c)
    inside = same = 0
    names = {}
    for calls in threads.values():
        outer = None
        for c in sorted(calls, key=lambda c: (c['start_ns'], -c['end_ns'])):
            if c['domain'] == 'runtime':
                outer = c
            elif outer and c['end_ns'] <= outer['end_ns']:
                inside += 1
                same += c['correlation'] == outer['correlation']
                if c['correlation'] != outer['correlation']:
                    names[c['name']] = names.get(c['name'], 0) + 1
    if not inside:
        return 77, ['no driver call lies inside a runtime call']
    other = ', '.join('%s %d' % item for item in sorted(names.items())[:8])
    return inside != same, ['%d of %d driver calls inside a runtime call have its number%s' % (
        same, inside, '; not: ' + other if other else '')]


def modules(text, *lists):
    bare, traced, without = (statistics.median([float(s) for s in part.split(',')]) for part in lists)
    p = pairs(text)
    return 0, ['%.2f s bare, %.2f s traced, %.2f s traced without modules: the hashing of %d modules of %.1f MB '
               'costs %.0f ms' % (bare, traced, without, p['modules'], p['bytes'] / 1e6, (traced - without) * 1000)]


def flush(*lines):
    rows = [json.loads(line) for line in lines]
    if not rows:
        return 77, ['nothing was measured']
    figures = ['%s %.0f (%.0f)' % (r['mode'], r['mean'], r['p99']) for r in rows]
    return 0, ['ns per launch, mean (99 %): ' + ', '.join(figures)]


def unload(path, output):
    counts = trace.counts_of(output)
    kernels = sorted(trace.of('cuda_kernel', trace.records(path)), key=lambda k: k['start_ns'])
    names = [k.get('short_name', '') for k in kernels]
    block = 10                              # doubt_unload.c
    expected = [('unloaded_first', 'unloaded_second')[i // block % 2] for i in range(len(names))]
    other = [name or '(none)' for name, right in zip(names, expected) if name != right]
    said = '; not right: ' + ', '.join('%s %d' % (n, other.count(n)) for n in sorted(set(other))[:5]) if other else ''
    return bool(other) or len(names) != counts.get('kernels'), [
        '%d of %d kernels are in the trace, %d of them with their name%s; %s' % (
            len(names), counts.get('kernels', -1), len(names) - len(other), said, ledger(trace.info(path)))]


def client(name, path, words):
    launched = {'session': 40, 'takes': 60}[name]       # part1.py: 20 for each time that it launches
    info, kernels = trace.info(path), trace.of('cuda_kernel', trace.records(path))
    whole = len(kernels) == launched
    honest = whole or not info.get('complete', True)
    return not honest or len(kernels) > launched, ['%s: %s; %d of %d kernels in the trace, which %s' % (
        name, words, len(kernels), launched, 'is complete' if info.get('complete') else 'is not complete')]


def driver_devices():
    """(uuid, uuid of the slice or the same, PCI id) of each."""
    cuda, number, found = ctypes.CDLL('libcuda.so.1'), ctypes.c_int(), []
    if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(number)):
        return found
    for i in range(number.value):
        device, pci, texts = ctypes.c_int(), ctypes.create_string_buffer(32), []
        cuda.cuDeviceGet(ctypes.byref(device), i)
        for name in ('cuDeviceGetUuid', 'cuDeviceGetUuid_v2'):
            uuid = ctypes.create_string_buffer(16)
            ask = getattr(cuda, name, None)
            texts.append(uuid.raw.hex() if ask and ask(uuid, device) == 0 else '')
        found.append((*texts, pci.value.decode() if cuda.cuDeviceGetPCIBusId(pci, len(pci), device) == 0 else ''))
    return found


def management():
    """What the management library says of GPUs and slices: their numbers, and whether its names are the uuids."""
    try:
        nvml, number = ctypes.CDLL('libnvidia-ml.so.1'), ctypes.c_uint()
    except OSError:
        return 'no management library', set()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetCount_v2(ctypes.byref(number)):
        return 'the management library answers nothing', set()
    divided, slices, names = 0, 0, set()
    for i in range(number.value):
        device, text = ctypes.c_void_p(), ctypes.create_string_buffer(96)
        now, later, most = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        nvml.nvmlDeviceGetHandleByIndex_v2(i, ctypes.byref(device))
        if nvml.nvmlDeviceGetUUID(device, text, len(text)) == 0:
            names.add(text.value.decode())
        if nvml.nvmlDeviceGetMigMode(device, ctypes.byref(now), ctypes.byref(later)) or not now.value:
            continue
        divided += 1
        nvml.nvmlDeviceGetMaxMigDeviceCount(device, ctypes.byref(most))
        for k in range(most.value):
            one = ctypes.c_void_p()
            if nvml.nvmlDeviceGetMigDeviceHandleByIndex(device, k, ctypes.byref(one)) == 0:
                slices += 1
                if nvml.nvmlDeviceGetUUID(one, text, len(text)) == 0:
                    names.add(text.value.decode())
    plain = {re.sub(r'^(GPU|MIG)-|[-/]', '', name) for name in names}
    return '%d GPUs, %d divided into %d slices' % (number.value, divided, slices), plain


def devices(text):
    """No identity itself is told: it is nobody's business."""
    rows = {}
    for line in text.splitlines():
        words = line.split(' ')
        rows[int(words[1])] = dict(zip(words[::2], words[1::2]))
    if not rows:
        return 77, ['no record of a device']
    known, (said, names) = driver_devices(), management()
    wrong, lines = 0, []
    for i, row in sorted(rows.items()):
        uuid, slice_uuid, pci = known[i] if i < len(known) else ('', '', '')
        none, divided = not row['uuid'].strip('0'), row['divided'] != '0'
        same, slice_same = row['uuid'] == uuid, row['slice-uuid'] == slice_uuid
        wrong += not none and not same or divided and not slice_same
        lines.append('device %d: %s; %s; its PCI id is %s' % (
            i, 'the record has no uuid' if none else "the record's uuid is%s the driver's, and %s" % (
                '' if same else ' not', ('one' if uuid in names else 'none') + " of the management library's"),
            'slice %s/%s of a divided GPU, its uuid is%s that of cuDeviceGetUuid_v2, which is %s' % (
                row['gpu-instance'], row['compute-instance'], '' if slice_same else ' not',
                'the other one' if slice_uuid == uuid else 'its own') if divided else 'not divided',
            'known to the driver' if pci else 'unknown'))
    return bool(wrong), ['%d of %d devices in records; %s' % (len(rows), len(known), said), *lines]


def main():
    all_of_them = (kinds, leave, contexts, late, teardown, fork, killed, times, nested, modules, flush, unload, client,
                   devices)
    questions = {f.__name__: f for f in all_of_them}
    status, lines = questions[sys.argv[1]](*sys.argv[2:])
    print('\n'.join(lines))
    sys.exit(int(status))


if __name__ == '__main__':
    main()
