/*
 * cli/run/run.h - the parts of gputap run
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_RUN_H
#define GPUTAP_CLI_RUN_H

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli/run/capture.h"
#include "cli/cli.h"
#include "common/plain/audit.h"
#include "common/plain/program.h"
#include "common/temporary.h"
#include "trace/read/holders.h"
#include "trace/format/counters.h"
#include "trace/read/store.h"

struct gt_run_target {
	char path[PATH_MAX];            /* of the program itself, or of what runs the script */
	const char *why;                /* nothing can be preloaded into it, as the end of a sentence; NULL: it can */
	struct gc_program program;
	bool wants_audit;               /* the audit module */
	enum gc_audit audit;            /* whether it can go there */
	uint64_t tls_bytes;             /* static thread-local storage beside it */
};

struct gt_perf;

struct gt_run {
	struct gt_cli *cli;
	const struct gt_options *options;
	char **command;
	char name[PATH_MAX];            /* absolute, expanded, without ".gputap" */
	char trace[PATH_MAX];           /* name + ".gputap" */
	char replaced[PATH_MAX + GT_TEMPORARY_MORE];    /* where the trace lies whose name this one has; "": none */
	int naming;                     /* descriptor of the folder, as long as it is locked for the name; -1 */
	char run_id[17];
	int log;                        /* descriptor of TRACE/run: read, append */
	pid_t pid;
	int marks;                      /* socket for what processes of the run say of themselves; -1: none */
	int gate;                       /* writing a byte lets the child go on */
	int report;                     /* the child writes errno here when exec failed */
	int status;                     /* of waitpid */
	bool quiet;
	struct gt_capture captured[2];  /* --capture-output */
	unsigned n_captured;
	struct gt_run_target target;
	char *cuda_table;               /* text to store in the trace; NULL: the built-in one */
	size_t cuda_table_bytes;
	bool cuda_table_found;          /* here, rather than named by the user */
	char *counters;                 /* what is to be counted: the file for the trace; NULL */
	size_t counters_bytes;
	uint32_t replay, passes;        /* enum rec_replay; of the chip that takes most, 0: nothing is counted */
	uint32_t apart;                 /* classes (enum rec_apart, a bit each) that take runs of their own */
	bool again;                     /* a later run of the program: its output goes nowhere */
	int64_t stdin_at;               /* where standard input began, a regular file; -1: it is none */
	struct gt_perf *perf;           /* samples and context switches; NULL: none are taken */
};

/* name.c: expands -o, makes the directory. Needs run->pid. Other launchers wait until gt_run_named. */
int gt_run_name(struct gt_run *run, struct gt_err *err);
/* Once the directory says whose it is. Removes what had its name, and what launchers that were killed left of it. */
int gt_run_named(struct gt_run *run, struct gt_err *err);
/* Checks the pattern only: unknown letters, unset variables. */
int gt_run_check_name(const struct gt_run *run, struct gt_err *err);
/* Removes a trace directory and all in it. */
int gt_run_remove_trace(const char *trace, struct gt_err *err);
/* child.c */
int gt_run_fork(struct gt_run *run, struct gt_err *err);          /* child waits at the gate */
int gt_run_release(struct gt_run *run);                           /* 0, or errno of the failed exec */
void gt_run_wait(struct gt_run *run);                             /* forwards signals, logs clocks, fills status */
int gt_run_like_target(const struct gt_run *run);                 /* the target's exit status, or death by its signal */
/* left.c: who of the run is there, beside the launcher. */
void gt_run_holders(const struct gt_run *run, struct gt_holders *all);
bool gt_run_is_held(const struct gt_run *run);
/* left.c: behind the program's end: a moment, or with --wait=all until they have ended; who is left goes to `run` */
void gt_run_wait_for_left(struct gt_run *run);
/* stop.c: while the program runs; ask: a signal that stops has come; follow: returns when the program may go on */
void gt_run_stop_ask(void);
void gt_run_stop_follow(pid_t program);
/* target.c: what will run, be it named by a script, and whether it can be reached. Before the start. */
void gt_run_look_at_target(const char *program, const char *audit, struct gt_run_target *t);
/* cuda.c: with --cuda-args, the table of CUDA's arguments: before the child is made; then into the trace. */
int gt_run_cuda_prepare(struct gt_run *run, struct gt_err *err);
void gt_run_cuda_store(struct gt_run *run);
/* counters.c: plans what --set, --section and --metrics ask to count: before the child is made; then into the trace. */
int gt_run_counters_prepare(struct gt_run *run, struct gt_err *err);
void gt_run_counters_store(struct gt_run *run);
/* The same plan for another run of the program, which counts that pass (from 0), or is for a class apart. */
int gt_run_counters_of_pass(const struct gt_run *run, uint32_t pass, enum rec_apart class, struct gt_run *later,
	struct gt_err *err);
/* gathers.c: lines of TRACE/run about what the launcher gathers itself; by: the process of its own that does. */
void gt_run_gathers(const struct gt_run *run, const char *word, pid_t by);
void gt_run_gathered(const struct gt_run *run, const char *word);
void gt_run_gathered_by_perf(const struct gt_run *run, unsigned kinds);
void gt_run_log_gathers(const struct gt_run *run);                /* before the program starts */
/* again.c: whether the program runs more than once */
bool gt_run_is_again(const struct gt_run *run);
/* again.c: behind the first run, further ones as --reruns and the plan ask for. Forgets the plan. */
void gt_run_again(struct gt_run *run);
/* peak.c: --measure-peak: behind the last run, as long as the log is open. */
void gt_run_measure_peaks(const struct gt_run *run);
/* pack.c: --pack. Behind everything that reads the trace's directory. */
int gt_run_pack(const struct gt_run *run, struct gt_err *err);
/* place.c: the trace's directory becomes this run's, and is asked what is in it */
int gt_run_place(struct gt_run *run, struct gt_err *err);
bool gt_run_recorded(const struct gt_run *run);                   /* a process recorded something */
bool gt_run_moved(const struct gt_run *run);                      /* what lies there is not what this run wrote to */
void gt_run_remove_empty(const struct gt_run *run);               /* when none did */
uint64_t gt_run_told(const struct gt_run *run);         /* bytes that processes have written into `run`, at least */
void gt_run_remove_lost_page(const struct gt_run *run);           /* at the end, if no process has mapped it */
/* What `run` says behind KEY= for the n-th time; false: it does not. */
bool gt_run_says(const struct gt_run *run, const char *key, unsigned n, char *value, size_t room);
/* driver.c: of a run that recorded nothing, if its program has CUDA and there is no driver. False: that is not why. */
bool gt_run_say_no_driver(const struct gt_run *run);
/* What processes that cannot write to the trace sent (trace/write/run/marks.c) becomes lines of TRACE/run. */
void gt_run_take_marks(const struct gt_run *run);
/* At the end: those that are names of files become lines too. */
void gt_run_take_named_marks(const struct gt_run *run);
/* A sentence for the trace: why a part of what was asked for is not there. */
void gt_run_note(const struct gt_run *run, const char *note);
/* The same where that makes the trace incomplete: it was asked for, and refused. */
void gt_run_refused(const struct gt_run *run, const char *note);
/* log.c: lines of TRACE/run */
void gt_run_log(const struct gt_run *run, const char *key, const char *value);
void gt_run_log_number(const struct gt_run *run, const char *key, long long value);
void gt_run_log_clock(const struct gt_run *run);
void gt_run_log_start(const struct gt_run *run);
void gt_run_log_target(const struct gt_run *run);                 /* of a program that could make calls unseen */
void gt_run_log_look(const struct gt_run *run);                   /* whether somebody cut it: then it says so */
const char *gt_run_clock_source(void);

#endif
