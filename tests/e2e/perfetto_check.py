#!/usr/bin/env python3
"""tests/e2e/perfetto_check.py own|classes TRACE SQLITE - is a Perfetto trace what the database of the same trace says?
tests/e2e/perfetto_check.py fields FIELDS.def - are the writer's numbers of fields the published ones?

own: decoded by tests/golden/perfetto_dump.py; classes, fields: by the message classes of PyPI's package perfetto, which knows
nothing of this project. Both check that texts by number are defined, that slices nest and that tracks are described. Counts,
names and times of calls, device work, ranges and what the host did beside, the flows between them, and the names of threads,
must be those of the database (made with --opencl-compat=off).

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""
import collections
import os
import re
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
Slice = collections.namedtuple("Slice", "category name start end track flows")
CALLS = {"call"}
HOST = {"os runtime", "openmp"}
WORK = {"kernel", "copy", "fill", "graph", "command", "migration"}


def own(path):
    """Slices, counters {track: [values]}, {(pid, tid): name of the thread}, samples (pid, tid, time, processor, functions)."""
    sys.path.insert(0, os.path.join(HERE, "..", "golden"))
    import perfetto_dump as dump
    reader, slices, opened, counters = dump.Reader(), [], collections.defaultdict(list), collections.defaultdict(list)
    names, samples = {}, []
    for packet in dump.packets(path):
        reader.packet(packet)
        for track in packet.get("track", []):
            for thread in track.get("thread", []):
                names[thread["pid"][0], thread["tid"][0]] = thread.get("name", [""])[0]
        if "sample" in packet:
            s = packet["sample"][0]
            samples.append((s["pid"][0], s["tid"][0], packet["timestamp"][0], s["cpu"][0],
                            tuple(f[0] for f in reader.frames(s["stack"][0])) if "stack" in s else ()))
        if "event" not in packet:
            continue
        e, at = packet["event"][0], packet["timestamp"][0]
        track, kind = e["track"][0], e["type"][0]
        if kind == 1:
            opened[track].append((reader.texts["category"][e["category"][0]], reader.texts["name"][e["name"][0]], at,
                                  tuple(e.get("flow", []))))
        elif kind == 2:
            category, name, start, flows = opened[track].pop()
            slices.append(Slice(category, name, start, at, track, flows))
        elif kind == 4:
            counters[track].append(e["value"][0])
    return slices, counters, names, samples


def functions_of(texts, callstack):
    """Names of the stack's functions, innermost first, each in an object with a path and a build id that are there."""
    frames = [texts["frames"][iid] for iid in texts["callstacks"][callstack].frame_ids] if callstack else []
    for f in frames:
        mapping = texts["mappings"][f.mapping_id]
        assert all(texts["mapping_paths"][part].str for part in mapping.path_string_ids) and mapping.path_string_ids
        assert not mapping.build_id or len(texts["build_ids"][mapping.build_id].str) in (16, 20)
        assert not f.source_path_iid or texts["source_paths"][f.source_path_iid].str
    return tuple(texts["function_names"][f.function_name_id].str.decode() for f in reversed(frames))


def classes(path):
    """The same, by the published classes: packets of a track sorted by time, as a reader of the format does."""
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
    trace, texts, tracks = pb.Trace(), None, {}
    slices, opened, counters = [], collections.defaultdict(list), collections.defaultdict(list)
    events, samples = [], []
    with open(path, "rb") as f:
        trace.ParseFromString(f.read())
    assert not len(unknown(trace)), "fields that nobody published"
    assert trace.packet[0].first_packet_on_sequence
    for p in trace.packet:
        assert p.trusted_packet_sequence_id == 1
        if p.sequence_flags & p.SEQ_INCREMENTAL_STATE_CLEARED:
            texts = collections.defaultdict(dict, categories={}, names={}, annotations={}, values={})
            assert p.trace_packet_defaults.timestamp_clock_id == 64
        if p.HasField("interned_data"):
            for kind, field in (("categories", "event_categories"), ("names", "event_names"),
                                ("annotations", "debug_annotation_names"), ("values", "debug_annotation_string_values")):
                for entry in getattr(p.interned_data, field):
                    assert entry.iid not in texts[kind]
                    texts[kind][entry.iid] = entry.str.decode() if kind == "values" else entry.name
        for kind in ("function_names", "mapping_paths", "source_paths", "build_ids", "mappings", "frames", "callstacks"):
            for entry in getattr(p.interned_data, kind):
                assert entry.iid and entry.iid not in texts[kind]
                texts[kind][entry.iid] = entry
        if p.HasField("perf_sample"):
            s = p.perf_sample
            assert p.sequence_flags & p.SEQ_NEEDS_INCREMENTAL_STATE
            samples.append((s.pid, s.tid, p.timestamp, s.cpu, functions_of(texts, s.callstack_iid)))
        if p.HasField("track_descriptor"):
            t = p.track_descriptor
            assert t.uuid not in tracks and (not t.HasField("parent_uuid") or t.parent_uuid in tracks)
            tracks[t.uuid] = t
        if p.HasField("track_event"):
            e = p.track_event
            named = e.type in (e.TYPE_SLICE_BEGIN, e.TYPE_INSTANT)
            if named:
                assert p.sequence_flags & p.SEQ_NEEDS_INCREMENTAL_STATE
                for note in e.debug_annotations:
                    assert note.name_iid in texts["annotations"]
                    if note.HasField("string_value_iid"):
                        assert note.string_value_iid in texts["values"]
            events.append((p.timestamp, len(events), e, texts["categories"][e.category_iids[0]] if named else None,
                           texts["names"][e.name_iid] if named else None))
    events.sort(key=lambda x: x[:2])
    for at, _, e, category, name in events:
        stack = opened[e.track_uuid]
        assert e.track_uuid in tracks
        if e.type == e.TYPE_SLICE_BEGIN:
            stack.append((category, name, at, tuple(e.flow_ids)))
        elif e.type == e.TYPE_SLICE_END:
            category, name, start, flows = stack.pop()
            slices.append(Slice(category, name, start, at, e.track_uuid, flows))
        elif e.type == e.TYPE_COUNTER:
            assert tracks[e.track_uuid].HasField("counter")
            counters[e.track_uuid].append(e.counter_value)
    return slices, counters, {(t.thread.pid, t.thread.tid): t.thread.thread_name for t in tracks.values() if t.HasField("thread")}, samples


def unknown(message):
    try:
        from google.protobuf import unknown_fields
        return unknown_fields.UnknownFieldSet(message)
    except ImportError:
        return []


def check_fields(path):
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
    n = 0
    with open(path, encoding="utf-8") as f:
        for message, field, number in re.findall(r"^FIELD\((\w+), (\w+), (\d+)\)", f.read(), re.M):
            of = (pb.ClockSnapshot.Clock if message == "Clock" else pb.PerfEvents.Timebase if message == "Timebase"
                  else getattr(pb, message))
            assert of.DESCRIPTOR.fields_by_name[field].number == int(number), (message, field, number)
            n += 1
    assert n > 40, n
    print("%d fields" % n)


# ---------------------------------------------------------------- the database

def rows(db, query, *tables):
    there = {r[0] for r in db.execute("SELECT name FROM sqlite_master")}
    return db.execute(query).fetchall() if all(t in there for t in tables) else []


def base(name):
    return re.sub(r"_v\d+$", "", name)


def calls_of(db):
    out = []
    for table in ("OPENCL_API", "CUPTI_ACTIVITY_KIND_RUNTIME"):
        for name, start, end in rows(db, "SELECT value, start, end FROM %s JOIN StringIds s ON s.id = nameId WHERE eventClass != -1"
                                         % table, table):
            out.append((base(name), start, end))
    return out


def host_of(db):
    """Calls of the C library and regions of OpenMP."""
    out = rows(db, "SELECT value, start, end FROM OSRT_API JOIN StringIds s ON s.id = nameId", "OSRT_API")
    for table, in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'OPENMP_EVENT_KIND_%'").fetchall():
        if "end" in [c[1] for c in db.execute("PRAGMA table_info(%s)" % table)]:
            name = table.replace("OPENMP_EVENT_KIND", "omp").lower()
            out += [(name, start, end) for start, end in db.execute("SELECT start, end FROM %s WHERE end > start" % table)]
    return out


def names_of(db):
    return {(tid >> 24 & 0xffffff, tid & 0xffffff): name for tid, name in rows(
        db, "SELECT globalTid, value FROM ThreadNames JOIN StringIds s ON s.id = nameId", "ThreadNames")}


def samples_of(db):
    """Samples with the functions of their stacks; a function without a name has its address in both."""
    chains = collections.defaultdict(list)
    for sample, symbol in rows(db, """SELECT c.id, value FROM SAMPLING_CALLCHAINS c JOIN StringIds s ON s.id = symbol
            ORDER BY c.id, stackDepth""", "SAMPLING_CALLCHAINS"):
        chains[sample].append(symbol)
    return [(tid >> 24 & 0xffffff, tid & 0xffffff, start, cpu, tuple(chains[sample])) for sample, tid, start, cpu in rows(
        db, "SELECT id, globalTid, start, cpu FROM COMPOSITE_EVENTS", "COMPOSITE_EVENTS")]


def nameless(samples):
    """In place of "library.so+0x1234" and "0x7f0000001234", which the two write each in its way: one mark."""
    return [s[:4] + (tuple("?" if re.search(r"(^|\+)0x[0-9a-f]+$", name) else name for name in s[4]),) for s in samples]


def work_of(db):
    """(start, end) of everything that ran on a device, with the table it stands in."""
    out = []
    for table in ("OPENCL_WORKLOAD", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
                  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS"):
        out += rows(db, "SELECT start, end FROM %s WHERE start IS NOT NULL AND end >= start" % table, table)
    out += [(start, start) for start, in rows(db, "SELECT start FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS")]
    return out


def flows_of(db):
    """(start of the call, start of its work)"""
    out = rows(db, """SELECT a.start, w.start FROM OPENCL_API a JOIN OPENCL_WORKLOAD w ON a.correlationId = w.correlationId
        AND a.globalTid & ~0xFFFFFF = w.globalPid WHERE w.start IS NOT NULL AND w.end >= w.start""",
               "OPENCL_API", "OPENCL_WORKLOAD")
    for table in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"):
        out += rows(db, """SELECT a.start, w.start FROM CUPTI_ACTIVITY_KIND_RUNTIME a JOIN CUPTI_ACTIVITY_KIND_%s w
            ON a.correlationId = w.correlationId AND a.globalTid & ~0xFFFFFF = w.globalPid""" % table,
                    "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_" + table)
    return out


def ranges_of(db):
    return [(text or "(no name)", start, end) for text, start, end in rows(
        db, """SELECT COALESCE(e.text, s.value), e.start, e.end FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
        WHERE eventType IN (59, 60) AND e.end IS NOT NULL""", "NVTX_EVENTS")]


def same(what, found, wanted):
    found, wanted = collections.Counter(found), collections.Counter(wanted)
    assert found == wanted, "%s: not in the database %s; not in the trace %s" % (
        what, list((found - wanted).items())[:5], list((wanted - found).items())[:5])
    return sum(found.values())


def pairs(slices):
    starts = collections.defaultdict(list)
    for s in slices:
        for flow in s.flows if s.category in CALLS else ():
            starts[flow].append(s.start)
    return [(call, s.start) for s in slices if s.category in WORK for flow in s.flows for call in starts.get(flow, [])]


def main():
    how, path = sys.argv[1:3]
    if how == "fields":
        check_fields(path)
        return
    slices, counters, names, samples = {"own": own, "classes": classes}[how](path)
    db = sqlite3.connect(sys.argv[3])
    work = {s.start for s in slices if s.category in WORK}
    calls = same("calls", [(s.name, s.start, s.end) for s in slices if s.category in CALLS], calls_of(db))
    n = same("device work", [(s.start, s.end) for s in slices if s.category in WORK], work_of(db))
    flows = same("flows", pairs(slices), [f for f in flows_of(db) if f[1] in work])
    ranges = same("ranges", [(s.name, s.start, s.end) for s in slices if s.category == "range"], ranges_of(db))
    host = same("the host's side", [(s.name, s.start, s.end) for s in slices if s.category in HOST and s.end > s.start], host_of(db))
    sampled = same("samples", nameless(samples), nameless(samples_of(db)))
    known = names_of(db)
    for thread, name in names.items():
        assert known.get(thread, name or "[Unknown]") == (name or "[Unknown]"), "thread %s is %s in the trace, %s in the database" % (thread, name, known[thread])
    # Of what is pending nothing is left at the end; bytes allocated may be.
    for track, values in counters.items():
        assert min(values) >= 0, "counter %d falls below 0" % track
    print("%d samples, %d calls, %d of the host's side, %d of device work, %d flows, %d ranges, %d counters, %d named threads"
          % (sampled, calls, host, n, flows, ranges, len(counters), sum(name != "" for name in names.values())))


if __name__ == "__main__":
    main()
