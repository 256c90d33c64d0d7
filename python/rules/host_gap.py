"""A device that had nothing to do before launches of this kernel, and what the host did meanwhile.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import re

from gputap_advice import see, time_text

SHOWN, LEAST_SHARE = 3, 0.01
CODE = "Prepare the next work before waiting for the last one, or in another thread."
# What helps against what the host was in.
HELP = (
    ("api", r"clBuildProgram|clCompileProgram|clLinkProgram|clCreateProgram|clGetProgram(Build)?Info|cu(da)?Library|cuModuleLoad|cuLink|nvrtc",
     "build", "Build programs before the work begins or in another thread, or keep their binaries."),
    ("api", r"cl(Create|Release)(Buffer|Image|MemObject)|clSVM(Alloc|Free)|clCreatePipe|cu(da)?(Mem)?(Malloc|Alloc|Free|Host)",
     "memory", "Take memory once, before the work begins, and use it again."),
    ("api", r"", "api", "See whether these calls can be made earlier or less often, or from another thread."),
    ("wait", r"", "wait", "Enqueue the next work before waiting for the last one, and leave out waits whose result the host does not "
     "need: work of one queue runs in order anyway."),
    ("os", r"", "os", "That is outside of the device: read, wait or sleep ahead of the work or in another thread."),
    ("code", r"", "code", CODE),
    ("other", r"", "api", "See whether these calls can be made earlier or less often, or from another thread."))
WORDS = {"code": "its own code", "other": "other calls"}


def get_identifier():
    return "HostGap"


def get_name():
    return "Gaps before the kernel"


def get_description():
    return "Devices that were idle before launches of the kernel, what the host did meanwhile, and whether host or driver was late."


def said(doings, known_ns):
    """'clBuildProgram for 95 % of that and in its own code for 3 %'"""
    parts = ["in %s for %.0f %%" % (d["name"] or WORDS.get(d["kind"], d["kind"]), 100.0 * d["ns"] / known_ns) for d in doings[:SHOWN]
             if d["ns"] >= LEAST_SHARE * known_ns]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def help_for(doing):
    """(cause, advice)"""
    return next((cause, text) for kind, names, cause, text in HELP if kind == doing["kind"] and re.match(names, doing["name"]))


def tell_gaps(shape, site, advice):
    one = shape["idles"] == 1
    what = "The device was idle for %s %s, until %s enqueued%s." % (
        time_text(shape["idle_ns"]), "before a launch" if one else "in all before %d launches" % shape["idles"],
        "it was" if one else "they were", " in " + site if site else "")
    doings = sorted(shape["doings"], key=lambda d: -d["ns"])
    if not doings or not shape["known_ns"]:
        advice.say("Gap", what + " What the host did meanwhile is not in the trace.", cause="Gap", gain_ns=shape["idle_ns"])
        return
    cause, text = help_for(doings[0])
    advice.say("Gap", "%s Meanwhile the launching thread was %s of the time. %s" % (what, said(doings, shape["known_ns"]), text),
               cause="Gap: " + cause, gain_ns=shape["idle_ns"])


def tell_late(shape, advice):
    one = shape["launches"] == 1
    text = "The kernel was launched once, and started %s late though the device had nothing to do: runtimes often compile a kernel at " \
        "its first launch. Build programs for the device ahead, or launch it once before time counts." if one else \
        "Launches of the kernel started %s late in all though the device had nothing to do; its first launch is not counted in this."
    advice.warn("Late start", text % time_text(shape["late_ns"]), cause="Late start: " + ("once" if one else "again"),
                gain_ns=shape["late_ns"])


def apply(handle):
    action, advice = see(handle)
    shape = advice.shape
    if shape is None:
        return
    site = next(("%s (%s:%d)" % (f.get("function", "?"), f.get("file", "?"), f.get("line", 0)) for f in action.trace().call_site()
                 if f.get("line")), None)
    if shape["idle_ns"]:
        tell_gaps(shape, site, advice)
    if shape["late_ns"] and 2 * shape["lates"] >= max(1, shape["launches"] - 1):      # one start that is late among many is no cause
        tell_late(shape, advice)
