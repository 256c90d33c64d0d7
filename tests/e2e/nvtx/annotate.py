"""tests/e2e/nvtx/annotate.py - ranges of the Python package nvtx: decorator, with block, mark, start and end

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import nvtx


@nvtx.annotate("decorated", domain="py", color="red")
def work():
    with nvtx.annotate("inside", domain="py", category="steps", payload=7):
        nvtx.mark("here", domain="py")


for _ in range(3):
    work()
nvtx.end_range(nvtx.start_range("started", domain="py"))
