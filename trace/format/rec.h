/*
 * trace/format/rec.h - every record of a gputap trace, as it lies in a stream file
 *
 * Shared by the writer (trace/write, inside the traced program) and the reader (trace/read).
 * Definitions only. The same facts in prose, for people who write another reader:
 * docs/trace-format.md. Change a layout: add a row there and raise REC_VERSION.
 *
 * Everything is little endian, 8-byte words, in the byte order of the traced machine
 * (struct rec_chunk.magic tells).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_REC_H
#define GPUTAP_TRACE_FORMAT_REC_H

#include <stdint.h>

#include "trace/format/domains.h"

#define REC_VERSION 4
/* That is read: what 2 left out, nobody had written; 3 added REC_STACK_WORD; 4 added REC_COUNT_WORD. */
#define REC_VERSION_OLDEST 1

static inline int rec_version_known(uint64_t version)
{
	return version >= REC_VERSION_OLDEST && version <= REC_VERSION;
}

/* ------------------------------------------------------------------ chunks */

/* A stream file is a row of chunks. A chunk starts at a multiple of REC_BLOCK (the first at 0). */
#define REC_BLOCK 65536u              /* bytes; no record crosses a multiple of it */
#define REC_CONTROL_BYTES 4096u       /* the control page at the start of every stream file */
#define REC_CHUNK_MAGIC 0x314b4843u   /* "CHK1"; reads 0x43484b31 in the other byte order */
#define REC_CHUNK_RESERVE 4096u       /* bytes at a chunk's end kept for handlers during a switch */

enum rec_chunk_kind {
	REC_CHUNK_CALLS = 1, /* records */
	REC_CHUNK_BLOB = 2,  /* one blob: program source, build log, ... */
	REC_CHUNK_CUPTI = 3, /* raw CUPTI buffers */
	REC_CHUNK_STAGE =
		4, /* a window: what stands REC_STAGE_IMAGE behind its header is the chunk whose place in the file
	                                 is rec_stage_target, and counts instead of what stands there; 0 = nothing */
	/*
	 * small blobs, one behind the other from the end of this header on: each a header of kind BLOB, whose `bytes`
	 * lead to the next, and its content. Ends at a magic of 0, or with the chunk. At most REC_BLOCK bytes.
	 */
	REC_CHUNK_BLOBS = 5,
};
#define REC_STAGE_IMAGE 4096u         /* bytes from a window's header to its image; the image is `bytes` - that long */

/* The first 64 bytes of each chunk (of the first chunk: at offset REC_CONTROL_BYTES). */
struct rec_chunk {
	uint32_t magic;               /* REC_CHUNK_MAGIC, written last */
	uint16_t kind;                /* enum rec_chunk_kind */
	uint16_t version;             /* REC_VERSION */
	uint64_t bytes;               /* whole chunk, header included; the next chunk starts at the next
	                                 multiple of REC_BLOCK at or behind its end */
	uint64_t start_tick;          /* host clock when the chunk was opened */
	uint64_t blob_id[2];          /* BLOB: content id (XXH3 128 of the whole content, low word first) */
	uint64_t blob_bytes;          /* BLOB: bytes stored behind this header */
	uint64_t blob_total;          /* BLOB: bytes of the whole content (> blob_bytes when cut) */
	uint32_t blob_kind;           /* BLOB: enum rec_blob_kind */
	uint32_t reserved;
};
/* STAGE: offset in the file of the chunk that the image is, in the word of blob_id[0]. */
#define rec_stage_target blob_id[0]
/*
 * CALLS of a ring: the offset that its records count from, 0 = where it stands; finished calls in it (0 while it is
 * open); calls that stood in its place before and were overwritten.
 */
#define rec_offset blob_id[0]
#define rec_calls blob_id[1]
#define rec_calls_gone blob_total

enum rec_blob_kind {
	REC_BLOB_SOURCE = 1, REC_BLOB_LOG, REC_BLOB_BINARY, REC_BLOB_IL, REC_BLOB_OPTIONS, REC_BLOB_COUNTERS,
	REC_BLOB_CUBIN,               /* whole or not at all */
	REC_BLOB_ARGS                 /* whole or not at all: the words of a call's arguments (REC_MORE_WHOLE) */
};
#define REC_BLOB_MAX (256u << 20)     /* bytes of one content: longer ones are cut there, and a reader takes no more */

/* ------------------------------------------------------------ control page */

#define REC_CONTROL_MAGIC 0x3152545350415447ull /* "GTAPSTR1" */
#define REC_STREAM_LAUNCHER 2097152u  /* number of the launcher's stream in an image: far above the program's */
#define REC_SLOTS 8
#define REC_SLOT_CALLBACK 0x100u

/* What a thread is inside right now. fn != 0 while the call runs; the deepest live slot is innermost. */
struct rec_slot {
	uint32_t fn;                  /* function id, 0 = free; written last at entry, first at exit */
	uint32_t domain;              /* enum rec_domain, | REC_SLOT_CALLBACK while an application callback runs */
	uint64_t start_tick;
	uint64_t frame;               /* the caller's frame address: slots below a later frame are stale */
	uint64_t arg[4];
	uint64_t last;                /* link of the last call here whose record was written; 0 = none yet */
};

/* Page 0 of every stream file. Mapped as long as the stream has a holder. */
struct rec_control {
	uint64_t magic;               /* REC_CONTROL_MAGIC */
	uint32_t version;             /* REC_VERSION */
	uint32_t stream;              /* this file's number */
	uint32_t tid;                 /* present holder, 0 = in the pool */
	uint32_t pid;
	/* What a reader can hold the files against; 0: not told. By trace/write/stream/tally.c. */
	uint64_t files;               /* stream files that the image has made by now, this one among them */
	uint64_t chunks;              /* chunks opened in this file */
	uint64_t end;                 /* offset in this file behind the last of them */
	uint64_t used;                /* offset, as links count, up to which records stand without a gap */
	uint32_t meta_bytes;          /* how long the image's `meta` is */
	uint32_t run_bytes;           /* how long `run` was when the image was made, at least */
	struct rec_slot slot[REC_SLOTS];
	uint64_t lost[64];            /* by enum rec_loss; only the holding thread adds (atomically against
	                                 its own handlers), so a kill keeps the counts */
	uint64_t lost_by_others[64];  /* the same of threads and processes without a stream; any of them adds */
};

#define rec_run_told run_bytes        /* in the page `lost`: how many bytes processes wrote into `run` */

/* Why something is not in the trace, or not as it should be. One list for writer, reader and reports. */
#define REC_LOSSES(X) \
	X(NO_SPACE,          "calls not recorded: no room (disk full, size limit or file limit)") \
	X(NO_STREAM,         "calls not recorded: the thread got no stream") \
	X(SECCOMP,           "calls not recorded: a seccomp filter forbids new chunks") \
	X(SIZE_CAP,          "calls not recorded: --max-size reached") \
	X(RING_OVERWRITTEN,  "calls overwritten, or NVTX ranges or CUDA activities: ring mode") \
	X(ARGS_CUT,          "arguments cut: longer than the capture limit") \
	X(PENDING_FULL,      "commands untimed: --max-pending events already kept") \
	X(QUEUE_UNPROFILED,  "commands untimed: the queue refused profiling, or was made unrecorded") \
	X(NOT_FINISHED,      "commands untimed: not finished at exit") \
	X(NO_PROFILING_INFO, "commands untimed: the driver gave no times") \
	X(TIME_ZERO,         "commands with a zero device time") \
	X(TIME_REVERSED,     "commands with device times out of order") \
	X(TIME_UNTOUCHED,    "commands untimed: the driver reported success and wrote nothing") \
	X(FAILED_COMMAND,    "commands that failed on the device") \
	X(EXT_PLATFORMS,     "extension functions passed through: too many platforms") \
	X(EXT_PROVISIONAL,   "provisional extension functions recorded by name only") \
	X(LOADER_MISSED,     "OpenCL loaders mapped of which no call was caught") \
	X(CHILD_MISSED,      "children not followed: gputap was not in their LD_PRELOAD, or nothing was heard") \
	X(SOURCE_CUT,        "contents (program sources, logs, binaries) cut, or modules left out: size or room") \
	X(CALLBACK_UNWRAPPED,"callbacks passed through untimed") \
	X(LATE_CALL,         "calls after the exit handler: forwarded only") \
	/* found by the reader */ \
	X(INCOMPLETE_RECORD, "records begun and never finished (kill, longjmp, thread end)") \
	X(DAMAGED,           "damaged blocks") \
	X(TRUNCATED,         "streams cut short") \
	X(UNMATCHED_COMMAND, "device records whose call is not in the trace") \
	X(UNMATCHED_CALL,    "commands whose device record never came") \
	X(CLAMPED,           "times moved in an output that needs an order") \
	X(UNKNOWN_RECORD,    "records of a type this reader does not know") \
	X(CLOCK_BREAK,       "clock segments: suspend, step or drift over 50 us") \
	/* CUDA; new reasons go to the end, traces hold the numbers */ \
	X(CUPTI_MISSING,     "processes whose CUDA work was not traced: no usable CUPTI") \
	X(CUPTI_BUSY,        "processes whose CUDA work was not traced: another profiler holds CUPTI") \
	X(CUPTI_REFUSED,     "requests that CUPTI refused (kinds of CUDA activity, callbacks, numbers of handles)") \
	X(CUPTI_DROPPED,     "CUDA activities dropped by CUPTI") \
	X(CUPTI_NO_BUFFER,   "buffers of CUDA activities thrown away: no room in the trace") \
	X(CUPTI_UNREAD,      "CUDA activities that could not be read") \
	X(CUPTI_NAME_GONE,   "kernels without a name: the process ended before it was stored") \
	X(CUPTI_ARGS_CUT,    "CUDA calls whose arguments were not copied: no room, or not readable") \
	/* objects outside libgputap.so: trace/write/core.h */ \
	X(CORE_LATE,         "calls made before an object beside libgputap.so found it") \
	X(CORE_VERSION,      "objects beside libgputap.so of another version: none of their calls is recorded") \
	X(EARLY_CALL,        "calls made while gputap was starting: forwarded only") \
	X(TIME_IMPOSSIBLE,   "commands untimed: the driver gave times that cannot be") \
	X(TIME_UNORDERED,    "commands queued or submitted, by their driver, behind their start or at no time") \
	X(CUPTI_FLUSH_FAILED,"flushes of CUDA activities that failed") \
	X(CUPTI_FATAL,       "processes whose CUDA work was traced in part: CUPTI gave up after a fatal error") \
	X(ELSEWHERE,         "processes that could not write to this trace: they made one of their own") \
	X(REMOVED,           "files of the trace removed while it was recorded: their calls are lost") \
	X(OTHER_REFUSED,     "folders of other users left out: not all of them is one owner's") \
	X(CUDA_UNSEEN,       "processes whose CUDA calls could not be seen: their driver was not told of gputap") \
	X(CONTENTS_CAP,      "contents (program sources, logs, binaries) not stored: --max-contents reached") \
	X(LEFT_CALL,         "calls that did not return: left by a jump, an exception or the end of their thread") \
	X(FACTS_LOST,        "processes whose facts found no room: image, arguments and options are unknown") \
	X(SAMPLES_LOST,      "samples and context switches lost: no room in the kernel's rings, or on a stack") \
	X(DETAILS_LOST,      "records about threads, objects, names and clocks not written: no room") \
	X(COUNTERS_REFUSED,  "processes whose kernels were not counted: counters refused, or not planned") \
	X(COUNTERS_LOST,     "kernels that were chosen and whose counters were not collected") \
	X(PC_SAMPLES,        "samples of the program counter lost: the device dropped them, or too many instructions") \
	X(CUPTI_DATA_GONE,   "overheads of CUDA whose data is missing: it was gone before it was stored") \
	X(TRACEPOINTS_LOST,  "events of tracepoints lost: the kernel's rings were full") \
	X(HANDLER_CALL,      "calls of signal handlers that came while gputap asked the driver: forwarded only") \
	X(WORK_UNKNOWN,      "processes killed or ended amid CUDA work, with calls left out: how much is not known") \
	X(CHILD_UNREACHABLE, "children not followed: 32-bit, another C library, or rights of their own") \
	X(CUPTI_TAKEN,       "processes whose CUDA work was traced in part: another client took CUPTI, or part of it") \
	X(OTHER_FOREIGN,     "folders left out that somebody put into the trace: of no process of this run") \
	X(NOT_GATHERED,      "parts of the trace that only `gputap run` writes: it was killed before it had")
/*
 * Reasons that readers alone find: they have no place in a control page, and their numbers stand in no trace. What is
 * proved with each: model/checks/checks.def.
 */
#define REC_FOUND(X) \
	X(TIME_BEFORE_CALL,  "device times before the call that set the work going") \
	X(TIME_AFTER_WAIT,   "device times behind a call that had waited for the work") \
	X(TIME_AFTER_END,    "device times behind the end of the process") \
	X(TIME_OVERLAP,      "device times inside those of other work of the same in-order queue or stream") \
	X(CHILD_FIRST,       "processes with a start time before that of the parent") \
	X(ASKED_REFUSED,     "parts of the trace asked for and refused")
#define REC_REASONS(X) REC_LOSSES(X) REC_FOUND(X)
enum rec_loss {
#define X(id, text) REC_LOSS_##id,
	REC_LOSSES(X)
	REC_LOSS_COUNT,               /* of those in a control page */
	REC_LOSS_LAST_COUNTED = REC_LOSS_COUNT - 1,
	REC_FOUND(X)
	REC_LOSS_END
#undef X
};

/* ----------------------------------------------------------------- headers */

/* Bits of the header's flags byte. */
enum rec_flag {
	REC_COMPLETE = 0x01,          /* the record is whole and never changes again */
	REC_INCOMPLETE = 0x02,        /* claimed: its size in words stands in the result field */
	REC_LONG = 0x04,              /* words is 0; the size stands in the word behind the header */
	REC_SLOW = 0x08,              /* calls: a word with the duration's high part follows the duration word */
	REC_BARE = 0x10,              /* calls: no arguments behind the duration word */
	REC_WIDE = 0x20,              /* REC_COMMAND: full 8-byte times */
	REC_CUT = 0x40,               /* a copy in this record was cut at its capture limit */
	REC_STACK_WORD = 0x80,        /* calls: a word behind the duration word(s) names the call's stack */
};

/*
 * The 8 bytes every record starts with: id u16, words u8, flags u8, result i32.
 * words counts 8-byte words, header included. 0 = free space: the end of what was written.
 */
static inline uint64_t rec_head(uint32_t id, uint32_t words, uint32_t flags, int32_t result)
{
	return (uint64_t)(id & 0xffffu) | (uint64_t)(words & 0xffu) << 16 | (uint64_t)(flags & 0xffu) << 24 |
	       (uint64_t)(uint32_t)result << 32;
}
static inline uint64_t rec_claim(uint32_t words) { return rec_head(0, 0, REC_INCOMPLETE, (int32_t)words); }
static inline uint32_t rec_id(uint64_t head) { return head & 0xffffu; }
static inline uint32_t rec_flags(uint64_t head) { return head >> 24 & 0xffu; }
static inline int32_t rec_result(uint64_t head) { return (int32_t)(head >> 32); }
/*
 * Size in words of the record at rec. For a REC_LONG record it reads rec[1]: the caller has checked that it is there.
 */
static inline uint32_t rec_words(const uint64_t *rec)
{
	uint64_t head = rec[0];

	if (rec_flags(head) & REC_INCOMPLETE)
		return (uint32_t)(head >> 32);
	return rec_flags(head) & REC_LONG ? (uint32_t)rec[1] : (uint32_t)(head >> 16 & 0xffu);
}

/* ------------------------------------------------------------------- calls */

/*
 * id >= REC_FIRST_FUNCTION: one API call or one run of an application callback.
 *
 *   head  {function, words, flags, result}   result = the cl_int returned, or the errcode of a creating call
 *   [words]                                  only REC_LONG
 *   start tick
 *   duration u32 | first 4-byte argument u32 (or 0)
 *   [duration high u64]                      only REC_SLOW: duration = low | high << 32, in ticks
 *   [stack]                                  only REC_STACK_WORD: see rec_stack_word
 *   fixed arguments, then copies             as the function table in the trace says (docs/trace-format.md)
 */
#define REC_FIRST_FUNCTION 256u

/*
 * Which stack a call was made from: {stream u24, more u8, offset / 8 u32} of a STACK record; offset 0: none. No flag of
 * the header is left, so what later versions add to a call hangs on `more`: when it is not 0, so many further words
 * stand behind this one, and the first of them says in bits what they are. A reader that knows none steps over them.
 */
static inline uint64_t rec_stack_word(uint64_t link) { return link & ~0xff000000ull; }
static inline uint64_t rec_stack_link(uint64_t word) { return word & ~0xff000000ull; }
static inline uint32_t rec_stack_more(uint64_t word) { return word >> 24 & 0xffu; }
/*
 * The first of these words: {bits u32, bound u32}. What a bit adds stands behind it, in the order of the bits. The
 * bound is where those copies were cut that have no limit in the function table: bytes, of whole elements.
 */
enum rec_more {
	REC_MORE_BOUND = 1,           /* the bound holds for this record; without REC_CUT: on purpose, and no loss */
	/* 2 words: content id of the arguments with all copies (REC_BLOB_ARGS); the record has their beginning */
	REC_MORE_WHOLE = 2,
	REC_MORE_SHORT = 4,           /* copies end where the record ends: there was no room for more */
};
static inline uint32_t rec_more_words(uint32_t bits) { return bits ? 1 + (bits & REC_MORE_WHOLE ? 2 : 0) : 0; }
enum rec_stack_flag {
	REC_STACK_CUT = 1,            /* at --callstack-depth: further frames are not here */
	REC_STACK_STOPPED = 2,        /* the unwinder did not find out what called the last frame */
	REC_STACK_GUESSED = 4,        /* somewhere a function had no unwind table: frames may be missing there */
	REC_STACK_PYTHON = 8,         /* functions of Python stand behind the module numbers */
};
#define REC_PYTHON_ENTERED 0x80000000u /* C called it, not Python: it begins what one C frame of the interpreter runs */
#define REC_PYTHON_NOWHERE 0x7fffffffu
#define REC_PYTHON_CUT 0x80000000u     /* of the bytes of a PYTHON_CODE's table: its end is missing */
/*
 * In a STACK's module numbers: the address is of the instruction itself, at which a signal came, not behind a call.
 */
#define REC_STACK_INTERRUPTED 0x8000u
/* Number of the launcher's stream in an image, far above the program's. Its modules have numbers of their own. */
#define REC_STREAM_LAUNCHER 2097152u
#define REC_MODULE_ID_WORDS 4u        /* of a MODULE's build id; longer ones are cut */

/* Of a field of a tracepoint's events. */
enum rec_field {
	REC_FIELD_SIGNED = 1,
	REC_FIELD_TEXT = 2,           /* its elements are characters, up to a zero */
	REC_FIELD_PLACE = 4,          /* it says where its elements are: {offset in the event u16, bytes u16} */
	REC_FIELD_BESIDE = 8          /* ... counted from the end of this field */
};

/* Which interface a function belongs to: enum rec_domain, trace/format/domains.def. */
/* First function id of a domain; ids inside are the table's business. */
#define REC_FN_OPENCL 0x0400u         /* 0x0400 .. 0x0bff */
#define REC_FN_HSA    0x0c00u         /* 0x0c00 .. 0x0fff */
#define REC_FN_CUDA   0x1000u         /* 0x1000 .. 0x3fff */
#define REC_FN_CUDA_RUNTIME 0x1000u   /* + CUPTI's callback id, < 0x1000 */
#define REC_FN_CUDA_DRIVER  0x2000u   /* + CUPTI's callback id, < 0x1000 */
/* Objects outside libgputap.so bring the table of their own functions (NAME.gputap/functions.HASH). */
#define REC_FN_OSRT   0x4000u         /* 0x4000 .. 0x47ff */
#define REC_FN_OPENMP 0x4800u         /* 0x4800 .. 0x4fff */
#define REC_FN_VULKAN 0x5000u         /* 0x5000 .. 0x5fff */
#define REC_FN_OPENGL 0x6000u         /* 0x6000 .. 0x7fff */
/*
 * A CUDA call with arguments (only with --cuda-args) is a call record with an id of its own range; first 4-byte
 * argument = CUPTI's correlation id. Fixed arguments: {bytes of the parameter struct u32, copies u32}, the struct
 * padded to words, then copies: {offset of the pointer in the struct u32, bytes u32 (REC_CUDA_COPY_OUT: taken at
 * exit)}, the bytes padded to words. Its times are those of the callbacks; the activity record of the same correlation
 * id, if there, is what outputs show. REC_CUDA_RAW in the bytes of the struct: its size was not known, the first words
 * from its address on are here, and some may lie behind it.
 */
#define REC_CUDA_COPY_OUT 0x80000000u
#define REC_CUDA_RAW 0x80000000u

/* ---------------------------------------------------------- other records */

/* What each holds: trace/format/records.def. */
enum rec_type {
#define RECORD(name, number, words, text, texts, tick, ring) REC_##name = (number),
#include "trace/format/records.def"
	REC_TYPE_COUNT
};

/*
 * A CUPTI chunk: struct rec_chunk, with blob_bytes = room for activities, this, zeros up to REC_CUPTI_BUFFER bytes from
 * the chunk's beginning, then the buffer as CUPTI filled it. Where a block of such a file holds no header, the next one
 * is looked at: a place that was never finished, or is not in use, hides none behind it. Records end at the first kind
 * number 0, or at `valid`.
 */
#define REC_CUPTI_BUFFER 4096u
struct rec_cupti_buffer {
	uint64_t number;              /* from 1, by process, in order of requests */
	uint64_t requested_tick;
	uint32_t requested_tid, completed_tid;
	uint32_t context, stream;     /* as CUPTI says at completion: CUPTI's context id or 0, stream id */
	uint64_t valid;               /* bytes of records; of one that never completed: at least */
	uint64_t completed_tick;      /* written last; 0: never completed */
	/*
	 * Bytes of the chunk behind which nothing of what CUPTI wrote is in the file, as the image was ending; 0: all
	 * is there.
	 */
	uint64_t kept;
};
enum rec_cupti_library {
	REC_CUPTI_STAND_IN = 1,
	REC_CUPTI_PER_THREAD_BUFFERS = 2,
	REC_CUPTI_LATE = 4, /* attached after cuInit */
	REC_CUPTI_SOME_CALLS = 8 /* --cuda-api, --cuda-filter: work may have a call that is not recorded, on purpose */
};
enum rec_cupti_event {
	REC_CUPTI_CONTEXT_CREATED = 1, REC_CUPTI_CONTEXT_DESTROYED,   /* {device u32, 0} */
	/*
	 * module id, bytes, 2 words content id (BLOB, REC_BLOB_CUBIN, where it is stored), and what no other has: a
	 * fifth word, CUPTI's CRC of it, 0 not told
	 */
	REC_CUPTI_MODULE_LOADED,
	REC_CUPTI_GRAPH_CREATED, REC_CUPTI_GRAPH_CLONED, REC_CUPTI_GRAPH_DESTROYED,  /* graph id, original graph id */
	REC_CUPTI_GRAPH_EXEC_CREATED, REC_CUPTI_GRAPH_EXEC_DESTROYED, /* exec id, graph id */
	/* node id, original node id, graph id, node type */
	REC_CUPTI_NODE_CREATED, REC_CUPTI_NODE_CLONED, REC_CUPTI_NODE_DESTROYED,
	REC_CUPTI_NODE_DEPENDS,       /* node id, id of the node that it waits for, graph id */
	REC_CUPTI_SUBSCRIBED,         /* 1 */
	/* kinds switched off and on: the window's, or the program's cu(da)ProfilerStart/Stop */
	REC_CUPTI_PAUSED, REC_CUPTI_RESUMED,
	/* everything is switched on; tick at which that work, which the program waited for, began */
	REC_CUPTI_ATTACHED,
	REC_CUPTI_STREAM_CREATED,     /* stream id, handle */
	/*
	 * A launch whose attributes let it begin before what stands in front of it in its stream has ended: bits by
	 * CUDA's number of the attribute; value of programmatic stream serialisation; handle of the programmatic event;
	 * handle of the launch completion event
	 */
	REC_CUPTI_LAUNCH_ORDER,
	/*
	 * Driver calls of gputap's own were made between a tick and now: thread id, 1 if the program makes no call on
	 * that thread; the tick. CUPTI records them as it does the program's.
	 */
	REC_CUPTI_OWN_CALLS,
	REC_CUPTI_ENDING,             /* the image may end: CUPTI was asked for all work; tick at which that began */
	REC_CUPTI_MODULE_UNLOADED,    /* module id: it is about to go */
};

enum rec_object {
	REC_OBJECT_PLATFORM = 1,
	REC_OBJECT_DEVICE,
	REC_OBJECT_CONTEXT,
	REC_OBJECT_QUEUE,
	REC_OBJECT_MEM,
	REC_OBJECT_PROGRAM,
	REC_OBJECT_KERNEL,
	REC_OBJECT_SAMPLER,
	REC_OBJECT_EVENT,
	REC_OBJECT_COMMAND_BUFFER,
	REC_OBJECT_SVM,
	REC_OBJECT_SEMAPHORE
};
enum rec_attr {
	REC_ATTR_PLATFORM = 0xffff0000, /* u64 handle of the owner */
	REC_ATTR_DEVICE,              /* u64 handle */
	REC_ATTR_CONTEXT,             /* u64 handle */
	REC_ATTR_PARENT,              /* u64 handle: sub-device's parent, sub-buffer's buffer, kernel's program */
	REC_ATTR_PROFILED,            /* u32: 0 refused, 1 we asked for it, 2 the application did */
	REC_ATTR_CLOCK,               /* u32: 0 none, 1 clGetDeviceAndHostTimer, 2 calibrated from brackets */
	REC_ATTR_LOADER,              /* text: path of the library that implements it */
	REC_ATTR_STAND_IN,            /* u32 1: a test stand-in, not a real device */
};
enum rec_thread {
	REC_THREAD_MAIN = 1,
	/* the thread of another such record with the same tick and tid, which the ring may have taken */
	REC_THREAD_AGAIN = 2,
};
enum rec_nvtx_kind { REC_NVTX_MARK = 1, REC_NVTX_PUSH, REC_NVTX_START };
enum rec_nvtx_message { REC_NVTX_NO_MESSAGE = 0, REC_NVTX_TEXT, REC_NVTX_WIDE, REC_NVTX_REGISTERED };
enum rec_nvtx_flag { REC_NVTX_COLOR = 1, REC_NVTX_PAYLOAD = 2, REC_NVTX_STACK = 4 };
enum rec_nvtx_name {
	REC_NVTX_DOMAIN = 1,
	REC_NVTX_DOMAIN_END,
	REC_NVTX_STRING,
	REC_NVTX_CATEGORY,
	REC_NVTX_THREAD,
	REC_NVTX_RESOURCE,
	REC_NVTX_RESOURCE_END
};
#define REC_NVTX_SCHEMA_DATA 0xdfbd0009u
/*
 * In a call's record, in place of an argument that is NULL and would have counted an output array: how many elements of
 * that were filled. No pointer has both bits: the upper is 0 in those of x86-64, the lower in those of aarch64.
 */
#define REC_COUNT_WORD (1ull << 63 | 1ull << 55)
#define REC_COUNT_MOST ((1ull << 55) - 1)
enum rec_local_source { REC_LOCAL_UNKNOWN = 0, REC_LOCAL_APPLICATION, REC_LOCAL_REQUIRED, REC_LOCAL_SUGGESTED };
/*
 * Begin of recording in a process, a full chunk that made room for the next, end of recording; the unwinding of a call
 * stack, of each thread the first and then one in REC_COST_UNWIND_EACH; the launcher emptied the rings of samples.
 */
enum rec_cost { REC_COST_START = 1, REC_COST_CHUNK, REC_COST_END, REC_COST_UNWIND, REC_COST_RINGS };
#define REC_COST_UNWIND_EACH 64u
/* Numbers are for ever: a new one goes to the end. */
enum rec_cpu {
	REC_CPU_TASK_CLOCK = 1, REC_CPU_PAGE_FAULTS, REC_CPU_CYCLES, REC_CPU_INSTRUCTIONS, REC_CPU_CACHE_MISSES,
	REC_CPU_BRANCH_MISSES, REC_CPU_SWITCHES, REC_CPU_SWITCHES_FORCED, REC_CPU_MIGRATIONS, REC_CPU_END
};
/* Below REC_CPU_WHY: what perf_event_open answered, an errno. */
enum rec_cpu_why {
	REC_CPU_WHY = 4096,             /* /proc does not show it */
	REC_CPU_WHY_OTHERS,             /* another command may have run at the same time */
	REC_CPU_WHY_NOT_OVER,           /* it was not over in time: it waits for something of the program */
	REC_CPU_WHY_NO_EVENT,           /* the runtime gave no event for it */
	REC_CPU_WHY_UNSEEN,             /* the runtime's threads were made before the recording began */
	REC_CPU_WHY_MANY,               /* more threads than are looked at */
	REC_CPU_WHY_NEVER_RAN,          /* the counter was never on a processor: others had them all */
	REC_CPU_WHY_END
};
enum rec_sample { REC_SAMPLE_CLOCK = 1, REC_SAMPLE_CYCLES, REC_SAMPLE_TIMER };
/* OUT: it waits for something; PREEMPTED: it could have gone on, and another thread has the processor */
enum rec_switch { REC_SWITCH_OUT, REC_SWITCH_IN, REC_SWITCH_PREEMPTED };
enum rec_task { REC_TASK_BEGINS = 1, REC_TASK_ENDS, REC_TASK_NAMED };
/* Flags of EXEC: bit 0, it is not followed. */
enum rec_exec { REC_EXEC_CLEANED = 1, REC_EXEC_UNREACHABLE = 3 };
enum rec_exit { REC_EXIT_NORMAL = 1, REC_EXIT_UNDERSCORE, REC_EXIT_QUICK, REC_EXIT_EXEC };

static inline uint64_t rec_link(uint32_t stream, uint64_t offset) { return (uint64_t)stream | (offset >> 3) << 32; }
static inline uint32_t rec_link_stream(uint64_t link) { return (uint32_t)link; }
static inline uint64_t rec_link_offset(uint64_t link) { return (link >> 32) << 3; }

/* ------------------------------------------------- the directory around it */

/*
 * NAME.gputap/run              text: what the launcher knows (lines are appended as they become known)
 * NAME.gputap/table.HASH.zst   the function table of the shim that wrote (zstd; text inside, api/README.md)
 * NAME.gputap/functions.HASH   what an object outside libgputap.so adds to the function table (text, api/README.md)
 * NAME.gputap/cuda-args.zst    with --cuda-args: the table of CUDA's arguments (zstd; text inside, docs/cuda-args.md)
 * NAME.gputap/counters         with --metrics and its like: what was planned to be counted (trace/format/counters.h)
 * NAME.gputap/output.N         with --capture-output: what the program wrote to one open file (`stream` in `run`)
 * NAME.gputap/PID.N/meta       text: what the image knows about itself
 * NAME.gputap/PID.N/K.str      streams, K from 0
 * NAME.gputap/export.lock      flock'ed while a detached conversion runs
 *
 * The text files hold key=value lines; in values '%', newline and bytes below 0x20 are written %XX.
 * A key may repeat (argv, clock). Unknown keys are kept and ignored.
 *
 * run:  format begin(begin.h) run_id host user command(argv0..: one "arg" line each) cwd start_realtime_ns launcher_pid
 *       clock=TICK MONO RAW REAL BOOT BRACKET (repeated) end_realtime_ns exit_status exit_signal option=NAME=VALUE
 *       failed=PID (an image that could not make its directory: none of its calls is here) unrecorded=CALLS
 *       unfollowed=PATH (started with an environment without us, by an image that recorded nothing)
 *       unreachable=WORD PATH (started by such an image, and nothing can be preloaded into it: common/plain/program.h),
 *       or the pid of who was killed while it started one
 *       started=WORD PATH (the same of a static program, which is no loss, "unseen" of one that was not looked at, and
 *       a word of common/plain/audit.h of one that was started without the audit module)
 *       cut=1 (the launcher saw that this file was cut)
 *       gathers=WORD PID START (what that process of the launcher's gathers: cli/run/gathers.c)
 *       gathered=WORD (it is whole)
 *       rerun=1 (of a run by --reruns: its launcher takes what it is for into the trace of the first)
 *       cuda_runtime=NAME (loaded in an image that recorded nothing, and no driver was)
 *       launcher_start boot_id ns_pid (as below: whether the launcher still runs)
 * meta: format byte_order run_id boot_id host pid ppid ns_pid start_time image arg cwd
 *       reason(start|fork|exec|attach) parent(PID.N)
 *       clock_source(tsc|cntvct|monotonic_raw) table(HASH) start_tick os arch version option=NAME=VALUE env=NAME=VALUE
 */
#endif
