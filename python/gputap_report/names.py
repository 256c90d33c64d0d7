"""What a metric's name says of it: type, rollup and submetric of ``unit__counter.rollup.submetric``.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
OTHER, COUNTER, RATIO, THROUGHPUT = range(4)
ROLLUPS = {"avg": 1, "max": 2, "min": 3, "sum": 4}
SUBTYPES = {name: number for number, name in enumerate((
    "peak_sustained peak_sustained_active peak_sustained_active.per_second peak_sustained_elapsed "
    "peak_sustained_elapsed.per_second peak_sustained_frame peak_sustained_frame.per_second peak_sustained_region "
    "peak_sustained_region.per_second per_cycle_active per_cycle_elapsed per_cycle_in_frame per_cycle_in_region "
    "per_second pct_of_peak_sustained_active pct_of_peak_sustained_elapsed pct_of_peak_sustained_frame "
    "pct_of_peak_sustained_region max_rate pct ratio").split(), 1)}
# Families that are not measured by the hardware's counters.
SOFT = ("launch__", "device__", "opencl__", "cpu__", "derived__", "profiler__", "numa__", "nvlink__", "memory_")
RATIO_SUFFIXES = ("max_rate", "pct", "ratio")


def parts(name):
    """(type, rollup or None, submetric or None), each by its number in IMetric.

    A ratio has no submetric, though a name for it stands in the list; Nsight Compute's own module answers so.
    """
    head, _, rest = name.rpartition(":")[2].partition(".")
    hardware = "__" in head and not head.startswith(SOFT) and (":" not in name or name.startswith("pmsampling:"))
    first, _, suffix = rest.partition(".")
    if first in ROLLUPS:
        kind = OTHER if not hardware else THROUGHPUT if head.endswith("throughput") else COUNTER
        return kind, ROLLUPS[first], SUBTYPES.get(suffix)
    return (RATIO if hardware and rest in RATIO_SUFFIXES else OTHER), None, None
