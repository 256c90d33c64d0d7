"""build.py - what scripts/test-gpu runs: the CUDA programs, compiled; the bundle for a machine that can build nothing

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import glob
import hashlib
import os
import re
import shutil
import subprocess

from machine import TOP, Missing, is_elf
from steps import bad, ok, skip

# One machine code for what is common, and text for the rest.
FLAGS = '-O2 -std=c++17 -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90'.split()
LIBRARIES = {'blas': ['-lcublas'], 'dnn': ['-lcudnn']}
COMPILE_SECONDS = 100
# What a machine may lack: all libraries but the C library's own and the driver's, and of the vendor's the small ones.
THERE = re.compile(r'(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|anl|nsl|BrokenLocale|thread_db)|libcu.*|libnv.*)\.so')
VENDOR = ('libcupti.so.13', 'libcudart.so.13')
HEADERS = ('tests/gpu/gpu.h',)


def find_nvcc():
    """None where there is none, or NVCC is empty."""
    named = os.environ.get('NVCC')
    if named is not None:
        return os.path.abspath(named) if os.sep in named else shutil.which(named) if named else None
    return shutil.which('nvcc') or next(iter(glob.glob('/usr/local/cuda/bin/nvcc')), None)


def sources():
    return sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(TOP, 'tests/gpu/*.cu')))


def sums(name):
    """What a program is made of, as sha256sum writes it."""
    lines = []
    for path in ('tests/gpu/%s.cu' % name, *HEADERS):
        with open(os.path.join(TOP, path), 'rb') as file:
            lines.append('%s  %s\n' % (hashlib.sha256(file.read()).hexdigest(), path))
    return ''.join(lines)


def is_of_these_sources(bin_, name):
    """What it was made of is beside it: a copy that was unpacked without its times is still known."""
    try:
        with open(os.path.join(bin_, name + '.sha256'), encoding='utf-8') as file:
            return os.access(os.path.join(bin_, name), os.X_OK) and file.read() == sums(name)
    except OSError:
        return False


def compile_one(m, nvcc, name):
    target, log = os.path.join(m.bin, name), os.path.join(m.bin, name + '.log')
    status = m.run(COMPILE_SECONDS, [nvcc, *FLAGS, '-o', target + '.new', 'tests/gpu/%s.cu' % name,
                                     *LIBRARIES.get(name, [])], out=log, err=log + '2', cwd=TOP)
    with open(log, encoding='utf-8', errors='replace') as a, open(log + '2', encoding='utf-8', errors='replace') as b:
        words = a.read() + b.read()
    for path in (log, log + '2'):
        os.unlink(path)
    if status:
        missing = re.search(r'fatal error.*|cannot find.*', words)
        if name in LIBRARIES and missing:
            return skip(missing.group(0))
        return bad('status %d: %s' % (status, '\n'.join(words.splitlines()[:20])))
    with open(target + '.sha256', 'w', encoding='utf-8') as file:
        file.write(sums(name))
    os.replace(target + '.new', target)
    return ok('')


def compile_programs(session, m, names):
    """Side by side. Programs that are there, of other sources, are not used."""
    os.makedirs(m.bin, exist_ok=True)
    nvcc, jobs = find_nvcc(), []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name in names:
            program = os.path.join(m.bin, name)
            if is_of_these_sources(m.bin, name):
                session.count('compile %s (was there)' % name, ok(''))
            elif nvcc:
                for path in (program, program + '.sha256'):
                    if os.path.exists(path):
                        os.unlink(path)
                jobs.append((name, pool.submit(compile_one, m, nvcc, name)))
            elif os.path.exists(program):
                m.foreign.add(name)
                session.count('compile ' + name, skip('no nvcc, and what is there is of other sources'))
            else:
                session.count('compile ' + name, skip('no nvcc'))
        for name, job in jobs:
            session.count('compile ' + name, job.result())


# ------------------------------------------------------------------ the bundle

def make(m, *words):
    """As make is called in the repository: another spelling of the folder would build everything again."""
    inside = os.path.commonpath([TOP, os.path.abspath(m.build)]) == TOP
    folder = os.path.relpath(m.build, TOP) if inside else m.build
    return subprocess.run(['make', '-s', '-j%d' % (os.cpu_count() or 1), 'O=' + folder, *words], cwd=TOP,
                          check=False).returncode == 0


def vendor_library(name):
    nvcc = find_nvcc()
    toolkits = [os.environ.get('CUDA_HOME'), '/usr/local/cuda',
                os.path.dirname(os.path.dirname(os.path.realpath(nvcc))) if nvcc else None]
    for toolkit in filter(None, toolkits):
        for folder in ('lib64', 'extras/CUPTI/lib64', 'targets/%s-linux/lib' % os.uname().machine):
            path = os.path.join(toolkit, folder, name)
            if os.path.exists(path):
                return os.path.realpath(path)
    return None


def programs_in(bundle):
    files = (os.path.join(place, name) for place, _, names in os.walk(bundle) for name in names)
    return [path for path in files if is_elf(path)]


def linked(path):
    done = subprocess.run(['ldd', path], capture_output=True, text=True, check=False)
    return re.findall(r'(\S+) => (/\S+)', done.stdout)


def make_bundle(session, m, bundle):
    """What an install has, the programs, and this script with what it reads: nothing else is needed there."""
    if not make(m, 'gpu-programs') or not make_install(m, bundle):
        return False
    gpu = os.path.join(bundle, 'gpu')
    os.makedirs(os.path.join(gpu, 'lib'))
    shutil.copytree(m.bin, os.path.join(gpu, 'bin'))
    for name in ('scrub', 'raw', 'libnomodules.so'):
        shutil.copy(os.path.join(m.gpu, name), gpu)
    for path in ('tests/e2e/cl_commands', 'tests/e2e/cuda_client', 'tests/fault/cuda_kill'):
        shutil.copy(os.path.join(m.build, path), os.path.join(gpu, 'bin'))
    for path in ('scripts/test-gpu', *('tests/gpu/' + name for name in sorted(os.listdir(os.path.join(TOP, 'tests/gpu'))))):
        target = os.path.join(bundle, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(TOP, path), target)
    for name, path in sorted({lib for program in programs_in(bundle) for lib in linked(program)}):
        if not THERE.match(name):
            shutil.copy(os.path.realpath(path), os.path.join(gpu, 'lib', name))
    for name in VENDOR:
        path = vendor_library(name)
        if path:
            shutil.copy(path, os.path.join(gpu, 'lib', name))
        session.count('bundle ' + name, ok('') if path else skip('it is not installed here'))
    size = sum(os.path.getsize(os.path.join(root, f)) for root, _, files in os.walk(bundle) for f in files)
    session.say('bundle: %s, %d MB' % (bundle, size // 1000000))
    return True


def make_install(m, bundle):
    if os.path.exists(bundle):
        if not os.path.exists(os.path.join(bundle, 'gpu')) and os.listdir(bundle):
            raise Missing(2, '%s: it is there, and is no bundle' % bundle)
        shutil.rmtree(bundle)
    return make(m, 'DESTDIR=' + bundle, 'PREFIX=', 'install-strip')
