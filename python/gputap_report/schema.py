"""The messages of a report, by field number: tables for ``wire.decode`` and ``wire.encode``.

Only what is read or written here is named; everything else is stepped over. Fields from 1000 on are gputap's own:
other readers skip them.

Copyright 2026 The gputap authors
SPDX-License-Identifier: Apache-2.0
"""


def one(name, kind):
    return name, kind, False


def many(name, kind):
    return name, kind, True


FILE_HEADER = {1: one("version", "u32")}
STRING_TABLE = {1: many("strings", "text")}
PROCESS = {1: one("process_id", "u32"), 2: one("host", "text"), 3: one("name", "text")}
BLOCK_HEADER = {
    1: one("sources", "u32"), 2: one("results", "u32"), 3: one("session", "raw"), 4: one("strings", STRING_TABLE),
    5: one("payload", "u32"), 6: one("process", PROCESS), 7: one("ranges", "u32"), 8: one("cmdlists", "u32"),
    9: one("graphs", "u32")}

# ---------------------------------------------------------------- metrics

VALUE = {1: one("text", "text"), 2: one("f32", "f32"), 3: one("f64", "f64"), 4: one("u32", "u32"), 5: one("u64", "u64")}
INSTANCE = {1: one("id", VALUE), 2: one("value", VALUE)}
METRIC = {1: one("name", "u32"), 2: one("value", VALUE), 3: many("instances", INSTANCE), 4: one("category", "u32"),
          1000: one("unit", "text"), 1001: one("description", "text"), 1002: one("why", "text")}

# ---------------------------------------------------------------- NVTX

PAYLOAD = {1: one("type", "u32"), 2: one("u64", "u64"), 3: one("i64", "i64"), 4: one("f64", "f64"), 5: one("u32", "u32"),
           6: one("i32", "i32"), 7: one("f32", "f32"), 8: one("text", "text")}
NVTX_MESSAGE = {1: one("type", "u32"), 2: one("text", "text"), 3: one("handle", "u64")}
COLOR = {1: one("type", "u32"), 2: one("value", "u32")}
ATTRIBUTES = {1: one("version", "u32"), 2: one("category", "u32"), 3: one("color", COLOR), 4: one("payload", PAYLOAD),
              5: one("message", NVTX_MESSAGE)}
PUSH_POP = {1: one("name", "text"), 2: one("attributes", ATTRIBUTES)}
START_END = {1: one("id", "u64"), 2: one("name", "text"), 3: one("attributes", ATTRIBUTES)}
PUSH_POP_DOMAIN = {1: one("id", "u64"), 3: many("stack", PUSH_POP)}
START_END_DOMAIN = {1: one("id", "u64"), 3: many("ranges", START_END)}
REGISTERED = {1: one("id", "u64"), 2: one("value", "text")}
DOMAIN = {1: one("id", "u64"), 2: one("name", "text"), 3: many("strings", REGISTERED)}
THREAD = {1: one("id", "u32"), 2: many("domains", PUSH_POP_DOMAIN)}
NVTX = {1: many("domains", DOMAIN), 2: many("threads", THREAD), 3: many("start_end", START_END_DOMAIN),
        4: one("default", "u64")}

# ---------------------------------------------------------------- sources and stacks

SOURCE_FILE = {1: one("name", "text"), 2: one("content", "text")}
SYMBOL = {1: one("name", "text"), 2: one("address", "u64"), 3: one("index", "u32")}
SOURCE = {
    1: one("reference", "u64"), 2: one("code", "text"), 3: one("intermediate", "bytes"), 4: one("binary", "bytes"),
    5: one("sass_level", "u32"), 6: one("sm_revision", "u32"), 8: one("files", {1: many("files", SOURCE_FILE)}),
    9: one("relocation", {1: many("functions", SYMBOL), 2: many("objects", SYMBOL)}),
    1000: one("build_options", "text"), 1001: one("build_log", "text")}
FRAME = {1: one("module", "text"), 2: one("pc", "u64"), 3: one("file", "text"), 4: one("function", "text"),
         5: one("line", "u32")}
STACK = {1: many("frames", FRAME), 2: one("type", "u32")}

# ---------------------------------------------------------------- rules

RULE_TABLE = {
    1: one("title", "text"), 2: one("description", "text"),
    3: many("columns", {1: one("name", "text"), 2: one("tooltip", "text"), 3: one("width", "f64")}),
    4: many("rows", {1: many("cells", VALUE)}), 5: one("sort_column", "u32"), 6: one("sort_descending", "bool")}
RULE_MESSAGE = {1: one("text", "text"), 2: one("type", "u32"), 3: one("id", "i32"), 4: one("name", "text")}
FOCUS = {1: one("message", "i32"), 2: one("metric", "text"), 3: one("value", "f64"), 4: one("severity", "u32"),
         5: one("info", "text")}
RULE_ITEM = {
    1: one("message", RULE_MESSAGE), 2: one("metric_table", "raw"), 3: one("bar_chart", "raw"),
    4: one("histogram", "raw"), 5: one("line_chart", "raw"), 6: one("proposal", {1: one("rule", "text")}),
    7: one("roofline", "raw"), 8: many("focus", FOCUS), 9: one("source_table", "raw"),
    10: one("speedup", {1: one("type", "u32"), 2: one("value", "f64")}), 11: one("suffix_table", "raw"),
    1000: one("table", RULE_TABLE)}
MARKER = {1: one("kind", "u32"), 2: one("line", "u32"), 3: one("address", "u64"), 4: one("text", "text"),
          5: one("type", "u32"), 6: one("file", "text")}
RULE_RESULT = {1: one("identifier", "text"), 2: one("name", "text"), 3: one("body", {1: many("items", RULE_ITEM)}),
               4: one("section", "text"), 5: many("markers", MARKER)}

# ---------------------------------------------------------------- results

DIM = {1: one("x", "u64"), 2: one("y", "u64"), 3: one("z", "u64")}
SECTION_METRIC = {1: one("name", "text"), 2: one("label", "text"),
                  7: many("options", {1: one("name", "text"), 2: one("label", "text")})}
SECTION_METRICS = {1: many("metrics", SECTION_METRIC), 2: one("order", "u32")}
SECTION = {1: one("identifier", "text"), 2: one("name", "text"), 3: one("order", "u32"), 6: one("metrics", SECTION_METRICS),
           10: one("definitions", {1: many("definitions", {1: one("name", "text"), 2: one("expression", "text")})}),
           13: one("source_metrics", SECTION_METRICS)}
WAIT = {1: one("kind", "text"), 2: one("name", "text"), 3: one("bytes", "u64"), 4: one("start_ns", "u64"),
        5: one("end_ns", "u64"), 6: one("direction", "text"), 7: one("memory", "text")}
DOING = {1: one("kind", "text"), 2: one("name", "text"), 3: one("ns", "u64")}
SHAPE = {1: one("launches", "u64"), 2: one("total_ns", "u64"), 3: one("typical_ns", "u64"), 4: one("run_ns", "u64"),
         5: one("judged", "u32"), 6: one("on_cpu", "u32"), 7: one("beside_ns", "u64"), 8: one("idle_ns", "u64"), 9: one("idles", "u64"),
         10: one("known_ns", "u64"), 11: many("doings", DOING), 12: one("late_ns", "u64"), 13: one("lates", "u64"),
         14: one("short_ns", "u64"), 15: one("shorts", "u64"), 16: one("copy_ns", "u64"), 17: one("copies", "u64"),
         18: one("copied_bytes", "u64"), 19: one("hideable_ns", "u64"), 20: one("pageable_ns", "u64"), 21: one("pageable", "u64"),
         22: one("pageable_bytes", "u64"), 23: one("ran_ns", "u64")}
TRACE = {1: one("start_ns", "u64"), 2: one("end_ns", "u64"), 3: one("gap_before_ns", "u64"), 4: one("queued_ns", "u64"),
         5: one("submit_ns", "u64"), 6: many("waits", WAIT), 7: one("launches", "u64"), 8: one("total_ns", "u64"),
         9: one("queue", "text"), 10: one("unused_buffers", "u64"), 11: one("unused_bytes", "u64"), 12: one("shape", SHAPE)}
# Metrics stay as they are until somebody asks for one: a report holds thousands a kernel.
KERNEL = {
    1: one("thread", "u32"), 2: one("call", "u64"), 5: one("mangled", "text"), 6: one("function", "text"),
    7: one("demangled", "text"), 8: one("dimensions", "u32"), 10: one("grid", DIM), 11: one("block", DIM),
    13: many("metrics", "raw"), 15: one("source", SOURCE), 17: many("sections", SECTION),
    19: many("rules", RULE_RESULT), 21: one("nvtx", NVTX), 22: one("context", "u32"), 23: one("stream", "u32"),
    27: one("stream_name", "text"), 28: one("stack", STACK), 31: one("renamed", "text"), 32: one("python_stack", STACK),
    1000: one("trace", TRACE)}
RANGE = {1: one("thread", "u32"), 2: one("call", "u64"), 4: many("metrics", "raw"), 7: many("sections", SECTION),
         10: one("nvtx", NVTX), 11: one("context", "u32"), 14: one("stack", STACK), 15: many("references", "u64")}
CMDLIST = {1: one("thread", "u32"), 2: one("call", "u64"), 4: many("metrics", "raw"), 7: many("sections", SECTION),
           10: one("nvtx", NVTX), 11: one("context", "u32"), 12: one("stream", "u32"), 15: one("stream_name", "text"),
           16: one("stack", STACK), 17: many("references", "u64"), 18: one("name", "text"), 21: many("rules", RULE_RESULT)}
GRAPH = {1: one("thread", "u32"), 2: one("call", "u64"), 4: many("metrics", "raw"), 7: many("sections", SECTION),
         10: one("nvtx", NVTX), 11: one("context", "u32"), 12: one("stream", "u32"), 15: one("stream_name", "text"),
         16: one("stack", STACK), 17: many("references", "u64")}
