"""hold.py PARENT - keeps the GPU initialised: one idle context until process PARENT ends; first tells which GPU, as JSON

Without it each process that comes after another may initialise the device anew, which takes 1 to 3 s. Status 77: no
GPU, and the last line of its errors says why.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import json
import os
import re
import subprocess
import sys
import time


SHARED = 0                  # compute mode: any number of processes may use the device
COMPUTE_MODE = 20


def driver_release():
    try:
        with open('/proc/driver/nvidia/version', encoding='utf-8') as file:
            return re.search(r'\s(\d+\.\d+(\.\d+)?)\s', file.readline()).group(1)
    except (OSError, AttributeError):
        pass
    try:
        done = subprocess.run(['nvidia-smi', '--query-gpu=driver_version', '--format=csv,noheader'],
                              capture_output=True, text=True, timeout=20, check=False)
        return done.stdout.splitlines()[0].strip() if done.returncode == 0 else ''
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return ''


def none(why):
    print(why, file=sys.stderr)
    sys.exit(77)


def main():
    parent, name = int(sys.argv[1]), ctypes.create_string_buffer(128)
    number, device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
    try:
        cuda = ctypes.CDLL('libcuda.so.1')
    except OSError as why:
        none(why)
    error = cuda.cuInit(0)
    if error:
        none('cuInit answers %d' % error)
    if cuda.cuDeviceGetCount(ctypes.byref(number)) or not number.value:
        none('the driver has no device')
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuDeviceGetName(name, len(name), device)
    cuda.cuDriverGetVersion(ctypes.byref(number))
    mode = ctypes.c_int(SHARED)
    cuda.cuDeviceGetAttribute(ctypes.byref(mode), COMPUTE_MODE, device)
    held = mode.value == SHARED and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    print(json.dumps({'gpu': name.value.decode(), 'driver': driver_release(), 'held': held,
                      'cuda': '%d.%d' % (number.value // 1000, number.value % 1000 // 10)}), flush=True)
    while held and os.getppid() == parent:
        time.sleep(0.5)


main()
