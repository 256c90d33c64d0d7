"""What gputap's own rules share: asking for numbers that may be missing, and saying one thing well.

Where a report says what all launches of a shape (a kernel with one size on one device) came to, the rules speak of the shape, by
the launch that stands for it, and of its share of the run. In other reports they speak of the launch.

It has neither get_identifier nor apply, so it is no rule.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import NvRules

F = NvRules.IFrontend
LEAST_SHOWN = 0.05      # percent, as 0.1
COMPUTE = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
MEMORY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
BUSY = 80.0             # percent of a peak: what is used so well is no kernel's trouble


def see(handle):
    """(action, Advice) of the handle that apply() was given."""
    context = NvRules.get_context(handle)
    action = context.range_by_idx(0).action_by_idx(0)
    return action, Advice(context.frontend(), action)


def number(action, *names):
    """The first of these metrics that has a number; None without any."""
    for name in names:
        metric = action.metric_by_name(name)
        if metric is not None and isinstance(metric.value(), (int, float)):
            return metric.value()
    return None


def need(*names):
    """An evaluate() that asks for these metrics."""
    return lambda handle: NvRules.require_metrics(handle, list(names))


def bytes_text(n):
    """'3.0 KiB'"""
    for unit in ("bytes", "KiB", "MiB"):
        if n < 1024:
            break
        n /= 1024.0
    else:
        unit = "GiB"
    return "%d bytes" % n if unit == "bytes" else "%.1f %s" % (n, unit)


def time_text(ns):
    """'1.5 ms'"""
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= size:
            return "%.3g %s" % (ns / size, unit)
    return "%d ns" % ns


def counted(n, one, many=None):
    """'1 group', '3 groups'"""
    return "%d %s" % (n, one if n == 1 else many or one + "s")


def of_them(n):
    """'1 of them has', '3 of them have'"""
    return "%d of them %s" % (n, "has" if n == 1 else "have")


def is_busy(action):
    """Whether computing or memory is used so well that waiting warps cost nothing."""
    return max(number(action, COMPUTE) or 0, number(action, MEMORY) or 0) >= BUSY


class Advice:
    """Messages of a rule, each with the metric that led to it and what could be won."""

    def __init__(self, frontend, action):
        self.frontend, self.action = frontend, action
        trace = action.trace()
        self.shape = trace.shape() if trace else None

    def _share(self, speedup, gain_ns, alone):
        """Percent of the run: of what could be gained, or of all launches of the shape; None where the run is not known."""
        if self.shape is None or not self.shape["run_ns"]:
            return None
        took = max(0, self.shape["ran_ns"] - (self.shape["beside_ns"] if alone else 0))
        ns = gain_ns if gain_ns is not None else took if speedup is None else took * min(speedup, 100.0) / 100.0
        return 100.0 * ns / self.shape["run_ns"]

    def say(self, name, text, metric=None, why="", speedup=None, whole=True, kind=F.MsgType_MSG_OPTIMIZATION, cause=None,
            gain_ns=None, alone=False, of_process=False):
        """speedup: percent of the kernel (whole) or of the part that is spoken of; less than is shown of it is not said.

        gain_ns: what all launches of the shape could gain, where that is no part of their own time. cause: messages of one cause are
        said once (the name). alone: other kernels that ran beside it used what it left. of_process: it is of the process, and of no
        share of the run.

        Returns the message's id; None: another launch stands for the shape.
        """
        if self.shape is not None and not self.shape["judged"] and not of_process:
            return None
        message = self.frontend.message(kind, text, name)
        share = None if of_process else self._share(speedup, gain_ns, alone)
        if share is not None:
            self.frontend.gather(message, cause or name, share, speedup is not None or gain_ns is not None)
        elif speedup is not None and speedup >= LEAST_SHOWN:
            self.frontend.speedup(message, F.SpeedupType_GLOBAL if whole else F.SpeedupType_LOCAL, min(speedup, 99.9))
        value = number(self.action, metric) if metric else None
        if value is not None:
            self.frontend.focus_metric(message, metric, value, F.Severity_SEVERITY_HIGH, why)
        return message

    def warn(self, name, text, **more):
        """As say(), for what can be looked at and not promised."""
        return self.say(name, text, kind=F.MsgType_MSG_WARNING, **more)
