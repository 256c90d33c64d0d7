"""What gputap's own rules share: asking for numbers that may be missing, and saying one thing well.

It has neither get_identifier nor apply, so it is no rule.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import NvRules

F = NvRules.IFrontend
LEAST_SHOWN = 0.05      # percent, as 0.1


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


class Advice:
    """Messages of a rule, each with the metric that led to it and what could be won."""

    def __init__(self, frontend, action):
        self.frontend, self.action = frontend, action

    def say(self, name, text, metric=None, why="", speedup=None, whole=True, kind=F.MsgType_MSG_OPTIMIZATION):
        """speedup: percent of the kernel (whole) or of the part that is spoken of; less than is shown of it is not said.

        Returns the message's id.
        """
        message = self.frontend.message(kind, text, name)
        if speedup is not None and speedup >= LEAST_SHOWN:
            self.frontend.speedup(message, F.SpeedupType_GLOBAL if whole else F.SpeedupType_LOCAL, min(speedup, 99.9))
        value = number(self.action, metric) if metric else None
        if value is not None:
            self.frontend.focus_metric(message, metric, value, F.Severity_SEVERITY_HIGH, why)
        return message

    def warn(self, name, text, **more):
        """As say(), for what can be looked at and not promised."""
        return self.say(name, text, kind=F.MsgType_MSG_WARNING, **more)
