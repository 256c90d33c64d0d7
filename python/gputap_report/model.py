"""The classes that scripts and rules see: a context of ranges, a range of actions, an action of metrics.

Nothing is decoded before it is asked for. Methods return what they promise for every file that could be opened, or
raise ReportError with the place in it.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import enum
import sys

from . import file, host, names, nvtx, schema, source, wire
from .frontend import IController, IFrontend
from .speak import harmless
from .wire import ReportError

VERSION = "2024.2.0"         # of the interface, as get_version tells it
KINDS = {"text": 2, "f32": 3, "f64": 4, "u32": 5, "u64": 6}


class IMetric:
    """One metric of an action: a value of its own, values of instances, or both.

    Instances are, for example, the instructions of a kernel; their correlation ids say which ones.
    """

    ValueKind_UNKNOWN, ValueKind_ANY, ValueKind_STRING, ValueKind_FLOAT, ValueKind_DOUBLE, ValueKind_UINT32, \
        ValueKind_UINT64 = range(7)
    MetricType_OTHER, MetricType_COUNTER, MetricType_RATIO, MetricType_THROUGHPUT = range(4)
    RollupOperation_NONE, RollupOperation_AVG, RollupOperation_MAX, RollupOperation_MIN, RollupOperation_SUM = range(5)
    MetricSubtype_NONE, MetricSubtype_PEAK_SUSTAINED, MetricSubtype_PEAK_SUSTAINED_ACTIVE, \
        MetricSubtype_PEAK_SUSTAINED_ACTIVE_PER_SECOND, MetricSubtype_PEAK_SUSTAINED_ELAPSED, \
        MetricSubtype_PEAK_SUSTAINED_ELAPSED_PER_SECOND, MetricSubtype_PEAK_SUSTAINED_FRAME, \
        MetricSubtype_PEAK_SUSTAINED_FRAME_PER_SECOND, MetricSubtype_PEAK_SUSTAINED_REGION, \
        MetricSubtype_PEAK_SUSTAINED_REGION_PER_SECOND, MetricSubtype_PER_CYCLE_ACTIVE, \
        MetricSubtype_PER_CYCLE_ELAPSED, MetricSubtype_PER_CYCLE_IN_FRAME, MetricSubtype_PER_CYCLE_IN_REGION, \
        MetricSubtype_PER_SECOND, MetricSubtype_PCT_OF_PEAK_SUSTAINED_ACTIVE, \
        MetricSubtype_PCT_OF_PEAK_SUSTAINED_ELAPSED, MetricSubtype_PCT_OF_PEAK_SUSTAINED_FRAME, \
        MetricSubtype_PCT_OF_PEAK_SUSTAINED_REGION, MetricSubtype_MAX_RATE, MetricSubtype_PCT, \
        MetricSubtype_RATIO = range(22)
    ValueKind = enum.IntEnum("ValueKind", "UNKNOWN ANY STRING FLOAT DOUBLE UINT32 UINT64", start=0)
    MetricType = enum.IntEnum("MetricType", "OTHER COUNTER RATIO THROUGHPUT", start=0)
    RollupOperation = enum.IntEnum("RollupOperation", "NONE AVG MAX MIN SUM", start=0)

    def __init__(self, name, value=(0, None), instances=(), ids=(), unit="", description="", why="", ask=None):
        self._name, self._value = name, value
        self._instances, self._ids = list(instances), list(ids)
        self._unit, self._description, self._why, self._ask = unit, description, why, ask

    def _told(self, own, which):
        """What the report says, else what the CUPTI that is installed says (0 unit, 1 description)."""
        if own or self._ask is None:
            return own
        return self._ask(self._name)[which]

    def _at(self, instance):
        """(kind, value) of the metric or of an instance; (0, None) where there is none."""
        if instance is None:
            return self._value
        return self._instances[instance] if -len(self._instances) <= instance < len(self._instances) else (0, None)

    def name(self):
        """The metric's name."""
        return self._name

    def value(self, idx=None):
        """The value, or that of an instance, as the Python object that fits it: str, int or float; None without one.

        idx: a number of an instance; IndexError when there is none of it.
        """
        if idx is not None and not -len(self._instances) <= idx < len(self._instances):
            raise IndexError("%s has %d instances, there is no %d" % (self._name, len(self._instances), idx))
        return self._at(idx)[1]

    def as_double(self, instance=None):
        """The value, or that of an instance, as float; 0.0 when it is no number."""
        value = self._at(instance)[1]
        return float(value) if isinstance(value, (int, float)) else 0.0

    def as_uint64(self, instance=None):
        """The value, or that of an instance, as an integer that is not negative; 0 when it is no number."""
        value = self._at(instance)[1]
        if isinstance(value, float):
            return int(value) if 0 <= value < 2.0 ** 64 else 0
        return value if isinstance(value, int) else 0

    def as_string(self, instance=None):
        """The value, or that of an instance, as str; None when it is no text."""
        value = self._at(instance)[1]
        return value if isinstance(value, str) else None

    def has_value(self, instance=None):
        """Whether there is a value, or one of that instance."""
        return self._at(instance)[1] is not None

    def kind(self, instance=None):
        """What the value, or that of an instance, is stored as: one of the ValueKind_ values."""
        return self._at(instance)[0]

    def num_instances(self):
        """How many instances have values of their own."""
        return len(self._instances)

    def has_correlation_ids(self):
        """Whether instances say what they belong to."""
        return any(value is not None for _, value in self._ids)

    def correlation_ids(self):
        """A metric whose instances are this one's correlation ids, in the same order; None without any."""
        return IMetric(self._name, instances=self._ids) if self.has_correlation_ids() else None

    def unit(self):
        """The unit of the values, as the report or the CUPTI that is installed tells it; '' where neither does."""
        return self._told(self._unit, 0)

    def description(self):
        """What the metric counts, as the report or the CUPTI that is installed tells it; '' where neither does."""
        return self._told(self._description, 1)

    def why(self):
        """The reason for which a value is missing, as gputap's reports tell it; ''. (gputap's own)"""
        return self._why

    def metric_type(self):
        """MetricType_COUNTER, _RATIO or _THROUGHPUT of the hardware's metrics, MetricType_OTHER of all others."""
        return names.parts(self._name)[0]

    def metric_subtype(self):
        """The submetric that the name ends in, as a MetricSubtype_ value; None without one."""
        return names.parts(self._name)[2]

    def rollup_operation(self):
        """How values of several units became one, as a RollupOperation_ value; None where the name does not say."""
        return names.parts(self._name)[1]

    def __str__(self):
        """The metric's name."""
        return self._name

    def __repr__(self):
        return "<%s %s: %r>" % (type(self).__name__, self._name, self._value[1])


class IMutableMetric(IMetric):
    """A metric that a rule adds to an action, and whose values it sets."""

    def _set(self, default, args):
        *instance, kind, value = args
        entry = (default if kind == self.ValueKind_ANY else int(kind), value)
        if not instance:
            self._value = entry
        else:
            _grow(self._instances, instance[0], entry)
        return True

    def set_double(self, *args):
        """set_double([instance,] kind, value): sets the value, or that of an instance, to a float; True."""
        return self._set(self.ValueKind_DOUBLE, args[:-1] + (float(args[-1]),))

    def set_uint64(self, *args):
        """set_uint64([instance,] kind, value): sets the value, or that of an instance, to an integer; True."""
        return self._set(self.ValueKind_UINT64, args[:-1] + (int(args[-1]),))

    def set_string(self, *args):
        """set_string([instance,] kind, value): sets the value, or that of an instance, to a text; True."""
        return self._set(self.ValueKind_STRING, args[:-1] + (str(args[-1]),))

    def mutable_correlation_ids(self):
        """A metric whose instances are the correlation ids of this one; what is set there holds here."""
        ids = IMutableMetric(self._name)
        ids._instances = self._ids
        return ids


MAX_INSTANCES = 1 << 20


def _grow(entries, at, entry):
    if not 0 <= at < MAX_INSTANCES:
        raise IndexError("instance %d" % at)
    entries.extend([(0, None)] * (at + 1 - len(entries)))
    entries[at] = entry


def _kind_value(value):
    """(kind, value) of a decoded VALUE"""
    for name, kind in KINDS.items():
        if value and name in value:
            return kind, value[name]
    return 0, None


class ISourceInfo:
    """A place in a source file."""

    def __init__(self, file_name, line):
        self._file_name, self._line = file_name, line

    def file_name(self):
        """The file's name with its folder, as the compiler noted it."""
        return self._file_name

    def line(self):
        """The number of the line, from 1."""
        return self._line


class ITrace:
    """When a kernel ran among everything else (gputap's own; only in reports that were made of a trace).

    Times are in nanoseconds since the session began. Each method gives None where the trace does not say.
    """

    def __init__(self, message, stack):
        self._message, self._stack = message, stack

    def _get(self, name):
        return self._message.get(name)

    def start_ns(self):
        """Start of the kernel on its device."""
        return self._get("start_ns")

    def end_ns(self):
        """End of the kernel on its device."""
        return self._get("end_ns")

    def gap_before_ns(self):
        """How long its stream or queue had nothing to do before it."""
        return self._get("gap_before_ns")

    def queued_ns(self):
        """When the call enqueued it."""
        return self._get("queued_ns")

    def submit_ns(self):
        """When it was handed to the device."""
        return self._get("submit_ns")

    def queue(self):
        """Name of its stream or queue."""
        return self._get("queue")

    def launches(self):
        """How often this kernel was launched in the run."""
        return self._get("launches")

    def total_ns(self):
        """Time of all these launches on the device together."""
        return self._get("total_ns")

    def waits(self):
        """What it waited for, as a tuple of dictionaries: kind, name, bytes, start_ns, end_ns, direction, memory."""
        return tuple(dict(w) for w in self._message["waits"])

    def unused_buffers(self):
        """Buffers that its process made and nothing ever used: a dictionary with buffers (their number) and bytes.

        Only with the first kernel of a process, and only where everything that the process did was recorded.
        """
        if self._get("unused_buffers") is None:
            return None
        return {"buffers": self._get("unused_buffers"), "bytes": self._get("unused_bytes") or 0}

    def shape(self):
        """What all launches of this kernel with this size on this device came to, as a dictionary.

        launches, total_ns; ran_ns: how long at least one of them ran; typical_ns: the median time of all but the first; run_ns: how long the process ran; judged: whether
        this launch stands for all of them; on_cpu: whether the device is the host's processors. Of all launches but the first:
        beside_ns (another kernel ran meanwhile); idle_ns, idles (the device was idle until they were enqueued, 20 us or more), of
        which it is known for known_ns what the launching thread did: doings, a tuple of dictionaries with kind (api, wait, os,
        other, code), name and ns; late_ns, lates (from then to the start, a millisecond or more); short_ns, shorts (all other
        idle times before them); copy_ns, copies, copied_bytes, hideable_ns (copies right before them while no kernel ran);
        pageable_ns, pageable, pageable_bytes (those of memory that is not pinned).
        """
        found = self._get("shape")
        if found is None:
            return None
        numbers = {name: 0 for name, _, repeated in schema.SHAPE.values() if not repeated}
        numbers.update({"typical_ns": None, "run_ns": None}, **{k: v for k, v in found.items() if k != "doings"})
        return dict(numbers, judged=bool(numbers["judged"]), on_cpu=bool(numbers["on_cpu"]),
                    doings=tuple({"kind": d.get("kind", ""), "name": d.get("name", ""), "ns": d.get("ns", 0)} for d in found["doings"]))

    def call_site(self):
        """Frames of the call that launched it, as a tuple of dictionaries: module, pc, file, function, line."""
        return tuple(dict(f) for f in (self._stack or {}).get("frames", []))


class IAction:
    """A result: one launch of a kernel, or a range, command list or graph that was measured as one.

    It behaves like a mapping from names to metrics.
    """

    NameBase_FUNCTION, NameBase_DEMANGLED, NameBase_MANGLED = range(3)
    WorkloadType_KERNEL, WorkloadType_RANGE, WorkloadType_CMDLIST, WorkloadType_GRAPH = range(4)
    NameBase = enum.IntEnum("NameBase", "FUNCTION DEMANGLED MANGLED", start=0)
    WorkloadType = enum.IntEnum("WorkloadType", "KERNEL RANGE CMDLIST GRAPH", start=0)

    _NAMES = ("function", "demangled", "mangled")

    def __init__(self, message, workload, report, sources):
        self._message, self._workload, self._report, self._sources = message, workload, report, sources
        self._views = None           # name: View of a metric that nobody asked for yet
        self._metrics, self._asked = {}, None

    def _index(self):
        """Names of all metrics, without their values."""
        if self._views is None:
            views, strings = {}, self._report.strings
            for view in self._message["metrics"]:
                number = next((v for n, w, v, _ in wire.fields(view) if n == 1 and w == wire.VARINT), None)
                if number is None or number >= len(strings):
                    raise ReportError("a metric's name is text %s of %d" % (number, len(strings)), view.start)
                views[strings[number]] = view
            self._views = views
        return self._views

    def name(self, base=NameBase_FUNCTION):
        """The kernel's name: its function, demangled with parameters, or mangled (a NameBase_ value)."""
        if self._workload == self.WorkloadType_KERNEL:
            key = self._NAMES[base] if base in (0, 1, 2) else "function"
            return self._message.get(key, "")
        return self._message.get("name") or ("", "range", "command list", "graph")[self._workload]

    def _read(self, name):
        """The metric as the report has it, or None."""
        view = self._index().get(name)
        if view is None:
            return None
        m = wire.decode(view, schema.METRIC)
        return IMetric(
            name, _kind_value(m.get("value")), [_kind_value(i.get("value")) for i in m["instances"]],
            [_kind_value(i.get("id")) for i in m["instances"]], m.get("unit", ""), m.get("description", ""), m.get("why", ""),
            self._properties)

    def _properties(self, name):
        """(unit, description) of CUPTI's, asked once for all metrics."""
        if self._asked is None:
            self._asked = {}         # the next two lines ask for metrics themselves
            numbers = [self.metric_by_name("device__attribute_" + n) for n in ("architecture", "implementation")]
            chip = host.chip_of(*[n.as_uint64() for n in numbers]) if None not in numbers else None
            self._asked = host.ask(chip, self.metric_names())
        return self._asked.get(name, ("", ""))

    def metric_by_name(self, metric_name):
        """The IMetric of that name, or None."""
        if metric_name not in self._metrics:
            try:
                metric = self._read(metric_name) if isinstance(metric_name, str) else None
            except ReportError as e:
                raise e.of(self._report.path)
            if metric is None:
                return None
            self._metrics[metric_name] = metric
        return self._metrics[metric_name]

    def metric_names(self):
        """Names of all metrics as a tuple, in the order of the alphabet."""
        try:
            return tuple(sorted(set(self._index()) | set(self._metrics)))
        except ReportError as e:
            raise e.of(self._report.path)

    def __getitem__(self, key):
        """The IMetric of that name; KeyError when there is none, TypeError when the key is no str."""
        if not isinstance(key, str):
            raise TypeError("a metric is asked for by its name, not by %s" % type(key).__name__)
        metric = self.metric_by_name(key)
        if metric is None:
            raise KeyError(key)
        return metric

    def __contains__(self, key):
        return isinstance(key, str) and self.metric_by_name(key) is not None

    def __iter__(self):
        """Goes through the names of the metrics."""
        return iter(self.metric_names())

    def __len__(self):
        """How many metrics there are."""
        return len(self.metric_names())

    def __str__(self):
        """The kernel's name."""
        return self.name()

    def workload_type(self):
        """What was measured: one of the WorkloadType_ values."""
        return self._workload

    def nvtx_state(self):
        """The INvtxState with the ranges that were open at the launch; None when none was recorded."""
        message = self._message.get("nvtx")
        return nvtx.INvtxState(message, self._message.get("thread")) if message is not None else None

    def _source(self):
        """The module that the kernel came from."""
        wanted = [self._message.get("source", {}).get("reference")] + self._message.get("references", [])
        return next((self._sources[r] for r in wanted if r in self._sources), None)

    def source_info(self, address):
        """The ISourceInfo of an instruction by its address; None when the module has no lines for it."""
        module = self._source()
        place = module.line_of(address) if module else None
        return ISourceInfo(*place) if place else None

    def source_files(self):
        """{name: content} of the source files; a content is '' where the report does not hold it."""
        module = self._source()
        return module.files() if module else {}

    def sass_by_pc(self, address):
        """The instruction at an address as text; '' without the module or without nvdisasm."""
        module = self._source()
        return module.sass(address) if module else ""

    def ptx_by_pc(self, address):
        """The PTX that an instruction was made of; '' where the report does not tell."""
        module = self._source()
        return module.ptx(address) if module else ""

    def _add(self, name):
        metric = IMutableMetric(name)
        self._metrics[name] = metric
        return metric

    def add_metric(self, name):
        """Adds a metric without values, or replaces the one of that name; returns the IMutableMetric."""
        return self._add(name)

    def add_integer_metric(self, name, *values):
        """add_integer_metric(name, [kind,] value): adds a metric with an integer as its value."""
        metric = self._add(name)
        metric.set_uint64(*((metric.ValueKind_ANY,) + values)[-2:])
        return metric

    def add_double_metric(self, name, *values):
        """add_double_metric(name, [kind,] value): adds a metric with a float as its value."""
        metric = self._add(name)
        metric.set_double(*((metric.ValueKind_ANY,) + values)[-2:])
        return metric

    def add_string_metric(self, name, *values):
        """add_string_metric(name, [kind,] value): adds a metric with a text as its value."""
        metric = self._add(name)
        metric.set_string(*((metric.ValueKind_ANY,) + values)[-2:])
        return metric

    def added_metrics(self):
        """The metrics that rules added, as a tuple. (gputap's own)"""
        return tuple(m for m in self._metrics.values() if isinstance(m, IMutableMetric))

    def sections(self):
        """Identifiers of the sections that were collected, as a tuple. (gputap's own)"""
        return tuple(s.get("identifier", "") for s in self._message["sections"])

    def rule_results(self):
        """What rules said when the report was made or last changed, as a tuple of dictionaries. (gputap's own)"""
        return tuple(self._message.get("rules", ()))

    def trace(self):
        """The ITrace with the kernel's place in time; None in reports that were not made of a trace. (gputap's own)"""
        message = self._message.get("trace")
        stack = self._message.get("python_stack") or self._message.get("stack")
        return ITrace(message, stack) if message is not None else None


class _Sequence:
    """Indexing by integers and slices."""

    _what = "item"

    def _list(self):
        raise NotImplementedError

    def __getitem__(self, key):
        """One by its index, or several by a slice; IndexError and TypeError as lists raise them."""
        if isinstance(key, slice):
            return tuple(self._list()[key])
        if not hasattr(key, "__index__"):
            raise TypeError("a number or a slice is wanted, not %s" % type(key).__name__)
        try:
            return self._list()[key]
        except IndexError:
            raise IndexError("there is no %s %d: there are %d" % (self._what, key, len(self))) from None

    def __iter__(self):
        """Goes through all of them."""
        return iter(self._list())

    def __len__(self):
        """How many there are."""
        return len(self._list())


class IRange(_Sequence):
    """The actions of one stream or queue. It behaves like a sequence of them."""

    _what = "action"

    def __init__(self, actions):
        self._actions = actions

    def _list(self):
        return self._actions

    def num_actions(self):
        """How many actions there are."""
        return len(self._actions)

    def action_by_idx(self, idx):
        """The IAction of that index, or None."""
        return self._actions[idx] if 0 <= idx < len(self._actions) else None

    def actions_by_nvtx(self, includes, excludes):
        """Indices of the actions whose NVTX state fits one of the expressions of `includes` and none of `excludes`.

        The expressions are those of --nvtx-include and --nvtx-exclude; without any in `includes` the answer is empty.
        """
        wanted = [nvtx.NvtxFilter(text) for text in includes]
        refused = [nvtx.NvtxFilter(text) for text in excludes]
        out = []
        for i, action in enumerate(self._actions):
            state = action.nvtx_state()
            if any(f.matches(state) for f in wanted) and not any(f.matches(state) for f in refused):
                out.append(i)
        return tuple(out)


class IBaseContext:
    """What every context can do."""

    def get_version(self):
        """The version of the interface as a text."""
        return VERSION

    def handle_exception(self, *error):
        """Says on standard error what went wrong; the context stays usable."""
        print(harmless("".join(str(e) for e in error)), file=sys.stderr)


class IContext(IBaseContext, _Sequence):
    """A report: a range for each stream or queue. It behaves like a sequence of them."""

    _what = "range"

    def __init__(self, ranges=(), frontend=None, controller=None):
        self._ranges = list(ranges)
        self._frontend, self._controller = frontend or IFrontend(), controller or IController()

    def _list(self):
        return self._ranges

    def num_ranges(self):
        """How many ranges there are."""
        return len(self._ranges)

    def range_by_idx(self, idx):
        """The IRange of that index, or None."""
        return self._ranges[idx] if 0 <= idx < len(self._ranges) else None

    def frontend(self):
        """The IFrontend that takes the messages of a rule."""
        return self._frontend

    def controller(self):
        """The IController with which a rule reaches others."""
        return self._controller


class IEvaluator(IBaseContext):
    """Takes what a rule needs before it can be applied."""

    def __init__(self):
        self.metrics, self.rules = [], []

    def require_metric(self, metric_name):
        """Asks for a metric to be collected."""
        self.metrics.append(str(metric_name))

    def require_rule(self, rule_id):
        """Asks for another rule; only such rules can be proposed."""
        self.rules.append(str(rule_id))


WORKLOADS = {"results": IAction.WorkloadType_KERNEL, "ranges": IAction.WorkloadType_RANGE,
             "cmdlists": IAction.WorkloadType_CMDLIST, "graphs": IAction.WorkloadType_GRAPH}


def actions_of(report):
    """All actions of a file.Report as [(place among the results, key of the range, IAction)], in the file's order."""
    sources, out, place = {}, [], 0
    for block in report.blocks:
        for kind, view in block.entries:
            if kind == "sources":
                module = source.Module(wire.decode(view, schema.SOURCE))
                sources.setdefault(module.reference, module)
                continue
            message = wire.decode(view, file.MESSAGES[kind])
            key = (block.header.get("process", {}).get("process_id"), message.get("context"), message.get("stream"))
            out.append((place, key, IAction(message, WORKLOADS[kind], report, sources)))
            place += 1
    return out


def context_of(report):
    """The IContext of a file.Report."""
    ranges = {}
    for _, key, action in actions_of(report):
        ranges.setdefault(key, []).append(action)
    return IContext(IRange(actions) for actions in ranges.values())


def load_report(file_name):
    """Opens a report (.ncu-rep) by its path, a str or a path object, and returns its IContext.

    FileNotFoundError when there is no such file; ReportError, a ValueError, with the place when it is damaged.
    """
    try:
        return context_of(file.load(file_name))
    except ReportError as e:
        raise e.of(file_name)
