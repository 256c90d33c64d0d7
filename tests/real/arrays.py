"""tests/real/arrays.py - a script on pyopencl: arrays, a map, a reduction, a scan, an own kernel, on two queues

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import numpy as np
import pyopencl as cl
import pyopencl.array as cla
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
other = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
print(context.devices[0].name, cl.VERSION_TEXT)

n = 4096
a = cla.arange(queue, n, dtype=np.int32)
b = 3 * a + 1
blend = ElementwiseKernel(context, "int *z, const int *x, const int *y", "z[i] = (x[i] ^ y[i]) % 1000", "blend")
z = cla.empty_like(a)
blend(z, a, b)
total = ReductionKernel(context, np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]", arguments="const int *x", name="total")
print("sum", total(z).get())
scan = GenericScanKernel(context, np.int32, arguments="int *x", input_expr="x[i]", scan_expr="a+b", neutral="0", output_statement="x[i] = item;")
scan(z)
print("scan", z.get()[[0, 1, 100, n - 1]])

program = cl.Program(context, """
__kernel void matmul(__global const int *a, __global const int *b, __global int *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
""").build()
side = 64
c = cl.Buffer(context, cl.mem_flags.READ_WRITE, side * side * 4)
matmul = cl.Kernel(program, "matmul")
for local in (None, (8, 8), (16, 4)):
    event = matmul(other, (side, side), local, a.data, b.data, c, np.int32(side))
    event.wait()
    assert event.profile.end >= event.profile.start
host = np.empty((side, side), dtype=np.int32)
cl.enqueue_copy(other, host, c)
print("matmul", host[0, 0], host[5, 7], int(host.astype(np.int64).sum()))
expected = a.get().reshape(side, side).astype(np.int64) @ b.get().reshape(side, side)
print("equal", bool((host == expected).all()))
